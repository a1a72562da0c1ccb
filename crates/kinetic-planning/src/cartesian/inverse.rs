//! Configurations along a tool path, by the ladder of inverse kinematics in the scene, and how far they go.

use kinetic_core::{Control, JointValues, KineticError, Pose, Result};
use kinetic_ik::analytic::Manipulator;
use kinetic_ik::path::tool_path::METRES_PER_RADIAN;
use kinetic_ik::{FreedPath, IKPath, Obstacle, PathOptions, solve_ik_path, solve_ik_path_where};
use kinetic_kinematics::KinematicChain;
use kinetic_scene::Checker;

use super::config::CartesianConfig;

/// Halvings of the last step, to find where a path ends.
const MOST_END_HALVINGS: usize = 8;

/// What follows a path from a start.
pub(crate) struct PathInverse<'a> {
    pub(crate) closed_form: Option<&'a Manipulator>,
    pub(crate) chain: &'a KinematicChain,
    pub(crate) path: &'a FreedPath<'a>,
    pub(crate) start: &'a [f64],
    pub(crate) config: &'a CartesianConfig,
    pub(crate) seed: u64,
    pub(crate) control: &'a Control,
    /// How many times closer than at first the samples are. Joints move as much less from one to the next: a jump along the
    /// self-motion is one, however close the samples.
    pub(crate) finer: f64,
    /// Whether the end is looked for between arc lengths, where a path cannot be followed.
    pub(crate) is_exact: bool,
}

/// How far a path is followed.
pub(crate) struct Reached {
    /// Where it ends, m.
    pub(crate) end: f64,
    /// What is in the way there.
    pub(crate) obstacle: Obstacle,
    /// The configuration there.
    pub(crate) at: Vec<f64>,
}

impl PathInverse<'_> {
    /// Configurations at `arc_lengths`, of which the first is that of the start; or how far they go.
    ///
    /// # Errors
    /// What the control says.
    pub(crate) fn follow(
        &self,
        arc_lengths: &[f64],
        checker: &mut Checker,
    ) -> Result<std::result::Result<Vec<f64>, Reached>> {
        let found = self.solve(self.start, &arc_lengths[1..], checker)?;
        let Some(obstacle) = found.obstacles.first() else {
            return Ok(Ok(self.start.iter().chain(&found.q).copied().collect()));
        };
        let reached = obstacle.index();
        if !self.is_exact {
            let before = reached.checked_sub(1).and_then(|before| found.configuration(before));
            let at = before.unwrap_or(self.start).to_vec();
            return Ok(Err(Reached { end: arc_lengths[reached], obstacle: obstacle.clone(), at }));
        }
        // Up to the obstacle there is a path without one, which need not be the one that is best with it.
        let before = if reached == 0 {
            self.start.to_vec()
        } else {
            let part = self.solve(self.start, &arc_lengths[1..=reached], checker)?;
            part.configuration(reached - 1).unwrap_or(self.start).to_vec()
        };
        Ok(Err(self.refined([arc_lengths[reached], arc_lengths[reached + 1]], before, obstacle.clone(), checker)?))
    }

    /// The end of a path between an arc length that is reached and one that is not.
    fn refined(
        &self,
        [mut from, mut to]: [f64; 2],
        mut before: Vec<f64>,
        mut obstacle: Obstacle,
        checker: &mut Checker,
    ) -> Result<Reached> {
        for _ in 0..MOST_END_HALVINGS {
            let middle = f64::midpoint(from, to);
            let mut found = self.solve(&before, &[middle], checker)?;
            match (found.obstacles.pop(), found.configuration(0)) {
                (None, Some(q)) => (from, before) = (middle, q.to_vec()),
                (Some(nearer), _) => (to, obstacle) = (middle, nearer),
                (None, None) => break,
            }
        }
        Ok(Reached { end: from, obstacle, at: before })
    }

    fn solve(&self, start: &[f64], arc_lengths: &[f64], checker: &mut Checker) -> Result<IKPath> {
        let poses: Vec<Pose> = arc_lengths.iter().map(|arc_length| self.path.pose_at(*arc_length)).collect();
        let step = |joint: usize| {
            let threshold = self.config.jump_threshold / self.finer;
            threshold * if self.chain.is_rotation(joint) { 1.0 } else { METRES_PER_RADIAN }
        };
        let options = PathOptions {
            start: Some(JointValues::from(start)),
            max_joint_step: Some((0..self.chain.dof()).map(step).collect()),
            ends_at_obstacle: true,
            rng_seed: self.seed,
            stop: self.control.stop_flag(),
            ..PathOptions::default()
        };
        let found = if self.config.avoid_collisions {
            solve_ik_path_where(self.closed_form, self.chain, &poses, &options, checker)
        } else {
            solve_ik_path(self.closed_form, self.chain, &poses, &options)
        };
        self.control.check(0)?;
        found.map_err(|error| match error {
            KineticError::IKTimeout { .. } => self.control.error(0),
            other => other,
        })
    }
}
