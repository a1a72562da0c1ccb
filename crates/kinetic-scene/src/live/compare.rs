//! Comparison of two contents of a scene. Shared data is equal without a comparison, so that the cost is that of the edit.

use std::sync::Arc;

use kinetic_core::Pose;

use crate::attachment::Attachment;
use crate::content::objects::Difference;
use crate::margins::MarginModel;
use crate::scene::Scene;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Object(String, Event),
    Body(String, Event),
    Allowed,
    Margins,
    Held,
}

/// Change of an object or attached body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Added,
    /// Its pose alone is another one.
    Moved,
    /// Anything else of it is.
    Replaced,
    Removed,
}

/// How a content differs from an earlier one. Contents without a difference have the same [version](Scene::version).
pub(super) fn changes_between(before: &Scene, after: &Scene) -> Vec<Change> {
    let (old, new) = (&before.content, &after.content);
    let objects = new.objects.differences(&old.objects).filter_map(of_object);
    let mut changes: Vec<Change> = objects.collect();
    if !Arc::ptr_eq(&old.attached, &new.attached) {
        add_bodies(&mut changes, before, after);
    }
    let is_held_alike = || same_bits(old.held.iter(), new.held.iter());
    if !Arc::ptr_eq(&old.allowed, &new.allowed) && old.allowed != new.allowed {
        changes.push(Change::Allowed);
    }
    if !Arc::ptr_eq(&old.margins, &new.margins) && !same_margins(&old.margins, &new.margins) {
        changes.push(Change::Margins);
    }
    if !Arc::ptr_eq(&old.held, &new.held) && !is_held_alike() {
        changes.push(Change::Held);
    }
    changes
}

fn of_object(difference: Difference<'_>) -> Option<Change> {
    let (entry, event) = match difference {
        Difference::Added(entry) => (entry, Event::Added),
        Difference::Removed(entry) => (entry, Event::Removed),
        Difference::Changed { before, after } => {
            let (old, new) = (&before.object, &after.object);
            let is_same_shape = old.prepared.hash == new.prepared.hash;
            if is_same_shape && same_pose(&old.pose, &new.pose) {
                return None;
            }
            (after, if is_same_shape { Event::Moved } else { Event::Replaced })
        }
    };
    Some(Change::Object(entry.name.clone(), event))
}

fn add_bodies(changes: &mut Vec<Change>, before: &Scene, after: &Scene) {
    for name in before.attached().keys().filter(|name| !after.attached().contains_key(*name)) {
        changes.push(Change::Body(name.clone(), Event::Removed));
    }
    for (name, body) in after.attached() {
        match before.attached().get(name) {
            None => changes.push(Change::Body(name.clone(), Event::Added)),
            Some(old) if !same_body(old, body) => changes.push(Change::Body(name.clone(), Event::Replaced)),
            Some(_) => {}
        }
    }
}

fn same_body(a: &Attachment, b: &Attachment) -> bool {
    a.shape_hash() == b.shape_hash()
        && same_pose(&a.link_from_shape, &b.link_from_shape)
        && (a.link, &a.touch_links, a.payload) == (b.link, &b.touch_links, b.payload)
}

fn same_margins(a: &MarginModel, b: &MarginModel) -> bool {
    // By their bits, as in hashes: 0 and −0 differ.
    let bits = f64::to_bits;
    a.names()
        .map(|(name, side, value)| (name, side, bits(value)))
        .eq(b.names().map(|(n, s, value)| (n, s, bits(value))))
        && a.pairs().map(|(x, y, value)| (x, y, bits(value))).eq(b.pairs().map(|(x, y, value)| (x, y, bits(value))))
        && a.paddings()
            .map(|(name, value)| (name, bits(value)))
            .eq(b.paddings().map(|(name, value)| (name, bits(value))))
        && a.scales().map(|(link, value)| (link, bits(value))).eq(b.scales().map(|(link, value)| (link, bits(value))))
}

fn same_pose(a: &Pose, b: &Pose) -> bool {
    same_bits(a.0.translation.vector.iter(), b.0.translation.vector.iter())
        && same_bits(a.0.rotation.coords.iter(), b.0.rotation.coords.iter())
}

fn same_bits<'a>(a: impl Iterator<Item = &'a f64>, b: impl Iterator<Item = &'a f64>) -> bool {
    a.map(|value| value.to_bits()).eq(b.map(|value| value.to_bits()))
}
