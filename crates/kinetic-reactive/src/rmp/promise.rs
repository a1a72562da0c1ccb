//! Promise: where the arm was told to be, on a way to rest that every policy allowed.

/// A measured state may differ by this from the one that was commanded, rad or m and their rates: rounding.
const SAME_STATE: f64 = 1e-12;

/// The end of the last cycle, if its way to rest was allowed.
#[derive(Debug, Default)]
pub(super) struct Promise {
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// Length of the cycle, s; 0 without a promise.
    dt: f64,
}

impl Promise {
    pub(super) fn forget(&mut self) {
        self.dt = 0.0;
    }

    /// Notes where accelerations lead to.
    pub(super) fn make(&mut self, q: &[f64], qd: &[f64], accelerations: &[f64], dt: f64) {
        self.positions.clear();
        self.velocities.clear();
        for ((q, qd), acceleration) in q.iter().zip(qd).zip(accelerations) {
            self.positions.push(q + (qd + 0.5 * acceleration * dt) * dt);
            self.velocities.push(qd + acceleration * dt);
        }
        self.dt = dt;
    }

    /// Whether the arm is where it was told to be, in a cycle of the same length.
    pub(super) fn is_kept(&self, q: &[f64], qd: &[f64], dt: f64) -> bool {
        let is_same = |(told, is): (&f64, &f64)| (told - is).abs() <= SAME_STATE * (1.0 + is.abs());
        self.dt == dt && self.positions.iter().zip(q).all(is_same) && self.velocities.iter().zip(qd).all(is_same)
    }
}
