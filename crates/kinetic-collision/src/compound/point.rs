//! Distances of points from a placed compound.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use super::Compound;
use crate::boxes::Query;
use crate::distance::primitive::PointDistance;

impl Compound {
    /// The piece with the least signed distance from a point, and that distance. What the pieces enclose does not count, nor does
    /// the radius.
    pub(crate) fn nearest_piece(&self, point: &Point3<f64>) -> (f64, usize) {
        let query = Query::new(point);
        let first = self.tree.likely_nearest(&query).unwrap_or(0);
        let mut best = (self.pieces.signed_distance(first, point), first);
        self.tree.visit_nearest_first(&query, query.limit(best.0), &mut |index| {
            let distance = self.pieces.signed_distance(index, point);
            if distance < best.0 {
                best = (distance, index);
            }
            query.limit(best.0)
        });
        best
    }

    /// True when some piece is within `reach` of a point.
    fn has_piece_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        let query = Query::new(point);
        let (limit, reach) = (self.limit(&query, reach), reach + self.radius);
        let mut found = false;
        self.tree.visit(&query, limit, |index| {
            found |= self.pieces.signed_distance(index, point) <= reach;
            if found { -1.0 } else { limit }
        });
        found
    }

    /// Signed distance of a point, m.
    pub fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        let (distance, _) = self.nearest_piece(point);
        if self.encloses(point) { -distance } else { distance - self.radius }
    }

    /// Unit vector along which the signed distance grows fastest.
    pub(crate) fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let (_, index) = self.nearest_piece(point);
        let away = self.pieces.gradient(index, point);
        if self.encloses(point) { -away } else { away }
    }
}

/// A compound with its pose.
#[derive(Debug, Clone)]
pub(crate) struct PlacedCompound {
    pub(crate) compound: Arc<Compound>,
    pub(crate) shape_from_world: Isometry3<f64>,
}

impl PointDistance for PlacedCompound {
    fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        self.compound.signed_distance(&(self.shape_from_world * point))
    }

    fn is_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        let local = self.shape_from_world * point;
        if reach < 0.0 {
            return self.compound.signed_distance(&local) <= reach;
        }
        self.compound.has_piece_within(&local, reach) || self.compound.encloses(&local)
    }

    fn gradient(&self, point: &Point3<f64>) -> Vector3<f64> {
        let local = self.compound.gradient(&(self.shape_from_world * point));
        self.shape_from_world.rotation.inverse() * local
    }
}
