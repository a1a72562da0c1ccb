//! Paths that were found by other means than a search of this planner: their ends, verification and timing.

use kinetic_core::{Control, Goal, JointValues, Result};
use kinetic_trajectory::TimeLawSpec;

use super::{GRACE_S, Planner};
use crate::certify::identity;
use crate::goal_set::GoalSet;
use crate::restarts::FIRST_POSES;
use crate::result::{PlannedTrajectory, PlanningResult};
use crate::scene_validity::SceneValidity;
use crate::verify;

impl Planner {
    /// The goal configurations of a search from a start that is inside limits and free.
    pub(crate) fn goals_from(&self, start: &[f64], goal: &Goal, control: &Control) -> Result<Vec<JointValues>> {
        self.with_checker_at(start, |here, checker, start| {
            here.check_start(checker, &start)?;
            let closed_form = || here.closed_form();
            let around = here.goal_context(&closed_form, &start);
            Ok(GoalSet::resolve(&around, checker, goal, FIRST_POSES, control)?.configurations().to_vec())
        })
    }

    /// The result with its path proven, measured and timed, as those of searches are.
    pub(crate) fn timed(
        &self,
        mut result: PlanningResult,
        law: &TimeLawSpec,
        control: &Control,
    ) -> Result<PlannedTrajectory> {
        let start = result.path.positions(0).to_vec();
        self.with_checker_at(&start, |here, checker, _| {
            let (began, before) = (control.elapsed(), checker.checks());
            let mut validity = SceneValidity::new(checker);
            verify::verify_path(&result.path, here.chain().bounds(), &mut validity, &control.with_grace(GRACE_S))?;
            result.path_length = here.metric()?.length(&result.path);
            result.raw_length = result.path_length;
            result.path = result.path.with_identity(identity(here.scene(), here.group(), here.chain()))?;
            result.verification_time = control.elapsed() - began;
            result.checks += checker.checks() - before;
            let trajectory = here.time(&mut result, law, checker, control)?;
            Ok(PlannedTrajectory { trajectory, result })
        })
    }
}
