//! Informed sampling: configurations on paths below a given length (Gammell, Srinivasa and Barfoot 2014).
//!
//! Gammell, Srinivasa and Barfoot, "Informed RRT*", IROS 2014: the configurations whose distances to start and goal sum up
//! to less than a length fill a prolate hyperspheroid, which is sampled directly.

use std::f64::consts::TAU;

use kinetic_core::rng::SeededRng;

use crate::space::Space;

/// Attempts to draw a sample inside the bounds; the hyperspheroid may stand out far beyond them.
const MAX_ATTEMPTS_INSIDE_BOUNDS: usize = 32;

/// Draws samples; owns its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct InformedSampler {
    goal: Vec<f64>,
    axis: Vec<f64>,
}

impl InformedSampler {
    /// Writes a sample, in bounds, that a path from `start` to `goal` shorter than `bound` could pass; false when none
    /// was found in a few attempts.
    ///
    /// Uniform in the hyperspheroid of the weighted metric. Ways round continuous joints other than the shortest are
    /// drawn as well, so that every such configuration can come.
    pub(super) fn sample(
        &mut self,
        space: &Space,
        (start, goal): (&[f64], &[f64]),
        bound: f64,
        rng: &mut SeededRng,
        out: &mut [f64],
    ) -> bool {
        let dof = space.dof();
        self.goal.resize(dof, 0.0);
        self.axis.resize(dof, 0.0);
        (0..MAX_ATTEMPTS_INSIDE_BOUNDS).any(|_| {
            space.unwrap_into(start, goal, &mut self.goal);
            if space.has_continuous() {
                self.wind(space, start, bound, rng);
            }
            self.in_spheroid(space, start, bound, rng, out);
            (0..dof).all(|joint| space.is_continuous(joint) || is_inside(space, joint, out[joint]))
        })
    }

    /// Moves the goal by full turns now and then, where that leaves it within reach of the bound.
    fn wind(&mut self, space: &Space, start: &[f64], bound: f64, rng: &mut SeededRng) {
        for joint in (0..space.dof()).filter(|joint| space.is_continuous(*joint)) {
            let turn = [-TAU, 0.0, 0.0, 0.0, 0.0, TAU][rng.below(6)];
            self.goal[joint] += turn;
            if space.straight_length(start, &self.goal) >= bound {
                self.goal[joint] -= turn;
            }
        }
    }

    /// A ball, stretched, reflected onto the line from start to goal, and moved to its middle. A reflection does what a
    /// rotation would: the ball is the same in all directions.
    fn in_spheroid(&mut self, space: &Space, start: &[f64], bound: f64, rng: &mut SeededRng, out: &mut [f64]) {
        let (dof, weights) = (space.dof(), space.weights());
        let least = space.straight_length(start, &self.goal);
        unit_ball(rng, out);
        let half_width = 0.5 * (bound * bound - least * least).max(0.0).sqrt();
        out[0] *= 0.5 * bound;
        out[1..].iter_mut().for_each(|value| *value *= half_width);
        if least > 0.0 {
            (0..dof).for_each(|joint| self.axis[joint] = weights[joint] * (self.goal[joint] - start[joint]) / least);
            reflect_first_axis_onto(&mut self.axis, out);
        }
        for joint in 0..dof {
            out[joint] = 0.5 * (start[joint] + self.goal[joint]) + out[joint] / weights[joint];
        }
    }
}

fn is_inside(space: &Space, joint: usize, value: f64) -> bool {
    (space.lower()[joint]..=space.upper()[joint]).contains(&value)
}

/// A uniform point of the unit ball: a normal direction (Box and Muller 1958), and the radius whose power is uniform.
pub(super) fn unit_ball(rng: &mut SeededRng, out: &mut [f64]) {
    for pair in out.chunks_mut(2) {
        let (radius, angle) = ((-2.0 * (1.0 - rng.unit()).ln()).sqrt(), TAU * rng.unit());
        let normal = [radius * angle.cos(), radius * angle.sin()];
        pair.copy_from_slice(&normal[..pair.len()]);
    }
    let norm = out.iter().map(|value| value * value).sum::<f64>().sqrt();
    let radius = rng.unit().powf(1.0 / out.len() as f64);
    let scale = if norm > 0.0 { radius / norm } else { 0.0 };
    for value in out {
        *value *= scale;
    }
}

/// Householder's reflection that takes the first axis to the unit vector `axis`, which is overwritten.
fn reflect_first_axis_onto(axis: &mut [f64], point: &mut [f64]) {
    axis[0] -= 1.0;
    let squared: f64 = axis.iter().map(|value| value * value).sum();
    if squared < 1e-24 {
        return;
    }
    let along: f64 = axis.iter().zip(&*point).map(|(a, b)| a * b).sum();
    point.iter_mut().zip(&*axis).for_each(|(value, axis)| *value -= 2.0 * along / squared * axis);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that unwraps fails, as it should")]
mod tests {
    use super::*;

    /// Rounding of sums and roots of values below 10.
    const ROUNDING: f64 = 1e-12;

    #[test]
    fn samples_are_what_a_path_below_the_bound_could_pass_and_fill_it_evenly() {
        let space = Space::from_bounds(&[(-3.0, 3.0), (-3.0, 3.0)])
            .expect("a space")
            .with_weights(vec![1.0, 0.5])
            .expect("a space");
        let (start, goal, bound) = ([-1.0, -0.5], [1.0, 0.7], 3.0);
        let mut rng = SeededRng::new(1);
        let (mut sampler, mut q) = (InformedSampler::default(), [0.0; 2]);
        let cost = |q: &[f64]| space.distance(&start, q) + space.distance(q, &goal);
        let (mut count, mut inner) = (0, 0);
        for _ in 0..20_000 {
            assert!(sampler.sample(&space, (&start, &goal), bound, &mut rng, &mut q));
            assert!(cost(&q) <= bound + ROUNDING, "{q:?}");
            count += 1;
            inner += usize::from(cost(&q) < 2.5);
        }
        // The same share by rejection from the square.
        let (mut all, mut below) = (0, 0);
        for _ in 0..400_000 {
            space.sample_uniform(&mut rng, &mut q);
            all += usize::from(cost(&q) < bound);
            below += usize::from(cost(&q) < 2.5);
        }
        let (share, expected) = (f64::from(inner as u32) / f64::from(count), below as f64 / all as f64);
        // Four standard deviations of both counts.
        assert!((share - expected).abs() < 0.02, "{share} {expected}");
    }

    #[test]
    fn the_long_way_round_a_continuous_joint_is_sampled_too() {
        let space = Space::from_bounds(&[(f64::NEG_INFINITY, f64::INFINITY), (-1.0, 1.0)]).expect("a space");
        let (start, goal) = ([0.5, 0.0], [-0.5, 0.5]);
        let mut rng = SeededRng::new(2);
        let (mut sampler, mut q) = (InformedSampler::default(), [0.0; 2]);
        let mut is_opposite = |bound| {
            (0..1000).any(|_| {
                assert!(sampler.sample(&space, (&start, &goal), bound, &mut rng, &mut q));
                space.unwrapped(0, 0.0, q[0]).abs() > 3.0
            })
        };
        assert!(is_opposite(7.0));
        assert!(!is_opposite(2.0));
    }
}
