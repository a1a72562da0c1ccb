//! Bounds on how the tool of a chain moves while the joints stay inside intervals of position, velocity and acceleration.
//!
//! With frames from base to tip, `∂p/∂q_j` is no longer than the lever of frame `j` (distance of the tool from its axis, or 1 for
//! a sliding joint), and `∂²p/∂q_i∂q_j` of an inner turning frame `i` is `z_i × ∂p/∂q_j`, so no longer either. Levers change by
//! at most that of an outer frame times its motion.

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::enclosure;
use kinetic_kinematics::jacobian::fill;
use kinetic_kinematics::program::Motion;
use kinetic_kinematics::{KinematicChain, Rigid};
use nalgebra::Vector3;

/// Largest speeds and accelerations of the tool over an interval of time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ToolBounds {
    /// Of the position, m/s.
    pub(super) speed: f64,
    /// Of the position, m/s².
    pub(super) acceleration: f64,
    /// Angular speed, rad/s.
    pub(super) turning: f64,
    /// Angular acceleration, rad/s².
    pub(super) turning_acceleration: f64,
}

impl ToolBounds {
    /// Of the rotation matrix's second derivative, in the Frobenius norm: `R″ = ([ω′] + [ω]²) R`.
    pub(super) fn matrix_acceleration(&self) -> f64 {
        std::f64::consts::SQRT_2 * (self.turning_acceleration + self.turning * self.turning)
    }
}

/// What a joint does at most.
#[derive(Debug, Clone, Copy)]
struct Range {
    /// How far from the middle of the interval.
    reach: f64,
    speed: f64,
    acceleration: f64,
}

/// The bounds of one chain, with its buffers.
pub(super) struct MotionBoundsOf<'a> {
    chain: &'a KinematicChain,
    frames: Vec<Rigid>,
    levers: Vec<f64>,
}

impl<'a> MotionBoundsOf<'a> {
    pub(super) fn new(chain: &'a KinematicChain) -> Self {
        Self { chain, frames: chain.frame_buffer(), levers: vec![0.0; chain.program().frames().len()] }
    }

    /// The bounds on a part of a piece, in its own time.
    pub(super) fn on(&mut self, curve: &PiecewisePolynomial, piece: usize, [from, to]: [f64; 2]) -> ToolBounds {
        let middle = curve.sample(curve.knots()[piece] + f64::midpoint(from, to), 0);
        let tip = self.chain.tip_rigid(&middle, &mut self.frames).translation;
        let ranges = ranges(curve, piece, [from, to]);
        let chain = self.chain;
        let frames = chain.program().frames();
        let range_of = |index: usize| {
            let (range, factor) = (ranges[frames[index].variable], frames[index].multiplier.abs());
            let Range { reach, speed, acceleration } = range;
            Range { reach: factor * reach, speed: factor * speed, acceleration: factor * acceleration }
        };
        let mut outer = 0.0;
        for index in (0..frames.len()).rev() {
            let pose = &self.frames[index + 1];
            self.levers[index] = match frames[index].motion {
                Motion::Rotation => pose.z_axis().cross(&(tip - pose.translation)).norm() + outer,
                Motion::Translation => 1.0,
            };
            outer += self.levers[index] * range_of(index).reach;
        }
        let (mut bounds, mut inner) = (ToolBounds::default(), 0.0);
        for (index, frame) in frames.iter().enumerate() {
            let (Range { speed, acceleration, .. }, lever) = (range_of(index), self.levers[index]);
            let turns = frame.motion == Motion::Rotation;
            let own = if turns { speed } else { 0.0 };
            bounds.speed += lever * speed;
            bounds.acceleration += lever * (acceleration + speed * (own + 2.0 * inner));
            if turns {
                bounds.turning_acceleration += acceleration + speed * inner;
                inner += speed;
            }
        }
        bounds.turning = inner;
        bounds
    }
}

/// What each joint does on a part of a piece.
fn ranges(curve: &PiecewisePolynomial, piece: usize, [from, to]: [f64; 2]) -> Vec<Range> {
    let largest = |joint: usize, order: usize| {
        let (low, high) = enclosure(curve.coefficients(piece, joint), order, from, to);
        low.abs().max(high.abs())
    };
    let range = |joint: usize| {
        let speed = largest(joint, 1);
        Range { reach: 0.5 * (to - from) * speed, speed, acceleration: largest(joint, 2) }
    };
    (0..curve.dof()).map(range).collect()
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
        largest_over(chain, curve, &mut at, &|step, on| {
            0.5 * step * if first == 0 { on.acceleration } else { on.turning_acceleration }
        })
    })
}
