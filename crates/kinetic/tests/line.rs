//! Plans that succeed are free, inside limits, exact at both ends, and the same for the same seed.

use kinetic::prelude::*;

use crate::cases;
use crate::support::{assert_dense_free, assert_limits_by_differences, robot, workcell};

#[test]
fn every_built_in_robot_moves_from_home_to_ready() {
    for name in kinetic::robot_names() {
        let robot = robot(name);
        let group = &robot.groups[robot.default_group];
        let (home, ready) =
            (robot.named_pose(group, "home").unwrap().clone(), robot.named_pose(group, "ready").unwrap().clone());
        let planned =
            kinetic::plan(name, &home, &Goal::named("ready")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(planned.result.start(), &home[..], "{name}");
        assert!(ready.distance_to(planned.result.end()) < 1e-6, "{name}");
        assert_limits_by_differences(&robot, &group.name, &planned.trajectory);
        let certificate = planned.trajectory.certificate().unwrap();
        assert!(certificate.max_velocity_ratio <= 1.0 + 1e-9 && certificate.max_acceleration_ratio <= 1.0 + 1e-9);
    }
}

#[test]
fn paths_through_a_workcell_are_free_at_a_tenth_of_a_degree_with_their_margin() {
    let scene = workcell();
    let planner = Planner::in_scene(scene.clone()).unwrap();
    let robot = scene.robot();
    let group = &robot.groups[robot.default_group];
    let mut rng = kinetic::core::rng::SeededRng::new(11);
    let mut solved = 0;
    for _ in 0..cases(40, 1_000) {
        let mut free = || loop {
            let mut q = robot.random_configuration(group, &mut rng);
            // The table parts configurations whose upper arm is a turn apart.
            q[1] = rng.uniform(-3.0, -0.1);
            if !planner.is_in_collision(&q).unwrap() {
                return q;
            }
        };
        let (start, goal) = (free(), free());
        let Ok(planned) = planner.plan_timed(&start, &Goal::joints(&goal), "trapezoidal") else { continue };
        solved += 1;
        let result = &planned.result;
        assert_eq!(result.start(), &start[..]);
        assert_eq!(result.end(), &goal[..]);
        assert!(result.path_length <= result.raw_length + 1e-9);
        assert_dense_free(&scene, "arm", &result.path, 0.02);
        assert_limits_by_differences(robot, "arm", &planned.trajectory);
        assert_eq!(&*planned.trajectory.sample_at(0.0).positions, &start[..]);
        assert!(goal.distance_to(&planned.trajectory.sample_at(f64::INFINITY).positions) < 1e-9);
        let certificate = planned.trajectory.certificate().unwrap();
        assert!(certificate.checks > 0 && certificate.margin == 0.02);
        // The least clearance of the certificate is a true lower bound of what dense sampling of the curve sees.
        let mut checker = scene.checker("arm", Margins::new(0.02, 0.0)).unwrap();
        let mut t = 0.0;
        while t <= planned.trajectory.duration() {
            let there = checker.clearance(&planned.trajectory.sample_at(t).positions);
            let certified = certificate.closest_approach().unwrap().unwrap().excess();
            assert!(
                there.is_free() && there.distance - there.margin >= certified - 1.1e-4,
                "{there:?}, {certificate:?}"
            );
            t += 0.01;
        }
    }
    assert!(solved * 100 >= cases(40, 1_000) * 95, "{solved} solved");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let planner = Planner::in_scene(workcell()).unwrap();
    let (start, goal) = ([-2.0, -1.6, 1.5, -1.5, -1.57, 0.0], Goal::joints([0.9, -1.3, 1.6, -1.8, -1.57, 0.4]));
    let first = planner.plan_timed(&start, &goal, "trapezoidal").unwrap();
    let second = planner.plan_timed(&start, &goal, "trapezoidal").unwrap();
    assert_eq!(first.result.path, second.result.path);
    assert_eq!(first.trajectory, second.trajectory);
    assert!(first.result.iterations > 0, "a straight line proves nothing here");
    let other = planner.clone().with_config(PlannerConfig { seed: 5, ..PlannerConfig::default() }).unwrap();
    assert_ne!(other.plan(&start, &goal).unwrap().path, first.result.path);
}

#[test]
fn an_attached_body_is_kept_clear_while_planning() {
    let mut scene = workcell();
    let stick = Shape::capsule(0.02, 0.15).unwrap();
    scene.attach("stick", stick, Pose::from_xyz(0.0, 0.0, 0.2), "tool0", &["wrist_3_link"]).unwrap();
    let planner = Planner::in_scene(scene.clone()).unwrap();
    let (start, goal) = ([-2.0, -1.6, 1.5, -1.5, -1.57, 0.0], [0.9, -1.6, 1.5, -1.5, -1.57, 0.4]);
    let result = planner.plan(&start, &Goal::joints(goal)).unwrap();
    assert_dense_free(&scene, "arm", &result.path, 0.02);
}

#[test]
fn a_workspace_box_holds_the_tool_everywhere_on_the_path() {
    let robot = robot("ur5e");
    let bounds = kinetic::core::config::WorkspaceBounds { min: [-2.0, -2.0, 0.3], max: [2.0, 2.0, 0.75] };
    let config = PlannerConfig { workspace_bounds: Some(bounds), ..PlannerConfig::default() };
    let planner = Planner::new(&robot).unwrap().with_config(config).unwrap();
    let (start, goal) = ([-2.0, -1.6, 1.5, -1.5, -1.57, 0.0], [0.9, -1.6, 1.5, -1.5, -1.57, 0.4]);
    let height = |q: &[f64]| planner.fk(q).unwrap().translation().z;
    assert!((0.3..0.75).contains(&height(&start)) && (0.3..0.75).contains(&height(&goal)));
    let result = planner.plan(&start, &Goal::joints(goal)).unwrap();
    for (from, to) in result.path.segments() {
        for step in 0..=200 {
            let q = JointValues::from(from).lerp(to, f64::from(step) / 200.0);
            assert!((0.3..0.75).contains(&height(&q)), "{} m", height(&q));
        }
    }
    let high = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
    let error = planner.plan(&high, &Goal::joints(goal)).unwrap_err();
    assert!(matches!(&error, KineticError::StartInCollision { link, .. } if link == "tool"), "{error}");
}

#[test]
fn a_mobile_arm_plans_with_group_and_robot_vectors() {
    let robot = robot("fetch");
    let planner = Planner::new(&robot).unwrap().with_group("arm").unwrap();
    let arm = robot.group("arm").unwrap();
    let home = robot.named_pose(arm, "home").unwrap();
    let short = planner.plan(home, &Goal::named("ready")).unwrap();
    assert_eq!(short.path.dof(), 7);
    let full = robot.full_configuration(arm, home).unwrap();
    let long = planner.plan(&full, &Goal::named("ready")).unwrap();
    assert_eq!(long.path, short.path);
}
