//! Whether something comes nearer to its end.

/// The least value so far, and how long ago it was the least.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    least: f64,
    time: f64,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { least: f64::INFINITY, time: 0.0 }
    }

    /// Notes a value after a tick of `period` s; answers for how long, s, no value was less than the least one by `step`.
    pub(super) fn note(&mut self, value: f64, step: f64, period: f64) -> f64 {
        if value <= self.least - step {
            *self = Self { least: value, time: 0.0 };
        } else {
            self.time += period;
        }
        self.time
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn what_creeps_by_less_than_a_step_per_time_is_no_progress() {
        let mut progress = Progress::new();
        // A tenth of a step per tick is a step in ten ticks.
        let still: Vec<f64> = (0..30).map(|tick| progress.note(-0.1 * f64::from(tick), 0.95, 1.0)).collect();
        assert!(still.iter().all(|time| *time < 11.0), "{still:?}");
        assert!((1..=20).all(|tick| progress.note(-2.9, 0.95, 1.0) >= f64::from(tick)));
    }
}
