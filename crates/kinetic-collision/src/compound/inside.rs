//! Inside test of a closed triangle mesh by generalised winding numbers (Jacobson et al. 2013).

use nalgebra::{Point3, Vector3};

use crate::aabb::Aabb;
use crate::triangle_tree::{Triangle, TriangleTree};

/// Grid cells along the longest side. Away from the surface, all points of a cell are on the same side.
const CELLS_ALONG_LONGEST_SIDE: f64 = 32.0;
/// Distance in radii from which on a cluster of triangles counts as one, with an error of the winding number below a
/// thousandth.
const WINDING_FAR_RATIO: f64 = 8.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GridCell {
    Unknown,
    /// A triangle may pass through it.
    Surface,
    Inside,
    Outside,
}

/// The inside of a closed surface: a grid of classified cells, and winding numbers in the cells at the surface.
#[derive(Debug, Clone)]
pub(super) struct Inside {
    tree: TriangleTree,
    low: Point3<f64>,
    side: f64,
    counts: [usize; 3],
    cells: Vec<GridCell>,
}

impl Inside {
    pub(super) fn new(triangles: &[Triangle]) -> Self {
        let bounds = Aabb::from_points(triangles.iter().flatten()).unwrap_or_else(Aabb::unbounded);
        // A surface of no size still has one cell.
        let side = (bounds.size().max() / CELLS_ALONG_LONGEST_SIDE).max(f64::MIN_POSITIVE.sqrt());
        let low = bounds.min - Vector3::repeat(0.5 * side);
        #[expect(clippy::cast_sign_loss, reason = "no side is negative")]
        let counts = [0, 1, 2].map(|axis| (bounds.size()[axis] / side) as usize + 2);
        let cells = vec![GridCell::Unknown; counts.iter().product()];
        let mut inside = Self { tree: TriangleTree::new(triangles.to_vec()), low, side, counts, cells };
        for triangle in triangles {
            inside.mark(triangle);
        }
        inside.classify();
        inside
    }

    /// True when the surface winds around the point.
    pub(super) fn contains(&self, point: &Point3<f64>) -> bool {
        let Some(index) = self.cell(point) else { return false };
        match self.cells[index] {
            GridCell::Inside => true,
            GridCell::Outside => false,
            _ => self.is_wound(point),
        }
    }

    fn is_wound(&self, point: &Point3<f64>) -> bool {
        self.tree.winding(point, WINDING_FAR_RATIO).abs() > 0.5
    }

    #[expect(clippy::cast_sign_loss, reason = "used where it is not negative")]
    fn cell(&self, point: &Point3<f64>) -> Option<usize> {
        let mut place = [0; 3];
        for axis in 0..3 {
            let offset = (point[axis] - self.low[axis]) / self.side;
            if !(offset >= 0.0 && offset < self.counts[axis] as f64) {
                return None;
            }
            place[axis] = offset as usize;
        }
        Some(self.index(place))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Marks all cells that a triangle may pass through: those which its box meets and its plane cuts.
    fn mark(&mut self, triangle: &Triangle) {
        let [a, b, c] = triangle;
        let (min, max) = (a.inf(b).inf(c), a.sup(b).sup(c));
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
        // The half-diagonal of a cell along the normal, and what rounding may do.
        let thickness = self.side * (normal.abs().sum() / 2.0 + 1e-6);
        let range = |axis: usize| self.place(axis, min[axis], -1e-6)..=self.place(axis, max[axis], 1e-6);
        let [along_x, along_y, along_z] = [range(0), range(1), range(2)];
        for z in along_z {
            for y in along_y.clone() {
                for x in along_x.clone() {
                    if normal.dot(&(self.middle([x, y, z]) - a)).abs() <= thickness {
                        let index = self.index([x, y, z]);
                        self.cells[index] = GridCell::Surface;
                    }
                }
            }
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "clamped")]
    fn place(&self, axis: usize, value: f64, room: f64) -> usize {
        let place = (value - self.low[axis]) / self.side + room;
        place.clamp(0.0, (self.counts[axis] - 1) as f64) as usize
    }

    fn middle(&self, place: [usize; 3]) -> Point3<f64> {
        self.low + Vector3::from_fn(|axis, _| place[axis] as f64 + 0.5) * self.side
    }

    /// Decides all other cells. Neighbours that no triangle passes through lie on the same side.
    fn classify(&mut self) {
        let [nx, ny, nz] = self.counts;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let index = self.index([x, y, z]);
                    if self.cells[index] == GridCell::Unknown {
                        let before = [(x > 0, 1), (y > 0, nx), (z > 0, nx * ny)];
                        let known =
                            before.into_iter().filter(|(exists, _)| *exists).map(|(_, step)| self.cells[index - step]);
                        let known = known.into_iter().find(|cell| *cell != GridCell::Surface);
                        self.cells[index] = known.unwrap_or_else(|| self.decided(&self.middle([x, y, z])));
                    }
                }
            }
        }
    }

    fn decided(&self, middle: &Point3<f64>) -> GridCell {
        if self.is_wound(middle) { GridCell::Inside } else { GridCell::Outside }
    }
}
