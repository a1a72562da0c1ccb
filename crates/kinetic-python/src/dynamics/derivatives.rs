//! `Dynamics`: analytical derivatives.

use kinetic::dynamics::{Derivatives, WrenchAxes};
use pyo3::prelude::*;

use crate::convert::{Array, Vector};
use crate::dynamics::PyDynamics;
use crate::dynamics::arguments::{AxesArg, ExternalArg};
use crate::error::Result;

impl PyDynamics {
    fn derivatives<'py>(
        &self,
        py: Python<'py>,
        compute: impl FnOnce(&mut Derivatives<'_>) -> kinetic::core::Result<()>,
    ) -> Result<(Array<'py>, Array<'py>, Array<'py>)> {
        let n = self.model.dof();
        let [mut by_q, mut by_v, mut by_input] = [(); 3].map(|()| vec![0.0; n * n]);
        compute(&mut Derivatives { by_q: &mut by_q, by_v: &mut by_v, by_input: &mut by_input })?;
        let array = |values: &[f64]| Array::new(py, &[n, n], values);
        Ok((array(&by_q)?, array(&by_v)?, array(&by_input)?))
    }
}

#[pymethods]
impl PyDynamics {
    /// Derivatives of `inverse_dynamics` (Carpentier and Mansard 2018). Coulomb friction counts as constant, and so do external
    /// wrenches in their axes.
    ///
    /// Args:
    ///     q: Joint values (dof,).
    ///     qd: Joint velocities.
    ///     qdd: Joint accelerations.
    ///     external_forces: As for `inverse_dynamics`.
    ///     axes: As for `inverse_dynamics`.
    ///
    /// Returns:
    ///     Three arrays (dof, dof): by the joint values, by the velocities, and by the accelerations, which is the mass matrix.
    ///     Rows are efforts.
    #[pyo3(
        signature = (q, qd, qdd, external_forces=None, *, axes=AxesArg(WrenchAxes::Link)),
        text_signature = "($self, q, qd, qdd, external_forces=None, *, axes='link')"
    )]
    fn inverse_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        qd: Vector,
        qdd: Vector,
        external_forces: Option<ExternalArg>,
        axes: AxesArg,
    ) -> Result<(Array<'py>, Array<'py>, Array<'py>)> {
        let external = ExternalArg::resolve(external_forces, &self.model, axes.0)?;
        let inputs = [&q.0[..], &qd.0, &qdd.0];
        self.derivatives(py, |out| {
            self.model.inverse_dynamics_derivatives_under_into(&mut self.data(), inputs, &external, out)
        })
    }

    /// Derivatives of `forward_dynamics`.
    ///
    /// Args:
    ///     q: Joint values (dof,).
    ///     qd: Joint velocities.
    ///     tau: Joint efforts.
    ///     external_forces: As for `inverse_dynamics_derivatives`.
    ///     axes: As for `inverse_dynamics`.
    ///
    /// Returns:
    ///     Three arrays (dof, dof): by the joint values, by the velocities, and by the efforts, which is the inverse of the mass
    ///     matrix. Rows are accelerations.
    #[pyo3(
        signature = (q, qd, tau, external_forces=None, *, axes=AxesArg(WrenchAxes::Link)),
        text_signature = "($self, q, qd, tau, external_forces=None, *, axes='link')"
    )]
    fn forward_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        qd: Vector,
        tau: Vector,
        external_forces: Option<ExternalArg>,
        axes: AxesArg,
    ) -> Result<(Array<'py>, Array<'py>, Array<'py>)> {
        let external = ExternalArg::resolve(external_forces, &self.model, axes.0)?;
        let (inputs, mut a) = ([&q.0[..], &qd.0, &tau.0], vec![0.0; self.model.dof()]);
        self.derivatives(py, |out| {
            self.model.forward_dynamics_derivatives_under_into(&mut self.data(), inputs, &external, &mut a, out)
        })
    }
}
