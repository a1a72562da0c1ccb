//! Validation of trajectories against limits, by bounds over the whole curve instead of samples.

use kinetic_core::curve::{enclosure, evaluate, extremes};
use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Limits, PiecewisePolynomial, Result, TimedTrajectory};

use crate::quick_check::{LimitBlock, QuickLimits, look};
use crate::samples::INTERPOLATED;
use crate::tolerance::POSITION_ROUNDING_RATIO;

/// A derivative may exceed its limit by this part: rounding of a law that uses a limit fully.
pub const RELATIVE_TOLERANCE: f64 = 1e-9;

/// A position may exceed its limit by this much, rad or m; and the curve may step between pieces by it, or by rounding of its positions.
pub const POSITION_TOLERANCE: f64 = 1e-9;

/// Velocity (acceleration, where jerk is limited) may step between pieces by this part of its limit.
pub const STEP_TOLERANCE: f64 = 1e-6;

/// What a trajectory does that it must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ViolationKind {
    /// Position outside its range.
    Position,
    /// Speed above its limit.
    Velocity,
    /// Acceleration above its limit.
    Acceleration,
    /// Jerk above its limit inside a piece.
    Jerk,
    /// Samples so far apart that the curve between them is a guess; of interpolated trajectories.
    PositionJump,
    /// Position steps between two pieces.
    PositionStep,
    /// Velocity steps between two pieces: infinite acceleration.
    VelocityStep,
    /// Acceleration steps between two pieces while jerk is limited: infinite jerk.
    AccelerationStep,
}

impl ViolationKind {
    /// Its name for tables and for Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
            Self::Jerk => "jerk",
            Self::PositionJump => "position_jump",
            Self::PositionStep => "position_step",
            Self::VelocityStep => "velocity_step",
            Self::AccelerationStep => "acceleration_step",
        }
    }
}

/// One violation: the worst of its kind of one joint on one piece of the curve.
#[derive(Debug, Clone, PartialEq)]
pub struct TrajectoryViolation {
    /// The last waypoint at or before it.
    pub waypoint: usize,
    /// Joint, in group order.
    pub joint: usize,
    /// What is violated.
    pub kind: ViolationKind,
    /// The value with its sign; of a step or jump, its size.
    pub value: f64,
    /// The limit it exceeds, positive except for the lower one of a range.
    pub limit: f64,
    /// When it is worst, s.
    pub time: f64,
}

/// What the validator asks beyond the limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValidationConfig {
    /// Part of the velocity, acceleration and jerk limits that may be used, in (0, 1]: it tightens. Positions keep
    /// their range.
    pub safety_factor: f64,
    /// Largest distance between neighbouring samples of an interpolated trajectory, per joint, rad or m.
    pub max_position_jump: f64,
    /// Jerk limit of every joint; `None` for that of the limits, if any.
    pub max_jerk: Option<f64>,
}

impl Default for ValidationConfig {
    fn default() -> Self {
        Self { safety_factor: 1.0, max_position_jump: 0.5, max_jerk: None }
    }
}

/// Checks trajectories against limits of position, velocity, acceleration and jerk, and for steps.
#[derive(Debug, Clone)]
pub struct TrajectoryValidator {
    lower: Vec<f64>,
    upper: Vec<f64>,
    limits: Limits,
    config: ValidationConfig,
    quick: Vec<LimitBlock>,
}

impl TrajectoryValidator {
    /// A validator from position ranges (infinite where free) and limits, one value per joint.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], or [`KineticError::InvalidValue`] naming the joint for a limit that is not
    /// positive and finite or a range that is empty or NaN.
    pub fn from_limits(position_lower: &[f64], position_upper: &[f64], limits: &Limits) -> Result<Self> {
        limits.check()?;
        check_len("lower position limits", position_lower.len(), limits.dof())?;
        check_len("upper position limits", position_upper.len(), limits.dof())?;
        for (joint, (lower, upper)) in position_lower.iter().zip(position_upper).enumerate() {
            if !(lower <= upper) {
                let name = format!("position range of joint {joint}");
                return Err(KineticError::invalid(name, format!("[{lower}, {upper}]"), "lower at most upper"));
            }
        }
        let (lower, upper) = (position_lower.to_vec(), position_upper.to_vec());
        let config = ValidationConfig::default();
        let mut validator = Self { lower, upper, limits: limits.clone(), config, quick: Vec::new() };
        validator.quick = validator.quick_limits();
        Ok(validator)
    }

    /// The same validator with other options.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a safety factor outside (0, 1], or a jump or jerk that is not positive.
    pub fn with_config(mut self, config: ValidationConfig) -> Result<Self> {
        if !(config.safety_factor > 0.0 && config.safety_factor <= 1.0) {
            return Err(KineticError::invalid("safety_factor", config.safety_factor, "a factor in (0, 1]"));
        }
        if !(config.max_position_jump > 0.0) {
            return Err(KineticError::invalid("max_position_jump", config.max_position_jump, "a positive number"));
        }
        match config.max_jerk {
            Some(jerk) if !(jerk > 0.0) => Err(KineticError::invalid("max_jerk", jerk, "a positive number")),
            _ => {
                self.config = config;
                self.quick = self.quick_limits();
                Ok(self)
            }
        }
    }

    /// Every violation, in order of time; empty when the trajectory holds all limits at every instant.
    ///
    /// Derivatives are compared with the limit times the safety factor, by bounds of the polynomials. A trajectory without
    /// violations costs no allocation.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for a trajectory of another number of joints.
    pub fn validate(&self, trajectory: &TimedTrajectory) -> Result<Vec<TrajectoryViolation>> {
        check_len("trajectory", trajectory.dof(), self.limits.dof())?;
        let mut found = Findings { trajectory, violations: Vec::new() };
        look(trajectory.curve(), &self.quick, &mut |piece, joint| self.check_piece(piece, joint, &mut found));
        if trajectory.law == INTERPOLATED {
            (0..trajectory.dof()).for_each(|joint| self.check_jumps(joint, &mut found));
        }
        found.violations.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.joint.cmp(&b.joint)));
        Ok(found.violations)
    }

    /// What the quick look compares with.
    fn quick_limits(&self) -> Vec<LimitBlock> {
        let limits = |joint: usize| {
            let derivatives = self.derivative_limits(joint);
            QuickLimits {
                range: [self.lower[joint], self.upper[joint]],
                derivatives: derivatives
                    .map(|limit| limit.map_or(f64::INFINITY, |limit| limit * (1.0 + RELATIVE_TOLERANCE))),
                steps: step_limits(derivatives).map(|limit| limit.unwrap_or(f64::INFINITY)),
            }
        };
        LimitBlock::all(&(0..self.limits.dof()).map(limits).collect::<Vec<_>>())
    }

    /// Limits of the first, second and, if bounded, third derivative, safety factor included.
    fn derivative_limits(&self, joint: usize) -> [Option<f64>; 3] {
        let jerk = self.config.max_jerk.or_else(|| self.limits.jerk.as_ref().map(|jerk| jerk[joint]));
        [Some(self.limits.velocity[joint]), Some(self.limits.acceleration[joint]), jerk]
            .map(|limit| limit.map(|limit| limit * self.config.safety_factor))
    }

    /// One joint on one piece, and its step to the piece, by tight bounds.
    fn check_piece(&self, piece: usize, joint: usize, found: &mut Findings<'_>) {
        if piece > 0 {
            self.check_step(piece - 1, joint, found);
        }
        self.check_range(piece, joint, found);
        if piece < found.trajectory.curve().pieces() {
            self.check_derivatives(piece, joint, found);
        }
    }

    fn check_range(&self, piece: usize, joint: usize, found: &mut Findings<'_>) {
        let curve = found.trajectory.curve();
        let (lower, upper) = (self.lower[joint], self.upper[joint]);
        let (row, duration) = (curve.coefficients(piece, joint), curve.piece_duration(piece));
        let loose = enclosure(row, 0, 0.0, duration);
        if loose.0 >= lower && loose.1 <= upper {
            return;
        }
        let range = extremes(row, 0, 0.0, duration, POSITION_TOLERANCE / 2.0);
        let begin = curve.knots()[piece];
        if !(range.low >= lower - POSITION_TOLERANCE) {
            found.add(joint, ViolationKind::Position, evaluate(row, 0, range.low_at), lower, begin + range.low_at);
        }
        if !(range.high <= upper + POSITION_TOLERANCE) {
            found.add(joint, ViolationKind::Position, evaluate(row, 0, range.high_at), upper, begin + range.high_at);
        }
    }

    fn check_derivatives(&self, piece: usize, joint: usize, found: &mut Findings<'_>) {
        const KINDS: [ViolationKind; 3] = [ViolationKind::Velocity, ViolationKind::Acceleration, ViolationKind::Jerk];
        let curve = found.trajectory.curve();
        let (row, duration) = (curve.coefficients(piece, joint), curve.piece_duration(piece));
        for (index, limit) in self.derivative_limits(joint).into_iter().enumerate() {
            let Some(limit) = limit else { continue };
            let loose = enclosure(row, index + 1, 0.0, duration);
            let slack = RELATIVE_TOLERANCE * limit;
            if loose.1.max(-loose.0) <= limit + slack {
                continue;
            }
            let range = extremes(row, index + 1, 0.0, duration, slack / 2.0);
            if !(range.high.max(-range.low) <= limit + slack) {
                let at = if range.high > -range.low { range.high_at } else { range.low_at };
                found.add(joint, KINDS[index], evaluate(row, index + 1, at), limit, curve.knots()[piece] + at);
            }
        }
    }

    /// The step from a piece to the next.
    fn check_step(&self, piece: usize, joint: usize, found: &mut Findings<'_>) {
        const KINDS: [ViolationKind; 3] =
            [ViolationKind::PositionStep, ViolationKind::VelocityStep, ViolationKind::AccelerationStep];
        let curve = found.trajectory.curve();
        for (order, limit) in step_limits(self.derivative_limits(joint)).into_iter().enumerate() {
            let Some(limit) = limit else { continue };
            let before = evaluate(curve.coefficients(piece, joint), order, curve.piece_duration(piece));
            let step = (evaluate(curve.coefficients(piece + 1, joint), order, 0.0) - before).abs();
            let is_within = step <= limit || order == 0 && is_rounding_of_position(curve, joint, step);
            if !is_within {
                found.add(joint, KINDS[order], step, limit, curve.knots()[piece + 1]);
            }
        }
    }

    fn check_jumps(&self, joint: usize, found: &mut Findings<'_>) {
        let limit = self.config.max_position_jump;
        let times = found.trajectory.waypoint_times();
        let curve = found.trajectory.curve();
        for pair in times.windows(2) {
            let [before, after] = [pair[0], pair[1]].map(|time| {
                let (piece, offset) = curve.locate(time);
                evaluate(curve.coefficients(piece, joint), 0, offset)
            });
            let jump = (after - before).abs();
            if !(jump <= limit) {
                found.add(joint, ViolationKind::PositionJump, jump, limit, pair[0]);
            }
        }
    }
}

/// Largest steps of position, velocity and, where jerk is limited, acceleration between pieces.
fn step_limits([velocity, acceleration, jerk]: [Option<f64>; 3]) -> [Option<f64>; 3] {
    let scaled = |limit: f64| limit * STEP_TOLERANCE;
    [Some(POSITION_TOLERANCE), velocity.map(scaled), jerk.and(acceleration).map(scaled)]
}

/// Whether a step of a joint's position between pieces is no more than the rounding of the largest of its positions.
pub fn is_rounding_of_position(curve: &PiecewisePolynomial, joint: usize, step: f64) -> bool {
    let positions = (0..curve.pieces()).map(|piece| curve.coefficients(piece, joint)[0].abs());
    step <= POSITION_ROUNDING_RATIO * positions.fold(0.0, f64::max)
}

/// Violations found so far.
struct Findings<'a> {
    trajectory: &'a TimedTrajectory,
    violations: Vec<TrajectoryViolation>,
}

impl Findings<'_> {
    fn add(&mut self, joint: usize, kind: ViolationKind, value: f64, limit: f64, time: f64) {
        let waypoint = self.trajectory.waypoint_times().partition_point(|at| *at <= time).saturating_sub(1);
        self.violations.push(TrajectoryViolation { waypoint, joint, kind, value, limit, time });
    }
}
