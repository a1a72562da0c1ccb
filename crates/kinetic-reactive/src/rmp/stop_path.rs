//! Stop path: where an arm passes in a cycle, and then while it brakes each joint as hard as its limits allow.
//!
//! Barriers see a distance and its rate, and not that the derivative of the distance grows while a fast joint is braked. So a command
//! must leave the arm a way to stop that is proven free, the cycle itself included; else the arm brakes (a backup controller, as in
//! Gurriet et al. 2018, "Towards a framework for realizable safety critical control through active set invariance"). The way is
//! exactly what the arm does when it brakes in every cycle: a joint that is slower than what a cycle can take away is stopped over
//! the whole cycle. So the rest of a way that was proven needs no proof, and by induction an arm among obstacles that stand still
//! touches nothing, as long as it does what it is told in cycles of one length, and its way was proven once.

use kinetic_scene::TimedMotion;
use kinetic_scene::motion::BATCH;

use super::acceleration_bounds::JointBounds;

/// Configurations that the proof of one way may look at. A way that needs more is not proven.
const WAY_PROOF_BUDGET: u64 = 64;

/// Phases of a joint: the cycle, braking with all it has, the cycle in which it comes to rest, and rest.
const PHASES: usize = 4;

/// A phase of constant acceleration.
#[derive(Debug, Clone, Copy, Default)]
struct Phase {
    begin: f64,
    position: f64,
    velocity: f64,
    acceleration: f64,
}

impl Phase {
    fn position(&self, time: f64) -> f64 {
        let t = time - self.begin;
        self.position + (self.velocity + 0.5 * self.acceleration * t) * t
    }

    /// The phase that follows at a time, with another acceleration.
    fn then(&self, begin: f64, acceleration: f64) -> Self {
        let velocity = self.velocity + self.acceleration * (begin - self.begin);
        Self { begin, position: self.position(begin), velocity, acceleration }
    }
}

/// The way of one joint.
#[derive(Debug, Clone, Copy, Default)]
struct JointWay {
    phases: [Phase; PHASES],
    /// Time and position at which the joint turns back inside the cycle; elsewhere its speed only falls.
    turn: Option<[f64; 2]>,
}

impl JointWay {
    fn new((q, qd, acceleration): (f64, f64, f64), most: f64, dt: f64) -> Self {
        let cycle = Phase { begin: 0.0, position: q, velocity: qd, acceleration };
        let velocity = qd + acceleration * dt;
        let full = ((velocity.abs() / (most * dt)).ceil() - 1.0).max(0.0);
        let braking = cycle.then(dt, -most.copysign(velocity));
        let last = braking.then(dt * (1.0 + full), 0.0);
        let last = Phase { acceleration: -last.velocity / dt, ..last };
        let end = dt * (2.0 + full);
        let rest = Phase { begin: end, position: last.position(end), velocity: 0.0, acceleration: 0.0 };
        let turn = -qd / acceleration;
        let turn = (turn > 0.0 && turn < dt).then(|| [turn, cycle.position(turn)]);
        Self { phases: [cycle, braking, last, rest], turn }
    }

    fn position(&self, time: f64) -> f64 {
        let phase = self.phases.iter().rev().find(|phase| phase.begin <= time).unwrap_or(&self.phases[0]);
        phase.position(time)
    }

    /// The position at the middle of `[t0, t1]`, and how far it strays from there.
    fn box_around(&self, t0: f64, t1: f64) -> [f64; 2] {
        let middle = self.position(f64::midpoint(t0, t1));
        let stray = |position: f64| (position - middle).abs();
        let ends = stray(self.position(t0)).max(stray(self.position(t1)));
        // The direction may change where the cycle ends, too: there the speed may be 0.
        let cycle_end = [self.phases[1].begin, self.phases[1].position];
        let inside = self.turn.into_iter().chain([cycle_end]).filter(|[time, _]| *time > t0 && *time < t1);
        let stray = inside.fold(ends, |most, [_, position]| most.max(stray(position)));
        [middle, stray + 16.0 * f64::EPSILON * (1.0 + middle.abs())]
    }
}

/// The way of an arm through a cycle, and to rest behind it.
#[derive(Debug, Clone, Default)]
pub struct StopPath {
    joints: Vec<JointWay>,
    duration: f64,
    is_known: bool,
}

impl StopPath {
    /// The way from positions and velocities with accelerations over a cycle. `is_known` says that it is the rest of the way that
    /// was allowed in the cycle before.
    pub(super) fn set(
        &mut self,
        cycle: impl Iterator<Item = (f64, f64, f64)>,
        (bounds, dt): (&[JointBounds], f64),
        is_known: bool,
    ) {
        self.joints.clear();
        self.joints.extend(cycle.zip(bounds).map(|(cycle, bounds)| JointWay::new(cycle, bounds.acceleration, dt)));
        self.duration = self.joints.iter().fold(dt, |end, joint| end.max(joint.phases[PHASES - 1].begin));
        self.is_known = is_known;
    }

    /// When the last joint comes to rest, s.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Writes the configuration at a time, s, from 0, where the cycle begins, to [`duration`](Self::duration). Times beyond are those
    /// of the nearest end.
    ///
    /// # Panics
    /// For a buffer of another length than that of a configuration.
    pub fn sample_into(&self, time: f64, q: &mut [f64]) {
        assert_eq!(q.len(), self.joints.len(), "length of a configuration");
        let time = time.clamp(0.0, self.duration);
        q.iter_mut().zip(&self.joints).for_each(|(q, joint)| *q = joint.position(time));
    }

    /// Whether this is the rest of the way that all policies allowed in the cycle before, and the arm is where it was to be. What
    /// allowed it then, and has not changed since, need not look at it again.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// Whether a checker proves the way free.
    pub(super) fn is_free(&self, checker: &mut kinetic_scene::Checker) -> bool {
        checker.is_timed_motion_free_within(self, WAY_PROOF_BUDGET)
    }
}

impl TimedMotion for StopPath {
    fn pieces(&self) -> usize {
        1
    }

    fn piece(&self, _index: usize) -> (f64, f64) {
        (0.0, self.duration)
    }

    fn box_around(&self, t0: f64, t1: f64, q: &mut [f64], radius: &mut [f64]) {
        for (index, joint) in self.joints.iter().enumerate() {
            [q[index], radius[index]] = joint.box_around(t0, t1);
        }
    }

    fn boxes_around(
        &self,
        intervals: &[(f64, f64); BATCH],
        q: &mut [[f64; BATCH]],
        radius: &mut [[f32; BATCH]],
    ) -> f64 {
        let mut largest = 0.0_f64;
        for (index, joint) in self.joints.iter().enumerate() {
            for (lane, (t0, t1)) in intervals.iter().enumerate() {
                let [middle, stray] = joint.box_around(*t0, *t1);
                q[index][lane] = middle;
                // The conversion rounds to nearest; the radius must not become smaller.
                radius[index][lane] = (stray as f32).next_up();
                let magnitude = middle.abs() + stray;
                // A magnitude that is no number is reported.
                largest = if magnitude > largest || magnitude.is_nan() { magnitude } else { largest };
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    fn random(rng: &mut SeededRng, dof: usize, dt: f64) -> (Vec<(f64, f64, f64)>, Vec<JointBounds>) {
        let bound = |rng: &mut SeededRng| JointBounds {
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            velocity: 2.0,
            acceleration: rng.uniform(1.0, 20.0),
        };
        let bounds: Vec<JointBounds> = (0..dof).map(|_| bound(rng)).collect();
        let state = |bounds: &JointBounds, rng: &mut SeededRng| {
            let qd = if rng.below(4) == 0 {
                rng.uniform(-1.0, 1.0) * bounds.acceleration * dt
            } else {
                rng.uniform(-2.0, 2.0)
            };
            let acceleration = if rng.below(5) == 0 { 0.0 } else { rng.uniform(-1.0, 1.0) * bounds.acceleration };
            (rng.uniform(-3.0, 3.0), qd, acceleration)
        };
        let cycle = bounds.iter().map(|bounds| state(bounds, rng)).collect();
        (cycle, bounds)
    }

    #[test]
    fn boxes_contain_the_way_and_it_is_that_of_braking_in_every_cycle() {
        for seed in 0..300 {
            let mut rng = SeededRng::new(seed);
            let (dof, dt) = (1 + rng.below(7), [0.001, 0.005, 0.1][rng.below(3)]);
            let (cycle, bounds) = random(&mut rng, dof, dt);
            let mut path = StopPath::default();
            path.set(cycle.iter().copied(), (&bounds, dt), false);
            let mut state = cycle.clone();
            let mut time = 0.0;
            let (mut q, mut middle, mut radius) = (vec![0.0; dof], vec![0.0; dof], vec![0.0; dof]);
            while time < path.duration() + 2.0 * dt {
                for ((q, qd, acceleration), bounds) in state.iter_mut().zip(&bounds) {
                    (*q, *qd) = (*q + (*qd + 0.5 * *acceleration * dt) * dt, *qd + *acceleration * dt);
                    *acceleration = super::super::braking(*qd, (-bounds.acceleration, bounds.acceleration), dt);
                }
                time += dt;
                path.sample_into(time, &mut q);
                assert!(q.iter().zip(&state).all(|(q, (own, ..))| (q - own).abs() < 1e-9), "seed {seed} at {time}");
            }
            assert!(state.iter().all(|(_, qd, _)| qd.abs() < 1e-9), "seed {seed} is at rest");
            for _ in 0..20 {
                let (a, b) = (rng.uniform(0.0, path.duration()), rng.uniform(0.0, path.duration()));
                let (t0, t1) = (a.min(b), a.max(b));
                path.box_around(t0, t1, &mut middle, &mut radius);
                for k in 0..=100 {
                    path.sample_into(t0 + (t1 - t0) * f64::from(k) / 100.0, &mut q);
                    let inside = |joint: usize| (q[joint] - middle[joint]).abs() <= radius[joint];
                    assert!((0..dof).all(inside), "seed {seed}: sample {k} of [{t0}, {t1}]");
                }
            }
        }
    }
}
