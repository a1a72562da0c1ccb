//! `Planner`: what pickle stores.

use kinetic::core::{KineticError, StateCost};
use pyo3::prelude::*;

use crate::convert::{Rebuild, Text, rebuild};
use crate::error::Result;
use crate::planning::PyPlanner;
use crate::planning::device::{PlannerDevice, StoredDevice};
use crate::planning::options::StoredOptions;
use crate::planning::regions::PyConvexDecomposition;
use crate::planning::roadmap::PyRoadmap;
use crate::robot::PyRobot;
use crate::scene::PyScene;

#[pymethods]
impl PyPlanner {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let (planner, py) = (slf.get(), slf.py());
        if matches!(planner.config.state_cost, Some(StateCost::Function(_))) {
            let wanted = "a cost that has a name: a function cannot be stored";
            return Err(KineticError::invalid("state_cost of a pickled planner", "a function", wanted).into());
        }
        let scene = planner.scene.as_ref().map(|scene| scene.clone_ref(py));
        let names = (planner.planner_type.id(), planner.group.clone());
        let roadmap = planner.roadmap.as_ref().map(|roadmap| roadmap.clone_ref(py));
        let regions = planner.regions.as_ref().map(|regions| regions.clone_ref(py));
        let device = planner.device.as_ref().map(PlannerDevice::choice).zip(planner.device_options(py)?);
        let options = StoredOptions(planner.config.clone());
        let parts = (planner.robot.clone_ref(py), scene, names, options, roadmap, regions, device);
        Ok(rebuild(slf.get_type().into_any(), "_restore", parts)?)
    }

    /// The planner that pickle stored; its device is opened here.
    #[staticmethod]
    #[pyo3(signature = (robot, scene, names, options, roadmap=None, regions=None, device=None))]
    #[expect(clippy::too_many_arguments, reason = "what pickle stores")]
    fn _restore<'py>(
        py: Python<'py>,
        robot: &Bound<'py, PyRobot>,
        scene: Option<Bound<'py, PyScene>>,
        names: (Text, Text),
        options: StoredOptions,
        roadmap: Option<Py<PyRoadmap>>,
        regions: Option<Py<PyConvexDecomposition>>,
        device: Option<StoredDevice>,
    ) -> Result<Self> {
        let planner = Self::build(py, robot, scene, names.0.0.parse()?, options.0, Some(names.1.0))?;
        let planner = Self { roadmap, regions, ..planner };
        match device {
            Some(StoredDevice { choice, options }) => planner.with_device(py, choice, Some(options.bind(py))),
            None => Ok(planner),
        }
    }
}
