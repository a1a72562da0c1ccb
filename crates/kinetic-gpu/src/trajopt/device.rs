//! Trajectory optimisation where a device is not named: on a GPU, or by the scalar twin.

use kinetic_core::Result;
use kinetic_scene::{BatchTrajectoryOptimizer, OptimizationRequest};

use super::cpu::descend;
use super::gpu_descent::GpuDescent;
use super::known_problems::KnownProblems;
use super::work::Part;
use super::{GpuConfig, SplineProposal};
use crate::compute_device::{ComputeChoice, ComputeDevice};
use crate::error::GpuResult;

/// An optimizer on the device of a [`ComputeChoice`], which has many scenes in a dispatch and goes on after the loss of its device.
#[derive(Debug)]
pub struct DeviceTrajectoryOptimizer {
    choice: ComputeChoice,
    options: GpuConfig,
    device: ComputeDevice,
    /// None on the processor.
    on_gpu: Option<GpuDescent>,
    known: KnownProblems,
}

impl DeviceTrajectoryOptimizer {
    /// On the device of a choice, with its shader compiled; what it needs of scenes is made by the calls.
    ///
    /// # Errors
    /// As [`ComputeDevice::open`] and [`GpuConfig::check`].
    pub fn new(choice: &ComputeChoice, options: GpuConfig) -> GpuResult<Self> {
        options.check()?;
        let (device, on_gpu) = opened(choice)?;
        Ok(Self { choice: choice.clone(), options, device, on_gpu, known: KnownProblems::default() })
    }

    /// Where it computes.
    pub fn compute_device(&self) -> &ComputeDevice {
        &self.device
    }

    /// Its options.
    pub fn options(&self) -> &GpuConfig {
        &self.options
    }

    fn descend(&mut self, parts: &[Part<'_>]) -> GpuResult<Vec<GpuResult<Vec<SplineProposal>>>> {
        if self.device.is_lost() {
            (self.device, self.on_gpu) = opened(&self.choice)?;
        }
        Ok(match &mut self.on_gpu {
            Some(on_gpu) => on_gpu.run(parts),
            None => descend(parts),
        })
    }
}

/// A device, and what optimises on it where it is a GPU.
fn opened(choice: &ComputeChoice) -> GpuResult<(ComputeDevice, Option<GpuDescent>)> {
    let device = ComputeDevice::open(choice)?;
    let on_gpu = match &device {
        ComputeDevice::Cpu => None,
        ComputeDevice::Gpu(gpu) => Some(GpuDescent::new(gpu)?),
    };
    Ok((device, on_gpu))
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

    fn optimize(&mut self, requests: &[OptimizationRequest<'_>]) -> Vec<Result<Vec<SplineProposal>>> {
        let mut parts = Vec::with_capacity(requests.len());
        let mut refused = Vec::with_capacity(requests.len());
        for OptimizationRequest { context, initial, control } in requests {
            let problem = self.known.get(context, self.options);
            refused.push(problem.map(|problem| parts.push(Part { problem, initial, control })));
        }
        let answers = self.descend(&parts).unwrap_or_else(|error| vec![Err(error); parts.len()]);
        let mut answers = answers.into_iter();
        let answer = |refused: Result<()>| {
            refused?;
            Ok(answers.next().unwrap_or_else(|| Ok(Vec::new()))?)
        };
        refused.into_iter().map(answer).collect()
    }
}
