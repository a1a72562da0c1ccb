//! Bounding-volume tree of a compound obstacle in single precision, traversed once for all lanes.

use std::sync::Arc;

use kinetic_collision::{Aabb, Compound};
use nalgebra::{Point3, Vector3};

use crate::model::point_tree::PointTree;
use crate::model::tree_search::{Search, Stop};
use crate::rounding::single;
use crate::vector::{Lanes, Point, interval_distance};

/// Pieces per group of neighbours in the order of the compound.
const PIECES_PER_GROUP: usize = 8;

/// A tree over the pieces of a compound, in the compound's frame.
#[derive(Debug, Clone)]
pub struct CompoundTree {
    compound: Arc<Compound>,
    /// In depth-first order: the first child of a node follows it.
    nodes: Vec<CompoundTreeNode>,
    /// Bounding planes of the pieces.
    facets: Vec<Facet>,
    /// Of a point cloud, which has neither nodes nor facets.
    points: Option<PointTree>,
}

/// A node of the tree: the bounding box of some pieces.
#[derive(Debug, Clone, Copy)]
struct CompoundTreeNode {
    lower: [f32; 3],
    upper: [f32; 3],
    /// The next node in depth-first order after the subtree of this one.
    next: u32,
    /// The piece, of a leaf.
    facet: Option<u32>,
}

/// Bounding planes of a piece: the plane of a triangle, and three perpendicular ones through its edges.
#[derive(Debug, Clone, Copy)]
struct Facet {
    normal: [f32; 3],
    offset: f32,
    /// True when all points below the plane may belong to the piece.
    is_one_sided: bool,
    sides: [([f32; 3], f32); 3],
}

impl CompoundTree {
    /// The tree of the pieces of a compound.
    pub fn new(compound: &Arc<Compound>) -> Self {
        if let Some(points) = PointTree::new(compound) {
            let (points, compound) = (Some(points), Arc::clone(compound));
            return Self { compound, nodes: Vec::new(), facets: Vec::new(), points };
        }
        let mut nodes = Vec::with_capacity(2 * compound.len());
        let boxes: Vec<Aabb> = (0..compound.len()).map(|index| compound.piece_box(index)).collect();
        build(&boxes, 0, &mut nodes);
        let is_one_sided = !matches!(compound.shape(), kinetic_core::Shape::Mesh { .. });
        let facet = |index: usize| Facet::new(compound.piece_triangle(index), is_one_sided);
        let facets = (0..compound.len()).map(facet).collect();
        Self { compound: Arc::clone(compound), nodes, facets, points: None }
    }

    /// The pieces.
    pub fn compound(&self) -> &Compound {
        &self.compound
    }

    /// Lower bound on the squared distance of points from the nearest piece, which the radius does not enlarge, as [`Stop`]
    /// says; 0 inside a solid, farther than `surface`, which is at most `limit`, from its pieces.
    #[inline(always)]
    pub(crate) fn distance_squared<L: Lanes>(&self, point: Point<L>, limit: L, surface: L, stop: Stop) -> L {
        if let Some(points) = &self.points {
            return points.distance_squared(point, limit, stop);
        }
        let mut search = Search::new(limit, stop);
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            let distance = node.distance_squared(point);
            if search.is_beyond(distance) {
                index = node.next as usize;
                continue;
            }
            if let Some(facet) = node.facet
                && search.is_over_with(distance.max(self.facets[facet as usize].distance_squared(point)))
            {
                return search.best;
            }
            index += 1;
        }
        if self.compound.is_solid() { self.filled(point, search.best, surface * surface) } else { search.best }
    }

    /// 0 in lanes that lie inside the solid. Only lanes beyond `surface` (squared) are tested, because rounding cannot
    /// move them across the surface.
    #[inline(never)]
    fn filled<L: Lanes>(&self, point: Point<L>, mut best: L, surface: L) -> L {
        for lane in 0..L::WIDTH {
            let position =
                Point3::new(point.x.lanes()[lane], point.y.lanes()[lane], point.z.lanes()[lane]).map(f64::from);
            if best.lanes()[lane] > surface.lanes()[lane] && self.compound.encloses(&position) {
                best.lanes_mut()[lane] = 0.0;
            }
        }
        best
    }
}

/// Builds the subtree of some boxes, of which the first belongs to piece `first`.
fn build(boxes: &[Aabb], first: usize, nodes: &mut Vec<CompoundTreeNode>) {
    let around = boxes.iter().skip(1).fold(boxes[0], |all, next| all.union(next));
    let index = nodes.len();
    let facet = (boxes.len() == 1).then_some(first as u32);
    nodes.push(CompoundTreeNode { lower: below(&around.min), upper: above(&around.max), next: 0, facet });
    if boxes.len() > 1 {
        // Splits between groups of the order of pieces, then into halves.
        let middle = boxes.len().div_ceil(2);
        let middle = if boxes.len() > PIECES_PER_GROUP {
            middle.next_multiple_of(PIECES_PER_GROUP).min(boxes.len() - 1)
        } else {
            middle
        };
        build(&boxes[..middle], first, nodes);
        build(&boxes[middle..], first + middle, nodes);
    }
    nodes[index].next = nodes.len() as u32;
}

fn below(point: &Point3<f64>) -> [f32; 3] {
    single(&point.coords).map(f32::next_down)
}

fn above(point: &Point3<f64>) -> [f32; 3] {
    single(&point.coords).map(f32::next_up)
}

impl CompoundTreeNode {
    /// Squared distance from the box. It is rounded the same way for every box, so that a box is never farther than a
    /// box inside it.
    #[inline(always)]
    fn distance_squared<L: Lanes>(&self, point: Point<L>) -> L {
        let x = interval_distance(point.x, self.lower[0], self.upper[0]);
        let y = interval_distance(point.y, self.lower[1], self.upper[1]);
        let z = interval_distance(point.z, self.lower[2], self.upper[2]);
        x.mul_add(x, y.mul_add(y, z * z))
    }
}

impl Facet {
    /// The planes of a triangle; planes that bound nothing without a triangle or for one without area.
    fn new(triangle: Option<[Point3<f64>; 3]>, is_one_sided: bool) -> Self {
        let nothing = ([0.0; 3], 0.0);
        let none = Self { normal: [0.0; 3], offset: 0.0, is_one_sided, sides: [nothing; 3] };
        let Some(corners) = triangle else { return none };
        let [a, b, c] = corners;
        // The normal of a thinner triangle is not accurate enough.
        let longest = (b - a).norm_squared().max((c - a).norm_squared()).max((c - b).norm_squared());
        let across = (b - a).cross(&(c - a));
        if across.norm() <= 1e-6 * longest {
            return none;
        }
        let normal = across.normalize();
        let side = |from: usize| {
            let edge = corners[(from + 1) % 3] - corners[from];
            let outward = edge.cross(&normal).normalize();
            plane(&outward, &corners[from])
        };
        let sides = if is_one_sided { [nothing; 3] } else { [side(0), side(1), side(2)] };
        let (normal, offset) = plane(&normal, &a);
        Self { normal, offset, is_one_sided, sides }
    }

    #[inline(always)]
    fn distance_squared<L: Lanes>(&self, point: Point<L>) -> L {
        let height = point.dot_fixed(self.normal).less(self.offset);
        let height = if self.is_one_sided { height.max(L::ZERO) } else { height };
        let mut beside = L::ZERO;
        for (outward, offset) in &self.sides {
            beside = beside.max(point.dot_fixed(*outward).less(*offset));
        }
        height.mul_add(height, beside * beside)
    }
}

fn plane(normal: &Vector3<f64>, through: &Point3<f64>) -> ([f32; 3], f32) {
    (single(normal), normal.dot(&through.coords) as f32)
}
