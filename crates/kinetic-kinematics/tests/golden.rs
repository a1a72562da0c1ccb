//! Tool poses and Jacobians that Pinocchio computed from the vendors' own URDF files (`tools/robots/facts/*.json`).

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

/// The goldens of a name: those of the file that is called like it, or of the whole robot whose arm it names.
fn goldens(robot: &str) -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tools/robots/facts");
    let own = folder.join(format!("{robot}.json"));
    let whole = robot.rsplit_once('_').map(|(whole, _)| folder.join(format!("{whole}.json")));
    let path = if own.is_file() { own } else { whole.unwrap() };
    let facts: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let more = facts["more_goldens"].as_array().cloned().unwrap_or_default();
    std::iter::once(facts["golden"].clone()).chain(more).collect()
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
        for golden in goldens(name) {
            compare(name, &robot, &golden);
        }
    }
}

fn compare(name: &str, robot: &Robot, golden: &Value) {
    let (base, tip) = (golden["base"].as_str().unwrap(), golden["tip"].as_str().unwrap());
    let chain = KinematicChain::extract(robot, base, tip).unwrap();
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
            compare_jacobian(name, &chain, &order, &q, &rows(&config["J"]));
        }
    }
}

fn compare_jacobian(name: &str, chain: &KinematicChain, order: &[String], q: &[f64], expected: &[Vec<f64>]) {
    let j = jacobian(chain, q).unwrap();
    for (column, joint) in chain.joint_names().iter().enumerate() {
        // Joints that the chain lacks follow the one before them (a telescope): their columns add up in one variable.
        let first = order.iter().position(|other| other == joint).unwrap();
        let rest = order[first + 1..].iter().take_while(|other| !chain.joint_names().contains(other)).count();
        for (row, expected) in expected.iter().enumerate() {
            let error = (j[(row, column)] - expected[first..=first + rest].iter().sum::<f64>()).abs();
            assert!(error < TOLERANCE, "{name}: Jacobian ({row}, {column}) is off by {error:e}");
        }
    }
}

#[test]
fn the_default_group_is_the_golden_chain() {
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let ends = [group.base_link, group.tip_link].map(|link| robot.links[link].name.as_str());
        let is_it = |golden: &Value| golden["base"] == ends[0] && golden["tip"] == ends[1];
        assert!(goldens(name).iter().any(is_it), "{name}: no golden from {} to {}", ends[0], ends[1]);
    }
}
