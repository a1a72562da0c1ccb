//! The Jacobian of any link over the joints of a planning group.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{Pose, Result};
use kinetic_robot::{PlanningGroup, Robot};
use nalgebra::Matrix6xX;

use crate::chain::KinematicChain;
use crate::jacobian::{jacobian, write_rows};
use kinetic_core::parallel::in_chunks;

/// Configurations that a thread takes at once: fewer are done before it has started.
const LINK_JACOBIANS_PER_THREAD: usize = 1024;

/// Geometric Jacobians of a link, over the joints of a group and in the group's base: what
/// [`jacobian()`](crate::jacobian()) is for the group's tool.
#[derive(Debug, Clone)]
pub struct LinkJacobian<'a> {
    robot: &'a Robot,
    group: &'a PlanningGroup,
    chain: KinematicChain,
    /// Column of the chain that belongs to each joint of the group; none for joints that do not move the link.
    columns: Vec<Option<usize>>,
}

impl<'a> LinkJacobian<'a> {
    /// For the origin of `link`, or of a tool at `link_from_tcp` on it.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::LinkNotFound`], or [`kinetic_core::KineticError::ChainExtraction`] for a link that
    /// does not lie below the group's base.
    pub fn new(robot: &'a Robot, group: &'a PlanningGroup, link: &str, link_from_tcp: &Pose) -> Result<Self> {
        let base = &robot.links[group.base_link].name;
        let chain = KinematicChain::extract(robot, base, link)?.with_tcp(link_from_tcp);
        let column = |variable: &usize| chain.variables().iter().position(|other| other == variable);
        let columns = group.variables.iter().map(column).collect();
        Ok(Self { robot, group, chain, columns })
    }

    /// The Jacobian, 6 × dof, at `q` in the length of the group or of the robot.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
    pub fn at(&self, q: &[f64]) -> Result<Matrix6xX<f64>> {
        let full = self.robot.full_configuration(self.group, q)?;
        let q: Vec<f64> = self.chain.variables().iter().map(|variable| full[*variable]).collect();
        let of_chain = jacobian(&self.chain, &q)?;
        let mut out = Matrix6xX::zeros(self.columns.len());
        for (index, column) in self.columns.iter().enumerate() {
            if let Some(column) = column {
                out.set_column(index, &of_chain.column(*column));
            }
        }
        Ok(out)
    }

    /// As [`at`](Self::at) for configurations one after another, each of `length` values, on all processors; `out` holds
    /// 6 · dof values per configuration, row after row.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub fn batch(&self, configs: &[f64], length: usize, out: &mut [f64]) -> Result<()> {
        let width = 6 * self.columns.len();
        if configs.is_empty() || width == 0 {
            return check_len("Jacobians of a batch", out.len(), 0);
        }
        self.robot.vector_kind(self.group, &configs[..length.min(configs.len())])?;
        check_finite("configurations of a batch", configs)?;
        check_len("Jacobians of a batch", out.len(), configs.len() / length * width)?;
        in_chunks(out, width, LINK_JACOBIANS_PER_THREAD, |first, share| {
            let rows = configs[first * length..].chunks_exact(length);
            for (q, out) in rows.zip(share.chunks_exact_mut(width)) {
                // What `at` refuses was refused above.
                if let Ok(found) = self.at(q) {
                    write_rows(found.as_slice(), out);
                }
            }
        });
        Ok(())
    }
}
