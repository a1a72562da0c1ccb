//! Fields of errors as values of few types, for callers that know no variant: bindings, reports, logs.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::KineticError;

/// The value of a field of an error.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// A word, a name, a path or a sentence.
    Text(String),
    /// A count, a size or an index.
    Integer(u64),
    /// A quantity in SI units.
    Float(f64),
    /// Names.
    Texts(Vec<String>),
}

/// What the tables of errors say about a field of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldSpec {
    /// Name of the field.
    pub name: &'static str,
    /// What it holds, as Markdown.
    pub documentation: &'static str,
    /// The possible reasons, where the field is one.
    pub reasons: &'static [ReasonSpec],
}

/// What the tables of errors say about a reason, a variant of an enum in [`reason`](super::reason).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReasonSpec {
    /// The variant's name.
    pub code: &'static str,
    /// When it applies, as Markdown.
    pub documentation: &'static str,
    /// Names of its fields with what they hold, as Markdown.
    pub fields: &'static [(&'static str, &'static str)],
}

/// A type that fields of errors have.
pub(super) trait Field {
    /// The possible reasons, where the type is one of reasons.
    const REASONS: &'static [ReasonSpec] = &[];

    /// Appends the field of this name with its value; of a reason its text, its code under the name `code`, and its fields.
    fn append(&self, name: &'static str, code: &'static str, fields: &mut Vec<(&'static str, FieldValue)>);
}

/// Implements [`Field`] for a type by the value that it becomes.
macro_rules! fields {
    ($($type:ty => |$value:ident| $as_value:expr;)+) => {$(
        impl Field for $type {
            fn append(&self, name: &'static str, _: &'static str, fields: &mut Vec<(&'static str, FieldValue)>) {
                let $value = self;
                fields.push((name, $as_value));
            }
        }
    )+};
}

/// The error that another one is about, as its text; its code under the name `code`.
impl Field for Box<KineticError> {
    fn append(&self, name: &'static str, code: &'static str, fields: &mut Vec<(&'static str, FieldValue)>) {
        fields.push((name, FieldValue::Text(self.to_string())));
        fields.push((code, FieldValue::Text(self.code().to_owned())));
    }
}

fields! {
    String => |text| FieldValue::Text(text.clone());
    PathBuf => |path| FieldValue::Text(path.display().to_string());
    ErrorKind => |kind| FieldValue::Text(kind.to_string());
    Vec<String> => |names| FieldValue::Texts(names.clone());
    u32 => |count| FieldValue::Integer(u64::from(*count));
    u64 => |count| FieldValue::Integer(*count);
    usize => |count| FieldValue::Integer(*count as u64);
    f64 => |quantity| FieldValue::Float(*quantity);
}
