//! Convex hulls of points, of any dimension: solids, flat polygons, segments and single points.

mod flat;
pub(crate) mod polytope;
mod quickhull;
mod support;

use kinetic_core::error::{KineticError, Result, check_finite};
use nalgebra::{Point3, Vector3};

pub use crate::tolerance::FLATNESS;
pub(crate) use flat::PointFrame;
use support::PackedPoints;

/// An oriented plane; `normal · x ≤ offset` is its inner side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit outward normal.
    pub normal: Vector3<f64>,
    /// `normal · x` on the plane, m.
    pub offset: f64,
}

impl Plane {
    /// Signed distance of a point, positive on the outer side.
    pub fn height(&self, point: &Point3<f64>) -> f64 {
        self.normal.dot(&point.coords) - self.offset
    }
}

/// The convex hull of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    vertices: Vec<Point3<f64>>,
    faces: Vec<[usize; 3]>,
    planes: Vec<Plane>,
    dimension: usize,
    extent: f64,
    blocks: PackedPoints,
}

impl Hull {
    /// Corners. Input points closer than [`FLATNESS`] × extent to the hull of the others are left out.
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    /// Triangles as indices of vertices, counter-clockwise seen from outside. A flat hull has both its sides; a segment
    /// and a point have none.
    pub fn faces(&self) -> &[[usize; 3]] {
        &self.faces
    }

    /// Half-spaces whose intersection contains every input point; coplanar triangles share one. Flat hulls, segments
    /// and points are boxed in by planes at right angles, so that the intersection is bounded in every case.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    fn new(
        vertices: Vec<Point3<f64>>,
        faces: Vec<[usize; 3]>,
        planes: Vec<Plane>,
        (dim, extent): (usize, f64),
    ) -> Self {
        let blocks = PackedPoints::new(&vertices);
        Self { vertices, faces, planes, dimension: dim, extent, blocks }
    }

    /// The vertex that lies farthest along a direction (of any length); the first of equals.
    #[inline]
    pub fn support(&self, direction: &Vector3<f64>) -> Point3<f64> {
        self.blocks.farthest(direction)
    }

    /// The least and the greatest product of a direction (of any length) with a vertex.
    #[inline]
    pub(crate) fn range(&self, direction: &Vector3<f64>) -> [f64; 2] {
        self.blocks.range(direction)
    }

    /// A length of the order of the hull's diameter, at least 58 % of it, m.
    pub fn extent(&self) -> f64 {
        self.extent
    }

    /// 3 for a solid, 2 for a flat polygon, 1 for a segment, 0 for a point.
    pub fn dimension(&self) -> usize {
        self.dimension
    }
}

/// The convex hull of points: duplicates, inner, coplanar and collinear points are all allowed.
///
/// Quickhull (Barber, Dobkin, Huhdanpaa 1996) with a tolerance of [`FLATNESS`] × extent; where rounding leaves no clean
/// surface it is built again with a larger tolerance. The same points in the same order give the same hull.
///
/// # Errors
/// [`KineticError::InvalidValue`] without points, [`KineticError::NotFinite`] for NaN or infinity.
pub fn convex_hull(points: &[Point3<f64>]) -> Result<Hull> {
    for point in points {
        check_finite("hull point", point.coords.as_slice())?;
    }
    let Some(frame) = flat::PointFrame::new(points) else {
        return Err(KineticError::invalid("convex hull", "0 points", "at least one point"));
    };
    let mut flatness = FLATNESS;
    // 1e-6 of the extent is far above what rounding can do; a set that still fails is as good as flat.
    while flatness < 1e-6 {
        if frame.dimension(flatness) < 3 {
            break;
        }
        if let Some(hull) = quickhull::solid(points, &frame, flatness) {
            return Ok(hull);
        }
        flatness *= 10.0;
    }
    Ok(frame.flat_hull(points, flatness))
}

/// Planes through faces, equal ones merged, moved outwards until every point is inside.
fn containing_planes(normals: impl IntoIterator<Item = Vector3<f64>>, points: &[Point3<f64>]) -> Vec<Plane> {
    let mut planes: Vec<Plane> = Vec::new();
    for normal in normals {
        // Normals of coplanar triangles differ by rounding only. Most differ in the first coordinate.
        let is_equal = |plane: &Plane| {
            (plane.normal.x - normal.x).abs() <= 1e-10 && (plane.normal - normal).norm_squared() < 1e-20
        };
        if planes.iter().any(is_equal) {
            continue;
        }
        let offset = points.iter().map(|point| normal.dot(&point.coords)).fold(f64::NEG_INFINITY, f64::max);
        planes.push(Plane { normal, offset });
    }
    planes
}
