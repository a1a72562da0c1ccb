//! Command filters by name.

use kinetic_core::{KineticError, Result};

use super::butterworth::Butterworth;
use super::command_filter::{CommandFilter, FilterOptions, check_command};
use super::exponential::ExponentialAverage;
use super::one_euro::OneEuro;

/// A row of the registry.
#[derive(Debug, Clone, Copy)]
pub struct CommandFilterSpec {
    /// The name in every language and file.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    make: fn(usize, &FilterOptions) -> Box<dyn CommandFilter>,
}

/// All filters.
pub static COMMAND_FILTERS: &[CommandFilterSpec] = &[
    CommandFilterSpec {
        name: "none",
        summary: "passes commands unchanged",
        source: "-",
        make: |length, _| Box::new(Unfiltered { length }),
    },
    CommandFilterSpec {
        name: "exponential",
        summary: "exponential moving average: smooth, never overshoots",
        source: "first-order low-pass filter",
        make: |length, options| Box::new(ExponentialAverage::new(length, options)),
    },
    CommandFilterSpec {
        name: "butterworth",
        summary: "low-pass filter of second order: the flattest pass band",
        source: "Butterworth 1930; bilinear transform",
        make: |length, options| Box::new(Butterworth::new(length, options)),
    },
    CommandFilterSpec {
        name: "one_euro",
        summary: "smooths slow commands much and fast ones little: for hands and tracked devices",
        source: "Casiez, Roussel & Vogel 2012",
        make: |length, options| Box::new(OneEuro::new(length, options)),
    },
];

impl CommandFilterSpec {
    /// The filter of this name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    pub fn by_name(name: &str) -> Result<&'static Self> {
        COMMAND_FILTERS.iter().find(|spec| spec.name == name).ok_or_else(|| {
            KineticError::unknown_name("command filter", name, COMMAND_FILTERS.iter().map(|spec| spec.name))
        })
    }

    /// Whether commands do not pass unchanged.
    pub fn changes_commands(&self) -> bool {
        self.name != COMMAND_FILTERS[0].name
    }

    /// A filter for commands of `length` numbers.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for options outside their domain.
    pub fn make(&self, length: usize, options: &FilterOptions) -> Result<Box<dyn CommandFilter>> {
        options.check()?;
        Ok((self.make)(length, options))
    }
}

/// The filter `none`.
#[derive(Debug)]
struct Unfiltered {
    length: usize,
}

impl CommandFilter for Unfiltered {
    fn apply(&mut self, command: &mut [f64]) -> Result<()> {
        check_command(command, self.length)
    }

    fn reset(&mut self) {}
}
