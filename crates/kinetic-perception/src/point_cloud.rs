//! From measured points to the points of an obstacle.

use kinetic_core::{Control, KineticError, Result, Shape};
use nalgebra::Point3;

use crate::bounded_points::BoundedPoints;
use crate::outliers::OutlierFilter;
use crate::voxel_grid::{CellGroups, Downsampled, occupied_cells};

/// Points per look at the control.
const POINTS_PER_CHECK: usize = 65_536;

/// Factors by which cells are enlarged while points are too many: more than the estimate, and no more than this, since the
/// estimate is too large while most cells hold one point.
const CELL_ENLARGEMENT: f64 = 1.05;
const MAX_CELL_ENLARGEMENT: f64 = 1.5;

/// Three standard deviations of an estimated number of cells, relative to the number and times its square root.
const ESTIMATE_ERROR: f64 = 8.0;

/// The first cells for points that are too many, as a part of the radius, and their least size, m.
const FIRST_CELL_RATIO: f64 = 0.5;
const LEAST_FIRST_CELL_M: f64 = 1e-3;

/// Cells along the longest side of the box around the points at most, where their size was not stated.
const MOST_FIRST_CELLS: f64 = 1e6;

/// An axis-aligned box in the robot's root frame; points outside do not count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CropBox {
    /// Lowest corner, m; minus infinity where there is no bound.
    pub min: Point3<f64>,
    /// Highest corner, m.
    pub max: Point3<f64>,
}

impl CropBox {
    fn contains(&self, point: &Point3<f64>) -> bool {
        (0..3).all(|axis| (self.min[axis]..=self.max[axis]).contains(&point[axis]))
    }
}

/// What measured points pass before they are an obstacle, in the order of the fields.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCloudConfig {
    /// Radius of the ball around each point, m: at least half of the distance between neighbouring points, so that no
    /// surface has holes.
    pub sphere_radius: f64,
    /// Points outside are dropped.
    pub crop: Option<CropBox>,
    /// Points that are taken for measurement errors are dropped.
    pub outliers: Option<OutlierFilter>,
    /// One point per cell of a grid with edges of this length is kept, m. The radius grows by the largest distance of a point
    /// from the one that is kept for it.
    pub voxel_size: Option<f64>,
    /// Where more points are left, cells are enlarged until they are no more; then none of before stays.
    pub max_points: Option<usize>,
    /// The middle of a cell stands for its points, and a cell that an earlier result had stays while a point lies in one of the
    /// 27 cells around it: what a sensor's noise does to points on the border of cells soon changes nothing. It wants `voxel_size`;
    /// the radius grows by half of the diagonal of a cell.
    pub hysteresis: bool,
}

impl Default for PointCloudConfig {
    fn default() -> Self {
        Self {
            sphere_radius: 0.01,
            crop: None,
            outliers: None,
            voxel_size: None,
            max_points: Some(100_000),
            hysteresis: false,
        }
    }
}

/// How many points there were, and what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PointCloudReport {
    /// Points that were given.
    pub given: usize,
    /// Points with a coordinate that is NaN or infinite.
    pub not_finite: usize,
    /// Points outside the crop box.
    pub cropped: usize,
    /// Points that the caller excluded: on the robot, or on an object that is known otherwise.
    pub excluded: usize,
    /// Points that were taken for measurement errors.
    pub outliers: usize,
    /// Points for which another one stands.
    pub merged: usize,
    /// Points that are left.
    pub kept: usize,
    /// Those of them that hysteresis keeps, without a point of the measurement.
    pub carried_over: usize,
    /// Radius of the balls around them, m.
    pub radius: f64,
}

/// Points that are left, and the report about them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FilteredCloud {
    /// Points, m.
    pub points: Vec<Point3<f64>>,
    /// What became of the others, and the radius.
    pub report: PointCloudReport,
}

impl FilteredCloud {
    /// The shape; `None` without points.
    ///
    /// # Errors
    /// Those of [`Shape::point_cloud`].
    pub fn shape(&self) -> Result<Option<Shape>> {
        if self.points.is_empty() {
            return Ok(None);
        }
        Shape::point_cloud(&self.points, self.report.radius).map(Some)
    }
}

impl PointCloudConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        if !(self.sphere_radius.is_finite() && self.sphere_radius >= 0.0) {
            return Err(KineticError::invalid("sphere_radius", self.sphere_radius, "a number of at least 0 (m)"));
        }
        if let Some(crop) = &self.crop
            && !(0..3).all(|axis| crop.min[axis] <= crop.max[axis])
        {
            let given = format!("{:?} to {:?}", crop.min.coords.as_slice(), crop.max.coords.as_slice());
            return Err(KineticError::invalid("crop", given, "a lowest and a highest corner, in this order"));
        }
        self.outliers.as_ref().map_or(Ok(()), OutlierFilter::check)?;
        if let Some(size) = self.voxel_size.filter(|size| !(size.is_finite() && *size > 0.0)) {
            return Err(KineticError::invalid("voxel_size", size, "a positive finite number (m)"));
        }
        if self.max_points == Some(0) {
            return Err(KineticError::invalid("max_points", 0, "an integer of at least 1"));
        }
        if self.hysteresis && self.voxel_size.is_none() {
            return Err(KineticError::invalid("hysteresis", "no voxel_size", "the edge of the cells that stay (m)"));
        }
        Ok(())
    }

    /// Filters points (robot's root frame, m). `is_excluded` says which ones the caller knows otherwise; `before` is an earlier
    /// result, for hysteresis, which does not read other points.
    ///
    /// Balls of the resulting radius around the points that are left cover balls of `sphere_radius` around every point that was
    /// not dropped.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] as [`check`](Self::check), and when no point is finite: a sensor that sees nothing must
    /// not make the scene free. What [`Control::check`] says.
    pub fn filtered(
        &self,
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        before: &[Point3<f64>],
        is_excluded: &mut dyn FnMut(&Point3<f64>) -> bool,
        control: &Control,
    ) -> Result<FilteredCloud> {
        self.check()?;
        let mut report = PointCloudReport { given: points.len(), radius: self.sphere_radius, ..Default::default() };
        let mut left = Vec::with_capacity(points.len());
        for (index, point) in points.enumerate() {
            if index % POINTS_PER_CHECK == 0 {
                control.check(0)?;
            }
            if !point.iter().all(|value| value.is_finite()) {
                report.not_finite += 1;
            } else if self.crop.is_some_and(|crop| !crop.contains(&point)) {
                report.cropped += 1;
            } else if is_excluded(&point) {
                report.excluded += 1;
            } else {
                left.push(point);
            }
        }
        if report.not_finite == report.given {
            let given = format!("{} points, none of them finite", report.given);
            return Err(KineticError::invalid("point cloud", given, "at least one finite point"));
        }
        self.without_outliers(&mut left, &mut report, control)?;
        self.fewer(left, before, report, control)
    }

    fn without_outliers(
        &self,
        points: &mut Vec<Point3<f64>>,
        report: &mut PointCloudReport,
        control: &Control,
    ) -> Result<()> {
        let Some(filter) = &self.outliers else { return Ok(()) };
        let mut inliers = filter.inliers(points, control)?.into_iter();
        let before = points.len();
        points.retain(|_| inliers.next().unwrap_or(true));
        report.outliers = before - points.len();
        Ok(())
    }

    /// An edge of cells that merges what is much closer than the balls reach. It is not taken from the box around the points, which
    /// a single one far away can make as large as it likes.
    fn first_cell(&self, all: &BoundedPoints<'_>) -> f64 {
        let least = (all.size().max() / MOST_FIRST_CELLS).max(LEAST_FIRST_CELL_M);
        (FIRST_CELL_RATIO * self.sphere_radius).max(least)
    }

    /// Merges points as the size of cells and the largest number of points ask.
    fn fewer(
        &self,
        points: Vec<Point3<f64>>,
        before: &[Point3<f64>],
        mut report: PointCloudReport,
        control: &Control,
    ) -> Result<FilteredCloud> {
        let (count, most) = (points.len(), self.max_points.unwrap_or(usize::MAX));
        let left = if count == 0 || self.voxel_size.is_none() && count <= most {
            Downsampled::all(points)
        } else {
            self.merged(&BoundedPoints::new(&points), before, most, control)?
        };
        report.kept = left.points.len();
        report.carried_over = left.carried_over;
        report.merged = count + left.carried_over - report.kept;
        report.radius += left.growth;
        Ok(FilteredCloud { points: left.points, report })
    }

    /// At most so many points of cells, which are enlarged until they are few enough.
    fn merged(
        &self,
        all: &BoundedPoints<'_>,
        before: &[Point3<f64>],
        most: usize,
        control: &Control,
    ) -> Result<Downsampled> {
        let mut size = self.voxel_size.unwrap_or_else(|| self.first_cell(all));
        if self.hysteresis {
            let left = occupied_cells(all, size, before)?;
            if left.points.len() <= most {
                return Ok(left);
            }
        }
        let mut factor = CellGroups::estimated_len(all, size)? as f64 / most as f64;
        while factor > 1.0 + ESTIMATE_ERROR / (most as f64).sqrt() {
            control.check(0)?;
            size = larger_cell(size, factor);
            factor = CellGroups::estimated_len(all, size)? as f64 / most as f64;
        }
        loop {
            control.check(0)?;
            let groups = CellGroups::new(all, size)?;
            if groups.len() > most {
                size = larger_cell(size, groups.len() as f64 / most as f64);
            } else if self.hysteresis {
                // Cells of another size have nothing in common with those of before.
                return occupied_cells(all, size, &[]);
            } else {
                return Ok(groups.downsampled(all.points));
            }
        }
    }
}

/// A larger edge of cells for points that are too many by a factor. Points of surfaces become fewer with the square of it.
fn larger_cell(size: f64, factor: f64) -> f64 {
    size * (factor.sqrt() * CELL_ENLARGEMENT).min(MAX_CELL_ENLARGEMENT)
}
