//! Poses moved with respect to a frame.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::Pose;

/// The frame whose axes an edit is said in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wrt {
    /// The axes of the pose itself.
    Local,
    /// The frame that the pose is given in. For a pose that hangs on nothing this is the world.
    Parent,
    /// The world.
    World,
    /// A frame, by its pose in the world.
    Frame(Pose),
}

impl Wrt {
    /// Axes of the reference in the world, for a pose whose own are `world_from_self` in `world_from_parent`.
    pub(crate) fn frame(self, world_from_parent: &Pose, world_from_self: &Pose) -> Pose {
        match self {
            Self::Local => *world_from_self,
            Self::Parent => *world_from_parent,
            Self::World => Pose::identity(),
            Self::Frame(frame) => frame,
        }
    }
}

/// Edits. The pose is one in the world; none of them changes `self`.
impl Pose {
    /// Moved by `offset` (m) along the axes of the reference; the orientation stays.
    #[must_use]
    pub fn translated(&self, offset: &Vector3<f64>, wrt: Wrt) -> Self {
        let axes = wrt.frame(&Self::identity(), self).rotation();
        Self(Isometry3::from_parts((self.translation() + axes * offset).into(), self.rotation()))
    }

    /// Turned by a rotation about the axes of the reference; the origin stays.
    #[must_use]
    pub fn rotated(&self, rotation: &UnitQuaternion<f64>, wrt: Wrt) -> Self {
        let axes = wrt.frame(&Self::identity(), self).rotation();
        let turned = axes * rotation * axes.inverse() * self.rotation();
        Self(Isometry3::from_parts(self.0.translation, turned))
    }

    /// Moved by a rigid motion of the reference: `F · motion · F⁻¹ · self`, `F` the pose of the reference.
    ///
    /// With [`Wrt::Local`] this is `self · motion`, with [`Wrt::World`] `motion · self`. Unlike with
    /// [`rotated`](Self::rotated) the origin goes round the origin of the reference.
    #[must_use]
    pub fn transformed(&self, motion: &Self, wrt: Wrt) -> Self {
        match wrt {
            Wrt::Local => *self * *motion,
            Wrt::Parent | Wrt::World => *motion * *self,
            Wrt::Frame(frame) => frame * *motion * frame.inverse() * *self,
        }
    }

    /// Moved so that a frame carried along, given by its pose in this one, comes to lie on `target`:
    /// `result · self_from_local = target`.
    #[must_use]
    pub fn with_local_at(&self_from_local: &Self, target: &Self) -> Self {
        *target * self_from_local.inverse()
    }
}
