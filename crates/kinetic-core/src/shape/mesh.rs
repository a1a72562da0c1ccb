//! Shapes of triangles.

use nalgebra::Point3;

use super::{Shape, check_vertex};
use crate::error::{KineticError, Result};

impl Shape {
    /// Triangles. With `is_solid` they must enclose something: then what lies inside belongs to the shape.
    ///
    /// Duplicated vertices, triangles without area and edges of more than two triangles are all allowed: every triangle
    /// counts as it is. Closed means that every edge is passed as often in one direction as in the other, vertices at
    /// the same place taken as one; a point is inside where such a surface winds around it, whichever way its triangles
    /// face.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] without triangles, for an index beyond the vertices, and for a solid that is not
    /// closed, or a vertex beyond 10⁵ m; [`KineticError::NotFinite`] for NaN or infinity.
    pub fn mesh(vertices: &[Point3<f64>], triangles: &[[u32; 3]], is_solid: bool) -> Result<Self> {
        for vertex in vertices {
            check_vertex("mesh vertex", vertex)?;
        }
        if triangles.is_empty() {
            return Err(KineticError::invalid("mesh", "no triangles", "at least one triangle"));
        }
        if let Some(index) = triangles.iter().flatten().find(|index| **index as usize >= vertices.len()) {
            return Err(KineticError::invalid("mesh face", index, format!("indices below {}", vertices.len())));
        }
        let open = if is_solid { open_edges(vertices, triangles) } else { 0 };
        if open > 0 {
            let wanted = "a closed surface whose faces agree on what is outside, or a mesh that is not solid";
            return Err(KineticError::invalid("solid mesh", format!("{open} open edges"), wanted));
        }
        Ok(Self::Mesh { vertices: vertices.into(), triangles: triangles.into(), is_solid })
    }
}

/// Number of edges that are passed more often in one direction than in the other.
fn open_edges(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> usize {
    let place = welded(vertices);
    let mut edges: Vec<(u32, u32, i64)> = Vec::with_capacity(3 * triangles.len());
    for triangle in triangles {
        for corner in 0..3 {
            let (a, b) = (place[triangle[corner] as usize], place[triangle[(corner + 1) % 3] as usize]);
            if a != b {
                edges.push((a.min(b), a.max(b), if a < b { 1 } else { -1 }));
            }
        }
    }
    edges.sort_unstable();
    let balance = |run: &[(u32, u32, i64)]| run.iter().map(|edge| edge.2).sum::<i64>();
    edges.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)).filter(|run| balance(run) != 0).count()
}

/// For each vertex the first one, in an order of places, that lies at the same place.
fn welded(vertices: &[Point3<f64>]) -> Vec<u32> {
    // Adding 0 makes one zero of both.
    let key = |index: u32| vertices[index as usize].coords.map(|value| value + 0.0);
    let compare = |a: &u32, b: &u32| {
        let (a, b) = (key(*a), key(*b));
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by(|a, b| compare(a, b).then(a.cmp(b)));
    let mut place = vec![0; vertices.len()];
    for run in order.chunk_by(|a, b| compare(a, b).is_eq()) {
        for index in run {
            place[*index as usize] = run[0];
        }
    }
    place
}
