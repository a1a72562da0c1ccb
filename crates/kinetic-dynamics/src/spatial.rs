//! Spatial vectors at the root's origin, in its axes, and what acts on them (Featherstone 2008, chapter 2): angular before
//! linear, torque before force.

use std::ops::{Add, AddAssign, Mul};

use kinetic_kinematics::{Frame, Motion, Rigid, SpatialInertia};
use nalgebra::{Matrix3, Vector3};

/// A motion (angular, linear) or a force (torque, force).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spatial {
    pub(crate) top: Vector3<f64>,
    pub(crate) bottom: Vector3<f64>,
}

impl Spatial {
    pub(crate) fn zero() -> Self {
        Self { top: Vector3::zeros(), bottom: Vector3::zeros() }
    }

    /// Motion for unit velocity of the variable of a frame.
    #[inline]
    pub(crate) fn axis(frame: &Frame, pose: &Rigid) -> Self {
        let z = pose.z_axis() * frame.multiplier;
        match frame.motion {
            Motion::Rotation => Self { top: z, bottom: pose.translation.cross(&z) },
            Motion::Translation => Self { top: Vector3::zeros(), bottom: z },
        }
    }

    /// Scalar product of a motion and a force.
    #[inline]
    pub(crate) fn dot(&self, other: &Self) -> f64 {
        self.top.dot(&other.top) + self.bottom.dot(&other.bottom)
    }

    /// `v × m` of two motions.
    #[inline]
    pub(crate) fn cross(&self, motion: &Self) -> Self {
        Self {
            top: self.top.cross(&motion.top),
            bottom: self.top.cross(&motion.bottom) + self.bottom.cross(&motion.top),
        }
    }

    /// `v ×* f` of a motion and a force.
    #[inline]
    pub(crate) fn cross_force(&self, force: &Self) -> Self {
        Self {
            top: self.top.cross(&force.top) + self.bottom.cross(&force.bottom),
            bottom: self.top.cross(&force.bottom),
        }
    }
}

impl Add for Spatial {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { top: self.top + other.top, bottom: self.bottom + other.bottom }
    }
}

impl AddAssign for Spatial {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f64> for Spatial {
    type Output = Self;

    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self { top: self.top * factor, bottom: self.bottom * factor }
    }
}

/// Momentum of an inertia that moves, or force that accelerates it.
#[inline]
pub(crate) fn momentum(inertia: &SpatialInertia, motion: &Spatial) -> Spatial {
    Spatial {
        top: inertia.inertia * motion.top + inertia.moment.cross(&motion.bottom),
        bottom: motion.bottom * inertia.mass + motion.top.cross(&inertia.moment),
    }
}

/// `B = ½ (v ×* I − I v × + (I v) ×̄*)` of an inertia that moves with `v`, where `(f ×̄*) m = m ×* f` (Echeandia and Wensing
/// 2021, "Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body systems").
///
/// Of its four blocks the right ones vanish, and the lower left one is `−[p]×` with the linear momentum `p`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoriolisTerm {
    block: Matrix3<f64>,
    momentum: Vector3<f64>,
}

impl CoriolisTerm {
    pub(crate) fn zero() -> Self {
        Self { block: Matrix3::zeros(), momentum: Vector3::zeros() }
    }

    #[inline]
    pub(crate) fn new(inertia: &SpatialInertia, velocity: &Spatial) -> Self {
        let Spatial { top: angular, bottom: linear } = velocity;
        let Spatial { top: n, bottom: momentum } = self::momentum(inertia, velocity);
        let turned = angular.cross_matrix() * inertia.inertia;
        let mixed = inertia.moment * linear.transpose();
        let shift = Matrix3::from_diagonal_element(2.0 * linear.dot(&inertia.moment));
        let block = (turned + turned.transpose() + shift - mixed - mixed.transpose() - n.cross_matrix()) * 0.5;
        Self { block, momentum }
    }

    /// `B m`.
    #[inline]
    pub(crate) fn apply(&self, motion: &Spatial) -> Spatial {
        Spatial { top: self.block * motion.top, bottom: motion.top.cross(&self.momentum) }
    }

    /// `Bᵀ m`.
    #[inline]
    pub(crate) fn apply_transposed(&self, motion: &Spatial) -> Spatial {
        Spatial { top: self.block.tr_mul(&motion.top) + self.momentum.cross(&motion.bottom), bottom: Vector3::zeros() }
    }
}

impl AddAssign for CoriolisTerm {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.block += other.block;
        self.momentum += other.momentum;
    }
}
