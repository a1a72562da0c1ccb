//! A document with its settings, and the documents that it attaches.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::assets::MeshAsset;
use super::compiler::Compiler;
use super::defaults::Classes;
use super::element::Element;
use crate::mesh::MeshResolver;

/// Elements after copying by `<replicate>` and `<attach>`: far above any robot.
pub(super) const MOST_MJCF_ELEMENTS: usize = 200_000;

/// One document: what its elements mean.
#[derive(Debug)]
pub(super) struct MjcfDocument {
    pub(super) compiler: Compiler,
    pub(super) classes: Classes,
    pub(super) meshes: BTreeMap<String, MeshAsset>,
    /// Colours of materials by name.
    pub(super) colors: BTreeMap<String, [f64; 4]>,
    /// Content of its world, `<include>`, `<replicate>` and `<attach>` carried out.
    pub(super) world: Vec<Element>,
    /// Elements of `<contact>` and `<equality>`, which name others.
    pub(super) references: Vec<Element>,
    /// Where its meshes are looked up.
    pub(super) resolver: Arc<MeshResolver>,
    /// The outermost element, without its world.
    pub(super) root: Element,
}

/// All documents of a model; the first is the main one.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) all: Vec<MjcfDocument>,
    /// Elements made by copying so far.
    pub(super) copied: usize,
    /// How deep the attachment is that is being read.
    pub(super) depth: usize,
}
