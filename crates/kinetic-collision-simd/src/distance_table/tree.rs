//! A distance table as a tree of boxes of joint angles, which is small enough to be stored, unlike the table.

use super::cells::{CellBox, Cells, Plane};
use super::jointed_clusters::JointedClusters;
use super::{DistanceTable, MAX_TABLE_JOINTS};

/// Quantization steps of plane heights, m, and of slopes, m per rad.
const HEIGHT_STEP_M: f64 = 1.0 / 65_536.0;
const SLOPE_STEP_M_PER_RAD: f64 = 1.0 / 8_192.0;

/// Quantizes a height downwards, m. Below the range of heights the result is negative infinity.
pub(crate) fn height_below(height: f64) -> f64 {
    let steps = (height / HEIGHT_STEP_M).floor();
    if steps < f64::from(i16::MIN) { f64::NEG_INFINITY } else { steps.min(f64::from(i16::MAX)) * HEIGHT_STEP_M }
}

/// Quantizes a slope to the nearest step, m per rad.
pub(crate) fn nearest_slope(slope: f64) -> f64 {
    f64::from((slope / SLOPE_STEP_M_PER_RAD).round() as i16) * SLOPE_STEP_M_PER_RAD
}

/// A node: what is known of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TableNode {
    /// The subtrees of its halves follow.
    Halves,
    /// No bound is known.
    Nothing,
    /// A plane below the distance, quantized.
    Plane(Plane),
}

/// The nodes in depth-first order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TableTree(Vec<TableNode>);

impl TableTree {
    pub(crate) fn push(&mut self, node: TableNode) {
        self.0.push(node);
    }

    /// Expands the tree to a table; `None` when it does not fit the cells of these clusters.
    pub(crate) fn table(&self, jointed: &JointedClusters) -> Option<DistanceTable> {
        let mut cells = Cells::new(jointed);
        let (whole, mut nodes) = (cells.whole(), self.0.iter());
        fill(&mut cells, &whole, &mut nodes)?;
        nodes.next().is_none().then(|| cells.finish())
    }

    /// Serializes the tree: a byte per node, followed for a plane by its height and its slopes along `axes` axes.
    pub(crate) fn to_bytes(&self, axes: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for node in &self.0 {
            match node {
                TableNode::Halves => bytes.push(0),
                TableNode::Nothing => bytes.push(1),
                TableNode::Plane(plane) => {
                    bytes.push(2);
                    let slopes = plane.slopes[..axes].iter().map(|slope| slope / SLOPE_STEP_M_PER_RAD);
                    let steps = std::iter::once(plane.middle / HEIGHT_STEP_M).chain(slopes);
                    steps.for_each(|steps| bytes.extend((steps as i16).to_le_bytes()));
                }
            }
        }
        bytes
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes); `None` for anything else.
    pub(crate) fn from_bytes(mut bytes: &[u8], axes: usize) -> Option<Self> {
        let mut nodes = Vec::new();
        while let Some((kind, rest)) = bytes.split_first() {
            bytes = rest;
            nodes.push(match kind {
                0 => TableNode::Halves,
                1 => TableNode::Nothing,
                2 => TableNode::Plane(take_plane(&mut bytes, axes)?),
                _ => return None,
            });
        }
        Some(Self(nodes))
    }
}

fn take_plane(bytes: &mut &[u8], axes: usize) -> Option<Plane> {
    let mut number = || {
        let (two, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(f64::from(i16::from_le_bytes(*two)))
    };
    let middle = number()? * HEIGHT_STEP_M;
    let mut slopes = [0.0; MAX_TABLE_JOINTS];
    for slope in &mut slopes[..axes] {
        *slope = number()? * SLOPE_STEP_M_PER_RAD;
    }
    Some(Plane { middle, slopes })
}

/// Writes the planes of the next nodes to the cells of a box; `None` where the nodes do not fit.
fn fill<'a>(cells: &mut Cells, cell_box: &CellBox, nodes: &mut impl Iterator<Item = &'a TableNode>) -> Option<()> {
    match nodes.next()? {
        TableNode::Halves => cells.halves(cell_box)?.iter().try_for_each(|half| fill(cells, half, nodes))?,
        TableNode::Nothing => (),
        TableNode::Plane(plane) => cells.fill(cell_box, plane),
    }
    Some(())
}
