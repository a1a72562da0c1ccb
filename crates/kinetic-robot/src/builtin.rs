//! Built-in robots, which are compiled into the library.
//!
//! `build.rs` compresses the folders of `robot_configs/` into the program, so that a name works from any directory
//! and without any file.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flate2::read::DeflateDecoder;
use kinetic_core::{KineticError, Result};

use crate::config::{self, Files};
use crate::names;
use crate::robot::Robot;

/// What each robot is called, and its compressed folder.
static ROBOTS: &[(&[&str], &[u8])] = &include!(concat!(env!("OUT_DIR"), "/robots.rs"));

/// Names of the built-in robots, sorted. Several may mean one robot, each with another default group.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = ROBOTS.iter().flat_map(|(names, _)| names.iter().copied()).collect();
    names.sort_unstable();
    names
}

impl Robot {
    /// A built-in robot. The name may select a group too: `baxter_left` is the whole Baxter with the left arm as its
    /// default group.
    ///
    /// # Errors
    /// [`KineticError::RobotConfigNotFound`] with names that look alike and all names there are.
    pub fn from_name(name: &str) -> Result<Self> {
        let known =
            ROBOTS.iter().find_map(|(names, packed)| Some((*names.iter().find(|known| **known == name)?, packed)));
        let Some((name, packed)) = known else {
            return Err(KineticError::RobotConfigNotFound {
                name: name.to_owned(),
                close: names::close(name, names().into_iter()),
                available: names().into_iter().map(str::to_owned).collect(),
            });
        };
        config::load(&Bundle::unpack(name, packed)?, Some(name))
    }

    /// As [`from_name`](Self::from_name), loaded once and shared by all who ask: scenes around it share its geometry, too.
    ///
    /// # Errors
    /// As [`from_name`](Self::from_name).
    pub fn builtin(name: &str) -> Result<Arc<Self>> {
        if let Some(robot) = loaded().get(name) {
            return Ok(Arc::clone(robot));
        }
        let robot = Arc::new(Self::from_name(name)?);
        Ok(Arc::clone(loaded().entry(name.to_owned()).or_insert(robot)))
    }
}

/// The built-in robots that were asked for.
fn loaded() -> MutexGuard<'static, BTreeMap<String, Arc<Robot>>> {
    static LOADED: Mutex<BTreeMap<String, Arc<Robot>>> = Mutex::new(BTreeMap::new());
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The unpacked files of one built-in robot.
struct Bundle {
    robot: &'static str,
    files: Vec<(String, String)>,
}

impl Bundle {
    fn unpack(robot: &'static str, packed: &[u8]) -> Result<Self> {
        let mut bytes = Vec::new();
        DeflateDecoder::new(packed).read_to_end(&mut bytes).map_err(|error| KineticError::io(robot, &error))?;
        let mut rest = bytes.as_slice();
        let mut files = Vec::new();
        while let (Some(name), Some(text)) = (take_text(&mut rest), take_text(&mut rest)) {
            files.push((name, text));
        }
        Ok(Self { robot, files })
    }
}

/// Takes a text with its length in front, as `build.rs` writes it.
fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

impl Files for Bundle {
    fn read(&self, name: &str) -> Result<String> {
        match self.files.iter().find(|(known, _)| known == name) {
            Some((_, text)) => Ok(text.clone()),
            None => Err(KineticError::io(self.label(name), &std::io::ErrorKind::NotFound.into())),
        }
    }

    fn label(&self, name: &str) -> String {
        format!("<builtin>/{}/{name}", self.robot)
    }

    fn folder(&self) -> Option<std::path::PathBuf> {
        None
    }
}
