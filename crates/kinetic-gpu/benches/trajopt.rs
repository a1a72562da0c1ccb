//! Seeds per second of `trajopt`, on the adapter and by the scalar twin, and how many of them become free, in one run.
//!
//! A Panda among twenty boxes: lines with bows between configurations whose spheres are free, where the straight line collides. Arguments choose the
//! adapter: `cargo bench -p kinetic-gpu --bench trajopt -- gpu:0`.
#![allow(clippy::print_stdout, reason = "a bench prints what it measures")]

mod common;

use std::sync::Arc;
use std::time::Instant;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Result};
use kinetic_gpu::{
    CollisionOptions, CpuCollisionChecker, CpuTrajectoryOptimizer, GpuConfig, GpuTrajectoryOptimizer, SplineProposal,
};
use kinetic_robot::Robot;
use kinetic_scene::{BatchCollisionChecker, Margins, Scene};

const PROBLEMS: usize = 16;
const SEEDS_PER_PROBLEM: usize = 8;

/// The line between two configurations with a bow.
fn bowed(start: &[f64], goal: &[f64], bow: &[f64], points: usize) -> Vec<f64> {
    let at = |row: usize, joint: usize| {
        let t = row as f64 / (points + 1) as f64;
        let height = (std::f64::consts::PI * t).sin().max(0.0) * f64::from(u8::from(row <= points));
        start[joint] + t * (goal[joint] - start[joint]) + bow[joint] * height
    };
    (0..points + 2).flat_map(|row| (0..start.len()).map(move |joint| at(row, joint))).collect()
}

/// Seeds of problems whose straight line collides.
fn seeds(scene: &Scene, group: &str, points: usize) -> Result<Vec<f64>> {
    let (robot, mut rng) = (scene.robot(), SeededRng::new(2));
    let mut checker = CpuCollisionChecker::new(scene, group, Margins::ZERO, CollisionOptions::default())?;
    let group = robot.group(group)?;
    let mut least = |q: &[f64]| -> Result<f64> {
        let mut slacks = vec![0.0; q.len() / group.dof()];
        checker.slacks_into(q, &mut slacks)?;
        Ok(slacks.into_iter().fold(f64::INFINITY, f64::min))
    };
    let (mut seeds, mut problems) = (Vec::new(), 0);
    while problems < PROBLEMS {
        let [start, goal] = [(); 2].map(|()| robot.random_configuration(group, &mut rng).0);
        let line = bowed(&start, &goal, &vec![0.0; start.len()], points);
        if least(&start)?.min(least(&goal)?) < 0.01 || least(&line)? > 0.0 {
            continue;
        }
        for seed in 0..SEEDS_PER_PROBLEM {
            let spread = if seed == 0 { 0.0 } else { 0.8 };
            let bow: Vec<f64> = start.iter().map(|_| rng.uniform(-spread, spread)).collect();
            seeds.extend(bowed(&start, &goal, &bow, points));
        }
        problems += 1;
    }
    Ok(seeds)
}

fn measure(name: &str, mut call: impl FnMut() -> Result<Vec<SplineProposal>>) -> Result<()> {
    call()?;
    let start = Instant::now();
    let proposals = call()?;
    let seconds = start.elapsed().as_secs_f64();
    let free = proposals.iter().filter(|proposal| proposal.is_free()).count();
    let solved = proposals.chunks(SEEDS_PER_PROBLEM).filter(|seeds| seeds.iter().any(SplineProposal::is_free)).count();
    let iterations: u32 = proposals.iter().map(|proposal| proposal.iterations).sum();
    println!(
        "{name:<14}{:>9.1} seeds/s {:>9.0} iterations/s; {free} of {} seeds and {solved} of {PROBLEMS} problems free",
        proposals.len() as f64 / seconds,
        f64::from(iterations) / seconds,
        proposals.len()
    );
    Ok(())
}

/// Prints how many free proposals the exact checker proves along all of their edges.
fn count_proven(scene: &Scene, group: &str, proposals: &[SplineProposal]) -> Result<()> {
    let mut exact = scene.checker(group, Margins::ZERO)?;
    let mut is_proven = |path: &[f64], dof: usize| {
        let edges = path.chunks(dof).zip(path[dof..].chunks(dof));
        edges.into_iter().all(|(from, to)| exact.is_motion_free(from, to))
    };
    let free = proposals.iter().filter(|proposal| proposal.is_free());
    let proven = free.filter(|proposal| is_proven(&proposal.path, 7)).count();
    println!("{:<14}{proven} proven along their edges", "");
    Ok(())
}

fn main() -> Result<()> {
    let robot = Arc::new(Robot::from_name("franka_panda")?);
    let scene = common::boxes(&robot)?;
    let group = robot.groups[robot.default_group].name.clone();
    let (options, control) = (GpuConfig::default(), Control::default());
    let (initial, weights) = (seeds(&scene, &group, options.control_points)?, vec![1.0; 7]);
    let twin = CpuTrajectoryOptimizer::new(&scene, &group, Margins::ZERO, &weights, options)?;
    measure("twin", || twin.optimize(&initial, &control))?;
    count_proven(&scene, &group, &twin.optimize(&initial, &control)?)?;
    let wider = Margins::new(0.008, 0.0);
    let twin_with_margins = CpuTrajectoryOptimizer::new(&scene, &group, wider, &weights, options)?;
    measure("with margins", || twin_with_margins.optimize(&initial, &control))?;
    count_proven(&scene, &group, &twin_with_margins.optimize(&initial, &control)?)?;
    let Some(device) = common::device()? else { return Ok(()) };
    let start = Instant::now();
    let mut optimizer = GpuTrajectoryOptimizer::new(&device, &scene, &group, Margins::ZERO, &weights, options)?;
    println!("{:.3} s to compile and upload", start.elapsed().as_secs_f64());
    measure("device", || Ok(optimizer.optimize(&initial, &control)?))
}
