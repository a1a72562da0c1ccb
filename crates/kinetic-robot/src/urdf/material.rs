//! `<material>`: looks of visuals, defined at the robot or where they are used, and shared by name.

use std::collections::BTreeMap;

use roxmltree::Node;

use crate::model::Material;
use crate::xml::{Source, child};

/// The named materials of a document. Those of the robot come first; of two with one name the first counts.
pub(super) struct Materials(BTreeMap<String, Material>);

impl Materials {
    pub(super) fn of(source: &Source<'_>, robot: Node<'_, '_>) -> Self {
        let mut known: BTreeMap<String, Material> = BTreeMap::new();
        let of_robot = |node: &Node<'_, '_>| node.parent() == Some(robot);
        let is_material = |node: &Node<'_, '_>| node.has_tag_name("material");
        let everywhere = robot.descendants().filter(is_material);
        for node in robot.children().filter(is_material).chain(everywhere.filter(|node| !of_robot(node))) {
            let material = read(source, node);
            if material.name.is_empty() || (material.color.is_none() && material.texture.is_none()) {
                continue;
            }
            match known.get(&material.name) {
                None => drop(known.insert(material.name.clone(), material)),
                Some(first) if *first != material && of_robot(&node) => {
                    source.note(node, "a material is defined twice; the first definition counts");
                }
                Some(_) => {}
            }
        }
        Self(known)
    }

    /// What a visual's `<material>` means: its own content, or what its name stands for.
    pub(super) fn get(&self, source: &Source<'_>, node: Node<'_, '_>) -> Option<Material> {
        let own = read(source, node);
        if own.color.is_some() || own.texture.is_some() {
            return Some(own);
        }
        let known = self.0.get(&own.name).cloned();
        if known.is_none() && !own.name.is_empty() {
            source.note(node, "a material is named and nowhere defined");
            return Some(own);
        }
        known
    }
}

fn read(source: &Source<'_>, node: Node<'_, '_>) -> Material {
    let texture = child(node, "texture").and_then(|texture| texture.attribute("filename")).map(str::trim);
    Material {
        name: node.attribute("name").unwrap_or_default().trim().to_owned(),
        color: child(node, "color").and_then(|color| rgba(source, color)),
        texture: texture.filter(|name| !name.is_empty()).map(str::to_owned),
    }
}

/// A colour; looks are no reason to refuse a robot, so one that is none is noted.
fn rgba(source: &Source<'_>, node: Node<'_, '_>) -> Option<[f64; 4]> {
    let color =
        source.numbers::<4>(node, "rgba").ok().filter(|rgba| rgba.iter().all(|part| (0.0..=1.0).contains(part)));
    if color.is_none() {
        source.note(node, "a colour is not four numbers from 0 to 1 and is ignored");
    }
    color
}
