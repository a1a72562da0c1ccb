//! Bounds of the second order of how far a constraint is exceeded while joints move on nearly straight ways.
//!
//! The residual `r` of a measure is a vector whose length is its deviation, or `2 sin(θ/2)` of a deviation `θ` that is an angle (the
//! chord of the angle on the unit sphere; of rotations the Frobenius norm of the difference of both matrices over √2). For the
//! configurations `q + t·a + e` with `|t| ≤ 1` and `|e_j| ≤ ρ_j`, Taylor's theorem gives
//!
//! `|r| ≤ max(|r(q) + J a|, |r(q) − J a|) + Σ_j |J_j| ρ_j + ½ max |r''[δ, δ]|`
//!
//! The maximum is at an end because the norm of a linear function is convex. `J a` is the velocity of the links for the joint
//! velocities `a`. The second derivative is bounded by the links' lengths: where joint `k` lies nearer to the link than `j`, or is
//! the same, `∂²p/∂q_j∂q_k = z_j × ∂p/∂q_k`, no longer than the motion bound of `k`; of rotations the product of both rates. So
//!
//! `|p''[δ, δ]| ≤ Σ_k w_k |δ_k| (ω_k |δ_k| + 2 Σ_{j before k} ω_j |δ_j|)`
//!
//! with the motion bounds `ω` of the rotation and `w` of the point. A residual that vanishes at both ends of an edge is thus bounded
//! by about its curvature times the square of the edge's length over eight, where the bound of the first order is half of its
//! rate times the length.

use kinetic_kinematics::tree::column;
use kinetic_kinematics::{JointProgram, Rigid};
use nalgebra::{Matrix3, Vector3};

use super::measure::{Measure, Quantity, off_line};
use super::motion_bounds::LinkFrame;

/// Configurations around one: `q + t·along + e` with `|t| ≤ 1` and `|e_j| ≤ off_straight_j`.
#[derive(Clone, Copy)]
pub(super) struct Neighbourhood<'a> {
    /// Poses of all frames at `q`.
    pub(super) frames: &'a [Rigid],
    /// How far each joint is from `q` at most.
    pub(super) radii: &'a [f64],
    /// Half of the straight way.
    pub(super) along: &'a [f64],
    /// How far each joint leaves the straight way at most.
    pub(super) off_straight: &'a [f64],
}

impl Measure {
    /// The largest deviation in a neighbourhood by the bound of the second order (see the module); infinite for views, of which
    /// only the first order is bounded.
    pub(super) fn largest_deviation(&self, program: &JointProgram, around: &Neighbourhood<'_>) -> f64 {
        let motion = LinkVelocities { program, around, fixed: self.fixed };
        let of_point = |value: Vector3<f64>, velocity: Vector3<f64>| {
            farther_end(&value, &velocity) + self.bounds.rest_of_translation(around.off_straight, around.radii)
        };
        let of_chord =
            |chord: f64| angle_of_chord(chord + self.bounds.rest_of_rotation(around.off_straight, around.radii));
        match &self.quantity {
            Quantity::Axis { link, link_axis, axis } => {
                let now = link.pose(around.frames).rotation * link_axis;
                of_chord(farther_end(&(now - axis), &motion.of(link, None).angular.cross(&now)))
            }
            Quantity::Orientation { link, rotation } => {
                let now = link.pose(around.frames).rotation;
                of_chord(farther_rotation(&(now - rotation), &(motion.of(link, None).angular.cross_matrix() * now)))
            }
            Quantity::Plane { link, point, normal } => {
                let height = normal.dot(&(link.pose(around.frames).translation - point));
                of_point(normal * height, normal * normal.dot(&motion.of(link, None).linear))
            }
            Quantity::Line { link, point, direction } => {
                let offset = off_line(&(link.pose(around.frames).translation - point), direction);
                of_point(offset, off_line(&motion.of(link, None).linear, direction))
            }
            Quantity::View { .. } => f64::INFINITY,
            Quantity::Distance { links, middle } => {
                let [a, b] = links.map(|link| link.pose(around.frames).translation);
                let velocity = motion.of(&links[1], None).linear - motion.of(&links[0], None).linear;
                let rest = self.bounds.rest_of_translation(around.off_straight, around.radii);
                farther_distance(&(b - a), &velocity, *middle) + rest
            }
            Quantity::RelativeOrientation { links, rotation } => {
                let [a, b] = links.map(|link| link.pose(around.frames).rotation);
                let wanted = a * rotation;
                let [turn_a, turn_b] = [0, 1].map(|which| motion.of(&links[which], None).angular.cross_matrix());
                of_chord(farther_rotation(&(b - wanted), &(turn_b * b - turn_a * wanted)))
            }
            Quantity::RelativePosition { links, position } => {
                let [a, b] = links.map(|link| link.pose(around.frames));
                let there = a.point(position);
                let velocity = motion.of(&links[1], None).linear - motion.of(&links[0], Some(&there)).linear;
                of_point(b.translation - there, velocity)
            }
        }
    }
}

/// Velocities of links for the joint velocities `along`, against the frame `fixed`, which carries all links of a measure.
struct LinkVelocities<'a> {
    program: &'a JointProgram,
    around: &'a Neighbourhood<'a>,
    fixed: usize,
}

/// Of a point that is fixed on a link.
struct Velocity {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl LinkVelocities<'_> {
    /// Of a point on the link; of its origin where none is given.
    fn of(&self, link: &LinkFrame, point: Option<&Vector3<f64>>) -> Velocity {
        let frames = self.around.frames;
        let origin = link.pose(frames).translation;
        let point = point.unwrap_or(&origin);
        let mut sum = Velocity { linear: Vector3::zeros(), angular: Vector3::zeros() };
        let mut current = link.frame;
        while current != self.fixed && current != 0 {
            let frame = &self.program.frames()[current - 1];
            let (linear, angular) = column(frame, &frames[current], point);
            let rate = self.around.along[frame.variable];
            sum.linear += linear * rate;
            sum.angular += angular * rate;
            current = frame.parent;
        }
        sum
    }
}

fn farther_end(value: &Vector3<f64>, way: &Vector3<f64>) -> f64 {
    (value + way).norm().max((value - way).norm())
}

/// The same of differences of rotation matrices, in the scale of chords.
fn farther_rotation(value: &Matrix3<f64>, way: &Matrix3<f64>) -> f64 {
    (value + way).norm().max((value - way).norm()) * std::f64::consts::FRAC_1_SQRT_2
}

/// The angle whose chord is no longer; π where every chord is shorter.
fn angle_of_chord(chord: f64) -> f64 {
    if chord < 2.0 { 2.0 * (0.5 * chord).asin() } else { std::f64::consts::PI }
}

/// How far the length of `offset + t·way`, `|t| ≤ 1`, can be from `middle`.
fn farther_distance(offset: &Vector3<f64>, way: &Vector3<f64>, middle: f64) -> f64 {
    let squared = way.norm_squared();
    let nearest = if squared > 0.0 { (-offset.dot(way) / squared).clamp(-1.0, 1.0) } else { 0.0 };
    let shortest = (offset + way * nearest).norm();
    (farther_end(offset, way) - middle).abs().max((shortest - middle).abs())
}
