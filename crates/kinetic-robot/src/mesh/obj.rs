//! Wavefront OBJ files: vertices and faces. Groups and objects become one mesh; materials, normals, lines and points
//! are passed over.

use nalgebra::Point3;

use super::TriangleMesh;
use super::assembly::{Fault, Parsed, fan};

pub(super) fn read(bytes: &[u8]) -> Parsed<TriangleMesh> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = TriangleMesh::default();
    let mut lines = text.lines().zip(1_u32..);
    while let Some((content, line)) = lines.next() {
        let Some((keyword, rest)) = content.trim_start().split_once([' ', '\t']) else {
            continue;
        };
        if keyword != "v" && keyword != "f" {
            continue;
        }
        let mut rest = rest.to_owned();
        // A backslash continues the line.
        while let Some(part) = rest.trim_end().strip_suffix('\\') {
            rest = format!("{part} {}", lines.next().map_or("", |(next, _)| next));
        }
        let words = rest.split('#').next().unwrap_or_default().split_ascii_whitespace();
        if keyword == "v" {
            mesh.vertices.push(vertex(words, line)?);
        } else {
            let count = mesh.vertices.len();
            let corners = words.map(|word| corner(word, count, line)).collect::<Parsed<Vec<u32>>>()?;
            fan(&corners, &mut mesh.triangles);
        }
    }
    Ok(mesh)
}

/// The first three numbers; a weight or a colour may follow.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>, line: u32) -> Parsed<Point3<f64>> {
    let mut number = || {
        let word = words.next().unwrap_or_default();
        let detail = || format!("a vertex has \"{word}\"; three numbers are needed");
        word.parse::<f64>().map_err(|_| Fault { line, detail: detail() })
    };
    Ok(Point3::new(number()?, number()?, number()?))
}

/// The vertex of `vertex/texture/normal`: counted from 1, or backwards from the last one so far.
fn corner(word: &str, count: usize, line: u32) -> Parsed<u32> {
    let name = word.split('/').next().unwrap_or_default();
    let index = match name.parse::<i64>() {
        Ok(index) if index > 0 => usize::try_from(index - 1).ok(),
        Ok(index) if index < 0 => usize::try_from(index.unsigned_abs()).ok().and_then(|back| count.checked_sub(back)),
        _ => None,
    };
    let index = index.and_then(|index| u32::try_from(index).ok());
    index.ok_or_else(|| Fault { line, detail: format!("a face has \"{word}\"; the number of a vertex is needed") })
}
