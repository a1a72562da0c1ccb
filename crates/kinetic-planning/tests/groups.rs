//! Plans of several groups together, and goals for each of them.

use std::sync::Arc;

use kinetic_core::error::reason;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Goal, KineticError, PlannerConfig, Pose, PoseRegion, ReferenceFrame, Shape, TimedTrajectory};
use kinetic_kinematics::KinematicChain;
use kinetic_planning::{Planner, PlanningProblem, ReportOptions};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

use crate::two_arms::{distance_between_arms, robot};

/// Instants at which a motion is looked at.
const SAMPLES: u32 = 400;

/// Both arms up, in the order left, right.
const UP: [f64; 4] = [1.2, 0.0, -1.2, 0.0];
const DOWN: [f64; 4] = [-1.2, 0.0, 1.2, 0.0];

fn planner(robot: &Arc<Robot>) -> Planner {
    Planner::new(robot).unwrap().with_groups(&["left", "right"]).unwrap()
}

fn instants(motion: &TimedTrajectory) -> impl Iterator<Item = Vec<f64>> + '_ {
    (0..=SAMPLES).map(|i| motion.curve().sample(motion.duration() * f64::from(i) / f64::from(SAMPLES), 0))
}

#[test]
fn arms_that_would_meet_are_planned_around_each_other() {
    let robot = robot();
    let planner = planner(&robot);
    // Straight in joint space they pass through each other.
    let straight = (0..=SAMPLES).map(|i| f64::from(i) / f64::from(SAMPLES));
    let least = straight.map(|t| {
        let q: Vec<f64> = UP.iter().zip(DOWN).map(|(from, to)| from + t * (to - from)).collect();
        distance_between_arms(&q)
    });
    assert!(least.fold(f64::INFINITY, f64::min) < 0.0);
    for law in ["totp", "jerk_limited", "trapezoidal"] {
        let goal = Goal::groups([("left", Goal::named("down")), ("right", Goal::named("down"))]);
        let motion = planner.plan_timed(&UP, &goal, law).unwrap().trajectory;
        assert_eq!(motion.certificate().unwrap().group, "left+right");
        assert_eq!((motion.curve().sample(0.0, 0), motion.group()), (UP.to_vec(), Some("left+right")));
        let end = motion.curve().sample(motion.duration(), 0);
        assert!(end.iter().zip(DOWN).all(|(end, goal)| (end - goal).abs() < 1e-9), "{end:?}");
        let least = instants(&motion).map(|q| distance_between_arms(&q)).fold(f64::INFINITY, f64::min);
        assert!(least >= 0.0, "{law}: {least}");
    }
}

#[test]
fn a_group_of_the_model_with_several_arms_is_planned_as_the_joined_one() {
    let robot = robot();
    let both = Planner::new(&robot).unwrap().with_group("both").unwrap();
    let planned = both.plan(&UP, &Goal::groups([("left", Goal::joints(DOWN[..2].to_vec()))])).unwrap();
    assert_eq!(planned.end(), [-1.2, 0.0, -1.2, 0.0]);
    assert_eq!(both.plan(&UP, &Goal::joints(DOWN)).unwrap().end(), DOWN);
}

#[test]
fn groups_without_a_goal_stay_where_they_start() {
    let robot = robot();
    let planned = planner(&robot).plan(&UP, &Goal::groups([("right", Goal::joints([0.9, 0.4]))])).unwrap();
    assert_eq!(planned.end(), [1.2, 0.0, 0.9, 0.4]);
}

#[test]
fn both_arms_of_robots_reach_random_goals_without_touching() {
    for name in ["baxter_left", "abb_yumi_right", "pr2"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        let config = PlannerConfig { max_iterations: 20_000, timeout: f64::INFINITY, ..PlannerConfig::default() };
        let planner = Planner::new(&robot).unwrap().with_groups(&["left_arm", "right_arm"]).unwrap();
        let planner = planner.with_config(config).unwrap();
        let group = planner.group().clone();
        let mut checker = planner.scene().checker(&group.name, Margins::ZERO).unwrap();
        let mut rng = SeededRng::new(7);
        let mut free = || loop {
            let q = robot.random_configuration(&group, &mut rng);
            if !planner.is_in_collision(&q).unwrap() {
                return q;
            }
        };
        for _ in 0..2 {
            let (start, end) = (free(), free());
            let (left, right) = end.split_at(7);
            let goal =
                Goal::groups([("left_arm", Goal::joints(left.to_vec())), ("right_arm", Goal::joints(right.to_vec()))]);
            let motion = planner.plan_timed(&start, &goal, "totp").unwrap().trajectory;
            assert_eq!(motion.curve().sample(0.0, 0), start.0, "{name}");
            for q in instants(&motion) {
                let near = checker.clearance(&q);
                assert!(near.distance >= 0.0, "{name}: {near:?}");
            }
            let limits = robot.velocity_limits(&group);
            let (step, joints) = (motion.duration() / f64::from(SAMPLES), 0..group.dof());
            let all: Vec<Vec<f64>> = instants(&motion).collect();
            for pair in all.windows(2) {
                let is_slow =
                    |joint: usize| (pair[1][joint] - pair[0][joint]).abs() <= limits[joint] * step * (1.0 + 1e-6);
                assert!(joints.clone().all(is_slow), "{name}");
            }
        }
    }
}

#[test]
fn tool_goals_of_each_arm_are_reached_by_its_own_tool() {
    let robot = Arc::new(Robot::from_name("baxter_left").unwrap());
    let planner = Planner::new(&robot).unwrap().with_groups(&["right_arm", "left_arm"]).unwrap();
    let start = robot.named_configuration(planner.group(), "home").unwrap();
    let chains = ["right_arm", "left_arm"].map(|name| KinematicChain::from_robot(&robot, Some(name)).unwrap());
    let end = robot.named_configuration(planner.group(), "ready").unwrap();
    let (right, left) = (chains[0].tip_pose(&end[..7]), chains[1].tip_pose(&end[7..]));
    let goal = Goal::groups([("left_arm", Goal::pose(left)), ("right_arm", Goal::pose(right))]);
    let planned = planner.plan(&start, &goal).unwrap();
    for (chain, q, wanted) in [(&chains[0], &planned.end()[..7], right), (&chains[1], &planned.end()[7..], left)] {
        let reached = chain.tip_pose(q);
        assert!((reached.translation() - wanted.translation()).norm() < 2e-6);
        assert!(reached.rotation().angle_to(&wanted.rotation()) < 2e-6);
    }
    // A lift of one tool, a region for the other.
    let offset = Pose::from_xyz(0.0, 0.0, 0.1);
    let region = PoseRegion::new(right, [0.05; 3], [0.0, 0.0, 3.0]).unwrap();
    let goal = Goal::groups([
        ("left_arm", Goal::relative(offset, ReferenceFrame::Base)),
        ("right_arm", Goal::any([Goal::region(region), Goal::pose(Pose::from_xyz(9.0, 0.0, 0.0))])),
    ]);
    let planned = planner.plan(&start, &goal).unwrap();
    assert!(region.contains(&chains[0].tip_pose(&planned.end()[..7]), 1e-5));
    let lift = chains[1].tip_pose(&planned.end()[7..]).translation() - chains[1].tip_pose(&start[7..]).translation();
    assert!((lift.z - 0.1).abs() < 2e-6 && lift.x.abs() < 2e-6 && lift.y.abs() < 2e-6);
}

#[test]
fn what_an_arm_carries_is_kept_from_the_other_arm() {
    let robot = robot();
    let mut scene = Scene::new(&robot).unwrap();
    scene.attach("rod", Shape::sphere(0.1).unwrap(), Pose::from_xyz(0.5, 0.0, 0.0), "left_lower", &[]).unwrap();
    let planner = Planner::in_scene(scene.clone()).unwrap().with_groups(&["left", "right"]).unwrap();
    let goal = Goal::groups([("left", Goal::named("down")), ("right", Goal::named("down"))]);
    let planned = planner.plan(&UP, &goal).unwrap();
    let mut checker = scene.checker("left+right", Margins::ZERO).unwrap();
    for (from, to) in planned.path.segments() {
        for i in 0..=50 {
            let t = f64::from(i) / 50.0;
            let q: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + t * (to - from)).collect();
            assert!(checker.clearance(&q).distance >= 0.0);
        }
    }
}

#[test]
fn goals_that_cannot_be_met_name_the_group() {
    let robot = robot();
    let planner = planner(&robot);
    let far = Goal::groups([("left", Goal::named("down")), ("right", Goal::pose(Pose::from_xyz(9.0, 0.0, 0.0)))]);
    let Err(KineticError::GoalUnreachable { reason: reason::GoalUnreachable::Group { group, goal_code: code, .. } }) =
        planner.plan(&UP, &far)
    else {
        panic!()
    };
    assert_eq!((group.as_str(), code.as_str()), ("right", "GoalUnreachable"));
    // Both tools in the middle.
    let middle = Goal::groups([("left", Goal::joints([0.0, 0.0])), ("right", Goal::joints([0.0, 0.0]))]);
    let Err(KineticError::GoalInCollision { link, other, .. }) = planner.plan(&UP, &middle) else { panic!() };
    assert!(link.starts_with("left") != other.starts_with("left"), "{link} {other}");
    let error = planner.plan(&UP, &middle).unwrap_err();
    let report = planner.explain(&UP, &middle, &error, &ReportOptions { tries: false, ..ReportOptions::default() });
    assert!(report.unwrap().evidence.goal.is_some());
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("wall", Shape::sphere(0.1).unwrap(), Pose::from_xyz(-0.5, -0.6, 0.0)).unwrap();
    let walled = Planner::in_scene(scene).unwrap().with_groups(&["left", "right"]).unwrap();
    let blocked = Goal::groups([("left", Goal::joints([-1.57, 0.0])), ("right", Goal::named("down"))]);
    let Err(KineticError::GoalUnreachable { reason: reason::GoalUnreachable::Group { group, goal_code: code, .. } }) =
        walled.plan(&UP, &blocked)
    else {
        panic!()
    };
    assert_eq!((group.as_str(), code.as_str()), ("left", "GoalInCollision"));
}

#[test]
fn goals_of_other_groups_and_of_wrong_sizes_are_refused() {
    let robot = robot();
    let planner = planner(&robot);
    let plan = |goal: &Goal| planner.plan(&UP, goal).unwrap_err();
    let named = |name: &str, goal: Goal| plan(&Goal::groups([(name, goal)]));
    assert!(matches!(named("tail", Goal::named("up")), KineticError::GroupNotFound { name, .. } if name == "tail"));
    let KineticError::DimensionMismatch { context, .. } = named("left", Goal::joints([0.0; 3])) else { panic!() };
    assert!(context.starts_with("goal of group \"left\""), "{context}");
    let KineticError::NotFinite { context, .. } = named("left", Goal::joints([0.0, f64::NAN])) else { panic!() };
    assert!(context.starts_with("goal of group \"left\""), "{context}");
    assert!(matches!(named("left", Goal::joints([3.0, 0.0])), KineticError::JointLimitViolation { .. }));
    assert!(
        matches!(named("left", Goal::named("sideways")), KineticError::NamedConfigNotFound { group, .. } if group == "left")
    );
    assert!(matches!(named("left", Goal::any([])), KineticError::InvalidValue { .. }));
    let inner = Goal::groups([("left", Goal::named("up"))]);
    assert!(matches!(named("left", inner), KineticError::InvalidValue { .. }));
    assert!(matches!(plan(&Goal::groups::<String>([])), KineticError::InvalidValue { .. }));
    let twice = Goal::groups([("left", Goal::named("up")), ("left+right", Goal::named("up"))]);
    assert!(matches!(plan(&twice), KineticError::GroupsShareJoint { .. }));
    let only_left = Planner::new(&robot).unwrap().with_group("left").unwrap();
    let of_right = only_left.plan(&UP[..2], &Goal::groups([("right", Goal::named("up"))])).unwrap_err();
    assert!(matches!(of_right, KineticError::InvalidValue { name, .. } if name == "goal"));
    for tool in [Goal::pose(Pose::identity()), Goal::relative(Pose::identity(), ReferenceFrame::Base)] {
        let KineticError::SeveralTips { tips, available, .. } = plan(&tool) else { panic!() };
        assert_eq!(
            (tips, available),
            (vec!["left_lower".into(), "right_lower".into()], vec!["left".into(), "right".into()])
        );
    }
    let region = Goal::region(PoseRegion::new(Pose::identity(), [0.1; 3], [0.0; 3]).unwrap());
    assert!(matches!(plan(&region), KineticError::SeveralTips { .. }));
    assert!(matches!(planner.fk(&UP), Err(KineticError::SeveralTips { .. })));
    assert!(matches!(planner.ik(&Pose::identity()), Err(KineticError::SeveralTips { .. })));
    let new = || Planner::new(&robot).unwrap();
    assert!(matches!(new().with_groups(&["left", "left"]), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(new().with_groups(&["left", "both"]), Err(KineticError::GroupsShareJoint { .. })));
    assert!(matches!(new().with_groups::<&str>(&[]), Err(KineticError::InvalidValue { .. })));
}

#[test]
fn problems_of_several_groups_are_saved_and_solved_again_with_the_same_answer() {
    let robot = robot();
    let goal = Goal::groups([
        ("left", Goal::any([Goal::named("down"), Goal::joints([-1.0, 0.3])])),
        ("right", Goal::joints_with_turns([1.2, 0.0])),
    ]);
    let problem = planner(&robot).problem(&UP, &goal).unwrap().with_time_law(Some("totp")).unwrap();
    let read = PlanningProblem::from_toml(&problem.to_toml().unwrap(), "test").unwrap();
    assert_eq!((read.goal(), read.group()), (&goal, "left+right"));
    assert_eq!(read.hash().unwrap(), problem.hash().unwrap());
    assert_eq!(read.solve().unwrap().result_hash, problem.solve().unwrap().result_hash);
}
