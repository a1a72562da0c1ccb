//! Why there is no GPU: what the drivers' files, device nodes and environment of the machine say.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::adapter::{AdapterInfo, adapters};
use crate::fork::is_forked;

/// Folders, relative to the root, where the Vulkan loader may lie.
const LIBRARY_FOLDERS: [&str; 7] =
    ["usr/lib", "usr/lib64", "lib", "lib64", "usr/local/lib", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu"];
/// File names of the Vulkan loader.
const LOADER_NAMES: [&str; 2] = ["libvulkan.so.1", "libvulkan.so"];
/// Folders, relative to the root, of the files that name Vulkan drivers (installable client drivers).
const DRIVER_FOLDERS: [&str; 3] = ["etc/vulkan/icd.d", "usr/share/vulkan/icd.d", "usr/local/share/vulkan/icd.d"];
/// Variables that list driver files in place of the folders.
const DRIVER_VARIABLES: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
/// Where NVIDIA's driver lists the capabilities of its GPUs, multi-instance partitions (MIG) among them.
const NVIDIA_CAPABILITIES: &str = "proc/driver/nvidia/capabilities";

/// The likeliest reason for the adapters that there are, or are not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A hardware adapter is there.
    Available,
    /// A software adapter is the only one.
    SoftwareOnly,
    /// The Vulkan loader is not installed.
    NoLoader,
    /// The loader is there, but no file that names a driver.
    NoDriver,
    /// Only multi-instance partitions (MIG) of NVIDIA GPUs are visible, which have no graphics and so no Vulkan.
    OnlyPartitions,
    /// A container of NVIDIA's runtime without the capability `graphics`.
    NoGraphicsCapability {
        /// `NVIDIA_DRIVER_CAPABILITIES` as it is.
        capabilities: String,
    },
    /// Drivers are named, but no device node of a GPU is there.
    NoDeviceNode,
    /// The process was forked off from one that had opened a device.
    Forked,
    /// Loader, driver and device node are there; what the driver lacks is not known.
    Unknown,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Available => "a GPU is available",
            Self::SoftwareOnly => "only a software adapter is there; it suits tests, and the CPU paths are faster",
            Self::NoLoader => "the Vulkan loader is not installed; on Debian and Ubuntu: apt-get install libvulkan1",
            Self::NoDriver => {
                "no file in /usr/share/vulkan/icd.d or /etc/vulkan/icd.d, or in VK_DRIVER_FILES where that is set, names a \
                 Vulkan driver; install the driver of the GPU, or mesa-vulkan-drivers"
            }
            Self::OnlyPartitions => {
                "only MIG partitions of NVIDIA GPUs are visible, and those have no Vulkan; use a whole GPU"
            }
            Self::NoGraphicsCapability { capabilities } => {
                return write!(
                    f,
                    "the container has NVIDIA_DRIVER_CAPABILITIES={capabilities}, without graphics; start it with \
                     NVIDIA_DRIVER_CAPABILITIES=graphics,compute,utility"
                );
            }
            Self::NoDeviceNode => {
                "drivers are installed, but there is neither /dev/dri/renderD* nor /dev/nvidia0; pass the device to the \
                 container, or load the kernel's driver"
            }
            Self::Forked => {
                "this process was forked off from one that had opened a device, which drivers do not survive; start it anew, in \
                 Python with multiprocessing's method \"spawn\""
            }
            Self::Unknown => {
                "loader, driver and device are there, but the driver offers no adapter; vulkaninfo --summary may say more"
            }
        })
    }
}

/// What decides whether there is a GPU, and the likeliest reason where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceReport {
    /// Adapters that wgpu finds.
    pub adapters: Vec<AdapterInfo>,
    /// The Vulkan loader.
    pub loader: Option<PathBuf>,
    /// Files that name Vulkan drivers.
    pub driver_files: Vec<PathBuf>,
    /// Device nodes of GPUs.
    pub device_nodes: Vec<PathBuf>,
    /// Whether NVIDIA's driver shows multi-instance partitions (MIG).
    pub has_partitions: bool,
    /// Whether the process was forked off from one that had opened a device.
    pub is_forked: bool,
    /// `NVIDIA_DRIVER_CAPABILITIES`, which containers of NVIDIA's runtime have.
    pub nvidia_capabilities: Option<String>,
}

impl DeviceReport {
    /// A report about this machine.
    pub fn collect() -> Self {
        let variables = DRIVER_VARIABLES.into_iter().chain(["NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_VISIBLE_DEVICES"]);
        let environment = variables.filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))).collect();
        Self { adapters: adapters(), is_forked: is_forked(), ..Self::of_files(Path::new("/"), &environment) }
    }

    /// What the files under a root and the variables of an environment say, without asking for adapters.
    pub fn of_files(root: &Path, environment: &BTreeMap<String, String>) -> Self {
        let libraries = LIBRARY_FOLDERS.iter().flat_map(|folder| LOADER_NAMES.map(|name| root.join(folder).join(name)));
        let visible = environment.get("NVIDIA_VISIBLE_DEVICES");
        Self {
            adapters: Vec::new(),
            is_forked: false,
            loader: libraries.into_iter().find(|path| path.exists()),
            driver_files: driver_files(root, environment),
            device_nodes: device_nodes(root),
            has_partitions: visible.is_some_and(|visible| visible.contains("MIG-")) || has_partitions(root),
            nvidia_capabilities: environment.get("NVIDIA_DRIVER_CAPABILITIES").cloned(),
        }
    }

    /// The likeliest reason.
    pub fn cause(&self) -> Cause {
        let without_graphics = |text: &&String| !text.split(',').any(|one| matches!(one.trim(), "graphics" | "all"));
        if self.adapters.iter().any(|adapter| !adapter.is_software()) {
            return Cause::Available;
        }
        if self.is_forked {
            return Cause::Forked;
        }
        if self.has_partitions {
            return Cause::OnlyPartitions;
        }
        if let Some(capabilities) = self.nvidia_capabilities.as_ref().filter(without_graphics) {
            return Cause::NoGraphicsCapability { capabilities: capabilities.clone() };
        }
        match self {
            Self { adapters, .. } if !adapters.is_empty() => Cause::SoftwareOnly,
            Self { loader: None, .. } if cfg!(target_os = "linux") => Cause::NoLoader,
            Self { driver_files, .. } if driver_files.is_empty() && cfg!(target_os = "linux") => Cause::NoDriver,
            Self { device_nodes, .. } if device_nodes.is_empty() && cfg!(target_os = "linux") => Cause::NoDeviceNode,
            _ => Cause::Unknown,
        }
    }
}

impl fmt::Display for DeviceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = |paths: &[PathBuf]| match paths {
            [] => "none".to_owned(),
            _ => paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
        };
        let adapters: Vec<String> = self.adapters.iter().map(ToString::to_string).collect();
        writeln!(f, "adapters:      {}", if adapters.is_empty() { "none".to_owned() } else { adapters.join("; ") })?;
        writeln!(f, "Vulkan loader: {}", paths(self.loader.as_slice()))?;
        writeln!(f, "driver files:  {}", paths(&self.driver_files))?;
        writeln!(f, "device nodes:  {}", paths(&self.device_nodes))?;
        write!(f, "verdict:       {}", self.cause())
    }
}

fn driver_files(root: &Path, environment: &BTreeMap<String, String>) -> Vec<PathBuf> {
    if let Some(listed) = DRIVER_VARIABLES.iter().find_map(|name| environment.get(*name)) {
        return std::env::split_paths(listed).filter(|path| path.exists()).collect();
    }
    let files = DRIVER_FOLDERS.iter().flat_map(|folder| entries(&root.join(folder)));
    files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

fn device_nodes(root: &Path) -> Vec<PathBuf> {
    let is_gpu = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("renderD") || name.strip_prefix("nvidia").is_some_and(|rest| rest.parse::<u32>().is_ok())
    };
    entries(&root.join("dev/dri")).into_iter().chain(entries(&root.join("dev"))).filter(is_gpu).collect()
}

fn has_partitions(root: &Path) -> bool {
    let of_gpu = |gpu: PathBuf| entries(&gpu.join("mig"));
    let mut partitions = entries(&root.join(NVIDIA_CAPABILITIES)).into_iter().flat_map(of_gpu);
    partitions.any(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("gi")))
}

/// What lies in a folder, in the order of names; nothing where it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<PathBuf> = read.filter_map(|entry| Some(entry.ok()?.path())).collect();
    all.sort();
    all
}
