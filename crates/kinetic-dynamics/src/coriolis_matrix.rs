//! The Coriolis matrix of the Christoffel symbols (Echeandia and Wensing 2021, algorithm 1), in the root's axes.

use kinetic_core::Result;
use kinetic_core::error::check_len;

use crate::data::DynamicsData;
use crate::inverse::check_result;
use crate::model::DynamicsModel;
use crate::spatial::momentum;

impl DynamicsModel {
    /// Coriolis matrix `C(q, v)`, n × n, row after row: `C v` are the Coriolis and centrifugal efforts, and the time
    /// derivative of the mass matrix is `C + Cᵀ`, so that `Ṁ − 2 C` is skew-symmetric.
    ///
    /// # Errors
    /// As [`inverse_dynamics_into`](Self::inverse_dynamics_into).
    pub fn coriolis_matrix_into(&self, data: &mut DynamicsData, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        self.check_state(q, v)?;
        self.check_data(data)?;
        check_len("Coriolis matrix", out.len(), self.dof() * self.dof())?;
        self.compose(data, [q, v, v], &[], false)?;
        out.fill(0.0);
        for index in 0..data.carriers.len() {
            self.write_couplings(data, index, out);
        }
        check_result(out)
    }

    /// Adds the entries between a body's joint and those that it hangs on.
    fn write_couplings(&self, data: &DynamicsData, index: usize, out: &mut [f64]) {
        let (n, frames) = (self.dof(), self.program().frames());
        let body = &data.carriers[index];
        let of_row = momentum(&body.inertia, &body.axis_rate) + body.coriolis.apply(&body.axis);
        let of_column = body.coriolis.apply_transposed(&body.axis);
        let of_column_rate = momentum(&body.inertia, &body.axis);
        let own = frames[index].variable;
        out[own * n + own] += body.axis.dot(&of_row);
        let mut current = frames[index].parent;
        while current != 0 {
            let (ancestor, other) = (&data.carriers[current - 1], frames[current - 1].variable);
            out[other * n + own] += ancestor.axis.dot(&of_row);
            out[own * n + other] += ancestor.axis_rate.dot(&of_column_rate) + ancestor.axis.dot(&of_column);
            current = frames[current - 1].parent;
        }
    }
}
