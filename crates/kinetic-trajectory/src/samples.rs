//! Trajectories from samples.

use kinetic_core::curve::Coefficients;
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, PiecewisePolynomial, Result, TimedTrajectory};

/// The law of a trajectory made from samples: the curve between them is an interpolation.
pub const INTERPOLATED: &str = "interpolated";

/// What is known at every sample, each list of length `times.len()`.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a, Q> {
    /// Seconds, strictly increasing from 0.
    pub times: &'a [f64],
    /// Positions, rad or m.
    pub positions: &'a [Q],
    /// Velocities, if known.
    pub velocities: Option<&'a [Q]>,
    /// Accelerations, if known; need velocities.
    pub accelerations: Option<&'a [Q]>,
}

/// A trajectory through samples: cubic pieces when velocities are given (C1), or when they are not with velocities from
/// three-point differences. Its law is [`INTERPOLATED`].
///
/// # Errors
/// As [`interpolate`].
///
/// ```
/// use kinetic_trajectory::from_samples;
/// let timed = from_samples(&[0.0, 1.0, 2.0], &[[0.0], [1.0], [4.0]], None)?;
/// // Three points of t²: the differences are exact for a parabola.
/// assert!((timed.curve().sample(1.5, 0)[0] - 2.25).abs() < 1e-12);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub fn from_samples<Q: AsRef<[f64]>>(
    times: &[f64],
    positions: &[Q],
    velocities: Option<&[Q]>,
) -> Result<TimedTrajectory> {
    interpolate(&Samples { times, positions, velocities, accelerations: None })
}

/// A trajectory through samples: quintic pieces (C2) when velocities and accelerations are known, else as
/// [`from_samples`].
///
/// # Errors
/// [`KineticError::DimensionMismatch`] for lists of different lengths, [`KineticError::NotFinite`],
/// [`KineticError::InvalidValue`] for no samples, times that do not increase strictly from 0, or accelerations without
/// velocities.
pub fn interpolate<Q: AsRef<[f64]>>(samples: &Samples<'_, Q>) -> Result<TimedTrajectory> {
    let dof = check(samples)?;
    let times = samples.times;
    let mut coefficients = Vec::with_capacity(times.len() * dof);
    if times.len() == 1 {
        let curve = PiecewisePolynomial::constant(samples.positions[0].as_ref())?;
        return TimedTrajectory::new(curve, vec![0.0], 0.0, INTERPOLATED);
    }
    for piece in 0..times.len() - 1 {
        for joint in 0..dof {
            let [a, b] = [piece, piece + 1].map(|sample| state(samples, sample, joint));
            let h = times[piece + 1] - times[piece];
            coefficients.push(if samples.accelerations.is_some() { quintic(a, b, h) } else { cubic(a, b, h) });
        }
    }
    let curve = PiecewisePolynomial::new(dof, times.to_vec(), coefficients)?;
    TimedTrajectory::new(curve, times.to_vec(), 0.0, INTERPOLATED)
}

/// The natural cubic spline through samples: C2, and without acceleration at both ends (de Boor 1978, *A Practical Guide to
/// Splines*, chapter IV). Its law is [`INTERPOLATED`].
///
/// # Errors
/// As [`interpolate`].
///
/// ```
/// let timed = kinetic_trajectory::natural_spline(&[0.0, 1.0, 2.0], &[[0.0], [1.0], [0.0]])?;
/// assert!((timed.curve().sample(1.0, 2)[0] + 3.0).abs() < 1e-12);
/// assert_eq!(timed.curve().sample(0.0, 2), [0.0]);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
pub fn natural_spline<Q: AsRef<[f64]>>(times: &[f64], positions: &[Q]) -> Result<TimedTrajectory> {
    let samples = Samples { times, positions, velocities: None, accelerations: None };
    check(&samples)?;
    let velocities = spline_velocities(&samples);
    let rows: Vec<&[f64]> = positions.iter().map(AsRef::as_ref).collect();
    let slopes: Vec<&[f64]> = velocities.iter().map(AsRef::as_ref).collect();
    from_samples(times, &rows, Some(&slopes))
}

/// Velocities of the natural spline at the samples: a tridiagonal system, by elimination.
fn spline_velocities<Q: AsRef<[f64]>>(samples: &Samples<'_, Q>) -> Vec<Vec<f64>> {
    let (last, dof) = (samples.times.len() - 1, samples.positions[0].as_ref().len());
    let mut velocities = vec![vec![0.0; dof]; last + 1];
    if last == 0 {
        return velocities;
    }
    // Of each piece the inverse length, and 0 beyond the ends: what is said there is that acceleration vanishes.
    let inverse = |piece: usize| 1.0 / (samples.times[piece + 1] - samples.times[piece]);
    let around = |sample: usize| {
        [if sample > 0 { inverse(sample - 1) } else { 0.0 }, if sample < last { inverse(sample) } else { 0.0 }]
    };
    let rise = |from: usize, joint: usize| {
        samples.positions[from + 1].as_ref()[joint] - samples.positions[from].as_ref()[joint]
    };
    let mut factors = vec![0.0; last + 1];
    for sample in 0..=last {
        let [before, after] = around(sample);
        let factor = if sample > 0 { factors[sample - 1] } else { 0.0 };
        let pivot = 2.0 * (before + after) - before * factor;
        factors[sample] = after / pivot;
        for joint in 0..dof {
            let into = if sample > 0 { before * before * rise(sample - 1, joint) } else { 0.0 };
            let out = if sample < last { after * after * rise(sample, joint) } else { 0.0 };
            let known = if sample > 0 { before * velocities[sample - 1][joint] } else { 0.0 };
            velocities[sample][joint] = (3.0 * (into + out) - known) / pivot;
        }
    }
    for sample in (0..last).rev() {
        for joint in 0..dof {
            velocities[sample][joint] -= factors[sample] * velocities[sample + 1][joint];
        }
    }
    velocities
}

/// Number of joints of samples that are well formed.
fn check<Q: AsRef<[f64]>>(samples: &Samples<'_, Q>) -> Result<usize> {
    let Some(first) = samples.positions.first() else {
        return Err(KineticError::invalid("samples", "0 samples", "at least one sample"));
    };
    let dof = first.as_ref().len();
    check_len("sample times", samples.times.len(), samples.positions.len())?;
    check_finite("sample times", samples.times)?;
    if samples.times[0] != 0.0 {
        return Err(KineticError::invalid("first sample time", samples.times[0], "0 (subtract it from all times)"));
    }
    if let Some(index) = samples.times.windows(2).position(|pair| pair[1] <= pair[0]) {
        let name = format!("sample time {}", index + 1);
        return Err(KineticError::invalid(name, samples.times[index + 1], "strictly increasing times"));
    }
    if samples.accelerations.is_some() && samples.velocities.is_none() {
        return Err(KineticError::invalid("accelerations", "given", "velocities too, or positions alone"));
    }
    let lists = [("positions", Some(samples.positions)), ("velocities", samples.velocities)];
    for (name, rows) in lists.into_iter().chain([("accelerations", samples.accelerations)]) {
        let Some(rows) = rows else { continue };
        check_len(&format!("sample {name}"), rows.len(), samples.times.len())?;
        for (index, row) in rows.iter().enumerate() {
            check_len(&format!("sample {name} {index}"), row.as_ref().len(), dof)?;
            check_finite(&format!("sample {name} {index}"), row.as_ref())?;
        }
    }
    Ok(dof)
}

/// Position, velocity and acceleration of a joint at a sample.
fn state<Q: AsRef<[f64]>>(samples: &Samples<'_, Q>, sample: usize, joint: usize) -> [f64; 3] {
    let position = samples.positions[sample].as_ref()[joint];
    let velocity = match samples.velocities {
        Some(velocities) => velocities[sample].as_ref()[joint],
        None => difference(samples, sample, joint),
    };
    let acceleration = samples.accelerations.map_or(0.0, |rows| rows[sample].as_ref()[joint]);
    [position, velocity, acceleration]
}

/// Derivative at a sample of the parabola through it and its neighbours (the nearest three at the ends); of the line
/// when there are two samples.
fn difference<Q: AsRef<[f64]>>(samples: &Samples<'_, Q>, sample: usize, joint: usize) -> f64 {
    let last = samples.times.len() - 1;
    let slope = |from: usize| {
        let rise = samples.positions[from + 1].as_ref()[joint] - samples.positions[from].as_ref()[joint];
        rise / (samples.times[from + 1] - samples.times[from])
    };
    if last == 1 {
        return slope(0);
    }
    let middle = sample.clamp(1, last - 1);
    let (before, after) = (slope(middle - 1), slope(middle));
    // Newton's divided differences on the three samples around `middle`.
    let t = samples.times;
    let curvature = (after - before) / (t[middle + 1] - t[middle - 1]);
    before + curvature * (2.0 * t[sample] - t[middle] - t[middle - 1])
}

/// Cubic with given position and velocity at both ends.
fn cubic([p0, v0, _]: [f64; 3], [p1, v1, _]: [f64; 3], h: f64) -> Coefficients {
    let slope = (p1 - p0) / h;
    [p0, v0, (3.0 * slope - 2.0 * v0 - v1) / h, (v0 + v1 - 2.0 * slope) / (h * h), 0.0, 0.0]
}

/// Quintic with given position, velocity and acceleration at both ends.
pub(crate) fn quintic([p0, v0, a0]: [f64; 3], [p1, v1, a1]: [f64; 3], h: f64) -> Coefficients {
    // What position, velocity and acceleration lack at the end of the parabola from the start, in units of the piece.
    let p = p1 - p0 - h * (v0 + 0.5 * h * a0);
    let v = h * (v1 - v0 - h * a0);
    let a = h * h * (a1 - a0);
    let (c3, c4, c5) = (10.0 * p - 4.0 * v + 0.5 * a, -15.0 * p + 7.0 * v - a, 6.0 * p - 3.0 * v + 0.5 * a);
    [p0, v0, 0.5 * a0, c3 / h.powi(3), c4 / h.powi(4), c5 / h.powi(5)]
}
