//! Butterworth low-pass filter of second order.

use std::f64::consts::{PI, SQRT_2};

use kinetic_core::Result;

use super::command_filter::{CommandFilter, FilterOptions, check_command};

/// The filter `butterworth`: the analogue prototype under the bilinear transform, with the cut-off frequency prewarped.
///
/// The difference equation is written in differences from the last result, so that a constant passes without rounding however low the
/// cut-off is: the coefficients of a direct form are differences of nearly equal numbers there.
#[derive(Debug)]
pub(super) struct Butterworth {
    /// Of the newest value and the one before the last; that between has twice this weight.
    gain: f64,
    /// Of the last change of the result.
    momentum: f64,
    /// The last two values and results of each component, the newest first.
    states: Vec<BiquadState>,
    has_started: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct BiquadState {
    given: [f64; 2],
    filtered: [f64; 2],
}

impl Butterworth {
    pub(super) fn new(length: usize, options: &FilterOptions) -> Self {
        let warped = (PI * options.cutoff * options.period).tan();
        let square = warped * warped;
        let scale = 1.0 / (1.0 + SQRT_2 * warped + square);
        let (gain, momentum) = (square * scale, (1.0 - SQRT_2 * warped + square) * scale);
        Self { gain, momentum, states: vec![BiquadState::default(); length], has_started: false }
    }
}

impl CommandFilter for Butterworth {
    fn apply(&mut self, command: &mut [f64]) -> Result<()> {
        check_command(command, self.states.len())?;
        if !self.has_started {
            self.has_started = true;
            // As if this command had stood for ever.
            for (state, value) in self.states.iter_mut().zip(&*command) {
                *state = BiquadState { given: [*value; 2], filtered: [*value; 2] };
            }
        }
        for (BiquadState { given, filtered }, value) in self.states.iter_mut().zip(command) {
            let last = filtered[0];
            let pull = (*value - last) + 2.0 * (given[0] - last) + (given[1] - last);
            let result = last + (self.gain * pull + self.momentum * (last - filtered[1]));
            (*given, *filtered) = ([*value, given[0]], [result, last]);
            *value = result;
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.has_started = false;
    }
}
