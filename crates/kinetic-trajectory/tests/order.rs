//! No law with fewer limits is slower than one with more, and no corner costs more than a stop.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, Trajectory};
use kinetic_trajectory::{TimingOptions, limit_ratios, time_parameterize};

use crate::support::{cases, degenerate_path, distance_to_polyline};

/// Rounding: the laws keep reserves of 1e-9 of velocities and accelerations.
const ROUNDING: f64 = 1e-8;

/// Jerk limits in accelerations per second. With the highest of them full acceleration takes a millisecond.
const JERKS: [f64; 3] = [20.0, 100.0, 1000.0];

const KINDS: [&str; 9] = [
    "sharp",
    "mixed",
    "walk",
    "noisy",
    "smooth",
    "reversing",
    "nearly straight",
    "short segments",
    "joints stand still",
];

/// A path of a kind, of 1 to 14 joints.
fn path_of(kind: &str, rng: &mut SeededRng) -> Trajectory {
    let dof = 2 + rng.below(13);
    let few = 2 + rng.below(9);
    let waves: Vec<f64> = (0..dof).map(|_| rng.uniform(0.5, 9.0)).collect();
    match kind {
        "sharp" => walk(rng, dof, few, |_, rng| [0.0, rng.uniform(0.2, 2.0)]),
        "mixed" => walk(rng, dof, few, |_, rng| [0.0, rng.uniform(0.02, 1.0)]),
        "walk" => walk(rng, dof, 10 * few, |_, rng| [0.7, rng.uniform(0.02, 0.1)]),
        "noisy" => along(200, &waves, rng, 0.004),
        "smooth" => along(100, &waves, rng, 0.0),
        "reversing" => {
            let dof = 1 + rng.below(14);
            walk(rng, dof, few, |_, rng| [[-1.0, -0.9, 0.0][rng.below(3)], 0.4])
        }
        "nearly straight" => {
            let size = 10.0_f64.powf(rng.uniform(-6.0, -1.5));
            along(few, &vec![0.2; dof], rng, size)
        }
        "short segments" => walk(rng, dof, 2 * few, |_, rng| [0.0, 10.0_f64.powf(rng.uniform(-5.0, 0.0))]),
        _ => walk(rng, dof, few, |joint, rng| [0.0, if (joint + rng.below(2)).is_multiple_of(2) { 0.6 } else { 0.0 }]),
    }
}

/// Steps that keep a part of the one before, and a new part of a size: both by joint.
fn walk(
    rng: &mut SeededRng,
    dof: usize,
    waypoints: usize,
    mut step_of: impl FnMut(usize, &mut SeededRng) -> [f64; 2],
) -> Trajectory {
    let (mut q, mut step) = (vec![0.0; dof], vec![0.0; dof]);
    let mut path = Trajectory::with_dof(dof);
    for _ in 0..waypoints {
        path.push_waypoint(&q).unwrap();
        for joint in 0..dof {
            let [kept, size] = step_of(joint, rng);
            step[joint] = kept * step[joint] + (1.0 - kept.abs()) * rng.uniform(-size, size);
            q[joint] += step[joint];
        }
    }
    path
}

/// Sines of these frequencies, with noise.
fn along(waypoints: usize, waves: &[f64], rng: &mut SeededRng, noise: f64) -> Trajectory {
    let mut path = Trajectory::with_dof(waves.len());
    for waypoint in 0..waypoints {
        let u = waypoint as f64 / waypoints as f64;
        let q: Vec<f64> = waves.iter().map(|wave| (wave * u).sin() + rng.uniform(-noise, noise)).collect();
        path.push_waypoint(&q).unwrap();
    }
    path
}

/// Limits that differ by joint, without jerk.
fn limits(rng: &mut SeededRng, dof: usize) -> Limits {
    let mut list = |low, high| (0..dof).map(|_| rng.uniform(low, high)).collect();
    Limits::new(list(0.5, 5.0), list(1.0, 20.0)).unwrap()
}

fn with_jerk(limits: &Limits, factor: f64) -> Limits {
    let jerk = limits.acceleration.iter().map(|limit| factor * limit).collect();
    limits.clone().with_jerk(jerk).unwrap()
}

fn duration(path: &Trajectory, law: &str, limits: &Limits, max_deviation: f64) -> f64 {
    let options = TimingOptions { max_deviation, ..TimingOptions::default() };
    let timed = time_parameterize(path, law, limits, &options, &mut |_| true).unwrap();
    let ratios = limit_ratios(timed.curve(), limits).unwrap();
    assert!(ratios.velocity <= 1.0 && ratios.acceleration <= 1.0, "{law}: {ratios:?}");
    assert!(timed.path_deviation <= max_deviation + 4e-6, "{law}: {}", timed.path_deviation);
    for sample in 0..=60 {
        let q = timed.curve().sample(timed.duration() * f64::from(sample) / 60.0, 0);
        let strayed = distance_to_polyline(path, &q);
        assert!(strayed <= timed.path_deviation + 1e-12, "{law}: {strayed} of {}", timed.path_deviation);
    }
    timed.duration()
}

/// Paths of all kinds and degenerate ones, their limits and deviations, and what names them.
fn each(slice: usize, full: usize, mut ask: impl FnMut(&Trajectory, &Limits, f64, &str)) {
    for seed in 0..cases(slice, full) as u64 {
        for kind in KINDS.into_iter().chain(["degenerate"]) {
            let mut rng = SeededRng::new(seed);
            let path = if kind == "degenerate" { degenerate_path(&mut rng) } else { path_of(kind, &mut rng) };
            let limits = limits(&mut rng, path.dof());
            let deviation = [0.01, 1e-3, 0.05, 0.2][rng.below(4)];
            ask(&path, &limits, deviation, &format!("{kind}, seed {seed}, within {deviation}"));
        }
    }
}

#[test]
fn the_time_optimal_law_is_never_slower_than_the_trapezoidal_one() {
    each(60, 2000, |path, limits, deviation, case| {
        let [optimal, other] = ["totp", "trapezoidal"].map(|law| duration(path, law, limits, deviation));
        assert!(optimal <= other * (1.0 + ROUNDING), "{case}: {optimal} {other}");
    });
}

#[test]
fn the_time_optimal_law_is_never_slower_than_the_jerk_limited_one() {
    each(12, 500, |path, limits, deviation, case| {
        let optimal = duration(path, "totp", limits, deviation);
        for factor in JERKS {
            let other = duration(path, "jerk_limited", &with_jerk(limits, factor), deviation);
            assert!(optimal <= other * (1.0 + ROUNDING), "{case}, jerk {factor} a: {optimal} {other}");
        }
    });
}

#[test]
fn wide_corners_save_much_on_dense_paths() {
    let mut sums = [0.0; 2];
    for seed in 0..cases(6, 100) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = path_of("noisy", &mut rng);
        let limits = limits(&mut rng, path.dof());
        let [optimal, narrow] = ["totp", "trapezoidal"].map(|law| duration(&path, law, &limits, 0.01));
        sums = [sums[0] + optimal, sums[1] + narrow];
    }
    assert!(sums[0] < 0.75 * sums[1], "{sums:?}");
}

#[test]
fn the_jerk_limited_law_is_never_slower_than_with_a_stop_at_every_corner() {
    let mut sums = [0.0; 2];
    each(12, 500, |path, limits, deviation, case| {
        for factor in [5.0, 20.0, 1000.0, 1e5] {
            let limits = with_jerk(limits, factor);
            let [rounded, stops] = [deviation, 0.0].map(|deviation| duration(path, "jerk_limited", &limits, deviation));
            assert!(rounded <= stops * (1.0 + ROUNDING), "{case}, jerk {factor} a: {rounded} {stops}");
            sums = [sums[0] + rounded, sums[1] + stops];
        }
    });
    assert!(sums[0] < 0.8 * sums[1], "{sums:?}");
}

#[test]
fn one_corner_of_many_is_stopped_at_where_that_is_quicker() {
    // A right angle between two gentle corners, on long straights: the deviation leaves it a speed that is not worth its ramps.
    let path = Trajectory::from_waypoints(&[[0.0, -0.4], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.6, 1.9]]).unwrap();
    let limits = with_jerk(&Limits::new(vec![3.0; 2], vec![8.0; 2]).unwrap(), 10.0);
    let options = TimingOptions { max_deviation: 1e-3, ..TimingOptions::default() };
    let timed = time_parameterize(&path, "jerk_limited", &limits, &options, &mut |_| true).unwrap();
    let speeds: Vec<f64> = timed
        .waypoint_times()
        .iter()
        .map(|time| timed.curve().sample(*time, 1).iter().map(|v| v * v).sum::<f64>().sqrt())
        .collect();
    assert!(speeds[1] > 0.1 && speeds[2] < 1e-6 && speeds[3] > 0.1, "{speeds:?}");
}
