//! Arms with more than six joints: true branches, the whole self-motion, limits, seeds.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_ik::analytic::{Branches, Manipulator, Met, Parameters, SolveOptions, TolerancePolicy};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::Robot;

use super::arms::{self, Lie, is_same};
use crate::cases;

/// What closed forms promise; forward kinematics of the tests differs from the solver's by rounding.
const CLOSES: f64 = 1.01e-10;

fn load(name: &str) -> (Robot, Manipulator) {
    let robot = Robot::from_name(name).unwrap();
    let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
    (robot, arm)
}

/// Arms by the number of cases that they can afford.
fn redundant() -> Vec<(Robot, Manipulator)> {
    let names = kinetic_robot::builtin::names();
    let arms = names.into_iter().map(|name| Robot::from_name(name).unwrap()).filter_map(|robot| {
        let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).ok()?;
        (arm.dof() > 6).then_some((robot, arm))
    });
    arms.collect()
}

fn difference(a: &Rigid, b: &Rigid) -> f64 {
    (a.rotation - b.rotation).norm().hypot((a.translation - b.translation).norm())
}

/// Determinant of the columns of the joints that are solved for: zero where they cannot follow the locked ones.
fn rest_determinant(arm: &Manipulator, q: &[f64]) -> f64 {
    let jacobian = arms::jacobian(arm.normal_form(), q);
    let names = arm.locked_joints();
    let is_locked = |column: &usize| {
        let variable = arm.normal_form().screws()[*column].variable;
        names.contains(&arm.chain().joint_names()[variable].as_str())
    };
    let locked: Vec<usize> = (0..arm.dof()).filter(is_locked).collect();
    match locked.len() {
        0 => jacobian.singular_values().min(),
        _ => jacobian.remove_columns_at(&locked).singular_values().min(),
    }
}

#[test]
fn every_arm_with_more_than_six_joints_has_a_solver_of_its_kind() {
    let plan = |name: &str| load(name).1.dispatch_plan().solver_name.clone();
    for name in ["kuka_iiwa7", "kuka_iiwa14"] {
        assert_eq!(plan(name), "seven_r.srs");
    }
    for name in ["franka_panda", "franka_fr3"] {
        assert_eq!(plan(name), "seven_r.locked.six_r.spherical_two_intersecting.reversed");
        assert_eq!(load(name).1.locked_joints().len(), 1);
    }
    for name in ["fetch", "pr2", "tiago"] {
        let (_, arm) = load(name);
        assert!(arm.dispatch_plan().solver_name.starts_with("long.locked.six_r.spherical"), "{name}");
        assert!(arm.locked_joints()[0].contains("torso"), "{name}: the sliding joint is locked");
        assert!(arm.dispatch_plan().reason.contains("locked: 1 and 2"), "{}", arm.dispatch_plan());
    }
    let count = redundant().len();
    assert!(count >= 14, "{count} arms");
}

#[test]
fn the_generating_configuration_is_among_the_branches_at_its_place_in_the_self_motion() {
    for (robot, arm) in redundant() {
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(51);
        let count = if arm.dispatch_plan().tier == 0 { cases(60, 2_000) } else { cases(8, 300) };
        for case in 0..count {
            let q = robot.random_configuration(group, &mut rng);
            let at = arm.parameters(&q).unwrap();
            let options = SolveOptions { at: Some(at), ..SolveOptions::default() };
            let found = arm.solve(&arm.fk(&q).unwrap(), &options).unwrap();
            let is_found = found.iter().any(|solution| is_same(&solution.q, &q, 1e-6));
            // Where the other joints cannot follow, two branches meet, and neither is determined to 1e-6.
            assert!(is_found || rest_determinant(&arm, &q) < 1e-3, "{}, case {case}: {q:?}", robot.name);
        }
    }
}

#[test]
fn all_branches_of_a_sweep_close_and_stand_at_its_samples() {
    for (robot, arm) in redundant() {
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(52);
        let mut branches = Branches::default();
        let count = if arm.dispatch_plan().tier == 0 { cases(5, 100) } else { 1 };
        let mut empty = 0;
        for case in 0..count {
            let target = arm.normal_form().pose(&robot.random_configuration(group, &mut rng));
            arm.branches(&target, &mut branches);
            // At the edge of the reach the whole self-motion may lie between two samples.
            empty += usize::from(branches.as_slice().is_empty());
            for branch in branches.as_slice() {
                let residual = difference(&arm.normal_form().pose(&branch.q), &target);
                assert!(residual <= CLOSES, "{}, case {case}: {residual}", robot.name);
                check_place(&arm, &branch.q, &robot.name);
            }
        }
        assert!(empty <= 1 + count / 50, "{}: {empty} of {count}", robot.name);
    }
}

/// The first parameter of a branch is a multiple of the step, half a step from the lower end.
fn check_place(arm: &Manipulator, q: &[f64], name: &str) {
    let range = arm.ranges()[0];
    let steps = (arm.parameters(q).unwrap()[0] - range.low) / (range.high - range.low) * range.samples as f64;
    // Beside singularities the swivel angle read off the joints keeps fewer digits than the joints.
    assert!((steps - 0.5 - (steps - 0.5).round()).abs() < 1e-4, "{name}: {steps}");
}

#[test]
fn an_s_r_s_arm_has_eight_branches_at_every_swivel_angle() {
    let (robot, arm) = load("kuka_iiwa14");
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(53);
    let mut branches = Branches::default();
    for case in 0..cases(20, 500) {
        arm.branches(&arm.normal_form().pose(&robot.random_configuration(group, &mut rng)), &mut branches);
        assert_eq!(branches.as_slice().len(), 16 * 8, "case {case}");
    }
    let target = arm.fk(&[0.3, 0.5, -0.2, -1.2, 0.4, 0.9, 0.1]).unwrap();
    let options = SolveOptions { samples: Some(40), respect_limits: false, ..SolveOptions::default() };
    assert_eq!(arm.solve(&target, &options).unwrap().len(), 40 * 8);
}

#[test]
fn reachable_poses_are_reached_inside_the_limits() {
    for (robot, arm) in redundant() {
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(54);
        let is_closed = arm.dispatch_plan().tier == 0;
        let total = if is_closed { cases(100, 2_000) } else { cases(8, 100) };
        let mut missed = 0;
        for _ in 0..total {
            let target = arm.fk(&robot.random_configuration(group, &mut rng)).unwrap();
            let solutions = arm.solve(&target, &SolveOptions::default()).unwrap();
            for solution in &solutions {
                robot.check_limits(group, &solution.q, 0.0).unwrap();
            }
            missed += usize::from(solutions.is_empty());
        }
        // Poses at the edge of the reach leave less of the self-motion than a step; general arms, whose every sample
        // costs an eigenvalue problem, are not searched as finely.
        let allowed = if is_closed { total / 500 } else { 1 + total / 30 };
        assert!(missed <= allowed, "{}: {missed} of {total}", robot.name);
    }
}

/// Regression 16: near the edge of the workspace the self-motion is shorter than the step of a sweep; without limits to
/// respect, the values between the samples were not looked at, and PR2's arms had nothing for 2 of 100 poses.
#[test]
fn short_self_motions_are_found_with_limits_and_without() {
    // Two locked joints are not searched as finely as one.
    for (name, most) in [("franka_panda", 0), ("pr2", cases(0, 2))] {
        let (robot, arm) = load(name);
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(16);
        let mut missed = [0, 0];
        for _ in 0..cases(100, 1_000) {
            let target = arm.fk(&robot.random_configuration(group, &mut rng)).unwrap();
            for (missed, respect_limits) in missed.iter_mut().zip([true, false]) {
                let options = SolveOptions { respect_limits, ..SolveOptions::default() };
                *missed += usize::from(arm.solve(&target, &options).unwrap().is_empty());
            }
        }
        assert!(missed.iter().all(|missed| *missed <= most), "{name}: {missed:?}");
    }
}

/// Of 3,600 poses of random arms with eight joints this one had none: its self-motion lies between the 1,620 samples that
/// were looked at.
#[test]
fn a_self_motion_between_all_samples_is_found() {
    let mut rng = SeededRng::new(42);
    let random = arms::arm(&mut rng, &[Lie::Skew; 7]);
    let arm = arms::manipulator(&random).unwrap();
    let q = (0..10).fold(Vec::new(), |_, _| arms::configuration(&mut rng, 8));
    let target = arm.fk(&q).unwrap();
    for respect_limits in [true, false] {
        let options = SolveOptions { respect_limits, max_solutions: Some(1), ..SolveOptions::default() };
        let solutions = arm.solve(&target, &options).unwrap();
        assert!(!solutions.is_empty());
        assert!(solutions.iter().all(|one| difference(&random.pose(&one.q), &Rigid::from(&target)) < 1e-9));
    }
}

#[test]
fn a_seed_comes_first_and_enough_solutions_end_the_sweep() {
    for name in ["franka_panda", "kuka_iiwa14", "fetch"] {
        let (robot, arm) = load(name);
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(55);
        for case in 0..cases(30, 1_000) {
            let q = robot.random_configuration(group, &mut rng);
            if rest_determinant(&arm, &q) < 1e-3 {
                continue;
            }
            let target = arm.fk(&q).unwrap();
            let options = SolveOptions { seed: Some(q.clone()), max_solutions: Some(1), ..SolveOptions::default() };
            let (found, story) = arm.explain(&target, &options).unwrap();
            let far = found[0].q.iter().zip(&*q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-6, "{name}, case {case}: {far}");
            assert!(story.samples <= 5 && !story.warnings.is_empty(), "{name}: {} samples", story.samples);
        }
    }
}

#[test]
fn a_smooth_path_is_tracked_without_jumps() {
    let (_, arm) = load("franka_panda");
    let at = |t: f64| [0.3 * t, 0.4 - 0.3 * t, 0.2 * t, -1.8 + 0.4 * t, 0.1 * t, 1.6 + 0.2 * t, 0.5 - 0.4 * t];
    let mut last = at(0.0).to_vec();
    for step in 0..=200 {
        let q = at(f64::from(step) / 200.0);
        let options =
            SolveOptions { seed: Some(last.clone().into()), max_solutions: Some(1), ..SolveOptions::default() };
        let found = arm.solve(&arm.fk(&q).unwrap(), &options).unwrap();
        let far = found[0].q.iter().zip(&last).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 0.02, "step {step}: {far}");
        last = found[0].q.to_vec();
    }
}

#[test]
fn singular_poses_and_poses_beside_them_have_true_solutions() {
    let straight = [
        ("kuka_iiwa14", vec![0.3, 0.5, -0.2, 0.0, 0.4, 0.9, 0.1]),
        ("kuka_iiwa14", vec![0.3, 0.5, -0.2, -1.2, 0.4, 0.0, 0.1]),
        ("kuka_iiwa14", vec![0.3, 0.0, -0.2, -1.2, 0.4, 0.7, 0.1]),
        ("kuka_iiwa14", vec![0.0; 7]),
        ("franka_panda", vec![0.2, 0.0, 0.1, -1.5, 0.0, 1.6, 0.3]),
        ("fetch", vec![0.1, 0.2, 0.3, 0.0, 0.9, 0.4, 0.0, 0.2]),
    ];
    for (name, singular) in straight {
        let (_, arm) = load(name);
        for exponent in 0..9 {
            let aside = if exponent == 0 { 0.0 } else { 10.0_f64.powi(-2 - exponent) };
            for sign in [1.0, -1.0] {
                let q: Vec<f64> = singular.iter().map(|q| q + sign * aside).collect();
                let what = format!("{name}, {singular:?}, {:e} aside", sign * aside);
                let target = arm.normal_form().pose(&q);
                let options = SolveOptions {
                    at: Some(arm.parameters(&q).unwrap()),
                    respect_limits: false,
                    ..SolveOptions::default()
                };
                let found = arm.solve(&target.to_pose(), &options).unwrap();
                assert!(!found.is_empty(), "{what}");
                for solution in &found {
                    assert!(difference(&arm.normal_form().pose(&solution.q), &target) <= CLOSES, "{what}");
                }
            }
        }
    }
}

#[test]
fn random_arms_with_seven_and_eight_joints_are_solved_whatever_their_axes() {
    use Lie::{Meets, Parallel, SamePoint, Skew};
    let kinds: [(&[Lie], &str); 5] = [
        (&[Meets, SamePoint, Skew, Skew, Meets, SamePoint], "seven_r.srs"),
        (&[Meets, SamePoint, Skew, Skew, Meets, Skew], "seven_r.locked.six_r.spherical_two_intersecting.reversed"),
        (&[Skew, Meets, Parallel, Parallel, Meets, Meets], "seven_r.locked.six_r.three_parallel"),
        (&[Skew, Skew, Meets, SamePoint, Skew, Skew], "seven_r.locked.six_r.spherical_elbow"),
        (&[Skew, Skew, Meets, Parallel, Skew, Meets, SamePoint], "long.locked.six_r.spherical_two_parallel"),
    ];
    for (lies, name) in kinds {
        let mut rng = SeededRng::new(56);
        for _ in 0..cases(3, 20) {
            let arm = arms::arm(&mut rng, lies);
            let manipulator = arms::manipulator(&arm).unwrap();
            let plan = manipulator.dispatch_plan();
            assert!(plan.solver_name.starts_with(name), "{plan}");
            for case in 0..cases(20, 300) {
                let q = arms::configuration(&mut rng, arm.dof());
                let options = SolveOptions {
                    at: Some(manipulator.parameters(&q).unwrap()),
                    respect_limits: false,
                    ..SolveOptions::default()
                };
                let found = manipulator.solve(&arm.pose(&q).to_pose(), &options).unwrap();
                let is_found = found.iter().any(|solution| is_same(&solution.q, &q, 1e-6));
                assert!(is_found || rest_determinant(&manipulator, &q) < 1e-3, "{plan}, case {case}: {q:?}");
            }
        }
    }
}

#[test]
fn the_user_says_which_joint_is_locked() {
    let (robot, _) = load("franka_panda");
    let chain = || KinematicChain::auto_detect(&robot).unwrap();
    let mut rng = SeededRng::new(57);
    for joint in ["panda_joint1", "panda_joint3", "panda_joint7"] {
        let arm = Manipulator::with_locked(chain(), &[joint], TolerancePolicy::default()).unwrap();
        assert_eq!(arm.locked_joints(), [joint]);
        for _ in 0..cases(3, 30) {
            let q = robot.random_configuration(&robot.groups[robot.default_group], &mut rng);
            let options = SolveOptions { at: Some(arm.parameters(&q).unwrap()), ..SolveOptions::default() };
            let found = arm.solve(&arm.fk(&q).unwrap(), &options).unwrap();
            assert!(found.iter().any(|solution| is_same(&solution.q, &q, 1e-6)), "{joint}: {q:?}");
        }
    }
    let error = Manipulator::with_locked(chain(), &["panda_joint9"], TolerancePolicy::default()).unwrap_err();
    assert!(error.to_string().contains("panda_joint1"), "{error}");
    let two = ["panda_joint1", "panda_joint7"];
    let error = Manipulator::with_locked(chain(), &two, TolerancePolicy::default()).unwrap_err();
    assert!(matches!(error, KineticError::IncompatibleKinematics { .. }), "{error}");
    // The elbow of an S-R-S arm is told by the target: with it locked nothing is left to move along.
    let (iiwa, _) = load("kuka_iiwa14");
    let elbow = chain_joint(&iiwa, 3);
    let chain = KinematicChain::auto_detect(&iiwa).unwrap();
    let arm = Manipulator::with_locked(chain, &[elbow.as_str()], TolerancePolicy::default());
    assert!(matches!(arm, Err(KineticError::IncompatibleKinematics { .. })), "{arm:?}");
}

fn chain_joint(robot: &Robot, index: usize) -> String {
    KinematicChain::auto_detect(robot).unwrap().joint_names()[index].clone()
}

#[test]
fn out_of_reach_and_bad_options_are_told() {
    let (_, panda) = load("franka_panda");
    let (none, story) = panda.explain(&Pose::from_xyz(3.0, 0.0, 0.5), &SolveOptions::default()).unwrap();
    assert!(none.is_empty() && story.summary().starts_with("unreachable"), "{}", story.summary());
    assert!(panda.solve(&Pose::from_xyz(f64::NAN, 0.0, 0.5), &SolveOptions::default()).is_err());
    let target = panda.fk(&[0.1, 0.2, 0.3, -1.5, 0.2, 1.6, 0.4]).unwrap();
    let refused = |arm: &Manipulator, options: SolveOptions| arm.solve(&target, &options).unwrap_err();
    assert!(refused(&panda, SolveOptions { samples: Some(0), ..SolveOptions::default() }).is_input_error());
    let endless = refused(&panda, SolveOptions { samples: Some(usize::MAX), ..SolveOptions::default() });
    assert!(endless.is_input_error());
    let at = |values: &[f64]| Some(Parameters::try_from_slice("at", values).unwrap());
    assert!(refused(&panda, SolveOptions { at: at(&[0.1, 0.2]), ..SolveOptions::default() }).is_input_error());
    assert!(refused(&panda, SolveOptions { at: at(&[f64::NAN]), ..SolveOptions::default() }).is_input_error());
    let (_, ur5e) = load("ur5e");
    let error = refused(&ur5e, SolveOptions { samples: Some(4), ..SolveOptions::default() });
    assert!(error.to_string().contains("no self-motion"), "{error}");
    assert!(Parameters::try_from_slice("at", &[0.0; 3]).is_err());
    assert_eq!(panda.met(), Met::Pose);
}

#[test]
fn what_has_no_class_is_told_what_has() {
    use std::fmt::Write;
    let chain = |kinds: &[&str]| {
        let mut urdf = String::from(r#"<robot name="x"><link name="l0"/>"#);
        for (index, kind) in kinds.iter().enumerate() {
            let axis = ["1 0 0", "0 1 0", "0 0 1"][index % 3];
            write!(
                urdf,
                r#"<link name="l{next}"/><joint name="j{index}" type="{kind}"><parent link="l{index}"/>
                <child link="l{next}"/><origin xyz="0.1 0.2 0.3"/><axis xyz="{axis}"/>
                <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>"#,
                next = index + 1
            )
            .unwrap();
        }
        urdf.push_str("</robot>");
        let robot = Robot::from_urdf_string(&urdf).unwrap();
        KinematicChain::extract(&robot, "l0", &format!("l{}", kinds.len())).unwrap()
    };
    for kinds in [vec!["revolute"; 9], vec!["revolute"; 2], {
        let mut one_slides = vec!["revolute"; 6];
        one_slides[2] = "prismatic";
        one_slides
    }] {
        let error = Manipulator::from_chain(chain(&kinds), TolerancePolicy::default()).unwrap_err();
        let KineticError::IncompatibleKinematics { reason } = error else { panic!("{error}") };
        let reason = reason.to_string();
        assert!(reason.contains(&format!("of {} joints", kinds.len())) && reason.contains("S-R-S"), "{reason}");
    }
    // On a rail, and with a slide in the middle: the slide is locked wherever it is.
    for place in [0, 3] {
        let mut kinds = vec!["revolute"; 7];
        kinds[place] = "prismatic";
        let arm = Manipulator::from_chain(chain(&kinds), TolerancePolicy::default()).unwrap();
        assert_eq!(arm.locked_joints(), [format!("j{place}")]);
        let q = [0.1, -0.3, 0.4, 0.25, -0.6, 0.7, 0.2];
        let options = SolveOptions { at: Some(arm.parameters(&q).unwrap()), ..SolveOptions::default() };
        let found = arm.solve(&arm.fk(&q).unwrap(), &options).unwrap();
        assert!(found.iter().any(|solution| is_same(&solution.q, &q, 1e-6)), "slide {place}");
    }
}
