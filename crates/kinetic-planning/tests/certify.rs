//! Timed curves by hand into the verifier: the errors that their faults deserve, and figures from formulas.

use std::sync::Arc;

use kinetic_core::control::ManualClock;
use kinetic_core::curve::Coefficients;
use kinetic_core::{
    Certificate, Control, KineticError, PiecewisePolynomial, Pose, Result, Shape, StopFlag, TimedTrajectory,
};
use kinetic_planning::{LIMIT_TOLERANCE, Planner};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

/// The two joints turn about z: `j1` a ball at a distance of 1 m, `j2` one 0.5 m beyond it. A ball of the base hangs below.
const BALL: f64 = 0.05;

/// Joint limits that no test reaches unless it says so.
const OPEN: f64 = 100.0;

fn arm(shapes: bool) -> Robot {
    let link = |name: &str, x: f64| {
        let ball = format!("<origin xyz=\"{x} 0 0\"/><geometry><sphere radius=\"{BALL}\"/></geometry>");
        let collision = if shapes { format!("<collision>{ball}</collision>") } else { String::new() };
        format!("<link name=\"{name}\"><visual>{ball}</visual>{collision}</link>")
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{x} 0 0\"/><axis xyz=\"0 0 1\"/>\
             <limit lower=\"-2\" upper=\"2\" velocity=\"{OPEN}\" effort=\"1\"/></joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"two\"><link name=\"base\"/>{}{}{}{}</robot>",
        link("upper", 1.0),
        link("fore", 0.5),
        joint("j1", "base", "upper", 0.0),
        joint("j2", "upper", "fore", 1.0),
    );
    let mut robot = Robot::from_urdf_string(&urdf).unwrap();
    for limits in &mut robot.joint_limits {
        limits.acceleration = Some(OPEN);
        limits.jerk = Some(OPEN);
    }
    robot
}

fn planner_of(robot: Robot) -> Planner {
    Planner::new(&Arc::new(robot)).unwrap()
}

fn curve(knots: &[f64], rows: &[Coefficients]) -> TimedTrajectory {
    let curve = PiecewisePolynomial::new(2, knots.to_vec(), rows.to_vec()).unwrap();
    let end = curve.duration();
    TimedTrajectory::new(curve, vec![0.0, end], 0.0, "by hand").unwrap()
}

/// From `a` to `b` in `T` seconds with the least jerk: speed peaks at 15/8 of the mean, acceleration at 10/√3 · d/T², jerk at
/// both ends at 60 d/T³ (Flash and Hogan 1985).
fn smooth(a: f64, b: f64, duration: f64) -> Coefficients {
    let d = b - a;
    [a, 0.0, 0.0, 10.0 * d / duration.powi(3), -15.0 * d / duration.powi(4), 6.0 * d / duration.powi(5)]
}

const STILL: Coefficients = [0.0; 6];

fn certify(planner: &Planner, trajectory: &TimedTrajectory) -> Result<Certificate> {
    let certified = planner.certify(trajectory, &Control::default())?;
    assert_eq!(certified.curve(), trajectory.curve());
    Ok(certified.certificate().unwrap().clone())
}

/// What `certify` refuses, as joint, quantity, value, limit and time.
fn exceeded(planner: &Planner, trajectory: &TimedTrajectory) -> (String, String, [f64; 3]) {
    match certify(planner, trajectory) {
        Err(KineticError::TrajectoryLimitExceeded { joint, quantity, value, limit, time }) => {
            (joint, quantity, [value, limit, time])
        }
        other => panic!("{other:?}"),
    }
}

/// Value, limit and time. A value that is right to 1e-9 leaves the time of its peak open to the square root of that.
fn assert_near(given: [f64; 3], wanted: [f64; 3]) {
    let is_near = |index: usize, tolerance: f64| (given[index] - wanted[index]).abs() < tolerance;
    assert!(is_near(0, 1e-8) && is_near(1, 1e-9) && is_near(2, 3e-5), "{given:?}, {wanted:?}");
}

#[test]
fn the_figures_of_a_certificate_are_those_of_the_formulas() {
    let mut robot = arm(true);
    for limits in &mut robot.joint_limits {
        (limits.velocity, limits.acceleration, limits.jerk) = (1.5, Some(3.0), Some(20.0));
    }
    let planner = planner_of(robot);
    let motion = curve(&[0.0, 2.0], &[smooth(-0.5, 0.5, 2.0), STILL]);
    let found = certify(&planner, &motion).unwrap();
    assert!((found.max_velocity_ratio - 15.0 / 8.0 * 0.5 / 1.5).abs() < 1e-9, "{found:?}");
    assert!((found.max_acceleration_ratio - 10.0 / 3.0_f64.sqrt() / 4.0 / 3.0).abs() < 1e-9, "{found:?}");
    assert!((found.max_jerk_ratio.unwrap() - 60.0 / 8.0 / 20.0).abs() < 1e-9, "{found:?}");
    assert_eq!(found.group, planner.group().name);
    assert_eq!((found.curve, found.scene), (motion.curve().content_hash(), planner.scene().version()));
    assert!(found.unchecked_links.is_empty());
}

#[test]
fn each_limit_alone_is_refused_one_per_cent_under_the_peak_and_held_at_it() {
    let duration = 2.0;
    for joint in 0..2 {
        let name = ["j1", "j2"][joint];
        let mut rows = [STILL; 2];
        rows[joint] = smooth(1.0, -0.5, duration);
        let motion = curve(&[0.0, duration], &rows);
        let (speed, acceleration) = (15.0 / 8.0 * 1.5 / duration, 10.0 / 3.0_f64.sqrt() * 1.5 / duration.powi(2));
        for (part, is_refused) in [(1.0 / 1.01, true), (1.0 + 1e-12, false), (1.01, false)] {
            let mut robot = arm(true);
            robot.joint_limits[joint].velocity = part * speed;
            let planner = planner_of(robot);
            if is_refused {
                let (who, what, values) = exceeded(&planner, &motion);
                assert_eq!((who.as_str(), what.as_str()), (name, "velocity"));
                assert_near(values, [-speed, part * speed, 0.5 * duration]);
            } else {
                certify(&planner, &motion).unwrap();
            }
            let mut robot = arm(true);
            robot.joint_limits[joint].acceleration = Some(part * acceleration);
            let planner = planner_of(robot);
            if is_refused {
                let (who, what, [value, limit, time]) = exceeded(&planner, &motion);
                assert_eq!((who.as_str(), what.as_str()), (name, "acceleration"));
                // It brakes as hard as it speeds up.
                let early = duration * (3.0 - 3.0_f64.sqrt()) / 6.0;
                let (sign, when) = if time < 1.0 { (-1.0, early) } else { (1.0, duration - early) };
                assert_near([value, limit, time], [sign * acceleration, part * acceleration, when]);
            } else {
                certify(&planner, &motion).unwrap();
            }
        }
    }
}

#[test]
fn positions_between_the_ends_of_pieces_are_held_to_their_range() {
    let planner = planner_of(arm(true));
    for joint in 0..2 {
        for (sign, excess, is_refused) in [
            (1.0, 1e-3, true),
            (-1.0, 1e-3, true),
            (1.0, 2.0 * LIMIT_TOLERANCE, true),
            (1.0, 0.0, false),
            (-1.0, -1e-9, false),
        ] {
            // A parabola over one second that is inside at both ends; its top is `excess` beyond the limit.
            let mut rows = [STILL; 2];
            rows[joint] = [sign * (1.9 + excess), sign * 0.4, -sign * 0.4, 0.0, 0.0, 0.0];
            let motion = curve(&[0.0, 1.0], &rows);
            if is_refused {
                let (who, what, values) = exceeded(&planner, &motion);
                assert_eq!((who.as_str(), what.as_str()), (["j1", "j2"][joint], "position"));
                assert_near(values, [sign * (2.0 + excess), sign * 2.0, 0.5]);
                assert!((values[0] - sign * (2.0 + excess)).abs() < 1e-8, "{values:?}");
            } else {
                certify(&planner, &motion).unwrap();
            }
        }
        // A curve that stays outside has no pieces to look into.
        let mut outside = [0.0; 2];
        outside[joint] = 2.1;
        let still = PiecewisePolynomial::constant(&outside).unwrap();
        let motion = TimedTrajectory::new(still, vec![0.0], 0.0, "by hand").unwrap();
        assert_eq!(exceeded(&planner, &motion).1, "position");
    }
}

#[test]
fn a_curve_that_jumps_is_refused() {
    let planner = planner_of(arm(true));
    let begin = smooth(0.0, 0.5, 1.0);
    for (quantity, order, step) in [("step of position", 0, 1e-6), ("step of velocity", 1, 1e-3)] {
        let mut next = smooth(0.5, 0.0, 1.0);
        next[order] += step;
        let motion = curve(&[0.0, 1.0, 2.0], &[begin, STILL, next, STILL]);
        let (who, what, [value, _, time]) = exceeded(&planner, &motion);
        assert_eq!((who.as_str(), what.as_str(), time), ("j1", quantity, 1.0));
        assert!((value - step).abs() < 1e-12, "{value}");
    }
    certify(&planner, &curve(&[0.0, 1.0, 2.0], &[begin, STILL, smooth(0.5, 0.0, 1.0), STILL])).unwrap();
}

/// A planner with a ball in the way of the upper arm's, where `j1` stands at 0.3.
fn among_balls(radius: f64) -> Planner {
    let mut scene = Scene::new(&Arc::new(arm(true))).unwrap();
    scene.add("ball", Shape::sphere(radius).unwrap(), Pose::from_xyz(0.3_f64.cos(), 0.3_f64.sin(), 0.0)).unwrap();
    // Lies outside of everything.
    scene.add("far", Shape::sphere(0.1).unwrap(), Pose::from_xyz(-3.0, 0.0, 0.0)).unwrap();
    Planner::in_scene(scene).unwrap()
}

/// Folded away from the ball, the fore arm is farther from it than the upper arm.
const FOLDED: Coefficients = [-1.8, 0.0, 0.0, 0.0, 0.0, 0.0];

#[test]
fn a_collision_between_free_ends_is_refused_with_pair_time_and_distance() {
    let (radius, margin) = (0.04, 0.02);
    let planner = among_balls(radius);
    // Constant speed: rest and limits are not the question.
    let motion = curve(&[0.0, 1.0], &[[-0.5, 1.5, 0.0, 0.0, 0.0, 0.0], FOLDED]);
    let Err(KineticError::TrajectoryInCollision { time, link, other, distance, margin: wanted }) =
        certify(&planner, &motion)
    else {
        panic!("a collision is certified");
    };
    assert_eq!((link.as_str(), other.as_str(), wanted), ("upper", "ball", margin));
    // Centres at a chord of 2 sin(Δ/2) on the unit circle.
    let first = 0.3 - 2.0 * (0.5 * (BALL + radius + margin)).asin();
    assert!((time - (first + 0.5) / 1.5).abs() < 1e-4, "{time}");
    assert!((distance - margin).abs() < 1e-4, "{distance}");
    assert_eq!(planner.certify(&motion, &Control::default()).unwrap_err().code(), "TrajectoryInCollision");
}

#[test]
fn what_passes_at_more_than_the_margin_is_certified_with_its_least_clearance() {
    for clearance in [0.0201, 0.021, 0.05] {
        // The motion ends so far before the ball.
        let radius = 0.04;
        let end = 0.3 - 2.0 * (0.5 * (BALL + radius + clearance)).asin();
        let motion = curve(&[0.0, 2.0], &[smooth(-0.5, end, 2.0), FOLDED]);
        let found = certify(&among_balls(radius), &motion).unwrap();
        let least = found.closest_approach().unwrap().unwrap();
        assert!((least.distance - clearance).abs() < 1.1e-4, "{found:?}");
        assert_eq!(least.pair, Some(kinetic_core::Pair::new("upper", "ball")));
        assert!(least.time > 1.5 && least.margin == 0.02 && found.margin == 0.02, "{least:?}");
    }
    let end = 0.3 - 2.0 * (0.5 * (BALL + 0.04 + 0.0199_f64)).asin();
    let motion = curve(&[0.0, 2.0], &[smooth(-0.5, end, 2.0), FOLDED]);
    assert_eq!(certify(&among_balls(0.04), &motion).unwrap_err().code(), "TrajectoryInCollision");
}

#[test]
fn jerk_is_infinite_where_acceleration_steps() {
    let planner = planner_of(arm(true));
    let jerk = |knots: &[f64], rows: &[Coefficients]| certify(&planner, &curve(knots, rows)).unwrap().max_jerk_ratio;
    let infinite = Some(f64::INFINITY);
    // Cubic from rest to rest: it starts with an acceleration of 6 d/T².
    let cubic = [0.0, 0.0, 1.5, -1.0, 0.0, 0.0];
    assert_eq!(jerk(&[0.0, 1.0], &[cubic, STILL]), infinite);
    assert_eq!(jerk(&[0.0, 1.0], &[STILL, cubic]), infinite);
    // Triangular speed: steps at both ends and in the middle, no jerk inside pieces.
    let (up, down) = ([0.0, 0.0, 0.5, 0.0, 0.0, 0.0], [0.5, 1.0, -0.5, 0.0, 0.0, 0.0]);
    assert_eq!(jerk(&[0.0, 1.0, 2.0], &[up, STILL, down, STILL]), infinite);
    // One of these alone: a start and an end without acceleration, a step between.
    let step = [smooth(0.0, 0.5, 1.0), STILL, [0.5, 0.0, 0.1, -0.1, 0.0, 0.0], STILL];
    assert_eq!(jerk(&[0.0, 1.0, 2.0], &step), infinite);
    // The same with everything continuous; two smooth halves, and one of them.
    let halves = [smooth(0.0, 0.5, 1.0), STILL, smooth(0.5, 0.0, 1.0), STILL];
    for finite in [jerk(&[0.0, 1.0, 2.0], &halves), jerk(&[0.0, 1.0], &halves[..2])] {
        assert!((finite.unwrap() - 30.0 / OPEN).abs() < 1e-9, "{finite:?}");
    }
    // A motion that is cut out of a longer one: before and after it goes on as it does, and nothing steps.
    let constant = [0.0, 0.1, 0.2, 0.0, 0.0, 0.0];
    assert_eq!(jerk(&[0.0, 1.0], &[constant, STILL]), Some(0.0));
    // One joint turns round while the other moves on.
    let turning = [0.0, 0.0, 0.2, 0.0, 0.0, 0.0];
    let passing = [0.0, 0.3, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(jerk(&[0.0, 1.0], &[turning, passing]), Some(0.0));
    // Without a limit there is no ratio.
    let mut free = arm(true);
    free.joint_limits[1].jerk = None;
    assert_eq!(certify(&planner_of(free), &curve(&[0.0, 1.0], &[cubic, STILL])).unwrap().max_jerk_ratio, None);
}

/// A curve of many pieces is proven in parts: figures, and where it collides, stay those of the curve.
#[test]
fn a_curve_of_many_pieces_is_judged_as_the_one_that_was_cut() {
    let pieces = 10_000;
    let cut = |row: &Coefficients, s: f64| -> Coefficients {
        let mut factorial = 1.0;
        std::array::from_fn(|order| {
            factorial *= f64::max(order as f64, 1.0);
            kinetic_core::curve::evaluate(row, order, s) / factorial
        })
    };
    let many = |row: Coefficients| {
        let knots: Vec<f64> = (0..=pieces).map(|piece| 2.0 * f64::from(piece) / f64::from(pieces)).collect();
        let rows: Vec<_> = knots[..knots.len() - 1].iter().flat_map(|s| [cut(&row, *s), FOLDED]).collect();
        curve(&knots, &rows)
    };
    let planner = among_balls(0.04);
    let free = smooth(-0.5, 0.1, 2.0);
    let (whole, parts) = (curve(&[0.0, 2.0], &[free, FOLDED]), many(free));
    let (whole, parts) = (certify(&planner, &whole).unwrap(), certify(&planner, &parts).unwrap());
    let [one, other] = [&whole, &parts].map(|certificate| certificate.closest_approach().unwrap().unwrap());
    assert!((one.distance - other.distance).abs() < 2e-4, "{one:?}\n{other:?}");
    assert!(one.pair == other.pair && (one.time - other.time).abs() < 0.05, "{one:?}\n{other:?}");
    assert!((whole.max_velocity_ratio - parts.max_velocity_ratio).abs() < 1e-9);
    let blocked = smooth(-0.5, 1.0, 2.0);
    let when = |motion: &TimedTrajectory| match certify(&planner, motion) {
        Err(KineticError::TrajectoryInCollision { time, .. }) => time,
        other => panic!("{other:?}"),
    };
    assert!((when(&curve(&[0.0, 2.0], &[blocked, FOLDED])) - when(&many(blocked))).abs() < 1e-3);
}

#[test]
fn a_stop_and_a_used_up_budget_end_the_proof() {
    let planner = planner_of(arm(true));
    let motion = curve(&[0.0, 1.0], &[smooth(0.0, 0.5, 1.0), STILL]);
    let clock = Arc::new(ManualClock::default());
    let control = Control::new(clock.clone(), 1.0, u64::MAX, StopFlag::default());
    assert!(planner.certify(&motion, &control).is_ok());
    clock.advance(2_000_000_000);
    assert_eq!(planner.certify(&motion, &control).unwrap_err().code(), "PlanningTimeout");
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(clock, f64::INFINITY, u64::MAX, stop);
    assert_eq!(planner.certify(&motion, &control).unwrap_err().code(), "Cancelled");
}

#[test]
fn a_motion_of_other_joints_is_refused() {
    let motion = PiecewisePolynomial::constant(&[0.0; 3]).unwrap();
    let motion = TimedTrajectory::new(motion, vec![0.0], 0.0, "by hand").unwrap();
    let error = certify(&planner_of(arm(true)), &motion).unwrap_err();
    assert!(error.code() == "DimensionMismatch" && error.to_string().contains("arm"), "{error}");
}

#[test]
fn links_without_shapes_are_named_and_nothing_is_claimed_for_them() {
    let motion = curve(&[0.0, 1.0], &[smooth(0.0, 0.5, 1.0), STILL]);
    let nothing = certify(&planner_of(arm(false)), &motion).unwrap();
    assert_eq!(nothing.unchecked_links, ["upper", "fore"]);
    assert_eq!(nothing.closest_approach().unwrap(), None);
    let mut half = arm(true);
    half.links[2].collisions.clear();
    let half = certify(&planner_of(half), &motion).unwrap();
    let least = half.closest_approach().unwrap().map(|least| least.distance);
    assert_eq!((half.unchecked_links, least), (vec!["fore".to_owned()], Some(f64::INFINITY)));
    // Nothing to touch is another thing.
    let mut upper = arm(true);
    upper.links[2].collisions.clear();
    upper.links[2].visuals.clear();
    let upper = certify(&planner_of(upper), &motion).unwrap();
    let least = upper.closest_approach().unwrap().map(|least| least.distance);
    assert_eq!((upper.unchecked_links, least), (Vec::new(), Some(f64::INFINITY)));
}
