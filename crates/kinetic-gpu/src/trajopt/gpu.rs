//! Trajectory optimisation on a device, in one scene.

use std::sync::Arc;

use kinetic_core::{ContentHash, Control};
use kinetic_scene::{Margins, OptimizationContext, Scene};

use super::gpu_descent::GpuDescent;
use super::problem::SplineProblem;
use super::work::Part;
use super::{GpuConfig, SplineProposal};
use crate::device::GpuDevice;
use crate::error::GpuResult;

/// Trajectory optimisation on a device: one workgroup per initial trajectory.
///
/// Links and attached bodies are the spheres that contain them, and obstacles are measured as by
/// [`GpuCollisionChecker`](crate::GpuCollisionChecker). A trajectory is done at the first iteration at which all of its samples are
/// free. Where none is, the proposal is that of least cost. The control is looked at between dispatches of at most ten iterations. The same
/// device gives the same bytes in each run, however seeds are divided among calls.
#[derive(Debug)]
pub struct GpuTrajectoryOptimizer {
    problem: Arc<SplineProblem>,
    descent: GpuDescent,
}

impl GpuTrajectoryOptimizer {
    /// For a planning group of a scene as it is now. `weights` are those of the joints in the metric, one each.
    ///
    /// # Errors
    /// As [`Scene::checker`]; [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options or weights out of their domain or
    /// more data than a buffer of the device holds; [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for weights;
    /// and those of the device.
    pub fn new(
        device: &Arc<GpuDevice>,
        scene: &Scene,
        group: &str,
        margins: Margins,
        weights: &[f64],
        options: GpuConfig,
    ) -> GpuResult<Self> {
        let context = OptimizationContext { scene, group, margins, weights };
        let problem = Arc::new(SplineProblem::new(&context, options)?);
        let mut descent = GpuDescent::new(device)?;
        descent.upload(&[Arc::clone(&problem)])?;
        Ok(Self { problem, descent })
    }

    /// The device.
    pub fn device(&self) -> &Arc<GpuDevice> {
        self.descent.device()
    }

    /// The scene that it was made of, or last updated to.
    pub fn version(&self) -> ContentHash {
        self.problem.snapshot.version
    }

    /// Its options.
    pub fn options(&self) -> &GpuConfig {
        &self.problem.options
    }

    /// Follows the scene to another version; false when it is the version that it has.
    ///
    /// # Errors
    /// As [`new`](Self::new); the optimizer then has the version that it had.
    pub fn update(&mut self, scene: &Scene) -> GpuResult<bool> {
        let Some(problem) = self.problem.updated(scene)? else { return Ok(false) };
        let problem = Arc::new(problem);
        self.descent.upload(&[Arc::clone(&problem)])?;
        self.problem = problem;
        Ok(true)
    }

    /// Optimises seeds, each (`control_points` + 2) rows of joint values: the start, control points, and the goal, continuous joints
    /// unwrapped. Ends stay, and control points are kept inside the joint limits. All seeds are returned in their order.
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for incomplete seeds,
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite), [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for joint values
    /// farther than 32 rad or m from the turn of the start, that of the control, and those of the device.
    pub fn optimize(&mut self, initial: &[f64], control: &Control) -> GpuResult<Vec<SplineProposal>> {
        let part = Part { problem: Arc::clone(&self.problem), initial, control };
        self.descent.run(&[part]).pop().unwrap_or_else(|| Ok(Vec::new()))
    }
}
