use kinetic_core::rng::SeededRng;
use kinetic_kinematics::Rigid;
use kinetic_robot::Robot;

use super::*;
use crate::tests::model_of;

/// A shoulder: a ball on the first axis, another one on the second, and one off both that may meet the first.
const SHOULDER: &str = "<robot name=\"shoulder\">\
    <link name=\"base\"><collision><origin xyz=\"0 0 0.05\"/><geometry><sphere radius=\"0.05\"/></geometry></collision></link>\
    <link name=\"turret\">\
    <collision><origin xyz=\"0.02 0.05 0\"/><geometry><sphere radius=\"0.02\"/></geometry></collision></link>\
    <link name=\"arm\">\
    <collision><origin xyz=\"0 0.01 0\"/><geometry><sphere radius=\"0.06\"/></geometry></collision>\
    <collision><origin xyz=\"0 -0.10 -0.09\"/><geometry><sphere radius=\"0.04\"/></geometry></collision></link>\
    <joint name=\"pan\" type=\"revolute\"><parent link=\"base\"/><child link=\"turret\"/><origin xyz=\"0 0 0.1\"/>\
    <axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint>\
    <joint name=\"lift\" type=\"revolute\"><parent link=\"turret\"/><child link=\"arm\"/>\
    <origin xyz=\"0.02 0.13 0\" rpy=\"0.4 0 0\"/><axis xyz=\"0 1 0\"/>\
    <limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint></robot>";

#[test]
fn only_spheres_at_constant_distances_are_left_out() {
    let robot = Robot::from_urdf_string(SHOULDER).expect("a robot");
    let group = &robot.groups[robot.default_group];
    let input = model_of(&robot, 0.0);
    let pair = *input.pairs.iter().find(|pair| pair.below.0 + pair.below.1 == 2).expect("base and arm");
    let (of_a, of_b) = constant_distance_spheres(&input.program, &input.bodies, &pair);
    let (base, arm) = (&input.bodies[pair.a], &input.bodies[pair.b]);
    assert_eq!((base.name.as_str(), arm.name.as_str()), ("base", "arm"));
    assert_eq!((of_a, of_b), (0, 0b01), "the base's ball meets the arm's second one");
    // The distances themselves, by forward kinematics.
    let mut rng = SeededRng::new(0);
    let mut frames = vec![Rigid::identity(); input.program.num_frames()];
    let (mut least, mut most) = ([f64::INFINITY; 2], [0.0_f64; 2]);
    for _ in 0..200 {
        input.program.frames_into(&robot.random_configuration(group, &mut rng).0, &mut frames);
        let ball = frames[base.frame].point(&base.spheres[0].0);
        for (index, (center, _)) in arm.spheres.iter().enumerate() {
            let distance = (frames[arm.frame].point(center) - ball).norm();
            (least[index], most[index]) = (least[index].min(distance), most[index].max(distance));
        }
    }
    assert!(
        most[0] - least[0] < 2.0 * AXIS_DISTANCE_TOLERANCE_M && least[0] > 0.11 && most[1] - least[1] > 0.03,
        "{least:?} {most:?}"
    );
}

#[test]
fn spheres_closer_than_their_margin_are_not_left_out() {
    let robot = Robot::from_urdf_string(SHOULDER).expect("a robot");
    for (margin, wanted) in [(0.02, 0b01), (0.05, 0)] {
        let input = model_of(&robot, margin);
        let pair = *input.pairs.iter().find(|pair| pair.below.0 + pair.below.1 == 2).expect("base and arm");
        assert_eq!(constant_distance_spheres(&input.program, &input.bodies, &pair).1, wanted, "{margin} m");
    }
}
