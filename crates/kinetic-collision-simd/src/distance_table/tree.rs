//! What a search decided, as a tree of the parts of the angles: small enough to be stored, unlike the table.

use super::cells::{Cells, Part, Plane};
use super::jointed_clusters::JointedClusters;
use super::{DistanceTable, MOST_JOINTS};

/// What heights of planes are multiples of, m, and slopes, m per rad.
const HEIGHT_STEP: f64 = 1.0 / 65_536.0;
const SLOPE_STEP: f64 = 1.0 / 8_192.0;

/// The next height that is not above a number, m. Numbers below all heights have the lowest one, which is not finite.
pub(crate) fn height_below(height: f64) -> f64 {
    let steps = (height / HEIGHT_STEP).floor();
    if steps < f64::from(i16::MIN) { f64::NEG_INFINITY } else { steps.min(f64::from(i16::MAX)) * HEIGHT_STEP }
}

/// A slope near a number, m per rad.
pub(crate) fn nearest_slope(slope: f64) -> f64 {
    f64::from((slope / SLOPE_STEP).round() as i16) * SLOPE_STEP
}

/// What is said of a part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Node {
    /// Its halves follow, each with all that is said of it.
    Halves,
    /// Nothing is known.
    Nothing,
    /// A plane below the distance, of the heights and slopes above.
    Plane(Plane),
}

/// The parts in the order in which a search visits them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Tree(Vec<Node>);

impl Tree {
    pub(crate) fn push(&mut self, node: Node) {
        self.0.push(node);
    }

    /// The table that it is about; `None` where it is about other clusters.
    pub(crate) fn table(&self, between: &JointedClusters) -> Option<DistanceTable> {
        let mut cells = Cells::new(between);
        let (whole, mut nodes) = (cells.whole(), self.0.iter());
        fill(&mut cells, &whole, &mut nodes)?;
        nodes.next().is_none().then(|| cells.finish())
    }

    /// A byte per part, and after that of a plane its height and its slopes along `axes` axes.
    pub(crate) fn to_bytes(&self, axes: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for node in &self.0 {
            match node {
                Node::Halves => bytes.push(0),
                Node::Nothing => bytes.push(1),
                Node::Plane(plane) => {
                    bytes.push(2);
                    let slopes = plane.slopes[..axes].iter().map(|slope| slope / SLOPE_STEP);
                    let steps = std::iter::once(plane.middle / HEIGHT_STEP).chain(slopes);
                    steps.for_each(|steps| bytes.extend((steps as i16).to_le_bytes()));
                }
            }
        }
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` for anything else.
    pub(crate) fn from_bytes(mut bytes: &[u8], axes: usize) -> Option<Self> {
        let mut nodes = Vec::new();
        while let Some((kind, rest)) = bytes.split_first() {
            bytes = rest;
            nodes.push(match kind {
                0 => Node::Halves,
                1 => Node::Nothing,
                2 => Node::Plane(take_plane(&mut bytes, axes)?),
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
    let middle = number()? * HEIGHT_STEP;
    let mut slopes = [0.0; MOST_JOINTS];
    for slope in &mut slopes[..axes] {
        *slope = number()? * SLOPE_STEP;
    }
    Some(Plane { middle, slopes })
}

/// Writes down what the next nodes say of a part; `None` where they do not fit.
fn fill<'a>(cells: &mut Cells, part: &Part, nodes: &mut impl Iterator<Item = &'a Node>) -> Option<()> {
    match nodes.next()? {
        Node::Halves => cells.halves(part)?.iter().try_for_each(|half| fill(cells, half, nodes))?,
        Node::Nothing => (),
        Node::Plane(plane) => cells.fill(part, plane),
    }
    Some(())
}
