//! Tool poses and Jacobians that Pinocchio computed from the vendors' own URDF files (`tools/robots/*.json`).

use std::path::PathBuf;

use kinetic_kinematics::{KinematicChain, jacobian};
use kinetic_robot::Robot;
use nalgebra::Matrix4;
use serde_json::Value;

/// Both sides are f64 over at most a dozen joints; vendors' files round angles at 1e-10.
const TOLERANCE: f64 = 1e-9;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn golden(robot: &str) -> Value {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tools/robots");
    let text = std::fs::read_to_string(folder.join(format!("{robot}.json"))).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["golden"].clone()
}

/// The golden's joint order as a configuration of the chain.
fn ordered(chain: &KinematicChain, order: &[String], q: &[f64]) -> Vec<f64> {
    let value = |name: &String| q[order.iter().position(|other| other == name).unwrap()];
    chain.joint_names().iter().map(value).collect()
}

#[test]
fn tool_poses_and_jacobians_of_every_built_in_robot_equal_the_vendors_models() {
    let names = kinetic_robot::builtin::names();
    assert!(names.len() >= 8, "only {names:?}");
    for name in names {
        let robot = Robot::from_name(name).unwrap();
        let golden = golden(name);
        let (base, tip) = (golden["base"].as_str().unwrap(), golden["tip"].as_str().unwrap());
        let chain = KinematicChain::extract(&robot, base, tip).unwrap();
        let order: Vec<String> =
            golden["joint_order"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        let configs = golden["configs"].as_array().unwrap();
        assert!(configs.len() >= 20, "{name} has {} golden configurations", configs.len());
        for config in configs {
            let q = ordered(&chain, &order, &numbers(&config["q"]));
            let expected = Matrix4::from_row_iterator(rows(&config["T"]).into_iter().flatten());
            let error = (chain.tip_pose(&q).to_matrix() - expected).amax();
            assert!(error < TOLERANCE, "{name}: tool pose is off by {error:e} at {q:?}");
            if config["J"].is_array() {
                let columns: Vec<usize> =
                    chain.joint_names().iter().map(|n| order.iter().position(|o| o == n).unwrap()).collect();
                let j = jacobian(&chain, &q).unwrap();
                for (row, expected) in rows(&config["J"]).iter().enumerate() {
                    for (column, source) in columns.iter().enumerate() {
                        let error = (j[(row, column)] - expected[*source]).abs();
                        assert!(error < TOLERANCE, "{name}: Jacobian ({row}, {column}) is off by {error:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_default_group_is_the_golden_chain() {
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let golden = golden(name);
        let group = &robot.groups[robot.default_group];
        assert_eq!(robot.links[group.base_link].name, golden["base"].as_str().unwrap(), "{name}");
        assert_eq!(robot.links[group.tip_link].name, golden["tip"].as_str().unwrap(), "{name}");
    }
}
