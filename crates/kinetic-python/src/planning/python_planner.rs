//! `register_planner`: planners written in Python.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::scope;

use kinetic::core::error::reason;
use kinetic::core::{Control, JointValues, KineticError, Trajectory};
use kinetic::planning::{
    Algorithm, Plan, PlannerContext, PlannerSpec, PlannerType, Problem, Validity, register_planner as register,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::convert::{Array, Matrix, Text};
use crate::error::{Error, Result};
use crate::planning::validity::{PyValidity, Request, serve};

/// A planner that was registered.
struct Registered {
    class: Py<PyType>,
    may_be_simplified: bool,
}

/// By name.
static REGISTERED: Mutex<Option<HashMap<String, Registered>>> = Mutex::new(None);

thread_local! {
    /// What a planner raised in a plan of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// What a planner of Python raised in the last plan of this thread, once.
pub(crate) fn take_raised() -> Option<PyErr> {
    RAISED.take()
}

/// Registers a planner written in Python: from then on `planner_type` takes its name.
///
/// Its paths are simplified, verified, timed and certified as those of all planners are: one that touches something, leaves
/// the limits or ends elsewhere is refused. Names hold for this process; a problem file or a pickle with the name is of use
/// where it is registered, too.
///
/// Args:
///     name: Lower-case letters, digits and underscores.
///     planner: A class. For every search it is called without arguments, and then its method `plan(start, goals, validity)`:
///         `start` (dof,), `goals` (n, dof), and a `Validity`. It returns a path (m, dof) from the start to one of the goals,
///         or None when it finds none. What it raises reaches the caller of the plan. Ctrl-C and the timeout end it at the next
///         query of `validity`.
///     may_be_simplified: Whether the path may be shortened and its corners cut, as the options of the planner say; False
///         where its waypoints have a meaning.
///     replace: Whether the class of a planner of Python that has the name already gives way, for planners that exist too;
///         `may_be_simplified` stays.
///
/// Raises:
///     InputError: A name that another planner has, or that has other letters; another `may_be_simplified` than that of the
///         planner that is replaced.
///     TypeError: `planner` is no class with a method `plan`.
///
/// Example:
///     >>> import kinetic
///     >>> class StraightLine:
///     ...     def plan(self, start, goals, validity):
///     ...         for goal in goals:
///     ...             if validity.is_motion_valid(start, goal):
///     ...                 return [start, goal]
///     >>> kinetic.register_planner("straight_line", StraightLine)
///     >>> robot = kinetic.Robot("ur5e")
///     >>> planner = kinetic.Planner(robot, planner_type="straight_line")
///     >>> planner.plan(robot.named_pose("home"), kinetic.Goal.named("ready")).certificate is not None
///     True
#[pyfunction]
#[pyo3(signature = (name, planner, *, may_be_simplified=true, replace=false))]
pub(crate) fn register_planner(
    name: Text,
    planner: &Bound<'_, PyType>,
    may_be_simplified: bool,
    replace: bool,
) -> Result<()> {
    if !planner.hasattr("plan")? {
        let name = planner.name()?;
        return Err(PyTypeError::new_err(format!("class {name} has no method plan(start, goals, validity)")).into());
    }
    let class = planner.clone().unbind();
    let replaced = {
        let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        let registered = registered.get_or_insert_default();
        match registered.get(&name.0).filter(|_| replace) {
            None => add_row(&name.0, may_be_simplified)?,
            Some(row) if row.may_be_simplified == may_be_simplified => {}
            Some(row) => {
                let wanted = format!("{}, as of the planner that is replaced", row.may_be_simplified);
                return Err(KineticError::invalid("may_be_simplified", may_be_simplified, wanted).into());
            }
        }
        registered.insert(name.0, Registered { class, may_be_simplified })
    };
    // Outside the lock, since the end of a class may run code of Python.
    drop(replaced);
    Ok(())
}

/// Adds a row to the registry, where it stays for the rest of the process.
fn add_row(name: &str, may_be_simplified: bool) -> kinetic::core::Result<()> {
    let id: &'static str = Box::leak(name.to_owned().into_boxed_str());
    let build = move |_: &PlannerContext<'_>| Ok(Box::new(PythonPlanner { id }) as Box<dyn Algorithm>);
    register(PlannerSpec {
        id,
        summary: "a planner written in Python",
        source: "the caller",
        is_anytime: false,
        is_complete: false,
        may_be_simplified,
        build: Box::leak(Box::new(build)),
    })?;
    Ok(())
}

/// A planner of the registry whose search is a class in Python.
///
/// The class runs in a thread of its own, and this one answers its queries: what a plan lends to an algorithm lives
/// shorter than an object of Python may.
struct PythonPlanner {
    id: &'static str,
}

impl Algorithm for PythonPlanner {
    fn plan(
        &mut self,
        problem: &Problem<'_>,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> kinetic::core::Result<Plan> {
        let (id, checks_before) = (self.id, validity.checks());
        let (requests, received) = channel();
        let (answers, answered) = channel();
        let end = EndOnDrop(requests.clone());
        let (start, goals) = (problem.start().to_vec(), problem.goals().to_vec());
        let for_python = PyValidity::new(problem, requests, answered);
        let (found, queries) = scope(|scope| {
            let planner = scope.spawn(move || {
                let _end = end;
                search(id, &start, &goals, for_python)
            });
            let queries = serve(&received, &answers, (problem.space().dof(), validity, control));
            (planner.join(), queries)
        });
        let found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let rows = self.rows(found, queries, control)?;
        let path = proven(problem, &rows, (validity, control))?;
        let end = path.positions(path.len() - 1);
        let distance = |goal: &JointValues| problem.space().distance(end, goal);
        let goals = problem.goals();
        let goal_index = (0..goals.len()).min_by(|a, b| distance(&goals[*a]).total_cmp(&distance(&goals[*b])));
        Ok(Plan {
            goal_index: goal_index.unwrap_or(0),
            iterations: queries.max(1),
            tree_size: path.len(),
            checks: validity.checks() - checks_before,
            planner_used: self.id,
            lower_bound: None,
            path,
        })
    }
}

impl PythonPlanner {
    /// The path that was found, or why there is none.
    fn rows(&self, found: Result<Option<Matrix>>, queries: u64, control: &Control) -> kinetic::core::Result<Matrix> {
        match found {
            Ok(Some(rows)) => Ok(rows),
            Ok(None) => {
                let reason = reason::PlanningFailed::NoPath { planner: self.id.to_owned() };
                Err(KineticError::PlanningFailed { reason })
            }
            Err(_) if control.is_over(queries) => Err(control.error(queries)),
            Err(Error::Kinetic(error)) => Err(error),
            Err(Error::Python(raised)) => Err(self.raised(raised)),
        }
    }

    /// Keeps what was raised for the caller of the plan, and says it in words.
    fn raised(&self, raised: PyErr) -> KineticError {
        let text = raised.to_string();
        RAISED.set(Some(raised));
        KineticError::PlanningFailed {
            reason: reason::PlanningFailed::PlannerRaised { planner: self.id.to_owned(), raised: text },
        }
    }
}

/// Calls the class; `None` when it finds no path.
fn search(id: &str, start: &[f64], goals: &[JointValues], validity: PyValidity) -> Result<Option<Matrix>> {
    Python::attach(|py| {
        let class = {
            let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
            let row = registered.as_ref().and_then(|registered| registered.get(id));
            row.map(|row| row.class.clone_ref(py))
        };
        let class = class.ok_or_else(|| KineticError::Other(format!("planner \"{id}\" has no class")))?;
        let shape = [goals.len(), start.len()];
        let goals: Vec<f64> = goals.iter().flat_map(|goal| goal.iter().copied()).collect();
        let arguments = (Array::vector(py, start)?, Array::new(py, &shape, &goals)?, Py::new(py, validity)?);
        let path = class.call0(py)?.call_method1(py, "plan", arguments)?;
        if path.is_none(py) { Ok(None) } else { Ok(Some(path.bind(py).extract::<Matrix>()?)) }
    })
}

/// Tells the planning thread that the planner has returned, also when it panicked.
struct EndOnDrop(Sender<Request>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let _ = self.0.send(Request::End);
    }
}

/// The path, when all of its motions are proven.
fn proven(
    problem: &Problem<'_>,
    rows: &Matrix,
    (validity, control): (&mut dyn Validity, &Control),
) -> kinetic::core::Result<Trajectory> {
    if rows.num_rows() < 2 || rows.num_columns() != problem.space().dof() {
        let given = format!("{} rows of {}", rows.num_rows(), rows.num_columns());
        let wanted = format!("at least 2 rows of {} joint values", problem.space().dof());
        return Err(KineticError::invalid("path of the planner", given, wanted));
    }
    let path = Trajectory::from_waypoints(&rows.rows().collect::<Vec<_>>())?;
    for (waypoint, (from, to)) in path.segments().enumerate() {
        control.check(waypoint as u64)?;
        if !validity.is_motion_valid(from, to) {
            control.check(waypoint as u64)?;
            let reason = reason::PlannerOutputInvalid::EdgeRefused;
            return Err(KineticError::PlannerOutputInvalid { waypoint, reason });
        }
    }
    Ok(path)
}

/// Names of planners, for `planner_type`: "auto", then those of the registry, then those that were registered.
///
/// Example:
///     >>> import kinetic
///     >>> "rrt_connect" in kinetic.planner_types()
///     True
#[pyfunction]
pub(crate) fn planner_types() -> Vec<String> {
    PlannerType::names()
}
