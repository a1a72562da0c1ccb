//! Down-sampling of points on a grid: one point per cell.

mod hysteresis;

use kinetic_core::{KineticError, Result};
use nalgebra::{Point3, Vector3};

pub(crate) use hysteresis::occupied_cells;

/// Cells along an axis that a grid can have, with one beyond the outermost points on each side.
const MAX_CELLS_PER_AXIS: f64 = (1 << 21) as f64;

/// Bits that a cell of a key is shifted by, per axis.
const SHIFTS: [u32; 3] = [42, 21, 0];

/// Points that stand for others.
pub(crate) struct Downsampled {
    pub(crate) points: Vec<Point3<f64>>,
    /// Largest distance of a point from the one that stands for it, m.
    pub(crate) growth: f64,
    /// Points that stand for none.
    pub(crate) carried_over: usize,
}

impl Downsampled {
    /// Points of which each stands for itself.
    pub(crate) fn all(points: Vec<Point3<f64>>) -> Self {
        Self { points, growth: 0.0, carried_over: 0 }
    }
}

/// Cells around points. They begin at multiples of their size, so that they are the same in every picture.
struct CellGrid {
    size: f64,
    /// The first cell along each axis, one below the lowest point.
    first: Vector3<f64>,
}

impl CellGrid {
    /// Cells with edges of length `size` (m) around points; `None` without points.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the points reach over more than two million cells along an axis.
    fn around(points: &[Point3<f64>], size: f64) -> Result<Option<Self>> {
        let Some(first) = points.first() else { return Ok(None) };
        let (low, high) = points.iter().fold((*first, *first), |(low, high), point| (low.inf(point), high.sup(point)));
        let first = low.coords.map(|value| (value / size).floor() - 1.0);
        if !((high.coords / size - first).max() + 2.0 < MAX_CELLS_PER_AXIS) {
            let wanted =
                format!("at least {} m for points that reach over {} m", (high - low).max() / 2e6, (high - low).max());
            return Err(KineticError::invalid("voxel_size", size, wanted));
        }
        Ok(Some(Self { size, first }))
    }

    /// A number per cell, in the order of x, then y, then z. The point is inside the grid.
    fn key(&self, point: &Point3<f64>) -> u64 {
        #[allow(clippy::cast_sign_loss, reason = "no cell lies below the first")]
        let cell = |axis: usize| ((point[axis] / self.size).floor() - self.first[axis]) as u64;
        (0..3).fold(0, |key, axis| key | cell(axis) << SHIFTS[axis])
    }
}

/// One point of each occupied cell of a grid with edges of length `size` (m): the one nearest to the mean of the cell.
///
/// # Errors
/// [`KineticError::InvalidValue`] when the points reach over more than two million cells along an axis.
pub(crate) fn downsampled(points: &[Point3<f64>], size: f64) -> Result<Downsampled> {
    let Some(grid) = CellGrid::around(points, size)? else { return Ok(Downsampled::all(Vec::new())) };
    let mut keyed: Vec<(u64, u32)> = points.iter().map(|point| grid.key(point)).zip(0..).collect();
    keyed.sort_unstable();
    let (mut kept, mut growth) = (Vec::new(), 0.0_f64);
    for cell in keyed.chunk_by(|a, b| a.0 == b.0) {
        let inside = || cell.iter().map(|(_, index)| &points[*index as usize]);
        let (point, farthest) = representative(inside);
        kept.push(point);
        growth = growth.max(farthest);
    }
    Ok(Downsampled { points: kept, growth, carried_over: 0 })
}

/// The point nearest to the mean of some, the first of several, and the distance of the one that is farthest from it.
fn representative<'a, I: Iterator<Item = &'a Point3<f64>>>(inside: impl Fn() -> I) -> (Point3<f64>, f64) {
    let (sum, count) = inside().fold((Vector3::zeros(), 0.0), |(sum, count), point| (sum + point.coords, count + 1.0));
    let mean = Point3::from(sum / count);
    let nearest = |a: Point3<f64>, b: &Point3<f64>| {
        if (b - mean).norm_squared() < (a - mean).norm_squared() { *b } else { a }
    };
    let point = inside().fold(Point3::from(Vector3::repeat(f64::INFINITY)), nearest);
    let farthest = inside().map(|other| (other - point).norm_squared()).fold(0.0, f64::max);
    (point, farthest.sqrt())
}
