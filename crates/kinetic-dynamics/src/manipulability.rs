//! Dynamic manipulability (Yoshikawa 1985, "Dynamic manipulability of robot manipulators").

use kinetic_core::Result;
use kinetic_kinematics::MoveTarget;

use crate::forward::factorized;
use crate::functions::mass_matrix;
use crate::model::DynamicsModel;

impl DynamicsModel {
    /// How far unit efforts accelerate a target in all its directions: `√det(J M⁻¹ M⁻ᵀ Jᵀ)`, the product of the singular
    /// values of `J M⁻¹`; with as many joints as rows `|det J| / det M`. 0 where the Jacobian is singular.
    ///
    /// # Errors
    /// [`LinkNotFound`](kinetic_core::KineticError::LinkNotFound), and as
    /// [`forward_dynamics_into`](Self::forward_dynamics_into).
    pub fn dynamic_manipulability(&self, q: &[f64], target: &MoveTarget) -> Result<f64> {
        let jacobian = self.tree().jacobian(q, std::slice::from_ref(target))?;
        let mut mass = mass_matrix(self, q)?;
        factorized(self, mass.as_mut_slice())?;
        let mut accelerations = jacobian.transpose();
        for column in accelerations.as_mut_slice().chunks_exact_mut(self.dof()) {
            crate::cholesky::solve(mass.as_slice(), self.dof(), column);
        }
        Ok(accelerations.singular_values().product())
    }
}
