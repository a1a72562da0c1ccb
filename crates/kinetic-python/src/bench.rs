//! `bench_mbm`: what `kinetic bench mbm` runs.

use kinetic::core::{KineticError, StopFlag};
use kinetic::mbm::{self, Cylinders, Model, Options};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{type_hint_identifier, type_hint_subscript};

use crate::convert::{File, Real, Seed, Text};
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::scene::PyScene;

const MODELS: [(&str, Model); 2] = [("given", Model::Given), ("builtin", Model::Builtin)];
const CYLINDERS: [(&str, Cylinders); 2] = [("vamp", Cylinders::Vamp), ("exact", Cylinders::Exact)];

/// Plans the problems of MotionBenchMaker and reports times and lengths.
///
/// Args:
///     data: Folder with `problems/` and `models/`.
///     robot: Robot of the problems, such as "panda".
///     model: "given": the spheres that come with the problems; "builtin": the built-in robot.
///     cylinders: "vamp": planned against as capsules or boxes; "exact".
///     seed: Seed of every plan.
///     planner: Who plans, such as "rrt_connect".
///     timeout: Seconds that a problem may take; anytime planners use them up.
///     progress: Called with the number of problems done and of all.
///
/// Returns:
///     JSON with `machine`, `robot`, `rows` (one per problem) and `paths` (one per solved problem).
///
/// Raises:
///     InputError: The data is malformed, or a name unknown.
///     OSError: The data cannot be read.
#[pyfunction]
#[pyo3(signature = (data, robot, model, cylinders, seed, planner, timeout, progress=None))]
#[expect(clippy::too_many_arguments, reason = "the options of the command, one by one")]
pub(crate) fn bench_mbm(
    py: Python<'_>,
    data: File,
    robot: Text,
    model: Text,
    cylinders: Text,
    seed: Seed,
    planner: Text,
    timeout: Real,
    progress: Option<Progress>,
) -> Result<String> {
    let options = Options {
        data: data.0,
        robot: robot.0,
        model: named("model", &MODELS, &model.0)?,
        cylinders: named("treatment of cylinder", &CYLINDERS, &cylinders.0)?,
        seed: seed.0,
        planner: planner.0.parse()?,
        timeout: timeout.0,
    };
    let stop = StopFlag::default();
    let (report, raised) = interruptible(py, &stop, || {
        let mut raised = None;
        let mut report_progress = |done: usize, total: usize| {
            if let Some(progress) = &progress {
                raised = progress.call(done, total).err();
            }
            raised.is_none() && !stop.is_stopped()
        };
        let report = mbm::run(&options, &mut report_progress);
        (report, raised)
    })?;
    if let Some(raised) = raised {
        return Err(raised.into());
    }
    Ok(serde_json::to_string(&report?).map_err(|error| KineticError::Other(error.to_string()))?)
}

/// The robot of a benchmark problem with the obstacles around it, and the limits of its joints.
///
/// Args:
///     data: Folder with `problems/` and `models/`.
///     robot: Robot of the problems, such as "panda".
///     family: Family of problems.
///     index: Number of the problem in its family.
///     cylinders: As for `bench_mbm`.
///
/// Returns:
///     Scene, lower limits and upper limits.
#[pyfunction]
pub(crate) fn _bench_scene(
    data: File,
    robot: Text,
    family: Text,
    index: Seed,
    cylinders: Text,
) -> Result<(PyScene, Vec<f64>, Vec<f64>)> {
    let cylinders = named("treatment of cylinder", &CYLINDERS, &cylinders.0)?;
    let options = Options { cylinders, ..Options::new(data.0, robot.0) };
    let scene = mbm::problem_scene(&options, &family.0, index.0)?;
    let robot = scene.robot();
    let limits = robot.groups[robot.default_group].variables.iter().map(|variable| robot.joint_limits[*variable]);
    let (lower, upper) = limits.map(|limits| (limits.lower, limits.upper)).unzip();
    Ok((PyScene::new(scene), lower, upper))
}

/// Something to call with two numbers.
pub(crate) struct Progress(Py<PyAny>);

impl Progress {
    /// Calls it, from whichever thread.
    pub(crate) fn call(&self, done: usize, total: usize) -> PyResult<()> {
        Python::attach(|py| self.0.call1(py, (done, total))).map(drop)
    }
}

impl FromPyObject<'_, '_> for Progress {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Callable"),
        PyStaticExpr::List {
            elts: &[type_hint_identifier!("builtins", "int"), type_hint_identifier!("builtins", "int")]
        },
        type_hint_identifier!("builtins", "object")
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(given.to_owned().unbind()))
    }
}

fn named<T: Copy>(kind: &str, table: &[(&str, T)], name: &str) -> Result<T> {
    let unknown = || KineticError::unknown_name(kind, name, table.iter().map(|(known, _)| *known));
    Ok(table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(unknown)?)
}
