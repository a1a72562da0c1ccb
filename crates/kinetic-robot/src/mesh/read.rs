//! STL and OBJ files.

use std::io;
use std::path::Path;

use kinetic_core::{KineticError, Result};
use mesh_loader::{Loader, Mesh};
use nalgebra::Point3;

use super::TriangleMesh;

/// Formats this crate reads, by file extension.
const SUPPORTED: [&str; 2] = ["stl", "obj"];

/// Reads a mesh file without scaling it. All objects of the file become one mesh.
pub(super) fn read(path: &Path) -> Result<TriangleMesh> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !SUPPORTED.contains(&extension.as_str()) {
        return Err(malformed(path, format!("mesh format \".{extension}\" is not supported; .stl and .obj are")));
    }
    let bytes = std::fs::read(path).map_err(|error| KineticError::io(path, &error))?;
    let loader = Loader::default();
    let scene = match extension.as_str() {
        "stl" => loader.load_stl_from_slice(&bytes, path),
        // Materials stand in further files; shapes do not need them.
        _ => loader.load_obj_from_slice_with_reader(&bytes, path, |_| Err(io::ErrorKind::Unsupported.into())),
    };
    merge(&scene.map_err(|error| malformed(path, error.to_string()))?.meshes, path)
}

fn merge(parts: &[Mesh], path: &Path) -> Result<TriangleMesh> {
    let mut mesh = TriangleMesh::default();
    for part in parts {
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(part.vertices.iter().map(|vertex| Point3::from(vertex.map(f64::from))));
        mesh.triangles.extend(part.faces.iter().map(|face| face.map(|index| index.saturating_add(first))));
    }
    check(&mesh).map_err(|detail| malformed(path, detail))?;
    Ok(mesh)
}

fn check(mesh: &TriangleMesh) -> std::result::Result<(), String> {
    if mesh.triangles.is_empty() {
        return Err("the file has no triangles".to_owned());
    }
    if let Some(vertex) = mesh.vertices.iter().position(|vertex| vertex.iter().any(|value| !value.is_finite())) {
        return Err(format!("vertex {} is not finite", vertex + 1));
    }
    let count = mesh.vertices.len();
    match mesh.triangles.iter().position(|triangle| triangle.iter().any(|index| *index as usize >= count)) {
        Some(triangle) => Err(format!("triangle {} names a vertex beyond the {count} that exist", triangle + 1)),
        None => Ok(()),
    }
}

fn malformed(path: &Path, detail: String) -> KineticError {
    KineticError::FileParse { file: path.display().to_string(), line: 0, detail }
}
