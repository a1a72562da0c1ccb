//! A grid of nodes over a box, and trilinear interpolation between them.

use kinetic_core::error::{KineticError, Result, check_finite};
use nalgebra::{Point3, Vector3};

/// Nodes of a grid; with a distance and an owner each they take 1.5 GiB.
const MAX_GRID_NODES: f64 = (1_u32 << 27) as f64;

/// Nodes at equal distances along each axis, x slowest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeGrid {
    pub(crate) low: Point3<f64>,
    /// Distance of neighbouring nodes, m.
    pub(crate) resolution: f64,
    /// Number of nodes along each axis, at least two.
    pub(crate) nodes: [usize; 3],
}

/// The cell around a point: its first node and the coordinates in it, each in [0, 1].
pub(crate) struct GridPlace {
    node: [usize; 3],
    share: Vector3<f64>,
}

impl NodeGrid {
    /// Nodes every `resolution` from the lowest corner on until the box is covered.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] for an empty box, a resolution that is not positive,
    /// or more than 2²⁷ nodes.
    pub(crate) fn new(low: Point3<f64>, high: Point3<f64>, resolution: f64) -> Result<Self> {
        check_finite("field bounds", &[low.x, low.y, low.z, high.x, high.y, high.z])?;
        if !(resolution.is_finite() && resolution > 0.0) {
            return Err(KineticError::invalid("field resolution", resolution, "a positive finite number (m)"));
        }
        let size = high - low;
        if size.min() <= 0.0 {
            return Err(KineticError::invalid("field bounds", format!("{low} to {high}"), "a box with a volume"));
        }
        let counts = size.map(|length| (length / resolution).ceil() + 1.0);
        if !(counts.product() <= MAX_GRID_NODES) {
            return Err(KineticError::invalid("field nodes", counts.product(), format!("at most {MAX_GRID_NODES}")));
        }
        #[expect(clippy::cast_sign_loss, reason = "counts are positive")]
        let nodes = [0, 1, 2].map(|axis| counts[axis] as usize);
        Ok(Self { low, resolution, nodes })
    }

    /// Number of nodes.
    pub(crate) fn count(&self) -> usize {
        self.nodes.iter().product()
    }

    /// The place of a node.
    pub(crate) fn node(&self, index: usize) -> Point3<f64> {
        let [_, ny, nz] = self.nodes;
        let place = [index / (ny * nz), index / nz % ny, index % nz];
        self.low + Vector3::from_fn(|axis, _| place[axis] as f64 * self.resolution)
    }

    /// The last node.
    pub(crate) fn high(&self) -> Point3<f64> {
        self.low + self.last() * self.resolution
    }

    /// Number of cells along each axis.
    fn last(&self) -> Vector3<f64> {
        Vector3::from(self.nodes.map(|count| (count - 1) as f64))
    }

    /// The cell around a point; `None` outside of the grid.
    pub(crate) fn place(&self, point: &Point3<f64>) -> Option<GridPlace> {
        let (along, last) = ((point - self.low) / self.resolution, self.last());
        let is_inside = (0..3).all(|axis| along[axis] >= 0.0 && along[axis] <= last[axis]);
        is_inside.then(|| self.place_of(&along))
    }

    /// The cell around the point of the grid that is nearest to a point, and along which axes the point is inside; `None` for NaN.
    pub(crate) fn nearest_place(&self, point: &Point3<f64>) -> Option<(GridPlace, [bool; 3])> {
        let (along, last) = ((point - self.low) / self.resolution, self.last());
        let nearest = along.zip_map(&last, |along, last| along.clamp(0.0, last));
        let is_number = along.iter().all(|along| !along.is_nan());
        is_number.then(|| (self.place_of(&nearest), [0, 1, 2].map(|axis| along[axis] == nearest[axis])))
    }

    /// The cell around a place inside the grid, in cells from its first node.
    #[expect(clippy::cast_sign_loss, reason = "inside the grid no place is negative")]
    fn place_of(&self, along: &Vector3<f64>) -> GridPlace {
        let node = [0, 1, 2].map(|axis| (along[axis] as usize).min(self.nodes[axis] - 2));
        GridPlace { node, share: Vector3::from_fn(|axis, _| along[axis] - node[axis] as f64) }
    }

    /// The eight nodes around a cell, x slowest.
    fn corners(&self, place: &GridPlace) -> [usize; 8] {
        let ([_, ny, nz], [x, y, z]) = (self.nodes, place.node);
        let (first, row, slab) = ((x * ny + y) * nz + z, nz, ny * nz);
        [0, 1, row, row + 1, slab, slab + 1, slab + row, slab + row + 1].map(|offset| first + offset)
    }

    /// The trilinear interpolation of the values of nodes.
    pub(crate) fn interpolated(&self, place: &GridPlace, value: impl Fn(usize) -> f64) -> f64 {
        let v = self.corners(place).map(value);
        let share = &place.share;
        let at = |x: usize, y: usize| between(v[4 * x + 2 * y], v[4 * x + 2 * y + 1], share.z);
        let on = |x: usize| between(at(x, 0), at(x, 1), share.y);
        between(on(0), on(1), share.x)
    }

    /// The gradient of [`interpolated`](Self::interpolated), per m.
    pub(crate) fn slope(&self, place: &GridPlace, value: impl Fn(usize) -> f64) -> Vector3<f64> {
        let v = self.corners(place).map(value);
        let share = &place.share;
        // Along an axis the slopes of the four edges, between which the others interpolate.
        let over = |edge: usize, [a, b]: [(usize, f64); 2]| {
            let step = |corner: usize| v[corner + edge] - v[corner];
            between(between(step(0), step(b.0), b.1), between(step(a.0), step(a.0 + b.0), b.1), a.1)
        };
        let [x, y, z] = [(4, share.x), (2, share.y), (1, share.z)];
        Vector3::new(over(4, [y, z]), over(2, [x, z]), over(1, [x, y])) / self.resolution
    }

    /// The largest lower bound that the nodes around a cell prove, for values that change by at most a metre per metre.
    pub(crate) fn proven(&self, place: &GridPlace, value: impl Fn(usize) -> f64) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for (corner, node) in self.corners(place).into_iter().enumerate() {
            let bit = Vector3::new((corner >> 2) as f64, (corner >> 1 & 1) as f64, (corner & 1) as f64);
            most = most.max(value(node) - (bit - place.share).norm() * self.resolution);
        }
        most
    }
}

/// The value between two, at a part of the way.
fn between(a: f64, b: f64, share: f64) -> f64 {
    a + (b - a) * share
}
