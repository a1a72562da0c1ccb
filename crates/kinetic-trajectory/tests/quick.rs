//! The quick look of the validator passes nothing: one limit 1 % below the peak of one joint on one piece, all others open.
//! Oracle: the peak by dense sampling of polynomials written out here.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, PiecewisePolynomial, TimedTrajectory};
use kinetic_trajectory::{TrajectoryValidator, ViolationKind, limit_ratios};

use crate::support::derivative;

/// As good as no limit.
const OPEN: f64 = 1e12;

/// Samples of a piece.
const SAMPLES: u32 = 200;

/// The limit is this much below the peak, or above; sampling misses less.
const MARGIN: f64 = 0.01;

/// One joint's polynomial, its piece `duration` long.
#[derive(Debug, Clone, Copy)]
struct Piece {
    row: [f64; 6],
    duration: f64,
}

impl Piece {
    fn at(&self, order: usize, s: f64) -> f64 {
        derivative(&self.row, order, s)
    }

    fn samples(&self, order: usize) -> impl Iterator<Item = f64> {
        (0..=SAMPLES).map(move |sample| self.at(order, self.duration * f64::from(sample) / f64::from(SAMPLES)))
    }

    /// Largest size of a derivative.
    fn peak(&self, order: usize) -> f64 {
        self.samples(order).fold(0.0, |most, value| f64::max(most, value.abs()))
    }
}

/// The piece in the given place of a curve that stands still everywhere else, at where the piece begins and ends.
struct Place {
    dof: usize,
    joint: usize,
    piece: usize,
    pieces: usize,
}

impl Place {
    fn random(rng: &mut SeededRng) -> Self {
        let (dof, pieces) = (1 + rng.below(9), 1 + rng.below(3));
        Self { dof, joint: rng.below(dof), piece: rng.below(pieces), pieces }
    }

    fn curve(&self, piece: Piece) -> TimedTrajectory {
        let still = |q: f64| [q, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut rows = vec![still(0.0); self.pieces * self.dof];
        for index in 0..self.pieces {
            rows[index * self.dof + self.joint] = match index.cmp(&self.piece) {
                std::cmp::Ordering::Less => still(piece.at(0, 0.0)),
                std::cmp::Ordering::Equal => piece.row,
                std::cmp::Ordering::Greater => still(piece.at(0, piece.duration)),
            };
        }
        let mut knots = vec![0.0];
        for index in 0..self.pieces {
            knots.push(knots[index] + if index == self.piece { piece.duration } else { 1.0 });
        }
        let curve = PiecewisePolynomial::new(self.dof, knots.clone(), rows).unwrap();
        TimedTrajectory::new(curve, knots, 0.0, "handmade").unwrap()
    }

    /// The kinds of violations with one limit of the joint and all others open; steps are not asked for.
    fn violations(&self, timed: &TimedTrajectory, kind: ViolationKind, limit: f64) -> Vec<ViolationKind> {
        let open = || vec![OPEN; self.dof];
        let (mut lower, mut upper) = (vec![-OPEN; self.dof], open());
        let mut limits = Limits::new(open(), open()).unwrap().with_jerk(open()).unwrap();
        match kind {
            ViolationKind::Velocity => limits.velocity[self.joint] = limit,
            ViolationKind::Acceleration => limits.acceleration[self.joint] = limit,
            ViolationKind::Jerk => limits.jerk.as_mut().unwrap()[self.joint] = limit,
            // A lower limit is given as a negative number here.
            _ if limit < 0.0 => lower[self.joint] = limit,
            _ => upper[self.joint] = limit,
        }
        let validator = TrajectoryValidator::from_limits(&lower, &upper, &limits).unwrap();
        let found = validator.validate(timed).unwrap();
        assert!(found.iter().all(|violation| violation.joint == self.joint), "{found:?}");
        let is_step = |kind| matches!(kind, ViolationKind::VelocityStep | ViolationKind::AccelerationStep);
        found.into_iter().map(|violation| violation.kind).filter(|kind| !is_step(*kind)).collect()
    }

    fn assert_noticed(&self, piece: Piece, case: &str) {
        let timed = self.curve(piece);
        let kinds = [ViolationKind::Velocity, ViolationKind::Acceleration, ViolationKind::Jerk];
        for (index, kind) in kinds.into_iter().enumerate() {
            let peak = piece.peak(index + 1);
            if peak < 1e-3 {
                continue;
            }
            assert_eq!(self.violations(&timed, kind, (1.0 - MARGIN) * peak), [kind], "{case}: {piece:?}, {peak}");
            assert_eq!(self.violations(&timed, kind, (1.0 + MARGIN) * peak), [], "{case}: {piece:?}, {peak}");
        }
        self.assert_bulge_noticed(piece, &timed, case);
    }

    /// Positions are judged by what lies beyond both ends of the piece, be it much or little.
    fn assert_bulge_noticed(&self, piece: Piece, timed: &TimedTrajectory, case: &str) {
        let kind = ViolationKind::Position;
        for side in [-1.0, 1.0] {
            let ends = (side * piece.at(0, 0.0)).max(side * piece.at(0, piece.duration));
            let peak = piece.samples(0).fold(f64::NEG_INFINITY, |most, value| most.max(side * value));
            let bulge = peak - ends;
            // The limit has the sign that tells its side.
            if bulge < 0.05 || peak - MARGIN * bulge <= 0.0 {
                continue;
            }
            let limit = |part: f64| side * (peak + part * bulge);
            assert_eq!(self.violations(timed, kind, limit(-MARGIN)), [kind], "{case}: {piece:?}, {side} {peak}");
            assert_eq!(self.violations(timed, kind, limit(MARGIN)), [], "{case}: {piece:?}, {side} {peak}");
        }
    }
}

#[test]
fn one_limit_just_below_the_peak_of_a_random_piece_is_noticed() {
    for seed in 0..250 {
        let mut rng = SeededRng::new(seed);
        let duration = 10.0_f64.powf(rng.uniform(-2.0, 1.0));
        // Terms as large as each other at the end of the piece.
        let mut scale = 1.0;
        let row = [(); 6].map(|()| {
            let value = rng.uniform(-2.0, 2.0) / scale;
            scale *= duration;
            value
        });
        let place = Place::random(&mut rng);
        place.assert_noticed(Piece { row, duration }, &format!("seed {seed}"));
    }
}

/// Where the bounds of the quick look are met exactly, nothing can be left out of them.
#[test]
fn one_limit_just_below_a_peak_that_the_bounds_meet_exactly_is_noticed() {
    for seed in 0..8 {
        let mut rng = SeededRng::new(seed);
        let place = Place::random(&mut rng);
        let (duration, size) = (10.0_f64.powf(rng.uniform(-2.0, 1.0)), rng.uniform(0.5, 2.0));
        for sign in [-1.0, 1.0] {
            let mut forwards = [sign * size, 0.0, 0.0, 0.0, 0.0, 0.0];
            for power in 1..6 {
                forwards.rotate_right(1);
                forwards[power] /= duration;
                let case = format!("seed {seed}, power {power}");
                place.assert_noticed(Piece { row: forwards, duration }, &case);
                place.assert_noticed(Piece { row: backwards(&forwards, duration), duration }, &case);
            }
            // A parabola that ends where it began.
            let arch = [0.0, 4.0 * sign * size / duration, -4.0 * sign * size / (duration * duration), 0.0, 0.0, 0.0];
            place.assert_noticed(Piece { row: arch, duration }, &format!("seed {seed}, arch"));
        }
    }
}

/// The same piece seen from its end: its Taylor series there, odd powers negated.
fn backwards(row: &[f64; 6], duration: f64) -> [f64; 6] {
    let mut factor = 1.0;
    std::array::from_fn(|order| {
        let term = derivative(row, order, duration) * factor;
        factor /= -((order + 1) as f64);
        term
    })
}

#[test]
fn one_step_just_above_its_tolerance_is_noticed() {
    use ViolationKind::{AccelerationStep, PositionStep, VelocityStep};
    // Tolerances that the validator documents: 1e-9, and 1e-6 of velocity and acceleration limits of 4 and 6.
    let steps = [(PositionStep, 0, 1e-9), (VelocityStep, 1, 4e-6), (AccelerationStep, 2, 6e-6)];
    for seed in 0..100 {
        let mut rng = SeededRng::new(seed);
        let dof = 1 + rng.below(9);
        let joint = rng.below(dof);
        let limits = Limits::new(vec![4.0; dof], vec![6.0; dof]).unwrap().with_jerk(vec![OPEN; dof]).unwrap();
        let open = vec![OPEN; dof];
        let lower: Vec<f64> = open.iter().map(|value| -value).collect();
        let validator = TrajectoryValidator::from_limits(&lower, &open, &limits).unwrap();
        for (kind, order, tolerance) in steps {
            for (part, wanted) in [(1.0 - MARGIN, vec![]), (1.0 + MARGIN, vec![(kind, joint, 1)])] {
                let mut rows = vec![[0.0; 6]; 2 * dof];
                let sign = if rng.below(2) == 0 { -1.0 } else { 1.0 };
                rows[dof + joint][order] = sign * part * tolerance / f64::from([1, 1, 2][order]);
                let curve = PiecewisePolynomial::new(dof, vec![0.0, 1.0, 1.5], rows).unwrap();
                let timed = TimedTrajectory::new(curve, vec![0.0, 1.0, 1.5], 0.0, "handmade").unwrap();
                let found = validator.validate(&timed).unwrap();
                let found: Vec<_> = found.iter().map(|found| (found.kind, found.joint, found.waypoint)).collect();
                assert_eq!(found, wanted, "seed {seed}, {dof} joints, {part} of the tolerance");
            }
        }
    }
}

#[test]
fn tolerances_are_the_documented_ones_on_both_sides() {
    // From rest to rest over 1: speed 1.5, acceleration 6, jerk 12.
    for sign in [-1.0, 1.0] {
        let place = Place { dof: 1, joint: 0, piece: 0, pieces: 1 };
        let piece = Piece { row: [0.0, 0.0, 3.0 * sign, -2.0 * sign, 0.0, 0.0], duration: 1.0 };
        let timed = place.curve(piece);
        let kinds = [ViolationKind::Velocity, ViolationKind::Acceleration, ViolationKind::Jerk];
        for (kind, peak) in kinds.into_iter().zip([1.5, 6.0, 12.0]) {
            // 1e-9 of the limit is rounding, 1e-8 is not.
            assert_eq!(place.violations(&timed, kind, peak * (1.0 - 0.9e-9)), [], "{kind:?}");
            assert_eq!(place.violations(&timed, kind, peak * (1.0 - 1e-8)), [kind], "{kind:?}");
        }
        assert_eq!(place.violations(&timed, ViolationKind::Position, sign * (1.0 - 0.9e-9)), []);
        let kind = ViolationKind::Position;
        assert_eq!(place.violations(&timed, kind, sign * (1.0 - 1e-8)), [kind]);
    }
}

#[test]
fn ratios_are_those_of_the_joint_and_piece_that_use_most() {
    for seed in 0..200 {
        let mut rng = SeededRng::new(seed);
        let (dof, pieces) = (1 + rng.below(4), 1 + rng.below(4));
        let rows: Vec<[f64; 6]> = (0..dof * pieces).map(|_| [(); 6].map(|()| rng.uniform(-1.0, 1.0))).collect();
        let knots: Vec<f64> = (0..=pieces).map(|knot| knot as f64).collect();
        let curve = PiecewisePolynomial::new(dof, knots, rows.clone()).unwrap();
        let mut list = || (0..dof).map(|_| rng.uniform(1.0, 3.0)).collect::<Vec<f64>>();
        let limits = Limits::new(list(), list()).unwrap().with_jerk(list()).unwrap();
        let largest = |order: usize, limits: &[f64]| {
            let ratio =
                |(index, row): (usize, &[f64; 6])| Piece { row: *row, duration: 1.0 }.peak(order) / limits[index % dof];
            rows.iter().enumerate().map(ratio).fold(0.0, f64::max)
        };
        let found = limit_ratios(&curve, &limits).unwrap();
        let jerk = found.jerk.unwrap();
        // Random pieces do not begin where others end: acceleration steps.
        assert_eq!(jerk.is_infinite(), pieces > 1, "seed {seed}");
        let jerk_limits = limits.jerk.as_ref().unwrap();
        let figures = [(1, found.velocity, &limits.velocity), (2, found.acceleration, &limits.acceleration)];
        for (order, found, limits) in figures.into_iter().chain((pieces == 1).then_some((3, jerk, jerk_limits))) {
            let sampled = largest(order, limits);
            // Sampling misses less than a thousandth of a peak; the last digits are rounding.
            assert!(
                found >= sampled * (1.0 - 1e-12) && found <= sampled * 1.001,
                "seed {seed}, order {order}: {found} {sampled}"
            );
        }
    }
}
