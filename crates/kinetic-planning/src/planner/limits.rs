//! Limits of the motions of a planner.

use kinetic_core::{JointLimits, KineticError, Limits, Minimise, MotionLimits, PlannerConfig, Result};

use super::Planner;

impl Planner {
    /// The same planner with another [speed](PlannerConfig::limits): for one call, whichever it is, as in
    /// `planner.clone().with_limits(limits)?.plan_batch_timed(…)`. Its certificates are about these limits.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option; what the robot cannot do is refused by the call.
    pub fn with_limits(self, limits: MotionLimits) -> Result<Self> {
        let config = PlannerConfig { limits, ..self.config().clone() };
        self.with_config(config)
    }

    /// The limits that motions keep and that certificates are about: those of the robot, or what
    /// [`PlannerConfig::limits`](kinetic_core::PlannerConfig::limits) states instead, times its factors.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for limits that are neither of the group's nor of the robot's length,
    /// [`KineticError::InvalidValue`] for one beyond what the model of the robot states.
    pub fn limits(&self) -> Result<Limits> {
        let (own, wanted) = (self.scene().robot().limits(self.group()), &self.config().limits);
        if wanted.is_default() {
            return Ok(own);
        }
        wanted.check()?;
        let MotionLimits { velocity, acceleration, jerk, velocity_scaling, acceleration_scaling } = wanted;
        let velocity = self.stated("velocity_limits", velocity.as_deref(), |limits| Some(limits.velocity))?;
        let acceleration = self.stated("acceleration_limits", acceleration.as_deref(), |limits| limits.acceleration)?;
        let jerk = self.stated("jerk_limits", jerk.as_deref(), |limits| limits.jerk)?;
        let limits = Limits {
            velocity: velocity.unwrap_or(own.velocity),
            acceleration: acceleration.unwrap_or(own.acceleration),
            jerk: jerk.or(own.jerk),
        };
        limits.scaled(*velocity_scaling, *acceleration_scaling)
    }

    /// The limits, where planners make the time of motions small.
    pub(crate) fn limits_of_cost(&self) -> Result<Option<Limits>> {
        (self.config().minimise == Some(Minimise::Time)).then(|| self.limits()).transpose()
    }

    /// Limits in the length of the group, none of them beyond what the robot has.
    fn stated(
        &self,
        name: &str,
        values: Option<&[f64]>,
        of_robot: impl Fn(&JointLimits) -> Option<f64>,
    ) -> Result<Option<Vec<f64>>> {
        let Some(values) = values else { return Ok(None) };
        let (robot, group) = (self.scene().robot(), self.group());
        let values: Vec<f64> = match values.len() {
            length if length == group.dof() => values.to_vec(),
            length if length == robot.num_variables() => group.variables.iter().map(|at| values[*at]).collect(),
            got => {
                let (dof, all) = (group.dof(), robot.num_variables());
                let expected = format!("{dof} (group \"{}\") or {all} (robot \"{}\")", group.name, robot.name);
                return Err(KineticError::DimensionMismatch { context: name.to_owned(), expected, got });
            }
        };
        for (joint, (value, variable)) in values.iter().zip(&group.variables).enumerate() {
            if let Some(most) = of_robot(&robot.joint_limits[*variable]).filter(|most| value > most) {
                let joint_name = robot.joint_names(group)[joint];
                let wanted = format!("at most {most}, the limit of joint \"{joint_name}\"");
                return Err(KineticError::invalid(format!("{name}[{joint}]"), value, wanted));
            }
        }
        Ok(Some(values))
    }
}
