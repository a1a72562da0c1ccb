//! `Goal`: what a plan should reach.

use std::collections::BTreeMap;

use kinetic::core::{Goal, JointValues, KineticError, ReferenceFrame};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyTuple};
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::PyPose;
use crate::convert::{
    Array, Numbers, PoseArg, PoseOrPosition, PoseParts, Rebuild, Text, TranslationOrPose, Vector, rebuild,
};
use crate::error::{Error, Result};
use crate::planning::goal_region;

/// What pickle stores of a joint goal with turns.
const TURNS: &str = "turns";

const FRAMES: [(&str, ReferenceFrame); 2] = [("tool", ReferenceFrame::Tool), ("base", ReferenceFrame::Base)];

/// What a plan should reach: joint values, a tool pose, a named pose, a motion relative to the start, any pose of a
/// region, poses of links, or any one of several goals.
///
/// `Goal.joints(values)` makes a joint goal from joint values, in the length of the planning group or of the whole
/// robot (rad, m); read on an instance, `goal.joints` gives these values, None for other goals. Bounded joints end exactly
/// at their values, timed motions within rounding; joints without limits at an equivalent value, the one nearest to the start that the
/// way there allows.
/// With `turns=True`, bounded joints too may end full turns away, inside their limits; the values need not be inside.
///
/// Example:
///     >>> from kinetic import Goal
///     >>> Goal.joints([0.0, -1.57, 1.57]).joints
///     array([ 0.  , -1.57,  1.57])
///     >>> Goal.joints([0.0, -1.57, 1.57], turns=True).turns
///     True
///     >>> Goal.named("home")
///     Goal.named("home")
#[pyclass(frozen, eq, module = "kinetic", name = "Goal")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyGoal(pub(crate) Goal);

#[pymethods]
impl PyGoal {
    #[classattr]
    fn joints() -> GoalJoints {
        GoalJoints
    }

    /// A pose of the group's tool in the group's base frame.
    ///
    /// Args:
    ///     matrix: Pose as a 4×4 matrix, or an object with `homogeneous` or `matrix`; or a position (3,) in m, together
    ///         with a quaternion.
    ///     quaternion_xyzw: Orientation (x, y, z, w) where the first argument is a position; it is normalised.
    #[staticmethod]
    #[pyo3(signature = (matrix, quaternion_xyzw=None))]
    fn pose(matrix: PoseOrPosition, quaternion_xyzw: Option<Vector>) -> Result<Self> {
        let quaternion = quaternion_xyzw.as_ref().map(|quaternion| quaternion.0.as_slice());
        Ok(Self(Goal::pose(matrix.with_quaternion(quaternion)?)))
    }

    /// A named pose of the planning group, such as "home".
    #[staticmethod]
    fn named(name: Text) -> Self {
        Self(Goal::named(name.0))
    }

    /// The tool pose at the start of the plan, moved.
    ///
    /// Args:
    ///     offset: Translation (3,) in m, or a pose as a 4×4 matrix.
    ///     frame: "tool": the offset is in the tool frame at the start. "base": it is along the axes of the group's base
    ///         frame, rotations about the tool's own origin.
    #[staticmethod]
    #[pyo3(
        signature = (offset, frame=Text("tool".to_owned())),
        text_signature = "(offset, frame='tool')"
    )]
    fn relative(offset: TranslationOrPose, frame: Text) -> Result<Self> {
        Ok(Self(Goal::relative(offset.0, reference_frame(&frame.0)?)))
    }

    /// `"joints"`, `"pose"`, `"named"`, `"relative"`, `"region"`, `"any"`, `"links"` or `"groups"`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Joint vector of a joint goal; 4×4 matrix of a pose goal, of the offset of a relative one, or of the centre of a
    /// region; else None.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        match &self.0 {
            Goal::Joints(values) | Goal::JointTurns(values) => Array::vector(py, values).map(Some),
            Goal::Pose(pose) | Goal::Relative { offset: pose, .. } => Array::pose(py, pose).map(Some),
            Goal::Region(region) => Array::pose(py, &region.base_from_centre).map(Some),
            Goal::Named(_) | Goal::Any(_) | Goal::Links(_) | Goal::Groups(_) => Ok(None),
        }
    }

    /// Name of a named goal, else None.
    #[getter]
    fn name(&self) -> Option<&str> {
        match &self.0 {
            Goal::Named(name) => Some(name),
            _ => None,
        }
    }

    /// `"tool"` or `"base"` for a relative goal, else None.
    #[getter]
    fn frame(&self) -> Option<&'static str> {
        match &self.0 {
            Goal::Relative { frame, .. } => FRAMES.iter().find(|(_, known)| known == frame).map(|(name, _)| *name),
            _ => None,
        }
    }

    /// True for a joint goal whose bounded joints may end full turns away from its values.
    #[getter]
    fn turns(&self) -> bool {
        matches!(self.0, Goal::JointTurns(_))
    }

    pub(crate) fn __repr__(&self) -> String {
        match &self.0 {
            Goal::Joints(values) => format!("Goal.joints({:?})", values.0),
            Goal::JointTurns(values) => format!("Goal.joints({:?}, turns=True)", values.0),
            Goal::Pose(pose) => format!("Goal.pose({})", repr_of_pose(pose)),
            Goal::Region(region) => goal_region::repr_of_region(region),
            Goal::Any(goals) => repr_of_set(goals),
            Goal::Links(links) => repr_of_links(links),
            Goal::Groups(goals) => repr_of_groups(goals),
            Goal::Named(name) => format!("Goal.named({name:?})"),
            Goal::Relative { offset, .. } => {
                let translation = offset.translation();
                let rotation = offset.rotation().angle();
                let frame = self.frame().unwrap_or_default();
                format!("Goal.relative(<{:?} m, {rotation} rad>, frame=\"{frame}\")", translation.as_slice())
            }
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let class = py.get_type::<Self>().into_any();
        if let Goal::Any(goals) = &self.0 {
            let goals: Vec<Self> = goals.iter().cloned().map(Self).collect();
            return Ok(rebuild(class, "any", (goals,))?);
        }
        if let Some(links) = self.by_link() {
            return Ok(rebuild(class, "links", (links,))?);
        }
        if let Some(goals) = self.by_group() {
            return Ok(rebuild(class, "groups", (goals,))?);
        }
        let numbers = match &self.0 {
            Goal::Joints(values) | Goal::JointTurns(values) => values.0.clone(),
            Goal::Pose(pose) | Goal::Relative { offset: pose, .. } => PoseParts::of(pose).to_vec(),
            Goal::Region(region) => goal_region::numbers_of_region(region),
            Goal::Named(_) | Goal::Any(_) | Goal::Links(_) | Goal::Groups(_) => Vec::new(),
        };
        let turns = self.turns().then_some(TURNS);
        let text = self.name().or(self.frame()).or(turns).unwrap_or_default();
        Ok(rebuild(class, "_restore", (self.kind(), Array::vector(py, &numbers)?, text))?)
    }

    /// The goal that pickle stored: kind, numbers, and the name, the frame or "turns".
    #[staticmethod]
    fn _restore(kind: Text, numbers: Vector, text: Text) -> Result<Self> {
        Ok(Self(match kind.0.as_str() {
            "joints" if text.0 == TURNS => Goal::joints_with_turns(numbers.0),
            "joints" => Goal::joints(numbers.0),
            "pose" => Goal::pose(PoseParts::to_pose(&numbers.0)?),
            "named" => Goal::named(text.0),
            "region" => goal_region::region_of_numbers(&numbers.0)?,
            _ => Goal::relative(PoseParts::to_pose(&numbers.0)?, reference_frame(&text.0)?),
        }))
    }
}

fn reference_frame(name: &str) -> Result<ReferenceFrame> {
    let unknown = || KineticError::unknown_name("frame", name, FRAMES.iter().map(|(name, _)| *name));
    Ok(FRAMES.iter().find(|(known, _)| *known == name).map(|(_, frame)| *frame).ok_or_else(unknown)?)
}

/// What `Goal.joints` is: on the class a constructor of joint goals, on an instance the joint values.
#[pyclass(frozen, module = "kinetic._kinetic")]
pub(crate) struct GoalJoints;

#[pymethods]
impl GoalJoints {
    /// A goal in joint space: values (dof,), rad or m.
    ///
    /// Args:
    ///     values: Joint values, in the length of the group or of the robot.
    ///     turns: Whether bounded turning joints may end at any full turns from these values inside their limits.
    #[expect(clippy::unused_self, reason = "Python calls an instance")]
    #[pyo3(signature = (values, *, turns=false))]
    fn __call__(&self, values: Vector, turns: bool) -> Result<PyGoal> {
        kinetic::core::error::check_finite("joint goal", &values.0)?;
        let values = JointValues(values.0);
        Ok(PyGoal(if turns { Goal::JointTurns(values) } else { Goal::Joints(values) }))
    }

    fn __get__<'py>(
        slf: Bound<'py, Self>,
        instance: Option<PyRef<'py, PyGoal>>,
        owner: Option<Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        // Part of Python's protocol; the class is the same for all.
        drop(owner);
        let py = slf.py();
        match instance.as_deref() {
            None => Ok(slf.into_any()),
            Some(PyGoal(Goal::Joints(values) | Goal::JointTurns(values))) => Ok(Array::vector(py, values)?.into()),
            Some(_) => Ok(py.None().into_bound(py)),
        }
    }
}

const GOAL_LIKE: PyStaticExpr = type_hint_union!(
    PyGoal::TYPE_HINT,
    PyPose::TYPE_HINT,
    type_hint_identifier!("builtins", "str"),
    type_hint_identifier!("numpy.typing", "ArrayLike"),
    type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"),
        type_hint_identifier!("builtins", "str"),
        type_hint_identifier!("typing", "Any")
    )
);

/// A goal; joint values, which mean a joint goal; a name, which means a named pose; a tool pose; or a dict of such by group.
pub(crate) struct GoalArg(pub(crate) Goal);

impl FromPyObject<'_, '_> for GoalArg {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = GOAL_LIKE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(goal) = given.cast::<PyGoal>() {
            return Ok(Self(goal.get().0.clone()));
        }
        if given.cast::<PyString>().is_ok() {
            return Ok(Self(Goal::named(given.extract::<Text>()?.0)));
        }
        if given.cast::<PyDict>().is_ok() {
            return Ok(Self(Goal::Groups(given.extract::<GroupGoals>()?.0)));
        }
        let refused = match given.extract::<Vector>() {
            Ok(values) => return Ok(Self(Goal::joints(values.0))),
            Err(refused) => refused,
        };
        match given.extract::<PoseArg>() {
            Ok(pose) => Ok(Self(Goal::pose(pose.0))),
            Err(no_pose) if is_square(&given, 4) => Err(no_pose),
            Err(_) if is_several(&given) => Err(several()),
            Err(_) => Err(refused),
        }
    }
}

/// Whether this has as many rows as columns, so many.
fn is_square(given: &Bound<'_, PyAny>, size: usize) -> bool {
    Numbers::read(given).is_ok_and(|numbers| numbers.shape[..] == [size, size])
}

/// Whether this looks like a list of goals.
fn is_several(given: &Bound<'_, PyAny>) -> bool {
    let is_rows = Numbers::read(given).is_ok_and(|numbers| numbers.shape.len() == 2);
    let holds_goal = |items: Bound<'_, PyIterator>| {
        items.flatten().any(|item| item.cast::<PyGoal>().is_ok() || item.cast::<PyString>().is_ok())
    };
    let is_list = given.cast::<PyList>().is_ok() || given.cast::<PyTuple>().is_ok();
    is_rows || is_list && given.try_iter().is_ok_and(holds_goal)
}

fn several() -> Error {
    KineticError::invalid("goal", "several goals", "one goal; Goal.any(goals) is met by any one of them").into()
}

/// A sequence of goals; rows of an array are joint goals.
pub(crate) struct GoalList(pub(crate) Vec<Goal>);

impl FromPyObject<'_, '_> for GoalList {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        type_hint_subscript!(type_hint_identifier!("collections.abc", "Iterable"), GOAL_LIKE),
        type_hint_identifier!("numpy.typing", "ArrayLike")
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        // Letters and keys would be taken for names.
        if given.cast::<PyString>().is_ok() || given.cast::<PyDict>().is_ok() {
            let kind = given.get_type().name()?.to_string();
            return Err(KineticError::invalid("goals", format!("a {kind}"), "a list of goals").into());
        }
        let goals = given.try_iter()?.map(|goal| -> Result<Goal> { Ok(goal?.extract::<GoalArg>()?.0) });
        Ok(Self(goals.collect::<Result<_>>()?))
    }
}

/// Goals by names of groups.
pub(crate) struct GroupGoals(pub(crate) BTreeMap<String, Goal>);

impl FromPyObject<'_, '_> for GroupGoals {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"),
        type_hint_identifier!("builtins", "str"),
        type_hint_identifier!("typing", "Any")
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let Ok(dict) = given.cast::<PyDict>() else {
            let kind = given.get_type().name()?.to_string();
            return Err(KineticError::invalid("goals", format!("a {kind}"), "a dict: group name to goal").into());
        };
        let entry = |(name, goal): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> Result<(String, Goal)> {
            // A dict inside would be one of groups inside a group, without an end.
            if goal.cast::<PyDict>().is_ok() {
                let wanted = "goals of other kinds for each group";
                return Err(KineticError::invalid("goal", "groups inside a group", wanted).into());
            }
            let name = name.extract::<Text>()?.0;
            if goal.extract::<f64>().is_ok() {
                let wanted = "a goal per group; joint values by name are [values[name] for name in robot.joint_names]";
                return Err(KineticError::invalid("goal", format!("a number for \"{name}\""), wanted).into());
            }
            Ok((name, goal.extract::<GoalArg>()?.0))
        };
        Ok(Self(dict.iter().map(entry).collect::<Result<_>>()?))
    }
}

fn repr_of_pose(pose: &kinetic::core::Pose) -> String {
    let [x, y, z, qx, qy, qz, qw] = PoseParts::of(pose);
    format!("[{x}, {y}, {z}], quaternion_xyzw=[{qx}, {qy}, {qz}, {qw}]")
}

fn repr_of_links(links: &BTreeMap<String, kinetic::core::Pose>) -> String {
    let entry =
        |(link, pose): (&String, &kinetic::core::Pose)| format!("{link:?}: Pose.from_xyzw({})", repr_of_pose(pose));
    format!("Goal.links({{{}}})", links.iter().map(entry).collect::<Vec<_>>().join(", "))
}

fn repr_of_groups(goals: &BTreeMap<String, Goal>) -> String {
    let entry = |(name, goal): (&String, &Goal)| format!("{name:?}: {}", PyGoal(goal.clone()).__repr__());
    format!("Goal.groups({{{}}})", goals.iter().map(entry).collect::<Vec<_>>().join(", "))
}

fn repr_of_set(goals: &[Goal]) -> String {
    let shown: Vec<String> = goals.iter().map(|goal| PyGoal(goal.clone()).__repr__()).collect();
    format!("Goal.any([{}])", shown.join(", "))
}
