//! The cost of a B-spline and its gradient.
//!
//! `½ w ∫ ‖q″‖² dt`, in differences of the control points and less what the straight line has, and the obstacle functional of CHOMP at
//! samples. The gradient of the latter is its functional gradient at the samples, by the weights of the control points there.

use kinetic_core::Result;

use super::TrajoptConfig;
use super::samples::{SplineSample, intervals};
use crate::planners::trajectory_optimization::{
    ObstacleCost, ObstacleFunctional, OptimizationRun, Smoothness, Waypoints,
};
use crate::space::Space;

/// Samples that are added inside an edge that is refused.
const ADDED_SAMPLES: usize = 2;

/// Samples that a spline may have, as a multiple of those that it begins with.
const MOST_ADDED: usize = 8;

/// The cost, and the memory of its evaluation.
#[derive(Debug)]
pub(super) struct Objective {
    obstacles: ObstacleFunctional,
    samples_per_interval: usize,
    smoothness_weight: f64,
    /// Rows of control points, ends included.
    rows: usize,
    /// Places in order of time, the ends left out.
    samples: Vec<SplineSample>,
    straight: Vec<f64>,
    q: Vec<f64>,
    /// Functional gradient at one sample.
    push: Vec<f64>,
}

impl Objective {
    pub(super) fn new(config: &TrajoptConfig) -> Self {
        Self {
            obstacles: ObstacleFunctional::new(config.clearance),
            samples_per_interval: config.samples_per_interval,
            smoothness_weight: config.smoothness_weight,
            rows: 0,
            samples: Vec::new(),
            straight: Vec::new(),
            q: Vec::new(),
            push: Vec::new(),
        }
    }

    /// Begins with another initial trajectory.
    pub(super) fn begin(&mut self, control: &Waypoints) {
        let (rows, dof) = (control.len(), control.dof());
        self.rows = rows;
        let count = intervals(rows) * self.samples_per_interval;
        self.samples.clear();
        self.samples.extend((1..count).map(|index| SplineSample::at(index as f64 / count as f64, rows)));
        self.straight.clear();
        self.straight.extend_from_slice(control.line().inner());
        self.q.resize(dof, 0.0);
        self.push.resize(dof, 0.0);
        self.obstacles.resize(dof);
    }

    /// The samples as a path; both ends are met bit for bit.
    pub(super) fn path(&mut self, control: &Waypoints) -> Waypoints {
        let mut values = control.at(0).to_vec();
        for sample in &self.samples {
            sample.combine(&sample.weights, control, &mut self.q);
            values.extend_from_slice(&self.q);
        }
        values.extend_from_slice(control.at(control.len() - 1));
        Waypoints::of_values(control.dof(), values)
    }

    /// Adds samples inside edges of the path, so that nothing is passed by between two.
    pub(super) fn add_samples(&mut self, path: &Waypoints, edges: &[usize]) {
        let rows = self.rows;
        let most = MOST_ADDED * intervals(rows) * self.samples_per_interval;
        let time = |index: usize| match index {
            0 => 0.0,
            index if index == path.len() - 1 => 1.0,
            index => self.samples[index - 1].time,
        };
        let mut added = Vec::new();
        for edge in edges {
            let (from, to) = (time(*edge), time(edge + 1));
            let part = |part: usize| from + (to - from) * part as f64 / (ADDED_SAMPLES + 1) as f64;
            added.extend((1..=ADDED_SAMPLES).map(|index| SplineSample::at(part(index), rows)));
        }
        if self.samples.len() + added.len() <= most {
            self.samples.append(&mut added);
            self.samples.sort_by(|a, b| a.time.total_cmp(&b.time));
        }
    }

    /// The cost of a trajectory; its gradient is written, one row per control point between the ends.
    pub(super) fn evaluate(
        &mut self,
        control: &Waypoints,
        metric: &mut Smoothness,
        run: &mut OptimizationRun<'_>,
        gradient: &mut [f64],
    ) -> Result<ObstacleCost> {
        let space = run.problem.space();
        let mut total = ObstacleCost::none();
        total.cost = self.accelerations(control, metric, space, gradient);
        for index in 0..self.samples.len() {
            let before = if index == 0 { 0.0 } else { self.samples[index - 1].time };
            let after = self.samples.get(index + 1).map_or(1.0, |next| next.time);
            self.add_sample(index, 0.5 * (after - before), control, (run, gradient, &mut total))?;
        }
        Ok(total)
    }

    /// What the control points accelerate; writes the gradient.
    fn accelerations(&self, control: &Waypoints, metric: &mut Smoothness, space: &Space, gradient: &mut [f64]) -> f64 {
        let dof = space.dof();
        let deviation = |index: usize| control.inner()[index] - self.straight[index];
        gradient.iter_mut().enumerate().for_each(|(index, value)| *value = deviation(index));
        metric.multiply(gradient);
        let scale = self.smoothness_weight * control.step();
        let mut cost = 0.0;
        for (index, value) in gradient.iter_mut().enumerate() {
            let weight = space.weights()[index % dof];
            *value *= scale * weight * weight;
            cost += 0.5 * *value * deviation(index);
        }
        cost
    }

    /// Adds what obstacles cost at a sample that stands for a time `step`.
    fn add_sample(
        &mut self,
        index: usize,
        step: f64,
        control: &Waypoints,
        (run, gradient, total): (&mut OptimizationRun<'_>, &mut [f64], &mut ObstacleCost),
    ) -> Result<()> {
        let sample = self.samples[index];
        sample.combine(&sample.weights, control, &mut self.q);
        sample.combine(&sample.slopes, control, &mut self.obstacles.velocity);
        sample.combine(&sample.bends, control, &mut self.obstacles.acceleration);
        self.push.fill(0.0);
        self.obstacles.add_configuration(&self.q, step, run, (&mut self.push, total))?;
        let dof = self.q.len();
        for (row, weight) in sample.rows.iter().zip(&sample.weights) {
            // The ends stay.
            if (1..control.len() - 1).contains(row) {
                let gradient = &mut gradient[(row - 1) * dof..row * dof];
                gradient.iter_mut().zip(&self.push).for_each(|(sum, push)| *sum += step * weight * push);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use kinetic_core::{Control, JointValues};

    use super::*;
    use crate::near_distances::{NearDistances, NearPair};
    use crate::problem::Problem;
    use crate::validity::Validity;

    /// A point in the plane beside a ball at the origin.
    struct Ball(f64);

    impl Validity for Ball {
        fn is_valid(&mut self, _: &[f64]) -> bool {
            true
        }

        fn is_motion_valid(&mut self, _: &[f64], _: &[f64]) -> bool {
            true
        }

        fn checks(&self) -> u64 {
            0
        }

        fn near_distances(&mut self, q: &[f64], _: &[f64], within: f64, out: &mut NearDistances) -> bool {
            out.clear(2);
            let length = q[0].hypot(q[1]);
            if length - self.0 < within {
                let direction = [q[0] / length, q[1] / length, 0.0];
                let jacobian = out.push(NearPair { slack: length - self.0, direction, bias: [0.0; 3] });
                (jacobian[0], jacobian[3]) = (1.0, 1.0);
            }
            true
        }
    }

    /// The cost of control points that deviate from the line past a ball, and its gradient.
    fn evaluate(radius: f64, deviation: &[f64]) -> (f64, Vec<f64>) {
        let evaluated = || -> Result<(f64, Vec<f64>)> {
            let space = Space::new(vec![-3.0; 2], vec![3.0; 2])?.with_weights(vec![1.0, 2.0])?;
            let goals: [JointValues; 1] = [[2.0, 0.3].into()];
            let problem = Problem::new(&space, &[-2.0, 0.1], &goals, 0)?;
            let points = deviation.len() / 2;
            let mut control = Waypoints::straight(&space, problem.start(), &goals[0], points);
            // Dense samples, so that the sum is the integral that the functional gradient is of.
            let mut objective = Objective::new(&TrajoptConfig {
                control_points: points,
                samples_per_interval: 100,
                clearance: 0.3,
                smoothness_weight: 0.02,
                ..TrajoptConfig::default()
            });
            objective.begin(&control);
            control.inner_mut().iter_mut().zip(deviation).for_each(|(value, by)| *value += by);
            let (mut ball, unbounded) = (Ball(radius), Control::default());
            let mut run = OptimizationRun::new("trajopt", &problem, &mut ball, &unbounded);
            run.begin_iteration()?;
            let mut gradient = vec![0.0; deviation.len()];
            let cost = objective.evaluate(&control, &mut Smoothness::new(points), &mut run, &mut gradient)?.cost;
            Ok((cost, gradient))
        };
        evaluated().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_cost_with_and_without_obstacles() {
        let mut rng = SeededRng::new(6);
        for (radius, tolerance) in [(-9.0, 1e-7), (0.5, 2e-3)] {
            let deviation: Vec<f64> = (0..16).map(|_| rng.uniform(-0.3, 0.3)).collect();
            let (cost, gradient) = evaluate(radius, &deviation);
            assert!(cost > 0.0);
            let largest = gradient.iter().map(|value| value.abs()).fold(0.0, f64::max);
            for index in 0..deviation.len() {
                let moved = |by: f64| {
                    let mut other = deviation.clone();
                    other[index] += by;
                    evaluate(radius, &other).0
                };
                let measured = (moved(1e-4) - moved(-1e-4)) / 2e-4;
                let error = (gradient[index] - measured).abs();
                assert!(error < tolerance * largest, "{radius}, {index}: {} {measured}", gradient[index]);
            }
        }
    }
}
