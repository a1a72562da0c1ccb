//! Sets of placed shapes with sphere queries, which are the inner loop of planning.
//!
//! The shapes lie in one flat array in the order of a tree of boxes, which skips shapes that are too far; the others
//! are measured by their closed forms, chosen by a `match`. Half-spaces have no box; all are tested.

use nalgebra::Point3;

use crate::aabb::Aabb;
pub use crate::boxes::spatial_order;
use crate::boxes::{BoxTree, Query};
use crate::distance::point::{PlacedShape, PreparedShape, each_kind};
use crate::distance::primitive::{PlacedHalfSpace, PointDistance};

/// Boxes are larger than their shapes by this, m: the box of a rotated shape is right up to rounding only, and a shape
/// must never be skipped because its box was rounded inwards.
const BOX_ROUNDING_M: f64 = 1e-12;

/// A set of placed shapes with ids.
///
/// Several shapes may carry the same id (the pieces of one object).
#[derive(Debug, Clone, Default)]
pub struct ObstacleSet {
    prepared: Vec<(u32, PreparedShape)>,
    /// Bounded shapes in the order of the tree.
    bounded: Vec<PlacedShape>,
    ids: Vec<u32>,
    /// Position of each shape, in the order in which they were given, among those of its kind.
    places: Vec<u32>,
    tree: BoxTree,
    half_spaces: Vec<(u32, PlacedHalfSpace)>,
}

impl ObstacleSet {
    /// A set of `(id, shape)`.
    pub fn new(shapes: impl IntoIterator<Item = (u32, PreparedShape)>) -> Self {
        let prepared: Vec<(u32, PreparedShape)> = shapes.into_iter().collect();
        let half_space = |(id, shape): &(u32, PreparedShape)| match &shape.placed {
            PlacedShape::HalfSpace(plane) => Some((*id, *plane)),
            _ => None,
        };
        let half_spaces = prepared.iter().filter_map(half_space).collect();
        let bounded: Vec<&(u32, PreparedShape)> =
            prepared.iter().filter(|(_, shape)| !matches!(shape.placed, PlacedShape::HalfSpace(_))).collect();
        let boxes: Vec<Aabb> = bounded.iter().map(|(_, shape)| box_around(shape)).collect();
        let order = spatial_order(&boxes);
        let ordered: Vec<Aabb> = order.iter().map(|index| boxes[*index]).collect();
        let mut leaves = vec![0; order.len()];
        order.iter().enumerate().for_each(|(leaf, index)| leaves[*index] = leaf as u32);
        Self {
            places: places(&prepared, &leaves),
            bounded: order.iter().map(|index| bounded[*index].1.placed.clone()).collect(),
            ids: order.iter().map(|index| bounded[*index].0).collect(),
            tree: BoxTree::new(&ordered),
            half_spaces,
            prepared,
        }
    }

    /// Puts the shape that was given as number `index` elsewhere: `shape` is the same one at another pose. Results are
    /// those of a new set, except that either of two shapes at the same distance may be named. Far moves make searches
    /// slower.
    pub fn move_shape(&mut self, index: usize, shape: PreparedShape) {
        let place = self.places[index] as usize;
        match &shape.placed {
            PlacedShape::HalfSpace(plane) => self.half_spaces[place].1 = *plane,
            placed => {
                self.bounded[place] = placed.clone();
                self.tree.refit(place, &box_around(&shape));
            }
        }
        self.prepared[index].1 = shape;
    }

    /// Number of the shape with an id, where they were given in ascending order of ids.
    pub fn index_of(&self, id: u32) -> Option<usize> {
        self.prepared.binary_search_by_key(&id, |(id, _)| *id).ok()
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.prepared.len()
    }

    /// True without shapes.
    pub fn is_empty(&self) -> bool {
        self.prepared.is_empty()
    }

    /// The shapes with their ids, as given.
    pub fn shapes(&self) -> &[(u32, PreparedShape)] {
        &self.prepared
    }

    /// Least distance between a ball and the shapes, and the id of the closest, if it is below `cutoff`; `None`
    /// otherwise. Negative distances are depths. Exact, because skipped shapes are farther than the result.
    pub fn min_distance(&self, center: &Point3<f64>, radius: f64, cutoff: f64) -> Option<(f64, u32)> {
        let mut best = (cutoff + radius, None);
        for (id, half_space) in &self.half_spaces {
            let distance = half_space.signed_distance(center);
            if distance < best.0 {
                best = (distance, Some(*id));
            }
        }
        let query = Query::new(center);
        let mut offer = |index: usize| {
            let distance = each_kind!(&self.bounded[index], shape => shape.signed_distance(center));
            if distance < best.0 {
                best = (distance, Some(self.ids[index]));
            }
            query.limit(best.0)
        };
        // A good first answer lets the search skip most boxes. With a small cutoff there is nothing to gain.
        let is_wide = cutoff > 10.0 * radius;
        let likely = if is_wide { self.tree.likely_nearest(&query) } else { None };
        let limit = likely.map_or(query.limit(cutoff + radius), &mut offer);
        self.tree.visit(&query, limit, offer);
        best.1.map(|id| (best.0 - radius, id))
    }

    /// True when some shape is within `margin` of a ball: a signed distance of at most `margin`.
    #[inline]
    pub fn has_within(&self, center: &Point3<f64>, radius: f64, margin: f64) -> bool {
        let reach = radius + margin;
        if self.half_spaces.iter().any(|(_, half_space)| half_space.signed_distance(center) <= reach) {
            return true;
        }
        let query = Query::new(center);
        let limit = query.limit(reach);
        let mut found = false;
        self.tree.visit(&query, limit, |index| {
            found |= each_kind!(&self.bounded[index], shape => shape.is_within(center, reach));
            if found { -1.0 } else { limit }
        });
        found
    }

    /// Calls `visit(id, signed distance of center)` for every shape whose signed distance is at most `reach`.
    pub fn for_each_within(&self, center: &Point3<f64>, reach: f64, mut visit: impl FnMut(u32, f64)) {
        for (id, half_space) in &self.half_spaces {
            let distance = half_space.signed_distance(center);
            if distance <= reach {
                visit(*id, distance);
            }
        }
        let query = Query::new(center);
        let limit = query.limit(reach);
        self.tree.visit(&query, limit, |index| {
            let distance = each_kind!(&self.bounded[index], shape => shape.signed_distance(center));
            if distance <= reach {
                visit(self.ids[index], distance);
            }
            limit
        });
    }

    /// Calls `visit(id)` for every shape whose signed distance is at most `reach`, without working out how far it is.
    pub fn for_each_id_within(&self, center: &Point3<f64>, reach: f64, mut visit: impl FnMut(u32)) {
        for (id, half_space) in &self.half_spaces {
            if half_space.is_within(center, reach) {
                visit(*id);
            }
        }
        let query = Query::new(center);
        let limit = query.limit(reach);
        self.tree.visit(&query, limit, |index| {
            if each_kind!(&self.bounded[index], shape => shape.is_within(center, reach)) {
                visit(self.ids[index]);
            }
            limit
        });
    }

    /// Ids of shapes that reach into a ball, ascending, each once.
    pub fn subset_within(&self, center: &Point3<f64>, radius: f64) -> Vec<u32> {
        let mut ids = Vec::new();
        self.for_each_id_within(center, radius, |id| ids.push(id));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The shapes that reach into a ball, as a set of their own: all that anything inside the ball can touch.
    #[must_use]
    pub fn culled(&self, center: &Point3<f64>, radius: f64) -> Self {
        let reaches = |item: &&(u32, PreparedShape)| item.1.is_within(center, radius);
        Self::new(self.prepared.iter().filter(reaches).cloned())
    }
}

/// The bounding box of a shape, enlarged by more than its rounding, which is relative to its farthest corner.
fn box_around(shape: &PreparedShape) -> Aabb {
    let bounds = shape.aabb();
    let farthest = bounds.min.coords.amax().max(bounds.max.coords.amax());
    bounds.grown(BOX_ROUNDING_M.max(8.0 * f64::EPSILON * farthest))
}

/// Position of each shape: bounded ones at their leaf, half-spaces in their order.
fn places(prepared: &[(u32, PreparedShape)], leaves: &[u32]) -> Vec<u32> {
    let (mut bounded, mut half_spaces) = (leaves.iter().copied(), 0..);
    let place = |(_, shape): &(u32, PreparedShape)| match &shape.placed {
        PlacedShape::HalfSpace(_) => half_spaces.next(),
        _ => bounded.next(),
    };
    prepared.iter().filter_map(place).collect()
}
