//! Three rotating joints: the position of the tool, subproblem 5.

use crate::analytic::branches::{Branch, Branches};
use crate::analytic::closure::{Along, Closure};
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::six::Shoulder;
use crate::analytic::solver::{Met, Solver, Target, blank};
use crate::rigid::Rigid;

#[derive(Debug)]
pub(crate) struct ThreeArm {
    shoulder: Shoulder,
    closure: Closure<3>,
    variables: [usize; 3],
    policy: TolerancePolicy,
}

impl ThreeArm {
    /// `None` when the tool lies on the third axis, or the axes move it on a surface only.
    pub(crate) fn new(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<Self> {
        let screws: &[Screw; 3] = arm.screws().try_into().ok()?;
        if !moves_in_space(arm) {
            return None;
        }
        let shoulder = Shoulder::new(screws, arm.home().translation, policy)?;
        let variables = screws.map(|screw| screw.variable);
        Some(Self { shoulder, closure: Closure::of(screws, arm.home()), variables, policy: *policy })
    }
}

/// Whether the tool can move in three directions, looked at in a general place.
fn moves_in_space(arm: &ProductOfExponentials) -> bool {
    let place = [0.3, 0.7, 1.1];
    let turned = arm.screws().iter().zip(place).scan(Rigid::identity(), |moved, (screw, angle)| {
        let here = screw.moved(moved);
        *moved = moved.then(&screw.exp(angle));
        Some((here, *moved))
    });
    let turned: Vec<(Screw, Rigid)> = turned.collect();
    let Some((_, moved)) = turned.last() else { return false };
    let tool = moved.point(&arm.home().translation);
    let columns: Vec<_> = turned.iter().map(|(screw, _)| screw.axis.cross(&(tool - screw.point))).collect();
    let size: f64 = columns.iter().map(nalgebra::Matrix::norm).product();
    nalgebra::Matrix3::from_columns(&columns).determinant().abs() > FLAT * size
}

/// Determinant, against the lengths of its columns, of joints that move the tool on a surface.
const FLAT: f64 = 1e-9;

impl Solver for ThreeArm {
    fn search(&self, target: &Target, _at: &[f64], branches: &mut Branches) {
        let first = branches.found.len();
        for row in self.shoulder.solve(&target.pose.translation).iter() {
            let reached = self.closure.reached(row, &mut Along::new());
            let fk_residual = (reached.translation - target.pose.translation).norm();
            if !(fk_residual <= self.policy.subproblem_numerical) {
                continue;
            }
            let mut q = blank(3);
            for (variable, turn) in self.variables.iter().zip(row) {
                q[*variable] = turn.angle();
            }
            branches.add(first, Branch { q, fk_residual }, self.policy.subproblem_dedup);
        }
    }

    fn met(&self) -> Met {
        Met::Position
    }
}
