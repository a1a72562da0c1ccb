//! 3R arms: the position of the tool, subproblem 5.

use kinetic_kinematics::Rigid;
use nalgebra::{SMatrix, SVector, Vector3};

use super::newton::{Linear, polished, polished_holding};
use crate::analytic::branches::{Branch, BranchJoints, Branches};
use crate::analytic::constant::{Constant, Value, constants};
use crate::analytic::cos_sin::CosSin;
use crate::analytic::dh_chain::{DhChain, FrameCache};
use crate::analytic::generic_configuration::{jacobian, values};
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;
use crate::analytic::six::Shoulder;
use crate::analytic::solver::{Held, Met, Solver, Target, blank};

#[derive(Debug)]
pub(crate) struct ThreeArm {
    screws: [Screw; 3],
    tool: Vector3<f64>,
    shoulder: Shoulder,
    dh_chain: DhChain<3>,
    variables: [usize; 3],
    policy: TolerancePolicy,
}

constants!(ThreeArm { screws, tool, shoulder, dh_chain, variables, policy });

impl ThreeArm {
    /// `None` when the tool lies on the third axis, or the axes move it on a surface only.
    pub(crate) fn new(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Option<Self> {
        let screws: &[Screw; 3] = arm.screws().try_into().ok()?;
        if !moves_in_space(arm) {
            return None;
        }
        let shoulder = Shoulder::new(screws, arm.home().translation, policy)?;
        let variables = screws.map(|screw| screw.variable);
        Some(Self {
            screws: *screws,
            shoulder,
            tool: arm.home().translation,
            dh_chain: DhChain::of(screws, arm.home()),
            variables,
            policy: *policy,
        })
    }
}

impl ThreeArm {
    /// Distance between reached and wanted position, m.
    fn position_residual(&self, row: &[CosSin; 3], position: &Vector3<f64>) -> f64 {
        (self.dh_chain.reached(row, &mut FrameCache::new()).translation - position).norm()
    }

    /// Reached minus wanted position, with its derivatives.
    fn linear(&self, row: &[CosSin; 3], position: &Vector3<f64>) -> Linear<3> {
        let (mut moved, mut joints) = (Rigid::identity(), [(Vector3::zeros(), Vector3::zeros()); 3]);
        for ((joint, screw), turn) in joints.iter_mut().zip(&self.screws).zip(row) {
            let here = screw.moved(&moved);
            *joint = (here.axis, here.point);
            moved = moved.then(&screw.turned(*turn));
        }
        let tool = moved.point(&self.tool);
        let [a, b, c] = joints.map(|(axis, point)| axis.cross(&(tool - point)));
        let (error, columns) = (tool - position, [a, b, c]);
        (SVector::<f64, 3>::from_fn(|row, _| error[row]), SMatrix::from_fn(|row, column| columns[column][row]))
    }
}

/// Whether the tool can move in three directions, tested at generic configurations.
fn moves_in_space(arm: &ProductOfExponentials) -> bool {
    (0..SPATIAL_TEST_CONFIGURATIONS).any(|index| {
        let twists = jacobian(arm, index);
        // Twists are about the base's origin; the tool is where they leave it.
        let tool = arm.pose(&values(arm, index)).translation;
        let column = |joint: usize| {
            let about = twists.fixed_view::<3, 1>(3, joint).into_owned();
            twists.fixed_view::<3, 1>(0, joint) + about.cross(&tool)
        };
        let columns = [column(0), column(1), column(2)];
        let size: f64 = columns.iter().map(nalgebra::Matrix::norm).product();
        nalgebra::Matrix3::from_columns(&columns).determinant().abs() > FLAT_DETERMINANT_RATIO * size
    })
}

/// Configurations that are tested.
const SPATIAL_TEST_CONFIGURATIONS: usize = 8;
/// Determinant, against the lengths of its columns, up to which joints move the tool on a surface, but for axes that are off
/// by rounding.
const FLAT_DETERMINANT_RATIO: f64 = 1e-3;

impl Solver for ThreeArm {
    fn search(&self, target: &Target, _at: &[f64], branches: &mut Branches) {
        let first = branches.found.len();
        let residual = |row: &[CosSin; 3]| self.position_residual(row, &target.pose.translation);
        let solved = self.shoulder.solve(&target.pose.translation);
        for row in solved.iter().flat_map(|row| polished(*row, |row| self.linear(row, &target.pose.translation))) {
            let fk_residual = residual(&row);
            if !(fk_residual <= self.policy.subproblem_numerical) {
                continue;
            }
            let mut q = blank(3);
            for (variable, turn) in self.variables.iter().zip(row) {
                q[*variable] = turn.angle();
            }
            branches.add(first, Branch { q, fk_residual }, self.policy.subproblem_dedup, |q| {
                residual(&self.variables.map(|variable| CosSin::from_angle(q[variable])))
            });
        }
    }

    fn residual(&self, q: &BranchJoints, target: &Target) -> f64 {
        let row = self.variables.map(|variable| CosSin::from_angle(q[variable]));
        self.position_residual(&row, &target.pose.translation)
    }

    fn polished_holding(&self, branch: &Branch, target: &Target, held: Held) -> Option<Branch> {
        let row = self.variables.map(|variable| CosSin::from_angle(branch.q[variable]));
        let is_held = self.variables.map(|variable| held[variable]);
        let row = polished_holding(row, is_held, |row| self.linear(row, &target.pose.translation));
        let mut q = branch.q;
        for ((variable, turn), _) in self.variables.iter().zip(row).zip(is_held).filter(|(_, is_held)| !is_held) {
            q[*variable] = turn.angle();
        }
        Some(Branch { q, fk_residual: self.position_residual(&row, &target.pose.translation) })
    }

    fn data(&self) -> Option<Value> {
        Some(self.value())
    }

    fn met(&self) -> Met {
        Met::Position
    }
}
