//! Tasks that are functions in Python, and the state that these see.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic::core::error::check_finite;
use kinetic::core::{KineticError, Pose, StopFlag};
use kinetic::kinematics::tasks::{Limit, Model, Rows, State, Task};
use kinetic::robot::Robot;
use nalgebra::Vector3;
use pyo3::prelude::*;

use crate::convert::{Array, Numbers, Text, Triple};
use crate::error::{Error, Result};

/// Most rows of a task: far more than anything can want of an arm.
const MOST_ROWS: usize = 10_000;

/// The first error that a task in Python raised during a solve, and the flag that ends the solve.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    pub(crate) stop: StopFlag,
    error: Mutex<Option<PyErr>>,
}

impl Failure {
    fn set(&self, error: PyErr) {
        self.stop.stop();
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The error, if there was one.
    pub(crate) fn raise(&self) -> Result<()> {
        match self.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}

/// A function with its name and rows.
pub(crate) struct TaskFunction {
    pub(crate) name: String,
    pub(crate) function: Py<PyAny>,
    pub(crate) rows: usize,
    pub(crate) tolerance: Option<f64>,
}

impl TaskFunction {
    /// The task of one solve.
    pub(crate) fn call_for(
        function: &Arc<Self>,
        moves: &Arc<Model>,
        robot: &Arc<Robot>,
        failure: &Arc<Failure>,
    ) -> impl Task + 'static {
        let (function, failure) = (Arc::clone(function), Arc::clone(failure));
        FunctionCall { function, moves: Arc::clone(moves), robot: Arc::clone(robot), failure }
    }
}

impl fmt::Debug for TaskFunction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "TaskFunction({:?}, {} rows)", self.name, self.rows)
    }
}

/// A function during a solve.
#[derive(Debug)]
struct FunctionCall {
    function: Arc<TaskFunction>,
    moves: Arc<Model>,
    robot: Arc<Robot>,
    failure: Arc<Failure>,
}

impl FunctionCall {
    /// Calls the function and writes its answer.
    fn call(&self, py: Python<'_>, state: &State<'_>, rows: &mut Rows<'_>) -> Result<()> {
        py.check_signals()?;
        let seen = PyTaskState {
            q: state.q().to_vec(),
            world_from_root: state.world_from_root().to_pose(),
            moves: Arc::clone(&self.moves),
            robot: Arc::clone(&self.robot),
        };
        let answer = self.function.function.bind(py).call1((seen,))?;
        let (error, jacobian) = self.pair(&answer)?;
        self.copy("error", &error, &[self.function.rows], rows.error)?;
        self.copy("Jacobian", &jacobian, &[self.function.rows, rows.columns], rows.jacobian)
    }

    fn pair<'py>(&self, answer: &Bound<'py, PyAny>) -> Result<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        answer.extract().map_err(|_| {
            let given = answer.get_type().name().map_or_else(|_| "an object".to_owned(), |name| format!("a {name}"));
            let name = format!("answer of task \"{}\"", self.function.name);
            KineticError::invalid(name, given, "a pair: error (rows,) and Jacobian (rows, columns)").into()
        })
    }

    /// Copies an array that has the shape and no NaN.
    fn copy(&self, what: &str, given: &Bound<'_, PyAny>, shape: &[usize], out: &mut [f64]) -> Result<()> {
        let context = format!("{what} of task \"{}\"", self.function.name);
        let numbers = Numbers::read(given).map_err(|error| match error {
            Error::Kinetic(_) => {
                Error::Kinetic(KineticError::invalid(&context, given, format!("numbers, shape {shape:?}")))
            }
            other @ Error::Python(_) => other,
        })?;
        if numbers.shape != shape {
            let (given, wanted) = (format!("shape {:?}", numbers.shape), format!("shape {shape:?}"));
            return Err(KineticError::invalid(context, given, wanted).into());
        }
        check_finite(&context, &numbers.values)?;
        out.copy_from_slice(&numbers.values);
        Ok(())
    }
}

impl Task for FunctionCall {
    fn name(&self) -> &str {
        &self.function.name
    }

    fn num_rows(&self) -> usize {
        self.function.rows
    }

    fn limits(&self) -> Vec<Limit> {
        let limit = |tolerance| Limit { what: "error", rows: 0..self.function.rows, tolerance };
        self.function.tolerance.map(limit).into_iter().collect()
    }

    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>) {
        // Rows of zeros are valid; what a solve finds after a failure is thrown away.
        rows.error.fill(0.0);
        rows.jacobian.fill(0.0);
        if self.failure.stop.is_stopped() {
            return;
        }
        Python::attach(|py| {
            if let Err(error) = self.call(py, state, rows) {
                self.failure.set(error.into());
            }
        });
    }

    fn check(&self, _model: &Model) -> kinetic::core::Result<()> {
        let name = &self.function.name;
        if !(1..=MOST_ROWS).contains(&self.function.rows) {
            let wanted = format!("from 1 to {MOST_ROWS}");
            return Err(KineticError::invalid(format!("rows of task \"{name}\""), self.function.rows, wanted));
        }
        match self.function.tolerance {
            Some(tolerance) if !(tolerance > 0.0 && tolerance.is_finite()) => {
                Err(KineticError::invalid(format!("tolerance of task \"{name}\""), tolerance, "a positive number"))
            }
            _ => Ok(()),
        }
    }
}

/// Where a solve stands: what tasks in Python are called with.
#[pyclass(frozen, module = "kinetic", name = "TaskState")]
pub(crate) struct PyTaskState {
    q: Vec<f64>,
    world_from_root: Pose,
    moves: Arc<Model>,
    robot: Arc<Robot>,
}

impl PyTaskState {
    fn state(&self) -> State<'_> {
        State::new(&self.moves, &self.q, &self.world_from_root)
    }
}

#[pymethods]
impl PyTaskState {
    /// The configuration (n,), in the length of the robot: `TaskProblem.joint_names`.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, &self.q)
    }

    /// Pose of the robot's root in the world, 4×4.
    #[getter]
    fn world_from_root<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::pose(py, &self.world_from_root)
    }

    /// Pose of a link in the world, 4×4.
    fn link_pose<'py>(&self, py: Python<'py>, link: Text) -> Result<Array<'py>> {
        Array::pose(py, &self.state().link(self.robot.link_index(&link.0)?).to_pose())
    }

    /// How a point that a link carries moves with each column: (6, columns), its linear velocity, then the angular one,
    /// along the world's axes, for unit speed of the column.
    ///
    /// Args:
    ///     link: The link.
    ///     point: Where the point is now (3,), in the world, m; None for the link's origin.
    #[pyo3(signature = (link, point=None))]
    fn jacobian<'py>(&self, py: Python<'py>, link: Text, point: Option<Triple>) -> Result<Array<'py>> {
        let (state, link) = (self.state(), self.robot.link_index(&link.0)?);
        let point: Vector3<f64> = point.map_or_else(|| state.link(link).translation, |point| point.0);
        let columns = self.moves.num_columns();
        let mut by_column = vec![0.0; 6 * columns];
        state.point_jacobian(link, &point, &mut by_column);
        let rows: Vec<f64> = (0..6 * columns).map(|at| by_column[6 * (at % columns) + at / columns]).collect();
        Array::new(py, &[6, columns], &rows)
    }

    /// How every entry of `q` changes with each column, (n, columns): 1 for a joint of its own, the multiplier for one that
    /// follows, 0 elsewhere.
    fn joint_jacobian<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        let (count, columns) = (self.q.len(), self.moves.num_columns());
        let mut values = vec![0.0; count * columns];
        for variable in 0..count {
            if let Some((column, multiplier)) = self.moves.driver(variable) {
                values[variable * columns + column] = multiplier;
            }
        }
        Array::new(py, &[count, columns], &values)
    }

    fn __repr__(&self) -> String {
        format!("<TaskState: {} joints, {} columns>", self.q.len(), self.moves.num_columns())
    }
}

impl TaskFunction {
    /// A function that can be called, else why not.
    pub(crate) fn new(name: String, function: Bound<'_, PyAny>, rows: usize, tolerance: Option<f64>) -> Result<Self> {
        if !function.is_callable() {
            let wanted = "a function of the state that answers with error and Jacobian";
            return Err(Error::Kinetic(KineticError::invalid(
                format!("function of task \"{name}\""),
                function.repr()?,
                wanted,
            )));
        }
        Ok(Self { name, function: function.unbind(), rows, tolerance })
    }
}
