//! Compiled programs against the plain walk over the tree.

use std::fmt::Write;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_kinematics::{JointProgram, KinematicChain, robot_link_poses};
use kinetic_robot::Robot;

use crate::{cases, plain};

/// f64 rounding over a chain of ten joints stays near 1e-15; a wrong frame is off by 1e-3 and more.
const TOLERANCE: f64 = 1e-12;

fn distance(a: &Pose, b: &Pose) -> f64 {
    (a.to_matrix() - b.to_matrix()).amax()
}

/// A random tree: every joint type, skew axes, mimic joints, branches.
pub(crate) fn random_tree(rng: &mut SeededRng) -> Robot {
    let n = 3 + rng.below(8);
    let mut text = String::from("<robot name=\"tree\"><link name=\"l0\"/>");
    let mut leaders: Vec<usize> = Vec::new();
    for i in 1..=n {
        let parent = rng.below(i);
        let kind = ["revolute", "prismatic", "continuous", "fixed"][rng.below(4)];
        let mut number = || rng.uniform(-1.0, 1.0);
        let (mut xyz, mut rpy) = ([number(), number(), number()], [number() * 3.0, number() * 3.0, number() * 3.0]);
        let axis =
            [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [number(), number(), number() + 1.5]][rng.below(4)];
        if rng.below(2) == 0 {
            // What the kernel has its own ways for: quarter turns, shifts along few axes.
            rpy = rpy.map(|_| rng.below(4) as f64 * std::f64::consts::FRAC_PI_2);
            xyz = xyz.map(|length| if rng.below(2) == 0 { length } else { 0.0 });
        }
        let limit = if matches!(kind, "revolute" | "prismatic") {
            "<limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/>"
        } else {
            ""
        };
        let mut mimic = String::new();
        if kind != "fixed" {
            if !leaders.is_empty() && rng.below(4) == 0 {
                mimic = format!(
                    "<mimic joint=\"j{}\" multiplier=\"-0.5\" offset=\"0.1\"/>",
                    leaders[rng.below(leaders.len())]
                );
            } else {
                leaders.push(i);
            }
        }
        let _ = write!(
            text,
            "<link name=\"l{i}\"/><joint name=\"j{i}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{i}\"/>\
             <origin xyz=\"{} {} {}\" rpy=\"{} {} {}\"/><axis xyz=\"{} {} {}\"/>{limit}{mimic}</joint>",
            xyz[0], xyz[1], xyz[2], rpy[0], rpy[1], rpy[2], axis[0], axis[1], axis[2]
        );
    }
    Robot::from_urdf_string(&(text + "</robot>")).unwrap()
}

fn random_configuration(robot: &Robot, rng: &mut SeededRng) -> Vec<f64> {
    (0..robot.num_variables()).map(|_| rng.uniform(-2.0, 2.0)).collect()
}

#[test]
fn every_link_of_random_trees_is_where_the_plain_walk_puts_it() {
    for seed in 0..cases(500, 100_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let robot = random_tree(&mut rng);
        let q = random_configuration(&robot, &mut rng);
        let expected = plain::link_poses(&robot, &q);
        for (link, pose) in robot_link_poses(&robot, &q).unwrap().iter().enumerate() {
            let error = distance(pose, &expected[link]);
            assert!(error < TOLERANCE, "seed {seed}, link {link}: off by {error:e}");
        }
    }
}

#[test]
fn axes_a_hair_beside_a_coordinate_axis_keep_their_direction() {
    for axis in 0..6 {
        for power in 1..16 {
            let mut direction = [10.0_f64.powi(-power), 0.3 * 10.0_f64.powi(-power), -0.7 * 10.0_f64.powi(-power)];
            direction[axis / 2] = if axis % 2 == 0 { 1.0 } else { -1.0 };
            let [x, y, z] = direction;
            let robot = Robot::from_urdf_string(&format!(
                "<robot name=\"hair\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"continuous\">\
                 <parent link=\"a\"/><child link=\"b\"/><axis xyz=\"{x:e} {y:e} {z:e}\"/></joint></robot>"
            ))
            .unwrap();
            let pose = robot_link_poses(&robot, &[1.3]).unwrap()[1];
            let error = distance(&pose, &plain::link_poses(&robot, &[1.3])[1]);
            assert!(error < TOLERANCE, "axis {direction:?}: off by {error:e}");
        }
    }
}

#[test]
fn joints_outside_the_variables_stand_where_they_are_held() {
    for seed in 0..cases(500, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let robot = random_tree(&mut rng);
        let full = random_configuration(&robot, &mut rng);
        let variables: Vec<usize> = (0..robot.num_variables()).filter(|_| rng.below(2) == 0).collect();
        let q: Vec<f64> = variables.iter().map(|variable| full[*variable]).collect();
        let program = JointProgram::compile(&robot, &variables, &full);
        let expected = plain::link_poses(&robot, &full);
        for (link, pose) in program.link_poses(&q).iter().enumerate() {
            let error = distance(pose, &expected[link]);
            assert!(error < TOLERANCE, "seed {seed}, link {link}: off by {error:e}");
        }
    }
}

#[test]
fn chains_start_at_any_ancestor() {
    for seed in 0..cases(500, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let robot = random_tree(&mut rng);
        let mut full = robot.neutral_configuration();
        let tip = robot.links.len() - 1;
        let mut base = tip;
        while rng.below(3) != 0 {
            let Some(joint) = robot.links[base].parent_joint else { break };
            base = robot.joints[joint].parent;
        }
        let chain = KinematicChain::extract(&robot, &robot.links[base].name, &robot.links[tip].name).unwrap();
        let q: Vec<f64> = (0..chain.dof()).map(|_| rng.uniform(-2.0, 2.0)).collect();
        for (variable, value) in chain.variables().iter().zip(&q) {
            full[*variable] = *value;
        }
        let poses = plain::link_poses(&robot, &full);
        let expected = poses[base].inverse() * poses[tip];
        let error = distance(&chain.tip_pose(&q), &expected);
        assert!(error < TOLERANCE, "seed {seed}: off by {error:e}");
    }
}

#[test]
fn the_first_pose_of_a_chain_is_its_base_and_the_last_its_tip() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let q = [0.1, -1.0, 0.5, -0.4, 0.3, 0.2];
    let poses = kinetic_kinematics::forward_kinematics_all(&chain, &q).unwrap();
    assert_eq!(poses.len(), chain.all_joints().len() + 1);
    assert_eq!(poses[0], Pose::identity());
    assert!(distance(&poses[poses.len() - 1], &chain.tip_pose(&q)) < TOLERANCE);
}

#[test]
fn unconnected_links_make_no_chain() {
    let robot = Robot::from_name("ur5e").unwrap();
    let error = KinematicChain::extract(&robot, "tool0", "base_link").unwrap_err();
    assert!(matches!(error, KineticError::ChainExtraction { .. }), "{error}");
    let error = KinematicChain::extract(&robot, "base_link", "nowhere").unwrap_err();
    assert!(matches!(error, KineticError::LinkNotFound { .. }), "{error}");
}

#[test]
fn wrong_sizes_and_nan_are_refused() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let error = kinetic_kinematics::forward_kinematics(&chain, &[0.0; 5]).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 5, .. }), "{error}");
    let error = kinetic_kinematics::forward_kinematics(&chain, &[0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0]).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { index: 1, .. }), "{error}");
}

#[test]
fn a_tool_moves_the_tip_pose() {
    let robot = Robot::from_name("ur5e").unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let q = [0.1, -1.0, 0.5, -0.4, 0.3, 0.2];
    let tool = Pose::from_xyz_rpy(0.01, 0.02, 0.15, 0.1, 0.2, 0.3);
    let expected = chain.tip_pose(&q) * tool;
    assert!(distance(&chain.with_tcp(&tool).tip_pose(&q), &expected) < TOLERANCE);
}
