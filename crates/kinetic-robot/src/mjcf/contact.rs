//! Disabled pairs of links: `<exclude>`, and bodies that several joints connect.

use std::collections::BTreeSet;

use super::document::MjcfDocument;
use super::tree::{BodyTree, MjcfBody};
use crate::notes::Notes;

/// Two links, and why they are not checked.
pub(super) type Unchecked = (String, String, &'static str);

pub(super) fn unchecked(tree: &mut BodyTree<'_>, main: &MjcfDocument) -> Vec<Unchecked> {
    let paired = paired_bodies(tree, main);
    let mut pairs = excluded(&tree.bodies, main, &mut tree.notes);
    pairs.extend(neighbours(&tree.bodies));
    let name = |body: usize| tree.bodies[body].link.clone();
    let is_kept = |pair: &(usize, usize, &str)| !paired.contains(&(pair.0.min(pair.1), pair.0.max(pair.1)));
    pairs.into_iter().filter(is_kept).map(|(a, b, reason)| (name(a), name(b), reason)).collect()
}

/// Pairs of bodies whose geoms a `<pair>` names: MuJoCo checks these whatever else is stated.
fn paired_bodies(tree: &BodyTree<'_>, main: &MjcfDocument) -> BTreeSet<(usize, usize)> {
    let body_of =
        |name: Option<&str>| tree.geom_bodies.iter().find(|(geom, _)| Some(geom.as_str()) == name).map(|found| found.1);
    let pairs = main.references.iter().filter(|reference| reference.tag == "pair");
    pairs
        .filter_map(|pair| Some((body_of(pair.get("geom1"))?, body_of(pair.get("geom2"))?)))
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect()
}

fn excluded(bodies: &[MjcfBody], main: &MjcfDocument, notes: &mut Notes) -> Vec<(usize, usize, &'static str)> {
    let find = |name: Option<&str>| bodies.iter().position(|body| Some(body.link.as_str()) == name);
    let mut pairs = Vec::new();
    for element in main.references.iter().filter(|reference| reference.tag == "exclude") {
        match (find(element.get("body1")), find(element.get("body2"))) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => pairs.push((a, b, "Excluded")),
            _ => {
                let sentence = "an <exclude> that names a body that does not exist is not used";
                notes.add(sentence.to_owned(), || element.place());
            }
        }
    }
    pairs
}

/// Bodies on either side of several joints. With one joint between them every reader of the robot sees that they are
/// neighbours; here the massless links stand between. As in MuJoCo, what is fixed to either counts with it, and the
/// world is no link's neighbour.
fn neighbours(bodies: &[MjcfBody]) -> Vec<(usize, usize, &'static str)> {
    let mut members = vec![Vec::new(); bodies.len()];
    for (index, body) in bodies.iter().enumerate() {
        members[body.weld].push(index);
    }
    let mut pairs = Vec::new();
    for (index, body) in bodies.iter().enumerate().filter(|(_, body)| body.dof > 1) {
        let parent = bodies[body.parent].weld;
        if parent != 0 {
            pairs.extend(members[parent].iter().flat_map(|a| members[index].iter().map(move |b| (*a, *b, "Adjacent"))));
        }
    }
    pairs
}
