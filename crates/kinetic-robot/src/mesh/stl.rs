//! STL files, binary and text.

use nalgebra::Point3;

use super::TriangleMesh;
use super::assembly::{Fault, Parsed, fan};

/// Header and number of triangles of a binary file, bytes.
const STL_HEADER_BYTES: usize = 84;

/// A triangle of a binary file, bytes: normal, three corners, and two unused bytes.
const STL_TRIANGLE_BYTES: usize = 50;

/// Reads either kind. A binary file may begin with the word of a text file, so its length decides first.
pub(super) fn read(bytes: &[u8]) -> Parsed<TriangleMesh> {
    let room = bytes.len().saturating_sub(STL_HEADER_BYTES) / STL_TRIANGLE_BYTES;
    let count = bytes
        .get(STL_HEADER_BYTES - 4..STL_HEADER_BYTES)
        .and_then(|count| count.try_into().ok())
        .map(u32::from_le_bytes);
    let count = count.map(|count| count as usize);
    if count == Some(room) && bytes.len() == STL_HEADER_BYTES + room * STL_TRIANGLE_BYTES {
        return Ok(binary(&bytes[STL_HEADER_BYTES..]));
    }
    if bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        return text(&String::from_utf8_lossy(bytes));
    }
    match count {
        // Some programs append data of their own.
        Some(count) if count <= room => {
            Ok(binary(&bytes[STL_HEADER_BYTES..STL_HEADER_BYTES + count * STL_TRIANGLE_BYTES]))
        }
        Some(count) => Err(format!("the header states {count} triangles, but there are bytes for {room}").into()),
        None => Err("the file is too short for STL".to_owned().into()),
    }
}

fn binary(bytes: &[u8]) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let float = |bytes: &[u8]| f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    for triangle in bytes.chunks_exact(STL_TRIANGLE_BYTES) {
        let first = mesh.vertices.len() as u32;
        mesh.triangles.push([first, first + 1, first + 2]);
        let corners = triangle[12..48].chunks_exact(12);
        mesh.vertices.extend(corners.map(|at| Point3::new(float(&at[0..4]), float(&at[4..8]), float(&at[8..12]))));
    }
    mesh
}

/// `facet normal … outer loop vertex … vertex … vertex … endloop endfacet`, in any arrangement of lines.
fn text(text: &str) -> Parsed<TriangleMesh> {
    let mut mesh = TriangleMesh::default();
    let mut first = 0;
    for (line, words) in text.lines().enumerate() {
        let line = line as u32 + 1;
        let mut words = words.split_ascii_whitespace();
        while let Some(word) = words.next() {
            match word.to_ascii_lowercase().as_str() {
                // A name follows.
                "solid" | "endsolid" | "color" => break,
                "vertex" => mesh.vertices.push(point(&mut words, line)?),
                "endloop" => {
                    let corners: Vec<u32> = (first..mesh.vertices.len() as u32).collect();
                    fan(&corners, &mut mesh.triangles);
                    first = mesh.vertices.len() as u32;
                }
                "facet" | "outer" | "loop" | "endfacet" => {}
                "normal" => words.by_ref().take(3).for_each(drop),
                other => return Err(Fault { line, detail: format!("\"{}\" is no word of STL", shown(other)) }),
            }
        }
    }
    Ok(mesh)
}

fn point<'a>(words: &mut impl Iterator<Item = &'a str>, line: u32) -> Parsed<Point3<f64>> {
    let mut number = || {
        let word = words.next().unwrap_or_default();
        let detail = || format!("a vertex has \"{}\"; three numbers are needed", shown(word));
        word.parse::<f64>().map_err(|_| Fault { line, detail: detail() })
    };
    Ok(Point3::new(number()?, number()?, number()?))
}

/// The beginning of a word, which may be a megabyte of bytes.
fn shown(word: &str) -> String {
    word.chars().take(20).collect()
}
