//! Paths and oracles shared by the tests.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, PiecewisePolynomial, TimedTrajectory, Trajectory};

/// Cases of a property: a first slice by default, `full` with `KINETIC_FULL=1`.
pub(crate) fn cases(slice: usize, full: usize) -> usize {
    if std::env::var_os("KINETIC_FULL").is_some_and(|value| value == "1") { full } else { slice }
}

pub(crate) fn path(waypoints: &[&[f64]]) -> Trajectory {
    Trajectory::from_waypoints(waypoints).unwrap()
}

/// Limits between 0.5 and 5 rad/s and 1 and 20 rad/s².
pub(crate) fn random_limits(rng: &mut SeededRng, dof: usize) -> Limits {
    let mut list = |low, high| (0..dof).map(|_| rng.uniform(low, high)).collect();
    Limits::new(list(0.5, 5.0), list(1.0, 20.0)).unwrap()
}

/// A path with everything that goes wrong in practice: repeated and nearly repeated waypoints, reversals, collinear
/// waypoints, tiny and long segments, joints that stand still.
pub(crate) fn degenerate_path(rng: &mut SeededRng) -> Trajectory {
    let dof = 1 + rng.below(7);
    let mut q: Vec<f64> = (0..dof).map(|_| rng.uniform(-3.0, 3.0)).collect();
    let mut step = vec![0.0; dof];
    let mut path = Trajectory::with_dof(dof);
    path.push_waypoint(&q).unwrap();
    for _ in 0..rng.below(12) {
        match rng.below(8) {
            0 => step.fill(0.0),
            1 => {
                let size = 10.0_f64.powf(rng.uniform(-13.0, -5.0));
                step = (0..dof).map(|_| rng.uniform(-size, size)).collect();
            }
            2 => step.iter_mut().for_each(|value| *value = -*value),
            3 => {}
            4 => {
                step.fill(0.0);
                step[rng.below(dof)] = rng.uniform(-1.0, 1.0);
            }
            _ => {
                let size = 10.0_f64.powf(rng.uniform(-3.0, 0.7));
                step = (0..dof).map(|_| rng.uniform(-size, size)).collect();
            }
        }
        q.iter_mut().zip(&step).for_each(|(value, step)| *value += step);
        path.push_waypoint(&q).unwrap();
    }
    path
}

/// Largest |mean velocity| and |second difference| per joint from positions alone, sampled at 1 kHz (finer when short).
///
/// By the mean value theorem a mean velocity is a velocity somewhere, and a second difference of a function with
/// bounded acceleration is a weighted mean of accelerations: both must hold the limits.
pub(crate) fn finite_differences(curve: &PiecewisePolynomial) -> (Vec<f64>, Vec<f64>) {
    let (mut velocity, mut acceleration) = (vec![0.0_f64; curve.dof()], vec![0.0_f64; curve.dof()]);
    let (steps, h) = sampling(curve);
    if h == 0.0 {
        return (velocity, acceleration);
    }
    let mut window: Vec<Vec<f64>> = Vec::new();
    for step in 0..=steps {
        window.push(curve.sample(f64::from(step) * h, 0));
        for joint in 0..curve.dof() {
            if let [.., a, b] = &window[..] {
                velocity[joint] = velocity[joint].max(((b[joint] - a[joint]) / h).abs());
            }
            if let [.., a, b, c] = &window[..] {
                acceleration[joint] = acceleration[joint].max(((c[joint] - 2.0 * b[joint] + a[joint]) / (h * h)).abs());
            }
        }
        if window.len() == 3 {
            window.remove(0);
        }
    }
    (velocity, acceleration)
}

/// Number of samples and the time between them.
fn sampling(curve: &PiecewisePolynomial) -> (u32, f64) {
    let steps = (50..20_000).find(|steps| f64::from(*steps) >= curve.duration() * 1e3).unwrap_or(20_000);
    (steps, curve.duration() / f64::from(steps))
}

/// Rounding of second differences: four times the rounding of a position of `scale`, over h².
pub(crate) fn difference_noise(curve: &PiecewisePolynomial) -> f64 {
    let scale = curve.knots().iter().flat_map(|t| curve.sample(*t, 0)).fold(1.0_f64, |m, v| m.max(v.abs()));
    let (_, h) = sampling(curve);
    if h == 0.0 {
        return 0.0;
    }
    // Positions carry a rounding of a few units in the last place, times of a few as well.
    16.0 * f64::EPSILON * scale / (h * h)
}

/// Distance of `q` to the polyline through the waypoints, by brute force.
pub(crate) fn distance_to_polyline(path: &Trajectory, q: &[f64]) -> f64 {
    let to = |p: &[f64]| p.iter().zip(q).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let segment = |(a, b): (&[f64], &[f64])| {
        let square: f64 = a.iter().zip(b).map(|(a, b)| (b - a).powi(2)).sum();
        let dot: f64 = a.iter().zip(b).zip(q).map(|((a, b), q)| (b - a) * (q - a)).sum();
        let t = if square > 0.0 { (dot / square).clamp(0.0, 1.0) } else { 0.0 };
        to(&a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect::<Vec<_>>())
    };
    path.segments().map(segment).fold(to(path.positions(0)), f64::min)
}

/// Largest |a − b|.
pub(crate) fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Steps of position and velocity at the knots.
pub(crate) fn largest_steps(timed: &TimedTrajectory) -> [f64; 2] {
    let curve = timed.curve();
    [0, 1].map(|order| {
        let step = |piece: usize| {
            let h = curve.piece_duration(piece - 1);
            let before = |joint| kinetic_core::curve::evaluate(curve.coefficients(piece - 1, joint), order, h);
            let after = |joint| kinetic_core::curve::evaluate(curve.coefficients(piece, joint), order, 0.0);
            (0..curve.dof()).map(|joint| (after(joint) - before(joint)).abs()).fold(0.0, f64::max)
        };
        (1..curve.pieces()).map(step).fold(0.0, f64::max)
    })
}

/// The `order`-th derivative of a polynomial, by the rule for powers: what the crates evaluate by other means.
pub(crate) fn derivative(row: &[f64; 6], order: usize, s: f64) -> f64 {
    let mut terms = row.to_vec();
    for _ in 0..order {
        terms = terms.iter().enumerate().skip(1).map(|(power, value)| power as f64 * value).collect();
    }
    terms.iter().rev().fold(0.0, |sum, value| sum * s + value)
}
