//! Robot descriptions: what the reader of a format hands to the builder, with names instead of indices and line numbers.

use kinetic_core::{KineticError, Pose};
use nalgebra::{Unit, Vector3};

use crate::model::{Geometry, Inertial, JointDynamics, JointType};
use crate::xml::FaultMaker;

/// A robot as a file describes it.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) name: String,
    /// File name for errors.
    pub(crate) file: String,
    pub(crate) links: Vec<LinkDescription>,
    pub(crate) joints: Vec<JointDescription>,
    /// What was read and not used, one sentence each.
    pub(crate) notes: Vec<String>,
    /// Makes the errors of the format.
    pub(crate) fault: FaultMaker,
}

impl Description {
    /// Error at a line of the description.
    pub(crate) fn error(&self, line: u32, detail: String) -> KineticError {
        (self.fault)(self.file.clone(), line, detail)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct LinkDescription {
    pub(crate) line: u32,
    pub(crate) name: String,
    pub(crate) inertial: Option<Inertial>,
    pub(crate) visuals: Vec<Geometry>,
    pub(crate) collisions: Vec<Geometry>,
}

#[derive(Debug)]
pub(crate) struct JointDescription {
    pub(crate) line: u32,
    pub(crate) name: String,
    pub(crate) joint_type: JointType,
    pub(crate) parent: String,
    pub(crate) child: String,
    pub(crate) parent_from_joint: Pose,
    pub(crate) axis: Unit<Vector3<f64>>,
    /// `Some` for every moving joint.
    pub(crate) limits: Option<LimitDescription>,
    pub(crate) mimic: Option<MimicDescription>,
    pub(crate) dynamics: JointDynamics,
}

/// Limits as stated; `None` where unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LimitDescription {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) velocity: Option<f64>,
    pub(crate) effort: Option<f64>,
    pub(crate) acceleration: Option<f64>,
    pub(crate) jerk: Option<f64>,
}

impl LimitDescription {
    /// No limits at all.
    pub(crate) fn unbounded() -> Self {
        Self {
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            velocity: None,
            effort: None,
            acceleration: None,
            jerk: None,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct MimicDescription {
    pub(crate) line: u32,
    pub(crate) joint: String,
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
}
