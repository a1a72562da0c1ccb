//! Options of a servo.

use kinetic_core::{KineticError, Result};

use crate::filter::{COMMAND_FILTERS, FilterOptions};

/// How many options are positive numbers, and how many may be 0.
const NUM_POSITIVE: usize = 9;
const NUM_NOT_NEGATIVE: usize = 9;

/// Options of a [`Servo`](crate::Servo).
#[derive(Debug, Clone, PartialEq)]
pub struct ServoConfig {
    /// Ticks per second.
    pub rate_hz: f64,
    /// Solver of velocities for the tool, one of [`VELOCITY_SOLVERS`](crate::differential_ik::VELOCITY_SOLVERS): `qp` slides along
    /// what is in the way, `damped` keeps the direction.
    pub method: String,
    /// Singular values of the Jacobian below this one are damped.
    pub singularity_threshold: f64,
    /// Damping at a singularity.
    pub singularity_damping: f64,
    /// Time, s, after which a singularity that takes all of a command, and has no escape, is called a lock-up.
    pub lockup_time: f64,
    /// Part of the way to a pose that is covered per second, 1/s.
    pub pose_tracking_gain: f64,
    /// Distance to obstacles, m, below which motion towards them slows down.
    pub slowdown_distance: f64,
    /// Distance to obstacles, m, that every braking motion keeps, where the scene states no margin for the pair.
    pub stop_distance: f64,
    /// As `slowdown_distance`, between links of the robot and attached bodies, m.
    pub self_slowdown_distance: f64,
    /// As `stop_distance`, between links of the robot and attached bodies, m.
    pub self_stop_distance: f64,
    /// Largest velocity per joint, rad/s or m/s; those of the robot when empty.
    pub velocity_limits: Vec<f64>,
    /// Largest acceleration per joint, rad/s² or m/s²; those of the robot when empty.
    pub acceleration_limits: Vec<f64>,
    /// Largest jerk per joint, rad/s³ or m/s³; those of the robot when empty, else ten times its acceleration limits.
    pub jerk_limits: Vec<f64>,
    /// No joint moves farther than this in a tick, rad or m.
    pub max_delta_per_tick: f64,
    /// A command acts for this long, s; then the arm stops.
    pub command_timeout: f64,
    /// Filter of twists, poses, joint velocities and positions, one of
    /// [`COMMAND_FILTERS`](crate::filter::COMMAND_FILTERS). Stops are not filtered, nor are chunks.
    pub filter: String,
    /// Frequency above which commands are attenuated, Hz; below half of `rate_hz`.
    pub filter_cutoff: f64,
    /// Of `one_euro`: by how much the frequency rises with the speed of the command, Hz per unit per second.
    pub filter_beta: f64,
    /// Of `one_euro`: cut-off frequency of that speed, Hz.
    pub filter_speed_cutoff: f64,
    /// Time in which a chunk takes over from the one before, s.
    pub blend_time: f64,
    /// How far each joint of the real arm may be from its command, rad or m. Braking motions keep their distance with this error.
    pub tracking_error: f64,
    /// Largest speed of obstacles, m/s. Braking motions keep in addition what an obstacle covers until the arm has stopped.
    pub obstacle_speed: f64,
    /// Time until a command acts on the real arm, s. It matters where obstacles move.
    pub command_latency: f64,
}

impl Default for ServoConfig {
    fn default() -> Self {
        Self {
            rate_hz: 500.0,
            method: "qp".to_owned(),
            singularity_threshold: 0.02,
            singularity_damping: 0.05,
            lockup_time: 1.0,
            pose_tracking_gain: 5.0,
            slowdown_distance: 0.15,
            stop_distance: 0.03,
            self_slowdown_distance: 0.01,
            self_stop_distance: 0.001,
            velocity_limits: Vec::new(),
            acceleration_limits: Vec::new(),
            jerk_limits: Vec::new(),
            max_delta_per_tick: 0.02,
            command_timeout: 0.1,
            filter: COMMAND_FILTERS[0].name.to_owned(),
            filter_cutoff: FilterOptions::default().cutoff,
            filter_beta: FilterOptions::default().beta,
            filter_speed_cutoff: FilterOptions::default().speed_cutoff,
            blend_time: 0.1,
            tracking_error: 0.0,
            obstacle_speed: 0.0,
            command_latency: 0.0,
        }
    }
}

/// Presets by name.
type Preset = (&'static str, fn() -> ServoConfig);
const PRESETS: [Preset; 3] =
    [("teleop", ServoConfig::teleop), ("tracking", ServoConfig::tracking), ("precise", ServoConfig::precise)];

impl ServoConfig {
    /// For a person who steers: the defaults.
    pub fn teleop() -> Self {
        Self::default()
    }

    /// For targets that a program sends: 200 Hz, closer to obstacles, a gain of 10.
    pub fn tracking() -> Self {
        Self { rate_hz: 200.0, slowdown_distance: 0.1, pose_tracking_gain: 10.0, ..Self::default() }
    }

    /// For small motions: 250 Hz, 0.005 rad per tick at most, close to obstacles.
    pub fn precise() -> Self {
        Self {
            rate_hz: 250.0,
            slowdown_distance: 0.08,
            stop_distance: 0.015,
            singularity_threshold: 0.01,
            max_delta_per_tick: 0.005,
            ..Self::default()
        }
    }

    /// A preset by its name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names there are.
    pub fn preset(name: &str) -> Result<Self> {
        let found = PRESETS.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, make)| make())
            .ok_or_else(|| KineticError::unknown_name("preset", name, PRESETS.iter().map(|(known, _)| *known)))
    }

    /// Time between two ticks, s.
    pub fn period(&self) -> f64 {
        1.0 / self.rate_hz
    }

    /// Options that are numbers, by name.
    pub fn numbers(&self) -> [(&'static str, f64); NUM_POSITIVE + NUM_NOT_NEGATIVE] {
        let mut all = [("", 0.0); NUM_POSITIVE + NUM_NOT_NEGATIVE];
        all[..NUM_POSITIVE].copy_from_slice(&self.positive());
        all[NUM_POSITIVE..].copy_from_slice(&self.not_negative());
        all
    }

    fn positive(&self) -> [(&'static str, f64); NUM_POSITIVE] {
        [
            ("rate_hz", self.rate_hz),
            ("max_delta_per_tick", self.max_delta_per_tick),
            ("command_timeout", self.command_timeout),
            ("pose_tracking_gain", self.pose_tracking_gain),
            ("singularity_threshold", self.singularity_threshold),
            ("singularity_damping", self.singularity_damping),
            ("lockup_time", self.lockup_time),
            ("filter_cutoff", self.filter_cutoff),
            ("filter_speed_cutoff", self.filter_speed_cutoff),
        ]
    }

    fn not_negative(&self) -> [(&'static str, f64); NUM_NOT_NEGATIVE] {
        [
            ("slowdown_distance", self.slowdown_distance),
            ("stop_distance", self.stop_distance),
            ("self_slowdown_distance", self.self_slowdown_distance),
            ("self_stop_distance", self.self_stop_distance),
            ("tracking_error", self.tracking_error),
            ("obstacle_speed", self.obstacle_speed),
            ("command_latency", self.command_latency),
            ("filter_beta", self.filter_beta),
            ("blend_time", self.blend_time),
        ]
    }

    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option.
    pub fn check(&self) -> Result<()> {
        for (name, value) in self.positive() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        for (name, value) in self.not_negative() {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(name, value, "a finite number of at least 0"));
            }
        }
        Self::check_zone("slowdown_distance", self.slowdown_distance, "stop_distance", self.stop_distance)?;
        Self::check_zone(
            "self_slowdown_distance",
            self.self_slowdown_distance,
            "self_stop_distance",
            self.self_stop_distance,
        )
    }

    fn check_zone(name: &str, slowdown: f64, stop_name: &str, stop: f64) -> Result<()> {
        if slowdown >= stop && slowdown.is_finite() {
            return Ok(());
        }
        let wanted = format!("a finite distance of at least {stop_name}, {stop}");
        Err(KineticError::invalid(name, slowdown, wanted))
    }
}
