//! glTF 2.0 files: `.glb`, and `.gltf` with buffers inside or beside it.
//! <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>
//!
//! The triangles of the default scene with their node transforms. Points, lines, materials and animations are no shapes
//! and are passed over; compressed geometry is refused.

mod accessor;
mod buffer;
mod document;

use std::path::Path;

use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};

use self::document::{GltfDocument, GltfNode, Primitive};
use super::TriangleMesh;
use super::assembly::{Assembly, Parsed, UpAxis, fan, strip};

/// Beginnings of names of extensions that change looks, not shapes.
const HARMLESS: [&str; 5] = ["KHR_materials", "KHR_texture", "EXT_texture", "KHR_lights", "KHR_animation"];

pub(super) fn read(bytes: &[u8], path: &Path) -> Parsed<(TriangleMesh, UpAxis)> {
    let (document, buffers) = buffer::load(bytes, path)?;
    let is_harmless = |name: &String| HARMLESS.iter().any(|start| name.starts_with(start));
    if let Some(name) = document.extensions_required.iter().find(|name| !is_harmless(name)) {
        return Err(format!("the extension {name} is required and not supported").into());
    }
    let mut scene = SceneGraph { document: &document, buffers: &buffers, assembly: Assembly::default() };
    for node in roots(&document)? {
        scene.node(node, &Matrix4::identity(), 1)?;
    }
    Ok((scene.assembly.finish(), UpAxis::Y))
}

/// The roots of the default scene, or of the first; all nodes without parent when there is no scene.
fn roots(document: &GltfDocument) -> Parsed<Vec<usize>> {
    if let Some(scene) = document.scenes.get(document.scene.unwrap_or(0)) {
        return Ok(scene.nodes.clone());
    }
    if document.scene.is_some() {
        return Err("the default scene does not exist".to_owned().into());
    }
    let mut is_root = vec![true; document.nodes.len()];
    for child in document.nodes.iter().flat_map(|node| &node.children) {
        if let Some(is_root) = is_root.get_mut(*child) {
            *is_root = false;
        }
    }
    Ok((0..is_root.len()).filter(|node| is_root[*node]).collect())
}

struct SceneGraph<'a> {
    document: &'a GltfDocument,
    buffers: &'a [Vec<u8>],
    assembly: Assembly,
}

impl SceneGraph<'_> {
    fn node(&mut self, index: usize, scene_from_parent: &Matrix4<f64>, depth: usize) -> Parsed<()> {
        self.assembly.enter(depth)?;
        let node = document::get("node", &self.document.nodes, index)?;
        let scene_from_node = scene_from_parent * transform(node);
        if let Some(mesh) = node.mesh {
            for primitive in &document::get("mesh", &self.document.meshes, mesh)?.primitives {
                let part = self.primitive(primitive)?;
                self.assembly.add(&part, &scene_from_node)?;
            }
        }
        node.children.iter().try_for_each(|child| self.node(*child, &scene_from_node, depth + 1))
    }

    fn primitive(&self, primitive: &Primitive) -> Parsed<TriangleMesh> {
        let mut mesh = TriangleMesh::default();
        let (Some(position), 4..=6) = (primitive.attributes.position, primitive.mode.unwrap_or(4)) else {
            return Ok(mesh);
        };
        let points = accessor::positions(self.document, self.buffers, position)?;
        mesh.vertices = points.into_iter().map(Point3::from).collect();
        let count = mesh.vertices.len();
        let corners = match primitive.indices {
            Some(indices) => accessor::indices(self.document, self.buffers, indices)?,
            None => (0..count as u32).collect(),
        };
        if let Some(index) = corners.iter().find(|index| **index as usize >= count) {
            return Err(format!("vertex {index} is named, but there are {count}").into());
        }
        match primitive.mode.unwrap_or(4) {
            5 => strip(&corners, &mut mesh.triangles),
            6 => fan(&corners, &mut mesh.triangles),
            _ => corners.chunks_exact(3).for_each(|corners| fan(corners, &mut mesh.triangles)),
        }
        Ok(mesh)
    }
}

/// Parent from node.
fn transform(node: &GltfNode) -> Matrix4<f64> {
    if let Some(columns) = node.matrix {
        return Matrix4::from_column_slice(&columns);
    }
    let [x, y, z, w] = node.rotation;
    let rotation = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 0.0).unwrap_or_default();
    Matrix4::new_translation(&Vector3::from(node.translation))
        * rotation.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&Vector3::from(node.scale))
}
