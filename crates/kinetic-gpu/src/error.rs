//! What can go wrong on the way to a GPU and on it.

use std::fmt;

use kinetic_core::KineticError;

use crate::report::DeviceReport;

/// Result with [`GpuError`].
pub type GpuResult<T> = std::result::Result<T, GpuError>;

/// Errors of devices and of what runs on them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GpuError {
    /// The machine offers no adapter; the report says why.
    NoAdapter {
        /// What was asked for.
        name: String,
        /// What was found on the machine.
        report: Box<DeviceReport>,
    },
    /// No adapter of that name or number.
    UnknownDevice {
        /// What was asked for.
        name: String,
        /// What could have been asked for.
        available: Vec<String>,
    },
    /// The driver refused to open the adapter.
    DeviceRefused {
        /// Name of the adapter.
        adapter: String,
        /// What the driver says.
        detail: String,
    },
    /// The device stopped answering or was destroyed; every later call on it has this error.
    DeviceLost {
        /// Name of the adapter.
        adapter: String,
        /// What is known about it.
        detail: String,
    },
    /// The device has not enough memory.
    OutOfMemory {
        /// Name of the adapter.
        adapter: String,
        /// For what there was none.
        detail: String,
    },
    /// The device did not finish in time. It counts as lost from then on.
    TimedOut {
        /// Name of the adapter.
        adapter: String,
        /// How long was waited, s.
        seconds: f64,
    },
    /// The driver refused a command; a defect of this crate or of the driver.
    CommandRefused {
        /// Name of the adapter.
        adapter: String,
        /// What the driver says.
        detail: String,
    },
    /// What was given cannot be used: lengths, NaN, sizes beyond the limits of the device.
    Input(KineticError),
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAdapter { report, .. } => write!(f, "no GPU: {}", report.cause()),
            Self::UnknownDevice { name, available } => {
                write!(f, "no device \"{name}\"; devices are {}", available.join(", "))
            }
            Self::DeviceRefused { adapter, detail } => write!(f, "\"{adapter}\" cannot be opened: {detail}"),
            Self::DeviceLost { adapter, detail } => write!(f, "\"{adapter}\" is lost: {detail}"),
            Self::OutOfMemory { adapter, detail } => write!(f, "\"{adapter}\" is out of memory: {detail}"),
            Self::TimedOut { adapter, seconds } => write!(f, "\"{adapter}\" did not answer within {seconds} s"),
            Self::CommandRefused { adapter, detail } => write!(f, "\"{adapter}\" refused a command: {detail}"),
            Self::Input(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GpuError {}

impl From<KineticError> for GpuError {
    fn from(error: KineticError) -> Self {
        Self::Input(error)
    }
}

/// For interfaces that know one error type. What the caller can mend is an error of input, and a device that fails is
/// [`KineticError::Other`].
impl From<GpuError> for KineticError {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::Input(error) => error,
            GpuError::UnknownDevice { name, available } => Self::unknown_name("device", name, available),
            GpuError::NoAdapter { name, report } => {
                let wanted = format!("\"cpu\": {}", report.cause());
                Self::invalid("device", format!("\"{name}\""), wanted)
            }
            other => Self::Other(other.to_string()),
        }
    }
}
