//! What is left of the library when every feature is off.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use kinetic::prelude::*;

const URDF: &str = r#"
<robot name="two">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.05 0.05 0.25"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.04 0.04 0.25"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 0.06"/><limit lower="-3" upper="3" velocity="2" effort="10"/></joint>
  <joint name="bend" type="revolute"><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.35"/><limit lower="-2" upper="2" velocity="2" effort="10"/></joint>
</robot>"#;

#[test]
fn a_robot_of_ones_own_is_planned_for() {
    let robot = Arc::new(Robot::from_urdf_string(URDF).unwrap());
    let goal = Goal::joints([1.0, -0.3]);
    let motion = Planner::new(&robot).unwrap().plan_timed(&[-1.0, 0.3], &goal, kinetic::DEFAULT_TIME_LAW).unwrap();
    assert!(motion.trajectory.certificate().is_some());
}
