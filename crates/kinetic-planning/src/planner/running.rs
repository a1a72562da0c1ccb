//! Motions under way: what is left of one in a changed scene, and another one in its place.

use kinetic_core::{Control, KineticError, Result, TimedTrajectory};
use kinetic_trajectory::jerk::DEFAULT_JERK_PER_ACCELERATION;
use kinetic_trajectory::{MotionLimits, online, remaining};

use super::Planner;

/// Moments of the next trajectory, besides its beginning, at which a splice into it may join.
const JOINS: u32 = 8;

impl Planner {
    /// A certified trajectory from the state of `running` at `now` to the end of `next`: `running` for `latency` seconds more,
    /// the fastest motion within this planner's limits to the state in which `next` begins, and `next`, as
    /// [`online::splice`]. All of it is proven in the scene as it is now, as by
    /// [`certify`](Self::certify): the connection, which lies on neither path, and what is left of both.
    ///
    /// Times on the answer count from `now`. Limits of jerk that the robot does not state are those of
    /// [`DEFAULT_JERK_PER_ACCELERATION`].
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetic_core::{Control, Goal};
    /// use kinetic_planning::Planner;
    /// use kinetic_robot::Robot;
    ///
    /// let planner = Planner::new(&Arc::new(Robot::from_name("ur5e")?))?;
    /// let (home, ready) = ([0.0, -1.57, 0.0, -1.57, 0.0, 0.0], Goal::named("ready"));
    /// let running = planner.plan_timed(&home, &ready, "totp")?.trajectory;
    /// let back = planner.plan_timed(&running.curve().sample(running.duration() / 2.0, 0), &Goal::joints(home), "totp")?;
    /// let spliced = planner.splice(&running, 0.2, 0.02, &back.trajectory, &Control::default())?;
    /// assert!(spliced.certificate().is_some());
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// [`TrajectoryInCollision`](KineticError::TrajectoryInCollision) with time, pair, distance and margin;
    /// [`TrajectoryLimitExceeded`](KineticError::TrajectoryLimitExceeded) where the connection leaves a joint range; those of
    /// `online::splice`, and of trajectories of other joints; what [`Control::error`] says when `control` ends the work.
    pub fn splice(
        &self,
        running: &TimedTrajectory,
        now: f64,
        latency: f64,
        next: &TimedTrajectory,
        control: &Control,
    ) -> Result<TimedTrajectory> {
        self.certify(&online::splice(running, now, latency, next, &self.motion_limits()?)?, control)
    }

    /// As [`splice`](Self::splice), into `next` where that is quickest: at one of a few moments of the time in which the robot could
    /// stop and accelerate again. Where `next` begins at rest, the robot need not come to rest for it.
    ///
    /// # Errors
    /// As [`splice`](Self::splice), of the quickest of these motions where none is proven.
    pub fn splice_into(
        &self,
        running: &TimedTrajectory,
        now: f64,
        latency: f64,
        next: &TimedTrajectory,
        control: &Control,
    ) -> Result<TimedTrajectory> {
        let limits = self.motion_limits()?;
        let leaving = running.curve().sample((now + latency).min(running.duration()), 1);
        let turning = leaving.iter().zip(limits.axes()).map(|(v, axis)| 2.0 * v.abs() / axis.acceleration[1]);
        let horizon = turning.fold(0.0, f64::max).min(next.duration());
        let joined = |join: u32| {
            let rest = remaining(next, horizon * f64::from(join) / f64::from(JOINS))?;
            online::splice(running, now, latency, &rest, &limits)
        };
        let (mut candidates, mut refused) = (Vec::new(), None);
        for join in 0..=JOINS {
            match joined(join) {
                Ok(candidate) => candidates.push(candidate),
                Err(error) => _ = refused.get_or_insert(error),
            }
        }
        candidates.sort_by(|a, b| a.duration().total_cmp(&b.duration()));
        let mut first = None;
        for candidate in &candidates {
            match self.certify(candidate, control) {
                Ok(spliced) => return Ok(spliced),
                Err(error) => _ = first.get_or_insert(error),
            }
            control.check(0)?;
        }
        Err(first.or(refused).unwrap_or_else(|| control.error(0)))
    }

    /// Proves what is left of a running trajectory from `from` seconds on, in the scene as it is now: that every pair keeps
    /// its margin at every instant. Joint limits do not depend on the scene and are not looked at again.
    ///
    /// # Errors
    /// [`TrajectoryInCollision`](KineticError::TrajectoryInCollision) with the pair, distance, margin and the first time, on
    /// `running`, at which the margin is missed; [`InvalidValue`](KineticError::InvalidValue) for a time outside the
    /// trajectory, and [`DimensionMismatch`](KineticError::DimensionMismatch); what [`Control::error`] says when `control` ends
    /// the work.
    pub fn check_remaining(&self, running: &TimedTrajectory, from: f64, control: &Control) -> Result<()> {
        let context = format!("trajectory of group \"{}\"", self.group().name);
        kinetic_core::error::check_len(&context, running.dof(), self.group().dof())?;
        let (rest, limits, now) = (remaining(running, from)?, self.limits()?, self.now()?);
        let (mut checker, _) = now.checker_at(&rest.curve().sample(0.0, 0))?;
        control.check(0)?;
        checker.obey(Some(control));
        let checked = now.verifier(&limits, (None, None), control).check_contact(rest.curve(), &mut checker);
        checker.obey(None);
        checked.map_err(|error| match error {
            KineticError::TrajectoryInCollision { time, link, other, distance, margin } => {
                KineticError::TrajectoryInCollision { time: from + time, link, other, distance, margin }
            }
            other => other,
        })
    }

    /// The limits of this planner with those of jerk.
    fn motion_limits(&self) -> Result<MotionLimits> {
        let limits = self.limits()?;
        let default = || limits.acceleration.iter().map(|limit| DEFAULT_JERK_PER_ACCELERATION * limit).collect();
        let jerk = limits.jerk.clone().unwrap_or_else(default);
        MotionLimits::symmetric(&limits.with_jerk(jerk)?)
    }
}
