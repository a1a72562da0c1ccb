//! Extensions along obstacles: linear constraints on the steps from a node, from the distances around it.
//!
//! A node in a narrow place is a centimetre from what is on either side, and nearly all straight steps from it are blocked. To first
//! order, a step `s` changes the distance `d` of two bodies by `∇d · s`; steps with `d + ∇d · s ≥ 0` for all near pairs slide
//! along what is near (the constraints of Faverjon and Tournassoud, "A local based approach for path planning of manipulators with
//! a high number of degrees of freedom", ICRA 1987). A step towards a sample is moved onto them by cyclic projections (Agmon, "The
//! relaxation method for linear inequalities", 1954), as retraction does with samples (Zhang and Manocha, "An efficient
//! retraction-based RRT planner", ICRA 2008). It is checked like any other.

use crate::near_distances::DistanceBounds;
use crate::space::Space;
use crate::validity::Validity;

/// Pairs that are nearer constrain steps, m.
const REACH_M: f64 = 0.05;

/// Sweeps of projections over all constraints of a node; what is left is for the check.
const SWEEPS: usize = 4;

/// Values of a tree's constraints, 16 MiB, beyond which no further nodes get some.
const MAX_VALUES: usize = 1 << 21;

/// Gradients shorter than this, m/rad or m/m in the metric, are of pairs that the joints cannot part.
const LEAST_GRADIENT: f64 = 1e-6;

/// Bounds that are lower, m, say nothing about bodies that are apart, as those of a node are; single precision errs by less.
const LOWEST_BOUND_M: f64 = -1e-4;

/// A node without constraints yet.
const NOT_LISTED: (u32, u32) = (u32::MAX, u32::MAX);

/// The constraints of the nodes of one tree. Rows are gradients by coordinates of the metric, each scaled to length 1, and then
/// the distance.
#[derive(Debug, Clone, Default)]
pub(super) struct DistanceConstraints {
    rows: Vec<f64>,
    /// Begin and end of each node's values among the rows.
    of_node: Vec<(u32, u32)>,
}

impl DistanceConstraints {
    pub(super) fn reset(&mut self) {
        self.rows.clear();
        self.of_node.clear();
    }

    /// Lists the constraints of a node at `q`, unless they are. `near` is memory.
    pub(super) fn list(
        &mut self,
        space: &Space,
        (node, q): (usize, &[f64]),
        validity: &mut dyn Validity,
        near: &mut DistanceBounds,
    ) {
        if self.of_node.len() <= node {
            self.of_node.resize(node + 1, NOT_LISTED);
        }
        if self.of_node[node] != NOT_LISTED || self.rows.len() > MAX_VALUES {
            return;
        }
        let begin = self.rows.len();
        if validity.distance_bounds(q, REACH_M, near) {
            near.iter().for_each(|(gradient, slack)| self.push(space, gradient, slack));
        }
        self.of_node[node] = (begin as u32, self.rows.len() as u32);
    }

    /// Appends the constraint of a distance with its gradient.
    fn push(&mut self, space: &Space, gradient: &[f64], slack: f64) {
        if slack < LOWEST_BOUND_M {
            return;
        }
        let begin = self.rows.len();
        self.rows.extend(gradient.iter().zip(space.weights()).map(|(value, weight)| value / weight));
        let length = self.rows[begin..].iter().map(|value| value * value).sum::<f64>().sqrt();
        if length < LEAST_GRADIENT {
            return self.rows.truncate(begin);
        }
        self.rows[begin..].iter_mut().for_each(|value| *value /= length);
        self.rows.push(slack.max(0.0) / length);
    }

    /// Moves the end `to` of a step from a node at `from` onto the node's constraints, as far as the sweeps get, at most `longest`
    /// away and inside the bounds of the space. The length of the step.
    pub(super) fn project(&self, space: &Space, (node, from): (usize, &[f64]), to: &mut [f64], longest: f64) -> f64 {
        let (begin, end) = self.of_node.get(node).copied().filter(|range| *range != NOT_LISTED).unwrap_or((0, 0));
        let rows = &self.rows[begin as usize..end as usize];
        for ((to, from), weight) in to.iter_mut().zip(from).zip(space.weights()) {
            *to = weight * (*to - from);
        }
        for _ in 0..SWEEPS {
            let mut are_met = true;
            rows.chunks_exact(space.dof() + 1).for_each(|row| are_met &= meet(to, row));
            if are_met {
                break;
            }
        }
        let length = to.iter().map(|value| value * value).sum::<f64>().sqrt();
        let scale = if length > longest { longest / length } else { 1.0 };
        for (joint, (to, from)) in to.iter_mut().zip(from).enumerate() {
            let moved = from + scale * *to / space.weights()[joint];
            *to = moved.clamp(space.lower()[joint], space.upper()[joint]);
        }
        space.straight_length(from, to)
    }
}

/// Projects a step onto a constraint; whether it met it.
fn meet(step: &mut [f64], row: &[f64]) -> bool {
    let (gradient, distance) = row.split_at(step.len());
    let left = distance[0] + step.iter().zip(gradient).map(|(step, gradient)| step * gradient).sum::<f64>();
    if left < 0.0 {
        step.iter_mut().zip(gradient).for_each(|(step, gradient)| *step -= left * gradient);
    }
    left >= 0.0
}

#[cfg(test)]
mod tests {
    use kinetic_core::Result;
    use kinetic_core::rng::SeededRng;

    use super::*;
    use crate::near_distances::{NearDistances, NearPair};

    const DOF: usize = 3;

    /// Planes: a configuration keeps a distance of `offset + normal · q` from each.
    struct Planes(Vec<([f64; DOF], f64)>);

    impl Planes {
        fn slack((normal, offset): &([f64; DOF], f64), q: &[f64]) -> f64 {
            offset + normal.iter().zip(q).map(|(a, b)| a * b).sum::<f64>()
        }
    }

    impl Validity for Planes {
        fn is_valid(&mut self, q: &[f64]) -> bool {
            self.0.iter().all(|plane| Self::slack(plane, q) >= 0.0)
        }

        fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
            self.is_valid(from) && self.is_valid(to)
        }

        fn checks(&self) -> u64 {
            0
        }

        fn near_distances(&mut self, q: &[f64], _: &[f64], within: f64, out: &mut NearDistances) -> bool {
            out.clear(DOF);
            for plane in self.0.iter().filter(|plane| Self::slack(plane, q) <= within) {
                let pair = NearPair { slack: Self::slack(plane, q), direction: plane.0, bias: [0.0; 3] };
                let jacobian = out.push(pair);
                (0..DOF).for_each(|axis| jacobian[axis * DOF + axis] = 1.0);
            }
            true
        }
    }

    fn space() -> Result<Space> {
        Space::new(vec![-4.0; DOF], vec![4.0; DOF])?.with_weights(vec![1.0, 2.0, 0.5])
    }

    /// Random planes through the neighbourhood of a node at the origin, and one that is not near.
    fn planes(rng: &mut SeededRng, count: usize) -> Planes {
        let mut plane = |offset: f64| {
            let normal: [f64; DOF] = std::array::from_fn(|_| rng.uniform(-1.0, 1.0));
            let length = normal.iter().map(|value| value * value).sum::<f64>().sqrt();
            (normal.map(|value| value / length), offset)
        };
        let mut near: Vec<_> = (0..count).map(|index| plane(0.01 * (1 + index) as f64)).collect();
        near.push(plane(1.0));
        Planes(near)
    }

    #[test]
    fn a_step_is_moved_to_the_nearest_that_keeps_one_distance() -> Result<()> {
        let space = space()?;
        let mut rng = SeededRng::new(4);
        let mut moved = 0;
        for case in 0..500 {
            let mut planes = planes(&mut rng, 1);
            let mut constraints = DistanceConstraints::default();
            constraints.list(&space, (0, &[0.0; DOF]), &mut planes, &mut DistanceBounds::default());
            let wish: [f64; DOF] = std::array::from_fn(|_| rng.uniform(-0.4, 0.4));
            let mut to = wish;
            let length = constraints.project(&space, (0, &[0.0; DOF]), &mut to, 10.0);
            assert!((length - space.distance(&[0.0; DOF], &to)).abs() < 1e-12, "case {case}");
            assert!(Planes::slack(&planes.0[0], &to) > -1e-12, "case {case}");
            if Planes::slack(&planes.0[0], &wish) >= 0.0 {
                assert!(space.distance(&wish, &to) < 1e-12, "case {case}");
                continue;
            }
            moved += 1;
            // No other step that keeps the distance is nearer in the metric.
            for _ in 0..50 {
                let other: [f64; DOF] = std::array::from_fn(|joint| to[joint] + rng.uniform(-0.05, 0.05));
                let keeps = Planes::slack(&planes.0[0], &other) >= 0.0;
                assert!(!keeps || space.distance(&wish, &other) > space.distance(&wish, &to) - 1e-12, "case {case}");
            }
        }
        assert!(moved > 100, "{moved}");
        Ok(())
    }

    #[test]
    fn steps_end_inside_the_bounds_no_farther_than_asked_and_nearer_to_all_distances() -> Result<()> {
        let space = space()?;
        let mut rng = SeededRng::new(5);
        let (mut before, mut after) = (0, 0);
        for case in 0..500 {
            let mut planes = planes(&mut rng, 2);
            let mut constraints = DistanceConstraints::default();
            constraints.list(&space, (2, &[0.0; DOF]), &mut planes, &mut DistanceBounds::default());
            let wish: [f64; DOF] = std::array::from_fn(|_| rng.uniform(-4.0, 4.0));
            let mut to = wish;
            let length = constraints.project(&space, (2, &[0.0; DOF]), &mut to, 1.0);
            assert!(length <= 1.0 + 1e-12, "case {case}: {length}");
            space.check("step", &to, 0.0)?;
            let missed = |q: &[f64]| planes.0.iter().filter(|plane| Planes::slack(plane, q) < -1e-3).count();
            (before, after) = (before + missed(&wish), after + missed(&to));
            // A node of which nothing is listed constrains nothing.
            let mut free = wish;
            constraints.project(&space, (1, &[0.0; DOF]), &mut free, f64::INFINITY);
            assert!(space.distance(&wish, &free) < 1e-12, "case {case}");
        }
        assert!(5 * after < before, "{after} of {before}");
        Ok(())
    }

    #[test]
    fn pairs_that_joints_cannot_part_and_bounds_of_overlaps_constrain_nothing() -> Result<()> {
        let space = space()?;
        let mut planes = Planes(vec![([0.0; DOF], 0.0), ([0.0, -1.0, 0.0], -0.01)]);
        let mut constraints = DistanceConstraints::default();
        constraints.list(&space, (0, &[0.0; DOF]), &mut planes, &mut DistanceBounds::default());
        let mut to = [0.1, 0.2, -0.3];
        constraints.project(&space, (0, &[0.0; DOF]), &mut to, f64::INFINITY);
        assert!(space.distance(&to, &[0.1, 0.2, -0.3]) < 1e-12);
        Ok(())
    }
}
