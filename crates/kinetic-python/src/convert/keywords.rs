//! Keyword arguments in groups: structs that are read from the `**options` of a call.
//!
//! PyO3 wants one parameter of a function per keyword. A call with many of them takes `**options`, reads them as a [`Call`]
//! and shows Python a literal `text_signature`. The stubs state the same keywords with their types, from
//! [`Call::stub`]; `tools/check_stubs.py` compares the two.

use std::marker::PhantomData;

use kinetic::core::KineticError;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::convert::{ARGUMENT, ARRAY_ARGUMENT};
use crate::error::{Error, InputError, Result};

/// A keyword as the stubs state it.
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    pub(crate) hint: PyStaticExpr,
    /// The default as Rust source.
    pub(crate) default: &'static str,
}

impl Keyword {
    fn stub(&self) -> String {
        // Constants that read alike in both languages; stubs show any other default as `...`.
        let default = match self.default {
            "None" => "None",
            "true" => "True",
            "false" => "False",
            _ => "...",
        };
        format!("{}: {} = {default}", self.name, self.hint)
    }
}

/// Keywords with their defaults, in the order of the signature.
pub(crate) trait Keywords: Default {
    fn list() -> Vec<Keyword>;

    /// Sets those that are given; returns how many.
    fn set(&mut self, given: &Bound<'_, PyDict>) -> PyResult<usize>;
}

impl<A: Keywords, B: Keywords> Keywords for (A, B) {
    fn list() -> Vec<Keyword> {
        A::list().into_iter().chain(B::list()).collect()
    }

    fn set(&mut self, given: &Bound<'_, PyDict>) -> PyResult<usize> {
        Ok(self.0.set(given)? + self.1.set(given)?)
    }
}

impl<A: Keywords, B: Keywords, C: Keywords> Keywords for (A, B, C) {
    fn list() -> Vec<Keyword> {
        A::list().into_iter().chain(<(B, C)>::list()).collect()
    }

    fn set(&mut self, given: &Bound<'_, PyDict>) -> PyResult<usize> {
        Ok(self.0.set(given)? + self.1.set(given)? + self.2.set(given)?)
    }
}

/// The value of a keyword, where it is given.
pub(crate) fn given_keyword<'py, T: FromPyObjectOwned<'py>>(
    given: &Bound<'py, PyDict>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<T>> {
    let Some(value) = given.get_item(name)? else { return Ok(None) };
    value.extract().map(Some).map_err(|error: T::Error| about(given.py(), &name.to_string(), error.into()))
}

/// A struct whose fields are keywords, `name: type = default`.
macro_rules! keywords {
    ($(#[$meta:meta])* $vis:vis struct $group:ident { $($field:ident: $kind:ty = $default:expr,)+ }) => {
        $(#[$meta])*
        $vis struct $group {
            $(pub(crate) $field: $kind,)+
        }

        impl Default for $group {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $crate::convert::Keywords for $group {
            fn list() -> Vec<$crate::convert::Keyword> {
                vec![$($crate::convert::Keyword {
                    name: stringify!($field),
                    hint: <$kind as ::pyo3::FromPyObject<'_, '_>>::INPUT_TYPE,
                    default: stringify!($default),
                },)+]
            }

            fn set(&mut self, given: &::pyo3::Bound<'_, ::pyo3::types::PyDict>) -> ::pyo3::PyResult<usize> {
                let mut count = 0;
                $(if let Some(value) = $crate::convert::given_keyword(given, ::pyo3::intern!(given.py(), stringify!($field)))? {
                    self.$field = value;
                    count += 1;
                })+
                Ok(count)
            }
        }
    };
}
pub(crate) use keywords;

/// A call of Python whose options are the keywords `K`.
pub(crate) struct Call<K> {
    name: &'static str,
    /// Parameters by position ahead of the options.
    ahead: usize,
    /// The first so many options may stand by position.
    by_position: usize,
    keywords: PhantomData<K>,
}

impl<K: Keywords> Call<K> {
    /// A call whose options are keywords only.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self::with_positions(name, 0, 0)
    }

    /// A call with `ahead` parameters by position, and as many of its options as `by_position` says.
    pub(crate) const fn with_positions(name: &'static str, ahead: usize, by_position: usize) -> Self {
        Self { name, ahead, by_position, keywords: PhantomData }
    }

    /// Reads the options over their defaults.
    ///
    /// # Errors
    /// `TypeError` for a keyword that the call does not take, with those that it takes; and what values are refused with.
    pub(crate) fn read(&self, options: Option<&Bound<'_, PyDict>>) -> Result<K> {
        let mut read = K::default();
        if let Some(options) = options
            && read.set(options)? < options.len()
        {
            return Err(self.unknown(options)?.into());
        }
        Ok(read)
    }

    /// As [`read`](Self::read), with options that stand by position.
    pub(crate) fn read_with(&self, positions: &Bound<'_, PyTuple>, options: Option<&Bound<'_, PyDict>>) -> Result<K> {
        if positions.is_empty() {
            return self.read(options);
        }
        if positions.len() > self.by_position {
            let (most, given) = (self.ahead + self.by_position, self.ahead + positions.len());
            let text = format!("{}() takes at most {most} positional arguments ({given} given)", self.name);
            return Err(PyTypeError::new_err(text).into());
        }
        let all = options.map_or_else(|| Ok(PyDict::new(positions.py())), Bound::copy)?;
        for (keyword, value) in K::list().iter().zip(positions) {
            if all.contains(keyword.name)? {
                return Err(given_twice(self.name, keyword.name).into());
            }
            all.set_item(keyword.name, value)?;
        }
        self.read(Some(&all))
    }

    /// The error of the first keyword that the call does not take.
    fn unknown(&self, options: &Bound<'_, PyDict>) -> PyResult<PyErr> {
        let known: Vec<&str> = K::list().iter().map(|keyword| keyword.name).collect();
        let names = options.keys().extract::<Vec<String>>()?;
        let name = names.into_iter().find(|name| !known.contains(&name.as_str())).unwrap_or_default();
        Ok(unexpected(self.name, &name, known.into_iter()))
    }

    /// Name of the call, and its options as the stubs state them.
    pub(crate) fn stub(&self) -> (&'static str, String) {
        let mut parts: Vec<String> = K::list().iter().map(Keyword::stub).collect();
        if self.by_position < parts.len() {
            parts.insert(self.by_position, "*".to_owned());
        }
        (self.name, parts.join(", "))
    }
}

/// The error of a keyword that a call does not take.
pub(crate) fn unexpected(call: &str, name: &str, known: impl Iterator<Item = &'static str>) -> PyErr {
    let known = known.collect::<Vec<_>>().join("\", \"");
    PyTypeError::new_err(format!("{call}() got an unexpected keyword argument \"{name}\"; options are \"{known}\""))
}

/// The error of an option by position and by keyword.
pub(crate) fn given_twice(call: &str, name: &str) -> PyErr {
    PyTypeError::new_err(format!("{call}() got multiple values for argument '{name}'"))
}

/// Names the option in the error of a value that was refused while it was read.
pub(crate) fn about(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyTypeError>(py) {
        // As Python does for arguments.
        return PyTypeError::new_err(format!("argument '{name}': {}", error.value(py)));
    }
    if let Some(named) = with_name(py, name, &error) {
        return named;
    }
    // Python before 3.11 has no notes.
    let _ = error.value(py).call_method1("add_note", (format!("while processing '{name}'"),));
    error
}

/// The error of a value of which it was not known for which argument it stood, with the name of that.
fn with_name(py: Python<'_>, name: &str, error: &PyErr) -> Option<PyErr> {
    let value = error.value(py);
    let field = |name: &str| value.getattr(name).ok()?.extract::<String>().ok();
    let is_unnamed = field("name").is_some_and(|name| name == ARGUMENT || name == ARRAY_ARGUMENT);
    if !error.is_instance_of::<InputError>(py) || !is_unnamed {
        return None;
    }
    Some(Error::from(KineticError::invalid(name, field("value")?, field("wanted")?)).into())
}
