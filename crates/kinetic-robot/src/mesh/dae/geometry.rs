//! `<geometry>`: vertices and the polygons between them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use nalgebra::Point3;
use roxmltree::Node;

use super::{fault, target};
use crate::mesh::TriangleMesh;
use crate::mesh::assembly::{Parsed, fan, strip};
use crate::xml::{child, children};

/// All text of an element; comments may stand between.
pub(super) fn text<'a>(node: Node<'a, '_>) -> Cow<'a, str> {
    let mut parts = node.children().filter_map(|child| child.text().filter(|_| child.is_text()));
    let first = parts.next().unwrap_or_default();
    match parts.next() {
        None => Cow::Borrowed(first),
        Some(second) => Cow::Owned([first, second].into_iter().chain(parts).collect()),
    }
}

/// A geometry while it is read.
pub(super) struct DaeGeometry<'a, 'b> {
    ids: &'b BTreeMap<&'a str, Node<'a, 'a>>,
    mesh: TriangleMesh,
    /// Sources of positions that were read: place in the text → index of the first vertex, and number of vertices.
    sources: BTreeMap<usize, (usize, usize)>,
}

/// What stands at each corner of a primitive.
struct Layout {
    /// Numbers per corner.
    stride: usize,
    /// Which of them is the index of the position.
    offset: usize,
    /// First vertex of the source and their number.
    source: (usize, usize),
}

impl<'a, 'b> DaeGeometry<'a, 'b> {
    /// Reads a geometry, in its own frame and unit.
    pub(super) fn read(ids: &'b BTreeMap<&'a str, Node<'a, 'a>>, node: Node<'a, 'a>) -> Parsed<TriangleMesh> {
        let mut geometry = Self { ids, mesh: TriangleMesh::default(), sources: BTreeMap::new() };
        let Some(mesh) = child(node, "mesh").or_else(|| child(node, "convex_mesh")) else {
            return Ok(geometry.mesh);
        };
        for primitive in mesh.children() {
            if ["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&primitive.tag_name().name()) {
                geometry.primitive(primitive)?;
            }
        }
        Ok(geometry.mesh)
    }

    fn primitive(&mut self, node: Node<'a, 'a>) -> Parsed<()> {
        let Some(layout) = self.layout(node)? else {
            return Ok(());
        };
        // A polygon with holes is a `<ph>`: its outline counts, so that holes are closed.
        let outlines = children(node, "ph").filter_map(|hole| child(hole, "p"));
        for list in children(node, "p").chain(outlines) {
            let corners = layout.corners(list)?;
            let triangles = &mut self.mesh.triangles;
            match node.tag_name().name() {
                "triangles" => corners.chunks_exact(3).for_each(|corners| fan(corners, triangles)),
                "tristrips" => strip(&corners, triangles),
                "polylist" => polylist(node, &corners, triangles)?,
                _ => fan(&corners, triangles),
            }
        }
        Ok(())
    }

    /// The inputs of a primitive; `None` when it has no positions.
    fn layout(&mut self, node: Node<'a, 'a>) -> Parsed<Option<Layout>> {
        let mut stride = 0;
        let mut found = None;
        for input in children(node, "input") {
            let offset = match input.attribute("offset").unwrap_or("0").trim().parse::<usize>() {
                Ok(offset) if offset < 64 => offset,
                _ => return Err(fault(input, "the offset of an input is not a small number")),
            };
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                found = Some((offset, target(self.ids, input, "source", "vertices")?));
            }
        }
        let Some((offset, vertices)) = found else {
            return Ok(None);
        };
        let is_position = |input: &Node<'a, 'a>| input.attribute("semantic") == Some("POSITION");
        let Some(input) = children(vertices, "input").find(is_position) else {
            return Err(fault(vertices, "<vertices> without positions"));
        };
        let source = target(self.ids, input, "source", "source")?;
        Ok(Some(Layout { stride, offset, source: self.source(source)? }))
    }

    /// Vertices of a source of positions: the first three numbers of each element.
    fn source(&mut self, node: Node<'a, 'a>) -> Parsed<(usize, usize)> {
        let key = node.range().start;
        if let Some(known) = self.sources.get(&key) {
            return Ok(*known);
        }
        let accessor = child(node, "technique_common").and_then(|technique| child(technique, "accessor"));
        let stride =
            accessor.and_then(|accessor| accessor.attribute("stride")).map_or(Some(3), |text| text.trim().parse().ok());
        let Some(stride) = stride.filter(|stride| (3..64).contains(stride)) else {
            return Err(fault(node, "positions need a stride of at least 3"));
        };
        let Some(array) = child(node, "float_array") else {
            return Err(fault(node, "<float_array> is missing"));
        };
        let numbers = floats(array)?;
        let first = self.mesh.vertices.len();
        self.mesh
            .vertices
            .extend(numbers.chunks_exact(stride).map(|vertex| Point3::new(vertex[0], vertex[1], vertex[2])));
        let known = (first, self.mesh.vertices.len() - first);
        self.sources.insert(key, known);
        Ok(known)
    }
}

fn floats(array: Node<'_, '_>) -> Parsed<Vec<f64>> {
    let number = |word: &str| {
        word.parse::<f64>().map_err(|_| fault(array, format!("<float_array> has \"{word}\", which is not a number")))
    };
    text(array).split_ascii_whitespace().map(number).collect()
}

impl Layout {
    /// Vertex indices of a `<p>`.
    fn corners(&self, list: Node<'_, '_>) -> Parsed<Vec<u32>> {
        let (first, count) = self.source;
        let mut corners = Vec::new();
        for (place, word) in text(list).split_ascii_whitespace().enumerate() {
            if place % self.stride != self.offset {
                continue;
            }
            match word.parse::<usize>() {
                Ok(index) if index < count => corners.push((first + index) as u32),
                Ok(index) => return Err(fault(list, format!("vertex {index} is named, but there are {count}"))),
                Err(_) => return Err(fault(list, format!("<p> has \"{word}\", which is not an index"))),
            }
        }
        Ok(corners)
    }
}

fn polylist(node: Node<'_, '_>, corners: &[u32], triangles: &mut Vec<[u32; 3]>) -> Parsed<()> {
    let mut rest = corners;
    let counts = child(node, "vcount").map(text).unwrap_or_default();
    for word in counts.split_ascii_whitespace() {
        let count = word.parse().map_err(|_| fault(node, format!("<vcount> has \"{word}\", which is not a number")))?;
        let Some((polygon, others)) = rest.split_at_checked(count) else {
            return Err(fault(node, "<vcount> counts more corners than <p> has"));
        };
        fan(polygon, triangles);
        rest = others;
    }
    Ok(())
}
