//! Vertices of the ladder graph: the configurations of a pose.

use std::f64::consts::TAU;

use kinetic_core::JointValues;
use kinetic_core::parallel::in_chunks;
use kinetic_kinematics::{KinematicChain, Rigid};

use super::turns::{step, turns_inside};
use crate::analytic::{Branches, Manipulator};
use crate::solvers::{IKConfig, solve_ik};
use crate::tolerance::{CONTINUATION_ERROR_M_RAD, SAME_CONFIGURATION_RAD_M};

/// A source of configurations per pose.
pub trait Candidates {
    /// The chain that is solved.
    fn chain(&self) -> &KinematicChain;

    /// Appends configurations that bring the tool to `base_from_tcp`, `dof` values each; limits need not be looked at,
    /// and turning joints may stand on any turn.
    ///
    /// `previous` are configurations of the pose before, in the same form; sources that work by continuity start there.
    fn candidates(&mut self, base_from_tcp: &Rigid, previous: &[f64], out: &mut Vec<f64>);

    /// Poses that will be asked for next, in this order; what does not depend on the pose before can be done at once.
    fn expect(&mut self, _base_from_tcp: Vec<Rigid>) {}
}

/// All branches of a closed form.
///
/// At a singular pose a closed form names one configuration of infinitely many, and not the one that a path comes with.
/// Configurations of the pose before that have none near them in the next pose are therefore continued numerically.
#[derive(Debug)]
pub struct ClosedForm<'a> {
    manipulator: &'a Manipulator,
    branches: Branches,
    frames: Vec<Rigid>,
    ahead: Ahead,
}

/// Branches of poses that are expected.
#[derive(Debug, Default)]
struct Ahead {
    poses: Vec<Rigid>,
    /// Branches of all poses, one after the other, and how many values each pose has.
    rows: Vec<f64>,
    lengths: Vec<usize>,
    /// The next pose, and where its branches begin.
    next: usize,
    begin: usize,
}

impl Ahead {
    /// The branches of a pose, when it is the one that is expected.
    fn take(&mut self, base_from_tcp: &Rigid) -> Option<&[f64]> {
        self.poses.get(self.next).filter(|pose| *pose == base_from_tcp)?;
        let begin = self.begin;
        self.begin += self.lengths[self.next];
        self.next += 1;
        Some(&self.rows[begin..self.begin])
    }
}

/// A configuration continues in one of the next pose within this many times the motion of the tool, rad per m and rad. Away
/// from singularities joints move about as much as the tool does; a smaller value costs time, nothing else.
const BRANCH_STEP_PER_TOOL_MOTION: f64 = 5.0;
/// The same distance where the tool hardly moves.
const BRANCH_STEP_AT_REST_RAD: f64 = 0.01;
/// Most configurations of a pose that are continued through a singularity.
const MOST_CONTINUED_CONFIGURATIONS: usize = 32;

impl<'a> ClosedForm<'a> {
    /// The branches of a manipulator.
    pub fn new(manipulator: &'a Manipulator) -> Self {
        let frames = vec![Rigid::identity(); manipulator.chain().program().num_frames()];
        Self { manipulator, branches: Branches::default(), frames, ahead: Ahead::default() }
    }
}

impl Candidates for ClosedForm<'_> {
    fn chain(&self) -> &KinematicChain {
        self.manipulator.chain()
    }

    fn candidates(&mut self, base_from_tcp: &Rigid, previous: &[f64], out: &mut Vec<f64>) {
        let (first, dof) = (out.len(), self.manipulator.dof());
        if let Some(rows) = self.ahead.take(base_from_tcp) {
            out.extend_from_slice(rows);
        } else {
            append_branches(self.manipulator, base_from_tcp, &mut self.branches, out);
        }
        if let Some(from) = previous.get(..dof) {
            let motion = distance(&self.manipulator.chain().tip_rigid(from, &mut self.frames), base_from_tcp);
            let near = (BRANCH_STEP_PER_TOOL_MOTION * motion).max(BRANCH_STEP_AT_REST_RAD);
            continue_all(self.manipulator.chain(), base_from_tcp, previous, near, first, out);
        }
    }

    fn expect(&mut self, base_from_tcp: Vec<Rigid>) {
        let manipulator = self.manipulator;
        let mut chunks = vec![(Vec::new(), Vec::new()); base_from_tcp.len().div_ceil(POSES_PER_THREAD_CHUNK)];
        in_chunks(&mut chunks, 1, 1, |first, chunks| {
            for (chunk, poses) in chunks.iter_mut().zip(base_from_tcp.chunks(POSES_PER_THREAD_CHUNK).skip(first)) {
                *chunk = branches_of(manipulator, poses);
            }
        });
        self.ahead.rows.clear();
        self.ahead.lengths.clear();
        for (rows, lengths) in chunks {
            self.ahead.rows.extend(rows);
            self.ahead.lengths.extend(lengths);
        }
        (self.ahead.poses, self.ahead.next, self.ahead.begin) = (base_from_tcp, 0, 0);
    }
}

/// Fewer poses than this are done before a thread has started.
const POSES_PER_THREAD_CHUNK: usize = 128;

/// The branches of all poses, and how many values each has.
fn branches_of(manipulator: &Manipulator, poses: &[Rigid]) -> (Vec<f64>, Vec<usize>) {
    let (mut branches, mut rows) = (Branches::default(), Vec::new());
    let lengths = poses.iter().map(|pose| append_branches(manipulator, pose, &mut branches, &mut rows)).collect();
    (rows, lengths)
}

/// Appends the branches of a pose; how many values that were.
fn append_branches(
    manipulator: &Manipulator,
    base_from_tcp: &Rigid,
    branches: &mut Branches,
    out: &mut Vec<f64>,
) -> usize {
    let first = out.len();
    manipulator.branches(base_from_tcp, branches);
    for branch in branches.as_slice() {
        out.extend_from_slice(&branch.q[..]);
    }
    out.len() - first
}

/// Distance of the origins, m, and angle between the orientations, rad, added.
pub(super) fn distance(a: &Rigid, b: &Rigid) -> f64 {
    // The Frobenius norm of R − 1 is √8 sin(angle/2): for small angles √2 times the angle.
    (a.translation - b.translation).norm() + (a.rotation - b.rotation).norm() * std::f64::consts::FRAC_1_SQRT_2
}

/// Continues the previous configurations that have none of `out[first..]` within `near`.
fn continue_all(chain: &KinematicChain, target: &Rigid, previous: &[f64], near: f64, first: usize, out: &mut Vec<f64>) {
    let (dof, last) = (chain.dof(), out.len());
    for from in previous.chunks_exact(dof) {
        let goes_on = out[first..last].chunks_exact(dof).any(|row| is_near(chain, from, row, near));
        if goes_on || out.len() - first >= MOST_CONTINUED_CONFIGURATIONS * dof {
            continue;
        }
        if let Some(q) = continued(chain, target, from)
            && !out[first..].chunks_exact(dof).any(|row| is_near(chain, &q, row, SAME_CONFIGURATION_RAD_M))
        {
            out.extend_from_slice(&q);
        }
    }
}

/// The configuration that Levenberg–Marquardt reaches from one nearby.
pub(super) fn continued(chain: &KinematicChain, target: &Rigid, from: &[f64]) -> Option<JointValues> {
    // The solver starts inside the limits; on another turn than the given one, rather than on a limit.
    let inside = |joint: usize| {
        let turns = turns_inside(chain, joint, from[joint]).map_or(0, |(low, high)| 0.clamp(low, high));
        from[joint] + TAU * f64::from(turns)
    };
    let config = IKConfig {
        seed: Some((0..from.len()).map(inside).collect()),
        num_restarts: 0,
        position_tolerance: CONTINUATION_ERROR_M_RAD,
        orientation_tolerance: CONTINUATION_ERROR_M_RAD,
        ..IKConfig::default()
    };
    solve_ik(chain, &target.to_pose(), &config).ok().map(|solution| solution.joints)
}

/// No joint differs by more, turns of 2π ignored.
pub(super) fn is_near(chain: &KinematicChain, a: &[f64], b: &[f64], most: f64) -> bool {
    (0..chain.dof()).all(|joint| step(a[joint], b[joint], chain.is_rotation(joint)).abs() <= most)
}
