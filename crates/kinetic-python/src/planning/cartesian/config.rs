//! `CartesianConfig`: the options of a Cartesian plan.

use kinetic::planning::CartesianConfig;
use pyo3::prelude::*;

use crate::convert::Real;
use crate::error::Result;
use crate::ik::path_tolerance::PyPathTolerance;

/// What a Cartesian plan keeps.
///
/// Args:
///     max_step: Largest distance of the samples of the path, m; a rotation of 1 rad counts as 0.1 m. Samples are taken closer
///         together where the tolerances ask for it.
///     jump_threshold: Largest step of a turning joint between samples `max_step` apart, rad, and less where they are closer; a
///         sliding joint may move a tenth of it, m.
///     avoid_collisions: Whether margins are kept. Without, the motion has no certificate.
///     collision_margin: Distance to keep from the world, m, instead of the planner's.
///     position_tolerance: Largest distance of the tool from the path at every instant, m.
///     orientation_tolerance: Largest angle between the tool and the path at every instant, rad.
///     path_tolerance: `PathTolerance` of every pose of the path, as for welding and gluing: what it leaves free is used, and
///         `position_tolerance` and `orientation_tolerance` are how far the tool may be outside of it. None leaves nothing free.
///     max_tool_speed: Largest speed of the tool at every instant, m/s; None for no limit.
///     max_tool_rotation_speed: Largest angular speed of the tool at every instant, rad/s; None for no limit.
///     constant_speed: Speed that the tool holds, m/s, but at stops and where the joints cannot; None for as fast as allowed.
///
/// Raises:
///     InputError: A value outside its domain; the message names it.
///
/// Example:
///     >>> from kinetic import CartesianConfig
///     >>> CartesianConfig(max_tool_speed=0.25).max_step
///     0.005
#[pyclass(frozen, eq, module = "kinetic", name = "CartesianConfig")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyCartesianConfig(pub(crate) CartesianConfig);

#[pymethods]
impl PyCartesianConfig {
    #[new]
    #[pyo3(
        signature = (
            max_step=Real(0.005), jump_threshold=Real(1.4), avoid_collisions=true, collision_margin=Real(0.02), *,
            position_tolerance=Real(1e-4), orientation_tolerance=Real(1e-3), max_tool_speed=None,
            max_tool_rotation_speed=None, constant_speed=None, path_tolerance=None
        ),
        text_signature = "(max_step=0.005, jump_threshold=1.4, avoid_collisions=True, collision_margin=0.02, *, \
                          position_tolerance=0.0001, orientation_tolerance=0.001, max_tool_speed=None, \
                          max_tool_rotation_speed=None, constant_speed=None, \
                          path_tolerance=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn __new__(
        max_step: Real,
        jump_threshold: Real,
        avoid_collisions: bool,
        collision_margin: Real,
        position_tolerance: Real,
        orientation_tolerance: Real,
        max_tool_speed: Option<Real>,
        max_tool_rotation_speed: Option<Real>,
        constant_speed: Option<Real>,
        path_tolerance: Option<&Bound<'_, PyPathTolerance>>,
    ) -> Result<Self> {
        let config = CartesianConfig {
            max_step: max_step.0,
            jump_threshold: jump_threshold.0,
            avoid_collisions,
            collision_margin: collision_margin.0,
            position_tolerance: position_tolerance.0,
            orientation_tolerance: orientation_tolerance.0,
            path_tolerance: path_tolerance.map(|tolerance| tolerance.get().0),
            max_tool_speed: max_tool_speed.map(|speed| speed.0),
            max_tool_rotation_speed: max_tool_rotation_speed.map(|speed| speed.0),
            constant_speed: constant_speed.map(|speed| speed.0),
        };
        config.check()?;
        Ok(Self(config))
    }

    /// Largest distance of the samples of the path, m.
    #[getter]
    fn max_step(&self) -> f64 {
        self.0.max_step
    }

    /// Largest step of a turning joint between neighbouring samples, rad.
    #[getter]
    fn jump_threshold(&self) -> f64 {
        self.0.jump_threshold
    }

    /// Whether margins are kept.
    #[getter]
    fn avoid_collisions(&self) -> bool {
        self.0.avoid_collisions
    }

    /// Distance to keep from the world, m.
    #[getter]
    fn collision_margin(&self) -> f64 {
        self.0.collision_margin
    }

    /// Largest distance of the tool from the path, m.
    #[getter]
    fn position_tolerance(&self) -> f64 {
        self.0.position_tolerance
    }

    /// Largest angle between the tool and the path, rad.
    #[getter]
    fn orientation_tolerance(&self) -> f64 {
        self.0.orientation_tolerance
    }

    /// What every pose of the path leaves free, or None.
    #[getter]
    fn path_tolerance(&self) -> Option<PyPathTolerance> {
        self.0.path_tolerance.map(PyPathTolerance)
    }

    /// Largest speed of the tool, m/s, or None.
    #[getter]
    fn max_tool_speed(&self) -> Option<f64> {
        self.0.max_tool_speed
    }

    /// Largest angular speed of the tool, rad/s, or None.
    #[getter]
    fn max_tool_rotation_speed(&self) -> Option<f64> {
        self.0.max_tool_rotation_speed
    }

    /// Speed that the tool holds, m/s, or None.
    #[getter]
    fn constant_speed(&self) -> Option<f64> {
        self.0.constant_speed
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<crate::convert::Rebuild<'py>> {
        let config = &slf.get().0;
        let usual = (config.max_step, config.jump_threshold, config.avoid_collisions, config.collision_margin);
        let tolerances = (config.position_tolerance, config.orientation_tolerance, slf.get().path_tolerance());
        let speeds = (config.max_tool_speed, config.max_tool_rotation_speed, config.constant_speed);
        Ok(crate::convert::rebuild(slf.get_type().into_any(), "_restore", (usual, tolerances, speeds))?)
    }

    /// The options that pickle stored.
    #[staticmethod]
    fn _restore(
        usual: (f64, f64, bool, f64),
        tolerances: (f64, f64, Option<Bound<'_, PyPathTolerance>>),
        speeds: (Option<f64>, Option<f64>, Option<f64>),
    ) -> Result<Self> {
        let config = CartesianConfig {
            max_step: usual.0,
            jump_threshold: usual.1,
            avoid_collisions: usual.2,
            collision_margin: usual.3,
            position_tolerance: tolerances.0,
            orientation_tolerance: tolerances.1,
            path_tolerance: tolerances.2.map(|tolerance| tolerance.get().0),
            max_tool_speed: speeds.0,
            max_tool_rotation_speed: speeds.1,
            constant_speed: speeds.2,
        };
        config.check()?;
        Ok(Self(config))
    }

    fn __repr__(&self) -> String {
        let config = &self.0;
        let named =
            |name: &str, value: Option<f64>| value.map_or_else(String::new, |value| format!(", {name}={value}"));
        format!(
            "CartesianConfig(max_step={}, jump_threshold={}, avoid_collisions={}, collision_margin={}, \
             position_tolerance={}, orientation_tolerance={}{}{}{}{})",
            config.max_step,
            config.jump_threshold,
            if config.avoid_collisions { "True" } else { "False" },
            config.collision_margin,
            config.position_tolerance,
            config.orientation_tolerance,
            named("max_tool_speed", config.max_tool_speed),
            named("max_tool_rotation_speed", config.max_tool_rotation_speed),
            named("constant_speed", config.constant_speed),
            self.path_tolerance()
                .map_or_else(String::new, |tolerance| format!(", path_tolerance={}", tolerance.__repr__())),
        )
    }
}
