//! Attached documents: reading a document with those that it attaches.

use std::sync::Arc;

use kinetic_core::Result;

use super::assets;
use super::compiler::Compiler;
use super::defaults::Classes;
use super::document::{Documents, MjcfDocument};
use super::element::Element;
use super::fault;
use super::meta::Expansion;
use super::read::MjcfReader;
use crate::file_text::{folder_of, read_text};
use crate::mesh::MeshResolver;

/// Documents may attach documents this deep.
const DEEPEST_ATTACHMENT: usize = 20;

impl Documents {
    /// Reads a document and what it includes and attaches; gives its index.
    pub(super) fn read(&mut self, text: &str, file: &str, resolver: &MeshResolver) -> Result<usize> {
        // Attached documents are read while this one is, and take the next indices.
        let index = self.all.len();
        let mut root = MjcfReader::new(resolver, index).read(text, file)?;
        if root.tag != "mujoco" && root.tag != "mujocoinclude" {
            return Err(root.error("outermost element; an MJCF document begins with <mujoco>"));
        }
        let worlds = take(&mut root, "worldbody");
        let references = ["contact", "equality"].iter().flat_map(|section| take(&mut root, section)).collect();
        let (compiler, classes) = (Compiler::read(&root)?, Classes::read(&root)?);
        let (meshes, colors) = (assets::read(&root, &compiler, &classes)?, assets::colors(&root, &classes)?);
        let world = Vec::new();
        let shared = Arc::new(resolver.clone());
        self.all.push(MjcfDocument { compiler, classes, meshes, colors, world, references, resolver: shared, root });
        let world = Expansion { documents: self, index, resolver }.expand(worlds)?;
        self.all[index].world = world;
        Ok(index)
    }

    /// Reads the document of an `<asset><model>`; gives its index.
    pub(super) fn attach(&mut self, asset: &Element, resolver: &MeshResolver) -> Result<usize> {
        let name = asset.get("file").ok_or_else(|| asset.error("attribute \"file\" is missing"))?;
        if self.depth >= DEEPEST_ATTACHMENT {
            return Err(asset.error(format!("models are attached to each other more than {DEEPEST_ATTACHMENT} deep")));
        }
        let path = resolver.resolve(name)?;
        let text = read_text(&path, fault)?;
        let folder = folder_of(&path);
        let inner = MeshResolver { base_dir: Some(folder), package_dirs: resolver.package_dirs.clone() };
        self.depth += 1;
        let index = self.read(&text, &path.display().to_string(), &inner);
        self.depth -= 1;
        index
    }
}

/// Takes the contents of all sections of this kind out of the outermost element.
fn take(root: &mut Element, section: &str) -> Vec<Element> {
    let (taken, kept) = std::mem::take(&mut root.children).into_iter().partition(|child| child.tag == section);
    root.children = kept;
    let taken: Vec<Element> = taken;
    taken.into_iter().flat_map(|child| child.children).collect()
}
