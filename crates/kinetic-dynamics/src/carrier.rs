//! Bodies as the algorithms in the root's axes see them: their motion, and what they carry.

use kinetic_kinematics::SpatialInertia;

use crate::spatial::{CoriolisTerm, Spatial, momentum};

/// What the algorithms in the root's axes know of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carrier {
    pub(crate) velocity: Spatial,
    /// Less gravity.
    pub(crate) acceleration: Spatial,
    /// Motion for unit velocity of the variable.
    pub(crate) axis: Spatial,
    /// Its time derivative, `v × S`.
    pub(crate) axis_rate: Spatial,
    /// `a × S + v × (v × S)` with the motion of the parent.
    pub(crate) axis_acceleration: Spatial,
    /// Of the body and all that it carries.
    pub(crate) inertia: SpatialInertia,
    pub(crate) coriolis: CoriolisTerm,
    pub(crate) force: Spatial,
}

impl Carrier {
    pub(crate) fn zero() -> Self {
        let zero = Spatial::zero();
        Self {
            velocity: zero,
            acceleration: zero,
            axis: zero,
            axis_rate: zero,
            axis_acceleration: zero,
            inertia: SpatialInertia::zero(),
            coriolis: CoriolisTerm::zero(),
            force: zero,
        }
    }

    #[inline]
    pub(crate) fn move_on(&mut self, parent: (Spatial, Spatial), rate: f64, acceleration: f64) {
        self.axis_rate = parent.0.cross(&self.axis);
        self.axis_acceleration = parent.1.cross(&self.axis) + parent.0.cross(&self.axis_rate);
        self.velocity = parent.0 + self.axis * rate;
        // The own axis does not turn about itself: v × S is that of the parent.
        self.acceleration = parent.1 + self.axis * acceleration + self.axis_rate * rate;
    }

    #[inline]
    pub(crate) fn take_inertia(&mut self, inertia: SpatialInertia) {
        self.inertia = inertia;
        self.coriolis = CoriolisTerm::new(&inertia, &self.velocity);
        let moving = self.velocity.cross_force(&momentum(&inertia, &self.velocity));
        self.force = momentum(&inertia, &self.acceleration) + moving;
    }
}
