//! `TaskProblem`: one method per kind of task.

use std::sync::Arc;

use kinetic::core::AxisMask;
use kinetic::core::constraint::Axis;
use kinetic::core::error::check_len;
use kinetic::kinematics::tasks::{FrameOn, LimitAvoidance, LookAt, MassCentre, Payload, PoseTask, Posture, Task};
use nalgebra::Vector3;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{type_hint_identifier, type_hint_subscript};

use crate::convert::{Count, DirectionArg, MaskArg, PoseArg, Real, Text, Texts, Triple, Vector};
use crate::error::{Error, Result};
use crate::tasks::function::TaskFunction;
use crate::tasks::keywords::{ADD_ORIENTATION, ADD_POSE, ADD_POSITION};
use crate::tasks::problem::{PyTaskProblem, What};

/// The tasks. Each method returns the problem.
#[pymethods]
impl PyTaskProblem {
    /// Brings a frame to a pose. Masks and tolerances are along and about the axes of the target, and masks name what is
    /// constrained.
    ///
    /// Args:
    ///     name: What the result calls the task.
    ///     target: Pose of the frame in the world, or in `reference`.
    ///     link: Link that carries the frame; None for the tool.
    ///     frame: Pose of the frame in the link (in the tool where there is no link); None for the identity.
    ///     reference: Link that the target is relative to: the pose of one frame of the robot in another.
    ///     reference_frame: Pose of the reference frame in the link `reference`; None for the identity.
    ///     position_mask: Coordinates that must agree.
    ///     rotation_mask: Components of the rotation that must vanish.
    ///     translation_tolerance: Per axis the distance (m) within which a coordinate counts as reached; None is strict.
    ///     rotation_tolerance: Per axis the angle (rad) within which a component counts as reached; None is strict.
    ///     mirror: "x", "y" or "z": the target turned half about that axis of its own is as good.
    ///     position_threshold: Largest distance left, m.
    ///     rotation_threshold: Largest angle left, rad.
    ///     priority: Level, 0 first.
    ///     weight: What squared errors count within the level.
    ///
    /// Raises:
    ///     InputError: Unknown links, no axis, NaN, tolerances, thresholds or weights that are not positive.
    #[pyo3(
        signature = (name, target, **options),
        text_signature = "($self, name, target, *, link=None, frame=None, reference=None, reference_frame=None, \
            position_mask=True, rotation_mask=True, translation_tolerance=None, rotation_tolerance=None, mirror=None, \
            position_threshold=0.0001, rotation_threshold=0.001, priority=0, weight=1.0)"
    )]
    fn add_pose<'py>(
        slf: Bound<'py, Self>,
        name: Text,
        target: PoseArg,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Bound<'py, Self>> {
        let (on, options, level) = ADD_POSE.read(options)?;
        let this = slf.get();
        let task = PoseTask {
            reference: this.reference(on.reference, options.reference_frame)?,
            position_mask: options.position_mask.0,
            rotation_mask: options.rotation_mask.0,
            translation_tolerance: options.translation_tolerance.map(|tolerances| tolerances.0).unwrap_or_default(),
            rotation_tolerance: options.rotation_tolerance.map(|tolerances| tolerances.0).unwrap_or_default(),
            mirror: options.mirror.map(|axis| axis.0),
            position_threshold: options.position_threshold.0,
            rotation_threshold: options.rotation_threshold.0,
            ..PoseTask::new(name.0, this.frame(on.link, on.frame)?, target.0)
        };
        this.add_known(task, &level.priority, &level.weight)?;
        Ok(slf)
    }

    /// Brings the origin of a frame to a point; how the frame turns is free.
    ///
    /// Args:
    ///     name: What the result calls the task.
    ///     target: Point (3,) in the world, or in `reference`, m.
    ///     link: Link that carries the frame; None for the tool.
    ///     frame: Pose of the frame in the link; None for the identity.
    ///     reference: Link that the target is relative to.
    ///     mask: Coordinates that must agree.
    ///     tolerance: Per axis the distance (m) within which a coordinate counts as reached; None is strict.
    ///     threshold: Largest distance left, m.
    ///     priority: Level, 0 first.
    ///     weight: What squared errors count within the level.
    #[pyo3(
        signature = (name, target, **options),
        text_signature = "($self, name, target, *, link=None, frame=None, reference=None, mask=True, tolerance=None, \
            threshold=0.0001, priority=0, weight=1.0)"
    )]
    fn add_position<'py>(
        slf: Bound<'py, Self>,
        name: Text,
        target: Triple,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Bound<'py, Self>> {
        let (on, options, level) = ADD_POSITION.read(options)?;
        let this = slf.get();
        let task = PoseTask {
            reference: this.reference(on.reference, None)?,
            position_mask: options.mask.0,
            translation_tolerance: options.tolerance.map(|tolerances| tolerances.0).unwrap_or_default(),
            position_threshold: options.threshold.0,
            ..PoseTask::position(name.0, this.frame(on.link, on.frame)?, target.0)
        };
        this.add_known(task, &level.priority, &level.weight)?;
        Ok(slf)
    }

    /// Turns a frame; where it goes is free.
    ///
    /// Args:
    ///     name: What the result calls the task.
    ///     target: Pose in the world, or in `reference`, of which the orientation counts.
    ///     link: Link that carries the frame; None for the tool.
    ///     frame: Pose of the frame in the link; None for the identity.
    ///     reference: Link that the target is relative to.
    ///     mask: Components of the rotation, about the axes of the target, that must vanish.
    ///     tolerance: Per axis the angle (rad) within which a component counts as reached; None is strict.
    ///     mirror: "x", "y" or "z": the target turned half about that axis of its own is as good.
    ///     threshold: Largest angle left, rad.
    ///     priority: Level, 0 first.
    ///     weight: What squared errors count within the level.
    #[pyo3(
        signature = (name, target, **options),
        text_signature = "($self, name, target, *, link=None, frame=None, reference=None, mask=True, tolerance=None, \
            mirror=None, threshold=0.001, priority=0, weight=1.0)"
    )]
    fn add_orientation<'py>(
        slf: Bound<'py, Self>,
        name: Text,
        target: PoseArg,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Bound<'py, Self>> {
        let (on, options, level) = ADD_ORIENTATION.read(options)?;
        let this = slf.get();
        let task = PoseTask {
            reference: this.reference(on.reference, None)?,
            rotation_mask: options.mask.0,
            rotation_tolerance: options.tolerance.map(|tolerances| tolerances.0).unwrap_or_default(),
            mirror: options.mirror.map(|axis| axis.0),
            rotation_threshold: options.threshold.0,
            ..PoseTask::orientation(name.0, this.frame(on.link, on.frame)?, target.0.rotation())
        };
        this.add_known(task, &level.priority, &level.weight)?;
        Ok(slf)
    }

    /// Points an axis of a frame at a point, from wherever the frame is; the turn about the axis is free.
    ///
    /// Args:
    ///     name: What the result calls the task.
    ///     point: Point (3,) in the world, m.
    ///     axis: "x", "y", "z", or a direction (3,) in the frame.
    ///     link: Link that carries the frame; None for the tool.
    ///     frame: Pose of the frame in the link; None for the identity.
    ///     threshold: Largest angle left, rad.
    ///     priority: Level, 0 first.
    ///     weight: What squared errors count within the level.
    #[pyo3(
        signature = (
            name, point, *, axis=DirectionArg(Axis::Z.unit()), link=None, frame=None, threshold=Real(1e-4),
            priority=Count(0), weight=Real(1.0)
        ),
        text_signature = "($self, name, point, *, axis='z', link=None, frame=None, threshold=0.0001, priority=0, \
            weight=1.0)"
    )]
    #[expect(clippy::too_many_arguments, reason = "the fields of the task, all with defaults")]
    fn add_look_at(
        slf: Bound<'_, Self>,
        name: Text,
        point: Triple,
        axis: DirectionArg,
        link: Option<Text>,
        frame: Option<PoseArg>,
        threshold: Real,
        priority: Count,
        weight: Real,
    ) -> Result<Bound<'_, Self>> {
        let this = slf.get();
        let frame = this.frame(link, frame)?;
        let task = LookAt { name: name.0, frame, axis: axis.0, point: point.0, threshold: threshold.0 };
        this.add_known(task, &priority, &weight)?;
        Ok(slf)
    }

    /// Brings the centre of gravity of the whole robot, with what it carries, to a point.
    ///
    /// Args:
    ///     name: What the result calls the task.
    ///     target: Point (3,) in the world, m.
    ///     mask: Axes of the world along which it must agree; "xy" keeps it over a foot.
    ///     payloads: What the robot carries: tuples of a link, the centre of mass (3,) in it (m), and the mass (kg).
    ///     threshold: Largest distance left, m.
    ///     priority: Level, 0 first.
    ///     weight: What squared errors count within the level.
    #[pyo3(
        signature = (
            name, target, *, mask=MaskArg(AxisMask([true, true, false])), payloads=Payloads(Vec::new()),
            threshold=Real(1e-3), priority=Count(0), weight=Real(1.0)
        ),
        text_signature = "($self, name, target, *, mask='xy', payloads=(), threshold=0.001, priority=0, weight=1.0)"
    )]
    #[expect(clippy::too_many_arguments, reason = "the fields of the task, all with defaults")]
    fn add_mass_centre(
        slf: Bound<'_, Self>,
        name: Text,
        target: Triple,
        mask: MaskArg,
        payloads: Payloads,
        threshold: Real,
        priority: Count,
        weight: Real,
    ) -> Result<Bound<'_, Self>> {
        let this = slf.get();
        let carried = |(link, link_from_centre, mass): (Text, Vector3<f64>, f64)| {
            Ok(Payload { link: this.model.robot.link_index(&link.0)?, link_from_centre, mass })
        };
        let payloads = payloads.0.into_iter().map(carried).collect::<Result<_>>()?;
        let task = MassCentre { name: name.0, target: target.0, mask: mask.0, payloads, threshold: threshold.0 };
        this.add_known(task, &priority, &weight)?;
        Ok(slf)
    }

    /// Draws joints to values. Without a threshold it is followed as well as the levels above allow.
    ///
    /// Args:
    ///     name: What the result calls the task.
    ///     target: Values of the joints, rad or m.
    ///     joints: Names of the joints; None for those of the selected group.
    ///     threshold: Largest Euclidean distance left; None when it is only to be followed.
    ///     priority: Level, 0 first.
    ///     weight: What squared errors count within the level.
    #[pyo3(
        signature = (name, target, *, joints=None, threshold=None, priority=Count(0), weight=Real(1.0)),
        text_signature = "($self, name, target, *, joints=None, threshold=None, priority=0, weight=1.0)"
    )]
    fn add_posture(
        slf: Bound<'_, Self>,
        name: Text,
        target: Vector,
        joints: Option<Texts>,
        threshold: Option<Real>,
        priority: Count,
        weight: Real,
    ) -> Result<Bound<'_, Self>> {
        let this = slf.get();
        let threshold = threshold.map(|threshold| threshold.0);
        let task = Posture { name: name.0, joints: this.joints(joints)?, target: target.0, threshold };
        this.add_known(task, &priority, &weight)?;
        Ok(slf)
    }

    /// Keeps joints out of the outer parts of their ranges. It acts in those parts only, and is met always.
    ///
    /// Args:
    ///     name: What the result calls the task.
    ///     joints: Names of the joints; None for those of the selected group.
    ///     share: Width of either outer part, as a share of the range: more than 0, at most 0.5.
    ///     priority: Level, 0 first.
    ///     weight: What squared errors count within the level.
    #[pyo3(
        signature = (name, *, joints=None, share=Real(0.1), priority=Count(0), weight=Real(1.0)),
        text_signature = "($self, name, *, joints=None, share=0.1, priority=0, weight=1.0)"
    )]
    fn add_limit_avoidance(
        slf: Bound<'_, Self>,
        name: Text,
        joints: Option<Texts>,
        share: Real,
        priority: Count,
        weight: Real,
    ) -> Result<Bound<'_, Self>> {
        let this = slf.get();
        this.add_known(
            LimitAvoidance { name: name.0, joints: this.joints(joints)?, share: share.0 },
            &priority,
            &weight,
        )?;
        Ok(slf)
    }

    /// A task of your own: a function that says what is missing, and how that changes.
    ///
    /// It is called with a `TaskState`, often, and answers with a pair: the error (rows,), wanted minus reached, and the
    /// Jacobian (rows, columns) of what is reached, by the columns of `TaskProblem.columns`, so that
    /// `jacobian @ step = error` would meet the task. What it raises ends the solve and comes out of it.
    ///
    /// Args:
    ///     name: What the result calls the task.
    ///     function: The function.
    ///     rows: Number of rows.
    ///     tolerance: Largest Euclidean norm of the error that meets the task; None when it is only to be followed.
    ///     priority: Level, 0 first.
    ///     weight: What squared errors count within the level.
    ///
    /// Raises:
    ///     InputError: Something that cannot be called, no rows, a tolerance or weight that is not positive.
    #[pyo3(
        signature = (name, function, rows, *, tolerance=None, priority=Count(0), weight=Real(1.0)),
        text_signature = "($self, name, function, rows, *, tolerance=None, priority=0, weight=1.0)"
    )]
    fn add_task<'py>(
        slf: Bound<'py, Self>,
        name: Text,
        function: Bound<'py, PyAny>,
        rows: Count,
        tolerance: Option<Real>,
        priority: Count,
        weight: Real,
    ) -> Result<Bound<'py, Self>> {
        let function = TaskFunction::new(name.0, function, rows.0, tolerance.map(|tolerance| tolerance.0))?;
        slf.get().add(What::Function(Arc::new(function)), &priority, &weight)?;
        Ok(slf)
    }
}

impl PyTaskProblem {
    fn add_known(&self, task: impl Task + 'static, priority: &Count, weight: &Real) -> Result<()> {
        self.add(What::Known(Arc::new(task)), priority, weight)
    }

    /// A frame on a link, or on the tool.
    fn frame(&self, link: Option<Text>, frame: Option<PoseArg>) -> Result<FrameOn> {
        let own = frame.map(|frame| frame.0).unwrap_or_default();
        let group = self.model.group();
        match link {
            None => Ok(FrameOn { link: group.tip_link, link_from_frame: group.tip_from_tcp * own }),
            Some(link) => Ok(FrameOn { link: self.model.robot.link_index(&link.0)?, link_from_frame: own }),
        }
    }

    fn reference(&self, link: Option<Text>, frame: Option<PoseArg>) -> Result<Option<FrameOn>> {
        match (link, frame) {
            (None, Some(_)) => Err(Error::Kinetic(kinetic::core::KineticError::invalid(
                "reference_frame",
                "no reference",
                "the link that carries it, as reference",
            ))),
            (None, None) => Ok(None),
            (link, frame) => Ok(Some(self.frame(link, frame)?)),
        }
    }

    fn joints(&self, names: Option<Texts>) -> Result<Vec<usize>> {
        match names {
            None => Ok(self.model.group().variables.clone()),
            Some(names) => names.as_strs().into_iter().map(|name| self.variable(name)).collect(),
        }
    }
}

/// What a robot carries: link, centre of mass, mass.
struct Payloads(Vec<(Text, Vector3<f64>, f64)>);

impl FromPyObject<'_, '_> for Payloads {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Sequence"),
        type_hint_subscript!(
            type_hint_identifier!("builtins", "tuple"),
            type_hint_identifier!("builtins", "str"),
            type_hint_identifier!("numpy.typing", "ArrayLike"),
            type_hint_identifier!("builtins", "float")
        )
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let mut payloads = Vec::new();
        for item in given.try_iter()? {
            let parts: Vec<Bound<'_, PyAny>> = item?.extract()?;
            check_len("payload: link, centre and mass", parts.len(), 3)?;
            let (centre, mass) = (parts[1].extract::<Triple>()?.0, parts[2].extract::<Real>()?.0);
            payloads.push((parts[0].extract::<Text>()?, centre, mass));
        }
        Ok(Self(payloads))
    }
}
