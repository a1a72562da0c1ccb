//! Circumscribed polyhedra of ellipsoids, for which there is no collision shape.

use std::collections::BTreeMap;

use kinetic_core::{Result, Shape};
use nalgebra::{Point3, Vector3};

/// Each subdivision halves the edges of the icosahedron; after two, 162 vertices stay within 2 % of the ball.
const ICOSAHEDRON_SUBDIVISIONS: usize = 2;

/// A convex polyhedron that contains the ellipsoid with these semi-axes and exceeds it by at most 2.5 % of each.
///
/// # Errors
/// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) unless all are positive and finite.
pub(crate) fn around(semi_axes: Vector3<f64>) -> Result<Shape> {
    // The checks of a box are those of semi-axes.
    Shape::cuboid(semi_axes.x, semi_axes.y, semi_axes.z)?;
    if semi_axes.x == semi_axes.y && semi_axes.y == semi_axes.z {
        return Shape::sphere(semi_axes.x);
    }
    let (vertices, triangles) = icosphere();
    let height = |corners: &[usize; 3]| {
        let [a, b, c] = corners.map(|corner| vertices[corner]);
        (b - a).cross(&(c - a)).normalize().dot(&a).abs()
    };
    // Scaled until the nearest face touches the unit ball; the linear map of ball to ellipsoid keeps containment.
    let inner = triangles.iter().map(height).fold(1.0, f64::min);
    let corners: Vec<_> =
        vertices.iter().map(|vertex| Point3::from(vertex.component_mul(&semi_axes) / inner)).collect();
    Shape::convex(&corners, 0.0)
}

/// Vertices on the unit sphere, and triangles.
fn icosphere() -> (Vec<Vector3<f64>>, Vec<[usize; 3]>) {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let mut vertices = Vec::new();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        vertices.extend([Vector3::new(0.0, a, b), Vector3::new(a, b, 0.0), Vector3::new(b, 0.0, a)]);
    }
    let mut vertices: Vec<Vector3<f64>> = vertices.into_iter().map(|vertex| vertex.normalize()).collect();
    let mut triangles = icosahedron(&vertices);
    for _ in 0..ICOSAHEDRON_SUBDIVISIONS {
        let mut middles = BTreeMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let mut middle = |i: usize, j: usize| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    vertices.push((vertices[i] + vertices[j]).normalize());
                    vertices.len() - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    (vertices, triangles)
}

/// All triples of mutually neighbouring vertices.
fn icosahedron(vertices: &[Vector3<f64>]) -> Vec<[usize; 3]> {
    // Neighbours enclose 63.4°, all others at least 116.6°.
    let are_near = |a: usize, b: usize| vertices[a].dot(&vertices[b]) > 0.0;
    let mut triangles = Vec::new();
    for a in 0..vertices.len() {
        for b in a + 1..vertices.len() {
            for c in b + 1..vertices.len() {
                if are_near(a, b) && are_near(b, c) && are_near(a, c) {
                    triangles.push([a, b, c]);
                }
            }
        }
    }
    triangles
}
