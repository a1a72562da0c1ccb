//! Devices of a `Planner`.

use kinetic::core::KineticError;
use kinetic::gpu::{CollisionOptions, ComputeChoice, DeviceTrajectoryOptimizer, GpuConfig};
use kinetic::planning::{PlannerType, SharedOptimizer};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{type_hint_identifier, type_hint_subscript};

use crate::convert::{Call, Count, Dict, Real, Text, keywords};
use crate::error::{Error, Result};
use crate::planning::PyPlanner;

const STR: PyStaticExpr = type_hint_identifier!("builtins", "str");
const DICT: PyStaticExpr =
    type_hint_subscript!(type_hint_identifier!("builtins", "dict"), STR, type_hint_identifier!("typing", "Any"));

pub(crate) const WITH_DEVICE: Call<DeviceKeywords> = Call::new("Planner.with_device");

keywords! {
    /// Of `Planner.with_device`; what is None is as the preset has it.
    pub(crate) struct DeviceKeywords {
        preset: Text = Text("balanced".to_owned()),
        seeds_per_batch: Option<Count> = None,
        control_points: Option<Count> = None,
        samples_per_interval: Option<Count> = None,
        iterations: Option<Count> = None,
        clearance: Option<Real> = None,
        smoothness_weight: Option<Real> = None,
        largest_change: Option<Real> = None,
        resolution: Option<Real> = None,
    }
}

impl DeviceKeywords {
    fn options(&self) -> Result<GpuConfig> {
        let base = GpuConfig::from_preset(&self.preset.0)?;
        let count = |value: &Option<Count>, base| value.as_ref().map_or(base, |value| value.0);
        let real = |value: &Option<Real>, base| value.as_ref().map_or(base, |value| value.0);
        // What does not fit is refused as too large.
        let iterations =
            self.iterations.as_ref().map_or(base.iterations, |value| value.0.try_into().unwrap_or(u32::MAX));
        let options = GpuConfig {
            seeds_per_batch: count(&self.seeds_per_batch, base.seeds_per_batch),
            control_points: count(&self.control_points, base.control_points),
            samples_per_interval: count(&self.samples_per_interval, base.samples_per_interval),
            iterations,
            clearance: real(&self.clearance, base.clearance),
            smoothness_weight: real(&self.smoothness_weight, base.smoothness_weight),
            largest_change: real(&self.largest_change, base.largest_change),
            collision: CollisionOptions { resolution: real(&self.resolution, base.collision.resolution) },
        };
        options.check()?;
        Ok(options)
    }
}

/// What optimises the trajectories of a planner, on a GPU or on the processor.
#[derive(Clone)]
pub(crate) struct PlannerDevice {
    pub(crate) optimizer: SharedOptimizer,
    choice: String,
    options: GpuConfig,
}

#[pymethods]
impl PyPlanner {
    /// The same planner with an optimiser of many trajectories at once on a device; its type is "trajopt".
    ///
    /// Initial trajectories go down by L-BFGS, as many at a time as `seeds_per_batch`, in single precision and with spheres around the
    /// links: on a GPU each in a workgroup of its own, on the processor by the scalar twin, which computes the same to rounding. Of the
    /// proposals the cheapest whose edges are proven is the path, so that a plan has passed all that every plan passes. The planner
    /// without a device ends with the first path that it finds. Problems that `problem` makes are without a device.
    ///
    /// Args:
    ///     device: "auto" (a GPU where there is one, else the processor), "cpu", "gpu", "gpu:N" or a part of the name of an adapter.
    ///     preset: "speed", "balanced" or "quality": what the options below are that are None. `device_options` has what they came to.
    ///     seeds_per_batch: Initial trajectories that are optimised together; `num_seeds` of the planner are all of them.
    ///     control_points: Control points of a spline between its ends.
    ///     samples_per_interval: Samples per interval of the spline, at which obstacles are looked at.
    ///     iterations: Iterations of a trajectory at most.
    ///     clearance: Distance beyond the required one at which obstacles begin to cost, m.
    ///     smoothness_weight: Weight of accelerations; obstacles have the weight 1.
    ///     largest_change: Largest change of a control point in an iteration, in the planner's metric.
    ///     resolution: Distance of the nodes of the grids of shapes without a closed form, m.
    ///
    /// Raises:
    ///     InputError: A planner of another type, a device that is not there, or an option outside its domain.
    #[pyo3(
        signature = (device=Text("auto".to_owned()), **options),
        text_signature = "($self, device='auto', *, preset='balanced', seeds_per_batch=None, control_points=None, \
                          samples_per_interval=None, iterations=None, clearance=None, smoothness_weight=None, largest_change=None, \
                          resolution=None)"
    )]
    pub(crate) fn with_device(
        &self,
        py: Python<'_>,
        device: Text,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let choice: ComputeChoice = device.0.parse()?;
        let options = WITH_DEVICE.read(options)?.options()?;
        let mut planner = self.with_config(py, self.config.clone());
        if planner.planner_type == PlannerType::Auto {
            planner.planner_type = PlannerType::TRAJOPT;
        }
        if planner.planner_type != PlannerType::TRAJOPT {
            let given = format!("\"{}\"", planner.planner_type);
            return Err(KineticError::invalid("planner_type", given, "trajopt for a planner on a device").into());
        }
        // A device takes up to seconds to open.
        let opened = py.detach(|| DeviceTrajectoryOptimizer::new(&choice, options));
        let optimizer = opened.map_err(KineticError::from)?;
        planner.device = Some(PlannerDevice { optimizer: SharedOptimizer::new(optimizer), choice: device.0, options });
        Ok(planner)
    }

    /// The options of `with_device` as they came to be; None without a device.
    #[getter]
    pub(crate) fn device_options<'py>(&self, py: Python<'py>) -> Result<Option<Dict<'py>>> {
        let Some(GpuConfig {
            seeds_per_batch,
            control_points,
            samples_per_interval,
            iterations,
            clearance,
            smoothness_weight,
            largest_change,
            collision: CollisionOptions { resolution },
        }) = self.device.as_ref().map(|device| device.options)
        else {
            return Ok(None);
        };
        let dict = Dict::new(py).with("seeds_per_batch", seeds_per_batch)?.with("control_points", control_points)?;
        let dict = dict.with("samples_per_interval", samples_per_interval)?.with("iterations", iterations)?;
        let dict = dict.with("clearance", clearance)?.with("smoothness_weight", smoothness_weight)?;
        Ok(Some(dict.with("largest_change", largest_change)?.with("resolution", resolution)?))
    }

    /// Where trajectories are optimised: "cpu", or an adapter.
    #[getter]
    fn device(&self) -> &str {
        self.device.as_ref().map_or("cpu", |device| device.optimizer.device())
    }
}

impl PlannerDevice {
    /// What `with_device` was asked for.
    pub(crate) fn choice(&self) -> &str {
        &self.choice
    }
}

/// What pickle stores of a device: what `with_device` was asked for, and the options as they came to be.
pub(crate) struct StoredDevice {
    pub(crate) choice: Text,
    pub(crate) options: Py<PyDict>,
}

impl FromPyObject<'_, '_> for StoredDevice {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(type_hint_identifier!("builtins", "tuple"), STR, DICT);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let (choice, options) = given.extract()?;
        Ok(Self { choice, options })
    }
}
