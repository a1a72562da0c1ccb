//! Exponential moving average.

use kinetic_core::Result;

use super::command_filter::{CommandFilter, FilterOptions, check_command, smoothing};

/// The filter `exponential`: `y += α (x − y)`.
#[derive(Debug)]
pub(super) struct ExponentialAverage {
    alpha: f64,
    average: Vec<f64>,
    has_started: bool,
}

impl ExponentialAverage {
    pub(super) fn new(length: usize, options: &FilterOptions) -> Self {
        let alpha = smoothing(options.cutoff, options.period);
        Self { alpha, average: vec![0.0; length], has_started: false }
    }
}

impl CommandFilter for ExponentialAverage {
    fn apply(&mut self, command: &mut [f64]) -> Result<()> {
        check_command(command, self.average.len())?;
        if !self.has_started {
            self.has_started = true;
            self.average.copy_from_slice(command);
        }
        for (average, value) in self.average.iter_mut().zip(command) {
            *average += self.alpha * (*value - *average);
            *value = *average;
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.has_started = false;
    }
}
