//! Motions of all bodies at the root's origin, and what each carries: the outward and inward passes of the algorithms in the
//! root's axes.

use kinetic_core::Result;
use kinetic_kinematics::Frame;
use nalgebra::Vector3;

use crate::carrier::Carrier;
use crate::data::DynamicsData;
use crate::external::ExternalWrench;
use crate::model::DynamicsModel;
use crate::spatial::Spatial;

impl DynamicsModel {
    /// Fills the carriers for a state that was checked, on the root's own motion or on a root at rest without gravity.
    /// `external` wrenches are taken off.
    pub(crate) fn compose(
        &self,
        data: &mut DynamicsData,
        [q, v, a]: [&[f64]; 3],
        external: &[ExternalWrench],
        with_root: bool,
    ) -> Result<()> {
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
        self.relieve_carriers(external, data);
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
