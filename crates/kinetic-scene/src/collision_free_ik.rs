//! Branches of inverse kinematics that keep the margins of a scene.

use kinetic_core::error::check_len;
use kinetic_core::{Pose, Result};
use kinetic_ik::InverseKinematics;
use kinetic_ik::analytic::{Solution, SolveOptions};

use crate::checker::Checker;
use crate::margins::Margins;
use crate::scene::Scene;

impl Scene {
    /// All branches of a pose of the default group's tool, in the group's base, that keep the margins: those of
    /// [`InverseKinematics::solve_all`] in its order, of which `max_solutions` counts the ones without collision.
    ///
    /// `ik` is that of the default group. Joints outside of the group stand where the scene holds them.
    ///
    /// # Errors
    /// Those of [`InverseKinematics::solve_all`], [`kinetic_core::KineticError::DimensionMismatch`] for the chain of another
    /// group, and [`kinetic_core::KineticError::InvalidValue`] for margins that are negative or not finite.
    pub fn collision_free_branches(
        &self,
        ik: &InverseKinematics,
        base_from_tcp: &Pose,
        options: &SolveOptions,
        margins: Margins,
    ) -> Result<Vec<Solution>> {
        let group = &self.robot().groups[self.robot().default_group];
        check_len("joints of the chain", ik.chain().dof(), group.dof())?;
        let solve = |checker: &mut Checker| ik.solve_all_where(base_from_tcp, options, &mut |q| Ok(checker.is_free(q)));
        if options.respect_limits {
            return self.ask_checker_within(&group.name, margins, None, solve)?;
        }
        solve(&mut self.checker(&group.name, margins)?)
    }
}
