//! An open device: limits, errors of the driver, time-outs, and the loss of the device.

pub(crate) mod kernel;
mod pipelines;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kinetic_core::KineticError;

use crate::adapter::{AdapterInfo, now};
use crate::choice::{DeviceChoice, choose};
use crate::error::{GpuError, GpuResult};
use crate::fork::{is_forked, remember_opener};
use crate::layout::MAX_LANES;
use crate::report::Cause;
use pipelines::Pipelines;

/// Time after which a device that does not answer counts as lost, s.
const DEFAULT_TIMEOUT_S: f64 = 30.0;
/// Lanes of a workgroup.
const LANES: u32 = MAX_LANES as u32;
/// Memory of a workgroup that every adapter has, bytes.
const SMALL_WORKGROUP_BYTES: u32 = 16 << 10;
/// Largest buffer under small limits, bytes.
const SMALL_BUFFER_BYTES: u64 = 1 << 20;
/// Configurations of a dispatch on hardware, so that a dispatch ends long before the watchdogs of drivers (about 2 s).
const MAX_ROWS: usize = 1 << 16;
/// Configurations of a dispatch on a software adapter.
const MAX_ROWS_OF_SOFTWARE: usize = 1 << 12;
/// llvmpipe ends the loops of a thread silently after so many runs of all of them (Mesa, `LP_MAX_TGSI_LOOP_ITERATIONS`).
const MAX_LOOPS_OF_SOFTWARE: usize = 65_535;

/// Limits that are requested of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceLimits {
    /// What the adapter offers.
    #[default]
    Adapter,
    /// What every adapter offers, and buffers of one megabyte: for tests of the least capable devices.
    Small,
}

/// How a device is opened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceOptions {
    /// Requested limits.
    pub limits: DeviceLimits,
    /// Time after which a device that does not answer counts as lost, s.
    pub timeout_s: f64,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        Self { limits: DeviceLimits::default(), timeout_s: DEFAULT_TIMEOUT_S }
    }
}

/// An open device, shared by everything that runs on it, from any thread.
#[derive(Debug)]
pub struct GpuDevice {
    info: AdapterInfo,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) pipelines: Pipelines,
    timeout: Duration,
    /// Held from a dispatch to its end: llvmpipe deadlocks when a second thread submits meanwhile.
    pub(crate) turn: Mutex<()>,
    /// Why the device is lost, once it is.
    lost: Arc<Mutex<Option<String>>>,
}

/// In a forked process the driver must not be told: it would wait for threads that are not there.
impl Drop for GpuDevice {
    fn drop(&mut self) {
        if is_forked() {
            std::mem::forget((self.device.clone(), self.queue.clone()));
        }
    }
}

impl GpuDevice {
    /// Opens the adapter of a choice with the adapter's limits.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], [`GpuError::UnknownDevice`] or [`GpuError::DeviceRefused`].
    pub fn open(choice: &DeviceChoice) -> GpuResult<Arc<Self>> {
        Self::open_with(choice, &DeviceOptions::default())
    }

    /// As [`open`](Self::open), with options.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`KineticError::InvalidValue`] for a time-out that is not positive and finite.
    pub fn open_with(choice: &DeviceChoice, options: &DeviceOptions) -> GpuResult<Arc<Self>> {
        let timeout = Duration::try_from_secs_f64(options.timeout_s).ok().filter(|timeout| !timeout.is_zero());
        let Some(timeout) = timeout else {
            return Err(KineticError::invalid("timeout_s", options.timeout_s, "a positive finite number (s)").into());
        };
        let (info, adapter) = choose(choice)?;
        remember_opener();
        let (device, queue) = request(&info, &adapter, options.limits)?;
        let lost = watch(&device);
        Ok(Arc::new(Self {
            info,
            device,
            queue,
            pipelines: Pipelines::default(),
            timeout,
            turn: Mutex::default(),
            lost,
        }))
    }

    /// The adapter.
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Gives up the device: every later call on it has [`GpuError::DeviceLost`].
    pub fn destroy(&self) {
        self.declare_lost("it was destroyed");
        self.device.destroy();
    }

    /// True once the device stopped answering or was destroyed.
    pub fn is_lost(&self) -> bool {
        self.check().is_err()
    }

    /// Lanes of a workgroup.
    pub(crate) fn lanes(&self) -> u32 {
        LANES.min(self.device.limits().max_compute_invocations_per_workgroup)
    }

    /// Workgroups of a dispatch at most.
    pub(crate) fn max_groups(&self) -> u32 {
        self.device.limits().max_compute_workgroups_per_dimension
    }

    /// Bytes of the largest buffer that a shader can read.
    pub(crate) fn max_buffer_bytes(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Configurations of one dispatch, with at most so many bytes each in one buffer.
    pub(crate) fn max_rows(&self, bytes_per_row: usize) -> usize {
        let most = if self.info.is_software() { MAX_ROWS_OF_SOFTWARE } else { MAX_ROWS };
        let fitting = self.max_buffer_bytes() / bytes_per_row.max(1) as u64;
        most.min(usize::try_from(fitting).unwrap_or(most)).max(1)
    }

    /// How often the loops of a thread may run together in a dispatch.
    pub(crate) fn max_loops(&self) -> usize {
        if self.info.is_software() { MAX_LOOPS_OF_SOFTWARE } else { usize::MAX }
    }

    /// The error of a scene of so many obstacles, where the driver ended loops before all pairs were looked at.
    pub(crate) fn unfinished(&self, obstacles: usize) -> GpuError {
        let wanted = format!("fewer: \"{}\" ends the loops of a thread early; \"cpu\" does not", self.info.name);
        KineticError::invalid("obstacles of the scene", obstacles, wanted).into()
    }

    /// # Errors
    /// [`GpuError::DeviceLost`].
    pub(crate) fn check(&self) -> GpuResult<()> {
        if is_forked() {
            return Err(GpuError::DeviceLost { adapter: self.info.name.clone(), detail: Cause::Forked.to_string() });
        }
        match &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(detail) => Err(GpuError::DeviceLost { adapter: self.info.name.clone(), detail: detail.clone() }),
        }
    }

    /// Gives commands to the driver; what it says against them is the error.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`], [`GpuError::OutOfMemory`] or [`GpuError::CommandRefused`].
    pub(crate) fn attempt<T>(&self, what: &str, commands: impl FnOnce(&wgpu::Device) -> T) -> GpuResult<T> {
        self.check()?;
        let filters = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation];
        let scopes = filters.map(|filter| self.device.push_error_scope(filter));
        let made = commands(&self.device);
        let errors = scopes.into_iter().rev().filter_map(|scope| now(scope.pop()).flatten()).collect::<Vec<_>>();
        // A lost device refuses commands as well; its loss is the better explanation.
        self.check()?;
        errors.into_iter().next().map_or(Ok(made), |error| Err(self.refused(what, &error)))
    }

    /// Waits until a submission is done, at most the time-out of the device.
    ///
    /// # Errors
    /// [`GpuError::TimedOut`] or [`GpuError::DeviceLost`].
    pub(crate) fn wait(&self, submission: wgpu::SubmissionIndex) -> GpuResult<()> {
        self.check()?;
        let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(self.timeout) };
        // wgpu panics where the driver reports the loss of the device in the midst of a wait.
        let polled = catch_unwind(AssertUnwindSafe(|| self.device.poll(wait)));
        match polled {
            Ok(Ok(_)) => self.check(),
            Ok(Err(wgpu::PollError::Timeout)) => {
                let seconds = self.timeout.as_secs_f64();
                self.declare_lost(&format!("it did not answer within {seconds} s"));
                Err(GpuError::TimedOut { adapter: self.info.name.clone(), seconds })
            }
            Ok(Err(error)) => self.lose(&error.to_string()),
            Err(_) => self.lose("the driver reports the loss of the device"),
        }
    }

    fn lose(&self, detail: &str) -> GpuResult<()> {
        self.declare_lost(detail);
        self.check()
    }

    fn declare_lost(&self, detail: &str) {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert_with(|| detail.to_owned());
    }

    /// The error of an answer that cannot be read, although the device is not lost.
    pub(crate) fn unreadable(&self, detail: &str) -> GpuError {
        GpuError::CommandRefused { adapter: self.info.name.clone(), detail: format!("read back: {detail}") }
    }

    fn refused(&self, what: &str, error: &wgpu::Error) -> GpuError {
        let adapter = self.info.name.clone();
        match error {
            wgpu::Error::OutOfMemory { .. } => GpuError::OutOfMemory { adapter, detail: what.to_owned() },
            other => GpuError::CommandRefused { adapter, detail: format!("{what}: {other}") },
        }
    }
}

fn request(
    info: &AdapterInfo,
    adapter: &wgpu::Adapter,
    limits: DeviceLimits,
) -> GpuResult<(wgpu::Device, wgpu::Queue)> {
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("kinetic"),
        required_limits: limits_of(adapter, limits),
        ..wgpu::DeviceDescriptor::default()
    };
    let refused = |detail: String| GpuError::DeviceRefused { adapter: info.name.clone(), detail };
    let answer = now(adapter.request_device(&descriptor));
    answer.ok_or_else(|| refused("no answer".to_owned()))?.map_err(|error| refused(error.to_string()))
}

fn limits_of(adapter: &wgpu::Adapter, limits: DeviceLimits) -> wgpu::Limits {
    let offered = adapter.limits();
    match limits {
        DeviceLimits::Adapter => offered,
        DeviceLimits::Small => wgpu::Limits {
            max_compute_workgroup_storage_size: SMALL_WORKGROUP_BYTES.min(offered.max_compute_workgroup_storage_size),
            max_compute_invocations_per_workgroup: LANES.min(offered.max_compute_invocations_per_workgroup),
            max_compute_workgroup_size_x: LANES.min(offered.max_compute_workgroup_size_x),
            max_storage_buffer_binding_size: SMALL_BUFFER_BYTES.min(offered.max_storage_buffer_binding_size),
            max_buffer_size: SMALL_BUFFER_BYTES.min(offered.max_buffer_size),
            ..offered
        },
    }
}

/// Remembers why a device is lost. Errors outside of scopes are logged, where wgpu would panic.
fn watch(device: &wgpu::Device) -> Arc<Mutex<Option<String>>> {
    let lost = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&lost);
    device.set_device_lost_callback(move |reason, message| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get_or_insert_with(|| format!("{reason:?} {message}").trim().to_owned());
    });
    device.on_uncaptured_error(Arc::new(|error: wgpu::Error| log::error!("wgpu: {error}")));
    lost
}
