//! What calls by the name of a robot make, and what they share.

use std::sync::Arc;

use kinetic::prelude::*;

const HOME: [f64; 6] = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];

/// Every call by name loaded the robot and made its hulls, which takes ten times as long as the plan.
#[test]
fn calls_by_name_share_the_robot_and_its_geometry() -> Result<()> {
    let goal = Goal::named("ready");
    let scene = Scene::new(&Robot::builtin("ur5e")?)?;
    let by_name = || kinetic::plan("ur5e", &HOME, &goal).map(drop);
    let in_scene = || kinetic::plan_with_scene("ur5e", &HOME, &goal, &scene).map(drop);
    by_name()?;
    in_scene()?;
    let bytes = |call: &dyn Fn() -> Result<()>| {
        let mut answer = Ok(());
        let measured = allocation_counter::measure(|| answer = call());
        answer.map(|()| measured.bytes_total)
    };
    let made = bytes(&|| Scene::new(&Arc::new(Robot::from_name("ur5e")?)).map(drop))?;
    for (what, shared) in [("by name", bytes(&by_name)?), ("in a scene", bytes(&in_scene)?)] {
        assert!(4 * shared < made, "{what}: {shared} bytes, robot and geometry take {made}");
    }
    Ok(())
}
