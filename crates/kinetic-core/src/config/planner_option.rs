//! What is known about an option of planning: a row of the table that the macro `options` makes of the configuration.

use super::option_value::{OptionKind, OptionValue};
use super::{MotionLimits, PlannerConfig};
use crate::constraint::check_constraints;
use crate::error::{KineticError, Result};

/// Whether problem files hold an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFiles {
    /// It is no part of a problem.
    Never,
    /// Every file states it.
    Always,
    /// Files state it where it is not the default.
    WhenStated,
}

/// An option of planning: a row of the table [`PlannerOption::all`].
///
/// ```
/// use kinetic_core::PlannerConfig;
/// use kinetic_core::config::{OptionValue, PlannerOption};
///
/// let margin = PlannerOption::of_name("collision_margin")?;
/// let mut config = PlannerConfig::default();
/// margin.set(&mut config, OptionValue::Number(0.05))?;
/// assert_eq!(config.collision_margin, 0.05);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug)]
pub struct PlannerOption {
    /// Its name in Rust and in files.
    pub name: &'static str,
    /// Its keyword in Python; the name, but for the seed.
    pub keyword: &'static str,
    /// Its flag on the command line.
    pub flag: &'static str,
    /// What kind of value it has.
    pub kind: OptionKind,
    /// Which values it can have, in words.
    pub wanted: &'static str,
    /// Whether problem files hold it.
    pub in_files: InFiles,
    /// Its documentation, of which [`doc`](Self::doc) is the first paragraph.
    pub(super) documentation: &'static str,
    /// Whether a number is in the domain of the option; of several, each.
    pub(super) is_valid: fn(f64) -> bool,
    pub(super) get: fn(&PlannerConfig) -> OptionValue,
    /// Puts a value into its field; false for one of another kind.
    pub(super) put: fn(&mut PlannerConfig, OptionValue) -> bool,
}

impl PlannerOption {
    /// The table: every option once, in the order of files.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        PlannerConfig::OPTIONS.iter().chain(Self::of_calls())
    }

    /// Those that a single call can state as well: how fast its motion may be.
    pub fn of_calls() -> impl Iterator<Item = &'static Self> {
        MotionLimits::OPTIONS.iter()
    }

    /// The option of that name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    pub fn of_name(name: &str) -> Result<&'static Self> {
        Self::all()
            .find(|option| option.name == name)
            .ok_or_else(|| KineticError::unknown_name("planning option", name, Self::all().map(|option| option.name)))
    }

    /// What it is, in a sentence.
    pub fn doc(&self) -> String {
        let paragraph = self.documentation.split("\n\n").next().unwrap_or_default();
        paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The value that it has where nobody states one.
    pub fn default(&self) -> OptionValue {
        self.get(&PlannerConfig::default())
    }

    /// Its value in a configuration.
    pub fn get(&self, config: &PlannerConfig) -> OptionValue {
        (self.get)(config)
    }

    /// Puts a value into a configuration; [`PlannerConfig::check`] says whether it is in the domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a value of another kind.
    pub fn set(&self, config: &mut PlannerConfig, value: OptionValue) -> Result<()> {
        let given = value.to_string();
        if (self.put)(config, value) { Ok(()) } else { Err(KineticError::invalid(self.name, given, self.wanted)) }
    }

    /// Refuses a value outside the domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option.
    pub fn check(&self, config: &PlannerConfig) -> Result<()> {
        match self.get(config) {
            OptionValue::Number(number) => self.check_number(self.name, number),
            OptionValue::Count(count) => self.check_number(self.name, count as f64),
            OptionValue::PerJoint(values) => self.check_joints(&values),
            OptionValue::Vector(values) => self.check_joints(&values),
            OptionValue::Corners([min, max]) if (0..3).any(|axis| !(self.is_valid)(max[axis] - min[axis])) => {
                Err(KineticError::invalid(self.name, OptionValue::Corners([min, max]), self.wanted))
            }
            OptionValue::Constraints(constraints) => check_constraints(&constraints),
            OptionValue::Corners(_)
            | OptionValue::Flag(_)
            | OptionValue::Name(_)
            | OptionValue::Names(_)
            | OptionValue::Payload(_)
            | OptionValue::Unset => Ok(()),
        }
    }

    /// Refuses a number per joint of which one is outside the domain.
    pub(super) fn check_joints(&self, values: &[f64]) -> Result<()> {
        let mut numbers = values.iter().enumerate();
        numbers.try_for_each(|(joint, number)| self.check_number(&format!("{}[{joint}]", self.name), *number))
    }

    fn check_number(&self, name: &str, number: f64) -> Result<()> {
        if (self.is_valid)(number) { Ok(()) } else { Err(KineticError::invalid(name, number, self.wanted)) }
    }
}

/// A configuration whose fields are options: the type, its defaults, and the rows of its options.
///
/// A field is written as `name: type = default => { columns of its row }`, its documentation in front. A section, which is
/// such a type itself, follows after `and`. The closure says where in a [`PlannerConfig`] the type is found.
macro_rules! options {
    (
        $(#[$attribute:meta])*
        pub struct $type:ident = |$config:ident| $place:expr;
        $(
            $(#[doc = $doc:literal])+
            $field:ident: $field_type:ty = $default:expr => { $($column:ident: $cell:expr),+ $(,)? };
        )+
        $(and $(#[doc = $section_doc:literal])+ $section:ident: $section_type:ty;)?
    ) => {
        $(#[$attribute])*
        pub struct $type {
            $($(#[doc = $doc])+ pub $field: $field_type,)+
            $($(#[doc = $section_doc])+ pub $section: $section_type,)?
        }

        impl Default for $type {
            fn default() -> Self {
                Self { $($field: $default,)+ $($section: <$section_type>::default(),)? }
            }
        }

        impl $type {
            /// The rows of its options.
            pub(super) const OPTIONS: &[$crate::config::PlannerOption] = &[$(
                $crate::config::PlannerOption {
                    kind: <$field_type as $crate::config::option_value::OptionField>::KIND,
                    documentation: concat!($($doc, "\n"),+),
                    get: |$config| $crate::config::option_value::OptionField::value(&$place.$field),
                    put: |$config, value| {
                        let field = $crate::config::option_value::OptionField::from_value(value);
                        field.map(|field| $place.$field = field).is_some()
                    },
                    $($column: $cell,)+
                },
            )+];
        }
    };
}

pub(super) use options;
