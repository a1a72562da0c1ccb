//! Down-sampling of points on a grid: one point per cell.

use kinetic_core::{KineticError, Result};
use nalgebra::{Point3, Vector3};

/// Cells along an axis that a grid can have.
const MAX_CELLS_PER_AXIS: f64 = (1 << 21) as f64;

/// Points of which each stands for all in its cell.
pub(crate) struct Downsampled {
    pub(crate) points: Vec<Point3<f64>>,
    /// Largest distance of a point from the one that stands for it, m.
    pub(crate) growth: f64,
}

/// One point of each occupied cell of a grid with edges of length `size` (m): the one nearest to the mean of the cell. Cells
/// begin at multiples of the size, so that they are the same in every picture.
///
/// # Errors
/// [`KineticError::InvalidValue`] when the points reach over more than two million cells along an axis.
pub(crate) fn downsampled(points: &[Point3<f64>], size: f64) -> Result<Downsampled> {
    let Some(first) = points.first() else { return Ok(Downsampled { points: Vec::new(), growth: 0.0 }) };
    let (low, high) = points.iter().fold((*first, *first), |(low, high), point| (low.inf(point), high.sup(point)));
    let corner = low.coords.map(|value| (value / size).floor());
    let cells = (high.coords / size - corner).max();
    if !(cells < MAX_CELLS_PER_AXIS) {
        let wanted =
            format!("at least {} m for points that reach over {} m", (high - low).max() / 2e6, (high - low).max());
        return Err(KineticError::invalid("voxel_size", size, wanted));
    }
    #[allow(clippy::cast_sign_loss, reason = "no point lies below the corner")]
    let key = |point: &Point3<f64>| {
        let cell = |axis: usize| ((point[axis] / size).floor() - corner[axis]) as u64;
        cell(0) << 42 | cell(1) << 21 | cell(2)
    };
    let mut keyed: Vec<(u64, u32)> = points.iter().map(key).zip(0..).collect();
    keyed.sort_unstable();
    let (mut kept, mut growth) = (Vec::new(), 0.0_f64);
    for cell in keyed.chunk_by(|a, b| a.0 == b.0) {
        let inside = || cell.iter().map(|(_, index)| &points[*index as usize]);
        let (point, farthest) = representative(inside);
        kept.push(point);
        growth = growth.max(farthest);
    }
    Ok(Downsampled { points: kept, growth })
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
