//! Convex pieces of a mesh: each triangle lies in one, or its parts in several.
//!
//! The mesh is cut by planes; where it is looser than allowed, by the plane that leaves the least volume in the hulls
//! of the two halves. Triangles on both sides are cut with it, so the hulls of the halves contain all of the mesh,
//! whether it is closed or not.

use kinetic_core::Shape;
use kinetic_core::error::{KineticError, Result};
use kinetic_robot::mesh::TriangleMesh;
use nalgebra::{Point3, Vector3};

use super::field::Field;
use super::samples::spiral;
use super::simplify::{HullConfig, enclosing_hull};
use super::solid::checked_triangles;
use crate::hull::{Hull, convex_hull};
use crate::triangle_tree::Triangle;

/// Directions in which the outermost points stand for a hull during the search.
const SEARCH_DIRECTIONS: usize = 60;
/// Planes tried per axis.
const PLANES_PER_AXIS: usize = 9;
/// Points that stand for the mesh during the search of a cut.
const SEARCH_POINTS: usize = 1500;
/// A cut has to save this part of the volume.
const MIN_SAVED_VOLUME_RATIO: f64 = 0.02;
/// Samples per hull at which its gap is measured.
const GAP_SAMPLES: usize = 300;

/// Configuration of convex decomposition: number of pieces and tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieceConfig {
    /// Most pieces, at least 1.
    pub max_pieces: usize,
    /// Gap below which a piece is not cut any more, m.
    pub tolerance: f64,
    /// Configuration of the hull of each piece.
    pub hull: HullConfig,
}

impl Default for PieceConfig {
    /// Up to 8 pieces, until no hull is farther than 1 cm from the mesh.
    fn default() -> Self {
        Self { max_pieces: 8, tolerance: 0.01, hull: HullConfig::default() }
    }
}

/// A convex piece of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshPiece {
    /// [`Shape::Convex`] in the frame of the mesh; contains its part of every triangle.
    pub shape: Shape,
    /// Largest distance of the hull of the part from the mesh and what it encloses, m; measured at 300 points, not
    /// proven.
    pub gap: f64,
}

/// Convex pieces whose union contains a mesh.
///
/// Triangles may be open, duplicated, crossing, or without area: all of them are inside the pieces. What counts as
/// enclosed for the gap is as in [`Covering::from_mesh`](super::Covering::from_mesh).
///
/// # Errors
/// [`InvalidValue`](KineticError::InvalidValue) without triangles, for an index beyond the vertices or for a
/// configuration outside its domain, [`NotFinite`](KineticError::NotFinite) for NaN or infinity.
pub fn convex_pieces(mesh: &TriangleMesh, config: &PieceConfig) -> Result<Vec<MeshPiece>> {
    if config.max_pieces == 0 {
        return Err(KineticError::invalid("max_pieces", 0, "at least 1"));
    }
    if !(config.tolerance >= 0.0) {
        return Err(KineticError::invalid("piece tolerance", config.tolerance, "a number of at least 0 (m)"));
    }
    let triangles = checked_triangles(mesh)?;
    let field = Field::new(&triangles);
    let mut parts = vec![MeshPart::new(triangles, &field)?];
    while parts.len() < config.max_pieces {
        let open = parts.iter().enumerate().filter(|(_, part)| part.gap > config.tolerance && !part.is_final);
        let Some((index, _)) = open.max_by(|p, q| p.1.gap.total_cmp(&q.1.gap)) else { break };
        match parts[index].best_cut() {
            Some((axis, offset)) => {
                let [low, high] = parts[index].cut(axis, offset);
                parts[index] = MeshPart::new(low, &field)?;
                parts.push(MeshPart::new(high, &field)?);
            }
            None => parts[index].is_final = true,
        }
    }
    parts.iter().map(|part| part.piece(&config.hull)).collect()
}

/// A part of the mesh in progress.
struct MeshPart {
    triangles: Vec<Triangle>,
    gap: f64,
    /// True when no cut is worth it.
    is_final: bool,
}

impl MeshPart {
    fn new(triangles: Vec<Triangle>, field: &Field) -> Result<Self> {
        let hull = rough_hull(triangles.iter().flatten())?;
        let distance = |point: &Point3<f64>| field.signed_distance(point);
        let gap = on_hull(&hull).iter().map(distance).fold(0.0, f64::max);
        Ok(Self { triangles, gap, is_final: false })
    }

    fn corners(&self) -> Vec<Point3<f64>> {
        self.triangles.iter().flatten().copied().collect()
    }

    fn piece(&self, config: &HullConfig) -> Result<MeshPiece> {
        Ok(MeshPiece { shape: enclosing_hull(&self.corners(), config)?, gap: self.gap })
    }

    /// Axis and place of the cut that leaves the least volume; `None` when none saves enough.
    fn best_cut(&self) -> Option<(usize, f64)> {
        let points = self.spread();
        let whole = rough_volume(&points);
        let mut best = (whole * (1.0 - MIN_SAVED_VOLUME_RATIO), None);
        for axis in 0..3 {
            let along = points.iter().map(|point| point[axis]);
            let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            for plane in 1..=PLANES_PER_AXIS {
                let offset = low + (high - low) * plane as f64 / (PLANES_PER_AXIS + 1) as f64;
                // Points do not know the edges that cross the plane; a strip on both sides stands for them.
                let strip = (high - low) * 0.5 / (PLANES_PER_AXIS + 1) as f64;
                let below: Vec<_> = points.iter().filter(|point| point[axis] <= offset + strip).copied().collect();
                let above: Vec<_> = points.iter().filter(|point| point[axis] >= offset - strip).copied().collect();
                let volume = rough_volume(&below) + rough_volume(&above);
                if volume < best.0 {
                    best = (volume, Some((axis, offset)));
                }
            }
        }
        best.1
    }

    /// Points on the triangles, evenly by area, and outermost corners.
    fn spread(&self) -> Vec<Point3<f64>> {
        let corners = self.corners();
        let mut points = outermost(corners.iter());
        points.extend(by_area(&self.triangles, SEARCH_POINTS));
        points
    }

    /// The triangles below and above a plane, those across it cut.
    fn cut(&self, axis: usize, offset: f64) -> [Vec<Triangle>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for triangle in &self.triangles {
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                side.extend(fan(&clipped(triangle, axis, offset, sign)));
            }
        }
        sides
    }
}

/// The corners of the part of a triangle on one side of a plane; a triangle in the plane is on both.
fn clipped(triangle: &Triangle, axis: usize, offset: f64, sign: f64) -> Vec<Point3<f64>> {
    let height = |point: &Point3<f64>| sign * (point[axis] - offset);
    let mut kept = Vec::with_capacity(4);
    for (index, to) in triangle.iter().enumerate() {
        let from = &triangle[(index + 2) % 3];
        if (height(from) < 0.0 && height(to) > 0.0) || (height(from) > 0.0 && height(to) < 0.0) {
            // From the lower corner in both halves, so that they get the same point.
            let (a, b) = if from[axis] < to[axis] { (from, to) } else { (to, from) };
            let mut point = a + (b - a) * ((offset - a[axis]) / (b[axis] - a[axis]));
            point[axis] = offset;
            kept.push(point);
        }
        if height(to) <= 0.0 {
            kept.push(*to);
        }
    }
    kept
}

/// Triangles with the same hull as a polygon; one or two corners give triangles without area.
fn fan(polygon: &[Point3<f64>]) -> Vec<Triangle> {
    match polygon {
        [] => Vec::new(),
        [a] => vec![[*a; 3]],
        [a, b] => vec![[*a, *b, *b]],
        [a, rest @ ..] => rest.windows(2).map(|pair| [*a, pair[0], pair[1]]).collect(),
    }
}

/// The outermost points in many directions.
fn outermost<'a>(points: impl Iterator<Item = &'a Point3<f64>> + Clone) -> Vec<Point3<f64>> {
    let along = |direction: &Vector3<f64>, point: &Point3<f64>| direction.dot(&point.coords);
    let farthest = |direction: Vector3<f64>| {
        points.clone().max_by(|p, q| along(&direction, p).total_cmp(&along(&direction, q))).copied()
    };
    spiral(SEARCH_DIRECTIONS).filter_map(farthest).collect()
}

fn rough_hull<'a>(points: impl Iterator<Item = &'a Point3<f64>> + Clone) -> Result<Hull> {
    convex_hull(&outermost(points))
}

/// Volume of the hull of the outermost points; 0 for none.
fn rough_volume(points: &[Point3<f64>]) -> f64 {
    let Ok(hull) = rough_hull(points.iter()) else { return 0.0 };
    let origin = hull.vertices()[0];
    let tetrahedron = |face: &[usize; 3]| {
        let [a, b, c] = face.map(|vertex| hull.vertices()[vertex] - origin);
        a.dot(&b.cross(&c)) / 6.0
    };
    hull.faces().iter().map(tetrahedron).sum()
}

/// Points on the faces of a hull.
fn on_hull(hull: &Hull) -> Vec<Point3<f64>> {
    let faces: Vec<Triangle> = hull.faces().iter().map(|face| face.map(|vertex| hull.vertices()[vertex])).collect();
    by_area(&faces, GAP_SAMPLES)
}

/// About `count` points spread over triangles by area, in a regular pattern.
fn by_area(triangles: &[Triangle], count: usize) -> Vec<Point3<f64>> {
    let area = |[a, b, c]: &Triangle| (b - a).cross(&(c - a)).norm();
    let step = triangles.iter().map(area).sum::<f64>() / count as f64;
    let mut points = Vec::with_capacity(count + 1);
    if !step.is_normal() {
        return points;
    }
    let mut due = 0.5;
    for triangle in triangles {
        let [a, b, c] = triangle;
        due += area(triangle) / step;
        while due >= 1.0 {
            due -= 1.0;
            // The R2 sequence (Roberts 2018), folded into the triangle.
            let index = points.len() as f64;
            let (mut u, mut v) = ((0.754_877_666 * index).fract(), (0.569_840_291 * index).fract());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            points.push(a + (b - a) * u + (c - a) * v);
        }
    }
    points
}
