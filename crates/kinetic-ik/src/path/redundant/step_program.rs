//! Minimax steps: the linear program of the least largest step near a path, by an interior point method (Mehrotra 1992).
//!
//! Along the directions of the self-motion steps are linear; the least largest step is a linear program, a small share of
//! squares makes its answer unique and short. It is solved by a primal–dual interior point method with predictor and
//! corrector. A pose is coupled to its neighbours only, so that the normal equations are block tridiagonal.

use super::block_tridiagonal::{BlockTridiagonal, BlockVector, dot};

/// Joints, at most.
pub(super) const MOST_PROGRAM_JOINTS: usize = 8;
/// Weight of the squares of steps against the largest step.
const SQUARES_WEIGHT: f64 = 1e-3;
/// Relative gap of the objective at which the method ends.
const OBJECTIVE_GAP_RATIO: f64 = 2e-4;
/// Iterations at most.
const MOST_INTERIOR_POINT_ITERATIONS: usize = 40;
/// Part of the distance to the nearest constraint that a step takes.
const FRACTION_TO_BOUNDARY: f64 = 0.99;

/// The step to a pose from the one before, per pose of the path between them.
#[derive(Debug, Clone)]
pub(super) struct JointSteps<const D: usize> {
    pub(super) rate: [f64; MOST_PROGRAM_JOINTS],
    /// Coefficients of the parameters of the pose before, per joint.
    pub(super) before: [BlockVector<D>; MOST_PROGRAM_JOINTS],
    /// Coefficients of the parameters of the pose.
    pub(super) after: [BlockVector<D>; MOST_PROGRAM_JOINTS],
    /// Number of poses between them; its part in the squares. None for the first pose of a path without start.
    pub(super) weight: f64,
}

/// `slack − normal · z ≥ 0` for the parameters of a pose.
#[derive(Debug, Clone)]
pub(super) struct Inequality<const D: usize> {
    pub(super) pose: usize,
    pub(super) normal: BlockVector<D>,
    pub(super) slack: f64,
}

/// Values of the upper and the lower bound on a step.
#[derive(Debug, Clone, Copy)]
struct TwoSided {
    above: f64,
    below: f64,
}

/// The program and the memory of its solution; poses are numbered from 0, step `i` leads to pose `i`.
#[derive(Debug)]
pub(super) struct StepProgram<const D: usize> {
    pub(super) joints: usize,
    pub(super) steps: Vec<JointSteps<D>>,
    pub(super) inequalities: Vec<Inequality<D>>,
    matrix: BlockTridiagonal<D>,
    /// Parameters of the poses: the answer.
    pub(super) z: Vec<BlockVector<D>>,
    most: f64,
    slacks: Vec<[TwoSided; MOST_PROGRAM_JOINTS]>,
    duals: Vec<[TwoSided; MOST_PROGRAM_JOINTS]>,
    inequality_slacks: Vec<f64>,
    inequality_duals: Vec<f64>,
    predicted: Vec<BlockVector<D>>,
    squares: f64,
}

/// Step lengths of the primal and of the dual variables.
#[derive(Debug, Clone, Copy)]
struct StepLengths {
    primal: f64,
    dual: f64,
}

impl<const D: usize> StepProgram<D> {
    pub(super) fn new(joints: usize) -> Self {
        Self {
            joints,
            steps: Vec::new(),
            inequalities: Vec::new(),
            matrix: BlockTridiagonal::new(0),
            z: Vec::new(),
            most: 0.0,
            slacks: Vec::new(),
            duals: Vec::new(),
            inequality_slacks: Vec::new(),
            inequality_duals: Vec::new(),
            predicted: Vec::new(),
            squares: 0.0,
        }
    }

    /// Solves from zero, which must be inside all inequalities. False when nothing was gained.
    pub(super) fn solve(&mut self) -> bool {
        let start = self.begin();
        if !(start > 0.0) {
            return false;
        }
        for _ in 0..MOST_INTERIOR_POINT_ITERATIONS {
            let gap = self.gap();
            if gap.0 <= OBJECTIVE_GAP_RATIO * self.most {
                break;
            }
            if !self.advance(gap.1) {
                break;
            }
        }
        self.most < start
    }

    /// At zero, all constraints with the same product of slack and dual variable; the largest step there.
    fn begin(&mut self) -> f64 {
        let poses = self.steps.len();
        if self.matrix.diagonal.len() != poses {
            self.matrix = BlockTridiagonal::new(poses);
        }
        for parts in [&mut self.z, &mut self.predicted] {
            parts.clear();
            parts.resize(poses, [0.0; D]);
        }
        let rates = self.steps.iter().filter(|step| step.weight > 0.0).flat_map(|step| &step.rate[..self.joints]);
        let start = rates.fold(0.0_f64, |most, rate| most.max(rate.abs()));
        self.most = 1.05 * start;
        let weight: f64 = self.steps.iter().map(|step| step.weight).sum();
        self.squares = SQUARES_WEIGHT / (start * weight).max(f64::MIN_POSITIVE);
        let count = 2 * self.joints * poses + self.inequalities.len();
        let product = self.most / count as f64;
        self.slacks.clear();
        self.duals.clear();
        for step in &self.steps {
            let slack =
                |joint: usize| TwoSided { above: self.most - step.rate[joint], below: self.most + step.rate[joint] };
            let slacks: [TwoSided; MOST_PROGRAM_JOINTS] = std::array::from_fn(slack);
            self.duals
                .push(slacks.map(|slack| TwoSided { above: product / slack.above, below: product / slack.below }));
            self.slacks.push(slacks);
        }
        self.inequality_slacks.clear();
        self.inequality_slacks.extend(self.inequalities.iter().map(|inequality| inequality.slack));
        self.inequality_duals.clear();
        self.inequality_duals.extend(self.inequalities.iter().map(|inequality| product / inequality.slack));
        start
    }

    /// Sum and mean of the products of slacks and duals.
    fn gap(&self) -> (f64, f64) {
        let mut sum = 0.0;
        let mut count = self.inequalities.len();
        for ((step, slacks), duals) in self.steps.iter().zip(&self.slacks).zip(&self.duals) {
            if step.weight > 0.0 {
                count += 2 * self.joints;
                for joint in 0..self.joints {
                    sum += slacks[joint].above * duals[joint].above + slacks[joint].below * duals[joint].below;
                }
            }
        }
        sum += self.inequality_slacks.iter().zip(&self.inequality_duals).map(|(slack, dual)| slack * dual).sum::<f64>();
        (sum, sum / count as f64)
    }

    /// One step of predictor and corrector; false at the end of what arithmetic allows.
    fn advance(&mut self, mean: f64) -> bool {
        self.assemble();
        if !self.matrix.factor() {
            return false;
        }
        let (last, right) = self.right_side(0.0, None);
        self.predicted.copy_from_slice(&right);
        let mut predicted = std::mem::take(&mut self.predicted);
        let most = self.matrix.solve(&mut predicted, last);
        let step_lengths = self.step_lengths(&predicted, most, 0.0, None);
        let centring = (self.mean_after(&predicted, most, step_lengths) / mean).powi(3).clamp(1e-6, 1.0);
        let (last, mut right) = self.right_side(centring * mean, Some((&predicted, most)));
        let step = self.matrix.solve(&mut right, last);
        let step_lengths = self.step_lengths(&right, step, centring * mean, Some((&predicted, most)));
        self.go(&right, step, centring * mean, (&predicted, most), step_lengths);
        self.predicted = predicted;
        step_lengths.primal > 1e-6 && self.most.is_finite()
    }

    /// The matrix of the normal equations.
    fn assemble(&mut self) {
        self.matrix.clear();
        for at in 0..self.steps.len() {
            let step = &self.steps[at];
            if step.weight == 0.0 {
                continue;
            }
            for joint in 0..self.joints {
                let (slack, dual) = (self.slacks[at][joint], self.duals[at][joint]);
                let (above, below) = (dual.above / slack.above, dual.below / slack.below);
                let (both, uneven) = (above + below + self.squares * step.weight, below - above);
                self.matrix.corner += above + below;
                let (before, after) = (&step.before[joint], &step.after[joint]);
                for row in 0..D {
                    self.matrix.border[at][row] += uneven * after[row];
                    for column in 0..D {
                        self.matrix.diagonal[at][row][column] += both * after[row] * after[column];
                    }
                }
                if at > 0 {
                    for row in 0..D {
                        self.matrix.border[at - 1][row] += uneven * before[row];
                        for column in 0..D {
                            self.matrix.diagonal[at - 1][row][column] += both * before[row] * before[column];
                            self.matrix.left[at][row][column] += both * after[row] * before[column];
                        }
                    }
                }
            }
        }
        for ((inequality, slack), dual) in
            self.inequalities.iter().zip(&self.inequality_slacks).zip(&self.inequality_duals)
        {
            let block = &mut self.matrix.diagonal[inequality.pose];
            for row in 0..D {
                for column in 0..D {
                    block[row][column] += dual / slack * inequality.normal[row] * inequality.normal[column];
                }
            }
        }
    }

    /// Change of the step of a joint along a direction.
    #[inline]
    fn change(&self, at: usize, joint: usize, z: &[BlockVector<D>]) -> f64 {
        let step = &self.steps[at];
        let before = if at > 0 { dot(&step.before[joint], &z[at - 1]) } else { 0.0 };
        before + dot(&step.after[joint], &z[at])
    }

    /// Right side for products of slacks and duals of `aim`, corrected by those of a predicted step.
    fn right_side(&self, aim: f64, predicted: Option<(&[BlockVector<D>], f64)>) -> (f64, Vec<BlockVector<D>>) {
        let (mut last, mut right) = (-1.0, vec![[0.0; D]; self.steps.len()]);
        for at in 0..self.steps.len() {
            let step = &self.steps[at];
            if step.weight == 0.0 {
                continue;
            }
            for joint in 0..self.joints {
                let (slack, dual) = (self.slacks[at][joint], self.duals[at][joint]);
                let (mut above, mut below) = (aim, aim);
                if let Some((z, most)) = predicted {
                    let change = self.change(at, joint, z);
                    above -= correction(slack.above, dual.above, most - change);
                    below -= correction(slack.below, dual.below, most + change);
                }
                let (above, below) = (above / slack.above, below / slack.below);
                last += above + below;
                let rate = 0.5 * (slack.below - slack.above);
                let pull = below - above - self.squares * step.weight * rate;
                for row in 0..D {
                    right[at][row] += pull * step.after[joint][row];
                    if at > 0 {
                        right[at - 1][row] += pull * step.before[joint][row];
                    }
                }
            }
        }
        for (index, inequality) in self.inequalities.iter().enumerate() {
            let (slack, dual) = (self.inequality_slacks[index], self.inequality_duals[index]);
            let correction =
                predicted.map_or(0.0, |(z, _)| correction(slack, dual, -dot(&inequality.normal, &z[inequality.pose])));
            for row in 0..D {
                right[inequality.pose][row] -= (aim - correction) / slack * inequality.normal[row];
            }
        }
        (last, right)
    }

    /// Visits every constraint: slack, dual variable, and the changes of both.
    fn visit(
        &self,
        z: &[BlockVector<D>],
        most: f64,
        aim: f64,
        predicted: Option<(&[BlockVector<D>], f64)>,
        mut see: impl FnMut(f64, f64, f64, f64),
    ) {
        for at in 0..self.steps.len() {
            if self.steps[at].weight == 0.0 {
                continue;
            }
            for joint in 0..self.joints {
                let (slack, dual) = (self.slacks[at][joint], self.duals[at][joint]);
                let change = self.change(at, joint, z);
                let before = predicted.map(|(z, most)| (self.change(at, joint, z), most));
                let mut side = |slack: f64, dual: f64, sign: f64| {
                    let moved = most - sign * change;
                    let corrected = before.map_or(0.0, |(change, most)| correction(slack, dual, most - sign * change));
                    see(slack, dual, moved, (aim - corrected - dual * moved) / slack - dual);
                };
                side(slack.above, dual.above, 1.0);
                side(slack.below, dual.below, -1.0);
            }
        }
        for (index, inequality) in self.inequalities.iter().enumerate() {
            let (slack, dual) = (self.inequality_slacks[index], self.inequality_duals[index]);
            let moved = -dot(&inequality.normal, &z[inequality.pose]);
            let corrected =
                predicted.map_or(0.0, |(z, _)| correction(slack, dual, -dot(&inequality.normal, &z[inequality.pose])));
            see(slack, dual, moved, (aim - corrected - dual * moved) / slack - dual);
        }
    }

    fn step_lengths(
        &self,
        z: &[BlockVector<D>],
        most: f64,
        aim: f64,
        predicted: Option<(&[BlockVector<D>], f64)>,
    ) -> StepLengths {
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        self.visit(z, most, aim, predicted, |slack, value, moved, changed| {
            if moved < 0.0 {
                primal = primal.min(-FRACTION_TO_BOUNDARY * slack / moved);
            }
            if changed < 0.0 {
                dual = dual.min(-FRACTION_TO_BOUNDARY * value / changed);
            }
        });
        StepLengths { primal, dual }
    }

    fn mean_after(&self, z: &[BlockVector<D>], most: f64, step_lengths: StepLengths) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        self.visit(z, most, 0.0, None, |slack, value, moved, changed| {
            sum += (slack + step_lengths.primal * moved) * (value + step_lengths.dual * changed);
            count += 1;
        });
        sum / f64::from(count)
    }

    fn go(
        &mut self,
        z: &[BlockVector<D>],
        most: f64,
        aim: f64,
        predicted: (&[BlockVector<D>], f64),
        step_lengths: StepLengths,
    ) {
        let mut moved = Vec::with_capacity(2 * self.joints * self.steps.len() + self.inequalities.len());
        self.visit(z, most, aim, Some(predicted), |slack, value, changed, dual| {
            moved.push((slack + step_lengths.primal * changed, value + step_lengths.dual * dual));
        });
        let mut next = moved.into_iter();
        for at in 0..self.steps.len() {
            if self.steps[at].weight == 0.0 {
                continue;
            }
            for joint in 0..self.joints {
                if let (Some(above), Some(below)) = (next.next(), next.next()) {
                    self.slacks[at][joint] = TwoSided { above: above.0, below: below.0 };
                    self.duals[at][joint] = TwoSided { above: above.1, below: below.1 };
                }
            }
        }
        for (index, (slack, dual)) in next.enumerate() {
            (self.inequality_slacks[index], self.inequality_duals[index]) = (slack, dual);
        }
        for (own, change) in self.z.iter_mut().zip(z) {
            for (own, change) in own.iter_mut().zip(change) {
                *own += step_lengths.primal * change;
            }
        }
        self.most += step_lengths.primal * most;
    }
}

/// Product of the changes that a predicted step makes in slack and dual variable.
#[inline]
fn correction(slack: f64, dual: f64, moved: f64) -> f64 {
    moved * (-dual * moved / slack - dual)
}
