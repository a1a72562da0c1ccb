//! Which velocities and accelerations single precision can compute efforts for.

use kinetic_core::{KineticError, Result};
use kinetic_dynamics::DynamicsModel;
use kinetic_kinematics::Motion;

use crate::packed_robot::MAX_VALUE;

/// What no intermediate result may exceed: a thirtieth of the largest number, so that sums of a few such products stay below it.
const LARGEST_BOUND: f64 = 1e37;

/// Sums over a model, from which no motion, force or effort of it can escape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EffortRange {
    /// Multipliers of all joints.
    multipliers: f64,
    /// Lengths of all translations with what prismatic joints add, m.
    reach: f64,
    /// Masses, norms of first and of second moments.
    mass: [f64; 3],
    /// Armature, damping, friction.
    resistance: [f64; 3],
    /// Norms of the root's angular velocity, its derivative, and acceleration less gravity.
    root: [f64; 3],
}

impl EffortRange {
    pub(crate) fn new(model: &DynamicsModel) -> Self {
        let (frames, moved, base) = (model.program().frames(), &model.inertias()[1..], model.base_motion());
        let slid = |frame: &kinetic_kinematics::Frame| match frame.motion {
            Motion::Rotation => 0.0,
            Motion::Translation => frame.multiplier.abs() * MAX_VALUE + frame.offset.abs(),
        };
        let reach = frames.iter().map(|frame| frame.parent_from_frame.translation.norm() + slid(frame)).sum();
        let all = model.resistances();
        Self {
            multipliers: frames.iter().map(|frame| frame.multiplier.abs()).sum(),
            reach,
            mass: [
                moved.iter().map(|inertia| inertia.mass.abs()).sum(),
                moved.iter().map(|inertia| inertia.moment.norm()).sum(),
                moved.iter().map(|inertia| 2.0 * inertia.inertia.norm()).sum(),
            ],
            resistance: [
                all.iter().map(|joint| joint.armature.abs()).sum(),
                all.iter().map(|joint| joint.damping.abs()).sum(),
                all.iter().map(|joint| joint.friction.abs()).sum(),
            ],
            root: [
                base.angular_velocity.norm(),
                base.angular_acceleration.norm(),
                (base.acceleration - model.gravity()).norm(),
            ],
        }
    }

    /// More than every number of the recursions, for velocities and accelerations up to these.
    fn bound(&self, rate: f64, acceleration: f64) -> f64 {
        let ([angular, angular_acceleration, linear], [mass, moment, second]) = (self.root, self.mass);
        let [armature, damping, friction] = self.resistance;
        let (rates, accelerations) = (self.multipliers * rate, self.multipliers * acceleration);
        let angular = angular + rates;
        let spin = angular_acceleration + accelerations + 2.0 * angular * angular;
        let linear = linear + spin * self.reach + 2.0 * angular * rates + accelerations;
        let force = mass * linear + moment * spin;
        let torque = moment * linear + second * spin + force * self.reach;
        let resistance = armature * acceleration + damping * rate + friction;
        rate + acceleration + spin + linear + self.multipliers * (force + torque) + force + torque + resistance
    }

    /// Refuses velocities and accelerations whose efforts could overflow.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`].
    pub(crate) fn check(&self, velocities: &[f64], accelerations: &[f64]) -> Result<()> {
        let [rate, acceleration] = [velocities, accelerations].map(largest);
        // A bound that is no number is too large as well.
        if self.bound(rate, acceleration) <= LARGEST_BOUND {
            return Ok(());
        }
        let given = format!("up to {rate:e} and {acceleration:e}");
        let wanted = "values for which single precision holds the efforts of this model; double precision holds more";
        Err(KineticError::invalid("velocities and accelerations", given, wanted))
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}
