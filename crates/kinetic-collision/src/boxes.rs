//! Bounding-volume hierarchy with eight children per node, whose boxes are tested in one vectorized loop.

mod box_node;
mod point_node;

use kinetic_core::parallel::in_chunks;
use nalgebra::{Point3, Vector3};

use crate::aabb::Aabb;
pub use box_node::{BoxNode, CHILDREN_PER_NODE};
pub use point_node::PointNode;

/// Leaves of points that are worth a thread.
const LEAVES_PER_CHUNK: usize = 1 << 11;

/// The larger of two numbers that is above 0, or 0. Comparisons instead of `f32::max` compile to one instruction each. A NaN (infinite
/// coordinates) ends as 0: such a box is visited.
#[inline]
fn excess(below: f32, above: f32) -> f32 {
    let outside = if below > above { below } else { above };
    if outside > 0.0 { outside } else { 0.0 }
}

/// A query point or box, in single precision. Search distances around it are enlarged by a bound on the rounding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query {
    lower: [f32; 3],
    upper: [f32; 3],
    /// Bound of the rounding of the coordinates and their differences, m.
    slack: f64,
}

impl Query {
    pub(crate) fn new(point: &Point3<f64>) -> Self {
        let point_single = [point.x as f32, point.y as f32, point.z as f32];
        // Half an ulp (6e-8) per coordinate and operation; ten times that covers three axes.
        Self { lower: point_single, upper: point_single, slack: 1e-6 * point.coords.amax() }
    }

    /// A query about everything near a box.
    pub(crate) fn around(bounds: &Aabb) -> Self {
        Self {
            lower: std::array::from_fn(|axis| bounds.min[axis] as f32),
            upper: std::array::from_fn(|axis| bounds.max[axis] as f32),
            slack: 1e-6 * bounds.min.coords.amax().max(bounds.max.coords.amax()),
        }
    }

    /// Largest squared distance of boxes that may contain shapes within `reach`.
    ///
    /// A negative `reach` is for points deep inside shapes, whose boxes are at distance 0.
    #[inline]
    pub(crate) fn limit(&self, reach: f64) -> f32 {
        let reach = reach.max(0.0) + self.slack;
        // The sum of squares is off by a few 1e-7 of itself.
        (reach * reach * (1.0 + 1e-6)) as f32
    }
}

/// A plane: points with `normal · x > offset` lie beyond it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxPlane {
    pub(crate) normal: Vector3<f64>,
    pub(crate) offset: f64,
}

/// What a search does with a tree.
pub(crate) trait BoxVisitor {
    /// Boxes beyond this plane do not matter.
    fn plane(&self) -> Option<&BoxPlane> {
        None
    }

    /// Looks at a leaf; returns the limit anew, as for [`BoxTree::visit`].
    fn visit(&mut self, leaf: usize) -> f32;
}

impl<F: FnMut(usize) -> f32> BoxVisitor for F {
    fn visit(&mut self, leaf: usize) -> f32 {
        self(leaf)
    }
}

/// The leaves of a tree, in nodes.
#[derive(Debug, Clone)]
enum Leaves {
    Boxes(Vec<BoxNode>),
    Points(Vec<PointNode>),
}

/// A static tree over boxes that were put in [`spatial_order`], or over points.
#[derive(Debug, Clone)]
pub(crate) struct BoxTree {
    leaves: Leaves,
    /// Nodes over the nodes of the leaves, then over those: child `i` of a level is node `i` of the one below.
    levels: Vec<Vec<BoxNode>>,
    len: usize,
}

impl Default for BoxTree {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl BoxTree {
    /// A tree whose leaf `i` is `boxes[i]`.
    pub(crate) fn new(boxes: &[Aabb]) -> Self {
        let leaves: Vec<_> = boxes.chunks(CHILDREN_PER_NODE).map(BoxNode::of_boxes).collect();
        let above =
            if leaves.len() > 1 { leaves.chunks(CHILDREN_PER_NODE).map(BoxNode::over).collect() } else { vec![] };
        Self::below(above, Leaves::Boxes(leaves), boxes.len())
    }

    /// A tree whose leaf `i` is `points[i]`. There is at least one level of nodes over its leaves.
    pub(crate) fn of_points(points: &[Point3<f64>]) -> Self {
        let mut leaves = vec![PointNode::ORIGIN; points.len().div_ceil(CHILDREN_PER_NODE)];
        in_chunks(&mut leaves, 1, LEAVES_PER_CHUNK, |first, out| {
            let points = points[first * CHILDREN_PER_NODE..].chunks(CHILDREN_PER_NODE);
            out.iter_mut().zip(points).for_each(|(leaf, points)| *leaf = PointNode::new(points));
        });
        let mut above = vec![BoxNode::EMPTY; leaves.len().div_ceil(CHILDREN_PER_NODE)];
        in_chunks(&mut above, 1, LEAVES_PER_CHUNK / CHILDREN_PER_NODE, |first, out| {
            let leaves = leaves[first * CHILDREN_PER_NODE..].chunks(CHILDREN_PER_NODE);
            out.iter_mut().zip(leaves).for_each(|(node, leaves)| *node = BoxNode::over_points(leaves));
        });
        Self::below(above, Leaves::Points(leaves), points.len())
    }

    /// The leaves of a tree over points, and the nodes over them, level by level; `None` for a tree over boxes.
    pub(crate) fn point_nodes(&self) -> Option<(&[PointNode], &[Vec<BoxNode>])> {
        if let Leaves::Points(leaves) = &self.leaves { Some((leaves, &self.levels)) } else { None }
    }

    /// A tree of `len` leaves, with the nodes over them.
    fn below(nodes: Vec<BoxNode>, leaves: Leaves, len: usize) -> Self {
        let mut levels = if nodes.is_empty() { Vec::new() } else { vec![nodes] };
        while let Some(below) = levels.last().filter(|nodes| nodes.len() > 1) {
            levels.push(below.chunks(CHILDREN_PER_NODE).map(BoxNode::over).collect());
        }
        Self { leaves, levels, len }
    }

    /// Refits a tree over boxes to another box of a leaf. Inner boxes may be larger than those of a new tree.
    pub(crate) fn refit(&mut self, leaf: usize, bounds: &Aabb) {
        let Leaves::Boxes(leaves) = &mut self.leaves else { return };
        let (mut number, mut place) = (leaf / CHILDREN_PER_NODE, leaf % CHILDREN_PER_NODE);
        leaves[number].set_box(place, bounds);
        let mut below = &leaves[number];
        for nodes in &mut self.levels {
            (number, place) = (number / CHILDREN_PER_NODE, number % CHILDREN_PER_NODE);
            nodes[number].set(place, &below.corners());
            below = &nodes[number];
        }
    }

    /// Squared distances of a query from the children of a node. Level 0 are the leaves.
    #[inline]
    fn distances_squared(&self, level: usize, node: usize, query: &Query) -> [f32; CHILDREN_PER_NODE] {
        match (level.checked_sub(1), &self.leaves) {
            (Some(above), _) => self.levels[above][node].distances_squared(query),
            (None, Leaves::Boxes(leaves)) => leaves[node].distances_squared(query),
            (None, Leaves::Points(leaves)) => leaves[node].distances_squared(query),
        }
    }

    /// True when a child of a node lies beyond a plane.
    #[inline]
    fn is_beyond(&self, level: usize, node: usize, place: usize, plane: &BoxPlane) -> bool {
        match (level.checked_sub(1), &self.leaves) {
            (Some(above), _) => self.levels[above][node].is_beyond(place, plane),
            (None, Leaves::Boxes(leaves)) => leaves[node].is_beyond(place, plane),
            (None, Leaves::Points(leaves)) => leaves[node].is_beyond(place, plane),
        }
    }

    /// Number of the children of all nodes of a level.
    #[inline]
    fn children(&self, level: usize) -> usize {
        match level {
            0 => self.len,
            1 => self.len.div_ceil(CHILDREN_PER_NODE),
            _ => self.levels[level - 2].len(),
        }
    }

    /// The level of the root; `None` for an empty tree.
    #[inline]
    fn top(&self) -> Option<usize> {
        (self.len > 0).then_some(self.levels.len())
    }

    /// A leaf that is likely to be close: the nearest box at every level. `None` for an empty tree.
    pub(crate) fn likely_nearest(&self, query: &Query) -> Option<usize> {
        let mut node = 0;
        for level in (0..=self.top()?).rev() {
            let distances = self.distances_squared(level, node, query);
            let nearest =
                (0..CHILDREN_PER_NODE).fold(0, |best, i| if distances[i] < distances[best] { i } else { best });
            node = node * CHILDREN_PER_NODE + nearest;
        }
        (node < self.len).then_some(node)
    }

    /// Calls `visit(leaf)` for every leaf whose box is within `limit` (squared, see [`Query::limit`]), which `visit`
    /// returns anew each time: a search shrinks it as it finds closer shapes; a negative limit ends the search.
    #[inline]
    pub(crate) fn visit(&self, query: &Query, mut limit: f32, mut visit: impl FnMut(usize) -> f32) {
        if let Some(top) = self.top() {
            self.descend(top, 0, query, &mut limit, &mut visit);
        }
    }

    /// As [`visit`](Self::visit), nearer children of a node first: for searches whose limit shrinks.
    pub(crate) fn visit_nearest_first(&self, query: &Query, mut limit: f32, visitor: &mut impl BoxVisitor) {
        if let Some(top) = self.top() {
            self.descend_nearest_first(top, 0, query, &mut limit, visitor);
        }
    }

    fn descend_nearest_first(
        &self,
        level: usize,
        node: usize,
        query: &Query,
        limit: &mut f32,
        visitor: &mut impl BoxVisitor,
    ) {
        let distances = self.distances_squared(level, node, query);
        let (order, count) = nearest_first(&distances, *limit);
        for place in order.into_iter().take(count) {
            if distances[place] > *limit {
                break;
            }
            let child = node * CHILDREN_PER_NODE + place;
            // Unused places are infinitely far, which an infinite limit includes.
            if child >= self.children(level)
                || visitor.plane().is_some_and(|plane| self.is_beyond(level, node, place, plane))
            {
                continue;
            }
            if level == 0 {
                *limit = visitor.visit(child);
            } else {
                self.descend_nearest_first(level - 1, child, query, limit, visitor);
            }
        }
    }

    fn descend(&self, level: usize, node: usize, query: &Query, limit: &mut f32, visit: &mut impl FnMut(usize) -> f32) {
        let distances = self.distances_squared(level, node, query);
        for (place, distance) in distances.into_iter().enumerate() {
            if distance > *limit {
                continue;
            }
            let child = node * CHILDREN_PER_NODE + place;
            // Unused places are infinitely far, which an infinite limit includes.
            if child >= self.children(level) {
                continue;
            }
            if level == 0 {
                *limit = visit(child);
            } else {
                self.descend(level - 1, child, query, limit, visit);
            }
        }
    }
}

/// The places within a limit, nearest first and of equal distances the first one first, and how many they are.
fn nearest_first(distances: &[f32; CHILDREN_PER_NODE], limit: f32) -> ([usize; CHILDREN_PER_NODE], usize) {
    let (mut order, mut count) = ([0; CHILDREN_PER_NODE], 0);
    for (place, distance) in distances.iter().enumerate() {
        if *distance > limit {
            continue;
        }
        let mut at = count;
        while at > 0 && distances[order[at - 1]] > *distance {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = place;
        count += 1;
    }
    (order, count)
}

/// An order in which neighbours in the list are neighbours in space: halves along the longest side, recursively.
pub fn spatial_order(boxes: &[Aabb]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    let centers: Vec<Point3<f64>> = boxes.iter().map(Aabb::center).collect();
    split(&mut order, &centers);
    order
}

fn split(order: &mut [usize], centers: &[Point3<f64>]) {
    if order.len() <= CHILDREN_PER_NODE {
        return;
    }
    let spread = Aabb::from_points(order.iter().map(|index| &centers[*index]));
    let axis = spread.map_or(0, |bounds| Vector3::imax(&bounds.size()));
    // Whole nodes on the left, so that a node never straddles the cut.
    let middle = order.len().div_ceil(2).next_multiple_of(CHILDREN_PER_NODE).min(order.len() - 1);
    order.select_nth_unstable_by(middle, |a, b| centers[*a][axis].total_cmp(&centers[*b][axis]).then(a.cmp(b)));
    let (left, right) = order.split_at_mut(middle);
    split(left, centers);
    split(right, centers);
}
