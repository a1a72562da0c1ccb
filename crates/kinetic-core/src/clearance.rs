//! Certificates: the results of a verification.

use serde::{Deserialize, Serialize};

use crate::closest_approach::{ClosestApproach, ClosestApproaches, Measurement};
use crate::config::motion_limits::MotionLimits;
use crate::constraint::Constraint;
use crate::content_hash::ContentHash;
use crate::control::Control;
use crate::curve::PiecewisePolynomial;
use crate::error::Result;
use crate::limits::Limits;
use crate::payload::MountedPayload;
use crate::unbounded;

/// The proof that a trajectory was verified, with what it was proven for and what the verifier measured.
///
/// It belongs to one curve, in one scene: the hashes say which. They find accidents, not forgers: a certificate that is written by
/// hand can have its hashes too.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Certificate {
    /// [Hash](PiecewisePolynomial::content_hash) of the curve that was proven.
    #[serde(default)]
    pub curve: ContentHash,
    /// Version of the scene that it was proven in: robot, objects, carried bodies, what the scene states about margins, and
    /// where the joints outside the group stood.
    #[serde(default)]
    pub scene: ContentHash,
    /// The planning group that moves.
    #[serde(default)]
    pub group: String,
    /// Links that the group moves and nothing was checked for, because the model has no collision shapes of them. Empty
    /// when everything that moves was checked.
    #[serde(default)]
    pub unchecked_links: Vec<String>,
    /// Objects of the scene that were ghosts, which anything may touch. Empty when all objects were checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ghosts: Vec<String>,
    /// Number of configurations at which distances were evaluated: by the proof, and by the planner that searched for the path
    /// whose segments it proved.
    pub checks: u64,
    /// How near it comes to the world and to itself, measured when it is first asked for.
    // Named, so that a text without the field is refused: it would read as `null`, which claims that nothing has a shape.
    #[serde(deserialize_with = "Measurement::deserialize")]
    pub closest_approaches: Measurement,
    /// Distance towards the world that every pair was proven to keep, m: the least effective margin, paddings included.
    pub margin: f64,
    /// As `margin`, between links of the robot and what it carries, m.
    pub self_margin: f64,
    /// Largest |velocity| / limit over joints and time, from interval bounds.
    pub max_velocity_ratio: f64,
    /// Largest |acceleration| / limit over joints and time, from interval bounds.
    pub max_acceleration_ratio: f64,
    /// Largest |jerk| / limit over joints and time: infinite where acceleration steps, between pieces or where the motion
    /// leaves or comes to rest. `None` where jerk has no limit. Reported, not demanded: most time laws do not bound jerk.
    #[serde(with = "unbounded")]
    pub max_jerk_ratio: Option<f64>,
    /// Largest distance between the timed curve and the planned path, Euclidean in joint space.
    pub path_deviation: f64,
    /// The factors that were asked for, and the limits that were proven, factors included, which the ratios are about; `None`
    /// for the robot's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<ProvenLimits>,
    /// Bound on the largest |torque| / effort limit over joints and time, from interval bounds, at most 1; `None` where torques
    /// were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_torque_ratio: Option<f64>,
    /// Hash of the dynamics that torques were bounded with: masses, inertias, rotors, friction, effort limits, gravity, and all
    /// that the robot carried. `None` without `max_torque_ratio`, and in files of releases that bound it to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamics: Option<ContentHash>,
    /// What the robot carried for the torques, besides what the scene attaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<MountedPayload>,
    /// Constraints that were proven to be kept at every instant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<ProvenConstraint>,
    /// What was proven of the tool; `None` for motions that follow no Cartesian path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ProvenTool>,
}

/// Bounds on the tool along a Cartesian motion, and the limits that they were held against, at every instant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProvenTool {
    /// Bound on the speed of the tool, m/s.
    pub max_speed: f64,
    /// The limit that it keeps, m/s; `None` where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_limit: Option<f64>,
    /// Bound on the angular speed of the tool, rad/s.
    pub max_rotation_speed: f64,
    /// The limit that it keeps, rad/s; `None` where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation_speed_limit: Option<f64>,
    /// Bound on the distance of the tool from its path, or from what the tolerance of the path leaves free, m.
    pub max_deviation: f64,
    /// The limit that it keeps, m.
    pub position_tolerance: f64,
    /// Bound on the angle between the tool and its path, or what the tolerance of the path leaves free, rad.
    pub max_angle: f64,
    /// The limit that it keeps, rad.
    pub orientation_tolerance: f64,
    /// What the path leaves free besides; deviation and angle are counted from it. `None` for a path that leaves nothing free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freedom: Option<ToolFreedom>,
}

/// What a path leaves free of the pose of its tool, as tolerances of welding and gluing state it, at every point of the path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ToolFreedom {
    /// Axis of the tool, in its own frame.
    pub axis: [f64; 3],
    /// Largest turn about the axis in either direction, rad; π for any.
    pub angle: f64,
    /// Largest angle between the axis and where the path has it, rad.
    pub cone: f64,
    /// Half lengths of the box of positions along the axes of the tool on the path, m.
    pub position: [f64; 3],
}

/// A constraint that a motion keeps at every instant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProvenConstraint {
    /// The constraint.
    pub constraint: Constraint,
    /// Bound on how far the motion goes beyond the tolerance, rad or m, over all instants, from motion bounds: at most 0, and
    /// negative where the motion stays inside by that much.
    pub max_violation: f64,
}

/// Limits of a call instead of the robot's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProvenLimits {
    /// Factor of the velocity limits.
    pub velocity_scaling: f64,
    /// Factor of the acceleration limits.
    pub acceleration_scaling: f64,
    /// The limits of the group's joints, factors included.
    pub proven: Limits,
}

impl ProvenLimits {
    /// What a certificate says of limits that were asked for; `None` for the robot's own.
    pub fn of(asked: &MotionLimits, proven: &Limits) -> Option<Self> {
        let MotionLimits { velocity_scaling, acceleration_scaling, .. } = *asked;
        (!asked.is_default()).then(|| Self { velocity_scaling, acceleration_scaling, proven: proven.clone() })
    }
}

impl PartialEq for Certificate {
    /// Compares what was proven: not the work that it took, and not what is measured when it is asked for, which follows from the
    /// curve and the scene.
    fn eq(&self, other: &Self) -> bool {
        // Taken apart, so that a new field cannot be forgotten.
        let Self {
            curve,
            scene,
            group,
            unchecked_links,
            ghosts,
            checks: _,
            closest_approaches: _,
            margin,
            self_margin,
            max_velocity_ratio,
            max_acceleration_ratio,
            max_jerk_ratio,
            path_deviation,
            limits,
            max_torque_ratio,
            dynamics,
            payload,
            constraints,
            tool,
        } = self;
        (*curve, *scene, group) == (other.curve, other.scene, &other.group)
            && (unchecked_links, ghosts) == (&other.unchecked_links, &other.ghosts)
            && (*margin, *self_margin) == (other.margin, other.self_margin)
            && *max_velocity_ratio == other.max_velocity_ratio
            && *max_acceleration_ratio == other.max_acceleration_ratio
            && *max_jerk_ratio == other.max_jerk_ratio
            && *path_deviation == other.path_deviation
            && *limits == other.limits
            && (*max_torque_ratio, *dynamics, payload) == (other.max_torque_ratio, other.dynamics, &other.payload)
            && *constraints == other.constraints
            && *tool == other.tool
    }
}

impl Certificate {
    /// Whether it was made for this curve.
    pub fn is_of(&self, curve: &PiecewisePolynomial) -> bool {
        self.curve == curve.content_hash()
    }

    /// The bound on torques, where it was proven for these dynamics: `None` where torques were not asked for, and for other masses,
    /// payloads, effort limits or gravity than those of the proof.
    pub fn torque_ratio_of(&self, dynamics: ContentHash) -> Option<f64> {
        self.max_torque_ratio.filter(|_| self.dynamics == Some(dynamics))
    }

    /// The closest approach with least to spare, to the world or to the robot itself; `None` when nothing was checked,
    /// because nothing that moves has a shape. Measured when it is first asked for, which takes milliseconds.
    ///
    /// # Errors
    /// What measuring reports.
    pub fn closest_approach(&self) -> Result<Option<&ClosestApproach>> {
        let found = self.closest_approaches.get(&Control::default())?;
        Ok(found.map(ClosestApproaches::tightest))
    }
}
