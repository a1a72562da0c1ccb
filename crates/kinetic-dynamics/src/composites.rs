//! Motions of all bodies at the root's origin, and what each carries: the outward and inward passes of the algorithms in the
//! root's axes.

use kinetic_core::Result;
use kinetic_kinematics::{Frame, SpatialInertia};
use nalgebra::Vector3;

use crate::data::DynamicsData;
use crate::model::DynamicsModel;
use crate::spatial::{CoriolisTerm, Spatial, momentum};

/// What the algorithms in the root's axes know of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carrier {
    velocity: Spatial,
    /// Less gravity.
    acceleration: Spatial,
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
    fn move_on(&mut self, parent: (Spatial, Spatial), rate: f64, acceleration: f64) {
        self.axis_rate = parent.0.cross(&self.axis);
        self.axis_acceleration = parent.1.cross(&self.axis) + parent.0.cross(&self.axis_rate);
        self.velocity = parent.0 + self.axis * rate;
        // The own axis does not turn about itself: v × S is that of the parent.
        self.acceleration = parent.1 + self.axis * acceleration + self.axis_rate * rate;
    }

    #[inline]
    fn take_inertia(&mut self, inertia: SpatialInertia) {
        self.inertia = inertia;
        self.coriolis = CoriolisTerm::new(&inertia, &self.velocity);
        let moving = self.velocity.cross_force(&momentum(&inertia, &self.velocity));
        self.force = momentum(&inertia, &self.acceleration) + moving;
    }
}

impl DynamicsModel {
    /// Fills the carriers for a state that was checked, on the root's own motion or on a root at rest without gravity.
    pub(crate) fn compose(&self, data: &mut DynamicsData, [q, v, a]: [&[f64]; 3], with_root: bool) -> Result<()> {
        self.tree().place(q, &mut data.frames)?;
        let frames = self.program().frames();
        let root = if with_root { self.root_motion() } else { (Spatial::zero(), Spatial::zero()) };
        for (index, frame) in frames.iter().enumerate() {
            let parent = match frame.parent {
                0 => root,
                parent => (data.carriers[parent - 1].velocity, data.carriers[parent - 1].acceleration),
            };
            let (pose, carrier) = (&data.frames[index + 1], &mut data.carriers[index]);
            carrier.axis = Spatial::axis(frame, pose);
            carrier.move_on(parent, v[frame.variable], a[frame.variable]);
            carrier.take_inertia(self.inertias()[index + 1].transformed(pose));
        }
        sum_up(frames, &mut data.carriers);
        Ok(())
    }

    fn root_motion(&self) -> (Spatial, Spatial) {
        let motion = self.base_motion();
        let velocity = Spatial { top: motion.angular_velocity, bottom: Vector3::zeros() };
        (velocity, Spatial { top: motion.angular_acceleration, bottom: motion.acceleration - self.gravity() })
    }
}

/// Adds to every body what it carries.
fn sum_up(frames: &[Frame], carriers: &mut [Carrier]) {
    for index in (0..frames.len()).rev() {
        if let Some(parent) = frames[index].parent.checked_sub(1) {
            let Carrier { inertia, coriolis, force, .. } = carriers[index];
            carriers[parent].inertia += inertia;
            carriers[parent].coriolis += coriolis;
            carriers[parent].force += force;
        }
    }
}
