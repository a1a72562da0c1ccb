//! Resolution of mesh names to files.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kinetic_core::{KineticError, Result, files};
use serde::{Deserialize, Serialize};

use super::environment::SearchPaths;

/// Levels of folders that are searched for a package below a ROS workspace or the cache of `robot_descriptions`.
const MAX_FOLDER_LEVELS: usize = 3;

/// Folders that such a search looks into at most.
const MAX_FOLDERS: usize = 10_000;

/// Scheme of the name that stands for a shape which the reader of a description does not know.
pub(crate) const UNSUPPORTED: &str = "unsupported://";

/// Where mesh names are looked up.
///
/// - `package://name/rest` and `model://name/rest`:
///   1. in every package directory, as its subfolder `name` or as the package itself;
///   2. upwards from the description's folder, in every folder that is called `name`, whose `package.xml` has that name,
///      or that has a subfolder `name`;
///   3. in the folders of [`SearchPaths::ros`], as under 1;
///   4. in packages that lie deeper in those folders, or in [`SearchPaths::robot_descriptions`].
/// - `file:///path` and absolute paths: that file.
/// - relative paths: below the description's folder, then below every package directory.
///
/// The first existing file wins. The working directory plays no part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeshResolver {
    /// Folder of the description; `None` when it came from a string.
    pub base_dir: Option<PathBuf>,
    /// Folders that hold packages, or are packages.
    pub package_dirs: Vec<PathBuf>,
}

impl MeshResolver {
    /// The file that `uri` means, with the packages of [`SearchPaths::from_env`]; the folder of the package for
    /// `package://name` with nothing behind it.
    ///
    /// # Errors
    /// [`KineticError::Io`] of kind `NotFound` listing every place that was tried, or of kind `Unsupported` for
    /// another scheme.
    pub fn resolve(&self, uri: &str) -> Result<PathBuf> {
        self.resolve_in(uri, &SearchPaths::from_env())
    }

    /// The file that `uri` means, with the packages of `paths`.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn resolve_in(&self, uri: &str, paths: &SearchPaths) -> Result<PathBuf> {
        // Some exporters write the separators of their own system.
        let name = uri.replace('\\', "/");
        let mut tried = Vec::new();
        let found = match package_name(&name) {
            Some((package, inside)) => self.in_packages(package, inside, paths, &mut tried),
            None => first_file(self.plain(uri, &name)?, &mut tried),
        };
        found.ok_or_else(|| not_found(uri, &tried))
    }

    /// Places of a name without package.
    fn plain(&self, uri: &str, name: &str) -> Result<Vec<PathBuf>> {
        let name = name.strip_prefix("file://").unwrap_or(name);
        if let Some((scheme, _)) = name.split_once("://") {
            let detail = match name.strip_prefix(UNSUPPORTED) {
                Some(shape) => format!("shape <{shape}> of the description is not supported"),
                None => format!("scheme \"{scheme}\" is not supported; package, model and file are"),
            };
            return Err(KineticError::Io { path: uri.into(), kind: ErrorKind::Unsupported, detail });
        }
        if Path::new(name).is_absolute() {
            return Ok(vec![PathBuf::from(name)]);
        }
        Ok(self.base_dir.iter().chain(&self.package_dirs).map(|folder| folder.join(name)).collect())
    }

    fn in_packages(
        &self,
        package: &str,
        inside: &str,
        paths: &SearchPaths,
        tried: &mut Vec<String>,
    ) -> Option<PathBuf> {
        let near = self.package_dirs.iter().flat_map(|folder| as_package(folder, package));
        let ros = paths.ros.iter().flat_map(|folder| as_package(folder, package));
        let places = near.chain(self.above(package)).chain(ros).map(|folder| folder.join(inside));
        if inside.is_empty() {
            let places: Vec<PathBuf> = places.collect();
            if let Some(folder) = places.iter().find(|path| path.is_dir()) {
                return Some(folder.components().collect());
            }
            tried.extend(places.iter().map(|path| path.display().to_string()));
        } else if let Some(file) = first_file(places.collect(), tried) {
            return Some(file);
        }
        for folder in paths.ros.iter().chain(&paths.robot_descriptions) {
            let mut packages = Vec::new();
            let mut budget = MAX_FOLDERS;
            search(folder, package, MAX_FOLDER_LEVELS, &mut budget, &mut packages);
            if let Some(file) =
                packages.into_iter().map(|folder| folder.join(inside)).find(|file| file.is_file() || inside.is_empty())
            {
                return Some(file.components().collect());
            }
            tried.push(format!("packages called {package} below {}", folder.display()));
        }
        None
    }

    /// Folders that may be the package, at or above the description's folder.
    fn above(&self, package: &str) -> Vec<PathBuf> {
        // A relative base folder ends before its parents do; the absolute one shows them all.
        let base = self.base_dir.as_ref().map(|base| std::path::absolute(base).unwrap_or_else(|_| base.clone()));
        let mut folders = Vec::new();
        for folder in base.iter().flat_map(|base| base.ancestors()) {
            if is_package(folder, package) {
                folders.push(folder.to_path_buf());
            }
            folders.push(folder.join(package));
        }
        folders
    }
}

/// Package and path inside of a `package://` or `model://` name.
fn package_name(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://"))?;
    let rest = rest.trim_start_matches('/');
    Some(rest.split_once('/').unwrap_or((rest, "")))
}

fn first_file(places: Vec<PathBuf>, tried: &mut Vec<String>) -> Option<PathBuf> {
    let found = places.iter().find(|path| path.is_file()).cloned();
    tried.extend(places.iter().map(|path| path.display().to_string()));
    found
}

/// A folder that holds packages or is one: the folders of it that may be `package`.
fn as_package(folder: &Path, package: &str) -> Vec<PathBuf> {
    let mut folders = vec![folder.join(package)];
    if is_package(folder, package) {
        folders.push(folder.to_path_buf());
    }
    folders
}

/// True when `folder` is called `package`, or holds a `package.xml` of that name.
fn is_package(folder: &Path, package: &str) -> bool {
    folder.file_name().is_some_and(|name| name == package)
        || manifest_name(&folder.join("package.xml")).is_some_and(|name| name == package)
}

/// The name a package manifest states; anything unreadable has none.
fn manifest_name(manifest: &Path) -> Option<String> {
    let text = files::read_text(manifest).ok()?;
    let document = roxmltree::Document::parse(&text).ok()?;
    let name = document.root_element().children().find(|node| node.has_tag_name("name"))?;
    name.text().map(|text| text.trim().to_owned())
}

/// Collects the folders below `folder` that are `package`, in the order of their names; `budget` folders are looked
/// into.
fn search(folder: &Path, package: &str, levels: usize, budget: &mut usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let is_hidden = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| !is_hidden(path) && path.is_dir()).collect();
    folders.sort();
    for inner in folders {
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        if is_package(&inner, package) {
            found.push(inner.clone());
        }
        if levels > 1 {
            search(&inner, package, levels - 1, budget, found);
        }
    }
}

fn not_found(uri: &str, tried: &[String]) -> KineticError {
    let detail = if tried.is_empty() {
        "mesh not found: the description came from a string, so give package_dirs or an absolute path".to_owned()
    } else {
        format!("mesh not found; tried {}", tried.join(", "))
    };
    KineticError::Io { path: uri.into(), kind: ErrorKind::NotFound, detail }
}
