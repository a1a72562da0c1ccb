//! `Trajectory`: JSON, CSV, NumPy archives, pickle.

use std::path::PathBuf;

use kinetic::core::{KineticError, files};
use kinetic::trajectory::io::Document;
use kinetic::trajectory::{
    path_from_json, path_to_json, trajectory_from_csv, trajectory_from_json, trajectory_to_csv, trajectory_to_json,
};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Array, File, Rebuild, Source, rebuild};
use crate::error::{Error, Result};
use crate::trajectory::certificate::measured;
use crate::trajectory::npz;
use crate::trajectory::{Motion, PyTrajectory};
use crate::warning::warn;

/// Endings of the files that `save` writes and `load` reads.
const ENDINGS: [&str; 3] = ["json", "csv", "npz"];

/// What an archive should be, in errors.
const ARCHIVE: &str = "an archive of a trajectory";

#[pymethods]
impl PyTrajectory {
    /// Writes the trajectory, lossless, in the format that the ending of the file says: .json, .csv or .npz.
    ///
    /// Raises:
    ///     InputError: Another ending, or a path without time as .csv.
    ///     OSError: The file cannot be written.
    ///
    /// Example:
    ///     >>> import tempfile, kinetic
    ///     >>> motion = kinetic.plan("ur5e", "home", "ready")
    ///     >>> with tempfile.TemporaryDirectory() as folder:
    ///     ...     motion.save(f"{folder}/motion.csv")
    ///     ...     kinetic.Trajectory.load(f"{folder}/motion.csv").duration == motion.duration
    ///     True
    fn save(slf: &Bound<'_, Self>, path: File) -> Result<()> {
        let (py, trajectory) = (slf.py(), slf.get());
        match files::format_of(&path.0, &ENDINGS)? {
            "csv" => trajectory.to_csv(py, Some(path)).map(|_| ()),
            "npz" => Self::to_npz(slf, path),
            _ => trajectory.to_json(py, Some(path)).map(|_| ()),
        }
    }

    /// The format that the ending of a file says; refuses what `save` would refuse, before there is anything to save.
    #[staticmethod]
    fn _format_of(path: File) -> Result<&'static str> {
        Ok(files::format_of(&path.0, &ENDINGS)?)
    }

    /// A trajectory from a file that `save` wrote; the ending says the format: .json, .csv or .npz.
    ///
    /// Raises:
    ///     InputError: Another ending, or malformed; the message names the line.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: File) -> Result<Self> {
        match files::format_of(&path.0, &ENDINGS)? {
            "csv" => Self::from_csv(py, CsvSource(Source::File(path.0))),
            "npz" => Self::from_npz(py, path),
            _ => Self::from_json(py, JsonSource(Source::File(path.0))),
        }
    }

    /// The trajectory as JSON, lossless; written to the file `path` too when one is given.
    #[pyo3(signature = (path=None))]
    fn to_json(&self, py: Python<'_>, path: Option<File>) -> Result<String> {
        self.measure(py)?;
        let text = match &self.motion {
            Motion::Timed(timed) => trajectory_to_json(timed, &self.joint_names)?,
            Motion::Path(waypoints) => path_to_json(waypoints, &self.joint_names)?,
        };
        write(py, path, text)
    }

    /// A trajectory from JSON text or from a file that holds it.
    ///
    /// A certificate that was made for another curve, because numbers of the file were changed, is left out with a
    /// `KineticWarning`; `Planner.certify` makes another one.
    ///
    /// Raises:
    ///     InputError: Malformed; the message names the line.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn from_json(py: Python<'_>, text_or_path: JsonSource) -> Result<Self> {
        let (text, file) = text_of(py, text_or_path.0)?;
        read_json(py, &text).map_err(|error| in_file(error, file))
    }

    /// The trajectory as CSV, lossless; written to the file `path` too when one is given. Timed ones only.
    #[pyo3(signature = (path=None))]
    fn to_csv(&self, py: Python<'_>, path: Option<File>) -> Result<String> {
        self.measure(py)?;
        write(py, path, trajectory_to_csv(self.as_timed()?, &self.joint_names)?)
    }

    /// A trajectory from CSV text or from a file that holds it; certificates as of `from_json`.
    ///
    /// Raises:
    ///     InputError: Malformed; the message names the line.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn from_csv(py: Python<'_>, text_or_path: CsvSource) -> Result<Self> {
        let (text, file) = text_of(py, text_or_path.0)?;
        let document = trajectory_from_csv(&text).map_err(|error| in_file(error.into(), file))?;
        from_document(py, document)
    }

    /// Writes a NumPy archive, lossless: arrays `positions`, for timed ones also `times`, `knots` and `coefficients`,
    /// and the JSON form.
    fn to_npz(slf: &Bound<'_, Self>, path: File) -> Result<()> {
        let (py, trajectory) = (slf.py(), slf.get());
        let arrays = PyDict::new(py);
        arrays.set_item("json", trajectory.to_json(py, None)?)?;
        let positions = trajectory.waypoints().concat();
        let count = positions.len() / trajectory.dof().max(1);
        arrays.set_item("positions", Array::new(py, &[count, trajectory.dof()], &positions)?)?;
        if let Motion::Timed(timed) = &trajectory.motion {
            arrays.set_item("times", Array::vector(py, timed.waypoint_times())?)?;
            let (knots, coefficients) = trajectory.pieces(py)?;
            arrays.set_item("knots", knots)?;
            arrays.set_item("coefficients", coefficients)?;
        }
        npz::write(&path.0, "savez", &arrays)
    }

    /// A trajectory from an archive that `to_npz` wrote; certificates as of `from_json`.
    ///
    /// Raises:
    ///     InputError: The file is no such archive.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    fn from_npz(py: Python<'_>, path: File) -> Result<Self> {
        let archive = npz::read(py, &path.0, ARCHIVE)?;
        let text = npz_text(&archive).map_err(|error| npz::no_archive(&path.0, ARCHIVE, &error.into()))?;
        read_json(py, &text).map_err(|error| in_file(error, Some(path.0)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Rebuild<'py>> {
        let py = slf.py();
        Ok(rebuild(py.get_type::<Self>().into_any(), "from_json", (slf.get().to_json(py, None)?,))?)
    }
}

impl PyTrajectory {
    /// Measures what the certificate has to say, since text holds it all.
    fn measure(&self, py: Python<'_>) -> Result<()> {
        let Motion::Timed(timed) = &self.motion else { return Ok(()) };
        timed.certificate().map_or(Ok(()), |certificate| measured(py, certificate).map(|_| ()))
    }
}

/// Writes the text to the file, if one is given; returns it.
fn write(py: Python<'_>, path: Option<File>, text: String) -> Result<String> {
    if let Some(File(path)) = path {
        py.detach(|| files::write(path, &text))?;
    }
    Ok(text)
}

/// The document, and the file it came from.
fn text_of(py: Python<'_>, source: Source) -> Result<(String, Option<PathBuf>)> {
    match source {
        Source::Document(text) => Ok((text, None)),
        Source::File(path) => {
            let text = py.detach(|| files::read_text(&path))?;
            Ok((text, Some(path)))
        }
    }
}

/// A timed trajectory or a path: the waypoints of a path have no time.
fn read_json(py: Python<'_>, text: &str) -> Result<PyTrajectory> {
    if ["\"time\"", "\"pieces\""].iter().any(|key| text.contains(key)) {
        return from_document(py, trajectory_from_json(text)?);
    }
    let document = path_from_json(text)?;
    Ok(PyTrajectory {
        motion: Motion::Path(document.path),
        joint_names: document.joint_names,
        problem: None,
        lead_in: None,
    })
}

/// A timed trajectory, with a warning of what was left out.
fn from_document(py: Python<'_>, document: Document) -> Result<PyTrajectory> {
    document.notes.iter().try_for_each(|note| warn(py, note))?;
    let joint_names = document.joint_names;
    Ok(PyTrajectory { motion: Motion::Timed(document.trajectory), joint_names, problem: None, lead_in: None })
}

/// The same error, naming the file.
fn in_file(error: Error, path: Option<PathBuf>) -> Error {
    match (error, path) {
        (Error::Kinetic(KineticError::FileParse { line, detail, .. }), Some(path)) => {
            KineticError::FileParse { file: path.display().to_string(), line, detail }.into()
        }
        (error, _) => error,
    }
}

/// The JSON form in an archive.
fn npz_text(archive: &Bound<'_, PyAny>) -> Result<String> {
    let text: String = archive.get_item("json")?.call_method0("item")?.extract()?;
    // NumPy makes texts of characters that Unicode does not have, and Python hands them on as bytes that are no UTF-8.
    let unusable = |_| KineticError::invalid("json", "a text that is no Unicode", "characters up to U+10FFFF");
    Ok(String::from_utf8(text.into_bytes()).map_err(unusable)?)
}

/// JSON text, or the path of a file.
struct JsonSource(Source);

impl FromPyObject<'_, '_> for JsonSource {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = File::INPUT_TYPE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        Source::new(&given, |text| text.trim_start().starts_with('{')).map(Self)
    }
}

/// CSV text, which has more than one line, or the path of a file.
struct CsvSource(Source);

impl FromPyObject<'_, '_> for CsvSource {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = File::INPUT_TYPE;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        Source::new(&given, |text| text.contains('\n')).map(Self)
    }
}
