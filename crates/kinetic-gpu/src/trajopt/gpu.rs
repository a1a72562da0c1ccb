//! Trajectory optimisation on a device.

use std::sync::Arc;

use kinetic_core::{ContentHash, Control};
use kinetic_scene::{Margins, Scene};

use super::problem::SplineProblem;
use super::{SplineProposal, TrajoptOptions, text};
use crate::adapter::AdapterKind;
use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
use crate::layout::PLACED_FLOATS;

/// Buffers that the shader reads: sizes, robot, plan, world, fields.
const TRAJOPT_INPUTS: usize = 5;
/// Iterations of a dispatch at most, so that calls can be ended.
const ITERATIONS_PER_DISPATCH: usize = 10;
/// Samples that a dispatch looks at on GPUs with memory of their own, so that it ends long before the watchdogs of drivers.
const MAX_SAMPLES: usize = 1 << 20;
/// Samples of a dispatch on other hardware, which is slower by an order of magnitude.
const MAX_SAMPLES_OF_INTEGRATED: usize = 1 << 17;
/// Samples of a dispatch on a software adapter.
const MAX_SAMPLES_OF_SOFTWARE: usize = 1 << 13;

/// Trajectory optimisation on a device: one workgroup per initial trajectory.
///
/// Links and attached bodies are the spheres that contain them, and obstacles are measured as by
/// [`GpuCollisionChecker`](crate::GpuCollisionChecker). A trajectory is done at the first iteration at which all of its samples are
/// free. Where none is, the proposal is that of least cost. The control is looked at between dispatches of at most ten iterations. The same
/// device gives the same bytes in each run, however seeds are divided among calls.
#[derive(Debug)]
pub struct GpuTrajectoryOptimizer {
    problem: SplineProblem,
    kernel: Kernel,
    /// False after an upload that failed half-way: the next call uploads everything again.
    is_uploaded: bool,
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
        options: TrajoptOptions,
    ) -> GpuResult<Self> {
        let problem = SplineProblem::new(scene, group, margins, weights, options)?;
        let mut optimizer =
            Self { problem, kernel: Kernel::new(device, "trajopt", &text(), TRAJOPT_INPUTS)?, is_uploaded: false };
        optimizer.upload()?;
        Ok(optimizer)
    }

    /// The device.
    pub fn device(&self) -> &Arc<GpuDevice> {
        self.kernel.device()
    }

    /// The scene that it was made of, or last updated to.
    pub fn version(&self) -> ContentHash {
        self.problem.snapshot.version
    }

    /// Its options.
    pub fn options(&self) -> &TrajoptOptions {
        &self.problem.options
    }

    /// Follows the scene to another version; false when it is the version that it has.
    ///
    /// # Errors
    /// As [`new`](Self::new); the optimizer then has the version that it had.
    pub fn update(&mut self, scene: &Scene) -> GpuResult<bool> {
        let Some(problem) = self.problem.updated(scene)? else { return Ok(false) };
        let before = std::mem::replace(&mut self.problem, problem);
        self.is_uploaded = false;
        if let Err(error) = self.upload() {
            self.problem = before;
            return Err(error);
        }
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
        let packed = self.problem.pack(initial)?;
        if !self.is_uploaded {
            self.upload()?;
        }
        let (sizes, plan) = (self.problem.sizes, self.problem.plan());
        let [seeds, iterations] = self.work_of_dispatch(plan.len());
        let parts =
            packed.chunks(seeds * sizes.seed_floats()).zip(initial.chunks(seeds * self.problem.values_per_seed()));
        let (mut proposals, mut answers) = (Vec::new(), Vec::new());
        for (part, initial) in parts {
            self.kernel.upload(2, &[&plan[..], part].concat())?;
            self.descend([part.len() / sizes.seed_floats(), iterations], control, &mut answers)?;
            proposals.append(&mut self.problem.finish(initial, &answers));
        }
        Ok(proposals)
    }

    /// All iterations of some seeds, so many in a dispatch.
    fn descend(&mut self, [seeds, most]: [usize; 2], control: &Control, answers: &mut Vec<f32>) -> GpuResult<()> {
        let (sizes, iterations) = (self.problem.sizes, self.problem.options.iterations as usize);
        let lanes = seeds * self.kernel.device().lanes() as usize;
        self.kernel
            .reserve(seeds * sizes.answer_floats(), &[seeds * sizes.state_floats(), lanes * self.lane_floats()])?;
        for first in (0..iterations).step_by(most) {
            control.check(first as u64)?;
            let next = most.min(iterations - first);
            self.kernel.upload(0, &self.sizes(lanes, next as u32, first == 0))?;
            if first + next == iterations {
                return self.kernel.run_groups(seeds, seeds * sizes.answer_floats(), answers);
            }
            self.kernel.advance(seeds)?;
        }
        Ok(())
    }

    /// Sizes for the shader, in its order.
    fn sizes(&self, lanes: usize, iterations: u32, is_first: bool) -> Vec<u32> {
        let sizes = self.problem.sizes;
        let of_scene = self.problem.snapshot.packed.sizes(lanes, sizes.answer_floats());
        let steps = [sizes.control_points as u32, sizes.per_interval as u32, iterations, u32::from(is_first)];
        let places =
            [sizes.joints_at(), sizes.inverse_at(), sizes.seeds_at(), sizes.seed_floats(), sizes.state_floats()];
        let counts = [sizes.variables(), sizes.samples()];
        let places = places.into_iter().chain(counts).map(|size| size as u32);
        of_scene.into_iter().chain(steps).chain(places).collect()
    }

    /// Numbers of a lane: frames, and a row per joint.
    fn lane_floats(&self) -> usize {
        self.problem.snapshot.packed.robot.num_frames() * PLACED_FLOATS + 4 * self.problem.sizes.dof
    }

    /// Seeds and iterations of a dispatch: as many as end in time and the buffers hold.
    fn work_of_dispatch(&self, plan: usize) -> [usize; 2] {
        let (sizes, device) = (self.problem.sizes, self.kernel.device());
        let samples = match device.info().kind {
            AdapterKind::DiscreteGpu => MAX_SAMPLES,
            AdapterKind::Software => MAX_SAMPLES_OF_SOFTWARE,
            _ => MAX_SAMPLES_OF_INTEGRATED,
        };
        let iterations = (samples / sizes.samples()).clamp(1, ITERATIONS_PER_DISPATCH);
        let in_time = samples / (sizes.samples() * iterations);
        let floats = usize::try_from(device.max_buffer_bytes()).unwrap_or(usize::MAX) / size_of::<f32>();
        let lanes = device.lanes() as usize * self.lane_floats();
        let largest = sizes.state_floats().max(lanes).max(sizes.answer_floats());
        let fitting = (floats / largest).min(floats.saturating_sub(plan) / sizes.seed_floats());
        [in_time.min(fitting).max(1), iterations]
    }

    fn upload(&mut self) -> GpuResult<()> {
        let scene = &self.problem.snapshot.packed;
        self.kernel.upload(1, &scene.robot_elements())?;
        self.kernel.upload(3, &scene.world_elements())?;
        self.kernel.upload(4, &scene.fields)?;
        self.is_uploaded = true;
        Ok(())
    }
}
