//! The parts of a glTF document that say something about shape.

use serde::Deserialize;

use crate::mesh::assembly::Parsed;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GltfDocument {
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<GltfSceneDocument>,
    pub(super) nodes: Vec<GltfNode>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<BufferView>,
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GltfSceneDocument {
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(default)]
pub(super) struct GltfNode {
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    /// Column by column.
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: [f64; 3],
    /// x, y, z, w.
    pub(super) rotation: [f64; 4],
    pub(super) scale: [f64; 3],
}

impl Default for GltfNode {
    fn default() -> Self {
        let (translation, rotation, scale) = ([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
        Self { children: Vec::new(), mesh: None, matrix: None, translation, rotation, scale }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Mesh {
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Primitive {
    pub(super) attributes: PrimitiveAttributes,
    pub(super) indices: Option<usize>,
    /// 4 triangles (the default), 5 strip, 6 fan; others are no surfaces.
    pub(super) mode: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PrimitiveAttributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<serde::de::IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
}

/// An entry of one of the document's lists.
pub(super) fn get<'a, T>(kind: &str, list: &'a [T], index: usize) -> Parsed<&'a T> {
    list.get(index).ok_or_else(|| format!("{kind} {index} is named, but there are {}", list.len()).into())
}
