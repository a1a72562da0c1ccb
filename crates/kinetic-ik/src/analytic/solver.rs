//! The trait of closed-form solvers, their targets and self-motion parameters.

use std::fmt::Debug;

use kinetic_core::{KineticError, Result};
use kinetic_kinematics::Rigid;

use super::array_vec::ArrayVec;
use super::branches::{Branch, BranchJoints, Branches, MOST_JOINTS};
use super::poe::{ProductOfExponentials, inverse};
use crate::analytic::constant::{Value, constants};

/// Self-motion parameters, one per redundant joint.
pub type Parameters = ArrayVec<f64, 2>;

impl Parameters {
    /// From a slice; `what` names it in the error.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for more than two values.
    pub fn try_from_slice(what: &str, values: &[f64]) -> Result<Self> {
        if values.len() > 2 {
            return Err(KineticError::invalid(what, format!("{} values", values.len()), "at most 2 values"));
        }
        let mut out = Self::empty(0.0);
        for value in values {
            out.push(*value);
        }
        Ok(out)
    }
}

/// Entries of a configuration that do not change.
pub(crate) type Held = [bool; MOST_JOINTS];

/// The target of a solve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    /// `base_from_tcp`.
    pub(crate) pose: Rigid,
    /// What the joints have to move the tool by from its place at zero, `base_from_base`.
    pub(crate) displacement: Rigid,
    /// For the general class of 6R: which of joints 2, 3, 4 (0, 1, 2) the eigenvalues are of first.
    pub(crate) linearity_joint: Option<usize>,
}

impl Target {
    pub(crate) fn new(pose: &Rigid, home: &Rigid) -> Self {
        Self { pose: *pose, displacement: pose.then(&inverse(home)), linearity_joint: None }
    }
}

/// A solver of one class of arms.
pub(crate) trait Solver: Debug + Send + Sync {
    /// Appends the branches that close or nearly do: all of them, for redundant arms all at `at`.
    fn search(&self, target: &Target, at: &[f64], branches: &mut Branches);

    /// A nearly closing branch after at most `steps` damped Newton steps, where the class has such.
    fn refined(&self, _branch: &Branch, _target: &Target, _steps: usize) -> Option<Branch> {
        None
    }

    /// As [`Branch::fk_residual`], of any configuration.
    fn residual(&self, q: &BranchJoints, target: &Target) -> f64;

    /// A branch that Newton's method brings back to the target with the joints in `held` where they are; its residual
    /// says whether that could be done.
    fn polished_holding(&self, branch: &Branch, target: &Target, held: Held) -> Option<Branch>;

    /// Whether a branch of a pose may be hidden, so that finding none is no proof that there is none.
    fn may_hide(&self, _target: &Target) -> bool {
        true
    }

    /// The closed form and the Denavit–Hartenberg chain as data, where code can be generated of them.
    fn constants(&self) -> Option<[Value; 2]> {
        None
    }

    /// All of the solver as data, for arms with another number of joints than six.
    fn data(&self) -> Option<Value> {
        None
    }

    /// The ranges of what the self-motion is measured by; none for arms that have none.
    fn ranges(&self) -> &[Range] {
        &[]
    }

    /// Where a configuration stands in these ranges.
    fn parameters(&self, _arm: &ProductOfExponentials, _q: &[f64]) -> Parameters {
        ArrayVec::empty(0.0)
    }

    /// Joints that are locked, as indices into the screws.
    fn locked(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Joints that the eigenvalues of the general class can be of, as entries of the configuration, joint 2 of the six
    /// first; none for other classes.
    fn linearity_joints(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The part of the pose that is met.
    fn met(&self) -> Met {
        Met::Pose
    }
}

/// The part of a target pose that an arm can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// All of it.
    Pose,
    /// Position, and the direction of one axis (0 x, 1 y, 2 z) of the tool: five joints.
    PositionAndAxis(usize),
    /// Position, and the direction of one axis of the tool as far as it lies in the plane of the arm: four joints.
    PositionAndPitch(usize),
    /// Position: three joints.
    Position,
}

impl Met {
    /// In words.
    pub fn description(self) -> String {
        let axis = |axis: usize| ["x", "y", "z"][axis % 3];
        match self {
            Self::Pose => "the whole pose".to_owned(),
            Self::PositionAndAxis(index) => {
                format!("position and the direction of the tool's {} axis", axis(index))
            }
            Self::PositionAndPitch(index) => {
                format!("position and the direction of the tool's {} axis in the plane of the arm", axis(index))
            }
            Self::Position => "position".to_owned(),
        }
    }
}

/// The range of one self-motion parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Least value, rad or m.
    pub low: f64,
    /// Largest value, rad or m.
    pub high: f64,
    /// Whether the two are the same, 2π apart.
    pub is_circle: bool,
    /// Number of values in a sweep.
    pub samples: usize,
}

constants!(Range { low, high, is_circle, samples });

/// A branch of joints that are all to be written.
pub(crate) fn blank(dof: usize) -> BranchJoints {
    ArrayVec::filled(0.0, dof)
}
