//! Options and answers of a `Manipulator`: thresholds, solutions, why a solver was chosen, how a solve went.

use kinetic::kinematics::analytic::{Diagnostic, DispatchPlan, Solution, TolerancePolicy};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Real};
use crate::error::Result;

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
pub(crate) struct PyTolerancePolicy(pub(crate) TolerancePolicy);

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
pub(crate) struct PyDispatchPlan(pub(crate) DispatchPlan);

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
pub(crate) struct PyDiagnostic(pub(crate) Diagnostic);

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
        let diagnostic = &self.0;
        Ok(Dict::new(py)
            .with("solver_name", &diagnostic.solver_name)?
            .with("solver_tier", diagnostic.solver_tier)?
            .with("dispatch_reason", &diagnostic.dispatch_reason)?
            .with("raw_candidates", diagnostic.raw_candidates)?
            .with("dropped_by_limits", diagnostic.dropped_by_limits)?
            .with("dropped_by_max_solutions", diagnostic.dropped_by_max_solutions)?
            .with("final_count", diagnostic.final_count)?
            .with("max_fk_residual", diagnostic.max_fk_residual)?
            .with("met", diagnostic.met.description())?
            .with("max_pose_residual", diagnostic.max_pose_residual)?
            .with("samples", diagnostic.samples)?
            .with("refinement_engaged", diagnostic.refinement_engaged)?
            .with("fk_atol", diagnostic.fk_atol)?
            .with("warnings", &diagnostic.warnings)?)
    }

    fn __repr__(&self) -> String {
        format!("<Diagnostic: {}>", self.0.summary())
    }
}

pub(crate) fn thresholds(policy: Option<Bound<'_, PyTolerancePolicy>>) -> TolerancePolicy {
    policy.map_or_else(TolerancePolicy::default, |policy| policy.get().0)
}
