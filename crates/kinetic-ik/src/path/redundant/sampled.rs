//! Sampled self-motions as vertices of the ladder graph, continued from pose to pose.

use kinetic_kinematics::{KinematicChain, Rigid};

use super::PaddedJoints;
use super::projector::PoseProjector;
use super::row_of;
use crate::analytic::{Branches, Manipulator};
use crate::path::PathOptions;
use crate::path::candidates::{Candidates, continued, is_near};
use crate::path::numerical::Numerical;
use crate::path::turns::turns_inside;
use crate::tolerance::SAME_CONFIGURATION_RAD_M;

/// Samples of the closed form for all choices of a pose together, at most.
const MOST_SELF_MOTION_SAMPLES: usize = 96;
/// Samples per choice, at least.
const LEAST_SAMPLES_PER_CHOICE: usize = 3;
/// Samples of a pose that leaves nothing free.
const SAMPLES_OF_STRICT_POSE: usize = 24;
/// Distance of configurations along the self-motion that take the place of refused ones.
const SPREAD_STEP_RAD_M: f64 = 0.15;
/// Configurations that are continued, per sample of a pose.
const CONTINUED_PER_SAMPLE: usize = 3;

/// The closed form at sampled values of the self-motion, and what the numerical solver finds, at the first pose and after
/// poses out of reach; in between, these configurations are continued by Newton's method.
#[derive(Debug)]
pub(crate) struct Sampled<'a> {
    manipulator: &'a Manipulator,
    numerical: Numerical<'a>,
    projector: PoseProjector<'a>,
    branches: Branches,
    most: usize,
    is_begun: bool,
    /// Whether configurations may be refused, so that others have to take their place.
    can_be_refused: bool,
}

impl<'a> Sampled<'a> {
    pub(crate) fn new(manipulator: &'a Manipulator, options: &PathOptions, can_be_refused: bool) -> Self {
        let choices = options.tolerance.iter().map(|tolerance| tolerance.samples().len()).max().unwrap_or(1);
        Self {
            manipulator,
            numerical: Numerical::new(manipulator.chain(), options),
            projector: PoseProjector::new(manipulator.chain()),
            branches: Branches::default(),
            most: if choices == 1 {
                SAMPLES_OF_STRICT_POSE
            } else {
                (MOST_SELF_MOTION_SAMPLES / choices).max(LEAST_SAMPLES_PER_CHOICE)
            },
            is_begun: false,
            can_be_refused,
        }
    }

    fn continue_from(&mut self, base_from_tcp: &Rigid, from: &[f64], first: usize, out: &mut Vec<f64>) {
        let (chain, dof) = (self.manipulator.chain(), from.len());
        let mut row: PaddedJoints = [0.0; 8];
        row[..dof].copy_from_slice(from);
        // Configurations may stand on a turn outside the limits.
        for joint in 0..dof {
            let turns = turns_inside(chain, joint, row[joint]).map_or(0, |(low, high)| 0.clamp(low, high));
            row[joint] += std::f64::consts::TAU * f64::from(turns);
        }
        if self.projector.project(base_from_tcp, &mut row) {
            self.push(&row[..dof], first, out);
        } else if let Some(q) = continued(chain, base_from_tcp, from) {
            // Beside singularities and at limits, slower steps arrive.
            self.push(&q, first, out);
        }
    }

    /// Adds configurations on both sides of those that are there, along the self-motion, until there are enough: where some
    /// were refused, the others spread again.
    fn spread(&mut self, base_from_tcp: &Rigid, first: usize, out: &mut Vec<f64>) {
        let dof = self.manipulator.dof();
        let known: Vec<PaddedJoints> = out[first..].chunks_exact(dof).map(row_of).collect();
        for row in &known {
            if out.len() - first >= self.most * dof {
                return;
            }
            let directions: Vec<PaddedJoints> = match dof {
                7 => vec![self.projector.directions::<1>(row).map(|[value]| value)],
                8 => {
                    let both = self.projector.directions::<2>(row);
                    (0..2).map(|axis| both.map(|values| values[axis])).collect()
                }
                _ => Vec::new(),
            };
            for (direction, step) in
                directions.iter().flat_map(|one| [(one, SPREAD_STEP_RAD_M), (one, -SPREAD_STEP_RAD_M)])
            {
                let mut moved: PaddedJoints = std::array::from_fn(|joint| row[joint] + step * direction[joint]);
                if self.projector.project(base_from_tcp, &mut moved) {
                    self.push(&moved[..dof], first, out);
                }
            }
        }
    }

    fn push(&self, row: &[f64], first: usize, out: &mut Vec<f64>) {
        let chain = self.manipulator.chain();
        if !out[first..].chunks_exact(row.len()).any(|known| is_near(chain, row, known, SAME_CONFIGURATION_RAD_M)) {
            out.extend_from_slice(row);
        }
    }

    /// Adds samples of the closed form, spread over the self-motion; those inside the limits, if there are any.
    fn sample(&mut self, base_from_tcp: &Rigid, first: usize, out: &mut Vec<f64>) {
        let chain = self.manipulator.chain();
        self.manipulator.branches(base_from_tcp, &mut self.branches);
        let is_inside = |q: &[f64]| q.iter().enumerate().all(|(joint, q)| turns_inside(chain, joint, *q).is_some());
        let all = self.branches.as_slice();
        let inside = all.iter().filter(|branch| is_inside(&branch.q)).count();
        let is_used = |q: &[f64]| inside == 0 || is_inside(q);
        let count = if inside > 0 { inside } else { all.len() };
        let stride = count.div_ceil(self.most).max(1);
        for branch in all.iter().filter(|branch| is_used(&branch.q)).step_by(stride) {
            self.push(&branch.q, first, out);
        }
    }
}

impl Candidates for Sampled<'_> {
    fn chain(&self) -> &KinematicChain {
        self.manipulator.chain()
    }

    fn candidates(&mut self, base_from_tcp: &Rigid, previous: &[f64], out: &mut Vec<f64>) {
        let (first, dof) = (out.len(), self.manipulator.dof());
        let count = previous.len() / dof;
        for from in previous.chunks_exact(dof).step_by(count.div_ceil(CONTINUED_PER_SAMPLE * self.most).max(1)) {
            self.continue_from(base_from_tcp, from, first, out);
        }
        if self.can_be_refused {
            self.spread(base_from_tcp, first, out);
        }
        if !self.is_begun || out.len() == first {
            self.is_begun = true;
            self.numerical.candidates(base_from_tcp, previous, out);
            self.sample(base_from_tcp, first, out);
        }
    }
}
