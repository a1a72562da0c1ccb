//! Following a target that moves.

use kinetic_core::{KineticError, Result, TimedTrajectory};

use crate::state::{MotionLimits, MotionOptions, MotionState, StateToState, check_positions};

/// State of a trajectory at `t` seconds, clamped to its duration, into `state`, which must have as many joints. Nothing is
/// allocated.
pub fn sample_state(trajectory: &TimedTrajectory, t: f64, state: &mut MotionState) {
    let curve = trajectory.curve();
    curve.sample_into(t, 0, &mut state.positions);
    curve.sample_into(t, 1, &mut state.velocities);
    curve.sample_into(t, 2, &mut state.accelerations);
}

/// Steers joints to a target state that may change every cycle, each cycle along the fastest motion from where they are.
///
/// Every limit holds between cycles as well; nothing is allocated after [`new`](Self::new). Joints arrive together.
///
/// ```
/// use kinetic_trajectory::online::Tracker;
/// use kinetic_trajectory::state::{AxisLimits, MotionLimits, MotionState};
/// let limits = MotionLimits::new(vec![AxisLimits::symmetric(1.0, 4.0, 40.0)])?;
/// let mut tracker = Tracker::new(limits, MotionState::at_rest(&[0.0]), 0.002)?;
/// let target = MotionState::at_rest(&[0.5]);
/// for _ in 0..1000 {
///     tracker.step(&target)?;
/// }
/// assert!((tracker.state().positions[0] - 0.5).abs() < 1e-9);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tracker {
    planner: StateToState,
    state: MotionState,
    next: MotionState,
    /// Range of each joint for velocity control; infinite where there is none.
    positions: Vec<[f64; 2]>,
    period: f64,
}

impl Tracker {
    /// A tracker that is at `state` and steps by `period` seconds.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for a period
    /// that is not positive and finite.
    pub fn new(limits: MotionLimits, state: MotionState, period: f64) -> Result<Self> {
        if !(period > 0.0 && period.is_finite()) {
            return Err(KineticError::invalid("period", period, "a positive finite time"));
        }
        let planner = StateToState::new(limits);
        planner.check_start(&state)?;
        let positions = vec![[f64::NEG_INFINITY, f64::INFINITY]; state.dof()];
        Ok(Self { planner, next: state.clone(), state, positions, period })
    }

    /// Sets the lowest and the highest position of every joint, which [`step_velocity`](Self::step_velocity) keeps; infinite where
    /// there is none, as in the beginning.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], or [`KineticError::InvalidValue`] for a range that is empty or not a number,
    /// naming the joint.
    pub fn set_position_limits(&mut self, positions: &[[f64; 2]]) -> Result<()> {
        check_positions(positions, self.state.dof())?;
        self.positions.copy_from_slice(positions);
        Ok(())
    }

    /// Where the joints are.
    pub fn state(&self) -> &MotionState {
        &self.state
    }

    /// Time to the target from where the joints were before the last step, s.
    pub fn time_to_target(&self) -> f64 {
        self.planner.duration()
    }

    /// Moves for one period towards `target`; answers with the new state.
    ///
    /// # Errors
    /// As [`StateToState::plan`]; the state is then as before.
    pub fn step(&mut self, target: &MotionState) -> Result<&MotionState> {
        self.planner.plan(&self.state, target, &MotionOptions::default())?;
        self.planner.sample_into(self.period, &mut self.next);
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(&self.state)
    }

    /// Moves for one period towards `velocities`, as fast as limits allow and each joint for itself; answers with the new
    /// state. A joint comes to rest at the end of its [position limits](Self::set_position_limits).
    ///
    /// # Errors
    /// As [`StateToState::plan_velocity`]; the state is then as before.
    pub fn step_velocity(&mut self, velocities: &[f64]) -> Result<&MotionState> {
        self.planner.plan_velocity(&self.state, velocities, &self.positions)?;
        self.planner.sample_into(self.period, &mut self.next);
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(&self.state)
    }

    /// Moves for one period towards rest, as fast as limits allow; answers with the new state.
    ///
    /// # Errors
    /// As [`StateToState::plan_stop`].
    pub fn step_to_rest(&mut self) -> Result<&MotionState> {
        self.planner.plan_stop(&self.state)?;
        self.planner.sample_into(self.period, &mut self.next);
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(&self.state)
    }
}
