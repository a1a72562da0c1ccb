//! Finding, opening and losing devices.

use kinetic_core::KineticError;
use kinetic_gpu::{
    AdapterKind, DeviceChoice, DeviceOptions, GpuDevice, GpuError, GpuKinematics, adapters, batch_fk_gpu, gpu_available,
};

use crate::robots::chain;
use crate::support::{device, opened};

#[test]
fn an_installed_software_driver_is_found() {
    let installed = std::fs::read_dir("/usr/share/vulkan/icd.d").into_iter().flatten().flatten();
    let is_lavapipe = |name: &str| name.starts_with("lvp_icd");
    let Some(file) = installed.map(|entry| entry.file_name()).find(|name| is_lavapipe(&name.to_string_lossy())) else {
        eprintln!("skipped: lavapipe is not installed");
        return;
    };
    assert!(!adapters().is_empty(), "{file:?} is installed, and no adapter is found");
}

#[test]
fn adapters_are_numbered_and_the_best_come_first() {
    let all = adapters();
    assert!(all.iter().enumerate().all(|(index, adapter)| adapter.index == index && !adapter.name.is_empty()));
    assert!(all.is_sorted_by_key(|adapter| adapter.kind));
    assert_eq!(gpu_available(), all.iter().any(|adapter| adapter.kind != AdapterKind::Software));
    for adapter in &all {
        assert_eq!(adapter.is_software(), adapter.to_string().contains("software"), "{adapter}");
    }
}

#[test]
fn devices_are_chosen_by_number_and_by_name() {
    let Some(first) = device() else { return };
    let name = first.info().name.to_uppercase();
    for choice in ["auto", "gpu", "gpu:0", &name[..4]] {
        let choice: DeviceChoice = choice.parse().unwrap();
        assert_eq!(GpuDevice::open(&choice).unwrap().info(), first.info(), "{choice:?}");
    }
    for unknown in ["gpu:99", "no such adapter"] {
        let error = GpuDevice::open(&unknown.parse().unwrap()).unwrap_err();
        let GpuError::UnknownDevice { name, available } = &error else { panic!("{error}") };
        assert_eq!((name.as_str(), available.len()), (unknown, adapters().len()));
        assert!(matches!(KineticError::from(error), KineticError::UnknownName { .. }));
    }
}

#[test]
fn text_that_names_no_device_is_refused() {
    for text in ["", " ", "gpu:", "gpu:-1", "gpu:one"] {
        assert!(matches!(text.parse::<DeviceChoice>(), Err(KineticError::InvalidValue { .. })), "{text:?}");
    }
}

#[test]
fn a_time_out_that_is_no_time_is_refused() {
    for timeout_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = DeviceOptions { timeout_s, ..DeviceOptions::default() };
        let error = GpuDevice::open_with(&DeviceChoice::Auto, &options).unwrap_err();
        assert!(matches!(error, GpuError::Input(KineticError::InvalidValue { .. })), "{timeout_s}: {error}");
    }
}

#[test]
fn a_destroyed_device_has_a_typed_error() {
    let Some(device) = opened(&DeviceOptions::default()) else { return };
    let mut kinematics = GpuKinematics::new(&device, &chain(3)).unwrap();
    assert_eq!(kinematics.link_poses(&[0.1; 6]).unwrap().len(), 2 * 4 * 12);
    assert!(!device.is_lost());
    device.destroy();
    assert!(device.is_lost());
    for _ in 0..2 {
        let error = kinematics.link_poses(&[0.1; 6]).unwrap_err();
        assert!(matches!(&error, GpuError::DeviceLost { detail, .. } if detail.contains("destroyed")), "{error}");
        assert!(matches!(KineticError::from(error), KineticError::Other(_)));
    }
    assert!(matches!(GpuKinematics::new(&device, &chain(3)), Err(GpuError::DeviceLost { .. })));
}

#[test]
fn a_device_that_does_not_answer_in_time_has_a_typed_error() {
    let options = DeviceOptions { timeout_s: 1e-9, ..DeviceOptions::default() };
    let Some(device) = opened(&options) else { return };
    let robot = chain(24);
    let mut kinematics = GpuKinematics::new(&device, &robot).unwrap();
    let error = kinematics.link_poses(&vec![0.1; 24 * 4096]).unwrap_err();
    assert_eq!(error, GpuError::TimedOut { adapter: device.info().name.clone(), seconds: 1e-9 });
    assert!(matches!(kinematics.link_poses(&[0.1; 24]), Err(GpuError::DeviceLost { .. })));
}

#[test]
fn the_one_liner_says_why_there_is_no_device() {
    match batch_fk_gpu(&chain(2), &[0.0, 0.0]) {
        Ok(poses) => assert_eq!(poses.len(), 3 * 12),
        Err(GpuError::NoAdapter { report, .. }) => assert!(report.adapters.is_empty(), "{report}"),
        Err(other) => panic!("{other}"),
    }
}
