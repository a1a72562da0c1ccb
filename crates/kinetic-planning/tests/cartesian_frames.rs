//! Paths in frames that move: a part on a positioner, and in the hand of another arm.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use kinetic_core::{KineticError, Pose};
use kinetic_ik::{CartesianPath, MoveFrame};
use kinetic_kinematics::KinematicChain;
use kinetic_kinematics::program::JointProgram;
use kinetic_planning::{CartesianConfig, CartesianResult, Planner};
use kinetic_robot::{CellMember, Robot};
use nalgebra::{UnitQuaternion, Vector3};

const UR5E: [f64; 6] = [0.0, -1.4, 1.9, -2.1, -1.57, 0.0];

/// A table that tilts and turns, its plate 0.3 m above the floor.
const POSITIONER: &str = r#"<robot name="positioner">
  <link name="foot"/>
  <link name="cradle"/>
  <link name="plate">
    <collision><origin xyz="0 0 -0.02"/><geometry><cylinder radius="0.3" length="0.02"/></geometry></collision>
  </link>
  <joint name="tilt" type="revolute">
    <parent link="foot"/><child link="cradle"/><origin xyz="0 0 0.3" rpy="0 0 0.4"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" velocity="1" effort="10"/>
  </joint>
  <joint name="turn" type="continuous">
    <parent link="cradle"/><child link="plate"/><axis xyz="0 0 1"/>
    <limit velocity="1.5" effort="10"/>
  </joint>
</robot>"#;

fn cell() -> Arc<Robot> {
    let (arm, table) = (Robot::from_name("ur5e").unwrap(), Robot::from_urdf_string(POSITIONER).unwrap());
    let members = [
        CellMember { prefix: "arm_", robot: &arm, world_from_root: Pose::identity() },
        CellMember { prefix: "table_", robot: &table, world_from_root: Pose::from_xyz(-0.75, -0.1, 0.0) },
    ];
    Arc::new(Robot::compose("cell", &members).unwrap())
}

/// `frame_from_tool` at 800 moments, from the links of the whole robot.
fn seen_from(planner: &Planner, result: &CartesianResult, [frame, tool]: [&str; 2]) -> Vec<Pose> {
    let (robot, motion) = (planner.scene().robot(), result.trajectory.as_ref().unwrap());
    let program = JointProgram::compile(robot, &planner.group().variables, planner.scene().held());
    let [frame, tool] = [frame, tool].map(|link| robot.link_index(link).unwrap());
    let pose = |index: i32| {
        let links = program.link_poses(&motion.curve().sample(motion.duration() * f64::from(index) / 800.0, 0));
        links[frame].inverse() * links[tool]
    };
    (0..=800).map(pose).collect()
}

fn planner_of_both(cell: &Arc<Robot>) -> (Planner, Vec<f64>) {
    let [arm, table] = [0, 1].map(|index: usize| cell.groups[index].name.clone());
    let planner = Planner::new(cell).unwrap().with_groups(&[arm, table]).unwrap();
    (planner, [&UR5E[..], &[0.1, 0.3]].concat())
}

#[test]
fn a_chain_up_from_one_link_and_down_to_another_is_the_difference_of_their_poses() {
    let robot = Robot::from_name("baxter_left").unwrap();
    let group = robot.resolve_group("left_arm+right_arm").unwrap().into_owned();
    let held = robot.neutral_configuration();
    let program = JointProgram::compile(&robot, &group.variables, &held);
    let mut rng = kinetic_core::rng::SeededRng::new(5);
    for _ in 0..200 {
        let [frame, tip] = [0, 1].map(|_| rng.below(robot.links.len()));
        let Ok(chain) = KinematicChain::between(&robot, &group, frame, (tip, &Pose::from_xyz(0.1, 0.2, 0.3)), &held)
        else {
            continue;
        };
        let q: Vec<f64> = (0..group.dof()).map(|_| rng.uniform(-PI, PI)).collect();
        let links = program.link_poses(&q);
        let wanted = links[frame].inverse() * links[tip] * Pose::from_xyz(0.1, 0.2, 0.3);
        let found = chain.tip_pose(&q);
        assert!((wanted.translation() - found.translation()).norm() < 1e-12, "{frame} {tip}");
        assert!(wanted.rotation().angle_to(&found.rotation()) < 1e-12, "{frame} {tip}");
    }
}

#[test]
fn a_tool_goes_round_on_a_table_whose_far_side_it_does_not_reach() {
    let cell = cell();
    let (planner, start) = planner_of_both(&cell);
    let tip = cell.links[cell.groups[0].tip_link].name.clone();
    let program = JointProgram::compile(&cell, &planner.group().variables, planner.scene().held());
    let links = program.link_poses(&start);
    let begin = links[cell.link_index("table_plate").unwrap()].inverse() * links[cell.groups[0].tip_link];
    let radius = begin.translation().xy().norm();
    let path = CartesianPath::new()
        .then(kinetic_ik::CartesianMove::Screw {
            point: Vector3::zeros(),
            axis: Vector3::z(),
            angle: 0.9 * TAU,
            advance: 0.0,
        })
        .in_frame("table_plate");
    let result = planner.plan_cartesian(&start, &path, &CartesianConfig::default()).unwrap();
    assert_eq!((result.fraction, result.stop.as_ref()), (1.0, None));
    assert_eq!(cell.num_variables(), start.len());
    let alone = Planner::new(&cell).unwrap().plan_cartesian(&start, &path, &CartesianConfig::default()).unwrap();
    assert!(alone.fraction < 0.9, "the arm alone goes round by {}", alone.fraction);
    let poses = seen_from(&planner, &result, ["table_plate", &tip]);
    for pose in &poses {
        let here = pose.translation();
        assert!((here.xy().norm() - radius).abs() < 1e-4 && (here.z - begin.translation().z).abs() < 1e-4);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), here.y.atan2(here.x))
            * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), begin.translation().y.atan2(begin.translation().x))
                .inverse();
        assert!((turn * begin.rotation()).angle_to(&pose.rotation()) < 2e-3);
    }
    let last = poses[poses.len() - 1];
    assert!((last.translation() - begin.translation()).norm() > 0.1 * radius, "it did not stay");
    let motion = result.trajectory.as_ref().unwrap();
    assert!(motion.certificate().is_some_and(|certificate| certificate.tool.is_some()));
    let table = motion.curve().sample(motion.duration(), 0)[7] - start[7];
    assert!(table.abs() > 1.0, "the table turns by {table}");
}

#[test]
fn a_frame_that_nothing_moves_is_another_way_to_say_the_base() {
    let cell = cell();
    let planner = Planner::new(&cell).unwrap();
    let tip = cell.links[cell.groups[0].tip_link].name.clone();
    let line = CartesianPath::new().move_by(Pose::from_xyz(0.0, 0.1, 0.05), MoveFrame::Base);
    let result = planner.plan_cartesian(&UR5E, &line.in_frame("table_foot"), &CartesianConfig::default()).unwrap();
    assert_eq!(result.fraction, 1.0);
    let poses = seen_from(&planner, &result, ["table_foot", &tip]);
    let (begin, end) = (poses[0].translation(), poses[poses.len() - 1].translation());
    assert!((end - begin - Vector3::new(0.0, 0.1, 0.05)).norm() < 1e-4);
    assert!(poses.iter().all(|pose| (pose.translation() - begin).cross(&(end - begin).normalize()).norm() < 1e-4));
}

#[test]
fn one_arm_works_on_what_the_other_one_holds() {
    let robot = Arc::new(Robot::from_name("baxter_left").unwrap());
    let planner = Planner::new(&robot).unwrap().with_groups(&["left_arm", "right_arm"]).unwrap();
    let start = robot.named_configuration(planner.group(), "ready").unwrap();
    let hand = |group: &str| robot.links[robot.resolve_group(group).unwrap().tip_link].name.clone();
    let line = CartesianPath::new().move_by(Pose::from_xyz(0.0, 0.0, 0.08), MoveFrame::Tool);
    let path = line.in_frame(hand("right_arm"));
    let result = planner.plan_cartesian(&start, &path, &CartesianConfig::default()).unwrap();
    assert_eq!((result.fraction, result.stop.as_ref()), (1.0, None));
    let poses = seen_from(&planner, &result, [&hand("right_arm"), &hand("left_arm")]);
    let along = poses[0].rotation() * Vector3::z();
    assert!(poses.iter().all(|pose| (pose.translation() - poses[0].translation()).cross(&along).norm() < 1e-4));
    assert!((poses[800].translation() - poses[0].translation() - 0.08 * along).norm() < 1e-4);
    let again = planner.plan_cartesian(&start, &path, &CartesianConfig::default()).unwrap();
    assert_eq!(result.path, again.path);
}

#[test]
fn frames_that_say_nothing_of_a_tool_are_typed_errors() {
    let cell = cell();
    let (planner, start) = planner_of_both(&cell);
    let line = CartesianPath::new().move_by(Pose::from_xyz(0.0, 0.1, 0.0), MoveFrame::Base);
    let config = CartesianConfig::default();
    let error = |path: &CartesianPath| planner.plan_cartesian(&start, path, &config).unwrap_err();
    assert!(matches!(error(&line), KineticError::SeveralTips { .. }));
    assert!(matches!(error(&line.clone().in_frame("table_foot")), KineticError::SeveralTips { .. }));
    assert!(matches!(error(&line.clone().in_frame("plate")), KineticError::LinkNotFound { .. }));
    let arm = Planner::new(&cell).unwrap();
    let own = line.in_frame(cell.links[cell.groups[0].tip_link].name.clone());
    assert!(matches!(arm.plan_cartesian(&UR5E, &own, &config).unwrap_err(), KineticError::ChainExtraction { .. }));
}
