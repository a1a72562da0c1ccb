//! Package paths from environment variables. Nothing else in this crate reads the environment.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders that hold packages, besides those that a caller names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchPaths {
    /// Folders of packages, in order: those of `ROS_PACKAGE_PATH`, then `share` of every prefix of
    /// `AMENT_PREFIX_PATH`.
    pub ros: Vec<PathBuf>,
    /// Where the Python package `robot_descriptions` keeps the repositories it fetched: `ROBOT_DESCRIPTIONS_CACHE`, else
    /// `.cache/robot_descriptions` at home.
    pub robot_descriptions: Option<PathBuf>,
}

impl SearchPaths {
    /// What the environment of this process says now.
    pub fn from_env() -> Self {
        Self::from_variables(|name| env::var_os(name))
    }

    /// What variables say; `variable` gives the value of one.
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let folders = |name: &str| -> Vec<PathBuf> {
            let value = variable(name).unwrap_or_default();
            env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect()
        };
        let mut ros = folders("ROS_PACKAGE_PATH");
        ros.extend(folders("AMENT_PREFIX_PATH").into_iter().map(|prefix| prefix.join("share")));
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        let home = given("HOME").map(|home| Path::new(&home).join(".cache/robot_descriptions"));
        Self { ros, robot_descriptions: given("ROBOT_DESCRIPTIONS_CACHE").map(PathBuf::from).or(home) }
    }
}
