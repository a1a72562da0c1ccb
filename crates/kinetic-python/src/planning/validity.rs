//! `Validity`: what a planner written in Python asks.

use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};

use kinetic::core::error::{check_finite, check_len};
use kinetic::core::{Control, KineticError};
use kinetic::planning::{Problem, Validity, space::Space};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::convert::{Array, Mask, Matrix, Vector};
use crate::error::Result;

/// Configurations of a batch from one look at the clock to the next.
const CONFIGURATIONS_PER_CLOCK: usize = 64;

/// A query of the planner's thread.
pub(crate) enum Request {
    /// Whether configurations are valid, one after the other.
    Valid(Vec<f64>),
    /// Whether a motion is proven valid.
    Motion([Vec<f64>; 2]),
    /// Whether a motion passes a discrete check.
    MotionMayBe([Vec<f64>; 2]),
    /// The number of configurations that were checked.
    Checks,
    /// The planner has returned.
    End,
}

/// The answer to a query.
pub(crate) enum ValidityAnswer {
    Verdicts(Vec<bool>),
    Checks(u64),
    /// The time is over, or the plan was stopped.
    Over(KineticError),
}

/// Answers the queries of a planner that runs in another thread, until it has returned; returns their number.
pub(crate) fn serve(
    requests: &Receiver<Request>,
    answers: &Sender<ValidityAnswer>,
    (dof, validity, control): (usize, &mut dyn Validity, &Control),
) -> u64 {
    let mut queries = 0;
    while let Ok(request) = requests.recv() {
        let answer = match request {
            Request::End => break,
            Request::Checks => ValidityAnswer::Checks(validity.checks()),
            _ if control.is_over(queries) => ValidityAnswer::Over(control.error(queries)),
            Request::Valid(rows) => verdicts((dof, validity, control), &rows),
            Request::Motion([from, to]) => ValidityAnswer::Verdicts(vec![validity.is_motion_valid(&from, &to)]),
            Request::MotionMayBe([from, to]) => {
                ValidityAnswer::Verdicts(vec![validity.motion_may_be_valid(&from, &to)])
            }
        };
        queries += u64::from(!matches!(answer, ValidityAnswer::Over(_)));
        // The other side ends with `End`; until then it listens.
        let _ = answers.send(answer);
    }
    queries
}

fn verdicts((dof, validity, control): (usize, &mut dyn Validity, &Control), rows: &[f64]) -> ValidityAnswer {
    let mut verdicts = Vec::with_capacity(rows.len() / dof.max(1));
    for rows in rows.chunks(CONFIGURATIONS_PER_CLOCK * dof.max(1)) {
        if control.is_over(0) {
            return ValidityAnswer::Over(control.error(0));
        }
        verdicts.extend(rows.chunks_exact(dof.max(1)).map(|q| validity.is_valid(q)));
    }
    ValidityAnswer::Verdicts(verdicts)
}

/// The two ends of the channels that the planner's thread has.
struct Link {
    requests: Sender<Request>,
    answers: Receiver<ValidityAnswer>,
}

/// What the planner of `register_planner` asks about configurations and motions, and the space that it plans in.
///
/// Motions are straight in the values given: those of continuous joints are unwrapped first, see `unwrap`. A query after the
/// time is over raises the PlanningError that ends the plan; one after the plan has ended raises a RuntimeError.
#[pyclass(frozen, module = "kinetic", name = "Validity")]
pub(crate) struct PyValidity {
    link: Mutex<Link>,
    space: Space,
    seed: u64,
}

impl PyValidity {
    pub(crate) fn new(problem: &Problem<'_>, requests: Sender<Request>, answers: Receiver<ValidityAnswer>) -> Self {
        let link = Mutex::new(Link { requests, answers });
        Self { link, space: problem.space().clone(), seed: problem.seed() }
    }

    fn ask(&self, py: Python<'_>, request: Request) -> Result<ValidityAnswer> {
        let ended = || PyRuntimeError::new_err("this Validity belongs to a plan that has ended");
        let answer = py.detach(|| {
            let link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
            link.requests.send(request).ok().and_then(|()| link.answers.recv().ok())
        });
        match answer.ok_or_else(ended)? {
            ValidityAnswer::Over(error) => Err(error.into()),
            answer => Ok(answer),
        }
    }

    fn verdict(&self, py: Python<'_>, request: Request) -> Result<bool> {
        Ok(matches!(self.ask(py, request)?, ValidityAnswer::Verdicts(verdicts) if verdicts == [true]))
    }

    fn checked(&self, context: &str, q: Vector) -> Result<Vec<f64>> {
        check_len(context, q.0.len(), self.space.dof())?;
        check_finite(context, &q.0)?;
        Ok(q.0)
    }

    fn ends(&self, from: Vector, to: Vector) -> Result<[Vec<f64>; 2]> {
        Ok([self.checked("begin of the motion", from)?, self.checked("end of the motion", to)?])
    }
}

#[pymethods]
impl PyValidity {
    /// Whether a configuration is valid: no contact, all margins and limits kept.
    fn is_valid(&self, py: Python<'_>, q: Vector) -> Result<bool> {
        let q = self.checked("configuration", q)?;
        self.verdict(py, Request::Valid(q))
    }

    /// The same of many configurations (n, dof) in one call, which is much faster: (n,).
    fn are_valid<'py>(&self, py: Python<'py>, configurations: Matrix) -> Result<Mask<'py>> {
        configurations.check_columns("configurations", self.space.dof())?;
        check_finite("configurations", &configurations.values)?;
        match self.ask(py, Request::Valid(configurations.values))? {
            ValidityAnswer::Verdicts(verdicts) => Ok(Mask::new(py, &verdicts)),
            _ => Ok(Mask::new(py, &[])),
        }
    }

    /// Whether the whole straight motion is proven valid. Every motion of a path that a planner returns has to be.
    fn is_motion_valid(&self, py: Python<'_>, begin: Vector, end: Vector) -> Result<bool> {
        let ends = self.ends(begin, end)?;
        self.verdict(py, Request::Motion(ends))
    }

    /// Whether a discrete check finds nothing on the motion: faster than the proof, and possibly wrong where it is True.
    fn motion_may_be_valid(&self, py: Python<'_>, begin: Vector, end: Vector) -> Result<bool> {
        let ends = self.ends(begin, end)?;
        self.verdict(py, Request::MotionMayBe(ends))
    }

    /// Distance in joint space, with the weights of the joints; continuous joints take the shorter way.
    fn distance(&self, begin: Vector, end: Vector) -> Result<f64> {
        let [begin, end] = self.ends(begin, end)?;
        Ok(self.space.distance(&begin, &end))
    }

    /// The equivalent of `end` (dof,) that is nearest to `begin`: other full turns of continuous joints.
    fn unwrap<'py>(&self, py: Python<'py>, begin: Vector, end: Vector) -> Result<Array<'py>> {
        let [begin, end] = self.ends(begin, end)?;
        let mut unwrapped = end.clone();
        self.space.unwrap_into(&begin, &end, &mut unwrapped);
        Array::vector(py, &unwrapped)
    }

    /// Lower joint limits (dof,), rad or m; -inf for continuous joints.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.space.lower())
    }

    /// Upper joint limits (dof,), rad or m; inf for continuous joints.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.space.upper())
    }

    /// Number of joints.
    #[getter]
    fn dof(&self) -> usize {
        self.space.dof()
    }

    /// The seed of the plan: what is random should follow from it, so that the same seed gives the same plan.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// Configurations that were checked so far.
    #[getter]
    fn checks(&self, py: Python<'_>) -> Result<u64> {
        match self.ask(py, Request::Checks)? {
            ValidityAnswer::Checks(checks) => Ok(checks),
            _ => Ok(0),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Validity of {} joints>", self.space.dof())
    }
}
