//! Subproblems against brute force: a dense scan of the angles with local refinement.

use std::f64::consts::{PI, TAU};

use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::subproblems::{Sp6Term, sp1, sp2, sp3, sp4, sp5, sp6};
use kinetic_ik::analytic::{CosSin, TolerancePolicy};
use nalgebra::Vector3;

use super::arms::{unit, vector};
use crate::cases;

const POLICY: TolerancePolicy = TolerancePolicy {
    axis_parallel: 1e-8,
    axis_intersect: 1e-8,
    subproblem_feasibility: 1e-9,
    subproblem_numerical: 1e-5,
    subproblem_degeneracy: 1e-12,
    subproblem_dedup: 1e-3,
};

/// Residuals are sums of a few products of numbers below 2; roots of quartics lose some digits.
const CLOSES: f64 = 1e-9;

fn rotate(k: &Vector3<f64>, angle: f64, p: &Vector3<f64>) -> Vector3<f64> {
    nalgebra::Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(*k), angle) * p
}

/// Least value of `f` over the circle: scan, then golden-section search around the best sample.
fn least(f: &dyn Fn(f64) -> f64) -> f64 {
    let step = TAU / 720.0;
    let best = (0..720).map(|k| f64::from(k) * step).min_by(|a, b| f(*a).total_cmp(&f(*b))).unwrap();
    let (mut low, mut high) = (best - step, best + step);
    for _ in 0..80 {
        let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        if f(a) < f(b) { high = b } else { low = a }
    }
    f(0.5 * (low + high))
}

/// Sign changes of `f` over the circle, refined by bisection.
fn zeros(f: &dyn Fn(f64) -> f64) -> Vec<f64> {
    let n = 1440;
    let at = |k: i32| f64::from(k) * TAU / f64::from(n);
    let mut out = Vec::new();
    for k in 0..n {
        let (mut low, mut high) = (at(k), at(k + 1));
        // Neither NaN, where there is no such branch, nor a jump from branch to branch is a zero.
        if !(f(low) * f(high) < 0.0) || (f(low) - f(high)).abs() > 0.5 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if f(low) * f(middle) <= 0.0 { high = middle } else { low = middle }
        }
        out.push(low);
    }
    out
}

fn contains(found: &[f64], wanted: f64) -> bool {
    found.iter().any(|angle| {
        let d = (angle - wanted) / TAU;
        (d - d.round()).abs() * TAU < 1e-6
    })
}

#[test]
fn sp1_aligns_exactly_or_as_well_as_a_scan() {
    let mut rng = SeededRng::new(21);
    for case in 0..cases(100, 2_000) {
        let (k, p1, angle) = (unit(&mut rng), vector(&mut rng, 1.0), rng.uniform(-PI, PI));
        let answer = sp1(&p1, &rotate(&k, angle, &p1), &k, &POLICY);
        assert!(answer.is_exact, "case {case}");
        assert!((answer.solutions[0][0].angle() - angle).abs() < 1e-9, "case {case}");
        let p2 = vector(&mut rng, 1.0);
        let answer = sp1(&p1, &p2, &k, &POLICY);
        let error = |angle: f64| (rotate(&k, angle, &p1) - p2).norm();
        assert!(!answer.is_exact, "case {case}");
        assert!(error(answer.solutions[0][0].angle()) <= least(&error) + 1e-9, "case {case}");
    }
}

#[test]
fn sp2_finds_both_meetings_or_comes_as_near_as_a_scan() {
    let mut rng = SeededRng::new(22);
    for case in 0..cases(40, 500) {
        let (k1, k2, p1) = (unit(&mut rng), unit(&mut rng), vector(&mut rng, 1.0));
        let (a, b) = (rng.uniform(-PI, PI), rng.uniform(-PI, PI));
        let p2 = rotate(&k2, -b, &rotate(&k1, a, &p1));
        let answer = sp2(&p1, &p2, &k1, &k2, &POLICY);
        assert!(answer.is_exact && answer.solutions.len() == 2, "case {case}");
        let angles = |i: usize| -> Vec<f64> { answer.solutions.iter().map(|pair| pair[i].angle()).collect() };
        assert!(contains(&angles(0), a) && contains(&angles(1), b), "case {case}");
        for [one, two] in answer.solutions.iter() {
            assert!((rotate(&k1, one.angle(), &p1) - rotate(&k2, two.angle(), &p2)).norm() < CLOSES, "case {case}");
        }
        let p2 = vector(&mut rng, 1.0);
        let answer = sp2(&p1, &p2, &k1, &k2, &POLICY);
        // For a given first angle the second one is subproblem 1, which has its own test.
        let error = |angle: f64| {
            let q = rotate(&k1, angle, &p1);
            let second = sp1(&p2, &q, &k2, &POLICY).solutions[0][0].angle();
            (q - rotate(&k2, second, &p2)).norm()
        };
        let [one, two] = answer.solutions[0];
        let reached = (rotate(&k1, one.angle(), &p1) - rotate(&k2, two.angle(), &p2)).norm();
        assert!(reached <= least(&error) + 1e-6, "case {case}: {reached} against {}", least(&error));
    }
}

#[test]
fn sp3_and_sp4_find_every_zero_of_a_scan_or_the_nearest_angle() {
    let mut rng = SeededRng::new(23);
    for case in 0..cases(100, 1_000) {
        let (k, h, p) = (unit(&mut rng), vector(&mut rng, 1.0), vector(&mut rng, 1.0));
        let d = rng.uniform(-1.2, 1.2);
        let plane = |angle: f64| h.dot(&rotate(&k, angle, &p)) - d;
        let sphere = |angle: f64| (rotate(&k, angle, &p) - h).norm() - d.abs();
        let four = sp4(&h, &p, &k, d, &POLICY);
        let three = sp3(&p, &h, &k, d.abs(), &POLICY);
        for (answer, f) in [(four, &plane as &dyn Fn(f64) -> f64), (three, &sphere)] {
            let found: Vec<f64> = answer.solutions.iter().map(|turn| turn[0].angle()).collect();
            let wanted = zeros(f);
            assert!(wanted.iter().all(|angle| contains(&found, *angle)), "case {case}: {wanted:?}, found {found:?}");
            if answer.is_exact {
                assert!(found.iter().all(|angle| f(*angle).abs() < CLOSES), "case {case}");
            } else {
                assert!(wanted.is_empty() && found.len() == 1, "case {case}");
                assert!(f(found[0]).abs() <= least(&|angle| f(angle).abs()) + 1e-9, "case {case}");
            }
        }
    }
}

#[test]
fn sp5_finds_every_solution_that_a_scan_finds() {
    let mut rng = SeededRng::new(24);
    for case in 0..cases(30, 300) {
        let k: [Vector3<f64>; 3] = std::array::from_fn(|_| unit(&mut rng));
        let mut p: [Vector3<f64>; 4] = std::array::from_fn(|_| vector(&mut rng, 1.0));
        match case % 4 {
            // The degenerate shoulders: axes meet, or are parallel.
            1 => p[0] = Vector3::zeros(),
            2 => p[2] = Vector3::zeros(),
            _ => {}
        }
        let k = if case % 4 == 3 { [k[0], k[1], k[1]] } else { k };
        let wanted: [f64; 3] = std::array::from_fn(|_| rng.uniform(-PI, PI));
        let meet = rotate(&k[1], wanted[1], &(p[2] + rotate(&k[2], wanted[2], &p[3])));
        p[1] = rotate(&k[0], -wanted[0], &(meet - p[0]));
        let answer = sp5(&p, &k, &POLICY);
        let error = |a: f64, b: f64, c: f64| {
            let right = rotate(&k[1], b, &(p[2] + rotate(&k[2], c, &p[3])));
            (p[0] + rotate(&k[0], a, &p[1]) - right).norm()
        };
        for turns in answer.solutions.iter() {
            assert!(error(turns[0].angle(), turns[1].angle(), turns[2].angle()) < 1e-7, "case {case}");
        }
        let thirds: Vec<f64> = answer.solutions.iter().map(|turns| turns[2].angle()).collect();
        assert!(contains(&thirds, wanted[2]), "case {case}: {wanted:?} not in {thirds:?}");
        // For a third angle, the first two are subproblem 2 about the sphere and plane that the others leave: scan
        // the angle along which the components on k₂ agree, and count where the lengths agree.
        let mut scanned = 0;
        for branch in 0..2 {
            let gap = |third: f64| -> f64 {
                let right = p[2] + rotate(&k[2], third, &p[3]);
                let firsts = sp4(&k[1], &p[1], &k[0], k[1].dot(&(right - p[0])), &POLICY);
                if !firsts.is_exact || firsts.solutions.len() < 2 {
                    return f64::NAN;
                }
                (p[0] + firsts.solutions[branch][0].rotate(&k[0], &p[1])).norm() - right.norm()
            };
            for third in zeros(&gap) {
                scanned += 1;
                assert!(contains(&thirds, third), "case {case}: {third} of the scan not in {thirds:?}");
            }
        }
        assert!(scanned <= answer.solutions.len(), "case {case}");
    }
}

#[test]
fn sp6_solves_both_equations_and_contains_what_made_them() {
    let mut rng = SeededRng::new(25);
    for case in 0..cases(200, 5_000) {
        let (k1, k2) = (unit(&mut rng), unit(&mut rng));
        let mut term = |k: Vector3<f64>| Sp6Term { h: vector(&mut rng, 1.0), k, p: vector(&mut rng, 1.0) };
        let mut terms = [term(k1), term(k2), term(k1), term(k2)];
        if case % 3 == 1 {
            // An equation without the second angle.
            terms[1].p = Vector3::zeros();
        }
        let wanted = [rng.uniform(-PI, PI), rng.uniform(-PI, PI)];
        let side = |first: usize, turns: [CosSin; 2]| -> f64 {
            (0..2).map(|i| terms[first + i].h.dot(&turns[i].rotate(&terms[first + i].k, &terms[first + i].p))).sum()
        };
        let d = [side(0, wanted.map(CosSin::from_angle)), side(2, wanted.map(CosSin::from_angle))];
        let answer = sp6(&terms, d, &POLICY);
        for turns in answer.solutions.iter() {
            assert!((side(0, *turns) - d[0]).abs() < 1e-7 && (side(2, *turns) - d[1]).abs() < 1e-7, "case {case}");
        }
        let firsts: Vec<f64> = answer.solutions.iter().map(|turns| turns[0].angle()).collect();
        let seconds: Vec<f64> = answer.solutions.iter().map(|turns| turns[1].angle()).collect();
        assert!(contains(&firsts, wanted[0]) && contains(&seconds, wanted[1]), "case {case}: {wanted:?} {firsts:?}");
    }
}

#[test]
fn degenerate_input_has_no_answer() {
    let (x, z) = (Vector3::x(), Vector3::z());
    assert!(sp1(&z, &x, &z, &POLICY).solutions.is_empty(), "a point on the axis");
    assert!(sp2(&x, &x, &z, &z, &POLICY).solutions.is_empty(), "parallel axes");
    assert!(sp3(&z, &x, &z, 1.0, &POLICY).solutions.is_empty());
    assert!(sp3(&x, &x, &z, -1.0, &POLICY).solutions.is_empty(), "a negative distance");
    assert!(sp4(&x, &z, &z, 0.0, &POLICY).solutions.is_empty());
    let zero = Vector3::zeros();
    assert!(sp5(&[zero, x, zero, z], &[z, x, z], &POLICY).solutions.is_empty(), "the third turn moves nothing");
    let idle = Sp6Term { h: x, k: z, p: z };
    assert!(sp6(&[idle; 4], [0.0, 0.0], &POLICY).solutions.is_empty());
}
