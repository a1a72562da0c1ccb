//! A compute shader with its buffers: uploads and intermediate results stay on the device, and one call is one dispatch, with
//! or without a read back.

use std::sync::{Arc, PoisonError};

use kinetic_core::KineticError;

use super::GpuDevice;
use crate::error::GpuResult;

/// Bytes of the smallest buffer that can be bound as an array of fours.
const SMALLEST_BYTES: u64 = 16;

/// A pipeline with one buffer per binding: first those that the host writes, then the one that is read back, then those of
/// intermediate results.
#[derive(Debug)]
pub(crate) struct Kernel {
    device: Arc<GpuDevice>,
    pipeline: Arc<wgpu::ComputePipeline>,
    inputs: Vec<Option<wgpu::Buffer>>,
    output: Option<wgpu::Buffer>,
    scratch: Vec<Option<wgpu::Buffer>>,
    staging: Option<wgpu::Buffer>,
    /// Made anew when a buffer was replaced by a larger one.
    bindings: Option<wgpu::BindGroup>,
}

impl Kernel {
    /// The entry point of a text of WGSL whose bindings are `inputs` buffers to read, then those to write.
    ///
    /// # Errors
    /// As [`GpuDevice::attempt`].
    pub(crate) fn new(device: &Arc<GpuDevice>, entry: &str, text: &str, inputs: usize) -> GpuResult<Self> {
        let pipeline = device.pipelines.get(device, entry, text)?;
        let (inputs, device) = (vec![None; inputs], Arc::clone(device));
        Ok(Self { device, pipeline, inputs, output: None, scratch: Vec::new(), staging: None, bindings: None })
    }

    /// The device.
    pub(crate) fn device(&self) -> &Arc<GpuDevice> {
        &self.device
    }

    /// Uploads the content of a binding, which stays there until the next upload.
    ///
    /// # Errors
    /// As [`GpuDevice::attempt`], and [`KineticError::InvalidValue`] for more than a buffer can hold.
    pub(crate) fn upload<T: bytemuck::Pod>(&mut self, binding: usize, values: &[T]) -> GpuResult<()> {
        let nothing = [0; SMALLEST_BYTES as usize];
        let bytes: &[u8] = if values.is_empty() { &nothing } else { bytemuck::cast_slice(values) };
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        if grow(&self.device, &mut self.inputs[binding], bytes.len(), usage)? {
            self.bindings = None;
        }
        if let Some(buffer) = &self.inputs[binding] {
            self.device.attempt("upload", |_| self.device.queue.write_buffer(buffer, 0, bytes))?;
        }
        Ok(())
    }

    /// Runs one thread per row, and reads its numbers back: so many per row, with so many intermediate ones.
    ///
    /// # Errors
    /// As [`GpuDevice::attempt`] and [`GpuDevice::wait`].
    pub(crate) fn run(&mut self, rows: usize, [floats, scratch]: [usize; 2], out: &mut Vec<f32>) -> GpuResult<()> {
        self.reserve(rows * floats, &[rows * scratch])?;
        self.run_groups(rows.div_ceil(self.device.lanes() as usize), rows * floats, out)
    }

    /// Makes room for so many numbers that are read back, and in each buffer of intermediate results. What is in buffers that are
    /// large enough stays there.
    ///
    /// # Errors
    /// As [`GpuDevice::attempt`], and [`KineticError::InvalidValue`] for more than a buffer can hold.
    pub(crate) fn reserve(&mut self, floats: usize, scratch: &[usize]) -> GpuResult<()> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        self.scratch.resize(scratch.len(), None);
        let slots = std::iter::once(&mut self.output).chain(&mut self.scratch);
        for (slot, floats) in slots.zip(std::iter::once(&floats).chain(scratch)) {
            if grow(&self.device, slot, floats * size_of::<f32>(), usage)? {
                self.bindings = None;
            }
        }
        Ok(())
    }

    /// Runs workgroups, whose results stay on the device.
    ///
    /// # Errors
    /// As [`GpuDevice::attempt`] and [`GpuDevice::wait`].
    pub(crate) fn advance(&mut self, groups: usize) -> GpuResult<()> {
        self.bind()?;
        self.dispatch(groups, None)
    }

    /// Runs workgroups, and reads so many numbers back.
    ///
    /// # Errors
    /// As [`GpuDevice::attempt`] and [`GpuDevice::wait`].
    pub(crate) fn run_groups(&mut self, groups: usize, floats: usize, out: &mut Vec<f32>) -> GpuResult<()> {
        let bytes = floats * size_of::<f32>();
        grow(&self.device, &mut self.staging, bytes, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST)?;
        self.bind()?;
        // Not put back after an error: a buffer whose mapping is pending cannot be mapped again.
        let Some(staging) = self.staging.take() else { return self.device.check() };
        self.dispatch(groups, Some((&staging, bytes as u64)))?;
        read(&self.device, &staging, bytes as u64, out)?;
        self.staging = Some(staging);
        Ok(())
    }

    /// Runs the shader, copies its output to a buffer that is then mapped, where there is one, and waits for both.
    fn dispatch(&self, groups: usize, staging: Option<(&wgpu::Buffer, u64)>) -> GpuResult<()> {
        let (Some(output), Some(bindings)) = (&self.output, &self.bindings) else { return self.device.check() };
        let _turn = self.device.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let submission = self.device.attempt("dispatch", |device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, bindings, &[]);
            pass.dispatch_workgroups(groups as u32, 1, 1);
            drop(pass);
            if let Some((staging, bytes)) = staging {
                encoder.copy_buffer_to_buffer(output, 0, staging, 0, bytes);
            }
            let submission = self.device.queue.submit([encoder.finish()]);
            if let Some((staging, bytes)) = staging {
                staging.map_async(wgpu::MapMode::Read, 0..bytes, |_| ());
            }
            submission
        })?;
        self.device.wait(submission)
    }

    fn bind(&mut self) -> GpuResult<()> {
        if self.bindings.is_some() {
            return Ok(());
        }
        let buffers = self.inputs.iter().chain([&self.output]).chain(&self.scratch).flatten().enumerate();
        let entries: Vec<_> = buffers
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let layout = self.pipeline.get_bind_group_layout(0);
        let bindings = self.device.attempt("bindings", |device| {
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries })
        })?;
        self.bindings = Some(bindings);
        Ok(())
    }
}

/// Replaces a buffer that is too small; true when it did.
fn grow(
    device: &GpuDevice,
    slot: &mut Option<wgpu::Buffer>,
    bytes: usize,
    usage: wgpu::BufferUsages,
) -> GpuResult<bool> {
    let wanted = bytes as u64;
    if slot.as_ref().is_some_and(|buffer| buffer.size() >= wanted) {
        return Ok(false);
    }
    let most = device.max_buffer_bytes();
    if wanted > most {
        let limit = format!("at most {most}, the limit of \"{}\"", device.info().name);
        return Err(KineticError::invalid("bytes of a buffer", wanted, limit).into());
    }
    // Half as much again, so that batches that grow little by little do not replace it each time.
    let size = (wanted + wanted / 2).next_multiple_of(SMALLEST_BYTES).min(most);
    *slot = Some(device.attempt(&format!("a buffer of {size} bytes"), |device| {
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    })?);
    Ok(true)
}

fn read(device: &GpuDevice, staging: &wgpu::Buffer, bytes: u64, out: &mut Vec<f32>) -> GpuResult<()> {
    let view = device.attempt("read back", |_| staging.get_mapped_range(0..bytes))?;
    let view = view.map_err(|error| device.unreadable(&error.to_string()))?;
    out.clear();
    out.extend(view.chunks_exact(size_of::<f32>()).map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]])));
    drop(view);
    staging.unmap();
    Ok(())
}
