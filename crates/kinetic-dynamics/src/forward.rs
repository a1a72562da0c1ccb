//! Accelerations from efforts: forward dynamics, the mass matrix and its inverse.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result};
use pulp::NullaryFnOnce;

use crate::aba;
use crate::cholesky;
use crate::data::{DynamicsData, Workspace};
use crate::external::ExternalWrench;
use crate::inverse::check_result;
use crate::mass_matrix::DispatchedMassMatrix;
use crate::model::DynamicsModel;
use crate::quantity::{Inverse, dispatch, of_one_state};
use crate::recursions;
use crate::state::place;
use crate::wrenches::Wrenches;

/// An inertia below this share of the body's is rounding.
const LEAST_INERTIA: f64 = 64.0 * f64::EPSILON;

fn is_positive(inertia: f64, size: f64) -> bool {
    inertia > LEAST_INERTIA * size
}

/// Accelerations of placed bodies from the efforts of the workspace, compiled for several widths of registers.
struct ArticulatedBodies<'a> {
    model: &'a DynamicsModel,
    work: &'a mut Workspace<f64>,
    a: &'a mut [f64],
}

impl NullaryFnOnce for ArticulatedBodies<'_> {
    /// The body whose joint moves nothing.
    type Output = Option<usize>;

    #[inline(always)]
    fn call(self) -> Option<usize> {
        let Self { model, work: Workspace { states, articulated, efforts, .. }, a } = self;
        let bodies = model.bodies();
        let stuck = aba::factorize(bodies, model.resistances(), states, articulated, is_positive);
        if stuck.is_none() {
            aba::solve(bodies, states, articulated, efforts, a);
        }
        stuck
    }
}

impl DynamicsModel {
    /// Mass matrix (n × n, symmetric) by the composite rigid body algorithm, with the rotors' inertia.
    ///
    /// # Errors
    /// [`DimensionMismatch`](KineticError::DimensionMismatch) or [`NotFinite`](KineticError::NotFinite).
    pub fn mass_matrix_into(&self, data: &mut DynamicsData, q: &[f64], out: &mut [f64]) -> Result<()> {
        self.check("configuration", q)?;
        self.check_data(data)?;
        check_len("mass matrix", out.len(), self.dof() * self.dof())?;
        self.write_mass_matrix((&mut data.work, &mut data.wrenches), q, out)
    }

    /// Accelerations under efforts `tau`: by the articulated-body algorithm, or with the mass matrix where joints follow
    /// others. A joint at rest feels no Coulomb friction.
    ///
    /// # Errors
    /// [`DimensionMismatch`](KineticError::DimensionMismatch), [`NotFinite`](KineticError::NotFinite), and
    /// [`InvalidValue`](KineticError::InvalidValue) for an external wrench on a link that does not exist, or a joint that
    /// moves nothing with inertia.
    pub fn forward_dynamics_into(
        &self,
        data: &mut DynamicsData,
        [q, v, tau]: [&[f64]; 3],
        external: &[ExternalWrench],
        a: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, v)?;
        self.check("efforts", tau)?;
        self.check_external(external)?;
        self.check_out(data, a)?;
        self.applied(data, [q, v, tau], external);
        if self.has_followers() {
            a.copy_from_slice(&data.work.efforts);
            self.factorize_matrix(data, q)?;
            cholesky::solve(&data.matrix, self.dof(), a);
        } else {
            let stuck = dispatch(ArticulatedBodies { model: self, work: &mut data.work, a: &mut *a });
            stuck.map_or(Ok(()), |body| Err(self.moves_nothing(self.bodies()[body].variable)))?;
        }
        check_result(a)
    }

    /// Inverse of the mass matrix, n × n.
    ///
    /// # Errors
    /// As [`forward_dynamics_into`](Self::forward_dynamics_into).
    pub fn inverse_mass_matrix_into(&self, data: &mut DynamicsData, q: &[f64], out: &mut [f64]) -> Result<()> {
        self.check("configuration", q)?;
        self.check_data(data)?;
        let n = self.dof();
        check_len("inverse of the mass matrix", out.len(), n * n)?;
        place(self.bodies(), q, &mut data.work.states);
        if self.has_followers() {
            self.factorize_matrix(data, q)?;
        } else {
            self.factorize_bodies(data)?;
        }
        for (index, column) in out.chunks_exact_mut(n).enumerate() {
            let work = &mut data.work;
            if self.has_followers() {
                column.fill(0.0);
                column[index] = 1.0;
                cholesky::solve(&data.matrix, n, column);
            } else {
                work.efforts.fill(0.0);
                work.efforts[index] = 1.0;
                aba::solve(self.bodies(), &mut work.states, &mut work.articulated, &work.efforts, column);
            }
        }
        check_result(out)
    }

    /// Leaves in the data's efforts what accelerates the joints: `tau` less what velocities, gravity and external wrenches
    /// take.
    fn applied(&self, data: &mut DynamicsData, [q, v, tau]: [&[f64]; 3], external: &[ExternalWrench]) {
        let work = &mut data.work;
        let (zeros, mut efforts) = (std::mem::take(&mut work.zeros), std::mem::take(&mut work.efforts));
        if external.is_empty() {
            of_one_state(Inverse, self, work, [q, v, &zeros], &mut efforts);
        } else {
            let relieve = |states: &mut [_]| self.relieve(external, states);
            recursions::inverse_dynamics(self, &mut work.states, [q, v, &zeros], relieve, &mut efforts);
        }
        for (effort, given) in efforts.iter_mut().zip(tau) {
            *effort = given - *effort;
        }
        (work.zeros, work.efforts) = (zeros, efforts);
    }

    fn write_mass_matrix(
        &self,
        (work, wrenches): (&mut Workspace<f64>, &mut Wrenches),
        q: &[f64],
        out: &mut [f64],
    ) -> Result<()> {
        let is_finite = dispatch(DispatchedMassMatrix { model: self, work, wrenches, q, out: &mut *out });
        if is_finite { Ok(()) } else { check_result(out) }
    }

    fn factorize_bodies(&self, data: &mut DynamicsData) -> Result<()> {
        let work = &mut data.work;
        let (bodies, resistances) = (self.bodies(), self.resistances());
        match aba::factorize(bodies, resistances, &work.states, &mut work.articulated, is_positive) {
            None => Ok(()),
            Some(body) => Err(self.moves_nothing(bodies[body].variable)),
        }
    }

    fn factorize_matrix(&self, data: &mut DynamicsData, q: &[f64]) -> Result<()> {
        self.write_mass_matrix((&mut data.work, &mut data.wrenches), q, &mut data.matrix)?;
        factorized(self, &mut data.matrix)
    }

    fn moves_nothing(&self, variable: usize) -> KineticError {
        let name = format!("inertia that joint \"{}\" moves", self.joint_names()[variable]);
        KineticError::invalid(
            name,
            0,
            "links with inertial properties, or armature, so that efforts accelerate the joint",
        )
    }
}

/// Replaces a mass matrix by its Cholesky factor.
pub(crate) fn factorized(model: &DynamicsModel, matrix: &mut [f64]) -> Result<()> {
    cholesky::factorize(matrix, model.dof()).map_err(|variable| model.moves_nothing(variable))
}
