//! Velocities and forces of rigid bodies.

use std::ops::{Add, Mul, Neg, Sub};

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::error::{Result, check_finite, check_len};
use crate::pose::Pose;

/// Velocity of a rigid body: that of the point at a frame's origin, along the frame's axes, and of the rotation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the point at the origin, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
}

/// Load on a rigid body: a force, and its moment about a frame's origin, along the frame's axes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Wrench {
    /// Force, N.
    pub force: Vector3<f64>,
    /// Moment about the origin, Nm.
    pub torque: Vector3<f64>,
}

impl Twist {
    /// The same motion seen from frame `a`, from `a_from_b` and the motion in `b`: its adjoint (Lynch & Park 2017, ch. 3).
    #[must_use]
    pub fn transformed(&self, a_from_b: &Pose) -> Self {
        let angular = a_from_b.rotation() * self.angular;
        Self { linear: a_from_b.rotation() * self.linear + a_from_b.translation().cross(&angular), angular }
    }

    /// Power of a load on a motion, both in one frame, W. It is the same in every frame.
    pub fn power(&self, wrench: &Wrench) -> f64 {
        self.linear.dot(&wrench.force) + self.angular.dot(&wrench.torque)
    }
}

impl Wrench {
    /// The same load seen from frame `a`, from `a_from_b` and the load in `b`: its coadjoint.
    #[must_use]
    pub fn transformed(&self, a_from_b: &Pose) -> Self {
        let force = a_from_b.rotation() * self.force;
        Self { force, torque: a_from_b.rotation() * self.torque + a_from_b.translation().cross(&force) }
    }

    /// Power of this load on a motion, both in one frame, W.
    pub fn power(&self, twist: &Twist) -> f64 {
        twist.power(self)
    }
}

/// Six numbers, and what vectors can do.
macro_rules! vector_of_six {
    ($name:ident, $first:ident, $second:ident, $context:literal) => {
        impl $name {
            #[doc = concat!("From both parts, `", stringify!($first), "` first.")]
            pub fn new($first: Vector3<f64>, $second: Vector3<f64>) -> Self {
                Self { $first, $second }
            }

            #[doc = concat!("From six numbers, `", stringify!($first), "` first.")]
            ///
            /// # Errors
            /// [`DimensionMismatch`](crate::KineticError::DimensionMismatch) or
            /// [`NotFinite`](crate::KineticError::NotFinite).
            pub fn from_slice(values: &[f64]) -> Result<Self> {
                check_len($context, values.len(), 6)?;
                check_finite($context, values)?;
                Ok(Self::new(Vector3::from_column_slice(&values[..3]), Vector3::from_column_slice(&values[3..])))
            }

            #[doc = concat!("The six numbers, `", stringify!($first), "` first.")]
            pub fn to_array(&self) -> [f64; 6] {
                let (a, b) = (self.$first, self.$second);
                [a.x, a.y, a.z, b.x, b.y, b.z]
            }

            /// All six numbers times `factor`.
            #[must_use]
            pub fn scale(&self, factor: f64) -> Self {
                Self::new(self.$first * factor, self.$second * factor)
            }
        }

        impl Add for $name {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self::new(self.$first + other.$first, self.$second + other.$second)
            }
        }

        impl Sub for $name {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Self::new(self.$first - other.$first, self.$second - other.$second)
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;

            fn mul(self, factor: f64) -> Self {
                self.scale(factor)
            }
        }

        impl Neg for $name {
            type Output = Self;

            fn neg(self) -> Self {
                self.scale(-1.0)
            }
        }
    };
}

vector_of_six!(Twist, linear, angular, "twist");
vector_of_six!(Wrench, force, torque, "wrench");
