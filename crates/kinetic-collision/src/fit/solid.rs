//! The solid of a sphere cover: triangles that must be covered, and the inside between them.

use std::f64::consts::{FRAC_PI_2, PI};

use kinetic_core::Shape;
use kinetic_core::error::{KineticError, Result};
use kinetic_robot::mesh::TriangleMesh;
use nalgebra::{Isometry3, Point3, Vector3};

use super::field::Field;
use crate::aabb::Aabb;
use crate::compound::Compound;
use crate::distance::point::PreparedShape;
use crate::hull::{Hull, convex_hull};
use crate::shape_kind::unknown_kind;
use crate::triangle_tree::Triangle;

/// Sides of the prism that stands for a cylinder; its corners are 0.5 % outside.
const PRISM_SIDES: u32 = 32;
/// Rings of the polytope that stands for a half of a capsule's end; its corners are 2 % outside.
const DOME_RINGS: u32 = 4;
/// A corner of a cell this close to a solid is treated as inside, m: more than rounding, less than [`RADIUS_ROUNDING_M`](crate::tolerance::RADIUS_ROUNDING_M).
const INSIDE_TOLERANCE_M: f64 = 1e-10;

/// A triangle whose points, enlarged by `rounding`, must be covered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facet {
    pub(super) corners: Triangle,
    pub(super) rounding: f64,
}

/// A union of convex pieces, or a mesh, in the frame of a link.
#[derive(Debug, Clone)]
pub(super) struct Solid {
    pub(super) facets: Vec<Facet>,
    /// Box around the facets.
    pub(super) aabb: Aabb,
    inside: SolidInside,
}

#[derive(Debug, Clone)]
enum SolidInside {
    Pieces(Vec<SolidPiece>),
    Mesh(Box<Field>),
}

#[derive(Debug, Clone)]
struct SolidPiece {
    /// The true shape.
    shape: PreparedShape,
    outline: Outline,
    /// By how much the outline is to be enlarged.
    rounding: f64,
}

/// An outline that contains a shape when it is enlarged by a rounding.
#[derive(Debug, Clone)]
enum Outline {
    Hull(Hull),
    /// The surfaces of the pieces of a compound.
    Surface(Vec<Triangle>),
}

impl Solid {
    /// The union of shapes.
    pub(super) fn from_shapes(shapes: &[(Isometry3<f64>, &Shape)]) -> Result<Self> {
        let pieces = shapes.iter().map(|(pose, shape)| SolidPiece::new(shape, pose)).collect::<Result<Vec<_>>>()?;
        let facets = pieces.iter().flat_map(SolidPiece::facets).collect();
        Ok(Self::new(facets, SolidInside::Pieces(pieces)))
    }

    /// A mesh with what it encloses.
    pub(super) fn from_mesh(mesh: &TriangleMesh) -> Result<Self> {
        let triangles = checked_triangles(mesh)?;
        let field = Box::new(Field::new(&triangles));
        let facets = triangles.into_iter().map(|corners| Facet { corners, rounding: 0.0 }).collect();
        Ok(Self::new(facets, SolidInside::Mesh(field)))
    }

    fn new(facets: Vec<Facet>, inside: SolidInside) -> Self {
        let corners = facets.iter().flat_map(|facet| &facet.corners);
        let aabb = Aabb::from_points(corners).unwrap_or(Aabb::new(Point3::origin(), Point3::origin()));
        Self { facets, aabb, inside }
    }

    /// A ball of radius `r` around the point reaches at most `r` plus this beyond the solid, m.
    pub(super) fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        self.signed_distance_below(point, f64::INFINITY)
    }

    /// As [`signed_distance`](Self::signed_distance) where it is below a limit, elsewhere any number that is not.
    pub(super) fn signed_distance_below(&self, point: &Point3<f64>, limit: f64) -> f64 {
        match &self.inside {
            SolidInside::Pieces(pieces) => {
                // What is no nearer than another piece need not be known.
                let nearer = |least: f64, piece: &SolidPiece| {
                    least.min(piece.shape.signed_distance_below(point, least.min(limit)))
                };
                pieces.iter().fold(f64::INFINITY, nearer)
            }
            SolidInside::Mesh(field) => field.signed_distance(point),
        }
    }

    /// By how much a point must be enlarged to stand for what is solid around it; `None` for a point outside.
    pub(super) fn rounding_inside(&self, point: &Point3<f64>) -> Option<f64> {
        match &self.inside {
            SolidInside::Pieces(pieces) => {
                pieces.iter().filter(|piece| piece.holds(point)).map(|piece| piece.rounding).reduce(f64::max)
            }
            SolidInside::Mesh(field) => field.is_solid(point).then_some(0.0),
        }
    }
}

impl SolidPiece {
    fn new(shape: &Shape, link_from_shape: &Isometry3<f64>) -> Result<Self> {
        let body = PreparedShape::new(shape, link_from_shape)?;
        if Compound::is_kind_of(shape) {
            let placed = |triangle: Triangle| triangle.map(|corner| link_from_shape * corner);
            let compound = Compound::new(shape)?;
            let surface = compound.surface().into_iter().map(placed).collect();
            return Ok(Self { shape: body, outline: Outline::Surface(surface), rounding: compound.radius() });
        }
        let (corners, rounding) = polytope(shape)?;
        let corners: Vec<Point3<f64>> = corners.iter().map(|corner| link_from_shape * corner).collect();
        Ok(Self { shape: body, outline: Outline::Hull(convex_hull(&corners)?), rounding })
    }

    fn facets(&self) -> Vec<Facet> {
        let facet = |corners: Triangle| Facet { corners, rounding: self.rounding };
        let hull = match &self.outline {
            Outline::Hull(hull) => hull,
            Outline::Surface(triangles) => return triangles.iter().copied().map(facet).collect(),
        };
        let at = |index: usize| hull.vertices()[index];
        match hull.dimension() {
            0 => vec![facet([at(0); 3])],
            1 => vec![facet([at(0), at(1), at(1)])],
            _ => hull.faces().iter().map(|face| facet(face.map(at))).collect(),
        }
    }

    fn holds(&self, point: &Point3<f64>) -> bool {
        match &self.outline {
            // What is flat has no inside: its facets are all of it.
            Outline::Hull(hull) => {
                hull.dimension() == 3 && hull.planes().iter().all(|plane| plane.height(point) <= INSIDE_TOLERANCE_M)
            }
            Outline::Surface(_) => self.shape.signed_distance(point) <= INSIDE_TOLERANCE_M,
        }
    }
}

/// Points whose hull, enlarged by the second value, contains a shape.
pub(super) fn polytope(shape: &Shape) -> Result<(Vec<Point3<f64>>, f64)> {
    Ok(match shape {
        Shape::Sphere { radius } => (vec![Point3::origin()], *radius),
        Shape::Cuboid { half_extents } => (box_corners(half_extents), 0.0),
        Shape::Cylinder { radius, half_height } => (prism_corners(*radius, *half_height), 0.0),
        Shape::Capsule { radius, half_height } => (capsule_corners(*radius, *half_height), 0.0),
        Shape::Convex { vertices, radius } => (vertices.to_vec(), *radius),
        Shape::HalfSpace { .. } => {
            return Err(KineticError::invalid("shape to cover", "a half-space", "a bounded shape"));
        }
        Shape::Mesh { vertices, .. } => (vertices.to_vec(), 0.0),
        Shape::PointCloud { points, radius } => (points.to_vec(), *radius),
        Shape::HeightField { .. } | Shape::Voxels { .. } => {
            (Compound::new(shape)?.surface().into_iter().flatten().collect(), 0.0)
        }
        other => return Err(unknown_kind(other)),
    })
}

pub(super) fn box_corners(half_extents: &Vector3<f64>) -> Vec<Point3<f64>> {
    let sign = |bit: u32| if bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |bits: u32| Vector3::new(sign(bits), sign(bits >> 1), sign(bits >> 2));
    (0..8).map(|bits| Point3::from(corner(bits).component_mul(half_extents))).collect()
}

/// Corners of a regular polygon around a circle, at a height.
fn ring(radius: f64, z: f64) -> impl Iterator<Item = Point3<f64>> {
    let outer = radius / (PI / f64::from(PRISM_SIDES)).cos();
    (0..PRISM_SIDES).map(move |side| {
        let (sine, cosine) = (2.0 * PI * f64::from(side) / f64::from(PRISM_SIDES)).sin_cos();
        Point3::new(outer * cosine, outer * sine, z)
    })
}

/// Corners of a prism around a cylinder.
fn prism_corners(radius: f64, half_height: f64) -> Vec<Point3<f64>> {
    ring(radius, -half_height).chain(ring(radius, half_height)).collect()
}

/// Corners of a polytope around a capsule: the profile's tangents at equal angles meet in its corners.
fn capsule_corners(radius: f64, half_height: f64) -> Vec<Point3<f64>> {
    let step = FRAC_PI_2 / f64::from(DOME_RINGS);
    let outer = radius / (0.5 * step).cos();
    let dome = (0..DOME_RINGS).flat_map(|index| {
        let (sine, cosine) = ((f64::from(index) + 0.5) * step).sin_cos();
        ring(outer * cosine, half_height + outer * sine)
    });
    dome.flat_map(|corner| [corner, Point3::new(corner.x, corner.y, -corner.z)]).collect()
}

/// The triangles of a mesh, or why there are none.
///
/// # Errors
/// [`KineticError::NotFinite`] for NaN or infinity, [`KineticError::InvalidValue`] without triangles or for an index
/// beyond the vertices.
pub(super) fn checked_triangles(mesh: &TriangleMesh) -> Result<Vec<Triangle>> {
    for vertex in &mesh.vertices {
        kinetic_core::error::check_finite("mesh vertex", vertex.coords.as_slice())?;
    }
    if mesh.triangles.is_empty() {
        return Err(KineticError::invalid("mesh", "no triangles", "at least one triangle"));
    }
    let vertex = |index: u32| {
        let wanted = || format!("an index below the {} vertices", mesh.vertices.len());
        mesh.vertices.get(index as usize).copied().ok_or_else(|| KineticError::invalid("mesh face", index, wanted()))
    };
    mesh.triangles.iter().map(|[a, b, c]| Ok([vertex(*a)?, vertex(*b)?, vertex(*c)?])).collect()
}
