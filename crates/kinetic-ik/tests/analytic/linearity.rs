//! The joint that the equations of the general class stay linear in is a matter of taste.

use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Manipulator, SolveOptions, TolerancePolicy};
use kinetic_robot::Robot;

use super::arms::conditioning;
use crate::cases;

/// Angles of one branch from two eigenproblems, polished by the same forward kinematics.
const SAME: f64 = 1e-6;
/// Least singular value of the Jacobian from which a branch is well determined.
const REGULAR: f64 = 1e-2;

fn manipulator(name: &str) -> Manipulator {
    Manipulator::from_robot(&Robot::from_name(name).unwrap(), None, TolerancePolicy::default()).unwrap()
}

#[test]
fn each_joint_gives_the_configuration_that_made_the_pose() {
    for (name, wanted) in [("xarm6", [1, 2, 3]), ("baxter_left", [2, 3, 4]), ("kinova_gen3_lite", [1, 2, 3])] {
        let arm = manipulator(name);
        let joints = arm.linearity_joints();
        assert_eq!(joints.len(), wanted.len(), "{name}: {}", arm.dispatch_plan());
        let mut rng = SeededRng::new(5);
        for case in 0..cases(10, 200) {
            let q: Vec<f64> = (0..arm.dof()).map(|_| rng.uniform(-2.0, 2.0)).collect();
            if conditioning(arm.normal_form(), &q) < REGULAR {
                continue;
            }
            let at = (!arm.ranges().is_empty()).then(|| arm.parameters(&q).unwrap());
            for joint in &joints {
                let options = SolveOptions {
                    linearity_joint: Some(*joint),
                    respect_limits: false,
                    at,
                    ..SolveOptions::default()
                };
                let solutions = arm.solve(&arm.fk(&q).unwrap(), &options).unwrap();
                let is_it =
                    |row: &[f64]| row.iter().zip(&q).all(|(a, b)| ((a - b).sin().abs() + 1.0 - (a - b).cos()) < SAME);
                assert!(solutions.iter().any(|one| is_it(&one.q)), "{name}, case {case}, joint {joint}");
            }
        }
    }
}

#[test]
fn a_joint_that_cannot_be_it_is_refused_with_those_that_can() {
    let general = manipulator("xarm6");
    for joint in [0, 4, 5, 6, usize::MAX] {
        let options = SolveOptions { linearity_joint: Some(joint), ..SolveOptions::default() };
        let error = general.solve(&general.fk(&[0.1; 6]).unwrap(), &options).unwrap_err();
        let KineticError::InvalidValue { wanted, .. } = &error else { panic!("{error}") };
        assert!(wanted.contains("1 (\"joint2\")") && wanted.contains("joint4"), "{error}");
    }
    for name in ["ur5e", "kuka_iiwa14", "trossen_px100"] {
        let arm = manipulator(name);
        assert!(arm.linearity_joints().is_empty(), "{name}");
        let options = SolveOptions { linearity_joint: Some(1), ..SolveOptions::default() };
        let error = arm.solve(&arm.fk(&vec![0.1; arm.dof()]).unwrap(), &options).unwrap_err();
        assert!(error.to_string().contains(&arm.dispatch_plan().solver_name), "{error}");
    }
}
