//! Jacobians of several targets over any joints, and their time derivative.

use kinetic_core::error::check_len;
use kinetic_core::{Pose, Result};
use nalgebra::{DMatrix, Matrix3, Matrix6xX, Vector3};

use super::velocity::FrameVelocity;
use super::{Expressed, MoveTarget, TreeKinematics, column};
use crate::program::{Frame, Motion};
use crate::rigid::Rigid;

/// A target with its frame and pose.
struct ResolvedTarget {
    frame: usize,
    pose: Rigid,
    /// Turns vectors from the root's axes to those of the rows.
    rows_from_root: Matrix3<f64>,
}

impl TreeKinematics {
    /// Jacobian of all targets, one below the other: Σ rows × [`num_columns`](Self::num_columns). Columns of joints that
    /// do not move a target are 0 in its rows.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::LinkNotFound`], and those of [`place`](Self::place).
    pub fn jacobian(&self, q: &[f64], targets: &[MoveTarget]) -> Result<DMatrix<f64>> {
        let rows = targets.iter().map(MoveTarget::num_rows).sum();
        let mut out = DMatrix::zeros(rows, self.num_columns());
        self.jacobian_into(&self.placed(q)?, targets, &mut out)?;
        Ok(out)
    }

    /// As [`jacobian`](Self::jacobian) without allocation, from poses that [`place`](Self::place) wrote.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::LinkNotFound`], or [`kinetic_core::KineticError::DimensionMismatch`] when `out` or
    /// `frames` has another size.
    pub fn jacobian_into(&self, frames: &[Rigid], targets: &[MoveTarget], out: &mut DMatrix<f64>) -> Result<()> {
        check_len("frame buffer", frames.len(), self.program().num_frames())?;
        check_len("rows of the Jacobian", out.nrows(), targets.iter().map(MoveTarget::num_rows).sum())?;
        check_len("columns of the Jacobian", out.ncols(), self.num_columns())?;
        out.fill(0.0);
        let mut first_row = 0;
        for target in targets {
            let placed = self.target(frames, target)?;
            self.write_target(frames, target, &placed, first_row, out);
            first_row += target.num_rows();
        }
        Ok(())
    }

    fn target(&self, frames: &[Rigid], target: &MoveTarget) -> Result<ResolvedTarget> {
        let link = self.link_index(&target.link)?;
        let pose = self.link_rigid(frames, link).then(&Rigid::from(&target.link_from_target));
        let rows_from_root = match &target.expressed {
            Expressed::Root => Matrix3::identity(),
            Expressed::Target => pose.rotation.transpose(),
            Expressed::Link(name) => self.link_rigid(frames, self.link_index(name)?).rotation.transpose(),
        };
        Ok(ResolvedTarget { frame: self.program().link(link).0, pose, rows_from_root })
    }

    fn write_target(
        &self,
        frames: &[Rigid],
        target: &MoveTarget,
        placed: &ResolvedTarget,
        first_row: usize,
        out: &mut DMatrix<f64>,
    ) {
        let point = &placed.pose.translation;
        let counts = |row: usize| if row < 3 { target.translation.has(row) } else { target.rotation.has(row - 3) };
        let mut add = |index: usize, (linear, angular): (Vector3<f64>, Vector3<f64>)| {
            let (linear, angular) = (placed.rows_from_root * linear, placed.rows_from_root * angular);
            let mut row = first_row;
            for (axis, value) in linear.iter().chain(&angular).enumerate() {
                if counts(axis) {
                    out[(row, index)] += value;
                    row += 1;
                }
            }
        };
        let base = self.base();
        for index in 0..base.dof() {
            add(index, base.column(index, point));
        }
        let mut current = placed.frame;
        while current != 0 {
            let frame = &self.program().frames()[current - 1];
            add(base.dof() + frame.variable, column(frame, &frames[current], point));
            current = frame.parent;
        }
    }

    /// Time derivative of the Jacobian of a frame on a link, 6 × [`num_columns`](Self::num_columns), linear rows first, in
    /// the root's axes, for joint velocities `qd` and a base at rest. Exact: the acceleration of the frame is
    /// `jacobian · qdd + derivative · qd`.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::LinkNotFound`], [`kinetic_core::KineticError::DimensionMismatch`] or
    /// [`kinetic_core::KineticError::NotFinite`].
    pub fn jacobian_derivative(
        &self,
        q: &[f64],
        qd: &[f64],
        link: &str,
        link_from_target: &Pose,
    ) -> Result<Matrix6xX<f64>> {
        let frames = self.placed(q)?;
        let velocities = self.frame_velocities(&frames, qd)?;
        let link = self.link_index(link)?;
        let (carrier, frame_from_link) = self.program().link(link);
        let target = frames[carrier].then(frame_from_link).then(&Rigid::from(link_from_target)).translation;
        let target_velocity = velocities[carrier].at(&(target - frames[carrier].translation));
        let mut out = Matrix6xX::zeros(self.num_columns());
        let base = self.base();
        for index in 0..base.dof() {
            if let (axis, true) = base.motion(index) {
                out.fixed_view_mut::<3, 1>(0, index).copy_from(&axis.cross(&target_velocity));
            }
        }
        let mut current = carrier;
        while current != 0 {
            let frame = &self.program().frames()[current - 1];
            let placed = (&frames[current], &velocities[current]);
            let [slope, turning] = column_derivative(frame, placed, &target, &target_velocity);
            let mut column = out.column_mut(base.dof() + frame.variable);
            for axis in 0..3 {
                column[axis] += slope[axis];
                column[3 + axis] += turning[axis];
            }
            current = frame.parent;
        }
        Ok(out)
    }
}

/// Derivatives of what a joint does to the velocity of `target` and to its angular velocity.
fn column_derivative(
    frame: &Frame,
    (pose, velocity): (&Rigid, &FrameVelocity),
    target: &Vector3<f64>,
    target_velocity: &Vector3<f64>,
) -> [Vector3<f64>; 2] {
    let z = pose.z_axis() * frame.multiplier;
    let turning = velocity.angular.cross(&z);
    match frame.motion {
        // The derivative of z × (p − o), and of z.
        Motion::Rotation => {
            [turning.cross(&(target - pose.translation)) + z.cross(&(target_velocity - velocity.linear)), turning]
        }
        Motion::Translation => [turning, Vector3::zeros()],
    }
}
