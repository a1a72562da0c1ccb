//! Axes, and points and directions carried between frames in batches.

use nalgebra::{Matrix3, Vector3};

use super::Pose;

/// Accessors.
impl Pose {
    /// Direction of the x axis in the parent frame.
    pub fn x_axis(&self) -> Vector3<f64> {
        self.rotation() * Vector3::x()
    }

    /// Direction of the y axis in the parent frame.
    pub fn y_axis(&self) -> Vector3<f64> {
        self.rotation() * Vector3::y()
    }

    /// Direction of the z axis in the parent frame.
    pub fn z_axis(&self) -> Vector3<f64> {
        self.rotation() * Vector3::z()
    }

    /// The rotation as a matrix.
    pub fn rotation_matrix(&self) -> Matrix3<f64> {
        self.rotation().to_rotation_matrix().into_inner()
    }

    /// The quaternion in order x, y, z, w.
    pub fn quaternion_xyzw(&self) -> [f64; 4] {
        self.rotation().coords.into()
    }

    /// The quaternion in order w, x, y, z.
    pub fn quaternion_wxyz(&self) -> [f64; 4] {
        let [x, y, z, w] = self.quaternion_xyzw();
        [w, x, y, z]
    }
}

/// From a pose `a_from_b`. All work in place on any number of triples, in m for points.
impl Pose {
    /// Points from `b` to `a`.
    pub fn transform_points(&self, points: &mut [[f64; 3]]) {
        map(points, &self.rotation_matrix(), |r, p| r * p + self.translation());
    }

    /// Points from `a` to `b`.
    pub fn inverse_transform_points(&self, points: &mut [[f64; 3]]) {
        map(points, &self.rotation_matrix().transpose(), |r, p| r * (p - self.translation()));
    }

    /// Directions from `b` to `a`.
    pub fn rotate_vectors(&self, vectors: &mut [[f64; 3]]) {
        map(vectors, &self.rotation_matrix(), |r, v| r * v);
    }

    /// Directions from `a` to `b`.
    pub fn inverse_rotate_vectors(&self, vectors: &mut [[f64; 3]]) {
        map(vectors, &self.rotation_matrix().transpose(), |r, v| r * v);
    }
}

fn map(values: &mut [[f64; 3]], r: &Matrix3<f64>, each: impl Fn(&Matrix3<f64>, Vector3<f64>) -> Vector3<f64>) {
    for value in values {
        *value = each(r, Vector3::from(*value)).into();
    }
}
