//! Pick and place: grasp a part, plan with it in the hand, put it down.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::f64::consts::{FRAC_PI_4, PI};
use std::sync::Arc;

use kinetic::prelude::*;

const FINGERS: [&str; 2] = ["panda_leftfinger", "panda_rightfinger"];

/// The pose of the arm's tip, `panda_link8`, in which the finger tips are at a point and the hand points down.
fn hand_over(x: f64, y: f64, z: f64) -> Pose {
    let tip_from_fingers = Pose::from_xyz_rpy(0.0, 0.0, 0.1034, 0.0, 0.0, -FRAC_PI_4);
    Pose::from_xyz_rpy(x, y, z, PI, 0.0, 0.0).compose(&tip_from_fingers.inverse())
}

fn plan(scene: &Scene, start: &[f64], goal: &Goal) -> Result<TimedTrajectory> {
    let config = PlannerConfig { seed: 1, ..PlannerConfig::default() };
    let planner = Planner::in_scene(scene.clone())?.with_config(config)?;
    Ok(planner.plan_timed(start, goal, kinetic::DEFAULT_TIME_LAW)?.trajectory)
}

fn end_of(motion: &TimedTrajectory) -> Vec<f64> {
    motion.curve().sample(motion.duration(), 0)
}

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("franka_panda")?);
    let mut scene = Scene::new(&robot)?;
    scene.add_box("table", [0.9, 1.2, 0.04], Pose::from_xyz(0.45, 0.0, -0.02))?;
    scene.add_box("wall", [0.40, 0.02, 0.30], Pose::from_xyz(0.50, 0.0, 0.15))?;
    // The part stands 1 mm above the table, because things that touch are in collision.
    scene.add_box("part", [0.04, 0.04, 0.12], Pose::from_xyz(0.50, -0.25, 0.061))?;
    for finger in FINGERS {
        scene.allow_collision(finger, "part")?;
    }
    // The finger is no joint of the arm; it stands where the scene holds it: open.
    scene.hold_joint("panda_finger_joint1", 0.035)?;

    let ready = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
    let reach = plan(&scene, &ready, &Goal::pose(hand_over(0.50, -0.25, 0.106)))?;
    println!("reach: {:.2} s", reach.duration());

    // Now the part belongs to the hand: it is checked against the world and the arm, but not against hand and fingers.
    let grasped = end_of(&reach);
    scene.attach_existing("part", "panda_hand", &grasped, None)?;
    let carry = plan(&scene, &grasped, &Goal::pose(hand_over(0.50, 0.25, 0.106)))?;
    println!("carry: {:.2} s, {} attached", carry.duration(), scene.attached().len());

    scene.detach("part", Pose::from_xyz(0.50, 0.25, 0.061))?;
    let retreat = plan(&scene, &end_of(&carry), &Goal::named("ready"))?;
    println!("retreat: {:.2} s, {} objects", retreat.duration(), scene.objects().len());
    Ok(())
}
