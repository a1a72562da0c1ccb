//! Compute pipelines of a device, compiled once per text.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::GpuDevice;
use crate::error::GpuResult;

/// Pipelines by entry point and text.
#[derive(Debug, Default)]
pub(crate) struct Pipelines(Mutex<BTreeMap<(String, String), Arc<wgpu::ComputePipeline>>>);

impl Pipelines {
    /// The pipeline of an entry point in a text of WGSL. Drivers take up to a second to compile one.
    ///
    /// # Errors
    /// As [`GpuDevice::attempt`].
    pub(crate) fn get(&self, device: &GpuDevice, entry: &str, text: &str) -> GpuResult<Arc<wgpu::ComputePipeline>> {
        let key = (entry.to_owned(), text.to_owned());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = known.get(&key) {
            return Ok(Arc::clone(pipeline));
        }
        let pipeline = Arc::new(compile(device, entry, text)?);
        known.insert(key, Arc::clone(&pipeline));
        Ok(pipeline)
    }
}

fn compile(device: &GpuDevice, entry: &str, text: &str) -> GpuResult<wgpu::ComputePipeline> {
    let lanes = [("lanes", f64::from(device.lanes()))];
    device.attempt(&format!("pipeline {entry}"), |device| {
        let source = wgpu::ShaderSource::Wgsl(text.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(entry), source });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: None,
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions { constants: &lanes, ..Default::default() },
            cache: None,
        })
    })
}
