//! The problem files.

use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use kinetic_core::{KineticError, Pose, Result, files};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Report;

#[derive(Debug, Deserialize)]
pub(super) struct Family {
    pub(super) family: String,
    pub(super) problems: Vec<Problem>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Problem {
    pub(super) index: u64,
    pub(super) start: Vec<f64>,
    pub(super) goals: Vec<Vec<f64>>,
    pub(super) obstacles: Obstacles,
    pub(super) valid_vamp: bool,
    pub(super) valid_exact: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Obstacles {
    pub(super) boxes: Vec<BoxObstacle>,
    pub(super) cylinders: Vec<CylinderObstacle>,
    pub(super) spheres: Vec<SphereObstacle>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BoxObstacle {
    pub(super) name: String,
    position: [f64; 3],
    quat_xyzw: [f64; 4],
    pub(super) half_extents: [f64; 3],
}

#[derive(Debug, Deserialize)]
pub(super) struct CylinderObstacle {
    pub(super) name: String,
    position: [f64; 3],
    quat_xyzw: [f64; 4],
    pub(super) radius: f64,
    pub(super) length: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct SphereObstacle {
    pub(super) name: String,
    pub(super) position: [f64; 3],
    pub(super) radius: f64,
}

impl BoxObstacle {
    pub(super) fn pose(&self) -> Result<Pose> {
        pose(self.position, self.quat_xyzw)
    }
}

impl CylinderObstacle {
    pub(super) fn pose(&self) -> Result<Pose> {
        pose(self.position, self.quat_xyzw)
    }
}

fn pose([x, y, z]: [f64; 3], [qx, qy, qz, qw]: [f64; 4]) -> Result<Pose> {
    Pose::from_xyz_quat(x, y, z, qx, qy, qz, qw)
}

/// All families of a robot in name order.
pub(super) fn families(data: &Path, robot: &str) -> Result<Vec<Family>> {
    let folder = data.join("problems").join(robot);
    let entries = std::fs::read_dir(&folder).map_err(|error| KineticError::io(&folder, &error))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| is_problem_file(path)).collect();
    files.sort();
    if files.is_empty() {
        return Err(KineticError::invalid("data", folder.display(), "a folder with *.json or *.json.gz problem files"));
    }
    files.iter().map(|path| read_json(path)).collect()
}

fn is_problem_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".json") || name.ends_with(".json.gz")
}

/// Reads JSON, compressed when the name ends in `.gz`.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = if is_compressed(path) { unpacked(path)? } else { files::read_text(path)? };
    serde_json::from_str(&text).map_err(|error| KineticError::FileParse {
        file: path.display().to_string(),
        line: error.line() as u32,
        detail: error.to_string(),
    })
}

fn unpacked(path: &Path) -> Result<String> {
    let bytes = files::read(path)?;
    let mut text = String::new();
    let unpacked = GzDecoder::new(bytes.as_slice()).take(files::MOST_FILE_BYTES).read_to_string(&mut text);
    unpacked.map_err(|error| KineticError::io(path, &error))?;
    Ok(text)
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

/// Writes the solved paths, `{"robot", "paths": [{"family", "index", "path"}]}`, compressed when the name ends in
/// `.gz`.
///
/// # Errors
/// [`KineticError::Io`].
pub fn write_paths(report: &Report, path: &Path) -> Result<()> {
    let io_error = |error: std::io::Error| KineticError::io(path, &error);
    let text = serde_json::json!({ "robot": report.robot, "paths": report.paths }).to_string();
    if !is_compressed(path) {
        return files::write(path, text);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).map_err(io_error)?;
    files::write(path, encoder.finish().map_err(io_error)?)
}
