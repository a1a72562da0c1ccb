//! The folders of the built-in robots, for the programs that write files into them.

use std::path::{Path, PathBuf};

use kinetic::core::{KineticError, Result};

/// The folders below `robot_configs/` that are named on the command line, or all, in alphabetical order.
pub(crate) fn chosen() -> Result<Vec<PathBuf>> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_configs");
    let given: Vec<PathBuf> = std::env::args().skip(1).map(|name| configs.join(name)).collect();
    if !given.is_empty() {
        return Ok(given);
    }
    let wrong = |error: std::io::Error| KineticError::io(&configs, &error);
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(&configs).map_err(wrong)? {
        folders.push(entry.map_err(wrong)?.path());
    }
    folders.sort();
    Ok(folders)
}

/// Name of a folder, for messages.
pub(crate) fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
