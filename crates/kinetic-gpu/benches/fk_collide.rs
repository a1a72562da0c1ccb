//! Configurations per second of `fk_collide`: on the adapter, by the scalar twin, and by the exact checker, in one run.
//!
//! A Panda among twenty boxes, 32 768 random configurations, the best of five calls each. Arguments choose the adapter:
//! `cargo bench -p kinetic-gpu --bench fk_collide -- gpu:0`.
#![allow(clippy::print_stdout, reason = "a bench prints what it measures")]

mod common;

use std::sync::Arc;
use std::time::Instant;

use kinetic_core::Result;
use kinetic_core::rng::SeededRng;
use kinetic_gpu::{CollisionOptions, CpuCollisionChecker, GpuCollisionChecker, GpuKinematics};
use kinetic_robot::Robot;
use kinetic_scene::{BatchCollisionChecker, Margins, Scene};

const ROWS: usize = 32_768;
/// Configurations whose verdicts are compared.
const SAMPLES: usize = 2000;

fn measure_checker(name: &str, checker: &mut dyn BatchCollisionChecker, q: &[f64]) -> Result<()> {
    let rows = q.len() / checker.dof();
    let (mut slacks, mut gradients) = (vec![0.0; rows], vec![0.0; q.len()]);
    common::measure(&format!("{name}, slacks"), (rows, "configurations"), || checker.slacks_into(q, &mut slacks))?;
    common::measure(&format!("{name}, gradients"), (rows, "configurations"), || {
        checker.gradients_into(q, &mut slacks, &mut gradients)
    })?;
    let free = slacks.iter().filter(|slack| **slack > 0.0).count();
    println!("{:<34}{free:>12} free of {rows}", "");
    Ok(())
}

/// Prints how many configurations that are free of self-collision the spheres leave free.
fn count_free(name: &str) -> Result<()> {
    let robot = Arc::new(Robot::from_name(name)?);
    let (scene, mut rng) = (Scene::new(&robot)?, SeededRng::new(1));
    let group = &robot.groups[robot.default_group];
    let q: Vec<f64> = (0..SAMPLES).flat_map(|_| robot.random_configuration(group, &mut rng).0).collect();
    let exact = scene.checker(&group.name, Margins::ZERO)?.are_free(&q);
    let mut free = vec![false; SAMPLES];
    CpuCollisionChecker::new(&scene, &group.name, Margins::ZERO, CollisionOptions::default())?
        .free_into(&q, &mut free)?;
    let [exact, free] = [exact, free].map(|free| free.iter().filter(|free| **free).count());
    println!("{name}: of {exact} configurations without self-collision spheres leave {free} free");
    Ok(())
}

fn main() -> Result<()> {
    for name in ["ur5e", "franka_panda", "kuka_iiwa7"] {
        count_free(name)?;
    }
    let robot = Arc::new(Robot::from_name("franka_panda")?);
    let scene = common::boxes(&robot)?;
    let group = robot.groups[robot.default_group].clone();
    let mut rng = SeededRng::new(2);
    let q: Vec<f64> = (0..ROWS).flat_map(|_| robot.random_configuration(&group, &mut rng).0).collect();
    let full: Vec<f64> = (0..ROWS * robot.num_variables()).map(|_| rng.uniform(-0.04, 0.04)).collect();
    let options = CollisionOptions::default();
    let mut exact = scene.checker(&group.name, Margins::ZERO)?;
    let mut free = vec![false; ROWS];
    let spheres: usize = exact.model().bodies.iter().map(|body| body.spheres.len()).sum();
    println!(
        "{}: {spheres} spheres, {} self pairs, {} obstacles",
        robot.name,
        exact.model().checked_pairs,
        scene.objects().len()
    );
    common::measure("exact checker (SIMD), verdicts", (ROWS, "configurations"), || exact.free_into(&q, &mut free))?;
    println!("{:<34}{:>12} free of {ROWS}", "", free.iter().filter(|free| **free).count());
    measure_checker(
        "twin",
        &mut CpuCollisionChecker::new(&scene, &group.name, Margins::ZERO, options)?,
        &q[..q.len() / 8],
    )?;
    let Some(device) = common::device()? else { return Ok(()) };
    let start = Instant::now();
    let mut checker = GpuCollisionChecker::new(&device, &scene, &group.name, Margins::ZERO, options)?;
    println!("{:<34}{:>12.3} s to compile and upload", "", start.elapsed().as_secs_f64());
    measure_checker("device", &mut checker, &q)?;
    let mut kinematics = GpuKinematics::new(&device, &robot)?;
    common::measure("device, poses of all links", (ROWS, "configurations"), || {
        Ok(kinematics.link_poses(&full).map(|_| ())?)
    })
}
