//! `load_mesh`: triangles from a file.

use kinetic::robot::TriangleMesh;
use pyo3::prelude::*;

use crate::convert::{Array, File, Indices};
use crate::error::Result;
use crate::interrupt::abandonable;

/// Reads a mesh file: .stl, .obj, .dae, .glb or .gltf. COLLADA's unit of length is applied.
///
/// Args:
///     path: The file.
///     z_up: Turn the mesh so that the upward axis that the file or its format declares becomes z. Meshes of robots are
///         used without, as published descriptions mean them.
///
/// Returns:
///     Vertices (N, 3) in m and triangles (M, 3) as indices of vertices.
///
/// Raises:
///     InputError: Malformed or another format.
///     OSError: The file cannot be read.
#[pyfunction]
#[pyo3(signature = (path, *, z_up=false))]
pub(crate) fn load_mesh(py: Python<'_>, path: File, z_up: bool) -> Result<(Array<'_>, Indices<'_>)> {
    let read = move || if z_up { TriangleMesh::from_file_z_up(&path.0) } else { TriangleMesh::from_file(&path.0) };
    let mesh = abandonable(py, read)??;
    let vertices: Vec<f64> = mesh.vertices.iter().flat_map(|vertex| [vertex.x, vertex.y, vertex.z]).collect();
    Ok((Array::new(py, &[mesh.vertices.len(), 3], &vertices)?, Indices::triples(py, &mesh.triangles)?))
}
