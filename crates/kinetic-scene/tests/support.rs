//! Robots and worlds for the tests, and distances computed the plain way.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::robot_link_poses;
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use nalgebra::{Point3, Vector3};

pub(crate) fn built_in(name: &str) -> Arc<Robot> {
    Arc::new(Robot::from_name(name).unwrap())
}

/// A planar arm of two links along x, turning about z and y, each carrying balls on its length: every distance to a
/// ball or box has a formula.
pub(crate) fn ball_arm() -> Arc<Robot> {
    let ball = |x: f64, radius: f64| {
        format!("<collision><origin xyz=\"{x} 0 0\"/><geometry><sphere radius=\"{radius}\"/></geometry></collision>")
    };
    let joint = |name: &str, parent: &str, child: &str, xyz: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{xyz}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"balls\"><link name=\"base\"/><link name=\"upper\">{}{}</link><link name=\"lower\">{}{}</link>\
         <link name=\"tip\">{}</link>{}{}{}</robot>",
        ball(0.2, 0.05),
        ball(0.4, 0.05),
        ball(0.2, 0.04),
        ball(0.4, 0.04),
        ball(0.1, 0.03),
        joint("j1", "base", "upper", "0 0 0.1", "0 0 1"),
        joint("j2", "upper", "lower", "0.5 0 0", "0 1 0"),
        joint("j3", "lower", "tip", "0.5 0 0", "0 0 1"),
    );
    Arc::new(Robot::from_urdf_string(&urdf).unwrap())
}

/// Centres and radii of the balls of [`ball_arm`] in the root.
pub(crate) fn balls(robot: &Robot, q: &[f64]) -> Vec<(usize, Point3<f64>, f64)> {
    let poses = robot_link_poses(robot, q).unwrap();
    let mut balls = Vec::new();
    for (link, pose) in poses.iter().enumerate() {
        for geometry in &robot.links[link].collisions {
            if let kinetic_robot::GeometryShape::Shape(Shape::Sphere { radius }) = geometry.shape {
                balls.push((link, Point3::from((pose.0 * geometry.link_from_shape.0).translation.vector), radius));
            }
        }
    }
    balls
}

/// Signed distance of a point to a box, from its definition.
pub(crate) fn box_distance(point: &Point3<f64>, pose: &Pose, half: &Vector3<f64>) -> f64 {
    let local = pose.0.inverse() * point;
    let outside = local.coords.abs() - half;
    outside.map(|value| value.max(0.0)).norm() + outside.max().min(0.0)
}

/// Boxes at random places around the robot.
pub(crate) fn boxes(rng: &mut SeededRng, count: usize) -> Vec<(Pose, Vector3<f64>)> {
    let mut one = || {
        let mut number = |low: f64, high: f64| rng.uniform(low, high);
        let pose = Pose::from_xyz_rpy(
            number(-1.0, 1.0),
            number(-1.0, 1.0),
            number(-1.0, 1.0),
            number(-3.0, 3.0),
            number(-1.5, 1.5),
            number(-3.0, 3.0),
        );
        (pose, Vector3::new(number(0.01, 0.2), number(0.01, 0.2), number(0.01, 0.2)))
    };
    (0..count).map(|_| one()).collect()
}

pub(crate) fn with_boxes(robot: &Arc<Robot>, boxes: &[(Pose, Vector3<f64>)]) -> Scene {
    let mut scene = Scene::new(robot).unwrap();
    for (index, (pose, half)) in boxes.iter().enumerate() {
        scene.add(&format!("box{index}"), Shape::cuboid(half.x, half.y, half.z).unwrap(), *pose).unwrap();
    }
    scene
}

pub(crate) fn random_configuration(robot: &Robot, rng: &mut SeededRng) -> Vec<f64> {
    robot.random_configuration(&robot.groups[robot.default_group], rng).0
}
