//! The JSON form; its schema stands in the documentation of [`io`](super).

use kinetic_core::{KineticError, Result, TimedTrajectory, Trajectory};

use super::document::{Document, Fields, PathDocument};

pub(super) fn write_trajectory(trajectory: &TimedTrajectory, joint_names: &[String]) -> Result<String> {
    to_text(&Fields::of_trajectory(trajectory, joint_names)?)
}

pub(super) fn write_path(path: &Trajectory, joint_names: &[String]) -> Result<String> {
    to_text(&Fields::of_path(path, joint_names)?)
}

pub(super) fn read_trajectory(text: &str, file: &str) -> Result<Document> {
    fields(text, file)?.into_document().map_err(|error| whole(file, &error))
}

pub(super) fn read_path(text: &str, file: &str) -> Result<PathDocument> {
    fields(text, file)?.into_path().map_err(|error| whole(file, &error))
}

fn to_text(fields: &Fields) -> Result<String> {
    let text = serde_json::to_string(fields).map_err(|error| KineticError::Other(error.to_string()))?;
    Ok(text + "\n")
}

fn fields(text: &str, file: &str) -> Result<Fields> {
    serde_json::from_str(text).map_err(|error| KineticError::FileParse {
        file: file.to_owned(),
        line: u32::try_from(error.line()).unwrap_or(u32::MAX),
        detail: error.to_string(),
    })
}

/// An error about the content, which has no single line.
fn whole(file: &str, error: &KineticError) -> KineticError {
    KineticError::FileParse { file: file.to_owned(), line: 0, detail: error.to_string() }
}
