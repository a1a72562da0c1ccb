//! Segments of a tool path: a translation and a rotation, both smooth, over the length of the segment.

use kinetic_core::Pose;
use nalgebra::{UnitQuaternion, Vector3};

use super::METRES_PER_RADIAN;
use super::bounds::MotionBounds;

/// A point of a path with its derivatives by the arc length, which is a length in m.
#[derive(Debug, Clone, Copy)]
pub struct PathPoint {
    /// Position of the tool, m.
    pub position: Vector3<f64>,
    /// First derivative of the position.
    pub velocity: Vector3<f64>,
    /// Second derivative of the position, 1/m.
    pub acceleration: Vector3<f64>,
    /// `base_from_tool`.
    pub rotation: UnitQuaternion<f64>,
    /// Rotation per metre, axis times angle in the frame of the tool, rad/m.
    pub turning: Vector3<f64>,
    /// Derivative of `turning`, rad/m².
    pub turning_rate: Vector3<f64>,
}

/// How the position goes, in the part `u` of the segment from 0 to 1.
#[derive(Debug, Clone)]
pub(super) enum Translation {
    /// A line.
    Line { from: Vector3<f64>, by: Vector3<f64> },
    /// `center + x cos(angle u) + y sin(angle u) + advance u`, where `x`, `y` and `advance` are normal to each other and `x` and
    /// `y` of equal length: a circular arc, or a helix.
    Helix { center: Vector3<f64>, x: Vector3<f64>, y: Vector3<f64>, angle: f64, advance: Vector3<f64> },
}

/// How the orientation goes.
#[derive(Debug, Clone)]
pub(super) enum Rotation {
    /// Evenly about one axis of the tool (slerp).
    Even { from: UnitQuaternion<f64>, by: Vector3<f64> },
    /// `from · exp(β₁(u) first) · exp(β₂(u) second)`, with the parabolas β₁ through (0, 0), (via, 1), (1, 1) and β₂ through
    /// (0, 0), (via, 0), (1, 1): it meets the orientation `from · exp(first)` at `via`, and is even where all three lie on one
    /// even rotation.
    Via { from: UnitQuaternion<f64>, first: Vector3<f64>, second: Vector3<f64>, via: f64 },
}

/// A segment that begins at `arc_length`.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) arc_length: f64,
    pub(super) length: f64,
    pub(super) translation: Translation,
    pub(super) rotation: Rotation,
}

impl Translation {
    /// Position and its first two derivatives by the part of the segment.
    fn at(&self, u: f64) -> [Vector3<f64>; 3] {
        match self {
            Self::Line { from, by } => [from + by * u, *by, Vector3::zeros()],
            Self::Helix { center, x, y, angle, advance } => {
                let (sin, cos) = (angle * u).sin_cos();
                let radius = x * cos + y * sin;
                let velocity = (y * cos - x * sin) * *angle + advance;
                [center + radius + advance * u, velocity, radius * -(angle * angle)]
            }
        }
    }

    fn length(&self) -> f64 {
        match self {
            Self::Line { by, .. } => by.norm(),
            Self::Helix { x, angle, advance, .. } => (x.norm() * angle).hypot(advance.norm()),
        }
    }

    /// Bound on the second derivative.
    fn bend(&self) -> f64 {
        match self {
            Self::Line { .. } => 0.0,
            Self::Helix { x, angle, .. } => x.norm() * angle * angle,
        }
    }
}

/// The parabolas of [`Rotation::Via`] with their first two derivatives.
fn parabolas(u: f64, via: f64) -> [[f64; 3]; 2] {
    let second = |u: f64| [u * (u - via), 2.0 * u - via, 2.0].map(|value| value / (1.0 - via));
    // 1 − (u − via)(u − 1) / via is 0 at 0, and 1 at `via` and 1.
    let first = [(u - via) * (u - 1.0), 2.0 * u - via - 1.0, 2.0].map(|value| -value / via);
    [[1.0 + first[0], first[1], first[2]], second(u)]
}

impl Rotation {
    /// Orientation, and its rate and the derivative of that in the frame of the tool, by the part of the segment.
    fn at(&self, u: f64) -> (UnitQuaternion<f64>, Vector3<f64>, Vector3<f64>) {
        match self {
            Self::Even { from, by } => (from * UnitQuaternion::from_scaled_axis(by * u), *by, Vector3::zeros()),
            Self::Via { from, first, second, via } => {
                let [a, b] = parabolas(u, *via);
                let turned = UnitQuaternion::from_scaled_axis(second * b[0]);
                // The first rotation's axis in the frame of the tool, and how that turns.
                let axis = turned.inverse_transform_vector(first);
                let axis_rate = -(second * b[1]).cross(&axis);
                let rotation = from * UnitQuaternion::from_scaled_axis(first * a[0]) * turned;
                (rotation, axis * a[1] + second * b[1], axis * a[2] + axis_rate * a[1] + second * b[2])
            }
        }
    }

    /// How far it turns, one rotation after the other.
    fn angle(&self) -> f64 {
        match self {
            Self::Even { by, .. } => by.norm(),
            Self::Via { first, second, .. } => first.norm() + second.norm(),
        }
    }

    /// Bounds on the rate and its derivative.
    fn bounds(&self) -> [f64; 2] {
        match self {
            Self::Even { by, .. } => [by.norm(), 0.0],
            Self::Via { first, second, via, .. } => {
                let ends = [parabolas(0.0, *via), parabolas(1.0, *via)];
                // The derivative of a parabola is largest at an end.
                let most = |which: usize, order: usize| ends[0][which][order].abs().max(ends[1][which][order].abs());
                let rates = [most(0, 1) * first.norm(), most(1, 1) * second.norm()];
                let bend = most(0, 2) * first.norm() + most(1, 2) * second.norm();
                [rates[0] + rates[1], bend + rates[0] * rates[1]]
            }
        }
    }
}

impl Segment {
    /// A segment whose length is that of the translation, or of the rotation where it is longer.
    pub(super) fn new(translation: Translation, rotation: Rotation, arc_length: f64) -> Self {
        let length = translation.length().max(METRES_PER_RADIAN * rotation.angle());
        Self { arc_length, length, translation, rotation }
    }

    /// Position on a line, orientation about one axis.
    pub(super) fn between(a: &Pose, b: &Pose, arc_length: f64) -> Self {
        let by = b.translation() - a.translation();
        let turn = (a.rotation().inverse() * b.rotation()).scaled_axis();
        let translation = Translation::Line { from: a.translation(), by };
        Self::new(translation, Rotation::Even { from: a.rotation(), by: turn }, arc_length)
    }

    pub(super) fn end(&self) -> f64 {
        self.arc_length + self.length
    }

    /// The point at a distance from the beginning.
    pub(super) fn at(&self, distance: f64) -> PathPoint {
        let (u, per_metre) = (distance / self.length, 1.0 / self.length);
        let [position, velocity, acceleration] = self.translation.at(u);
        let (rotation, turning, turning_rate) = self.rotation.at(u);
        PathPoint {
            position,
            velocity: velocity * per_metre,
            acceleration: acceleration * (per_metre * per_metre),
            rotation,
            turning: turning * per_metre,
            turning_rate: turning_rate * (per_metre * per_metre),
        }
    }

    pub(super) fn bounds(&self) -> MotionBounds {
        let (per_metre, [turning, turning_rate]) = (1.0 / self.length, self.rotation.bounds());
        MotionBounds {
            speed: self.translation.length() * per_metre,
            acceleration: self.translation.bend() * per_metre * per_metre,
            turning: turning * per_metre,
            turning_rate: turning_rate * per_metre * per_metre,
        }
    }
}
