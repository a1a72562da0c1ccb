//! Tolerances of a pose: a rotation about an axis of the tool, a cone about it, and a box of positions.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::Range;

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use kinetic_kinematics::Rigid;
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

/// Freedom of a pose on a path: a turn about an axis of the tool, a cone about where the target has that axis, and a box of
/// positions.
///
/// A pose is met when `target_from_tcp` is a translation inside the box, followed by a rotation about a normal of the axis of at
/// most the cone's angle (the swing), followed by a rotation about the axis of at most the angle (the twist).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathTolerance {
    /// Axis of the tool about which it may turn.
    pub axis: Vector3<f64>,
    /// Largest turn in either direction, rad; π leaves the turn free, 0 fixes it.
    pub angle: f64,
    /// Largest angle between the axis and where the target has it, rad, up to π/2; 0 fixes it.
    pub cone: f64,
    /// Half lengths of the box, along the axes of the target, m.
    pub position: Vector3<f64>,
}

impl Default for PathTolerance {
    fn default() -> Self {
        Self { axis: Vector3::z(), angle: 0.0, cone: 0.0, position: Vector3::zeros() }
    }
}

/// A choice of what a tolerance leaves free: angle, position along x, y, z, and the rotation vector of the swing along two normals
/// of the axis.
pub(super) type Freedom = [f64; 6];

/// Nothing of what is free is used.
pub(super) const STRICT: Freedom = [0.0; 6];
/// The parts of a freedom that are positions.
pub(super) const POSITION: Range<usize> = 1..4;
/// The parts of a freedom that share one bound, on their norm.
const SWING: [usize; 2] = [4, 5];

/// Samples along a single freedom: of a full turn, every ten degrees.
const SAMPLES_OF_FULL_TURN: usize = 36;
/// Samples along a single freedom that has ends; odd, so that the middle is one of them.
const SAMPLES_OF_INTERVAL: usize = 17;
/// Samples of several freedoms together.
const SAMPLES_OF_SEVERAL_FREEDOMS: usize = 64;

impl PathTolerance {
    /// Free turn about an axis of the tool.
    pub fn free_turn(axis: Vector3<f64>) -> Self {
        Self { axis, angle: PI, ..Self::default() }
    }

    /// Whether it leaves nothing free.
    pub(super) fn is_strict(&self) -> bool {
        self.halves() == STRICT
    }

    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for an axis of no length, an angle outside [0, π], a cone outside [0, π/2], or negative
    /// lengths.
    pub fn check(&self) -> Result<()> {
        check_finite("axis of tolerance", self.axis.as_slice())?;
        if self.axis.norm() < 1e-9 {
            return Err(KineticError::invalid("axis of tolerance", "a zero vector", "a direction"));
        }
        if !(0.0..=PI).contains(&self.angle) {
            return Err(KineticError::invalid("angle of tolerance", self.angle, "rad, from 0 to pi"));
        }
        if !(0.0..=FRAC_PI_2).contains(&self.cone) {
            return Err(KineticError::invalid("cone of tolerance", self.cone, "rad, from 0 to pi/2"));
        }
        match self.position.iter().find(|half| !(half.is_finite() && **half >= 0.0)) {
            Some(half) => Err(KineticError::invalid("position of tolerance", half, "finite lengths of at least 0, m")),
            None => Ok(()),
        }
    }

    /// A tolerance that leaves less by these amounts (m and rad), where it leaves that much.
    #[must_use]
    pub fn shrunk(&self, length: f64, angle: f64) -> Self {
        Self {
            axis: self.axis,
            angle: if self.is_full_turn() { self.angle } else { (self.angle - angle).max(0.0) },
            cone: (self.cone - angle).max(0.0),
            position: self.position.map(|half| (half - length).max(0.0)),
        }
    }

    /// Half lengths of the freedoms.
    pub(super) fn halves(&self) -> Freedom {
        [self.angle, self.position.x, self.position.y, self.position.z, self.cone, self.cone]
    }

    /// Whether any turn about the axis is allowed.
    pub fn is_full_turn(&self) -> bool {
        self.angle >= PI
    }

    /// Two unit normals of the axis, which is of unit length.
    fn normals(axis: &Unit<Vector3<f64>>) -> [Vector3<f64>; 2] {
        // The base axis that the axis is least along is never parallel to it.
        let (least, _) = axis.abs().argmin();
        let first = axis.cross(&Vector3::ith(least, 1.0)).normalize();
        [first, axis.cross(&first)]
    }

    /// `target_from_tcp` of a choice.
    pub(super) fn offset(&self, freedom: &Freedom) -> Rigid {
        let (rotation, _) = self.rotation(freedom, &STRICT);
        Rigid {
            rotation: rotation.to_rotation_matrix().into_inner(),
            translation: Vector3::from_column_slice(&freedom[POSITION]),
        }
    }

    /// Rotation of `target_from_tcp` for a choice that changes at a rate, and its rate in the frame of the tool.
    pub(super) fn rotation(&self, freedom: &Freedom, rate: &Freedom) -> (UnitQuaternion<f64>, Vector3<f64>) {
        let axis = Unit::new_normalize(self.axis);
        let normals = Self::normals(&axis);
        let turn = UnitQuaternion::from_axis_angle(&axis, freedom[0]);
        let [vector, vector_rate] =
            [freedom, rate].map(|parts| normals[0] * parts[SWING[0]] + normals[1] * parts[SWING[1]]);
        let (swing, swing_rate) = exponential(&vector, &vector_rate);
        (swing * turn, turn.inverse_transform_vector(&swing_rate) + axis.into_inner() * rate[0])
    }

    /// `base_from_tcp` when the freedom is used so.
    pub(super) fn apply(&self, target: &Rigid, freedom: &Freedom) -> Rigid {
        if *freedom == STRICT { *target } else { target.then(&self.offset(freedom)) }
    }

    /// Swing and twist of `target_from_tcp`'s rotation: components of its unit quaternion along the axis and normal to it, the
    /// sign chosen so that the scalar part is not negative.
    pub fn swing_twist(&self, target_from_tcp: &UnitQuaternion<f64>) -> SwingTwist {
        let axis = Unit::new_normalize(self.axis);
        let sign = if target_from_tcp.w < 0.0 { -1.0 } else { 1.0 };
        let vector = target_from_tcp.imag() * sign;
        let along = vector.dot(&axis);
        SwingTwist { scalar: sign * target_from_tcp.w, along, normal: vector - axis.into_inner() * along }
    }

    /// Choices over the whole tolerance, the pose itself first. Poses with the same tolerance have the same ones, so that
    /// a path can stay at one of them.
    pub(super) fn samples(&self) -> Vec<Freedom> {
        let halves = self.halves();
        let free: Vec<usize> = (0..halves.len()).filter(|index| halves[*index] > 0.0).collect();
        let count = match free[..] {
            [] => 1,
            [0] if self.is_full_turn() => SAMPLES_OF_FULL_TURN,
            [_] => SAMPLES_OF_INTERVAL,
            _ => SAMPLES_OF_SEVERAL_FREEDOMS,
        };
        (0..count).map(|sample| self.sample(sample, count, &free)).collect()
    }

    fn sample(&self, sample: usize, count: usize, free: &[usize]) -> Freedom {
        let mut freedom = STRICT;
        for (base, index) in [2, 3, 5, 7, 11, 13].into_iter().zip(free) {
            let part = match free.len() {
                1 if self.is_full_turn() => sample as f64 / count as f64,
                // From the middle to both ends in turns.
                1 => sample.div_ceil(2) as f64 / (count - 1) as f64 * if sample.is_multiple_of(2) { 1.0 } else { -1.0 },
                _ => centred(radical_inverse(sample, base)),
            };
            freedom[*index] = 2.0 * self.halves()[*index] * part;
        }
        // The square onto its disc, ray by ray.
        let [a, b] = SWING.map(|index| freedom[index]);
        let longest = a.abs().max(b.abs());
        if longest > 0.0 {
            for index in SWING {
                freedom[index] *= longest / a.hypot(b);
            }
        }
        freedom
    }

    /// The choice inside the tolerance nearest to one along every freedom.
    fn clamped(&self, mut freedom: Freedom) -> Freedom {
        let halves = self.halves();
        for index in (0..4).filter(|index| *index > 0 || !self.is_full_turn()) {
            freedom[index] = freedom[index].clamp(-halves[index], halves[index]);
        }
        let swing = freedom[SWING[0]].hypot(freedom[SWING[1]]);
        if swing > self.cone {
            for index in SWING {
                freedom[index] *= self.cone / swing;
            }
        }
        freedom
    }

    /// The choice and its neighbours at a distance that shrinks with `level`, inside the tolerance.
    pub(super) fn around(&self, freedom: &Freedom, level: i32) -> Vec<Freedom> {
        let (halves, mut out) = (self.halves(), vec![*freedom]);
        for index in (0..halves.len()).filter(|index| halves[*index] > 0.0) {
            let is_endless = index == 0 && self.is_full_turn();
            let reach =
                if is_endless { TAU / SAMPLES_OF_FULL_TURN as f64 } else { halves[index] / 4.0 } * 0.5_f64.powi(level);
            for side in [-reach, reach] {
                let mut neighbour = *freedom;
                neighbour[index] += side;
                out.push(self.clamped(neighbour));
            }
        }
        out
    }
}

/// A rotation as a twist about an axis followed by a swing about a normal of it: the parts of its unit quaternion. The swing's angle
/// is `2 asin |normal|`, the twist's `2 atan2(along, scalar)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwingTwist {
    /// The scalar part, at least 0.
    pub scalar: f64,
    /// The vector part along the axis.
    pub along: f64,
    /// The vector part normal to the axis.
    pub normal: Vector3<f64>,
}

/// Rotation vectors shorter than this are expanded in series, rad.
const SMALL_ROTATION_RAD: f64 = 1e-3;

/// The rotation of a rotation vector that changes at a rate, and its rate in the rotated frame: the right Jacobian of the
/// exponential map (Chirikjian, "Stochastic Models, Information Theory, and Lie Groups", vol. 2, eq. 10.86).
fn exponential(vector: &Vector3<f64>, rate: &Vector3<f64>) -> (UnitQuaternion<f64>, Vector3<f64>) {
    let angle = vector.norm();
    let (sin, cos) = (0.5 * angle).sin_cos();
    let [half, first, second] = if angle < SMALL_ROTATION_RAD {
        let square = angle * angle;
        [0.5 - square / 48.0, 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0]
    } else {
        let square = angle * angle;
        [sin / angle, 2.0 * sin * sin / square, (angle - 2.0 * sin * cos) / (square * angle)]
    };
    let rotation = UnitQuaternion::new_unchecked(Quaternion::from_imag(vector * half) + Quaternion::from_real(cos));
    let across = vector.cross(rate);
    (rotation, rate - across * first + vector.cross(&across) * second)
}

/// From [0, 1) to [−½, ½), 0 first.
fn centred(part: f64) -> f64 {
    if part < 0.5 { part } else { part - 1.0 }
}

/// Halton 1960: the digits of `index` in `base`, mirrored at the point.
fn radical_inverse(mut index: usize, base: usize) -> f64 {
    let (mut value, mut scale) = (0.0, 1.0);
    while index > 0 {
        scale /= base as f64;
        value += scale * (index % base) as f64;
        index /= base;
    }
    value
}
