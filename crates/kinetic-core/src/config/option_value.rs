//! Values that options of planning have, whatever the option.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Minimise, Prefer, Projection, Race, Refine, StateCost, WorkspaceBounds};
use crate::constraint::Constraint;
use crate::payload::{MountedPayload, PayloadEntry};
use crate::toml_text::quoted;

/// What kind of value an option has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// True or false.
    Flag,
    /// An integer from 0.
    Count,
    /// A number.
    Number,
    /// A name out of few.
    Name,
    /// True, false or a name out of few.
    FlagOrName,
    /// A number per joint, in the length of the group or of the robot.
    PerJoint,
    /// Lowest and highest corner of a box.
    Corners,
    /// A vector in space.
    Vector,
    /// A rigid body that the robot carries.
    Payload,
    /// Conditions that motions keep.
    Constraints,
    /// Several names.
    Names,
}

impl OptionKind {
    /// Its name in tables and for the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Count => "count",
            Self::Number => "number",
            Self::Name => "name",
            Self::FlagOrName => "flag_or_name",
            Self::PerJoint => "per_joint",
            Self::Corners => "corners",
            Self::Vector => "vector",
            Self::Payload => "payload",
            Self::Constraints => "constraints",
            Self::Names => "names",
        }
    }
}

/// The value of an option. Displayed, and read by serde, as TOML has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// See [`OptionKind::Flag`].
    Flag(bool),
    /// See [`OptionKind::Count`]. A text in TOML where it is larger than its integers, 2⁶³ − 1.
    Count(u64),
    /// See [`OptionKind::Number`].
    Number(f64),
    /// See [`OptionKind::Name`].
    Name(String),
    /// See [`OptionKind::Corners`].
    Corners([[f64; 3]; 2]),
    /// See [`OptionKind::Constraints`]. What serde reads of an empty list of any kind.
    Constraints(Vec<Constraint>),
    /// See [`OptionKind::Names`].
    Names(Vec<String>),
    /// See [`OptionKind::PerJoint`].
    PerJoint(Vec<f64>),
    /// See [`OptionKind::Vector`]. What serde reads is [`PerJoint`](Self::PerJoint), which has three numbers as well.
    Vector([f64; 3]),
    /// See [`OptionKind::Payload`].
    Payload(PayloadEntry),
    /// Of an option that is not stated.
    Unset,
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Count(count) if i64::try_from(*count).is_err() => write!(f, "\"{count}\""),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Name(name) => f.write_str(&quoted(name)),
            Self::Corners(corners) => write!(f, "{corners:?}"),
            Self::PerJoint(values) => write!(f, "{values:?}"),
            Self::Vector(values) => write!(f, "{values:?}"),
            Self::Payload(payload) => write!(f, "{payload}"),
            Self::Constraints(constraints) => {
                let texts: Vec<String> = constraints.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
            Self::Names(names) => {
                let texts: Vec<String> = names.iter().map(|name| quoted(name)).collect();
                write!(f, "[{}]", texts.join(", "))
            }
            Self::Unset => f.write_str("none"),
        }
    }
}

/// A field of the configuration that is an option.
pub(crate) trait OptionField: Sized {
    const KIND: OptionKind;

    fn value(&self) -> OptionValue;

    /// The field with that value; `None` for a value of another kind.
    fn from_value(value: OptionValue) -> Option<Self>;
}

impl OptionField for bool {
    const KIND: OptionKind = OptionKind::Flag;

    fn value(&self) -> OptionValue {
        OptionValue::Flag(*self)
    }

    fn from_value(value: OptionValue) -> Option<Self> {
        if let OptionValue::Flag(flag) = value { Some(flag) } else { None }
    }
}

impl OptionField for Race {
    const KIND: OptionKind = OptionKind::FlagOrName;

    fn value(&self) -> OptionValue {
        match self {
            Self::First => OptionValue::Name(self.name().to_owned()),
            Self::Off | Self::Best => OptionValue::Flag(*self == Self::Best),
        }
    }

    fn from_value(value: OptionValue) -> Option<Self> {
        match value {
            OptionValue::Flag(flag) => Some(flag.into()),
            OptionValue::Name(name) => Self::from_name(&name).ok(),
            _ => None,
        }
    }
}

impl OptionField for u64 {
    const KIND: OptionKind = OptionKind::Count;

    fn value(&self) -> OptionValue {
        OptionValue::Count(*self)
    }

    fn from_value(value: OptionValue) -> Option<Self> {
        match value {
            OptionValue::Count(count) => Some(count),
            OptionValue::Name(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl OptionField for usize {
    const KIND: OptionKind = OptionKind::Count;

    fn value(&self) -> OptionValue {
        OptionValue::Count(*self as u64)
    }

    fn from_value(value: OptionValue) -> Option<Self> {
        u64::from_value(value).and_then(|count| count.try_into().ok())
    }
}

impl OptionField for f64 {
    const KIND: OptionKind = OptionKind::Number;

    fn value(&self) -> OptionValue {
        OptionValue::Number(*self)
    }

    fn from_value(value: OptionValue) -> Option<Self> {
        match value {
            OptionValue::Number(number) => Some(number),
            // TOML and Python write whole numbers without a point.
            OptionValue::Count(count) => Some(count as f64),
            _ => None,
        }
    }
}

impl OptionField for Vec<Constraint> {
    const KIND: OptionKind = OptionKind::Constraints;

    fn value(&self) -> OptionValue {
        OptionValue::Constraints(self.clone())
    }

    fn from_value(value: OptionValue) -> Option<Self> {
        if let OptionValue::Constraints(constraints) = value { Some(constraints) } else { None }
    }
}

impl OptionField for Vec<String> {
    const KIND: OptionKind = OptionKind::Names;

    fn value(&self) -> OptionValue {
        OptionValue::Names(self.clone())
    }

    fn from_value(value: OptionValue) -> Option<Self> {
        match value {
            OptionValue::Names(names) => Some(names),
            OptionValue::Constraints(none) if none.is_empty() => Some(Self::new()),
            _ => None,
        }
    }
}

/// An option that is `None` where it is not stated.
macro_rules! optional {
    ($type:ty, $kind:ident, $value:expr, $of:expr) => {
        impl OptionField for Option<$type> {
            const KIND: OptionKind = OptionKind::$kind;

            fn value(&self) -> OptionValue {
                self.as_ref().map_or(OptionValue::Unset, |field| OptionValue::$kind($value(field)))
            }

            fn from_value(value: OptionValue) -> Option<Self> {
                match value {
                    OptionValue::$kind(value) => $of(value).map(Some),
                    OptionValue::Unset => Some(None),
                    _ => None,
                }
            }
        }
    };
}

optional!(Vec<f64>, PerJoint, Vec::clone, Some);
optional!(u64, Count, |count: &u64| *count, Some);
optional!(
    WorkspaceBounds,
    Corners,
    |bounds: &WorkspaceBounds| [bounds.min, bounds.max],
    |[min, max]: [[f64; 3]; 2]| Some(WorkspaceBounds { min, max })
);
optional!(Minimise, Name, |what: &Minimise| what.name().to_owned(), |name: String| Minimise::from_name(&name).ok());
optional!(Prefer, Name, |what: &Prefer| what.name().to_owned(), |name: String| Prefer::from_name(&name).ok());
optional!(Projection, Name, |what: &Projection| what.name().to_owned(), |name: String| Projection::from_name(&name)
    .ok());
optional!(StateCost, Name, |what: &StateCost| what.name().to_owned(), |name: String| StateCost::stored(&name).ok());
optional!(Refine, Name, |what: &Refine| what.name().to_owned(), |name: String| Refine::from_name(&name).ok());
optional!(MountedPayload, Payload, |mounted: &MountedPayload| mounted.clone().into(), |entry: PayloadEntry| {
    entry.try_into().ok()
});

impl OptionField for Option<[f64; 3]> {
    const KIND: OptionKind = OptionKind::Vector;

    fn value(&self) -> OptionValue {
        self.map_or(OptionValue::Unset, OptionValue::Vector)
    }

    fn from_value(value: OptionValue) -> Option<Self> {
        match value {
            OptionValue::Vector(values) => Some(Some(values)),
            OptionValue::PerJoint(values) => values.try_into().ok().map(Some),
            OptionValue::Unset => Some(None),
            _ => None,
        }
    }
}
