//! Tracking, stops, splices, the monitor and blends. Oracles: the validator, which looks at the whole curve, laws of
//! motion, and cases worked out by hand.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, PiecewisePolynomial, TimedTrajectory};
use kinetic_trajectory::blending::limits_used;
use kinetic_trajectory::online::{
    DeviationLevel, ExecutionMonitor, MonitorConfig, Tracker, sample_state, splice, stop,
};
use kinetic_trajectory::state::AxisLimits;
use kinetic_trajectory::{
    MotionLimits, MotionOptions, MotionState, TrajectoryValidator, blend, blend_sequence, jerk_limited, state_to_state,
    totp, trapezoidal,
};

use crate::support::{cases, path};

fn limits(dof: usize) -> MotionLimits {
    MotionLimits::new(vec![AxisLimits::symmetric(2.0, 10.0, 100.0); dof]).unwrap()
}

fn assert_valid(timed: &TimedTrajectory, case: &str) {
    let dof = timed.dof();
    let limits = Limits::new(vec![2.0; dof], vec![10.0; dof]).unwrap().with_jerk(vec![100.0; dof]).unwrap();
    let free = vec![1e9; dof];
    let validator =
        TrajectoryValidator::from_limits(&free.iter().map(|x| -x).collect::<Vec<_>>(), &free, &limits).unwrap();
    let found = validator.validate(timed).unwrap();
    assert!(found.is_empty(), "{case}: {:?}", found[0]);
    assert!(timed.waypoint_times().windows(2).all(|pair| pair[1] > pair[0]), "{case}: {:?}", timed.waypoint_times());
}

fn move_between(points: &[&[f64]]) -> TimedTrajectory {
    jerk_limited(&path(points), 2.0, 10.0, 100.0).unwrap()
}

#[test]
fn a_tracker_catches_a_moving_target_without_leaving_its_limits() {
    let period = 0.004;
    for seed in 0..cases(20, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut tracker = Tracker::new(limits(2), MotionState::at_rest(&[0.0, 0.5]), period).unwrap();
        let (speed, offset) =
            ([rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5)], [rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)]);
        let mut before = tracker.state().clone();
        for cycle in 1..=1000 {
            let t = f64::from(cycle) * period;
            // Where the target is when the motion ends is not known; where it is now, and how fast, is.
            let target = MotionState {
                positions: (0..2).map(|joint| offset[joint] + speed[joint] * t).collect(),
                velocities: speed.to_vec(),
                accelerations: vec![0.0; 2],
            };
            let state = tracker.step(&target).unwrap();
            for joint in 0..2 {
                let (now, last) = (state.axis(joint), before.axis(joint));
                assert!(now.velocity.abs() <= 2.0 + 1e-9 && now.acceleration.abs() <= 10.0 + 1e-9, "seed {seed}");
                let jerk = (now.acceleration - last.acceleration) / period;
                assert!(jerk.abs() <= 100.0 * (1.0 + 1e-6), "seed {seed}: {jerk}");
                let mean = (now.position - last.position) / period;
                assert!(
                    (mean - last.velocity).abs() <= 10.0 * period,
                    "seed {seed}: position does not follow velocity"
                );
            }
            before = state.clone();
        }
        // It aims at where the target is now, and lags by what it moves in a few periods.
        let end = 1000.0 * period;
        for joint in 0..2 {
            let off = before.positions[joint] - offset[joint] - speed[joint] * end;
            assert!(off.abs() <= 5.0 * speed[joint].abs() * period + 1e-6, "seed {seed}: {off}");
        }
    }
}

#[test]
fn a_tracker_that_is_told_to_rest_stops_and_stays() {
    let moving = MotionState { velocities: vec![1.5], accelerations: vec![3.0], ..MotionState::at_rest(&[0.0]) };
    let mut tracker = Tracker::new(limits(1), moving, 0.002).unwrap();
    for _ in 0..500 {
        tracker.step_to_rest().unwrap();
    }
    let rest = tracker.state().clone();
    assert!(rest.velocities[0].abs() < 1e-9 && rest.positions[0] > 0.0);
    tracker.step_to_rest().unwrap();
    assert!((tracker.state().positions[0] - rest.positions[0]).abs() < 1e-9);
}

#[test]
fn a_stop_holds_the_limits_from_every_moment_and_says_how_far_it_leads() {
    let running = move_between(&[&[0.0, 0.0], &[1.0, 0.7], &[0.2, 1.5]]);
    for part in 0..=20 {
        let t = running.duration() * f64::from(part) / 20.0;
        let stop = stop(&running, t, &limits(2)).unwrap();
        assert_valid(&stop.trajectory, &format!("stop at {t}"));
        let end = stop.trajectory.duration();
        let speeds = stop.trajectory.curve().sample(end, 1);
        assert!(
            speeds.iter().all(|v| v.abs() < 1e-9),
            "{t} {speeds:?} {end} {:?} {:?}",
            running.curve().sample(t, 1),
            running.curve().sample(t, 2)
        );
        let begin = stop.trajectory.curve().sample(0.0, 0);
        assert!(begin.iter().zip(running.curve().sample(t, 0)).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(!stop.on_path);
        // Where it ends is that far from the path at most.
        let last = stop.trajectory.curve().sample(end, 0);
        let to = |s: u32| {
            let q = running.curve().sample(running.duration() * f64::from(s) / 1e4, 0);
            (q[0] - last[0]).hypot(q[1] - last[1])
        };
        let apart = (0..=10_000).map(to).fold(f64::INFINITY, f64::min);
        assert!(stop.deviation >= apart - 5e-4 && stop.deviation < 0.1, "{t}: {} {apart}", stop.deviation);
    }
}

#[test]
fn a_splice_joins_with_equal_position_velocity_and_acceleration() {
    let running = move_between(&[&[0.0, 0.0], &[1.0, 0.7]]);
    let next = move_between(&[&[0.4, 0.6], &[-0.5, 1.0]]);
    for part in 0..10 {
        let now = running.duration() * f64::from(part) / 10.0;
        let spliced = splice(&running, now, 0.05, &next, &limits(2)).unwrap();
        assert_valid(&spliced, &format!("splice at {now}"));
        for order in 0..3 {
            let (a, b) = (spliced.curve().sample(0.02, order), running.curve().sample(now + 0.02, order));
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9), "order {order}: {a:?} {b:?}");
        }
        let end = spliced.curve().sample(spliced.duration(), 0);
        assert!((end[0] + 0.5).abs() < 1e-9 && (end[1] - 1.0).abs() < 1e-9);
    }
    assert_eq!(splice(&running, -1.0, 0.0, &next, &limits(2)).unwrap_err().code(), "InvalidValue");
    assert_eq!(splice(&running, 0.0, f64::NAN, &next, &limits(2)).unwrap_err().code(), "InvalidValue");
}

#[test]
fn until_the_latency_is_over_a_splice_is_the_running_trajectory_and_not_longer() {
    for seed in 0..cases(50, 2_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut point = || [rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)];
        let points = [point(), point(), point()];
        let running = move_between(&[&points[0], &points[1]]);
        let next = move_between(&[&points[2], &points[0]]);
        let now = running.duration() * rng.uniform(0.0, 0.5);
        let latency = (running.duration() - now) * rng.uniform(0.1, 0.9);
        let spliced = splice(&running, now, latency, &next, &limits(2)).unwrap();
        for part in 0..=100 {
            let passed = latency * f64::from(part) / 100.0;
            for order in 0..2 {
                let (a, b) = (spliced.curve().sample(passed, order), running.curve().sample(now + passed, order));
                assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9), "seed {seed}, {part} %: {a:?} {b:?}");
            }
        }
        // From there the fastest way to the beginning of the next, and that.
        let mut start = MotionState::at_rest(&[0.0; 2]);
        start.positions = running.curve().sample(now + latency, 0);
        start.velocities = running.curve().sample(now + latency, 1);
        start.accelerations = running.curve().sample(now + latency, 2);
        let target = MotionState::at_rest(&points[2]);
        let way = state_to_state(&start, &target, &limits(2), &MotionOptions::default()).unwrap().duration();
        let wanted = latency + way + next.duration();
        assert!((spliced.duration() - wanted).abs() < 1e-6, "seed {seed}: {} {wanted}", spliced.duration());
    }
}

/// Regression 63: what ran with steps of acceleration was left where the jerk limit carried velocities beyond theirs.
#[test]
fn a_splice_leaves_steps_of_acceleration_only_where_it_can_hold_the_limits() {
    let free = vec![1e9; 2];
    let bounds = Limits::new(vec![2.0; 2], vec![10.0; 2]).unwrap();
    let validator = TrajectoryValidator::from_limits(&[-1e9; 2], &free, &bounds).unwrap();
    let mut delayed = 0;
    for seed in 0..cases(100, 3_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut point = || [rng.uniform(-2.0, 2.0), rng.uniform(-2.0, 2.0)];
        let points = [point(), point(), point(), point()];
        let way = path(&[&points[0], &points[1]]);
        let running = if seed % 2 == 0 { trapezoidal(&way, 2.0, 10.0) } else { totp(&way, 2.0, 10.0, 200) }.unwrap();
        let next = trapezoidal(&path(&[&points[2], &points[3]]), 2.0, 10.0).unwrap();
        let now = running.duration() * rng.uniform(0.0, 1.0);
        let spliced = splice(&running, now, 0.0, &next, &limits(2)).unwrap();
        let found = validator.validate(&spliced).unwrap();
        assert!(found.is_empty(), "seed {seed}: {:?}", found[0]);
        let mut state = MotionState::at_rest(&[0.0; 2]);
        sample_state(&running, now, &mut state);
        if limits(2).is_bound_to_leave(&state) {
            delayed += 1;
            // It stays on the running trajectory no longer than the acceleration takes to end, at 100 per s³ from 10 per s².
            let after = spliced.curve().sample(0.15, 0);
            let along = running.curve().sample(now + 0.15, 0);
            assert!(after.iter().zip(&along).any(|(a, b)| (a - b).abs() > 1e-9), "seed {seed}");
        }
    }
    assert!(delayed > 0);
}

/// Regression 63, where trajectories are blended.
#[test]
fn a_blend_that_cannot_hold_the_limits_after_its_cut_is_refused() {
    let [a, b] = [[0.0, 0.18], [0.18, 2.0]].map(|[from, to]| totp(&path(&[&[from], &[to]]), 1.0, 5.0, 200).unwrap());
    let limits = MotionLimits::new(vec![AxisLimits::symmetric(1.0, 5.0, 50.0)]).unwrap();
    let error = blend(&a, &b, 1.02 * a.duration(), &limits).unwrap_err();
    assert!(error.to_string().contains("velocity after the start of joint 0"), "{error}");
    let error =
        blend(&a, &b, 0.4 * a.duration(), &MotionLimits::new(vec![AxisLimits::symmetric(0.1, 5.0, 50.0)]).unwrap());
    assert!(error.unwrap_err().to_string().contains("start velocity of joint 0"));
}

/// A joint at constant speed in pieces of these durations.
fn in_pieces(durations: &[f64], speed: f64) -> TimedTrajectory {
    let mut knots = vec![0.0];
    for duration in durations {
        knots.push(knots[knots.len() - 1] + duration);
    }
    let rows = knots[..durations.len()].iter().map(|begin| [speed * begin, speed, 0.0, 0.0, 0.0, 0.0]).collect();
    let end = knots[durations.len()];
    let curve = PiecewisePolynomial::new(1, knots, rows).unwrap();
    TimedTrajectory::new(curve, vec![0.0, end], 0.0, "handmade").unwrap()
}

#[test]
fn a_splice_keeps_every_piece_of_its_first_part_however_short() {
    let next = move_between(&[&[2.0], &[1.0]]);
    for short in [1e-3, 1e-5, 1e-7, 1e-9] {
        let running = in_pieces(&[0.5, short, short, 0.5, short], 0.8);
        // From before, inside and after the short pieces; to inside and after them.
        for (now, until) in [
            (0.4, 0.5 + 0.5 * short),
            (0.4, 0.5 + 1.5 * short),
            (0.4, 0.8),
            (0.5 + 0.5 * short, 0.8),
            (0.5 + 0.25 * short, 0.5 + 0.75 * short),
            (0.5 + 0.5 * short, 0.5 + 1.5 * short),
            (0.9, running.duration() - 0.5 * short),
            (0.0, running.duration()),
        ] {
            let latency = until - now;
            let spliced = splice(&running, now, latency, &next, &limits(1)).unwrap();
            let case = format!("{short}: {now} to {until}");
            for part in 0..=200 {
                let passed = latency * f64::from(part) / 200.0;
                let at = spliced.curve().sample(passed, 0)[0];
                assert!((at - 0.8 * (now + passed)).abs() < 1e-12, "{case}, {passed}: {at}");
            }
            let end = spliced.curve().sample(spliced.duration(), 0)[0];
            assert!((end - 1.0).abs() < 1e-9, "{case}: {end}");
        }
    }
}

#[test]
fn a_splice_that_leaves_or_begins_within_rounding_of_a_knot_is_made() {
    let next = move_between(&[&[2.0], &[1.0]]);
    let running = in_pieces(&[0.5, 0.25, 0.5], 0.8);
    for step in 0..100 {
        for (now, until) in [
            (0.004 * f64::from(step), 0.5_f64.next_up()),
            (0.004 * f64::from(step), 0.5_f64.next_down()),
            (0.5_f64.next_down(), 0.51 + 0.007 * f64::from(step)),
            (0.5_f64.next_up(), 0.51 + 0.007 * f64::from(step)),
        ] {
            let spliced = splice(&running, now, until - now, &next, &limits(1)).unwrap();
            let at = spliced.curve().sample(until - now, 0)[0];
            assert!((at - 0.8 * until).abs() < 1e-12, "{now} to {until}: {at}");
        }
    }
}

#[test]
fn a_blend_keeps_both_ends_never_stops_and_holds_every_limit() {
    let a = move_between(&[&[0.0, 0.0], &[1.0, 0.0]]);
    let b = move_between(&[&[1.0, 0.0], &[1.0, 1.0]]);
    let c = move_between(&[&[1.0, 1.0], &[0.0, 1.5]]);
    let blended = blend_sequence(&[a.clone(), b.clone(), c.clone()], 0.4, &limits(2)).unwrap();
    assert_valid(&blended, "sequence");
    assert!(blended.duration() < a.duration() + b.duration() + c.duration());
    let end = blended.duration();
    assert_eq!(blended.curve().sample(0.0, 0), [0.0, 0.0]);
    assert!(blended.curve().sample(end, 0).iter().zip([0.0, 1.5]).all(|(a, b)| (a - b).abs() < 1e-9));
    for sample in 50..950 {
        let t = end * f64::from(sample) / 1000.0;
        let v = blended.curve().sample(t, 1);
        assert!(v[0].hypot(v[1]) > 0.05, "stops at {t} of {end}: {v:?}");
    }
    // The deviation that is reported covers the corner that is cut.
    let distance = |q: &[f64]| (q[0] - 1.0).hypot(q[1]);
    let nearest =
        (0..=2000).map(|s| distance(&blended.curve().sample(end * f64::from(s) / 2000.0, 0))).fold(1.0, f64::min);
    assert!(nearest > 0.0 && nearest <= blended.path_deviation);
}

#[test]
fn trapezoids_are_blended_under_the_limits_that_they_use() {
    let a = trapezoidal(&path(&[&[0.0], &[1.0]]), 1.0, 2.0).unwrap();
    let b = trapezoidal(&path(&[&[1.0], &[2.5]]), 1.0, 2.0).unwrap();
    let used = limits_used(&[a.clone(), b.clone()]).unwrap();
    assert!((used.axes()[0].velocity[1] - 1.0).abs() < 1e-6 && (used.axes()[0].jerk[1] - 20.0).abs() < 1e-5);
    // Both are cut where they cruise, so that 2.5 rad take 2.5 s and a ramp of 0.5 s.
    let blended = blend(&a, &b, 1.1, &used).unwrap();
    assert!((blended.duration() - 3.0).abs() < 1e-5, "{}", blended.duration());
}

#[test]
fn blends_of_trajectories_that_do_not_fit_are_refused() {
    let a = move_between(&[&[0.0, 0.0], &[1.0, 0.0]]);
    let gap = move_between(&[&[1.0, 0.1], &[1.0, 1.0]]);
    let error = blend(&a, &gap, 0.2, &limits(2)).unwrap_err();
    assert!(error.to_string().contains("joint 1"), "{error}");
    let b = move_between(&[&[1.0, 0.0], &[1.0, 1.0]]);
    for duration in [0.0, -1.0, f64::NAN, 100.0] {
        assert_eq!(blend(&a, &b, duration, &limits(2)).unwrap_err().code(), "InvalidValue");
    }
    assert_eq!(blend_sequence(&[], 0.1, &limits(2)).unwrap_err().code(), "InvalidValue");
    assert_eq!(blend(&a, &b, 0.2, &limits(3)).unwrap_err().code(), "DimensionMismatch");
}

#[test]
fn the_monitor_forgives_outliers_and_nothing_else() {
    let config = MonitorConfig { warning: 0.1, critical: 0.5, window: 3 };
    let mut monitor = ExecutionMonitor::new(2, config).unwrap();
    let mut level = |off: [f64; 2]| monitor.update(&[1.0, 2.0], &[1.0 + off[0], 2.0 + off[1]]).unwrap().level;
    let normal = DeviationLevel::Normal;
    assert_eq!([[0.0, 9.0], [0.0, 9.0], [0.0, 0.0], [0.0, 9.0]].map(&mut level), [normal; 4]);
    assert_eq!([[0.0, 0.2], [0.0, 0.2]].map(&mut level), [normal, DeviationLevel::Warning]);
    assert_eq!([[-0.6, 0.0], [-0.6, 0.0], [-0.6, 0.0]].map(&mut level)[2], DeviationLevel::Critical);
    assert_eq!(level([0.0, f64::NAN]), DeviationLevel::Critical);
    let deviation = ExecutionMonitor::new(2, config).unwrap().update(&[0.0, 0.0], &[0.01, -0.3]).unwrap();
    assert_eq!((deviation.joint, deviation.value), (1, -0.3));
    for bad in [
        MonitorConfig { warning: 0.0, ..config },
        MonitorConfig { critical: 0.05, ..config },
        MonitorConfig { window: 0, ..config },
    ] {
        assert_eq!(ExecutionMonitor::new(1, bad).unwrap_err().code(), "InvalidValue");
    }
    assert_eq!(ExecutionMonitor::new(1, config).unwrap().update(&[0.0], &[]).unwrap_err().code(), "DimensionMismatch");
}
