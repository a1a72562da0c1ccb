//! Certification of timed curves from any source.

use kinetic_core::error::check_len;
use kinetic_core::{Control, Limits, Result, TimedTrajectory};
use kinetic_dynamics::TorqueLimits;

use super::Planner;
use super::torques::torque_limits;
use crate::certify::Verifier;
use crate::constraints::ConstraintSet;

impl Planner {
    /// The verifier of motions of this planner in its scene.
    pub(crate) fn verifier<'a>(
        &'a self,
        limits: &'a Limits,
        (torques, constraints): (Option<&'a TorqueLimits<'a>>, Option<&'a ConstraintSet>),
        control: &'a Control,
    ) -> Verifier<'a> {
        Verifier {
            scene: self.scene(),
            group: self.group(),
            chain: self.chain(),
            config: self.config(),
            limits,
            torques,
            constraints,
            tool: None,
            control,
        }
    }

    /// Proves a timed curve, wherever it comes from, at every instant: joint ranges, velocities and accelerations by interval
    /// bounds, the planner's margins by conservative advancement; torques where the planner has
    /// [`torque_limits`](kinetic_core::PlannerConfig::torque_limits), its constraints where it has some. Returns the trajectory with a certificate of that; one that
    /// it had is replaced. Joints outside the group stand as the scene says. Jerk is reported and not demanded.
    ///
    /// # Errors
    /// [`TrajectoryLimitExceeded`](kinetic_core::KineticError::TrajectoryLimitExceeded) with joint, time, value and limit;
    /// [`TrajectoryInCollision`](kinetic_core::KineticError::TrajectoryInCollision) with pair, time, distance and margin;
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for a curve of another number of joints; what
    /// [`Control::error`] says when `control` ends the work.
    pub fn certify(&self, trajectory: &TimedTrajectory, control: &Control) -> Result<TimedTrajectory> {
        let context = format!("trajectory of group \"{}\"", self.group().name);
        check_len(&context, trajectory.dof(), self.group().dof())?;
        let (limits, now) = (self.limits()?, self.now()?);
        let dynamics = now.dynamics()?;
        let torques = torque_limits(dynamics.as_ref())?;
        let constraints = now.constraint_set()?;
        let verifier = now.verifier(&limits, (torques.as_ref(), constraints.as_ref()), control);
        let (mut checker, _) = now.checker_at(&trajectory.curve().sample(0.0, 0))?;
        checker.obey(Some(control));
        let (curve, before) = (trajectory.curve(), checker.checks());
        let ratios = verifier.check_limits(curve)?;
        verifier.check_contact(curve, &mut checker)?;
        verifier.certified(trajectory.clone(), &ratios, &checker, before)
    }
}
