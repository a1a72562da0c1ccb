//! The trait of command filters, and their parameters.

use std::f64::consts::PI;
use std::fmt::Debug;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};

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
