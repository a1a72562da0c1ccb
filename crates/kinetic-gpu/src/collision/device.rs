//! Collision checks where a device is not named: on a GPU, or by the scalar twin.

use kinetic_core::{ContentHash, Control, Result};
use kinetic_scene::{BatchCollisionChecker, Clearance, Margins, Scene};

use super::{CollisionOptions, CpuCollisionChecker, GpuCollisionChecker};
use crate::compute_device::{ComputeChoice, ComputeDevice};
use crate::error::GpuResult;

/// A checker on the device of a [`ComputeChoice`], which goes on after the loss of its device.
#[derive(Debug)]
pub struct DeviceCollisionChecker {
    choice: ComputeChoice,
    device: ComputeDevice,
    checker: CheckerOnDevice,
}

#[derive(Debug)]
enum CheckerOnDevice {
    Cpu(CpuCollisionChecker),
    Gpu(GpuCollisionChecker),
}

/// Calls a method of either checker.
macro_rules! either {
    ($checker:expr, $either:ident => $call:expr) => {
        match $checker {
            CheckerOnDevice::Cpu($either) => $call,
            CheckerOnDevice::Gpu($either) => $call,
        }
    };
}

impl DeviceCollisionChecker {
    /// For a planning group of a scene as it is now.
    ///
    /// # Errors
    /// As [`ComputeDevice::open`] and [`GpuCollisionChecker::new`].
    pub fn new(
        choice: &ComputeChoice,
        scene: &Scene,
        group: &str,
        margins: Margins,
        options: CollisionOptions,
    ) -> GpuResult<Self> {
        let device = ComputeDevice::open(choice)?;
        let checker = CheckerOnDevice::new(&device, scene, group, margins, options)?;
        Ok(Self { choice: choice.clone(), device, checker })
    }

    /// Where it computes.
    pub fn device(&self) -> &ComputeDevice {
        &self.device
    }

    /// Follows the scene to another version, and to another device where its own is lost; false when nothing changed.
    ///
    /// # Errors
    /// As [`new`](Self::new); the checker then stays as it was.
    pub fn update(&mut self, scene: &Scene) -> GpuResult<bool> {
        if !self.device.is_lost() {
            return either!(&mut self.checker, checker => Ok(checker.update(scene)?));
        }
        let (group, margins) = (self.group().to_owned(), either!(&self.checker, checker => checker.margins()));
        let options = either!(&self.checker, checker => checker.options());
        *self = Self::new(&self.choice, scene, &group, margins, options)?;
        Ok(true)
    }

    /// The scene that it was made of, or last updated to.
    pub fn version(&self) -> ContentHash {
        either!(&self.checker, checker => checker.version())
    }

    /// The planning group of its configurations.
    pub fn group(&self) -> &str {
        either!(&self.checker, checker => checker.group())
    }

    /// As [`GpuCollisionChecker::rounding`].
    pub fn rounding(&self) -> f64 {
        either!(&self.checker, checker => checker.rounding())
    }

    /// As [`GpuCollisionChecker::obey`].
    pub fn obey(&mut self, control: Option<&Control>) {
        either!(&mut self.checker, checker => checker.obey(control));
    }

    /// The tightest pair of each configuration (row after row).
    ///
    /// # Errors
    /// As [`slacks_into`](BatchCollisionChecker::slacks_into).
    pub fn clearances(&mut self, configurations: &[f64]) -> GpuResult<Vec<Clearance>> {
        either!(&mut self.checker, checker => Ok(checker.clearances(configurations)?))
    }
}

impl CheckerOnDevice {
    fn new(
        device: &ComputeDevice,
        scene: &Scene,
        group: &str,
        margins: Margins,
        options: CollisionOptions,
    ) -> GpuResult<Self> {
        Ok(match device {
            ComputeDevice::Cpu => Self::Cpu(CpuCollisionChecker::new(scene, group, margins, options)?),
            ComputeDevice::Gpu(device) => Self::Gpu(GpuCollisionChecker::new(device, scene, group, margins, options)?),
        })
    }
}

impl BatchCollisionChecker for DeviceCollisionChecker {
    fn dof(&self) -> usize {
        either!(&self.checker, checker => checker.dof())
    }

    fn free_into(&mut self, configurations: &[f64], free: &mut [bool]) -> Result<()> {
        either!(&mut self.checker, checker => checker.free_into(configurations, free))
    }

    fn slacks_into(&mut self, configurations: &[f64], slacks: &mut [f64]) -> Result<()> {
        either!(&mut self.checker, checker => checker.slacks_into(configurations, slacks))
    }

    fn gradients_into(&mut self, configurations: &[f64], slacks: &mut [f64], gradients: &mut [f64]) -> Result<()> {
        either!(&mut self.checker, checker => checker.gradients_into(configurations, slacks, gradients))
    }
}
