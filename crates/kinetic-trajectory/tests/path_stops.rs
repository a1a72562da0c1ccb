//! Stops under limits that the running trajectory may not hold. Oracles: dense sampling of the stop, laws of braking.

use kinetic_core::content_hash::ContentHasher;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, PiecewisePolynomial, TimedTrajectory};
use kinetic_trajectory::check::RELATIVE_TOLERANCE;
use kinetic_trajectory::online::{Stop, StopPlanner, stop, stop_on_path};
use kinetic_trajectory::state::AxisLimits;
use kinetic_trajectory::totp::time_optimal;
use kinetic_trajectory::{MotionLimits, MotionState, PathGeometry, ViolationKind, jerk, jerk_limited};

use crate::support::{cases, derivative, path};

/// Samples per piece. The worst value lies within half of a step of one of them.
const SAMPLES: u32 = 30;

/// What sampling misses of a peak, relative to the range between the limits.
const MISSED: f64 = 1e-2;

fn constant_speed(speed: f64) -> TimedTrajectory {
    let curve = PiecewisePolynomial::new(1, vec![0.0, 1.0], vec![[0.0, speed, 0.0, 0.0, 0.0, 0.0]]).unwrap();
    TimedTrajectory::new(curve, vec![0.0, 1.0], 0.0, "handmade").unwrap()
}

/// Lowest and highest value of a derivative of a joint at many moments of every piece, both ends included.
fn sampled(curve: &PiecewisePolynomial, order: usize, joint: usize) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for piece in 0..curve.pieces() {
        for sample in 0..=SAMPLES {
            let s = curve.piece_duration(piece) * f64::from(sample) / f64::from(SAMPLES);
            let value = derivative(curve.coefficients(piece, joint), order, s);
            range = [range[0].min(value), range[1].max(value)];
        }
    }
    range
}

/// True where a trajectory holds the limits of jerk.
fn is_smooth(timed: &TimedTrajectory, limits: &MotionLimits) -> bool {
    let curve = timed.curve();
    let holds = |joint: usize| {
        let ([low, high], [lowest, highest]) = (sampled(curve, 3, joint), limits.axes()[joint].jerk);
        let step = |piece: usize| {
            let before = derivative(curve.coefficients(piece - 1, joint), 2, curve.piece_duration(piece - 1));
            (derivative(curve.coefficients(piece, joint), 2, 0.0) - before).abs()
        };
        low >= lowest - 1e-8 && high <= highest + 1e-8 && (1..curve.pieces()).map(step).fold(0.0, f64::max) < 1e-5
    };
    (0..curve.dof()).all(holds)
}

/// Everything that a stop says of limits, against samples of it.
fn assert_said(stop: &Stop, running: &TimedTrajectory, limits: &MotionLimits, case: &str) {
    let curve = stop.trajectory.curve();
    let kinds = [ViolationKind::Velocity, ViolationKind::Acceleration, ViolationKind::Jerk];
    let orders = if stop.on_path && !stop.jerk_bounded { 2 } else { 3 };
    assert!(!stop.jerk_bounded || is_smooth(&stop.trajectory, limits), "{case}");
    assert!(is_smooth(running, limits) || !stop.on_path || !stop.jerk_bounded, "{case}");
    for (joint, axis) in limits.axes().iter().enumerate() {
        for (index, [lowest, highest]) in [axis.velocity, axis.acceleration, axis.jerk][..orders].iter().enumerate() {
            let [low, high] = sampled(curve, index + 1, joint);
            let (below, above) = (lowest - low, high - highest);
            let said: Vec<_> =
                stop.violations.iter().filter(|found| (found.joint, found.kind) == (joint, kinds[index])).collect();
            let (excess, missed) = (below.max(above), MISSED * (highest - lowest));
            let case = format!("{case}, joint {joint}, {:?}: {low} to {high} in {lowest} to {highest}", kinds[index]);
            let allowed = RELATIVE_TOLERANCE * (highest - lowest) + 1e-9;
            assert!(said.len() <= 1 && (excess <= allowed || said.len() == 1), "{case}: {said:?}");
            let Some(said) = said.first() else { continue };
            let beyond = (said.value - said.limit).abs();
            assert!(beyond >= excess - allowed && beyond <= excess + missed, "{case}: {said:?}");
            assert_eq!(said.limit, if below > above { *lowest } else { *highest }, "{case}: {said:?}");
            let value = stop.trajectory.curve().sample(said.time, index + 1)[joint];
            // At a knot the other piece's value counts as well.
            assert!(index > 0 || (value - said.value).abs() <= missed, "{case}: {said:?} {value}");
        }
    }
    assert!(!stop.on_path || stop.violations.is_empty(), "{case}: {:?}", stop.violations);
    let end = curve.sample(stop.trajectory.duration(), 1);
    assert!(end.iter().all(|velocity| velocity.abs() < 1e-7), "{case}: moves at its end: {end:?}");
}

#[test]
fn a_motion_too_short_to_brake_on_is_left() {
    // Braking from 1 rad/s at 2 rad/s² takes 0.25 rad of the 1 rad, and with ramps of 2/40 s 0.275 rad.
    for direction in [-1.0, 1.0] {
        let running = constant_speed(direction);
        let limits = MotionLimits::new(vec![AxisLimits::symmetric(1.5, 2.0, 40.0)]).unwrap();
        let cases = [(0.0, [true, true]), (0.6, [true, true]), (0.71, [true, true]), (0.726, [true, false])];
        let beyond = [(0.749, [true, false]), (0.751, [false, true]), (0.9, [false, true]), (1.0, [false, true])];
        for (t, [fits, bounds_jerk]) in cases.into_iter().chain(beyond) {
            let stop = stop_on_path(&running, t, &limits).unwrap();
            assert_eq!([stop.on_path, stop.jerk_bounded], [fits, bounds_jerk], "{direction} {t}");
            assert_said(&stop, &running, &limits, &format!("{direction} {t}"));
            let end = stop.trajectory.curve().sample(stop.trajectory.duration(), 0)[0].abs();
            let way = if bounds_jerk { 0.275..0.282 } else { 0.249..0.251 };
            assert!(!fits || way.contains(&(end - t)), "{direction} {t}: {end}");
            let mut planner = StopPlanner::new(running.clone(), limits.clone()).unwrap().without_jerk_limits();
            let earliest = planner.stop_on_path(t).unwrap();
            assert!(
                !fits || (earliest - 0.5).abs() < 1e-3 && !planner.is_jerk_bounded(),
                "{direction} {t}: {earliest}"
            );
        }
    }
}

#[test]
fn a_stop_on_the_path_is_verified_on_both_sides_of_every_limit() {
    let wide = AxisLimits::symmetric(9.0, 9.0, 900.0);
    for (side, direction) in [(0, -1.0), (1, 1.0)] {
        // 1 % above its highest speed, seen in its own direction; the other side says nothing.
        let mut axis = wide;
        axis.velocity[side] = direction / 1.01;
        let limits = MotionLimits::new(vec![axis]).unwrap();
        let stop = stop_on_path(&constant_speed(direction), 0.1, &limits).unwrap();
        assert!(!stop.on_path, "{direction}");
        assert_eq!(stop.violations.len(), 1, "{:?}", stop.violations);
        assert_eq!((stop.violations[0].kind, stop.violations[0].value), (ViolationKind::Velocity, direction));
        assert_eq!(stop.violations[0].limit, axis.velocity[side]);
        let mut axis = wide;
        axis.velocity[1 - side] = -direction * 1e-3;
        let limits = MotionLimits::new(vec![axis]).unwrap();
        assert!(stop_on_path(&constant_speed(direction), 0.1, &limits).unwrap().on_path, "{direction}");
    }
}

#[test]
fn stops_say_which_joint_exceeds_which_limit_and_by_how_much() {
    let (mut on_path, mut exceeding) = (0, 0);
    let seeds = cases(10, 5000) as u64;
    for seed in 0..seeds {
        let mut rng = SeededRng::new(seed);
        let mut point = |scale: f64| [rng.uniform(-scale, scale), rng.uniform(-scale, scale)];
        let points = [point(1.0), point(1.0), point(1.0)];
        let rows: Vec<&[f64]> = points.iter().map(<[f64; 2]>::as_slice).collect();
        let running = jerk_limited(&path(&rows), 1.0, 4.0, 40.0).unwrap();
        let mut side = |limit: f64| [-limit * rng.uniform(0.6, 2.0), limit * rng.uniform(0.6, 2.0)];
        let axes = (0..2).map(|_| AxisLimits { velocity: side(1.0), acceleration: side(4.0), jerk: side(40.0) });
        let limits = MotionLimits::new(axes.collect()).unwrap();
        for part in 0..6 {
            let t = running.duration().min(running.duration() * f64::from(part) / 5.0);
            for (name, make) in [("on path", stop_on_path as fn(_, _, _) -> _), ("beside", stop)] {
                let stop: Stop = make(&running, t, &limits).unwrap();
                assert_said(&stop, &running, &limits, &format!("seed {seed}, {name}, {t}"));
                on_path += usize::from(stop.on_path);
                exceeding += usize::from(!stop.violations.is_empty());
            }
        }
    }
    // Both kinds are common; what never happens is tested by nobody.
    let least = seeds as usize / 2;
    assert!(on_path > least && exceeding > least, "{on_path} on their paths, {exceeding} beyond a limit");
}

/// Trajectories of several laws through three random points, and limits that some of them do not hold.
fn random_case(seed: u64) -> (TimedTrajectory, MotionLimits) {
    let mut rng = SeededRng::new(seed);
    let mut point = |scale: f64| [rng.uniform(-scale, scale), rng.uniform(-scale, scale), rng.uniform(-scale, scale)];
    let points = [point(1.0), point(1.0), point(1.0)];
    let rows: Vec<&[f64]> = points.iter().map(<[f64; 3]>::as_slice).collect();
    let (line, limits) =
        (PathGeometry::polyline(&path(&rows)).unwrap(), Limits::new(vec![1.0; 3], vec![4.0; 3]).unwrap());
    let running = if seed.is_multiple_of(2) {
        jerk::apply(&line, &limits.with_jerk(vec![40.0; 3]).unwrap()).unwrap()
    } else {
        time_optimal(&line, &limits, 100, None).unwrap()
    };
    let mut side = |limit: f64| [-limit * rng.uniform(0.8, 2.0), limit * rng.uniform(0.8, 2.0)];
    let axes = (0..3).map(|_| AxisLimits { velocity: side(1.0), acceleration: side(4.0), jerk: side(40.0) });
    (running, MotionLimits::new(axes.collect()).unwrap())
}

fn add_stop(hasher: &mut ContentHasher, stop: &Stop) {
    hasher.hash(stop.trajectory.curve().content_hash());
    hasher.number(stop.deviation);
    hasher.integer(u64::from(stop.on_path));
    hasher.integer(u64::from(stop.jerk_bounded));
    for found in &stop.violations {
        hasher.integer(found.joint as u64);
        hasher.numbers(&[found.value, found.limit, found.time]);
    }
}

#[test]
fn stops_are_the_same_bits_as_ever() {
    let mut hasher = ContentHasher::default();
    for seed in 0..40 {
        let (running, limits) = random_case(seed);
        for part in 0..=10 {
            let t = running.duration().min(running.duration() * f64::from(part) / 10.0);
            add_stop(&mut hasher, &stop(&running, t, &limits).unwrap());
            add_stop(&mut hasher, &stop_on_path(&running, t, &limits).unwrap());
        }
    }
    // Changes when stops do, which has to be meant.
    assert_eq!(hasher.finish().to_string(), "fnv1a128:8fa3158280325e7ca41f037597ae043f");
}

#[test]
fn a_stop_planner_answers_as_the_functions_do_and_allocates_nothing() {
    let mut beside = 0;
    for seed in 0..20 {
        let (running, limits) = random_case(seed);
        let mut planner = StopPlanner::new(running.clone(), limits.clone()).unwrap();
        assert_eq!((planner.curve().duration(), planner.curve().sample(0.0, 0)), (0.0, running.curve().sample(0.0, 0)));
        let mut state = MotionState::at_rest(&[0.0; 3]);
        for part in 0..=10 {
            let t = running.duration().min(running.duration() * f64::from(part) / 10.0);
            for on_path in [true, false] {
                let mut duration = 0.0;
                let measured = allocation_counter::measure(|| {
                    duration = if on_path { planner.stop_on_path(t) } else { planner.stop(t) }.unwrap();
                    planner.sample_into(duration, &mut state);
                });
                assert_eq!(measured.count_total, 0, "seed {seed} at {t}");
                let wanted = if on_path { stop_on_path } else { stop }(&running, t, &limits).unwrap();
                assert_eq!(planner.to_stop().unwrap(), wanted, "seed {seed} at {t}");
                assert_eq!(duration, wanted.trajectory.duration());
                assert_eq!(state.positions, wanted.trajectory.curve().sample(duration, 0));
                assert!(state.velocities.iter().all(|velocity| velocity.abs() < 1e-7));
                beside += usize::from(on_path && !planner.is_on_path());
            }
        }
        let wrong = planner.stop(running.duration() + 1.0).unwrap_err();
        assert_eq!(wrong.code(), "InvalidValue");
        assert_eq!(planner.stop_on_path(f64::NAN).unwrap_err().code(), "InvalidValue");
    }
    assert!(beside > 10, "{beside} stops that leave their path");
    let (running, _) = random_case(0);
    let two = MotionLimits::new(vec![AxisLimits::symmetric(1.0, 1.0, 1.0); 2]).unwrap();
    assert_eq!(StopPlanner::new(running, two).unwrap_err().code(), "DimensionMismatch");
}
