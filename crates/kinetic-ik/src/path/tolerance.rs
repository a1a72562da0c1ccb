//! Tolerances of a pose: a rotation about an axis of the tool and a box of positions.

use std::f64::consts::{PI, TAU};

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use kinetic_kinematics::Rigid;
use nalgebra::{Rotation3, Unit, Vector3};

/// Freedom of a pose on a path: a turn about an axis of the tool, and a box of positions.
///
/// A pose is met when `target_from_tcp` is a translation inside the box followed by a rotation about the axis of at most
/// the angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathTolerance {
    /// Axis of the tool about which it may turn.
    pub axis: Vector3<f64>,
    /// Largest turn in either direction, rad; π leaves the turn free, 0 fixes it.
    pub angle: f64,
    /// Half lengths of the box, along the axes of the target, m.
    pub position: Vector3<f64>,
}

impl Default for PathTolerance {
    fn default() -> Self {
        Self { axis: Vector3::z(), angle: 0.0, position: Vector3::zeros() }
    }
}

/// A choice of what a tolerance leaves free: angle, then position along x, y, z.
pub(super) type Freedom = [f64; 4];

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
        self.halves() == [0.0; 4]
    }

    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for an axis of no length, an angle outside [0, π], or negative lengths.
    pub fn check(&self) -> Result<()> {
        check_finite("axis of tolerance", self.axis.as_slice())?;
        if self.axis.norm() < 1e-9 {
            return Err(KineticError::invalid("axis of tolerance", "a zero vector", "a direction"));
        }
        if !(0.0..=PI).contains(&self.angle) {
            return Err(KineticError::invalid("angle of tolerance", self.angle, "rad, from 0 to pi"));
        }
        match self.position.iter().find(|half| !(half.is_finite() && **half >= 0.0)) {
            Some(half) => Err(KineticError::invalid("position of tolerance", half, "finite lengths of at least 0, m")),
            None => Ok(()),
        }
    }

    /// Half lengths of the freedoms.
    fn halves(&self) -> Freedom {
        [self.angle, self.position.x, self.position.y, self.position.z]
    }

    fn is_full_turn(&self) -> bool {
        self.angle >= PI
    }

    /// `base_from_tcp` when the freedom is used so.
    pub(super) fn apply(&self, target: &Rigid, freedom: &Freedom) -> Rigid {
        if *freedom == [0.0; 4] {
            return *target;
        }
        let turn = Rotation3::from_axis_angle(&Unit::new_normalize(self.axis), freedom[0]).into_inner();
        target.then(&Rigid { rotation: turn, translation: Vector3::new(freedom[1], freedom[2], freedom[3]) })
    }

    /// Choices over the whole tolerance, the pose itself first. Poses with the same tolerance have the same ones, so that
    /// a path can stay at one of them.
    pub(super) fn samples(&self) -> Vec<Freedom> {
        let halves = self.halves();
        let free: Vec<usize> = (0..4).filter(|index| halves[*index] > 0.0).collect();
        let count = match free[..] {
            [] => 1,
            [0] if self.is_full_turn() => SAMPLES_OF_FULL_TURN,
            [_] => SAMPLES_OF_INTERVAL,
            _ => SAMPLES_OF_SEVERAL_FREEDOMS,
        };
        (0..count).map(|sample| self.sample(sample, count, &free)).collect()
    }

    fn sample(&self, sample: usize, count: usize, free: &[usize]) -> Freedom {
        let mut freedom = [0.0; 4];
        for (base, index) in [2, 3, 5, 7].into_iter().zip(free) {
            let part = match free.len() {
                1 if self.is_full_turn() => sample as f64 / count as f64,
                // From the middle to both ends in turns.
                1 => sample.div_ceil(2) as f64 / (count - 1) as f64 * if sample.is_multiple_of(2) { 1.0 } else { -1.0 },
                _ => centred(radical_inverse(sample, base)),
            };
            freedom[*index] = 2.0 * self.halves()[*index] * part;
        }
        freedom
    }

    /// The choice and its neighbours at a distance that shrinks with `level`, inside the tolerance.
    pub(super) fn around(&self, freedom: &Freedom, level: i32) -> Vec<Freedom> {
        let (halves, mut out) = (self.halves(), vec![*freedom]);
        for index in (0..4).filter(|index| halves[*index] > 0.0) {
            let is_endless = index == 0 && self.is_full_turn();
            let reach =
                if is_endless { TAU / SAMPLES_OF_FULL_TURN as f64 } else { halves[index] / 4.0 } * 0.5_f64.powi(level);
            for side in [-reach, reach] {
                let mut neighbour = *freedom;
                let moved = freedom[index] + side;
                neighbour[index] = if is_endless { moved } else { moved.clamp(-halves[index], halves[index]) };
                out.push(neighbour);
            }
        }
        out
    }
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
