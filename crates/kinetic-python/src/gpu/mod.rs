//! GPUs: what is there, and what runs on them.

pub(crate) mod collision;
pub(crate) mod kinematics;

use std::path::PathBuf;

use kinetic::gpu::{AdapterInfo, DeviceReport, adapters};
use pyo3::prelude::*;

use crate::convert::{Dict, Dicts};
use crate::error::Result;

/// Whether there is a GPU to compute with: a hardware adapter of Vulkan, Metal or DX12. A software adapter is none.
///
/// Without one, what takes `device="auto"` runs on the processor. `kinetic devices --doctor` says why there is none.
#[pyfunction]
pub(crate) fn gpu_available(py: Python<'_>) -> bool {
    py.detach(kinetic::gpu::gpu_available)
}

/// Adapters that can compute: hardware first, software last.
///
/// Returns:
///     One dict per adapter: `device` ("gpu:0", what other calls take), `name`, `backend` ("vulkan", "metal" or "dx12"), `driver`,
///     and `kind` ("discrete", "integrated", "virtual", "other" or "software").
#[pyfunction]
pub(crate) fn gpu_adapters(py: Python<'_>) -> Result<Dicts<'_>> {
    Ok(adapter_dicts(py, &py.detach(adapters))?)
}

/// What decides whether there is a GPU, as a dict.
#[pyfunction]
pub(crate) fn _device_report(py: Python<'_>) -> Result<Dict<'_>> {
    let report = py.detach(DeviceReport::collect);
    let paths = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let dict = Dict::new(py)
        .with("adapters", adapter_dicts(py, &report.adapters)?)?
        .with("loader", report.loader.as_ref().map(|path| path.display().to_string()))?
        .with("driver_files", paths(&report.driver_files))?
        .with("device_nodes", paths(&report.device_nodes))?
        .with("has_partitions", report.has_partitions)?
        .with("nvidia_capabilities", report.nvidia_capabilities.clone())?;
    Ok(dict.with("verdict", report.cause().to_string())?)
}

fn adapter_dicts<'py>(py: Python<'py>, adapters: &[AdapterInfo]) -> PyResult<Dicts<'py>> {
    let dict = |adapter: &AdapterInfo| {
        Dict::new(py)
            .with("device", format!("gpu:{}", adapter.index))?
            .with("name", &adapter.name)?
            .with("backend", &adapter.backend)?
            .with("driver", &adapter.driver)?
            .with("kind", adapter.kind.id())
    };
    Dicts::new(py, adapters.iter().map(dict).collect::<PyResult<_>>()?)
}
