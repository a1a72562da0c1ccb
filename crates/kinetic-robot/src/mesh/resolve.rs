//! From the name of a mesh to a file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kinetic_core::{KineticError, Result};

/// Where mesh names are looked up.
///
/// - `package://name/rest` and `model://name/rest`: in every package directory, as its subfolder `name` or as the
///   package itself; then upwards from the description's folder, in every folder that is called `name`, whose
///   `package.xml` has that name, or that has a subfolder `name`.
/// - `file:///path` and absolute paths: that file.
/// - relative paths: below the description's folder, then below every package directory.
///
/// The first existing file wins. The working directory and the environment play no part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshResolver {
    /// Folder of the description; `None` when it came from a string.
    pub base_dir: Option<PathBuf>,
    /// Folders that hold packages, or are packages.
    pub package_dirs: Vec<PathBuf>,
}

impl MeshResolver {
    /// The file that `uri` means.
    ///
    /// # Errors
    /// [`KineticError::Io`] of kind `NotFound` listing every place that was tried, or of kind `Unsupported` for
    /// another scheme.
    pub fn resolve(&self, uri: &str) -> Result<PathBuf> {
        let candidates = self.candidates(uri)?;
        match candidates.iter().find(|path| path.is_file()) {
            Some(path) => Ok(path.clone()),
            None => Err(not_found(uri, &candidates)),
        }
    }

    fn candidates(&self, uri: &str) -> Result<Vec<PathBuf>> {
        if let Some(path) = uri.strip_prefix("file://") {
            return Ok(vec![PathBuf::from(path)]);
        }
        if let Some(rest) = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://")) {
            let (package, inside) = rest.split_once('/').unwrap_or((rest, ""));
            return Ok(self.in_package(package, inside));
        }
        if let Some((scheme, _)) = uri.split_once("://") {
            let detail = format!("scheme \"{scheme}\" is not supported; package, model and file are");
            return Err(KineticError::Io { path: uri.into(), kind: ErrorKind::Unsupported, detail });
        }
        if Path::new(uri).is_absolute() {
            return Ok(vec![PathBuf::from(uri)]);
        }
        Ok(self.base_dir.iter().chain(&self.package_dirs).map(|folder| folder.join(uri)).collect())
    }

    fn in_package(&self, package: &str, inside: &str) -> Vec<PathBuf> {
        let mut candidates = Vec::new();
        for folder in &self.package_dirs {
            candidates.push(folder.join(package).join(inside));
            if is_package(folder, package) {
                candidates.push(folder.join(inside));
            }
        }
        // A relative base folder ends before its parents do; the absolute one shows them all.
        let base = self.base_dir.as_ref().map(|base| std::path::absolute(base).unwrap_or_else(|_| base.clone()));
        for folder in base.iter().flat_map(|base| base.ancestors()) {
            if is_package(folder, package) {
                candidates.push(folder.join(inside));
            }
            candidates.push(folder.join(package).join(inside));
        }
        candidates
    }
}

/// True when `folder` is called `package`, or holds a `package.xml` of that name.
fn is_package(folder: &Path, package: &str) -> bool {
    folder.file_name().is_some_and(|name| name == package)
        || manifest_name(&folder.join("package.xml")).is_some_and(|name| name == package)
}

/// The name a package manifest states; anything unreadable has none.
fn manifest_name(manifest: &Path) -> Option<String> {
    let text = std::fs::read_to_string(manifest).ok()?;
    let document = roxmltree::Document::parse(&text).ok()?;
    let name = document.root_element().children().find(|node| node.has_tag_name("name"))?;
    name.text().map(|text| text.trim().to_owned())
}

fn not_found(uri: &str, candidates: &[PathBuf]) -> KineticError {
    let tried = candidates.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let detail = if candidates.is_empty() {
        "mesh not found: the description came from a string, so give package_dirs or an absolute path".to_owned()
    } else {
        format!("mesh not found; tried {tried}")
    };
    KineticError::Io { path: uri.into(), kind: ErrorKind::NotFound, detail }
}
