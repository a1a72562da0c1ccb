//! Convex decomposition of the meshes of links, cached per user, because a mesh of thousands of triangles takes a tenth
//! of a second.

use std::collections::BTreeMap;

use kinetic_collision::fit;
use kinetic_core::{ContentHash, ContentHasher, Pose, Result, Shape};
use kinetic_robot::{Link, TriangleMesh};
use nalgebra::Point3;

use kinetic_collision_simd::StoredResults;

/// Kind of convex pieces among stored results.
const PIECES_KIND: &str = "pieces";

/// Decomposes meshes, each once.
pub(crate) struct MeshPieces<'a> {
    known: StoredResults<'a>,
    cut: BTreeMap<ContentHash, Vec<Shape>>,
}

impl<'a> MeshPieces<'a> {
    pub(crate) fn new(known: StoredResults<'a>) -> Self {
        Self { known, cut: BTreeMap::new() }
    }

    /// Convex shapes of a link with their poses, `link_from_shape`.
    ///
    /// # Errors
    /// As [`fit::link_shapes`].
    pub(crate) fn link_shapes(&mut self, link: &Link) -> Result<Vec<(Pose, Shape)>> {
        fit::link_shapes_with(link, |mesh| self.pieces(mesh))
    }

    fn pieces(&mut self, mesh: &TriangleMesh) -> Result<Vec<Shape>> {
        let key = key(mesh);
        if let Some(cut) = self.cut.get(&key) {
            return Ok(cut.clone());
        }
        let pieces = match self.known.get((PIECES_KIND, key), from_bytes) {
            Some(kept) => kept,
            None => self.cut_and_keep(mesh, key)?,
        };
        self.cut.insert(key, pieces.clone());
        Ok(pieces)
    }

    fn cut_and_keep(&self, mesh: &TriangleMesh, key: ContentHash) -> Result<Vec<Shape>> {
        let pieces = self.known.find(|| fit::mesh_shapes(mesh))?;
        if let Some(bytes) = to_bytes(&pieces) {
            self.known.store((PIECES_KIND, key), &bytes);
        }
        Ok(pieces)
    }
}

fn key(mesh: &TriangleMesh) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.word(mesh.vertices.len() as u64);
    mesh.vertices.iter().flat_map(|vertex| vertex.iter()).for_each(|value| hasher.word(value.to_bits()));
    mesh.triangles.iter().flatten().for_each(|index| hasher.word(u64::from(*index)));
    hasher.finish()
}

/// Serializes pieces: the number of vertices, the radius and the vertices of each; `None` for shapes that are no hulls.
fn to_bytes(pieces: &[Shape]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for piece in pieces {
        let Shape::Convex { vertices, radius } = piece else { return None };
        bytes.extend((vertices.len() as u64).to_le_bytes());
        let numbers = std::iter::once(radius).chain(vertices.iter().flat_map(|vertex| vertex.iter()));
        numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    Some(bytes)
}

/// Reads the bytes of [`to_bytes`]; `None` for anything else.
fn from_bytes(bytes: &[u8]) -> Option<Vec<Shape>> {
    let (mut words, []) = bytes.as_chunks::<8>() else { return None };
    let mut pieces = Vec::new();
    while let Some((count, rest)) = words.split_first() {
        let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
        let (numbers, rest) = rest.split_at_checked(count.checked_mul(3)?.checked_add(1)?)?;
        let numbers: Vec<f64> = numbers.iter().map(|number| f64::from_le_bytes(*number)).collect();
        let vertices: Vec<Point3<f64>> = numbers[1..].chunks_exact(3).map(Point3::from_slice).collect();
        pieces.push(Shape::convex(&vertices, numbers[0]).ok()?);
        words = rest;
    }
    (!pieces.is_empty()).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use kinetic_core::Cache;

    use super::*;

    /// A bowl, which is no convex body: squares whose height grows away from the middle.
    fn bowl() -> TriangleMesh {
        let side = 8;
        let vertex = |index: usize| {
            let [x, y] = [index % side, index / side].map(|step| 0.06 * step as f64 - 0.21);
            Point3::new(x, y, 3.0 * (x * x + y * y))
        };
        let square = |index: usize| {
            let corner = (index / (side - 1) * side + index % (side - 1)) as u32;
            let side = side as u32;
            [[corner, corner + 1, corner + side], [corner + 1, corner + side + 1, corner + side]]
        };
        let vertices = (0..side * side).map(vertex).collect();
        TriangleMesh { vertices, triangles: (0..(side - 1) * (side - 1)).flat_map(square).collect() }
    }

    #[test]
    fn pieces_that_are_kept_are_those_that_are_cut_whatever_happens_to_their_file() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("kinetic-pieces-{}", std::process::id()));
        let cache = Cache::at(&folder, 1 << 20).expect("a folder of its own");
        let pieces = |mesh: &TriangleMesh| {
            MeshPieces::new(StoredResults { precomputed: None, cache: Some(&cache) }).pieces(mesh)
        };
        let (mesh, cut) = (bowl(), fit::mesh_shapes(&bowl())?);
        assert!(cut.len() > 1, "{} pieces", cut.len());
        assert_eq!((pieces(&mesh)?, pieces(&mesh)?), (cut.clone(), cut.clone()));
        let [entry] = &cache.entries()[..] else { panic!("{:?}", cache.entries()) };
        let path = folder.join(&entry.name);
        let whole = std::fs::read(&path).expect("an entry");
        for place in [0, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(&path, damaged).expect("an entry of its own");
            assert_eq!(pieces(&mesh)?, cut);
        }
        let mut other = mesh.clone();
        other.vertices[9].z += 0.01;
        assert_eq!(pieces(&other)?, fit::mesh_shapes(&other)?);
        assert_eq!(cache.clear(), 2);
        let _ = std::fs::remove_dir_all(&folder);
        Ok(())
    }

    #[test]
    fn bytes_that_are_no_pieces_are_refused() -> Result<()> {
        let bytes = to_bytes(&fit::mesh_shapes(&bowl())?).expect("hulls");
        assert!(from_bytes(&bytes).is_some());
        let mut huge = bytes.clone();
        huge[7] = 0xFF;
        let mut nan = bytes.clone();
        nan[16..24].copy_from_slice(&f64::NAN.to_le_bytes());
        for wrong in [&[], &bytes[..bytes.len() - 1], &bytes[..bytes.len() - 8], &huge, &nan] {
            assert!(from_bytes(wrong).is_none());
        }
        Ok(())
    }
}
