//! `kinetic.toml`: what a robot's folder says beyond its URDF.
//!
//! ```toml
//! [robot]
//! name = "example"                 # required
//! urdf = "robot.urdf"              # required, beside this file
//! hulls = "hulls.json"             # convex collision shapes; replace the URDF's
//! spheres = "spheres.json"         # covering balls; the file may be absent
//! default_group = "arm"            # else the first group
//! dof = 6                          # checked against the default group
//! maker = "…"                      # and licence, source, quality: free text
//! inertials = "published"          # or "placeholder", "none"
//! estimated_tensors = ["link2"]    # links whose published tensor is impossible
//!
//! [names]                          # only for a built-in robot that is not called like its folder
//! example_left = "left_arm"        # name to ask for, and the default group that it selects
//!
//! [planning_group.arm]
//! chain = ["base_link", "tool0"]   # or joints = ["joint_1", …]
//!
//! [end_effector.tool]
//! parent_link = "tool0"
//! parent_group = "arm"             # group that moves it
//! group = "hand"                   # group of its own joints
//! tcp_xyz = [0.0, 0.0, 0.1]        # m, in the parent link: where the tool of `parent_group` is
//! tcp_rpy = [0.0, 0.0, 0.0]        # rad, fixed axes; one of the two makes the other 0, without both there is no tool
//! grasp_xyz = [0.0, 0.0, 0.1]      # m, in the parent link: where it holds things; the tool unless stated
//! grasp_rpy = [0.0, 0.0, 0.0]      # rad, fixed axes
//!
//! [ik]
//! solver = "auto"                  # one of `IK_SOLVERS`
//! damping = 0.05
//!
//! [named_poses.arm]
//! home = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0]
//!
//! [collision]
//! self_collision_pairs = "auto"    # or "none"
//! padding = 0.0                    # m
//! skip_pairs = [["link_a", "link_b", "reason"]]
//!
//! [limits]
//! acceleration_source = "published"
//! lower = { joint_1 = -1.0 }       # and upper: inside the URDF's limits, rad or m
//! velocity = { joint_1 = 1.0 }     # replaces the URDF's, rad/s or m/s
//! acceleration = { joint_1 = 5.0 } # rad/s² or m/s²
//! jerk = { joint_1 = 500.0 }       # rad/s³ or m/s³
//!
//! [metric]
//! weights = { joint_1 = 4.0 }      # what a radian or metre counts in distances; 1 for the others
//! ```
//!
//! A file `pairs.json` beside it, which `cargo run -p kinetic --example pair_facts` writes, holds what is known about
//! pairs of links; without it that is worked out when the robot is first used. So it is with `precomputed.json`, which
//! `cargo run -p kinetic --example precomputed` writes: what the spheres of links that are near each other keep from each
//! other.
//!
//! Unknown keys, wrong lengths and names that do not exist are errors with the line they stand on.
//!
//! A tool centre point (`tcp_xyz`, `tcp_rpy`) becomes the tool of the group that moves the end effector: `parent_group`, or
//! the one whose tip is the parent link. Forward and inverse kinematics, Jacobians, Cartesian motion and pose goals of that
//! group are then about it. A `grasp_xyz` moves nothing; [`EndEffector::grasp_frame`](crate::EndEffector::grasp_frame)
//! says it. The built-in robots state places to grasp and no tools, so that their poses are those of their tip links.

mod apply;
mod pairs;
mod profiles;
mod schema;
mod shapes;
mod tool;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetic_core::{KineticError, Result, toml_depth};

use crate::file_text::{folder_of, read_text};
use crate::group;
use crate::lines::Lines;
use crate::mesh::MeshResolver;
use crate::precomputed::Precomputed;
use crate::robot::Robot;
use crate::{builder, urdf};

/// Name of the configuration file in a robot's folder.
pub const FILE_NAME: &str = "kinetic.toml";

/// Name of the file beside it that holds facts about pairs of links.
pub const PAIRS_FILE: &str = "pairs.json";

/// Name of the file beside it that holds other results about the robot's shapes, see [`Precomputed`].
pub const PRECOMPUTED_FILE: &str = "precomputed.json";

fn fault(file: String, line: u32, detail: String) -> KineticError {
    KineticError::FileParse { file, line, detail }
}

/// Where the files of one robot are read from: a folder, or the library itself.
pub(crate) trait Files {
    /// Text of a file.
    fn read(&self, name: &str) -> Result<String>;
    /// How errors call a file.
    fn label(&self, name: &str) -> String;
    /// Folder on disk, where there is one.
    fn folder(&self) -> Option<PathBuf>;
}

struct Folder(PathBuf);

impl Files for Folder {
    fn read(&self, name: &str) -> Result<String> {
        read_text(&self.0.join(name), fault)
    }

    fn label(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn folder(&self) -> Option<PathBuf> {
        Some(self.0.clone())
    }
}

impl Robot {
    /// Reads a folder with a `kinetic.toml`.
    ///
    /// # Errors
    /// [`KineticError::Io`] for a missing file; [`KineticError::FileParse`] or [`KineticError::UrdfParse`] with file
    /// and line.
    pub fn from_path(folder: impl AsRef<Path>) -> Result<Self> {
        load(&Folder(folder.as_ref().to_path_buf()), None)
    }
}

/// Reads a robot from its files; a name of its `[names]` becomes its name and selects its default group.
pub(crate) fn load(files: &dyn Files, name: Option<&str>) -> Result<Robot> {
    let config = RobotConfig::parse(&files.read(FILE_NAME)?, files.label(FILE_NAME))?;
    let about = &config.document.robot;
    // Relative names of meshes start at the URDF, which may lie elsewhere.
    let base_dir = files.folder().map(|folder| folder_of(&folder.join(&about.urdf)));
    let resolver = MeshResolver { base_dir, package_dirs: Vec::new() };
    let description = urdf::parse(&files.read(&about.urdf)?, &files.label(&about.urdf), resolver)?;
    let mut robot = builder::build(&description)?;
    robot.groups.push(group::automatic(&robot, None, None)?);
    config.apply(&mut robot)?;
    if let Some(name) = name {
        config.select(&mut robot, name)?;
    }
    if let Some(name) = &about.hulls {
        shapes::apply_hulls(&mut robot, &files.read(name)?, &files.label(name))?;
    }
    if let Some(name) = &about.spheres
        && let Some(text) = read_if_there(files, name)?
    {
        shapes::apply_spheres(&mut robot, &text, &files.label(name))?;
    }
    if let Some(text) = read_if_there(files, PAIRS_FILE)? {
        robot.collision.pair_facts = Some(pairs::read(&robot, &text, &files.label(PAIRS_FILE))?);
    }
    if let Some(text) = read_if_there(files, PRECOMPUTED_FILE)? {
        let results = Precomputed::from_json(&text, &files.label(PRECOMPUTED_FILE))?;
        robot.collision.precomputed = Arc::new(results);
    }
    robot.note_links_without_shapes();
    Ok(robot)
}

/// Gives a robot whose URDF has no collision shapes the hulls that a `kinetic.toml` beside it names for it.
pub(crate) fn add_hulls_beside(urdf: &Path, robot: &mut Robot) -> Result<()> {
    if robot.links.iter().any(|link| !link.collisions.is_empty()) {
        return Ok(());
    }
    let files = Folder(folder_of(urdf));
    let Some(text) = read_if_there(&files, FILE_NAME)? else { return Ok(()) };
    let config = RobotConfig::parse(&text, files.label(FILE_NAME))?;
    let about = &config.document.robot;
    let is_this = urdf.file_name().is_some_and(|name| name == about.urdf.as_str());
    if let (Some(name), true) = (&about.hulls, is_this) {
        shapes::apply_hulls(robot, &files.read(name)?, &files.label(name))?;
        robot.notes.push(format!("the URDF has no collision shapes: those of {name} beside it, as {FILE_NAME} says"));
    }
    Ok(())
}

fn read_if_there(files: &dyn Files, name: &str) -> Result<Option<String>> {
    match files.read(name) {
        Ok(text) => Ok(Some(text)),
        Err(KineticError::Io { kind: std::io::ErrorKind::NotFound, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A parsed `kinetic.toml`, not yet tied to a robot.
#[derive(Debug, Clone)]
pub struct RobotConfig {
    document: schema::ConfigDocument,
    file: String,
    lines: Lines,
}

impl RobotConfig {
    /// Reads a file.
    ///
    /// # Errors
    /// [`KineticError::Io`] or [`KineticError::FileParse`] with file and line.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::parse(&read_text(path, fault)?, path.display().to_string())
    }

    /// Reads a document; the file is called `<string>` in errors.
    ///
    /// # Errors
    /// [`KineticError::FileParse`] with line.
    pub fn from_string(text: &str) -> Result<Self> {
        Self::parse(text, crate::file_text::STRING.to_owned())
    }

    /// Name of the robot.
    pub fn name(&self) -> &str {
        &self.document.robot.name
    }

    /// Name of the URDF file, relative to the configuration.
    pub fn urdf(&self) -> &str {
        &self.document.robot.urdf
    }

    /// Gives a robot this configuration's name, groups, end effectors, named poses, pairs, limits and preferences.
    /// Groups, when there are any, replace all groups of the robot together with their poses. Files that the
    /// configuration names are not read.
    ///
    /// The robot is unchanged when this fails.
    ///
    /// # Errors
    /// [`KineticError::FileParse`] with the line of what does not fit the robot.
    pub fn apply_to_robot(&self, robot: &mut Robot) -> Result<()> {
        let mut changed = robot.clone();
        self.apply(&mut changed)?;
        *robot = changed;
        Ok(())
    }

    fn parse(text: &str, file: String) -> Result<Self> {
        let lines = Lines::new(text);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some((line, detail)) = toml_depth::fault(text) {
            return Err(fault(file, line, detail));
        }
        match toml::from_str(text) {
            Ok(document) => Ok(Self { document, file, lines }),
            Err(error) => {
                let line = error.span().map_or(0, |span| lines.line(span.start));
                Err(fault(file, line, error.message().to_owned()))
            }
        }
    }
}
