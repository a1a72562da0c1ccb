//! Closed forms of 6R arms. Each finds every branch of its class; none needs an initial guess.

mod arm;
pub(super) mod classes;
mod cone;
mod elbow;
mod general;
mod line;
mod planar;
mod shoulder;
mod spherical;
mod three_parallel;

pub(crate) use arm::SixArm;
pub(crate) use cone::across;
pub(crate) use elbow::SphericalElbow;
pub(crate) use general::General;
pub(crate) use planar::PlanarArm;
pub(crate) use shoulder::Shoulder;
pub(crate) use spherical::{SphericalWrist, Wrist};
pub(crate) use three_parallel::ThreeParallel;

use std::fmt::Debug;

use kinetic_kinematics::Rigid;

use super::cos_sin::CosSin;
use super::poe::inverse;
use crate::analytic::constant::Value;

/// The six joint angles of a branch, base first.
pub(crate) type Row = [CosSin; 6];

/// A solver of one class of arms.
pub(crate) trait SixJointSolver: Debug + Send + Sync {
    /// Appends all branches with `exp(S₁q₁) … exp(S₆q₆) = displacement`, and possibly some that do not close it.
    fn branches(&self, displacement: &Rigid, out: &mut Vec<Row>);

    /// As [`branches`](Self::branches); the general class begins with the eigenvalues of joint 2, 3 or 4 (0, 1, 2).
    fn branches_by_linearity_joint(&self, _linearity_joint: Option<usize>, displacement: &Rigid, out: &mut Vec<Row>) {
        self.branches(displacement, out);
    }

    /// Whether a branch of a pose may be hidden, so that finding none is no proof that there is none.
    fn may_hide(&self, _displacement: &Rigid) -> bool {
        true
    }

    /// Whether the joint that the equations stay linear in can be chosen.
    fn is_general(&self) -> bool {
        false
    }

    /// Whether it reads the arm from tip to base.
    fn is_reversed(&self) -> bool {
        false
    }

    /// The solver as data, for the classes that code can be generated of.
    fn constants(&self) -> Option<Value> {
        None
    }
}

/// A solver of the arm read from tip to base.
#[derive(Debug)]
pub(crate) struct Reversed(pub(crate) Box<dyn SixJointSolver>);

impl SixJointSolver for Reversed {
    fn branches(&self, displacement: &Rigid, out: &mut Vec<Row>) {
        let first = out.len();
        self.0.branches(&inverse(displacement), out);
        for row in &mut out[first..] {
            row.reverse();
        }
    }

    fn may_hide(&self, displacement: &Rigid) -> bool {
        self.0.may_hide(&inverse(displacement))
    }

    fn is_reversed(&self) -> bool {
        true
    }

    fn constants(&self) -> Option<Value> {
        self.0.constants()
    }
}
