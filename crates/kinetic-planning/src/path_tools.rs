//! Collision check, simplification and smoothing of paths from any source, in the scene of a planner.

use kinetic_core::error::check_finite;
use kinetic_core::{Control, KineticError, Result, Trajectory};
use kinetic_scene::Checker;

use crate::goal_context::LIMIT_TOLERANCE;
use crate::planner::Planner;
use crate::rounded::round_corners;
use crate::scene_validity::SceneValidity;
use crate::smooth::{Simplified, SimplifyOptions, shortcut_in, simplify_in};
use crate::verify;

/// Each of these proves the path given first and every edge of what it returns, with the scene, the margins and the seed
/// of the planner. `control` ends the work early; its iterations are not counted.
impl Planner {
    /// Proves that a path keeps the margins over its whole length.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`] or [`KineticError::JointLimitViolation`] for a
    /// path that is none of the group; [`KineticError::CollisionDetected`] with the pair that comes too near.
    pub fn check_path(&self, path: &Trajectory) -> Result<()> {
        self.check_path_controlled(path, &Control::default())
    }

    /// As [`check_path`](Self::check_path), ended by `control`.
    ///
    /// # Errors
    /// As [`check_path`](Self::check_path), and [`KineticError::PlanningTimeout`] or [`KineticError::Cancelled`].
    pub fn check_path_controlled(&self, path: &Trajectory, control: &Control) -> Result<()> {
        let mut checker = self.checker_for(path)?;
        let mut validity = SceneValidity::new(&mut checker).with_constraints(self.constraint_set()?);
        validity.obey(control);
        verify::verify_path(path, self.chain().bounds(), &mut validity, control)
    }

    /// Shortens and smooths a path as planning does with what its search found, by the planner's options.
    ///
    /// # Errors
    /// As [`check_path`](Self::check_path).
    pub fn simplify(&self, path: &Trajectory, control: &Control) -> Result<Simplified> {
        let metric = self.metric()?;
        let options = SimplifyOptions::from(self.config());
        let simplified =
            self.reworked(path, control, |validity| simplify_in(&metric.search, path, &options, validity, control))?;
        let (length_before, length) = (metric.length(path), metric.length(&simplified.path));
        Ok(Simplified { length_before, length, ..simplified })
    }

    /// Replaces runs of waypoints by straight edges, and parts of edges by at most `attempts` random shortcuts.
    ///
    /// # Errors
    /// As [`check_path`](Self::check_path).
    pub fn shortcut(&self, path: &Trajectory, attempts: usize, control: &Control) -> Result<Trajectory> {
        let (space, seed) = (self.metric()?.search, self.config().seed);
        self.reworked(path, control, |validity| shortcut_in(&space, path, attempts, seed, validity, control))
    }

    /// Rounds corners by B-splines that stay within `max_deviation` of the path, Euclidean in joint space: see
    /// [`round_corners`].
    ///
    /// # Errors
    /// As [`check_path`](Self::check_path), and [`KineticError::InvalidValue`] for a deviation that is negative or not
    /// finite.
    pub fn smooth_bspline(&self, path: &Trajectory, max_deviation: f64, control: &Control) -> Result<Trajectory> {
        self.reworked(path, control, |validity| round_corners(path, max_deviation, validity, control))
    }

    fn reworked<T>(
        &self,
        path: &Trajectory,
        control: &Control,
        rework: impl FnOnce(&mut SceneValidity<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut checker = self.checker_for(path)?;
        let mut validity = SceneValidity::new(&mut checker).with_constraints(self.constraint_set()?);
        // First, so that a path in collision is refused with the pair; what was proven is remembered.
        validity.obey(control);
        verify::verify_path(path, self.chain().bounds(), &mut validity, control)?;
        rework(&mut validity)
    }

    /// A checker, when every waypoint is a configuration of the group inside its limits.
    fn checker_for(&self, path: &Trajectory) -> Result<Checker> {
        let dof = self.group().dof();
        if path.is_empty() {
            return Err(KineticError::invalid("path", "no waypoints", "at least one"));
        }
        if path.dof() != dof {
            return Err(KineticError::DimensionMismatch {
                context: "waypoints of the path".to_owned(),
                expected: format!("{dof}, as group \"{}\" has joints", self.group().name),
                got: path.dof(),
            });
        }
        for q in path.iter() {
            check_finite("path", q)?;
            self.scene().robot().check_limits(self.group(), q, LIMIT_TOLERANCE)?;
        }
        Ok(self.checker_at(path.positions(0))?.0)
    }
}
