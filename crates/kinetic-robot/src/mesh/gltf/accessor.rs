//! Accessors: typed views of buffers.

use super::document::{Accessor, GltfDocument, get};
use crate::mesh::assembly::Parsed;

const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// Points, three floats each.
pub(super) fn positions(document: &GltfDocument, buffers: &[Vec<u8>], index: usize) -> Parsed<Vec<[f64; 3]>> {
    let accessor = get("accessor", &document.accessors, index)?;
    if (accessor.component_type, accessor.kind.as_str()) != (FLOAT, "VEC3") {
        return Err(wrong(index, "positions must be VEC3 of floats"));
    }
    let float = |bytes: &[u8]| f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let point = |bytes: &[u8]| [float(&bytes[0..4]), float(&bytes[4..8]), float(&bytes[8..12])];
    Ok(elements(document, buffers, index, accessor, 12)?.map(point).collect())
}

/// Indices of vertices.
pub(super) fn indices(document: &GltfDocument, buffers: &[Vec<u8>], index: usize) -> Parsed<Vec<u32>> {
    let accessor = get("accessor", &document.accessors, index)?;
    let size = match (accessor.component_type, accessor.kind.as_str()) {
        (UNSIGNED_BYTE, "SCALAR") => 1,
        (UNSIGNED_SHORT, "SCALAR") => 2,
        (UNSIGNED_INT, "SCALAR") => 4,
        _ => return Err(wrong(index, "indices must be unsigned SCALAR")),
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    Ok(elements(document, buffers, index, accessor, size)?.map(number).collect())
}

fn wrong(index: usize, what: &str) -> crate::mesh::assembly::Fault {
    format!("accessor {index}: {what}").into()
}

/// The bytes of each element, `size` each.
fn elements<'a>(
    document: &GltfDocument,
    buffers: &'a [Vec<u8>],
    index: usize,
    accessor: &Accessor,
    size: usize,
) -> Parsed<impl Iterator<Item = &'a [u8]>> {
    let (Some(view), None) = (accessor.buffer_view, &accessor.sparse) else {
        return Err(wrong(index, "sparse accessors are not supported"));
    };
    let view = get("bufferView", &document.buffer_views, view)?;
    let buffer = get("buffer", buffers, view.buffer)?;
    let stride = view.byte_stride.unwrap_or(size).max(size);
    let end = view.byte_offset.checked_add(view.byte_length);
    let bytes =
        end.and_then(|end| buffer.get(view.byte_offset..end)).and_then(|bytes| bytes.get(accessor.byte_offset..));
    // The last element need not fill its stride.
    let before = accessor.count.saturating_sub(1).checked_mul(stride);
    let needed = before.and_then(|before| before.checked_add(if accessor.count == 0 { 0 } else { size }));
    match needed.and_then(|needed| bytes.and_then(|bytes| bytes.get(..needed))) {
        Some(bytes) => Ok(bytes.chunks(stride).map(move |element| &element[..size])),
        None => Err(wrong(index, "reaches beyond its buffer")),
    }
}
