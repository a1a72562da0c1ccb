//! What is refused, and what stops.

use kinetic_core::{KineticError, Pose, StopFlag};
use kinetic_ik::{PathOptions, PathTolerance, solve_ik_path};
use nalgebra::Vector3;

use super::robots::Arm;

#[test]
fn bad_input_is_refused_by_name() {
    let arm = Arm::named("ur5e");
    let target = arm.tool(&[0.3, -1.2, 1.6, -0.4, 0.8, 0.1]);
    let error = |targets: &[Pose], options: &PathOptions| {
        solve_ik_path(arm.closed_form.as_ref(), &arm.chain, targets, options).unwrap_err()
    };
    let default = PathOptions::default();
    assert!(matches!(error(&[], &default), KineticError::InvalidValue { name, .. } if name == "targets"));
    let nan = Pose::from_xyz(f64::NAN, 0.0, 0.0);
    assert!(
        matches!(error(&[target, nan], &default), KineticError::NotFinite { context, .. } if context == "target 1")
    );
    let short = PathOptions { start: Some([0.0; 5].into()), ..PathOptions::default() };
    assert!(matches!(error(&[target], &short), KineticError::DimensionMismatch { .. }));
    let nan = PathOptions { start: Some([f64::NAN; 6].into()), ..PathOptions::default() };
    assert!(matches!(error(&[target], &nan), KineticError::NotFinite { .. }));
    for step in [-1.0, 0.0, f64::NAN] {
        let options =
            PathOptions { max_joint_step: Some(vec![1.0, 1.0, 1.0, step, 1.0, 1.0]), ..PathOptions::default() };
        assert!(
            matches!(error(&[target], &options), KineticError::InvalidValue { name, .. } if name == "max_joint_step")
        );
    }
    let options = PathOptions { max_joint_step: Some(vec![1.0; 3]), ..PathOptions::default() };
    assert!(matches!(error(&[target], &options), KineticError::DimensionMismatch { .. }));
    for tolerance in [
        PathTolerance { angle: -0.1, ..PathTolerance::default() },
        PathTolerance { cone: 1.6, ..PathTolerance::default() },
        PathTolerance { cone: f64::NAN, ..PathTolerance::default() },
        PathTolerance { angle: f64::NAN, ..PathTolerance::default() },
        PathTolerance { axis: Vector3::zeros(), ..PathTolerance::default() },
        PathTolerance { axis: Vector3::new(0.0, f64::NAN, 0.0), ..PathTolerance::default() },
        PathTolerance { position: Vector3::new(0.0, -0.1, 0.0), ..PathTolerance::default() },
        PathTolerance { position: Vector3::new(0.0, f64::INFINITY, 0.0), ..PathTolerance::default() },
    ] {
        let options = PathOptions { tolerance: vec![tolerance], ..PathOptions::default() };
        assert!(error(&[target], &options).is_input_error(), "{tolerance:?}");
    }
    let options = PathOptions { tolerance: vec![PathTolerance::default(); 3], ..PathOptions::default() };
    assert!(matches!(error(&[target, target], &options), KineticError::DimensionMismatch { .. }));
}

#[test]
fn a_stop_ends_the_search() {
    let q = [0.3, -1.2, 1.6, -0.4, 0.8, 0.1, 0.2];
    for (name, dof) in [("ur5e", 6), ("kuka_iiwa14", 7)] {
        let arm = Arm::named(name);
        let target = arm.tool(&q[..dof]);
        let stop = StopFlag::default();
        stop.stop();
        let options = PathOptions { stop, ..PathOptions::default() };
        let stopped = solve_ik_path(arm.closed_form.as_ref(), &arm.chain, &[target; 10], &options);
        assert!(matches!(stopped, Err(KineticError::Cancelled { .. })), "{name}");
    }
}

#[test]
fn infinite_steps_are_no_bound() {
    let arm = Arm::named("ur5e");
    let targets = [arm.tool(&[0.3, -1.2, 1.6, -0.4, 0.8, 0.1]), arm.tool(&[2.3, -0.2, 0.6, 1.4, -0.8, 2.1])];
    let path =
        arm.solve(&targets, &PathOptions { max_joint_step: Some(vec![f64::INFINITY; 6]), ..PathOptions::default() });
    assert_eq!(path.reason(), None);
    assert!(!arm.solve(&targets, &PathOptions::default()).obstacles.is_empty());
}

#[test]
fn how_far_a_pose_is_out_of_reach_is_a_finite_distance() {
    // No arm here reaches farther than this from its base, m.
    const REACH: f64 = 2.0;
    for name in ["ur5e", "franka_panda", "kuka_iiwa14", "fetch", "xarm6"] {
        let arm = Arm::named(name);
        let near = arm.tool(&vec![0.3; arm.chain.dof()]);
        for closed_form in [arm.closed_form.as_ref(), None] {
            for start in [None, Some(vec![0.3; arm.chain.dof()].into())] {
                let options = PathOptions { start, ..PathOptions::default() };
                let targets = [near, Pose::from_xyz(9.0, 0.0, 0.0), near];
                let path = solve_ik_path(closed_form, &arm.chain, &targets, &options).unwrap();
                let far: Vec<_> = path.obstacles.iter().filter(|obstacle| obstacle.id() == "unreachable").collect();
                assert_eq!((far.len(), far[0].index()), (1, 1), "{name}: {:?}", path.obstacles);
                let amount = far[0].amount();
                assert!((9.0 - REACH..=9.0 + REACH).contains(&amount), "{name}: {amount}");
            }
        }
    }
}
