//! A robot compiled for dynamics.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, MountedPayload, Payload, Pose, Result};
use kinetic_kinematics::{JointProgram, Rigid, SpatialInertia, TreeKinematics};
use kinetic_robot::{PlanningGroup, Robot};
use nalgebra::{Matrix3, Vector3};

use crate::body::Body;
use crate::columns::{Column, postorder};
use crate::normal_form::{NormalJoint, normal_form, rigid};
use crate::payload::spatial_inertia;
use crate::resistance::{Resistance, has_followers, resistances};
use crate::rnea::spin;
use crate::state::State;

/// Gravity of the Earth, m/s², along −z of the root.
pub const STANDARD_GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

/// How the root link moves, in its own axes. At rest unless set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseMotion {
    /// Acceleration of the root's origin, m/s².
    pub acceleration: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Angular acceleration, rad/s².
    pub angular_acceleration: Vector3<f64>,
}

impl Default for BaseMotion {
    fn default() -> Self {
        Self {
            acceleration: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            angular_acceleration: Vector3::zeros(),
        }
    }
}

/// A robot compiled for dynamics over joints of choice: what Pinocchio calls a model. It does not change while it is used,
/// and is shared by threads, each with its own [`DynamicsData`](crate::DynamicsData).
///
/// Vectors `q`, `v`, `a` and `tau` have one value per chosen joint. All other joints are held, and links that they carry
/// are part of the bodies that they stand on. Joints that follow others (mimic) move with their leaders, whose efforts
/// include theirs.
#[derive(Debug, Clone)]
pub struct DynamicsModel {
    robot_name: String,
    tree: TreeKinematics,
    /// Per frame, the root's first.
    frame_from_body: Vec<Matrix3<f64>>,
    bodies: Vec<Body>,
    postorder: Vec<Column>,
    resistances: Vec<Resistance>,
    effort_limits: Vec<f64>,
    has_followers: bool,
    has_branches: bool,
    gravity: Vector3<f64>,
    base_motion: BaseMotion,
    /// The root body's part of the outward pass: its motion, less gravity.
    root: State<f64>,
    has_friction: bool,
}

impl DynamicsModel {
    /// Over these active joints (indices into the robot's active joints); all others are held at `held` (robot length).
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for an index
    /// that does not exist or stands twice, for no joint, and for joints that move no mass.
    pub fn new(robot: &Robot, variables: &[usize], held: &[f64]) -> Result<Self> {
        let tree = TreeKinematics::new(robot, variables, held)?;
        let (program, inertias) = (tree.program(), tree.frame_inertias());
        check_inertials(robot, inertias)?;
        let (joints, frame_from_body) = normal_form(program.frames());
        let body = |(index, joint): (usize, &NormalJoint)| {
            let body_from_frame = rigid(&frame_from_body[index + 1].transpose());
            Body::new(joint, program.frames()[index].variable, &inertias[index + 1].transformed(&body_from_frame))
        };
        let bodies: Vec<Body> = joints.iter().enumerate().map(body).collect();
        let mut model = Self {
            robot_name: robot.name.clone(),
            has_branches: bodies.iter().enumerate().any(|(index, body)| body.parent != index),
            postorder: postorder(&bodies),
            bodies,
            resistances: resistances(robot, variables),
            effort_limits: variables.iter().map(|variable| robot.joint_limits[*variable].effort).collect(),
            has_followers: has_followers(program),
            gravity: STANDARD_GRAVITY.into(),
            base_motion: BaseMotion::default(),
            root: State::at_rest(),
            has_friction: true,
            frame_from_body,
            tree,
        };
        model.set_root();
        Ok(model)
    }

    /// Over the joints of a group, in its order, with all others in their neutral configuration.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_group(robot: &Robot, group: &PlanningGroup) -> Result<Self> {
        Self::new(robot, &group.variables, &robot.neutral_configuration())
    }

    /// Over all joints of a robot, in tree order.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_robot(robot: &Robot) -> Result<Self> {
        let all: Vec<usize> = (0..robot.num_variables()).collect();
        Self::new(robot, &all, &robot.neutral_configuration())
    }

    /// The same under another gravity, m/s², in the axes of the root link.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`].
    pub fn with_gravity(mut self, gravity: Vector3<f64>) -> Result<Self> {
        check_finite("gravity", gravity.as_slice())?;
        self.gravity = gravity;
        self.set_root();
        Ok(self)
    }

    /// The same on a base that moves.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`].
    pub fn with_base_motion(mut self, motion: BaseMotion) -> Result<Self> {
        check_finite("acceleration of the base", motion.acceleration.as_slice())?;
        check_finite("angular velocity of the base", motion.angular_velocity.as_slice())?;
        check_finite("angular acceleration of the base", motion.angular_acceleration.as_slice())?;
        self.base_motion = motion;
        self.set_root();
        Ok(self)
    }

    fn set_root(&mut self) {
        let body_from_root = self.frame_from_body[0].transpose();
        let BaseMotion { acceleration, angular_velocity, angular_acceleration } = self.base_motion;
        self.root.acceleration = (body_from_root * (acceleration - self.gravity)).into();
        self.root.angular = (body_from_root * angular_velocity).into();
        self.root.angular_acceleration = (body_from_root * angular_acceleration).into();
        self.root.spin = spin(&self.root.angular, &self.root.angular_acceleration);
    }

    /// The same with a body fixed to a link: `link_from_mount` is the pose of the frame that the payload is given in.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`] or [`KineticError::NotFinite`].
    pub fn with_payload(mut self, link: &str, link_from_mount: &Pose, payload: &Payload) -> Result<Self> {
        link_from_mount.check_finite("mount of the payload")?;
        self.tree = self.tree.with_body(link, &spatial_inertia(payload, &Rigid::from(link_from_mount)))?;
        for (index, body) in self.bodies.iter_mut().enumerate() {
            let body_from_frame = rigid(&self.frame_from_body[index + 1].transpose());
            body.inertia = (&self.tree.frame_inertias()[index + 1].transformed(&body_from_frame)).into();
        }
        Ok(self)
    }

    /// The same with a payload that says where it is mounted: without a link at the tip of `group`, in its tool's frame.
    ///
    /// # Errors
    /// As [`with_payload`](Self::with_payload).
    pub fn with_mounted(self, robot: &Robot, group: &PlanningGroup, mounted: &MountedPayload) -> Result<Self> {
        let MountedPayload { payload, link, link_from_mount } = mounted;
        let own = if link.is_none() { group.tip_from_tcp } else { Pose::identity() };
        let link = link.as_deref().unwrap_or(&robot.links[group.tip_link].name);
        self.with_payload(link, &link_from_mount.unwrap_or(own), payload)
    }

    /// The same with or without viscous damping and Coulomb friction of the joints. Rotor inertia stays.
    #[must_use]
    pub fn with_friction(mut self, friction: bool) -> Self {
        self.has_friction = friction;
        self
    }

    /// Name of the robot.
    pub fn robot_name(&self) -> &str {
        &self.robot_name
    }

    /// Length of `q`, `v`, `a` and `tau`.
    pub fn dof(&self) -> usize {
        self.tree.dof()
    }

    /// Names of the joints, in the order of `q`.
    pub fn joint_names(&self) -> &[String] {
        self.tree.joint_names()
    }

    /// Largest effort of each joint, Nm or N; infinite where the description states none.
    pub fn effort_limits(&self) -> &[f64] {
        &self.effort_limits
    }

    /// Gravity in the axes of the root link, m/s².
    pub fn gravity(&self) -> &Vector3<f64> {
        &self.gravity
    }

    /// How the root link moves.
    pub fn base_motion(&self) -> &BaseMotion {
        &self.base_motion
    }

    /// True when damping and friction of the joints count.
    pub fn has_friction(&self) -> bool {
        self.has_friction
    }

    /// True when a joint follows another; forward dynamics then solves with the mass matrix.
    pub fn has_followers(&self) -> bool {
        self.has_followers
    }

    /// Mass of all links and payloads, kg.
    pub fn mass(&self) -> f64 {
        self.tree.mass()
    }

    /// The robot's kinematics over the same joints, with payloads among its masses.
    pub fn tree(&self) -> &TreeKinematics {
        &self.tree
    }

    /// The compiled joints; its links are those of the robot.
    pub fn program(&self) -> &JointProgram {
        self.tree.program()
    }

    /// Spatial inertia of every frame of [`program`](Self::program), the root's first, in the frame's coordinates.
    pub fn inertias(&self) -> &[SpatialInertia] {
        self.tree.frame_inertias()
    }

    /// What each joint resists with, in the order of `q`: also damping and friction that do not count
    /// ([`has_friction`](Self::has_friction)).
    pub fn resistances(&self) -> &[Resistance] {
        &self.resistances
    }

    pub(crate) fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    pub(crate) fn postorder(&self) -> &[Column] {
        &self.postorder
    }

    /// True unless every body but the last carries one other.
    pub(crate) fn has_branches(&self) -> bool {
        self.has_branches
    }

    pub(crate) fn root(&self) -> &State<f64> {
        &self.root
    }

    /// Minus gravity in the root body's axes.
    pub(crate) fn lift(&self) -> [f64; 3] {
        (self.frame_from_body[0].transpose() * -self.gravity).into()
    }

    pub(crate) fn frame_from_body(&self, frame: usize) -> &Matrix3<f64> {
        &self.frame_from_body[frame]
    }

    pub(crate) fn check(&self, context: &str, values: &[f64]) -> Result<()> {
        check_len(context, values.len(), self.dof())?;
        check_finite(context, values)
    }
}

/// Refuses robots about whose masses nothing is known: all their efforts would be 0.
fn check_inertials(robot: &Robot, inertias: &[SpatialInertia]) -> Result<()> {
    let moved: f64 = inertias[1..].iter().map(|inertia| inertia.mass).sum();
    if moved > 0.0 {
        return Ok(());
    }
    let wanted = format!("a joint that moves a link with inertial properties; \"{}\" has none", robot.name);
    Err(KineticError::invalid("mass that the joints move, kg", moved, wanted))
}
