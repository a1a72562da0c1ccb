//! `CartesianPath`: moves of the tool one after the other.

use kinetic::core::{KineticError, Pose};
use kinetic::kinematics::{CartesianMove, CartesianPath, MoveFrame};
use nalgebra::Vector3;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_union};

use crate::convert::{
    Array, PerJoint, PoseArg, PoseList, PoseParts, Real, Rebuild, Text, TranslationOrPose, Triple, rebuild,
};
use crate::error::{Error, Result};

/// Moves of the tool one after the other, from where it is when a plan begins. Each method gives a new path with one more move.
///
/// Between two moves the tool stops, unless `blended` says how early it may leave the first one.
///
/// Example:
///     >>> from kinetic import CartesianPath
///     >>> path = CartesianPath().move_by([0.1, 0.0, 0.0]).blended(0.02).move_by([0.0, 0.1, 0.0], frame="tool")
///     >>> len(path)
///     2
#[pyclass(frozen, eq, module = "kinetic", name = "CartesianPath")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyCartesianPath(pub(crate) CartesianPath);

/// Kind of a move, its numbers, the name of its frame, and the radius after it.
type StoredMove = (String, Vec<f64>, String, f64);

#[pymethods]
impl PyCartesianPath {
    #[new]
    fn __new__() -> Self {
        Self(CartesianPath::new())
    }

    /// Lines through poses of the tool in the group's base.
    ///
    /// Args:
    ///     poses: Poses (N, 4, 4), or a list of them; the start is none of them.
    ///     blend_radius: One radius for all poses but the last, or one for each (N - 1,), m; 0 is a stop at the pose.
    ///
    /// Raises:
    ///     InputError: A pose that is no rigid transform, or a wrong number of radii.
    #[staticmethod]
    #[pyo3(signature = (poses, blend_radius=None))]
    fn through(poses: PoseList, blend_radius: Option<PerJoint>) -> Result<Self> {
        let count = poses.0.len().saturating_sub(1);
        let radii = blend_radius.map_or_else(|| vec![0.0; count], |radius| radius.expand(count));
        Ok(Self(CartesianPath::through(&poses.0, &radii)?))
    }

    /// A line that ends at a pose of the tool in the group's base, as before a grasp.
    ///
    /// Args:
    ///     goal: Where it ends.
    ///     direction: Direction of travel (3,), of any length.
    ///     distance: How far, m.
    ///     frame: The axes of the direction: "tool", those of the tool at the goal, or "base", those of the group's base.
    ///
    /// Returns:
    ///     The pose in which it begins, 4×4, with the orientation of the goal, and the path from there.
    ///
    /// Raises:
    ///     InputError: A direction without length, a distance that is not positive, another frame.
    #[staticmethod]
    #[pyo3(
        signature = (goal, direction, distance, frame=Text("tool".to_owned())),
        text_signature = "(goal, direction, distance, frame='tool')"
    )]
    fn approach(
        py: Python<'_>,
        goal: PoseArg,
        direction: Triple,
        distance: Real,
        frame: Text,
    ) -> Result<(Array<'_>, Self)> {
        let (begin, path) = CartesianPath::approach(&goal.0, &direction.0, distance.0, &frame_of(frame))?;
        Ok((Array::pose(py, &begin)?, Self(path)))
    }

    /// A line that leaves where the tool is, as after a grasp.
    ///
    /// Args:
    ///     direction: Direction of travel (3,), of any length.
    ///     distance: How far, m.
    ///     frame: The axes of the direction: "tool", "base", or the name of a link, as for `move_by`.
    ///
    /// Raises:
    ///     InputError: A direction without length, or a distance that is not positive.
    #[staticmethod]
    #[pyo3(
        signature = (direction, distance, frame=Text("base".to_owned())),
        text_signature = "(direction, distance, frame='base')"
    )]
    fn retreat(direction: Triple, distance: Real, frame: Text) -> Result<Self> {
        Ok(Self(CartesianPath::retreat(&direction.0, distance.0, frame_of(frame))?))
    }

    /// A line to a pose of the tool in the group's base: the position on a line, the orientation about one axis.
    fn line_to(&self, pose: PoseArg) -> Self {
        Self(self.0.clone().line_to(pose.0))
    }

    /// A line by an offset.
    ///
    /// Args:
    ///     offset: Translation (3,) in m, or a pose as a 4×4 matrix.
    ///     frame: "base": along the axes of the group's base, rotations about the tool's own origin. "tool": in the frame of the
    ///         tool before the move. The name of a link: along the axes that it has when the path begins.
    #[pyo3(signature = (offset, frame=Text("base".to_owned())), text_signature = "($self, offset, frame='base')")]
    fn move_by(&self, offset: TranslationOrPose, frame: Text) -> Self {
        Self(self.0.clone().move_by(offset.0, frame_of(frame)))
    }

    /// The arc of a circle through a pose to another, with the orientations of both.
    fn arc_to(&self, via: PoseArg, goal: PoseArg) -> Self {
        Self(self.0.clone().arc_to(via.0, goal.0))
    }

    /// The arc of a circle about an axis in the group's base; the orientation stays.
    ///
    /// Args:
    ///     center: A point of the axis (3,), m.
    ///     axis: Its direction (3,).
    ///     angle: How far, rad, counter-clockwise about the axis; 2π is a whole circle.
    fn circle(&self, center: Triple, axis: Triple, angle: Real) -> Self {
        Self(self.0.clone().then(CartesianMove::Circle { center: center.0, axis: axis.0, angle: angle.0 }))
    }

    /// A screw motion about an axis in the group's base: the tool turns with it and moves along it.
    ///
    /// Args:
    ///     point: A point of the axis (3,), m.
    ///     axis: Its direction (3,).
    ///     angle: How far, rad.
    ///     advance: How far along the axis, m.
    #[pyo3(signature = (point, axis, angle, advance=Real(0.0)), text_signature = "($self, point, axis, angle, advance=0.0)")]
    fn screw(&self, point: Triple, axis: Triple, angle: Real, advance: Real) -> Self {
        let screw = CartesianMove::Screw { point: point.0, axis: axis.0, angle: angle.0, advance: advance.0 };
        Self(self.0.clone().then(screw))
    }

    /// The path with the corner after its last move rounded within `radius`, m of the path's length to either side; the tool does
    /// not stop there.
    fn blended(&self, radius: Real) -> Self {
        Self(self.0.clone().blended(radius.0))
    }

    /// The same path in the frame of a link of the robot: what is said of the group's base is meant of that frame.
    ///
    /// Where joints of the planning group move the link, a part on a positioner or in the hand of another arm, they move with the
    /// arm that has the tool, and the tool follows the path as it is seen from the part.
    ///
    /// Args:
    ///     link: Its name.
    ///
    /// Example:
    ///     >>> from kinetic import CartesianPath
    ///     >>> CartesianPath().move_by([0.1, 0.0, 0.0]).in_frame("table").frame
    ///     'table'
    fn in_frame(&self, link: Text) -> Self {
        Self(self.0.clone().in_frame(link.0))
    }

    /// Name of the link in whose frame the path is; None for the group's base.
    #[getter]
    fn frame(&self) -> Option<&str> {
        self.0.frame()
    }

    fn __len__(&self) -> usize {
        self.0.moves().len()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let moves: Vec<StoredMove> = slf.get().0.moves().iter().map(stored).collect();
        Ok(rebuild(slf.get_type().into_any(), "_restore", (moves, slf.get().0.frame()))?)
    }

    /// The path that pickle stored.
    #[staticmethod]
    #[pyo3(signature = (moves, frame=None))]
    fn _restore(moves: Vec<StoredMove>, frame: Option<Text>) -> Result<Self> {
        let mut path = CartesianPath::new();
        for one in moves {
            let radius = one.3;
            path = path.then(restored(one)?).blended(radius);
        }
        Ok(Self(match frame {
            Some(frame) => path.in_frame(frame.0),
            None => path,
        }))
    }

    fn __repr__(&self) -> String {
        let kinds: Vec<String> = self.0.moves().iter().map(|one| stored(one).0).collect();
        let frame = self.0.frame().map_or_else(String::new, |frame| format!(" in the frame of \"{frame}\""));
        format!("CartesianPath({}{frame})", kinds.join(", "))
    }
}

/// The frame of a name.
fn frame_of(name: Text) -> MoveFrame {
    match name.0.as_str() {
        "base" => MoveFrame::Base,
        "tool" => MoveFrame::Tool,
        _ => MoveFrame::Named(name.0),
    }
}

fn stored((one, radius): &(CartesianMove, f64)) -> StoredMove {
    let (kind, numbers, frame) = match one {
        CartesianMove::Line(goal) => ("line", PoseParts::of(goal).to_vec(), String::new()),
        CartesianMove::Relative { offset, frame } => {
            let (kind, name) = match frame {
                MoveFrame::Tool => ("by in tool", String::new()),
                MoveFrame::Base => ("by in base", String::new()),
                MoveFrame::Named(name) => ("by in a frame", name.clone()),
            };
            (kind, PoseParts::of(offset).to_vec(), name)
        }
        CartesianMove::Arc { via, goal } => ("arc", [PoseParts::of(via), PoseParts::of(goal)].concat(), String::new()),
        CartesianMove::Circle { center, axis, angle } => {
            ("circle", [center.as_slice(), axis.as_slice(), &[*angle]].concat(), String::new())
        }
        CartesianMove::Screw { point, axis, angle, advance } => {
            ("screw", [point.as_slice(), axis.as_slice(), &[*angle, *advance]].concat(), String::new())
        }
    };
    (kind.to_owned(), numbers, frame, *radius)
}

fn restored((kind, numbers, frame, _): StoredMove) -> Result<CartesianMove> {
    let wrong = || KineticError::invalid("stored path", "other data", "what pickle wrote");
    let pose = || PoseParts::to_pose(&numbers);
    let by = |frame: MoveFrame| -> Result<CartesianMove> { Ok(CartesianMove::Relative { offset: pose()?, frame }) };
    let vector = |at: usize| numbers.get(at..at + 3).map(Vector3::from_column_slice).ok_or_else(wrong);
    let number = |at: usize| numbers.get(at).copied().ok_or_else(wrong);
    match kind.as_str() {
        "line" => Ok(CartesianMove::Line(pose()?)),
        "by in tool" => by(MoveFrame::Tool),
        "by in base" => by(MoveFrame::Base),
        "by in a frame" => by(MoveFrame::Named(frame)),
        "arc" if numbers.len() == 14 => {
            let (via, goal) = (PoseParts::to_pose(&numbers[..7])?, PoseParts::to_pose(&numbers[7..])?);
            Ok(CartesianMove::Arc { via, goal })
        }
        "circle" => Ok(CartesianMove::Circle { center: vector(0)?, axis: vector(3)?, angle: number(6)? }),
        "screw" => {
            Ok(CartesianMove::Screw { point: vector(0)?, axis: vector(3)?, angle: number(6)?, advance: number(7)? })
        }
        _ => Err(wrong().into()),
    }
}

/// A path, or a pose to go to on a line.
pub(crate) struct CartesianPathArg(pub(crate) CartesianPath);

impl FromPyObject<'_, '_> for CartesianPathArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(PyCartesianPath::TYPE_HINT, PoseArg::INPUT_TYPE);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(path) = given.cast::<PyCartesianPath>() {
            return Ok(Self(path.get().0.clone()));
        }
        let pose: Pose = given.extract::<PoseArg>()?.0;
        Ok(Self(pose.into()))
    }
}
