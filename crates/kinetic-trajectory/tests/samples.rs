//! Interpolation of samples: polynomials of the right degree are reproduced exactly.

use kinetic_core::curve::evaluate;
use kinetic_core::rng::SeededRng;
use kinetic_trajectory::samples::{Samples, interpolate};
use kinetic_trajectory::{from_samples, natural_spline};

/// Coefficients of order 1 on pieces of at least 0.05 s: c5 loses h⁻⁵ of rounding where it matters least.
const TOLERANCE: f64 = 1e-9;

fn times(rng: &mut SeededRng) -> Vec<f64> {
    let mut times = vec![0.0];
    for index in 0..2 + rng.below(6) {
        times.push(times[index] + rng.uniform(0.05, 0.5));
    }
    times
}

/// Samples of a random polynomial of `degree` and its derivatives, and the polynomial.
fn polynomial(rng: &mut SeededRng, degree: usize) -> [f64; 6] {
    let mut c = [0.0; 6];
    c[..=degree].iter_mut().for_each(|c| *c = rng.uniform(-1.0, 1.0));
    c
}

#[test]
fn samples_with_all_derivatives_reproduce_quintics_with_velocities_cubics_alone_parabolas() {
    for seed in 0..500 {
        let mut rng = SeededRng::new(seed);
        let times = times(&mut rng);
        for (degree, derivatives) in [(5, 2), (3, 1), (2, 0)] {
            let c = polynomial(&mut rng, degree);
            let rows = |order: usize| times.iter().map(|t| [evaluate(&c, order, *t)]).collect::<Vec<_>>();
            let (p, v, a) = (rows(0), rows(1), rows(2));
            let timed = interpolate(&Samples {
                times: &times,
                positions: &p,
                velocities: (derivatives > 0).then_some(&v[..]),
                accelerations: (derivatives > 1).then_some(&a[..]),
            })
            .unwrap();
            assert_eq!(timed.law, "interpolated");
            for step in 0..=100 {
                let t = timed.duration() * f64::from(step) / 100.0;
                let gap = (timed.curve().sample(t, 0)[0] - evaluate(&c, 0, t)).abs();
                assert!(gap < TOLERANCE, "seed {seed} degree {degree} at {t}: {gap}");
            }
        }
    }
}

#[test]
fn a_natural_spline_meets_all_samples_and_bends_continuously() {
    for seed in 0..500 {
        let mut rng = SeededRng::new(seed);
        let times = times(&mut rng);
        let rows: Vec<[f64; 2]> = times.iter().map(|_| [rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)]).collect();
        let timed = natural_spline(&times, &rows).unwrap();
        let curve = timed.curve();
        let last = times.len() - 1;
        for joint in 0..2 {
            for (index, time) in times.iter().enumerate() {
                assert!((curve.sample(*time, 0)[joint] - rows[index][joint]).abs() < TOLERANCE, "seed {seed}");
                // From both sides: a cubic that meets both ends is fixed by its second derivatives there.
                let before = if index == 0 {
                    0.0
                } else {
                    evaluate(curve.coefficients(index - 1, joint), 2, curve.piece_duration(index - 1))
                };
                let after = if index == last { 0.0 } else { evaluate(curve.coefficients(index, joint), 2, 0.0) };
                let size = 1.0 + before.abs();
                assert!((before - after).abs() < 1e-9 * size, "seed {seed} knot {index}: {before} {after}");
            }
            for knot in 1..last {
                let slope = |piece: usize, s: f64| evaluate(curve.coefficients(piece, joint), 1, s);
                let [before, after] = [slope(knot - 1, curve.piece_duration(knot - 1)), slope(knot, 0.0)];
                assert!((before - after).abs() < 1e-9 * (1.0 + before.abs()), "seed {seed} knot {knot}");
            }
        }
    }
}

#[test]
fn one_sample_is_a_configuration_and_two_are_a_line() {
    assert_eq!(from_samples(&[0.0], &[[1.0, 2.0]], None).unwrap().duration(), 0.0);
    let line = from_samples(&[0.0, 2.0], &[[1.0], [2.0]], None).unwrap();
    for t in [0.0, 0.5, 1.9] {
        assert!((line.curve().sample(t, 1)[0] - 0.5).abs() < 1e-15);
    }
}

#[test]
fn malformed_samples_are_typed_errors() {
    let code = |times: &[f64], positions: &[Vec<f64>], velocities: Option<&[Vec<f64>]>| {
        from_samples(times, positions, velocities).unwrap_err().code()
    };
    let two = [vec![0.0], vec![1.0]];
    assert_eq!(code(&[], &[], None), "InvalidValue");
    assert_eq!(code(&[0.0], &two, None), "DimensionMismatch");
    assert_eq!(code(&[0.5, 1.0], &two, None), "InvalidValue");
    assert_eq!(code(&[0.0, 0.0], &two, None), "InvalidValue");
    assert_eq!(code(&[0.0, f64::NAN], &two, None), "NotFinite");
    assert_eq!(code(&[0.0, 1.0], &[vec![0.0], vec![1.0, 2.0]], None), "DimensionMismatch");
    assert_eq!(code(&[0.0, 1.0], &[vec![0.0], vec![f64::INFINITY]], None), "NotFinite");
    assert_eq!(code(&[0.0, 1.0], &two, Some(&two[..1])), "DimensionMismatch");
    assert_eq!(code(&[0.0], &[vec![]], None), "InvalidValue");
    let lonely = Samples { times: &[0.0, 1.0], positions: &two, velocities: None, accelerations: Some(&two) };
    assert_eq!(interpolate(&lonely).unwrap_err().code(), "InvalidValue");
}
