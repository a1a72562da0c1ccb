//! SRDF, the Semantic Robot Description Format of `MoveIt`: groups, their states, pairs that need no collision check.
//!
//! Read as <https://wiki.ros.org/srdf> describes it. Virtual and passive joints are noted and not used: robots here
//! stand on their root link and move all their independent joints.

mod apply;
mod read;

use std::path::Path;

use kinetic_core::{KineticError, Result};

use crate::file_text::{STRING, read_text};
use crate::robot::Robot;

/// A semantic description, not yet tied to a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct SrdfModel {
    /// Name of the robot it was written for.
    pub name: String,
    /// Groups in the order of the file.
    pub groups: Vec<SrdfGroup>,
    /// Named states of groups.
    pub group_states: Vec<SrdfGroupState>,
    /// End effectors.
    pub end_effectors: Vec<SrdfEndEffector>,
    /// Pairs that need no collision check.
    pub disabled_collisions: Vec<SrdfDisabledCollision>,
    /// Names of virtual joints, which are not used.
    pub virtual_joints: Vec<String>,
    /// Names of passive joints, which are not used.
    pub passive_joints: Vec<String>,
    file: String,
}

/// A group: everything it lists, together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SrdfGroup {
    /// Name.
    pub name: String,
    /// Joints by name.
    pub joints: Vec<String>,
    /// Links, each of which stands for the joint that carries it.
    pub links: Vec<String>,
    /// Base and tip links.
    pub chains: Vec<(String, String)>,
    /// Names of other groups.
    pub subgroups: Vec<String>,
    line: u32,
}

/// A named state of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct SrdfGroupState {
    /// Name.
    pub name: String,
    /// Group.
    pub group: String,
    /// Joint names and values, rad or m.
    pub joints: Vec<(String, f64)>,
    line: u32,
}

/// An end effector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SrdfEndEffector {
    /// Name.
    pub name: String,
    /// Link it is mounted on.
    pub parent_link: String,
    /// Group of its own joints.
    pub group: String,
    /// Group that moves it.
    pub parent_group: Option<String>,
    line: u32,
}

/// A pair of links that need no collision check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SrdfDisabledCollision {
    /// One link.
    pub link1: String,
    /// The other.
    pub link2: String,
    /// Why, for example `Adjacent` or `Never`; may be empty.
    pub reason: String,
}

fn fault(file: String, line: u32, detail: String) -> KineticError {
    KineticError::SrdfParse { file, line, detail }
}

impl SrdfModel {
    /// Reads a file.
    ///
    /// # Errors
    /// [`KineticError::Io`] or [`KineticError::SrdfParse`] with file and line.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        read::read(&read_text(path, fault)?, &path.display().to_string())
    }

    /// Reads a document; the file is called `<string>` in errors.
    ///
    /// # Errors
    /// [`KineticError::SrdfParse`] with line.
    pub fn from_string(xml: &str) -> Result<Self> {
        read::read(xml, STRING)
    }

    /// Gives a robot these groups, states, end effectors and pairs. Groups with moving joints replace all groups of
    /// the robot, and the first becomes the default; skipped pairs are added to those the robot has.
    ///
    /// The robot is unchanged when this fails.
    ///
    /// # Errors
    /// [`KineticError::SrdfParse`] for a group, state or end effector that names something the robot does not have.
    pub fn apply_to_robot(&self, robot: &mut Robot) -> Result<()> {
        let mut changed = robot.clone();
        apply::apply(self, &mut changed)?;
        *robot = changed;
        Ok(())
    }
}
