//! Mass properties of solids, and of bodies made of them.

use std::f64::consts::PI;

use kinetic_core::Pose;
use nalgebra::{Matrix3, Rotation3, SymmetricEigen, UnitQuaternion, Vector3};

/// A mass, its centre, and the tensor about the centre in the axes of the frame it is given in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MassProperties {
    /// kg.
    pub(super) mass: f64,
    /// m.
    pub(super) com: Vector3<f64>,
    /// kg m².
    pub(super) inertia: Matrix3<f64>,
}

/// Volume (area of a shell) of a solid around the origin, and its moments per unit of mass.
pub(super) struct MassSolid {
    pub(super) volume: f64,
    pub(super) moments: Vector3<f64>,
}

impl MassSolid {
    /// `r` is the radius.
    pub(super) fn sphere(r: f64) -> Self {
        Self { volume: 4.0 / 3.0 * PI * r.powi(3), moments: Vector3::repeat(0.4 * r * r) }
    }

    /// Half-extents.
    pub(super) fn cuboid(half: Vector3<f64>) -> Self {
        let squares = half.component_mul(&half);
        let moments = Vector3::repeat(squares.sum()) - squares;
        Self { volume: 8.0 * half.product(), moments: moments / 3.0 }
    }

    /// Semi-axes.
    pub(super) fn ellipsoid(semi: Vector3<f64>) -> Self {
        let squares = semi.component_mul(&semi);
        let moments = Vector3::repeat(squares.sum()) - squares;
        Self { volume: 4.0 / 3.0 * PI * semi.product(), moments: moments / 5.0 }
    }

    /// Radius and half-height, axis z.
    pub(super) fn cylinder(r: f64, half: f64) -> Self {
        let across = r * r / 4.0 + half * half / 3.0;
        Self { volume: 2.0 * PI * r * r * half, moments: Vector3::new(across, across, r * r / 2.0) }
    }

    /// Radius and half-length of the segment, axis z: a cylinder and two half balls, whose centres of mass are 3r/8
    /// beyond the ends of the segment.
    pub(super) fn capsule(r: f64, half: f64) -> Self {
        let (tube, ball) = (Self::cylinder(r, half), Self::sphere(r));
        let volume = tube.volume + ball.volume;
        let shift = half * half + 0.75 * r * half;
        let ball_moments = ball.moments + Vector3::new(shift, shift, 0.0);
        Self { volume, moments: (tube.moments * tube.volume + ball_moments * ball.volume) / volume }
    }

    /// Of this mass, placed at `frame_from_solid`.
    pub(super) fn placed(&self, mass: f64, frame_from_solid: &Pose) -> MassProperties {
        MassProperties { mass, com: Vector3::zeros(), inertia: Matrix3::from_diagonal(&(self.moments * mass)) }
            .moved(frame_from_solid)
    }
}

impl MassProperties {
    /// The same in another frame.
    pub(super) fn moved(&self, frame_from_here: &Pose) -> Self {
        let rotation = frame_from_here.rotation.to_rotation_matrix();
        Self {
            mass: self.mass,
            com: frame_from_here.rotation * self.com + frame_from_here.translation.vector,
            inertia: rotation.matrix() * self.inertia * rotation.matrix().transpose(),
        }
    }

    /// All of them as one rigid body; `None` without mass.
    pub(super) fn sum(parts: &[Self]) -> Option<Self> {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        if !(mass > 0.0 && mass.is_finite()) {
            return None;
        }
        let com = parts.iter().map(|part| part.com * part.mass).sum::<Vector3<f64>>() / mass;
        let about_com = |part: &Self| part.inertia + point_inertia(part.mass, part.com - com);
        Some(Self { mass, com, inertia: parts.iter().map(about_com).sum() })
    }
}

/// Tensor of a point mass about the origin (Steiner's theorem).
fn point_inertia(mass: f64, at: Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() * at.norm_squared() - at * at.transpose()) * mass
}

/// Right-handed principal axes, and the moments about them.
pub(super) fn principal(inertia: &Matrix3<f64>) -> (UnitQuaternion<f64>, Vector3<f64>) {
    let is_diagonal = inertia.m12 == 0.0 && inertia.m13 == 0.0 && inertia.m23 == 0.0;
    if is_diagonal || inertia.iter().any(|value| !value.is_finite()) {
        return (UnitQuaternion::identity(), inertia.diagonal());
    }
    let eigen = SymmetricEigen::new(*inertia);
    let mut axes = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    (UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes)), eigen.eigenvalues)
}
