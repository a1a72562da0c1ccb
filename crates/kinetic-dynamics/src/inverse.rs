//! Efforts from motions: inverse dynamics and its parts.

use kinetic_core::Result;
use kinetic_core::error::{check_finite, check_len};

use crate::data::DynamicsData;
use crate::external::ExternalWrench;
use crate::model::DynamicsModel;
use crate::quantity::{Coriolis, Gravity, Inverse, of_one_state};
use crate::recursions;

/// Refuses what came out of finite inputs too large for the range of `f64`.
pub(crate) fn check_result(values: &[f64]) -> Result<()> {
    // Without a branch per value the usual case goes through wide registers.
    if values.iter().fold(true, |all, value| all & value.is_finite()) {
        return Ok(());
    }
    check_finite("result, from inputs beyond the range of f64,", values)
}

impl DynamicsModel {
    /// Efforts `tau` (Nm or N) that accelerate the joints by `a`, by the recursive Newton–Euler algorithm, with gravity, the
    /// base's motion, `external` wrenches, rotors, damping and friction.
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch),
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite), and [`InvalidValue`](kinetic_core::KineticError::InvalidValue)
    /// for an external wrench on a link that does not exist.
    pub fn inverse_dynamics_into(
        &self,
        data: &mut DynamicsData,
        [q, v, a]: [&[f64]; 3],
        external: &[ExternalWrench],
        tau: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, v)?;
        self.check("accelerations", a)?;
        self.check_external(external)?;
        self.check_out(data, tau)?;
        if external.is_empty() {
            of_one_state(Inverse, self, &mut data.work, [q, v, a], tau);
        } else {
            let states = &mut data.work.states;
            recursions::inverse_dynamics(self, states, [q, v, a], |states| self.relieve(external, states), tau);
        }
        check_result(tau)
    }

    /// Efforts that hold the robot at rest in `q` against gravity.
    ///
    /// # Errors
    /// As [`inverse_dynamics_into`](Self::inverse_dynamics_into).
    pub fn gravity_into(&self, data: &mut DynamicsData, q: &[f64], tau: &mut [f64]) -> Result<()> {
        self.check("configuration", q)?;
        self.check_out(data, tau)?;
        of_one_state(Gravity, self, &mut data.work, [q], tau);
        check_result(tau)
    }

    /// Coriolis and centrifugal efforts `C(q, v) v`, without gravity and friction, on a base at rest.
    ///
    /// # Errors
    /// As [`inverse_dynamics_into`](Self::inverse_dynamics_into).
    pub fn coriolis_into(&self, data: &mut DynamicsData, q: &[f64], v: &[f64], tau: &mut [f64]) -> Result<()> {
        self.check_state(q, v)?;
        self.check_out(data, tau)?;
        of_one_state(Coriolis, self, &mut data.work, [q, v], tau);
        check_result(tau)
    }

    pub(crate) fn check_state(&self, q: &[f64], v: &[f64]) -> Result<()> {
        self.check("configuration", q)?;
        self.check("velocities", v)
    }

    /// Refuses memory of another model and results of another length.
    pub(crate) fn check_out(&self, data: &DynamicsData, out: &[f64]) -> Result<()> {
        self.check_data(data)?;
        check_len("result", out.len(), self.dof())
    }

    pub(crate) fn check_data(&self, data: &DynamicsData) -> Result<()> {
        check_len("states of the data", data.work.states.len(), self.bodies().len() + 1)?;
        check_len("efforts of the data", data.work.efforts.len(), self.dof())
    }
}
