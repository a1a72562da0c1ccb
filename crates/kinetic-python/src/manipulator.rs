//! `Manipulator` and what it answers: closed-form inverse kinematics.

use kinetic::core::KineticError;
use kinetic::kinematics::KinematicChain;
use kinetic::kinematics::analytic::{
    Diagnostic, DispatchPlan, Manipulator, Parameters, Solution, SolveOptions, TolerancePolicy,
};
use pyo3::prelude::*;

use crate::convert::{Array, Count, Dict, File, PoseArg, Real, Text, Texts, Vector};
use crate::error::Result;
use crate::robot_argument::RobotArg;

/// Thresholds of closed-form inverse kinematics.
///
/// Args:
///     axis_parallel: Axes are parallel when the sine of the angle between them is at most this.
///     axis_intersect: Axes meet when their lines are at most this far apart, m.
///     subproblem_feasibility: By how much the data of a feasible subproblem may miss, relative to their size.
///     subproblem_numerical: Residual of a near miss, which may be refined.
///     subproblem_degeneracy: Relative size below which the input of a subproblem is degenerate.
///     subproblem_dedup: Largest difference of a joint between equal solutions, rad.
///
/// Raises:
///     InputError: A threshold that is negative or not finite.
#[pyclass(frozen, eq, module = "kinetic", name = "TolerancePolicy")]
#[derive(PartialEq)]
pub(crate) struct PyTolerancePolicy(TolerancePolicy);

#[pymethods]
impl PyTolerancePolicy {
    #[new]
    #[pyo3(
        signature = (
            *, axis_parallel=Real(1e-8), axis_intersect=Real(1e-8), subproblem_feasibility=Real(1e-9),
            subproblem_numerical=Real(1e-5), subproblem_degeneracy=Real(1e-12), subproblem_dedup=Real(1e-3)
        ),
        text_signature = "(*, axis_parallel=1e-08, axis_intersect=1e-08, subproblem_feasibility=1e-09, \
                          subproblem_numerical=1e-05, subproblem_degeneracy=1e-12, subproblem_dedup=0.001)"
    )]
    fn __new__(
        axis_parallel: Real,
        axis_intersect: Real,
        subproblem_feasibility: Real,
        subproblem_numerical: Real,
        subproblem_degeneracy: Real,
        subproblem_dedup: Real,
    ) -> Result<Self> {
        let policy = TolerancePolicy {
            axis_parallel: axis_parallel.0,
            axis_intersect: axis_intersect.0,
            subproblem_feasibility: subproblem_feasibility.0,
            subproblem_numerical: subproblem_numerical.0,
            subproblem_degeneracy: subproblem_degeneracy.0,
            subproblem_dedup: subproblem_dedup.0,
        };
        policy.check()?;
        Ok(Self(policy))
    }

    /// Sine of the angle between axes that count as parallel.
    #[getter]
    fn axis_parallel(&self) -> f64 {
        self.0.axis_parallel
    }

    /// Distance of axes that count as meeting, m.
    #[getter]
    fn axis_intersect(&self) -> f64 {
        self.0.axis_intersect
    }

    /// By how much the data of a feasible subproblem may miss, relative to their size.
    #[getter]
    fn subproblem_feasibility(&self) -> f64 {
        self.0.subproblem_feasibility
    }

    /// Residual of a near miss.
    #[getter]
    fn subproblem_numerical(&self) -> f64 {
        self.0.subproblem_numerical
    }

    /// Relative size below which input is degenerate.
    #[getter]
    fn subproblem_degeneracy(&self) -> f64 {
        self.0.subproblem_degeneracy
    }

    /// Largest difference of a joint between equal solutions, rad.
    #[getter]
    fn subproblem_dedup(&self) -> f64 {
        self.0.subproblem_dedup
    }
}

/// One configuration that reaches a target.
#[pyclass(frozen, eq, module = "kinetic", name = "Solution")]
#[derive(PartialEq)]
pub(crate) struct PySolution(pub(crate) Solution);

#[pymethods]
impl PySolution {
    /// Joint values (dof,), rad.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.0.q)
    }

    /// Frobenius norm of the difference between reached and wanted pose, as 4×4 matrices in m; for fewer than six joints
    /// of the part that `Manipulator.met` names.
    #[getter]
    fn fk_residual(&self) -> f64 {
        self.0.fk_residual
    }

    /// "none", or "lm" for a near miss that was refined by Levenberg-Marquardt.
    #[getter]
    fn refinement_used(&self) -> &'static str {
        self.0.refinement_used.id()
    }

    fn __repr__(&self) -> String {
        let values: Vec<String> = self.0.q.iter().map(|q| format!("{q:.4}")).collect();
        format!("<Solution [{}], residual {:.1e}>", values.join(", "), self.0.fk_residual)
    }
}

/// Which solver an arm has, and why.
#[pyclass(frozen, eq, module = "kinetic._kinetic", name = "DispatchPlan")]
#[derive(PartialEq)]
pub(crate) struct PyDispatchPlan(DispatchPlan);

#[pymethods]
impl PyDispatchPlan {
    /// Dotted name of the class of arms.
    #[getter]
    fn solver_name(&self) -> &str {
        &self.0.solver_name
    }

    /// 0 closed form, 1 one-dimensional search, 2 polynomial of high degree.
    #[getter]
    fn tier(&self) -> u8 {
        self.0.tier
    }

    /// The facts that decided, one per line.
    #[getter]
    fn reason(&self) -> &str {
        &self.0.reason
    }

    fn __repr__(&self) -> String {
        format!("<DispatchPlan: {} (tier {})>", self.0.solver_name, self.0.tier)
    }
}

/// How a solve went: tells "nothing found" from "found, then filtered".
#[pyclass(frozen, module = "kinetic", name = "Diagnostic")]
pub(crate) struct PyDiagnostic(Diagnostic);

#[pymethods]
impl PyDiagnostic {
    /// Name of the solver.
    #[getter]
    fn solver_name(&self) -> &str {
        &self.0.solver_name
    }

    /// Tier of the solver.
    #[getter]
    fn solver_tier(&self) -> u8 {
        self.0.solver_tier
    }

    /// Why the solver was chosen.
    #[getter]
    fn dispatch_reason(&self) -> &str {
        &self.0.dispatch_reason
    }

    /// Distinct branches before limits and caps.
    #[getter]
    fn raw_candidates(&self) -> usize {
        self.0.raw_candidates
    }

    /// Branches outside joint limits.
    #[getter]
    fn dropped_by_limits(&self) -> usize {
        self.0.dropped_by_limits
    }

    /// Solutions beyond `max_solutions`.
    #[getter]
    fn dropped_by_max_solutions(&self) -> usize {
        self.0.dropped_by_max_solutions
    }

    /// Solutions returned.
    #[getter]
    fn final_count(&self) -> usize {
        self.0.final_count
    }

    /// Largest residual among those returned; NaN for none.
    #[getter]
    fn max_fk_residual(&self) -> f64 {
        self.0.max_fk_residual
    }

    /// The part of the pose that the arm meets; the residuals are about it.
    #[getter]
    fn met(&self) -> String {
        self.0.met.description()
    }

    /// Largest difference from the whole pose among those returned; NaN for none.
    #[getter]
    fn max_pose_residual(&self) -> f64 {
        self.0.max_pose_residual
    }

    /// Values of the self-motion that were looked at; 1 for arms that are not redundant.
    #[getter]
    fn samples(&self) -> usize {
        self.0.samples
    }

    /// Whether one of those returned was refined.
    #[getter]
    fn refinement_engaged(&self) -> bool {
        self.0.refinement_engaged
    }

    /// Residual up to which a branch counts as closed without refinement.
    #[getter]
    fn fk_atol(&self) -> f64 {
        self.0.fk_atol
    }

    /// What a user should know about the answer.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings.clone()
    }

    /// One sentence: reached, unreachable, all filtered, or capped.
    fn summary(&self) -> String {
        self.0.summary()
    }

    /// All fields, for JSON and the like.
    fn as_dict<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let story = &self.0;
        Ok(Dict::new(py)
            .with("solver_name", &story.solver_name)?
            .with("solver_tier", story.solver_tier)?
            .with("dispatch_reason", &story.dispatch_reason)?
            .with("raw_candidates", story.raw_candidates)?
            .with("dropped_by_limits", story.dropped_by_limits)?
            .with("dropped_by_max_solutions", story.dropped_by_max_solutions)?
            .with("final_count", story.final_count)?
            .with("max_fk_residual", story.max_fk_residual)?
            .with("met", story.met.description())?
            .with("max_pose_residual", story.max_pose_residual)?
            .with("samples", story.samples)?
            .with("refinement_engaged", story.refinement_engaged)?
            .with("fk_atol", story.fk_atol)?
            .with("warnings", &story.warnings)?)
    }

    fn __repr__(&self) -> String {
        format!("<Diagnostic: {}>", self.0.summary())
    }
}

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
    ///     at: Values of the self-motion to solve at, in the order of `self_motion`; None for a sweep.
    ///
    /// Raises:
    ///     InputError: Wrong sizes or NaN, and samples of what the arm does not have.
    #[pyo3(
        signature = (
            target, *, explain=false, max_solutions=None, q_seed=None, respect_limits=true, allow_refinement=false,
            refinement_max_iters=Count(15), swivel_samples=None, samples=None, at=None
        ),
        text_signature = "($self, target, *, explain=False, max_solutions=None, q_seed=None, respect_limits=True, \
                          allow_refinement=False, refinement_max_iters=15, swivel_samples=None, samples=None, at=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn solve(
        &self,
        py: Python<'_>,
        target: PoseArg,
        explain: bool,
        max_solutions: Option<Count>,
        q_seed: Option<Vector>,
        respect_limits: bool,
        allow_refinement: bool,
        refinement_max_iters: Count,
        swivel_samples: Option<Count>,
        samples: Option<Count>,
        at: Option<Vector>,
    ) -> Result<Answer> {
        let options = SolveOptions {
            seed: q_seed.map(|seed| seed.0.into()),
            max_solutions: max_solutions.map(|count| count.0),
            respect_limits,
            allow_refinement,
            refinement_max_iters: refinement_max_iters.0,
            samples: sample_count(&self.0, swivel_samples, samples)?,
            at: at.map(|at| Parameters::try_from_slice("at", &at.0)).transpose()?,
        };
        let listed = |solutions: Vec<Solution>| solutions.into_iter().map(PySolution).collect();
        if !explain {
            return Ok(Answer::Plain(listed(py.detach(|| self.0.solve(&target.0, &options))?)));
        }
        let (solutions, story) = py.detach(|| self.0.explain(&target.0, &options))?;
        Ok(Answer::Explained((listed(solutions), PyDiagnostic(story))))
    }

    fn __repr__(&self) -> String {
        let plan = self.0.dispatch_plan();
        format!("<Manipulator: {}-DOF, dispatched to {} (tier {})>", self.0.dof(), plan.solver_name, plan.tier)
    }
}

/// What `solve` returns, without and with `explain`.
#[derive(IntoPyObject)]
pub(crate) enum Answer {
    Plain(Vec<PySolution>),
    Explained((Vec<PySolution>, PyDiagnostic)),
}

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

/// The number of samples under the keyword that fits the arm.
pub(crate) fn sample_count(
    arm: &Manipulator,
    swivel_samples: Option<Count>,
    samples: Option<Count>,
) -> kinetic::core::Result<Option<usize>> {
    let has_swivel = !arm.ranges().is_empty() && arm.locked_joints().is_empty();
    match (swivel_samples, samples) {
        (Some(count), _) if !has_swivel => Err(KineticError::invalid(
            "swivel_samples",
            count.0,
            format!("none: {} has no swivel angle", arm.dispatch_plan().solver_name),
        )),
        (None, Some(count)) if has_swivel => {
            Err(KineticError::invalid("samples", count.0, "none: the arm has a swivel angle; say swivel_samples"))
        }
        (swivel, samples) => Ok(swivel.or(samples).map(|count| count.0)),
    }
}

pub(crate) fn thresholds(policy: Option<Bound<'_, PyTolerancePolicy>>) -> TolerancePolicy {
    policy.map_or_else(TolerancePolicy::default, |policy| policy.get().0)
}
