//! Synchronisation of all joints of a state-to-state motion.

mod line;

use kinetic_core::curve::Coefficients;
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, PiecewisePolynomial, Result, TimedTrajectory};

use super::axis::{AxisState, MAX_PHASES, Phases};
use super::limits::{MotionLimits, TARGET_ROUNDING_RATIO, check_range};
use super::motion_state::MotionState;
use super::reachable_set::ReachableSet;
use super::rest::Rest;
use super::velocity::write_velocity_motion;
use super::velocity_change::write_velocity_change;
use line::Line;

/// The law of a trajectory from one state to another.
pub const STATE_TO_STATE: &str = "state_to_state";

/// How joints arrive together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronization {
    /// At the same time, each by its own law: the shortest duration.
    #[default]
    Time,
    /// In step on the straight line between start and target, on which velocities and accelerations must lie too.
    Phase,
}

impl Synchronization {
    /// By its name, "time" or "phase".
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with both names.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "time" => Ok(Self::Time),
            "phase" => Ok(Self::Phase),
            _ => Err(KineticError::unknown_name("synchronization", name, ["time", "phase"])),
        }
    }
}

/// What is asked beyond the states.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MotionOptions {
    /// How joints arrive together.
    pub synchronization: Synchronization,
    /// The motion takes at least this long, s.
    pub minimum_duration: f64,
}

/// A planner of motions between states, for one set of limits. Planning and sampling allocate nothing.
///
/// ```
/// use kinetic_trajectory::state::{AxisLimits, MotionLimits, MotionOptions, MotionState, StateToState};
/// let limits = MotionLimits::new(vec![AxisLimits::symmetric(1.0, 2.0, 8.0); 2])?;
/// let mut planner = StateToState::new(limits);
/// let (start, goal) = (MotionState::at_rest(&[0.0, 0.0]), MotionState::at_rest(&[1.0, -0.2]));
/// let duration = planner.plan(&start, &goal, &MotionOptions::default())?;
/// // 1 rad at 1 rad/s, 0.5 s to get there, and 0.25 s for the ramps of acceleration.
/// assert!((duration - 1.75).abs() < 1e-12);
/// let mut state = start.clone();
/// planner.sample_into(duration, &mut state);
/// assert!((state.positions[1] + 0.2).abs() < 1e-12);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct StateToState {
    limits: MotionLimits,
    /// The ways of joints that begin and end at rest, and of the others.
    rests: Vec<Option<Rest>>,
    reachable_sets: Vec<Option<ReachableSet>>,
    motions: Vec<Phases>,
    duration: f64,
}

impl StateToState {
    /// A planner for these limits; it holds still at 0 until it has planned.
    pub fn new(limits: MotionLimits) -> Self {
        let dof = limits.dof();
        let motions = vec![Phases::at(AxisState::default()); dof];
        Self { limits, rests: vec![None; dof], reachable_sets: vec![None; dof], motions, duration: 0.0 }
    }

    /// The limits.
    pub fn limits(&self) -> &MotionLimits {
        &self.limits
    }

    /// Plans from `start` to `target`; answers with the duration, s.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for a target
    /// outside the limits (naming joint and quantity), a minimum duration that is negative or not finite, or states
    /// that are not on one line where the motion is to be.
    pub fn plan(&mut self, start: &MotionState, target: &MotionState, options: &MotionOptions) -> Result<f64> {
        start.check("start", self.limits.dof())?;
        self.check_target(target)?;
        let least = options.minimum_duration;
        if !(least >= 0.0 && least.is_finite()) {
            return Err(KineticError::invalid("minimum_duration", least, "a finite number of at least 0"));
        }
        match options.synchronization {
            Synchronization::Time => self.plan_in_time(start, target, least),
            Synchronization::Phase => self.plan_in_phase(start, target, least),
        }
    }

    /// Refuses a start that [`plan`](Self::plan) would refuse.
    pub(crate) fn check_start(&self, start: &MotionState) -> Result<()> {
        start.check("start", self.limits.dof())
    }

    fn plan_in_time(&mut self, start: &MotionState, target: &MotionState, least: f64) -> Result<f64> {
        let duration = self.common_duration(start, target, least);
        check_duration(duration)?;
        for (joint, motion) in self.motions.iter_mut().enumerate() {
            match (&self.rests[joint], &self.reachable_sets[joint]) {
                (Some(rest), _) => rest.write(duration, motion),
                (None, Some(reachable)) => reachable.write(duration, motion),
                (None, None) => {}
            }
        }
        self.duration = duration;
        Ok(duration)
    }

    /// Sets up the ways of all joints; answers with the shortest duration of at least `least` that is possible for all.
    fn common_duration(&mut self, start: &MotionState, target: &MotionState, least: f64) -> f64 {
        let mut duration = least;
        let (mut slowest, mut longest) = (None, f64::NEG_INFINITY);
        for (joint, limits) in self.limits.axes().iter().enumerate() {
            let (start, target) = (start.axis(joint), target.axis(joint));
            self.rests[joint] = Rest::between(&start, &target, limits);
            if let Some(rest) = &self.rests[joint] {
                duration = duration.max(rest.duration());
                continue;
            }
            let reachable = self.reachable_sets[joint].insert(ReachableSet::new(&start, &target, limits));
            let estimate = reachable.estimate(limits);
            if estimate > longest {
                (slowest, longest) = (Some(joint), estimate);
            }
        }
        // The slowest joint first: the others are then asked whether its time is possible, which is quicker than to find theirs.
        if let Some(reachable) = slowest.and_then(|joint| self.reachable_sets[joint].as_ref()) {
            duration = reachable.next_duration(duration);
        }
        let moving = || {
            self.rests
                .iter()
                .zip(&self.reachable_sets)
                .filter_map(|(rest, reachable)| rest.map_or(reachable.as_ref(), |_| None))
        };
        // Until no joint is in a blocked interval; each round leaves at least one behind.
        for _ in 0..=2 * self.reachable_sets.len() {
            let longer = moving().fold(duration, |longest, reachable| reachable.next_duration(longest));
            if longer == duration {
                break;
            }
            duration = longer;
        }
        duration
    }

    fn plan_in_phase(&mut self, start: &MotionState, target: &MotionState, least: f64) -> Result<f64> {
        let line = Line::through(start, target)?;
        let limits = line.limits(&self.limits);
        let reachable = ReachableSet::new(&line.along(start, start), &line.along(target, start), &limits);
        let duration = reachable.next_duration(least);
        check_duration(duration)?;
        let mut motion = Phases::at(AxisState::default());
        reachable.write(duration, &mut motion);
        for (joint, phases) in self.motions.iter_mut().enumerate() {
            let part = line.direction[joint];
            let along = motion.iter().next().map_or(motion.end(), |(_, _, state)| state);
            *phases = Phases::at(AxisState {
                position: start.positions[joint],
                velocity: part * along.velocity,
                acceleration: part * along.acceleration,
            });
            motion.iter().for_each(|(duration, jerk, _)| phases.push(duration, part * jerk));
        }
        self.duration = duration;
        Ok(duration)
    }

    /// Plans the fastest way to rest, each joint for itself and wherever that is; answers with the longest duration.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn plan_stop(&mut self, start: &MotionState) -> Result<f64> {
        start.check("start", self.limits.dof())?;
        self.duration = 0.0;
        for (joint, limits) in self.limits.axes().iter().enumerate() {
            write_velocity_change(&start.axis(joint), 0.0, limits, &mut self.motions[joint]);
            self.duration = self.duration.max(self.motions[joint].duration());
        }
        check_duration(self.duration)?;
        Ok(self.duration)
    }

    /// Plans the fastest change to `velocities`, each joint for itself; answers with the longest duration. A joint with a range
    /// of `positions` (lowest and highest; infinite where there is none) goes on to the end of it and is at rest there. One
    /// that is beyond the end towards which it is to move stops.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for a velocity
    /// outside the limits and for a range that is empty or not a number, naming the joint.
    pub fn plan_velocity(&mut self, start: &MotionState, velocities: &[f64], positions: &[[f64; 2]]) -> Result<f64> {
        self.check_velocities(start, velocities, positions)?;
        self.duration = 0.0;
        for (joint, limits) in self.limits.axes().iter().enumerate() {
            let [lowest, highest] = limits.velocity;
            let velocity = velocities[joint].clamp(lowest, highest);
            write_velocity_motion(&start.axis(joint), velocity, positions[joint], limits, &mut self.motions[joint]);
            self.duration = self.duration.max(self.motions[joint].duration());
        }
        check_duration(self.duration)?;
        Ok(self.duration)
    }

    fn check_velocities(&self, start: &MotionState, velocities: &[f64], positions: &[[f64; 2]]) -> Result<()> {
        let dof = self.limits.dof();
        start.check("start", dof)?;
        check_positions(positions, dof)?;
        check_len("target velocities", velocities.len(), dof)?;
        check_finite("target velocities", velocities)?;
        for (joint, (limits, velocity)) in self.limits.axes().iter().zip(velocities).enumerate() {
            let name = || format!("target velocity of joint {joint}");
            check_range(name, *velocity, limits.velocity, TARGET_ROUNDING_RATIO)?;
        }
        Ok(())
    }

    fn check_target(&self, target: &MotionState) -> Result<()> {
        target.check("target", self.limits.dof())?;
        for (joint, limits) in self.limits.axes().iter().enumerate() {
            let state = target.axis(joint);
            let named = |quantity: &str| format!("target {quantity} of joint {joint}");
            check_range(|| named("velocity"), state.velocity, limits.velocity, TARGET_ROUNDING_RATIO)?;
            check_range(|| named("acceleration"), state.acceleration, limits.acceleration, TARGET_ROUNDING_RATIO)?;
            // Seen backwards (p → −p, t → −t) the target is a start: velocity before it had to be inside as well.
            let before = AxisState { acceleration: -state.acceleration, ..state };
            let name = || format!("velocity before the target of joint {joint} is met with its acceleration");
            let velocity = before.velocity_where_acceleration_ends(limits);
            check_range(name, velocity, limits.velocity, TARGET_ROUNDING_RATIO)?;
        }
        Ok(())
    }

    /// Duration of the last plan, s.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Motion of each joint.
    pub fn motions(&self) -> &[Phases] {
        &self.motions
    }

    /// State at `t` seconds of the last plan into `state`, which must have as many joints; after the end the joints go
    /// on with the target's velocity and acceleration.
    pub fn sample_into(&self, t: f64, state: &mut MotionState) {
        for (joint, motion) in self.motions.iter().enumerate() {
            state.set_axis(joint, &motion.sample(t));
        }
    }

    /// The last plan as a curve from 0 to its duration.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] or [`KineticError::NotFinite`] for numbers too large to be represented.
    pub fn curve(&self) -> Result<PiecewisePolynomial> {
        let (mut knots, mut coefficients) = (Vec::new(), Vec::new());
        self.write_curve(&mut knots, &mut coefficients);
        PiecewisePolynomial::new(self.motions.len(), knots, coefficients)
    }

    /// A curve has at most this many knots.
    pub(crate) fn most_knots(&self) -> usize {
        2 + MAX_PHASES * self.motions.len()
    }

    /// Knots and coefficients of [`curve`](Self::curve), in place of what the vectors hold.
    pub(crate) fn write_curve(&self, knots: &mut Vec<f64>, coefficients: &mut Vec<Coefficients>) {
        let end = self.duration;
        coefficients.clear();
        self.write_knots(end, knots);
        if end == 0.0 {
            let rest = |motion: &Phases| [motion.end().position, 0.0, 0.0, 0.0, 0.0, 0.0];
            coefficients.extend(self.motions.iter().map(rest));
        }
        for pair in knots.windows(2) {
            let middle = f64::midpoint(pair[0], pair[1]);
            for motion in &self.motions {
                let (state, jerk) = (motion.sample(pair[0]), motion.jerk(middle));
                let (half, sixth) = (state.acceleration / 2.0, jerk / 6.0);
                coefficients.push([state.position, state.velocity, half, sixth, 0.0, 0.0]);
            }
        }
    }

    /// Every time at which a joint's jerk changes, ends included; times that only rounding tells apart are one. A plan of
    /// duration 0 has one knot.
    fn write_knots(&self, end: f64, knots: &mut Vec<f64>) {
        knots.clear();
        knots.push(0.0);
        if end == 0.0 {
            return;
        }
        for motion in &self.motions {
            let mut time = 0.0;
            knots.extend(motion.iter().map(|(duration, _, _)| {
                time += duration;
                time
            }));
        }
        // Times that compare equal are the same bits: the order of equals is of no account, and a stable sort allocates.
        knots.sort_unstable_by(f64::total_cmp);
        let shortest = 8.0 * f64::EPSILON * end;
        let mut last = 0.0;
        knots.retain(|knot| {
            let keep = *knot == 0.0 || (*knot > last + shortest && *knot < end - shortest);
            last = if keep { *knot } else { last };
            keep
        });
        knots.dedup();
        knots.push(end);
    }
}

fn check_duration(duration: f64) -> Result<()> {
    if duration.is_finite() {
        return Ok(());
    }
    Err(KineticError::invalid("duration of the motion under these limits", duration, "a finite time"))
}

/// Refuses ranges of positions that are empty or not a number.
pub(crate) fn check_positions(positions: &[[f64; 2]], dof: usize) -> Result<()> {
    check_len("position limits", positions.len(), dof)?;
    for (joint, [lowest, highest]) in positions.iter().enumerate() {
        if !(lowest <= highest) {
            let name = format!("position limits of joint {joint}");
            return Err(KineticError::invalid(
                name,
                format!("[{lowest}, {highest}]"),
                "a lowest and a highest position",
            ));
        }
    }
    Ok(())
}

/// The fastest motion from `start` to `target` as a trajectory of two waypoints.
///
/// # Errors
/// As [`StateToState::plan`].
pub fn state_to_state(
    start: &MotionState,
    target: &MotionState,
    limits: &MotionLimits,
    options: &MotionOptions,
) -> Result<TimedTrajectory> {
    let mut planner = StateToState::new(limits.clone());
    let duration = planner.plan(start, target, options)?;
    let times = if duration > 0.0 { vec![0.0, duration] } else { vec![0.0] };
    TimedTrajectory::new(planner.curve()?, times, 0.0, STATE_TO_STATE)
}
