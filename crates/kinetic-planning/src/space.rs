//! Configuration spaces: a box of joint values in which some joints may turn without end.

use std::f64::consts::{PI, TAU};

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Result, Trajectory};
use kinetic_kinematics::KinematicChain;

/// Continuous joints stand within this: turns are taken off in double precision, whose 2π is 2.4e-16 too small, which makes an
/// error of 4e-8 rad here.
const MOST_CONTINUOUS_RAD: f64 = 1e9;

/// Bounds, wrapping and metric of a joint space.
///
/// A joint whose bounds are −∞ and +∞ is *continuous*: values that differ by full turns are the same configuration.
/// Distances and motions take its shorter way round, and results are unwrapped: the value after a motion is
/// the one nearest to where the motion began, not the one in (−π, π].
///
/// Functions that take configurations expect them finite and of length [`dof`](Self::dof);
/// [`check`](Self::check) says so with an error, the others do not look.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    lower: Vec<f64>,
    upper: Vec<f64>,
    weights: Vec<f64>,
    continuous: Vec<bool>,
    has_continuous: bool,
}

impl Space {
    /// A space from bounds per joint (rad or m); both infinite for a continuous joint. All weights are 1.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] when the lengths differ, [`KineticError::InvalidValue`] for no joints and
    /// naming the joint whose bounds are crossed, NaN, or infinite on one side only.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self> {
        check_len("upper bounds", upper.len(), lower.len())?;
        if lower.is_empty() {
            return Err(KineticError::invalid("number of joints", 0, "at least 1"));
        }
        let continuous = lower
            .iter()
            .zip(&upper)
            .enumerate()
            .map(|(joint, (low, high))| is_continuous(joint, *low, *high))
            .collect::<Result<Vec<_>>>()?;
        let has_continuous = continuous.contains(&true);
        Ok(Self { weights: vec![1.0; lower.len()], lower, upper, continuous, has_continuous })
    }

    /// A space from one (lower, upper) pair per joint.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_bounds(bounds: &[(f64, f64)]) -> Result<Self> {
        Self::new(bounds.iter().map(|bound| bound.0).collect(), bounds.iter().map(|bound| bound.1).collect())
    }

    /// The space of a chain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming a sliding joint without limits (a part of a planar or floating joint): it
    /// does not come back to itself as a turning one does, and samples need an interval to lie in.
    pub(crate) fn of_chain(chain: &KinematicChain) -> Result<Self> {
        let is_endless = |joint: &usize| {
            let (low, high) = chain.bounds()[*joint];
            !(chain.is_rotation(*joint) || low.is_finite() && high.is_finite())
        };
        if let Some(joint) = (0..chain.dof()).find(is_endless) {
            let (low, high) = chain.bounds()[joint];
            let name = format!("limits of sliding joint \"{}\"", chain.joint_names()[joint]);
            let wanted = "finite ones to plan between: give it limits in the model, or plan for a group without it";
            return Err(KineticError::invalid(name, format!("[{low}, {high}]"), wanted));
        }
        Self::from_bounds(chain.bounds())
    }

    /// The space in which joints without limits do not wrap: they stay within half a turn of the interval between two
    /// configurations.
    pub(crate) fn unrolled(&self, a: &[f64], b: &[f64]) -> Result<Self> {
        let (mut lower, mut upper) = (self.lower.clone(), self.upper.clone());
        for joint in (0..self.dof()).filter(|joint| self.continuous[*joint]) {
            (lower[joint], upper[joint]) = (a[joint].min(b[joint]) - PI, a[joint].max(b[joint]) + PI);
        }
        Self::new(lower, upper)?.with_weights(self.weights.clone())
    }

    /// The same space with a weight per joint: how much one radian or metre of it counts in distances.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], or [`KineticError::InvalidValue`] for a weight that is not positive.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        check_len("weights", weights.len(), self.dof())?;
        if let Some(joint) = weights.iter().position(|weight| !(*weight > 0.0 && weight.is_finite())) {
            let name = format!("weight of joint {joint}");
            return Err(KineticError::invalid(name, weights[joint], "a positive finite number"));
        }
        self.weights = weights;
        Ok(self)
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.lower.len()
    }

    /// Lower bounds; −∞ for continuous joints.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Upper bounds; +∞ for continuous joints.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Weights of the joints in distances.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Whether the joint wraps.
    pub fn is_continuous(&self, joint: usize) -> bool {
        self.continuous[joint]
    }

    /// Whether any joint wraps.
    pub fn has_continuous(&self) -> bool {
        self.has_continuous
    }

    /// Refuses configurations that are not of this space; `context` names them in the error.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], [`KineticError::JointLimitViolation`] for a value more
    /// than `tolerance` outside its bounds, or [`KineticError::InvalidValue`] for a continuous joint beyond 10⁹ rad.
    pub fn check(&self, context: &str, q: &[f64], tolerance: f64) -> Result<()> {
        check_len(context, q.len(), self.dof())?;
        check_finite(context, q)?;
        if let Some(joint) =
            (0..self.dof()).find(|joint| self.continuous[*joint] && q[*joint].abs() > MOST_CONTINUOUS_RAD)
        {
            let wanted = format!("at most {MOST_CONTINUOUS_RAD:e} rad either way, which full turns can be taken off");
            return Err(KineticError::invalid(format!("joint {joint} of {context}"), q[joint], wanted));
        }
        let outside =
            |joint: &usize| q[*joint] < self.lower[*joint] - tolerance || q[*joint] > self.upper[*joint] + tolerance;
        match (0..self.dof()).find(outside) {
            None => Ok(()),
            Some(joint) => Err(KineticError::JointLimitViolation {
                name: format!("{joint} of {context}"),
                value: q[joint],
                min: self.lower[joint],
                max: self.upper[joint],
            }),
        }
    }

    /// The value equivalent to `to` that is nearest to `from`: shifted by full turns when the joint is continuous.
    #[inline]
    pub fn unwrapped(&self, joint: usize, from: f64, to: f64) -> f64 {
        if !self.continuous[joint] {
            return to;
        }
        // With no turns to take off, `to` comes back bit for bit.
        to - TAU * ((to - from) / TAU).round()
    }

    /// Writes the configuration equivalent to `to` that is nearest to `from`.
    pub fn unwrap_into(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        for joint in 0..self.dof() {
            out[joint] = self.unwrapped(joint, from[joint], to[joint]);
        }
    }

    /// Distance: Euclidean norm of the weighted differences, continuous joints taken the shorter way.
    ///
    /// A metric: symmetric, zero exactly between equivalent configurations, and never longer than a detour.
    #[inline]
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut sum = 0.0;
        for joint in 0..self.dof() {
            let step = self.weights[joint] * (self.unwrapped(joint, a[joint], b[joint]) - a[joint]);
            sum += step * step;
        }
        sum.sqrt()
    }

    /// Length of the straight line between two configurations in the metric, of the values as they stand: continuous joints stay
    /// unwrapped.
    pub(crate) fn straight_length(&self, a: &[f64], b: &[f64]) -> f64 {
        let steps = (0..self.dof()).map(|joint| self.weights[joint] * (a[joint] - b[joint]));
        steps.map(|step| step * step).sum::<f64>().sqrt()
    }

    /// Length of a path in the metric, of the values as they stand: continuous joints stay unwrapped.
    pub fn path_length(&self, path: &Trajectory) -> f64 {
        path.segments().map(|(a, b)| self.straight_length(a, b)).sum()
    }

    /// Writes the configuration at fraction `t` of the motion from `from` to `to`.
    ///
    /// `t ≤ 0` gives `from`; `t ≥ 1` gives `to`, unwrapped from `from`; values between never leave the
    /// interval of their ends, so that motions inside the bounds stay inside.
    pub fn interpolate(&self, from: &[f64], to: &[f64], t: f64, out: &mut [f64]) {
        for joint in 0..self.dof() {
            out[joint] = between(from[joint], self.unwrapped(joint, from[joint], to[joint]), t);
        }
    }

    /// Writes the end of a motion from `from` towards `to` that is at most `max_step` long; true when `to` is reached.
    pub fn steer(&self, from: &[f64], to: &[f64], max_step: f64, out: &mut [f64]) -> bool {
        let distance = self.distance(from, to);
        let reached = distance <= max_step;
        self.interpolate(from, to, if reached { 1.0 } else { max_step / distance }, out);
        reached
    }

    /// Lower end and width of the interval that samples of a joint come from: its bounds, or [−π, π) when continuous.
    pub fn sample_interval(&self, joint: usize) -> (f64, f64) {
        if self.continuous[joint] { (-PI, TAU) } else { (self.lower[joint], self.upper[joint] - self.lower[joint]) }
    }

    /// Writes a uniformly distributed configuration.
    pub fn sample_uniform(&self, rng: &mut SeededRng, out: &mut [f64]) {
        for joint in 0..self.dof() {
            let (low, width) = self.sample_interval(joint);
            out[joint] = low + width * rng.unit();
        }
    }
}

fn is_continuous(joint: usize, low: f64, high: f64) -> Result<bool> {
    if low == f64::NEG_INFINITY && high == f64::INFINITY {
        return Ok(true);
    }
    if low <= high && (high - low).is_finite() {
        return Ok(false);
    }
    let wanted = "finite bounds in ascending order, or -inf and inf for a continuous joint";
    Err(KineticError::invalid(format!("bounds of joint {joint}"), format!("[{low}, {high}]"), wanted))
}

#[inline]
fn between(a: f64, b: f64, t: f64) -> f64 {
    if t <= 0.0 {
        return a;
    }
    if t >= 1.0 {
        return b;
    }
    // Rounding must not push a value beyond its end, which may be a joint limit.
    (a + t * (b - a)).max(a.min(b)).min(a.max(b))
}
