//! COLLADA files (`.dae`), versions 1.4 and 1.5: <https://www.khronos.org/collada/>.
//!
//! The meshes of the scene with their node transforms, in metres. Lines, materials, cameras and lights are no shapes and
//! are passed over; skinned meshes are refused.

mod geometry;
mod transform;

use std::collections::BTreeMap;

use nalgebra::Matrix4;
use roxmltree::{Document, Node};

use self::geometry::DaeGeometry;
use super::TriangleMesh;
use super::assembly::{Assembly, Fault, Parsed, UpAxis};
use crate::xml::{child, children};
use crate::xml_repair::repaired;

pub(super) fn read(bytes: &[u8]) -> Parsed<(TriangleMesh, UpAxis)> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let fixed;
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            fixed = repaired(text).ok_or(Fault { line: error.pos().row, detail: error.to_string() })?;
            Document::parse(&fixed).map_err(|error| error.to_string())?
        }
    };
    let root = document.root_element();
    if !root.has_tag_name("COLLADA") {
        return Err(fault(root, format!("outermost element is <{}>; wanted <COLLADA>", root.tag_name().name())));
    }
    let meter = Matrix4::new_scaling(unit(root)?);
    let mut scene = DaeScene { ids: ids(&document), parts: BTreeMap::new(), assembly: Assembly::default() };
    scene.read(root, &meter)?;
    Ok((scene.assembly.finish(), up_axis(root)))
}

/// Error at an element.
fn fault(node: Node<'_, '_>, detail: impl Into<String>) -> Fault {
    Fault { line: node.document().text_pos_at(node.range().start).row, detail: detail.into() }
}

fn ids<'a>(document: &'a Document<'a>) -> BTreeMap<&'a str, Node<'a, 'a>> {
    let named = |node: Node<'a, 'a>| node.attribute("id").map(|id| (id, node));
    document.descendants().filter_map(named).collect()
}

/// The element that an attribute names with `#id`.
fn target<'a>(
    ids: &BTreeMap<&'a str, Node<'a, 'a>>,
    node: Node<'a, 'a>,
    attribute: &str,
    tag: &str,
) -> Parsed<Node<'a, 'a>> {
    let name = node.attribute(attribute).unwrap_or_default();
    let Some(id) = name.strip_prefix('#') else {
        let detail = format!("<{}> refers to \"{name}\"; only \"#id\" is supported", node.tag_name().name());
        return Err(fault(node, detail));
    };
    match ids.get(id).filter(|found| found.has_tag_name(tag)) {
        Some(found) => Ok(*found),
        None => Err(fault(node, format!("there is no <{tag}> with id \"{id}\""))),
    }
}

/// Metres per unit of length.
fn unit(root: Node<'_, '_>) -> Parsed<f64> {
    let Some(unit) = child(root, "asset").and_then(|asset| child(asset, "unit")) else {
        return Ok(1.0);
    };
    let text = unit.attribute("meter").unwrap_or("1").trim();
    match text.parse::<f64>() {
        Ok(meter) if meter.is_finite() && meter > 0.0 => Ok(meter),
        _ => Err(fault(unit, format!("unit of \"{text}\" m; a positive number is needed"))),
    }
}

/// The declared upward axis; the format's default is y.
fn up_axis(root: Node<'_, '_>) -> UpAxis {
    let declared = child(root, "asset").and_then(|asset| child(asset, "up_axis")).and_then(|axis| axis.text());
    match declared.map(str::trim) {
        Some("X_UP") => UpAxis::X,
        Some("Z_UP") => UpAxis::Z,
        _ => UpAxis::Y,
    }
}

/// The scene graph, walked from the root.
struct DaeScene<'a> {
    ids: BTreeMap<&'a str, Node<'a, 'a>>,
    /// Geometries that were read, by their place in the text.
    parts: BTreeMap<usize, TriangleMesh>,
    assembly: Assembly,
}

impl<'a> DaeScene<'a> {
    fn read(&mut self, root: Node<'a, 'a>, meter: &Matrix4<f64>) -> Parsed<()> {
        let instance = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        if let Some(instance) = instance {
            let scene = target(&self.ids, instance, "url", "visual_scene")?;
            return self.nodes(scene, meter, 0);
        }
        // A document without a scene is a library of parts.
        for library in children(root, "library_geometries") {
            for geometry in children(library, "geometry") {
                self.geometry(geometry, meter)?;
            }
        }
        Ok(())
    }

    /// The nodes directly below an element.
    fn nodes(&mut self, parent: Node<'a, 'a>, scene_from_parent: &Matrix4<f64>, depth: usize) -> Parsed<()> {
        for node in children(parent, "node") {
            self.node(node, scene_from_parent, depth + 1)?;
        }
        Ok(())
    }

    fn node(&mut self, node: Node<'a, 'a>, scene_from_parent: &Matrix4<f64>, depth: usize) -> Parsed<()> {
        self.assembly.enter(depth)?;
        let scene_from_node = scene_from_parent * transform::of(node)?;
        for element in node.children() {
            match element.tag_name().name() {
                "instance_geometry" => {
                    let geometry = target(&self.ids, element, "url", "geometry")?;
                    self.geometry(geometry, &scene_from_node)?;
                }
                "instance_node" => {
                    let other = target(&self.ids, element, "url", "node")?;
                    self.node(other, &scene_from_node, depth + 1)?;
                }
                "instance_controller" => {
                    return Err(fault(element, "skinned meshes (<instance_controller>) are not supported"));
                }
                _ => {}
            }
        }
        self.nodes(node, &scene_from_node, depth)
    }

    fn geometry(&mut self, node: Node<'a, 'a>, scene_from_node: &Matrix4<f64>) -> Parsed<()> {
        let key = node.range().start;
        if !self.parts.contains_key(&key) {
            self.parts.insert(key, DaeGeometry::read(&self.ids, node)?);
        }
        self.assembly.add(&self.parts[&key], scene_from_node)
    }
}
