//! Kinematic trees: Jacobians of several links over any joints, velocities, masses.
//!
//! A [`KinematicChain`](crate::KinematicChain) has one tool and suits one arm. [`TreeKinematics`]
//! is for several end effectors, joints that are chosen one by one, a base that can move, and the centre of gravity.
//! Everything is expressed at and in the robot's root link.

mod base;
mod jacobian;
mod mass;
mod target;
mod velocity;

pub use base::VirtualBase;
pub use mass::MassProperties;
pub use target::{Expressed, MoveTarget};
pub use velocity::FrameVelocity;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Pose, Result};
use kinetic_robot::{PlanningGroup, Robot};
use nalgebra::Vector3;

use crate::inertia::{SpatialInertia, lumped_inertias};
use crate::program::{Frame, JointProgram, Motion};
use crate::rigid::Rigid;

/// A robot compiled for questions about all of its links, over joints of choice.
///
/// A configuration `q` has one value per chosen joint. Matrices have one column per degree of freedom of the
/// [`VirtualBase`], then one per chosen joint.
#[derive(Debug, Clone)]
pub struct TreeKinematics {
    program: JointProgram,
    joint_names: Vec<String>,
    link_names: Vec<String>,
    base: VirtualBase,
    /// Per frame, the root's first: what the links fixed on it weigh.
    masses: Vec<SpatialInertia>,
}

impl TreeKinematics {
    /// Over these active joints (indices into the robot's active joints); all others are held at `held` (robot length).
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for an index
    /// that does not exist or stands twice.
    pub fn new(robot: &Robot, variables: &[usize], held: &[f64]) -> Result<Self> {
        check_len(&format!("configuration of robot \"{}\"", robot.name), held.len(), robot.num_variables())?;
        check_finite("configuration", held)?;
        for (position, variable) in variables.iter().enumerate() {
            if *variable >= robot.num_variables() || variables[..position].contains(variable) {
                let wanted = format!("each once, below {}", robot.num_variables());
                return Err(KineticError::invalid("active joint", variable, wanted));
            }
        }
        let program = JointProgram::compile(robot, variables, held);
        let name = |variable: &usize| robot.joints[robot.active_joints[*variable]].name.clone();
        Ok(Self {
            masses: lumped_inertias(robot, &program),
            joint_names: variables.iter().map(name).collect(),
            link_names: robot.links.iter().map(|link| link.name.clone()).collect(),
            base: VirtualBase::Fixed,
            program,
        })
    }

    /// Over the joints of a group, in its order.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_group(robot: &Robot, group: &PlanningGroup, held: &[f64]) -> Result<Self> {
        Self::new(robot, &group.variables, held)
    }

    /// Over joints by name, in this order.
    ///
    /// # Errors
    /// [`KineticError::JointNotFound`], [`KineticError::InvalidValue`] for a joint that is fixed, follows another or stands
    /// twice, and those of [`new`](Self::new).
    pub fn from_joints(robot: &Robot, names: &[&str], held: &[f64]) -> Result<Self> {
        let variable = |name: &&str| {
            let joint = robot.joint_index(name)?;
            let wanted = "a moving joint that follows no other";
            robot.joints[joint].variable.ok_or_else(|| KineticError::invalid("joint", name, wanted))
        };
        let variables: Vec<usize> = names.iter().map(variable).collect::<Result<_>>()?;
        Self::new(robot, &variables, held)
    }

    /// The same with a base that moves.
    #[must_use]
    pub fn with_base(mut self, base: VirtualBase) -> Self {
        self.base = base;
        self
    }

    /// The base.
    pub fn base(&self) -> VirtualBase {
        self.base
    }

    /// Length of a configuration.
    pub fn dof(&self) -> usize {
        self.joint_names.len()
    }

    /// Columns of a Jacobian: degrees of freedom of the base, then the joints.
    pub fn num_columns(&self) -> usize {
        self.base.dof() + self.dof()
    }

    /// Names of the joints, in the order of a configuration.
    pub fn joint_names(&self) -> &[String] {
        &self.joint_names
    }

    /// The compiled joints; its links are those of the robot.
    pub fn program(&self) -> &JointProgram {
        &self.program
    }

    /// Buffer for the poses of all frames.
    pub fn frame_buffer(&self) -> Vec<Rigid> {
        vec![Rigid::identity(); self.program.num_frames()]
    }

    /// Poses of all frames, which the methods ending in `_into` take.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn place(&self, q: &[f64], frames: &mut [Rigid]) -> Result<()> {
        self.check("configuration", q)?;
        check_len("frame buffer", frames.len(), self.program.num_frames())?;
        self.program.frames_into(q, frames);
        Ok(())
    }

    /// Pose of a link in the root.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`], and those of [`place`](Self::place).
    pub fn link_pose(&self, q: &[f64], link: &str) -> Result<Pose> {
        let (link, frames) = (self.link_index(link)?, self.placed(q)?);
        Ok(self.link_rigid(&frames, link).to_pose())
    }

    fn placed(&self, q: &[f64]) -> Result<Vec<Rigid>> {
        let mut frames = self.frame_buffer();
        self.place(q, &mut frames)?;
        Ok(frames)
    }

    fn check(&self, context: &str, values: &[f64]) -> Result<()> {
        check_len(context, values.len(), self.dof())?;
        check_finite(context, values)
    }

    /// Index of a link by its name.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`].
    pub fn link_index(&self, name: &str) -> Result<usize> {
        self.link_names
            .iter()
            .position(|link| link == name)
            .ok_or_else(|| KineticError::LinkNotFound { name: name.to_owned(), available: self.link_names.clone() })
    }

    fn link_rigid(&self, frames: &[Rigid], link: usize) -> Rigid {
        let (frame, frame_from_link) = self.program.link(link);
        frames[frame].then(frame_from_link)
    }
}

/// Velocity of a point at `point` for unit velocity of the frame's variable: linear, angular.
#[inline]
pub fn column(frame: &Frame, pose: &Rigid, point: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let z = pose.z_axis() * frame.multiplier;
    match frame.motion {
        Motion::Rotation => (z.cross(&(point - pose.translation)), z),
        Motion::Translation => (z, Vector3::zeros()),
    }
}
