//! Many states at once: in SIMD lanes and on all processors, with the bits of single calls.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::Result;
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::parallel::in_chunks;
use kinetic_kinematics::simd::Lanes;
use pulp::{Arch, NullaryFnOnce};

use crate::data::Workspace;
use crate::inverse::check_result;
use crate::model::DynamicsModel;
use crate::quantity::{Coriolis, Gravity, Inverse, MassMatrix, Quantity};
use crate::scalar::Scalar;

/// States that go through a recursion together.
const WIDTH: usize = 8;
/// States that a thread takes at once: fewer are done before it has started.
const PER_THREAD: usize = 512;

impl DynamicsModel {
    /// [`inverse_dynamics_into`](Self::inverse_dynamics_into) of many states, one after another in `q`, `v` and `a` (N · n
    /// values each), without external wrenches; `tau` takes N · n values.
    ///
    /// # Errors
    /// As the single call.
    pub fn inverse_dynamics_batch(&self, [q, v, a]: [&[f64]; 3], tau: &mut [f64]) -> Result<()> {
        let inputs = [("configurations", q), ("velocities", v), ("accelerations", a)];
        self.batch(Inverse, inputs, self.dof(), tau)
    }

    /// [`gravity_into`](Self::gravity_into) of many configurations.
    ///
    /// # Errors
    /// As the single call.
    pub fn gravity_batch(&self, q: &[f64], tau: &mut [f64]) -> Result<()> {
        self.batch(Gravity, [("configurations", q)], self.dof(), tau)
    }

    /// [`coriolis_into`](Self::coriolis_into) of many states.
    ///
    /// # Errors
    /// As the single call.
    pub fn coriolis_batch(&self, q: &[f64], v: &[f64], tau: &mut [f64]) -> Result<()> {
        self.batch(Coriolis, [("configurations", q), ("velocities", v)], self.dof(), tau)
    }

    /// [`mass_matrix_into`](Self::mass_matrix_into) of many configurations; `out` takes N · n · n values.
    ///
    /// # Errors
    /// As the single call.
    pub fn mass_matrix_batch(&self, q: &[f64], out: &mut [f64]) -> Result<()> {
        self.batch(MassMatrix, [("configurations", q)], self.dof() * self.dof(), out)
    }

    /// [`forward_dynamics_into`](Self::forward_dynamics_into) of many states, without external wrenches, on all processors.
    ///
    /// # Errors
    /// As the single call.
    pub fn forward_dynamics_batch(&self, [q, v, tau]: [&[f64]; 3], a: &mut [f64]) -> Result<()> {
        let n = self.dof();
        for (name, values) in [("configurations", q), ("velocities", v), ("efforts", tau)] {
            check_len(name, values.len(), a.len())?;
            check_finite(name, values)?;
        }
        check_len("accelerations", a.len(), a.len() / n * n)?;
        let failed = std::sync::Mutex::new(None);
        in_chunks(a, n, PER_THREAD, |first, out| {
            let mut data = self.data();
            for (index, out) in out.chunks_exact_mut(n).enumerate() {
                let at = (first + index) * n..(first + index + 1) * n;
                let inputs = [&q[at.clone()], &v[at.clone()], &tau[at]];
                if let Err(error) = self.forward_dynamics_into(&mut data, inputs, &[], out) {
                    let mut failed = failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    // The first row's error, whatever thread met another before.
                    if failed.as_ref().is_none_or(|(row, _)| first + index < *row) {
                        *failed = Some((first + index, error));
                    }
                }
            }
        });
        failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
    }

    fn batch<const INPUTS: usize>(
        &self,
        quantity: impl Quantity<INPUTS>,
        inputs: [(&str, &[f64]); INPUTS],
        width: usize,
        out: &mut [f64],
    ) -> Result<()> {
        let count = out.len() / width;
        for (name, values) in inputs {
            check_len(name, values.len(), count * self.dof())?;
            check_finite(name, values)?;
        }
        check_len("results", out.len(), count * width)?;
        let (arch, inputs) = (Arch::new(), inputs.map(|(_, values)| values));
        in_chunks(out, width, PER_THREAD, |first, out| {
            let inputs = inputs.map(|values| &values[first * self.dof()..]);
            arch.dispatch(Chunk { model: self, quantity, inputs, width, out });
        });
        check_result(out)
    }
}

/// The work of one thread, compiled for several widths of registers.
struct Chunk<'a, Q, const INPUTS: usize> {
    model: &'a DynamicsModel,
    quantity: Q,
    inputs: [&'a [f64]; INPUTS],
    width: usize,
    out: &'a mut [f64],
}

impl<Q: Quantity<INPUTS>, const INPUTS: usize> NullaryFnOnce for Chunk<'_, Q, INPUTS> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { model, quantity, inputs, width, out } = self;
        let zero: Lanes<WIDTH> = Lanes::splat(0.0);
        let mut work = Workspace::new(model);
        let mut gathered: [Vec<Lanes<WIDTH>>; INPUTS] = std::array::from_fn(|_| vec![zero; model.dof()]);
        let mut results = vec![zero; width];
        for (number, rows) in out.chunks_mut(WIDTH * width).enumerate() {
            let used = rows.len() / width;
            for (values, lanes) in inputs.iter().zip(&mut gathered) {
                gather(&values[number * WIDTH * model.dof()..], used, lanes);
            }
            let views = std::array::from_fn(|index| &gathered[index][..]);
            quantity.compute(model, &mut work, views, &mut results);
            for (lane, row) in rows.chunks_exact_mut(width).enumerate() {
                for (value, result) in row.iter_mut().zip(&results) {
                    *value = result.0[lane];
                }
            }
        }
    }
}

/// Puts rows into lanes; unused lanes repeat the last row.
#[inline(always)]
fn gather(rows: &[f64], used: usize, lanes: &mut [Lanes<WIDTH>]) {
    let n = lanes.len();
    for (variable, values) in lanes.iter_mut().enumerate() {
        for lane in 0..WIDTH {
            values.0[lane] = rows[lane.min(used - 1) * n + variable];
        }
    }
}
