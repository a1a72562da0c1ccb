//! Single values: numbers, text, files, names.

use std::path::PathBuf;

use kinetic::core::KineticError;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUnicodeError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::ARGUMENT;
use crate::error::{Error, Result};

const BOOL: PyStaticExpr = type_hint_identifier!("builtins", "bool");
const FLOAT: PyStaticExpr = type_hint_identifier!("builtins", "float");
const INT: PyStaticExpr = type_hint_identifier!("builtins", "int");
const STR: PyStaticExpr = type_hint_identifier!("builtins", "str");
const SEQUENCE: PyStaticExpr = type_hint_identifier!("collections.abc", "Sequence");
const PATH: PyStaticExpr = type_hint_union!(STR, type_hint_subscript!(type_hint_identifier!("os", "PathLike"), STR));

/// A number that Python refuses to fit into the wanted type is unusable input; a wrong type stays a `TypeError`.
fn fitting<T>(given: &Bound<'_, PyAny>, extracted: PyResult<T>, wanted: &str) -> Result<T> {
    extracted.map_err(|error| {
        let py = given.py();
        if error.is_instance_of::<PyOverflowError>(py) || error.is_instance_of::<PyUnicodeError>(py) {
            return KineticError::invalid(ARGUMENT, short(given), wanted).into();
        }
        error.into()
    })
}

/// The value as Python shows it, cut where it would fill the screen.
fn short(given: &Bound<'_, PyAny>) -> String {
    let shown = given.repr().map_or_else(|_| "an object".to_owned(), |text| text.to_string_lossy().into_owned());
    let cut: String = shown.chars().take(40).collect();
    if cut.len() < shown.len() { cut + "…" } else { cut }
}

/// A floating-point number; the callee says which ones it can use.
pub(crate) struct Real(pub(crate) f64);

impl FromPyObject<'_, '_> for Real {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = FLOAT;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        fitting(&given, given.extract(), "a number in the range of float64").map(Self)
    }
}

/// A number of things.
pub(crate) struct Count(pub(crate) usize);

impl FromPyObject<'_, '_> for Count {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = INT;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        fitting(&given, given.extract(), "an integer of at least 0 and below 2**64").map(Self)
    }
}

/// An integer of either sign.
pub(crate) struct Whole(pub(crate) i64);

impl FromPyObject<'_, '_> for Whole {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = INT;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        fitting(&given, given.extract(), "an integer from -2**63 to 2**63 - 1").map(Self)
    }
}

/// Seed of a random generator.
pub(crate) struct Seed(pub(crate) u64);

impl FromPyObject<'_, '_> for Seed {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = INT;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        fitting(&given, given.extract(), "a seed: an integer from 0 to 2**64 - 1").map(Self)
    }
}

/// Text; a lone surrogate, which UTF-8 cannot hold, becomes the replacement character.
pub(crate) struct Text(pub(crate) String);

impl FromPyObject<'_, '_> for Text {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = STR;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let text = given.cast::<PyString>().map_err(PyErr::from)?;
        Ok(Self(text.to_string_lossy().into_owned()))
    }
}

/// A sequence of indices.
pub(crate) struct Counts(pub(crate) Vec<usize>);

impl FromPyObject<'_, '_> for Counts {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(SEQUENCE, INT);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let counts: Vec<Count> = given.extract()?;
        Ok(Self(counts.into_iter().map(|count| count.0).collect()))
    }
}

/// A sequence of texts.
#[derive(Default)]
pub(crate) struct Texts(pub(crate) Vec<String>);

impl Texts {
    pub(crate) fn as_strs(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }
}

impl FromPyObject<'_, '_> for Texts {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(SEQUENCE, STR);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if given.cast::<PyString>().is_ok() {
            let wanted = format!("must be a sequence of str, such as [{}], not a single one", short(&given));
            return Err(PyTypeError::new_err(wanted).into());
        }
        let texts: Vec<Text> = given.extract()?;
        Ok(Self(texts.into_iter().map(|text| text.0).collect()))
    }
}

/// A path of the file system.
pub(crate) struct File(pub(crate) PathBuf);

impl FromPyObject<'_, '_> for File {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = PATH;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        fitting(&given, given.extract(), "a path that the file system can hold").map(Self)
    }
}

/// A sequence of paths.
#[derive(Default)]
pub(crate) struct Paths(pub(crate) Vec<PathBuf>);

impl FromPyObject<'_, '_> for Paths {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(SEQUENCE, PATH);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let files: Vec<File> = given.extract()?;
        Ok(Self(files.into_iter().map(|file| file.0).collect()))
    }
}

/// A document itself, or the file that holds it.
pub(crate) enum Source {
    Document(String),
    File(PathBuf),
}

impl Source {
    /// A `str` for which `is_document` holds is the document, any other the name of a file.
    pub(crate) fn new(given: &Bound<'_, PyAny>, is_document: fn(&str) -> bool) -> Result<Self> {
        if let Ok(Text(text)) = given.extract::<Text>() {
            // Python keeps the byte order mark that some editors write; it is no part of the document.
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            if is_document(text) {
                return Ok(Self::Document(text.to_owned()));
            }
        }
        Ok(Self::File(given.extract::<File>()?.0))
    }
}

/// Whether and how a path is timed: `True` for the default law, `False` for no timing, or the name of a law.
pub(crate) struct TimeLaw(pub(crate) Option<String>);

impl TimeLaw {
    /// The law that `True` means.
    pub(crate) fn default_law() -> Self {
        Self(Some(kinetic::DEFAULT_TIME_LAW.to_owned()))
    }
}

impl FromPyObject<'_, '_> for TimeLaw {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(BOOL, STR);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        match given.extract::<bool>() {
            Ok(true) => Ok(Self::default_law()),
            Ok(false) => Ok(Self(None)),
            Err(_) => Ok(Self(Some(given.extract::<Text>()?.0))),
        }
    }
}
