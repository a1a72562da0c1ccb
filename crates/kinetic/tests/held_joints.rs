//! Groups whose chain passes a joint that they do not move. Where it stands is said by a robot-length configuration, else by
//! the scene; everything that depends on it agrees.

use std::fmt::Write as _;
use std::sync::Arc;

use kinetic::core::rng::SeededRng;
use kinetic::kinematics::RobotKinematics;
use kinetic::planning::{BatchOptions, PlanningProblem, ReportOptions};
use kinetic::prelude::*;
use kinetic::robot::PlanningGroup;

/// Lengths of the four bars of a planar arm, m.
const BARS: [f64; 4] = [0.4, 0.35, 0.3, 0.2];

/// A pose goal is met to this distance, m, and angle, rad.
const MET: f64 = 2e-6;

/// Four turning joints in a plane; the group moves all but the second.
fn planar_without_second() -> Arc<Robot> {
    let mut text = String::from("<robot name=\"planar\"><link name=\"l0\"/>");
    let mut x = 0.0;
    for (index, bar) in BARS.iter().enumerate() {
        let (number, parent) = (index + 1, index);
        write!(
            text,
            "<link name=\"l{number}\"><collision><origin xyz=\"{} 0 0\"/><geometry><box size=\"{} 0.04 0.04\"/></geometry>\
             </collision></link><joint name=\"j{number}\" type=\"revolute\"><parent link=\"l{parent}\"/>\
             <child link=\"l{number}\"/><origin xyz=\"{x} 0 0.06\"/><axis xyz=\"0 0 1\"/>\
             <limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint>",
            bar / 2.0,
            bar * 0.8
        )
        .unwrap();
        x = *bar;
    }
    let last = BARS[3];
    write!(
        text,
        "<link name=\"tool\"/><joint name=\"flange\" type=\"fixed\"><parent link=\"l4\"/><child link=\"tool\"/>\
         <origin xyz=\"{last} 0 0\"/></joint></robot>"
    )
    .unwrap();
    let mut robot = Robot::from_urdf_string(&text).unwrap();
    let whole = robot.groups[robot.default_group].clone();
    assert_eq!(whole.variables, [0, 1, 2, 3], "the whole arm is the default group");
    robot.groups = vec![PlanningGroup { name: "without_second".to_owned(), variables: vec![0, 2, 3], ..whole }];
    robot.default_group = 0;
    Arc::new(robot)
}

/// Position of the tool and its angle, worked out by hand from all four joints.
fn by_hand(full: &[f64]) -> ([f64; 2], f64) {
    let (mut at, mut angle) = ([0.0; 2], 0.0);
    for (bar, q) in BARS.iter().zip(full) {
        angle += q;
        at = [at[0] + bar * f64::cos(angle), at[1] + bar * f64::sin(angle)];
    }
    (at, angle)
}

fn assert_tool(pose: &Pose, full: &[f64], what: &str) {
    let (at, angle) = by_hand(full);
    let reached = pose.translation();
    assert!((reached.x - at[0]).hypot(reached.y - at[1]) < MET, "{what}: {reached:?} and {at:?}");
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    assert!(pose.rotation().angle_to(&turn) < MET, "{what}");
}

/// Robot length from the group's values and the second joint.
fn full(short: &[f64], second: f64) -> Vec<f64> {
    vec![short[0], second, short[1], short[2]]
}

fn random(rng: &mut SeededRng) -> Vec<f64> {
    (0..4).map(|_| rng.uniform(-1.2, 1.2)).collect()
}

#[test]
fn forward_kinematics_of_robot_and_planner_agree_with_the_hand_wherever_the_held_joint_stands() {
    let robot = planar_without_second();
    let planner = Planner::new(&robot).unwrap();
    for seed in 0..50 {
        let q = random(&mut SeededRng::new(seed));
        assert_tool(&robot.fk(&q).unwrap(), &q, "robot");
        assert_tool(&planner.fk(&q).unwrap(), &q, &format!("planner, seed {seed}"));
        // In the group's length the scene says it, also when the scene comes later.
        let mut scene = planner.scene().clone();
        scene.hold(&q).unwrap();
        let there = planner.clone().with_scene(&scene).unwrap();
        assert_tool(&there.fk(&[q[0], q[2], q[3]]).unwrap(), &q, &format!("in the scene, seed {seed}"));
        assert_tool(&there.chain().tip_pose(&[q[0], q[2], q[3]]), &q, "chain");
        let found = there.ik(&there.fk(&[q[0], q[2], q[3]]).unwrap()).unwrap();
        let (wanted, reached) = (by_hand(&q), by_hand(&full(&found, q[1])));
        assert!((wanted.0[0] - reached.0[0]).hypot(wanted.0[1] - reached.0[1]) < 1e-4, "seed {seed}");
    }
}

#[test]
fn pose_goals_are_reached_with_the_held_joint_where_the_start_says() {
    let robot = planar_without_second();
    let planner = Planner::new(&robot).unwrap();
    let mut solved = 0;
    for seed in 0..20 {
        let mut rng = SeededRng::new(seed);
        let (start, mut goal) = (random(&mut rng), random(&mut rng));
        goal[1] = start[1];
        let target = robot.fk(&goal).unwrap();
        assert_tool(&target, &goal, "target");
        for goal in [Goal::pose(target), Goal::any([Goal::pose(target)])] {
            let Ok(planned) = planner.plan_timed(&start, &goal, kinetic::DEFAULT_TIME_LAW) else { continue };
            solved += 1;
            let end = full(planned.result.end(), start[1]);
            let (at, angle) = by_hand(&end);
            let axis = target.rotation() * Vector3::x();
            assert!(
                (at[0] - target.translation().x).hypot(at[1] - target.translation().y) < MET,
                "seed {seed}: {end:?}"
            );
            assert!((angle.cos() - axis.x).hypot(angle.sin() - axis.y) < MET, "seed {seed}: {end:?}");
            assert_tool(&robot.fk(&end).unwrap(), &end, "robot");
        }
    }
    assert!(solved >= 30, "{solved}");
}

#[test]
fn relative_goals_batches_saved_problems_and_reports_use_the_held_values_of_the_start() {
    let robot = planar_without_second();
    let config = PlannerConfig { max_iterations: 5_000, ..PlannerConfig::default() };
    let planner = Planner::new(&robot).unwrap().with_config(config).unwrap();
    let start = vec![0.3, -0.9, 0.8, 0.5];
    let offset = Vector3::new(-0.05, 0.03, 0.0);
    let ([x, y], angle) = by_hand(&start);
    let wanted = [x + offset.x, y + offset.y];
    let is_there = |short: &[f64]| {
        let (at, turned) = by_hand(&full(short, start[1]));
        (at[0] - wanted[0]).hypot(at[1] - wanted[1]) < 2.0 * MET && (turned - angle).abs() < 2.0 * MET
    };
    let goal = Goal::relative(offset, ReferenceFrame::Base);
    assert!(is_there(planner.plan(&start, &goal).unwrap().end()));
    let pose = Goal::pose(planner.plan(&start, &goal).and_then(|r| planner.fk(&full(r.end(), start[1]))).unwrap());
    let items = planner.plan_batch(&[&start, &start], &[goal.clone(), pose.clone()], BatchOptions::default()).unwrap();
    assert!(items.iter().all(|item| is_there(item.as_ref().unwrap().end())));
    let problem = planner.problem(&start, &pose).unwrap();
    let reread = PlanningProblem::from_toml(&problem.to_toml().unwrap(), "problem.toml").unwrap();
    let (solved, again) = (problem.solve().unwrap(), reread.solve().unwrap());
    assert!(is_there(again.result.end()));
    assert_eq!(solved.result_hash, again.result_hash);

    // Out of reach with the second joint where it stands, though not with it straight.
    let folded = [0.0, 2.9, 0.0, 0.0];
    let far = Goal::pose(robot.fk(&[0.0; 4]).unwrap());
    let error = planner.plan(&folded, &far).unwrap_err();
    assert_eq!(error.code(), "GoalUnreachable");
    let options = ReportOptions { tries: false, ..ReportOptions::default() };
    let report = planner.explain(&folded, &far, &error, &options).unwrap();
    let nearest = report.evidence.ik.unwrap().report;
    assert_tool(&nearest.nearest_pose, &full(&nearest.nearest.joints, folded[1]), "report");
}

#[test]
fn a_goal_in_robot_length_that_wants_a_joint_moved_which_the_group_does_not_move_is_refused() {
    let planner = Planner::new(&planar_without_second()).unwrap();
    let start = [0.1, 0.5, 0.2, 0.3];
    let planned = planner.plan(&start, &Goal::joints([0.4, 0.5, 0.1, 0.2])).unwrap();
    assert_eq!(planned.end(), [0.4, 0.1, 0.2]);
    let error = planner.plan(&start, &Goal::joints([0.4, 0.6, 0.1, 0.2])).unwrap_err();
    assert!(matches!(&error, KineticError::InvalidValue { name, .. } if name.contains("\"j2\"")), "{error}");
}
