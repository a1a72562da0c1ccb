//! From where a ray appears back to the ray.
//!
//! The radial polynomials of lens models grow up to a radius or an angle, and may fall beyond it: the image folds over, and a pixel has
//! a second ray that the lens does not have. Rays are those before the first fold.

use std::f64::consts::FRAC_PI_2;

use nalgebra::Vector2;

use crate::distortion::{Distortion, bent_by_brown, fisheye_angle};

/// Steps from a pixel to its ray. Bisections alone would need as many for the resolution of double precision.
const MAX_STEPS: usize = 60;

/// A ray projects to its pixel within this part of the focal length.
const RAY_ERROR: f64 = 1e-10;

/// Radii on the plane z = 1 that are looked at: beyond, rays are within a thousandth of a degree of a right angle to the optical axis.
const MAX_RADIUS: f64 = 1e5;

/// What tangential terms are taken to move the fold by at most, as a part of its radius. So much before the fold begins the search for rays that the
/// radial terms alone do not have.
const MAX_FOLD_SHIFT: f64 = 0.1;

/// The inverse of a distortion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Undistortion {
    distortion: Distortion,
    /// Radius on the plane z = 1, for a fisheye the angle from the optical axis, at which the image folds over or ends.
    fold: f64,
}

impl Undistortion {
    pub(crate) fn new(distortion: &Distortion) -> Self {
        let fold = match distortion {
            Distortion::None => MAX_RADIUS,
            Distortion::BrownConrady { k, .. } => {
                first_root(&[1.0, 3.0 * k[0], 5.0 * k[1], 7.0 * k[2]], MAX_RADIUS.powi(2)).sqrt()
            }
            Distortion::Fisheye { k } => {
                let slope = [1.0, 3.0 * k[0], 5.0 * k[1], 7.0 * k[2], 9.0 * k[3]];
                first_root(&slope, FRAC_PI_2.powi(2)).sqrt()
            }
        };
        Self { distortion: *distortion, fold }
    }

    /// Whether a point of the plane z = 1 lies before the fold.
    pub(crate) fn reaches(&self, plane: &Vector2<f64>) -> bool {
        match self.distortion {
            Distortion::None => true,
            Distortion::BrownConrady { k, p } => {
                let shift = if p == [0.0; 2] { 0.0 } else { MAX_FOLD_SHIFT };
                plane.norm() < self.fold * (1.0 + shift) && bent_by_brown(&k, &p, plane).1.determinant() > 0.0
            }
            Distortion::Fisheye { .. } => plane.norm().atan() < self.fold,
        }
    }

    /// The point of the plane z = 1 that appears somewhere; `None` where none before the fold does.
    pub(crate) fn unbent(&self, bent: &Vector2<f64>) -> Option<Vector2<f64>> {
        let wanted = bent.norm();
        let along = |radius: f64| if wanted > 0.0 { bent * (radius / wanted) } else { *bent };
        match self.distortion {
            Distortion::None => Some(*bent),
            Distortion::Fisheye { k } => {
                let angle = increasing(&|angle| fisheye_angle(&k, angle), wanted, self.fold)?;
                Some(along(angle.tan()))
            }
            Distortion::BrownConrady { k, p } => {
                let radial = |radius: f64| {
                    let (bent, slope) = bent_by_brown(&k, &[0.0; 2], &Vector2::new(radius, 0.0));
                    (bent.x, slope.m11)
                };
                let radius = increasing(&radial, wanted, self.fold);
                if p == [0.0; 2] {
                    return radius.map(along);
                }
                self.newton(&k, &p, bent, along(radius.unwrap_or(self.fold * (1.0 - MAX_FOLD_SHIFT))))
            }
        }
    }

    /// Newton's method for the point that appears somewhere, from one nearby.
    fn newton(&self, k: &[f64; 3], p: &[f64; 2], bent: &Vector2<f64>, near: Vector2<f64>) -> Option<Vector2<f64>> {
        let mut plane = near;
        for _ in 0..MAX_STEPS {
            let (there, slope) = bent_by_brown(k, p, &plane);
            let error = there - bent;
            if !(slope.determinant() > 0.0) {
                return None;
            }
            if error.norm() <= RAY_ERROR {
                return Some(plane).filter(|plane| self.reaches(plane));
            }
            plane -= slope.try_inverse()? * error;
        }
        None
    }
}

/// Where a function that increases from 0 on, given with its slope, has a value; `None` where it has none below `end`. Newton's
/// method, with a bisection where it would leave what is known to enclose the place.
fn increasing(function: &dyn Fn(f64) -> (f64, f64), wanted: f64, end: f64) -> Option<f64> {
    if !(function(end).0 > wanted) {
        return None;
    }
    let (mut low, mut high) = (0.0, end);
    let mut at = wanted.min(0.5 * end);
    for _ in 0..MAX_STEPS {
        let (value, slope) = function(at);
        if (value - wanted).abs() <= RAY_ERROR {
            break;
        }
        *(if value < wanted { &mut low } else { &mut high }) = at;
        let next = at - (value - wanted) / slope;
        at = if next > low && next < high { next } else { f64::midpoint(low, high) };
    }
    Some(at)
}

/// The lowest place above 0 where a polynomial, the constant first and positive, changes its sign; `end` where it does not before.
fn first_root(coefficients: &[f64], end: f64) -> f64 {
    sign_changes(coefficients, end).first().copied().unwrap_or(end)
}

/// Where a polynomial, the constant first, changes its sign between 0 and `end`, ascending. Between the sign changes of its derivative it is
/// monotone, so that bisection finds each.
fn sign_changes(coefficients: &[f64], end: f64) -> Vec<f64> {
    if coefficients.len() < 2 {
        return Vec::new();
    }
    let value = |x: f64| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    let derivative: Vec<f64> = coefficients.iter().enumerate().skip(1).map(|(power, c)| c * power as f64).collect();
    let mut places = Vec::new();
    let mut low = 0.0;
    for high in sign_changes(&derivative, end).into_iter().chain([end]) {
        if value(low) * value(high) < 0.0 {
            places.push(bisected(&value, low, high));
        }
        low = high;
    }
    places
}

/// Where a function changes its sign, to the last bit.
fn bisected(function: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let is_positive = function(low) > 0.0;
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return low;
        }
        *(if (function(middle) > 0.0) == is_positive { &mut low } else { &mut high }) = middle;
    }
}
