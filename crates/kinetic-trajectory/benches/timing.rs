//! How long does a time law take on a path of 5 to 2,000 waypoints, and how long its check?

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, Trajectory};
use kinetic_trajectory::online::{Playback, StopPlanner, stop_on_path};
use kinetic_trajectory::state::{AxisLimits, MotionLimits, MotionOptions, MotionState, StateToState};
use kinetic_trajectory::{TIME_LAWS, TimingOptions, TrajectoryValidator, limit_ratios, time_parameterize};

const DOF: usize = 7;

/// A random walk of 7 joints with steps of up to 0.3 rad.
fn walk(waypoints: usize) -> Trajectory {
    let mut rng = SeededRng::new(1);
    let mut q = vec![0.0; DOF];
    let mut path = Trajectory::with_dof(DOF);
    for _ in 0..waypoints {
        path.push_waypoint(&q).expect("finite");
        q = q.iter().map(|value| value + rng.uniform(-0.3, 0.3)).collect();
    }
    path
}

fn timing(criterion: &mut Criterion) {
    let limits = Limits::new(vec![2.0; DOF], vec![10.0; DOF]).expect("positive");
    for law in TIME_LAWS {
        for (name, options) in [("blended", TimingOptions::default()), ("stops", TimingOptions::exact())] {
            let mut group = criterion.benchmark_group(format!("timing/{}/{name}", law.id));
            for waypoints in [5, 20, 50, 200, 2000] {
                let path = walk(waypoints);
                group.bench_with_input(BenchmarkId::from_parameter(waypoints), &path, |bencher, path| {
                    bencher.iter(|| time_parameterize(path, law.id, &limits, &options, &mut |_| true));
                });
            }
        }
    }
}

fn checking(criterion: &mut Criterion) {
    let limits = Limits::new(vec![2.0; DOF], vec![10.0; DOF]).expect("positive");
    let validator = TrajectoryValidator::from_limits(&[-100.0; DOF], &[100.0; DOF], &limits).expect("ranges");
    for waypoints in [50, 200] {
        let options = TimingOptions::default();
        let timed = time_parameterize(&walk(waypoints), "trapezoidal", &limits, &options, &mut |_| true);
        let timed = timed.expect("timed");
        criterion.bench_with_input(BenchmarkId::new("limit_ratios", waypoints), &timed, |bencher, timed| {
            bencher.iter(|| limit_ratios(timed.curve(), &limits));
        });
        criterion.bench_with_input(BenchmarkId::new("validate", waypoints), &timed, |bencher, timed| {
            bencher.iter(|| validator.validate(timed));
        });
    }
}

/// How long does one motion between states take to plan, from rest to rest and between any states?
fn states(criterion: &mut Criterion) {
    let mut rng = SeededRng::new(2);
    let limits = MotionLimits::new(vec![AxisLimits::symmetric(2.0, 10.0, 100.0); DOF]).expect("limits");
    let mut list = |size: f64| -> Vec<f64> { (0..DOF).map(|_| rng.uniform(-size, size)).collect() };
    for (name, rates) in [("rest", 0.0), ("moving", 0.9)] {
        let mut state = || MotionState { positions: list(2.0), velocities: list(rates), accelerations: list(rates) };
        let pairs: Vec<[MotionState; 2]> = (0..64).map(|_| [state(), state()]).collect();
        let mut planner = StateToState::new(limits.clone());
        let mut next = pairs.iter().cycle();
        criterion.bench_function(&format!("state_to_state/{DOF}_joints/{name}"), |bencher| {
            bencher.iter(|| {
                let [start, target] = next.next().expect("endless");
                planner.plan(start, target, &MotionOptions::default())
            });
        });
    }
}

/// How long does one cycle under an override take, and a stop on the path?
fn online(criterion: &mut Criterion) {
    let limits = Limits::new(vec![2.0; DOF], vec![10.0; DOF]).expect("positive");
    let timed = time_parameterize(&walk(50), "totp", &limits, &TimingOptions::default(), &mut |_| true).expect("timed");
    let mut playback = Playback::new(timed.clone(), 10.0).expect("within its limits");
    let mut cycle = 0_u32;
    criterion.bench_function("online/playback_step", |bencher| {
        bencher.iter(|| {
            cycle += 1;
            if cycle.is_multiple_of(50) {
                playback.set_override(if cycle.is_multiple_of(100) { 1.0 } else { 0.3 }).expect("a number from 0 to 1");
            }
            if playback.is_finished() {
                playback = Playback::new(timed.clone(), 10.0).expect("within its limits");
            }
            playback.step(0.001).map(|state| state.positions[0])
        });
    });
    let bounds = MotionLimits::new(vec![AxisLimits::symmetric(2.0, 10.0, 100.0); DOF]).expect("limits");
    criterion.bench_function("online/stop_on_path", |bencher| {
        bencher.iter(|| stop_on_path(&timed, 0.4 * timed.duration(), &bounds));
    });
    let mut planner = StopPlanner::new(timed.clone(), bounds.clone()).expect("limits of as many joints");
    criterion.bench_function("online/stop_planner", |bencher| {
        bencher.iter(|| planner.stop_on_path(0.4 * timed.duration()));
    });
}

fn online_jerk(criterion: &mut Criterion) {
    let limits = Limits::new(vec![2.0; DOF], vec![10.0; DOF]).expect("positive");
    let with_jerk = limits.with_jerk(vec![100.0; DOF]).expect("positive");
    let smooth = time_parameterize(&walk(50), "jerk_limited", &with_jerk, &TimingOptions::default(), &mut |_| true);
    let smooth = smooth.expect("timed");
    let begin =
        Playback::new(smooth.clone(), 10.0).and_then(|playback| playback.with_jerk_limits(100.0)).expect("holds them");
    let (mut playback, mut cycle) = (begin.clone(), 0_u32);
    criterion.bench_function("online/playback_step_jerk", |bencher| {
        bencher.iter(|| {
            cycle += 1;
            if cycle.is_multiple_of(250) {
                playback.set_override(if cycle.is_multiple_of(500) { 1.0 } else { 0.3 }).expect("a number from 0 to 1");
            }
            if playback.is_finished() {
                playback = begin.clone();
            }
            playback.step(0.001).map(|state| state.positions[0])
        });
    });
    let bounds = MotionLimits::new(vec![AxisLimits::symmetric(2.0, 10.0, 100.0); DOF]).expect("limits");
    let mut planner = StopPlanner::new(smooth.clone(), bounds.clone()).expect("limits of as many joints");
    criterion.bench_function("online/stop_planner_jerk", |bencher| {
        bencher.iter(|| planner.stop_on_path(0.4 * smooth.duration()));
    });
}

criterion_group!(benches, timing, checking, states, online, online_jerk);
criterion_main!(benches);
