//! The same questions to every row of the registry, then what each law promises.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Limits, TimedTrajectory, Trajectory};
use kinetic_trajectory::{
    TIME_LAWS, TimingOptions, TrajectoryValidator, jerk_limited, limit_ratios, time_law, time_parameterize, totp,
    trapezoidal, trapezoidal_per_joint,
};

use crate::support::{
    cases, degenerate_path, difference_noise, distance_to_polyline, finite_differences, largest_difference,
    largest_steps, path, random_limits,
};

/// Start and goal are hit up to rounding of sums of positions below 100 rad.
const END_TOLERANCE: f64 = 1e-12;

/// Rest and continuity: rounding of velocities of order 1.
const REST_TOLERANCE: f64 = 1e-9;

/// Interval bounds and finite differences may exceed a limit by this part; the law keeps a larger reserve.
const RATIO_TOLERANCE: f64 = 1e-10;

fn options(max_deviation: f64) -> TimingOptions {
    TimingOptions { max_deviation, ..TimingOptions::default() }
}

fn timed(path: &Trajectory, law: &str, limits: &Limits, max_deviation: f64) -> TimedTrajectory {
    time_parameterize(path, law, limits, &options(max_deviation), &mut |_| true).unwrap()
}

/// What every law promises for every path.
fn assert_holds(path: &Trajectory, limits: &Limits, timed: &TimedTrajectory, max_deviation: f64, case: &str) {
    let curve = timed.curve();
    let end = timed.duration();
    let (first, last) = (path.positions(0), path.positions(path.len() - 1));
    assert!(largest_difference(&curve.sample(0.0, 0), first) <= END_TOLERANCE, "{case}: start");
    assert!(largest_difference(&curve.sample(end, 0), last) <= END_TOLERANCE, "{case}: goal");
    for t in [0.0, end] {
        assert!(curve.sample(t, 1).iter().all(|v| v.abs() <= REST_TOLERANCE), "{case}: not at rest at {t}");
    }
    assert!(curve.knots().windows(2).all(|pair| pair[1] > pair[0]), "{case}: knots");
    let times = timed.waypoint_times();
    assert!(times.windows(2).all(|pair| pair[1] > pair[0]), "{case}: stamps {times:?}");
    assert!(times[0] == 0.0 && times[times.len() - 1] == end, "{case}: stamps {times:?}");
    assert!(largest_steps(timed).iter().all(|step| *step <= REST_TOLERANCE), "{case}: {:?}", largest_steps(timed));

    let ratios = limit_ratios(curve, limits).unwrap();
    assert!(ratios.velocity <= 1.0 && ratios.acceleration <= 1.0, "{case}: {ratios:?}");
    let (velocity, acceleration) = finite_differences(curve);
    let noise = difference_noise(curve);
    for joint in 0..curve.dof() {
        let v = velocity[joint] - noise * end / 50.0;
        assert!(v <= limits.velocity[joint] * (1.0 + RATIO_TOLERANCE), "{case}: joint {joint} velocity {v}");
        let a = acceleration[joint] - noise;
        assert!(a <= limits.acceleration[joint] * (1.0 + RATIO_TOLERANCE), "{case}: joint {joint} acceleration {a}");
    }

    // Merged duplicates move the path by the merge tolerances, blends by what was allowed.
    assert!(timed.path_deviation <= max_deviation + 4e-6, "{case}: deviation {}", timed.path_deviation);
    for sample in 0..=200 {
        let q = curve.sample(end * f64::from(sample) / 200.0, 0);
        let distance = distance_to_polyline(path, &q);
        assert!(distance <= timed.path_deviation + END_TOLERANCE, "{case}: {distance} from the path");
    }
}

#[test]
fn every_law_holds_every_limit_on_degenerate_paths_with_and_without_blends() {
    for law in TIME_LAWS {
        for seed in 0..cases(1500, 100_000) as u64 {
            let mut rng = SeededRng::new(seed);
            let path = degenerate_path(&mut rng);
            let limits = random_limits(&mut rng, path.dof());
            let max_deviation = [0.0, 1e-9, 1e-3, 0.05, 10.0][rng.below(5)];
            let timed = timed(&path, law.id, &limits, max_deviation);
            let case = format!("{} seed {seed} deviation {max_deviation}", law.id);
            assert_holds(&path, &limits, &timed, max_deviation, &case);
        }
    }
}

#[test]
fn every_law_survives_limits_and_lengths_of_any_size() {
    for law in TIME_LAWS {
        for seed in 0..cases(1500, 100_000) as u64 {
            let mut rng = SeededRng::new(seed);
            let path = degenerate_path(&mut rng);
            let mut any = || (0..path.dof()).map(|_| 10.0_f64.powf(rng.uniform(-12.0, 12.0))).collect();
            let limits = Limits::new(any(), any()).unwrap();
            let deviation = 10.0_f64.powf(rng.uniform(-12.0, 1.0));
            // An error that says so is allowed where times cannot be represented; wrong numbers are not.
            let Ok(timed) = time_parameterize(&path, law.id, &limits, &options(deviation), &mut |_| true) else {
                continue;
            };
            let ratios = limit_ratios(timed.curve(), &limits).unwrap();
            assert!(ratios.velocity <= 1.0 && ratios.acceleration <= 1.0, "{} seed {seed}: {ratios:?}", law.id);
            let strayed = timed.path_deviation;
            assert!(strayed <= deviation + 4e-6, "{} seed {seed}: {strayed} of {deviation}", law.id);
            let goal = timed.curve().sample(timed.duration(), 0);
            let last = path.positions(path.len() - 1);
            assert!(largest_difference(&goal, last) < 1e-9, "{} seed {seed}: {goal:?} {last:?}", law.id);
        }
    }
}

#[test]
fn every_law_gives_the_same_bytes_for_the_same_path() {
    for law in TIME_LAWS {
        let mut rng = SeededRng::new(7);
        let path = degenerate_path(&mut rng);
        let limits = random_limits(&mut rng, path.dof());
        assert_eq!(timed(&path, law.id, &limits, 0.01), timed(&path, law.id, &limits, 0.01), "{}", law.id);
    }
}

#[test]
fn every_law_answers_an_empty_path_with_an_error_and_a_single_point_with_duration_zero() {
    let limits = Limits::new(vec![1.0; 2], vec![1.0; 2]).unwrap();
    for law in TIME_LAWS {
        let empty = time_parameterize(&Trajectory::with_dof(2), law.id, &limits, &options(0.0), &mut |_| true);
        assert_eq!(empty.unwrap_err().code(), "InvalidValue");
        for waypoints in [1, 2, 5] {
            let single = path(&vec![&[0.3, -0.4][..]; waypoints]);
            let timed = timed(&single, law.id, &limits, 0.01);
            assert_eq!((timed.duration(), timed.waypoints().len()), (0.0, 1));
            assert_eq!(timed.sample_at(1.0).positions.0, [0.3, -0.4]);
        }
    }
}

#[test]
fn every_law_refuses_limits_that_do_not_fit_and_names_the_joint() {
    let path = path(&[&[0.0, 0.0], &[1.0, 1.0]]);
    for law in TIME_LAWS {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let limits = Limits { velocity: vec![1.0, bad], acceleration: vec![1.0; 2], jerk: None };
            let error = time_parameterize(&path, law.id, &limits, &options(0.0), &mut |_| true).unwrap_err();
            assert!(error.to_string().contains("velocity limit of joint 1"), "{error}");
        }
        let limits = Limits::new(vec![1.0; 3], vec![1.0; 3]).unwrap();
        let error = time_parameterize(&path, law.id, &limits, &options(0.0), &mut |_| true).unwrap_err();
        assert_eq!(error.code(), "DimensionMismatch");
    }
}

#[test]
fn an_unknown_law_is_answered_with_the_names_that_exist() {
    let error = time_law("trapezodal").err().unwrap();
    let KineticError::UnknownName { kind, name, available } = &error else { panic!("{error}") };
    assert_eq!((kind.as_str(), name.as_str()), ("time law", "trapezodal"));
    assert_eq!(*available, TIME_LAWS.iter().map(|law| law.id.to_owned()).collect::<Vec<_>>());
}

#[test]
fn the_registry_has_unique_names_and_complete_rows() {
    for (index, law) in TIME_LAWS.iter().enumerate() {
        assert!(TIME_LAWS[..index].iter().all(|other| other.id != law.id), "{} twice", law.id);
        assert!(!law.summary.is_empty() && !law.source.is_empty(), "{}", law.id);
        assert!(std::ptr::eq(time_law(law.id).unwrap(), law));
    }
}

#[test]
fn options_outside_their_domain_are_refused() {
    let limits = Limits::new(vec![1.0], vec![1.0]).unwrap();
    let path = path(&[&[0.0], &[1.0]]);
    let good = TimingOptions::default();
    let bad = [
        TimingOptions { max_deviation: -1.0, ..good.clone() },
        TimingOptions { max_deviation: f64::NAN, ..good.clone() },
        TimingOptions { velocity_scaling: 0.0, ..good.clone() },
        TimingOptions { acceleration_scaling: 1.5, ..good },
    ];
    for options in bad {
        let error = time_parameterize(&path, "trapezoidal", &limits, &options, &mut |_| true).unwrap_err();
        assert_eq!(error.code(), "InvalidValue", "{options:?}");
    }
}

#[test]
fn scaling_factors_tighten_the_limits() {
    let limits = Limits::new(vec![1.0], vec![2.0]).unwrap();
    let path = path(&[&[0.0], &[3.0]]);
    let options = TimingOptions { velocity_scaling: 0.5, acceleration_scaling: 0.25, ..TimingOptions::default() };
    let timed = time_parameterize(&path, "trapezoidal", &limits, &options, &mut |_| true).unwrap();
    let ratios = limit_ratios(timed.curve(), &limits).unwrap();
    assert!((ratios.velocity - 0.5).abs() < 1e-6 && (ratios.acceleration - 0.25).abs() < 1e-6, "{ratios:?}");
    // 3 rad at 0.5 rad/s with ramps of 1 s.
    assert!((timed.duration() - 7.0).abs() < 1e-6);
}

#[test]
fn durations_of_single_moves_are_those_worked_out_by_hand() {
    // Relative reserve of the law: 1e-9.
    let duration = |from: &[f64], to: &[f64], v: f64, a: f64| trapezoidal(&path(&[from, to]), v, a).unwrap().duration();
    // Trapezoid: L / v + v / a. Triangle: 2 √(L / a).
    assert!((duration(&[0.0], &[1.0], 1.0, 2.0) - 1.5).abs() < 1e-8);
    assert!((duration(&[0.0], &[0.25], 10.0, 1.0) - 1.0).abs() < 1e-8);
    assert!((duration(&[2.0], &[-2.0], 2.0, 4.0) - 2.5).abs() < 1e-8);
    // The slowest joint rules: joint 1 needs 2 s at 1 rad/s and 1 s of ramps.
    let path = path(&[&[0.0, 0.0], &[0.5, 2.0]]);
    let timed = trapezoidal_per_joint(&path, &[5.0, 1.0], &[9.0, 1.0]).unwrap();
    assert!((timed.duration() - 3.0).abs() < 1e-8);
}

#[test]
fn a_function_means_what_the_law_of_its_name_means() {
    let path = path(&[&[0.0, 0.0], &[1.0, 0.0], &[1.0, 2.0], &[0.5, 1.0]]);
    let limits = Limits::new(vec![1.0; 2], vec![3.0; 2]).unwrap();
    let law = |name: &str, limits: &Limits| {
        time_parameterize(&path, name, limits, &TimingOptions::default(), &mut |_| true).unwrap()
    };
    assert_eq!(trapezoidal(&path, 1.0, 3.0).unwrap(), law("trapezoidal", &limits));
    assert_eq!(totp(&path, 1.0, 3.0, totp::RESOLUTION).unwrap(), law("totp", &limits));
    let with_jerk = limits.with_jerk(vec![30.0; 2]).unwrap();
    assert_eq!(jerk_limited(&path, 1.0, 3.0, 30.0).unwrap(), law("jerk_limited", &with_jerk));
}

#[test]
fn without_blends_the_path_is_kept_and_each_corner_is_a_stop() {
    let corners: [&[f64]; 4] = [&[0.0, 0.0], &[1.0, 0.0], &[1.0, 2.0], &[0.5, 1.0]];
    let limits = Limits::new(vec![1.0; 2], vec![3.0; 2]).unwrap();
    let exact = TimingOptions::exact();
    let timed = time_parameterize(&path(&corners), "trapezoidal", &limits, &exact, &mut |_| true).unwrap();
    assert_eq!(timed.path_deviation, 0.0);
    assert_eq!(timed.waypoints().len(), corners.len());
    for (waypoint, corner) in timed.waypoints().iter().zip(corners) {
        assert!(largest_difference(&waypoint.positions, corner) < END_TOLERANCE);
        assert!(waypoint.velocities.iter().all(|v| v.abs() < REST_TOLERANCE));
    }
}

#[test]
fn every_law_is_at_the_waypoints_of_a_straight_at_their_times() {
    for seed in 0..20 {
        let mut rng = SeededRng::new(seed);
        let way = [rng.uniform(-2.0, 2.0), rng.uniform(0.5, 2.0)];
        let mut parts = [0.0, rng.unit(), rng.unit(), rng.unit(), 1.0];
        parts.sort_by(f64::total_cmp);
        let rows = parts.map(|part| way.map(|way| part * way));
        let path = path(&rows.each_ref().map(<[f64; 2]>::as_slice));
        let limits = random_limits(&mut rng, 2).with_jerk(vec![50.0; 2]).unwrap();
        for law in TIME_LAWS {
            let timed = timed(&path, law.id, &limits, 0.0);
            assert_eq!(timed.waypoint_times().len(), rows.len(), "{} seed {seed}", law.id);
            for (time, row) in timed.waypoint_times().iter().zip(&rows) {
                let q = timed.curve().sample(*time, 0);
                let off = (q[0] - row[0]).hypot(q[1] - row[1]);
                assert!(off < 1e-6, "{} seed {seed}: {off} from {row:?} at {time}", law.id);
            }
        }
    }
}

#[test]
fn collinear_waypoints_cost_no_time_and_keep_their_stamps() {
    let dense: Vec<[f64; 3]> = (0..=100).map(|i| f64::from(i) / 100.0).map(|u| [u, 0.3 - 2.0 * u, u / 3.0]).collect();
    let direct = trapezoidal(&Trajectory::from_waypoints(&[dense[0], dense[100]]).unwrap(), 1.0, 2.0).unwrap();
    let timed = trapezoidal(&Trajectory::from_waypoints(&dense).unwrap(), 1.0, 2.0).unwrap();
    assert!((timed.duration() - direct.duration()).abs() < 1e-9);
    assert_eq!(timed.waypoints().len(), 101);
    for (waypoint, given) in timed.waypoints().iter().zip(&dense) {
        // Collinear up to rounding: the straight passes each waypoint within the straightness tolerance.
        assert!(largest_difference(&waypoint.positions, given) < 2e-9);
    }
}

#[test]
fn a_blended_corner_is_passed_without_a_stop_and_saves_time() {
    let corner = path(&[&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0]]);
    let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
    let stop = timed(&corner, "trapezoidal", &limits, 0.0);
    let blend = timed(&corner, "trapezoidal", &limits, 0.05);
    assert!(blend.duration() < stop.duration() - 0.2, "{} {}", blend.duration(), stop.duration());
    let inside = &blend.waypoints()[1];
    assert!(inside.velocities.iter().any(|v| v.abs() > 0.2), "{inside:?}");
    // Quarter turn: the blend misses its corner by exactly what was allowed.
    let missed = inside.positions.distance_to(&[1.0, 0.0]);
    assert!((missed - 0.05).abs() < 1e-9 && (blend.path_deviation - 0.05).abs() < 1e-9, "{missed}");
}

#[test]
fn a_refused_blend_shrinks_and_finally_becomes_a_stop() {
    let corner = path(&[&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0]]);
    let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
    let mut asked = Vec::new();
    let mut accept_small = |blend: &kinetic_core::PiecewisePolynomial| {
        asked.push(blend.clone());
        blend.duration() < 0.1
    };
    let small = time_parameterize(&corner, "trapezoidal", &limits, &options(0.05), &mut accept_small).unwrap();
    assert!(small.path_deviation > 0.0 && small.path_deviation < 0.05 / 2.0);
    for pair in asked.windows(2) {
        assert!((pair[1].duration() - pair[0].duration() / 2.0).abs() < 1e-15, "halved");
    }
    // What was accepted is what is driven: its ends and middle lie on the timed curve.
    let accepted = asked.last().unwrap();
    for part in [0.0, 0.5, 1.0] {
        let q = accepted.sample(part * accepted.duration(), 0);
        let near = |t: u32| small.curve().sample(small.duration() * f64::from(t) / 1e5, 0);
        let gap = (0..=100_000).map(|t| largest_difference(&near(t), &q)).fold(f64::INFINITY, f64::min);
        assert!(gap < 2e-5, "{gap}");
    }
    let never = time_parameterize(&corner, "trapezoidal", &limits, &options(0.05), &mut |_| false).unwrap();
    assert_eq!(never.curve(), timed(&corner, "trapezoidal", &limits, 0.0).curve());
}

#[test]
fn a_dense_circle_is_driven_near_the_speed_that_centripetal_acceleration_allows() {
    const RADIUS: f64 = 0.5;
    let point = |i: i32| {
        let angle = f64::from(i) / 200.0 * std::f64::consts::TAU;
        [RADIUS * angle.cos(), RADIUS * angle.sin()]
    };
    let circle: Vec<[f64; 2]> = (0..=600).map(point).collect();
    let limits = Limits::new(vec![100.0; 2], vec![2.0; 2]).unwrap();
    let timed = timed(&Trajectory::from_waypoints(&circle).unwrap(), "trapezoidal", &limits, 1e-3);
    // Where the acceleration points along an axis v² / r = a; √2 more on the diagonals with a box of limits.
    let slowest = (2.0 * RADIUS).sqrt();
    let ideal = 3.0 * std::f64::consts::TAU * RADIUS / slowest;
    assert!(timed.duration() < 1.05 * ideal, "{} {ideal}", timed.duration());
    let middle = timed.sample_at(timed.duration() / 2.0);
    assert!(middle.velocities.iter().map(|v| v * v).sum::<f64>().sqrt() > 0.9 * slowest);
}

#[test]
fn on_every_piece_some_limit_is_used_almost_fully_or_the_neighbour_demands_it() {
    // Without blends the profile is bang-cruise-bang: each piece is at a velocity or an acceleration limit.
    for seed in 0..100 {
        let mut rng = SeededRng::new(seed);
        let path = degenerate_path(&mut rng);
        let limits = random_limits(&mut rng, path.dof());
        let timed = timed(&path, "trapezoidal", &limits, 0.0);
        let curve = timed.curve();
        for piece in 0..curve.pieces() {
            let t = curve.knots()[piece] + curve.piece_duration(piece) / 2.0;
            let used = |order: usize, limits: &[f64]| {
                curve.sample(t, order).iter().zip(limits).map(|(v, l)| v.abs() / l).fold(0.0, f64::max)
            };
            let used = f64::max(used(1, &limits.velocity), used(2, &limits.acceleration));
            assert!(used > 1.0 - 1e-6, "seed {seed}, piece {piece}: only {used}");
        }
    }
}

#[test]
fn time_grows_with_the_number_of_waypoints_not_with_its_square() {
    // Counted, not measured: pieces per waypoint stay bounded.
    for n in [10_usize, 100, 1000] {
        let zigzag: Vec<[f64; 2]> = (0..n).map(|i| [i as f64 * 0.1, (i % 2) as f64 * 0.1]).collect();
        let limits = Limits::new(vec![1.0; 2], vec![2.0; 2]).unwrap();
        let timed = timed(&Trajectory::from_waypoints(&zigzag).unwrap(), "trapezoidal", &limits, 0.01);
        assert!(timed.curve().pieces() <= 5 * n);
        assert_eq!(timed.waypoints().len(), n);
    }
}

/// Regression 64: at positions of a hundred thousand and more, rounding was taken for times that cannot be represented, and for steps
/// between pieces.
#[test]
fn paths_between_large_positions_are_timed_and_valid() {
    for law in TIME_LAWS {
        for seed in 0..cases(20, 300) as u64 {
            let mut rng = SeededRng::new(seed);
            let size = 10.0_f64.powf(rng.uniform(3.0, 7.0));
            let points: Vec<Vec<f64>> =
                (0..2 + seed % 6).map(|_| (0..2).map(|_| size * rng.uniform(-1.0, 1.0)).collect()).collect();
            let path = Trajectory::from_waypoints(&points).unwrap();
            let limits = Limits::new(vec![1e3; 2], vec![1e3; 2]).unwrap();
            let limits = if law.id == "jerk_limited" { limits.with_jerk(vec![1e4; 2]).unwrap() } else { limits };
            let case = format!("{}, seed {seed}, size {size}", law.id);
            let timed = time_parameterize(&path, law.id, &limits, &options(1e-3 * size), &mut |_| true);
            let timed = timed.unwrap_or_else(|error| panic!("{case}: {error}"));
            let least = points.windows(2).map(|pair| (pair[0][0] - pair[1][0]).abs()).fold(0.0, f64::max) / 1e3;
            assert!(timed.duration() >= 0.9 * least && timed.duration() < 1e3 * size, "{case}: {}", timed.duration());
            let validator = TrajectoryValidator::from_limits(&[-1e9; 2], &[1e9; 2], &limits).unwrap();
            let found = validator.validate(&timed).unwrap();
            assert!(found.is_empty(), "{case}: {:?}", found[0]);
        }
    }
}
