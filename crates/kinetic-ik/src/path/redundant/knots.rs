//! Knots: the poses of a path that are sampled first, and samples of their self-motion.

use std::f64::consts::TAU;

use kinetic_kinematics::{KinematicChain, Rigid};

use super::projector::PoseProjector;
use super::{PaddedJoints, row_of};
use crate::analytic::{Branches, Manipulator};
use crate::path::PathOptions;
use crate::path::candidates::{Candidates, distance};
use crate::path::numerical::Numerical;
use crate::path::turns::{Turns, lifted, turns_inside};

/// How closely a path is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolution {
    /// Motion of the tool between knots at most, m and rad added.
    pub(super) motion: f64,
    /// Fewest segments between knots.
    pub(super) segments: usize,
    /// Distance of samples along a self-motion that is a curve, rad or m.
    pub(super) curve_step: f64,
    /// Least distance of samples of a self-motion that is a surface, the largest of a joint, rad or m.
    pub(super) surface_step: f64,
}

/// Samples of the self-motion on each side of the start.
const START_NEIGHBOURS: usize = 8;
/// Distance of neighbouring ones.
const START_NEIGHBOUR_STEP_RAD_M: f64 = 0.06;

/// The first and the last pose, and others as close as the resolution says.
pub(super) fn knots(targets: &[Rigid], resolution: &Resolution) -> Vec<usize> {
    let last = targets.len() - 1;
    let most = last.div_ceil(resolution.segments).max(1);
    let mut knots = vec![0];
    let mut from = 0;
    for at in 1..=last {
        if at == last || at - from >= most || distance(&targets[from], &targets[at + 1]) > resolution.motion {
            knots.push(at);
            from = at;
        }
    }
    knots
}

/// A configuration and the turns that bring its joints into their limits.
#[derive(Debug, Clone)]
pub(super) struct KnotSample {
    pub(super) row: PaddedJoints,
    /// Turning joints between −π and π.
    pub(super) folded: PaddedJoints,
    pub(super) turns: [Turns; 8],
}

impl KnotSample {
    /// `None` when a joint has no turn inside its limits.
    pub(super) fn of(chain: &KinematicChain, row: PaddedJoints) -> Option<Self> {
        let (mut turns, mut folded) = ([(0, 0); 8], row);
        for joint in 0..chain.dof() {
            turns[joint] = turns_inside(chain, joint, row[joint])?;
            folded[joint] = lifted(row[joint], 0.0, chain.is_rotation(joint));
        }
        Some(Self { row, folded, turns })
    }
}

/// The row on the turns nearest to its own.
pub(super) fn turned(row: &PaddedJoints, turns: &[Turns; 8]) -> PaddedJoints {
    std::array::from_fn(|joint| row[joint] + TAU * f64::from(0.clamp(turns[joint].0, turns[joint].1)))
}

/// The samples of the self-motion of a pose inside the limits.
pub(super) fn samples(manipulator: &Manipulator, base_from_tcp: &Rigid, branches: &mut Branches) -> Vec<KnotSample> {
    manipulator.branches(base_from_tcp, branches);
    branches.as_slice().iter().filter_map(|branch| KnotSample::of(manipulator.chain(), row_of(&branch.q))).collect()
}

/// Samples that the numerical solver finds: values of the self-motion between those of the closed form.
pub(super) fn numerical_samples(
    chain: &KinematicChain,
    base_from_tcp: &Rigid,
    options: &PathOptions,
) -> Vec<KnotSample> {
    let mut found = Vec::new();
    Numerical::new(chain, options).candidates(base_from_tcp, &[], &mut found);
    found.chunks_exact(chain.dof()).filter_map(|q| KnotSample::of(chain, row_of(q))).collect()
}

/// Configurations on both sides of the start along its self-motion, of `D` dimensions.
pub(super) fn neighbours<const D: usize>(
    start: &PaddedJoints,
    target: &Rigid,
    projector: &mut PoseProjector<'_>,
) -> Vec<KnotSample> {
    let directions = projector.directions::<D>(start);
    let (chain, mut out) = (projector.chain(), Vec::new());
    for (axis, sign) in
        (0..D).flat_map(|axis| [(axis, -START_NEIGHBOUR_STEP_RAD_M), (axis, START_NEIGHBOUR_STEP_RAD_M)])
    {
        let mut row = *start;
        for _ in 0..START_NEIGHBOURS {
            (0..row.len()).for_each(|joint| row[joint] += sign * directions[joint][axis]);
            if !projector.project(target, &mut row) {
                break;
            }
            out.extend(KnotSample::of(chain, row));
        }
    }
    out
}
