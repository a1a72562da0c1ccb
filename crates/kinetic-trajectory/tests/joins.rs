//! What joined, cut and left trajectories say of themselves. Oracles: dense sampling, and the parts they were made of.

use kinetic_core::TimedTrajectory;
use kinetic_core::rng::SeededRng;
use kinetic_trajectory::online::{DeviationLevel, ExecutionMonitor, MonitorConfig, stop};
use kinetic_trajectory::state::AxisLimits;
use kinetic_trajectory::{
    BlendCut, MotionLimits, blend_corner, blend_sequence, compose::stretched, concatenate, jerk_limited, join_corners,
};

use crate::files::certified;
use crate::support::{cases, distance_to_polyline, path};

fn limits() -> MotionLimits {
    MotionLimits::new(vec![AxisLimits::symmetric(2.0, 10.0, 100.0); 2]).unwrap()
}

/// A motion through random points from `from` on, and the deviation that it claims.
fn part(rng: &mut SeededRng, from: [f64; 2], deviation: f64) -> (TimedTrajectory, [f64; 2]) {
    let mut point = || [rng.uniform(-2.0, 2.0), rng.uniform(-2.0, 2.0)];
    let (middle, end) = (point(), point());
    let mut timed = jerk_limited(&path(&[&from, &middle, &end]), 1.0, 5.0, 50.0).unwrap();
    timed.path_deviation = deviation;
    (timed, end)
}

fn sampled(timed: &TimedTrajectory, from: f64, to: f64, count: u32) -> Vec<Vec<f64>> {
    let at = |index: u32| from + (to - from) * f64::from(index) / f64::from(count);
    (0..=count).map(|index| timed.curve().sample(at(index), 0)).collect()
}

#[test]
fn what_is_joined_deviates_as_far_as_its_parts_and_corners_do() {
    for seed in 0..cases(5, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        // The largest first, in the middle and last.
        let mut deviations = [0.1, 0.2, 0.3];
        deviations.rotate_left(seed as usize % 3);
        let (mut parts, mut end) = (Vec::new(), [0.0; 2]);
        for deviation in deviations {
            let (timed, next) = part(&mut rng, end, deviation);
            parts.push(timed);
            end = next;
        }
        let both = concatenate(&concatenate(&parts[0], &parts[1]).unwrap(), &parts[2]).unwrap();
        assert_eq!(both.path_deviation, 0.3, "seed {seed}");
        // Blended, the largest of the parts again; without those of parts, the cut corners by themselves.
        assert!(blend_sequence(&parts, 0.1, &limits()).unwrap().path_deviation >= 0.3, "seed {seed}");
        for part in &mut parts {
            part.path_deviation = 0.0;
        }
        let blended = blend_sequence(&parts, 0.4, &limits()).unwrap();
        let whole: Vec<Vec<f64>> = parts.iter().flat_map(|part| sampled(part, 0.0, part.duration(), 400)).collect();
        let line = path(&whole.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let off = sampled(&blended, 0.0, blended.duration(), 400);
        let off = off.iter().map(|q| distance_to_polyline(&line, q)).fold(0.0, f64::max);
        assert!(blended.path_deviation >= off && off > 1e-4, "seed {seed}: {} {off}", blended.path_deviation);
    }
}

#[test]
fn a_blend_keeps_the_waypoints_outside_its_corners() {
    let times = vec![0.0, 0.3, 0.7, 1.0];
    let rows = vec![[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.3, 1.0, 0.0, 0.0, 0.0, 0.0], [0.7, 1.0, 0.0, 0.0, 0.0, 0.0]];
    let curve = kinetic_core::PiecewisePolynomial::new(1, times.clone(), rows).unwrap();
    let a = TimedTrajectory::new(curve, times, 0.0, "handmade").unwrap();
    let mut shifted = a.curve().all_coefficients().to_vec();
    for row in &mut shifted {
        row[0] += 1.0;
    }
    let curve = kinetic_core::PiecewisePolynomial::new(1, a.curve().knots().to_vec(), shifted).unwrap();
    let b = TimedTrajectory::new(curve, a.waypoint_times().to_vec(), 0.0, "handmade").unwrap();
    let limits = MotionLimits::new(vec![AxisLimits::symmetric(2.0, 10.0, 100.0)]).unwrap();
    let blended = blend_sequence(&[a, b], 0.2, &limits).unwrap();
    // The waypoints at 1, where both meet, give way to the ends of the corner; before it times are as they were.
    let times = blended.waypoint_times();
    assert_eq!(times.len(), 8, "{times:?}");
    assert!(times.iter().zip([0.0, 0.3, 0.7, 0.9]).all(|(time, wanted)| (time - wanted).abs() < 1e-9), "{times:?}");
}

#[test]
fn a_stretched_motion_has_no_certificate_even_when_it_stays_as_fast() {
    let (timed, _) = part(&mut SeededRng::new(0), [0.0; 2], 0.0);
    let timed = certified(timed, Some(0.1));
    for factor in [1.0, 1.5] {
        let slower = stretched(&timed, factor * timed.duration()).unwrap();
        assert!(slower.certificate().is_none(), "{factor}");
    }
}

#[test]
fn the_deviation_of_a_stop_is_its_largest_distance_from_the_way_ahead() {
    let mut far = 0;
    for seed in 0..cases(6, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let (running, _) = part(&mut rng, [0.0; 2], 0.0);
        let t = rng.uniform(0.1, 0.9) * running.duration();
        // Joints that brake differently leave the line.
        let axes = [AxisLimits::symmetric(2.0, 4.0, 40.0), AxisLimits::symmetric(2.0, 10.0, 100.0)];
        let found = stop(&running, t, &MotionLimits::new(axes.to_vec()).unwrap()).unwrap();
        let end = running.duration().min(t + found.trajectory.duration());
        let ahead = sampled(&running, t, end, 1000);
        let line = path(&ahead.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let off = sampled(&found.trajectory, 0.0, found.trajectory.duration(), 200);
        let off = off.iter().map(|q| distance_to_polyline(&line, q)).fold(0.0, f64::max);
        // Both look at some moments only, 1/200 of a stop of less than a second apart.
        assert!((found.deviation - off).abs() < 1e-3 * off + 1e-5, "seed {seed}: {} {off}", found.deviation);
        far += usize::from(off > 1e-3);
    }
    assert!(far > 2, "{far} stops leave their paths");
}

#[test]
fn the_monitor_says_the_worst_of_all_joints_and_forgets_when_it_is_told_to() {
    let config = MonitorConfig { warning: 0.1, critical: 0.5, window: 2 };
    let mut monitor = ExecutionMonitor::new(3, config).unwrap();
    let level = |monitor: &mut ExecutionMonitor, off: [f64; 3]| monitor.update(&[0.0; 3], &off).unwrap().level;
    for worst in 0..3 {
        let mut off = [0.0; 3];
        off[worst] = 0.7;
        off[(worst + 1) % 3] = 0.2;
        assert_eq!(level(&mut monitor, off), DeviationLevel::Normal, "{worst}");
        assert_eq!(level(&mut monitor, off), DeviationLevel::Critical, "{worst}");
        monitor.reset();
    }
}

#[test]
fn corners_at_cuts_of_their_own_join_states_without_jumps_and_keep_the_rest() {
    for seed in 0..cases(30, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (a, end) = part(&mut rng, [0.0, 0.0], 0.0);
        let (b, next) = part(&mut rng, end, 0.0);
        let (c, _) = part(&mut rng, next, 0.0);
        let cut = BlendCut { leave: a.duration() - 0.1, enter: 0.25, limits: limits() };
        let corner = blend_corner(&a, &b, &cut).unwrap();
        let whole =
            join_corners(&[a.clone(), b.clone(), c.clone()], &[Some((cut.clone(), corner.clone())), None]).unwrap();
        let duration = cut.leave + corner.duration() + (b.duration() - cut.enter) + c.duration();
        assert!((whole.duration() - duration).abs() < 1e-9, "seed {seed}");
        let joins = [cut.leave, cut.leave + corner.duration()];
        for (time, part, at) in [(joins[0], &a, cut.leave), (joins[1], &b, cut.enter)] {
            for order in 0..3 {
                let wanted = part.curve().sample(at, order);
                for side in [-1e-9, 1e-9] {
                    let found = whole.curve().sample(time + side, order);
                    let off = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(off < 1e-5, "seed {seed}, derivative {order}: {off}");
                }
            }
        }
        let rest = whole.duration() - c.duration();
        assert!(whole.curve().sample(rest, 1).iter().all(|speed| speed.abs() < 1e-6), "seed {seed}: a stop stays one");
        let late = BlendCut { enter: b.duration(), ..cut.clone() };
        let corner_late = blend_corner(&a, &b, &late).unwrap();
        let early = BlendCut { leave: 0.5 * b.duration(), enter: 0.1, limits: limits() };
        let next_corner = blend_corner(&b, &c, &early).unwrap();
        let overlapping = [Some((late, corner_late)), Some((early, next_corner))];
        assert!(join_corners(&[a.clone(), b.clone(), c], &overlapping).is_err(), "seed {seed}");
        let outside = BlendCut { leave: a.duration() + 0.1, ..cut };
        assert!(blend_corner(&a, &b, &outside).is_err(), "seed {seed}");
    }
}
