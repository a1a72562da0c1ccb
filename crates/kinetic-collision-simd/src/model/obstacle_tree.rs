//! Bounding-volume tree of obstacles: the boxes of a node's children are compared with a query box as one pack.

use kinetic_collision::{Aabb, BoxNode, CHILDREN_PER_NODE, obstacles::spatial_order};
use nalgebra::Point3;

use crate::model::box_node::BoxTests;
use crate::model::node_stack::NodeStack;
use crate::model::obstacle::KernelObstacle;
use crate::vector::{Lanes, Point, corners};

/// A tree over the boxes of obstacles, which are enlarged by more than rounding.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObstacleTree {
    /// Nodes by level, leaves first. Child `i` of a level is node `i` of the level before it, or obstacle `ids[i]`.
    levels: Vec<Vec<BoxNode>>,
    ids: Vec<u32>,
    /// Obstacles with their indices in `ids`, by obstacle: the index of [`refit`](Self::refit).
    leaves: Vec<(u32, usize)>,
    /// Obstacles without a bounded box.
    unbounded: Vec<u32>,
}

impl ObstacleTree {
    /// A tree over some of `obstacles`.
    pub(crate) fn new(obstacles: &[KernelObstacle], ids: &[u32]) -> Self {
        let is_bounded = |id: &u32| obstacles[*id as usize].upper[0].is_finite();
        let (bounded, unbounded): (Vec<u32>, Vec<u32>) = ids.iter().partition(|id| is_bounded(id));
        let point = |corner: [f32; 3]| Point3::from(corner.map(f64::from));
        let corners = |id: &u32| (obstacles[*id as usize].lower, obstacles[*id as usize].upper);
        let boxes: Vec<Aabb> =
            bounded.iter().map(corners).map(|(lower, upper)| Aabb::new(point(lower), point(upper))).collect();
        let ids: Vec<u32> = spatial_order(&boxes).into_iter().map(|index| bounded[index]).collect();
        let mut leaves: Vec<(u32, usize)> = ids.iter().copied().zip(0..).collect();
        leaves.sort_unstable();
        let mut levels = Vec::new();
        let mut current: Vec<([f32; 3], [f32; 3])> = ids.iter().map(corners).collect();
        while !current.is_empty() {
            levels.push(current.chunks(CHILDREN_PER_NODE).map(BoxNode::of_corners).collect());
            if current.len() <= CHILDREN_PER_NODE {
                break;
            }
            current = current.chunks(CHILDREN_PER_NODE).map(enclosing).collect();
        }
        Self { levels, ids, leaves, unbounded }
    }

    /// Refits the tree to an obstacle that has moved; false when it is not in the tree. Inner boxes may be larger than
    /// those of a new tree.
    pub(crate) fn refit(&mut self, obstacle: u32, corners: ([f32; 3], [f32; 3])) -> bool {
        let Ok(entry) = self.leaves.binary_search_by_key(&obstacle, |(id, _)| *id) else {
            return self.unbounded.contains(&obstacle);
        };
        let leaf = self.leaves[entry].1;
        let (mut number, mut child, mut corners) = (leaf / CHILDREN_PER_NODE, leaf % CHILDREN_PER_NODE, corners);
        for nodes in &mut self.levels {
            let node = &mut nodes[number];
            node.set(child, &corners);
            corners = node.corners();
            (number, child) = (number / CHILDREN_PER_NODE, number % CHILDREN_PER_NODE);
        }
        true
    }

    /// True without obstacles.
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.unbounded.is_empty()
    }

    /// Appends the obstacles whose boxes overlap a query box.
    #[inline(always)]
    pub(crate) fn collect<L: Lanes>(&self, lower: &[f32; 3], upper: &[f32; 3], found: &mut Vec<u32>) {
        self.collect_among::<L>(lower, upper, found, None);
    }

    /// Appends the obstacles that may be within a distance of one of the points. The bounding box of all points is
    /// tested first. Among many obstacles it overlaps far more of them than are near the points, which is why inner
    /// nodes are also tested against the points.
    #[inline(always)]
    pub(crate) fn collect_near<L: Lanes>(&self, points: Point<L>, within: f32, found: &mut Vec<u32>) {
        let (lower, upper) = corners(points, within);
        self.collect_among::<L>(&lower, &upper, found, Some((points, within)));
    }

    /// As [`collect_near`](Self::collect_near) for a tree of a single node: fills `found` and returns the number of
    /// obstacles. `None` for larger trees.
    #[inline(always)]
    pub(crate) fn collect_near_in_single_node<L: Lanes>(
        &self,
        points: Point<L>,
        within: f32,
        found: &mut [u32; CHILDREN_PER_NODE],
    ) -> Option<usize> {
        let [leaves] = &self.levels[..] else { return None };
        if !self.unbounded.is_empty() {
            return None;
        }
        let (lower, upper) = corners(points, within);
        let mut bits = leaves[0].meeting::<L>(&lower, &upper);
        let mut count = 0;
        while bits != 0 {
            found[count % CHILDREN_PER_NODE] = self.ids[bits.trailing_zeros() as usize];
            count += 1;
            bits &= bits - 1;
        }
        Some(count.min(CHILDREN_PER_NODE))
    }

    /// Appends the obstacles whose boxes overlap a query box, without subtrees that are farther than a distance from
    /// all points.
    #[inline(always)]
    fn collect_among<L: Lanes>(
        &self,
        lower: &[f32; 3],
        upper: &[f32; 3],
        found: &mut Vec<u32>,
        points: Option<(Point<L>, f32)>,
    ) {
        found.extend_from_slice(&self.unbounded);
        let Some(top) = self.levels.len().checked_sub(1) else { return };
        if top == 0 {
            return self.push_leaves(0, self.levels[0][0].meeting::<L>(lower, upper), found);
        }
        let mut waiting = NodeStack::of_root(self.levels.len());
        while let Some((level, number)) = waiting.pop() {
            let node = &self.levels[level as usize][number as usize];
            let mut bits = node.meeting::<L>(lower, upper);
            if level == 0 {
                self.push_leaves(number, bits, found);
                continue;
            }
            while bits != 0 {
                let child = bits.trailing_zeros();
                bits &= bits - 1;
                // No closure: it would be compiled without the wide instructions.
                if let Some((points, within)) = points
                    && node.is_far(child as usize, points, within)
                {
                    continue;
                }
                waiting.push(level - 1, number * CHILDREN_PER_NODE as u32 + child);
            }
        }
    }

    /// Appends the obstacles of a leaf node whose bits are set.
    #[inline(always)]
    fn push_leaves(&self, number: u32, mut bits: u16, found: &mut Vec<u32>) {
        while bits != 0 {
            found.push(self.ids[number as usize * CHILDREN_PER_NODE + bits.trailing_zeros() as usize]);
            bits &= bits - 1;
        }
    }
}

fn enclosing(boxes: &[([f32; 3], [f32; 3])]) -> ([f32; 3], [f32; 3]) {
    let mut all = boxes[0];
    for (lower, upper) in boxes {
        for axis in 0..3 {
            all.0[axis] = all.0[axis].min(lower[axis]);
            all.1[axis] = all.1[axis].max(upper[axis]);
        }
    }
    all
}
