//! Distances from points, one per lane, to an obstacle in single precision (Ericson 2004, Real-Time Collision
//! Detection, ch. 5).
//!
//! Shapes other than the primitives are replaced by one that contains them, so that distances are lower bounds.

use std::sync::Arc;

use kinetic_core::Shape;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::collision_model::Obstacle;
use crate::model::compound_tree::CompoundTree;
use crate::model::tree_search::Stop;
use crate::rounding::{single, squared};
use crate::tolerance::THRESHOLD_WIDENING_FACTOR;
use crate::vector::{Lanes, Point, prevent_loop_vectorization};

/// An obstacle as a core with a radius. The points within the radius of the core are the obstacle, or contain it.
#[derive(Debug, Clone)]
pub(crate) struct KernelObstacle {
    core: ObstacleCore,
    pub(crate) radius: f32,
    /// Largest magnitude of its relevant coordinates, m, which its rounding is relative to.
    pub(crate) extent: f32,
    /// Bounding box in the root frame; infinite for a half-space.
    pub(crate) lower: [f32; 3],
    pub(crate) upper: [f32; 3],
    /// True when the core with its radius is the obstacle, not a shape that contains it.
    pub(crate) is_exact: bool,
}

/// The shape that distances are measured to. `rows` are the axes of its frame.
#[derive(Debug, Clone)]
enum ObstacleCore {
    Point {
        center: [f32; 3],
    },
    Segment {
        center: [f32; 3],
        axis: [f32; 3],
        half: f32,
    },
    AlignedBox {
        center: [f32; 3],
        half: [f32; 3],
    },
    /// A box that is rotated about z only, as most furniture is.
    UprightBox {
        center: [f32; 3],
        cosine: f32,
        sine: f32,
        half: [f32; 3],
    },
    Box {
        center: [f32; 3],
        rows: [[f32; 3]; 3],
        half: [f32; 3],
    },
    Cylinder {
        center: [f32; 3],
        axis: [f32; 3],
        radius: f32,
        half: f32,
    },
    HalfSpace {
        normal: [f32; 3],
        offset: f32,
    },
    Pieces {
        origin: [f32; 3],
        rows: Option<[[f32; 3]; 3]>,
        tree: Arc<CompoundTree>,
    },
}

/// Factor on the rounding of compounds, because points are transformed into their frame and compared with several planes.
const COMPOUND_ROUNDING_FACTOR: f32 = 3.0;

/// Tilt of the z axis up to which a box counts as upright, rad; far below the resolution of single precision.
const MAX_UPRIGHT_TILT_RAD: f64 = 1e-9;

impl KernelObstacle {
    pub(crate) fn of_body(body: &Obstacle) -> Self {
        match &body.tree {
            Some(tree) => Self::of_pieces(tree, &body.world_from_body),
            None => Self::new(&body.solid, &body.world_from_body),
        }
    }

    fn of_pieces(tree: &Arc<CompoundTree>, root_from_shape: &Isometry3<f64>) -> Self {
        let rotation = root_from_shape.rotation.to_rotation_matrix();
        let rows: [[f32; 3]; 3] = std::array::from_fn(|row| single(&rotation.matrix().column(row).into_owned()));
        let rows = (rotation.matrix() != &nalgebra::Matrix3::identity()).then_some(rows);
        let origin = single(&root_from_shape.translation.vector);
        let radius = tree.compound().radius() as f32;
        // Balls around points and boxes of voxels are the obstacle; the planes of facets bound it from outside.
        let is_exact = matches!(tree.compound().shape(), Shape::PointCloud { .. } | Shape::Voxels { .. });
        let made = Self::around(ObstacleCore::Pieces { origin, rows, tree: Arc::clone(tree) }, radius, is_exact);
        // Points in the shape's frame have coordinates as large as the shape has there, wherever its pose puts it.
        let bounds = tree.compound().aabb();
        let local = bounds.min.coords.amax().max(bounds.max.coords.amax()) * 3.0_f64.sqrt();
        Self { extent: made.extent.max(local as f32) * COMPOUND_ROUNDING_FACTOR, ..made }
    }

    pub(crate) fn new(shape: &Shape, root_from_shape: &Isometry3<f64>) -> Self {
        let center = root_from_shape.translation.vector;
        let axis = root_from_shape.rotation * Vector3::z();
        let (core, radius) = match shape {
            Shape::Sphere { radius } => (ObstacleCore::Point { center: single(&center) }, *radius),
            Shape::Capsule { radius, half_height } => (
                ObstacleCore::Segment { center: single(&center), axis: single(&axis), half: *half_height as f32 },
                *radius,
            ),
            Shape::Cylinder { radius, half_height } => {
                let (radius, half) = (*radius as f32, *half_height as f32);
                (ObstacleCore::Cylinder { center: single(&center), axis: single(&axis), radius, half }, 0.0)
            }
            Shape::Cuboid { half_extents } => (boxed(root_from_shape, &Point3::origin(), half_extents), 0.0),
            Shape::HalfSpace { normal, offset } => {
                let normal = root_from_shape.rotation * normal.into_inner();
                (
                    ObstacleCore::HalfSpace { normal: single(&normal), offset: (offset + normal.dot(&center)) as f32 },
                    0.0,
                )
            }
            Shape::Convex { vertices, radius } => {
                let (low, high) = bounds(vertices.iter());
                (boxed(root_from_shape, &nalgebra::center(&low, &high), &((high - low) / 2.0)), *radius)
            }
            // Other kinds fill the whole space here, so that nothing is proven and the exact tier decides.
            _ => (ObstacleCore::HalfSpace { normal: [0.0; 3], offset: f32::MAX }, 0.0),
        };
        let is_exact = matches!(
            shape,
            Shape::Sphere { .. }
                | Shape::Capsule { .. }
                | Shape::Cylinder { .. }
                | Shape::Cuboid { .. }
                | Shape::HalfSpace { .. }
        );
        Self::around(core, radius as f32, is_exact)
    }

    fn around(core: ObstacleCore, radius: f32, is_exact: bool) -> Self {
        let (center, half) = core.enclosing_box();
        let extent = (0..3).map(|k| center[k].abs() + half[k] + radius).fold(0.0, f32::max);
        let extent =
            if let ObstacleCore::HalfSpace { offset, .. } = core { offset.abs() } else { extent * 3.0_f32.sqrt() };
        // Enlarged by more than the rounding of this computation.
        let half_extent = |k: usize| (half[k] + radius) * (1.0 + 1e-5) + 1e-5 * center[k].abs();
        Self {
            radius,
            extent,
            lower: std::array::from_fn(|k| center[k] - half_extent(k)),
            upper: std::array::from_fn(|k| center[k] + half_extent(k)),
            is_exact,
            core,
        }
    }

    /// Distances of points from the core, to be compared with `limit`: in lanes whose distance exceeds it, the result may be
    /// any larger value, and in others any that does not exceed it.
    #[inline(always)]
    pub(crate) fn clearances<L: Lanes>(&self, point: Point<L>, limit: L) -> Clearance<L> {
        self.distances(point, (limit, limit), Stop::Decided)
    }

    /// True when distances take a search of a tree.
    #[inline(always)]
    pub(crate) fn is_searched(&self) -> bool {
        matches!(self.core, ObstacleCore::Pieces { .. })
    }

    /// True when a point of some lane is no farther from the core than `near`.
    #[inline(always)]
    pub(crate) fn is_any_within<L: Lanes>(&self, point: Point<L>, near: f32) -> bool {
        let limit = L::splat(near);
        !self.distances(point, (limit, limit), Stop::AnyWithin).outside(near).all_positive()
    }

    /// Distances of points from the core, as [`Stop`] says for a limit. Points inside a solid have distance 0 where they are
    /// farther than `surface` from its surface; `surface` is at least the rounding, and at most the limit.
    #[inline(always)]
    pub(crate) fn distances<L: Lanes>(&self, point: Point<L>, (limit, surface): (L, L), stop: Stop) -> Clearance<L> {
        match &self.core {
            ObstacleCore::Point { center } => Clearance::Squared(point.minus_fixed(*center).norm_squared()),
            ObstacleCore::Segment { center, axis, half } => Clearance::Squared(to_segment(point, center, axis, *half)),
            ObstacleCore::AlignedBox { center, half } => Clearance::Squared(outside(point.minus_fixed(*center), half)),
            ObstacleCore::UprightBox { center, cosine, sine, half } => {
                Clearance::Squared(outside(upright(point.minus_fixed(*center), *cosine, *sine), half))
            }
            ObstacleCore::Box { center, rows, half } => {
                Clearance::Squared(outside(rotated(point.minus_fixed(*center), rows), half))
            }
            ObstacleCore::Cylinder { center, axis, radius, half } => {
                Clearance::Squared(to_cylinder(point, center, axis, *radius, *half))
            }
            ObstacleCore::HalfSpace { normal, offset } => Clearance::Plain(point.dot_fixed(*normal).less(*offset)),
            ObstacleCore::Pieces { origin, rows, tree } => {
                let local = point.minus_fixed(*origin);
                let local = match rows {
                    Some(rows) => rotated(local, rows),
                    None => local,
                };
                Clearance::Squared(tree.distance_squared(local, limit, surface, stop))
            }
        }
    }
}

/// Minimum over spheres of the squared distance minus the square of radius plus gap. It is a macro, because a closure
/// would be compiled without the wide instructions.
macro_rules! least_over {
    ($points:expr, $radii:expr, $gap:expr, $point:ident => $squared:expr) => {{
        let mut least = L::splat(f32::MAX);
        for ($point, radius) in $points.iter().copied().zip($radii) {
            prevent_loop_vectorization();
            least = least.min($squared.less(squared(radius + $gap)));
        }
        least
    }};
}

/// As `least_over`, for two gaps.
macro_rules! least_over_both {
    ($points:expr, $radii:expr, $gaps:expr, $point:ident => $squared:expr) => {{
        let mut least = [L::splat(f32::MAX); 2];
        for (($point, radius), inner) in $points.iter().copied().zip($radii[0]).zip($radii[1]) {
            prevent_loop_vectorization();
            let found = $squared;
            least[0] = least[0].min(found.less(squared(radius + $gaps[0])));
            least[1] = least[1].min(found.less(squared(inner + $gaps[1])));
        }
        least
    }};
}

impl KernelObstacle {
    /// As [`least_clearance`](Self::least_clearance), for two kinds of spheres around the same points, those that contain a body and those
    /// that are inside of it, each with a gap of its own. The second result is not meaningful inside a solid compound, nor where
    /// `may_touch` is false, which says that it is not used: planes around an obstacle never certainly touch.
    #[inline(always)]
    pub(crate) fn least_clearances<L: Lanes>(
        &self,
        points: &[Point<L>],
        radii: [&[f32]; 2],
        gaps: [f32; 2],
        may_touch: bool,
    ) -> [L; 2] {
        match &self.core {
            ObstacleCore::Segment { center, axis, half } => {
                least_over_both!(points, radii, gaps, point => to_segment(point, center, axis, *half))
            }
            ObstacleCore::AlignedBox { center, half } => {
                least_over_both!(points, radii, gaps, point => outside(point.minus_fixed(*center), half))
            }
            ObstacleCore::UprightBox { center, cosine, sine, half } => {
                least_over_both!(points, radii, gaps, point => {
                    outside(upright(point.minus_fixed(*center), *cosine, *sine), half)
                })
            }
            _ => {
                let mut least = [L::splat(f32::MAX); 2];
                for ((point, radius), inner) in points.iter().zip(radii[0]).zip(radii[1]) {
                    prevent_loop_vectorization();
                    let open = if may_touch { least[1] } else { least[0] };
                    if (L::ZERO - open).all_positive() {
                        break;
                    }
                    // Searches leave out lanes whose limit is below 0.
                    let limit = open.choose(L::splat(radius + gaps[0]), L::splat(-1.0));
                    let found = self.clearances(*point, limit);
                    least[0] = least[0].min(found.outside(radius + gaps[0]));
                    least[1] = least[1].min(found.outside(inner + gaps[1]));
                }
                least
            }
        }
    }

    /// Above 0 where all spheres are farther from the core than their radius plus `gap`, which includes the radius of
    /// the core.
    #[inline(always)]
    pub(crate) fn least_clearance<L: Lanes>(&self, points: &[Point<L>], radii: &[f32], gap: f32) -> L {
        // One loop per kind of core, so that the kind is tested once.
        match &self.core {
            ObstacleCore::Segment { center, axis, half } => {
                least_over!(points, radii, gap, point => to_segment(point, center, axis, *half))
            }
            ObstacleCore::AlignedBox { center, half } => {
                least_over!(points, radii, gap, point => outside(point.minus_fixed(*center), half))
            }
            ObstacleCore::UprightBox { center, cosine, sine, half } => {
                least_over!(points, radii, gap, point => outside(upright(point.minus_fixed(*center), *cosine, *sine), half))
            }
            _ => {
                let mut least = L::splat(f32::MAX);
                for (point, radius) in points.iter().zip(radii) {
                    prevent_loop_vectorization();
                    let distance = radius + gap;
                    // As in `least_clearances`.
                    if (L::ZERO - least).all_positive() {
                        break;
                    }
                    let limit = least.choose(L::splat(distance), L::splat(-1.0));
                    least = least.min(self.clearances(*point, limit).outside(distance));
                }
                least
            }
        }
    }
}

/// Rotates points into the frame of a box that is rotated about z.
#[inline(always)]
fn upright<L: Lanes>(p: Point<L>, cosine: f32, sine: f32) -> Point<L> {
    Point { x: p.x.scale_add(cosine, p.y.scale(sine)), y: p.y.scale_add(cosine, p.x.scale(-sine)), z: p.z }
}

#[inline(always)]
fn rotated<L: Lanes>(p: Point<L>, rows: &[[f32; 3]; 3]) -> Point<L> {
    Point { x: p.dot_fixed(rows[0]), y: p.dot_fixed(rows[1]), z: p.dot_fixed(rows[2]) }
}

#[inline(always)]
fn to_segment<L: Lanes>(point: Point<L>, center: &[f32; 3], axis: &[f32; 3], half: f32) -> L {
    let from_center = point.minus_fixed(*center);
    let along = from_center.dot_fixed(*axis).clamp(half);
    from_center.along(Point::splat(*axis), L::ZERO - along).norm_squared()
}

#[inline(always)]
fn to_cylinder<L: Lanes>(point: Point<L>, center: &[f32; 3], axis: &[f32; 3], radius: f32, half: f32) -> L {
    let p = point.minus_fixed(*center);
    let height = p.dot_fixed(*axis);
    let off_axis = p.along(Point::splat(*axis), L::ZERO - height).norm_squared().sqrt();
    let radial = off_axis.less(radius).max(L::ZERO);
    let axial = height.abs().less(half).max(L::ZERO);
    radial.mul_add(radial, axial * axial)
}

/// Distance from points to the core of an obstacle.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Clearance<L> {
    Squared(L),
    Plain(L),
}

impl<L: Lanes> Clearance<L> {
    /// Positive where the distance exceeds a threshold per lane, which is not negative.
    #[inline(always)]
    pub(crate) fn beyond(self, threshold: L) -> L {
        match self {
            Self::Squared(distance) => distance - threshold * threshold,
            Self::Plain(distance) => distance - threshold,
        }
    }

    /// Positive where the distance exceeds a threshold per lane, which may be negative.
    #[inline(always)]
    pub(crate) fn outside_each(self, distance: L) -> L {
        match self {
            Self::Squared(found) => found - distance.squared_with_sign(THRESHOLD_WIDENING_FACTOR),
            Self::Plain(found) => found - distance,
        }
    }

    /// Positive where the distance exceeds a threshold, which may be negative.
    #[inline(always)]
    pub(crate) fn outside(self, distance: f32) -> L {
        match self {
            Self::Squared(found) => found.less(squared(distance)),
            Self::Plain(found) => found.less(distance),
        }
    }
}

/// Squared distance from a box that is centred at the origin.
#[inline(always)]
pub(crate) fn outside<L: Lanes>(point: Point<L>, half: &[f32; 3]) -> L {
    let x = point.x.abs().less(half[0]).max(L::ZERO);
    let y = point.y.abs().less(half[1]).max(L::ZERO);
    let z = point.z.abs().less(half[2]).max(L::ZERO);
    x.mul_add(x, y.mul_add(y, z * z))
}

impl ObstacleCore {
    /// Centre and half-extents of the bounding box of the core, in the root frame.
    fn enclosing_box(&self) -> ([f32; 3], [f32; 3]) {
        match self {
            Self::Point { center } => (*center, [0.0; 3]),
            Self::Segment { center, axis, half } => (*center, axis.map(|a| a.abs() * half)),
            Self::AlignedBox { center, half } => (*center, *half),
            Self::UprightBox { center, cosine, sine, half } => {
                let (c, s) = (cosine.abs(), sine.abs());
                (*center, [c * half[0] + s * half[1], s * half[0] + c * half[1], half[2]])
            }
            Self::Box { center, rows, half } => {
                (*center, std::array::from_fn(|k| (0..3).map(|row| rows[row][k].abs() * half[row]).sum()))
            }
            Self::Cylinder { center, axis, radius, half } => {
                (*center, axis.map(|a| a.abs() * half + (1.0 - a * a).max(0.0).sqrt() * radius))
            }
            Self::HalfSpace { .. } => ([0.0; 3], [f32::INFINITY; 3]),
            Self::Pieces { origin, rows, tree } => {
                let bounds = tree.compound().aabb().grown(-tree.compound().radius());
                let (local, half) = (single(&bounds.center().coords), single(&(bounds.size() / 2.0)));
                let along = |row: usize, k: usize| rows.map_or(if row == k { 1.0 } else { 0.0 }, |rows| rows[row][k]);
                let center = |k: usize| origin[k] + (0..3).map(|row| along(row, k) * local[row]).sum::<f32>();
                // Far from the origin of the shape, the two terms of the centre cancel, with the rounding of both.
                let rounding = 8.0 * f32::EPSILON * (0..3).map(|k| origin[k].abs() + local[k].abs()).sum::<f32>();
                let half = |k: usize| rounding + (0..3).map(|row| along(row, k).abs() * half[row]).sum::<f32>();
                (std::array::from_fn(center), std::array::from_fn(half))
            }
        }
    }
}

fn boxed(root_from_shape: &Isometry3<f64>, local_center: &Point3<f64>, half: &Vector3<f64>) -> ObstacleCore {
    let center = single(&(root_from_shape * local_center).coords);
    let rotation = root_from_shape.rotation.to_rotation_matrix();
    let half = single(half);
    if rotation.matrix() == &nalgebra::Matrix3::identity() {
        return ObstacleCore::AlignedBox { center, half };
    }
    let m = rotation.matrix();
    if [m[(0, 2)], m[(1, 2)], m[(2, 0)], m[(2, 1)]].iter().all(|entry| entry.abs() < MAX_UPRIGHT_TILT_RAD)
        && m[(2, 2)] > 0.0
    {
        return ObstacleCore::UprightBox { center, cosine: m[(0, 0)] as f32, sine: m[(1, 0)] as f32, half };
    }
    ObstacleCore::Box {
        center,
        rows: std::array::from_fn(|row| single(&rotation.matrix().column(row).into_owned())),
        half,
    }
}

fn bounds<'a>(points: impl Iterator<Item = &'a Point3<f64>>) -> (Point3<f64>, Point3<f64>) {
    let none = (Point3::from([f64::INFINITY; 3]), Point3::from([f64::NEG_INFINITY; 3]));
    points.fold(none, |(low, high), point| (low.inf(point), high.sup(point)))
}
