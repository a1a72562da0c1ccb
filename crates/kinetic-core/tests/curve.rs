//! Piecewise polynomials: values against Horner by hand, derivatives against finite differences, bounds against dense
//! samples.

use kinetic_core::PiecewisePolynomial;
use kinetic_core::curve::{Coefficients, MAX_DEGREE, enclosure, evaluate, extremes, tight_enclosure};
use kinetic_core::rng::SeededRng;

fn random(rng: &mut SeededRng) -> Coefficients {
    std::array::from_fn(|_| rng.uniform(-1.0, 1.0))
}

/// Sum of powers, with derivatives by differentiating the list of coefficients.
fn by_powers(coefficients: &Coefficients, order: usize, s: f64) -> f64 {
    let mut list: Vec<f64> = coefficients.to_vec();
    for _ in 0..order {
        list = list.iter().enumerate().skip(1).map(|(power, c)| c * power as f64).collect();
    }
    list.iter().enumerate().map(|(power, c)| c * s.powi(i32::try_from(power).unwrap())).sum()
}

fn two_pieces() -> PiecewisePolynomial {
    let rows = [
        [1.0, 2.0, 3.0, 0.0, 0.0, 0.0],
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
        [6.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0, 0.0, 0.0, 2.0],
    ];
    PiecewisePolynomial::new(2, vec![0.0, 1.0, 3.0], rows.to_vec()).unwrap()
}

#[test]
fn values_and_derivatives_are_sums_of_powers() {
    let mut rng = SeededRng::new(1);
    for case in 0..2000 {
        let (c, s) = (random(&mut rng), rng.uniform(-2.0, 2.0));
        for order in 0..=MAX_DEGREE {
            let gap = (evaluate(&c, order, s) - by_powers(&c, order, s)).abs();
            // Terms of up to 120 · 2⁵.
            assert!(gap < 1e-11, "case {case} order {order}: {gap}");
        }
        assert_eq!(evaluate(&c, MAX_DEGREE + 1, s), 0.0);
    }
}

#[test]
fn derivatives_are_limits_of_difference_quotients() {
    // Central differences: error h²/6 of the third derivative (below 1e3) plus rounding over h.
    const H: f64 = 1e-5;
    let mut rng = SeededRng::new(2);
    for case in 0..1000 {
        let (c, s) = (random(&mut rng), rng.uniform(0.0, 1.0));
        for order in 0..3 {
            let quotient = (evaluate(&c, order, s + H) - evaluate(&c, order, s - H)) / (2.0 * H);
            let gap = (quotient - evaluate(&c, order + 1, s)).abs();
            assert!(gap < 1e-6, "case {case} order {order}: {gap}");
        }
    }
}

#[test]
fn sampling_takes_the_right_piece_clamps_the_time_and_counts_from_the_piece() {
    let curve = two_pieces();
    assert_eq!((curve.dof(), curve.pieces(), curve.duration()), (2, 2, 3.0));
    assert_eq!(curve.sample(0.0, 0), [1.0, 0.0]);
    assert_eq!(curve.sample(0.5, 0), [2.75, -0.5]);
    assert_eq!(curve.sample(0.5, 1), [5.0, -1.0]);
    // At a knot the later piece.
    assert_eq!(curve.sample(1.0, 1), [0.0, 0.0]);
    assert_eq!(curve.sample(2.0, 0), [7.0, 1.0]);
    assert_eq!(curve.sample(3.0, 0), [14.0, 63.0]);
    assert_eq!(curve.sample(3.0, 2), [12.0, 320.0]);
    for outside in [3.5, f64::INFINITY] {
        assert_eq!(curve.sample(outside, 0), curve.sample(3.0, 0));
    }
    for outside in [-1.0, f64::NEG_INFINITY, f64::NAN] {
        assert_eq!(curve.sample(outside, 0), curve.sample(0.0, 0));
    }
    assert_eq!((curve.locate(0.0), curve.locate(1.0), curve.locate(3.0)), ((0, 0.0), (1, 0.0), (1, 2.0)));
    let mut buffer = [0.0; 2];
    curve.sample_into(0.5, 1, &mut buffer);
    assert_eq!(buffer[..], curve.sample(0.5, 1));
}

#[test]
fn a_configuration_is_a_curve_of_duration_zero() {
    let curve = PiecewisePolynomial::constant(&[1.0, 2.0, 3.0]).unwrap();
    assert_eq!((curve.pieces(), curve.duration(), curve.piece_duration(0)), (0, 0.0, 0.0));
    for t in [-1.0, 0.0, 5.0, f64::NAN] {
        assert_eq!((curve.sample(t, 0), curve.sample(t, 1)), (vec![1.0, 2.0, 3.0], vec![0.0; 3]));
    }
}

#[test]
fn malformed_curves_are_typed_errors() {
    let row = [0.0; 6];
    let code = |dof: usize, knots: &[f64], rows: &[Coefficients]| {
        PiecewisePolynomial::new(dof, knots.to_vec(), rows.to_vec()).unwrap_err().code()
    };
    assert_eq!(code(0, &[0.0], &[]), "InvalidValue");
    assert_eq!(code(1, &[], &[]), "InvalidValue");
    assert_eq!(code(1, &[0.5, 1.0], &[row]), "InvalidValue");
    assert_eq!(code(1, &[0.0, 1.0, 1.0], &[row; 2]), "InvalidValue");
    assert_eq!(code(1, &[0.0, 2.0, 1.0], &[row; 2]), "InvalidValue");
    assert_eq!(code(1, &[0.0, f64::INFINITY], &[row]), "NotFinite");
    assert_eq!(code(1, &[0.0, 1.0], &[[f64::NAN; 6]]), "NotFinite");
    assert_eq!(code(2, &[0.0, 1.0], &[row]), "DimensionMismatch");
    assert_eq!(code(1, &[0.0], &[]), "DimensionMismatch");
    assert_eq!(code(usize::MAX, &[0.0, 1.0, 2.0], &[row]), "DimensionMismatch");
}

#[test]
fn text_reads_back_to_the_same_curve_and_is_checked() {
    let curve = two_pieces();
    let text = serde_json::to_string(&curve).unwrap();
    assert_eq!(serde_json::from_str::<PiecewisePolynomial>(&text).unwrap(), curve);
    assert!(serde_json::from_str::<PiecewisePolynomial>(&text.replace("[0.0,1.0,3.0]", "[0.0,3.0,1.0]")).is_err());
}

/// Lowest and highest of 2,001 samples.
fn sampled(c: &Coefficients, order: usize, s0: f64, s1: f64) -> (f64, f64) {
    let value = |i: i32| by_powers(c, order, s0 + (s1 - s0) * f64::from(i) / 2000.0);
    (0..=2000).map(value).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

#[test]
fn enclosures_contain_every_sample_and_tight_ones_are_tight() {
    let mut rng = SeededRng::new(3);
    for case in 0..500 {
        let c = random(&mut rng);
        let s0 = rng.uniform(0.0, 1.0);
        let s1 = s0 + rng.uniform(0.0, 1.0);
        for order in 0..4 {
            let (low, high) = sampled(&c, order, s0, s1);
            let loose = enclosure(&c, order, s0, s1);
            let tight = tight_enclosure(&c, order, s0, s1, 1e-9);
            // Rounding of terms of up to 60 · 2².
            let noise = 1e-12;
            assert!(loose.0 <= low + noise && loose.1 >= high - noise, "case {case} order {order}");
            assert!(tight.0 <= low + noise && tight.1 >= high - noise, "case {case} order {order}");
            assert!(tight.0 >= loose.0 - noise && tight.1 <= loose.1 + noise, "case {case} order {order}");
            // 2,000 samples miss an extremum by at most an eighth of the step squared times 500.
            let missed = 500.0 / 8.0 * (1.0_f64 / 2000.0).powi(2) + 2e-9;
            assert!(tight.0 >= low - missed && tight.1 <= high + missed, "case {case} order {order}");
        }
    }
}

#[test]
fn extremes_lie_where_they_are_said_to_lie() {
    let mut rng = SeededRng::new(4);
    for case in 0..500 {
        let c = random(&mut rng);
        for order in 0..4 {
            let found = extremes(&c, order, 0.0, 1.5, 1e-9);
            let (low, high) = (evaluate(&c, order, found.low_at), evaluate(&c, order, found.high_at));
            assert!((0.0..=1.5).contains(&found.low_at) && (0.0..=1.5).contains(&found.high_at));
            assert!((low - found.low).abs() <= 2e-9 && (high - found.high).abs() <= 2e-9, "case {case}: {found:?}");
        }
    }
}

#[test]
fn bounds_that_are_finer_than_rounding_end_all_the_same() {
    // Large coefficients, tolerance 0: no halving can meet it.
    let c = [1e9, -3e9, 7e8, 2e9, -1e9, 5e8];
    for tolerance in [0.0, 1e-300, -1.0] {
        let (low, high) = tight_enclosure(&c, 0, 0.0, 2.0, tolerance);
        let wanted = sampled(&c, 0, 0.0, 2.0);
        assert!((low - wanted.0).abs() < 1e4 && (high - wanted.1).abs() < 1e4, "{low} {high} {wanted:?}");
    }
    assert_eq!(tight_enclosure(&[0.1; 6], 0, 0.5, 0.5, 0.0).0, evaluate(&[0.1; 6], 0, 0.5));
}

#[test]
fn a_monotone_or_constant_piece_is_bounded_exactly() {
    assert_eq!(enclosure(&[2.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0, 0.0, 9.0), (2.0, 2.0));
    assert_eq!(tight_enclosure(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 0, 0.0, 2.0, 1e-9), (0.0, 2.0));
    assert_eq!(enclosure(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 2, 0.0, 2.0), (2.0, 2.0));
}

#[test]
fn curves_change_places_in_the_same_memory_and_what_is_no_curve_changes_nothing() {
    let line = |speed: f64| [0.0, speed, 0.0, 0.0, 0.0, 0.0];
    let mut curve = PiecewisePolynomial::new(1, vec![0.0, 1.0], vec![line(1.0)]).unwrap();
    let (mut knots, mut coefficients) = (vec![0.0, 1.0, 3.0], vec![line(2.0), line(3.0)]);
    let memory = knots.as_ptr();
    curve.exchange(&mut knots, &mut coefficients).unwrap();
    assert_eq!((curve.knots(), curve.knots().as_ptr()), (&[0.0, 1.0, 3.0][..], memory));
    assert_eq!((&knots[..], &coefficients[..]), (&[0.0, 1.0][..], &[line(1.0)][..]));
    let before = curve.clone();
    for (wrong_knots, wrong_rows) in [
        (vec![0.0, 0.0], vec![line(1.0)]),
        (vec![0.1, 1.0], vec![line(1.0)]),
        (vec![0.0, 1.0], vec![line(f64::NAN)]),
        (vec![0.0, 1.0], vec![]),
        (vec![], vec![line(1.0)]),
    ] {
        let (mut knots, mut coefficients) = (wrong_knots, wrong_rows);
        assert!(curve.exchange(&mut knots, &mut coefficients).is_err());
        assert_eq!(curve, before);
    }
}

#[test]
fn largest_derivatives_are_those_of_the_enclosures() {
    use kinetic_core::curve::{enclosure, largest_derivatives};
    let mut rng = kinetic_core::rng::SeededRng::new(11);
    for case in 0..2000 {
        let c: [f64; 6] = std::array::from_fn(|_| rng.uniform(-2.0, 2.0));
        let s0 = if case % 2 == 0 { 0.0 } else { rng.uniform(-1.0, 1.0) };
        let s1 = s0 + rng.uniform(0.0, 1.0);
        for (index, found) in largest_derivatives(&c, s0, s1).into_iter().enumerate() {
            let (low, high) = enclosure(&c, index + 1, s0, s1);
            let wanted = low.abs().max(high.abs());
            assert!((found - wanted).abs() <= 1e-12 * (1.0 + wanted), "case {case}: {found} {wanted}");
        }
    }
}
