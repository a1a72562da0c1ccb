//! What stands on the rungs of the ladder.

use kinetic_core::JointValues;

use super::turns::step;
use crate::analytic::{Branches, Manipulator};
use crate::chain::KinematicChain;
use crate::ik::{IKConfig, solve_ik};
use crate::rigid::Rigid;

/// A source of configurations per pose.
pub trait Candidates {
    /// The chain that is solved.
    fn chain(&self) -> &KinematicChain;

    /// Appends configurations that bring the tool to `base_from_tcp`, `dof` values each; limits need not be looked at,
    /// and turning joints may stand on any turn.
    ///
    /// `previous` are configurations of the pose before, in the same form; sources that work by continuity start there.
    fn candidates(&mut self, base_from_tcp: &Rigid, previous: &[f64], out: &mut Vec<f64>);
}

/// All branches of a closed form.
///
/// At a singular pose a closed form names one configuration of infinitely many, and not the one that a path comes with.
/// Configurations of the pose before that have none near them in the next pose are therefore followed numerically.
#[derive(Debug)]
pub struct ClosedForm<'a> {
    manipulator: &'a Manipulator,
    branches: Branches,
    frames: Vec<Rigid>,
}

/// A configuration goes on when one of the next pose is within this many times the motion of the tool, rad per m and rad.
/// Away from singularities joints move as much as the tool does; to set this low costs time, nothing else.
const GOES_ON: f64 = 5.0;
/// And within this, rad, whatever the tool does.
const STANDS: f64 = 0.01;
/// Most configurations of a pose that are followed through a singularity.
const MOST_FOLLOWED: usize = 32;

impl<'a> ClosedForm<'a> {
    /// The branches of a manipulator.
    pub fn new(manipulator: &'a Manipulator) -> Self {
        let frames = vec![Rigid::identity(); manipulator.chain().program().num_frames()];
        Self { manipulator, branches: Branches::default(), frames }
    }
}

impl Candidates for ClosedForm<'_> {
    fn chain(&self) -> &KinematicChain {
        self.manipulator.chain()
    }

    fn candidates(&mut self, base_from_tcp: &Rigid, previous: &[f64], out: &mut Vec<f64>) {
        let (first, dof) = (out.len(), self.manipulator.dof());
        self.manipulator.branches(base_from_tcp, &mut self.branches);
        for branch in self.branches.as_slice() {
            out.extend_from_slice(&branch.q[..]);
        }
        if let Some(from) = previous.get(..dof) {
            let motion = distance(&self.manipulator.chain().tip_rigid(from, &mut self.frames), base_from_tcp);
            let near = (GOES_ON * motion).max(STANDS);
            follow_all(self.manipulator.chain(), base_from_tcp, previous, near, first, out);
        }
    }
}

/// Distance of the origins, m, and angle between the orientations, rad, added.
fn distance(a: &Rigid, b: &Rigid) -> f64 {
    // The Frobenius norm of R − 1 is √8 sin(angle/2): for small angles √2 times the angle.
    (a.translation - b.translation).norm() + (a.rotation - b.rotation).norm() * std::f64::consts::FRAC_1_SQRT_2
}

/// Adds where those of the previous configurations go on that have none of `out[first..]` as near as `near`.
fn follow_all(chain: &KinematicChain, target: &Rigid, previous: &[f64], near: f64, first: usize, out: &mut Vec<f64>) {
    let (dof, last) = (chain.dof(), out.len());
    for from in previous.chunks_exact(dof) {
        let goes_on = out[first..last].chunks_exact(dof).any(|row| is_near(chain, from, row, near));
        if goes_on || out.len() - first >= MOST_FOLLOWED * dof {
            continue;
        }
        if let Some(q) = continued(chain, target, from)
            && !out[first..].chunks_exact(dof).any(|row| is_near(chain, &q, row, SAME))
        {
            out.extend_from_slice(&q);
        }
    }
}

/// Tolerance of configurations that are followed numerically, m and rad.
const CLOSED: f64 = 1e-9;
/// Configurations as near as this are one, rad or m.
pub(super) const SAME: f64 = 1e-4;

/// The configuration that Levenberg–Marquardt reaches from one nearby.
pub(super) fn continued(chain: &KinematicChain, target: &Rigid, from: &[f64]) -> Option<JointValues> {
    let config = IKConfig {
        seed: Some(from.into()),
        num_restarts: 0,
        position_tolerance: CLOSED,
        orientation_tolerance: CLOSED,
        ..IKConfig::default()
    };
    solve_ik(chain, &target.to_pose(), &config).ok().map(|solution| solution.joints)
}

/// No joint differs by more, turns of 2π ignored.
pub(super) fn is_near(chain: &KinematicChain, a: &[f64], b: &[f64], most: f64) -> bool {
    (0..chain.dof()).all(|joint| step(a[joint], b[joint], chain.is_rotation(joint)).abs() <= most)
}
