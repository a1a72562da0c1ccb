//! Which adapter to open.

use std::fmt;
use std::str::FromStr;

use kinetic_core::KineticError;

use crate::adapter::{self, AdapterInfo};
use crate::error::{GpuError, GpuResult};
use crate::report::DeviceReport;

/// Which adapter to open. Text is `auto`, `gpu` (the same), `gpu:N`, or a part of a name in any case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum DeviceChoice {
    /// The first of the best [`AdapterKind`](crate::AdapterKind); a software adapter where there is nothing else.
    #[default]
    Auto,
    /// By number.
    Index(usize),
    /// The first whose name contains this, in any case.
    Name(String),
}

impl FromStr for DeviceChoice {
    type Err = KineticError;

    fn from_str(text: &str) -> Result<Self, KineticError> {
        let wanted = "\"auto\", \"gpu\", \"gpu:N\" or a part of the name of an adapter";
        if let Some(number) = text.strip_prefix("gpu:") {
            return number.parse().map(Self::Index).map_err(|_| KineticError::invalid("device", text, wanted));
        }
        match text.trim() {
            "" => Err(KineticError::invalid("device", "\"\"", wanted)),
            "auto" | "gpu" => Ok(Self::Auto),
            name => Ok(Self::Name(name.to_owned())),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("gpu"),
            Self::Index(index) => write!(f, "gpu:{index}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// The adapter of a choice.
///
/// # Errors
/// [`GpuError::NoAdapter`] or [`GpuError::UnknownDevice`].
pub(crate) fn choose(choice: &DeviceChoice) -> GpuResult<(AdapterInfo, wgpu::Adapter)> {
    let (all, name) = (adapter::found(), choice.to_string());
    if all.is_empty() {
        return Err(GpuError::NoAdapter { name, report: Box::new(DeviceReport::collect()) });
    }
    let available: Vec<String> = all.iter().map(|(info, _)| info.to_string()).collect();
    let chosen = match choice {
        DeviceChoice::Auto => all.into_iter().next(),
        DeviceChoice::Index(index) => all.into_iter().nth(*index),
        DeviceChoice::Name(name) => {
            let lower = name.to_lowercase();
            all.into_iter().find(|(info, _)| info.name.to_lowercase().contains(&lower))
        }
    };
    chosen.ok_or(GpuError::UnknownDevice { name, available })
}
