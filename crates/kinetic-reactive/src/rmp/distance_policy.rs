//! Distances as task spaces: what obstacle and self-collision avoidance have in common.
//!
//! The task map is the distance of a pair of bodies less its required clearance. Its Jacobian is the derivative by the joints
//! (Danskin 1967). Its curvature is that of the witness points, taken as fixed on their bodies, along a normal that keeps its
//! direction: `nᵀ (J̇_b − J̇_a) q̇`. That is the whole second derivative where the corner of a body is nearest to a flat face that
//! does not turn, as a link's above a table. What it leaves out is the turning of the normal. For bodies that do not rotate the
//! distance of convex bodies is a convex function of their offset, so that this part is never negative, and leaving it out brakes
//! early rather than late.

use kinetic_kinematics::FrameMotion;
use kinetic_scene::{Checker, Proximity, ProximityPair, ProximityPartner};
use nalgebra::Vector3;

use super::barrier::{Barrier, Wanted, strongest};
use super::motion_policy::MotionState;
use super::task_space::TaskSpaces;

/// A derivative by the joints below this moves nothing: the pair is one that the arm cannot part, m²/rad².
const LEAST_SQUARED_GRADIENT: f64 = 1e-10;

/// The metric is that at a lever of half a metre whatever the lever is: pulled back as it is, a distance that joints change only
/// slowly would count for nothing against wishes in the space of the joints, m²/rad².
const USUAL_SQUARED_GRADIENT: f64 = 0.25;
/// Levers below the square root of this count less, m²/rad².
const LEAST_SCALED_SQUARED_GRADIENT: f64 = 1e-4;

/// Bodies near each other at the configuration of a cycle.
#[derive(Debug, Default)]
pub(super) struct NearPairs {
    pub(super) found: Proximity,
    motions: Vec<FrameMotion>,
}

impl NearPairs {
    /// Finds the motions of the checker's frames after its proximity query.
    pub(super) fn place(&mut self, checker: &Checker, qd: &[f64]) {
        let program = checker.program();
        self.motions.resize(program.num_frames(), FrameMotion::zero());
        program.motions_into(checker.placed_frames(), qd, &mut self.motions);
    }

    /// `J̇ q̇` of the distance of a pair, m/s².
    pub(super) fn curvature(&self, checker: &Checker, pair: &ProximityPair) -> f64 {
        let bias = |body: usize, point: &Vector3<f64>| {
            let frame = checker.body_frame(body);
            let arm = point - checker.placed_frames()[frame].translation;
            self.motions[frame].bias_at(&arm).dot(&pair.normal)
        };
        let own = bias(pair.body, &pair.point_on_body.coords);
        match pair.other {
            ProximityPartner::Body(other) => bias(other, &pair.point_on_other.coords) - own,
            ProximityPartner::Obstacle(_) => -own,
        }
    }

    /// Adds the task space of a pair whose other body moves by itself with `opening` (m/s) along the normal.
    pub(super) fn add(
        &self,
        index: usize,
        checker: &Checker,
        (barrier, reserve, opening): (&Barrier, f64, f64),
        state: &MotionState<'_>,
        tasks: &mut TaskSpaces,
    ) {
        let (pair, gradient) = (&self.found.pairs()[index], self.found.gradient(index));
        let squared_gradient = gradient.iter().map(|value| value * value).sum::<f64>();
        if squared_gradient < LEAST_SQUARED_GRADIENT {
            return;
        }
        let scale = USUAL_SQUARED_GRADIENT / (squared_gradient + LEAST_SCALED_SQUARED_GRADIENT);
        let velocity: f64 = gradient.iter().zip(state.qd).map(|(slope, qd)| slope * qd).sum();
        let slack = pair.distance - pair.margin - reserve;
        if let Some(Wanted { metric, acceleration }) =
            barrier.wanted((slack, velocity + opening), strongest(gradient, state.bounds), state.dt)
        {
            tasks.add_scalar(gradient, self.curvature(checker, pair), scale * metric, acceleration);
        }
    }
}
