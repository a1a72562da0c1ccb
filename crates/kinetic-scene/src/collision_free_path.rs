//! Paths of inverse kinematics that keep the margins of a scene, at their configurations and between them.

use kinetic_core::error::check_len;
use kinetic_core::{Pose, Result};
use kinetic_ik::{IKPath, InverseKinematics, PathContact, PathOptions, PathValidity};

use crate::checker::Checker;
use crate::margins::Margins;
use crate::scene::Scene;

/// Motions are proven over their whole length.
impl PathValidity for Checker {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.is_free(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.is_motion_free(from, to)
    }

    fn contact(&mut self, from: &[f64], to: &[f64]) -> Option<PathContact> {
        let end = self.clearance(to);
        if let (false, Some(pair)) = (end.is_free(), end.pair) {
            return Some(PathContact { pair, distance: end.distance, margin: end.margin });
        }
        let (part, pair) = self.first_contact(from, to)?;
        let there: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + part * (to - from)).collect();
        let met = self.clearance(&there);
        Some(PathContact { pair: met.pair.unwrap_or(pair), distance: met.distance, margin: met.margin })
    }
}

impl Scene {
    /// Configurations of the default group along poses of its tool, in the group's base, that keep the margins, and so do the
    /// motions between neighbouring ones: [`InverseKinematics::solve_path_where`] with this scene.
    ///
    /// `ik` is that of the default group. Joints outside of the group stand where the scene holds them.
    ///
    /// # Errors
    /// Those of [`InverseKinematics::solve_path`], [`kinetic_core::KineticError::DimensionMismatch`] for the chain of another
    /// group, and [`kinetic_core::KineticError::InvalidValue`] for margins that are negative or not finite.
    pub fn collision_free_path(
        &self,
        ik: &InverseKinematics,
        base_from_tcp: &[Pose],
        options: &PathOptions,
        margins: Margins,
    ) -> Result<IKPath> {
        let group = &self.robot().groups[self.robot().default_group];
        check_len("joints of the chain", ik.chain().dof(), group.dof())?;
        let solve = |checker: &mut Checker| ik.solve_path_where(base_from_tcp, options, checker);
        self.ask_checker_within(&group.name, margins, None, solve)?
    }
}
