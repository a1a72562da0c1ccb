//! Pose tasks: position and orientation of a frame, in the world or in another frame of the robot.

use kinetic_core::constraint::Axis;
use kinetic_core::error::check_finite;
use kinetic_core::{AxisMask, KineticError, Pose, Result};
use kinetic_kinematics::Rigid;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::model::Model;
use super::state::State;
use super::task::{Limit, Rows, Task};

/// A frame fixed on a link.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameOn {
    /// Index of the link in the robot.
    pub link: usize,
    /// Pose of the frame in the link.
    pub link_from_frame: Pose,
}

impl FrameOn {
    /// The link's own frame.
    pub fn link(link: usize) -> Self {
        Self { link, link_from_frame: Pose::identity() }
    }
}

/// Brings a frame to a pose. Masks and tolerances are along and about the axes of the target.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseTask {
    /// Name in reports.
    pub name: String,
    /// The frame that moves.
    pub frame: FrameOn,
    /// The frame that the target is given in; the world when none. With one, the task is the relative pose of two frames.
    pub reference: Option<FrameOn>,
    /// Target pose of the frame, in the reference.
    pub target: Pose,
    /// Coordinates that must agree.
    pub position_mask: AxisMask,
    /// Components of the rotation vector that must vanish.
    pub rotation_mask: AxisMask,
    /// Per axis the distance (m) within which a coordinate counts as reached; 0 is strict.
    pub translation_tolerance: [f64; 3],
    /// Per axis the angle (rad) within which a component counts as reached; 0 is strict.
    pub rotation_tolerance: [f64; 3],
    /// The target turned half about this axis of its own is as good.
    pub mirror: Option<Axis>,
    /// Largest distance left, m.
    pub position_threshold: f64,
    /// Largest angle left, rad.
    pub rotation_threshold: f64,
}

impl PoseTask {
    /// A full pose in the world, to 0.1 mm and 1 mrad.
    pub fn new(name: impl Into<String>, frame: FrameOn, target: Pose) -> Self {
        Self {
            name: name.into(),
            frame,
            reference: None,
            target,
            position_mask: AxisMask::ALL,
            rotation_mask: AxisMask::ALL,
            translation_tolerance: [0.0; 3],
            rotation_tolerance: [0.0; 3],
            mirror: None,
            position_threshold: 1e-4,
            rotation_threshold: 1e-3,
        }
    }

    /// A position alone.
    pub fn position(name: impl Into<String>, frame: FrameOn, target: Vector3<f64>) -> Self {
        Self { rotation_mask: AxisMask::NONE, ..Self::new(name, frame, target.into()) }
    }

    /// An orientation alone.
    pub fn orientation(name: impl Into<String>, frame: FrameOn, target: UnitQuaternion<f64>) -> Self {
        let target = Pose(nalgebra::Isometry3::from_parts(Vector3::zeros().into(), target));
        Self { position_mask: AxisMask::NONE, ..Self::new(name, frame, target) }
    }

    /// The pose of one frame in another of the same robot.
    pub fn relative(name: impl Into<String>, reference: FrameOn, frame: FrameOn, reference_from_frame: Pose) -> Self {
        Self { reference: Some(reference), ..Self::new(name, frame, reference_from_frame) }
    }

    /// Rotation vector about the target's axes from the target to the frame, for the target or its mirror image.
    fn rotation_from(&self, target: &Matrix3<f64>, frame: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
        let plain = logarithm(&(target.transpose() * frame));
        let Some(axis) = self.mirror else { return (plain, *target) };
        let flipped = target * Rotation3::from_scaled_axis(axis.unit() * std::f64::consts::PI).into_inner();
        let mirrored = logarithm(&(flipped.transpose() * frame));
        let length = |vector: &Vector3<f64>| self.rotation_mask.apply(vector).norm();
        // The axes stay those of the target as it was given: half a turn reverses two of them, for masks that is the same.
        if length(&mirrored) < length(&plain) { (mirrored, flipped) } else { (plain, *target) }
    }
}

impl Task for PoseTask {
    fn name(&self) -> &str {
        &self.name
    }

    fn num_rows(&self) -> usize {
        self.position_mask.count() + self.rotation_mask.count()
    }

    fn limits(&self) -> Vec<Limit> {
        let (positions, all) = (self.position_mask.count(), self.num_rows());
        let position = Limit { what: "position", rows: 0..positions, tolerance: self.position_threshold };
        let rotation = Limit { what: "rotation", rows: positions..all, tolerance: self.rotation_threshold };
        [position, rotation].into_iter().filter(|limit| !limit.rows.is_empty()).collect()
    }

    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>) {
        let frame = state.link(self.frame.link).then(&Rigid::from(&self.frame.link_from_frame));
        let reference = self.reference.as_ref().map_or_else(Rigid::identity, |reference| {
            state.link(reference.link).then(&Rigid::from(&reference.link_from_frame))
        });
        let target = reference.then(&Rigid::from(&self.target));
        relative_jacobian(self, state, &frame, rows);
        let (phi, image) = self.rotation_from(&target.rotation, &frame.rotation);
        let to_target = target.rotation.transpose();
        let position = to_target * (target.translation - frame.translation);
        let rotation = inverse_left_jacobian(&phi) * image.transpose();
        let mut row = 0;
        for (axis, wanted) in self.position_mask.0.into_iter().enumerate() {
            if wanted {
                write(rows, row, position[axis], &to_target.row(axis).transpose(), 0);
                rows.apply_tolerance(row, self.translation_tolerance[axis]);
                row += 1;
            }
        }
        for (axis, wanted) in self.rotation_mask.0.into_iter().enumerate() {
            if wanted {
                write(rows, row, -phi[axis], &rotation.row(axis).transpose(), 3);
                rows.apply_tolerance(row, self.rotation_tolerance[axis]);
                row += 1;
            }
        }
    }

    fn check(&self, model: &Model) -> Result<()> {
        for frame in std::iter::once(&self.frame).chain(&self.reference) {
            model.check_link(frame.link)?;
            frame.link_from_frame.check_finite(&format!("frame of task \"{}\"", self.name))?;
        }
        self.target.check_finite(&format!("target of task \"{}\"", self.name))?;
        if self.num_rows() == 0 {
            let wanted = "a position or rotation mask with at least one axis";
            return Err(KineticError::invalid(format!("masks of task \"{}\"", self.name), "no axis", wanted));
        }
        let tolerances = self.translation_tolerance.iter().chain(&self.rotation_tolerance);
        if let Some(bad) = tolerances.copied().find(|tolerance| !(*tolerance >= 0.0)) {
            return Err(KineticError::invalid(format!("tolerance of task \"{}\"", self.name), bad, "at least 0"));
        }
        positive(&self.name, &[self.position_threshold, self.rotation_threshold])
    }
}

/// Refuses thresholds that no residual can meet.
pub(super) fn positive(name: &str, thresholds: &[f64]) -> Result<()> {
    check_finite(&format!("thresholds of task \"{name}\""), thresholds)?;
    match thresholds.iter().find(|threshold| !(**threshold > 0.0)) {
        Some(bad) => Err(KineticError::invalid(format!("threshold of task \"{name}\""), bad, "a positive number")),
        None => Ok(()),
    }
}

/// Leaves in the scratch how the frame moves, along the world's axes, as seen from the reference.
fn relative_jacobian(task: &PoseTask, state: &State<'_>, frame: &Rigid, rows: &mut Rows<'_>) {
    let (own, other) = rows.scratch.split_at_mut(6 * rows.columns);
    state.point_jacobian(task.frame.link, &frame.translation, own);
    if let Some(reference) = &task.reference {
        // The reference carries the point where the frame is, and turns.
        state.point_jacobian(reference.link, &frame.translation, other);
        for (own, other) in own.iter_mut().zip(other.iter()) {
            *own -= other;
        }
    }
}

/// One row: an error, and a direction times the linear (`part` 0) or angular (`part` 3) half of the Jacobian.
pub(super) fn write(rows: &mut Rows<'_>, row: usize, error: f64, direction: &Vector3<f64>, part: usize) {
    rows.error[row] = error;
    for column in 0..rows.columns {
        let half = &rows.scratch[6 * column + part..6 * column + part + 3];
        rows.jacobian[row * rows.columns + column] =
            direction.x * half[0] + direction.y * half[1] + direction.z * half[2];
    }
}

/// Rotation vector of a rotation matrix, of length at most π.
fn logarithm(rotation: &Matrix3<f64>) -> Vector3<f64> {
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation)).scaled_axis()
}

/// How fast a rotation vector changes with an angular velocity applied on the left: `φ̇ = J⁻¹(φ) ω`
/// (Barfoot 2017, "State Estimation for Robotics", eq. 7.76).
fn inverse_left_jacobian(phi: &Vector3<f64>) -> Matrix3<f64> {
    let cross = phi.cross_matrix();
    let angle = phi.norm();
    // 1/θ² − cot(θ/2) / 2θ, by its series where it would cancel.
    let factor = if angle < 1e-3 {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        (1.0 - 0.5 * angle / (0.5 * angle).tan()) / (angle * angle)
    };
    Matrix3::identity() - cross * 0.5 + cross * cross * factor
}
