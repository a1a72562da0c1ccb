//! Trajectory optimisation over B-splines, on a device and, by the scalar twin, on the processor.
//!
//! The cost is that of kinetic-planning's planner `trajopt`: the obstacle functional of CHOMP (Zucker et al. 2013) at samples, and
//! how much the control points accelerate. L-BFGS (Liu and Nocedal 1989) goes down from each initial trajectory, one workgroup each,
//! as in cuRobo (Sundaralingam et al., ICRA 2023).

mod cpu;
mod device;
mod dispatch_group;
mod gpu;
mod gpu_descent;
mod known_problems;
mod problem;
mod work;

pub use cpu::CpuTrajectoryOptimizer;
pub use device::DeviceTrajectoryOptimizer;
pub use gpu::GpuTrajectoryOptimizer;
pub use kinetic_scene::SplineProposal;

use kinetic_core::{KineticError, Result};

use crate::collision::CollisionOptions;
use crate::layout;

/// Control points and samples per interval that a spline may have.
const MOST_POINTS: usize = 256;
/// See the control points.
const MOST_SAMPLES_PER_INTERVAL: usize = 100;
/// Iterations of a seed.
const MOST_ITERATIONS: u32 = 100_000;
/// Initial trajectories that are optimised together: one workgroup each, of which a dispatch may have 65,535.
const MOST_SEEDS: usize = 65_535;
/// Largest length and weight, and how much less than 1 they may be: squares of what they scale are held in single precision.
const LARGEST: f64 = 1e3;
/// See the largest length and weight.
const SMALLEST: f64 = 1e-6;

/// The text of the shader.
pub(crate) fn text() -> String {
    layout::with_distances(&[include_str!("shaders/spline_cost.wgsl"), include_str!("shaders/trajopt.wgsl")].concat())
}

/// Options of trajectory optimisation on a GPU, or by its twin on the processor; meanings and most values are those of
/// kinetic-planning's planner `trajopt`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuConfig {
    /// Initial trajectories that a planner optimises together, 1 to 65 535.
    pub seeds_per_batch: usize,
    /// Control points between the ends, 1 to 256.
    pub control_points: usize,
    /// Samples of the trajectory per interval of the spline, where obstacles are looked at, 1 to 100.
    pub samples_per_interval: usize,
    /// Iterations of a seed at most, 1 to 100 000.
    pub iterations: u32,
    /// Distance beyond the required clearance at which obstacles begin to cost, m.
    pub clearance: f64,
    /// Weight of the accelerations of the trajectory; obstacles have the weight 1.
    pub smoothness_weight: f64,
    /// Largest change of a control point in an iteration, a distance of the metric.
    pub largest_change: f64,
    /// How the scene is prepared.
    pub collision: CollisionOptions,
}

impl Default for GpuConfig {
    fn default() -> Self {
        Self {
            seeds_per_batch: 64,
            control_points: 24,
            samples_per_interval: 2,
            iterations: 100,
            clearance: 0.03,
            smoothness_weight: 0.003,
            largest_change: 0.3,
            collision: CollisionOptions::default(),
        }
    }
}

impl GpuConfig {
    /// For many plans in little time: fewer and coarser trajectories, grids of 5 cm.
    pub fn speed() -> Self {
        Self {
            seeds_per_batch: 32,
            control_points: 16,
            iterations: 40,
            collision: CollisionOptions { resolution: 0.05 },
            ..Self::default()
        }
    }

    /// The defaults.
    pub fn balanced() -> Self {
        Self::default()
    }

    /// For cheaper motions and narrow passages: many and finer trajectories, grids of 1 cm.
    pub fn quality() -> Self {
        Self {
            seeds_per_batch: 256,
            control_points: 32,
            samples_per_interval: 3,
            iterations: 200,
            collision: CollisionOptions { resolution: 0.01 },
            ..Self::default()
        }
    }

    /// "speed", "balanced" or "quality".
    ///
    /// # Errors
    /// [`KineticError::UnknownName`].
    pub fn from_preset(name: &str) -> Result<Self> {
        match name {
            "speed" => Ok(Self::speed()),
            "balanced" => Ok(Self::balanced()),
            "quality" => Ok(Self::quality()),
            _ => Err(KineticError::unknown_name("preset", name, ["speed", "balanced", "quality"])),
        }
    }

    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        let counts = [
            ("seeds_per_batch", self.seeds_per_batch, MOST_SEEDS),
            ("control_points", self.control_points, MOST_POINTS),
            ("samples_per_interval", self.samples_per_interval, MOST_SAMPLES_PER_INTERVAL),
            ("iterations", self.iterations as usize, MOST_ITERATIONS as usize),
        ];
        for (name, value, most) in counts {
            if !(1..=most).contains(&value) {
                return Err(KineticError::invalid(name, value, format!("an integer from 1 to {most}")));
            }
        }
        self.collision.check()?;
        check_size("clearance", self.clearance)?;
        check_size("smoothness_weight", self.smoothness_weight)?;
        check_size("largest_change", self.largest_change)
    }
}

/// # Errors
/// [`KineticError::InvalidValue`] for what single precision would not hold the squares of.
fn check_size(name: &str, value: f64) -> Result<()> {
    if (SMALLEST..=LARGEST).contains(&value) {
        return Ok(());
    }
    Err(KineticError::invalid(name, value, format!("a number from {SMALLEST} to {LARGEST}")))
}
