//! Bounding-volume tree of a point cloud in single precision: eight points per leaf, eight children per node.
//!
//! Sphere queries against clouds of sensors are the subject of Ramsey, Kingston, Thomason and Kavraki (RSS 2024,
//! "Collision-affording point trees"). Their tree keeps in each leaf all points that a sphere centred there can touch,
//! which answers without going back, and grows with the square of radius over spacing. This one keeps each point once: its
//! memory is linear in the points, and it is built in linear time from points in the order of Morton codes. A grid of bounds on distances
//! answers for most spheres before the tree is asked.

use nalgebra::Point3;

use super::box_node::{BoxNode, CHILDREN_PER_NODE};
use super::distance_grid::DistanceGrid;
use super::tree_search::{Search, Stop};
use crate::rounding::single;
use crate::vector::{Lanes, Plain, Point, corners, prevent_loop_vectorization};

/// Nodes that may wait: seven per level beside the one that is visited, of eleven levels for 2³² points.
const MAX_WAITING_NODES: usize = 7 * 11 + 1;

/// A tree over the points of a cloud, in the cloud's frame.
#[derive(Debug, Clone)]
pub(crate) struct PointTree {
    /// Eight neighbours each, coordinate by coordinate; the last point fills the last leaf.
    leaves: Vec<[Plain<CHILDREN_PER_NODE>; 3]>,
    /// Nodes over the leaves, then over those nodes, up to a single one.
    levels: Vec<Vec<BoxNode>>,
    /// What answers most searches without the nodes.
    grid: Option<DistanceGrid>,
}

impl PointTree {
    /// The tree over points in an order in which neighbours in the list are neighbours in space; there is at least one.
    pub(crate) fn new(points: &[Point3<f64>]) -> Self {
        let leaves: Vec<_> = points.chunks(CHILDREN_PER_NODE).map(leaf).collect();
        let mut levels: Vec<Vec<BoxNode>> = Vec::new();
        let mut boxes: Vec<_> = leaves.iter().map(corners_of_leaf).collect();
        while levels.last().is_none_or(|nodes| nodes.len() > 1) {
            let nodes: Vec<_> = boxes.chunks(CHILDREN_PER_NODE).map(BoxNode::new).collect();
            boxes = nodes.iter().map(BoxNode::corners).collect();
            levels.push(nodes);
        }
        let grid = levels.last().and_then(|top| DistanceGrid::new(points, top[0].corners()));
        Self { leaves, levels, grid }
    }

    /// Squared distance of points from the nearest point of the cloud, as [`Stop`] says.
    ///
    /// Boxes and points are compared with the same operations in the same order, so that rounding makes no box farther
    /// than a point inside it.
    #[inline(always)]
    pub(crate) fn distance_squared<L: Lanes>(&self, point: Point<L>, limit: L, stop: Stop) -> L {
        let mut search = Search::new(limit, stop);
        let Some(grid) = &self.grid else { return self.descend(point, limit, search) };
        let open = search.begin_with(grid.bounds(point));
        if open == 0 {
            return search.best;
        }
        // Decided lanes stand where an open one does, so that they visit nothing of their own.
        let lane = open.trailing_zeros() as usize;
        let [x, y, z] =
            [L::splat(point.x.lanes()[lane]), L::splat(point.y.lanes()[lane]), L::splat(point.z.lanes()[lane])];
        let point =
            Point { x: search.by_lane(x, point.x), y: search.by_lane(y, point.y), z: search.by_lane(z, point.z) };
        let nearest = self.descend(point, limit, search);
        search.by_lane(search.best, nearest)
    }

    #[inline(always)]
    fn descend<L: Lanes>(&self, point: Point<L>, limit: L, mut search: Search<L>) -> L {
        let (lower, upper) = corners(point, limit.largest());
        // Level and number of the nodes to visit.
        let mut waiting = [(0_u32, 0_u32); MAX_WAITING_NODES];
        waiting[0] = (self.levels.len() as u32 - 1, 0);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (level, number) = waiting[count];
            let node = &self.levels[level as usize][number as usize];
            let mut bits = node.meeting::<L>(&lower, &upper);
            while bits != 0 {
                let child = bits.trailing_zeros();
                bits &= bits - 1;
                if search.is_beyond(node.distance_squared(child as usize, point)) {
                    continue;
                }
                let below = number * CHILDREN_PER_NODE as u32 + child;
                if level > 0 {
                    waiting[count] = (level - 1, below);
                    count += 1;
                } else if search.is_over_with(nearest(&self.leaves[below as usize], point)) {
                    return search.best;
                }
            }
        }
        search.best
    }
}

/// Squared distances from the nearest of eight points.
#[inline(always)]
fn nearest<L: Lanes>([x, y, z]: &[Plain<CHILDREN_PER_NODE>; 3], point: Point<L>) -> L {
    let mut least = L::splat(f32::MAX);
    for index in 0..CHILDREN_PER_NODE {
        prevent_loop_vectorization();
        least = least.min(point.minus_fixed([x.0[index], y.0[index], z.0[index]]).norm_squared());
    }
    least
}

fn leaf(points: &[Point3<f64>]) -> [Plain<CHILDREN_PER_NODE>; 3] {
    let mut leaf = [Plain([0.0; CHILDREN_PER_NODE]); 3];
    for index in 0..CHILDREN_PER_NODE {
        let place = single(&points[index.min(points.len() - 1)].coords);
        (0..3).for_each(|axis| leaf[axis].0[index] = place[axis]);
    }
    leaf
}

fn corners_of_leaf(leaf: &[Plain<CHILDREN_PER_NODE>; 3]) -> ([f32; 3], [f32; 3]) {
    ([0, 1, 2].map(|axis| leaf[axis].smallest()), [0, 1, 2].map(|axis| leaf[axis].largest()))
}
