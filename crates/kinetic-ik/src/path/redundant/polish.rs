//! Smoothing of the segments of a path by linear programs along the self-motion.

use kinetic_kinematics::{KinematicChain, Rigid};

use super::knot_path::{KnotPath, PathProblem};
use super::projector::PoseProjector;
use super::step_program::StepProgram;
use super::{PaddedJoints, row_of};
use crate::path::{IKPath, PathOptions};

/// Linear programs per segment.
const PROGRAMS_PER_SEGMENT: usize = 6;

/// Moves the configurations of each segment along their self-motion until steps shrink no more; poses stay where they are.
pub(in crate::path) fn polish(chain: &KinematicChain, options: &PathOptions, path: &mut IKPath) {
    match chain.dof() {
        7 => polish_segments::<1>(chain, options, path),
        8 => polish_segments::<2>(chain, options, path),
        _ => {}
    }
}

fn polish_segments<const D: usize>(chain: &KinematicChain, options: &PathOptions, path: &mut IKPath) {
    let (mut projector, mut program) = (PoseProjector::new(chain), StepProgram::<D>::new(chain.dof()));
    let (steps, mut begin) = (options.steps(chain), 0);
    while begin < path.success.len() {
        let is_there = |index: &usize| path.configuration(*index).is_some();
        let ends = |index: &usize| !is_there(index) || (*index > begin && path.splits.contains(index));
        let end = (begin..path.success.len()).find(ends).unwrap_or(path.success.len());
        if end > begin {
            let begins_at_start = begin == 0 && !path.splits.contains(&0);
            let start = options.start.as_deref().filter(|_| begins_at_start).map(row_of);
            let problem =
                PathProblem { targets: &[], start, dof: chain.dof(), bounds: chain.bounds(), stop: &options.stop };
            polish_segment(&problem, &steps, begin..end, path, &mut projector, &mut program);
        }
        begin = end.max(begin + 1);
    }
    measure(chain, options, path);
}

fn polish_segment<const D: usize>(
    problem: &PathProblem<'_>,
    steps: &[f64],
    segment: std::ops::Range<usize>,
    path: &mut IKPath,
    projector: &mut PoseProjector<'_>,
    program: &mut StepProgram<D>,
) {
    let (dof, chain) = (problem.dof, projector.chain());
    let rows: Vec<PaddedJoints> =
        path.q[segment.start * dof..segment.end * dof].chunks_exact(dof).map(row_of).collect();
    let mut frames = chain.frame_buffer();
    let targets: Vec<Rigid> = rows.iter().map(|row| chain.tip_rigid(&row[..dof], &mut frames)).collect();
    let problem = PathProblem { targets: &targets, ..*problem };
    let mut knot_path = KnotPath { knots: (0..rows.len()).collect(), rows };
    knot_path.smooth(&problem, projector, program, PROGRAMS_PER_SEGMENT);
    // Less for the joint that moves farthest may be more for one that may move less.
    if !knot_path.keeps(&problem, steps) {
        return;
    }
    for (index, row) in segment.zip(&knot_path.rows) {
        path.q[index * dof..(index + 1) * dof].copy_from_slice(&row[..dof]);
    }
}

/// A path without obstacles through configurations of all poses.
pub(super) fn measured(chain: &KinematicChain, options: &PathOptions, rows: &[PaddedJoints]) -> IKPath {
    let dof = chain.dof();
    let mut path = IKPath {
        q: rows.iter().flat_map(|row| &row[..dof]).copied().collect(),
        dof,
        success: vec![true; rows.len()],
        obstacles: Vec::new(),
        splits: Vec::new(),
        largest_step: 0.0,
        length: 0.0,
    };
    measure(chain, options, &mut path);
    path
}

impl IKPath {
    /// Whether all steps are within their bounds.
    pub(super) fn keeps(&self, chain: &KinematicChain, options: &PathOptions) -> bool {
        let steps = options.steps(chain);
        let mut before = options.start.as_deref();
        self.q.chunks_exact(self.dof).all(|now| {
            let keeps = |from: &[f64]| (0..self.dof).all(|joint| (now[joint] - from[joint]).abs() <= steps[joint]);
            before.replace(now).is_none_or(keeps)
        })
    }
}

/// Largest step and length anew.
fn measure(chain: &KinematicChain, options: &PathOptions, path: &mut IKPath) {
    let dof = chain.dof();
    let (mut largest, mut length) = (0.0_f64, 0.0);
    let mut before = options.start.as_deref().map(row_of);
    for index in 0..path.success.len() {
        let now = path.configuration(index).map(row_of);
        if let (Some(before), Some(now)) = (before.filter(|_| !path.splits.contains(&index)), now) {
            let steps = (0..dof).map(|joint| (now[joint] - before[joint]).abs());
            let (most, squares) = steps.fold((0.0, 0.0), |(most, sum), step| (f64::max(most, step), sum + step * step));
            (largest, length) = (largest.max(most), length + squares.sqrt());
        }
        before = now;
    }
    (path.largest_step, path.length) = (largest, length);
}
