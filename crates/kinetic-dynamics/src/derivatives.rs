//! Analytical derivatives of inverse and forward dynamics (Carpentier and Mansard 2018, "Analytical derivatives of
//! rigid body dynamics algorithms"), in the compact form of Singh, Russell and Wensing 2022 ("Efficient analytical
//! derivatives of rigid-body dynamics using spatial vector algebra", algorithm 1).

use kinetic_core::Result;
use kinetic_core::error::check_len;

use crate::carrier::Carrier;
use crate::cholesky;
use crate::data::DynamicsData;
use crate::external::ExternalWrench;
use crate::forward::factorized;
use crate::inverse::check_result;
use crate::model::DynamicsModel;
use crate::spatial::{Spatial, momentum};

/// Where derivatives go: n × n matrices, row after row. Row `i` and column `j` is the derivative of the `i`-th result.
#[derive(Debug)]
pub struct Derivatives<'a> {
    /// By the `j`-th joint value.
    pub by_q: &'a mut [f64],
    /// By the `j`-th velocity.
    pub by_v: &'a mut [f64],
    /// By the `j`-th input: the acceleration of inverse dynamics, the effort of forward dynamics.
    pub by_input: &'a mut [f64],
}

/// A row of the derivatives and a column, as vectors that the axes of ancestors are multiplied with.
struct Lines {
    /// `2 Bᵀ S` and `I S`.
    row: [Spatial; 2],
    column_q: Spatial,
    column_v: Spatial,
}

impl DynamicsModel {
    /// Derivatives of [`inverse_dynamics_into`](Self::inverse_dynamics_into) without external wrenches; those by the
    /// accelerations are the mass matrix. Coulomb friction counts as constant, also at rest.
    ///
    /// # Errors
    /// As [`inverse_dynamics_into`](Self::inverse_dynamics_into).
    pub fn inverse_dynamics_derivatives_into(
        &self,
        data: &mut DynamicsData,
        [q, v, a]: [&[f64]; 3],
        out: &mut Derivatives,
    ) -> Result<()> {
        self.inverse_dynamics_derivatives_under_into(data, [q, v, a], &[], out)
    }

    /// The same under `external` wrenches, which do not change: in the axes of their links, or in those of the root.
    ///
    /// # Errors
    /// As [`inverse_dynamics_into`](Self::inverse_dynamics_into).
    pub fn inverse_dynamics_derivatives_under_into(
        &self,
        data: &mut DynamicsData,
        [q, v, a]: [&[f64]; 3],
        external: &[ExternalWrench],
        out: &mut Derivatives,
    ) -> Result<()> {
        self.check_state(q, v)?;
        self.check("accelerations", a)?;
        self.check_external(external)?;
        self.check_derivatives(data, out)?;
        self.compose(data, [q, v, a], external, true)?;
        let Derivatives { by_q, by_v, by_input } = out;
        for matrix in [&mut *by_q, &mut *by_v, &mut *by_input] {
            matrix.fill(0.0);
        }
        for index in 0..data.carriers.len() {
            self.write_lines(data, index, [by_q, by_v, by_input]);
        }
        self.write_fixed_wrenches(external, data, by_q);
        for (index, resistance) in self.resistances().iter().enumerate() {
            by_input[index * (self.dof() + 1)] += resistance.armature;
            if self.has_friction() {
                by_v[index * (self.dof() + 1)] += resistance.damping;
            }
        }
        check_result(by_q)?;
        check_result(by_v)?;
        check_result(by_input)
    }

    /// Derivatives of [`forward_dynamics_into`](Self::forward_dynamics_into) without external wrenches, from those of inverse
    /// dynamics: `∂a/∂x = −M⁻¹ ∂τ/∂x` at the acceleration, which `a` receives, and `∂a/∂τ = M⁻¹`.
    ///
    /// # Errors
    /// As [`forward_dynamics_into`](Self::forward_dynamics_into).
    pub fn forward_dynamics_derivatives_into(
        &self,
        data: &mut DynamicsData,
        [q, v, tau]: [&[f64]; 3],
        a: &mut [f64],
        out: &mut Derivatives,
    ) -> Result<()> {
        self.forward_dynamics_derivatives_under_into(data, [q, v, tau], &[], a, out)
    }

    /// The same under `external` wrenches, which do not change: in the axes of their links, or in those of the root.
    ///
    /// # Errors
    /// As [`forward_dynamics_into`](Self::forward_dynamics_into).
    pub fn forward_dynamics_derivatives_under_into(
        &self,
        data: &mut DynamicsData,
        [q, v, tau]: [&[f64]; 3],
        external: &[ExternalWrench],
        a: &mut [f64],
        out: &mut Derivatives,
    ) -> Result<()> {
        self.check_derivatives(data, out)?;
        self.forward_dynamics_into(data, [q, v, tau], external, a)?;
        self.inverse_dynamics_derivatives_under_into(data, [q, v, a], external, out)?;
        let n = self.dof();
        data.matrix.copy_from_slice(out.by_input);
        factorized(self, &mut data.matrix)?;
        for index in 0..n {
            // The inverse is symmetric: its rows are columns.
            let column = &mut out.by_input[index * n..(index + 1) * n];
            column.fill(0.0);
            column[index] = 1.0;
            cholesky::solve(&data.matrix, n, column);
            for matrix in [&mut *out.by_q, &mut *out.by_v] {
                solve_column(&data.matrix, n, index, &mut data.work.efforts, matrix);
            }
        }
        check_result(out.by_q)?;
        check_result(out.by_v)
    }

    fn check_derivatives(&self, data: &DynamicsData, out: &Derivatives) -> Result<()> {
        self.check_data(data)?;
        let wanted = self.dof() * self.dof();
        check_len("derivatives by q", out.by_q.len(), wanted)?;
        check_len("derivatives by v", out.by_v.len(), wanted)?;
        check_len("derivatives by the input", out.by_input.len(), wanted)
    }

    /// Adds the derivatives between a body's joint and those that it hangs on.
    fn write_lines(&self, data: &DynamicsData, index: usize, [by_q, by_v, by_a]: [&mut [f64]; 3]) {
        let (n, frames) = (self.dof(), self.program().frames());
        let own = frames[index].variable;
        let Lines { row: [by_rate, by_acceleration], column_q, column_v } = Lines::of(&data.carriers[index]);
        let mut current = index + 1;
        while current != 0 {
            let (other, variable) = (&data.carriers[current - 1], frames[current - 1].variable);
            let twice = other.axis_rate * 2.0;
            by_q[own * n + variable] += by_rate.dot(&other.axis_rate) + by_acceleration.dot(&other.axis_acceleration);
            by_v[own * n + variable] += by_rate.dot(&other.axis) + by_acceleration.dot(&twice);
            let coupling = by_acceleration.dot(&other.axis);
            by_a[own * n + variable] += coupling;
            if current != index + 1 {
                by_q[variable * n + own] += other.axis.dot(&column_q);
                by_v[variable * n + own] += other.axis.dot(&column_v);
                by_a[variable * n + own] += coupling;
            }
            current = frames[current - 1].parent;
        }
    }
}

impl Lines {
    fn of(body: &Carrier) -> Self {
        let by_acceleration = momentum(&body.inertia, &body.axis);
        let turned = body.axis.cross_force(&body.force);
        Self {
            row: [body.coriolis.apply_transposed(&body.axis) * 2.0, by_acceleration],
            column_q: body.coriolis.apply(&body.axis_rate) * 2.0
                + momentum(&body.inertia, &body.axis_acceleration)
                + turned,
            column_v: (body.coriolis.apply(&body.axis) + momentum(&body.inertia, &body.axis_rate)) * 2.0,
        }
    }
}

/// Replaces a column of a row-major matrix by minus the solution for it.
fn solve_column(factor: &[f64], n: usize, index: usize, column: &mut [f64], matrix: &mut [f64]) {
    for row in 0..n {
        column[row] = -matrix[row * n + index];
    }
    cholesky::solve(factor, n, column);
    for row in 0..n {
        matrix[row * n + index] = column[row];
    }
}
