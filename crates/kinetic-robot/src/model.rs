//! The parts of a robot as data.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_core::config::OptionValue;
use kinetic_core::{JointLimits, JointValues, Pose, Shape};
use nalgebra::{Matrix3, Unit, Vector3};
use serde::{Deserialize, Serialize};

use crate::mesh::MeshRef;
use crate::precomputed::Precomputed;

/// A rigid body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Name, unique in the robot.
    pub name: String,
    /// The joint that carries this link; `None` for the root.
    pub parent_joint: Option<usize>,
    /// Mass properties, when the model states them.
    pub inertial: Option<Inertial>,
    /// What it looks like.
    pub visuals: Vec<Geometry>,
    /// What it collides with.
    pub collisions: Vec<Geometry>,
}

/// Mass properties of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inertial {
    /// Mass, kg.
    pub mass: f64,
    /// Pose of the inertial frame, whose origin is the centre of mass, in the link frame.
    pub link_from_com: Pose,
    /// Tensor about the centre of mass, in the axes of the inertial frame, kg m².
    pub inertia: Matrix3<f64>,
}

/// A shape placed on a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// Pose of the shape's frame in the link frame.
    pub link_from_shape: Pose,
    /// The shape.
    pub shape: GeometryShape,
    /// How its surface looks, when the model says so.
    pub material: Option<Material>,
}

impl Geometry {
    /// A shape on a link, without a material.
    pub fn new(link_from_shape: Pose, shape: GeometryShape) -> Self {
        Self { link_from_shape, shape, material: None }
    }
}

/// How a surface looks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Material {
    /// Name; may be empty.
    pub name: String,
    /// Red, green, blue and opacity, each in [0, 1].
    pub color: Option<[f64; 4]>,
    /// Name of an image file, as written; found as meshes are, see [`MeshResolver`](crate::MeshResolver).
    pub texture: Option<String>,
}

/// A solid, or a reference to a mesh file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum GeometryShape {
    /// A solid given by numbers.
    Shape(Shape),
    /// A triangle mesh in a file, read only on request.
    Mesh(MeshRef),
}

/// How a joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointType {
    /// About its axis, between two limits, rad.
    Revolute,
    /// Along its axis, between two limits, m.
    Prismatic,
    /// About its axis without limits, rad.
    Continuous,
    /// Not at all.
    Fixed,
}

impl JointType {
    /// `revolute`, `prismatic`, `continuous` or `fixed`, as URDF writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Continuous => "continuous",
            Self::Fixed => "fixed",
        }
    }

    /// True unless fixed.
    pub fn is_moving(self) -> bool {
        self != Self::Fixed
    }
}

/// The connection between a parent link and a child link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Name, unique in the robot.
    pub name: String,
    /// How it moves.
    pub joint_type: JointType,
    /// Index of the parent link, smaller than that of the child.
    pub parent: usize,
    /// Index of the child link.
    pub child: usize,
    /// Pose of the joint frame, which is the child link's frame at joint value 0, in the parent link's frame.
    pub parent_from_joint: Pose,
    /// Direction of motion in the joint frame; +x for a fixed joint.
    pub axis: Unit<Vector3<f64>>,
    /// The joint's own limits, unknown ones replaced by the defaults; `None` for a fixed joint.
    pub limits: Option<JointLimits>,
    /// The joint this one follows, if any.
    pub mimic: Option<Mimic>,
    /// Friction, damping and rotor inertia, all 0 where the description states none.
    pub dynamics: JointDynamics,
    /// Position in [`Robot::active_joints`](crate::Robot::active_joints); `None` for fixed and mimic joints.
    pub variable: Option<usize>,
}

/// What resists the motion of a joint besides the links that it moves: `armature · q̈ + damping · q̇ + friction · sign(q̇)`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct JointDynamics {
    /// Viscous damping, N m s/rad or N s/m.
    pub damping: f64,
    /// Coulomb friction, N m or N.
    pub friction: f64,
    /// Inertia of the rotor as the joint feels it (times the square of the gear ratio), kg m² or kg.
    pub armature: f64,
}

impl JointDynamics {
    /// The same with 0 instead of what would drive the joint.
    pub(crate) fn without_negative(self) -> Self {
        let Self { damping, friction, armature } = self;
        Self { damping: damping.max(0.0), friction: friction.max(0.0), armature: armature.max(0.0) }
    }
}

/// A joint that follows another: `value = multiplier · leader + offset`.
///
/// Chains of followers are resolved when the robot is read: the leader is always an independent joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mimic {
    /// Index of the independent joint.
    pub joint: usize,
    /// Factor.
    pub multiplier: f64,
    /// Value at leader = 0, rad or m.
    pub offset: f64,
}

/// A named set of joints that is planned for together, with the links between which it acts.
///
/// Configurations of a group list its joints in tree order, which along a chain is from base to tip, or in the order
/// in which a `kinetic.toml` lists them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanningGroup {
    /// Name, unique in the robot.
    pub name: String,
    /// Index of the link that poses are expressed in; an ancestor of `tip_link` (or the same link).
    pub base_link: usize,
    /// Index of the link that is moved.
    pub tip_link: usize,
    /// The independent joints, as indices into [`Robot::joints`](crate::Robot::joints): one per value of a
    /// configuration.
    pub joints: Vec<usize>,
    /// The same joints as indices into [`Robot::active_joints`](crate::Robot::active_joints).
    pub variables: Vec<usize>,
    /// Tool at the tip; identity unless set.
    pub tip_from_tcp: Pose,
}

impl PlanningGroup {
    /// Number of values in a configuration.
    pub fn dof(&self) -> usize {
        self.variables.len()
    }
}

/// Values of options of planning, by the [names](kinetic_core::PlannerOption::name) of the options; see
/// [`Robot::profile`](crate::Robot::profile).
pub type Profile = BTreeMap<String, OptionValue>;

/// A place on the robot that holds tools or objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndEffector {
    /// Name.
    pub name: String,
    /// Index of the link it is mounted on.
    pub parent_link: usize,
    /// Index of the group that moves it, when stated.
    pub parent_group: Option<usize>,
    /// Index of the group of its own joints (fingers), when stated.
    pub group: Option<usize>,
    /// Pose of the tool centre point in the frame of `parent_link`.
    pub grasp_frame: Pose,
}

/// A configuration with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedPose {
    /// Name, unique in the group.
    pub name: String,
    /// Index of the group.
    pub group: usize,
    /// Values in group order, rad or m.
    pub values: JointValues,
}

/// What the model says about collisions of the robot with itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CollisionSettings {
    /// Which pairs are checked.
    pub self_collision_pairs: SelfCollisionPairs,
    /// Distance added around every link, m.
    pub padding: f64,
    /// Pairs that are not checked, sorted, each once.
    pub skip_pairs: Vec<SkipPair>,
    /// What is known about pairs from the robot's shapes, when it was worked out before.
    pub pair_facts: Option<PairFacts>,
    /// Other results about the robot's shapes that were worked out before.
    pub precomputed: Arc<Precomputed>,
}

/// What the shapes of a robot say about its pairs of links: facts that cost time to find out and never change.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PairFacts {
    /// Says which joints and shapes the facts are about, so that facts about others are not believed.
    pub fingerprint: u64,
    /// Pairs of link indices, the smaller first, that touch in every configuration; ascending.
    pub always: Vec<(usize, usize)>,
    /// Pairs that never touch inside the joint limits, and a distance that they keep, m; ascending.
    pub never: Vec<((usize, usize), f64)>,
}

impl CollisionSettings {
    /// Sorts the pairs and keeps the first reason of each.
    pub(crate) fn normalise(&mut self) {
        self.skip_pairs.sort_by_key(|pair| pair.links);
        self.skip_pairs.dedup_by_key(|pair| pair.links);
    }
}

/// Which pairs of links are checked against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SelfCollisionPairs {
    /// All but adjacent links, rigidly connected links and [`CollisionSettings::skip_pairs`].
    #[default]
    Auto,
    /// None.
    None,
}

/// A pair of links that the model says need not be checked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SkipPair {
    /// Link indices, the smaller first.
    pub links: (usize, usize),
    /// Why, in the model's word, for example `Never` or `Adjacent`; may be empty.
    pub reason: String,
}

/// Which solver the model's author prefers for inverse kinematics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IkPreference {
    /// One of [`IK_SOLVERS`].
    pub solver: String,
    /// Damping of the numerical solver per unit of squared pose error.
    pub damping: f64,
}

/// Names of solvers that a configuration may prefer: `auto` for none, and the rows of the table `SOLVERS` of kinetic-ik.
pub const IK_SOLVERS: [&str; 10] =
    ["auto", "dls", "sqp", "fabrik", "ccd", "bio_ik", "analytic", "opw", "subproblem", "subproblem7dof"];

/// Damping of damped least squares unless a configuration states another.
pub const DEFAULT_IK_DAMPING: f64 = 0.05;

impl Default for IkPreference {
    fn default() -> Self {
        Self { solver: IK_SOLVERS[0].to_owned(), damping: DEFAULT_IK_DAMPING }
    }
}

/// Where inertials come from: `published`, `placeholder` (published, but not this robot's), or `none`.
pub const INERTIALS: [&str; 3] = ["published", "placeholder", "none"];

/// Where a model comes from, as its configuration states it; empty strings when it does not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// Maker of the robot.
    pub maker: String,
    /// Licence of the source.
    pub licence: String,
    /// Where the numbers come from.
    pub source: String,
    /// How far to trust them.
    pub quality: String,
    /// Where inertials come from: one of [`INERTIALS`].
    pub inertials: String,
    /// Links whose published inertia tensor no body can have; the model holds an estimate instead.
    pub estimated_tensors: Vec<String>,
    /// Where acceleration limits come from: `published`, or `default` when they follow the rule of
    /// [`SECONDS_TO_FULL_SPEED`](crate::limits::SECONDS_TO_FULL_SPEED).
    pub acceleration_source: String,
}
