//! The motion of one tick and the stop after it, as the continuous collision check sees it.

use kinetic_scene::TimedMotion;
use kinetic_scene::motion::BATCH;
use kinetic_trajectory::state::Phases;

/// State where a phase of constant jerk begins, as coefficients of the position.
#[derive(Debug, Clone, Copy)]
struct Knot {
    time: f64,
    coefficients: [f64; 4],
}

/// One joint: phases, and the positions at which it turns back.
#[derive(Debug, Clone, Default)]
struct JointPath {
    knots: Vec<Knot>,
    /// Time and position.
    turns: Vec<[f64; 2]>,
    /// Whether the joint does not move.
    rests: bool,
}

/// The next tick and the braking motion from where it leads, until all joints are at rest.
#[derive(Debug, Clone)]
pub(super) struct BrakingMotion {
    joints: Vec<JointPath>,
    end: f64,
    /// Added to the box of every joint.
    error: f64,
}

/// Phases of a tick and of a stop, most.
const KNOTS: usize = 40;

impl BrakingMotion {
    /// For so many joints, each of which may be `error` from where it is commanded to be.
    pub(super) fn new(dof: usize, error: f64) -> Self {
        let joint = JointPath { knots: Vec::with_capacity(KNOTS), turns: Vec::with_capacity(KNOTS), rests: false };
        Self { joints: vec![joint; dof], end: 0.0, error }
    }

    /// Runs a check of the motion as it is commanded, without what the joints may be off.
    pub(super) fn without_error<T>(&mut self, check: impl FnOnce(&Self) -> T) -> T {
        let error = std::mem::replace(&mut self.error, 0.0);
        let answer = check(self);
        self.error = error;
        answer
    }

    /// `period` seconds of a motion per joint, from the given time of it on, and then `stop`.
    pub(super) fn set<'a>(&mut self, tick: impl Iterator<Item = (&'a Phases, f64)>, period: f64, stop: &[Phases]) {
        self.end = period;
        for ((joint, (tick, elapsed)), stop) in self.joints.iter_mut().zip(tick).zip(stop) {
            joint.knots.clear();
            joint.turns.clear();
            joint.push(-elapsed, period, tick);
            self.end = self.end.max(joint.push(period, f64::INFINITY, stop));
            joint.rests = joint.knots.iter().all(|knot| knot.coefficients[1..] == [0.0; 3]);
        }
    }
}

impl BrakingMotion {
    /// Lowest and highest position of a joint.
    pub(super) fn range(&self, joint: usize) -> [f64; 2] {
        let path = &self.joints[joint];
        let ends = [path.position(0.0), path.position(self.end)];
        path.extremes()
            .filter_map(|[time, position]| (time > 0.0).then_some(position))
            .chain(ends)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
    }
}

/// A configuration with the error of its joints.
pub(super) struct HeldConfiguration<'a> {
    pub(super) q: &'a [f64],
    pub(super) error: f64,
}

impl TimedMotion for HeldConfiguration<'_> {
    fn pieces(&self) -> usize {
        1
    }

    fn piece(&self, _index: usize) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn box_around(&self, _t0: f64, _t1: f64, q: &mut [f64], radius: &mut [f64]) {
        q.copy_from_slice(self.q);
        radius.fill(self.error);
    }

    fn boxes_around(
        &self,
        _intervals: &[(f64, f64); BATCH],
        q: &mut [[f64; BATCH]],
        radius: &mut [[f32; BATCH]],
    ) -> f64 {
        for ((lanes, radii), value) in q.iter_mut().zip(radius).zip(self.q) {
            (*lanes, *radii) = ([*value; BATCH], [self.error as f32; BATCH]);
        }
        self.q.iter().fold(0.0, |largest, value| value.abs().max(largest)) + self.error
    }
}

impl JointPath {
    /// Appends phases that begin at `time`, as far as they begin before `until`; returns when the last one ends.
    fn push(&mut self, mut time: f64, until: f64, phases: &Phases) -> f64 {
        for (duration, jerk, state) in phases.iter() {
            if time >= until {
                return until;
            }
            let coefficients = [state.position, state.velocity, state.acceleration / 2.0, jerk / 6.0];
            self.push_turns(time, duration.min(until - time), coefficients);
            self.knots.push(Knot { time, coefficients });
            time += duration;
        }
        if time < until {
            let end = phases.end();
            let coefficients = [end.position, end.velocity, end.acceleration / 2.0, 0.0];
            self.knots.push(Knot { time, coefficients });
        }
        time.min(until)
    }

    /// Where the velocity b + 2 c t + 3 d t² vanishes inside the phase.
    fn push_turns(&mut self, time: f64, duration: f64, [a, b, c, d]: [f64; 4]) {
        let discriminant = c * c - 3.0 * b * d;
        if discriminant < 0.0 {
            return;
        }
        let q = -(c + discriminant.sqrt().copysign(c));
        for root in [b / q, q / (3.0 * d)] {
            if root > 0.0 && root < duration {
                self.turns.push([time + root, a + root * (b + root * (c + root * d))]);
            }
        }
    }

    /// Times and positions where the joint may turn back: inside phases, and where one ends, since a velocity may vanish just there.
    fn extremes(&self) -> impl Iterator<Item = [f64; 2]> {
        let knots = self.knots.iter().map(|knot| [knot.time, knot.coefficients[0]]);
        knots.chain(self.turns.iter().copied())
    }

    fn position(&self, t: f64) -> f64 {
        let knot = self.knots.iter().rev().find(|knot| knot.time <= t).unwrap_or(&self.knots[0]);
        let [a, b, c, d] = knot.coefficients;
        let t = t - knot.time;
        a + t * (b + t * (c + t * d))
    }

    /// The position at the middle of `[t0, t1]`, and how far it strays from there.
    fn box_around(&self, t0: f64, t1: f64) -> [f64; 2] {
        if self.rests {
            return self.rest();
        }
        let ends = [t0, t1].map(|t| self.position(t));
        self.box_between([t0, t1], ends)
    }

    /// As [`box_around`](Self::box_around) for a joint that rests.
    fn rest(&self) -> [f64; 2] {
        let position = self.knots[0].coefficients[0];
        [position, 8.0 * f64::EPSILON * position.abs()]
    }

    /// As [`box_around`](Self::box_around), with the positions at both ends.
    fn box_between(&self, [t0, t1]: [f64; 2], ends: [f64; 2]) -> [f64; 2] {
        let middle = self.position(f64::midpoint(t0, t1));
        let inside = self.extremes().filter_map(|[t, position]| (t > t0 && t < t1).then_some(position));
        let stray = inside.chain(ends).fold(0.0_f64, |stray, position| stray.max((position - middle).abs()));
        // The roundings of two evaluations.
        [middle, stray + 8.0 * f64::EPSILON * middle.abs()]
    }
}

impl TimedMotion for BrakingMotion {
    fn pieces(&self) -> usize {
        1
    }

    fn piece(&self, _index: usize) -> (f64, f64) {
        (0.0, self.end)
    }

    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]) {
        for (joint, path) in self.joints.iter().enumerate() {
            let [middle, stray] = path.box_around(t0, t1);
            (q[joint], radius[joint]) = (middle, stray + self.error);
        }
    }

    fn boxes_around(
        &self,
        intervals: &[(f64, f64); BATCH],
        q: &mut [[f64; BATCH]],
        radius: &mut [[f32; BATCH]],
    ) -> f64 {
        let mut largest = 0.0_f64;
        for ((path, q), radius) in self.joints.iter().zip(q).zip(radius) {
            let mut bound = |middle: f64, stray: f64| {
                let magnitude = middle.abs() + stray + self.error;
                // A magnitude that is no number is reported.
                largest = if magnitude > largest || magnitude.is_nan() { magnitude } else { largest };
            };
            if path.rests {
                let [middle, stray] = path.rest();
                bound(middle, stray);
                (*q, *radius) = ([middle; BATCH], [(stray + self.error) as f32; BATCH]);
                continue;
            }
            // Where the last interval ended the next one often begins.
            let mut last = (f64::NAN, 0.0);
            for (lane, (t0, t1)) in intervals.iter().enumerate() {
                let begin = if last.0 == *t0 { last.1 } else { path.position(*t0) };
                last = (*t1, path.position(*t1));
                let [middle, stray] = path.box_between([*t0, *t1], [begin, last.1]);
                bound(middle, stray);
                (q[lane], radius[lane]) = (middle, (stray + self.error) as f32);
            }
        }
        largest
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests")]
mod tests {
    use kinetic_core::rng::SeededRng;
    use kinetic_trajectory::state::AxisLimits;
    use kinetic_trajectory::{MotionLimits, MotionState, StateToState};

    use super::*;

    /// A random state, or one of those in which phases are as short as can be.
    fn random_state(rng: &mut SeededRng, dof: usize) -> MotionState {
        let mut draw = |most: f64| -> Vec<f64> {
            (0..dof).map(|_| if rng.below(3) == 0 { 0.0 } else { rng.uniform(-most, most) }).collect()
        };
        MotionState { positions: draw(3.0), velocities: draw(1.0), accelerations: draw(2.0) }
    }

    #[test]
    fn boxes_hold_every_sample_of_the_tick_and_the_stop() {
        for seed in 0..500 {
            let mut rng = SeededRng::new(seed);
            let (dof, period) = (1 + rng.below(7), [0.002, 0.02, 0.3][rng.below(3)]);
            let limits = MotionLimits::new(vec![AxisLimits::symmetric(1.0, 2.0, rng.uniform(2.0, 40.0)); dof]).unwrap();
            let (mut tick, mut stop) = (StateToState::new(limits.clone()), StateToState::new(limits));
            let (start, mut next) = (random_state(&mut rng, dof), MotionState::at_rest(&vec![0.0; dof]));
            let velocities: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
            tick.plan_velocity(&start, &velocities, &vec![[-4.0, 4.0]; dof]).unwrap();
            tick.sample_into(period, &mut next);
            stop.plan_stop(&next).unwrap();
            let mut motion = BrakingMotion::new(dof, 0.0);
            motion.set(tick.motions().iter().map(|motion| (motion, 0.0)), period, stop.motions());
            let mut state = next.clone();
            for _ in 0..20 {
                let (a, b) = (rng.uniform(0.0, motion.end), rng.uniform(0.0, motion.end));
                let (t0, t1) = (a.min(b), a.max(b));
                let (mut q, mut radius) = (vec![0.0; dof], vec![0.0; dof]);
                motion.box_around(t0, t1, &mut q, &mut radius);
                for k in 0..=200 {
                    let t = t0 + (t1 - t0) * f64::from(k) / 200.0;
                    if t <= period {
                        tick.sample_into(t, &mut state);
                    } else {
                        stop.sample_into(t - period, &mut state);
                    }
                    for joint in 0..dof {
                        let off = (state.positions[joint] - q[joint]).abs();
                        assert!(off <= radius[joint] + 1e-12, "seed {seed}: joint {joint} at {t} of [{t0}, {t1}]");
                        let [low, high] = motion.range(joint);
                        let inside = low - 1e-12..=high + 1e-12;
                        assert!(inside.contains(&state.positions[joint]), "seed {seed}: joint {joint}");
                    }
                }
                // As a batch the same boxes, to single precision.
                let (mut lanes, mut radii) = (vec![[0.0; BATCH]; dof], vec![[0.0; BATCH]; dof]);
                motion.boxes_around(&[(t0, t1); BATCH], &mut lanes, &mut radii);
                assert!((0..dof).all(|joint| lanes[joint][3] == q[joint]), "seed {seed}");
                assert!((0..dof).all(|joint| (f64::from(radii[joint][3]) - radius[joint]).abs() < 1e-6), "seed {seed}");
            }
        }
    }
}
