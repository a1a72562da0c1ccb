//! `Dynamics`: efforts, accelerations and matrices of a robot.

pub(crate) mod arguments;
mod derivatives;
mod on_device;
pub(crate) mod payload;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kinetic::core::{Control, KineticError, StopFlag, SystemClock};
use kinetic::dynamics::{
    BaseMotion, DynamicsData, DynamicsModel, EffortViolation, ExternalWrench, Neighbours, WrenchAxes,
    check_trajectory_feasibility, torque_vector,
};
use kinetic::kinematics::MoveTarget;
use kinetic::robot::Robot;
use nalgebra::{DMatrix, Vector3};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, Out, PerJoint, Real, Text, Texts, Triple, Vector};
use crate::dynamics::arguments::{AxesArg, ExternalArg, Rows};
use crate::dynamics::on_device::gpu_of;
use crate::dynamics::payload::PayloadArg;
use crate::error::Result;
use crate::interrupt::interruptible;
use crate::robot::PyRobot;
use crate::robot::argument::RobotArg;
use crate::scene::PyScene;
use crate::trajectory::PyTrajectory;

/// Rigid-body dynamics of a robot: efforts from motions and motions from efforts.
///
/// Vectors have one value per joint, (dof,), in rad or m and their rates, Nm or N; batches have one state per row, (N, dof).
/// All other joints are held, and what they carry belongs to the links that they stand on. Gravity and the base's motion
/// are in the axes of the robot's root link. Efforts of joints that others follow (mimic) include those of the followers.
///
/// Args:
///     robot: The robot, of which the selected group moves, or the name of a built-in one.
///     gravity: Acceleration of free fall (3,), m/s².
///     payload: What the robot carries: a `Payload`, or the mass (kg) of a point at the tool.
///     joints: Names of the joints that move, instead of those of the group; `robot.active_joints` are all.
///     held: Where the other joints are: a configuration of the whole robot; None for their neutral positions.
///     friction: Whether viscous damping and Coulomb friction of the joints count. Rotor inertia always does.
///     scene: Scene whose attached bodies the robot carries, those with a payload, as they are now; None for no scene.
///     base_acceleration: Acceleration (3,) of the root's origin, m/s².
///     base_angular_velocity: Angular velocity (3,) of the root, rad/s.
///     base_angular_acceleration: Its derivative (3,), rad/s².
///
/// Raises:
///     InputError: A robot whose model states no masses, unknown joints or links, NaN.
///
/// Example:
///     >>> import numpy as np
///     >>> from kinetic import Dynamics
///     >>> dynamics = Dynamics("ur5e", payload=2.0)
///     >>> q = np.array([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
///     >>> tau = dynamics.inverse_dynamics(q, np.zeros(6), np.ones(6))
///     >>> dynamics.forward_dynamics(q, np.zeros(6), tau).round(9)
///     array([1., 1., 1., 1., 1., 1.])
#[pyclass(frozen, module = "kinetic", name = "Dynamics")]
pub(crate) struct PyDynamics {
    pub(crate) model: DynamicsModel,
    /// Held by single calls only, which keep the GIL.
    data: Mutex<DynamicsData>,
}

impl PyDynamics {
    fn data(&self) -> MutexGuard<'_, DynamicsData> {
        // Every call writes what it reads.
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A result per row: `single` for one state, `batch` for rows.
    fn each<'py>(
        &self,
        py: Python<'py>,
        inputs: &[(&str, &Rows)],
        (of_row, out): (&[usize], Option<Out<'py, f64>>),
        single: impl FnOnce(&mut DynamicsData, &mut [f64]) -> kinetic::core::Result<()>,
        batch: impl FnOnce(&mut [f64]) -> kinetic::core::Result<()> + Send,
    ) -> Result<Array<'py>> {
        let q = inputs[0].1;
        for (name, rows) in inputs {
            rows.check(name, self.model.dof(), q)?;
        }
        Array::filled(py, &q.shape(of_row), out, |out| {
            if q.is_batch() {
                return Ok(py.detach(|| batch(out))?);
            }
            Ok(single(&mut self.data(), out)?)
        })
    }
}

/// An algorithm for one state under external wrenches, and for a batch of states without.
type Single =
    fn(&DynamicsModel, &mut DynamicsData, [&[f64]; 3], &[ExternalWrench], &mut [f64]) -> kinetic::core::Result<()>;
type Batch = fn(&DynamicsModel, [&[f64]; 3], &mut [f64]) -> kinetic::core::Result<()>;

impl PyDynamics {
    /// What inverse and forward dynamics have in common.
    fn under_wrenches<'py>(
        &self,
        py: Python<'py>,
        named: [(&str, &Rows); 3],
        (external, axes): (Option<ExternalArg>, AxesArg),
        out: Option<Out<'py, f64>>,
        (single, batch): (Single, Batch),
    ) -> Result<Array<'py>> {
        if named[0].1.is_batch() && external.is_some() {
            let wanted = "None with batches: wrenches are those of one state";
            return Err(KineticError::invalid("external_forces", "a dict", wanted).into());
        }
        let external = ExternalArg::resolve(external, &self.model, axes.0)?;
        let inputs = named.map(|(_, rows)| &rows.values[..]);
        let one = |data: &mut DynamicsData, out: &mut [f64]| single(&self.model, data, inputs, &external, out);
        let many = |out: &mut [f64]| batch(&self.model, inputs, out);
        self.each(py, &named, (&[self.model.dof()], out), one, many)
    }
}

fn base_motion(acceleration: Triple, angular_velocity: Triple, angular_acceleration: Triple) -> BaseMotion {
    let (acceleration, angular_velocity) = (acceleration.0, angular_velocity.0);
    BaseMotion { acceleration, angular_velocity, angular_acceleration: angular_acceleration.0 }
}

/// Places of joints by name among the robot's active joints; those of the group where none are named.
fn variables(robot: &Robot, group: &[usize], joints: Option<Texts>) -> kinetic::core::Result<Vec<usize>> {
    let Some(joints) = joints else { return Ok(group.to_vec()) };
    let place = |name: &&str| {
        let wanted = "a moving joint that follows no other";
        robot.joints[robot.joint_index(name)?].variable.ok_or_else(|| KineticError::invalid("joint", name, wanted))
    };
    joints.as_strs().iter().map(place).collect()
}

#[pymethods]
impl PyDynamics {
    #[new]
    #[pyo3(
        signature = (
            robot, gravity=Triple(Vector3::new(0.0, 0.0, -9.81)), payload=None, *, joints=None, held=None, friction=true,
            scene=None, base_acceleration=Triple(Vector3::zeros()), base_angular_velocity=Triple(Vector3::zeros()),
            base_angular_acceleration=Triple(Vector3::zeros())
        ),
        text_signature = "(robot, gravity=(0, 0, -9.81), payload=None, *, joints=None, held=None, friction=True, \
            scene=None, base_acceleration=(0, 0, 0), base_angular_velocity=(0, 0, 0), base_angular_acceleration=(0, 0, 0))"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn __new__(
        py: Python<'_>,
        robot: RobotArg<'_>,
        gravity: Triple,
        payload: Option<PayloadArg>,
        joints: Option<Texts>,
        held: Option<Vector>,
        friction: bool,
        scene: Option<Bound<'_, PyScene>>,
        base_acceleration: Triple,
        base_angular_velocity: Triple,
        base_angular_acceleration: Triple,
    ) -> Result<Self> {
        let handle: Bound<'_, PyRobot> = robot.handle(py)?;
        let model = handle.get().model();
        let robot = &model.robot;
        let variables = variables(robot, &model.group().variables, joints)?;
        let held = held.map_or_else(|| robot.neutral_configuration(), |held| held.0);
        let motion = base_motion(base_acceleration, base_angular_velocity, base_angular_acceleration);
        let mut dynamics = DynamicsModel::new(robot, &variables, &held)?;
        dynamics = dynamics.with_gravity(gravity.0)?.with_base_motion(motion)?.with_friction(friction);
        if let Some(payload) = payload {
            dynamics = dynamics.with_mounted(robot, model.group(), &payload.mounted())?;
        }
        if let Some(scene) = scene {
            let scene = scene.get().now();
            for (link, link_from_shape, carried) in scene.payloads() {
                dynamics = dynamics.with_payload(link, link_from_shape, carried)?;
            }
        }
        let data = Mutex::new(dynamics.data());
        Ok(Self { model: dynamics, data })
    }

    /// Number of joints that move.
    #[getter]
    fn dof(&self) -> usize {
        self.model.dof()
    }

    /// Names of the joints, in the order of vectors.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.model.joint_names().to_vec()
    }

    /// Mass of all links and payloads, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.model.mass()
    }

    /// Acceleration of free fall (3,) in the root's axes, m/s².
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::vector(py, self.model.gravity().as_slice())
    }

    /// Identifies what efforts depend on, numbers to 1e-9: joints, inertias with payloads, rotors, damping and friction, effort
    /// limits, gravity and the base's motion. `Certificate.dynamics` is that of its bound on torques.
    #[getter]
    fn version(&self) -> String {
        self.model.content_hash().to_string()
    }

    /// Efforts (dof,) that hold the robot at rest against gravity.
    ///
    /// Args:
    ///     q: Joint values (dof,) or (N, dof).
    ///     out: Array to write into, which is returned.
    #[pyo3(signature = (q, *, out=None))]
    fn gravity_compensation<'py>(&self, py: Python<'py>, q: Rows, out: Option<Out<'py, f64>>) -> Result<Array<'py>> {
        let single = |data: &mut _, out: &mut _| self.model.gravity_into(data, &q.values, out);
        let batch = |out: &mut _| self.model.gravity_batch(&q.values, out);
        self.each(py, &[("configuration", &q)], (&[self.model.dof()], out), single, batch)
    }

    /// Efforts (dof,) that accelerate the joints, by the recursive Newton–Euler algorithm: with gravity, the base's motion,
    /// rotors, damping and friction.
    ///
    /// Args:
    ///     q: Joint values (dof,) or (N, dof).
    ///     qd: Joint velocities, likewise.
    ///     qdd: Joint accelerations, likewise.
    ///     external_forces: What the surroundings do to links: a dict from names to `Wrench` or six numbers, force (N) first,
    ///         then torque about the link's origin (Nm). For one state.
    ///     axes: "link" for wrenches in the axes of their links, "root" for those of the root link.
    ///     out: Array to write into, which is returned.
    ///     device: "cpu" is double precision; "auto" (a GPU where there is one, else the same as "cpu"), "gpu", "gpu:N" or a part of
    ///         the name of an adapter are for batches of many thousands of states, in single precision.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, unknown links, a device that is not there; on a GPU also external forces, and velocities or
    ///         accelerations whose efforts single precision does not hold.
    #[pyo3(
        signature = (
            q, qd, qdd, external_forces=None, *, axes=AxesArg(WrenchAxes::Link), out=None, device=Text("cpu".to_owned())
        ),
        text_signature = "($self, q, qd, qdd, external_forces=None, *, axes='link', out=None, device='cpu')"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Rows,
        qd: Rows,
        qdd: Rows,
        external_forces: Option<ExternalArg>,
        axes: AxesArg,
        out: Option<Out<'py, f64>>,
        device: Text,
    ) -> Result<Array<'py>> {
        let named = [("configuration", &q), ("velocities", &qd), ("accelerations", &qdd)];
        if let Some(gpu) = gpu_of(py, &device.0, external_forces.is_some())? {
            return self.efforts_on(py, &gpu, named, out);
        }
        let algorithm =
            (DynamicsModel::inverse_dynamics_into as Single, DynamicsModel::inverse_dynamics_batch as Batch);
        self.under_wrenches(py, named, (external_forces, axes), out, algorithm)
    }

    /// Accelerations (dof,) under efforts, by the articulated-body algorithm, or with the mass matrix where joints follow
    /// others. A joint at rest feels no Coulomb friction.
    ///
    /// Args:
    ///     q: Joint values (dof,) or (N, dof).
    ///     qd: Joint velocities, likewise.
    ///     tau: Joint efforts, likewise.
    ///     external_forces: As for `inverse_dynamics`.
    ///     axes: As for `inverse_dynamics`.
    ///     out: Array to write into, which is returned.
    ///
    /// Raises:
    ///     InputError: Wrong sizes, NaN, unknown links, a joint that moves nothing with inertia.
    #[pyo3(
        signature = (q, qd, tau, external_forces=None, *, axes=AxesArg(WrenchAxes::Link), out=None),
        text_signature = "($self, q, qd, tau, external_forces=None, *, axes='link', out=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn forward_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Rows,
        qd: Rows,
        tau: Rows,
        external_forces: Option<ExternalArg>,
        axes: AxesArg,
        out: Option<Out<'py, f64>>,
    ) -> Result<Array<'py>> {
        let named = [("configuration", &q), ("velocities", &qd), ("efforts", &tau)];
        let algorithm =
            (DynamicsModel::forward_dynamics_into as Single, DynamicsModel::forward_dynamics_batch as Batch);
        self.under_wrenches(py, named, (external_forces, axes), out, algorithm)
    }

    /// Mass matrix (dof, dof) by the composite rigid body algorithm, with the rotors' inertia.
    ///
    /// Args:
    ///     q: Joint values (dof,) or (N, dof).
    ///     out: Array to write into, which is returned.
    #[pyo3(signature = (q, *, out=None))]
    fn mass_matrix<'py>(&self, py: Python<'py>, q: Rows, out: Option<Out<'py, f64>>) -> Result<Array<'py>> {
        let n = self.model.dof();
        let single = |data: &mut _, out: &mut _| self.model.mass_matrix_into(data, &q.values, out);
        let batch = |out: &mut _| self.model.mass_matrix_batch(&q.values, out);
        self.each(py, &[("configuration", &q)], (&[n, n], out), single, batch)
    }

    /// Inverse (dof, dof) of the mass matrix.
    fn inverse_mass_matrix<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        let n = self.model.dof();
        let write = |out: &mut [f64]| Ok(self.model.inverse_mass_matrix_into(&mut self.data(), &q.0, out)?);
        Array::filled(py, &[n, n], None, write)
    }

    /// Coriolis and centrifugal efforts (dof,), without gravity and friction, on a base at rest.
    ///
    /// Args:
    ///     q: Joint values (dof,) or (N, dof).
    ///     qd: Joint velocities, likewise.
    ///     out: Array to write into, which is returned.
    #[pyo3(signature = (q, qd, *, out=None))]
    fn coriolis<'py>(&self, py: Python<'py>, q: Rows, qd: Rows, out: Option<Out<'py, f64>>) -> Result<Array<'py>> {
        let single = |data: &mut _, out: &mut _| self.model.coriolis_into(data, &q.values, &qd.values, out);
        let batch = |out: &mut _| self.model.coriolis_batch(&q.values, &qd.values, out);
        let named = [("configuration", &q), ("velocities", &qd)];
        self.each(py, &named, (&[self.model.dof()], out), single, batch)
    }

    /// Coriolis matrix C (dof, dof) of the Christoffel symbols: `C @ qd` are the Coriolis and centrifugal efforts, and the
    /// time derivative of the mass matrix is C + Cᵀ.
    fn coriolis_matrix<'py>(&self, py: Python<'py>, q: Vector, qd: Vector) -> Result<Array<'py>> {
        let n = self.model.dof();
        let write = |out: &mut [f64]| Ok(self.model.coriolis_matrix_into(&mut self.data(), &q.0, &qd.0, out)?);
        Array::filled(py, &[n, n], None, write)
    }

    /// Kinetic energy against the root, J, with that of the rotors.
    fn kinetic_energy(&self, q: Vector, qd: Vector) -> Result<f64> {
        Ok(self.model.kinetic_energy(&mut self.data(), &q.0, &qd.0)?)
    }

    /// Potential energy of all links and payloads, J: 0 where their centre of mass lies in the root's origin.
    fn potential_energy(&self, q: Vector) -> Result<f64> {
        Ok(self.model.potential_energy(&mut self.data(), &q.0)?)
    }

    /// Centre of mass (3,) of all links and payloads in the root, m.
    fn center_of_mass<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        let com = self.model.center_of_mass(&mut self.data(), &q.0)?;
        Array::vector(py, com.as_slice())
    }

    /// Velocity (3,) of the centre of mass in the root's axes, m/s.
    fn center_of_mass_velocity<'py>(&self, py: Python<'py>, q: Vector, qd: Vector) -> Result<Array<'py>> {
        let velocity = self.model.center_of_mass_velocity(&mut self.data(), &q.0, &qd.0)?;
        Array::vector(py, velocity.as_slice())
    }

    /// Jacobian (3, dof) of the centre of mass in the root's axes.
    fn center_of_mass_jacobian<'py>(&self, py: Python<'py>, q: Vector) -> Result<Array<'py>> {
        let mut jacobian = DMatrix::zeros(3, self.model.dof());
        self.model.center_of_mass_jacobian_into(&mut self.data(), &q.0, &mut jacobian)?;
        Array::new(py, &[3, self.model.dof()], jacobian.transpose().as_slice())
    }

    /// Dynamic manipulability (Yoshikawa 1985): how far unit efforts accelerate a link in all directions, the product of the
    /// singular values of J M⁻¹ with the link's Jacobian J (6, dof). 0 at singularities.
    ///
    /// Args:
    ///     q: Joint values (dof,).
    ///     link: Name of the link.
    fn dynamic_manipulability(&self, q: Vector, link: Text) -> Result<f64> {
        Ok(self.model.dynamic_manipulability(&q.0, &MoveTarget::new(link.0))?)
    }

    /// Efforts (dof,) for a motion given by its positions: against gravity at rest, or, with the configurations a time `dt`
    /// before and after, for the velocity and acceleration of their central differences.
    ///
    /// Args:
    ///     q: Joint values (dof,).
    ///     before: Joint values `dt` earlier.
    ///     after: Joint values `dt` later.
    ///     dt: Time between them, s.
    #[pyo3(signature = (q, before=None, after=None, dt=None))]
    fn torque_vector<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        before: Option<Vector>,
        after: Option<Vector>,
        dt: Option<Real>,
    ) -> Result<Array<'py>> {
        let tau = match (&before, &after, &dt) {
            (None, None, None) => torque_vector(&self.model, &q.0, None)?,
            (Some(before), Some(after), Some(dt)) => {
                let neighbours = Neighbours { before: &before.0, after: &after.0, dt: dt.0 };
                torque_vector(&self.model, &q.0, Some(neighbours))?
            }
            _ => {
                let given = "only some of them";
                return Err(KineticError::invalid("before, after and dt", given, "all three, or none at rest").into());
            }
        };
        Array::vector(py, &tau)
    }

    /// Where the efforts of a trajectory exceed their limits, by bounds over intervals of time, not by samples.
    ///
    /// `Trajectory.time_parameterize(dynamics=...)` and `Planner(torque_limits=True)` make motions that keep them.
    ///
    /// An empty list proves that every effort stays below `(1 + tolerance)` times its limit plus 1e-9 at every instant. Ctrl-C
    /// ends the search.
    ///
    /// Args:
    ///     trajectory: A timed trajectory of the same joints.
    ///     effort_limits: Largest effort, one number or one per joint (Nm or N); None for those of the robot's description, where
    ///         joints without a limit have none.
    ///     tolerance: Share of the limits up to which efforts are found out.
    ///
    /// Returns:
    ///     A dict per joint and piece of the trajectory with too large an effort: `joint`, `piece`, `time` (s) and `effort` where
    ///     it is largest, `limit`.
    ///
    /// Raises:
    ///     InputError: A trajectory without times or of other joints, a tolerance that is not positive or too small.
    #[pyo3(
        signature = (trajectory, effort_limits=None, *, tolerance=Real(1e-3)),
        text_signature = "($self, trajectory, effort_limits=None, *, tolerance=0.001)"
    )]
    fn check_trajectory<'py>(
        &self,
        py: Python<'py>,
        trajectory: &Bound<'py, PyTrajectory>,
        effort_limits: Option<PerJoint>,
        tolerance: Real,
    ) -> Result<Dicts<'py>> {
        let timed = trajectory.get().as_timed()?;
        trajectory.get().check_joints("trajectory", self.model.joint_names())?;
        let limits = match effort_limits {
            None => self.model.effort_limits().to_vec(),
            Some(given) => given.expand(self.model.dof()),
        };
        let stop = StopFlag::default();
        let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
        let check = || check_trajectory_feasibility(&self.model, timed, &limits, tolerance.0, &control);
        let found = interruptible(py, &stop, check)??;
        let dict = |violation: EffortViolation| {
            let dict = Dict::new(py).with("joint", violation.joint)?.with("piece", violation.piece)?;
            dict.with("time", violation.time)?.with("effort", violation.effort)?.with("limit", violation.limit)
        };
        Ok(Dicts::new(py, found.into_iter().map(dict).collect::<PyResult<_>>()?)?)
    }

    fn __repr__(&self) -> String {
        format!("Dynamics(<{}, {} joints>)", self.model.robot_name(), self.model.dof())
    }
}
