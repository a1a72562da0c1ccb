//! Velocity bounds: how fast joints may move so that they stay inside their position, velocity and acceleration limits.

use std::str::FromStr;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};
use kinetic_robot::{PlanningGroup, Robot};

/// A joint outside its limits comes back with this time constant, s.
const RETURN_TIME_S: f64 = 0.5;
/// And at no less than this part of its speed limit, so that it arrives.
const LEAST_RETURN_SPEED: f64 = 0.01;

/// What a joint does that stands outside its position limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OutsideLimits {
    /// It may stand or come back, and never leave further.
    #[default]
    Allow,
    /// It comes back on its own, in about half a second.
    Return,
}

impl OutsideLimits {
    /// The name in every language and file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Return => "return",
        }
    }
}

impl FromStr for OutsideLimits {
    type Err = KineticError;

    /// `"allow"` or `"return"`.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "allow" => Ok(Self::Allow),
            "return" => Ok(Self::Return),
            _ => Err(KineticError::unknown_name("behaviour outside limits", name, ["allow", "return"])),
        }
    }
}

/// Limits of a joint, rad or m and seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointVelocityLimits {
    /// Lowest position; `−∞` for none.
    pub lower: f64,
    /// Highest position; `∞` for none.
    pub upper: f64,
    /// Largest speed.
    pub velocity: f64,
    /// Largest acceleration; ∞ for none.
    pub acceleration: f64,
}

/// Works out velocity bounds for a control period.
///
/// A joint at distance `d` from a limit may move towards it at most at the speed from which it can still brake after this
/// period: `v²/2a + v T ≤ d`. Followed cycle by cycle these bounds are never in conflict with the acceleration limits.
/// Where they are (the joint was too fast before, or outside), positions and velocities come first.
///
/// ```
/// use kinetic_reactive::differential_ik::{JointVelocityLimits, OutsideLimits, VelocityBounds};
///
/// let limits = JointVelocityLimits { lower: -1.0, upper: 1.0, velocity: 2.0, acceleration: 4.0 };
/// let bounds = VelocityBounds::new(vec![limits], 0.01, OutsideLimits::Allow)?;
/// let (mut lower, mut upper) = ([0.0], [0.0]);
/// bounds.at(&[1.0 - 0.02], None, &mut lower, &mut upper)?;
/// assert_eq!(lower, [-2.0]);
/// // Braking takes 0.36²/8 m, and the period 0.0036 m.
/// assert!((upper[0] * upper[0] / 8.0 + upper[0] * 0.01 - 0.02).abs() < 1e-12);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct VelocityBounds {
    limits: Vec<JointVelocityLimits>,
    period: f64,
    outside: OutsideLimits,
}

impl VelocityBounds {
    /// For joints and a control period (s).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a period, speed or acceleration that is not positive, or position limits that
    /// are no interval.
    pub fn new(limits: Vec<JointVelocityLimits>, period: f64, outside: OutsideLimits) -> Result<Self> {
        if !(period > 0.0 && period.is_finite()) {
            return Err(KineticError::invalid("period", period, "a positive number of seconds"));
        }
        for (joint, limit) in limits.iter().enumerate() {
            if !(limit.lower <= limit.upper) {
                let given = format!("[{}, {}]", limit.lower, limit.upper);
                return Err(KineticError::invalid(format!("position limits of joint {joint}"), given, "an interval"));
            }
            for (what, value) in [("velocity", limit.velocity), ("acceleration", limit.acceleration)] {
                if !(value > 0.0) {
                    let name = format!("{what} limit of joint {joint}");
                    return Err(KineticError::invalid(name, value, "a positive number"));
                }
            }
        }
        Ok(Self { limits, period, outside })
    }

    /// For the joints of a group, with the limits of the robot; speeds and accelerations times `velocity_scale` and
    /// `acceleration_scale`.
    ///
    /// # Errors
    /// As [`new`](Self::new), and for factors outside (0, 1].
    pub fn of_group(
        robot: &Robot,
        group: &PlanningGroup,
        period: f64,
        velocity_scale: f64,
        acceleration_scale: f64,
        outside: OutsideLimits,
    ) -> Result<Self> {
        let limits = robot.limits(group).scaled(velocity_scale, acceleration_scale)?;
        let positions = robot.position_limits(group).into_iter();
        let rates = limits.velocity.iter().zip(&limits.acceleration);
        let joint = |((lower, upper), (velocity, acceleration)): ((f64, f64), (&f64, &f64))| JointVelocityLimits {
            lower,
            upper,
            velocity: *velocity,
            acceleration: *acceleration,
        };
        Self::new(positions.zip(rates).map(joint).collect(), period, outside)
    }

    /// The limits.
    pub fn limits(&self) -> &[JointVelocityLimits] {
        &self.limits
    }

    /// Time between two commands, s.
    pub fn period(&self) -> f64 {
        self.period
    }

    /// Writes the lowest and highest velocities for the next period at positions `q`. With the `previous` velocities they
    /// are narrowed by the acceleration limits too.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn at(&self, q: &[f64], previous: Option<&[f64]>, lower: &mut [f64], upper: &mut [f64]) -> Result<()> {
        let n = self.limits.len();
        check_len("joint positions", q.len(), n)?;
        check_finite("joint positions", q)?;
        check_len("lower velocity bounds", lower.len(), n)?;
        check_len("upper velocity bounds", upper.len(), n)?;
        if let Some(previous) = previous {
            check_len("previous velocities", previous.len(), n)?;
            check_finite("previous velocities", previous)?;
        }
        for (joint, limits) in self.limits.iter().enumerate() {
            let (low, high) = self.of_position(limits, q[joint]);
            let speed = previous.map(|previous| previous[joint]);
            let speed = speed.filter(|_| limits.acceleration.is_finite());
            (lower[joint], upper[joint]) = match speed {
                Some(speed) => narrowed(low, high, speed, limits.acceleration * self.period),
                None => (low, high),
            };
        }
        Ok(())
    }

    /// Bounds from the position alone.
    fn of_position(&self, limits: &JointVelocityLimits, q: f64) -> (f64, f64) {
        if q > limits.upper {
            (-limits.velocity, 0.0 - self.return_speed(limits, q - limits.upper))
        } else if q < limits.lower {
            (self.return_speed(limits, limits.lower - q), limits.velocity)
        } else {
            (-self.speed_towards(limits, q - limits.lower), self.speed_towards(limits, limits.upper - q))
        }
    }

    /// Largest speed towards a limit at this distance.
    fn speed_towards(&self, limits: &JointVelocityLimits, distance: f64) -> f64 {
        let (a, t) = (limits.acceleration, self.period);
        let stoppable = if distance.is_infinite() {
            f64::INFINITY
        } else if a.is_infinite() {
            distance / t
        } else {
            // The root of v²/2a + v T = d, without cancellation.
            2.0 * a * distance / (a * t + (a * a * t * t + 2.0 * a * distance).sqrt()).max(f64::MIN_POSITIVE)
        };
        stoppable.min(limits.velocity)
    }

    /// Speed at which a joint comes back that is this far outside.
    fn return_speed(&self, limits: &JointVelocityLimits, distance: f64) -> f64 {
        if self.outside == OutsideLimits::Allow {
            return 0.0;
        }
        let wanted = (distance / RETURN_TIME_S).max(LEAST_RETURN_SPEED * limits.velocity);
        // Not past the limit in this period by more than it takes to arrive.
        wanted.min(self.speed_towards(limits, distance)).min(distance / self.period)
    }
}

/// What can be reached from the previous velocity by a change, of the velocities from `low` to `high`.
fn narrowed(low: f64, high: f64, previous: f64, change: f64) -> (f64, f64) {
    let (least, most) = (previous - change, previous + change);
    // A way back from outside the limits begins as gently as any other motion.
    let (low, high) = (low.min(most.max(0.0)), high.max(least.min(0.0)));
    (low.max(least).min(high), high.min(most).max(low))
}
