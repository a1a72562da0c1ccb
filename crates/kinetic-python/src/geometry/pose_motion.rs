//! `Pose`: between, moved, turned, compared; vectors carried between frames.

use kinetic::core::Wrt;
use kinetic::core::constraint::Axis;
use kinetic::core::error::check_finite;
use pyo3::prelude::*;

use crate::convert::{Array, AxisArg, DirectionArg, MaskArg, PoseArg, PyPose, Real, Triple, Triples, WrtArg};
use crate::error::Result;
use crate::geometry::pose::turn;

/// Between and moved.
#[pymethods]
impl PyPose {
    /// Between this pose (ratio 0) and another (ratio 1): straight translation, rotation about a fixed axis at a constant
    /// rate the shorter way. Ratios outside [0, 1] go on beyond the ends.
    fn slerp(&self, other: PoseArg, ratio: Real) -> Result<Self> {
        check_finite("ratio", &[ratio.0])?;
        Ok(Self(self.0.slerp(&other.0, ratio.0)))
    }

    /// The same as `slerp`.
    fn interpolate(&self, other: PoseArg, ratio: Real) -> Result<Self> {
        self.slerp(other, ratio)
    }

    /// As `slerp`, with quaternions interpolated in a straight line and normalised: faster in the middle than at the ends.
    fn lerp(&self, other: PoseArg, ratio: Real) -> Result<Self> {
        check_finite("ratio", &[ratio.0])?;
        Ok(Self(self.0.lerp(&other.0, ratio.0)))
    }

    /// The pose moved by an offset; its orientation stays.
    ///
    /// Args:
    ///     offset: Translation (3,), m.
    ///     wrt: Whose axes: "local" (its own), "world" or "parent" (those that the pose is given in), or another frame by
    ///         its pose.
    #[pyo3(signature = (offset, wrt=WrtArg(Wrt::Local)), text_signature = "($self, offset, wrt='local')")]
    fn translate(&self, offset: Triple, wrt: WrtArg) -> Self {
        Self(self.0.translated(&offset.0, wrt.0))
    }

    /// The pose turned about an axis; its origin stays.
    ///
    /// Args:
    ///     angle: Angle, rad.
    ///     axis: "x", "y", "z", or a direction (3,).
    ///     wrt: Whose axes: "local", "world", "parent", or another frame by its pose.
    #[pyo3(signature = (angle, axis, wrt=WrtArg(Wrt::Local)), text_signature = "($self, angle, axis, wrt='local')")]
    fn rotate(&self, angle: Real, axis: DirectionArg, wrt: WrtArg) -> Result<Self> {
        Ok(Self(self.0.rotated(&turn(&axis, &angle)?, wrt.0)))
    }

    /// The pose moved by a rigid motion of a frame `F`: `F @ motion @ F.inverse() @ self`. With "local" that is
    /// `self @ motion`, with "world" `motion @ self`.
    #[pyo3(signature = (motion, wrt=WrtArg(Wrt::Local)), text_signature = "($self, motion, wrt='local')")]
    fn transform(&self, motion: PoseArg, wrt: WrtArg) -> Self {
        Self(self.0.transformed(&motion.0, wrt.0))
    }

    /// Where this pose must be so that a frame on it, `self_from_local`, lies on `target`: the result times
    /// `self_from_local` is `target`.
    #[expect(
        clippy::unused_self,
        reason = "where the frame was does not matter; it is a method so that edits read alike"
    )]
    fn move_coords(&self, target: PoseArg, self_from_local: PoseArg) -> Self {
        Self(kinetic::core::Pose::with_local_at(&self_from_local.0, &target.0))
    }

    /// The pose turned in place, by the smallest angle, until one of its axes points along a direction.
    ///
    /// Args:
    ///     direction: Direction (3,) of any length.
    ///     axis: "x", "y", "z", or a direction (3,) in the pose's own axes.
    ///     wrt: Whose axes the direction is in: "world", "local", "parent", or another frame by its pose.
    ///     eps: Where the axis points away from the direction up to an angle of this sine, the turn is half a turn about
    ///         an own axis, and then the rest.
    #[pyo3(
        signature = (direction, axis=DirectionArg(Axis::Z.unit()), wrt=WrtArg(Wrt::World), eps=Real(0.005)),
        text_signature = "($self, direction, axis='z', wrt='world', eps=0.005)"
    )]
    fn align_axis_to_direction(&self, direction: Triple, axis: DirectionArg, wrt: WrtArg, eps: Real) -> Result<Self> {
        Ok(Self(self.0.align_axis_to_direction(&direction.0, &axis.0, wrt.0, eps.0)?))
    }
}

/// Compared.
#[pymethods]
impl PyPose {
    /// Position of another pose seen from this one (3,), m, along its own axes, with 0 on the free axes.
    ///
    /// Args:
    ///     other: The other pose.
    ///     mask: Axes to constrain: True for all, False or None for none, letters such as "xy", or three flags.
    #[pyo3(signature = (other, mask=MaskArg(true.into())), text_signature = "($self, other, mask=True)")]
    fn difference_position<'py>(&self, py: Python<'py>, other: PoseArg, mask: MaskArg) -> Result<Array<'py>> {
        Array::vector(py, self.0.difference_position(&other.0, mask.0).as_slice())
    }

    /// Rotation vector (3,), rad, about this pose's own axes that turns its orientation into the other's, with 0 on the
    /// free axes.
    ///
    /// Args:
    ///     other: The other pose.
    ///     mask: Axes to constrain: True for all, False or None for none, letters such as "xy", or three flags.
    ///     mirror: "x", "y" or "z": the other pose turned half about that axis of its own is as good, and the nearer of
    ///         the two counts.
    #[pyo3(
        signature = (other, mask=MaskArg(true.into()), mirror=None),
        text_signature = "($self, other, mask=True, mirror=None)"
    )]
    fn difference_rotation<'py>(
        &self,
        py: Python<'py>,
        other: PoseArg,
        mask: MaskArg,
        mirror: Option<AxisArg>,
    ) -> Result<Array<'py>> {
        let mirror = mirror.map(|axis| axis.0);
        Array::vector(py, self.0.difference_rotation(&other.0, mask.0, mirror).as_slice())
    }
}

/// Vectors.
#[pymethods]
impl PyPose {
    /// Points (3,) or (N, 3), m, from this frame to the one that the pose is given in.
    fn transform_vector<'py>(&self, py: Python<'py>, v: Triples) -> Result<Array<'py>> {
        v.carried(py, &self.0, kinetic::core::Pose::transform_points)
    }

    /// Points (3,) or (N, 3), m, from the frame that the pose is given in to this one.
    fn inverse_transform_vector<'py>(&self, py: Python<'py>, v: Triples) -> Result<Array<'py>> {
        v.carried(py, &self.0, kinetic::core::Pose::inverse_transform_points)
    }

    /// Directions (3,) or (N, 3) from this frame to the one that the pose is given in.
    fn rotate_vector<'py>(&self, py: Python<'py>, v: Triples) -> Result<Array<'py>> {
        v.carried(py, &self.0, kinetic::core::Pose::rotate_vectors)
    }

    /// Directions (3,) or (N, 3) from the frame that the pose is given in to this one.
    fn inverse_rotate_vector<'py>(&self, py: Python<'py>, v: Triples) -> Result<Array<'py>> {
        v.carried(py, &self.0, kinetic::core::Pose::inverse_rotate_vectors)
    }
}
