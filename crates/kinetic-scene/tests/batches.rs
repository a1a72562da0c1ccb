//! Many configurations at once, with several threads.

use kinetic_core::KineticError;
use kinetic_core::rng::SeededRng;
use kinetic_scene::{Margins, SimdTier};

use crate::cases;
use crate::support::{ball_arm, boxes, built_in, random_configuration, with_boxes};

#[test]
fn among_few_and_many_objects_one_configuration_gets_the_verdict_of_double_precision() {
    let mut rng = SeededRng::new(44);
    for robot in [ball_arm(), built_in("ur5e"), built_in("fetch")] {
        let group = &robot.groups[robot.default_group];
        for count in [1, 8, 9, 32, 33, 200] {
            let mut boxes = boxes(&mut rng, count);
            for (_, half) in &mut boxes {
                *half *= 1.0 / (count as f64).sqrt();
            }
            let mut scene = with_boxes(&robot, &boxes);
            let names: Vec<String> = scene.objects().keys().cloned().collect();
            for name in names.iter().step_by(3) {
                scene.set_margin_all(name, 0.02).unwrap();
            }
            // The lowest tier asks double precision about single configurations.
            let margins = Margins::new(0.005, 0.0);
            let mut quick = scene.checker(&group.name, margins).unwrap();
            let mut plain = quick.clone().with_simd_tier(SimdTier::BASELINE).unwrap();
            for _ in 0..cases(200, 20_000) {
                let q = random_configuration(&robot, &mut rng);
                assert_eq!(quick.is_free(&q), plain.is_free(&q), "{count} objects, {q:?}");
            }
        }
    }
}

#[test]
fn a_large_batch_is_answered_as_each_configuration_alone() {
    for name in ["ur5e", "franka_panda"] {
        let robot = built_in(name);
        let mut rng = SeededRng::new(41);
        // Far enough from the base for some configurations to be free.
        let far: Vec<_> = boxes(&mut rng, 20).into_iter().filter(|(pose, _)| pose.translation().norm() > 0.9).collect();
        let scene = with_boxes(&robot, &far);
        let group = &robot.groups[robot.default_group];
        // Several shares, the last one short; a few rows beyond the limits.
        let mut rows: Vec<Vec<f64>> = (0..5_003).map(|_| random_configuration(&robot, &mut rng)).collect();
        for margins in [Margins::ZERO, Margins::new(0.03, 0.001)] {
            let mut checker = scene.checker(&group.name, margins).unwrap();
            for _ in 0..2 {
                let expected: Vec<bool> = rows.iter().map(|q| checker.is_free(q)).collect();
                assert!(expected.contains(&true) && expected.contains(&false), "{name}");
                assert_eq!(scene.are_free(&rows.concat(), group.dof(), margins).unwrap(), expected, "{name}");
                rows[7].iter_mut().for_each(|q| *q *= 5.0);
            }
        }
    }
}

#[test]
fn rows_in_the_length_of_the_robot_move_the_other_joints_too() {
    let robot = built_in("franka_panda");
    let scene = with_boxes(&robot, &boxes(&mut SeededRng::new(42), 5));
    let mut rng = SeededRng::new(43);
    let rows: Vec<Vec<f64>> = (0..40)
        .map(|_| robot.joint_limits.iter().map(|limits| rng.uniform(limits.lower, limits.upper)).collect())
        .collect();
    let expected: Vec<bool> = rows.iter().map(|q| !scene.check_collision(q).unwrap()).collect();
    assert_eq!(scene.are_free(&rows.concat(), robot.num_variables(), Margins::ZERO).unwrap(), expected);
}

#[test]
fn rows_that_agree_about_the_other_joints_are_one_batch() {
    let robot = built_in("fetch");
    let group = &robot.groups[robot.default_group];
    let scene = with_boxes(&robot, &boxes(&mut SeededRng::new(45), 5));
    let mut rng = SeededRng::new(46);
    // Runs of different length in which only joints of the group differ.
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for length in [1_u64, 30, 2, 70] {
        let mut row: Vec<f64> =
            robot.joint_limits.iter().map(|l| rng.uniform(l.lower.max(-3.0), l.upper.min(3.0))).collect();
        for _ in 0..length {
            for (variable, value) in group.variables.iter().zip(random_configuration(&robot, &mut rng)) {
                row[*variable] = value;
            }
            rows.push(row.clone());
        }
    }
    let expected: Vec<bool> = rows.iter().map(|q| !scene.check_collision(q).unwrap()).collect();
    assert!(expected.contains(&true) && expected.contains(&false));
    assert_eq!(scene.are_free(&rows.concat(), robot.num_variables(), Margins::ZERO).unwrap(), expected);
}

#[test]
fn a_motion_of_joints_outside_the_group_is_refused() {
    let robot = built_in("fetch");
    let scene = with_boxes(&robot, &[]);
    let from = vec![0.0; robot.num_variables()];
    let group = &robot.groups[robot.default_group];
    let (mut to, mut elsewhere) = (from.clone(), from.clone());
    to[group.variables[1]] = 0.2;
    let mut names = robot.active_joints.iter().map(|joint| robot.joints[*joint].name.as_str());
    elsewhere[names.position(|name| name == "head_pan_joint").unwrap()] = 0.3;
    assert!(scene.check_motion(&from, &to).is_ok());
    let error = scene.check_motion(&from, &elsewhere).unwrap_err();
    let KineticError::InvalidValue { name, value, wanted } = &error else { panic!("{error}") };
    assert_eq!((name.as_str(), value.as_str()), ("joint \"head_pan_joint\"", "0.3"));
    assert!(wanted.contains(&group.name), "{error}");
    // A second configuration of the group's length keeps what the first one says.
    assert!(scene.check_motion(&elsewhere, &vec![0.0; group.dof()]).is_ok());
}

#[test]
fn what_is_no_batch_is_refused() {
    let robot = built_in("ur5e");
    let scene = with_boxes(&robot, &[]);
    assert_eq!(scene.are_free(&[], 6, Margins::ZERO).unwrap(), Vec::<bool>::new());
    let error = scene.are_free(&[0.0; 10], 5, Margins::ZERO).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 5, .. }), "{error}");
    for columns in [0, 6] {
        let error = scene.are_free(&[0.0; 10], columns, Margins::ZERO).unwrap_err();
        assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
    }
    let error = scene.are_free(&[f64::NAN; 6], 6, Margins::ZERO).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { .. }), "{error}");
    let error = scene.are_free(&[0.0; 6], 6, Margins::new(-1.0, 0.0)).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
}
