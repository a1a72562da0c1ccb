//! The distance transform where a device is not named: on a GPU, or on the processor.

use kinetic_collision::{CellBits, DistanceTransform, DistanceTransformer, NodeBox};
use kinetic_core::{Control, Result};

use crate::compute_device::{ComputeChoice, ComputeDevice};
use crate::distance_transform::GpuDistanceTransform;
use crate::error::GpuResult;

/// A distance transform on the device of a [`ComputeChoice`], which goes on after the loss of its device.
#[derive(Debug)]
pub struct DeviceDistanceTransform {
    choice: ComputeChoice,
    device: ComputeDevice,
    transform: TransformOnDevice,
}

#[derive(Debug)]
enum TransformOnDevice {
    Cpu(DistanceTransform),
    Gpu(GpuDistanceTransform),
}

impl DeviceDistanceTransform {
    /// On the device of a choice, with its shader compiled.
    ///
    /// # Errors
    /// As [`ComputeDevice::open`] and [`GpuDistanceTransform::new`].
    pub fn new(choice: &ComputeChoice) -> GpuResult<Self> {
        let device = ComputeDevice::open(choice)?;
        let transform = match &device {
            ComputeDevice::Cpu => TransformOnDevice::Cpu(DistanceTransform::default()),
            ComputeDevice::Gpu(device) => TransformOnDevice::Gpu(GpuDistanceTransform::new(device)?),
        };
        Ok(Self { choice: choice.clone(), device, transform })
    }

    /// Where it computes.
    pub fn device(&self) -> &ComputeDevice {
        &self.device
    }
}

impl DistanceTransformer for DeviceDistanceTransform {
    /// As [`GpuDistanceTransform`] does, and as [`new`](DeviceDistanceTransform::new) where its device is lost and opened anew.
    fn signed_squares(
        &mut self,
        cells: &CellBits,
        nodes: &NodeBox,
        limit: Option<usize>,
        control: &Control,
    ) -> Result<&[f32]> {
        if self.device.is_lost() {
            *self = Self::new(&self.choice)?;
        }
        match &mut self.transform {
            TransformOnDevice::Cpu(transform) => transform.signed_squares(cells, nodes, limit, control),
            TransformOnDevice::Gpu(transform) => transform.signed_squares(cells, nodes, limit, control),
        }
    }
}
