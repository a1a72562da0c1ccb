//! Packs `robot_configs/<folder>/` into the library: one deflate stream per robot, and a table of the names that each
//! answers to.

use std::fs;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Files that a robot is made of; notes and licences stay outside the library.
const PACKED: [&str; 3] = ["toml", "urdf", "json"];

fn main() -> Result<()> {
    let crate_dir = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out_dir = PathBuf::from(variable("OUT_DIR"));
    let mut rows = Vec::new();
    let is_wanted = std::env::var_os("CARGO_FEATURE_BUILTIN_ROBOTS").is_some();
    let robots = if is_wanted { robots(&crate_dir)? } else { Vec::new() };
    for (name, folder) in robots {
        let packed = out_dir.join(format!("{name}.deflate"));
        fs::write(&packed, pack(&folder)?)?;
        let names = names(&folder, name)?;
        rows.push(format!("(&{names:?}, include_bytes!({:?}).as_slice())", packed.display().to_string()));
    }
    fs::write(out_dir.join("robots.rs"), format!("[{}]\n", rows.join(", ")))
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|error| panic!("cargo sets {name} for build scripts: {error}"))
}

/// What a robot is called: the keys of `[names]` in its `kinetic.toml`, else its folder.
fn names(folder: &Path, own: String) -> Result<Vec<String>> {
    let text = fs::read_to_string(folder.join("kinetic.toml"))?;
    let document: toml::Table = toml::from_str(&text).map_err(std::io::Error::other)?;
    let stated = document.get("names").and_then(toml::Value::as_table);
    Ok(stated.map_or_else(|| vec![own], |names| names.keys().cloned().collect()))
}

/// Folders with their names, sorted by name. A published crate carries its own copy; the workspace has one at its root.
fn robots(crate_dir: &Path) -> Result<Vec<(String, PathBuf)>> {
    let places = [crate_dir.join("robot_configs"), crate_dir.join("../../robot_configs")];
    println!("cargo::rerun-if-changed=build.rs");
    for place in &places {
        // A missing path would make cargo run this every time.
        if place.exists() {
            println!("cargo::rerun-if-changed={}", place.display());
        }
    }
    let Some(place) = places.iter().find(|place| place.is_dir()) else {
        return Ok(Vec::new());
    };
    let mut robots = Vec::new();
    for entry in fs::read_dir(place)? {
        let folder = entry?.path();
        if folder.join("kinetic.toml").is_file() {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            robots.push((name, folder));
        }
    }
    robots.sort();
    Ok(robots)
}

/// Per file, sorted by name: length and bytes of the name, length and bytes of the text (lengths as u32,
/// little-endian). `src/builtin.rs` reads this.
fn pack(folder: &Path) -> Result<Vec<u8>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_file() && PACKED.contains(&extension.as_str()) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            files.push((name, fs::read(&path)?));
        }
    }
    files.sort();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    for (name, text) in &files {
        for part in [name.as_bytes(), text] {
            let length = u32::try_from(part.len()).map_err(std::io::Error::other)?;
            encoder.write_all(&length.to_le_bytes())?;
            encoder.write_all(part)?;
        }
    }
    encoder.finish()
}
