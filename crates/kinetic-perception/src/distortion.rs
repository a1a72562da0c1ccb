//! Lens distortions with the coefficients of `OpenCV`: Brown (1971) with radial and tangential terms, and the fisheye of Kannala and Brandt
//! (2006).

use nalgebra::{Matrix2, Vector2};

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

impl Distortion {
    /// Where a point of the plane z = 1 appears.
    pub(crate) fn bent(&self, plane: &Vector2<f64>) -> Vector2<f64> {
        match self {
            Self::None => *plane,
            Self::BrownConrady { k, p } => bent_by_brown(k, p, plane).0,
            Self::Fisheye { k } => {
                let radius = plane.norm();
                let factor = if radius > 0.0 { fisheye_angle(k, radius.atan()).0 / radius } else { 1.0 };
                plane * factor
            }
        }
    }
}

/// Where a point of the plane z = 1 appears, and the derivative of that.
pub(crate) fn bent_by_brown(k: &[f64; 3], p: &[f64; 2], plane: &Vector2<f64>) -> (Vector2<f64>, Matrix2<f64>) {
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
pub(crate) fn fisheye_angle(k: &[f64; 4], angle: f64) -> (f64, f64) {
    let squared = angle * angle;
    let value = 1.0 + squared * (k[0] + squared * (k[1] + squared * (k[2] + squared * k[3])));
    let slope = 1.0 + squared * (3.0 * k[0] + squared * (5.0 * k[1] + squared * (7.0 * k[2] + squared * 9.0 * k[3])));
    (angle * value, slope)
}
