//! The convex pieces of a compound: triangles, prisms, boxes or points.

use nalgebra::{Matrix3, Point3, Vector3};

use super::height_field::Prism;
use crate::aabb::Aabb;
use crate::distance::primitive::{PlacedCuboid, PointDistance};
use crate::vector::{any_perpendicular, origin_on_triangle};

/// Faces of a prism as indices of its corners: bottom, top, and two for each side.
const PRISM_FACES: [[usize; 3]; 8] =
    [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];

/// Faces of a box, whose corner `i` has the bits of `i` as places on the axes.
const BOX_FACES: [[usize; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// Pieces of a compound, in its frame.
#[derive(Debug, Clone)]
pub(crate) enum Pieces {
    Triangles(Vec<[Point3<f64>; 3]>),
    Boxes(Vec<Aabb>),
    Prisms(Vec<Prism>),
    Points(Vec<Point3<f64>>),
}

/// Up to eight corners of a piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corners {
    points: [Point3<f64>; 8],
    count: usize,
}

impl Corners {
    fn new(points: &[Point3<f64>]) -> Self {
        let mut corners = [Point3::origin(); 8];
        corners[..points.len()].copy_from_slice(points);
        Self { points: corners, count: points.len() }
    }

    /// The corners relative to a point.
    pub(crate) fn seen_from(mut self, point: &Point3<f64>) -> Self {
        self.points[..self.count].iter_mut().for_each(|corner| *corner -= point.coords);
        self
    }

    /// The corner farthest along a direction.
    #[inline]
    pub(crate) fn support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, point) in self.points[..self.count].iter().enumerate() {
            let height = direction.dot(&point.coords);
            if height > best.0 {
                best = (height, index);
            }
        }
        self.points[best.1].coords
    }
}

impl IntoIterator for Corners {
    type Item = Point3<f64>;
    type IntoIter = std::iter::Take<std::array::IntoIter<Point3<f64>, 8>>;

    fn into_iter(self) -> Self::IntoIter {
        self.points.into_iter().take(self.count)
    }
}

impl Pieces {
    pub(super) fn of_mesh(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Self {
        Self::Triangles(triangles.iter().map(|corners| corners.map(|index| vertices[index as usize])).collect())
    }

    pub(super) fn ordered(&self, order: &[usize]) -> Self {
        fn picked<T: Copy>(all: &[T], order: &[usize]) -> Vec<T> {
            order.iter().map(|index| all[*index]).collect()
        }
        match self {
            Self::Triangles(all) => Self::Triangles(picked(all, order)),
            Self::Boxes(all) => Self::Boxes(picked(all, order)),
            Self::Prisms(all) => Self::Prisms(picked(all, order)),
            Self::Points(all) => Self::Points(picked(all, order)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Triangles(all) => all.len(),
            Self::Boxes(all) => all.len(),
            Self::Prisms(all) => all.len(),
            Self::Points(all) => all.len(),
        }
    }

    /// All pieces, if they are triangles.
    pub(super) fn triangles(&self) -> Vec<[Point3<f64>; 3]> {
        if let Self::Triangles(all) = self { all.clone() } else { Vec::new() }
    }

    /// See [`Compound::piece_triangle`](super::Compound::piece_triangle).
    pub(super) fn triangle(&self, index: usize) -> Option<[Point3<f64>; 3]> {
        match self {
            Self::Triangles(all) => Some(all[index]),
            Self::Prisms(all) => Some([all[index][3], all[index][4], all[index][5]]),
            Self::Boxes(_) | Self::Points(_) => None,
        }
    }

    pub(crate) fn corners(&self, index: usize) -> Corners {
        match self {
            Self::Triangles(all) => Corners::new(&all[index]),
            Self::Prisms(all) => Corners::new(&all[index]),
            Self::Boxes(all) => Corners::new(&box_corners(&all[index])),
            Self::Points(all) => Corners::new(&all[index..=index]),
        }
    }

    pub(crate) fn aabb(&self, index: usize) -> Aabb {
        let around = |points: &[Point3<f64>]| {
            points.iter().fold(Aabb::new(points[0], points[0]), |all, point| all.union(&Aabb::new(*point, *point)))
        };
        match self {
            Self::Triangles(all) => around(&all[index]),
            Self::Prisms(all) => around(&all[index]),
            Self::Boxes(all) => all[index],
            Self::Points(all) => Aabb::new(all[index], all[index]),
        }
    }

    /// Signed distance of a point from a piece; triangles and points have no inside.
    pub(crate) fn signed_distance(&self, index: usize, point: &Point3<f64>) -> f64 {
        match self {
            Self::Triangles(all) => to_triangle(&all[index], point).norm(),
            Self::Boxes(all) => cuboid(&all[index]).signed_distance(point),
            Self::Prisms(all) => to_prism(&all[index], point).0,
            Self::Points(all) => (point - all[index]).norm(),
        }
    }

    /// Unit vector along which the distance from a piece grows fastest.
    pub(crate) fn gradient(&self, index: usize, point: &Point3<f64>) -> Vector3<f64> {
        match self {
            Self::Triangles(all) => {
                let offset = to_triangle(&all[index], point);
                (-offset).try_normalize(0.0).unwrap_or_else(|| normal(&all[index]))
            }
            Self::Boxes(all) => cuboid(&all[index]).gradient(point),
            Self::Prisms(all) => to_prism(&all[index], point).1,
            Self::Points(all) => (point - all[index]).try_normalize(0.0).unwrap_or_else(Vector3::z),
        }
    }

    /// Triangles of the surface of a piece.
    pub(super) fn surface(&self, index: usize) -> Vec<[Point3<f64>; 3]> {
        let points = self.corners(index).points;
        let faces = |faces: &[[usize; 3]]| faces.iter().map(|face| face.map(|corner| points[corner])).collect();
        match self {
            Self::Triangles(all) => vec![all[index]],
            Self::Boxes(_) => faces(&BOX_FACES),
            Self::Prisms(_) => faces(&PRISM_FACES),
            Self::Points(all) => vec![[all[index]; 3]],
        }
    }
}

fn cuboid(bounds: &Aabb) -> PlacedCuboid {
    PlacedCuboid { center: bounds.center(), axes: Matrix3::identity(), half_extents: bounds.size() / 2.0 }
}

fn box_corners(bounds: &Aabb) -> [Point3<f64>; 8] {
    let pick = |bits: usize, axis: usize| if bits >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
    std::array::from_fn(|bits| Point3::new(pick(bits, 0), pick(bits, 1), pick(bits, 2)))
}

/// From a point to the closest one of a triangle.
fn to_triangle(triangle: &[Point3<f64>; 3], point: &Point3<f64>) -> Vector3<f64> {
    let [a, b, c] = triangle.map(|corner| corner - point);
    origin_on_triangle(&a, &b, &c)
}

/// A unit normal; of a triangle without area, any direction at right angles to its longest edge.
fn normal([a, b, c]: &[Point3<f64>; 3]) -> Vector3<f64> {
    let edges = [b - a, c - a, c - b];
    let across = edges[0].cross(&edges[1]).try_normalize(0.0).filter(|unit| unit.iter().all(|value| value.is_finite()));
    let longest = edges.into_iter().max_by(|p, q| p.norm_squared().total_cmp(&q.norm_squared()));
    let along = longest.and_then(|edge| edge.try_normalize(0.0));
    across.unwrap_or_else(|| along.map_or_else(Vector3::z, |edge| any_perpendicular(&edge)))
}

/// Signed distance of a point from a prism, and its gradient.
fn to_prism(prism: &Prism, point: &Point3<f64>) -> (f64, Vector3<f64>) {
    let side = |a: usize, b: usize| {
        let edge = prism[b] - prism[a];
        (Vector3::new(edge.y, -edge.x, 0.0).normalize(), prism[a])
    };
    let top = (prism[4] - prism[3]).cross(&(prism[5] - prism[3])).normalize();
    let planes = [(top, prism[3]), (-Vector3::z(), prism[0]), side(0, 1), side(1, 2), side(2, 0)];
    let mut highest = (f64::NEG_INFINITY, Vector3::z());
    for (normal, foot) in planes {
        let height = normal.dot(&(point - foot));
        if height > highest.0 {
            highest = (height, normal);
        }
    }
    if highest.0 <= 0.0 {
        return highest;
    }
    let offsets = PRISM_FACES.iter().map(|face| to_triangle(&face.map(|corner| prism[corner]), point));
    let nearest = offsets.min_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared())).unwrap_or_default();
    let distance = nearest.norm();
    (distance, if distance > 0.0 { -nearest / distance } else { highest.1 })
}
