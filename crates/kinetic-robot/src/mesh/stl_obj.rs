//! STL and OBJ files, read by the crate `mesh-loader`.

use std::io;
use std::path::Path;

use mesh_loader::{Loader, Mesh};
use nalgebra::Point3;

use super::TriangleMesh;
use super::read::{Parsed, UpAxis};

pub(super) fn stl(bytes: &[u8], path: &Path) -> Parsed<(TriangleMesh, UpAxis)> {
    let scene = Loader::default().load_stl_from_slice(bytes, path).map_err(|error| error.to_string())?;
    Ok((merge(&scene.meshes), UpAxis::Z))
}

pub(super) fn obj(bytes: &[u8], path: &Path) -> Parsed<(TriangleMesh, UpAxis)> {
    // Materials stand in further files; shapes do not need them.
    let no_materials = |_: &Path| Err(io::ErrorKind::Unsupported.into());
    let scene = Loader::default().load_obj_from_slice_with_reader(bytes, path, no_materials);
    Ok((merge(&scene.map_err(|error| error.to_string())?.meshes), UpAxis::Z))
}

fn merge(parts: &[Mesh]) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for part in parts {
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(part.vertices.iter().map(|vertex| Point3::from(vertex.map(f64::from))));
        mesh.triangles.extend(part.faces.iter().map(|face| face.map(|index| index.saturating_add(first))));
    }
    mesh
}
