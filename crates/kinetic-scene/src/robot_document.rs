//! Robot documents: a robot as one JSON text with everything that planning needs, collision shapes included. They
//! describe the same robot on another machine that has neither its URDF nor its meshes. Visual geometry, inertia and
//! source paths are left out.

mod read;
mod shape;
mod write;

use kinetic_core::{ContentHash, ContentHasher, Pose, Result};
use kinetic_robot::Robot;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use shape::LinkShape;

/// Version of the format.
const DOCUMENT_VERSION: u32 = 1;

/// Numbers enter a fingerprint as multiples of this, so that rounding of sines on different machines does not change
/// it. It is far below any difference that changes a plan.
const FINGERPRINT_RESOLUTION: f64 = 1e-9;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RobotDocument {
    version: u32,
    name: String,
    links: Vec<LinkEntry>,
    joints: Vec<JointEntry>,
    active_joints: Vec<usize>,
    limits: Vec<LimitsEntry>,
    /// Absent where all joints count 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    joint_weights: Vec<f64>,
    groups: Vec<GroupEntry>,
    default_group: usize,
    end_effectors: Vec<EndEffectorEntry>,
    named_poses: Vec<NamedPoseEntry>,
    checks_itself: bool,
    padding: f64,
    skip_pairs: Vec<(usize, usize, String)>,
    pair_facts: Option<PairFactsEntry>,
    ik: (String, f64),
    spheres: Option<Vec<Vec<[f64; 4]>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkEntry {
    name: String,
    parent_joint: Option<usize>,
    collisions: Vec<(Pose, LinkShape)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JointEntry {
    name: String,
    #[serde(rename = "type")]
    joint_type: String,
    parent: usize,
    child: usize,
    parent_from_joint: Pose,
    axis: [f64; 3],
    limits: Option<LimitsEntry>,
    /// Leader, multiplier, offset.
    mimic: Option<(usize, f64, f64)>,
    variable: Option<usize>,
}

/// Joint limits. JSON has no infinity, so that an absent limit is unbounded.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsEntry {
    lower: Option<f64>,
    upper: Option<f64>,
    velocity: Option<f64>,
    effort: Option<f64>,
    acceleration: Option<f64>,
    jerk: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupEntry {
    name: String,
    base_link: usize,
    tip_link: usize,
    variables: Vec<usize>,
    tip_from_tcp: Pose,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndEffectorEntry {
    name: String,
    parent_link: usize,
    parent_group: Option<usize>,
    group: Option<usize>,
    grasp_frame: Pose,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedPoseEntry {
    name: String,
    group: usize,
    values: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairFactsEntry {
    fingerprint: u64,
    always: Vec<(usize, usize)>,
    never: Vec<((usize, usize), f64)>,
}

/// The robot as JSON, on one line; floats read back to the last bit.
///
/// # Errors
/// What loading its meshes reports; [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) for a shape
/// that documents do not have.
pub fn to_json(robot: &Robot) -> Result<String> {
    serde_json::to_string(&write::document(robot)?)
        .map_err(|error| kinetic_core::KineticError::Other(error.to_string()))
}

/// The robot of a text that [`to_json`] made.
///
/// # Errors
/// [`KineticError::FileParse`](kinetic_core::KineticError::FileParse) naming `file` for a text that is malformed,
/// incomplete, or whose parts do not fit each other.
pub fn from_json(text: &str, file: &str) -> Result<Robot> {
    read::robot(text, file)
}

/// A number that says whether two robots are the same to a planner: the same names, joints, limits, groups, named poses
/// and collision shapes, numbers compared to 1e-9.
///
/// # Errors
/// As [`to_json`].
pub fn fingerprint(robot: &Robot) -> Result<ContentHash> {
    let mut document = write::document(robot)?;
    // Derived from the other fields.
    document.pair_facts = None;
    let value =
        serde_json::to_value(&document).map_err(|error| kinetic_core::KineticError::Other(error.to_string()))?;
    let mut hasher = ContentHasher::default();
    add(&mut hasher, &value);
    Ok(hasher.finish())
}

/// Adds a value with its kind in front; members of objects in the order of their names.
fn add(hasher: &mut ContentHasher, value: &Value) {
    match value {
        Value::Null => hasher.bytes(b"n"),
        Value::Bool(is_true) => hasher.bytes(if *is_true { b"t" } else { b"f" }),
        Value::Number(number) => {
            hasher.bytes(b"#");
            // Large numbers saturate; −0 and 0 are the same.
            let steps = (number.as_f64().unwrap_or(f64::NAN) / FINGERPRINT_RESOLUTION).round() as i64;
            hasher.integer(steps.cast_unsigned());
        }
        Value::String(text) => {
            hasher.bytes(b"s");
            hasher.text(text);
        }
        Value::Array(items) => {
            hasher.bytes(b"[");
            hasher.integer(items.len() as u64);
            for item in items {
                add(hasher, item);
            }
        }
        Value::Object(members) => {
            hasher.bytes(b"{");
            let mut names: Vec<&String> = members.keys().collect();
            names.sort_unstable();
            for name in names {
                hasher.text(name);
                add(hasher, &members[name]);
            }
        }
    }
}
