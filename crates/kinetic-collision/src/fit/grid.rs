//! Regular cuts of a polytope.

use nalgebra::{Matrix3, Point3, SymmetricEigen, Vector3};

use super::cell::Cell;

/// Regular cuts of the box around a polytope: a second source of covers, since halving one cell at a time can end where
/// only many cuts at once would help.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Principal axes of the corners, as columns.
    axes: Matrix3<f64>,
    low: Vector3<f64>,
    size: Vector3<f64>,
    counts: [usize; 3],
}

impl Grid {
    pub(super) fn new(whole: &Cell) -> Self {
        let axes = principal_axes(&whole.corners);
        let along = |corner: &Point3<f64>| axes.tr_mul(&corner.coords);
        let first = along(&whole.corners[0]);
        let (low, high) = whole.corners.iter().map(along).fold((first, first), |(l, h), x| (l.inf(&x), h.sup(&x)));
        Self { axes, low, size: high - low, counts: [1; 3] }
    }

    /// One more cut, across the longest side of the boxes.
    pub(super) fn advance(&mut self) {
        let longest = (0..3).max_by(|i, j| self.side(*i).total_cmp(&self.side(*j))).unwrap_or(0);
        self.counts[longest] += 1;
    }

    fn side(&self, axis: usize) -> f64 {
        self.size[axis] / self.counts[axis] as f64
    }

    pub(super) fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// The parts of a polytope in the boxes.
    pub(super) fn cut(&self, whole: &Cell) -> Vec<Cell> {
        let mut cells = vec![whole.clone()];
        for axis in 0..3 {
            let normal = self.axes.column(axis).into_owned();
            let mut slabs = Vec::new();
            for cell in cells {
                let mut rest = Some(cell);
                for cut in 1..self.counts[axis] {
                    let height = self.low[axis] + self.side(axis) * cut as f64;
                    slabs.extend(rest.clone().and_then(|cell| cell.below(&normal, height)));
                    rest = rest.and_then(|cell| cell.below(&-normal, -height));
                }
                slabs.extend(rest);
            }
            cells = slabs;
        }
        cells
    }
}

/// Orthonormal axes along which points vary most and least.
pub(super) fn principal_axes(points: &[Point3<f64>]) -> Matrix3<f64> {
    let mean = points.iter().map(|point| point.coords).sum::<Vector3<f64>>() / points.len() as f64;
    let covariance = points.iter().map(|point| (point.coords - mean) * (point.coords - mean).transpose()).sum();
    SymmetricEigen::new(covariance).eigenvectors
}
