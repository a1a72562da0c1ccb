//! Product of exponentials and topology.

use kinetic_core::error::reason;
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_ik::analytic::{ProductOfExponentials, Relation, TolerancePolicy, Topology};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::Robot;

use super::arms::{self, Lie, difference};
use crate::{cases, plain};

/// Two products of at most 20 transforms with lengths below 3 m, each rounded.
const SAME_POSE: f64 = 1e-12;

#[test]
fn the_normal_form_has_the_forward_kinematics_of_the_robot() {
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group)
            .unwrap()
            .with_tcp(&Pose::from_xyz_rpy(0.1, -0.05, 0.2, 0.3, -0.4, 0.5));
        let coupled = chain.program().frames().iter().any(|frame| frame.multiplier != 1.0 || frame.offset != 0.0);
        let frames = chain.program().num_frames() - 1;
        let normal = match ProductOfExponentials::from_chain(&chain) {
            Ok(normal) => normal,
            // Telescopes whose parts follow each other have no screw per joint.
            Err(error) => {
                assert!(coupled || frames > chain.dof(), "{name}: {error}");
                continue;
            }
        };
        let mut rng = SeededRng::new(11);
        for _ in 0..cases(50, 2_000) {
            let q = robot.random_configuration(group, &mut rng);
            let poses = plain::link_poses(&robot, &robot.full_configuration(group, &q).unwrap());
            let expected = poses[group.base_link].inverse() * poses[group.tip_link] * chain.tcp();
            assert!(difference(&normal.pose(&q), &Rigid::from(&expected)) < SAME_POSE, "{name}");
        }
    }
}

#[test]
fn the_reversed_arm_is_the_inverse_and_a_held_joint_is_gone() {
    let mut rng = SeededRng::new(12);
    for _ in 0..cases(50, 1_000) {
        let arm = arms::arm(&mut rng, &[Lie::Skew, Lie::Parallel, Lie::Meets, Lie::SamePoint, Lie::Skew, Lie::Skew]);
        let q = arms::configuration(&mut rng, arm.dof());
        // reversed() keeps the joint part and inverts it: e₁…eₙ · (e₁…eₙ)⁻¹ = 1.
        let joints = |arm: &ProductOfExponentials| arm.pose(&q).then(&inverse(arm.home()));
        let product = joints(&arm).then(&joints(&arm.reversed()));
        assert!(difference(&product, &Rigid::identity()) < SAME_POSE);
        let held = arm.held(2, q[2]);
        assert_eq!(held.dof(), 6);
        assert!(difference(&held.pose(&q), &arm.pose(&q)) < SAME_POSE);
    }
}

#[test]
fn random_arms_of_a_class_are_recognised_in_every_configuration() {
    let policy = TolerancePolicy::default();
    let mut rng = SeededRng::new(13);
    for _ in 0..cases(100, 2_000) {
        let arm = arms::arm(&mut rng, &[Lie::Meets, Lie::Parallel, Lie::Skew, Lie::Meets, Lie::SamePoint]);
        let topology = Topology::of(&arm, &policy);
        assert!(topology.intersection(0).is_some());
        assert!(topology.is_parallel(1));
        assert!(matches!(topology.pairs[2].relation, Relation::Skew { distance, .. } if distance > 0.04));
        let wrist = topology.common_point(3).unwrap();
        assert_eq!(topology.common_points.len(), 1);
        for screw in &arm.screws()[3..] {
            assert!((wrist - screw.point).cross(&screw.axis).norm() < 1e-12);
        }
        let elsewhere = Topology::of(&arms::at(&arm, &arms::configuration(&mut rng, 6)), &policy);
        assert!(elsewhere.intersection(0).is_some() && elsewhere.is_parallel(1));
        assert!(elsewhere.common_point(3).is_some() && elsewhere.intersection(2).is_none());
        assert!(topology.to_string().contains("axes 4 to 6 share a point"));
    }
}

#[test]
fn built_in_arms_have_the_axes_that_data_sheets_show() {
    let topology = |name: &str| {
        let chain = KinematicChain::auto_detect(&Robot::from_name(name).unwrap()).unwrap();
        Topology::of(&ProductOfExponentials::from_chain(&chain).unwrap(), &TolerancePolicy::default())
    };
    let ur = topology("ur5e");
    assert!(ur.is_parallel(1) && ur.is_parallel(2), "{ur}");
    assert!(ur.common_points.is_empty(), "a UR arm has no spherical wrist: {ur}");
    let irb = topology("abb_irb1200");
    assert!(irb.is_parallel(1) && irb.common_point(3).is_some(), "{irb}");
    let panda = topology("franka_panda");
    assert!(panda.common_point(0).is_some() && panda.common_point(4).is_none(), "{panda}");
}

#[test]
fn a_joint_that_moves_another_one_is_refused_by_name() {
    let urdf = r#"<robot name="pair"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="lead" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
            <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
        <joint name="follow" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
            <limit lower="-1" upper="1" velocity="1" effort="1"/><mimic joint="lead" multiplier="2"/></joint></robot>"#;
    let robot = Robot::from_urdf_string(urdf).unwrap();
    let chain = KinematicChain::extract(&robot, "a", "c").unwrap();
    let error = ProductOfExponentials::from_chain(&chain).unwrap_err();
    let KineticError::IncompatibleKinematics { reason } = error else { panic!("{error}") };
    assert_eq!(reason, reason::IncompatibleKinematics::MimicJoint { joint: "lead".to_owned() });
}

#[test]
fn thresholds_that_make_no_sense_are_refused_by_name() {
    let policy = TolerancePolicy { subproblem_dedup: f64::NAN, ..TolerancePolicy::default() };
    assert!(policy.check().unwrap_err().to_string().contains("subproblem_dedup"));
    assert!(TolerancePolicy::default().check().is_ok());
}

fn inverse(pose: &Rigid) -> Rigid {
    let rotation = pose.rotation.transpose();
    Rigid { rotation, translation: -(rotation * pose.translation) }
}
