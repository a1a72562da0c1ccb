//! What an execution may do and when it ends.

use kinetic_core::{JointLimits, KineticError, Result};

/// Commands per second beyond which the wake-up of a thread takes longer than the period.
const MAX_RATE_HZ: f64 = 10_000.0;

/// Highest priority of the thread of the commands; the watchdog has one more, of 99.
const MAX_REAL_TIME_PRIORITY: u32 = 98;

/// What the watchdog asks of the [`StopSink`](crate::StopSink).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WatchdogAction {
    /// Stop where it is, as fast as the driver can.
    #[default]
    ZeroVelocity,
    /// Go on to the last commanded position, and hold it.
    HoldPosition,
    /// Take the power off, or whatever the driver has for an emergency.
    Abort,
}

/// A watchdog: how long it waits for a command to be taken, and what it does then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WatchdogConfig {
    /// It fires when no command was taken for this long, ms.
    pub timeout_ms: f64,
    /// What it does.
    pub action: WatchdogAction,
}

/// How a trajectory is carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionConfig {
    /// Commands per second, at most 10,000.
    pub rate_hz: f64,
    /// Largest distance of a measured from the commanded position, per joint, rad or m.
    pub position_tolerance: f64,
    /// Largest difference of a measured from the commanded velocity, per joint, rad/s or m/s.
    pub velocity_tolerance: f64,
    /// The execution may last this many times as long as the trajectory, at the speed that is asked for.
    pub timeout_factor: f64,
    /// Limits of each joint, which the trajectory and stops have to hold. What is not stated here, or everything without
    /// limits, is what the trajectory itself uses.
    pub joint_limits: Option<Vec<JointLimits>>,
    /// A command may take this long, ms, more than the period; nor may there be longer between two, or without required feedback.
    pub command_timeout_ms: f64,
    /// The robot has to say where it is.
    pub require_feedback: bool,
    /// The watchdog; without, a call that does not return is noticed after `command_timeout_ms`, with
    /// [`WatchdogAction::ZeroVelocity`].
    pub watchdog: Option<WatchdogConfig>,
    /// Trajectories without a certificate are carried out too; the result says so.
    pub allow_unverified: bool,
    /// Part of the trajectory's speed to begin with, 0 to 1.
    pub velocity_scale: f64,
    /// `SCHED_FIFO` at this priority, 1 to 98, is requested of the operating system for the thread of the commands, one more for
    /// the watchdog, and locked memory for the process, which stays locked. A refusal is no error:
    /// [`RealTimePrivileges`](crate::RealTimePrivileges) says what was granted. `None` requests nothing.
    pub real_time_priority: Option<u32>,
}

impl WatchdogConfig {
    /// Refuses a time that is not positive and finite.
    pub(crate) fn check(self) -> Result<()> {
        check_positive(("watchdog timeout_ms", self.timeout_ms))
    }
}

fn check_positive((name, value): (&str, f64)) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(KineticError::invalid(name, value, "a positive finite number"))
}

impl Default for ExecutionConfig {
    fn default() -> Self {
        Self {
            rate_hz: 500.0,
            position_tolerance: 0.1,
            velocity_tolerance: 0.5,
            timeout_factor: 2.0,
            joint_limits: None,
            command_timeout_ms: 100.0,
            require_feedback: false,
            watchdog: None,
            allow_unverified: false,
            velocity_scale: 1.0,
            real_time_priority: None,
        }
    }
}

impl ExecutionConfig {
    /// What a robot should be driven with: its limits are checked, feedback is required, tolerances are half as wide, and a
    /// watchdog stops it after 50 ms.
    pub fn safe(limits: Vec<JointLimits>) -> Self {
        Self {
            position_tolerance: 0.05,
            velocity_tolerance: 0.3,
            joint_limits: Some(limits),
            command_timeout_ms: 50.0,
            require_feedback: true,
            watchdog: Some(WatchdogConfig { timeout_ms: 50.0, action: WatchdogAction::ZeroVelocity }),
            ..Self::default()
        }
    }

    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        let positive = [
            ("rate_hz", self.rate_hz),
            ("position_tolerance", self.position_tolerance),
            ("velocity_tolerance", self.velocity_tolerance),
            ("command_timeout_ms", self.command_timeout_ms),
        ];
        positive.into_iter().try_for_each(check_positive)?;
        self.watchdog.map_or(Ok(()), WatchdogConfig::check)?;
        if self.rate_hz > MAX_RATE_HZ {
            return Err(KineticError::invalid(
                "rate_hz",
                self.rate_hz,
                format!("at most {MAX_RATE_HZ} commands per second"),
            ));
        }
        if self.command_timeout() <= self.period() {
            let wanted = format!("more than the {} ms between two commands", 1e3 * self.period());
            return Err(KineticError::invalid("command_timeout_ms", self.command_timeout_ms, wanted));
        }
        if let Some(watchdog) = self.watchdog.filter(|watchdog| watchdog.timeout_ms * 1e-3 <= self.period()) {
            let wanted = format!("more than the {} ms between two commands", 1e3 * self.period());
            return Err(KineticError::invalid("watchdog timeout_ms", watchdog.timeout_ms, wanted));
        }
        if !(self.timeout_factor >= 1.0) {
            return Err(KineticError::invalid("timeout_factor", self.timeout_factor, "a factor of at least 1"));
        }
        if !(self.velocity_scale > 0.0 && self.velocity_scale <= 1.0) {
            return Err(KineticError::invalid("velocity_scale", self.velocity_scale, "a factor in (0, 1]"));
        }
        if let Some(priority) =
            self.real_time_priority.filter(|priority| !(1..=MAX_REAL_TIME_PRIORITY).contains(priority))
        {
            let wanted = format!("a priority from 1 to {MAX_REAL_TIME_PRIORITY}, or none");
            return Err(KineticError::invalid("real_time_priority", priority, wanted));
        }
        self.joint_limits.iter().flatten().enumerate().try_for_each(check_limits_of_joint)
    }

    /// What is asked of a stop sink.
    pub(crate) fn stop_action(&self) -> WatchdogAction {
        self.watchdog.map(|watchdog| watchdog.action).unwrap_or_default()
    }

    /// Seconds between two commands.
    pub(crate) fn period(&self) -> f64 {
        1.0 / self.rate_hz
    }

    /// Seconds that a command may take.
    pub(crate) fn command_timeout(&self) -> f64 {
        self.command_timeout_ms * 1e-3
    }
}

/// Refuses limits that no joint holds, NaN among them.
fn check_limits_of_joint((joint, limits): (usize, &JointLimits)) -> Result<()> {
    let name = |quantity: &str| format!("{quantity} of joint_limits of joint {joint}");
    if !(limits.lower <= limits.upper) {
        let given = format!("{} to {}", limits.lower, limits.upper);
        return Err(KineticError::invalid(name("range"), given, "a lower limit that is not above the upper one"));
    }
    let rates = [("velocity", Some(limits.velocity)), ("acceleration", limits.acceleration), ("jerk", limits.jerk)];
    match rates.iter().find(|(_, rate)| rate.is_some_and(|rate| !(rate > 0.0))) {
        Some((quantity, rate)) => {
            Err(KineticError::invalid(name(quantity), rate.unwrap_or_default(), "a positive number"))
        }
        None => Ok(()),
    }
}
