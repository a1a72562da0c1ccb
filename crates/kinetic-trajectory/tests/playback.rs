//! Speed override and stops on the path. Oracles: cases worked out by hand, differences of positions sampled at 10 kHz, the
//! distance from the path, and the slowest profile integrated in small steps without interval bounds.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, PiecewisePolynomial, TimedTrajectory};
use kinetic_trajectory::online::{Playback, stop, stop_on_path};
use kinetic_trajectory::state::AxisLimits;
use kinetic_trajectory::{MotionLimits, TIME_LAWS, TimingOptions, limit_ratios, time_parameterize, trapezoidal};

use crate::support::{cases, degenerate_path, largest_difference, path, random_limits};

fn random(law: &str, seed: u64) -> (TimedTrajectory, Limits) {
    let mut rng = SeededRng::new(seed);
    let path = degenerate_path(&mut rng);
    let limits = random_limits(&mut rng, path.dof());
    let options = TimingOptions { max_deviation: 0.05, ..TimingOptions::default() };
    (time_parameterize(&path, law, &limits, &options, &mut |_| true).unwrap(), limits)
}

fn without_jerk_limits(limits: &Limits) -> MotionLimits {
    let axis = |joint: usize| {
        let (velocity, acceleration) = (limits.velocity[joint], limits.acceleration[joint]);
        AxisLimits::symmetric(velocity, acceleration, 10.0 * acceleration)
    };
    MotionLimits::new((0..limits.dof()).map(axis).collect()).unwrap()
}

#[test]
fn the_override_changes_the_speed_as_fast_as_the_acceleration_allows_and_no_faster() {
    // Cruise at 1 rad/s with 4 rad/s²: half the speed after 0.125 s, rest after another 0.125 s.
    let timed = trapezoidal(&path(&[&[0.0], &[2.0]]), 1.0, 4.0).unwrap();
    let mut playback = Playback::new(timed, 4.0).unwrap();
    playback.step(0.5).unwrap();
    assert!((playback.state().positions[0] - 0.375).abs() < 1e-9);
    playback.set_override(0.5).unwrap();
    playback.step(0.0625).unwrap();
    assert!((playback.rate() - 0.75).abs() < 1e-6 && (playback.state().accelerations[0] + 4.0).abs() < 1e-6);
    playback.step(0.1).unwrap();
    assert!((playback.state().velocities[0] - 0.5).abs() < 1e-8 && playback.state().accelerations[0].abs() < 1e-9);
    playback.set_override(0.0).unwrap();
    let before = playback.state().positions[0];
    playback.step(1.0).unwrap();
    assert_eq!((playback.rate(), playback.state().velocities[0]), (0.0, 0.0));
    assert!((playback.state().positions[0] - before - 0.03125).abs() < 1e-6, "v² / 2a");
    assert!(!playback.is_finished());
    // A stop can be left again.
    playback.set_override(1.0).unwrap();
    for _ in 0..3000 {
        playback.step(0.001).unwrap();
    }
    assert!(playback.is_finished() && (playback.state().positions[0] - 2.0).abs() < 1e-9);
}

#[test]
fn at_full_speed_it_is_the_trajectory() {
    for law in TIME_LAWS {
        let (timed, limits) = random(law.id, 11);
        let mut playback = Playback::new(timed.clone(), limits.acceleration.clone()).unwrap();
        for cycle in (1_u32..).take_while(|cycle| 0.01 * f64::from(*cycle) < timed.duration()) {
            let state = playback.step(0.01).unwrap();
            let wanted = timed.sample_at(0.01 * f64::from(cycle));
            assert!(largest_difference(&state.positions, &wanted.positions) < 1e-9, "{} cycle {cycle}", law.id);
            assert!(largest_difference(&state.velocities, &wanted.velocities) < 1e-6, "{} cycle {cycle}", law.id);
        }
    }
}

#[test]
fn an_override_that_changes_all_the_time_never_leaves_the_path_or_the_limits() {
    const PERIOD: f64 = 1e-4;
    for law in TIME_LAWS {
        for seed in 0..cases(12, 1000) as u64 {
            let (timed, limits) = random(law.id, seed);
            let mut rng = SeededRng::new(seed + 1_000_000);
            let mut playback = Playback::new(timed.clone(), limits.acceleration.clone()).unwrap();
            let mut window: Vec<Vec<f64>> = vec![playback.state().positions.clone()];
            for cycle in 0..20_000 {
                if cycle % 500 == 0 {
                    playback.set_override([0.0, 1.0, 0.5, rng.uniform(0.0, 1.0)][rng.below(4)]).unwrap();
                }
                let state = playback.step(PERIOD).unwrap().clone();
                let case = format!("{} seed {seed} cycle {cycle}", law.id);
                let there = timed.curve().sample(playback.time(), 0);
                assert!(largest_difference(&state.positions, &there) < 1e-12, "{case}: off the path");
                assert!((0.0..=1.0).contains(&playback.rate()), "{case}");
                window.push(state.positions);
                if let [.., a, b, c] = &window[..] {
                    for joint in 0..timed.dof() {
                        let speed = ((c[joint] - b[joint]) / PERIOD).abs();
                        assert!(speed <= limits.velocity[joint] * (1.0 + 1e-9) + 1e-10, "{case}: {speed}");
                        // A second difference is a mean of accelerations; positions are rounded at 4e-15.
                        let acceleration = ((c[joint] - 2.0 * b[joint] + a[joint]) / (PERIOD * PERIOD)).abs();
                        let limit = limits.acceleration[joint] * (1.0 + 1e-6) + 3e-6;
                        assert!(acceleration <= limit, "{case} joint {joint}: {acceleration} above {limit}");
                    }
                    window.remove(0);
                }
            }
        }
    }
}

/// A jerk-limited trajectory that uses this part of its limits of acceleration and jerk, and the limits.
fn using(part: f64, seed: u64) -> (TimedTrajectory, Limits) {
    let mut rng = SeededRng::new(seed);
    let path = degenerate_path(&mut rng);
    let limits = random_limits(&mut rng, path.dof());
    let jerk: Vec<f64> = limits.acceleration.iter().map(|limit| 10.0 * limit).collect();
    let limits = limits.with_jerk(jerk).unwrap();
    let used = |values: &[f64]| values.iter().map(|value| part * value).collect();
    let used = Limits {
        velocity: limits.velocity.clone(),
        acceleration: used(&limits.acceleration),
        jerk: limits.jerk.as_deref().map(used),
    };
    let options = TimingOptions { max_deviation: 0.05, ..TimingOptions::default() };
    (time_parameterize(&path, "jerk_limited", &used, &options, &mut |_| true).unwrap(), limits)
}

#[test]
fn with_jerk_limits_the_override_changes_velocity_acceleration_and_jerk_inside_their_limits() {
    const PERIOD: f64 = 1e-3;
    let mut stops = 0;
    for seed in 0..cases(30, 2000) as u64 {
        let (timed, limits) = using([1.0, 0.8][seed as usize % 2], seed);
        if timed.duration() < 0.5 {
            continue;
        }
        let mut rng = SeededRng::new(seed + 2_000_000);
        let playback = Playback::new(timed.clone(), limits.acceleration.clone()).unwrap();
        let jerks = limits.jerk.clone().unwrap();
        let mut playback = playback.with_jerk_limits(jerks.clone()).unwrap();
        let mut before = playback.state().clone();
        for cycle in 0..6000 {
            // Time enough for a stop, then changes while changes are under way.
            if cycle == 20 || (cycle > 3000 && cycle % 200 == 0) {
                let speed = [0.0, 1.0, 0.5, rng.uniform(0.0, 1.0)][rng.below(4)];
                playback.set_override(if cycle == 20 { 0.0 } else { speed }).unwrap();
            }
            let state = playback.step(PERIOD).unwrap().clone();
            let case = format!("seed {seed} cycle {cycle}");
            let there = timed.curve().sample(playback.time(), 0);
            assert!(largest_difference(&state.positions, &there) < 1e-12, "{case}: off the path");
            assert!((0.0..=1.0).contains(&playback.rate()), "{case}");
            stops += usize::from(playback.rate() == 0.0);
            for joint in 0..timed.dof() {
                assert!(state.velocities[joint].abs() <= limits.velocity[joint] * (1.0 + 1e-9), "{case}");
                assert!(state.accelerations[joint].abs() <= limits.acceleration[joint] * (1.0 + 1e-9), "{case}");
                // What acceleration does in a cycle is a mean of jerks, what velocity does one of accelerations; the end of
                // the trajectory cuts a cycle short.
                let jerk = (state.accelerations[joint] - before.accelerations[joint]) / PERIOD;
                assert!(jerk.abs() <= jerks[joint] * (1.0 + 1e-6) + 1e-6, "{case} joint {joint}: jerk {jerk}");
                let mean = (state.velocities[joint] - before.velocities[joint]) / PERIOD;
                assert!(mean.abs() <= limits.acceleration[joint] * (1.0 + 1e-6) + 1e-9, "{case}: {mean}");
            }
            before = state;
        }
    }
    assert!(stops > 100, "{stops}");
}

#[test]
fn under_jerk_limits_a_stop_from_cruise_takes_what_it_takes_by_hand() {
    // From 1 rad/s with 4 rad/s² and 40 rad/s³: 1/4 + 4/40 s, symmetric about the middle.
    let timed = kinetic_trajectory::jerk_limited(&path(&[&[0.0], &[4.0]]), 1.0, 4.0, 40.0).unwrap();
    let mut playback = Playback::new(timed, 4.0).unwrap().with_jerk_limits(40.0).unwrap();
    playback.step(2.0).unwrap();
    playback.set_override(0.0).unwrap();
    let (mut cycles, begin) = (0, playback.state().positions[0]);
    while playback.rate() > 0.0 {
        playback.step(1e-3).unwrap();
        cycles += 1;
    }
    let taken = f64::from(cycles) * 1e-3;
    assert!((0.35..0.38).contains(&taken), "{taken}");
    assert!((playback.state().positions[0] - begin - 0.5 * taken).abs() < 2e-3);
}

#[test]
fn under_jerk_limits_what_already_brakes_with_all_it_has_goes_on() {
    // The trajectory itself is the fastest stop from its last cruise on.
    let timed = kinetic_trajectory::jerk_limited(&path(&[&[0.0], &[2.0]]), 1.0, 4.0, 40.0).unwrap();
    for left in [0.35, 0.3, 0.2, 0.1, 0.05] {
        let mut playback = Playback::new(timed.clone(), 4.0).unwrap().with_jerk_limits(40.0).unwrap();
        playback.step(timed.duration() - left).unwrap();
        playback.set_override(0.0).unwrap();
        let mut cycles = 0;
        while playback.rate() > 0.0 && !playback.is_finished() {
            playback.step(1e-3).unwrap();
            cycles += 1;
        }
        let taken = f64::from(cycles) * 1e-3;
        assert!(taken <= left + 2e-3, "{taken} s, where {left} s were left");
    }
}

/// Seconds until a playback stands or is at its end, in cycles of a millisecond.
fn time_to_stand(mut playback: Playback, begin: f64) -> f64 {
    playback.step(begin).unwrap();
    playback.set_override(0.0).unwrap();
    let mut cycles = 0;
    while playback.rate() > 0.0 && !playback.is_finished() {
        playback.step(1e-3).unwrap();
        cycles += 1;
    }
    f64::from(cycles) * 1e-3
}

#[test]
fn under_jerk_limits_stops_are_near_the_earliest_there_are() {
    // No stop is earlier than one without bounds of jerk, nor than that of each joint for itself.
    let (mut ratios, mut differences) = (Vec::new(), Vec::new());
    for seed in 0..cases(60, 3000) as u64 {
        let (timed, limits) = using(1.0, seed);
        if timed.duration() < 0.5 {
            continue;
        }
        let mut rng = SeededRng::new(seed + 3_000_000);
        let begin = rng.uniform(0.05, 0.95) * timed.duration();
        let motion_limits = MotionLimits::symmetric(&limits).unwrap();
        let plain = Playback::new(timed.clone(), limits.acceleration.clone()).unwrap();
        let played = time_to_stand(plain.clone().with_jerk_limits(limits.jerk.clone().unwrap()).unwrap(), begin);
        let beside = stop(&timed, begin, &motion_limits).unwrap();
        let least = time_to_stand(plain, begin).max(beside.trajectory.duration());
        let found = stop_on_path(&timed, begin, &motion_limits).unwrap();
        let taken = found.trajectory.duration();
        // Half of it at full speed at least would reach the end.
        let (case, left) = (format!("seed {seed}"), timed.duration() - begin);
        assert!(
            found.on_path && found.jerk_bounded && taken.max(played) <= 2.0 * left + 2e-3,
            "{case}: {taken} {played} {left}"
        );
        let ratios_of_limits = limit_ratios(found.trajectory.curve(), &limits).unwrap();
        // What begins at rest with an acceleration counts as a step of it.
        let begins_at_rest = ratios_of_limits.velocity < 1e-6;
        let worst_ratio =
            ratios_of_limits.velocity.max(ratios_of_limits.acceleration).max(ratios_of_limits.jerk.unwrap());
        assert!(begins_at_rest || worst_ratio <= 1.0 + 1e-8, "{case}: {ratios_of_limits:?}");
        let fastest = limits.velocity.iter().fold(0.0_f64, |most, limit| most.max(*limit)) * (1.0 + 1e-6);
        for sample in 0..=20 {
            let passed = taken * f64::from(sample) / 20.0;
            let there = found.trajectory.curve().sample(passed, 0);
            let off = distance_from_part(&timed, [begin, passed], &there, fastest, 1e-9);
            assert!(off <= 1e-9, "{case}: {off} off the path after {passed} of {taken}");
        }
        ratios.push((taken + 1e-3) / (least + 1e-3));
        differences.push((taken - played).abs() / taken);
    }
    let tenth = |mut list: Vec<f64>, tenth: usize| {
        list.sort_by(f64::total_cmp);
        list[tenth * (list.len() - 1) / 10]
    };
    let [median, worst] = [5, 9].map(|part| tenth(ratios.clone(), part));
    assert!(median < 1.2 && worst < 2.0, "{median} at the median, {worst} for nine of ten");
    // The stop is planned at once, a playback looks anew in every cycle.
    let difference = tenth(differences, 9);
    assert!(difference < 0.15, "{difference}");
}

#[test]
fn a_playback_with_jerk_limits_refuses_what_has_more_jerk() {
    let line = path(&[&[0.0, 0.0], &[1.0, 0.2]]);
    let stepping = trapezoidal(&line, 1.0, 4.0).unwrap();
    let error = Playback::new(stepping, 5.0).unwrap().with_jerk_limits(50.0).unwrap_err();
    assert!(error.to_string().contains("step of the acceleration of joint 0"), "{error}");
    let full = kinetic_trajectory::jerk_limited(&line, 1.0, 4.0, 40.0).unwrap();
    let error = Playback::new(full.clone(), 5.0).unwrap().with_jerk_limits(39.0).unwrap_err();
    assert!(error.to_string().contains("jerk of joint 0"), "{error}");
    assert!(Playback::new(full.clone(), 4.0).unwrap().with_jerk_limits(40.0).is_ok());
    assert_eq!(
        Playback::new(full.clone(), 5.0).unwrap().with_jerk_limits([50.0; 3]).unwrap_err().code(),
        "DimensionMismatch"
    );
    assert_eq!(Playback::new(full, 5.0).unwrap().with_jerk_limits(-1.0).unwrap_err().code(), "InvalidValue");
}

#[test]
fn stepping_allocates_nothing() {
    let (stepping, limits) = random("totp", 3);
    let (smooth, smooth_limits) = using(1.0, 3);
    let smooth = Playback::new(smooth, smooth_limits.acceleration).unwrap();
    let smooth = smooth.with_jerk_limits(smooth_limits.jerk.unwrap()).unwrap();
    for mut playback in [Playback::new(stepping, limits.acceleration).unwrap(), smooth] {
        let measured = allocation_counter::measure(|| {
            for cycle in 0..200 {
                playback.set_override(if cycle % 20 < 10 { 0.3 } else { 1.0 }).unwrap();
                playback.step(0.004).unwrap();
            }
        });
        assert_eq!(measured.count_total, 0);
    }
}

/// Distance of `q` from the part of a trajectory from `begin` on that passes in `span` seconds, by halving intervals of time:
/// no joint is faster than `fastest`, so that an interval that is too far from `q` at its middle is left out. Ends where the
/// distance is below `enough`.
fn distance_from_part(timed: &TimedTrajectory, [begin, span]: [f64; 2], q: &[f64], fastest: f64, enough: f64) -> f64 {
    let end = (begin + span).min(timed.duration());
    let distance = |t: f64| largest_difference(&timed.curve().sample(t, 0), q);
    let mut best = distance(begin).min(distance(end));
    let mut open = vec![(begin, end)];
    while let Some((from, to)) = open.pop() {
        let middle = f64::midpoint(from, to);
        let there = distance(middle);
        best = best.min(there);
        if best <= enough {
            break;
        }
        if there - fastest * 0.5 * (to - from) < best - 0.5 * enough {
            let mut halves = [(from, middle), (middle, to)];
            // The nearer half first.
            if distance(0.5 * (from + middle)) < distance(0.5 * (middle + to)) {
                halves.swap(0, 1);
            }
            open.extend(halves);
        }
    }
    best
}

/// Part of the limits that the oracle leaves. Where a trajectory brakes with all it has, the room for braking harder grows
/// exponentially from what is left of the limits, so that the last digits of the limits decide when a stop begins.
const MILLIONTH: f64 = 1e-6;

/// The slowest profile by small steps of time with the limits at single points; how long it takes and where it ends.
fn integrated(timed: &TimedTrajectory, limits: &Limits, begin: f64) -> (f64, f64) {
    const STEP: f64 = 2e-5;
    let (mut time, mut rate, mut passed) = (begin, 1.0_f64, 0.0);
    while rate > 0.0 && time < timed.duration() {
        let (velocity, acceleration) = (timed.curve().sample(time, 1), timed.curve().sample(time, 2));
        let mut change = f64::NEG_INFINITY;
        for joint in 0..timed.dof() {
            let (limit, own) = (limits.acceleration[joint] * (1.0 - MILLIONTH), acceleration[joint] * rate * rate);
            let most = if velocity[joint] > 0.0 { limit + own } else { limit - own };
            change = change.max(-most.max(0.0) / velocity[joint].abs());
        }
        rate += change.max(-1e6) * STEP;
        time += rate.max(0.0) * STEP;
        passed += STEP;
    }
    (passed, time.min(timed.duration()))
}

#[test]
fn a_stop_on_the_path_is_inside_the_limits_and_the_earliest_there_is() {
    for law in TIME_LAWS.iter().filter(|law| law.id != "jerk_limited") {
        for seed in 0..cases(40, 3000) as u64 {
            let (timed, limits) = random(law.id, seed);
            let mut rng = SeededRng::new(seed);
            let begin = rng.uniform(0.0, timed.duration());
            let case = format!("{} seed {seed} at {begin} of {}", law.id, timed.duration());
            let stop = stop_on_path(&timed, begin, &without_jerk_limits(&limits)).unwrap();
            assert!(stop.on_path && stop.deviation < 1e-9, "{case}: {} {}", stop.on_path, stop.deviation);
            let (curve, end) = (stop.trajectory.curve(), stop.trajectory.duration());
            let ratios = limit_ratios(curve, &limits).unwrap();
            assert!(ratios.velocity.max(ratios.acceleration) <= 1.0 + 1e-8, "{case}: {ratios:?}");
            assert!(largest_difference(&curve.sample(0.0, 0), &timed.curve().sample(begin, 0)) < 1e-9, "{case}");
            assert!(curve.sample(end, 1).iter().all(|v| v.abs() < 1e-6), "{case}");
            // Every configuration lies on the path: it is the trajectory's at some moment, later by what passed at most.
            let fastest = limits.velocity.iter().fold(0.0_f64, |most, limit| most.max(*limit)) * (1.0 + 1e-6);
            for sample in 0..=50 {
                let passed = end * f64::from(sample) / 50.0;
                let off = distance_from_part(&timed, [begin, passed], &curve.sample(passed, 0), fastest, 1e-9);
                assert!(off <= 1e-9, "{case}: {off} off the path after {passed} of {end}");
            }
            let (duration, place) = integrated(&timed, &limits, begin);
            let last = curve.sample(end, 0);
            assert!(end <= 1.015 * duration + 1e-3, "{case}: {end} s, where {duration} s are possible");
            let farthest = largest_difference(&timed.curve().sample(place, 0), &last);
            assert!(farthest < 0.02 * (1.0 + duration), "{case}: ends {farthest} away");
        }
    }
}

#[test]
fn a_stop_from_cruise_takes_what_it_takes_by_hand() {
    let timed = trapezoidal(&path(&[&[0.0, 0.0], &[4.0, 2.0]]), 1.0, 4.0).unwrap();
    let limits = MotionLimits::new(vec![AxisLimits::symmetric(1.0, 4.0, 1e3); 2]).unwrap();
    let stop = stop_on_path(&timed, 1.0, &limits).unwrap();
    assert!(stop.on_path);
    assert!((stop.trajectory.duration() - 0.25).abs() < 1e-5, "{}", stop.trajectory.duration());
    let end = stop.trajectory.curve().sample(0.25, 0);
    assert!((end[0] - (0.875 + 0.125)).abs() < 1e-5 && (end[1] - 0.5).abs() < 1e-5);
}

#[test]
fn where_no_speed_along_the_path_holds_the_limits_the_stop_leaves_it_and_says_how_far() {
    // A corner passed at a speed for which these accelerations are too small.
    let corner = path(&[&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0]]);
    let fast = Limits::new(vec![2.0; 2], vec![40.0; 2]).unwrap();
    let options = TimingOptions { max_deviation: 0.02, ..TimingOptions::default() };
    let timed = time_parameterize(&corner, "totp", &fast, &options, &mut |_| true).unwrap();
    let weak = MotionLimits::new(vec![AxisLimits::symmetric(2.0, 4.0, 100.0); 2]).unwrap();
    let before = timed.waypoint_times()[1] - 0.08;
    let stop = stop_on_path(&timed, before, &weak).unwrap();
    assert!(!stop.on_path && stop.deviation > 0.01, "{stop:?}");
    let limits = Limits::new(vec![10.0; 2], vec![4.0; 2]).unwrap().with_jerk(vec![100.0; 2]).unwrap();
    assert!(limit_ratios(stop.trajectory.curve(), &limits).unwrap().jerk.unwrap() <= 1.0 + 1e-6);
    assert_eq!(stop_on_path(&timed, -1.0, &weak).unwrap_err().code(), "InvalidValue");
}

#[test]
fn a_playback_looks_at_both_sides_of_an_acceleration() {
    for direction in [-1.0, 1.0] {
        // From rest with 4 rad/s² for half a second, then to rest with 2 rad/s².
        let rows = vec![
            [0.0, 0.0, 2.0 * direction, 0.0, 0.0, 0.0],
            [0.5 * direction, 2.0 * direction, -direction, 0.0, 0.0, 0.0],
        ];
        let curve = PiecewisePolynomial::new(1, vec![0.0, 0.5, 1.5], rows).unwrap();
        let timed = TimedTrajectory::new(curve, vec![0.0, 1.5], 0.0, "handmade").unwrap();
        assert!(Playback::new(timed.clone(), 4.0).is_ok(), "{direction}");
        for limit in [3.0, 3.99] {
            let error = Playback::new(timed.clone(), limit).unwrap_err();
            assert!(error.to_string().contains("acceleration of joint 0"), "{direction}: {error}");
        }
    }
}

#[test]
fn a_playback_refuses_what_it_cannot_play() {
    let timed = trapezoidal(&path(&[&[0.0, 0.0], &[1.0, 0.2]]), 1.0, 4.0).unwrap();
    let error = Playback::new(timed.clone(), [3.0, 4.0]).unwrap_err();
    assert!(error.to_string().contains("acceleration of joint 0"), "{error}");
    assert_eq!(Playback::new(timed.clone(), [4.0; 3]).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(Playback::new(timed.clone(), f64::NAN).unwrap_err().code(), "InvalidValue");
    let mut playback = Playback::new(timed, 4.0).unwrap();
    for bad in [-0.1, 1.1, f64::NAN] {
        assert_eq!(playback.set_override(bad).unwrap_err().code(), "InvalidValue");
    }
    assert_eq!(playback.step(0.0).unwrap_err().code(), "InvalidValue");
    assert_eq!(playback.step(f64::INFINITY).unwrap_err().code(), "NotFinite");
}
