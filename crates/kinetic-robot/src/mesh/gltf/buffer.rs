//! The container: JSON and the bytes of its buffers.

use std::path::{Component, Path};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kinetic_core::files;

use super::document::{Buffer, GltfDocument};
use crate::mesh::assembly::{MOST_MESH_BYTES, Parsed};

const MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: &[u8] = b"JSON";
const BINARY_CHUNK: &[u8] = b"BIN\0";

/// The document and its buffers. A `.glb` holds both, a `.gltf` is the JSON alone.
pub(super) fn load(bytes: &[u8], path: &Path) -> Parsed<(GltfDocument, Vec<Vec<u8>>)> {
    let (json, binary) = if bytes.starts_with(MAGIC) { chunks(bytes)? } else { (bytes, None) };
    let document: GltfDocument = serde_json::from_slice(json).map_err(|error| format!("JSON: {error}"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut buffers = Vec::new();
    for (index, buffer) in document.buffers.iter().enumerate() {
        buffers.push(content(buffer, binary.filter(|_| index == 0), folder)?);
    }
    Ok((document, buffers))
}

/// JSON and binary chunk of a `.glb`, after a header of magic, version and length.
fn chunks(bytes: &[u8]) -> Parsed<(&[u8], Option<&[u8]>)> {
    let version = word(bytes, 4)?;
    if version != 2 {
        return Err(format!("version {version} of glTF; only 2 is supported").into());
    }
    let (kind, json, rest) = chunk(bytes, 12)?;
    if kind != JSON_CHUNK {
        return Err("the first chunk is not JSON".to_owned().into());
    }
    let binary = if rest < bytes.len() { Some(chunk(bytes, rest)?) } else { None };
    Ok((json, binary.filter(|(kind, ..)| *kind == BINARY_CHUNK).map(|(_, binary, _)| binary)))
}

/// Kind and content of the chunk that begins at `at`, and where the next one begins.
fn chunk(bytes: &[u8], at: usize) -> Parsed<(&[u8], &[u8], usize)> {
    let length = word(bytes, at)? as usize;
    let (kind, content) = (bytes.get(at + 4..at + 8), bytes.get(at + 8..at + 8 + length));
    match (kind, content) {
        (Some(kind), Some(content)) => Ok((kind, content, at + 8 + length)),
        _ => Err("the file ends inside a chunk".to_owned().into()),
    }
}

fn word(bytes: &[u8], at: usize) -> Parsed<u32> {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    word.map(u32::from_le_bytes).ok_or_else(|| "the file ends inside its header".to_owned().into())
}

fn content(buffer: &Buffer, binary: Option<&[u8]>, folder: &Path) -> Parsed<Vec<u8>> {
    let Some(uri) = &buffer.uri else {
        return binary.map(<[u8]>::to_vec).ok_or_else(|| "a buffer has neither name nor content".to_owned().into());
    };
    if let Some(data) = uri.strip_prefix("data:") {
        let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
        let decoded = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
        return decoded.ok_or_else(|| "the content of a buffer is not base64".to_owned().into());
    }
    // A mesh may name files beside it, not any file of the machine.
    if !Path::new(uri).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(format!("buffer \"{uri}\" is not beside the file").into());
    }
    files::read_at_most(folder.join(uri), MOST_MESH_BYTES).map_err(|error| format!("buffer \"{uri}\": {error}").into())
}
