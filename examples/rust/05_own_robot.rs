//! A robot of your own: a URDF, a look over it, a plan.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::Arc;

use kinetic::check::check_robot;
use kinetic::prelude::*;

/// Three joints, all limits stated: a shoulder that turns, an elbow, and a slide that carries the tool.
const URDF: &str = r#"
<robot name="three">
  <link name="base">
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.10 0.10 0.10"/></geometry></collision></link>
  <link name="upper">
    <collision><origin xyz="0 0 0.18"/><geometry><box size="0.05 0.05 0.30"/></geometry></collision></link>
  <link name="fore">
    <collision><origin xyz="0.19 0 0"/><geometry><box size="0.30 0.04 0.04"/></geometry></collision></link>
  <link name="slide">
    <collision><origin xyz="0 0 -0.16"/><geometry><box size="0.04 0.04 0.20"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.10"/>
    <axis xyz="0 0 1"/><limit lower="-2.9" upper="2.9" velocity="2.0" effort="50"/></joint>
  <joint name="bend" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.36"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" velocity="2.0" effort="50"/></joint>
  <joint name="reach" type="prismatic"><parent link="fore"/><child link="slide"/><origin xyz="0.38 0 0"/>
    <axis xyz="0 0 -1"/><limit lower="0.0" upper="0.15" velocity="0.4" effort="50"/></joint>
</robot>"#;

pub fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_urdf_string(URDF)?);
    println!("{}: {} joints, notes: {:?}", robot.name, robot.dof, robot.notes);

    // What is wrong or odd about it, the worst first.
    for finding in check_robot(&robot, 0).findings {
        println!("{:?}: {}: {}", finding.level, finding.subject, finding.message);
    }

    let mut scene = Scene::new(&robot)?;
    scene.add_box("crate", [0.12, 0.12, 0.30], Pose::from_xyz(0.34, 0.0, 0.15))?;
    let (left, right) = ([1.2, 0.3, 0.1], [-1.2, 0.3, 0.1]);
    let is_free = scene.check_motion(&left, &right)?.is_none();
    println!("straight: {}", if is_free { "free" } else { "blocked by the crate" });

    let config = PlannerConfig { seed: 1, ..PlannerConfig::default() };
    let planner = Planner::in_scene(scene)?.with_config(config)?;
    let motion = planner.plan_timed(&left, &Goal::joints(right), kinetic::DEFAULT_TIME_LAW)?.trajectory;
    println!("planned: {:.2} s", motion.duration());
    Ok(())
}
