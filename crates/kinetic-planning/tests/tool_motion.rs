//! Timed motion along tool paths. Oracles: forward kinematics against the lines between the poses, interval bounds of the
//! limits, and the speed of the tool.

use std::sync::Arc;

use kinetic_core::{Limits, Pose};
use kinetic_ik::ToolPath;
use kinetic_ik::analytic::{Manipulator, TolerancePolicy};
use kinetic_kinematics::KinematicChain;
use kinetic_planning::{ToolMotion, ToolMotionOptions, tool_motion};
use kinetic_robot::Robot;
use kinetic_trajectory::limit_ratios;

struct Arm {
    chain: KinematicChain,
    closed_form: Manipulator,
    limits: Limits,
    start: Vec<f64>,
}

fn arm() -> Arm {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    let closed_form = Manipulator::from_chain(chain.clone(), TolerancePolicy::default()).unwrap();
    let limits = robot.limits(&robot.groups[robot.default_group]);
    Arm { chain, closed_form, limits, start: vec![0.3, -1.2, 1.6, -2.0, -1.5, 0.1] }
}

/// A square of 20 cm beside the tool, one corner with another orientation.
fn square(arm: &Arm) -> Vec<Pose> {
    let tool = arm.chain.tip_pose(&arm.start);
    let at = |x: f64, y: f64, roll: f64| {
        let p = tool.translation();
        let moved = Pose::from_xyz(p.x + x, p.y + y, p.z);
        let turned = tool.compose(&Pose::from_xyz_rpy(0.0, 0.0, 0.0, roll, 0.0, 0.0)).rotation();
        Pose::from(nalgebra::Isometry3::from_parts(moved.translation().into(), turned))
    };
    vec![at(0.0, 0.0, 0.0), at(0.0, -0.2, 0.0), at(-0.2, -0.2, 0.3), at(-0.2, 0.0, 0.0)]
}

fn moved(arm: &Arm, radii: &[f64], law: &str) -> (ToolPath, ToolMotion) {
    let path = ToolPath::new(&square(arm), radii).unwrap();
    let options = ToolMotionOptions { start: Some(arm.start.clone().into()), law: law.into(), ..Default::default() };
    let motion = tool_motion(Some(&arm.closed_form), &arm.chain, &path, &arm.limits, &options).unwrap();
    (path, motion)
}

#[test]
fn the_tool_stays_on_its_lines_and_corners_inside_the_limits_without_a_stop() {
    let arm = arm();
    for law in ["totp", "cubic_spline"] {
        let (path, motion) = moved(&arm, &[0.04, 0.04], law);
        assert!(motion.deviation <= 1e-4 && 0.1 * motion.angle <= 1e-4, "{law}: {}", motion.deviation);
        let curve = motion.trajectory.curve();
        let ratios = limit_ratios(curve, &arm.limits).unwrap();
        assert!(ratios.velocity <= 1.0 && ratios.acceleration <= 1.0, "{law}: {ratios:?}");
        let end = curve.duration();
        let poses: Vec<Pose> = (0..=2000).map(|i| path.pose_at(path.length() * f64::from(i) / 2000.0)).collect();
        let mut last = 0;
        for sample in 0..=400 {
            let t = end * f64::from(sample) / 400.0;
            let tool = arm.chain.tip_pose(&curve.sample(t, 0));
            let off = |i: usize| poses[i].translation_distance(&tool);
            let near = (last..=(last + 100).min(2000)).min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap();
            // Half a step of the samples, and what was promised.
            let spacing = path.length() / 2000.0;
            assert!(off(near) <= 1e-4 + spacing / 2.0, "{law} at {t}: {} m off", off(near));
            let turned = poses[near].rotation_distance(&tool);
            assert!(turned < 0.01, "{law} at {t}: {turned} rad off");
            last = near;
            if sample > 20 && sample < 380 {
                let h = 1e-4;
                let ahead = arm.chain.tip_pose(&curve.sample(t + h, 0));
                assert!(tool.translation_distance(&ahead) / h > 0.02, "{law}: stops at {t} of {end}");
            }
        }
        let times = motion.trajectory.waypoint_times();
        assert!(times.windows(2).all(|pair| pair[1] > pair[0]), "{law}");
        let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap(&curve.sample(0.0, 0), &arm.start) < 1e-6);
    }
}

#[test]
fn a_corner_without_a_radius_is_met_with_a_stop_and_costs_time() {
    let arm = arm();
    let (_, round) = moved(&arm, &[0.04, 0.04], "totp");
    let (path, sharp) = moved(&arm, &[0.0, 0.04], "totp");
    assert!(sharp.trajectory.duration() > round.trajectory.duration() + 0.1);
    let corner = path.pose_at(path.stops()[1]);
    let curve = sharp.trajectory.curve();
    let nearest = (0..=5000)
        .map(|i| curve.duration() * f64::from(i) / 5000.0)
        .map(|t| (arm.chain.tip_pose(&curve.sample(t, 0)).translation_distance(&corner), t))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap();
    assert!(nearest.0 < 1e-5, "{nearest:?}");
    assert!(curve.sample(nearest.1, 1).iter().all(|v| v.abs() < 0.02));
}

#[test]
fn what_cannot_be_followed_is_said() {
    let arm = arm();
    let far = [Pose::from_xyz(0.4, 0.2, 0.4), Pose::from_xyz(3.0, 0.2, 0.4)];
    let path = ToolPath::new(&far, &[]).unwrap();
    let call = |path: &ToolPath, options: &ToolMotionOptions| {
        tool_motion(Some(&arm.closed_form), &arm.chain, path, &arm.limits, options).unwrap_err()
    };
    assert_eq!(call(&path, &ToolMotionOptions::default()).code(), "NoIKSolution");
    let path = ToolPath::new(&square(&arm), &[0.04, 0.04]).unwrap();
    for tolerance in [0.0, -1.0, 1e-14] {
        let options = ToolMotionOptions { tolerance, ..ToolMotionOptions::default() };
        let error = call(&path, &options);
        assert!(error.code() == "InvalidValue" && error.to_string().contains("tolerance"), "{error}");
    }
    let options = ToolMotionOptions { law: "quick".to_owned(), ..ToolMotionOptions::default() };
    assert_eq!(call(&path, &options).code(), "UnknownName");
}
