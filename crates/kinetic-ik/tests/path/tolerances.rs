//! Poses that leave something free.

use std::f64::consts::TAU;

use kinetic_core::Pose;
use kinetic_ik::{PathOptions, PathTolerance};
use nalgebra::Vector3;

use super::robots::Arm;

#[test]
fn a_free_tool_axis_solves_what_strict_poses_cannot() {
    let arm = Arm::named("ur5e");
    let still = arm.tool(&[0.3, -1.2, 1.6, -2.0, -1.5, 0.1]);
    // The tool turns about its own axis three times on a straight line: too much for the last joint.
    let target = |step: u32| {
        let part = f64::from(step) / 120.0;
        Pose::from_xyz(0.0, -0.2 * part, 0.0) * still * Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.0, 0.0, 3.0 * TAU * part)
    };
    let targets: Vec<Pose> = (0..=120).map(target).collect();
    let strict = arm.solve(&targets, &PathOptions::default());
    assert!(strict.obstacles.iter().any(|obstacle| obstacle.id() == "limit"), "{:?}", strict.obstacles);
    let options = PathOptions { tolerance: vec![PathTolerance::free_turn(Vector3::z())], ..PathOptions::default() };
    let free = arm.solve(&targets, &options);
    assert_eq!(free.reason(), None);
    for (index, target) in targets.iter().enumerate() {
        let reached = arm.tool(free.configuration(index).unwrap());
        assert!(reached.translation_distance(target) < 1e-9, "pose {index}");
        let (wanted, axis) = (target.rotation() * Vector3::z(), reached.rotation() * Vector3::z());
        assert!((wanted - axis).norm() < 1e-9, "pose {index}");
    }
    // Refinement takes out the steps of ten degrees that the samples have.
    assert!(free.largest_step < 0.1, "{}", free.largest_step);
}

#[test]
fn a_box_of_positions_and_a_narrow_turn_are_kept() {
    let arm = Arm::named("abb_irb1200");
    let start = arm.tool(&[0.2, 0.3, -0.2, 0.4, 0.5, 0.1]);
    let tolerance =
        PathTolerance { axis: Vector3::x(), angle: 0.2, cone: 0.0, position: Vector3::new(0.01, 0.0, 0.02) };
    let targets: Vec<Pose> = (0..20).map(|step| Pose::from_xyz(0.0, 0.005 * f64::from(step), 0.0) * start).collect();
    let strict = arm.solve(&targets, &PathOptions::default());
    let options = PathOptions { tolerance: vec![tolerance], ..PathOptions::default() };
    let loose = arm.solve(&targets, &options);
    assert_eq!((strict.reason(), loose.reason()), (None, None));
    assert!(loose.largest_step <= strict.largest_step + 1e-12, "freedom does not hurt");
    assert!(
        loose.largest_step < 0.99 * strict.largest_step,
        "freedom is used: {} {}",
        loose.largest_step,
        strict.largest_step
    );
    for (index, target) in targets.iter().enumerate() {
        let off = target.inverse() * arm.tool(loose.configuration(index).unwrap());
        let (shift, turn) = (off.translation(), off.rotation().scaled_axis());
        assert!(shift.x.abs() < 0.01 + 1e-9 && shift.y.abs() < 1e-9 && shift.z.abs() < 0.02 + 1e-9, "pose {index}");
        assert!(turn.x.abs() < 0.2 + 1e-9 && turn.y.abs() < 1e-9 && turn.z.abs() < 1e-9, "pose {index}");
    }
}

#[test]
fn a_box_reaches_for_poses_just_out_of_reach() {
    let arm = Arm::named("ur5e");
    // Outwards in steps of 5 mm, up to the first pose that no branch reaches.
    let still = arm.tool(&[0.3, -0.6, 0.8, -0.4, 0.8, 0.1]);
    let outwards = still.translation().normalize() * 0.005;
    let beyond = |step: u32| Pose::from(outwards * f64::from(step)) * still;
    let is_reached = |step: u32| arm.solve(&[beyond(step)], &PathOptions::default()).obstacles.is_empty();
    let step = (0..200).find(|step| !is_reached(*step)).unwrap();
    let target = beyond(step + 1);
    let strict = arm.solve(&[target], &PathOptions::default());
    assert_eq!(strict.obstacles[0].id(), "unreachable");
    let tolerance = PathTolerance { position: Vector3::repeat(0.03), ..PathTolerance::default() };
    let loose = arm.solve(&[target], &PathOptions { tolerance: vec![tolerance], ..PathOptions::default() });
    assert_eq!(loose.reason(), None);
    let off = target.inverse() * arm.tool(loose.configuration(0).unwrap());
    assert!(off.translation().amax() < 0.03 + 1e-9 && off.rotation().angle() < 1e-8);
}

#[test]
fn poses_may_have_tolerances_of_their_own() {
    let arm = Arm::named("ur5e");
    let q = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1];
    let targets: Vec<Pose> =
        (0..9).map(|step| Pose::from_xyz(0.0, -0.01 * f64::from(step), 0.0) * arm.tool(&q)).collect();
    let strict_at = |index: usize| index.is_multiple_of(2);
    let of = |index: usize| {
        if strict_at(index) { PathTolerance::default() } else { PathTolerance::free_turn(Vector3::z()) }
    };
    let options = PathOptions { start: Some(q.into()), tolerance: (0..9).map(of).collect(), ..PathOptions::default() };
    let path = arm.solve(&targets, &options);
    assert_eq!(path.reason(), None);
    for index in (0..9).filter(|index| strict_at(*index)) {
        let reached = arm.tool(path.configuration(index).unwrap());
        assert!(reached.rotation_distance(&targets[index]) < 1e-8, "pose {index}");
    }
}

#[test]
fn a_cone_is_kept_and_used() {
    let arm = Arm::named("ur5e");
    let start = arm.tool(&[0.3, -1.2, 1.6, -2.0, -1.5, 0.1]);
    let axis = Vector3::new(0.0, 0.6, 0.8);
    let tolerance = PathTolerance { axis, cone: 0.2, ..PathTolerance::default() };
    let targets: Vec<Pose> = (0..20).map(|step| Pose::from_xyz(0.0, -0.01 * f64::from(step), 0.0) * start).collect();
    let strict = arm.solve(&targets, &PathOptions::default());
    let loose = arm.solve(&targets, &PathOptions { tolerance: vec![tolerance], ..PathOptions::default() });
    assert_eq!((strict.reason(), loose.reason()), (None, None));
    assert!(loose.largest_step < 0.99 * strict.largest_step, "{} {}", loose.largest_step, strict.largest_step);
    for (index, target) in targets.iter().enumerate() {
        let off = target.inverse() * arm.tool(loose.configuration(index).unwrap());
        let turn = off.rotation().scaled_axis();
        assert!((off.rotation() * axis).angle(&axis) <= 0.2 + 1e-9, "pose {index}");
        // Without a twist the rotation is about a normal of the axis.
        assert!(off.translation().norm() < 1e-8 && turn.dot(&axis).abs() < 1e-8, "pose {index}");
    }
}
