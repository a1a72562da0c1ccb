//! What the commands `kinetic ik …` do: classify, generate, test, register.

use kinetic::core::{KineticError, Result as KineticResult, StopFlag, files};
use kinetic::kinematics::analytic::codegen::{Language, generate};
use kinetic::kinematics::analytic::{Manipulator, Pair, ProductOfExponentials, Relation, TolerancePolicy, Topology};
use kinetic::kinematics::ik::IKTrial;
use kinetic::kinematics::{IKConfig, KinematicChain};
use kinetic::robot::register::Arm;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::convert::{Count, Dict, File, Seed, Text, Texts};
use crate::error::Result;
use crate::ik::manipulator::{Names, PyManipulator, with_locked};
use crate::ik::records::{PyTolerancePolicy, thresholds};
use crate::interrupt::interruptible;
use crate::robot::argument::RobotArg;
use crate::robot::{Model, PyRobot};

/// Stand-alone solvers.
#[pymethods]
impl PyManipulator {
    /// The solver for the chain between two links of a robot.
    ///
    /// Args:
    ///     robot: A robot, or the name of a built-in one.
    ///     base: First link of the chain; None for the base of the robot's selected group.
    ///     ee: Last link of the chain; None for the tip of the selected group.
    ///     policy: Thresholds; None for the defaults.
    ///     lock_joint: As in `from_robot`.
    ///
    /// Raises:
    ///     InputError: Unknown robot or link, or an arm without closed form; the message says what has one.
    #[staticmethod]
    #[pyo3(signature = (robot, *, base=None, ee=None, policy=None, lock_joint=None))]
    fn from_chain(
        py: Python<'_>,
        robot: RobotArg<'_>,
        base: Option<Text>,
        ee: Option<Text>,
        policy: Option<Bound<'_, PyTolerancePolicy>>,
        lock_joint: Option<Names>,
    ) -> Result<Self> {
        let model = robot.handle(py)?.get().model();
        let (chain, policy) = (chain_between(&model, base, ee)?, thresholds(policy));
        Ok(Self(py.detach(|| with_locked(chain, lock_joint, policy))?))
    }

    /// One source file that solves this arm without kinetic: same keywords, same answers.
    ///
    /// Args:
    ///     language: "rust" (standard library only) or "python" (NumPy only).
    ///     robot: What the file calls the arm.
    ///
    /// Raises:
    ///     InputError: Unknown language, or a class of arms that no code can be generated of; the message says of which.
    ///
    /// Example:
    ///     >>> from kinetic import Manipulator
    ///     >>> text = Manipulator.from_robot("ur5e").generate("python", robot="ur5e")
    ///     >>> solver = {"__name__": "ur5e_ik"}
    ///     >>> exec(text, solver)
    ///     >>> len(solver["solve"](solver["fk"]([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])))
    ///     8
    #[pyo3(signature = (language, *, robot=None))]
    fn generate(&self, py: Python<'_>, language: Text, robot: Option<Text>) -> Result<String> {
        let robot = robot.map_or_else(|| "an arm".to_owned(), |robot| robot.0);
        Ok(py.detach(|| generate(&self.0, language.0.parse()?, &robot))?)
    }

    /// Writes the file of `generate`; the ending of its name, .rs or .py, says the language.
    ///
    /// Raises:
    ///     InputError: Another ending, or a class of arms that no code can be generated of.
    ///     OSError: The file cannot be written.
    #[pyo3(signature = (path, *, robot=None))]
    fn write_solver(&self, py: Python<'_>, path: File, robot: Option<Text>) -> Result<()> {
        let robot = robot.map_or_else(|| "an arm".to_owned(), |robot| robot.0);
        let write =
            || -> KineticResult<()> { files::write(&path.0, generate(&self.0, Language::of_file(&path.0)?, &robot)?) };
        Ok(py.detach(write)?)
    }
}

/// Reports on inverse kinematics.
#[pymethods]
impl PyRobot {
    /// Which axes of a chain are parallel and which meet, and the solver that follows from it.
    ///
    /// Args:
    ///     base: First link of the chain; None for the base of the selected group.
    ///     ee: Last link of the chain; None for the tip of the selected group.
    ///     policy: Thresholds; None for the defaults.
    ///
    /// Returns:
    ///     A dict with `chain`, `joints`, `pairs` (dicts with `axes`, two numbers from 1, `relation`: "parallel",
    ///     "intersecting", "skew" or "sliding", `residual`, and `distance` in m, `angle` in rad, `point` in m at zero in
    ///     the base where they apply), `common_points` (`axes`, three numbers, `point`, `residual`), `solver` and `tier`
    ///     (None without closed form), and `reason`. A chain in which a joint follows another one has no pairs and points.
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> kinetic.Robot("ur5e").classify()["solver"]
    ///     'six_r.three_parallel'
    #[pyo3(signature = (*, base=None, ee=None, policy=None))]
    fn classify<'py>(
        &self,
        py: Python<'py>,
        base: Option<Text>,
        ee: Option<Text>,
        policy: Option<Bound<'py, PyTolerancePolicy>>,
    ) -> Result<Dict<'py>> {
        let policy = thresholds(policy);
        let chain = chain_between(&self.model(), base, ee)?;
        let report = py.detach(|| classification(chain, policy))?;
        Dict::parse(py, &report.to_string())
    }

    /// Asks `ik` for the poses of random configurations inside the limits, to 1 µm and 1 µrad.
    ///
    /// Args:
    ///     count: How many poses.
    ///     rng_seed: Seed of the configurations.
    ///
    /// Returns:
    ///     A dict with `solver`, `poses`, `solved`, `seconds` (`median`, `mean`, `p99` and `max` of one call),
    ///     `branches` (how many poses have so many solutions inside the limits; None without closed form and for
    ///     arms with more than six joints, which have infinitely many), `position_error` in m and `orientation_error` in
    ///     rad, the largest. Times are measured, the rest is repeatable.
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> report = kinetic.Robot("ur5e").test_ik(count=10)
    ///     >>> report["solved"], sum(report["branches"].values())
    ///     (10, 10)
    #[pyo3(
        signature = (*, count=Count(1000), rng_seed=Seed(0)),
        text_signature = "($self, *, count=1000, rng_seed=0)"
    )]
    fn test_ik<'py>(&self, py: Python<'py>, count: Count, rng_seed: Seed) -> Result<Dict<'py>> {
        let model = self.model();
        let (chain, config, stop) = (model.chain()?, IKConfig::for_robot(&model.robot), StopFlag::default());
        let trial = || {
            let closed_form = model.closed_form().ok();
            let solver = closed_form.map_or("numerical", |arm| &arm.dispatch_plan().solver_name).to_owned();
            IKTrial::run(chain, closed_form, &config, count.0, rng_seed.0, &stop).map(|trial| (solver, trial))
        };
        let (solver, trial) = interruptible(py, &stop, trial)??;
        Dict::parse(py, &trial_report(&solver, &trial).to_string())
    }
}

/// Registers an arm: writes a folder with `kinetic.toml` and the URDF, which `Robot.from_path` reads.
///
/// Args:
///     urdf: The URDF file.
///     base: First link of the arm.
///     tip: Last link of the arm.
///     name: Name that the robot gets.
///     out: The folder; it is made if need be.
///     remarks: Lines for the head of kinetic.toml.
///
/// Returns:
///     The path of kinetic.toml.
///
/// Raises:
///     InputError: A malformed file, an unknown link, no chain between the links, or an empty name.
///     OSError: A file cannot be read or written.
#[pyfunction]
#[pyo3(
    signature = (urdf, *, base, tip, name, out, remarks=Texts::default()),
    text_signature = "(urdf, *, base, tip, name, out, remarks=())"
)]
pub(crate) fn add_arm(
    py: Python<'_>,
    urdf: File,
    base: Text,
    tip: Text,
    name: Text,
    out: File,
    remarks: Texts,
) -> Result<String> {
    let arm = Arm { name: &name.0, base: &base.0, tip: &tip.0, remarks: &remarks.0 };
    Ok(py.detach(|| arm.register(&urdf.0, &out.0))?.display().to_string())
}

fn chain_between(model: &Model, base: Option<Text>, ee: Option<Text>) -> Result<KinematicChain> {
    if base.is_none() && ee.is_none() {
        return Ok(model.chain()?.clone());
    }
    let (robot, group) = (&model.robot, model.group());
    let or = |link: Option<Text>, index: usize| link.map_or_else(|| robot.links[index].name.clone(), |link| link.0);
    Ok(KinematicChain::extract(robot, &or(base, group.base_link), &or(ee, group.tip_link))?)
}

fn classification(chain: KinematicChain, policy: TolerancePolicy) -> KineticResult<Value> {
    policy.check()?;
    let mut report = json!({
        "chain": chain.name(),
        "joints": chain.joint_names(),
        "pairs": [],
        "common_points": [],
        "solver": Value::Null,
        "tier": Value::Null,
    });
    let found = ProductOfExponentials::from_chain(&chain).and_then(|arm| {
        add_geometry(&mut report, &Topology::of(&arm, &policy));
        Manipulator::from_chain(chain, policy)
    });
    match found {
        Ok(found) => {
            let plan = found.dispatch_plan();
            report["solver"] = json!(plan.solver_name);
            report["tier"] = json!(plan.tier);
            report["reason"] = json!(plan.reason);
        }
        Err(KineticError::IncompatibleKinematics { reason }) => report["reason"] = json!(reason.to_string()),
        Err(error) => return Err(error),
    }
    Ok(report)
}

fn add_geometry(report: &mut Value, topology: &Topology) {
    let points = topology.common_points.iter().map(|common| {
        let axes = [common.first + 1, common.first + 2, common.first + 3];
        json!({ "axes": axes, "point": common.point.as_slice(), "residual": common.residual })
    });
    report["common_points"] = points.collect();
    report["pairs"] = topology.pairs.iter().map(pair).collect();
}

fn pair(pair: &Pair) -> Value {
    let mut out = json!({ "axes": [pair.first + 1, pair.first + 2], "residual": pair.residual });
    let mut set = |key: &str, value: Value| out[key] = value;
    match pair.relation {
        Relation::Parallel { distance } => {
            set("relation", json!("parallel"));
            set("distance", json!(distance));
        }
        Relation::Intersecting { point } => {
            set("relation", json!("intersecting"));
            set("point", json!(point.as_slice()));
        }
        Relation::Skew { distance, angle } => {
            set("relation", json!("skew"));
            set("distance", json!(distance));
            set("angle", json!(angle));
        }
        Relation::Sliding { angle } => {
            set("relation", json!("sliding"));
            set("angle", json!(angle));
        }
    }
    out
}

fn trial_report(solver: &str, trial: &IKTrial) -> Value {
    let mean = trial.seconds.iter().sum::<f64>() / trial.seconds.len() as f64;
    let seconds = json!({
        "median": trial.seconds_within(0.5),
        "mean": mean,
        "p99": trial.seconds_within(0.99),
        "max": trial.seconds_within(1.0),
    });
    json!({
        "solver": solver,
        "poses": trial.poses,
        "solved": trial.solved,
        "seconds": seconds,
        "branches": trial.branches,
        "position_error": trial.position_error,
        "orientation_error": trial.orientation_error,
    })
}
