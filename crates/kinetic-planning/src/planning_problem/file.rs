//! The text of a problem file: its own tables, then a marker line and the scene in the format of scene files.
//!
//! ```toml
//! kinetic_problem = 1
//!
//! [hashes]                       # absent in what is hashed
//! problem = "fnv1a128:…"
//! result = "fnv1a128:…"          # when it was solved
//!
//! [robot]
//! name = "ur5e"                  # a built-in robot, or the `model` itself as JSON
//! fingerprint = "fnv1a128:…"
//!
//! [problem]
//! group = "arm"
//! start = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0]
//! planner = "auto"
//! time_law = "totp"              # absent for a path without time
//!
//! [problem.goal]                 # one of joints, named, pose, relative
//! named = "ready"
//!
//! [options]
//! max_iterations = 100000
//! seed = 0
//! # and what else the table of options has for files
//!
//! # ---- scene ----
//! [[object]]
//! ```

use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use kinetic_core::toml_text::quoted;
use kinetic_core::{ContentHash, KineticError, Result, toml_depth};
use kinetic_scene::Scene;
use serde::Deserialize;

use super::goal_entry::{self, GoalEntry};
use super::options_entry::OptionsEntry;
use super::robot_entry::{self, RobotEntry};
use super::{PlanningProblem, StoredHashes};
use crate::registry::PlannerType;

/// Version of the format.
const VERSION: u32 = 1;

/// The line between the head and the scene.
const SCENE_LINE: &str = "# ---- scene ----";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    kinetic_problem: toml::Spanned<u32>,
    hashes: Option<toml::Spanned<HashesEntry>>,
    robot: toml::Spanned<RobotEntry>,
    problem: toml::Spanned<ProblemEntry>,
    options: toml::Spanned<OptionsEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HashesEntry {
    problem: String,
    result: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemEntry {
    group: String,
    start: Vec<f64>,
    planner: String,
    time_law: Option<String>,
    goal: GoalEntry,
}

impl PlanningProblem {
    /// The text of its file.
    ///
    /// # Errors
    /// What reading the robot's meshes reports (of one that is not built in); [`KineticError::InvalidValue`] for a shape
    /// that scene files do not have, or a constraint that is a function.
    pub fn to_toml(&self) -> Result<String> {
        let text = self.text()?;
        let hash = ContentHash::of_bytes(text.as_bytes());
        let mut hashes = format!("\n[hashes]\nproblem = \"{hash}\"\n");
        if let Some(result) = self.stored.and_then(|stored| stored.result) {
            let _ = writeln!(hashes, "result = \"{result}\"");
        }
        let first_line = text.find('\n').map_or(text.len(), |end| end + 1);
        Ok(format!("{}{hashes}{}", &text[..first_line], &text[first_line..]))
    }

    /// The text without its hashes: what is hashed.
    pub(super) fn text(&self) -> Result<Arc<str>> {
        if let Some(text) = self.text.get() {
            return Ok(Arc::clone(text));
        }
        let text: Arc<str> = self.write()?.into();
        Ok(Arc::clone(self.text.get_or_init(|| text)))
    }

    fn write(&self) -> Result<String> {
        let mut out = format!("kinetic_problem = {VERSION}\n\n[robot]\n");
        out.push_str(&robot_entry::text(self.scene.robot())?);
        let _ = write!(out, "\n[problem]\ngroup = {}\nstart = {:?}\n", quoted(&self.group), self.start.0);
        let _ = writeln!(out, "planner = {}", quoted(self.planner_type.id()));
        if let Some(law) = &self.law {
            let _ = writeln!(out, "time_law = {}", quoted(law));
        }
        out.push_str(&goal_entry::text(&self.goal));
        out.push_str(&super::options_entry::text(&self.config)?);
        let _ = writeln!(out, "\n{SCENE_LINE}");
        out.push_str(&self.scene.to_toml()?);
        Ok(out)
    }

    /// Reads the text of a problem file; `file` names it in messages.
    ///
    /// # Errors
    /// [`KineticError::FileParse`] as [`load`](Self::load).
    pub fn from_toml(text: &str, file: &str) -> Result<Self> {
        let fault = |line: u32, detail: String| KineticError::FileParse { file: file.to_owned(), line, detail };
        if let Some((line, detail)) = toml_depth::fault(text) {
            return Err(fault(line, detail));
        }
        let Some(behind_head) = scene_begins(text) else {
            return Err(fault(
                0,
                format!("no line \"{SCENE_LINE}\" in front of the scene: cut off, or no problem file"),
            ));
        };
        let (head_text, scene_text) = text.split_at(behind_head);
        let head: Head = toml::from_str(head_text).map_err(|error| {
            let line = error.span().map_or(0, |span| line_of(text, span.start));
            fault(line, error.message().to_owned())
        })?;
        let version = *head.kinetic_problem.get_ref();
        if version != VERSION {
            let line = line_of(text, head.kinetic_problem.span().start);
            return Err(fault(line, format!("a problem file of version {version}; version {VERSION} is read")));
        }
        // Lines are counted from the beginning of the file.
        let padding = "\n".repeat(line_of(text, behind_head) as usize - 1);
        let problem =
            head.assemble(&format!("{padding}{scene_text}"), file, &|at, error: KineticError| match error {
                error @ (KineticError::FileParse { .. } | KineticError::Io { .. }) => error,
                error => fault(line_of(text, at), error.to_string()),
            })?;
        problem.check_hash(file)
    }

    /// A file that states another hash than its content has was damaged, or edited by hand.
    fn check_hash(self, file: &str) -> Result<Self> {
        let (Some(stored), found) = (self.stored, self.hash()?) else { return Ok(self) };
        if stored.problem == found {
            return Ok(self);
        }
        let detail = format!(
            "the problem has the hash {found}, and the file states {}: it was damaged or edited; without its table \
             [hashes] it is read as a new problem",
            stored.problem
        );
        Err(KineticError::FileParse { file: file.to_owned(), line: 0, detail })
    }
}

impl Head {
    fn assemble(
        self,
        scene_text: &str,
        file: &str,
        at: &dyn Fn(usize, KineticError) -> KineticError,
    ) -> Result<PlanningProblem> {
        let robot_at = self.robot.span().start;
        let robot = Arc::new(self.robot.into_inner().robot(file).map_err(|error| at(robot_at, error))?);
        let stored = match self.hashes {
            None => None,
            Some(hashes) => {
                let place = hashes.span().start;
                Some(hashes.into_inner().hashes().map_err(|error| at(place, error))?)
            }
        };
        let place = self.problem.span().start;
        let entry = self.problem.into_inner();
        let group = robot.resolve_group(&entry.group).map_err(|error| at(place, error))?.into_owned();
        robot.vector_kind(&group, &entry.start).map_err(|error| at(place, error))?;
        kinetic_core::error::check_finite("start", &entry.start).map_err(|error| at(place, error))?;
        let planner_type: PlannerType = entry.planner.parse().map_err(|error| at(place, error))?;
        let goal = entry.goal.goal().map_err(|error| at(place, error))?;
        let options_at = self.options.span().start;
        let config = self.options.into_inner().config(at, &|error| at(options_at, error))?;
        let mut scene = Scene::new(&robot)?;
        scene.load_string(scene_text, file)?;
        let problem = PlanningProblem {
            scene,
            group: entry.group,
            start: entry.start.into(),
            goal,
            planner_type,
            config,
            law: None,
            stored: None,
            text: OnceLock::new(),
        };
        let problem = problem.with_time_law(entry.time_law.as_deref()).map_err(|error| at(place, error))?;
        Ok(PlanningProblem { stored, ..problem })
    }
}

impl HashesEntry {
    fn hashes(&self) -> Result<StoredHashes> {
        let result = self.result.as_deref().map(str::parse).transpose()?;
        Ok(StoredHashes { problem: self.problem.parse()?, result })
    }
}

/// Offset of the line behind the one that announces the scene.
fn scene_begins(text: &str) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        if line.trim_end() == SCENE_LINE {
            return Some(offset);
        }
    }
    None
}

fn line_of(text: &str, offset: usize) -> u32 {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() as u32 + 1
}
