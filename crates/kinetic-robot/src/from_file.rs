//! Robots from files of any format.

use std::path::Path;

use kinetic_core::Result;

use crate::formats::RobotFormat;
use crate::robot::Robot;

impl Robot {
    /// Reads a file, or a folder with a `kinetic.toml`, of any format of the registry [`FORMATS`](crate::FORMATS).
    ///
    /// # Errors
    /// Those of [`RobotFormat::of`] and of the reader.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        RobotFormat::of(&path)?.read(path)
    }
}
