//! Distances of pairs with at least one compound.

use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::body::{Body, Core};
use super::convex::Convex;
use super::core_pair;
use super::{Separation, closed_form};
use crate::aabb::Aabb;
use crate::boxes::{BoxPlane, BoxVisitor, Query};
use crate::compound::{Compound, Pieces};

/// Difference of distances up to which they count as equal, relative to the bounding radius of the convex body.
const EQUAL_DISTANCE_RATIO: f64 = 1e-12;

/// A convex body in its own frame: a whole body or a piece of a compound.
#[derive(Clone, Copy)]
struct ConvexPart<'a> {
    convex: Convex<'a>,
    /// A ball inside it.
    center: Point3<f64>,
    inner_radius: f64,
}

impl<'a> ConvexPart<'a> {
    fn whole(body: &'a Body) -> Self {
        Self { convex: body.into(), center: body.bounding_ball().center, inner_radius: body.inner_radius }
    }

    /// The box around the part in another frame; unbounded for a half-space.
    fn aabb_in(&self, there_from_part: &Isometry3<f64>) -> Aabb {
        if matches!(self.convex.core, Core::HalfSpace { .. }) {
            return Aabb::unbounded();
        }
        let range = |axis: usize| {
            let mut direction = Vector3::zeros();
            direction[axis] = 1.0;
            let [low, high] = self.convex.core.range(&there_from_part.rotation.inverse_transform_vector(&direction));
            let middle = there_from_part.translation.vector[axis];
            [middle + low - self.convex.radius, middle + high + self.convex.radius]
        };
        let [x, y, z] = [range(0), range(1), range(2)];
        Aabb::new(Point3::new(x[0], y[0], z[0]), Point3::new(x[1], y[1], z[1]))
    }
}

/// Distance and witness points in the frame of `a`; `None` when the bodies are farther apart than `cutoff`.
pub(super) fn separation(a: &Body, b: &Body, a_from_b: &Isometry3<f64>, cutoff: f64) -> Option<Separation> {
    match (a.compound(), b.compound()) {
        (None, Some(other)) => against(&ConvexPart::whole(a), other, a_from_b, cutoff),
        (Some(own), None) => {
            let found = against(&ConvexPart::whole(b), own, &a_from_b.inverse(), cutoff);
            found.map(|found| found.placed(a_from_b).swapped())
        }
        (Some(own), Some(other)) => both(own, other, a_from_b, cutoff),
        (None, None) => None,
    }
}

/// See [`super::is_closer_than`].
pub(super) fn is_closer_than(a: &Body, b: &Body, a_from_b: &Isometry3<f64>, margin: f64) -> bool {
    match (a.compound(), b.compound()) {
        (None, Some(other)) if margin >= 0.0 => is_near(&ConvexPart::whole(a), other, a_from_b, margin),
        (Some(own), None) if margin >= 0.0 => is_near(&ConvexPart::whole(b), own, &a_from_b.inverse(), margin),
        _ => separation(a, b, a_from_b, margin).is_some_and(|found| found.distance <= margin),
    }
}

/// The plane along a direction from a part (frame of the part), in the frame of a compound: pieces beyond it are farther from
/// the part than a distance. `None` unless the direction has unit length.
fn separating_plane(
    part: Convex<'_>,
    direction: &Vector3<f64>,
    other: &Compound,
    part_from_other: &Isometry3<f64>,
    distance: f64,
) -> Option<BoxPlane> {
    if (direction.norm_squared() - 1.0).abs() > 1e-9 || matches!(part.core, Core::Point | Core::HalfSpace { .. }) {
        return None;
    }
    let height = direction.dot(&part.core.support(direction)) + part.radius;
    Some(plane_at(height + distance + other.radius, direction, part_from_other))
}

/// The plane at a height along a unit direction (frame of a part), in the frame of a compound.
fn plane_at(height: f64, direction: &Vector3<f64>, part_from_other: &Isometry3<f64>) -> BoxPlane {
    let offset = height - direction.dot(&part_from_other.translation.vector);
    BoxPlane { normal: part_from_other.rotation.inverse_transform_vector(direction), offset }
}

/// Search for the piece that is nearest to a part. Most neighbours of the nearest piece lie behind the plane that separates it
/// from the part.
struct NearestPiece<'a> {
    part: &'a ConvexPart<'a>,
    other: &'a Compound,
    part_from_other: &'a Isometry3<f64>,
    other_from_part: &'a Isometry3<f64>,
    query: Query,
    best: Option<Separation>,
    limit: f64,
    plane: Option<BoxPlane>,
}

impl BoxVisitor for NearestPiece<'_> {
    fn plane(&self) -> Option<&BoxPlane> {
        self.plane.as_ref()
    }

    fn visit(&mut self, index: usize) -> f32 {
        let Self { part, other, part_from_other, other_from_part, .. } = *self;
        let piece = NearPiece { other, index, part_from_other, other_from_part };
        let found = piece.separation(part.convex, self.limit);
        if let Some(found) = found.filter(|found| found.distance <= self.limit) {
            (self.best, self.limit) = (Some(found), found.distance);
            let distance = found.distance - EQUAL_DISTANCE_RATIO * part.convex.reach;
            self.plane = separating_plane(part.convex, &found.normal, other, part_from_other, distance);
        }
        other.limit(&self.query, self.limit)
    }
}

/// A convex part against a compound, in the frame of the part.
fn against(
    part: &ConvexPart<'_>,
    other: &Compound,
    part_from_other: &Isometry3<f64>,
    cutoff: f64,
) -> Option<Separation> {
    let other_from_part = part_from_other.inverse();
    let query = Query::around(&part.aabb_in(&other_from_part));
    let mut search = NearestPiece {
        part,
        other,
        part_from_other,
        other_from_part: &other_from_part,
        query,
        best: None,
        limit: cutoff,
        plane: None,
    };
    // A good first answer lets the search skip most pieces.
    let first = other.tree.likely_nearest(&query);
    let start = first.map_or(other.limit(&query, cutoff), |index| search.visit(index));
    other.tree.visit_nearest_first(&query, start, &mut search);
    let best = search.best;
    let deep = swallowed(part, other, part_from_other, &other_from_part);
    match (best, deep) {
        (Some(found), Some(deep)) if deep.distance < found.distance => Some(deep),
        (None, deep) => deep.filter(|deep| deep.distance <= cutoff),
        (found, _) => found,
    }
}

/// Lower bound on the depth of a part whose middle is inside a solid: the depth of the inscribed sphere around its middle.
fn swallowed(
    part: &ConvexPart<'_>,
    other: &Compound,
    part_from_other: &Isometry3<f64>,
    other_from_part: &Isometry3<f64>,
) -> Option<Separation> {
    let center = other_from_part * part.center;
    if !other.encloses(&center) {
        return None;
    }
    let (depth, piece) = other.nearest_piece(&center);
    // The gradient leads away from the surface, deeper in.
    let inward = other.pieces.gradient(piece, &center);
    let on_surface = center - inward * depth;
    let distance = -(depth + part.inner_radius);
    let found = Separation { distance, point_a: on_surface - inward * distance, point_b: on_surface, normal: inward };
    Some(found.placed(part_from_other))
}

/// A piece of a compound and where it is from a part.
struct NearPiece<'a> {
    other: &'a Compound,
    index: usize,
    part_from_other: &'a Isometry3<f64>,
    other_from_part: &'a Isometry3<f64>,
}

impl NearPiece<'_> {
    /// A convex part against the piece, in the frame of the part.
    fn separation(&self, part: Convex<'_>, cutoff: f64) -> Option<Separation> {
        if let Core::Point = part.core {
            let center = Point3::from(self.other_from_part.translation.vector);
            let distance = self.other.pieces.signed_distance(self.index, &center);
            let away = self.other.pieces.gradient(self.index, &center);
            let separation = Separation {
                distance: distance - part.radius - self.other.radius,
                point_a: center - away * part.radius,
                point_b: center - away * (distance - self.other.radius),
                normal: -away,
            };
            return Some(separation.placed(self.part_from_other));
        }
        let (core, middle, reach) = piece_core(&self.other.pieces, self.index);
        let part_from_piece = self.part_from_other * Translation3::from(middle.coords);
        if let Core::HalfSpace { normal, offset } = part.core {
            return Some(closed_form::half_space((normal, *offset), &core, self.other.radius, &part_from_piece));
        }
        core_pair::separation(part, Convex { core: &core, radius: self.other.radius, reach }, &part_from_piece, cutoff)
    }

    /// True unless the part and the piece are farther apart than `margin`; `axis` is tried first, as in
    /// [`super::is_closer_than`].
    fn is_near(&self, part: &ConvexPart<'_>, margin: f64, axis: &mut Vector3<f64>) -> bool {
        if matches!(part.convex.core, Core::Point | Core::HalfSpace { .. }) {
            return self.separation(part.convex, margin).is_some_and(|found| found.distance <= margin);
        }
        let (core, middle, reach) = piece_core(&self.other.pieces, self.index);
        let part_from_piece = self.part_from_other * Translation3::from(middle.coords);
        let piece = Convex { core: &core, radius: self.other.radius, reach };
        core_pair::is_closer_than(part.convex, piece, &part_from_piece, margin, axis)
    }
}

/// Search for a piece that is no farther from a part than a margin. The direction that separates one piece often separates the
/// next one too, and all of a box.
struct AnyNearPiece<'a> {
    part: &'a ConvexPart<'a>,
    other: &'a Compound,
    part_from_other: &'a Isometry3<f64>,
    other_from_part: &'a Isometry3<f64>,
    margin: f64,
    limit: f32,
    axis: Vector3<f64>,
    plane: Option<BoxPlane>,
    found: bool,
}

impl BoxVisitor for AnyNearPiece<'_> {
    fn plane(&self) -> Option<&BoxPlane> {
        self.plane.as_ref()
    }

    fn visit(&mut self, index: usize) -> f32 {
        self.found = self.point_is_near(index).unwrap_or_else(|| self.piece_is_near(index));
        if self.found { -1.0 } else { self.limit }
    }
}

impl AnyNearPiece<'_> {
    /// Whether a piece that is a point is near the part, where the ball inside the part or the direction from its middle says so; most
    /// are decided so, without GJK. Points beyond the plane are never asked.
    fn point_is_near(&mut self, index: usize) -> Option<bool> {
        let Pieces::Points(points) = &self.other.pieces else { return None };
        let Convex { core, radius, .. } = self.part.convex;
        if matches!(core, Core::Point | Core::HalfSpace { .. }) {
            return None;
        }
        let (point, reach) = (self.part_from_other * points[index], self.margin + self.other.radius);
        let offset = point - self.part.center;
        let distance = offset.norm();
        if distance <= self.part.inner_radius + reach {
            return Some(true);
        }
        let outwards = offset / distance;
        let height = outwards.dot(&core.support(&outwards)) + radius + reach;
        (outwards.dot(&point.coords) > height).then(|| {
            self.axis = outwards;
            self.plane = Some(plane_at(height, &outwards, self.part_from_other));
            false
        })
    }

    fn piece_is_near(&mut self, index: usize) -> bool {
        let Self { part, other, part_from_other, other_from_part, .. } = *self;
        let (piece, before) = (NearPiece { other, index, part_from_other, other_from_part }, self.axis);
        let is_near = piece.is_near(part, self.margin, &mut self.axis);
        if self.axis != before {
            self.plane = separating_plane(part.convex, &self.axis, other, part_from_other, self.margin);
        }
        is_near
    }
}

/// True unless a convex part and a compound are farther apart than `margin` (≥ 0).
fn is_near(part: &ConvexPart<'_>, other: &Compound, part_from_other: &Isometry3<f64>, margin: f64) -> bool {
    let other_from_part = part_from_other.inverse();
    if other.encloses(&(other_from_part * part.center)) {
        return true;
    }
    let query = Query::around(&part.aabb_in(&other_from_part));
    let limit = other.limit(&query, margin);
    let mut search = AnyNearPiece {
        part,
        other,
        part_from_other,
        other_from_part: &other_from_part,
        margin,
        limit,
        axis: Vector3::zeros(),
        plane: None,
        found: false,
    };
    other.tree.visit_nearest_first(&query, limit, &mut search);
    search.found
}

/// Two compounds, in the frame of the first: each piece of it that is near the box of the other against the other.
fn both(own: &Compound, other: &Compound, own_from_other: &Isometry3<f64>, cutoff: f64) -> Option<Separation> {
    let axes = own_from_other.rotation.to_rotation_matrix().into_inner();
    let bounds = other.aabb();
    let around = Aabb::symmetric(own_from_other * bounds.center(), axes.abs() * (bounds.size() / 2.0));
    let query = Query::around(&around);
    let (mut best, mut limit): (Option<Separation>, f64) = (None, cutoff);
    own.tree.visit(&query, own.limit(&query, cutoff), |index| {
        let (core, middle, reach) = piece_core(&own.pieces, index);
        let convex = Convex { core: &core, radius: own.radius, reach };
        let part = ConvexPart { convex, center: Point3::origin(), inner_radius: 0.0 };
        let own_from_part =
            Isometry3::from_parts(Translation3::from(middle.coords), nalgebra::UnitQuaternion::identity());
        let found = against(&part, other, &own_from_part.inv_mul(own_from_other), limit);
        if let Some(found) = found.filter(|found| found.distance <= limit) {
            (best, limit) = (Some(found.placed(&own_from_part)), found.distance);
        }
        own.limit(&query, limit)
    });
    let deep = if own.is_solid() { swallowed_pieces(own, other, own_from_other) } else { None };
    match (best, deep) {
        (Some(found), Some(deep)) if deep.distance < found.distance => Some(deep),
        (None, deep) => deep.filter(|deep| deep.distance <= cutoff),
        (found, _) => found,
    }
}

/// The deepest middle of a piece of `other` inside the solid `own`.
fn swallowed_pieces(own: &Compound, other: &Compound, own_from_other: &Isometry3<f64>) -> Option<Separation> {
    let other_from_own = own_from_other.inverse();
    let of_piece = |index: usize| {
        let (core, middle, reach) = piece_core(&other.pieces, index);
        let convex = Convex { core: &core, radius: other.radius, reach };
        let part = ConvexPart { convex, center: middle, inner_radius: other.radius };
        swallowed(&part, own, &other_from_own, own_from_other)
    };
    let deepest = (0..other.len()).filter_map(of_piece).min_by(|a, b| a.distance.total_cmp(&b.distance));
    deepest.map(|found| found.placed(own_from_other).swapped())
}

/// A piece as a core around its middle, that middle, and the radius of a ball around it.
fn piece_core(pieces: &Pieces, index: usize) -> (Core, Point3<f64>, f64) {
    let bounds = pieces.aabb(index);
    let (middle, radius) = (bounds.center(), bounds.size().norm() / 2.0);
    let core = match pieces {
        Pieces::Boxes(_) => Core::Cuboid { half_extents: bounds.size() / 2.0 },
        Pieces::Points(_) => Core::Point,
        _ => Core::Corners(pieces.corners(index).seen_from(&middle)),
    };
    (core, middle, radius)
}
