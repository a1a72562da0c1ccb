//! Mesh assembly for the readers of all formats: parts, limits of sizes, and errors.

use nalgebra::{Matrix4, Point3};

use super::TriangleMesh;

/// Largest file that is read, bytes.
pub(super) const MOST_MESH_BYTES: u64 = 1 << 28;

/// Most triangles of a mesh. A file may place the same part again and again.
const MOST_TRIANGLES: usize = 4_000_000;

/// Most nodes of a scene graph that are visited. Graphs may share nodes, and visits then multiply.
const MOST_NODES: usize = 100_000;

/// Deepest nesting of nodes.
const DEEPEST_SCENE_GRAPH: usize = 100;

/// What is wrong with a mesh file: line (0 when unknown or not a text) and words.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) line: u32,
    pub(super) detail: String,
}

impl From<String> for Fault {
    fn from(detail: String) -> Self {
        Self { line: 0, detail }
    }
}

pub(super) type Parsed<T> = std::result::Result<T, Fault>;

/// The axis of a file that points up, as the file or its format says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UpAxis {
    X,
    Y,
    Z,
}

/// A mesh put together from the parts of a scene graph, with guards against graphs without end.
#[derive(Default)]
pub(super) struct Assembly {
    mesh: TriangleMesh,
    nodes: usize,
}

impl Assembly {
    /// Counts a node that is entered at some depth.
    pub(super) fn enter(&mut self, depth: usize) -> Parsed<()> {
        self.nodes += 1;
        if depth > DEEPEST_SCENE_GRAPH {
            return Err(format!("nodes are nested more than {DEEPEST_SCENE_GRAPH} deep, or contain themselves").into());
        }
        if self.nodes > MOST_NODES {
            return Err(format!("the scene has more than {MOST_NODES} nodes").into());
        }
        Ok(())
    }

    /// Adds a part at its place in the scene; a mirrored one keeps its outside outside.
    pub(super) fn add(&mut self, part: &TriangleMesh, scene_from_part: &Matrix4<f64>) -> Parsed<()> {
        let first = self.mesh.vertices.len();
        // Three vertices per triangle bound the indices, too.
        if self.mesh.triangles.len() + part.triangles.len() > MOST_TRIANGLES
            || first + part.vertices.len() > 3 * MOST_TRIANGLES
        {
            return Err(format!("more than {MOST_TRIANGLES} triangles").into());
        }
        let moved = |vertex: &Point3<f64>| Point3::from((scene_from_part * vertex.to_homogeneous()).xyz());
        self.mesh.vertices.extend(part.vertices.iter().map(moved));
        let is_mirror = scene_from_part.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        let triangle = |[a, b, c]: &[u32; 3]| if is_mirror { [*a, *c, *b] } else { [*a, *b, *c] };
        let placed = |index: u32| index.saturating_add(first as u32);
        self.mesh.triangles.extend(part.triangles.iter().map(|corners| triangle(corners).map(placed)));
        Ok(())
    }

    pub(super) fn finish(self) -> TriangleMesh {
        self.mesh
    }
}

/// The triangles of a polygon, fanned out from its first corner.
pub(super) fn fan(polygon: &[u32], triangles: &mut Vec<[u32; 3]>) {
    if let [first, rest @ ..] = polygon {
        triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
    }
}

/// The triangles of a strip, of which every second one runs backwards.
pub(super) fn strip(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let triangle = |(index, corners): (usize, &[u32])| match index % 2 {
        0 => [corners[0], corners[1], corners[2]],
        _ => [corners[1], corners[0], corners[2]],
    };
    triangles.extend(corners.windows(3).enumerate().map(triangle));
}
