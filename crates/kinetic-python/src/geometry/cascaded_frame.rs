//! `CascadedFrame`: frames that hang on each other.

use kinetic::core::{Attachment, CascadedFrame, Wrt};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use crate::convert::{Array, DirectionArg, PoseArg, PyPose, Real, Text, Triple, WrtArg};
use crate::error::{Error, Result};
use crate::geometry::pose::turn;

/// A frame that may hang on another one and move with it.
///
/// Two frames are equal when they are the same frame. A frame keeps those above it alive, not those that hang on it: keep
/// them in variables of your own. Threads may share frames.
///
/// Args:
///     pose: Pose in the world; None for the identity.
///
/// Example:
///     >>> import kinetic
///     >>> table = kinetic.CascadedFrame(kinetic.Pose.from_xyz(1.0, 0.0, 0.0))
///     >>> cup = table.attach(kinetic.CascadedFrame(kinetic.Pose.from_xyz(1.0, 0.5, 0.0)))
///     >>> table.translate([0.0, 0.0, 2.0])
///     >>> cup.world_pose.xyz
///     array([1. , 0.5, 2. ])
#[pyclass(frozen, eq, module = "kinetic", name = "CascadedFrame")]
#[derive(PartialEq)]
pub(crate) struct PyCascadedFrame(CascadedFrame);

/// The tree.
#[pymethods]
impl PyCascadedFrame {
    #[new]
    #[pyo3(signature = (pose=None))]
    fn __new__(pose: Option<PoseArg>) -> Self {
        Self(CascadedFrame::new(pose.map(|pose| pose.0).unwrap_or_default()))
    }

    /// Hangs another frame on this one.
    ///
    /// Args:
    ///     child: The other frame.
    ///     relative_coords: "world" or None: it stays where it is in the world. "local": the pose that it had in the world
    ///         becomes its pose in this frame. A pose: it comes to be there in this frame.
    ///     force: Whether a child that hangs on another frame is taken from there.
    ///
    /// Returns:
    ///     The child.
    ///
    /// Raises:
    ///     InputError: The child hangs on another frame, or is this frame or one above it.
    #[pyo3(
        signature = (child, relative_coords=AttachmentArg(Attachment::KeepWorld), force=false),
        text_signature = "($self, child, relative_coords='world', force=False)"
    )]
    fn attach<'py>(
        &self,
        child: Bound<'py, Self>,
        relative_coords: AttachmentArg,
        force: bool,
    ) -> Result<Bound<'py, Self>> {
        self.0.attach(&child.get().0, relative_coords.0, force)?;
        Ok(child)
    }

    /// The same as `attach`.
    #[pyo3(
        signature = (child, relative_coords=AttachmentArg(Attachment::KeepWorld), force=false),
        text_signature = "($self, child, relative_coords='world', force=False)"
    )]
    fn assoc<'py>(
        &self,
        child: Bound<'py, Self>,
        relative_coords: AttachmentArg,
        force: bool,
    ) -> Result<Bound<'py, Self>> {
        self.attach(child, relative_coords, force)
    }

    /// Lets a child go; it stays where it is in the world.
    fn detach<'py>(&self, child: Bound<'py, Self>) -> Result<Bound<'py, Self>> {
        self.0.detach(&child.get().0)?;
        Ok(child)
    }

    /// The same as `detach`.
    fn dissoc<'py>(&self, child: Bound<'py, Self>) -> Result<Bound<'py, Self>> {
        self.detach(child)
    }

    /// The frame that this one hangs on, or None.
    #[getter]
    fn parent(&self) -> Option<Self> {
        self.0.parent().map(Self)
    }

    /// The frames that hang on this one directly, in the order in which they were attached.
    #[getter]
    fn children(&self) -> Vec<Self> {
        self.0.children().into_iter().map(Self).collect()
    }

    /// The frames that hang on this one directly or through others, each before its own children.
    #[getter]
    fn descendants(&self) -> Vec<Self> {
        self.0.descendants().into_iter().map(Self).collect()
    }

    /// A frame of its own where this one is in the world, without parent and children.
    fn copy_worldcoords(&self) -> Self {
        Self(self.0.world_copy())
    }

    fn __hash__(&self) -> u64 {
        self.0.id()
    }
}

/// Where it is.
#[pymethods]
impl PyCascadedFrame {
    /// The pose in the parent; in the world without one.
    #[getter]
    fn pose(&self) -> PyPose {
        PyPose(self.0.local_pose())
    }

    /// The pose in the world.
    #[getter]
    fn world_pose(&self) -> PyPose {
        PyPose(self.0.world_pose())
    }

    /// The pose in the world as a homogeneous matrix (4, 4); with it a frame is accepted as a pose.
    #[getter]
    fn matrix<'py>(&self, py: Python<'py>) -> Result<Array<'py>> {
        Array::pose(py, &self.0.world_pose())
    }

    /// Puts the frame at a pose; what hangs on it moves along.
    ///
    /// Args:
    ///     pose: The new pose.
    ///     relative_coords: Where it is given: "local" and "parent" mean the frame that this one hangs on; "world"; or
    ///         another frame by its pose in the world.
    #[pyo3(
        signature = (pose, relative_coords=WrtArg(Wrt::Local)),
        text_signature = "($self, pose, relative_coords='local')"
    )]
    fn newcoords(&self, pose: PoseArg, relative_coords: WrtArg) {
        self.0.set_pose(&pose.0, relative_coords.0);
    }

    /// Moves the frame by an offset (3,), m; its orientation stays.
    ///
    /// Args:
    ///     offset: Translation (3,), m.
    ///     wrt: Whose axes: "local" (its own), "parent", "world", or another frame by its pose in the world.
    #[pyo3(signature = (offset, wrt=WrtArg(Wrt::Local)), text_signature = "($self, offset, wrt='local')")]
    fn translate(&self, offset: Triple, wrt: WrtArg) {
        self.0.translate(&offset.0, wrt.0);
    }

    /// Turns the frame by an angle (rad) about an axis of `wrt`; its origin stays.
    #[pyo3(signature = (angle, axis, wrt=WrtArg(Wrt::Local)), text_signature = "($self, angle, axis, wrt='local')")]
    fn rotate(&self, angle: Real, axis: DirectionArg, wrt: WrtArg) -> Result<()> {
        self.0.rotate(&turn(&axis, &angle)?, wrt.0);
        Ok(())
    }

    /// Moves the frame by a rigid motion of `wrt`, see `Pose.transform`.
    #[pyo3(signature = (motion, wrt=WrtArg(Wrt::Local)), text_signature = "($self, motion, wrt='local')")]
    fn transform(&self, motion: PoseArg, wrt: WrtArg) {
        self.0.transform(&motion.0, wrt.0);
    }

    /// Moves the frame so that a frame on it, `self_from_local`, comes to lie on `target` in the world.
    fn move_coords(&self, target: PoseArg, self_from_local: PoseArg) {
        self.0.move_local_to(&self_from_local.0, &target.0);
    }

    fn __repr__(&self) -> String {
        let (position, (roll, pitch, yaw)) = (self.0.world_pose().translation(), self.0.world_pose().rpy());
        let [x, y, z] = position.into();
        format!("<CascadedFrame at xyz ({x:.4}, {y:.4}, {z:.4}), rpy ({roll:.4}, {pitch:.4}, {yaw:.4}) in the world>")
    }
}

/// Where a child comes to be: "world" or None, "local", or a pose in the new parent.
struct AttachmentArg(Attachment);

impl FromPyObject<'_, '_> for AttachmentArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("typing", "Any");

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.is_none() {
            return Ok(Self(Attachment::KeepWorld));
        }
        let Ok(name) = given.extract::<Text>() else {
            return Ok(Self(Attachment::At(given.extract::<PoseArg>()?.0)));
        };
        match name.0.as_str() {
            "world" => Ok(Self(Attachment::KeepWorld)),
            "local" => Ok(Self(Attachment::KeepNumbers)),
            _ => Err(kinetic::core::KineticError::unknown_name("reference frame", name.0, ["world", "local"]).into()),
        }
    }
}
