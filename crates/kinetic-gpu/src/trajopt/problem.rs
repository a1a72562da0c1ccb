//! A scene, a metric and options as the arrays of an optimisation, and answers as paths.

use std::f64::consts::PI;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};
use kinetic_scene::{OptimizationContext, Scene};

use super::{GpuConfig, SplineProposal, check_size};
use crate::collision::SceneSnapshot;
use crate::layout::{SPLINE_HEAD, UNBOUNDED};
use crate::packed_robot::PackedRobot;
use crate::spline_sizes::{SUPPORT, SplineSizes};

/// What single precision is off by at a sample, in units of what it is off by at a configuration that is rounded once: a sample is a sum
/// of four products.
const ROUNDINGS: f64 = 4.0;

/// What does not depend on the seeds.
#[derive(Debug, Clone)]
pub(super) struct SplineProblem {
    pub(super) snapshot: SceneSnapshot,
    pub(super) options: GpuConfig,
    pub(super) sizes: SplineSizes,
    weights: Vec<f64>,
    /// Lower and upper limit of each joint.
    bounds: Vec<[f64; 2]>,
    /// The plan without the seeds.
    pub(super) plan: Vec<f32>,
}

impl SplineProblem {
    pub(super) fn new(context: &OptimizationContext<'_>, options: GpuConfig) -> Result<Self> {
        options.check()?;
        let OptimizationContext { scene, group, margins, weights } = *context;
        let snapshot = SceneSnapshot::new(scene, group, margins, options.collision)?;
        let dof = snapshot.packed.robot.num_variables();
        check_len("weights of the metric", weights.len(), dof)?;
        weights.iter().try_for_each(|weight| check_size("weight", *weight))?;
        let sizes =
            SplineSizes { dof, control_points: options.control_points, per_interval: options.samples_per_interval };
        let bounds = bounds_of(scene, group)?;
        check_len("limits of the joints", bounds.len(), dof)?;
        let problem = Self { bounds, snapshot, options, sizes, weights: weights.to_vec(), plan: Vec::new() }.planned();
        if problem.rounding() >= options.clearance {
            let wanted = format!("more than single precision is off by, {} m", problem.rounding());
            return Err(KineticError::invalid("clearance", options.clearance, wanted));
        }
        Ok(problem)
    }

    /// Whether it is one of the context, but perhaps of another version of the scene.
    pub(super) fn is_of(&self, context: &OptimizationContext<'_>) -> bool {
        let snapshot = &self.snapshot;
        (&*snapshot.group, snapshot.margins, &*self.weights) == (context.group, context.margins, context.weights)
    }

    /// The problem in another version of the scene; `None` when it is the same version.
    pub(super) fn updated(&self, scene: &Scene) -> Result<Option<Self>> {
        let Some(snapshot) = self.snapshot.updated(scene)? else { return Ok(None) };
        let bounds = bounds_of(scene, &snapshot.group)?;
        check_len("weights of the metric", self.weights.len(), snapshot.packed.robot.num_variables())?;
        Ok(Some(Self { snapshot, bounds, ..self.clone() }.planned()))
    }

    /// What is taken off every slack, m; as single precision holds it, so that the shader's comparison is that of a slack with 0.
    pub(super) fn rounding(&self) -> f64 {
        f64::from((ROUNDINGS * self.snapshot.packed.rounding) as f32)
    }

    /// Joint values of a seed.
    pub(super) fn values_per_seed(&self) -> usize {
        (self.sizes.control_points + 2) * self.sizes.dof
    }

    /// Itself with the plan of its scene and metric.
    fn planned(mut self) -> Self {
        let (options, sizes) = (&self.options, self.sizes);
        let mut plan = vec![options.clearance, self.rounding(), options.largest_change, 1.0 / sizes.steps() as f64];
        let place = |index: usize| place_weights(sizes, index).into_iter().flatten();
        plan.extend((0..sizes.per_interval).flat_map(place));
        let step = 1.0 / (sizes.control_points + 1) as f64;
        let metric = (PI * step).powi(4);
        for weight in &self.weights {
            let square = weight * weight;
            plan.extend([*weight, options.smoothness_weight * step * square / metric, metric / (square * step)]);
        }
        plan.extend(inverse_of_fourth_difference(sizes.control_points));
        self.plan = plan.iter().map(|number| *number as f32).collect();
        self
    }

    /// The numbers of all seeds.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for incomplete seeds, [`KineticError::NotFinite`], and [`KineticError::InvalidValue`] for
    /// joint values beyond ±32 rad or m, less the turns of the start.
    pub(super) fn pack(&self, initial: &[f64]) -> Result<Vec<f32>> {
        let width = self.values_per_seed();
        if width == 0 || !initial.len().is_multiple_of(width) {
            return Err(KineticError::DimensionMismatch {
                context: "initial trajectories".to_owned(),
                expected: format!("whole trajectories of {} rows of {}", width / self.sizes.dof.max(1), self.sizes.dof),
                got: initial.len(),
            });
        }
        check_finite("initial trajectories", initial)?;
        let mut packed = Vec::with_capacity(initial.len() / width * self.sizes.seed_floats());
        for seed in initial.chunks_exact(width) {
            self.pack_seed(seed, &mut packed)?;
        }
        Ok(packed)
    }

    fn pack_seed(&self, seed: &[f64], packed: &mut Vec<f32>) -> Result<()> {
        let (dof, robot) = (self.sizes.dof, &self.snapshot.packed.robot);
        let turns: Vec<f64> = (0..dof).map(|joint| robot.turns(joint, seed[joint])).collect();
        let near = |(index, value): (usize, &f64)| PackedRobot::check_near(value - turns[index % dof]);
        seed.iter().enumerate().try_for_each(near)?;
        let line = |index: usize| self.line(seed, index);
        packed.extend((0..seed.len()).map(|index| (line(index) - turns[index % dof]) as f32));
        let inner = dof..seed.len() - dof;
        packed.extend(inner.map(|index| (self.bounded(index, seed[index]) - line(index)) as f32));
        for side in 0..2 {
            let bound = |joint: usize| (self.bounds[joint][side] - turns[joint]) as f32;
            packed.extend((0..dof).map(|joint| bound(joint).clamp(-UNBOUNDED, UNBOUNDED)));
        }
        Ok(())
    }

    /// A value of the straight line between the ends of a seed.
    fn line(&self, seed: &[f64], index: usize) -> f64 {
        let (dof, steps) = (self.sizes.dof, self.sizes.control_points + 1);
        let (start, end) = (seed[index % dof], seed[steps * dof + index % dof]);
        match index / dof {
            row if row == steps => end,
            row => start + (end - start) * (row as f64 / steps as f64),
        }
    }

    fn bounded(&self, index: usize, value: f64) -> f64 {
        let [lower, upper] = self.bounds[index % self.sizes.dof];
        value.max(lower).min(upper)
    }

    /// The proposals of answers.
    pub(super) fn finish(&self, initial: &[f64], answers: &[f32]) -> Vec<SplineProposal> {
        let seeds = initial.chunks_exact(self.values_per_seed());
        seeds
            .zip(answers.chunks_exact(self.sizes.answer_floats()))
            .map(|(seed, answer)| self.proposal(seed, answer))
            .collect()
    }

    fn proposal(&self, seed: &[f64], answer: &[f32]) -> SplineProposal {
        let (head, deviation) = answer.split_at(SPLINE_HEAD);
        let dof = self.sizes.dof;
        let is_finite = answer.iter().all(|number| number.is_finite());
        let mut control = seed.to_vec();
        if is_finite {
            for (index, by) in deviation.iter().enumerate().map(|(index, by)| (index + dof, f64::from(*by))) {
                control[index] = self.bounded(index, self.line(seed, index) + by);
            }
        }
        let [slack, cost] =
            if is_finite { [head[1], head[0]].map(f64::from) } else { [f64::NEG_INFINITY, f64::INFINITY] };
        #[expect(clippy::cast_sign_loss, reason = "a count")]
        let iterations = head[2] as u32;
        SplineProposal { path: self.path(&control), least_slack: slack - self.rounding(), cost, iterations }
    }

    /// The samples of a spline; the ends are those of the control points.
    fn path(&self, control: &[f64]) -> Vec<f64> {
        let (sizes, dof) = (self.sizes, self.sizes.dof);
        let mut path = control[..dof].to_vec();
        for time in 1..sizes.steps() {
            let [weights, ..] = place_weights(sizes, time % sizes.per_interval);
            let rows: [usize; SUPPORT] =
                std::array::from_fn(|offset| sizes.row(time / sizes.per_interval, offset) * dof);
            let value = |joint: usize| {
                let values = rows.map(|row| control[row + joint]);
                let sum = weights.iter().zip(&values).map(|(weight, value)| weight * value).sum::<f64>();
                // A mean is between its values, whatever rounding makes of it: limits are kept bit for bit.
                sum.max(values.into_iter().fold(f64::INFINITY, f64::min))
                    .min(values.into_iter().fold(f64::NEG_INFINITY, f64::max))
            };
            path.extend((0..dof).map(value));
        }
        path.extend_from_slice(&control[control.len() - dof..]);
        path
    }
}

/// Lower and upper limits of the joints of a group.
fn bounds_of(scene: &Scene, group: &str) -> Result<Vec<[f64; 2]>> {
    let robot = scene.robot();
    let limits = |variable: &usize| [robot.joint_limits[*variable].lower, robot.joint_limits[*variable].upper];
    Ok(robot.group(group)?.variables.iter().map(limits).collect())
}

/// Weights of four control points in position, velocity and acceleration at a place in an interval, by time from 0 to 1 along the whole
/// spline.
fn place_weights(sizes: SplineSizes, place: usize) -> [[f64; SUPPORT]; 3] {
    let u = place as f64 / sizes.per_interval as f64;
    let v = 1.0 - u;
    let middle = |x: f64| (3.0 * x * x * x - 6.0 * x * x + 4.0) / 6.0;
    let slope = |x: f64| 1.5 * x * x - 2.0 * x;
    let per_interval = (sizes.steps() / sizes.per_interval) as f64;
    [
        [v * v * v / 6.0, middle(u), middle(v), u * u * u / 6.0],
        [-0.5 * v * v, slope(u), -slope(v), 0.5 * u * u].map(|slope| slope * per_interval),
        [v, 3.0 * u - 2.0, 3.0 * v - 2.0, u].map(|bend| bend * per_interval * per_interval),
    ]
}

/// The inverse of the square of the negative second difference (−1, 2, −1) of values that are 0 at both ends, row after row.
fn inverse_of_fourth_difference(points: usize) -> Vec<f64> {
    let steps = points + 1;
    let inverse = |a: usize, b: usize| (a.min(b) * (steps - a.max(b))) as f64 / steps as f64;
    let entry = |a: usize, b: usize| (1..steps).map(|c| inverse(a, c) * inverse(c, b)).sum::<f64>();
    (1..steps).flat_map(|a| (1..steps).map(move |b| entry(a, b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_differences_taken_twice() {
        for points in [1, 2, 7, 24] {
            let inverse = inverse_of_fourth_difference(points);
            for unit in 0..points {
                let mut column: Vec<f64> = (0..points).map(|row| inverse[row * points + unit]).collect();
                for _ in 0..2 {
                    let at = |row: usize| column.get(row).copied().unwrap_or(0.0);
                    let second = |row: usize| 2.0 * at(row) - at(row.wrapping_sub(1)) - at(row + 1);
                    column = (0..points).map(second).collect();
                }
                let wanted = |row: usize| f64::from(u8::from(row == unit));
                assert!(column.iter().enumerate().all(|(row, value)| (value - wanted(row)).abs() < 1e-9), "{points}");
            }
        }
    }

    #[test]
    fn weights_pass_straight_lines_and_their_slopes_are_derivatives() {
        let sizes = SplineSizes { dof: 1, control_points: 6, per_interval: 1000 };
        let at = |place: usize, derivative: usize| {
            let weights = place_weights(sizes, place)[derivative];
            weights.iter().zip([0.0, 1.0, 4.0, 9.0]).map(|(weight, value)| weight * value).sum::<f64>()
        };
        let step = 1.0 / sizes.steps() as f64;
        for place in 1..999 {
            let sum: f64 = place_weights(sizes, place)[0].iter().sum();
            assert!((sum - 1.0).abs() < 1e-12);
            for derivative in 0..2 {
                let difference = (at(place + 1, derivative) - at(place - 1, derivative)) / (2.0 * step);
                assert!((difference - at(place, derivative + 1)).abs() < 1e-3 * 81.0, "{place}: {difference}");
            }
        }
    }
}
