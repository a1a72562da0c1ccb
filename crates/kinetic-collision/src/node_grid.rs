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

/// A node of a cell: its number, and its place there, 0 or 1 along each axis.
type Corner = (usize, Vector3<f64>);

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

    /// The eight nodes around a cell.
    fn corners(&self, place: &GridPlace) -> impl Iterator<Item = Corner> + use<> {
        let ([_, ny, nz], node) = (self.nodes, place.node);
        (0..8).map(move |bits: usize| {
            let bit = [bits & 1, bits >> 1 & 1, bits >> 2];
            let [x, y, z] = [0, 1, 2].map(|axis| node[axis] + bit[axis]);
            ((x * ny + y) * nz + z, Vector3::from(bit.map(|bit| bit as f64)))
        })
    }

    /// The trilinear interpolation of the values of nodes.
    pub(crate) fn interpolated(&self, place: &GridPlace, value: impl Fn(usize) -> f64) -> f64 {
        self.corners(place).map(|(node, bit)| value(node) * weights(&bit, &place.share).product()).sum()
    }

    /// The gradient of [`interpolated`](Self::interpolated), per m.
    pub(crate) fn slope(&self, place: &GridPlace, value: impl Fn(usize) -> f64) -> Vector3<f64> {
        let of_corner = |(node, bit): Corner| {
            let weight = weights(&bit, &place.share);
            let slope = bit.map(|bit| 2.0 * bit - 1.0);
            let across = Vector3::new(weight.y * weight.z, weight.x * weight.z, weight.x * weight.y);
            slope.component_mul(&across) * value(node)
        };
        self.corners(place).map(of_corner).sum::<Vector3<f64>>() / self.resolution
    }

    /// The largest lower bound that the nodes around a cell prove, for values that change by at most a metre per metre.
    pub(crate) fn proven(&self, place: &GridPlace, value: impl Fn(usize) -> f64) -> f64 {
        let proven = |(node, bit): Corner| value(node) - (bit - place.share).norm() * self.resolution;
        self.corners(place).map(proven).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Share of a node in the value of a point, along each axis.
fn weights(bit: &Vector3<f64>, share: &Vector3<f64>) -> Vector3<f64> {
    bit.zip_map(share, |bit, share| if bit > 0.5 { share } else { 1.0 - share })
}
