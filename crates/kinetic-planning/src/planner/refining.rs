//! Refinement of the timed motions of a planner.

use kinetic_core::{Control, Limits, Refine, Result, TimedTrajectory};
use kinetic_scene::Checker;
use kinetic_trajectory::{Corners, TimeLawSpec};

use super::Planner;
use crate::refinement::{Refinement, deviation};
use crate::result::PlanningResult;
use crate::scene_validity::SceneValidity;

impl Planner {
    /// The motion, or a shorter one where the options ask for it and there is one. It is proven free by the checker; the time and
    /// the duration of before are added to the result.
    pub(super) fn refined(
        &self,
        timed: TimedTrajectory,
        result: &mut PlanningResult,
        (law, limits): (&TimeLawSpec, &Limits),
        checker: &mut Checker,
        control: &Control,
    ) -> Result<TimedTrajectory> {
        let Some(Refine::Trajopt) = self.config.refine else { return Ok(timed) };
        let began = control.elapsed();
        let is_smooth = law.bounds_jerk || law.corners == Corners::Spline;
        let limits = Limits { jerk: limits.jerk.clone().filter(|_| law.bounds_jerk), ..limits.clone() };
        let (degree, bounds) = (if is_smooth { 3 } else { 2 }, self.chain.bounds());
        let refinement = Refinement { limits: &limits, degree, bounds };
        let found = refinement.refine(timed.curve(), &mut SceneValidity::new(checker), control)?;
        result.refinement_time = control.elapsed() - began;
        let Some(curve) = found else { return Ok(timed) };
        result.unrefined_duration = Some(timed.duration());
        let (times, deviation) = (curve.knots().to_vec(), deviation(&curve, &result.path));
        TimedTrajectory::new(curve, times, deviation, Refine::Trajopt.name())
    }
}
