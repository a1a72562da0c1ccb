//! A tool on lines, arcs and around obstacles: how far it gets, how near to its path, and how fast.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use kinetic::kinematics::{CartesianMove, CartesianPath, MoveFrame};
use kinetic::nalgebra::Translation3;
use kinetic::planning::CartesianConfig;
use kinetic::prelude::*;

fn by(path: CartesianPath, x: f64, y: f64, z: f64) -> CartesianPath {
    path.move_by(Pose::from_xyz(x, y, z), MoveFrame::Base)
}

pub fn main() -> Result<()> {
    let robot = Robot::builtin("ur5e")?;
    let start = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1];
    let mut scene = Scene::new(&robot)?;
    scene.add("table", Shape::box_from_size(1.6, 1.6, 0.04)?, Pose::from_xyz(0.0, 0.0, -0.05))?;
    let planner = Planner::in_scene(scene.clone())?;

    // Down, aside without a stop, and up again: a seam at 50 mm/s.
    let seam = by(by(CartesianPath::new(), 0.0, 0.0, -0.1).blended(0.02), 0.0, -0.2, 0.0).blended(0.02);
    let seam = by(seam, 0.0, 0.0, 0.1);
    let config = CartesianConfig { constant_speed: Some(0.05), collision_margin: 0.005, ..CartesianConfig::default() };
    let glued = planner.plan_cartesian(&start, &seam, &config)?;
    println!("seam: {:.3} m, off by {:.1} µm at most", glued.length, 1e6 * glued.deviation);
    println!("  at most {:.2} mm/s", 1e3 * glued.tool_speed);
    for loss in &glued.speed_losses {
        let joint = loss.joint.as_deref().unwrap_or("no joint");
        println!("  {:.1} to {:.1} mm: {joint} at its limit", 1e3 * loss.from, 1e3 * loss.to);
    }

    // An arc through a pose whose orientation is met, and a screw.
    let tool = planner.fk(&start)?;
    let moved = |x: f64, y: f64| Pose(Translation3::new(x, y, 0.0) * tool.0);
    let arc = CartesianPath::new().arc_to(moved(0.03, -0.05), moved(0.0, -0.1));
    let axis = Vector3::z();
    let screw = CartesianMove::Screw { point: tool.translation(), axis, angle: 1.5, advance: 0.05 };
    let config = CartesianConfig::default();
    for path in [arc, CartesianPath::new().then(screw)] {
        println!("followed: {:.0} %", 100.0 * planner.plan_cartesian(&start, &path, &config)?.fraction);
    }

    // A post in the way: the longest part that keeps the margin, and why it ends.
    let at = tool.translation();
    scene.add("post", Shape::cylinder(0.03, 0.4)?, Pose::from_xyz(at.x, at.y - 0.3, at.z))?;
    let line =
        planner.with_scene(&scene)?.plan_cartesian(&start, &by(CartesianPath::new(), 0.0, -0.4, 0.0), &config)?;
    if let Some(stop) = &line.stop {
        println!("line {:.0} %: {stop}", 100.0 * line.fraction);
    }
    Ok(())
}
