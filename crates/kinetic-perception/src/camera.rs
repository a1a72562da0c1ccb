//! Camera models: from points to pixels, and from pixels to rays.
//!
//! Frames are optical: x to the right, y down, z along the optical axis. Pixel (0, 0) has its centre at (0, 0).

use kinetic_core::{KineticError, Result};
use nalgebra::{Point3, Vector2, Vector3};

use crate::distortion::Distortion;
use crate::undistortion::Undistortion;

/// Intrinsics of a camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraModel {
    /// Focal length along x, pixels.
    pub fx: f64,
    /// Focal length along y, pixels.
    pub fy: f64,
    /// Principal point along x, pixels.
    pub cx: f64,
    /// Principal point along y, pixels.
    pub cy: f64,
    /// Lens distortion.
    pub distortion: Distortion,
}

impl CameraModel {
    /// A camera without distortion.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn pinhole(fx: f64, fy: f64, cx: f64, cy: f64) -> Result<Self> {
        let camera = Self { fx, fy, cx, cy, distortion: Distortion::None };
        camera.check()?;
        Ok(camera)
    }

    /// Refuses intrinsics that belong to no camera.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a focal length that is not positive, [`KineticError::NotFinite`] otherwise.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("fx", self.fx), ("fy", self.fy)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(KineticError::invalid(name, value, "a positive finite focal length (pixels)"));
            }
        }
        let coefficients: Vec<f64> = match self.distortion {
            Distortion::None => Vec::new(),
            Distortion::BrownConrady { k, p } => k.into_iter().chain(p).collect(),
            Distortion::Fisheye { k } => k.to_vec(),
        };
        kinetic_core::error::check_finite("principal point (cx, cy)", &[self.cx, self.cy])?;
        kinetic_core::error::check_finite("distortion coefficients", &coefficients)
    }

    /// The pixel of a point (camera frame, m); `None` for a point that is not in front of the camera, or beyond what the distortion
    /// reaches.
    pub fn project(&self, point: &Point3<f64>) -> Option<[f64; 2]> {
        if !(point.z > 0.0) {
            return None;
        }
        let plane = Vector2::new(point.x / point.z, point.y / point.z);
        if !Undistortion::new(&self.distortion).reaches(&plane) {
            return None;
        }
        let bent = self.distortion.bent(&plane);
        Some([self.fx * bent.x + self.cx, self.fy * bent.y + self.cy])
    }

    /// The ray of a pixel: the point of the plane z = 1 (camera frame) that projects there. `None` for a pixel beyond what the
    /// distortion reaches, and for rays at a right angle to the optical axis.
    pub fn ray(&self, pixel: [f64; 2]) -> Option<Vector3<f64>> {
        self.ray_with(&Undistortion::new(&self.distortion), pixel)
    }

    /// As [`ray`](Self::ray), with the inverse of the distortion.
    pub(crate) fn ray_with(&self, undistortion: &Undistortion, pixel: [f64; 2]) -> Option<Vector3<f64>> {
        let bent = Vector2::new((pixel[0] - self.cx) / self.fx, (pixel[1] - self.cy) / self.fy);
        undistortion.unbent(&bent).map(|plane| Vector3::new(plane.x, plane.y, 1.0))
    }
}
