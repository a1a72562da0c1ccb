//! Time and memory that loading a built-in robot takes, one JSON object per line; `benches/figures.py --robots` reads it.

#![allow(clippy::print_stdout, reason = "a program")]

use std::sync::Arc;
use std::time::Instant;

use kinetic::core::Result;
use kinetic::robot::Robot;
use kinetic::scene::Scene;
use serde_json::json;

const REPETITIONS: usize = 20;

/// Median time in ns of making something of what is given, and bytes that it keeps.
fn measure<G, T>(given: impl Fn() -> G, make: impl Fn(&G) -> Result<T>) -> Result<(u128, i64)> {
    let mut times = Vec::new();
    for _ in 0..REPETITIONS {
        let given = given();
        let begin = Instant::now();
        make(&given)?;
        times.push(begin.elapsed().as_nanos());
    }
    times.sort_unstable();
    let (given, mut made) = (given(), None);
    let memory = allocation_counter::measure(|| made = Some(make(&given)));
    drop(made);
    Ok((times[REPETITIONS / 2], memory.bytes_current))
}

fn main() -> Result<()> {
    for name in kinetic::robot_names() {
        let robot = Robot::from_name(name)?;
        let (robot_ns, robot_bytes) = measure(|| (), |()| Robot::from_name(name))?;
        // Scenes around a robot that is known share its geometry: each is around a copy here.
        let (scene_ns, scene_bytes) = measure(|| Arc::new(robot.clone()), Scene::new)?;
        let row = json!({
            "robot": name,
            "links": robot.links.len(),
            "robot_ns": robot_ns as u64,
            "robot_bytes": robot_bytes,
            "scene_ns": scene_ns as u64,
            "scene_bytes": scene_bytes,
        });
        println!("{row}");
    }
    Ok(())
}
