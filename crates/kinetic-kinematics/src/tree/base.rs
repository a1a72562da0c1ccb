//! A base that can move, as columns in front of those of the joints.

use nalgebra::Vector3;

/// Motion of the root link in the world.
///
/// Its velocity is expressed in the root link's own axes at its origin, so that columns do not depend on where the base
/// stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VirtualBase {
    /// Not at all.
    #[default]
    Fixed,
    /// Along x and y (m), about z (rad): a mobile base.
    Planar,
    /// Along x, y and z (m), about x, y and z (rad): a floating base.
    Floating,
}

impl VirtualBase {
    /// Number of columns.
    pub fn dof(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Planar => 3,
            Self::Floating => 6,
        }
    }

    /// Direction of degree of freedom `index`, and whether the base turns about it.
    pub(super) fn motion(self, index: usize) -> (Vector3<f64>, bool) {
        let (axis, turns) = match (self, index) {
            (Self::Planar, 2) => (2, true),
            (Self::Floating, 3..) => (index - 3, true),
            _ => (index, false),
        };
        (Vector3::ith(axis, 1.0), turns)
    }

    /// Linear and angular velocity of the root, along its own axes, for velocities of the degrees of freedom, of which
    /// `values` begins with one each.
    pub fn twist(self, values: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for (index, value) in values.iter().enumerate().take(self.dof()) {
            match self.motion(index) {
                (axis, true) => angular += axis * *value,
                (axis, false) => linear += axis * *value,
            }
        }
        (linear, angular)
    }

    /// Velocity of a point at `point` (root's frame) for unit velocity of degree of freedom `index`: linear, angular.
    pub fn column(self, index: usize, point: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        match self.motion(index) {
            (axis, true) => (axis.cross(point), axis),
            (axis, false) => (axis, Vector3::zeros()),
        }
    }
}
