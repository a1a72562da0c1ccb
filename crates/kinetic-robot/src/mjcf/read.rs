//! From files to elements: XML, and files that include others.
//!
//! MuJoCo reads an included file relative to the folder of the main file, wherever the `<include>` stands, puts the
//! elements below its outermost element in the place of the `<include>`, and takes every file at most once.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use kinetic_core::Result;
use roxmltree::{Document, Node};

use super::element::Element;
use super::fault;
use crate::file_text::read_text;
use crate::lines::Lines;
use crate::mesh::MeshResolver;
use crate::xml_repair;

/// Elements may be nested this deep; the readers call themselves once per level.
pub(super) const DEEPEST_XML_NESTING: usize = 200;

/// Reads one document and what it includes.
pub(super) struct MjcfReader<'a> {
    pub(super) resolver: &'a MeshResolver,
    /// Index that the elements get.
    pub(super) document: usize,
    included: BTreeSet<PathBuf>,
}

impl<'a> MjcfReader<'a> {
    pub(super) fn new(resolver: &'a MeshResolver, document: usize) -> Self {
        Self { resolver, document, included: BTreeSet::new() }
    }

    /// The outermost element of a text, with all files included.
    pub(super) fn read(&mut self, text: &str, file: &str) -> Result<Element> {
        self.parse(text, &Arc::from(file), 0)
    }

    fn parse(&mut self, text: &str, file: &Arc<str>, depth: usize) -> Result<Element> {
        let wrong = |error: roxmltree::Error| fault(file.to_string(), error.pos().row, error.to_string());
        let repaired;
        let (document, text) = match Document::parse(text) {
            Ok(document) => (document, text),
            Err(error) => {
                repaired = xml_repair::repaired(text).ok_or_else(|| wrong(error))?;
                (Document::parse(&repaired).map_err(wrong)?, repaired.as_str())
            }
        };
        self.element(document.root_element(), &Lines::new(text), file, depth)
    }

    fn element(&mut self, node: Node<'_, '_>, lines: &Lines, file: &Arc<str>, depth: usize) -> Result<Element> {
        let attributes = node.attributes().map(|attribute| (attribute.name().into(), attribute.value().into()));
        let mut element = Element {
            tag: node.tag_name().name().to_owned(),
            attributes: attributes.collect(),
            children: Vec::new(),
            file: Arc::clone(file),
            line: lines.line(node.range().start),
            document: self.document,
        };
        if depth > DEEPEST_XML_NESTING {
            return Err(element.error(format!("elements are nested more than {DEEPEST_XML_NESTING} deep")));
        }
        for child in node.children().filter(Node::is_element) {
            let child = self.element(child, lines, file, depth + 1)?;
            if child.tag == "include" {
                element.children.extend(self.include(&child, depth + 1)?);
            } else {
                element.children.push(child);
            }
        }
        Ok(element)
    }

    /// The elements below the outermost one of the included file.
    fn include(&mut self, include: &Element, depth: usize) -> Result<Vec<Element>> {
        let name = include.get("file").ok_or_else(|| include.error("attribute \"file\" is missing"))?;
        let path = self.resolver.resolve(name)?;
        if !self.included.insert(std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone())) {
            return Err(include.error(format!("file \"{name}\" is included twice; a file can be included once")));
        }
        let text = read_text(&path, fault)?;
        Ok(self.parse(&text, &Arc::from(path.display().to_string()), depth)?.children)
    }
}
