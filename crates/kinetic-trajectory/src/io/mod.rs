//! Trajectories and paths in files: JSON and CSV, lossless.
//!
//! Numbers are written with the shortest text that reads back to the same `f64`. A file that holds the polynomials
//! reads back to the same curve; a file with waypoints alone is interpolated and says so: its law is
//! [`INTERPOLATED`](crate::samples::INTERPOLATED).
//!
//! # JSON of a trajectory
//!
//! | key | content |
//! |---|---|
//! | `schema` | 1 |
//! | `dof` | number of joints |
//! | `joint_names` | list of names, optional |
//! | `group`, `robot_name` | planning group and robot that move, optional |
//! | `duration` | s |
//! | `num_waypoints` | number of rows of `waypoints` |
//! | `law` | name of the time law, or `interpolated` |
//! | `path_deviation` | largest distance from the path that was timed, Euclidean in joint space |
//! | `certificate` | what the verifier found, or `null`; `"infinite"` stands for infinity |
//! | `waypoints` | rows `{time, positions, velocities, accelerations}`; a view of the curve |
//! | `pieces` | `{knots, coefficients}`: the curve. Times at which pieces begin and end (s), and per piece and joint six numbers c0 … c5 of `c0 + c1 s + … + c5 s⁵`, `s` the time since the piece began |
//!
//! A certificate names the curve it was made for by its hash. Where the curve of the file is another one, because a number of
//! it was changed, or where an earlier release wrote it, the certificate is left out and [`Document::notes`] says so. That
//! finds accidents, not forgeries.
//!
//! Only `waypoints` is needed to read a file; `velocities` and `accelerations` are given in all rows or in none.
//!
//! # CSV of a trajectory
//!
//! A table `time,q0,…,qd0,…,qdd0,…` with one row per waypoint, which any reader of CSV understands that skips lines
//! beginning with `#`. Those lines carry the rest: `# kinetic trajectory 1` first, then `# key value` with the keys of
//! the JSON form (`joint_names`, `group`, `robot_name` and `certificate` as JSON), `# knots t0,t1,…` and one line
//! `# piece p joint j c0,…,c5` per piece and joint. A table without the first line is read as waypoints alone.
//!
//! # JSON of a path
//!
//! `{"schema": 1, "dof": 2, "joint_names": […], "waypoints": [{"positions": […]}, …]}`; times and derivatives of
//! waypoints are read and dropped.

mod csv;
mod document;
mod json;

use std::path::Path;

use kinetic_core::{Result, TimedTrajectory, Trajectory, files};

pub use document::{Document, PathDocument};

/// Name of the input in errors when it is no file.
const STRING: &str = "<string>";

/// A trajectory as JSON. Where `joint_names` is empty, the names are those that the trajectory has.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] for a wrong number of names, [`kinetic_core::KineticError::InvalidValue`]
/// for others than the trajectory has.
pub fn trajectory_to_json(trajectory: &TimedTrajectory, joint_names: &[String]) -> Result<String> {
    json::write_trajectory(trajectory, joint_names)
}

/// A trajectory from JSON.
///
/// # Errors
/// [`kinetic_core::KineticError::FileParse`] with the line and what is wrong.
pub fn trajectory_from_json(text: &str) -> Result<Document> {
    json::read_trajectory(text, STRING)
}

/// Writes [`trajectory_to_json`] to a file.
///
/// # Errors
/// As the string form, and [`kinetic_core::KineticError::Io`].
pub fn trajectory_to_json_file(
    trajectory: &TimedTrajectory,
    joint_names: &[String],
    path: impl AsRef<Path>,
) -> Result<()> {
    files::write(path, trajectory_to_json(trajectory, joint_names)?)
}

/// Reads [`trajectory_from_json`] from a file.
///
/// # Errors
/// As the string form, and [`kinetic_core::KineticError::Io`].
pub fn trajectory_from_json_file(path: impl AsRef<Path>) -> Result<Document> {
    let (text, name) = read(path.as_ref())?;
    json::read_trajectory(&text, &name)
}

/// A trajectory as CSV; names as of [`trajectory_to_json`].
///
/// # Errors
/// As [`trajectory_to_json`].
pub fn trajectory_to_csv(trajectory: &TimedTrajectory, joint_names: &[String]) -> Result<String> {
    csv::write(trajectory, joint_names)
}

/// A trajectory from CSV.
///
/// # Errors
/// [`kinetic_core::KineticError::FileParse`] with the line and what is wrong.
pub fn trajectory_from_csv(text: &str) -> Result<Document> {
    csv::read(text, STRING)
}

/// Writes [`trajectory_to_csv`] to a file.
///
/// # Errors
/// As the string form, and [`kinetic_core::KineticError::Io`].
pub fn trajectory_to_csv_file(
    trajectory: &TimedTrajectory,
    joint_names: &[String],
    path: impl AsRef<Path>,
) -> Result<()> {
    files::write(path, trajectory_to_csv(trajectory, joint_names)?)
}

/// Reads [`trajectory_from_csv`] from a file.
///
/// # Errors
/// As the string form, and [`kinetic_core::KineticError::Io`].
pub fn trajectory_from_csv_file(path: impl AsRef<Path>) -> Result<Document> {
    let (text, name) = read(path.as_ref())?;
    csv::read(&text, &name)
}

/// Endings of the files that [`trajectory_to_file`] writes and [`trajectory_from_file`] reads.
const ENDINGS: [&str; 2] = ["json", "csv"];

/// Writes a trajectory in the format that the ending of the name says, `.json` or `.csv`.
///
/// # Errors
/// [`kinetic_core::KineticError::InvalidValue`] for another ending, with those that are
/// possible; else as the format's own function.
pub fn trajectory_to_file(trajectory: &TimedTrajectory, joint_names: &[String], path: impl AsRef<Path>) -> Result<()> {
    match files::format_of(&path, &ENDINGS)? {
        "csv" => trajectory_to_csv_file(trajectory, joint_names, path),
        _ => trajectory_to_json_file(trajectory, joint_names, path),
    }
}

/// Reads a trajectory in the format that the ending of the name says, `.json` or `.csv`.
///
/// # Errors
/// As [`trajectory_to_file`], and those of the format's own function.
pub fn trajectory_from_file(path: impl AsRef<Path>) -> Result<Document> {
    match files::format_of(&path, &ENDINGS)? {
        "csv" => trajectory_from_csv_file(path),
        _ => trajectory_from_json_file(path),
    }
}

/// A path without time as JSON; names as of [`trajectory_to_json`].
///
/// # Errors
/// As [`trajectory_to_json`].
pub fn path_to_json(path: &Trajectory, joint_names: &[String]) -> Result<String> {
    json::write_path(path, joint_names)
}

/// A path without time from JSON.
///
/// # Errors
/// [`kinetic_core::KineticError::FileParse`] with the line and what is wrong.
pub fn path_from_json(text: &str) -> Result<PathDocument> {
    json::read_path(text, STRING)
}

/// Writes [`path_to_json`] to a file.
///
/// # Errors
/// As the string form, and [`kinetic_core::KineticError::Io`].
pub fn path_to_json_file(path: &Trajectory, joint_names: &[String], file: impl AsRef<Path>) -> Result<()> {
    files::write(file, path_to_json(path, joint_names)?)
}

/// Reads [`path_from_json`] from a file.
///
/// # Errors
/// As the string form, and [`kinetic_core::KineticError::Io`].
pub fn path_from_json_file(file: impl AsRef<Path>) -> Result<PathDocument> {
    let (text, name) = read(file.as_ref())?;
    json::read_path(&text, &name)
}

fn read(path: &Path) -> Result<(String, String)> {
    Ok((files::read_text(path)?, path.display().to_string()))
}
