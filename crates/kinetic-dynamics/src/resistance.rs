//! What joints resist with besides the links that they move: rotor inertia, viscous damping and Coulomb friction.

use kinetic_kinematics::JointProgram;
use kinetic_robot::{JointDynamics, Robot};

use crate::scalar::Scalar;

/// Of one variable: `armature · q̈ + damping · q̇ + friction · sign(q̇)`, summed over the joints that it moves.
///
/// A joint that follows with multiplier `m` moves `m` times as fast and its effort counts `m` times (virtual work), so its
/// armature and damping count m² times, its friction |m| times.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Resistance {
    /// Inertia of the rotors, kg m², or kg of a joint that slides.
    pub armature: f64,
    /// Viscous damping, Nm s/rad or N s/m.
    pub damping: f64,
    /// Coulomb friction, Nm or N.
    pub friction: f64,
}

impl Resistance {
    fn add(&mut self, joint: &JointDynamics, multiplier: f64) {
        self.armature += multiplier * multiplier * joint.armature;
        self.damping += multiplier * multiplier * joint.damping;
        self.friction += multiplier.abs() * joint.friction;
    }

    /// Effort against Coulomb friction in a direction.
    pub(crate) fn friction_towards(&self, velocity: f64) -> f64 {
        self.friction * velocity.sign()
    }

    /// Effort against damping and friction at a velocity.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]
    pub(crate) fn drag<T: Scalar>(&self, velocity: T) -> T {
        T::splat(self.damping) * velocity + T::splat(self.friction) * velocity.sign()
    }
}

/// Per variable of the program, from its joints and those that follow them.
pub(crate) fn resistances(robot: &Robot, variables: &[usize]) -> Vec<Resistance> {
    let mut found = vec![Resistance::default(); variables.len()];
    for joint in &robot.joints {
        let (leader, multiplier) =
            joint.mimic.map_or((joint.variable, 1.0), |mimic| (robot.joints[mimic.joint].variable, mimic.multiplier));
        let place = leader.and_then(|leader| variables.iter().position(|variable| *variable == leader));
        if let (Some(place), true) = (place, joint.joint_type.is_moving()) {
            found[place].add(&joint.dynamics, multiplier);
        }
    }
    found
}

/// True when no two frames share a variable.
pub(crate) fn has_followers(program: &JointProgram) -> bool {
    let mut seen = vec![false; program.num_variables()];
    program.frames().iter().any(|frame| std::mem::replace(&mut seen[frame.variable], true))
}
