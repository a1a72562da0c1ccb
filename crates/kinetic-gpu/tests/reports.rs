//! Why there is no GPU, on machines that are made up of files and variables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kinetic_core::KineticError;
use kinetic_gpu::{AdapterInfo, AdapterKind, Cause, DeviceReport, GpuError};

const LOADER: &str = "usr/lib/x86_64-linux-gnu/libvulkan.so.1";
const DRIVER: &str = "usr/share/vulkan/icd.d/nvidia_icd.json";

/// A machine with these files, in a folder that is removed at the end.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str, files: &[&str]) -> Self {
        let root = std::env::temp_dir().join(format!("kinetic-gpu-{name}-{}", std::process::id()));
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        Self(root)
    }

    fn report(&self, environment: &[(&str, &str)]) -> DeviceReport {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        DeviceReport::of_files(&self.0, &environment.iter().map(pair).collect::<BTreeMap<_, _>>())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Name, files, variables, and the cause that they show.
type Case = (&'static str, Vec<&'static str>, Vec<(&'static str, &'static str)>, Cause);

fn adapter(kind: AdapterKind) -> AdapterInfo {
    AdapterInfo { index: 0, name: "x".into(), backend: "vulkan".into(), driver: "d".into(), kind }
}

#[test]
#[cfg(target_os = "linux")]
fn every_cause_is_told_from_files_and_variables() {
    let files = [LOADER, DRIVER, "dev/dri/renderD128"];
    let gi = "proc/driver/nvidia/capabilities/gpu0/mig/gi1/access";
    let cases: [Case; 8] = [
        ("empty", vec![], vec![], Cause::NoLoader),
        ("loader", vec![LOADER, "usr/share/vulkan/icd.d/readme.txt"], vec![], Cause::NoDriver),
        ("driver", vec![LOADER, DRIVER, "dev/nvidiactl"], vec![], Cause::NoDeviceNode),
        ("all", files.to_vec(), vec![], Cause::Unknown),
        ("nvidia", vec![LOADER, DRIVER, "dev/nvidia0"], vec![], Cause::Unknown),
        ("partition", [&files[..], &[gi]].concat(), vec![], Cause::OnlyPartitions),
        ("visible", files.to_vec(), vec![("NVIDIA_VISIBLE_DEVICES", "MIG-1234")], Cause::OnlyPartitions),
        (
            "container",
            files.to_vec(),
            vec![("NVIDIA_DRIVER_CAPABILITIES", "compute,utility")],
            Cause::NoGraphicsCapability { capabilities: "compute,utility".into() },
        ),
    ];
    for (name, files, environment, cause) in cases {
        assert_eq!(Machine::new(name, &files).report(&environment).cause(), cause, "{name}");
    }
}

#[test]
fn a_container_with_graphics_is_not_blamed() {
    let machine = Machine::new("graphics", &[LOADER, DRIVER, "dev/dri/renderD128"]);
    for capabilities in ["all", "graphics,compute,utility", "compute, graphics"] {
        let report = machine.report(&[("NVIDIA_DRIVER_CAPABILITIES", capabilities)]);
        assert_eq!(report.cause(), Cause::Unknown, "{capabilities}");
    }
}

#[test]
fn listed_driver_files_take_the_place_of_the_folders() {
    let machine = Machine::new("listed", &[LOADER, DRIVER, "other.json"]);
    let other = machine.0.join("other.json");
    let listed = machine.report(&[("VK_DRIVER_FILES", other.to_str().unwrap())]);
    assert_eq!(listed.driver_files, [other]);
    let missing = machine.report(&[("VK_ICD_FILENAMES", "/no/such/file.json")]);
    assert_eq!(missing.driver_files, Vec::<PathBuf>::new());
}

#[test]
fn adapters_decide_before_files() {
    let mut report = DeviceReport::of_files(Path::new("/no/such/folder"), &BTreeMap::new());
    report.adapters = vec![adapter(AdapterKind::Software)];
    assert_eq!(report.cause(), Cause::SoftwareOnly);
    report.adapters.insert(0, adapter(AdapterKind::DiscreteGpu));
    assert_eq!(report.cause(), Cause::Available);
}

#[test]
fn a_report_says_what_was_found_and_errors_say_the_cause() {
    let report = Machine::new("text", &[LOADER, DRIVER, "dev/dri/renderD128"]).report(&[]);
    let text = report.to_string();
    for part in ["adapters:      none", "libvulkan.so.1", "nvidia_icd.json", "renderD128", "vulkaninfo"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let error = GpuError::NoAdapter { name: "my card".to_owned(), report: Box::new(report.clone()) };
    assert!(error.to_string().contains(&report.cause().to_string()));
    let error = KineticError::from(error);
    assert!(matches!(error, KineticError::InvalidValue { .. }) && error.to_string().contains("my card"), "{error}");
}
