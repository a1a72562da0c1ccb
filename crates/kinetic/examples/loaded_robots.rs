//! Time and memory that loading a built-in robot takes, one JSON object per line; `benches/figures.py --robots` reads it.

#![allow(clippy::print_stdout, reason = "a program")]

use std::sync::Arc;
use std::time::Instant;

use kinetic::core::Result;
use kinetic::robot::Robot;
use kinetic::scene::Scene;
use kinetic::scene::geometry::RobotGeometry;
use serde_json::json;

const REPETITIONS: usize = 20;

/// Median time in ns of making something of what is given.
fn time<G, T>(given: impl Fn() -> G, make: impl Fn(&G) -> Result<T>) -> Result<u64> {
    let mut times = Vec::new();
    for _ in 0..REPETITIONS {
        let given = given();
        let begin = Instant::now();
        make(&given)?;
        times.push(begin.elapsed().as_nanos());
    }
    times.sort_unstable();
    Ok(times[REPETITIONS / 2] as u64)
}

/// Bytes that something keeps.
fn memory<T>(make: impl Fn() -> Result<T>) -> i64 {
    let mut made = None;
    let measured = allocation_counter::measure(|| made = Some(make()));
    drop(made);
    measured.bytes_current
}

fn main() -> Result<()> {
    for name in kinetic::robot_names() {
        let robot = Robot::from_name(name)?;
        let row = json!({
            "robot": name,
            "links": robot.links.len(),
            "robot_ns": time(|| (), |()| Robot::from_name(name))?,
            "robot_bytes": memory(|| Robot::from_name(name)),
            // Scenes around a robot that is known share its geometry: each is around a copy here.
            "scene_ns": time(|| Arc::new(robot.clone()), Scene::new)?,
            // The scene itself drops the geometry of a robot that was known before.
            "scene_bytes": memory(|| RobotGeometry::new(&robot)),
        });
        println!("{row}");
    }
    Ok(())
}
