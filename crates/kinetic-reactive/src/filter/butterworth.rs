//! Butterworth low-pass filter of second order.

use std::f64::consts::{PI, SQRT_2};

use kinetic_core::Result;

use super::command_filter::{CommandFilter, FilterOptions, check_command};

/// The filter `butterworth`: the analogue prototype under the bilinear transform, with the cut-off frequency prewarped, in
/// transposed direct form II.
#[derive(Debug)]
pub(super) struct Butterworth {
    /// Of the newest value and the one before the last; that between has twice this weight.
    gain: f64,
    feedback: [f64; 2],
    /// Two numbers per component.
    state: Vec<[f64; 2]>,
    has_started: bool,
}

impl Butterworth {
    pub(super) fn new(length: usize, options: &FilterOptions) -> Self {
        let warped = (PI * options.cutoff * options.period).tan();
        let square = warped * warped;
        let scale = 1.0 / (1.0 + SQRT_2 * warped + square);
        let feedback = [2.0 * (square - 1.0) * scale, (1.0 - SQRT_2 * warped + square) * scale];
        // From the feedback, so that a constant passes unchanged whatever the rounding.
        let gain = 0.25 * (1.0 + feedback[0] + feedback[1]);
        Self { gain, feedback, state: vec![[0.0; 2]; length], has_started: false }
    }
}

impl CommandFilter for Butterworth {
    fn apply(&mut self, command: &mut [f64]) -> Result<()> {
        check_command(command, self.state.len())?;
        let ([a1, a2], b) = (self.feedback, self.gain);
        if !self.has_started {
            self.has_started = true;
            // The state in which this command has stood for ever.
            for (state, value) in self.state.iter_mut().zip(&*command) {
                *state = [(1.0 - b) * value, (b - a2) * value];
            }
        }
        for (state, value) in self.state.iter_mut().zip(command) {
            let (given, filtered) = (*value, b * *value + state[0]);
            state[0] = 2.0 * b * given - a1 * filtered + state[1];
            state[1] = b * given - a2 * filtered;
            *value = filtered;
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.has_started = false;
    }
}
