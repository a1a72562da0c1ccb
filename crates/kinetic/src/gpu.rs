//! Batches on a GPU: all of `kinetic-gpu`, and [`GpuOptimizer`], whose proposals a planner proves.

use std::sync::Arc;

use kinetic_core::{Goal, PlannerConfig, Pose, Result, Shape, Trajectory};
pub use kinetic_gpu::*;
use kinetic_planning::{BatchOptions, Planner, PlanningResult, SharedOptimizer};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

/// Where motions are optimised, and what from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The scene; `None` for an empty one.
    pub scene: Option<&'a Scene>,
    /// Balls beside what the scene has: centre in the root frame of the robot and radius, m.
    pub obstacle_spheres: &'a [[f64; 4]],
    /// A path that is optimised first, as [`Planner::with_warm_start`] takes it.
    pub warm_start: Option<&'a Trajectory>,
}

/// Optimised motions of a robot, in a scene of each call: [`Planner::with_optimizer`] where nothing else of a planner is needed.
///
/// A GPU proposes and the processor proves, so that what is returned keeps clear along all of it. For time, limits and anything that
/// planners can be told take a [`Planner`].
///
/// ```no_run
/// use kinetic::gpu::{GpuConfig, GpuOptimizer, Surroundings};
/// use kinetic::prelude::*;
///
/// let robot = Robot::builtin("ur5e")?;
/// let optimizer = GpuOptimizer::new(&robot, GpuConfig::balanced())?;
/// let ball = [[0.6, 0.0, 0.4, 0.1]];
/// let around = Surroundings { obstacle_spheres: &ball, ..Surroundings::default() };
/// let found = optimizer.optimize(&[-0.8, -1.2, 1.5, -1.0, -1.5, 0.0], &Goal::named("home"), &around)?;
/// println!("{} waypoints", found.path.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct GpuOptimizer {
    planner: Planner,
    config: GpuConfig,
    is_gpu: bool,
}

impl GpuOptimizer {
    /// For the default group of a robot, on the best adapter, a software one where there is no other.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], whose report says why, and as [`on`](Self::on).
    pub fn new(robot: &Arc<Robot>, config: GpuConfig) -> GpuResult<Self> {
        Self::on(&ComputeChoice::Gpu(DeviceChoice::Auto), robot, config)
    }

    /// As [`new`](Self::new), on the device of a choice: the processor too, where the scalar twin does the same, to rounding.
    ///
    /// # Errors
    /// As [`DeviceTrajectoryOptimizer::new`], and [`Planner::new`] for robots that cannot be planned for.
    pub fn on(choice: &ComputeChoice, robot: &Arc<Robot>, config: GpuConfig) -> GpuResult<Self> {
        let optimizer = DeviceTrajectoryOptimizer::new(choice, config)?;
        let is_gpu = optimizer.compute_device().is_gpu();
        let planner = Planner::new(robot)?.with_optimizer(&SharedOptimizer::new(optimizer))?;
        Ok(Self { planner, config, is_gpu })
    }

    /// Whether there is a hardware adapter.
    pub fn gpu_available() -> bool {
        gpu_available()
    }

    /// Whether it computes on a device of wgpu.
    pub fn is_gpu(&self) -> bool {
        self.is_gpu
    }

    /// Its options.
    pub fn config(&self) -> &GpuConfig {
        &self.config
    }

    /// The same with other options of the planner that proves: seed, number of initial trajectories, time-out.
    ///
    /// # Errors
    /// As [`Planner::with_config`].
    pub fn with_planner_config(mut self, config: PlannerConfig) -> Result<Self> {
        self.planner = self.planner.with_config(config)?;
        Ok(self)
    }

    /// A path without collision from a configuration to a goal.
    ///
    /// # Errors
    /// As [`Planner::plan`], [`Planner::with_scene`] and [`Planner::with_warm_start`], and
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for balls that are none.
    pub fn optimize(&self, start: &[f64], goal: &Goal, around: &Surroundings<'_>) -> Result<PlanningResult> {
        self.planner_in(around)?.plan(start, goal)
    }

    /// A path from each start to the goal of the same index. What all of them ask for is optimised together, in common dispatches.
    ///
    /// # Errors
    /// As [`Planner::plan_batch`], and as [`optimize`](Self::optimize) for the surroundings. What is wrong with one item is its error.
    pub fn optimize_batch<Q: AsRef<[f64]> + Sync>(
        &self,
        starts: &[Q],
        goals: &[Goal],
        around: &Surroundings<'_>,
        options: BatchOptions<'_>,
    ) -> Result<Vec<Result<PlanningResult>>> {
        self.planner_in(around)?.plan_batch(starts, goals, options)
    }

    fn planner_in(&self, around: &Surroundings<'_>) -> Result<Planner> {
        let mut scene = around.scene.unwrap_or_else(|| self.planner.scene()).clone();
        for (index, [x, y, z, radius]) in around.obstacle_spheres.iter().enumerate() {
            scene.add(&format!("obstacle_spheres {index}"), Shape::sphere(*radius)?, Pose::from_xyz(*x, *y, *z))?;
        }
        let planner = self.planner.clone().with_scene(&scene)?;
        match around.warm_start {
            Some(path) => planner.with_warm_start(path),
            None => Ok(planner),
        }
    }
}

/// As [`GpuOptimizer`], on the processor: the same code with the scalar twin in place of the shader.
#[derive(Debug, Clone)]
pub struct CpuOptimizer(GpuOptimizer);

impl CpuOptimizer {
    /// For the default group of a robot.
    ///
    /// # Errors
    /// As [`GpuOptimizer::on`], but for those of devices.
    pub fn new(robot: &Arc<Robot>, config: GpuConfig) -> Result<Self> {
        Ok(Self(GpuOptimizer::on(&ComputeChoice::Cpu, robot, config)?))
    }

    /// As [`GpuOptimizer::with_planner_config`].
    ///
    /// # Errors
    /// As there.
    pub fn with_planner_config(self, config: PlannerConfig) -> Result<Self> {
        Ok(Self(self.0.with_planner_config(config)?))
    }

    /// As [`GpuOptimizer::optimize`].
    ///
    /// # Errors
    /// As there.
    pub fn optimize(&self, start: &[f64], goal: &Goal, around: &Surroundings<'_>) -> Result<PlanningResult> {
        self.0.optimize(start, goal, around)
    }

    /// As [`GpuOptimizer::optimize_batch`].
    ///
    /// # Errors
    /// As there.
    pub fn optimize_batch<Q: AsRef<[f64]> + Sync>(
        &self,
        starts: &[Q],
        goals: &[Goal],
        around: &Surroundings<'_>,
        options: BatchOptions<'_>,
    ) -> Result<Vec<Result<PlanningResult>>> {
        self.0.optimize_batch(starts, goals, around, options)
    }
}
