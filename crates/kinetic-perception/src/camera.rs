//! Camera models: from points to pixels, and from pixels to rays.
//!
//! Frames are optical: x to the right, y down, z along the optical axis. Pixel (0, 0) has its centre at (0, 0). Distortions have the
//! coefficients of `OpenCV`: Brown (1971) with radial and tangential terms, and the fisheye of Kannala and Brandt (2006).

use kinetic_core::{KineticError, Result};
use nalgebra::{Matrix2, Point3, Vector2, Vector3};

/// Newton steps from a pixel to its ray; they converge in a handful, or never.
const MAX_NEWTON_STEPS: usize = 30;

/// A ray projects to its pixel within this part of the focal length.
const RAY_ERROR: f64 = 1e-10;

/// How lenses bend rays, in coordinates on the plane z = 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Distortion {
    /// Straight lines are straight.
    #[default]
    None,
    /// Radial and tangential (Brown 1971).
    BrownConrady {
        /// Radial coefficients of the second, fourth and sixth power.
        k: [f64; 3],
        /// Tangential coefficients.
        p: [f64; 2],
    },
    /// Equidistant fisheye (Kannala and Brandt 2006): coefficients of the third, fifth, seventh and ninth power of the angle.
    Fisheye {
        /// Coefficients.
        k: [f64; 4],
    },
}

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

    /// The pixel of a point (camera frame, m); `None` for a point that is not in front of the camera.
    pub fn project(&self, point: &Point3<f64>) -> Option<[f64; 2]> {
        if !(point.z > 0.0) {
            return None;
        }
        let plane = Vector2::new(point.x / point.z, point.y / point.z);
        let (bent, _) = self.distortion.bent(&plane);
        Some([self.fx * bent.x + self.cx, self.fy * bent.y + self.cy])
    }

    /// The ray of a pixel: the point of the plane z = 1 (camera frame) that projects there. `None` for a pixel beyond what the
    /// distortion reaches, and for rays at a right angle to the optical axis.
    pub fn ray(&self, pixel: [f64; 2]) -> Option<Vector3<f64>> {
        let bent = Vector2::new((pixel[0] - self.cx) / self.fx, (pixel[1] - self.cy) / self.fy);
        let plane = match self.distortion {
            Distortion::None => Some(bent),
            Distortion::BrownConrady { .. } => self.distortion.unbent(&bent),
            Distortion::Fisheye { k } => unbent_fisheye(&k, &bent),
        };
        plane.map(|plane| Vector3::new(plane.x, plane.y, 1.0))
    }
}

impl Distortion {
    /// Where a point of the plane z = 1 appears, and the derivative of that.
    fn bent(&self, plane: &Vector2<f64>) -> (Vector2<f64>, Matrix2<f64>) {
        match self {
            Self::None => (*plane, Matrix2::identity()),
            Self::BrownConrady { k, p } => bent_by_brown(k, p, plane),
            Self::Fisheye { k } => {
                let radius = plane.norm();
                let angle = radius.atan();
                let factor = if radius > 0.0 { fisheye_angle(k, angle).0 / radius } else { 1.0 };
                (plane * factor, Matrix2::identity())
            }
        }
    }

    /// Newton's method for the point that appears somewhere.
    fn unbent(&self, bent: &Vector2<f64>) -> Option<Vector2<f64>> {
        let mut plane = *bent;
        for _ in 0..MAX_NEWTON_STEPS {
            let (there, slope) = self.bent(&plane);
            let error = there - bent;
            // Where the image folds over, the first solution lies before the fold.
            if !(slope.determinant() > 0.0) {
                return None;
            }
            if error.norm() <= RAY_ERROR {
                return Some(plane);
            }
            plane -= slope.try_inverse()? * error;
        }
        None
    }
}

fn bent_by_brown(k: &[f64; 3], p: &[f64; 2], plane: &Vector2<f64>) -> (Vector2<f64>, Matrix2<f64>) {
    let (x, y) = (plane.x, plane.y);
    let squared = x * x + y * y;
    let radial = 1.0 + squared * (k[0] + squared * (k[1] + squared * k[2]));
    // Derivative of the radial factor by the squared radius.
    let slope = k[0] + squared * (2.0 * k[1] + 3.0 * squared * k[2]);
    let bent = Vector2::new(
        x * radial + 2.0 * p[0] * x * y + p[1] * (squared + 2.0 * x * x),
        y * radial + p[0] * (squared + 2.0 * y * y) + 2.0 * p[1] * x * y,
    );
    let across = 2.0 * x * y * slope + 2.0 * p[0] * x + 2.0 * p[1] * y;
    let derivative = Matrix2::new(
        radial + 2.0 * x * x * slope + 2.0 * p[0] * y + 6.0 * p[1] * x,
        across,
        across,
        radial + 2.0 * y * y * slope + 6.0 * p[0] * y + 2.0 * p[1] * x,
    );
    (bent, derivative)
}

/// The angle under which a ray at an angle from the axis appears, and its derivative.
fn fisheye_angle(k: &[f64; 4], angle: f64) -> (f64, f64) {
    let squared = angle * angle;
    let value = 1.0 + squared * (k[0] + squared * (k[1] + squared * (k[2] + squared * k[3])));
    let slope = 1.0 + squared * (3.0 * k[0] + squared * (5.0 * k[1] + squared * (7.0 * k[2] + squared * 9.0 * k[3])));
    (angle * value, slope)
}

fn unbent_fisheye(k: &[f64; 4], bent: &Vector2<f64>) -> Option<Vector2<f64>> {
    let wanted = bent.norm();
    if wanted == 0.0 {
        return Some(*bent);
    }
    let mut angle = wanted;
    for _ in 0..MAX_NEWTON_STEPS {
        let (value, slope) = fisheye_angle(k, angle);
        if !(slope > 0.0) {
            return None;
        }
        if (value - wanted).abs() <= RAY_ERROR {
            let is_in_front = angle < std::f64::consts::FRAC_PI_2;
            return is_in_front.then(|| bent * (angle.tan() / wanted));
        }
        angle -= (value - wanted) / slope;
    }
    None
}
