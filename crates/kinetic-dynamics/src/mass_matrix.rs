//! Mass matrix of one state: the composite rigid body algorithm (Walker and Orin 1982; Featherstone 2008, section 6.2) with the
//! wrenches of columns in SIMD lanes.
//!
//! A body lifts the wrenches of all columns that it carries into its parent at once. Operations and their order are those of
//! [`crba`](crate::crba), so that a batch has the bits of single calls.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use pulp::{Simd, WithSimd};

use crate::columns::Column;
use crate::crba::{Composite, unit_wrench};
use crate::data::Workspace;
use crate::model::DynamicsModel;
use crate::recursions;
use crate::state::place;
use crate::turn::with_turn;
use crate::wrenches::{Wrenches, lift};

/// The mass matrix with the rotors' inertia on its diagonal, compiled for several widths of registers.
pub(crate) struct DispatchedMassMatrix<'a> {
    pub(crate) model: &'a DynamicsModel,
    pub(crate) work: &'a mut Workspace<f64>,
    pub(crate) wrenches: &'a mut Wrenches,
    pub(crate) q: &'a [f64],
    pub(crate) out: &'a mut [f64],
}

impl WithSimd for DispatchedMassMatrix<'_> {
    /// Whether all entries are finite.
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { model, work, wrenches, q, out } = self;
        if model.has_followers() {
            recursions::mass_matrix(model, work, q, out);
            return is_finite(out);
        }
        let Workspace { states, composites, .. } = work;
        let (bodies, columns, n) = (model.bodies(), model.postorder(), model.dof());
        place(bodies, q, states);
        if model.has_branches() {
            out.fill(0.0);
            for (body, composite) in bodies.iter().zip(composites.iter_mut()) {
                *composite = Composite::of(body);
            }
        }
        // What the first child carries, which comes just before in this order, needs no way through memory.
        let mut first_child = Composite::zero();
        for (position, column) in columns.iter().enumerate() {
            let (body, state) = (&bodies[column.body], &states[column.body + 1]);
            let mut composite = if model.has_branches() { composites[column.body] } else { Composite::of(body) };
            if column.begin < position {
                composite.add(&first_child);
            }
            let wrench = unit_wrench(body.turns, &composite);
            let (along, diagonal) =
                if body.turns { (&wrenches.torque[2], wrench.1[2]) } else { (&wrenches.force[2], wrench.0[2]) };
            let diagonal = column.multiplier * column.multiplier * diagonal;
            out[column.variable * n + column.variable] = diagonal + model.resistances()[column.variable].armature;
            write_row(column, &columns[column.begin..position], &along[column.begin..position], n, out);
            if body.parent != 0 {
                first_child = with_turn!(body.turn, turn => composite.up(turn, state));
                if column.waits {
                    composites[body.parent - 1].add(&first_child);
                }
                lift(simd, wrenches, &wrench, (body, state), [position, column.begin]);
            }
        }
        is_finite(out)
    }
}

#[inline(always)]
fn is_finite(values: &[f64]) -> bool {
    let mut all = true;
    for value in values {
        all &= value.is_finite();
    }
    all
}

/// Entries of the mass matrix between a body's joint and those of the bodies that it carries.
#[inline(always)]
fn write_row(own: &Column, carried: &[Column], along: &[f64], n: usize, out: &mut [f64]) {
    for (column, along) in carried.iter().zip(along) {
        let value = column.multiplier * own.multiplier * along;
        out[own.variable * n + column.variable] = value;
        out[column.variable * n + own.variable] = value;
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::Result;
    use kinetic_core::rng::SeededRng;
    use kinetic_robot::Robot;

    use super::*;
    use crate::quantity::dispatch;

    /// With one branch and with several, of fewer and of more columns than a register holds.
    #[test]
    fn every_width_of_registers_gives_the_bits_of_the_batch() -> Result<()> {
        let mut branched = 0;
        for (name, seed) in [("ur5e", 1), ("franka_panda", 2), ("baxter_left", 3), ("pr2", 4), ("tiago", 5)] {
            let model = DynamicsModel::from_robot(&Robot::from_name(name)?)?;
            branched += usize::from(model.has_branches() && !model.has_followers());
            let (n, mut data) = (model.dof(), model.data());
            let mut rng = SeededRng::new(seed);
            for _ in 0..20 {
                let q: Vec<f64> = (0..n).map(|_| rng.uniform(-3.0, 3.0)).collect();
                let mut expected = vec![0.0; n * n];
                model.mass_matrix_batch(&q, &mut expected)?;
                for width in 0..3 {
                    let mut out = vec![f64::NAN; n * n];
                    let (work, wrenches) = (&mut data.work, &mut data.wrenches);
                    let matrix = DispatchedMassMatrix { model: &model, work, wrenches, q: &q, out: &mut out };
                    let is_finite = match width {
                        0 => Simd::vectorize(pulp::Scalar, matrix),
                        1 => dispatch(matrix),
                        _ => pulp::Arch::new().dispatch(matrix),
                    };
                    assert!(is_finite);
                    assert_eq!(out, expected, "{name}, width {width}");
                }
            }
        }
        assert!(branched > 0);
        Ok(())
    }
}
