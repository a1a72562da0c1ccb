//! The time-optimal law: times by hand, limits at every instant, velocities at the ends, path constraints.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Limits, TimedTrajectory, Trajectory};
use kinetic_trajectory::totp::{PathPoint, PathRow, RESOLUTION, time_optimal};
use kinetic_trajectory::{
    PathGeometry, PathShape, TimingOptions, limit_ratios, time_optimal_within, time_parameterize, totp,
};

use crate::support::{
    cases, degenerate_path, difference_noise, finite_differences, largest_difference, path, random_limits,
};

/// The law leaves 1e-6 of acceleration limits unused, the trapezoids by hand do not.
const RESERVE: f64 = 2e-6;

fn timed(path: &Trajectory, limits: &Limits, options: &TimingOptions) -> kinetic_core::Result<TimedTrajectory> {
    time_parameterize(path, "totp", limits, options, &mut |_| true)
}

/// A walk of `waypoints` points with steps of up to 0.3 rad.
fn walk(rng: &mut SeededRng, dof: usize, waypoints: usize) -> Trajectory {
    let mut q = vec![0.0; dof];
    let mut path = Trajectory::with_dof(dof);
    for _ in 0..waypoints {
        path.push_waypoint(&q).unwrap();
        for value in &mut q {
            *value += rng.uniform(-0.3, 0.3);
        }
    }
    path
}

#[test]
fn straight_moves_take_the_time_worked_out_by_hand() {
    let line = path(&[&[0.0, 0.0], &[1.0, 0.5]]);
    // The first joint rules: 1 rad, at 1 rad/s with ramps of 0.5 s at 2 rad/s².
    let timed = totp(&line, 1.0, 2.0, RESOLUTION).unwrap();
    assert!((timed.duration() - 1.5).abs() < RESERVE);
}

#[test]
fn velocities_at_the_ends_are_kept_and_save_the_time_worked_out_by_hand() {
    let line = path(&[&[0.0, 0.0], &[2.0, 1.0]]);
    let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
    let options = TimingOptions {
        start_velocity: Some(vec![1.0, 0.5]),
        end_velocity: Some(vec![0.5, 0.25]),
        ..TimingOptions::default()
    };
    let timed = timed(&line, &limits, &options).unwrap();
    // Cruise at 1 rad/s until (1² − 0.5²) / 4 rad before the end, then 0.25 s of braking.
    assert!((timed.duration() - (2.0 - 0.1875 + 0.25)).abs() < RESERVE, "{}", timed.duration());
    assert!(largest_difference(&timed.curve().sample(0.0, 1), &[1.0, 0.5]) < 1e-8);
    assert!(largest_difference(&timed.curve().sample(timed.duration(), 1), &[0.5, 0.25]) < 1e-8);
}

#[test]
fn a_start_velocity_that_cannot_be_braked_is_refused_with_joint_and_range() {
    let limits = Limits::new(vec![3.0; 2], vec![2.0; 2]).unwrap();
    let refused = |waypoints: &[&[f64]], start: Option<Vec<f64>>, end: Option<Vec<f64>>| {
        let options = TimingOptions { start_velocity: start, end_velocity: end, ..TimingOptions::default() };
        timed(&path(waypoints), &limits, &options).unwrap_err().to_string()
    };
    let line: [&[f64]; 2] = [&[0.0, 0.0], &[0.0, 1.0]];
    // Braking from 3 rad/s at 2 rad/s² takes 2.25 rad; √(2 · 2 · 1) = 2 rad/s is what 1 rad allows.
    let said = refused(&line, Some(vec![0.0, 3.0]), None);
    assert!(said.contains("start velocity of joint 1") && said.contains("2.0000") | said.contains("1.99999"), "{said}");
    assert!(refused(&line, Some(vec![0.0, 3.5]), None).contains("start velocity of joint 1 = 3.5"));
    assert!(refused(&line, Some(vec![0.5, 1.0]), None).contains("start velocity of joint 0"), "not along the path");
    assert!(refused(&line, Some(vec![0.0, -1.0]), None).contains("start velocity of joint 1"), "backwards");
    assert!(refused(&line, None, Some(vec![0.0, 4.0])).contains("end velocity of joint 1"));
    assert!(refused(&line, None, Some(vec![0.0, 2.5])).contains("velocity"), "more than 1 rad can reach");
    assert!(refused(&line, Some(vec![0.0]), None).contains("start velocity"));
    assert!(refused(&line, Some(vec![0.0, f64::NAN]), None).contains("start velocity"));
    assert!(refused(&[&[0.0, 1.0]], Some(vec![0.0, 1.0]), None).contains("start velocity of joint 1"), "a point");
    let resting = timed(
        &path(&[&[0.0, 1.0]]),
        &limits,
        &TimingOptions { start_velocity: Some(vec![0.0; 2]), ..TimingOptions::default() },
    );
    assert_eq!(resting.unwrap().duration(), 0.0);
}

#[test]
fn other_laws_refuse_what_only_smooth_corners_offer() {
    let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
    let line = path(&[&[0.0, 0.0], &[2.0, 1.0]]);
    let good = TimingOptions::default();
    for options in [
        TimingOptions { start_velocity: Some(vec![0.0; 2]), ..good.clone() },
        TimingOptions { shape: PathShape::Spline, ..good.clone() },
        TimingOptions { through: vec![0], ..good.clone() },
        TimingOptions { through: vec![2], ..good },
    ] {
        let error = time_parameterize(&line, "trapezoidal", &limits, &options, &mut |_| true).unwrap_err();
        assert_eq!(error.code(), "InvalidValue", "{options:?}");
    }
}

#[test]
fn every_shape_holds_every_limit_and_both_end_velocities_on_degenerate_paths() {
    for seed in 0..cases(4000, 1_000_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = degenerate_path(&mut rng);
        let limits = random_limits(&mut rng, path.dof());
        let mut options = TimingOptions {
            max_deviation: [0.0, 1e-9, 1e-3, 0.05, 10.0][rng.below(5)],
            shape: PathShape::ALL[rng.below(2)],
            ..TimingOptions::default()
        };
        options.through = (0..path.len()).filter(|_| rng.below(3) == 0).collect();
        let resting = timed(&path, &limits, &options).unwrap();
        // A velocity that is on the path at the start, taken from a motion that is under way.
        let way = rng.uniform(0.0, 0.2) * resting.duration();
        let rest = PathGeometry::polyline(&path).unwrap().smoothed(options.max_deviation, &[], &mut |_| true).unwrap();
        let tangent: Vec<f64> =
            rest.curve_elements().first().map_or(vec![0.0; path.dof()], |e| e.shape.iter().map(|row| row[1]).collect());
        let speed = resting.curve().sample(way, 1).iter().map(|v| v * v).sum::<f64>().sqrt();
        options.start_velocity = Some(tangent.iter().map(|t| t * speed).collect());
        for timed in [Some(resting), timed(&path, &limits, &options).ok()].into_iter().flatten() {
            let case = format!("seed {seed} {options:?}");
            let ratios = limit_ratios(timed.curve(), &limits).unwrap();
            assert!(ratios.velocity <= 1.0 && ratios.acceleration <= 1.0, "{case}: {ratios:?}");
            assert!(timed.path_deviation <= options.max_deviation + 4e-6, "{case}: {}", timed.path_deviation);
            let last = path.positions(path.len() - 1);
            assert!(largest_difference(&timed.curve().sample(0.0, 0), path.positions(0)) < 1e-12, "{case}: start");
            assert!(largest_difference(&timed.curve().sample(timed.duration(), 0), last) < 1e-11, "{case}: goal");
            assert!(timed.waypoint_times().windows(2).all(|pair| pair[1] > pair[0]), "{case}: stamps");
        }
    }
}

#[test]
fn limits_hold_for_finite_differences_of_splines_and_met_corners() {
    for seed in 0..cases(60, 3000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = walk(&mut rng, 6, 12);
        let limits = random_limits(&mut rng, 6);
        for shape in PathShape::ALL {
            let options = TimingOptions { shape, through: vec![2, 5, 6], ..TimingOptions::default() };
            let timed = timed(&path, &limits, &options).unwrap();
            let (velocity, acceleration) = finite_differences(timed.curve());
            let noise = difference_noise(timed.curve());
            for joint in 0..6 {
                assert!(velocity[joint] <= limits.velocity[joint] + noise, "seed {seed}: velocity of {joint}");
                assert!(
                    acceleration[joint] <= limits.acceleration[joint] + noise,
                    "seed {seed}: acceleration of {joint}"
                );
            }
        }
    }
}

/// The corners that a law follows by itself, and its spline.
fn geometries(path: &Trajectory) -> [PathGeometry; 2] {
    let line = PathGeometry::polyline(path).unwrap();
    [line.smoothed(0.01, &[], &mut |_| true).unwrap(), PathGeometry::spline(path, 0.01, &mut |_| true).unwrap()]
}

/// A walk whose direction changes a little at every waypoint.
fn wandering(rng: &mut SeededRng, dof: usize, waypoints: usize) -> Trajectory {
    let (mut q, mut direction) = (vec![0.0; dof], vec![0.0; dof]);
    let mut path = Trajectory::with_dof(dof);
    for _ in 0..waypoints {
        path.push_waypoint(&q).unwrap();
        for (q, d) in q.iter_mut().zip(&mut direction) {
            *d += rng.uniform(-0.5, 0.5);
            *q += 0.2 * *d;
        }
    }
    path
}

/// A few far waypoints, near and far steps mixed.
fn sparse(rng: &mut SeededRng, dof: usize) -> Trajectory {
    let mut q = vec![0.0; dof];
    let mut path = Trajectory::with_dof(dof);
    for _ in 0..3 + rng.below(12) {
        path.push_waypoint(&q).unwrap();
        let size = 1.5 * rng.uniform(0.02, 1.0);
        for value in &mut q {
            *value += rng.uniform(-size, size);
        }
    }
    path
}

#[test]
fn few_and_sharp_bends_are_within_a_hundredth_of_a_fine_grid_too() {
    for seed in 0..cases(12, 300) as u64 {
        let mut rng = SeededRng::new(20_000 + seed);
        let dof = 2 + rng.below(6);
        let (path, limits) = (sparse(&mut rng, dof), random_limits(&mut rng, dof));
        let deviation = [0.01, 0.05, 0.2, 3.0][rng.below(4)];
        let all: Vec<usize> = (0..path.len()).collect();
        let line = || PathGeometry::polyline(&path).unwrap();
        for geometry in [
            line().smoothed(deviation, &[], &mut |_| true).unwrap(),
            line().smoothed(deviation, &all, &mut |_| true).unwrap(),
            PathGeometry::spline(&path, deviation, &mut |_| true).unwrap(),
        ] {
            let duration = |resolution| time_optimal(&geometry, &limits, resolution, None).unwrap().duration();
            let (usual, best) = (duration(RESOLUTION), duration(20 * RESOLUTION));
            assert!(usual <= 1.01 * best, "seed {seed}, within {deviation}: {usual} {best}");
        }
    }
}

#[test]
fn a_velocity_at_the_start_that_a_fine_grid_allows_is_not_refused_for_a_coarse_one() {
    for seed in 0..cases(10, 300) as u64 {
        let mut rng = SeededRng::new(seed);
        let dof = 2 + rng.below(5);
        let (path, limits) = (sparse(&mut rng, dof), random_limits(&mut rng, dof));
        let geometry = PathGeometry::spline(&path, 3.0, &mut |_| true).unwrap();
        let allowed = |resolution, speed| {
            let tangent = geometry.curve_elements()[0].shape.iter().map(|row| row[1] * speed).collect::<Vec<_>>();
            let moving = geometry.clone().with_end_velocities(Some(&tangent), None).unwrap();
            time_optimal(&moving, &limits, resolution, None).is_ok()
        };
        let (mut low, mut high) = (0.0, 20.0);
        for _ in 0..14 {
            let middle = f64::midpoint(low, high);
            if allowed(8 * RESOLUTION, middle) { low = middle } else { high = middle }
        }
        assert!(allowed(RESOLUTION, 0.99 * low), "seed {seed}: {low}");
    }
}

#[test]
fn regression_23_a_stage_where_braking_ends_is_cut_finely_enough() {
    // 2.854 s where a fine grid takes 2.722 s: the estimate of lost time did not see the stage.
    let mut rng = SeededRng::new(36);
    let dof = 2 + rng.below(6);
    let paths = [walk(&mut rng, dof, 15), wandering(&mut rng, dof, 15)];
    let [_, limits] = [0, 1].map(|_| random_limits(&mut rng, dof));
    let [corners, _] = geometries(&paths[1]);
    let duration = |resolution| time_optimal(&corners, &limits, resolution, None).unwrap().duration();
    let (usual, best) = (duration(RESOLUTION), duration(20 * RESOLUTION));
    assert!(usual <= 1.01 * best, "{usual} {best}");
}

#[test]
fn it_is_within_a_hundredth_of_its_own_limit_for_a_fine_grid_on_any_kind_of_path() {
    let mut sums = [[0.0; 2]; 2];
    for seed in 0..cases(6, 200) as u64 {
        let mut rng = SeededRng::new(seed);
        let dof = 2 + rng.below(6);
        for path in [walk(&mut rng, dof, 15), wandering(&mut rng, dof, 15)] {
            let limits = random_limits(&mut rng, dof);
            for (geometry, sums) in geometries(&path).iter().zip(&mut sums) {
                let duration = |resolution| time_optimal(geometry, &limits, resolution, None).unwrap().duration();
                let (usual, best) = (duration(RESOLUTION), duration(20 * RESOLUTION));
                assert!(usual <= 1.01 * best, "seed {seed}: {usual} {best}");
                *sums = [sums[0] + usual, sums[1] + best];
            }
        }
    }
    assert!(sums.iter().all(|[usual, best]| *usual <= 1.004 * best), "{sums:?}");
}

#[test]
fn it_is_faster_than_the_trapezoidal_law() {
    let (mut total, mut trapezoidal) = (0.0, 0.0);
    for seed in 0..cases(20, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = walk(&mut rng, 7, 20);
        let limits = random_limits(&mut rng, 7);
        // The same corners for both laws.
        let parabolas = PathGeometry::polyline(&path).unwrap().blended(0.01, &mut |_| true).unwrap();
        let [optimal, other] = [
            time_optimal(&parabolas, &limits, 4 * RESOLUTION, None).unwrap(),
            kinetic_trajectory::trapezoid::apply(&parabolas, &limits).unwrap(),
        ];
        assert!(optimal.duration() <= other.duration() * (1.0 + RESERVE), "seed {seed}");
        let options = TimingOptions::default();
        total += timed(&path, &limits, &options).unwrap().duration();
        trapezoidal += time_parameterize(&path, "trapezoidal", &limits, &options, &mut |_| true).unwrap().duration();
    }
    assert!(total < trapezoidal, "{total} {trapezoidal}");
}

#[test]
fn some_limit_is_used_on_almost_the_whole_way() {
    // On a stage some row binds, at its ends or by its Bernstein coefficients: what is unused is the part of a stage.
    let (mut used, mut total) = (0.0, 0.0);
    for seed in 0..cases(20, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = walk(&mut rng, 7, 20);
        let limits = random_limits(&mut rng, 7);
        let timed = timed(&path, &limits, &TimingOptions::default()).unwrap();
        let curve = timed.curve();
        for step in 0..2000 {
            let t = curve.duration() * (f64::from(step) + 0.5) / 2000.0;
            let share = |order: usize, limits: &[f64]| {
                curve.sample(t, order).iter().zip(limits).map(|(v, l)| v.abs() / l).fold(0.0, f64::max)
            };
            let share = f64::max(share(1, &limits.velocity), share(2, &limits.acceleration));
            used += if share > 0.9 { 1.0 } else { 0.0 };
            total += 1.0;
        }
    }
    assert!(used > 0.97 * total, "{}", used / total);
}

#[test]
fn acceleration_limits_given_as_further_rows_act_as_limits_do() {
    for seed in 0..cases(20, 1000) as u64 {
        let mut rng = SeededRng::new(seed);
        let path = walk(&mut rng, 5, 8);
        let loose = Limits::new(vec![2.0; 5], vec![1e4; 5]).unwrap();
        let tight = Limits::new(vec![2.0; 5], vec![5.0; 5]).unwrap();
        let geometry = PathGeometry::polyline(&path).unwrap().smoothed(0.02, &[], &mut |_| true).unwrap();
        let mut rows = |point: &PathPoint<'_>, rows: &mut Vec<PathRow>| {
            for joint in 0..5 {
                for sign in [1.0, -1.0] {
                    let (acceleration, speed) = (sign * point.tangent[joint], sign * point.curvature[joint]);
                    rows.push(PathRow { acceleration, speed, constant: 0.0, limit: 5.0 });
                }
            }
        };
        let by_rows = time_optimal(&geometry, &loose, 24, Some(&mut rows)).unwrap();
        let by_limits = time_optimal(&geometry, &tight, 24, None).unwrap();
        let ratio = by_rows.duration() / by_limits.duration();
        // Rows hold at grid points alone, and straights have grids: neither matters much.
        assert!(ratio > 0.97 && ratio < 1.05, "seed {seed}: {ratio}");
        let ratios = limit_ratios(by_rows.curve(), &tight).unwrap();
        assert!(ratios.acceleration < 1.05, "seed {seed}: {ratios:?}");
    }
}

#[test]
fn further_rows_that_leave_no_speed_or_are_no_numbers_are_refused() {
    let geometry = PathGeometry::polyline(&path(&[&[0.0], &[1.0]])).unwrap();
    let limits = Limits::new(vec![1.0], vec![1.0]).unwrap();
    let mut impossible = |_: &PathPoint<'_>, rows: &mut Vec<PathRow>| {
        rows.push(PathRow { acceleration: 0.0, speed: 0.0, constant: 2.0, limit: 1.0 });
    };
    let said = time_optimal(&geometry, &limits, 8, Some(&mut impossible)).unwrap_err().to_string();
    assert!(said.contains("path speeds at"), "{said}");
    let mut nan = |_: &PathPoint<'_>, rows: &mut Vec<PathRow>| {
        rows.push(PathRow { acceleration: f64::NAN, speed: 0.0, constant: 0.0, limit: 1.0 });
    };
    assert_eq!(time_optimal(&geometry, &limits, 8, Some(&mut nan)).unwrap_err().code(), "NotFinite");
    assert_eq!(time_optimal(&geometry, &limits, 1, None).unwrap_err().code(), "InvalidValue");
}

#[test]
fn further_limits_of_a_path_are_refused_with_a_duration_and_with_what_the_law_refuses() {
    let line = path(&[&[0.0, 0.0], &[2.0, 1.0]]);
    let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
    let ask = |path: &Trajectory, limits: &Limits, options: &TimingOptions| {
        time_optimal_within(path, limits, options, &mut |_| true, &mut |_, _| ())
    };
    let good = TimingOptions::default();
    // No rows: the law itself, but for the grid on the straight.
    let free = ask(&line, &limits, &good).unwrap().duration();
    assert!((free - timed(&line, &limits, &good).unwrap().duration()).abs() < 0.01 * free);
    let slow = ask(&line, &limits, &TimingOptions { duration: Some(9.0), ..good.clone() }).unwrap_err();
    assert!(slow.to_string().contains("duration = 9"), "{slow}");
    let backwards = TimingOptions { start_velocity: Some(vec![-1.0, -0.5]), ..good.clone() };
    assert!(ask(&line, &limits, &backwards).unwrap_err().to_string().contains("start velocity of joint 0"));
    let zero = Limits { velocity: vec![1.0, 0.0], ..limits.clone() };
    assert!(ask(&line, &zero, &good).unwrap_err().to_string().contains("joint 1"));
    let three = Limits::new(vec![1.0; 3], vec![2.0; 3]).unwrap();
    assert_eq!(ask(&line, &three, &good).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(ask(&Trajectory::with_dof(2), &limits, &good).unwrap_err().code(), "InvalidValue");
}

#[test]
fn work_grows_with_the_number_of_waypoints() {
    // Counted, not measured: pieces per waypoint stay as many.
    for waypoints in [20, 200, 2000] {
        let path = walk(&mut SeededRng::new(1), 7, waypoints);
        let limits = Limits::new(vec![2.0; 7], vec![10.0; 7]).unwrap();
        let timed = timed(&path, &limits, &TimingOptions::default()).unwrap();
        assert!(timed.curve().pieces() < 3 * RESOLUTION * waypoints, "{}", timed.curve().pieces());
    }
}
