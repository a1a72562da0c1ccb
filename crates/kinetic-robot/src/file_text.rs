//! File texts with the names that errors give them.

use std::path::{Path, PathBuf};

use kinetic_core::{Result, files};

use crate::lines::Lines;
use crate::xml_repair::without_comments;

/// Name of a description that came from a string, in errors.
pub(crate) const STRING: &str = "<string>";

/// Folder of a file; `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()
}

/// Text of a file; `fault` makes the error when it is not UTF-8. XML comments may be in any encoding: authors' names are.
pub(crate) fn read_text(path: &Path, fault: crate::xml::FaultMaker) -> Result<String> {
    let bytes = files::read(path)?;
    String::from_utf8(bytes).or_else(|error| {
        let text = String::from_utf8_lossy(error.as_bytes());
        if !without_comments(&text).contains(char::REPLACEMENT_CHARACTER) {
            return Ok(text.into_owned());
        }
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = Lines::new(&String::from_utf8_lossy(before)).line(before.len());
        Err(fault(path.display().to_string(), line, "not a text in UTF-8".to_owned()))
    })
}
