//! Bounds on how the tool of a chain moves while the joints stay inside intervals of position, velocity, acceleration and jerk.
//!
//! With frames from base to tip, `∂p/∂q_j` is no longer than the lever of frame `j` (distance of the tool from its axis, or 1 for
//! a sliding joint), and `∂²p/∂q_i∂q_j` of an inner turning frame `i` is `z_i × ∂p/∂q_j`, so no longer either, nor are derivatives
//! by a third one. Levers change by at most that of an outer frame times its motion. An axis is turned by the frames inside of it:
//! `ż_j = ω_j × z_j`, `z̈_j = ω̇_j × z_j + ω_j × ż_j`.

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::largest_derivatives;
use kinetic_kinematics::jacobian::fill;
use kinetic_kinematics::program::Motion;
use kinetic_kinematics::{KinematicChain, Rigid};
use nalgebra::Vector3;

/// Largest speeds, accelerations and jerks of the tool over an interval of time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToolBounds {
    /// Of the position, m/s.
    pub(super) speed: f64,
    /// Of the position, m/s².
    pub(super) acceleration: f64,
    /// Of the position, m/s³.
    pub(super) jerk: f64,
    /// Angular speed, rad/s.
    pub(super) turning: f64,
    /// Angular acceleration, rad/s².
    pub(super) turning_acceleration: f64,
    /// Angular jerk, rad/s³.
    pub(super) turning_jerk: f64,
}

impl ToolBounds {
    /// Of the rotation matrix's second derivative, in the Frobenius norm: `R″ = ([ω′] + [ω]²) R`.
    pub(super) fn matrix_acceleration(&self) -> f64 {
        std::f64::consts::SQRT_2 * (self.turning_acceleration + self.turning * self.turning)
    }
}

/// What a joint does at most.
#[derive(Debug, Clone, Copy, Default)]
struct Range {
    /// How far from the middle of the interval.
    reach: f64,
    speed: f64,
    acceleration: f64,
    jerk: f64,
}

/// The frames from the base up to one: how fast they turn what is outside of them.
#[derive(Debug, Clone, Copy, Default)]
struct Inner {
    /// Sums of the largest speeds and accelerations of turning joints.
    speed: f64,
    acceleration: f64,
    /// Bound on the angular acceleration.
    turning_acceleration: f64,
}

/// The bounds of one chain, with its buffers.
pub(super) struct MotionBoundsOf<'a> {
    chain: &'a KinematicChain,
    frames: Vec<Rigid>,
    levers: Vec<f64>,
    middle: Vec<f64>,
    ranges: Vec<Range>,
}

impl<'a> MotionBoundsOf<'a> {
    pub(super) fn new(chain: &'a KinematicChain) -> Self {
        let (levers, middle) = (vec![0.0; chain.program().frames().len()], vec![0.0; chain.dof()]);
        Self { chain, frames: chain.frame_buffer(), levers, middle, ranges: vec![Range::default(); chain.dof()] }
    }

    /// The bounds on a part of a piece, in its own time.
    pub(super) fn on(&mut self, curve: &PiecewisePolynomial, piece: usize, [from, to]: [f64; 2]) -> ToolBounds {
        curve.sample_into(curve.knots()[piece] + f64::midpoint(from, to), 0, &mut self.middle);
        let tip = self.chain.tip_rigid(&self.middle, &mut self.frames).translation;
        for (joint, range) in self.ranges.iter_mut().enumerate() {
            let [speed, acceleration, jerk] = largest_derivatives(curve.coefficients(piece, joint), from, to);
            *range = Range { reach: 0.5 * (to - from) * speed, speed, acceleration, jerk };
        }
        self.set_levers(&tip);
        let (mut bounds, mut inner) = (ToolBounds::default(), Inner::default());
        for (index, frame) in self.chain.program().frames().iter().enumerate() {
            bounds.add(&mut inner, self.levers[index], &self.range_of(index), frame.motion == Motion::Rotation);
        }
        bounds.turning = inner.speed;
        bounds
    }

    /// What the joint of a frame does.
    fn range_of(&self, index: usize) -> Range {
        let frame = &self.chain.program().frames()[index];
        let (range, factor) = (self.ranges[frame.variable], frame.multiplier.abs());
        let Range { reach, speed, acceleration, jerk } = range;
        Range { reach: factor * reach, speed: factor * speed, acceleration: factor * acceleration, jerk: factor * jerk }
    }

    /// The largest levers of all frames, with the tool at `tip` in the middle of the interval.
    fn set_levers(&mut self, tip: &Vector3<f64>) {
        let mut outer = 0.0;
        for (index, frame) in self.chain.program().frames().iter().enumerate().rev() {
            let pose = &self.frames[index + 1];
            self.levers[index] = match frame.motion {
                Motion::Rotation => pose.z_axis().cross(&(tip - pose.translation)).norm() + outer,
                Motion::Translation => 1.0,
            };
            outer += self.levers[index] * self.range_of(index).reach;
        }
    }
}

impl ToolBounds {
    /// Adds what a frame does, outside of those that are `inner`.
    fn add(&mut self, inner: &mut Inner, lever: f64, range: &Range, turns: bool) {
        let Range { speed, acceleration, jerk, .. } = *range;
        let own = if turns { speed } else { 0.0 };
        self.speed += lever * speed;
        self.acceleration += lever * (acceleration + speed * (own + 2.0 * inner.speed));
        // Of the sums over pairs and triples of frames those terms whose outermost one is this.
        let pairs = speed * inner.acceleration + (inner.speed + own) * acceleration;
        let triples = speed * (3.0 * inner.speed * (inner.speed + own) + own * own);
        self.jerk += lever * (jerk + 3.0 * pairs + triples);
        if turns {
            let axis = inner.turning_acceleration + inner.speed * inner.speed;
            self.turning_jerk += jerk + 2.0 * inner.speed * acceleration + axis * speed;
            inner.turning_acceleration += acceleration + speed * inner.speed;
            self.turning_acceleration = inner.turning_acceleration;
            inner.speed += speed;
            inner.acceleration += acceleration;
        }
    }

    /// Bounds on the linear and angular speed between two moments `h` apart from those at both, the larger ones: by the error of
    /// constant and of linear interpolation.
    pub(super) fn speeds_between(&self, h: f64, [linear, angular]: [f64; 2]) -> [f64; 2] {
        let change = |first: f64, second: f64| (0.5 * h * first).min(0.125 * h * h * second);
        let [of_linear, of_angular] =
            [change(self.acceleration, self.jerk), change(self.turning_acceleration, self.turning_jerk)];
        [linear + of_linear, angular + of_angular]
    }
}

/// Parts of every piece of a curve in which bounds are taken.
const PARTS_PER_PIECE: u32 = 64;

/// The largest value of a function of the tool on a curve: of its values at the ends of every part, and how much it may be larger
/// between them, from the length of the part, s, and the bounds there.
fn largest_over(
    chain: &KinematicChain,
    curve: &PiecewisePolynomial,
    at: &mut dyn FnMut(f64) -> f64,
    between: &dyn Fn(f64, &ToolBounds) -> f64,
) -> f64 {
    let mut bounds = MotionBoundsOf::new(chain);
    let mut largest = f64::NEG_INFINITY;
    for piece in 0..curve.pieces() {
        let (knot, duration) = (curve.knots()[piece], curve.piece_duration(piece));
        let step = duration / f64::from(PARTS_PER_PIECE);
        let mut before = at(knot);
        for part in 0..PARTS_PER_PIECE {
            let ends = [f64::from(part) * step, f64::from(part + 1) * step];
            let after = at(knot + ends[1]);
            let on = bounds.on(curve, piece, ends);
            largest = largest.max(before.max(after) + between(step, &on));
            before = after;
        }
    }
    largest
}

/// Bound on the distance of the tool from a point over all of a curve, m: the distance is convex in the position.
pub(crate) fn farthest_from(chain: &KinematicChain, curve: &PiecewisePolynomial, point: &Vector3<f64>) -> f64 {
    let mut frames = chain.frame_buffer();
    let mut at = |time: f64| (chain.tip_rigid(&curve.sample(time, 0), &mut frames).translation - point).norm();
    largest_over(chain, curve, &mut at, &|step, on| 0.125 * step * step * on.acceleration)
}

/// Bounds on the linear and the angular speed of the tool over all of a curve, m/s and rad/s.
pub(crate) fn largest_tool_speeds(chain: &KinematicChain, curve: &PiecewisePolynomial) -> [f64; 2] {
    let (mut frames, mut jacobian) = (chain.frame_buffer(), vec![0.0; 6 * chain.dof()]);
    [0, 3].map(|first| {
        let mut at = |time: f64| {
            let tip = chain.tip_rigid(&curve.sample(time, 0), &mut frames).translation;
            fill(chain, &frames, &tip, &mut jacobian);
            let rates = curve.sample(time, 1);
            let part = |axis: usize| -> f64 {
                jacobian.chunks_exact(6).zip(&rates).map(|(column, rate)| column[first + axis] * rate).sum()
            };
            Vector3::new(part(0), part(1), part(2)).norm()
        };
        largest_over(chain, curve, &mut at, &|step, on| on.speeds_between(step, [0.0; 2])[first / 3])
    })
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use kinetic_robot::Robot;

    use super::*;

    /// Velocity of the tool and its angular velocity.
    fn twist(chain: &KinematicChain, curve: &PiecewisePolynomial, time: f64) -> [Vector3<f64>; 2] {
        let (mut frames, mut jacobian) = (chain.frame_buffer(), vec![0.0; 6 * chain.dof()]);
        let tip = chain.tip_rigid(&curve.sample(time, 0), &mut frames).translation;
        fill(chain, &frames, &tip, &mut jacobian);
        let mut twist = [Vector3::zeros(); 2];
        for (column, rate) in jacobian.chunks_exact(6).zip(curve.sample(time, 1)) {
            twist[0] += Vector3::from_column_slice(&column[..3]) * rate;
            twist[1] += Vector3::from_column_slice(&column[3..]) * rate;
        }
        twist
    }

    #[test]
    fn no_difference_quotient_of_the_twist_is_above_its_bound() {
        // Fetch's torso slides.
        for (name, group) in [("ur5e", "arm"), ("franka_panda", "arm"), ("fetch", "arm_with_torso")] {
            let robot = Robot::from_name(name).expect("built in");
            let chain = KinematicChain::from_robot(&robot, Some(group)).expect("a chain");
            let (mut rng, mut closest) = (SeededRng::new(4), [0.0_f64; 4]);
            for case in 0..200 {
                let scale = 10.0_f64.powf(rng.uniform(-2.0, 0.5));
                let row = |rng: &mut SeededRng| -> [f64; 6] { std::array::from_fn(|_| scale * rng.uniform(-1.0, 1.0)) };
                let rows = (0..chain.dof()).map(|_| row(&mut rng)).collect();
                let duration = 10.0_f64.powf(rng.uniform(-3.0, -0.5));
                let curve = PiecewisePolynomial::new(chain.dof(), vec![0.0, duration], rows).expect("a curve");
                let on = MotionBoundsOf::new(&chain).on(&curve, 0, [0.0, duration]);
                let step = 0.01 * duration;
                for part in 1..100 {
                    let [before, here, after] =
                        [-1.0, 0.0, 1.0].map(|by| twist(&chain, &curve, (f64::from(part) + by) * step));
                    let first = |kind: usize| (after[kind] - before[kind]).norm() / (2.0 * step);
                    let second = |kind: usize| (after[kind] - 2.0 * here[kind] + before[kind]).norm() / (step * step);
                    let bounds = [on.acceleration, on.turning_acceleration, on.jerk, on.turning_jerk];
                    for (index, value) in [first(0), first(1), second(0), second(1)].into_iter().enumerate() {
                        // Differences of nearly equal numbers, divided by the square of the step.
                        let rounding = 1e-14 * (1.0 + scale) / (step * step);
                        assert!(value <= bounds[index] * (1.0 + 1e-9) + rounding, "{name} {case} {index}");
                        closest[index] = closest[index].max(value / bounds[index]);
                    }
                }
            }
            assert!(closest.iter().all(|ratio| *ratio > 0.2), "{name}: {closest:?} of what is met");
        }
    }

    #[test]
    fn speeds_between_moments_are_bounded_by_the_better_of_both_rules() {
        let on = ToolBounds { acceleration: 2.0, jerk: 8.0, ..ToolBounds::default() };
        assert_eq!(on.speeds_between(0.1, [1.0, 0.0]), [1.01, 0.0]);
        assert_eq!(on.speeds_between(10.0, [1.0, 0.0]), [11.0, 0.0]);
    }
}
