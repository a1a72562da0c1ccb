//! Depth images: a distance along the optical axis per pixel.

use kinetic_core::error::check_len;
use kinetic_core::{Control, KineticError, Result};
use nalgebra::Point3;

use crate::camera::CameraModel;
use crate::distortion::Distortion;
use crate::ray_table::RayTable;

/// Depths, row after row.
#[derive(Debug, Clone, Copy)]
pub enum DepthValues<'a> {
    /// Integers with the length of a unit, m; 0 means that nothing was measured.
    Integers(&'a [u16], f64),
    /// Metres; NaN, infinity and 0 mean that nothing was measured.
    Metres(&'a [f32]),
}

impl DepthValues<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Integers(values, _) => values.len(),
            Self::Metres(values) => values.len(),
        }
    }

    /// A depth, m; not positive or NaN where nothing was measured.
    #[inline]
    fn at(&self, index: usize) -> f64 {
        match self {
            Self::Integers(values, unit) => f64::from(values[index]) * unit,
            Self::Metres(values) => f64::from(values[index]),
        }
    }
}

/// A depth image.
#[derive(Debug, Clone, Copy)]
pub struct DepthImage<'a> {
    /// Depths, row after row.
    pub values: DepthValues<'a>,
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The camera.
    pub camera: CameraModel,
    /// Nearer depths do not count, m.
    pub min_depth: f64,
    /// Farther depths do not count, m.
    pub max_depth: f64,
    /// Pixels that differ by more than this part of their depth from both neighbours, along rows or along columns, do not
    /// count: time-of-flight and stereo cameras see something between foreground and background there.
    pub flying_pixel_ratio: Option<f64>,
}

impl DepthImage<'_> {
    /// Refuses an image of another size than its values, depths in no order and cameras that are none.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::InvalidValue`].
    pub fn check(&self) -> Result<()> {
        self.camera.check()?;
        check_len("depth image", self.values.len(), self.width.saturating_mul(self.height))?;
        if let DepthValues::Integers(_, unit) = self.values
            && !(unit.is_finite() && unit > 0.0)
        {
            return Err(KineticError::invalid("depth_scale", unit, "a positive finite length (m)"));
        }
        if !(self.min_depth >= 0.0 && self.min_depth < self.max_depth) {
            let given = format!("{} to {}", self.min_depth, self.max_depth);
            return Err(KineticError::invalid("min_depth and max_depth", given, "0 ≤ min_depth < max_depth (m)"));
        }
        if let Some(ratio) = self.flying_pixel_ratio.filter(|ratio| !(ratio.is_finite() && *ratio > 0.0)) {
            return Err(KineticError::invalid("flying_pixel_ratio", ratio, "a positive number"));
        }
        Ok(())
    }

    /// The points that were measured, in the frame of the camera (m), row after row.
    ///
    /// # Errors
    /// As [`check`](Self::check), and what [`Control::check`] says.
    pub fn points(&self, control: &Control) -> Result<Vec<Point3<f64>>> {
        self.check()?;
        let CameraModel { fx, fy, cx, cy, distortion } = self.camera;
        if distortion == Distortion::None {
            let ray = |row: usize, column: usize| [(column as f64 - cx) / fx, (row as f64 - cy) / fy];
            return self.points_along(ray, control);
        }
        let table = RayTable::of(&self.camera, [self.height, self.width], control)?;
        self.points_along(|row, column| table.rays[row * self.width + column], control)
    }

    /// The points on rays, by where these meet the plane z = 1; NaN where there is none.
    fn points_along(&self, ray: impl Fn(usize, usize) -> [f64; 2], control: &Control) -> Result<Vec<Point3<f64>>> {
        let mut points = Vec::with_capacity(self.values.len());
        for row in 0..self.height {
            control.check(0)?;
            for column in 0..self.width {
                let [x, y] = ray(row, column);
                let measured = self.measured(row, column).filter(|_| !x.is_nan());
                if let Some(depth) = measured.filter(|depth| !self.is_flying(row, column, *depth)) {
                    points.push(Point3::new(x * depth, y * depth, depth));
                }
            }
        }
        Ok(points)
    }

    /// The depth of a pixel, where one was measured.
    #[inline]
    fn measured(&self, row: usize, column: usize) -> Option<f64> {
        let depth = self.values.at(row * self.width + column);
        (depth.is_finite() && depth > 0.0 && depth >= self.min_depth && depth <= self.max_depth).then_some(depth)
    }

    fn is_flying(&self, row: usize, column: usize, depth: f64) -> bool {
        let Some(ratio) = self.flying_pixel_ratio else { return false };
        let differs = |other: Option<f64>| other.is_none_or(|other| (other - depth).abs() > ratio * depth);
        let along_row = column > 0
            && column + 1 < self.width
            && differs(self.measured(row, column - 1))
            && differs(self.measured(row, column + 1));
        let along_column = row > 0
            && row + 1 < self.height
            && differs(self.measured(row - 1, column))
            && differs(self.measured(row + 1, column));
        along_row || along_column
    }
}
