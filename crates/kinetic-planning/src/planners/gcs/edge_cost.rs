//! What the straight ways through regions cost: their length, or the time that they take under limits of velocity.
//!
//! Under such limits no way through a convex region takes less time than the straight one, at the speed at which its slowest joint is at its
//! limit: curves in place of polylines, as in Marcucci and others 2023, make no path faster. What they are smoother by is a matter of
//! accelerations, which time laws and the refinement of timed motions look at.

use crate::convex::Program;

/// The cost of an edge, a norm of what it moves the joints by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EdgeCost<'a> {
    /// Euclidean length, with the weights of the joints.
    Length(&'a [f64]),
    /// The time of the slowest joint under the limits of velocity, s.
    Duration(&'a [f64]),
}

impl EdgeCost<'_> {
    /// The cost of the straight line between two configurations, without wrapping.
    pub(super) fn of(&self, a: &[f64], b: &[f64]) -> f64 {
        let steps = a.iter().zip(b).map(|(a, b)| a - b);
        match self {
            Self::Length(weights) => {
                steps.zip(*weights).map(|(step, weight)| (step * weight).powi(2)).sum::<f64>().sqrt()
            }
            Self::Duration(limits) => steps.zip(*limits).map(|(step, limit)| step.abs() / limit).fold(0.0, f64::max),
        }
    }

    /// The cost of a polyline.
    pub(super) fn of_path<'p>(&self, mut points: impl Iterator<Item = &'p [f64]>) -> f64 {
        let Some(mut last) = points.next() else { return 0.0 };
        let mut cost = 0.0;
        for point in points {
            cost += self.of(last, point);
            last = point;
        }
        cost
    }

    /// Makes a variable at least the cost of an edge: what it moves each joint by is a constant, and factors of variables.
    pub(super) fn bound(
        &self,
        program: &mut Program,
        step: impl Fn(usize) -> (f64, Vec<(usize, f64)>),
        variable: usize,
    ) {
        let scaled = |joint: usize, factor: f64| {
            let (constant, terms) = step(joint);
            let terms: Vec<_> = terms.into_iter().map(|(index, value)| (index, factor * value)).collect();
            (factor * constant, terms)
        };
        match self {
            Self::Length(weights) => {
                let rows = weights.iter().enumerate().map(|(joint, weight)| scaled(joint, *weight));
                program.norm_at_most(rows, variable);
            }
            Self::Duration(limits) => {
                for (joint, limit) in limits.iter().enumerate() {
                    for sign in [1.0, -1.0] {
                        let (constant, terms) = scaled(joint, sign / limit);
                        program.at_most(terms.into_iter().chain([(variable, -1.0)]), -constant);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The point of a line that two others are reached from at least cost in sum: by hand.
    #[test]
    fn programmes_find_the_point_between_two_others() {
        let (weights, limits) = ([1.0, 1.0], [1.0, 2.0]);
        for (cost, least) in [(EdgeCost::Length(&weights), 13.0_f64.sqrt()), (EdgeCost::Duration(&limits), 3.0)] {
            let ends = [[-1.0, 1.0], [2.0, 1.0]];
            // Variables: x, y, and two costs; y is 0.
            let mut program = Program::new(4);
            program.equal([(1, 1.0)].into_iter(), 0.0);
            for (index, end) in ends.iter().enumerate() {
                program.minimise(2 + index, 1.0);
                cost.bound(&mut program, |joint| (-end[joint], vec![(joint, 1.0)]), 2 + index);
            }
            let found = program.solve().unwrap_or_else(|| panic!("a solution"));
            assert!((found[2] + found[3] - least).abs() < 1e-6, "{cost:?}: {found:?}");
            let middle = [found[0], found[1]];
            let path = cost.of_path([&ends[0][..], &middle, &ends[1]].into_iter());
            assert!((path - least).abs() < 1e-6, "{cost:?}: {path}");
        }
    }
}
