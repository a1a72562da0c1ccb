//! One-euro filter (Casiez, Roussel & Vogel 2012, "1€ Filter: A Simple Speed-based Low-pass Filter for Noisy Input in
//! Interactive Systems").

use kinetic_core::Result;

use super::command_filter::{CommandFilter, FilterOptions, check_command, smoothing};

/// The filter `one_euro`: an exponential moving average whose cut-off frequency rises with the smoothed speed of the command.
#[derive(Debug)]
pub(super) struct OneEuro {
    options: FilterOptions,
    speed_alpha: f64,
    components: Vec<Component>,
    has_started: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Component {
    given: f64,
    average: f64,
    speed: f64,
}

impl OneEuro {
    pub(super) fn new(length: usize, options: &FilterOptions) -> Self {
        let speed_alpha = smoothing(options.speed_cutoff, options.period);
        let components = vec![Component::default(); length];
        Self { options: options.clone(), speed_alpha, components, has_started: false }
    }
}

impl CommandFilter for OneEuro {
    fn apply(&mut self, command: &mut [f64]) -> Result<()> {
        check_command(command, self.components.len())?;
        if !self.has_started {
            self.has_started = true;
            for (component, value) in self.components.iter_mut().zip(&*command) {
                *component = Component { given: *value, average: *value, speed: 0.0 };
            }
        }
        let FilterOptions { period, cutoff, beta, .. } = self.options;
        for (component, value) in self.components.iter_mut().zip(command) {
            let speed = (*value - component.given) / period;
            component.given = *value;
            component.speed += self.speed_alpha * (speed - component.speed);
            let alpha = smoothing(cutoff + beta * component.speed.abs(), period);
            component.average += alpha * (*value - component.average);
            *value = component.average;
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.has_started = false;
    }
}
