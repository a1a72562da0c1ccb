//! Payloads as inertias of the links that carry them.

use kinetic_core::Payload;
use kinetic_kinematics::{Rigid, SpatialInertia};

/// A payload in a frame, from the pose in it of the frame that the payload is mounted at.
pub(crate) fn spatial_inertia(payload: &Payload, frame_from_mount: &Rigid) -> SpatialInertia {
    let mount_from_com = Rigid { translation: payload.com, ..Rigid::identity() };
    SpatialInertia::about_com(payload.mass, payload.inertia).transformed(&frame_from_mount.then(&mount_from_com))
}
