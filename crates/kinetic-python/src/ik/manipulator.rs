//! `Manipulator` and what it answers: closed-form inverse kinematics.

use kinetic::kinematics::KinematicChain;
use kinetic::kinematics::analytic::{Manipulator, Solution, TolerancePolicy};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, File, PoseArg, Text, Texts, Vector};
use crate::error::Result;
use crate::ik::manipulator_keywords::MANIPULATOR_SOLVE;
use crate::ik::records::{PyDiagnostic, PyDispatchPlan, PySolution, PyTolerancePolicy, thresholds};
use crate::interrupt::interruptible_if;
use crate::robot::argument::RobotArg;

/// Closed-form inverse kinematics of an arm with three to eight joints: all branches of every pose.
///
/// The solver is chosen from geometry alone; `dispatch_plan` says which and why. Made from a body, by `from_robot`,
/// `from_chain` or `from_urdf`.
/// Arms with more than six joints are sampled along their self-motion, arms with fewer meet a part of the pose (`met`).
///
/// Example:
///     >>> from kinetic import Manipulator, Robot
///     >>> arm = Manipulator.from_robot(Robot("ur5e"))
///     >>> arm
///     <Manipulator: 6-DOF, dispatched to six_r.three_parallel (tier 0)>
///     >>> len(arm.solve(arm.fk([0.1, -1.0, 1.2, -0.5, 0.8, 0.2])))
///     8
#[pyclass(frozen, module = "kinetic", name = "Manipulator")]
pub(crate) struct PyManipulator(pub(crate) Manipulator);

#[pymethods]
impl PyManipulator {
    /// The solver for a planning group of a robot.
    ///
    /// Args:
    ///     robot: A robot, or the name of a built-in one.
    ///     group: Planning group; None for the robot's selected one.
    ///     policy: Thresholds; None for the defaults.
    ///     lock_joint: Names of the joints to lock, or of the one; None for the best choice. For arms with seven or eight
    ///         joints.
    ///
    /// Raises:
    ///     InputError: Unknown robot or group, or an arm without closed form; the message says what has one.
    #[staticmethod]
    #[pyo3(signature = (robot, group=None, policy=None, *, lock_joint=None))]
    fn from_robot(
        py: Python<'_>,
        robot: RobotArg<'_>,
        group: Option<Text>,
        policy: Option<Bound<'_, PyTolerancePolicy>>,
        lock_joint: Option<Names>,
    ) -> Result<Self> {
        let model = robot.handle(py)?.get().model();
        let policy = thresholds(policy);
        let group = group.map(|group| group.0);
        Ok(Self(py.detach(|| {
            let chain = Manipulator::chain_of(&model.robot, group.as_deref())?;
            with_locked(chain, lock_joint, policy)
        })?))
    }

    /// The solver for the chain from link `base` to link `ee` of a URDF file.
    ///
    /// Args:
    ///     path: The file.
    ///     base: First link of the chain.
    ///     ee: Last link of the chain.
    ///     policy: Thresholds; None for the defaults.
    ///     lock_joint: As in `from_robot`.
    ///
    /// Raises:
    ///     InputError: Malformed file, unknown link, or an arm without closed form; the message says what has one.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    #[pyo3(signature = (path, *, base, ee, policy=None, lock_joint=None))]
    fn from_urdf(
        py: Python<'_>,
        path: File,
        base: Text,
        ee: Text,
        policy: Option<Bound<'_, PyTolerancePolicy>>,
        lock_joint: Option<Names>,
    ) -> Result<Self> {
        let policy = thresholds(policy);
        Ok(Self(py.detach(|| {
            let chain = Manipulator::chain_of_urdf(&path.0, &base.0, &ee.0)?;
            with_locked(chain, lock_joint, policy)
        })?))
    }

    /// Number of joints.
    #[getter]
    fn dof(&self) -> usize {
        self.0.dof()
    }

    /// Lowest and highest value of each joint, rad; None for joints that turn without end.
    #[getter]
    fn joint_limits(&self) -> Vec<Option<(f64, f64)>> {
        self.0.joint_limits()
    }

    /// Names of the joints, in the order of joint vectors.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.0.chain().joint_names().to_vec()
    }

    /// Which solver, and why.
    #[getter]
    fn dispatch_plan(&self) -> PyDispatchPlan {
        PyDispatchPlan(self.0.dispatch_plan().clone())
    }

    /// Dotted name of the solver.
    #[getter]
    fn solver_name(&self) -> &str {
        &self.0.dispatch_plan().solver_name
    }

    /// Names of the joints that are locked at samples; empty for other arms.
    #[getter]
    fn locked_joints(&self) -> Vec<String> {
        self.0.locked_joints().into_iter().map(str::to_owned).collect()
    }

    /// Names of the joints that may be the `linearity_joint` of `solve`; empty for arms of other classes than the general
    /// one.
    #[getter]
    fn linearity_joints(&self) -> Vec<String> {
        let names = self.0.chain().joint_names();
        self.0.linearity_joints().into_iter().map(|entry| names[entry].clone()).collect()
    }

    /// The part of a pose that the arm can meet.
    #[getter]
    fn met(&self) -> String {
        self.0.met().description()
    }

    /// What the self-motion of an arm with more than six joints is measured by, one `(lowest, highest)` per parameter: the
    /// swivel angle, rad, or the values of the locked joints.
    #[getter]
    fn self_motion(&self) -> Vec<(f64, f64)> {
        self.0.ranges().iter().map(|range| (range.low, range.high)).collect()
    }

    /// Where joint values stand in `self_motion`; `solve` with these as `at` gives them back.
    fn self_motion_at(&self, q: Vector) -> Result<Vec<f64>> {
        Ok(self.0.parameters(&q.0)?.to_vec())
    }

    /// Which axes are parallel and which meet, one fact per line.
    #[getter]
    fn topology(&self) -> String {
        self.0.topology().to_string()
    }

    /// Pose of the tool in the chain's base, 4×4.
    fn fk<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        Array::pose(py, &self.0.fk(&q.0)?)
    }

    /// All configurations that reach a pose; none for a pose out of reach.
    ///
    /// Args:
    ///     target: Pose of the tool in the chain's base.
    ///     explain: Whether to return `(solutions, Diagnostic)` instead of the solutions.
    ///     max_solutions: At most so many, counted after filtering and ordering.
    ///     q_seed: Joint values; the closest solutions come first, each with the turns of 2π that are closest.
    ///     respect_limits: Whether joints are turned into their limits and solutions outside them are dropped.
    ///     allow_refinement: Whether near misses are refined by Levenberg-Marquardt and returned.
    ///     refinement_max_iters: Iterations of a refinement.
    ///     swivel_samples: Number of swivel angles of an arm with spherical shoulder and wrist; None for 16.
    ///     samples: Number of values of a locked joint; None for 36. Of a second one a quarter as many.
    ///     at: Values of the self-motion to solve at, in the order of `self_motion`; None for a sweep. Outside a joint's
    ///         range they need `respect_limits=False`.
    ///     turns: Whether every solution is listed at all turns of 2π inside the limits, nearest to the seed first (fewest
    ///         turns without one), instead of the nearest alone. More than 100,000 need `max_solutions`.
    ///     linearity_joint: For arms that the general class of 6R solves, alone or with joints locked: the joint, by name or
    ///         index, in whose cosine and sine the equations stay linear, and whose half-angle tangents are the
    ///         eigenvalues; one of `linearity_joints`. None for the one that suits the arm best. The branches are the same
    ///         but for those that rounding hides.
    ///
    /// Raises:
    ///     InputError: Wrong sizes or NaN, samples or a `linearity_joint` that the arm does not have, `at` outside a range, and
    ///         `turns` without limits or with too many of them.
    #[pyo3(
        signature = (target, **options),
        text_signature = "($self, target, *, explain=False, max_solutions=None, q_seed=None, respect_limits=True, \
                          allow_refinement=False, refinement_max_iters=15, swivel_samples=None, samples=None, at=None, \
                          linearity_joint=None, turns=False)"
    )]
    fn solve(&self, py: Python<'_>, target: PoseArg, options: Option<&Bound<'_, PyDict>>) -> Result<SolveAnswer> {
        let given = MANIPULATOR_SOLVE.read(options)?;
        let explain = given.explain;
        let options = given.options(&self.0)?;
        let is_long = self.0.sweeps_slowly() || options.samples.is_some_and(|count| count > MANY);
        let listed = |solutions: Vec<Solution>| solutions.into_iter().map(PySolution).collect();
        if !explain {
            let solutions = interruptible_if(py, is_long, &options.stop, || self.0.solve(&target.0, &options))??;
            return Ok(SolveAnswer::Plain(listed(solutions)));
        }
        let (solutions, diagnostic) =
            interruptible_if(py, is_long, &options.stop, || self.0.explain(&target.0, &options))??;
        Ok(SolveAnswer::Explained((listed(solutions), PyDiagnostic(diagnostic))))
    }

    fn __repr__(&self) -> String {
        let plan = self.0.dispatch_plan();
        format!("<Manipulator: {}-DOF, dispatched to {} (tier {})>", self.0.dof(), plan.solver_name, plan.tier)
    }
}

/// What `solve` returns, without and with `explain`.
#[derive(IntoPyObject)]
pub(crate) enum SolveAnswer {
    Plain(Vec<PySolution>),
    Explained((Vec<PySolution>, PyDiagnostic)),
}

/// Samples of a sweep that takes long even where each is in closed form.
pub(crate) const MANY: usize = 1_000;

/// A joint's name, or several.
#[derive(FromPyObject)]
pub(crate) enum Names {
    One(Text),
    Several(Texts),
}

pub(crate) fn with_locked(
    chain: KinematicChain,
    lock_joint: Option<Names>,
    policy: TolerancePolicy,
) -> kinetic::core::Result<Manipulator> {
    match lock_joint {
        None => Manipulator::from_chain(chain, policy),
        Some(Names::One(name)) => Manipulator::with_locked(chain, &[&name.0], policy),
        Some(Names::Several(names)) => Manipulator::with_locked(chain, &names.as_strs(), policy),
    }
}
