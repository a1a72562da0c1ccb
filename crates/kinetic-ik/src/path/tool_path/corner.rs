//! Rounded corners of a tool path: Bézier curves of degree 5 between two segments.
//!
//! Position and orientation have at both ends the first and second derivatives of the segments there (Hermite interpolation).
//! The orientation is the cumulative Bézier curve on rotations of Kim, Kim and Shin 1995 ("A general construction scheme for
//! unit quaternion curves"), `R = P₀ Π exp(v_i B̃_i)`: at its beginning the rotation per part is 5 v₁ and the derivative of that
//! 20 (v₂ − v₁), and likewise at its end.

use nalgebra::{UnitQuaternion, Vector3};

use super::bounds::MotionBounds;
use super::segment::{PathPoint, Segment};

/// A corner from arc length `begin` to `end`.
#[derive(Debug, Clone)]
pub(super) struct Corner {
    pub(super) begin: f64,
    pub(super) end: f64,
    points: [Vector3<f64>; 6],
    first: UnitQuaternion<f64>,
    /// Rotations from each of six orientations to the next, axis times angle in the frame of the tool.
    turns: [Vector3<f64>; 5],
}

impl Corner {
    /// The corner that leaves `before` at a distance `half` from its end and arrives on `after` at the same distance.
    pub(super) fn between(before: &Segment, after: &Segment, half: f64) -> Self {
        let (leaves, arrives) = (before.at(before.length - half), after.at(half));
        let extent = 2.0 * half;
        let step = |point: &PathPoint| point.velocity * (extent / 5.0);
        let bend = |point: &PathPoint| point.acceleration * (extent * extent / 20.0);
        let (p0, p5) = (leaves.position, arrives.position);
        let points = [
            p0,
            p0 + step(&leaves),
            p0 + step(&leaves) * 2.0 + bend(&leaves),
            p5 - step(&arrives) * 2.0 + bend(&arrives),
            p5 - step(&arrives),
            p5,
        ];
        let turn = |point: &PathPoint| point.turning * (extent / 5.0);
        let turn_bend = |point: &PathPoint| point.turning_rate * (extent * extent / 20.0);
        let ends = [turn(&leaves), turn(&leaves) + turn_bend(&leaves)];
        let other_ends = [turn(&arrives) - turn_bend(&arrives), turn(&arrives)];
        let exp = UnitQuaternion::from_scaled_axis;
        let third = leaves.rotation * exp(ends[0]) * exp(ends[1]);
        let fourth = arrives.rotation * exp(-other_ends[1]) * exp(-other_ends[0]);
        let middle = (third.inverse() * fourth).scaled_axis();
        Self {
            begin: before.end() - half,
            end: before.end() + half,
            points,
            first: leaves.rotation,
            turns: [ends[0], ends[1], middle, other_ends[0], other_ends[1]],
        }
    }

    /// The point at an arc length; derivatives of the position and the rotation per metre, but not their derivatives.
    pub(super) fn at(&self, arc_length: f64) -> PathPoint {
        let extent = self.end - self.begin;
        let w = (arc_length - self.begin) / extent;
        let weights = bernstein::<6>(w);
        let slopes = bernstein::<5>(w);
        let bends = bernstein::<4>(w);
        let position = self.points.iter().zip(weights).map(|(point, weight)| point * weight).sum();
        let velocity: Vector3<f64> = self.differences().zip(slopes).map(|(step, weight)| step * weight).sum();
        let second = (0..4).map(|at| self.points[at + 2] - self.points[at + 1] * 2.0 + self.points[at]);
        let acceleration: Vector3<f64> = second.zip(bends).map(|(bend, weight)| bend * weight).sum();
        let (mut rotation, mut turning) = (self.first, Vector3::zeros());
        for (index, turn) in self.turns.iter().enumerate() {
            let cumulative: f64 = weights[index + 1..].iter().sum();
            let by = UnitQuaternion::from_scaled_axis(turn * cumulative);
            rotation *= by;
            turning = by.inverse_transform_vector(&turning) + turn * (5.0 * slopes[index]);
        }
        PathPoint {
            position,
            velocity: velocity * (5.0 / extent),
            acceleration: acceleration * (20.0 / (extent * extent)),
            rotation,
            turning: turning / extent,
            turning_rate: Vector3::zeros(),
        }
    }

    fn differences(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        self.points.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// A derivative of a Bézier curve is one of differences of its points, and inside their hull. Derivatives of the cumulative
    /// basis of degree 5 are Bernstein polynomials of degree 4, which add up to 1; second ones add up to at most 40.
    pub(super) fn bounds(&self) -> MotionBounds {
        let extent = self.end - self.begin;
        let step = self.differences().fold(0.0, |most, step| f64::max(most, step.norm()));
        let second = (0..4).map(|at| self.points[at + 2] - self.points[at + 1] * 2.0 + self.points[at]);
        let bend = second.fold(0.0, |most, bend| f64::max(most, bend.norm()));
        let turn = self.turns.iter().fold(0.0, |most, turn| f64::max(most, turn.norm()));
        MotionBounds {
            speed: 5.0 * step / extent,
            acceleration: 20.0 * bend / (extent * extent),
            turning: 5.0 * turn / extent,
            turning_rate: (40.0 * turn + 12.5 * turn * turn) / (extent * extent),
        }
    }
}

/// Bernstein polynomials of degree N − 1.
fn bernstein<const N: usize>(w: f64) -> [f64; N] {
    let mut values = [0.0; N];
    values[0] = 1.0;
    // de Casteljau: each round raises the degree by one.
    for degree in 1..N {
        for index in (0..=degree).rev() {
            let before = if index > 0 { values[index - 1] } else { 0.0 };
            values[index] = w * before + (1.0 - w) * values[index];
        }
    }
    values
}
