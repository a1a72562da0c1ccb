//! Adapters: what wgpu finds on the machine.

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::fork::is_forked;

/// What an adapter is, the best for computing first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    DiscreteGpu,
    /// A GPU that shares the memory of the processor.
    IntegratedGpu,
    /// A GPU behind a hypervisor.
    VirtualGpu,
    /// Neither of these, says the driver.
    Other,
    /// A driver that runs shaders on the processor, such as llvmpipe. It answers as a GPU does, more slowly than the scalar
    /// twins.
    Software,
}

impl AdapterKind {
    /// The name in every language.
    pub fn id(self) -> &'static str {
        match self {
            Self::DiscreteGpu => "discrete",
            Self::IntegratedGpu => "integrated",
            Self::VirtualGpu => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        }
    }
}

/// An adapter, as the driver describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterInfo {
    /// Number in the order of [`adapters`]: `gpu:N`.
    pub index: usize,
    /// Name of the hardware.
    pub name: String,
    /// `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// Name and version of the driver.
    pub driver: String,
    /// Hardware or software.
    pub kind: AdapterKind,
}

impl AdapterInfo {
    /// True where shaders run on the processor.
    pub fn is_software(&self) -> bool {
        self.kind == AdapterKind::Software
    }
}

impl fmt::Display for AdapterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let software = if self.is_software() { ", software" } else { "" };
        write!(f, "gpu:{} {} ({}, {}{software})", self.index, self.name, self.backend, self.driver)
    }
}

/// All adapters that can run compute shaders: hardware first, software last, else in the order of the drivers.
pub fn adapters() -> Vec<AdapterInfo> {
    found().into_iter().map(|(info, _)| info).collect()
}

/// True where a hardware adapter is there to compute with. A software adapter alone does not count, since the CPU paths are
/// faster than it; [`GpuDevice::open`](crate::GpuDevice::open) opens it nevertheless, for tests.
pub fn gpu_available() -> bool {
    adapters().iter().any(|adapter| !adapter.is_software())
}

/// All usable adapters, in the order of [`adapters`]; none in a process whose parent had opened a device.
pub(crate) fn found() -> Vec<(AdapterInfo, wgpu::Adapter)> {
    if is_forked() {
        return Vec::new();
    }
    let descriptor = wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(descriptor);
    let all = now(instance.enumerate_adapters(wgpu::Backends::PRIMARY)).unwrap_or_default();
    let mut all: Vec<_> = all.into_iter().filter(can_compute).map(|adapter| (info_of(&adapter), adapter)).collect();
    all.sort_by_key(|(info, _)| info.kind);
    all.iter_mut().enumerate().for_each(|(index, (info, _))| info.index = index);
    all
}

fn can_compute(adapter: &wgpu::Adapter) -> bool {
    adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
}

fn info_of(adapter: &wgpu::Adapter) -> AdapterInfo {
    let info = adapter.get_info();
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => AdapterKind::DiscreteGpu,
        wgpu::DeviceType::IntegratedGpu => AdapterKind::IntegratedGpu,
        wgpu::DeviceType::VirtualGpu => AdapterKind::VirtualGpu,
        wgpu::DeviceType::Cpu => AdapterKind::Software,
        wgpu::DeviceType::Other => AdapterKind::Other,
    };
    let driver = format!("{} {}", info.driver, info.driver_info).trim().to_owned();
    AdapterInfo { index: 0, name: info.name, backend: info.backend.to_string(), driver, kind }
}

/// The value of a future that is ready at once, as those of wgpu are on native backends.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
