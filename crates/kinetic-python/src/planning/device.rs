//! Devices of a `Planner`.

use std::sync::{Arc, Mutex};

use kinetic::core::KineticError;
use kinetic::gpu::{ComputeChoice, DeviceTrajectoryOptimizer, TrajoptOptions};
use kinetic::planning::{PlannerType, SharedOptimizer};
use pyo3::prelude::*;

use crate::convert::Text;
use crate::error::Result;
use crate::planning::PyPlanner;

/// What optimises the trajectories of a planner on a GPU.
#[derive(Clone)]
pub(crate) struct PlannerDevice {
    pub(crate) optimizer: SharedOptimizer,
    /// Kept beside it, so that to ask for it waits for no plan.
    name: String,
}

#[pymethods]
impl PyPlanner {
    /// The same planner on a device; its type is "trajopt".
    ///
    /// Sixty-four initial trajectories at a time go down at once, each in a workgroup of its own, in single precision and with spheres
    /// around the links. Of the proposals the cheapest whose edges are proven is the path, so that a plan has passed all that every
    /// plan passes. Where there is no GPU, "auto" is the planner on the processor, which ends with the first path that it finds.
    /// Problems that `problem` makes are without a device.
    ///
    /// Args:
    ///     device: "auto" (a GPU where there is one, else the processor), "cpu", "gpu", "gpu:N" or a part of the name of an adapter.
    ///
    /// Raises:
    ///     InputError: A planner of another type, or a device that is not there.
    #[pyo3(signature = (device=Text("auto".to_owned())), text_signature = "($self, device='auto')")]
    fn with_device(&self, py: Python<'_>, device: Text) -> Result<Self> {
        let choice: ComputeChoice = device.0.parse()?;
        let mut planner = self.with_config(py, self.config.clone());
        planner.device = None;
        if planner.planner_type == PlannerType::Auto {
            planner.planner_type = PlannerType::TRAJOPT;
        }
        if planner.planner_type != PlannerType::TRAJOPT && choice != ComputeChoice::Cpu {
            let given = format!("\"{}\"", planner.planner_type);
            return Err(KineticError::invalid("planner_type", given, "trajopt for a planner on a GPU").into());
        }
        // A device takes up to seconds to open.
        let opened = py.detach(|| DeviceTrajectoryOptimizer::new(&choice, TrajoptOptions::default()));
        let optimizer = opened.map_err(KineticError::from)?;
        if optimizer.compute_device().is_gpu() {
            let name = optimizer.compute_device().to_string();
            planner.device = Some(PlannerDevice { optimizer: Arc::new(Mutex::new(optimizer)), name });
        }
        Ok(planner)
    }

    /// "cpu", or the adapter on which trajectories are optimised.
    #[getter]
    fn device(&self) -> &str {
        self.device.as_ref().map_or("cpu", |device| &device.name)
    }
}
