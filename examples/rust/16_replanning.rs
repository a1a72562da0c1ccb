//! A ball that appears where the tool will be: a stop and another motion, and another motion without a stop.

#![allow(clippy::print_stdout, missing_docs, reason = "an example shows what it found, and is no library")]

use std::sync::{Arc, Mutex, PoisonError};

use kinetic::execution::{ExecutionConfig, Progress};
use kinetic::plan_execute::{DriverExecutor, PlanExecuteConfig, PlanExecuteLoop, ReplanStrategy};
use kinetic::prelude::*;

const LEFT: [f64; 6] = [-1.4, -1.2, 1.2, -1.5, -1.57, 0.0];
const RIGHT: [f64; 6] = [1.4, -1.2, 1.2, -1.5, -1.57, 0.0];

pub fn main() -> Result<()> {
    let robot = Robot::builtin("ur5e")?;
    let ahead = Planner::new(&robot)?.fk(&[0.7, -1.2, 1.2, -1.5, -1.57, 0.0])?.translation.vector;

    for replan in [ReplanStrategy::Deferred, ReplanStrategy::Splice] {
        let live = LiveScene::new(Scene::new(&robot)?);
        let commands: Arc<Mutex<Vec<Vec<f64>>>> = Arc::default();
        let (world, told) = (live.clone(), Arc::clone(&commands));
        // Adds the ball once the arm has turned a little. A camera has its place here, in any thread.
        let appear = move |now: &Progress<'_>| {
            told.lock().unwrap_or_else(PoisonError::into_inner).push(now.positions.to_vec());
            if now.positions[0] > -1.2 && world.revision() == 0 {
                let ball = Pose::from_xyz(ahead.x, ahead.y, ahead.z);
                let added = world.edit(|scene| scene.add("ball", Shape::sphere(0.08)?, ball));
                added.unwrap_or_else(|error| println!("{error}"));
            }
        };

        // Simulated time: a real arm has a RealTimeExecutor with its driver instead.
        let executor = DriverExecutor::simulated(ExecutionConfig::default(), &LEFT)?.with_progress(Arc::new(appear));
        let config = PlanExecuteConfig { replan, ..PlanExecuteConfig::default() };
        let mut moving = PlanExecuteLoop::new(Planner::in_live_scene(&live)?, executor).with_config(config)?;
        let result = moving.move_to(&Goal::joints(RIGHT))?;

        let commands = commands.lock().unwrap_or_else(PoisonError::into_inner);
        let length = |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| (b - a).powi(2)).sum::<f64>().sqrt();
        let speeds: Vec<f64> = commands.windows(2).map(|pair| 500.0 * length(pair)).collect();
        let inner = &speeds[..speeds.len() - 1];
        let rests = inner.windows(2).filter(|pair| pair[1] < 1e-3 && pair[0] >= 1e-3).count();
        let certificate = result.trajectory.certificate().ok_or_else(|| KineticError::Other("no proof".to_owned()))?;
        let clearance = certificate.closest_approach()?.map_or(f64::INFINITY, |closest| closest.distance);
        let (name, count) = (replan.name(), commands.len());
        println!("{name}: {} new motion, {} without a stop, {count} commands", result.replans, result.splices);
        println!("  rests on the way: {rests}; from the ball {clearance:.4} m");
    }
    Ok(())
}
