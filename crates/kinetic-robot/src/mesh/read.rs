//! Reading a mesh file of any supported format, and the checks that all of them pass.

use std::path::Path;

use kinetic_core::{KineticError, Result, files};

use super::assembly::{Fault, MOST_MESH_BYTES, UpAxis};
use super::{TriangleMesh, dae, gltf, msh, obj, stl};

/// Formats, by file extension.
const MESH_FORMATS: [&str; 6] = ["stl", "obj", "dae", "glb", "gltf", "msh"];

/// Reads a mesh file without scaling it, m. All parts of the file become one mesh.
pub(super) fn read(path: &Path) -> Result<(TriangleMesh, UpAxis)> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !MESH_FORMATS.contains(&extension.as_str()) {
        let known = MESH_FORMATS.map(|format| format!(".{format}")).join(", ");
        let detail = format!("mesh format \".{extension}\" is not supported; supported are {known}");
        return Err(malformed(path, detail.into()));
    }
    let bytes = files::read_at_most(path, MOST_MESH_BYTES)?;
    let without_axis = |mesh: TriangleMesh| (mesh, UpAxis::Z);
    let parsed = match extension.as_str() {
        "stl" => stl::read(&bytes).map(without_axis),
        "obj" => obj::read(&bytes).map(without_axis),
        "dae" => dae::read(&bytes),
        "msh" => msh::read(&bytes).map(without_axis),
        _ => gltf::read(&bytes, path),
    };
    let (mesh, up) = parsed.map_err(|fault| malformed(path, fault))?;
    check(&mesh).map_err(|detail| malformed(path, detail.into()))?;
    Ok((used(mesh), up))
}

fn malformed(path: &Path, Fault { line, detail }: Fault) -> KineticError {
    KineticError::FileParse { file: path.display().to_string(), line, detail }
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

/// The mesh without vertices that no triangle uses: they are no part of the surface, but would be of its hull.
fn used(mesh: TriangleMesh) -> TriangleMesh {
    let mut place = vec![u32::MAX; mesh.vertices.len()];
    let mut vertices = Vec::with_capacity(mesh.vertices.len());
    let mut moved = |index: u32| {
        let place = &mut place[index as usize];
        if *place == u32::MAX {
            *place = vertices.len() as u32;
            vertices.push(mesh.vertices[index as usize]);
        }
        *place
    };
    let triangles = mesh.triangles.iter().map(|triangle| triangle.map(&mut moved)).collect();
    TriangleMesh { vertices, triangles }
}
