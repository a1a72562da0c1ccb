//! Records of constraints: kind and named values, as files, pickles and other languages hold them.

use std::fmt;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::Axis;
use crate::pose::Pose;
use crate::toml_text::quoted;

/// The value of a field of a constraint. Displayed as TOML has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ConstraintValue {
    /// An index.
    Count(usize),
    /// A length or an angle.
    Number(f64),
    /// A name.
    Text(String),
    /// A vector; a rotation as the quaternion x, y, z, w; a pose as its position, then its rotation.
    Numbers(Vec<f64>),
}

impl fmt::Display for ConstraintValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Numbers(numbers) => write!(f, "{numbers:?}"),
        }
    }
}

/// A type of a field.
pub(super) trait ConstraintField: Sized {
    /// What values of it look like, for errors.
    const WANTED: &'static str;

    fn value(&self) -> ConstraintValue;

    /// `None` for a value of another kind.
    fn from_value(value: ConstraintValue) -> Option<Self>;
}

impl ConstraintField for String {
    const WANTED: &'static str = "a name";

    fn value(&self) -> ConstraintValue {
        ConstraintValue::Text(self.clone())
    }

    fn from_value(value: ConstraintValue) -> Option<Self> {
        if let ConstraintValue::Text(text) = value { Some(text) } else { None }
    }
}

impl ConstraintField for usize {
    const WANTED: &'static str = "an index";

    fn value(&self) -> ConstraintValue {
        ConstraintValue::Count(*self)
    }

    fn from_value(value: ConstraintValue) -> Option<Self> {
        if let ConstraintValue::Count(count) = value { Some(count) } else { None }
    }
}

impl ConstraintField for f64 {
    const WANTED: &'static str = "a number";

    fn value(&self) -> ConstraintValue {
        ConstraintValue::Number(*self)
    }

    fn from_value(value: ConstraintValue) -> Option<Self> {
        match value {
            ConstraintValue::Number(number) => Some(number),
            // TOML and Python write whole numbers without a point.
            ConstraintValue::Count(count) => Some(count as f64),
            _ => None,
        }
    }
}

impl ConstraintField for Vec<f64> {
    const WANTED: &'static str = "a list of numbers";

    fn value(&self) -> ConstraintValue {
        ConstraintValue::Numbers(self.clone())
    }

    fn from_value(value: ConstraintValue) -> Option<Self> {
        if let ConstraintValue::Numbers(numbers) = value { Some(numbers) } else { None }
    }
}

impl ConstraintField for Axis {
    const WANTED: &'static str = "\"x\", \"y\" or \"z\"";

    fn value(&self) -> ConstraintValue {
        ConstraintValue::Text(self.name().to_owned())
    }

    fn from_value(value: ConstraintValue) -> Option<Self> {
        let ConstraintValue::Text(text) = value else { return None };
        Self::from_name(&text).ok()
    }
}

fn numbers<const N: usize>(value: ConstraintValue) -> Option<[f64; N]> {
    if let ConstraintValue::Numbers(numbers) = value { numbers.try_into().ok() } else { None }
}

impl ConstraintField for Vector3<f64> {
    const WANTED: &'static str = "three numbers";

    fn value(&self) -> ConstraintValue {
        ConstraintValue::Numbers(self.as_slice().to_vec())
    }

    fn from_value(value: ConstraintValue) -> Option<Self> {
        numbers::<3>(value).map(Self::from)
    }
}

impl ConstraintField for UnitQuaternion<f64> {
    const WANTED: &'static str = "the four numbers x, y, z, w of a quaternion that is not 0";

    fn value(&self) -> ConstraintValue {
        ConstraintValue::Numbers(self.coords.as_slice().to_vec())
    }

    fn from_value(value: ConstraintValue) -> Option<Self> {
        let given = Quaternion::from(nalgebra::Vector4::from(numbers::<4>(value)?));
        let norm = given.norm();
        // One of unit length keeps its bits.
        let is_unit = (norm - 1.0).abs() <= UNIT_TOLERANCE;
        (norm > 0.0 && norm.is_finite())
            .then(|| if is_unit { Self::new_unchecked(given) } else { Self::new_normalize(given) })
    }
}

/// How far from 1 the length of a quaternion may be that is taken as it is: what writing its numbers loses.
const UNIT_TOLERANCE: f64 = 1e-15;

impl ConstraintField for Pose {
    const WANTED: &'static str = "seven numbers: x, y, z, then the quaternion x, y, z, w";

    fn value(&self) -> ConstraintValue {
        let (translation, rotation) = (self.translation(), self.rotation());
        ConstraintValue::Numbers(translation.iter().chain(rotation.coords.iter()).copied().collect())
    }

    fn from_value(value: ConstraintValue) -> Option<Self> {
        let [x, y, z, rotation @ ..] = numbers::<7>(value)?;
        let rotation = UnitQuaternion::from_value(ConstraintValue::Numbers(rotation.to_vec()))?;
        Some(Self(nalgebra::Isometry3::from_parts(Vector3::new(x, y, z).into(), rotation)))
    }
}

/// Makes the enum of constraints and its records of one table.
macro_rules! constraints {
    (
        $(#[doc = $doc:literal])+
        pub enum $type:ident;
        $(
            $(#[doc = $kind_doc:literal])+
            $name:literal = $kind:ident { $( $(#[doc = $field_doc:literal])+ $field:ident: $field_type:ty, )+ }
        )+
        and
        $(#[doc = $own_doc:literal])+
        $own_name:literal = $own:ident($own_type:ty);
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $type {
            $( $(#[doc = $kind_doc])+ $kind { $( $(#[doc = $field_doc])+ $field: $field_type, )+ }, )+
            $(#[doc = $own_doc])+
            $own($own_type),
        }

        impl $type {
            /// The names of all kinds that are data.
            pub const KINDS: &'static [&'static str] = &[$($name),+];

            /// The name of its kind in files and other languages.
            pub fn kind(&self) -> &'static str {
                match self {
                    $( Self::$kind { .. } => $name, )+
                    Self::$own(_) => $own_name,
                }
            }

            /// Its values by name, in the order in which files have them.
            pub fn fields(&self) -> Vec<(&'static str, $crate::constraint::ConstraintValue)> {
                match self {
                    $( Self::$kind { $($field),+ } => vec![
                        $( (stringify!($field), $crate::constraint::record::ConstraintField::value($field)) ),+
                    ], )+
                    Self::$own(own) => own.fields(),
                }
            }

            /// The constraint of that kind with these values.
            ///
            /// # Errors
            /// [`KineticError::UnknownName`](crate::KineticError::UnknownName) for a kind that does not exist;
            /// [`KineticError::InvalidValue`](crate::KineticError::InvalidValue) for a value that is missing, is one of another
            /// kind, or is outside its domain.
            pub fn from_fields(
                kind: &str,
                mut fields: std::collections::BTreeMap<String, $crate::constraint::ConstraintValue>,
            ) -> $crate::Result<Self> {
                let constraint = match kind {
                    $( $name => Self::$kind {
                        $( $field: $crate::constraint::record::take(kind, stringify!($field), &mut fields)?, )+
                    }, )+
                    $own_name => Self::$own(<$own_type>::from_record(&mut fields)?),
                    _ => return Err($crate::KineticError::unknown_name("constraint", kind, Self::KINDS.iter().copied())),
                };
                $crate::constraint::record::check_taken(&constraint, &fields)?;
                constraint.check()?;
                Ok(constraint)
            }
        }
    };
}

pub(super) use constraints;

use super::Constraint;
use crate::error::{KineticError, Result};

pub(super) type Fields = std::collections::BTreeMap<String, ConstraintValue>;

/// Takes the value of a field out of a record.
pub(super) fn take<T: ConstraintField>(kind: &str, name: &str, fields: &mut Fields) -> Result<T> {
    let value = fields.remove(name);
    let given = value.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
    let invalid = || KineticError::invalid(format!("{name} of constraint \"{kind}\""), given, T::WANTED);
    value.and_then(T::from_value).ok_or_else(invalid)
}

/// Refuses values that the kind does not have.
pub(super) fn check_taken(constraint: &Constraint, left: &Fields) -> Result<()> {
    let Some((name, value)) = left.iter().next() else { return Ok(()) };
    let names: Vec<&str> = constraint.fields().into_iter().map(|(name, _)| name).collect();
    let context = format!("{name} of constraint \"{}\"", constraint.kind());
    Err(KineticError::invalid(context, value, format!("no other value than {}", names.join(", "))))
}

/// An inline table of TOML.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{ kind = {}", quoted(self.kind()))?;
        self.fields().into_iter().try_for_each(|(name, value)| write!(f, ", {name} = {value}"))?;
        f.write_str(" }")
    }
}

/// A constraint as serde has it.
#[derive(Serialize, Deserialize)]
struct ConstraintRecord {
    kind: String,
    #[serde(flatten)]
    fields: Fields,
}

impl Serialize for Constraint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let fields = self.fields().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        ConstraintRecord { kind: self.kind().to_owned(), fields }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Constraint {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let ConstraintRecord { kind, fields } = ConstraintRecord::deserialize(deserializer)?;
        Self::from_fields(&kind, fields).map_err(serde::de::Error::custom)
    }
}
