//! The jerk-limited law. What every law promises is asked in `laws`.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Limits, Trajectory};
use kinetic_trajectory::{TimingOptions, TrajectoryValidator, jerk_limited, limit_ratios, time_parameterize};

use crate::support::{cases, distance_to_polyline, path};

/// A path as planners make them: a direction that changes a little at every waypoint.
fn wandering_path(rng: &mut SeededRng, waypoints: usize) -> Trajectory {
    let dof = 2 + rng.below(6);
    let mut q: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let mut direction: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let mut path = Trajectory::with_dof(dof);
    for _ in 0..waypoints {
        path.push_waypoint(&q).unwrap();
        for d in &mut direction {
            *d += rng.uniform(-0.5, 0.5);
        }
        let step = rng.uniform(0.05, 0.3);
        for (q, d) in q.iter_mut().zip(&direction) {
            *q += step * d;
        }
    }
    path
}

fn limits(dof: usize, jerk_by_acceleration: f64) -> Limits {
    let acceleration = vec![8.0; dof];
    let jerk = acceleration.iter().map(|a| jerk_by_acceleration * a).collect();
    Limits::new(vec![2.5; dof], acceleration).unwrap().with_jerk(jerk).unwrap()
}

fn timed(path: &Trajectory, law: &str, limits: &Limits, max_deviation: f64) -> kinetic_core::TimedTrajectory {
    let options = TimingOptions { max_deviation, ..TimingOptions::default() };
    time_parameterize(path, law, limits, &options, &mut |_| true).unwrap()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// Cosine of the sharpest turn at a waypoint.
fn sharpest_turn(path: &Trajectory) -> f64 {
    let step =
        |to: usize| -> Vec<f64> { path.positions(to).iter().zip(path.positions(to - 1)).map(|(b, a)| b - a).collect() };
    let cosine = |at: usize| {
        let (into, out) = (step(at), step(at + 1));
        into.iter().zip(&out).map(|(a, b)| a * b).sum::<f64>() / (norm(&into) * norm(&out))
    };
    (1..path.len() - 1).map(cosine).fold(1.0, f64::min)
}

#[test]
fn jerk_is_bounded_and_acceleration_continuous_at_every_instant() {
    for seed in 0..cases(60, 5000) as u64 {
        let mut rng = SeededRng::new(seed);
        let waypoints = 2 + rng.below(30);
        let path = wandering_path(&mut rng, waypoints);
        let limits = limits(path.dof(), [10.0, 60.0, 500.0][rng.below(3)]);
        let deviation = [0.0, 1e-3, 0.01, 0.1][rng.below(4)];
        let timed = timed(&path, "jerk_limited", &limits, deviation);
        let free = vec![f64::INFINITY; path.dof()];
        let lower: Vec<f64> = free.iter().map(|bound| -bound).collect();
        let found = TrajectoryValidator::from_limits(&lower, &free, &limits).unwrap().validate(&timed).unwrap();
        assert!(found.is_empty(), "seed {seed}: {:?}", found[0]);
        let jerk = limit_ratios(timed.curve(), &limits).unwrap().jerk.unwrap();
        assert!(jerk <= 1.0, "seed {seed}: {jerk}");
        assert!(timed.path_deviation <= deviation + 2e-9, "seed {seed}: {}", timed.path_deviation);
        for sample in 0..=500 {
            let q = timed.curve().sample(timed.duration() * f64::from(sample) / 500.0, 0);
            assert!(distance_to_polyline(&path, &q) <= timed.path_deviation + 1e-12, "seed {seed}");
        }
    }
}

#[test]
fn the_motion_never_stops_inside_a_path_without_reversals() {
    for seed in 0..cases(40, 2000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = wandering_path(&mut rng, 20);
        let sharpest = sharpest_turn(&path);
        if sharpest < -0.99 {
            continue;
        }
        let limits = limits(path.dof(), 10.0);
        let timed = timed(&path, "jerk_limited", &limits, 0.01);
        let end = timed.duration();
        for sample in 1..1000 {
            let t = end * f64::from(sample) / 1000.0;
            let [speed, acceleration] = [1, 2].map(|order| norm(&timed.curve().sample(t, order)));
            // The jerk from rest gives 40 t²; a thousandth of that is far from any rest inside.
            let from_end = t.min(end - t);
            let is_moving = speed > 0.04 * (from_end * from_end).min(0.01);
            // A turn of nearly 180° is passed as a thrown ball passes its highest point: with acceleration, without a rest.
            let turns_back = sharpest < -0.9 && acceleration > 1.0;
            assert!(is_moving || turns_back, "seed {seed}: {speed} at {t} of {end}, turn {sharpest}");
        }
    }
}

#[test]
fn more_jerk_is_faster_and_much_jerk_is_as_fast_as_trapezoids() {
    let mut sums = [0.0; 4];
    for seed in 0..cases(20, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = wandering_path(&mut rng, 30);
        for (sum, factor) in sums.iter_mut().zip([5.0, 20.0, 200.0]) {
            *sum += timed(&path, "jerk_limited", &limits(path.dof(), factor), 0.01).duration();
        }
        sums[3] += timed(&path, "trapezoidal", &limits(path.dof(), 1.0), 0.01).duration();
    }
    assert!(sums[0] > sums[1] && sums[1] > sums[2], "{sums:?}");
    // Corners of continuous curvature turn less sharply within the same deviation than parabolas, but may overlap.
    assert!(sums[2] < 1.15 * sums[3], "{sums:?}");
}

#[test]
fn corners_cost_little_beside_the_time_optimal_law_and_much_less_than_stops() {
    let (mut sums, mut stops) = ([0.0; 3], 0.0);
    for seed in 0..cases(8, 200) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = wandering_path(&mut rng, 40);
        let [ten, much] = [10.0, 62.5].map(|factor| limits(path.dof(), factor));
        sums[0] += timed(&path, "totp", &ten, 0.01).duration();
        sums[1] += timed(&path, "jerk_limited", &ten, 0.01).duration();
        sums[2] += timed(&path, "jerk_limited", &much, 0.01).duration();
        stops += timed(&path, "jerk_limited", &ten, 0.0).duration();
    }
    assert!(sums[1] <= 1.4 * sums[0] && sums[2] <= 1.15 * sums[0], "{sums:?}");
    assert!(sums[1] <= 0.6 * stops, "{sums:?} {stops}");
}

#[test]
fn work_grows_with_the_number_of_waypoints() {
    // Counted, not measured: pieces per waypoint stay bounded, and corners that reach far are none.
    for waypoints in [20, 200, 2000] {
        let path = wandering_path(&mut SeededRng::new(4), waypoints);
        let timed = timed(&path, "jerk_limited", &limits(path.dof(), 10.0), 0.01);
        assert!(timed.curve().pieces() < 20 * waypoints, "{}", timed.curve().pieces());
    }
}

#[test]
fn a_straight_takes_the_time_worked_out_by_hand_and_a_reversal_stops() {
    let duration = |path: &Trajectory| jerk_limited(path, 2.0, 1.0, 1.0).unwrap().duration();
    assert!((duration(&path(&[&[0.0], &[10.0]])) - 8.0).abs() < 1e-6);
    let there_and_back = path(&[&[0.0], &[10.0], &[0.0]]);
    assert!((duration(&there_and_back) - 16.0).abs() < 1e-6);
    let limits = Limits::new(vec![2.0], vec![1.0]).unwrap().with_jerk(vec![1.0]).unwrap();
    let timed = timed(&there_and_back, "jerk_limited", &limits, 0.01);
    assert!(timed.curve().sample(timed.waypoint_times()[1], 1)[0].abs() < 1e-9);
    assert!((timed.curve().sample(timed.waypoint_times()[1], 0)[0] - 10.0).abs() < 1e-9);
}

#[test]
fn without_jerk_limits_they_are_ten_times_those_of_acceleration() {
    let mut rng = SeededRng::new(3);
    let path = wandering_path(&mut rng, 8);
    let with = limits(path.dof(), 10.0);
    let without = Limits { jerk: None, ..with.clone() };
    assert_eq!(timed(&path, "jerk_limited", &with, 0.01), timed(&path, "jerk_limited", &without, 0.01));
}

/// Regression 42: the places along a corner were refined without end for limits of so different sizes, until memory was used up.
#[test]
fn limits_of_any_size_give_a_motion_within_them_or_an_error() {
    let path = Trajectory::from_waypoints(&[[0.0, 0.0], [1.0, 0.5], [1.0, 1.5]]).unwrap();
    let sizes = [1e-300, 1e-100, 1e-9, 1.0, 1e9, 1e100, 1e110, 1e150, 1e300];
    let mut timed = 0;
    for (v, (a, j)) in
        sizes.into_iter().flat_map(|v| sizes.map(|a| (v, a))).flat_map(|(v, a)| sizes.map(|j| (v, (a, j))))
    {
        let limits = Limits::new(vec![v; 2], vec![a; 2]).unwrap().with_jerk(vec![j; 2]).unwrap();
        match time_parameterize(&path, "jerk_limited", &limits, &TimingOptions::default(), &mut |_| true) {
            Ok(motion) => {
                let ratios = limit_ratios(motion.curve(), &limits).unwrap();
                let most = ratios.velocity.max(ratios.acceleration).max(ratios.jerk.unwrap_or(f64::INFINITY));
                assert!(most <= 1.0, "{v:e} {a:e} {j:e}: {ratios:?}");
                timed += 1;
            }
            Err(KineticError::InvalidValue { .. }) => {}
            Err(error) => panic!("{v} {a} {j}: {error}"),
        }
    }
    assert!(timed > 100, "{timed}");
}

#[test]
fn corners_that_are_refused_become_narrower_and_finally_stops() {
    let path = path(&[&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0], &[2.0, 1.0]]);
    let limits = limits(2, 10.0);
    let options = TimingOptions { max_deviation: 0.1, ..TimingOptions::default() };
    let free = time_parameterize(&path, "jerk_limited", &limits, &options, &mut |_| true).unwrap();
    // Nothing may be farther than 0.02 from the corner (1, 0) on the inner side.
    let mut near_the_corner = |curve: &kinetic_core::PiecewisePolynomial| {
        (0..=100).all(|part| {
            let q = curve.sample(curve.duration() * f64::from(part) / 100.0, 0);
            q[1] >= 0.5 || (1.0 - q[0]).min(q[1]) < 0.01
        })
    };
    let narrow = time_parameterize(&path, "jerk_limited", &limits, &options, &mut near_the_corner).unwrap();
    assert!(narrow.duration() > free.duration());
    for sample in 0..=2000 {
        let q = narrow.curve().sample(narrow.duration() * f64::from(sample) / 2000.0, 0);
        assert!(q[1] >= 0.5 || (1.0 - q[0]).min(q[1]) < 0.0101, "{q:?}");
    }
    let never = time_parameterize(&path, "jerk_limited", &limits, &options, &mut |_| false).unwrap();
    let exact = TimingOptions::exact();
    let stopped = time_parameterize(&path, "jerk_limited", &limits, &exact, &mut |_| true).unwrap();
    assert!((never.duration() - stopped.duration()).abs() < 1e-9 && never.path_deviation == 0.0);
}
