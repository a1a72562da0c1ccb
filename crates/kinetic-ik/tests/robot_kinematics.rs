//! Kinematics as methods of a robot. Oracle: the chain of its default group.

use kinetic_ik::RobotKinematics;
use kinetic_kinematics::{KinematicChain, TreeKinematics, jacobian, manipulability};
use kinetic_robot::Robot;

#[test]
fn a_robot_answers_for_its_default_group() {
    let robot = Robot::from_name("ur5e").unwrap();
    let q = [0.1, -1.2, 1.3, -0.4, 0.5, 0.6];
    let pose = robot.fk(&q).unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    assert_eq!(pose, chain.tip_pose(&q));
    assert_eq!(robot.manipulability(&q).unwrap(), manipulability(&chain, &q).unwrap());
    assert_eq!(robot.jacobian(&q).unwrap(), jacobian(&chain, &q).unwrap());
    let held = robot.neutral_configuration();
    let tree = TreeKinematics::from_group(&robot, &robot.groups[robot.default_group], &held).unwrap();
    assert_eq!(robot.com(&q).unwrap(), tree.com(&q).unwrap());
    assert_eq!(robot.com_jacobian(&q).unwrap(), tree.com_jacobian(&q).unwrap());
    let found = robot.ik(&pose, Some(&q)).unwrap();
    assert!(found.iter().zip(q).all(|(found, wanted)| (found - wanted).abs() < 1e-9));
}
