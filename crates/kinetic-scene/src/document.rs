//! Scene files: TOML, read strictly.
//!
//! ```toml
//! absent = ["tray"]          # names that `allow`, `margin` and `padding` are about beside those of bodies
//!
//! [[object]]
//! name = "table"
//! shape = "box"              # and the other kinds, see `ShapeRecord`
//! size = [1.0, 0.6, 0.05]    # sizes by the kind
//! position = [0.5, 0.0, 0.1] # m, in the robot's root frame; default 0
//! rpy = [0.0, 0.0, 0.0]      # or quaternion_xyzw
//! # ghost = true             # may be touched by anything
//! # link = "tool0"           # carried by a link: the pose is in that link
//! # touch_links = []         # links that it may touch besides
//! # payload = { mass = 0.5, com = [0.0, 0.0, 0.0] } # kg, m, and inertia (kg m²), in the frame of the shape
//!
//! [[allow]]
//! pair = ["table", "base_link"]
//!
//! [[margin]]                 # of a pair, or `of` one thing; `towards` = "world" or "robot", default both
//! pair = ["table", "forearm_link"]
//! value = 0.05
//! # until_detached = true    # taken back when the body of the pair that a link carries is detached
//!
//! [[padding]]
//! of = "forearm_link"
//! value = 0.01
//!
//! [[scale]]
//! link = "forearm_link"
//! factor = 1.1
//!
//! [held]                     # joints outside the planning group
//! torso_lift_joint = 0.2
//! ```

mod shape;

use std::collections::{BTreeMap, BTreeSet};

use kinetic_core::error::check_finite;
use kinetic_core::shape::{ShapeRecord, WithShape};
use kinetic_core::{KineticError, Payload, Pose, Result, Shape, files, toml_depth};
use serde::Deserialize;

use crate::margins::Side;
use crate::moveit_scene;
use crate::scene::Scene;

use shape::{ObjectDocument, ObjectKeys};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneDocument {
    #[serde(default)]
    absent: Vec<toml::Spanned<String>>,
    #[serde(default)]
    object: Vec<toml::Spanned<ObjectDocument>>,
    #[serde(default)]
    allow: Vec<toml::Spanned<AllowEntry>>,
    #[serde(default)]
    margin: Vec<toml::Spanned<MarginEntry>>,
    #[serde(default)]
    padding: Vec<toml::Spanned<PaddingEntry>>,
    #[serde(default)]
    scale: Vec<toml::Spanned<ScaleEntry>>,
    #[serde(default)]
    held: BTreeMap<String, toml::Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowEntry {
    pair: [String; 2],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarginEntry {
    pair: Option<[String; 2]>,
    of: Option<String>,
    towards: Option<String>,
    value: f64,
    #[serde(default)]
    until_detached: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaddingEntry {
    of: String,
    value: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScaleEntry {
    link: String,
    factor: f64,
}

impl Scene {
    /// Adds the content of a scene file: objects, attached bodies, allowed pairs, margins, paddings, scales, held joints. Of a
    /// file of `MoveIt` (`.scene`) the objects: those of several shapes become "name/0" and so on, a cone a hull around it, and
    /// of a plane what lies against its normal.
    ///
    /// # Errors
    /// [`KineticError::Io`], or [`KineticError::FileParse`] with file and line: unknown keys, missing or superfluous
    /// sizes, sizes that are not positive, unknown names.
    pub fn load(&mut self, path: &std::path::Path) -> Result<()> {
        self.load_string(&files::read_text(path)?, &path.display().to_string())
    }

    /// As [`load`](Self::load), from text; `file` names it in messages, and mesh files are looked for beside it.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_string(&mut self, text: &str, file: &str) -> Result<()> {
        let path = std::path::Path::new(file);
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("scene")) {
            let mut edited = self.clone();
            moveit_scene::load(&mut edited, text, file)?;
            *self = edited;
            return Ok(());
        }
        let parse_error = |line: u32, detail: String| KineticError::FileParse { file: file.to_owned(), line, detail };
        if let Some((line, detail)) = toml_depth::fault(text) {
            return Err(parse_error(line, detail));
        }
        let document: SceneDocument = toml::from_str(text).map_err(|error| {
            parse_error(error.span().map_or(0, |span| line_of(text, span.start)), error.message().to_owned())
        })?;
        let folder = path.parent().unwrap_or_else(|| std::path::Path::new(""));
        // A file is loaded completely or not at all.
        let mut edited = self.clone();
        let mut names = BTreeSet::new();
        for entry in &document.object {
            let (at, WithShape { record, beside }) = (entry.span().start, entry.get_ref());
            let name = beside.name.as_deref().unwrap_or_default();
            let named = |error: KineticError| parse_error(line_of(text, at), format!("object \"{name}\": {error}"));
            if !names.insert(name) {
                let wanted = "a name that no other object of the file has";
                return Err(named(KineticError::invalid("name", name, wanted)));
            }
            beside.add_to(name, record, &mut edited, folder).map_err(named)?;
        }
        document.apply_rules(&mut edited).map_err(|(at, error)| parse_error(line_of(text, at), error.to_string()))?;
        *self = edited;
        Ok(())
    }
}

impl SceneDocument {
    /// Applies allowed pairs, margins, paddings, scales and fixed joints. An error comes with its offset in the text.
    fn apply_rules(&self, scene: &mut Scene) -> std::result::Result<(), (usize, KineticError)> {
        // What rules say of a body is said while it is there, and outlives it.
        let absent: Vec<_> = self.absent.iter().filter(|name| scene.check_known(name.get_ref()).is_err()).collect();
        let mut apply = |at: usize, edit: &dyn Fn(&mut Scene) -> Result<()>| edit(scene).map_err(|error| (at, error));
        for name in &absent {
            apply(name.span().start, &|scene| scene.add(name.get_ref(), Shape::sphere(1.0)?, Pose::identity()))?;
        }
        for entry in &self.allow {
            let [a, b] = &entry.get_ref().pair;
            apply(entry.span().start, &|scene| scene.allow_collision(a, b))?;
        }
        for entry in &self.margin {
            apply(entry.span().start, &|scene| entry.get_ref().apply(scene))?;
        }
        for entry in &self.padding {
            let PaddingEntry { of, value } = entry.get_ref();
            apply(entry.span().start, &|scene| scene.set_padding(of, *value))?;
        }
        for entry in &self.scale {
            let ScaleEntry { link, factor } = entry.get_ref();
            apply(entry.span().start, &|scene| scene.set_scale(link, *factor))?;
        }
        for (joint, value) in &self.held {
            apply(value.span().start, &|scene| scene.hold_joint(joint, *value.get_ref()))?;
        }
        for name in absent {
            scene.remove(name.get_ref());
        }
        Ok(())
    }
}

impl MarginEntry {
    fn apply(&self, scene: &mut Scene) -> Result<()> {
        if self.until_detached && self.pair.is_none() {
            return Err(KineticError::invalid("until_detached", "true, without a pair", "the margin of a `pair`"));
        }
        match (&self.pair, &self.of, self.towards.as_deref()) {
            (Some([a, b]), None, None) if self.until_detached => scene.set_margin_until_detached(a, b, self.value),
            (Some([a, b]), None, None) => scene.set_margin(a, b, self.value),
            (None, Some(name), None) => scene.set_margin_all(name, self.value),
            (None, Some(name), Some(towards)) => scene.state_margin_of(name, towards.parse::<Side>()?, self.value),
            _ => Err(KineticError::invalid("margin", "its keys", "`pair`, or `of` with or without `towards`")),
        }
    }
}

impl ObjectKeys {
    fn add_to(&self, name: &str, record: &ShapeRecord, scene: &mut Scene, folder: &std::path::Path) -> Result<()> {
        let (shape, pose) = (self.shape(record, folder)?, self.pose()?);
        match &self.link {
            None if !self.touch_links.is_empty() => {
                Err(KineticError::invalid("touch_links", "no link", "a `link` that carries it"))
            }
            None if self.payload.is_some() => {
                Err(KineticError::invalid("payload", "no link", "a `link` that carries it"))
            }
            None => {
                scene.add(name, shape, pose)?;
                if self.ghost { scene.set_ghost(name, true) } else { Ok(()) }
            }
            Some(_) if self.ghost => {
                Err(KineticError::invalid("ghost", "true, with a link", "an object that no link carries"))
            }
            Some(link) => {
                let touch_links: Vec<&str> = self.touch_links.iter().map(String::as_str).collect();
                scene.attach(name, shape, pose, link, &touch_links)?;
                let payload = self.payload.clone().map(Payload::try_from).transpose()?;
                if payload.is_some() { scene.set_payload(name, payload) } else { Ok(()) }
            }
        }
    }

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
