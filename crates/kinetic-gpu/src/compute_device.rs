//! Where batches are computed: on a GPU, or on the processor with the scalar twins.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kinetic_core::{KineticError, Result};

use crate::adapter::gpu_available;
use crate::choice::DeviceChoice;
use crate::device::GpuDevice;
use crate::error::GpuResult;

/// What can be asked for by text: `auto`, `cpu`, or what [`DeviceChoice`] reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ComputeChoice {
    /// The best GPU, and the processor where there is none. A software adapter is none.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// An adapter, which has to be there.
    Gpu(DeviceChoice),
}

impl FromStr for ComputeChoice {
    type Err = KineticError;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "" => {
                let wanted = "\"auto\", \"cpu\", \"gpu\", \"gpu:N\" or a part of the name of an adapter";
                Err(KineticError::invalid("device", format!("\"{text}\""), wanted))
            }
            adapter => Ok(Self::Gpu(adapter.parse()?)),
        }
    }
}

/// The processor, or an open device.
#[derive(Debug, Clone)]
pub enum ComputeDevice {
    /// The scalar twins, on all processors.
    Cpu,
    /// A device.
    Gpu(Arc<GpuDevice>),
}

/// The devices that this process has opened, by adapter.
static SHARED: Mutex<BTreeMap<DeviceChoice, Arc<GpuDevice>>> = Mutex::new(BTreeMap::new());

/// Whether there was a GPU when it was first asked for.
static HARDWARE: OnceLock<bool> = OnceLock::new();

impl ComputeDevice {
    /// The device of a choice, opened by the first call and shared by all later ones. One that is lost is opened anew. Whether
    /// [`ComputeChoice::Auto`] is a GPU is found out once per process.
    ///
    /// # Errors
    /// [`NoAdapter`](crate::GpuError::NoAdapter), [`UnknownDevice`](crate::GpuError::UnknownDevice) or
    /// [`DeviceRefused`](crate::GpuError::DeviceRefused). [`ComputeChoice::Auto`] logs why a GPU cannot be opened, and is the
    /// processor then.
    pub fn open(choice: &ComputeChoice) -> GpuResult<Self> {
        match choice {
            ComputeChoice::Cpu => Ok(Self::Cpu),
            ComputeChoice::Gpu(adapter) => Ok(Self::Gpu(shared(adapter)?)),
            // To ask the drivers takes tens of milliseconds.
            ComputeChoice::Auto if !*HARDWARE.get_or_init(gpu_available) => Ok(Self::Cpu),
            ComputeChoice::Auto => Ok(shared(&DeviceChoice::Auto).map_or_else(
                |error| {
                    log::warn!("{error}; computing on the processor");
                    Self::Cpu
                },
                Self::Gpu,
            )),
        }
    }

    /// Whether it is a device of wgpu.
    pub fn is_gpu(&self) -> bool {
        matches!(self, Self::Gpu(_))
    }

    /// Whether it can compute nothing more.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Gpu(device) if device.is_lost())
    }
}

/// `cpu`, or the adapter with its number, backend and driver.
impl fmt::Display for ComputeDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Gpu(device) => device.info().fmt(f),
        }
    }
}

fn shared(choice: &DeviceChoice) -> GpuResult<Arc<GpuDevice>> {
    let mut opened = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = opened.get(choice).filter(|device| !device.is_lost()) {
        return Ok(Arc::clone(device));
    }
    let device = GpuDevice::open(choice)?;
    // The same adapter by another name is one device. A lost one is never handed out again.
    let same = opened.values().find(|other| other.info() == device.info() && !other.is_lost()).map(Arc::clone);
    let device = same.unwrap_or(device);
    opened.insert(choice.clone(), Arc::clone(&device));
    Ok(device)
}
