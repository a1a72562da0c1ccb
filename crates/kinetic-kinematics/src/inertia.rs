//! Spatial inertia of rigid bodies, and of everything that a moving frame carries (Featherstone 2008, section 2.13).

use std::ops::{Add, AddAssign};

use kinetic_robot::{Inertial, Robot};
use nalgebra::{Matrix3, Vector3};

use crate::program::JointProgram;
use crate::rigid::Rigid;

/// Mass properties of a rigid body at and in a frame: what a 6 × 6 spatial inertia holds, in ten numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialInertia {
    /// Mass, kg.
    pub mass: f64,
    /// First moment of mass: mass times centre of mass, kg m.
    pub moment: Vector3<f64>,
    /// Rotational inertia about the frame's origin, kg m².
    pub inertia: Matrix3<f64>,
}

impl SpatialInertia {
    /// Of nothing.
    pub fn zero() -> Self {
        Self { mass: 0.0, moment: Vector3::zeros(), inertia: Matrix3::zeros() }
    }

    /// At the centre of mass, about which the tensor `inertia` (kg m²) is given.
    pub fn about_com(mass: f64, inertia: Matrix3<f64>) -> Self {
        Self { mass, moment: Vector3::zeros(), inertia }
    }

    /// Of a link, in the link's frame.
    pub fn of_link(inertial: &Inertial) -> Self {
        Self::about_com(inertial.mass, inertial.inertia).transformed(&Rigid::from(&inertial.link_from_com))
    }

    /// Centre of mass in the frame, m; `None` for what has no mass.
    pub fn com(&self) -> Option<Vector3<f64>> {
        (self.mass > 0.0).then(|| self.moment / self.mass)
    }

    /// The same body at and in frame `a`, from its inertia in `b` and `a_from_b`.
    #[must_use]
    pub fn transformed(&self, a_from_b: &Rigid) -> Self {
        let Rigid { rotation, translation } = a_from_b;
        let moment = rotation * self.moment;
        let mixed = moment * translation.transpose();
        let shifted = Matrix3::identity() * (2.0 * moment.dot(translation)) - mixed - mixed.transpose();
        Self {
            mass: self.mass,
            moment: moment + translation * self.mass,
            inertia: rotation * self.inertia * rotation.transpose() + shifted + steiner(self.mass, translation),
        }
    }
}

impl AddAssign for SpatialInertia {
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.moment += other.moment;
        self.inertia += other.inertia;
    }
}

impl Add for SpatialInertia {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

/// Inertia of a point mass about a point `arm` away (Huygens–Steiner).
pub(crate) fn steiner(mass: f64, arm: &Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass
}

/// Spatial inertia of every frame of a program, the root's first, in the frame's coordinates: of all links that are fixed
/// on it, through fixed joints and held ones. Links without inertial have no mass.
///
/// `program` must be of the whole robot ([`JointProgram::compile`]), so that its links are those of `robot`.
pub fn lumped_inertias(robot: &Robot, program: &JointProgram) -> Vec<SpatialInertia> {
    let mut lumped = vec![SpatialInertia::zero(); program.num_frames()];
    for (index, link) in robot.links.iter().enumerate() {
        let Some(inertial) = &link.inertial else { continue };
        let (frame, frame_from_link) = program.link(index);
        let frame_from_com = frame_from_link.then(&Rigid::from(&inertial.link_from_com));
        lumped[frame] += SpatialInertia::about_com(inertial.mass, inertial.inertia).transformed(&frame_from_com);
    }
    lumped
}
