//! Random MJCF models against what MuJoCo makes of them (`tools/make_mjcf_goldens.py`).

use kinetic_core::Pose;
use kinetic_robot::{JointType, Robot};
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;

const GOLDENS: &str = include_str!("data/mjcf_goldens.json");

/// Entries of poses, m for translations of up to some 10 m: rounding over a dozen joints.
const POSE_TOLERANCE: f64 = 1e-9;

/// Relative to the largest of a body: MuJoCo keeps the vertices of meshes in single precision.
const MASS_TOLERANCE: f64 = 1e-6;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn vector(value: &Value) -> Vector3<f64> {
    Vector3::from_row_slice(&numbers(value))
}

/// The robot and the record of every model.
fn models() -> Vec<(u64, Robot, Value)> {
    let goldens: Vec<Value> = serde_json::from_str(GOLDENS).unwrap();
    assert!(goldens.len() > 20);
    let read = |golden: Value| {
        let seed = golden["seed"].as_u64().unwrap();
        let robot = Robot::from_mjcf_string(golden["xml"].as_str().unwrap());
        (seed, robot.unwrap_or_else(|error| panic!("seed {seed}: {error}")), golden)
    };
    goldens.into_iter().map(read).collect()
}

/// Poses of all links in the root: one quaternion pose per joint, as the documentation of `Joint` says.
fn link_poses(robot: &Robot, q: &[f64]) -> Vec<Pose> {
    let mut poses = vec![Pose::identity(); robot.links.len()];
    for joint in &robot.joints {
        let (leader, multiplier, offset) =
            joint.mimic.map_or((joint, 1.0, 0.0), |mimic| (&robot.joints[mimic.joint], mimic.multiplier, mimic.offset));
        let value = leader.variable.map_or(0.0, |variable| multiplier * q[variable] + offset);
        let motion = match joint.joint_type {
            JointType::Fixed => Isometry3::identity(),
            JointType::Prismatic => Translation3::from(joint.axis.into_inner() * value).into(),
            JointType::Revolute | JointType::Continuous => {
                Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&joint.axis, value))
            }
        };
        poses[joint.child] = Pose(poses[joint.parent].0 * joint.parent_from_joint.0 * motion);
    }
    poses
}

#[test]
fn every_body_is_where_mujoco_puts_it() {
    for (seed, robot, golden) in models() {
        let q = numbers(&golden["variables"]);
        assert_eq!(q.len(), robot.num_variables(), "seed {seed}");
        let poses = link_poses(&robot, &q);
        for body in golden["bodies"].as_array().unwrap() {
            let name = body["name"].as_str().unwrap();
            let pose = poses[robot.link_index(name).unwrap_or_else(|error| panic!("seed {seed}: {error}"))];
            let rotation = Matrix3::from_row_slice(&numbers(&body["rotation"]));
            let turned = (pose.rotation.to_rotation_matrix().matrix() - rotation).amax();
            let moved = (pose.translation.vector - vector(&body["position"])).amax();
            assert!(turned.max(moved) < POSE_TOLERANCE, "seed {seed}, {name}: off by {turned:e} and {moved:e}");
        }
    }
}

#[test]
fn every_body_has_the_mass_that_mujoco_gives_it() {
    for (seed, robot, golden) in models() {
        for body in golden["bodies"].as_array().unwrap() {
            let name = body["name"].as_str().unwrap();
            let context = format!("seed {seed}, {name}");
            let mass = body["mass"].as_f64().unwrap();
            let Some(inertial) = &robot.links[robot.link_index(name).unwrap()].inertial else {
                assert_eq!(mass, 0.0, "{context}");
                continue;
            };
            assert!(
                (inertial.mass - mass).abs() <= MASS_TOLERANCE * mass,
                "{context}: {} kg for {mass}",
                inertial.mass
            );
            let moved = (inertial.link_from_com.translation.vector - vector(&body["com"])).amax();
            assert!(moved < MASS_TOLERANCE, "{context}: centre of mass off by {moved:e}");
            let axes = inertial.link_from_com.rotation.to_rotation_matrix();
            let ours = axes.matrix() * inertial.inertia * axes.matrix().transpose();
            let theirs = Matrix3::from_row_slice(&numbers(&body["inertia"]));
            let off = (ours - theirs).amax();
            assert!(off <= MASS_TOLERANCE * theirs.amax(), "{context}: tensor off by {off:e}");
        }
    }
}
