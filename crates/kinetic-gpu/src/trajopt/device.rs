//! Trajectory optimisation where a device is not named: on a GPU, or by the scalar twin.

use kinetic_core::{Control, Result};
use kinetic_scene::{BatchTrajectoryOptimizer, Margins, OptimizationContext};

use super::{CpuTrajectoryOptimizer, GpuTrajectoryOptimizer, SplineProposal, TrajoptOptions};
use crate::compute_device::{ComputeChoice, ComputeDevice};
use crate::error::GpuResult;

/// An optimizer on the device of a [`ComputeChoice`], which follows its contexts and goes on after the loss of its device.
#[derive(Debug)]
pub struct DeviceTrajectoryOptimizer {
    choice: ComputeChoice,
    options: TrajoptOptions,
    device: ComputeDevice,
    made: Option<Made>,
}

/// An optimizer, and what decides whether another context can use it.
#[derive(Debug)]
struct Made {
    group: String,
    margins: Margins,
    weights: Vec<f64>,
    optimizer: OptimizerOnDevice,
}

#[derive(Debug)]
enum OptimizerOnDevice {
    Cpu(Box<CpuTrajectoryOptimizer>),
    Gpu(Box<GpuTrajectoryOptimizer>),
}

impl DeviceTrajectoryOptimizer {
    /// On the device of a choice; what it needs of a scene is made by the first call.
    ///
    /// # Errors
    /// As [`ComputeDevice::open`] and [`TrajoptOptions::check`].
    pub fn new(choice: &ComputeChoice, options: TrajoptOptions) -> GpuResult<Self> {
        options.check()?;
        Ok(Self { choice: choice.clone(), options, device: ComputeDevice::open(choice)?, made: None })
    }

    /// Where it computes.
    pub fn compute_device(&self) -> &ComputeDevice {
        &self.device
    }

    /// Its options.
    pub fn options(&self) -> &TrajoptOptions {
        &self.options
    }

    /// The optimizer in a context: the one of the last call, in the scene as it is now, or another one.
    fn in_context(&mut self, context: &OptimizationContext<'_>) -> GpuResult<&mut OptimizerOnDevice> {
        if self.device.is_lost() {
            self.made = None;
            self.device = ComputeDevice::open(&self.choice)?;
        }
        let same = |made: &Made| {
            made.group == context.group && made.margins == context.margins && made.weights == context.weights
        };
        let optimizer = match self.made.take().filter(same) {
            Some(Made { mut optimizer, .. }) => {
                optimizer.update(context)?;
                optimizer
            }
            None => OptimizerOnDevice::new(&self.device, context, self.options)?,
        };
        let (group, margins, weights) = (context.group.to_owned(), context.margins, context.weights.to_vec());
        Ok(&mut self.made.insert(Made { group, margins, weights, optimizer }).optimizer)
    }
}

impl OptimizerOnDevice {
    fn new(device: &ComputeDevice, context: &OptimizationContext<'_>, options: TrajoptOptions) -> GpuResult<Self> {
        let OptimizationContext { scene, group, margins, weights } = *context;
        Ok(match device {
            ComputeDevice::Cpu => {
                Self::Cpu(Box::new(CpuTrajectoryOptimizer::new(scene, group, margins, weights, options)?))
            }
            ComputeDevice::Gpu(device) => {
                Self::Gpu(Box::new(GpuTrajectoryOptimizer::new(device, scene, group, margins, weights, options)?))
            }
        })
    }

    fn update(&mut self, context: &OptimizationContext<'_>) -> GpuResult<bool> {
        match self {
            Self::Cpu(optimizer) => Ok(optimizer.update(context.scene)?),
            Self::Gpu(optimizer) => optimizer.update(context.scene),
        }
    }
}

impl BatchTrajectoryOptimizer for DeviceTrajectoryOptimizer {
    fn device(&self) -> String {
        self.device.to_string()
    }

    fn control_points(&self) -> usize {
        self.options.control_points
    }

    fn seeds_per_batch(&self) -> usize {
        self.options.seeds_per_batch
    }

    fn optimize(
        &mut self,
        context: &OptimizationContext<'_>,
        initial: &[f64],
        control: &Control,
    ) -> Result<Vec<SplineProposal>> {
        match self.in_context(context)? {
            OptimizerOnDevice::Cpu(optimizer) => optimizer.optimize(initial, control),
            OptimizerOnDevice::Gpu(optimizer) => Ok(optimizer.optimize(initial, control)?),
        }
    }
}
