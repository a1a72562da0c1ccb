//! `load_mesh`: triangles from a file.

use kinetic::core::KineticError;
use kinetic::robot::TriangleMesh;
use nalgebra::Point3;
use pyo3::prelude::*;

use crate::convert::{Array, File, Indices, Matrix};
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
    Ok((Array::new(py, &[mesh.vertices.len(), 3], &vertices)?, Indices::rows(py, &mesh.triangles)?))
}

/// A mesh from vertices (N, 3) and faces (M, 3).
pub(crate) fn mesh_of_arrays(vertices: &Matrix, faces: &Matrix) -> Result<TriangleMesh> {
    vertices.check_columns("vertex", 3)?;
    faces.check_columns("face", 3)?;
    let index = |value: &f64| {
        let is_index = value.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(value);
        if !is_index {
            return Err(KineticError::invalid("mesh face", value, "indices of vertices: integers of at least 0"));
        }
        #[allow(clippy::cast_sign_loss, reason = "an index is not negative")]
        Ok(*value as u32)
    };
    let indices = faces.values.iter().map(index).collect::<std::result::Result<Vec<u32>, _>>()?;
    Ok(TriangleMesh {
        vertices: vertices.rows().map(|row| Point3::new(row[0], row[1], row[2])).collect(),
        triangles: indices.chunks_exact(3).map(|face| [face[0], face[1], face[2]]).collect(),
    })
}
