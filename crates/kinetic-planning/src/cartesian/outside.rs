//! How far a tool is outside of what a path leaves free: at a moment, and between two.
//!
//! Distances from convex sets are convex: of a position from a box, of the parts of a unit quaternion from what bounds swing and
//! twist. Over an interval the relative pose differs from linear interpolation by at most 1/8 of its second derivative, so that a
//! convex function is at most the larger one of both ends, and that much times its slope.

use std::f64::consts::PI;

use kinetic_ik::PathTolerance;
use kinetic_ik::path::SwingTwist;
use nalgebra::{UnitQuaternion, Vector3};

/// `target_from_tool`, where the target is the path without its freedom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    translation: Vector3<f64>,
    turn: SwingTwist,
}

/// What target and tool do over an interval whose part goes from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct IntervalMotion {
    /// How far and how much the tool accelerates, m, and turns, rad.
    pub(super) tool: Derivatives,
    /// The same of the target.
    pub(super) target: Derivatives,
}

/// Bounds on derivatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Derivatives {
    pub(super) speed: f64,
    pub(super) acceleration: f64,
    pub(super) turning: f64,
    pub(super) turning_rate: f64,
}

impl Relative {
    pub(super) fn new(
        tolerance: &PathTolerance,
        (position, rotation): (&Vector3<f64>, &UnitQuaternion<f64>),
        (tool, tool_rotation): (&Vector3<f64>, &UnitQuaternion<f64>),
    ) -> Self {
        let translation = rotation.inverse_transform_vector(&(tool - position));
        Self { translation, turn: tolerance.swing_twist(&(rotation.inverse() * tool_rotation)) }
    }

    /// Distance from the box, m, and angle outside of the rotations, rad.
    pub(super) fn outside(&self, tolerance: &PathTolerance) -> [f64; 2] {
        [self.distance_from_box(tolerance), angle_outside(tolerance, [self, self], 0.0)]
    }

    fn distance_from_box(&self, tolerance: &PathTolerance) -> f64 {
        (self.translation.abs() - tolerance.position).map(|excess| excess.max(0.0)).norm()
    }
}

/// Bounds on distance and angle between two moments.
pub(super) fn outside_between(
    tolerance: &PathTolerance,
    ends: [&Relative; 2],
    IntervalMotion { tool, target }: &IntervalMotion,
) -> [f64; 2] {
    // p = Rᵀ v of the target's rotation R and the way v from target to tool.
    let way_speed = tool.speed + target.speed;
    let way = ends[0].translation.norm().max(ends[1].translation.norm()) + 0.5 * way_speed;
    let spin = target.turning * target.turning + target.turning_rate;
    let bend = (tool.acceleration + target.acceleration + 2.0 * target.turning * way_speed + spin * way) / 8.0;
    // The unit quaternion of a rotation with the rate ω has second derivatives of at most |ω′|/2 + |ω|²/4.
    let turning = tool.turning + target.turning;
    let turning_rate = tool.turning_rate + target.turning_rate + turning * target.turning;
    let turn_bend = (0.5 * turning_rate + 0.25 * turning * turning) / 8.0;
    let away = ends[0].distance_from_box(tolerance).max(ends[1].distance_from_box(tolerance)) + bend;
    // A quaternion keeps its sign where it turns by less than half a turn.
    let angle = if turning < PI { angle_outside(tolerance, ends, turn_bend) } else { PI };
    let is_inside = ends.iter().all(|end| end.is_far_inside(tolerance, bend));
    [if is_inside { 0.0 } else { away }, angle]
}

impl Relative {
    /// Whether the position is inside the box by more than a distance.
    fn is_far_inside(&self, tolerance: &PathTolerance, distance: f64) -> bool {
        (tolerance.position - self.translation.abs()).min() >= distance
    }
}

/// Angle outside of the rotations of a tolerance for all quaternions between those of two ends, and up to `bend` beside them.
fn angle_outside(tolerance: &PathTolerance, [a, b]: [&Relative; 2], bend: f64) -> f64 {
    let (a, b) = (&a.turn, &b.turn);
    let half_sine = |sine: f64| 2.0 * sine.min(1.0).asin();
    if !tolerance.is_full_turn() && a.scalar * b.scalar + a.along * b.along + a.normal.dot(&b.normal) < 0.0 {
        return PI;
    }
    if tolerance.angle == 0.0 && tolerance.cone == 0.0 {
        let whole = |turn: &SwingTwist| turn.normal.norm().hypot(turn.along);
        return half_sine(whole(a).max(whole(b)) + bend);
    }
    let swing = half_sine(a.normal.norm().max(b.normal.norm()) + bend);
    let swing_outside = (swing - tolerance.cone).max(0.0);
    if tolerance.is_full_turn() {
        return swing_outside;
    }
    // cos(swing/2) sin((|twist| − angle)/2), from the parts of the quaternion.
    let (sin, cos) = (0.5 * tolerance.angle).sin_cos();
    let beyond = |turn: &SwingTwist| turn.along.abs() * cos - turn.scalar * sin;
    let beyond = beyond(a).max(beyond(b)) + bend;
    if beyond <= 0.0 {
        swing_outside
    } else {
        swing_outside + half_sine(beyond / (0.5 * swing).cos().max(f64::MIN_POSITIVE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relative(tolerance: &PathTolerance, turn: UnitQuaternion<f64>) -> Relative {
        let (origin, none) = (Vector3::zeros(), UnitQuaternion::identity());
        Relative::new(tolerance, (&origin, &none), (&origin, &turn))
    }

    #[test]
    fn angles_outside_are_those_that_a_rotation_was_made_of() {
        let axis = Vector3::new(0.0, 0.6, 0.8);
        let normal = nalgebra::Unit::new_normalize(axis.cross(&Vector3::x()));
        let axis_unit = nalgebra::Unit::new_normalize(axis);
        for (cone, angle) in [(0.2, 0.5), (0.0, PI), (0.3, PI), (0.0, 0.4), (0.25, 0.0)] {
            let tolerance = PathTolerance { axis, angle, cone, ..PathTolerance::default() };
            for step in 0..400 {
                let (swing, twist) = (0.001 * f64::from(step), 2.9 * (0.7 * f64::from(step)).sin());
                let turn = UnitQuaternion::from_axis_angle(&normal, swing)
                    * UnitQuaternion::from_axis_angle(&axis_unit, twist);
                let wanted = (swing - cone).max(0.0)
                    + if tolerance.is_full_turn() { 0.0 } else { (twist.abs() - angle).max(0.0) };
                let [away, found] = relative(&tolerance, turn).outside(&tolerance);
                assert!(away == 0.0 && (found - wanted).abs() < 1e-7, "{swing} {twist}: {found} for {wanted}");
            }
        }
    }

    #[test]
    fn bounds_between_moments_hold_for_all_moments_between() {
        use kinetic_core::rng::SeededRng;
        for seed in 0..300 {
            let mut rng = SeededRng::new(seed);
            let mut vector = |most: f64| Vector3::from_fn(|_, _| rng.uniform(-most, most));
            let (axis, position) = (vector(1.0), vector(0.05).abs());
            let (by, along, turn, spin, offset) = (vector(0.2), vector(0.2), vector(0.3), vector(0.3), vector(0.1));
            let lean = vector(0.5);
            let tolerance = PathTolerance { axis, angle: [0.0, 0.3, PI][seed as usize % 3], cone: 0.1, position };
            let begin = UnitQuaternion::from_scaled_axis(lean);
            let at = |u: f64| {
                let target = (by * u, UnitQuaternion::from_scaled_axis(turn * u));
                let tool = (offset + along * u, begin * UnitQuaternion::from_scaled_axis(spin * u));
                Relative::new(&tolerance, (&target.0, &target.1), (&tool.0, &tool.1))
            };
            let even = |speed: &Vector3<f64>, turning: &Vector3<f64>| Derivatives {
                speed: speed.norm(),
                acceleration: 0.0,
                turning: turning.norm(),
                turning_rate: 0.0,
            };
            let motion = IntervalMotion { tool: even(&along, &spin), target: even(&by, &turn) };
            let bounds = outside_between(&tolerance, [&at(0.0), &at(1.0)], &motion);
            for step in 0..=50 {
                let found = at(f64::from(step) / 50.0).outside(&tolerance);
                assert!(
                    found[0] <= bounds[0] + 1e-12 && found[1] <= bounds[1] + 1e-9,
                    "seed {seed}: {found:?} {bounds:?}"
                );
            }
        }
    }
}
