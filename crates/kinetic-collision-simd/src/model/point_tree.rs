//! Search of the tree of a point cloud, which has eight points per leaf and eight children per node.
//!
//! Sphere queries against clouds of sensors are the subject of Ramsey, Kingston, Thomason and Kavraki (RSS 2024,
//! "Collision-affording point trees"). Their tree keeps in each leaf all points that a sphere centred there can touch,
//! which answers without going back, and grows with the square of radius over spacing. This one is that of the compound, which keeps
//! each point once: its memory is linear in the points, and it is built in linear time from points in the order of Morton codes. A grid
//! of bounds on distances answers for most spheres before the tree is asked.

use std::sync::Arc;

use kinetic_collision::{CHILDREN_PER_NODE, Compound, PointNode};

use super::box_node::BoxTests;
use super::distance_grid::DistanceGrid;
use super::node_stack::NodeStack;
use super::tree_search::{LaneSearch, Search, Stop};
use crate::vector::{Lanes, Plain, Point, corners, prevent_loop_vectorization};

/// Sum of the extents of places along the axes, in limits of a search, from which on each searches for itself.
const MAX_SPREAD_OF_JOINT_SEARCH: f32 = 20.0;

/// The search of the tree of a cloud, in its frame, and what answers most searches without the tree.
#[derive(Debug, Clone)]
pub(crate) struct PointTree {
    compound: Arc<Compound>,
    grid: Option<DistanceGrid>,
}

impl PointTree {
    /// The search among the points of a compound; `None` for one of another kind.
    pub(crate) fn new(compound: &Arc<Compound>) -> Option<Self> {
        let (leaves, levels) = compound.point_nodes()?;
        let grid = levels.last().and_then(|top| DistanceGrid::new(leaves, top[0].corners()));
        Some(Self { compound: Arc::clone(compound), grid })
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
        if is_spread(point, limit) {
            return self.descend_one_by_one(point, open, search);
        }
        let nearest = self.descend(point, limit, search);
        search.by_lane(search.best, nearest)
    }

    /// The search of the open lanes one after the other.
    #[inline(always)]
    fn descend_one_by_one<L: Lanes>(&self, point: Point<L>, mut open: u16, mut search: Search<L>) -> L {
        while open != 0 {
            let lane = open.trailing_zeros() as usize;
            open &= open - 1;
            let place = [point.x.lanes()[lane], point.y.lanes()[lane], point.z.lanes()[lane]];
            if search.is_over_with_lane(lane, self.descend_for_one::<L>(place, search.of_lane(lane))) {
                break;
            }
        }
        search.best
    }

    /// As [`descend`](Self::descend), for one place: the children of a node are compared with it as one pack.
    #[inline(always)]
    fn descend_for_one<L: Lanes>(&self, place: [f32; 3], mut search: LaneSearch) -> LaneSearch {
        let Some((leaves, levels)) = self.compound.point_nodes() else { return search };
        let mut waiting = NodeStack::of_root(levels.len());
        while let Some((level, number)) = waiting.pop() {
            let node = &levels[level as usize][number as usize];
            let mut bits = L::not_positive_of(&node.distances_squared(place).less(search.bound));
            while bits != 0 {
                let below = number * CHILDREN_PER_NODE as u32 + bits.trailing_zeros();
                bits &= bits - 1;
                if level > 0 {
                    waiting.push(level - 1, below);
                } else if search.is_over_with(nearest_to_one(&leaves[below as usize], place)) {
                    return search;
                }
            }
        }
        search
    }

    #[inline(always)]
    fn descend<L: Lanes>(&self, point: Point<L>, limit: L, mut search: Search<L>) -> L {
        let Some((leaves, levels)) = self.compound.point_nodes() else { return search.best };
        let (lower, upper) = corners(point, limit.largest());
        let mut waiting = NodeStack::of_root(levels.len());
        while let Some((level, number)) = waiting.pop() {
            let node = &levels[level as usize][number as usize];
            let mut bits = node.meeting::<L>(&lower, &upper);
            while bits != 0 {
                let child = bits.trailing_zeros();
                bits &= bits - 1;
                if search.is_beyond(node.distance_squared(child as usize, point)) {
                    continue;
                }
                let below = number * CHILDREN_PER_NODE as u32 + child;
                if level > 0 {
                    waiting.push(level - 1, below);
                } else if search.is_over_with(nearest(&leaves[below as usize], point)) {
                    return search.best;
                }
            }
        }
        search.best
    }
}

/// Whether places are so far apart that their searches have few nodes in common.
#[inline(always)]
fn is_spread<L: Lanes>(Point { x, y, z }: Point<L>, limit: L) -> bool {
    let spread = x.largest() - x.smallest() + (y.largest() - y.smallest()) + (z.largest() - z.smallest());
    spread > MAX_SPREAD_OF_JOINT_SEARCH * limit.largest()
}

/// Squared distance of one place from the nearest of eight points.
#[inline(always)]
fn nearest_to_one(PointNode([x, y, z]): &PointNode, place: [f32; 3]) -> f32 {
    Point { x: Plain(*x), y: Plain(*y), z: Plain(*z) }.minus_fixed(place).norm_squared().smallest()
}

/// Squared distances from the nearest of eight points.
#[inline(always)]
fn nearest<L: Lanes>(PointNode([x, y, z]): &PointNode, point: Point<L>) -> L {
    let mut least = L::splat(f32::MAX);
    for index in 0..CHILDREN_PER_NODE {
        prevent_loop_vectorization();
        least = least.min(point.minus_fixed([x[index], y[index], z[index]]).norm_squared());
    }
    least
}
