//! One joint from rest to rest, in closed form.
//!
//! Limits are the same in both directions. The fastest motion has seven phases: jerk, full acceleration, jerk, cruise, and
//! the same backwards; which of them vanish follows from the distance (Biagiotti and Melchiorri 2008, *Trajectory Planning
//! for Automatic Machines and Robots*, section 3.4). A longer duration is the same motion, slower: velocity falls with the
//! factor, acceleration with its square and jerk with its cube, so that every limit holds and no duration is barred.

use super::axis::{AxisLimits, AxisState, Phases};

/// The fastest motion from rest to rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    start: AxisState,
    /// Jerk of the first phase.
    jerk: f64,
    /// Durations of the ramps of acceleration, of full acceleration, and of the cruise.
    ramp: f64,
    hold: f64,
    cruise: f64,
    duration: f64,
}

impl Rest {
    /// The motion between two states at rest under symmetric limits; `None` for others.
    pub(crate) fn between(start: &AxisState, target: &AxisState, limits: &AxisLimits) -> Option<Self> {
        let moves = [start.velocity, start.acceleration, target.velocity, target.acceleration];
        let ranges = [limits.velocity, limits.acceleration, limits.jerk];
        if moves != [0.0; 4] || ranges.iter().any(|[low, high]| -low != *high) {
            return None;
        }
        let displacement = target.position - start.position;
        let noise = f64::EPSILON * (start.position.abs() + target.position.abs());
        if displacement.abs() <= noise {
            return Some(Self { start: *start, jerk: 0.0, ramp: 0.0, hold: 0.0, cruise: 0.0, duration: 0.0 });
        }
        let [v, a, j] = ranges.map(|range| range[1]);
        let [ramp, hold, cruise] = profile(displacement.abs(), v, a, j);
        let duration = 4.0 * ramp + 2.0 * hold + cruise;
        Some(Self { start: *start, jerk: j.copysign(displacement), ramp, hold, cruise, duration })
    }

    /// The shortest duration, s; every longer one is possible too.
    pub(crate) fn duration(&self) -> f64 {
        self.duration
    }

    /// Writes the motion of a possible duration.
    pub(crate) fn write(&self, duration: f64, motion: &mut Phases) {
        motion.restart(self.start);
        if self.duration == 0.0 {
            motion.push(duration, 0.0);
            return;
        }
        let slower = duration / self.duration;
        let jerk = self.jerk / (slower * slower * slower);
        let [ramp, hold, cruise] = [self.ramp, self.hold, self.cruise].map(|time| time * slower);
        let phases =
            [(ramp, jerk), (hold, 0.0), (ramp, -jerk), (cruise, 0.0), (ramp, -jerk), (hold, 0.0), (ramp, jerk)];
        for (time, jerk) in phases {
            motion.push(time, jerk);
        }
    }
}

/// Durations of a ramp of acceleration, of full acceleration and of the cruise, over a positive distance.
fn profile(displacement: f64, v: f64, a: f64, j: f64) -> [f64; 3] {
    let full = a / j;
    let (ramp, hold) = if v >= a * full { (full, v / a - full) } else { ((v / j).sqrt(), 0.0) };
    let beyond = displacement - v * (2.0 * ramp + hold);
    if beyond >= 0.0 {
        return [ramp, hold, beyond / v];
    }
    // Full acceleration for a while: (full + hold) (2 full + hold) = way / a, without cancellation.
    let rest = displacement / a - 2.0 * full * full;
    if rest >= 0.0 {
        return [full, 2.0 * rest / (3.0 * full + (full * full + 4.0 * displacement / a).sqrt()), 0.0];
    }
    [cube_root(displacement / (2.0 * j)), 0.0, 0.0]
}

/// ∛x of a positive number by Halley's method, from an exponent divided by three: the same on every machine.
fn cube_root(x: f64) -> f64 {
    /// Two thirds of the bits of 1, less what centres the error.
    const CUBE_ROOT_BIAS: u64 = 0x2A9F_7893_0000_0000;
    let mut root = f64::from_bits(x.to_bits() / 3 + CUBE_ROOT_BIAS);
    for _ in 0..3 {
        let cube = root * root * root;
        root *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    root
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;
    use crate::state::reachable_set::ReachableSet;

    #[test]
    fn durations_are_those_of_envelopes_and_slower_motions_end_at_the_same_place() {
        for seed in 0..20_000 {
            let mut rng = SeededRng::new(seed);
            let mut any = |low: f64, high: f64| 10.0_f64.powf(rng.uniform(low, high));
            let limits = AxisLimits::symmetric(any(-2.0, 1.0), any(-2.0, 2.0), any(-1.0, 4.0));
            let displacement = any(-6.0, 2.0);
            let state = |position: f64| AxisState { position, ..AxisState::default() };
            let (start, target) =
                (state(0.3), state(if seed % 2 == 0 { 0.3 + displacement } else { 0.3 - displacement }));
            let rest = Rest::between(&start, &target, &limits).unwrap();
            let other = ReachableSet::new(&start, &target, &limits).next_duration(0.0);
            // Envelopes know the way to the rounding of positions.
            assert!((rest.duration() - other).abs() < 1e-6 * other, "seed {seed}: {} {other}", rest.duration());
            for slower in [1.0, 1.7] {
                let mut motion = Phases::at(AxisState::default());
                rest.write(slower * rest.duration(), &mut motion);
                let end = motion.end();
                assert!((end.position - target.position).abs() < 1e-12 * (1.0 + displacement), "seed {seed}: {end:?}");
                assert!(end.velocity.abs() < 1e-12 * (1.0 + limits.velocity[1]), "seed {seed}: {end:?}");
                assert!((motion.duration() - slower * rest.duration()).abs() < 1e-12 * other, "seed {seed}");
                for (duration, jerk, state) in motion.iter() {
                    let end = state.after(duration, jerk);
                    let inside = |value: f64, [_, high]: [f64; 2]| value.abs() <= high * (1.0 + 1e-12);
                    assert!(inside(end.velocity, limits.velocity) && inside(jerk, limits.jerk), "seed {seed}");
                    assert!(inside(end.acceleration, limits.acceleration), "seed {seed}: {end:?}");
                }
            }
        }
    }

    #[test]
    fn cube_roots_are_exact_to_the_last_bits() {
        let mut rng = SeededRng::new(1);
        for _ in 0..10_000 {
            let x = 10.0_f64.powf(rng.uniform(-30.0, 30.0));
            let root = cube_root(x);
            assert!((root * root * root - x).abs() < 8.0 * f64::EPSILON * x, "{x}: {root}");
        }
    }
}
