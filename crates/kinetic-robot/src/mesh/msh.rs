//! MSH, the binary mesh format of MuJoCo (XML reference, asset/mesh, "MSH file format"): little-endian counts of
//! vertices, normals, texture coordinates and triangles, then these.

use nalgebra::Point3;

use super::TriangleMesh;
use super::assembly::Parsed;

pub(super) fn read(bytes: &[u8]) -> Parsed<TriangleMesh> {
    let words: Vec<[u8; 4]> = bytes.chunks_exact(4).filter_map(|word| word.try_into().ok()).collect();
    let count = |at: usize| words.get(at).and_then(|word| usize::try_from(i32::from_le_bytes(*word)).ok());
    let [Some(vertices), Some(normals), Some(coordinates), Some(faces)] = [0, 1, 2, 3].map(count) else {
        return Err("the four counts at the beginning are missing or negative".to_owned().into());
    };
    let first_face = 4 + 3 * vertices + 3 * normals + 2 * coordinates;
    if bytes.len() != 4 * (first_face + 3 * faces) {
        let stated =
            format!("{vertices} vertices, {normals} normals, {coordinates} texture coordinates, {faces} triangles");
        return Err(format!("{} bytes do not hold {stated}", bytes.len()).into());
    }
    let number = |word: &[u8; 4]| f64::from(f32::from_le_bytes(*word));
    let points = words[4..4 + 3 * vertices].chunks_exact(3);
    let triangles = words[first_face..].chunks_exact(3);
    Ok(TriangleMesh {
        vertices: points.map(|p| Point3::new(number(&p[0]), number(&p[1]), number(&p[2]))).collect(),
        triangles: triangles.map(|t| [0, 1, 2].map(|corner| u32::from_le_bytes(t[corner]))).collect(),
    })
}
