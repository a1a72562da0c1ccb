//! The algorithms as functions that make their own memory.

use kinetic_core::Result;
use kinetic_kinematics::KinematicChain;
use kinetic_robot::Robot;
use nalgebra::DMatrix;

use crate::model::DynamicsModel;

/// The robot over the joints of a chain, all others in their neutral configuration: also those of fingers behind the tip,
/// whose masses the chain carries.
///
/// # Errors
/// As [`DynamicsModel::new`].
pub fn articulated_body_from_chain(robot: &Robot, chain: &KinematicChain) -> Result<DynamicsModel> {
    DynamicsModel::new(robot, chain.variables(), &robot.neutral_configuration())
}

/// Efforts (Nm or N) that hold the robot at rest against gravity.
///
/// # Errors
/// As [`DynamicsModel::gravity_into`].
pub fn gravity_compensation(model: &DynamicsModel, q: &[f64]) -> Result<Vec<f64>> {
    let mut tau = vec![0.0; model.dof()];
    model.gravity_into(&mut model.data(), q, &mut tau)?;
    Ok(tau)
}

/// Efforts that accelerate the joints by `a`.
///
/// ```
/// use kinetic_dynamics::{DynamicsModel, forward_dynamics, inverse_dynamics};
/// use kinetic_robot::Robot;
///
/// let robot = Robot::from_name("ur5e")?;
/// let model = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group])?;
/// let (q, v, a) = ([0.1, -1.2, 1.3, -0.4, 0.5, 0.6], [0.3; 6], [1.0; 6]);
/// let tau = inverse_dynamics(&model, &q, &v, &a)?;
/// let back = forward_dynamics(&model, &q, &v, &tau)?;
/// assert!(back.iter().all(|value| (value - 1.0).abs() < 1e-9));
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
///
/// # Errors
/// As [`DynamicsModel::inverse_dynamics_into`].
pub fn inverse_dynamics(model: &DynamicsModel, q: &[f64], v: &[f64], a: &[f64]) -> Result<Vec<f64>> {
    let mut tau = vec![0.0; model.dof()];
    model.inverse_dynamics_into(&mut model.data(), [q, v, a], &[], &mut tau)?;
    Ok(tau)
}

/// Accelerations under efforts `tau`.
///
/// # Errors
/// As [`DynamicsModel::forward_dynamics_into`].
pub fn forward_dynamics(model: &DynamicsModel, q: &[f64], v: &[f64], tau: &[f64]) -> Result<Vec<f64>> {
    let mut a = vec![0.0; model.dof()];
    model.forward_dynamics_into(&mut model.data(), [q, v, tau], &[], &mut a)?;
    Ok(a)
}

/// The mass matrix, n × n.
///
/// # Errors
/// As [`DynamicsModel::mass_matrix_into`].
pub fn mass_matrix(model: &DynamicsModel, q: &[f64]) -> Result<DMatrix<f64>> {
    let mut out = DMatrix::zeros(model.dof(), model.dof());
    model.mass_matrix_into(&mut model.data(), q, out.as_mut_slice())?;
    Ok(out)
}

/// Coriolis and centrifugal efforts `C(q, v) v`.
///
/// # Errors
/// As [`DynamicsModel::coriolis_into`].
pub fn coriolis(model: &DynamicsModel, q: &[f64], v: &[f64]) -> Result<Vec<f64>> {
    let mut tau = vec![0.0; model.dof()];
    model.coriolis_into(&mut model.data(), q, v, &mut tau)?;
    Ok(tau)
}

/// Efforts for a motion given by its positions: against gravity at rest at `q`, or, with the configurations `before` and
/// `after` it at times `dt` (s) apart, for the velocity `(after − before) / 2 dt` and the acceleration
/// `(after − 2 q + before) / dt²` (central differences).
///
/// # Errors
/// As [`DynamicsModel::inverse_dynamics_into`]; [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a `dt` that
/// is not positive.
pub fn torque_vector(model: &DynamicsModel, q: &[f64], neighbours: Option<Neighbours>) -> Result<Vec<f64>> {
    let Some(Neighbours { before, after, dt }) = neighbours else {
        return gravity_compensation(model, q);
    };
    kinetic_core::error::check_finite("time between configurations, s", &[dt])?;
    if !(dt > 0.0) {
        return Err(kinetic_core::KineticError::invalid("time between configurations, s", dt, "a positive number"));
    }
    model.check("configuration", q)?;
    model.check("configuration before", before)?;
    model.check("configuration after", after)?;
    let of = |value: &dyn Fn(usize) -> f64| (0..q.len()).map(value).collect::<Vec<f64>>();
    let v = of(&|joint| (after[joint] - before[joint]) / (2.0 * dt));
    let a = of(&|joint| ((after[joint] - q[joint]) - (q[joint] - before[joint])) / (dt * dt));
    inverse_dynamics(model, q, &v, &a)
}

/// The configurations around one, for [`torque_vector`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours<'a> {
    /// The configuration `dt` earlier.
    pub before: &'a [f64],
    /// The configuration `dt` later.
    pub after: &'a [f64],
    /// Time between neighbours, s.
    pub dt: f64,
}
