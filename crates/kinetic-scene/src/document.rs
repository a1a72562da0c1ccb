//! Scene files: TOML, read strictly.
//!
//! ```toml
//! [[object]]
//! name = "table"
//! shape = "box"              # and the other kinds, see `shape.rs`
//! size = [1.0, 0.6, 0.05]    # sizes by the kind
//! position = [0.5, 0.0, 0.1] # m, in the robot's root frame; default 0
//! rpy = [0.0, 0.0, 0.0]      # or quaternion_xyzw
//!
//! [[allow]]
//! pair = ["table", "base_link"]
//! ```

mod shape;

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Pose, Result, toml_depth};
use serde::Deserialize;

use crate::scene::Scene;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    object: Vec<toml::Spanned<ObjectEntry>>,
    #[serde(default)]
    allow: Vec<toml::Spanned<AllowEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowEntry {
    pair: [String; 2],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObjectEntry {
    name: String,
    shape: String,
    size: Option<[f64; 3]>,
    half_extents: Option<[f64; 3]>,
    radius: Option<f64>,
    half_height: Option<f64>,
    normal: Option<[f64; 3]>,
    offset: Option<f64>,
    file: Option<std::path::PathBuf>,
    vertices: Option<Vec<[f64; 3]>>,
    faces: Option<Vec<[u32; 3]>>,
    scale: Option<f64>,
    solid: Option<bool>,
    convex: Option<bool>,
    heights: Option<Vec<Vec<f64>>>,
    spacing: Option<[f64; 2]>,
    base: Option<f64>,
    cells: Option<Vec<[i32; 3]>>,
    resolution: Option<f64>,
    #[serde(default)]
    position: [f64; 3],
    rpy: Option<[f64; 3]>,
    quaternion_xyzw: Option<[f64; 4]>,
}

impl Scene {
    /// Adds the objects and allowed pairs of a scene file.
    ///
    /// # Errors
    /// [`KineticError::Io`], or [`KineticError::FileParse`] with file and line: unknown keys, missing or superfluous
    /// sizes, sizes that are not positive, unknown names.
    pub fn load(&mut self, path: &std::path::Path) -> Result<()> {
        let bytes = std::fs::read(path).map_err(|error| KineticError::io(path, &error))?;
        let file = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|error| {
            let readable = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
            let line = line_of(&readable, readable.len());
            KineticError::FileParse { file: file.clone(), line, detail: "not UTF-8 text".to_owned() }
        })?;
        self.load_string(&text, &file)
    }

    /// As [`load`](Self::load), from text; `file` names it in messages, and mesh files are looked for beside it.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_string(&mut self, text: &str, file: &str) -> Result<()> {
        let parse_error = |line: u32, detail: String| KineticError::FileParse { file: file.to_owned(), line, detail };
        if let Some((line, detail)) = toml_depth::fault(text) {
            return Err(parse_error(line, detail));
        }
        let document: Document = toml::from_str(text).map_err(|error| {
            parse_error(error.span().map_or(0, |span| line_of(text, span.start)), error.message().to_owned())
        })?;
        let folder = std::path::Path::new(file).parent().unwrap_or_else(|| std::path::Path::new(""));
        // A file is taken whole or not at all.
        let mut edited = self.clone();
        let mut names = std::collections::BTreeSet::new();
        for entry in &document.object {
            let line = line_of(text, entry.span().start);
            let entry = entry.get_ref();
            let at = |error: KineticError| parse_error(line, format!("object \"{}\": {error}", entry.name));
            if !names.insert(entry.name.as_str()) {
                return Err(at(KineticError::invalid(
                    "name",
                    &entry.name,
                    "a name that no other object of the file has",
                )));
            }
            edited.add(&entry.name, entry.shape(folder).map_err(at)?, entry.pose().map_err(at)?).map_err(at)?;
        }
        for allow in &document.allow {
            let line = line_of(text, allow.span().start);
            let [a, b] = &allow.get_ref().pair;
            edited.allow_collision(a, b).map_err(|error| parse_error(line, error.to_string()))?;
        }
        *self = edited;
        Ok(())
    }
}

impl ObjectEntry {
    fn pose(&self) -> Result<Pose> {
        check_finite("position", &self.position)?;
        let [x, y, z] = self.position;
        match (self.rpy, self.quaternion_xyzw) {
            (Some(_), Some(_)) => {
                Err(KineticError::invalid("rotation", "both", "one of `rpy` and `quaternion_xyzw`, or neither"))
            }
            (None, Some([qx, qy, qz, qw])) => Pose::from_xyz_quat(x, y, z, qx, qy, qz, qw),
            (rpy, None) => {
                let [roll, pitch, yaw] = rpy.unwrap_or_default();
                check_finite("rpy", &[roll, pitch, yaw])?;
                Ok(Pose::from_xyz_rpy(x, y, z, roll, pitch, yaw))
            }
        }
    }
}

fn line_of(text: &str, offset: usize) -> u32 {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() as u32 + 1
}
