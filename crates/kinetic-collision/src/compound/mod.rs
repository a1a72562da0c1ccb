//! Compound shapes: meshes, height fields, voxels and point clouds as convex pieces under a bounding-volume hierarchy.
//!
//! Outside, the distance of such a shape is that of its nearest piece, exactly. **Depths** are lower bounds: to
//! separate two bodies, at least their deepest pieces have to be separated. A body that reaches into a solid mesh is at
//! least as deep as the inscribed sphere around its centre.

mod height_field;
mod inside;
mod mesh_form;
mod pieces;
mod point;
mod point_order;
mod voxels;

use kinetic_core::Shape;
use kinetic_core::error::Result;
use kinetic_core::parallel::in_chunks;
use nalgebra::{Point3, Vector3};

use crate::aabb::Aabb;
use crate::ball::{Sphere, around};
use crate::boxes::{BoxNode, BoxTree, PointNode, Query, spatial_order};
use crate::shape_kind::unknown_kind;
use inside::Inside;
pub use mesh_form::MeshForm;
pub(crate) use pieces::{Corners, Pieces};
pub(crate) use point::PlacedCompound;
use point_order::morton_order;

/// Points that are worth a thread.
const POINTS_PER_CHUNK: usize = 1 << 14;

/// The pieces of a shape in its own frame.
#[derive(Debug, Clone)]
pub struct Compound {
    shape: Shape,
    /// Pieces in the order of the tree.
    pub(crate) pieces: Pieces,
    pub(crate) tree: BoxTree,
    /// By how much each piece is enlarged, m.
    pub(crate) radius: f64,
    inside: Option<Inside>,
    aabb: Aabb,
    ball: Sphere,
}

impl Compound {
    /// True for kinds of shapes that are made of pieces.
    pub fn is_kind_of(shape: &Shape) -> bool {
        matches!(
            shape,
            Shape::Mesh { .. } | Shape::HeightField { .. } | Shape::Voxels { .. } | Shape::PointCloud { .. }
        )
    }

    /// Prepares a mesh, a height field, voxels or a point cloud.
    ///
    /// # Errors
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for another kind.
    pub fn new(shape: &Shape) -> Result<Self> {
        let (pieces, is_solid) = match shape {
            Shape::Mesh { vertices, triangles, is_solid } => (Pieces::of_mesh(vertices, triangles), *is_solid),
            Shape::HeightField { heights, nodes, spacing, base } => {
                (Pieces::Prisms(height_field::prisms(heights, *nodes, *spacing, *base)), false)
            }
            Shape::Voxels { cells, resolution } => (Pieces::Boxes(voxels::boxes(cells, *resolution)), false),
            Shape::PointCloud { points, radius } => return Ok(Self::of_points(shape, points, *radius)),
            other => return Err(unknown_kind(other)),
        };
        let inside = is_solid.then(|| Inside::new(&pieces.triangles()));
        let boxes: Vec<Aabb> = (0..pieces.len()).map(|index| pieces.aabb(index)).collect();
        let order = spatial_order(&boxes);
        let pieces = pieces.ordered(&order);
        let boxes: Vec<Aabb> = order.iter().map(|index| boxes[*index]).collect();
        let aabb = boxes.iter().skip(1).fold(boxes[0], |all, next| all.union(next));
        let corners: Vec<Point3<f64>> = (0..pieces.len()).flat_map(|index| pieces.corners(index)).collect();
        let ball = around(aabb.center(), &corners);
        Ok(Self { shape: shape.clone(), tree: BoxTree::new(&boxes), pieces, radius: 0.0, inside, aabb, ball })
    }

    fn of_points(shape: &Shape, points: &[Point3<f64>], radius: f64) -> Self {
        let bounds = Aabb::from_points(points).unwrap_or_else(Aabb::unbounded);
        let order = morton_order(points, &bounds);
        let mut ordered = vec![Point3::origin(); points.len()];
        in_chunks(&mut ordered, 1, POINTS_PER_CHUNK, |first, out| {
            for (point, index) in out.iter_mut().zip(&order[first..]) {
                *point = points[*index as usize];
            }
        });
        let ball = around(bounds.center(), points);
        Self {
            shape: shape.clone(),
            tree: BoxTree::of_points(&ordered),
            pieces: Pieces::Points(ordered),
            radius,
            inside: None,
            aabb: bounds.grown(radius),
            ball: Sphere::new(ball.center, ball.radius + radius),
        }
    }

    /// The shape this was prepared from.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of convex pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Never true: shapes have pieces.
    pub fn is_empty(&self) -> bool {
        self.pieces.len() == 0
    }

    /// Bounding box of a piece, not enlarged.
    pub fn piece_box(&self, index: usize) -> Aabb {
        self.pieces.aabb(index)
    }

    /// The triangle that a piece is, or that bounds a piece of the ground from above; of voxels none.
    pub fn piece_triangle(&self, index: usize) -> Option<[Point3<f64>; 3]> {
        self.pieces.triangle(index)
    }

    /// Points of a cloud, in the order of the pieces; `None` for other kinds.
    pub fn points(&self) -> Option<&[Point3<f64>]> {
        if let Pieces::Points(points) = &self.pieces { Some(points) } else { None }
    }

    /// The tree over the points of a cloud in its own frame, m, in single precision: eight points per leaf, and the nodes over the leaves, level by level
    /// up to a single one; `None` for other kinds.
    pub fn point_nodes(&self) -> Option<(&[PointNode], &[Vec<BoxNode>])> {
        self.tree.point_nodes()
    }

    /// By how much the pieces are enlarged: the radius of a cloud, 0 for other kinds, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// True when the volume that the pieces enclose belongs to the shape.
    pub fn is_solid(&self) -> bool {
        self.inside.is_some()
    }

    /// True when the surface of a solid mesh winds around a point.
    pub fn encloses(&self, point: &Point3<f64>) -> bool {
        self.inside.as_ref().is_some_and(|inside| inside.contains(point))
    }

    /// Bounding box of the shape.
    pub fn aabb(&self) -> &Aabb {
        &self.aabb
    }

    /// Bounding sphere of the shape.
    pub fn bounding_ball(&self) -> &Sphere {
        &self.ball
    }

    /// Limit of a search of the tree for pieces that are within `reach` when they are enlarged.
    pub(crate) fn limit(&self, query: &Query, reach: f64) -> f32 {
        query.limit(reach + self.radius)
    }

    /// Triangles of the surfaces of all pieces, which the radius enlarges; a point is a triangle without size.
    pub(crate) fn surface(&self) -> Vec<[Point3<f64>; 3]> {
        (0..self.pieces.len()).flat_map(|index| self.pieces.surface(index)).collect()
    }

    /// A corner that lies farthest along a direction; the radius is not added.
    pub(crate) fn support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let corners = (0..self.pieces.len()).flat_map(|index| self.pieces.corners(index));
        let best = corners.max_by(|a, b| direction.dot(&a.coords).total_cmp(&direction.dot(&b.coords)));
        best.map_or_else(Vector3::zeros, |corner| corner.coords)
    }

    /// Largest distance of the shape's points from a point.
    pub(crate) fn reach_from(&self, point: &Point3<f64>) -> f64 {
        let corners = (0..self.pieces.len()).flat_map(|index| self.pieces.corners(index));
        corners.map(|corner| (corner - point).norm()).fold(0.0, f64::max) + self.radius
    }
}
