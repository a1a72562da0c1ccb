//! A trajectory played at a speed that may change at any moment.

use kinetic_core::curve::{evaluate, extremes};
use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result, TimedTrajectory};

use super::clock::{AccelerationRange, Clock, ClockSegment, Track};
use super::smooth_rate::SmoothRate;
use crate::check::RELATIVE_TOLERANCE;
use crate::per_joint::PerJoint;
use crate::state::{AxisLimits, MotionState};
use crate::tolerance::LIMIT_RESERVE;

/// Plays a trajectory with a speed override from 0 (stop) to 1 (as planned), cycle by cycle, always on its path.
///
/// The override re-times the motion: the robot is always where the trajectory is at [`time`](Self::time), whose rate goes
/// to the override as fast as the acceleration limits allow and never overshoots it. Velocities stay below those of the
/// trajectory, accelerations inside the limits at every instant; where the trajectory itself brakes with all it has, the
/// rate waits. Acceleration may then step by twice its limit when the override changes;
/// [`with_jerk_limits`](Self::with_jerk_limits) bounds jerk as well. Nothing is allocated after [`new`](Self::new).
///
/// ```
/// use kinetic_core::Trajectory;
/// use kinetic_trajectory::{online::Playback, trapezoidal};
/// let path = Trajectory::from_waypoints(&[[0.0, 0.0], [2.0, 1.0]])?;
/// let mut playback = Playback::new(trapezoidal(&path, 1.0, 4.0)?, 4.0)?;
/// for _ in 0..500 {
///     playback.step(0.002)?;
/// }
/// playback.set_override(0.5)?;
/// playback.step(0.25)?;
/// assert_eq!(playback.rate(), 0.5);
/// assert!((playback.state().velocities[0] - 0.5).abs() < 1e-6);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Playback {
    trajectory: TimedTrajectory,
    accelerations: Vec<AccelerationRange>,
    clock: Clock,
    /// How the rate changes under jerk limits; `None` without.
    smooth: Option<SmoothRate>,
    target: f64,
    state: MotionState,
}

impl Playback {
    /// A playback that begins at full speed with the beginning of `trajectory`, which must hold the acceleration limits
    /// (one number, or one per joint; rad/s², m/s²) itself.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], or [`KineticError::InvalidValue`] naming the joint for a limit that is not
    /// positive and finite, or that the trajectory exceeds.
    pub fn new(trajectory: TimedTrajectory, acceleration_limits: impl Into<PerJoint>) -> Result<Self> {
        let limits = acceleration_limits.into().expand("acceleration limit", trajectory.dof())?;
        for (joint, limit) in limits.iter().enumerate() {
            let largest = largest_acceleration(&trajectory, joint, *limit);
            if !(largest <= limit * (1.0 + 2.0 * RELATIVE_TOLERANCE)) {
                let wanted = format!("at most the limit {limit}");
                return Err(KineticError::invalid(format!("acceleration of joint {joint}"), largest, wanted));
            }
        }
        let accelerations =
            limits.iter().map(|limit| limit * (1.0 - LIMIT_RESERVE)).map(|limit| [-limit, limit]).collect();
        let mut state = MotionState::at_rest(&vec![0.0; trajectory.dof()]);
        super::sample_state(&trajectory, 0.0, &mut state);
        let clock = Clock { time: 0.0, rate: 1.0 };
        Ok(Self { trajectory, accelerations, clock, smooth: None, target: 1.0, state })
    }

    /// The same playback at `time` on its trajectory, s, and at `rate`, 0 to 1: what takes over from another playback.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a time outside the trajectory, or another rate.
    pub fn starting_at(mut self, time: f64, rate: f64) -> Result<Self> {
        super::splice::check_time(&self.trajectory, time)?;
        if !(0.0..=1.0).contains(&rate) {
            return Err(KineticError::invalid("rate", rate, "a number from 0 to 1"));
        }
        (self.clock, self.target) = (Clock { time, rate }, rate);
        self.place(self.trajectory.curve().locate(time), 0.0);
        Ok(self)
    }

    /// The same playback with bounded jerk too (one number, or one per joint; rad/s³, m/s³): acceleration is continuous, and
    /// jerk inside these limits at every instant, whenever the override changes.
    ///
    /// Every cycle looks for the earliest change of the rate to the override that holds the limits to its end on the trajectory
    /// that is ahead, at every instant; until there is one the rate stays as it is, which always holds them. A search is bounded, and
    /// goes on in the next cycle where it is not over. Where the
    /// trajectory uses all of a limit, brakes for example, a change waits until that is over.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], or [`KineticError::InvalidValue`] naming joint and quantity for a limit that is
    /// not positive and finite, a trajectory whose acceleration steps, or whose jerk is above its limit.
    ///
    /// ```
    /// use kinetic_core::Trajectory;
    /// use kinetic_trajectory::{jerk_limited, online::Playback};
    /// let path = Trajectory::from_waypoints(&[[0.0, 0.0], [2.0, 1.0]])?;
    /// let timed = jerk_limited(&path, 1.0, 4.0, 40.0)?;
    /// let mut playback = Playback::new(timed, 4.0)?.with_jerk_limits(40.0)?;
    /// playback.set_override(0.0)?;
    /// for _ in 0..2000 {
    ///     playback.step(0.001)?;
    /// }
    /// assert_eq!(playback.rate(), 0.0);
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    pub fn with_jerk_limits(mut self, jerk_limits: impl Into<PerJoint>) -> Result<Self> {
        let jerks = jerk_limits.into().expand("jerk limit", self.trajectory.dof())?;
        let velocity = [f64::NEG_INFINITY, f64::INFINITY];
        let axis = |(acceleration, jerk): (&AccelerationRange, f64)| AxisLimits {
            velocity,
            acceleration: *acceleration,
            jerk: [-jerk, jerk],
        };
        let limits = self.accelerations.iter().zip(jerks).map(axis).collect();
        self.smooth = Some(SmoothRate::new(self.trajectory.curve(), limits)?);
        Ok(self)
    }

    /// Leaves jerk free from now on: the rate goes to the override as fast as the limits of acceleration allow, which is the
    /// earliest stop on the path.
    pub fn clear_jerk_limits(&mut self) {
        self.smooth = None;
    }

    /// Sets the speed that is wanted from now on, 0 to 1; 0 is a stop on the path, which can be left again.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a number outside 0 to 1.
    pub fn set_override(&mut self, speed: f64) -> Result<()> {
        if !(0.0..=1.0).contains(&speed) {
            return Err(KineticError::invalid("speed override", speed, "a number from 0 to 1"));
        }
        self.target = speed;
        Ok(())
    }

    /// Lets `period` seconds pass; answers with the state at their end.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for a period that is not positive.
    pub fn step(&mut self, period: f64) -> Result<&MotionState> {
        if !(period > 0.0 && period.is_finite()) {
            check_finite("period", &[period])?;
            return Err(KineticError::invalid("period", period, "a positive time"));
        }
        if let Some(smooth) = &mut self.smooth {
            smooth.advance(self.trajectory.curve(), &mut self.clock, self.target, period);
            let change = smooth.change;
            self.place(self.trajectory.curve().locate(self.clock.time), change);
            return Ok(&self.state);
        }
        let track = Track { curve: self.trajectory.curve(), accelerations: &self.accelerations, is_within: true };
        let mut last: Option<ClockSegment> = None;
        track.advance(&mut self.clock, self.target, period, &mut |segment| last = Some(*segment));
        self.place_after(last.as_ref());
        Ok(&self.state)
    }

    /// The state at the end of a segment; at rest where the clock did not move.
    fn place_after(&mut self, last: Option<&ClockSegment>) {
        let curve = self.trajectory.curve();
        if let Some(segment) = last {
            // At a knot the piece that was left says the state, as for a trajectory that ends there.
            let stands = self.clock.rate == 0.0 && self.target == 0.0;
            let place = (segment.piece, self.clock.time - curve.knots()[segment.piece]);
            self.place(place, if stands { 0.0 } else { segment.change });
        } else {
            self.place(curve.locate(self.clock.time), 0.0);
            self.state.velocities.fill(0.0);
            self.state.accelerations.fill(0.0);
        }
    }

    /// The state at a place of a piece, at the clock's rate and while that changes by `change` per second.
    fn place(&mut self, (piece, offset): (usize, f64), change: f64) {
        let (curve, rate) = (self.trajectory.curve(), self.clock.rate);
        for joint in 0..curve.dof() {
            let row = curve.coefficients(piece, joint);
            let [position, velocity, acceleration] = [0, 1, 2].map(|order| evaluate(row, order, offset));
            self.state.positions[joint] = position;
            self.state.velocities[joint] = velocity * rate;
            self.state.accelerations[joint] = acceleration * rate * rate + velocity * change;
        }
    }

    /// Where the joints are, and how fast.
    pub fn state(&self) -> &MotionState {
        &self.state
    }

    /// Time on the trajectory, s.
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    /// Seconds of the trajectory per second now.
    pub fn rate(&self) -> f64 {
        self.clock.rate
    }

    /// True while a change of the rate with bounded jerk is under way.
    pub fn is_changing_rate(&self) -> bool {
        self.smooth.as_ref().is_some_and(|smooth| smooth.change != 0.0)
    }

    /// The speed that is wanted.
    pub fn speed_override(&self) -> f64 {
        self.target
    }

    /// True when the end is reached.
    pub fn is_finished(&self) -> bool {
        self.clock.time >= self.trajectory.duration()
    }

    /// The trajectory.
    pub fn trajectory(&self) -> &TimedTrajectory {
        &self.trajectory
    }
}

/// Largest absolute acceleration of a joint, to a small part of its limit.
fn largest_acceleration(trajectory: &TimedTrajectory, joint: usize, limit: f64) -> f64 {
    let curve = trajectory.curve();
    let bound = |piece: usize| {
        let row = curve.coefficients(piece, joint);
        let range = extremes(row, 2, 0.0, curve.piece_duration(piece), RELATIVE_TOLERANCE * limit);
        range.high.max(-range.low)
    };
    (0..curve.pieces()).map(bound).fold(0.0, f64::max)
}
