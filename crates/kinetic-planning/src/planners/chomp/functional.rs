//! The obstacle functional of a trajectory of waypoints, and its gradient.

use kinetic_core::Result;

use crate::planners::trajectory_optimization::{ObstacleCost, ObstacleFunctional, OptimizationRun, Waypoints};

/// Configurations inside an edge that is refused, per unit of its length (rad or m); as many as the quick check looks at.
const SAMPLES_PER_RAD_M: f64 = 16.0;

/// Most parts of an edge.
const MOST_EDGE_PARTS: u32 = 32;

/// The functional, and the memory of its evaluation.
#[derive(Debug)]
pub(super) struct Functional {
    at_configuration: ObstacleFunctional,
}

impl Functional {
    /// Obstacles cost from `clearance` (m) beyond the required clearance on.
    pub(super) fn new(clearance: f64) -> Self {
        Self { at_configuration: ObstacleFunctional::new(clearance) }
    }

    /// Writes the functional gradient, one row per waypoint between the ends.
    pub(super) fn evaluate(
        &mut self,
        waypoints: &Waypoints,
        run: &mut OptimizationRun<'_>,
        gradient: &mut [f64],
    ) -> Result<ObstacleCost> {
        let dof = waypoints.dof();
        let functional = &mut self.at_configuration;
        functional.resize(dof);
        gradient.fill(0.0);
        let mut total = ObstacleCost::none();
        for (row, gradient) in gradient.chunks_exact_mut(dof).enumerate() {
            waypoints.derivatives(row + 1, &mut functional.velocity, &mut functional.acceleration);
            functional.add_configuration(waypoints.at(row + 1), waypoints.step(), run, (gradient, &mut total))?;
        }
        Ok(total)
    }

    /// Adds what lies inside edges, so that nothing is passed by between two waypoints. The gradient of a configuration between
    /// two waypoints counts for both, by how near they are.
    pub(super) fn add_edges(
        &mut self,
        waypoints: &Waypoints,
        edges: &[usize],
        run: &mut OptimizationRun<'_>,
        (gradient, total): (&mut [f64], &mut ObstacleCost),
    ) -> Result<()> {
        let (dof, step, functional) = (waypoints.dof(), waypoints.step(), &mut self.at_configuration);
        for edge in edges {
            let (from, to) = (waypoints.at(*edge), waypoints.at(edge + 1));
            let length = from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            #[allow(clippy::cast_sign_loss, reason = "a length")]
            let parts = ((length * SAMPLES_PER_RAD_M).ceil() as u32).clamp(2, MOST_EDGE_PARTS);
            for (velocity, (from, to)) in functional.velocity.iter_mut().zip(from.iter().zip(to)) {
                *velocity = (to - from) / step;
            }
            functional.acceleration.fill(0.0);
            for part in 1..parts {
                let t = f64::from(part) / f64::from(parts);
                let q: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + t * (to - from)).collect();
                let mut between = vec![0.0; dof];
                functional.add_configuration(&q, step / f64::from(parts), run, (&mut between, &mut *total))?;
                for (end, share) in [(*edge, 1.0 - t), (edge + 1, t)] {
                    // The ends stay.
                    if (1..waypoints.len() - 1).contains(&end) {
                        let row = &mut gradient[(end - 1) * dof..end * dof];
                        row.iter_mut().zip(&between).for_each(|(sum, part)| *sum += share * part);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use kinetic_core::{Control, JointValues, Result};

    use super::*;
    use crate::near_distances::{NearDistances, NearPair};
    use crate::problem::Problem;
    use crate::space::Space;
    use crate::validity::Validity;

    /// An arm of two links of length 1 in the plane, with points at the middle and the end of each, beside a ball.
    struct Arm {
        ball: [f64; 2],
        radius: f64,
    }

    /// Where a point is on the arm: lengths along both links.
    const POINTS: [[f64; 2]; 4] = [[0.5, 0.0], [1.0, 0.0], [1.0, 0.5], [1.0, 1.0]];

    impl Validity for Arm {
        fn is_valid(&mut self, _: &[f64]) -> bool {
            true
        }

        fn is_motion_valid(&mut self, _: &[f64], _: &[f64]) -> bool {
            true
        }

        fn checks(&self) -> u64 {
            0
        }

        fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
            out.clear(2);
            let (first, second) = (q[0], q[0] + q[1]);
            for [a, b] in POINTS {
                let x = [a * first.cos() + b * second.cos(), a * first.sin() + b * second.sin()];
                let offset = [x[0] - self.ball[0], x[1] - self.ball[1]];
                let length = offset[0].hypot(offset[1]);
                let slack = length - self.radius;
                if slack > within {
                    continue;
                }
                let (rate, sum) = (qd[0], qd[0] + qd[1]);
                // The other body stands still, so that the relative motion is the opposite of the point's.
                let bias = [
                    a * first.cos() * rate * rate + b * second.cos() * sum * sum,
                    a * first.sin() * rate * rate + b * second.sin() * sum * sum,
                    0.0,
                ];
                let direction = [-offset[0] / length, -offset[1] / length, 0.0];
                let jacobian = out.push(NearPair { slack, direction, bias });
                let column = |a: f64, b: f64| [a * first.sin() + b * second.sin(), -a * first.cos() - b * second.cos()];
                let (of_first, of_second) = (column(a, b), column(0.0, b));
                for axis in 0..2 {
                    jacobian[2 * axis] = of_first[axis];
                    jacobian[2 * axis + 1] = of_second[axis];
                }
            }
            true
        }
    }

    fn evaluate(offset: [[f64; 2]; 3], gradient: &mut [f64]) -> Result<f64> {
        let space = Space::new(vec![-3.0; 2], vec![3.0; 2])?;
        let goals: [JointValues; 1] = [[1.5, -0.4].into()];
        let problem = Problem::new(&space, &[-0.5, 0.6], &goals, 0)?;
        let mut waypoints = Waypoints::straight(&space, problem.start(), &goals[0], gradient.len() / 2);
        let step = waypoints.step();
        for (index, value) in waypoints.inner_mut().iter_mut().enumerate() {
            let t = (index / 2 + 1) as f64 * step;
            *value += (0..3).map(|mode| offset[mode][index % 2] * ((mode + 1) as f64 * PI * t).sin()).sum::<f64>();
        }
        let mut arm = Arm { ball: [1.5, 0.9], radius: 0.5 };
        let control = Control::default();
        let mut run = OptimizationRun::new("chomp", &problem, &mut arm, &control);
        run.begin_iteration()?;
        Ok(Functional::new(0.3).evaluate(&waypoints, &mut run, gradient)?.cost)
    }

    /// The derivative of the functional along smooth changes of the trajectory, against central differences of its value.
    #[test]
    fn the_functional_gradient_is_the_derivative_of_the_functional() -> Result<()> {
        const WAYPOINTS: usize = 4000;
        let base = [[0.2, -0.1], [0.1, 0.15], [-0.05, 0.1]];
        let mut gradient = vec![0.0; 2 * WAYPOINTS];
        assert!(evaluate(base, &mut gradient)? > 0.05, "the arm sweeps through the ball");
        let step = 1.0 / (WAYPOINTS + 1) as f64;
        for mode in 0..3 {
            for joint in 0..2 {
                let sine = |row: usize| ((mode + 1) as f64 * PI * (row + 1) as f64 * step).sin();
                let predicted: f64 =
                    gradient.chunks_exact(2).enumerate().map(|(row, part)| part[joint] * sine(row) * step).sum();
                let moved = |by: f64| {
                    let mut offset = base;
                    offset[mode][joint] += by;
                    evaluate(offset, &mut vec![0.0; 2 * WAYPOINTS])
                };
                let measured = (moved(1e-4)? - moved(-1e-4)?) / 2e-4;
                assert!((predicted - measured).abs() < 1e-3, "mode {mode}, joint {joint}: {predicted} {measured}");
            }
        }
        Ok(())
    }
}
