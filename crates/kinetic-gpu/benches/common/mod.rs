//! What the benches have in common: the world, and the adapter that arguments choose.
#![allow(dead_code, reason = "each bench uses a part")]

use std::sync::Arc;
use std::time::Instant;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Result, Shape};
use kinetic_gpu::{DeviceChoice, GpuDevice};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

/// Twenty boxes around a robot.
pub(crate) fn boxes(robot: &Arc<Robot>) -> Result<Scene> {
    let (mut scene, mut rng) = (Scene::new(robot)?, SeededRng::new(1));
    for index in 0..20 {
        let [x, y, z] = [(); 3].map(|()| rng.uniform(-1.0, 1.0));
        let shape = Shape::cuboid(rng.uniform(0.02, 0.1), rng.uniform(0.02, 0.1), rng.uniform(0.02, 0.1))?;
        scene.add(&format!("box {index}"), shape, Pose::from_xyz_rpy(x, y, z, x, y, z))?;
    }
    Ok(scene)
}

/// The adapter that the first argument names, the best without one; where there is none, why is printed.
pub(crate) fn device() -> Result<Option<Arc<GpuDevice>>> {
    let choice = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let choice: DeviceChoice = choice.as_deref().unwrap_or("auto").parse()?;
    match GpuDevice::open(&choice) {
        Ok(device) => {
            println!("{}", device.info());
            Ok(Some(device))
        }
        Err(error) => {
            println!("{error}");
            Ok(None)
        }
    }
}

/// Calls of which the best counts.
const CALLS: usize = 5;

/// Prints how many rows per second the best of several calls does.
pub(crate) fn measure(name: &str, (rows, unit): (usize, &str), mut call: impl FnMut() -> Result<()>) -> Result<()> {
    call()?;
    let mut best = f64::INFINITY;
    for _ in 0..CALLS {
        let start = Instant::now();
        call()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{name:<34}{:>12.0} {unit}/s", rows as f64 / best);
    Ok(())
}
