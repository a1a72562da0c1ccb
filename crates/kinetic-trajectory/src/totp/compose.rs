//! γ(s(t)) as quintics of time.
//!
//! With s quadratic in t, γ of degree n becomes a polynomial of degree 2n. Powers above the fifth are replaced by the
//! quintics with the same position, velocity and acceleration at both ends of the piece, so that neighbours still fit.
//! What that changes is known: τᵏ less its quintic is τ³(τ − 1)³ times a polynomial, whose largest values stand in tables.
//! A piece is cut in equal times until the change of acceleration is below a small part of the limit.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::curve::{Coefficients, MAX_DEGREE};

use super::stage::shifted;
use crate::lanes::Lanes;
use crate::trapezoid::Phase;

/// Highest power of γ(s(t)).
const MAX_COMPOSED_DEGREE: usize = 2 * MAX_DEGREE;

/// Largest |τᵏ − its quintic| on [0, 1] for k = 6 … 10, rounded up.
const POSITION_CHANGE: [f64; 5] = [0.015_626, 0.054_8, 0.121_8, 0.219_1, 0.348_2];

/// Largest |second derivative of (τᵏ − its quintic)| on [0, 1] for k = 6 … 10, rounded up.
const ACCELERATION_CHANGE: [f64; 5] = [0.375_1, 1.323, 2.949, 5.309, 8.431];

/// A segment of one element with one path acceleration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion {
    /// Path parameter since the element began.
    pub(crate) offset: f64,
    /// Path speed at its beginning, and path acceleration.
    pub(crate) speed: f64,
    pub(crate) acceleration: f64,
    pub(crate) duration: f64,
}

impl From<&Phase> for Motion {
    fn from(phase: &Phase) -> Self {
        let (speed, acceleration, duration) = (phase.speed, phase.acceleration, phase.end - phase.time);
        Self { offset: phase.offset, speed, acceleration, duration }
    }
}

impl Motion {
    /// Part `part` of `parts` equal times.
    pub(crate) fn cut(&self, part: usize, parts: usize) -> Self {
        let duration = self.duration / parts as f64;
        let time = part as f64 * duration;
        Self {
            offset: self.offset + time * (self.speed + 0.5 * self.acceleration * time),
            speed: (self.speed + self.acceleration * time).max(0.0),
            acceleration: self.acceleration,
            duration,
        }
    }
}

/// γ(s(t)) of one joint on an element of degree 2 at most, which needs no composition: a polynomial of degree 4.
pub(crate) fn exact(row: &Coefficients, motion: &Motion) -> Coefficients {
    let (at, v, u) = (motion.offset, motion.speed, motion.acceleration);
    let (slope, bend) = (row[1] + 2.0 * row[2] * at, row[2]);
    let position = row[0] + at * (row[1] + bend * at);
    [position, slope * v, 0.5 * slope * u + bend * v * v, bend * v * u, 0.25 * bend * u * u, 0.0]
}

/// γ(s(t)) on elements of degree 3: only the sixth power of time has to be replaced, and its factor is c₃ (u / 2)³.
pub(crate) struct CubicComposition {
    motion: Motion,
    /// Factors of t³, t⁴ and t⁵ in the quintic of δ³.
    cube: [f64; 3],
    /// Largest change of position and of acceleration by replacing δ³.
    pub(crate) changes: [f64; 2],
}

impl CubicComposition {
    pub(crate) fn new(motion: Motion) -> Self {
        let (v, u, duration) = (motion.speed, motion.acceleration, motion.duration);
        let square = duration * duration;
        // Of t⁶, which is replaced by 3 T t⁵ − 3 T² t⁴ + T³ t³.
        let sixth = 0.125 * u * u * u;
        let cube = [
            v * v * v + sixth * square * duration,
            1.5 * v * v * u - 3.0 * sixth * square,
            0.75 * v * u * u + 3.0 * sixth * duration,
        ];
        let change = sixth.abs() * square * square;
        Self { motion, cube, changes: [change * square * POSITION_CHANGE[0], change * ACCELERATION_CHANGE[0]] }
    }

    /// Of one joint.
    #[inline]
    pub(crate) fn coefficients(&self, [c0, c1, c2, c3, ..]: &Coefficients) -> Coefficients {
        let (at, v, u) = (self.motion.offset, self.motion.speed, self.motion.acceleration);
        let (slope, bend) = (c1 + at * (2.0 * c2 + 3.0 * at * c3), c2 + 3.0 * at * c3);
        let position = c0 + at * (c1 + at * (c2 + at * c3));
        let [third, fourth, fifth] = self.cube;
        [
            position,
            slope * v,
            0.5 * slope * u + bend * v * v,
            bend * v * u + c3 * third,
            0.25 * bend * u * u + c3 * fourth,
            c3 * fifth,
        ]
    }
}

/// How powers of δ = s − s₀ become quintics of τ = t / duration on one piece, and what that changes.
pub(crate) struct Composition {
    degree: usize,
    offset: f64,
    duration: f64,
    /// Row k: the quintic of δᵏ.
    quintics: [Coefficients; MAX_DEGREE + 1],
    /// Largest change of position and of acceleration (per squared duration) by replacing δᵏ.
    changes: [[f64; 2]; MAX_DEGREE + 1],
}

impl Composition {
    /// Of an element of degree `degree`.
    pub(crate) fn new(degree: usize, motion: &Motion) -> Self {
        let (linear, square) =
            (motion.speed * motion.duration, 0.5 * motion.acceleration * motion.duration * motion.duration);
        let (mut quintics, mut changes) = ([[0.0; MAX_DEGREE + 1]; MAX_DEGREE + 1], [[0.0; 2]; MAX_DEGREE + 1]);
        let mut power_of_delta = [0.0; MAX_COMPOSED_DEGREE + 1];
        power_of_delta[0] = 1.0;
        for power in 0..=degree {
            // Of degree 2 · power.
            (quintics[power], changes[power]) = reduced(&power_of_delta, 2 * power);
            for index in (1..=(2 * power + 2).min(MAX_COMPOSED_DEGREE)).rev() {
                let twice = if index > 1 { power_of_delta[index - 2] } else { 0.0 };
                power_of_delta[index] = linear * power_of_delta[index - 1] + square * twice;
            }
            power_of_delta[0] = 0.0;
        }
        Self { degree, offset: motion.offset, duration: motion.duration, quintics, changes }
    }

    /// Taylor coefficients of one joint where the piece begins.
    #[inline]
    pub(crate) fn local(&self, row: &Coefficients) -> Coefficients {
        shifted(row, self.degree, self.offset)
    }

    /// The quintic of one joint, in time since the piece began, from its [local](Self::local) coefficients.
    #[inline]
    pub(crate) fn coefficients(&self, local: &Coefficients) -> Coefficients {
        let mut result = [0.0; MAX_DEGREE + 1];
        for (factor, quintic) in local[..=self.degree].iter().zip(&self.quintics) {
            result.iter_mut().zip(quintic).for_each(|(value, power)| *value += factor * power);
        }
        let (rate, mut scale) = (1.0 / self.duration, 1.0);
        for value in &mut result {
            *value *= scale;
            scale *= rate;
        }
        result
    }

    /// The quintics of four joints.
    #[inline(always)]
    pub(crate) fn lanes(&self, local: &[Lanes; MAX_DEGREE + 1]) -> [Lanes; MAX_DEGREE + 1] {
        let mut result = [Lanes::splat(0.0); MAX_DEGREE + 1];
        for degree in 0..=self.degree {
            for power in 0..=MAX_DEGREE {
                result[power] += local[degree] * Lanes::splat(self.quintics[degree][power]);
            }
        }
        let (rate, mut scale) = (1.0 / self.duration, 1.0);
        for value in &mut result {
            *value = *value * Lanes::splat(scale);
            scale *= rate;
        }
        result
    }

    /// Bounds on the change of position of four joints.
    #[inline(always)]
    pub(crate) fn position_changes(&self, local: &[Lanes; MAX_DEGREE + 1]) -> Lanes {
        let mut sum = Lanes::splat(0.0);
        for k in LOWEST_TRUNCATED_POWER..=self.degree {
            sum += local[k].abs() * Lanes::splat(self.changes[k][0]);
        }
        sum
    }

    /// Bounds on the change of position and of acceleration of one joint, from its [local](Self::local) coefficients.
    #[inline]
    pub(crate) fn changes(&self, local: &Coefficients) -> [f64; 2] {
        let mut sums = [0.0; 2];
        // Lower powers are not changed.
        for k in LOWEST_TRUNCATED_POWER..=self.degree {
            sums = [sums[0] + local[k].abs() * self.changes[k][0], sums[1] + local[k].abs() * self.changes[k][1]];
        }
        [sums[0], sums[1] / (self.duration * self.duration)]
    }
}

/// Lowest power of the path parameter whose composition is not a quintic already.
const LOWEST_TRUNCATED_POWER: usize = 3;

/// Factors of τ³, τ⁴ and τ⁵ in the quintic with value, slope and curvature of τᵏ at both ends of [0, 1], k ≥ 6.
#[inline]
pub(crate) fn quintic_of_power(power: usize) -> [f64; 3] {
    let slope = power as f64;
    let curvature = slope * (slope - 1.0);
    [10.0 - 4.0 * slope + 0.5 * curvature, -15.0 + 7.0 * slope - curvature, 6.0 - 3.0 * slope + 0.5 * curvature]
}

/// The quintic for a polynomial of τ on [0, 1] of degree `degree` at most, and bounds on the change of value and of second derivative.
fn reduced(polynomial: &[f64; MAX_COMPOSED_DEGREE + 1], degree: usize) -> (Coefficients, [f64; 2]) {
    let mut quintic = [0.0; MAX_DEGREE + 1];
    quintic.copy_from_slice(&polynomial[..=MAX_DEGREE]);
    let mut changes = [0.0; 2];
    for power in MAX_DEGREE + 1..=degree.min(MAX_COMPOSED_DEGREE) {
        let value = polynomial[power];
        for (coefficient, part) in quintic[3..].iter_mut().zip(quintic_of_power(power)) {
            *coefficient += value * part;
        }
        changes[0] += value.abs() * POSITION_CHANGE[power - MAX_DEGREE - 1];
        changes[1] += value.abs() * ACCELERATION_CHANGE[power - MAX_DEGREE - 1];
    }
    (quintic, changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubics_are_composed_as_polynomials_of_higher_degree_are() {
        let row = [0.3, -1.2, 0.7, 2.5, 0.0, 0.0];
        let motion = Motion { offset: 0.4, speed: 0.9, acceleration: -1.7, duration: 0.3 };
        let (cubic, general) = (CubicComposition::new(motion), Composition::new(3, &motion));
        let local = general.local(&row);
        for (a, b) in cubic.coefficients(&row).into_iter().zip(general.coefficients(&local)) {
            assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} {b}");
        }
        for (a, b) in cubic.changes.into_iter().zip(general.changes(&local)) {
            assert!((a * row[3] - b).abs() <= 1e-14 * b, "{a} {b}");
        }
    }

    #[test]
    fn the_tables_of_changes_are_upper_bounds_and_tight() {
        for power in MAX_DEGREE + 1..=MAX_COMPOSED_DEGREE {
            let mut polynomial = [0.0; MAX_COMPOSED_DEGREE + 1];
            polynomial[power] = 1.0;
            let (quintic, [position, acceleration]) = reduced(&polynomial, MAX_COMPOSED_DEGREE);
            let k = power as f64;
            let (mut value, mut second) = (0.0_f64, 0.0_f64);
            for step in 0..=100_000 {
                let t = f64::from(step) / 1e5;
                let error = t.powf(k) - kinetic_core::curve::evaluate(&quintic, 0, t);
                let change = k * (k - 1.0) * t.powf(k - 2.0) - kinetic_core::curve::evaluate(&quintic, 2, t);
                (value, second) = (value.max(error.abs()), second.max(change.abs()));
            }
            assert!(value <= position && position <= 1.02 * value, "{power}: {value} {position}");
            assert!(second <= acceleration && acceleration <= 1.02 * second, "{power}: {second} {acceleration}");
        }
    }
}
