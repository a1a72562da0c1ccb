//! Near pairs of the scene with their Jacobians.

use kinetic_kinematics::FrameMotion;
use kinetic_scene::{Checker, DistancePrecision, Proximity, ProximityPair, ProximityPartner};
use nalgebra::{Point3, Vector3};

use crate::near_distances::{DistanceBounds, NearDistances, NearPair};

/// What a query of near pairs works with.
#[derive(Debug, Default)]
pub(super) struct NearPairs {
    found: Proximity,
    motions: Vec<FrameMotion>,
}

impl NearPairs {
    /// Writes the pairs that are at most `within` (m) from missing their clearance at `q`, with bias accelerations at `qd`.
    /// Pairs that the group cannot part, and those that keep their clearance in every configuration, are left out.
    pub(super) fn list(
        &mut self,
        checker: &mut Checker,
        (q, qd): (&[f64], &[f64]),
        within: f64,
        out: &mut NearDistances,
    ) {
        out.clear(checker.dof());
        // Distances are to depend on the configuration alone.
        checker.forget_distances();
        checker.proximity(q, within, DistancePrecision::Single, &mut self.found);
        let program = checker.program();
        self.motions.resize(program.num_frames(), FrameMotion::zero());
        program.motions_into(checker.placed_frames(), qd, &mut self.motions);
        for pair in self.found.pairs().iter().filter(|pair| checker.may_touch(pair)) {
            let bias = self.bias(checker, pair);
            let near =
                NearPair { slack: pair.distance - pair.margin, direction: pair.normal.into(), bias: bias.into() };
            let jacobian = out.push(near);
            checker.add_point_jacobian(pair.body, &pair.point_on_body, -1.0, jacobian);
            if let ProximityPartner::Body(other) = pair.other {
                checker.add_point_jacobian(other, &pair.point_on_other, 1.0, jacobian);
            }
        }
    }

    /// Writes the bounds on distances of the pairs that are at most `within` (m) from missing their clearance at `q`, of the same pairs.
    pub(super) fn list_bounds(&mut self, checker: &mut Checker, q: &[f64], within: f64, out: &mut DistanceBounds) {
        out.clear(checker.dof());
        // As in `list`.
        checker.forget_distances();
        checker.proximity(q, within, DistancePrecision::Bounded, &mut self.found);
        for (index, pair) in self.found.pairs().iter().enumerate().filter(|(_, pair)| checker.may_touch(pair)) {
            out.push(self.found.gradient(index).iter().copied(), pair.distance - pair.margin);
        }
    }

    /// Bias acceleration of the witness point on the other body relative to that on the body, m/s².
    fn bias(&self, checker: &Checker, pair: &ProximityPair) -> Vector3<f64> {
        let of = |body: usize, point: &Point3<f64>| {
            let frame = checker.body_frame(body);
            self.motions[frame].bias_at(&(point.coords - checker.placed_frames()[frame].translation))
        };
        let own = of(pair.body, &pair.point_on_body);
        match pair.other {
            ProximityPartner::Body(other) => of(other, &pair.point_on_other) - own,
            ProximityPartner::Obstacle(_) => -own,
        }
    }
}
