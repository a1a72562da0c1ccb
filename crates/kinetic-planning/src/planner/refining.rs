//! Refinement of the timed motions of a planner.

use kinetic_core::{Control, Limits, Refine, Result, TimedTrajectory};
use kinetic_scene::Checker;
use kinetic_trajectory::jerk::jerk_limits;
use kinetic_trajectory::{Corners, TimeLawSpec};

use super::Planner;
use crate::refinement::{Refinement, deviation};
use crate::result::PlanningResult;
use crate::scene_validity::SceneValidity;

impl Planner {
    /// A shorter motion, where the options ask for it and there is one. It is proven free by the checker; the time that this took is
    /// added to the result.
    pub(super) fn refined(
        &self,
        timed: &TimedTrajectory,
        result: &mut PlanningResult,
        (law, limits): (&TimeLawSpec, &Limits),
        checker: &mut Checker,
        control: &Control,
    ) -> Result<Option<TimedTrajectory>> {
        let Some(Refine::Trajopt) = self.config.refine else { return Ok(None) };
        let began = control.elapsed();
        let is_smooth = law.bounds_jerk || law.corners == Corners::Spline;
        let limits = Limits { jerk: law.bounds_jerk.then(|| jerk_limits(limits)), ..limits.clone() };
        let (degree, bounds) = (if is_smooth { 3 } else { 2 }, self.chain.bounds());
        let refinement = Refinement { limits: &limits, degree, bounds };
        let found = refinement.refine(timed.curve(), &mut SceneValidity::new(checker), control)?;
        result.refinement_time = control.elapsed() - began;
        let Some(curve) = found else { return Ok(None) };
        let (times, deviation) = (curve.knots().to_vec(), deviation(&curve, &result.path));
        TimedTrajectory::new(curve, times, deviation, Refine::Trajopt.name()).map(Some)
    }
}
