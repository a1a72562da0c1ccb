//! The registry of file formats of robots: one row each, with its endings, its outermost elements and its reader.

use std::path::Path;

use kinetic_core::{KineticError, Result};

use crate::config;
use crate::file_text::{folder_of, read_text};
use crate::robot::Robot;
use crate::xml::Source;

/// The ending that several formats share; the outermost element of the file says which one it is.
const SHARED_ENDING: &str = "xml";

/// Reads the file at a path.
type RobotReader = fn(&Path) -> Result<Robot>;

/// A file format of robots.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RobotFormat {
    /// What the format is called.
    pub name: &'static str,
    /// What of it is read, for tables and messages.
    pub summary: &'static str,
    /// Endings of file names, in lower case and without the dot.
    pub endings: &'static [&'static str],
    /// Outermost elements of files that end in `.xml`.
    pub root_elements: &'static [&'static str],
    /// The one name of its files, for formats that have no ending; their folder is read as well.
    pub file_name: Option<&'static str>,
    read: RobotReader,
}

/// The reader of a format that a cargo feature switches on; without the feature, the refusal of its files.
macro_rules! with_feature {
    ($feature:literal, $read:expr) => {{
        #[cfg(feature = $feature)]
        let read: RobotReader = $read;
        #[cfg(not(feature = $feature))]
        let read: RobotReader = |path| Err(left_out(path, $feature));
        read
    }};
}

/// All formats. A new one is a row here and a module with its reader.
pub const FORMATS: [RobotFormat; 5] = [
    RobotFormat {
        name: "URDF",
        summary: "links, joints, meshes; groups and poses of an SRDF with `Robot.from_urdf_srdf`",
        endings: &["urdf"],
        root_elements: &["robot"],
        file_name: None,
        read: |path| Robot::from_urdf(path),
    },
    RobotFormat {
        name: "xacro",
        summary: "macros that expand to a URDF; in Python, with `pip install \"kinetic[xacro]\"`",
        endings: &["xacro"],
        root_elements: &[],
        file_name: None,
        read: |path| Err(unexpanded(path)),
    },
    RobotFormat {
        name: "SDF",
        summary: "versions 1.3 to 1.12, one model of a world",
        endings: &["sdf", "world"],
        root_elements: &["sdf", "gazebo"],
        file_name: None,
        read: with_feature!("sdf", |path| Robot::from_sdf(path)),
    },
    RobotFormat {
        name: "MJCF",
        summary: "the format of MuJoCo",
        endings: &["mjcf"],
        root_elements: &["mujoco"],
        file_name: None,
        read: with_feature!("mjcf", |path| Robot::from_mjcf(path)),
    },
    RobotFormat {
        name: "kinetic.toml",
        summary: "a URDF with groups, named poses, limits and collision shapes; the file or its folder",
        endings: &[],
        root_elements: &[],
        file_name: Some(config::FILE_NAME),
        read: |path| Robot::from_path(if path.is_dir() { path.to_owned() } else { folder_of(path) }),
    },
];

impl RobotFormat {
    /// The format of a file or folder: its name says which, of an `.xml` file the outermost element.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a name of no format; for `.xml` also [`KineticError::Io`], and
    /// [`KineticError::FileParse`] for a document of another kind.
    pub fn of(path: impl AsRef<Path>) -> Result<&'static Self> {
        let path = path.as_ref();
        let has_its_name = |format: &&Self| {
            format.file_name.is_some_and(|name| path.is_dir() || path.file_name() == Some(name.as_ref()))
        };
        if let Some(format) = FORMATS.iter().find(has_its_name) {
            return Ok(format);
        }
        let Some(ending) = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()) else {
            return Err(unknown(path, "no ending"));
        };
        if ending == SHARED_ENDING {
            return of_document(path);
        }
        let has_ending = |format: &&Self| format.endings.contains(&ending.as_str());
        FORMATS.iter().find(has_ending).ok_or_else(|| unknown(path, &format!("ending .{ending}")))
    }

    /// How names of its files end: endings with the dot, `.xml` where an outermost element tells it, or the whole name.
    pub fn name_endings(&self) -> Vec<String> {
        let shared = (!self.root_elements.is_empty()).then_some(&SHARED_ENDING);
        let endings = self.endings.iter().chain(shared).map(|ending| format!(".{ending}"));
        endings.chain(self.file_name.map(str::to_owned)).collect()
    }

    /// Reads a file of this format.
    ///
    /// # Errors
    /// Those of the reader; [`KineticError::InvalidValue`] for a format whose reader was not compiled.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Robot> {
        (self.read)(path.as_ref())
    }
}

/// The format of a document by its outermost element.
fn of_document(path: &Path) -> Result<&'static RobotFormat> {
    let fault = |file, line, detail| KineticError::FileParse { file, line, detail };
    let text = read_text(path, fault)?;
    let file = path.display().to_string();
    let roots: Vec<&str> = FORMATS.iter().flat_map(|format| format.root_elements).copied().collect();
    let document = Source::new(&text, &file, fault).parse(&text, &roots)?;
    let root = document.root_element().tag_name().name();
    let has_root = |format: &&RobotFormat| format.root_elements.contains(&root);
    FORMATS.iter().find(has_root).ok_or_else(|| unknown(path, &format!("outermost element <{root}>")))
}

fn unknown(path: &Path, what: &str) -> KineticError {
    let endings = FORMATS.iter().flat_map(|format| format.endings).chain([&SHARED_ENDING]);
    let endings: Vec<String> = endings.map(|ending| format!(".{ending}")).collect();
    let names: Vec<&str> = FORMATS.iter().filter_map(|format| format.file_name).collect();
    let wanted = format!("a file ending in {}, a {}, or the folder of one", endings.join(", "), names.join(", a "));
    KineticError::invalid("robot file", format!("{} ({what})", path.display()), wanted)
}

fn unexpanded(path: &Path) -> KineticError {
    let wanted =
        "a URDF: xacro files must be expanded first (xacro robot.xacro > robot.urdf); Python's from_file does it";
    KineticError::invalid("robot file", path.display(), wanted)
}

/// A file of a format whose reader was not compiled.
#[cfg(not(all(feature = "mjcf", feature = "sdf")))]
fn left_out(path: &Path, feature: &str) -> KineticError {
    let wanted = format!("a format whose reader is compiled; this one needs the cargo feature \"{feature}\"");
    KineticError::invalid("robot file", path.display(), wanted)
}
