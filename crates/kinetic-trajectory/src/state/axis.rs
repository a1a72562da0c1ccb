//! One joint: its limits, its state, and motion in phases of constant jerk.

/// Limits of one joint, each as lowest (negative) and highest (positive) value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisLimits {
    /// Velocity, rad/s or m/s.
    pub velocity: [f64; 2],
    /// Acceleration, rad/s² or m/s².
    pub acceleration: [f64; 2],
    /// Jerk, rad/s³ or m/s³.
    pub jerk: [f64; 2],
}

impl AxisLimits {
    /// The same bounds in both directions.
    pub fn symmetric(velocity: f64, acceleration: f64, jerk: f64) -> Self {
        Self { velocity: [-velocity, velocity], acceleration: [-acceleration, acceleration], jerk: [-jerk, jerk] }
    }

    /// Limits of the joint seen from the other side.
    pub(crate) fn mirrored(&self) -> Self {
        let mirror = |[low, high]: [f64; 2]| [-high, -low];
        Self { velocity: mirror(self.velocity), acceleration: mirror(self.acceleration), jerk: mirror(self.jerk) }
    }
}

/// Position, velocity and acceleration of one joint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AxisState {
    /// rad or m.
    pub position: f64,
    /// rad/s or m/s.
    pub velocity: f64,
    /// rad/s² or m/s².
    pub acceleration: f64,
}

impl AxisState {
    pub(crate) fn mirrored(&self) -> Self {
        Self { position: -self.position, velocity: -self.velocity, acceleration: -self.acceleration }
    }

    /// The state after `t` seconds of constant jerk.
    #[must_use]
    pub fn after(&self, t: f64, jerk: f64) -> Self {
        Self {
            position: self.position + t * (self.velocity + t * (self.acceleration / 2.0 + t * jerk / 6.0)),
            velocity: self.velocity + t * (self.acceleration + t * jerk / 2.0),
            acceleration: self.acceleration + t * jerk,
        }
    }

    /// Velocity when the acceleration is taken back to zero as fast as the jerk allows.
    pub(crate) fn velocity_where_acceleration_ends(&self, limits: &AxisLimits) -> f64 {
        let jerk = if self.acceleration > 0.0 { limits.jerk[0] } else { limits.jerk[1] };
        self.velocity - self.acceleration * self.acceleration / (2.0 * jerk)
    }
}

/// Longest motion: two phases of braking, and the phases of two extreme motions one after another.
pub(super) const MAX_PHASES: usize = 17;

/// Phases of constant jerk after a state.
#[derive(Debug, Clone, Copy)]
pub struct Phases {
    durations: [f64; MAX_PHASES],
    jerks: [f64; MAX_PHASES],
    states: [AxisState; MAX_PHASES],
    len: usize,
    end: AxisState,
}

impl Phases {
    /// No motion, at `state`.
    pub fn at(state: AxisState) -> Self {
        let (durations, states) = ([0.0; MAX_PHASES], [AxisState::default(); MAX_PHASES]);
        Self { durations, jerks: durations, states, len: 0, end: state }
    }

    /// Begins anew at `state`.
    pub(crate) fn restart(&mut self, state: AxisState) {
        (self.len, self.end) = (0, state);
    }

    /// Goes on for `duration` with `jerk`; nothing when the duration is not positive.
    pub(crate) fn push(&mut self, duration: f64, jerk: f64) {
        if duration > 0.0 && self.len < MAX_PHASES {
            self.durations[self.len] = duration;
            self.jerks[self.len] = jerk;
            self.states[self.len] = self.end;
            self.len += 1;
            self.end = self.end.after(duration, jerk);
        }
    }

    /// The state where the last phase ends.
    pub fn end(&self) -> AxisState {
        self.end
    }

    /// Sum of the durations, s.
    pub fn duration(&self) -> f64 {
        self.durations[..self.len].iter().sum()
    }

    /// Duration, jerk and initial state of every phase.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64, AxisState)> + '_ {
        (0..self.len).map(|index| (self.durations[index], self.jerks[index], self.states[index]))
    }

    /// The state after `t` seconds; before the first phase its initial state, after the last phase the motion goes on
    /// without jerk.
    pub fn sample(&self, t: f64) -> AxisState {
        let mut left = t.max(0.0);
        for index in 0..self.len {
            if left < self.durations[index] {
                return self.states[index].after(left, self.jerks[index]);
            }
            left -= self.durations[index];
        }
        self.end.after(left, 0.0)
    }

    /// Jerk during the phase at `t`; 0 outside.
    pub(crate) fn jerk(&self, t: f64) -> f64 {
        let mut left = t;
        for index in 0..self.len {
            if left < self.durations[index] {
                return self.jerks[index];
            }
            left -= self.durations[index];
        }
        0.0
    }
}
