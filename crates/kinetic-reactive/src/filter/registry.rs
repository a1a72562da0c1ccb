//! Command filters by name.

use std::f64::consts::PI;
use std::fmt::Debug;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};

use super::butterworth::Butterworth;
use super::exponential::ExponentialAverage;
use super::one_euro::OneEuro;

/// A filter of commands of one length, one call per period. After it is made it allocates nothing.
///
/// Laws: the first command after [`reset`](Self::reset) passes unchanged, and so does a command that stays the same.
pub trait CommandFilter: Debug + Send {
    /// Replaces a command by the filtered one.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`]; the state is then as it was.
    fn apply(&mut self, command: &mut [f64]) -> Result<()>;

    /// Forgets all commands.
    fn reset(&mut self);
}

/// Parameters of all filters; each reads its own.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterOptions {
    /// Time between two commands, s.
    pub period: f64,
    /// Frequency above which commands are attenuated, Hz: −3 dB there for `butterworth` and (up to its sampling)
    /// `exponential`; the frequency at rest for `one_euro`. Below half of the sampling rate.
    pub cutoff: f64,
    /// `one_euro`: by how much the frequency rises with the speed of the command, Hz per unit per second.
    pub beta: f64,
    /// `one_euro`: cut-off frequency of that speed, Hz.
    pub speed_cutoff: f64,
}

impl Default for FilterOptions {
    fn default() -> Self {
        Self { period: 0.01, cutoff: 5.0, beta: 1.0, speed_cutoff: 1.0 }
    }
}

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
        COMMAND_FILTERS.iter().find(|spec| spec.name == name).ok_or_else(|| KineticError::UnknownName {
            kind: "command filter".to_owned(),
            name: name.to_owned(),
            available: COMMAND_FILTERS.iter().map(|spec| spec.name.to_owned()).collect(),
        })
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

impl FilterOptions {
    /// Refuses what is outside its domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`].
    pub fn check(&self) -> Result<()> {
        if !(self.period > 0.0 && self.period.is_finite()) {
            return Err(KineticError::invalid("period", self.period, "a positive number of seconds"));
        }
        let most = 0.5 / self.period;
        for (name, value) in [("cutoff", self.cutoff), ("speed_cutoff", self.speed_cutoff)] {
            if !(value > 0.0 && value < most) {
                let wanted = format!("more than 0 and less than half the sampling rate, {most} Hz");
                return Err(KineticError::invalid(name, value, wanted));
            }
        }
        if !(self.beta >= 0.0 && self.beta.is_finite()) {
            return Err(KineticError::invalid("beta", self.beta, "a finite number of at least 0"));
        }
        Ok(())
    }
}

/// Weight of the newest value in an exponential moving average with this cut-off frequency (Casiez et al. 2012, eq. 5 and 6).
pub(super) fn smoothing(cutoff: f64, period: f64) -> f64 {
    let ratio = 2.0 * PI * cutoff * period;
    ratio / (1.0 + ratio)
}

/// Refuses commands of another length, and NaN.
pub(super) fn check_command(command: &[f64], length: usize) -> Result<()> {
    check_len("command", command.len(), length)?;
    check_finite("command", command)
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
