//! Stops of a running trajectory: along its path where the limits allow it, else beside it.

use kinetic_core::curve::Coefficients;
use kinetic_core::error::check_len;
use kinetic_core::{PiecewisePolynomial, Result, TimedTrajectory};

use super::deviation::largest_distance;
use super::path_stop::{PathStops, with_room};
use super::splice::{SPLICED, check_time};
use super::tracker::sample_state;
use super::violations::violations;
use crate::check::{TrajectoryViolation, ViolationKind};
use crate::state::{MotionLimits, MotionState, StateToState};

/// A stop of a running trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// From the moment of the stop to rest.
    pub trajectory: TimedTrajectory,
    /// Largest distance of the stop from the path that the running trajectory has still to go, Euclidean in joint space,
    /// at 500 moments; on the path a bound, which rounding makes. A stop beside the path was not checked for collisions.
    pub deviation: f64,
    /// True when the stop stays on the path.
    pub on_path: bool,
    /// True when jerk stays inside its limits at every instant.
    pub jerk_bounded: bool,
    /// The worst excess over each limit of velocity, acceleration and jerk that the stop cannot hold, joint by joint, with
    /// its time on the stop: where the running trajectory is outside the limits or bound to leave them, no stop holds all.
    /// Empty on the path.
    pub violations: Vec<TrajectoryViolation>,
}

/// Moments at which the deviation of a stop is looked at, and points of the path that it is compared with.
const DEVIATION_SAMPLES: usize = 500;

/// The fastest stop of `running` from its state at `t`, each joint for itself within `limits`.
///
/// For an emergency in which staying on the path would take longer; [`stop_on_path`] stays on it. What is outside the
/// limits, or bound to leave them whatever is done, returns to them as fast as acceleration and jerk allow;
/// [`Stop::violations`] says which joint exceeds what, and by how much.
///
/// # Errors
/// [`KineticError::DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for limits of another number of joints,
/// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) for a time that is not inside the trajectory.
pub fn stop(running: &TimedTrajectory, t: f64, limits: &MotionLimits) -> Result<Stop> {
    let mut planner = StopPlanner::new(running.clone(), limits.clone())?;
    planner.stop(t)?;
    planner.to_stop()
}

/// The stop of `running` from `t` on that stays on its path, within `limits`.
///
/// Where the trajectory holds the limits of jerk itself (`jerk_limited`), the stop does, at every instant: it is made of the earliest
/// changes of the speed that hold all limits on the path that is ahead, and goes on with the trajectory for as long as that
/// leaves no other way. On other trajectories, and where no such stop is found, it brakes with the largest deceleration that the
/// limits of acceleration allow at each point, which is the earliest stop on the path; [`Stop::jerk_bounded`] says which.
///
/// Where no change of speed along the path holds the limits of velocity and acceleration, because the trajectory was made
/// for others, it is the jerk-limited [`stop`], with its distance from the path. [`Stop::on_path`] says which, and
/// [`Stop::violations`] what that stop cannot hold.
///
/// # Errors
/// As [`stop`].
pub fn stop_on_path(running: &TimedTrajectory, t: f64, limits: &MotionLimits) -> Result<Stop> {
    let mut planner = StopPlanner::new(running.clone(), limits.clone())?;
    planner.stop_on_path(t)?;
    planner.to_stop()
}

/// Plans stops of one running trajectory under one set of limits: what [`stop`] and [`stop_on_path`] answer, without
/// allocation, for loops in real time. [`new`](Self::new) reserves memory for stops of 2,000 segments more than the
/// trajectory has pieces; a stop of more is found as well, and allocates.
///
/// ```
/// use kinetic_core::{Limits, Trajectory};
/// use kinetic_trajectory::{MotionLimits, MotionState, jerk_limited, online::StopPlanner};
/// let running = jerk_limited(&Trajectory::from_waypoints(&[[0.0], [2.0]])?, 1.0, 4.0, 40.0)?;
/// let limits = Limits::new(vec![1.0], vec![4.0])?.with_jerk(vec![40.0])?;
/// let mut planner = StopPlanner::new(running, MotionLimits::symmetric(&limits)?)?;
/// let duration = planner.stop_on_path(1.0)?;
/// let mut state = MotionState::at_rest(&[0.0]);
/// planner.sample_into(duration, &mut state);
/// assert!(planner.is_on_path() && state.velocities[0].abs() < 1e-9);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct StopPlanner {
    running: TimedTrajectory,
    planner: StateToState,
    /// Of the running trajectory, where the stop begins.
    state: MotionState,
    path_stops: PathStops,
    curve: PiecewisePolynomial,
    /// Memory of the next curve.
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
    /// Samples of a stop and of the path, row by row.
    samples: [Vec<f64>; 2],
    /// Lengths of the path up to each sample.
    lengths: Vec<f64>,
    violations: Vec<TrajectoryViolation>,
    deviation: f64,
    on_path: bool,
}

impl StopPlanner {
    /// A planner of stops of `running` within `limits`; its stop is one of duration 0 where the trajectory begins, until it
    /// has planned.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for limits of another number of
    /// joints.
    pub fn new(running: TimedTrajectory, limits: MotionLimits) -> Result<Self> {
        let dof = running.dof();
        check_len("limits", limits.dof(), dof)?;
        let mut state = MotionState::at_rest(&vec![0.0; dof]);
        sample_state(&running, 0.0, &mut state);
        let mut planner = StateToState::new(limits);
        // Every knot of the motions of all joints.
        let knots = planner.most_knots();
        planner.plan_stop(&MotionState::at_rest(&state.positions))?;
        let mut curve = with_room(dof, knots)?;
        let (mut knots, mut coefficients) = (Vec::with_capacity(knots), Vec::with_capacity(knots * dof));
        planner.write_curve(&mut knots, &mut coefficients);
        curve.exchange(&mut knots, &mut coefficients)?;
        let samples = [(); 2].map(|()| vec![0.0; (DEVIATION_SAMPLES + 1) * dof]);
        let violations = Vec::with_capacity(3 * dof);
        let path_stops = PathStops::new(running.curve(), planner.limits())?;
        let (deviation, on_path) = (0.0, false);
        Ok(Self {
            running,
            planner,
            state,
            path_stops,
            curve,
            knots,
            coefficients,
            samples,
            lengths: Vec::with_capacity(DEVIATION_SAMPLES + 1),
            violations,
            deviation,
            on_path,
        })
    }

    /// The same planner with jerk left free in stops on the path, which are then the earliest.
    #[must_use]
    pub fn without_jerk_limits(mut self) -> Self {
        self.path_stops.clear_jerk_limits();
        self
    }

    /// Plans the fastest stop from `t` on, each joint for itself, as [`stop`]; answers with its duration, s.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) for a time that is not inside the trajectory.
    pub fn stop(&mut self, t: f64) -> Result<f64> {
        self.set_state(t)?;
        self.planner.plan_stop(&self.state)?;
        self.planner.write_curve(&mut self.knots, &mut self.coefficients);
        self.curve.exchange(&mut self.knots, &mut self.coefficients)?;
        self.deviation = self.distance_from_path(t);
        self.on_path = false;
        self.violations.clear();
        self.violations.extend(violations(&self.curve, self.planner.limits()));
        Ok(self.curve.duration())
    }

    /// Plans the stop from `t` on that leaves the path last, as [`stop_on_path`]; answers with its duration, s.
    ///
    /// # Errors
    /// As [`stop`](Self::stop).
    pub fn stop_on_path(&mut self, t: f64) -> Result<f64> {
        self.set_state(t)?;
        if !self.path_stops.plan(self.running.curve(), t, &self.state, self.planner.limits())? {
            return self.stop(t);
        }
        self.deviation = self.path_stops.deviation;
        self.on_path = true;
        self.violations.clear();
        Ok(self.curve().duration())
    }

    fn set_state(&mut self, t: f64) -> Result<()> {
        check_time(&self.running, t)?;
        sample_state(&self.running, t, &mut self.state);
        Ok(())
    }

    /// Largest distance of the stop from the chords of the path that the running trajectory goes from `t` on while the stop
    /// could last.
    fn distance_from_path(&mut self, t: f64) -> f64 {
        let (curve, running) = (&self.curve, self.running.curve());
        let [stop, path] = &mut self.samples;
        sample(running, [t, running.duration().min(t + curve.duration())], path);
        sample(curve, [0.0, curve.duration()], stop);
        largest_distance([stop, path], running.dof(), &mut self.lengths)
    }

    /// The last stop, from its beginning to rest.
    pub fn curve(&self) -> &PiecewisePolynomial {
        if self.on_path { &self.path_stops.curve } else { &self.curve }
    }

    /// State of the last stop after `t` seconds, clamped to its duration, into `state`, which must have as many joints.
    pub fn sample_into(&self, t: f64, state: &mut MotionState) {
        let rows = [&mut state.positions, &mut state.velocities, &mut state.accelerations];
        for (order, row) in rows.into_iter().enumerate() {
            self.curve().sample_into(t, order, row);
        }
    }

    /// [`Stop::deviation`] of the last stop.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// [`Stop::on_path`] of the last stop.
    pub fn is_on_path(&self) -> bool {
        self.on_path
    }

    /// [`Stop::jerk_bounded`] of the last stop.
    pub fn is_jerk_bounded(&self) -> bool {
        if self.on_path {
            return self.path_stops.is_jerk_bounded;
        }
        self.violations.iter().all(|found| found.kind != ViolationKind::Jerk)
    }

    /// [`Stop::violations`] of the last stop.
    pub fn violations(&self) -> &[TrajectoryViolation] {
        &self.violations
    }

    /// The last stop as a value of its own; this allocates.
    ///
    /// # Errors
    /// Those of a trajectory that cannot be made; none is known.
    pub fn to_stop(&self) -> Result<Stop> {
        let curve = self.curve().clone();
        let times = if curve.duration() > 0.0 { vec![0.0, curve.duration()] } else { vec![0.0] };
        let trajectory = TimedTrajectory::new(curve, times, 0.0, SPLICED)?;
        let trajectory = trajectory.with_shared_identity(self.running.identity().cloned());
        let (deviation, on_path, jerk_bounded) = (self.deviation, self.on_path, self.is_jerk_bounded());
        Ok(Stop { trajectory, deviation, on_path, jerk_bounded, violations: self.violations.clone() })
    }
}

/// Positions at evenly spaced moments, row by row.
fn sample(curve: &PiecewisePolynomial, [from, to]: [f64; 2], rows: &mut [f64]) {
    for (moment, row) in rows.chunks_exact_mut(curve.dof()).enumerate() {
        curve.sample_into(from + (to - from) * moment as f64 / DEVIATION_SAMPLES as f64, 0, row);
    }
}
