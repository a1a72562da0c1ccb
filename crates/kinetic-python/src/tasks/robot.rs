//! `Robot`: inverse kinematics in batches, with masks, tolerances and bases; looking somewhere; relative moves of the tool.

use std::sync::Arc;

use kinetic::core::constraint::Axis;
use kinetic::core::{Control, KineticError, Pose, StopFlag, SystemClock, Wrt};
use kinetic::kinematics::VirtualBase;
use kinetic::kinematics::tasks::{
    BatchOptions, BatchSolution, FrameOn, TaskOptions, TaskSolution, batch_inverse_kinematics, look_at, move_end,
};
use nalgebra::Matrix4;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{
    Array, DirectionArg, Mask, Numbers, PoseArg, Real, Text, Texts, Tolerances, Triple, Tuple, Vector, WrtArg,
};
use crate::error::{Error, Result};
use crate::geometry::pose::turn;
use crate::interrupt::interruptible;
use crate::robot::{Model, PyRobot};
use crate::tasks::keywords::{BATCH_INVERSE_KINEMATICS, BatchIkKeywords};
use crate::tasks::result::required;

const ANY: PyStaticExpr = type_hint_identifier!("typing", "Any");

/// Attempts of the queries with one task.
const ATTEMPTS: usize = 10;

#[pymethods]
impl PyRobot {
    /// Joint values for many poses at once, on all processors; every pose on its own.
    ///
    /// Masks name the axes to constrain: True for all, False or None for none, letters such as "xy", or three flags. They
    /// and the tolerances are along and about the axes of the target. The same seed gives the same answers.
    ///
    /// Args:
    ///     targets: Poses in the group's base: (N, 6) xyz and roll, pitch, yaw; (N, 7) xyz and quaternion (x, y, z, w);
    ///         (N, 4, 4); or a list of poses.
    ///     move_target: Link to bring there; None for the tool.
    ///     position_mask: Coordinates that must agree.
    ///     rotation_mask: Components of the rotation that must vanish.
    ///     rotation_mirror: "x", "y" or "z": a target turned half about that axis of its own is as good.
    ///     stop: Iterations of one attempt.
    ///     thre: Largest distance left, m.
    ///     rthre: Largest angle left, rad.
    ///     initial_angles: Where attempts start: "current" for the robot's neutral configuration; "random" or None;
    ///         values (dof,) for all poses, or (N, dof) for each.
    ///     alpha: First length of the line search, as a part of the full step: more than 0, at most 1.
    ///     attempts_per_pose: Attempts; those after the first start at random.
    ///     random_initial_range: Part of the joint ranges in which random attempts start.
    ///     translation_tolerance: Per axis the distance (m) within which a coordinate counts as reached; None is strict.
    ///     rotation_tolerance: Per axis the angle (rad) within which a component counts as reached; None is strict.
    ///     use_base: Whether the root of the robot moves: True or "planar" (x, y, yaw), "floating" for all six ways.
    ///     base_weight: How dear the base's motion is compared with that of joints: 3 or 6 numbers; None for 1.
    ///     joint_list: Names of the joints of the group that move; None for all.
    ///     invariant_joint_list: Names of joints that do not move.
    ///     rng_seed: Seed of the random starts; None for 0.
    ///
    /// Returns:
    ///     Solutions (N, dof), the best found where a pose is not reached; truth values (N,); with attempts_per_pose > 1
    ///     also the list of attempts made. With use_base the way of the base comes first in each row: x, y, yaw, or x, y,
    ///     z, roll, pitch, yaw.
    ///
    /// Raises:
    ///     InputError: NaN, wrong shapes, unknown names, or no joint left to move.
    #[pyo3(
        signature = (targets, *positions, **options),
        text_signature = "($self, targets, move_target=None, position_mask=True, rotation_mask=True, \
            rotation_mirror=None, stop=100, thre=0.001, rthre=0.017453292519943295, initial_angles='current', \
            alpha=1.0, attempts_per_pose=1, random_initial_range=0.7, translation_tolerance=None, \
            rotation_tolerance=None, use_base=False, base_weight=None, joint_list=None, invariant_joint_list=None, \
            rng_seed=None)"
    )]
    fn batch_inverse_kinematics<'py>(
        &self,
        py: Python<'py>,
        targets: Targets,
        positions: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Tuple<'py>> {
        let options = batch_options(&self.model(), BATCH_INVERSE_KINEMATICS.read_with(positions, options)?)?;
        let model = self.model();
        let solutions = solve_batch(py, &model, &targets.0, &options)?;
        batch_output(py, &model, &options, &solutions)
    }

    /// Joint values (dof,) with which an axis of the tool points at a point. Where the tool goes is free.
    ///
    /// Args:
    ///     point: Point (3,) in the group's base, m.
    ///     axis: "x", "y", "z", or a direction (3,) in the tool's own axes.
    ///     link: Link that looks instead of the tool.
    ///     seed: Joint values to start from; None for the middle of the limits.
    ///
    /// Raises:
    ///     IKError: No joint values found that point there within 0.1 mrad.
    #[pyo3(
        signature = (point, axis=DirectionArg(Axis::Z.unit()), link=None, seed=None),
        text_signature = "($self, point, axis='z', link=None, seed=None)"
    )]
    fn look_at<'py>(
        &self,
        py: Python<'py>,
        point: Triple,
        axis: DirectionArg,
        link: Option<Text>,
        seed: Option<Vector>,
    ) -> Result<Array<'py>> {
        let model = self.model();
        let frame = link.map(|link| model.robot.link_index(&link.0)).transpose()?.map(FrameOn::link);
        let q = start(&model, seed.as_ref())?;
        let solution = py.detach(|| look_at(&model.robot, model.group(), &q, (frame, axis.0), &point.0, &options()))?;
        group_part(py, &model, solution)
    }

    /// Joint values (dof,) with which the tool has moved by an offset and kept its orientation.
    ///
    /// Args:
    ///     q: Joint values before.
    ///     offset: Translation (3,), m.
    ///     wrt: Whose axes: "local" (the tool's), "world" (those of the group's base), or another frame by its pose there.
    ///
    /// Raises:
    ///     IKError: Nothing within 0.1 mm and 1 mrad was found.
    #[pyo3(signature = (q, offset, wrt=WrtArg(Wrt::Local)), text_signature = "($self, q, offset, wrt='local')")]
    fn move_end_pos<'py>(&self, py: Python<'py>, q: Vector, offset: Triple, wrt: WrtArg) -> Result<Array<'py>> {
        self.move_end(py, &q, |pose| pose.translated(&offset.0, wrt.0))
    }

    /// Joint values (dof,) with which the tool has turned in place.
    ///
    /// Args:
    ///     q: Joint values before.
    ///     angle: Angle, rad.
    ///     axis: "x", "y", "z", or a direction (3,).
    ///     wrt: Whose axes: "local" (the tool's), "world" (those of the group's base), or another frame by its pose there.
    ///
    /// Raises:
    ///     IKError: Nothing within 0.1 mm and 1 mrad was found.
    #[pyo3(signature = (q, angle, axis, wrt=WrtArg(Wrt::Local)), text_signature = "($self, q, angle, axis, wrt='local')")]
    fn move_end_rot<'py>(
        &self,
        py: Python<'py>,
        q: Vector,
        angle: Real,
        axis: DirectionArg,
        wrt: WrtArg,
    ) -> Result<Array<'py>> {
        let rotation = turn(&axis, &angle)?;
        self.move_end(py, &q, |pose| pose.rotated(&rotation, wrt.0))
    }
}

impl PyRobot {
    fn move_end<'py>(&self, py: Python<'py>, q: &Vector, change: impl Fn(&Pose) -> Pose + Sync) -> Result<Array<'py>> {
        let model = self.model();
        let q = start(&model, Some(q))?;
        let solution = py.detach(|| move_end(&model.robot, model.group(), &q, &change, &options()))?;
        group_part(py, &model, solution)
    }
}

fn options() -> TaskOptions {
    TaskOptions { attempts: ATTEMPTS, ..TaskOptions::default() }
}

/// Joint values in the length of the robot; the middle of the limits when none are given.
fn start(model: &Model, seed: Option<&Vector>) -> Result<Vec<f64>> {
    let (robot, group) = (&model.robot, model.group());
    let middle = robot.mid_configuration(group);
    Ok(robot.full_configuration(group, seed.map_or(&middle, |seed| &seed.0))?)
}

fn group_part<'py>(py: Python<'py>, model: &Model, solution: TaskSolution) -> Result<Array<'py>> {
    let solution = required(py, solution)?;
    let values: Vec<f64> = model.group().variables.iter().map(|variable| solution.q[*variable]).collect();
    Array::vector(py, &values)
}

fn batch_options(model: &Model, given: BatchIkKeywords) -> Result<BatchOptions> {
    let tolerance = |given: &Option<Tolerances>| given.as_ref().map_or([0.0; 3], |tolerances| tolerances.0);
    let link = given.move_target.as_ref().map(|link| model.robot.link_index(&link.0)).transpose()?;
    Ok(BatchOptions {
        frame: link.map(FrameOn::link),
        solver: given.solver(),
        position_mask: given.position_mask.0,
        rotation_mask: given.rotation_mask.0,
        translation_tolerance: tolerance(&given.translation_tolerance),
        rotation_tolerance: tolerance(&given.rotation_tolerance),
        position_threshold: given.thre.0,
        rotation_threshold: given.rthre.0,
        mirror: given.rotation_mirror.map(|axis| axis.0),
        initial: given.initial_angles.resolve(model)?,
        joints: Some(moved_joints(model, given.joint_list, given.invariant_joint_list)?),
        base: given.use_base.0,
        base_weights: given.base_weight.map(|weights| weights.0),
        ..BatchOptions::from_configuration(Vec::new())
    })
}

/// All poses, until Ctrl-C.
fn solve_batch(py: Python<'_>, model: &Model, targets: &[Pose], options: &BatchOptions) -> Result<Vec<BatchSolution>> {
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    let solve = || batch_inverse_kinematics(&model.robot, model.group(), targets, options, &control);
    Ok(interruptible(py, &stop, solve)??)
}

/// Indices of the joints of the group that move.
fn moved_joints(model: &Model, moved: Option<Texts>, held: Option<Texts>) -> Result<Vec<usize>> {
    let (robot, group) = (&model.robot, model.group());
    let names = robot.joint_names(group);
    for name in moved.iter().chain(&held).flat_map(Texts::as_strs) {
        if !names.contains(&name) {
            let available = names.iter().map(|name| (*name).to_owned()).collect();
            return Err(KineticError::JointNotFound { name: name.to_owned(), available }.into());
        }
    }
    let is_moved = |name: &&str| moved.as_ref().is_none_or(|moved| moved.as_strs().contains(name));
    let is_held = |name: &&str| held.as_ref().is_some_and(|held| held.as_strs().contains(name));
    let pairs = names.iter().zip(&group.variables);
    Ok(pairs.filter(|(name, _)| is_moved(name) && !is_held(name)).map(|(_, variable)| *variable).collect())
}

fn batch_output<'py>(
    py: Python<'py>,
    model: &Model,
    options: &BatchOptions,
    solutions: &[BatchSolution],
) -> Result<Tuple<'py>> {
    let variables = &model.group().variables;
    let mut values = Vec::new();
    for solution in solutions {
        let ([x, y, z], (roll, pitch, yaw)) =
            (solution.world_from_root.translation().into(), solution.world_from_root.rpy());
        match options.base {
            VirtualBase::Fixed => {}
            VirtualBase::Planar => values.extend([x, y, yaw]),
            VirtualBase::Floating => values.extend([x, y, z, roll, pitch, yaw]),
        }
        values.extend(variables.iter().map(|variable| solution.q[*variable]));
    }
    let rows = Array::new(py, &[solutions.len(), options.base.dof() + variables.len()], &values)?;
    let success = Mask::new(py, &solutions.iter().map(|solution| solution.success).collect::<Vec<_>>());
    if options.solver.attempts == 1 {
        return Ok(Tuple::new(py, (rows, success))?);
    }
    let attempts: Vec<usize> = solutions.iter().map(|solution| solution.attempts).collect();
    Ok(Tuple::new(py, (rows, success, attempts))?)
}

/// Poses as (N, 6), (N, 7), (N, 4, 4), or a list of poses.
struct Targets(Vec<Pose>);

impl FromPyObject<'_, '_> for Targets {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = ANY;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let numbers = match Numbers::read(&given) {
            Ok(numbers) => numbers,
            // Objects with a matrix are no numbers for NumPy.
            Err(error) => {
                let Ok(items) = given.try_iter() else { return Err(error) };
                let pose = |item: PyResult<Bound<'_, PyAny>>| Ok(item?.extract::<PoseArg>()?.0);
                return items.map(pose).collect::<Result<Vec<_>>>().map(Self);
            }
        };
        let rows = |size: usize| numbers.values.chunks_exact(size);
        let poses: kinetic::core::Result<Vec<Pose>> = match numbers.shape[..] {
            [0] => Ok(Vec::new()),
            [_, 6] => rows(6).map(|v| Pose::from_xyz_rpy(v[0], v[1], v[2], v[3], v[4], v[5])).map(finite).collect(),
            [_, 7] => rows(7).map(|v| Pose::from_xyz_quat(v[0], v[1], v[2], v[3], v[4], v[5], v[6])).collect(),
            [_, 4, 4] => rows(16).map(|v| Pose::from_matrix(&Matrix4::from_row_slice(v))).collect(),
            _ => return Err(numbers.wrong_shape("poses, shape (N, 6), (N, 7) or (N, 4, 4)")),
        };
        Ok(Self(poses?))
    }
}

fn finite(pose: Pose) -> kinetic::core::Result<Pose> {
    pose.check_finite("target pose")?;
    Ok(pose)
}
