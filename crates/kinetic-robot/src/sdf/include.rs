//! `<include>`: a model from another file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetic_core::{KineticError, Pose, Result};
use roxmltree::Node;

use super::reader::{Inside, Overrides, SdfDocument, SdfReader};
use super::values::{flag, pose, truth, word};
use super::{fault, world};
use crate::file_text::{folder_of, read_text};
use crate::mesh::MeshResolver;
use crate::xml::{Source, child, children, text};

/// Most files that one robot includes; files that include each other twice would double at every level.
const MAX_INCLUDED_FILES: usize = 1000;

/// What a folder of a model is described by.
const MANIFEST: &str = "model.config";

impl SdfReader {
    /// Reads the model of an `<include>` into the scope `inside`; returns its name and its frame.
    pub(super) fn include(
        &mut self,
        document: &SdfDocument<'_>,
        node: Node<'_, '_>,
        inside: &Inside,
    ) -> Result<(String, usize)> {
        let source = &document.source;
        self.included += 1;
        if self.included > MAX_INCLUDED_FILES {
            return Err(source.error(node, format!("more than {MAX_INCLUDED_FILES} files are included")));
        }
        let path = locate(document, node)?;
        check_circle(document, node, &path)?;
        let overrides = overrides(document, node, inside)?;
        let text = read_text(&path, fault)?;
        let file = path.display().to_string();
        let included = Source::new(&text, &file, fault);
        let xml = included.parse(&text, &world::ROOTS)?;
        let version = world::version(&included, xml.root_element(), &mut self.notes)?;
        let mut open = document.open.clone();
        open.push(path.clone());
        let resolver =
            MeshResolver { base_dir: Some(folder_of(&path)), package_dirs: document.resolver.package_dirs.clone() };
        let inner = SdfDocument {
            source: included,
            file: file.as_str().into(),
            resolver: Arc::new(resolver),
            version,
            open,
            include_line: Some(document.outer_line(node)),
        };
        let model = world::only_model(&inner.source, xml.root_element(), &mut self.notes)?;
        if model.has_tag_name("include") {
            return Err(inner.source.error(model, "a file that only includes another cannot be included"));
        }
        self.model(&inner, model, inside, overrides)
    }
}

fn overrides(document: &SdfDocument<'_>, node: Node<'_, '_>, inside: &Inside) -> Result<Overrides> {
    let source = &document.source;
    let has_pose = child(node, "pose").is_some();
    let (base, given): (_, Pose) = pose(source, node)?;
    Ok(Overrides {
        name: child(node, "name").map(|_| word(source, node, "name").map(str::to_owned)).transpose()?,
        pose: has_pose.then(|| (inside.reference_or(base, inside.own), given)),
        placement: child(node, "placement_frame").map(|node| text(node).to_owned()),
        merge: node.attribute("merge").map_or(Ok(false), |word| truth(source, node, word))?,
        fixed: flag(source, node, "static")?,
    })
}

/// The file that is meant: named itself, or by its folder.
fn locate(document: &SdfDocument<'_>, node: Node<'_, '_>) -> Result<PathBuf> {
    let source = &document.source;
    let uri = word(source, node, "uri")?.trim_end_matches('/');
    if uri.starts_with("http://") || uri.starts_with("https://") {
        return Err(source.error(node, format!("\"{uri}\" is on a server; download the model and name its folder")));
    }
    let resolve = |name: &str| document.resolver.resolve(name);
    let file = match resolve(&format!("{uri}/{MANIFEST}")) {
        Ok(manifest) => described(&manifest)?,
        Err(without) => match resolve(&format!("{uri}/model.sdf")).or_else(|_| resolve(uri)) {
            Ok(file) => file,
            Err(_) => return Err(not_found(source, node, uri, &without)),
        },
    };
    match file.extension().map(|extension| extension.to_string_lossy().to_lowercase()).as_deref() {
        Some("urdf" | "xacro") => {
            Err(source.error(node, format!("\"{}\" is no SDF; convert it first", file.display())))
        }
        _ => Ok(std::path::absolute(&file).unwrap_or(file)),
    }
}

fn not_found(source: &Source<'_>, node: Node<'_, '_>, uri: &str, error: &KineticError) -> KineticError {
    let detail = match error {
        KineticError::Io { detail, .. } => detail.clone(),
        other => other.to_string(),
    };
    source.error(node, format!("\"{uri}\" is neither a model's folder nor a file: {detail}"))
}

/// The file that a manifest names for the newest version it knows.
fn described(manifest: &Path) -> Result<PathBuf> {
    let content = read_text(manifest, fault)?;
    let file = manifest.display().to_string();
    let source = Source::new(&content, &file, fault);
    let xml = source.parse(&content, &["model"])?;
    let root = xml.root_element();
    let newest = children(root, "sdf").max_by_key(|node| world::numbers(node.attribute("version").unwrap_or_default()));
    let newest = newest.ok_or_else(|| source.error(root, "<sdf> is missing"))?;
    match text(newest) {
        "" => Err(source.error(newest, "is empty")),
        name => Ok(folder_of(manifest).join(name)),
    }
}

fn check_circle(document: &SdfDocument<'_>, node: Node<'_, '_>, path: &Path) -> Result<()> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if !document.open.iter().any(|open| real(open) == real(path)) {
        return Ok(());
    }
    let files: Vec<String> =
        document.open.iter().map(PathBuf::as_path).chain([path]).map(|path| path.display().to_string()).collect();
    Err(document.source.error(node, format!("files include each other: {}", files.join(" → "))))
}
