//! What a robot carries.

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use kinetic_kinematics::{Rigid, SpatialInertia};
use nalgebra::{Matrix3, Vector3};

/// Rounding of a tensor's entries in relation to its largest.
const TENSOR_ROUNDING: f64 = 1e-9;

/// A rigid body that is fixed to a link: mass, centre of mass and tensor in the frame that it is mounted at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Payload {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub com: Vector3<f64>,
    /// Tensor about the centre of mass, kg m².
    pub inertia: Matrix3<f64>,
}

impl Payload {
    /// A point mass at `com`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn point(mass: f64, com: Vector3<f64>) -> Result<Self> {
        Self::new(mass, com, Matrix3::zeros())
    }

    /// A body with a mass, a centre of mass and a tensor about it.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`]; [`KineticError::InvalidValue`] for a mass that is not positive, or a tensor that no body
    /// has: not symmetric, or with a principal moment that is negative or larger than the sum of the others.
    pub fn new(mass: f64, com: Vector3<f64>, inertia: Matrix3<f64>) -> Result<Self> {
        check_finite("mass of the payload", &[mass])?;
        check_finite("centre of mass of the payload", com.as_slice())?;
        check_finite("inertia of the payload", inertia.as_slice())?;
        if !(mass > 0.0) {
            return Err(KineticError::invalid("mass of the payload, kg", mass, "a positive number"));
        }
        let rounding = TENSOR_ROUNDING * inertia.amax();
        if (inertia - inertia.transpose()).amax() > rounding {
            return Err(KineticError::invalid("inertia of the payload", inertia, "a symmetric matrix"));
        }
        let moments = inertia.symmetric_eigenvalues();
        if moments.min() < -rounding || moments.max() > 0.5 * moments.sum() + rounding {
            let wanted = "principal moments of at least 0, none larger than the sum of the others";
            let given = format!("{:?}", moments.as_slice());
            return Err(KineticError::invalid("inertia of the payload, kg m²", given, wanted));
        }
        Ok(Self { mass, com, inertia })
    }

    /// In a frame, from the pose in it of the frame that the payload is mounted at.
    pub(crate) fn spatial_inertia(&self, frame_from_mount: &Rigid) -> SpatialInertia {
        let mount_from_com = Rigid { translation: self.com, ..Rigid::identity() };
        SpatialInertia::about_com(self.mass, self.inertia).transformed(&frame_from_mount.then(&mount_from_com))
    }
}
