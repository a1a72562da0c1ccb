//! Devices for the tests.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use kinetic_gpu::{DeviceChoice, DeviceLimits, DeviceOptions, DeviceReport, GpuDevice, GpuError};

/// The device of the tests; where there is none, why is printed, and the caller has nothing to test.
pub(crate) fn device() -> Option<Arc<GpuDevice>> {
    static DEVICE: OnceLock<Option<Arc<GpuDevice>>> = OnceLock::new();
    DEVICE.get_or_init(|| opened(&DeviceOptions::default())).clone()
}

/// As [`device`], with the limits of the least capable devices.
pub(crate) fn small_device() -> Option<Arc<GpuDevice>> {
    static DEVICE: OnceLock<Option<Arc<GpuDevice>>> = OnceLock::new();
    let options = DeviceOptions { limits: DeviceLimits::Small, ..DeviceOptions::default() };
    DEVICE.get_or_init(|| opened(&options)).clone()
}

/// A device of its own, for tests that destroy it.
pub(crate) fn opened(options: &DeviceOptions) -> Option<Arc<GpuDevice>> {
    match GpuDevice::open_with(&DeviceChoice::Auto, options) {
        Ok(device) => Some(device),
        Err(GpuError::NoAdapter { report, .. }) => {
            eprintln!("skipped, since there is no adapter:\n{report}");
            None
        }
        Err(other) => panic!("{other}\n{}", DeviceReport::collect()),
    }
}

/// Tests of the device that a process shares take turns: some of them destroy it.
pub(crate) fn turn_with_shared_device() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
