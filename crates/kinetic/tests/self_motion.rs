//! Pose goals of redundant arms among obstacles: a pose that a free configuration is known for is no goal in collision.

use kinetic::core::rng::SeededRng;
use kinetic::kinematics::analytic::{Manipulator, TolerancePolicy};
use kinetic::kinematics::{IKConfig, solve_ik_branches};
use kinetic::planning::ReportOptions;
use kinetic::prelude::*;

use crate::cases;
use crate::support::robot;

const ROBOTS: [(&str, &str); 4] =
    [("franka_panda", "arm"), ("kuka_iiwa14", "arm"), ("xarm7", "arm"), ("fetch", "arm_with_torso")];

/// Balls all around a robot.
fn cluttered(name: &str, rng: &mut SeededRng) -> Scene {
    let mut scene = Scene::new(&robot(name)).unwrap();
    for index in 0..30 {
        let at = Pose::from_xyz(rng.uniform(-0.9, 0.9), rng.uniform(-0.9, 0.9), rng.uniform(0.1, 1.3));
        scene.add(&format!("ball{index}"), Shape::sphere(rng.uniform(0.05, 0.12)).unwrap(), at).unwrap();
    }
    scene
}

/// Whether planning has a configuration to go to: what comes after that is not looked at.
fn is_met(planner: &Planner, start: &[f64], target: &Pose) -> Result<()> {
    match planner.plan(start, &Goal::pose(*target)) {
        Ok(_) | Err(KineticError::PlanningTimeout { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

#[test]
fn a_pose_with_a_known_free_configuration_is_never_in_collision() {
    let (mut known, mut coarse) = (0, 0);
    for (name, group) in ROBOTS {
        for seed in 0..cases(12, 200) as u64 {
            let mut rng = SeededRng::new(seed);
            let scene = cluttered(name, &mut rng);
            let config = PlannerConfig { max_iterations: 1, timeout: f64::INFINITY, ..PlannerConfig::default() };
            let planner = Planner::in_scene(scene).unwrap().with_group(group).unwrap().with_config(config).unwrap();
            let arm = Manipulator::from_chain(planner.chain().clone(), TolerancePolicy::default()).unwrap();
            let robot = planner.scene().robot().clone();
            let free: Vec<_> = (0..2_000)
                .map(|_| robot.random_configuration(planner.group(), &mut rng))
                .filter(|q| !planner.is_in_collision(q).unwrap())
                .take(9)
                .collect();
            for goal in free.iter().skip(1) {
                let target = planner.fk(goal).unwrap();
                known += 1;
                let config = IKConfig { seed: Some(free[0].clone()), ..IKConfig::for_robot(&robot) };
                let branches = solve_ik_branches(Some(&arm), planner.chain(), &target, &config).unwrap_or_default();
                coarse += usize::from(branches.iter().all(|branch| planner.is_in_collision(&branch.joints).unwrap()));
                let met = is_met(&planner, &free[0], &target);
                assert!(met.is_ok(), "{name}, seed {seed}, goal {goal:?}: {met:?}");
            }
        }
    }
    eprintln!("{known} poses, {coarse} of them not met by the first samples of the self-motion");
    assert!(known > 200 && coarse >= 3, "{known} {coarse}");
}

#[test]
fn a_pose_that_is_in_collision_throughout_says_what_was_tried() {
    let robot = robot("franka_panda");
    let mut scene = Scene::new(&robot).unwrap();
    let planner = Planner::in_scene(scene.clone()).unwrap();
    let ready = robot.named_pose(planner.group(), "ready").unwrap().clone();
    let mut goal = ready.clone();
    goal[0] += 0.7;
    let target = planner.fk(&goal).unwrap();
    scene.add("ball", Shape::sphere(0.05).unwrap(), target).unwrap();
    let planner = planner.with_scene(&scene).unwrap();
    let error = planner.plan(&ready, &Goal::pose(target)).unwrap_err();
    let KineticError::GoalInCollision { tried, .. } = &error else { panic!("{error}") };
    assert!(*tried > 1_000, "{error}");
    let options = ReportOptions { tries: false, ..ReportOptions::default() };
    let report = planner.explain(&ready, &Goal::pose(target), &error, &options).unwrap();
    let motion = report.evidence.ik.as_ref().unwrap().self_motion.clone().unwrap();
    assert_eq!(motion.in_collision, motion.inside_limits);
    assert!(motion.configurations >= motion.inside_limits && motion.places > 1_000);
    assert!(motion.colliding.iter().any(|(pair, _)| pair.other == "ball"), "{report}");
    assert!(report.to_string().contains("self-motion"), "{report}");
}
