//! What external wrenches add to the derivatives of inverse dynamics.
//!
//! A wrench in the axes of its link moves with the link, as the forces of the link's own inertia do: it is taken from them, and
//! the recursion does the rest. One in the root's axes keeps its direction when a joint turns: what a turn by ω would do to its
//! force F and torque N, ω × F and ω × N, comes off again.

use crate::data::DynamicsData;
use crate::external::{ExternalWrench, WrenchAxes};
use crate::model::DynamicsModel;
use crate::spatial::Spatial;

impl DynamicsModel {
    /// Takes wrenches from the forces of the bodies, which are not summed up yet.
    pub(crate) fn relieve_carriers(&self, external: &[ExternalWrench], data: &mut DynamicsData) {
        for given in external {
            let (frame, wrench, point) = self.in_root(given, data);
            if let Some(index) = frame.checked_sub(1) {
                data.carriers[index].force += at_root(&wrench, &point) * -1.0;
            }
        }
    }

    /// Adds what wrenches in the root's axes have besides: of a pair of joints that move the link, the power of the first one
    /// against what the turn of the second would do to the wrench.
    pub(crate) fn write_fixed_wrenches(&self, external: &[ExternalWrench], data: &DynamicsData, by_q: &mut [f64]) {
        let (n, frames) = (self.dof(), self.program().frames());
        for given in external.iter().filter(|given| given.axes == WrenchAxes::Root) {
            let (tip, wrench, point) = self.in_root(given, data);
            let mut second = tip;
            while let Some(index) = second.checked_sub(1) {
                let turn = data.carriers[index].axis.top;
                let turned = Spatial { top: turn.cross(&wrench.top), bottom: turn.cross(&wrench.bottom) };
                let turned = at_root(&turned, &point);
                let mut first = tip;
                while let Some(row) = first.checked_sub(1) {
                    by_q[frames[row].variable * n + frames[index].variable] += data.carriers[row].axis.dot(&turned);
                    first = frames[row].parent;
                }
                second = frames[index].parent;
            }
        }
    }

    /// The frame that carries the link; the wrench about the link's origin, in the root's axes, and that origin.
    fn in_root(&self, given: &ExternalWrench, data: &DynamicsData) -> (usize, Spatial, nalgebra::Vector3<f64>) {
        let (frame, frame_from_link) = self.program().link(given.link);
        let link = data.frames[frame].then(frame_from_link);
        let (torque, force) = (given.wrench.torque, given.wrench.force);
        let wrench = match given.axes {
            WrenchAxes::Link => Spatial { top: link.rotation * torque, bottom: link.rotation * force },
            WrenchAxes::Root => Spatial { top: torque, bottom: force },
        };
        (frame, wrench, link.translation)
    }
}

/// A wrench about a point, about the root's origin.
fn at_root(wrench: &Spatial, point: &nalgebra::Vector3<f64>) -> Spatial {
    Spatial { top: wrench.top + point.cross(&wrench.bottom), bottom: wrench.bottom }
}
