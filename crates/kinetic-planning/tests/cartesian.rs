//! Cartesian plans: the tool sampled densely against the path worked out by hand, and the scene asked about samples.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, Pose, Shape, StopFlag, TimedTrajectory};
use kinetic_ik::{CartesianMove, CartesianPath, MoveFrame, Obstacle};
use kinetic_planning::{CartesianConfig, CartesianResult, Planner};
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use kinetic_trajectory::time_law;
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};

const UR5E: [f64; 6] = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1];
const PANDA: [f64; 7] = [0.2, 0.4, 0.1, -1.8, 0.3, 1.7, 0.5];

fn planner(name: &str) -> Planner {
    Planner::new(&Arc::new(Robot::from_name(name).unwrap())).unwrap()
}

fn by(x: f64, y: f64, z: f64) -> CartesianPath {
    CartesianPath::new().move_by(Pose::from_xyz(x, y, z), MoveFrame::Base)
}

fn solved(planner: &Planner, start: &[f64], path: &CartesianPath) -> CartesianResult {
    planner.plan_cartesian(start, path, &CartesianConfig::default()).unwrap()
}

fn motion(result: &CartesianResult) -> &TimedTrajectory {
    result.trajectory.as_ref().unwrap()
}

/// Poses of the tool at 800 moments.
fn tools(planner: &Planner, motion: &TimedTrajectory) -> Vec<Pose> {
    let moments = (0..=800).map(|index| motion.duration() * f64::from(index) / 800.0);
    moments.map(|time| planner.chain().tip_pose(&motion.curve().sample(time, 0))).collect()
}

/// Distance of a point from a segment.
fn from_segment(point: Vector3<f64>, a: Vector3<f64>, b: Vector3<f64>) -> f64 {
    let along = ((point - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
    (point - a - (b - a) * along).norm()
}

#[test]
fn lines_are_straight_turn_evenly_and_are_certified() {
    for (name, start) in [("ur5e", &UR5E[..]), ("franka_panda", &PANDA[..])] {
        let planner = planner(name);
        let begin = planner.chain().tip_pose(start);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.2, -0.3, 0.25));
        let end = Pose(Isometry3::from_parts(
            (begin.translation() + Vector3::new(-0.05, -0.15, 0.08)).into(),
            begin.rotation() * turn,
        ));
        let result = solved(&planner, start, &end.into());
        assert_eq!((result.fraction, result.stop.as_ref()), (1.0, None), "{name}");
        assert!(result.deviation < 1e-4 && result.angle < 1e-3, "{name}");
        let motion = motion(&result);
        assert!(motion.certificate().is_some(), "{name}");
        let mut met = (0.0_f64, 0.0_f64);
        for tool in tools(&planner, motion) {
            let away = from_segment(tool.translation(), begin.translation(), end.translation());
            let part =
                (tool.translation() - begin.translation()).norm() / (end.translation() - begin.translation()).norm();
            let even = begin.rotation() * UnitQuaternion::from_scaled_axis(turn.scaled_axis() * part);
            met = (met.0.max(away), met.1.max(even.angle_to(&tool.rotation())));
        }
        assert!(met.0 <= result.deviation && met.1 <= result.angle + 1e-6, "{name}: {met:?} {result:?}");
        let last = motion.curve().sample(motion.duration(), 0);
        assert!(planner.chain().tip_pose(&last).translation_distance(&end) < 1e-7, "{name}");
        let again = solved(&planner, start, &end.into());
        assert_eq!(motion.curve().content_hash(), again.trajectory.unwrap().curve().content_hash(), "{name}");
    }
}

#[test]
fn arcs_meet_the_via_pose_with_its_orientation_and_stay_on_the_circle() {
    let planner = planner("ur5e");
    let begin = planner.chain().tip_pose(&UR5E);
    let center = begin.translation() - Vector3::new(0.0, 0.1, 0.0);
    let pose = |angle: f64, turn: Vector3<f64>| {
        let at = center + Vector3::new(0.1 * angle.sin(), 0.1 * angle.cos(), 0.0);
        Pose(Isometry3::from_parts(at.into(), begin.rotation() * UnitQuaternion::from_scaled_axis(turn)))
    };
    let via = pose(0.8, Vector3::new(0.3, 0.0, 0.0));
    let goal = pose(2.0, Vector3::new(0.0, 0.2, -0.3));
    let result = solved(&planner, &UR5E, &CartesianPath::new().arc_to(via, goal));
    assert_eq!(result.fraction, 1.0);
    assert!((result.length - 0.2).abs() < 0.02, "{}", result.length);
    let (mut nearest, mut angle) = (f64::INFINITY, 0.0);
    for tool in tools(&planner, motion(&result)) {
        let arm = tool.translation() - center;
        assert!((arm.norm() - 0.1).abs() < 1e-4 && arm.z.abs() < 1e-4);
        if tool.translation_distance(&via) < nearest {
            (nearest, angle) = (tool.translation_distance(&via), tool.rotation_distance(&via));
        }
    }
    assert!(nearest < 5e-4 && angle < 5e-3, "{nearest} {angle}");
    let last = planner.chain().tip_pose(result.path.positions(result.path.len() - 1));
    assert!(last.translation_distance(&goal) < 1e-7 && last.rotation_distance(&goal) < 1e-6);
}

#[test]
fn circles_keep_the_orientation_and_screws_turn_with_the_tool() {
    let planner = planner("ur5e");
    let begin = planner.chain().tip_pose(&UR5E);
    let center = begin.translation() + Vector3::new(0.0, 0.06, 0.3);
    let circle = CartesianMove::Circle { center, axis: Vector3::z() * 3.0, angle: TAU };
    let result = solved(&planner, &UR5E, &CartesianPath::new().then(circle));
    assert_eq!(result.fraction, 1.0);
    for tool in tools(&planner, motion(&result)) {
        let arm = tool.translation() - center;
        assert!((arm.xy().norm() - 0.06).abs() < 1e-4 && (arm.z + 0.3).abs() < 1e-4);
        assert!(tool.rotation_distance(&begin) < 1e-3);
    }
    let point = begin.translation() + Vector3::new(0.05, 0.0, 0.0);
    let screw = CartesianMove::Screw { point, axis: Vector3::z(), angle: FRAC_PI_2, advance: 0.03 };
    let result = solved(&planner, &UR5E, &CartesianPath::new().then(screw));
    assert_eq!(result.fraction, 1.0);
    for tool in tools(&planner, motion(&result)) {
        // A screw is the exponential of one twist.
        let part = (tool.translation().z - begin.translation().z) / 0.03;
        let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * (FRAC_PI_2 * part));
        let wanted = point + turn * (begin.translation() - point) + Vector3::new(0.0, 0.0, 0.03 * part);
        assert!((tool.translation() - wanted).norm() < 1e-3, "{part}");
        assert!((turn * begin.rotation()).angle_to(&tool.rotation()) < 6e-3);
    }
}

#[test]
fn relative_moves_go_along_the_axes_of_their_frame() {
    let planner = planner("ur5e");
    let begin = planner.chain().tip_pose(&UR5E);
    let offset = Pose::from_xyz_rpy(0.01, -0.02, 0.03, 0.1, 0.0, 0.0);
    let end = |frame: MoveFrame| {
        let result = solved(&planner, &UR5E, &CartesianPath::new().move_by(offset, frame));
        planner.chain().tip_pose(result.path.positions(result.path.len() - 1))
    };
    let tool = end(MoveFrame::Tool);
    assert!(tool.translation_distance(&(begin * offset)) < 1e-7 && tool.rotation_distance(&(begin * offset)) < 1e-6);
    let based = end(MoveFrame::Base);
    assert!((based.translation() - begin.translation() - offset.translation()).norm() < 1e-7);
    assert!(based.rotation().angle_to(&(offset.rotation() * begin.rotation())) < 1e-6);
    // The tool's own link has the axes of the tool; only the rotation is about its origin in both.
    let named = end(MoveFrame::Named("tool0".to_owned()));
    assert!(named.translation_distance(&tool) < 1e-7);
    let error = CartesianPath::new().move_by(offset, MoveFrame::Named("nowhere".to_owned()));
    let error = planner.plan_cartesian(&UR5E, &error, &CartesianConfig::default()).unwrap_err();
    assert!(matches!(error, KineticError::LinkNotFound { .. }), "{error}");
}

/// Pilz's blend: the transition begins and ends on the sphere of the blend radius (MoveIt, Pilz Industrial Motion Planner).
#[test]
fn blends_leave_and_join_at_their_radius_without_a_stop() {
    let planner = planner("ur5e");
    let begin = planner.chain().tip_pose(&UR5E).translation();
    let corner = begin + Vector3::new(0.0, -0.15, 0.0);
    let end = corner + Vector3::new(0.0, 0.0, 0.12);
    let move_by =
        |path: CartesianPath, to: Vector3<f64>| path.move_by(Pose::from_xyz(to.x, to.y, to.z), MoveFrame::Base);
    let first = move_by(CartesianPath::new(), corner - begin);
    let blended = solved(&planner, &UR5E, &move_by(first.clone().blended(0.03), end - corner));
    let stopping = solved(&planner, &UR5E, &move_by(first, end - corner));
    assert!(motion(&blended).duration() < motion(&stopping).duration());
    let speed = |motion: &TimedTrajectory, time: f64| motion.curve().sample(time, 1).iter().map(|v| v * v).sum::<f64>();
    let is_stop = |motion: &TimedTrajectory| {
        (20..780).any(|index| speed(motion, motion.duration() * f64::from(index) / 800.0) < 1e-6)
    };
    assert!(!is_stop(motion(&blended)));
    let mut passes = false;
    for tool in tools(&planner, motion(&blended)) {
        let at = tool.translation();
        let off = from_segment(at, begin, corner).min(from_segment(at, corner, end));
        assert!(off < 1e-4 || (at - corner).norm() < 0.03 + 1e-4, "{off}");
        passes |= off > 1e-3;
    }
    assert!(passes);
    let stopping = tools(&planner, motion(&stopping));
    let through = stopping.iter().map(|tool| (tool.translation() - corner).norm());
    assert!(through.fold(f64::INFINITY, f64::min) < 1e-3);
}

#[test]
fn a_path_ends_where_it_must_and_says_why() {
    let planner = planner("ur5e");
    let reach = solved(&planner, &UR5E, &by(1.0, 0.0, 0.0));
    let stop = reach.stop.as_ref().unwrap();
    assert!(reach.fraction > 0.05 && reach.fraction < 0.9, "{}", reach.fraction);
    assert!((stop.at - reach.fraction * reach.length).abs() < 1e-12);
    assert!(matches!(stop.obstacle.id(), "unreachable" | "singularity" | "limit"), "{stop}");
    assert!(motion(&reach).certificate().is_some());
    // The next millimetre has no solution: the arm is stretched out where the tool ends.
    let tool = planner.chain().tip_pose(reach.path.positions(reach.path.len() - 1));
    let ahead = Pose(Translation3::new(2e-3, 0.0, 0.0) * tool.0);
    if stop.obstacle.id() == "unreachable" {
        assert!(planner.ik(&ahead).is_err());
    }
    // A joint limit: the last joint turned on and on.
    let mut path = CartesianPath::new();
    for _ in 0..5 {
        path = path.move_by(Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.0, 0.0, 2.5), MoveFrame::Tool);
    }
    let turned = solved(&planner, &UR5E, &path);
    let stop = turned.stop.as_ref().unwrap();
    assert_eq!((stop.obstacle.id(), stop.obstacle.joint()), ("limit", Some("wrist_3_joint")), "{stop}");
    let last = turned.path.positions(turned.path.len() - 1)[5];
    assert!((last.abs() - TAU).abs() < 0.01 && stop.move_index == 2, "{last} {stop}");
}

fn with_wall(margin: f64) -> Planner {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    let chain = planner("ur5e").chain().clone();
    let tool = chain.tip_pose(&UR5E).translation();
    let wall = Shape::box_from_size(0.1, 0.02, 0.3).unwrap();
    scene.add("wall", wall, Pose::from_xyz(tool.x, tool.y - 0.25, tool.z)).unwrap();
    let config = kinetic_core::PlannerConfig { collision_margin: margin, ..Default::default() };
    Planner::in_scene(scene).unwrap().with_config(config).unwrap()
}

#[test]
fn collisions_end_a_path_at_their_margin_and_name_the_pair() {
    let planner = with_wall(0.0);
    let path = by(0.0, -0.3, 0.0);
    let mut ends = Vec::new();
    for margin in [0.0, 0.01, 0.02] {
        let config = CartesianConfig { collision_margin: margin, ..CartesianConfig::default() };
        let result = planner.plan_cartesian(&UR5E, &path, &config).unwrap();
        let stop = result.stop.as_ref().unwrap();
        assert_eq!(stop.obstacle.pair().map(|pair| pair.1), Some("wall"), "{stop}");
        let motion = motion(&result);
        assert_eq!(motion.certificate().unwrap().margin, margin);
        let mut checker = planner.scene().checker("arm", kinetic_scene::Margins::new(margin, 0.0)).unwrap();
        for index in 0..=500 {
            assert!(checker.is_free(&motion.curve().sample(motion.duration() * f64::from(index) / 500.0, 0)));
        }
        // Nearly as near as it may be.
        let last = motion.curve().sample(motion.duration(), 0);
        let distance = checker.world_distance(&last).0;
        assert!(distance < margin + 0.006, "{distance} {margin}");
        ends.push(result.fraction);
    }
    assert!(ends[0] > ends[1] && ends[1] > ends[2], "{ends:?}");
    let through = CartesianConfig { avoid_collisions: false, ..CartesianConfig::default() };
    let through = planner.plan_cartesian(&UR5E, &path, &through).unwrap();
    assert_eq!(through.fraction, 1.0);
    assert!(motion(&through).certificate().is_none());
}

#[test]
fn every_option_acts() {
    let planner = planner("ur5e");
    let path = by(0.0, -0.2, 0.0);
    let plan = |config: CartesianConfig| planner.plan_cartesian(&UR5E, &path, &config).unwrap();
    let usual = plan(CartesianConfig::default());
    let coarse = plan(CartesianConfig { max_step: 0.02, ..CartesianConfig::default() });
    assert!(coarse.path.len() < usual.path.len());
    let strict = plan(CartesianConfig { position_tolerance: 1e-6, max_step: 0.02, ..CartesianConfig::default() });
    assert!(strict.deviation <= 1e-6 && strict.path.len() > coarse.path.len());
    let strict = plan(CartesianConfig { orientation_tolerance: 1e-6, max_step: 0.02, ..CartesianConfig::default() });
    assert!(strict.angle <= 1e-6 && strict.path.len() > coarse.path.len());
    let timid = plan(CartesianConfig { jump_threshold: 1e-3, ..CartesianConfig::default() });
    let stop = timid.stop.unwrap();
    assert!(stop.obstacle.id() == "jump" && timid.fraction < 0.02, "{stop}");
}

#[test]
fn the_speed_of_the_tool_is_a_limit_that_is_held_and_a_constant_speed_is_kept() {
    let planner = planner("ur5e");
    let path = by(0.0, -0.25, 0.0);
    let speeds = |result: &CartesianResult| -> Vec<f64> {
        let motion = motion(result);
        let h = motion.duration() / 2000.0;
        let at = |time: f64| planner.chain().tip_pose(&motion.curve().sample(time, 0)).translation();
        (0..2000).map(|index| (at(h * f64::from(index + 1)) - at(h * f64::from(index))).norm() / h).collect()
    };
    for law in ["totp", "jerk_limited", "trapezoidal"] {
        let config = CartesianConfig { max_tool_speed: Some(0.05), ..CartesianConfig::default() };
        let law = time_law(law).unwrap();
        let control = planner.control(StopFlag::default());
        let result = planner.plan_cartesian_with(&UR5E, &path, &config, Some(law), &control).unwrap();
        assert!(result.tool_speed <= 0.05 && result.tool_speed > 0.049, "{}: {}", law.id, result.tool_speed);
        let largest = speeds(&result).into_iter().fold(0.0, f64::max);
        assert!(largest <= result.tool_speed + 1e-9 && largest > 0.0485, "{}: {largest}", law.id);
    }
    let config = CartesianConfig { constant_speed: Some(0.05), ..CartesianConfig::default() };
    let result = planner.plan_cartesian(&UR5E, &path, &config).unwrap();
    let held = speeds(&result).into_iter().filter(|speed| *speed > 0.0497).count();
    assert!(held > 1950, "{held}");
    assert!(result.speed_losses.iter().all(|loss| loss.is_at_stop), "{:?}", result.speed_losses);
    assert_eq!(result.speed_losses.len(), 2);
    // Too fast for the joints: the report says where, and which.
    let config = CartesianConfig { constant_speed: Some(3.0), ..CartesianConfig::default() };
    let result = planner.plan_cartesian(&UR5E, &path, &config).unwrap();
    let covered: f64 = result.speed_losses.iter().map(|loss| loss.to - loss.from).sum();
    assert!(covered > 0.2, "{:?}", result.speed_losses);
    let names = planner.chain().joint_names();
    assert!(result.speed_losses.iter().all(|loss| loss.speed < 3.0));
    assert!(result.speed_losses.iter().all(|loss| loss.joint.as_ref().is_some_and(|joint| names.contains(joint))));
    // Turning.
    let turn = CartesianPath::new().move_by(Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.0, 0.0, 1.0), MoveFrame::Tool);
    let config = CartesianConfig { max_tool_rotation_speed: Some(0.4), ..CartesianConfig::default() };
    let result = planner.plan_cartesian(&UR5E, &turn, &config).unwrap();
    assert!(result.tool_rotation_speed <= 0.4 && result.tool_rotation_speed > 0.39, "{}", result.tool_rotation_speed);
    assert!(motion(&result).duration() > 2.5);
    let other = planner.plan_cartesian_with(
        &UR5E,
        &path,
        &CartesianConfig { constant_speed: Some(0.1), ..CartesianConfig::default() },
        Some(time_law("trapezoidal").unwrap()),
        &Control::default(),
    );
    assert!(matches!(other, Err(KineticError::InvalidValue { .. })));
}

#[test]
fn a_path_without_time_is_as_near_to_its_line() {
    let planner = planner("ur5e");
    let control = planner.control(StopFlag::default());
    let config = CartesianConfig { max_step: 0.05, ..CartesianConfig::default() };
    let result = planner.plan_cartesian_with(&UR5E, &by(0.0, -0.2, 0.1), &config, None, &control).unwrap();
    assert!(result.trajectory.is_none() && result.deviation <= 1e-4 && result.angle <= 1e-3);
    let begin = planner.chain().tip_pose(&UR5E).translation();
    for pair in result.path.iter().collect::<Vec<_>>().windows(2) {
        let middle: Vec<f64> = pair[0].iter().zip(pair[1]).map(|(a, b)| 0.5 * (a + b)).collect();
        let at = planner.chain().tip_pose(&middle).translation();
        assert!(from_segment(at, begin, begin + Vector3::new(0.0, -0.2, 0.1)) <= result.deviation);
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let planner = planner("ur5e");
    let begin = planner.chain().tip_pose(&UR5E);
    let line = by(0.0, -0.1, 0.0);
    let config = CartesianConfig::default();
    let refused = |path: &CartesianPath, name: &str| {
        let error = planner.plan_cartesian(&UR5E, path, &config).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    };
    refused(&CartesianPath::new(), "no moves");
    refused(&begin.into(), "length of move 0");
    refused(&line.clone().blended(0.05).line_to(begin).blended(0.06).line_to(by_pose(begin, 0.1)), "blend radius");
    refused(&line.clone().blended(0.2).line_to(begin), "blend radius after move 0");
    refused(&line.clone().blended(f64::NAN), "blend radius after move 0");
    refused(&line.clone().blended(-0.1), "blend radius after move 0");
    refused(&CartesianPath::new().arc_to(by_pose(begin, 0.05), by_pose(begin, 0.1)), "not on one line");
    refused(&CartesianPath::new().arc_to(begin, by_pose(begin, 0.1)), "not on one line");
    let screw = CartesianMove::Screw { point: Vector3::zeros(), axis: Vector3::zeros(), angle: 1.0, advance: 0.0 };
    refused(&CartesianPath::new().then(screw), "axis of move 0");
    let nan = CartesianMove::Circle { center: Vector3::zeros(), axis: Vector3::z(), angle: f64::NAN };
    refused(&CartesianPath::new().then(nan), "move 0");
    for broken in [
        CartesianConfig { max_step: 0.0, ..config.clone() },
        CartesianConfig { jump_threshold: f64::NAN, ..config.clone() },
        CartesianConfig { collision_margin: -1.0, ..config.clone() },
        CartesianConfig { position_tolerance: -1.0, ..config.clone() },
        CartesianConfig { orientation_tolerance: 0.0, ..config.clone() },
        CartesianConfig { max_tool_speed: Some(0.0), ..config.clone() },
        CartesianConfig { max_tool_rotation_speed: Some(f64::INFINITY), ..config.clone() },
        CartesianConfig { constant_speed: Some(-1.0), ..config.clone() },
    ] {
        assert!(matches!(planner.plan_cartesian(&UR5E, &line, &broken), Err(KineticError::InvalidValue { .. })));
    }
    let tight = CartesianConfig { position_tolerance: 1e-12, ..config.clone() };
    let error = planner.plan_cartesian(&UR5E, &line, &tight).unwrap_err();
    assert!(error.to_string().contains("position_tolerance"), "{error}");
    let error = planner.plan_cartesian(&UR5E[..5], &line, &config).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { .. }), "{error}");
    let stop = StopFlag::default();
    stop.stop();
    let stopped = planner.plan_cartesian_with(&UR5E, &line, &config, None, &planner.control(stop));
    assert!(matches!(stopped, Err(KineticError::Cancelled { .. })));
    let wide = CartesianConfig { collision_margin: 0.3, ..config.clone() };
    let error = with_wall(0.02).plan_cartesian(&UR5E, &line, &wide).unwrap_err();
    assert!(matches!(error, KineticError::StartInCollision { .. }), "{error}");
}

fn by_pose(pose: Pose, y: f64) -> Pose {
    Pose(Translation3::new(0.0, y, 0.0) * pose.0)
}

#[test]
fn out_of_reach_in_the_middle_names_the_move() {
    let planner = planner("ur5e");
    let path = by(0.0, -0.1, 0.0)
        .move_by(Pose::from_xyz(3.0, 0.0, 0.0), MoveFrame::Base)
        .move_by(Pose::from_xyz(-3.0, 0.0, 0.0), MoveFrame::Base);
    let result = solved(&planner, &UR5E, &path);
    let stop = result.stop.unwrap();
    assert_eq!(stop.move_index, 1, "{stop}");
    assert!(stop.at > 0.1 && stop.at < 1.0, "{stop}");
    assert!(!matches!(stop.obstacle, Obstacle::Jump { .. } | Obstacle::Collision { .. }), "{stop}");
}

/// Regression 19: where the tool left a line next to a singularity, or a joint its range between samples, the answer was an
/// error about the tolerance, and not the part of the line that can be followed.
#[test]
fn lines_from_anywhere_end_with_a_reason_and_never_in_an_error() {
    let mut kinds = std::collections::BTreeMap::new();
    for name in ["ur5e", "franka_panda"] {
        let planner = planner(name);
        let mut rng = SeededRng::new(19);
        let mut lines = 0;
        while lines < 40 {
            let q = planner.scene().robot().random_configuration(planner.group(), &mut rng).0;
            if planner.is_in_collision(&q).unwrap() {
                continue;
            }
            lines += 1;
            let [x, y, z] = [(); 3].map(|()| rng.uniform(-0.15, 0.15));
            let path = by(x, y, z);
            let result = planner.plan_cartesian(&q, &path, &CartesianConfig::default()).unwrap();
            assert_eq!(result.fraction < 1.0, result.stop.is_some());
            assert!(result.deviation <= 1e-4 && result.angle <= 1e-3, "{name} {q:?}");
            // At dense samples the tool is on the straight line, as far as it says.
            let tool = |q: &[f64]| planner.chain().tip_pose(q).translation();
            let (begin, along) = (tool(&q), nalgebra::Vector3::new(x, y, z).normalize());
            let motion = motion(&result);
            for step in 0..=200 {
                let offset = tool(&motion.curve().sample(motion.duration() * f64::from(step) / 200.0, 0)) - begin;
                assert!((offset - along * along.dot(&offset)).norm() <= 1e-4 + 1e-9, "{name} {q:?}");
            }
            if let Some(stop) = &result.stop {
                *kinds.entry(stop.obstacle.id()).or_insert(0) += 1;
            }
        }
    }
    assert!(kinds.len() >= 2, "{kinds:?}");
}

/// Samples at another distance reached a little less of the path each time: its end was drawn back by micrometres until the time
/// was used up, or half of the path was given up.
#[test]
fn an_end_that_stalls_is_drawn_back_by_little_more_each_time() {
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    let balls = [
        [-0.276_497_764_989_215_7, 0.186_645_400_172_159_25, 0.673_088_879_240_212_4],
        [-0.156_920_090_115_303_2, -0.282_165_850_403_497_73, -0.138_978_808_863_781_83],
        [-0.392_305_832_964_617_63, -0.036_917_036_497_336_34, -0.210_224_370_917_316_24],
        [-0.421_493_367_077_078_85, -0.244_954_005_563_917_36, 0.318_781_216_723_737_8],
        [-0.059_493_663_560_826_37, 0.632_482_445_769_819_6, -0.307_892_573_103_784_2],
        [0.684_593_924_624_698_5, 0.071_236_715_050_665_48, -0.563_377_828_518_976_3],
        [-0.228_381_841_374_207_5, 0.109_866_135_882_529_43, -0.503_747_979_492_501_6],
        [-0.137_412_129_890_926_58, 0.466_752_954_034_659, 0.185_252_098_523_698_14],
        [-0.347_418_586_036_320_86, -0.068_871_543_245_303_17, 0.416_573_464_930_161_84],
        [-0.282_872_112_322_079_37, 0.340_130_680_362_108_4, 0.302_375_543_083_480_14],
    ];
    for (index, [x, y, z]) in balls.into_iter().enumerate() {
        scene.add(&format!("ball {index}"), Shape::sphere(0.06).unwrap(), Pose::from_xyz(x, y, z)).unwrap();
    }
    let q = [
        -2.224_683_224_926_081_5,
        -0.238_395_416_239_468_25,
        -0.696_992_746_030_535,
        -1.117_693_874_313_429_7,
        1.663_148_411_734_088_7,
        1.155_479_115_192_176_2,
        -0.802_530_540_263_690_6,
    ];
    let rotation = Matrix3::from_row_slice(&[
        -0.020_422_186_098_556_46,
        -0.698_874_069_043_084_6,
        0.714_953_124_291_458_4,
        0.103_018_357_199_643_58,
        -0.712_766_883_332_670_2,
        -0.693_794_341_360_693_2,
        0.994_469_784_555_992_6,
        0.059_484_499_185_865_23,
        0.086_553_116_418_556_62,
    ]);
    let goal = Pose(Isometry3::from_parts(
        Translation3::new(-0.308_000_218_235_340_3, -0.122_860_470_522_275_14, 1.109_039_917_713_314_8),
        UnitQuaternion::from_matrix(&rotation),
    ));
    let planner = Planner::in_scene(scene).unwrap();
    let endless = Control::default();
    let law = time_law("totp").unwrap();
    let config = CartesianConfig::default();
    let result = planner.plan_cartesian_with(&q, &goal.into(), &config, Some(law), &endless).unwrap();
    // The singularity is at 0.474 of the path. Half of that was given up before.
    assert!(result.fraction > 0.45 && result.fraction < 0.48, "{}", result.fraction);
    assert!(matches!(result.stop.unwrap().obstacle, Obstacle::Singularity { .. }));
    assert!(result.trajectory.unwrap().certificate().is_some());
}
