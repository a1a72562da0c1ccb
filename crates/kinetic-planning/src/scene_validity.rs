//! The scene's checker as the validity interface of planners.

use std::ops::{Deref, DerefMut};

use kinetic_core::{Control, Pair};
use kinetic_scene::Checker;

use self::early_rejection::EarlyRejection;
use self::near_pairs::NearPairs;
use crate::constraints::ConstraintSet;
use crate::near_distances::{DistanceBounds, NearDistances};
use crate::validity::{Validity, edges};

mod early_rejection;
mod near_pairs;

/// Most configurations of a continuous check, per motion and per unit of joint-space length (rad or m). Motions that pass
/// an obstacle at a centimetre need some tens, and links that stay a little apart all along some hundreds. Proofs are
/// rare, and what hangs on an edge that is refused is lost, so that effort pays; those that need still more graze
/// something at less than a millimetre over a long stretch.
const MAX_CHECKS_PER_MOTION: u64 = 1600;
const MAX_CHECKS_PER_RAD_M: f64 = 1600.0;

/// Samples of a discrete edge check per unit of joint-space length (rad or m). Coarser ones let more pass that is refused its
/// proof, finer ones cost more.
const SAMPLES_PER_RAD_M: f64 = 16.0;

/// Edges of a polyline with at most so many samples share batches with others: half a batch, which each would fill alone.
const MOST_SHARED_SAMPLES: f64 = 8.0;

/// Motions that are longer (rad or m) are sampled in parts; the clock is read between them.
const LONGEST_SAMPLED_MOTION_RAD_M: f64 = 64.0;

/// Proofs that are remembered; then they are forgotten all at once.
const MAX_REMEMBERED_PROOFS: usize = 4096;

/// Adapter from [`Checker`] to [`Validity`]; every motion it accepts is proven over its whole length. Proofs are remembered,
/// so that a path which was found, shortened and verified is proven once. The checker cannot be edited meanwhile.
#[derive(Debug)]
pub struct SceneValidity<'a> {
    checker: Slot<'a>,
    constraints: Option<ConstraintSet>,
    /// Early checks of the end and of the middle of a motion. Both are among its samples, so that they change no verdict; in
    /// a search, two out of three blocked motions end blocked, and most others are blocked in the middle.
    end: EarlyRejection,
    middle: EarlyRejection,
    /// The middle.
    halfway: Vec<f64>,
    /// Samples of the short edges of a polyline.
    samples: Vec<f64>,
    /// Both ends of every motion that was proven.
    proofs: Vec<f64>,
    near: NearPairs,
    /// Ends long queries.
    control: Option<Control>,
}

/// A checker that is borrowed or owned.
#[derive(Debug)]
enum Slot<'a> {
    Borrowed(&'a mut Checker),
    Owned(Box<Checker>),
}

impl Deref for Slot<'_> {
    type Target = Checker;

    fn deref(&self) -> &Checker {
        match self {
            Self::Borrowed(checker) => checker,
            Self::Owned(checker) => checker,
        }
    }
}

impl DerefMut for Slot<'_> {
    fn deref_mut(&mut self) -> &mut Checker {
        match self {
            Self::Borrowed(checker) => checker,
            Self::Owned(checker) => checker,
        }
    }
}

impl SceneValidity<'static> {
    /// Takes a checker, so that another thread can own the validity.
    pub fn owned(checker: Checker) -> Self {
        Self::of(Slot::Owned(Box::new(checker)))
    }
}

impl<'a> SceneValidity<'a> {
    /// Wraps a checker.
    pub fn new(checker: &'a mut Checker) -> Self {
        Self::of(Slot::Borrowed(checker))
    }

    fn of(checker: Slot<'a>) -> Self {
        let halfway = vec![0.0; checker.dof()];
        Self {
            checker,
            constraints: None,
            end: EarlyRejection::new(),
            middle: EarlyRejection::new(),
            halfway,
            samples: Vec::new(),
            proofs: Vec::new(),
            near: NearPairs::default(),
            control: None,
        }
    }

    /// The same, for configurations and motions that keep constraints.
    #[must_use]
    pub fn with_constraints(self, constraints: Option<ConstraintSet>) -> Self {
        Self { constraints, ..self }
    }

    /// The constraints.
    pub(crate) fn constraints(&mut self) -> Option<&mut ConstraintSet> {
        self.constraints.as_mut()
    }

    /// Ends long queries when `control` is over: the motion then counts as blocked.
    pub(crate) fn obey(&mut self, control: &Control) {
        self.checker.obey(Some(control));
        self.control = Some(control.clone());
    }

    /// Whether all samples of a long motion are free, part by part.
    fn is_sampled_free_in_parts(&mut self, from: &[f64], to: &[f64], length: f64) -> bool {
        let parts = (length / LONGEST_SAMPLED_MOTION_RAD_M).ceil();
        let at = |part: f64| from.iter().zip(to).map(|(a, b)| a + (b - a) * (part / parts)).collect::<Vec<_>>();
        let (mut part, mut begin) = (1.0, from.to_vec());
        while part <= parts {
            let end = if part == parts { to.to_vec() } else { at(part) };
            let is_over = self.control.as_ref().is_some_and(|control| control.is_over(0));
            if is_over || !self.checker.is_motion_sampled_free(&begin, &end, SAMPLES_PER_RAD_M) {
                return false;
            }
            (part, begin) = (part + 1.0, end);
        }
        true
    }

    /// The checker.
    pub(crate) fn checker(&mut self) -> &mut Checker {
        &mut self.checker
    }

    /// Proves a motion, without a limit on the number of configurations.
    pub(crate) fn prove(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.prove_within(from, to, u64::MAX)
    }

    fn prove_within(&mut self, from: &[f64], to: &[f64], budget: u64) -> bool {
        if self.is_remembered(from, to) {
            return true;
        }
        let is_proven = self.motion_keeps_constraints(from, to) && self.checker.is_motion_free_within(from, to, budget);
        if is_proven {
            self.remember(from, to);
        }
        is_proven
    }

    /// Whether the end or the middle is in collision, where an early check of them pays.
    fn is_seen_blocked(&mut self, from: &[f64], to: &[f64]) -> bool {
        if self.end.is_due() && self.end.record(!self.checker.is_free(to)) {
            return true;
        }
        if !self.middle.is_due() {
            return false;
        }
        for ((halfway, from), to) in self.halfway.iter_mut().zip(from).zip(to) {
            // As samples are worked out.
            *halfway = from + 0.5 * (to - from);
        }
        self.middle.record(!self.checker.is_free(&self.halfway))
    }

    /// Whether the middle of a polyline, which is a waypoint if it has any, is in collision, where an early check pays.
    fn is_middle_blocked(&mut self, points: &[f64], dof: usize) -> bool {
        let count = points.len() / dof.max(1);
        if count < 2 || !self.middle.is_due() {
            return false;
        }
        let (before, after) = (&points[(count - 1) / 2 * dof..], &points[count / 2 * dof..]);
        for ((halfway, before), after) in self.halfway.iter_mut().zip(before).zip(after) {
            // As samples are worked out.
            *halfway = before + 0.5 * (after - before);
        }
        self.middle.record(!self.checker.is_free(&self.halfway))
    }

    /// Whether the samples of all edges are free.
    fn edges_are_sampled_free(&mut self, points: &[f64], dof: usize) -> bool {
        // A single edge has a batch of its own, with more samples for the same time.
        let shares = |from: &[f64], to: &[f64]| points.len() > 2 * dof && sample_count(from, to) <= MOST_SHARED_SAMPLES;
        self.samples.clear();
        for (from, to) in edges(points, dof).filter(|(from, to)| shares(from, to)) {
            push_samples(from, to, &mut self.samples);
        }
        self.checker.are_all_free(&self.samples)
            && edges(points, dof).all(|(from, to)| shares(from, to) || self.is_sampled_free(from, to))
    }

    /// Whether all samples of a motion are free.
    fn is_sampled_free(&mut self, from: &[f64], to: &[f64]) -> bool {
        let length = distance(from, to);
        if length > LONGEST_SAMPLED_MOTION_RAD_M {
            return self.is_sampled_free_in_parts(from, to, length);
        }
        self.checker.is_motion_sampled_free(from, to, SAMPLES_PER_RAD_M)
    }

    /// Whether the motion was proven bit for bit, in either direction.
    fn is_remembered(&self, from: &[f64], to: &[f64]) -> bool {
        let dof = self.checker.dof();
        let is_it = |ends: &[f64]| {
            let (first, second) = ends.split_at(dof);
            first == from && second == to || first == to && second == from
        };
        dof > 0 && self.proofs.chunks_exact(2 * dof).any(is_it)
    }

    fn remember(&mut self, from: &[f64], to: &[f64]) {
        if self.proofs.len() >= MAX_REMEMBERED_PROOFS * 2 * self.checker.dof() {
            self.proofs.clear();
        }
        self.proofs.extend_from_slice(from);
        self.proofs.extend_from_slice(to);
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Number of samples of an edge that shares batches.
fn sample_count(from: &[f64], to: &[f64]) -> f64 {
    (distance(from, to) * SAMPLES_PER_RAD_M).ceil()
}

/// Appends the samples of an edge, the last one at its end.
fn push_samples(from: &[f64], to: &[f64], samples: &mut Vec<f64>) {
    let (count, mut sample) = (sample_count(from, to), 1.0);
    while sample <= count {
        let t = sample / count;
        samples.extend(from.iter().zip(to).map(|(from, to)| from + t * (to - from)));
        sample += 1.0;
    }
}

impl Validity for SceneValidity<'_> {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.constraints.as_mut().is_none_or(|constraints| constraints.holds_at(q)) && self.checker.is_free(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let length = distance(from, to);
        #[allow(clippy::cast_sign_loss, reason = "a length")]
        let budget = MAX_CHECKS_PER_MOTION + (MAX_CHECKS_PER_RAD_M * length) as u64;
        self.prove_within(from, to, budget)
    }

    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.motion_keeps_constraints(from, to) && !self.is_seen_blocked(from, to) && self.is_sampled_free(from, to)
    }

    /// Half of the motion, as the part to try first. From a node whose extensions were blocked, whole extensions almost never
    /// pass, and halves ten times as often; to find where exactly they end costs more than to try that.
    fn free_fraction(&mut self, _from: &[f64], _to: &[f64]) -> f64 {
        0.5
    }

    fn path_may_be_valid(&mut self, points: &[f64], dof: usize) -> bool {
        let keeps =
            self.constraints.is_none() || edges(points, dof).all(|(from, to)| self.motion_keeps_constraints(from, to));
        keeps && !self.is_middle_blocked(points, dof) && self.edges_are_sampled_free(points, dof)
    }

    fn checks(&self) -> u64 {
        self.checker.checks()
    }

    /// The distance to the world, without margins.
    fn clearance(&mut self, q: &[f64]) -> Option<f64> {
        Some(self.checker.world_distance(q).0)
    }

    fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
        self.near.list(&mut self.checker, (q, qd), within, out);
        true
    }

    fn distance_bounds(&mut self, q: &[f64], within: f64, out: &mut DistanceBounds) -> bool {
        self.near.list_bounds(&mut self.checker, q, within, out);
        true
    }

    fn nearest_pair(&mut self, q: &[f64]) -> Option<(Pair, f64)> {
        let clearance = self.checker.clearance(q);
        Some((clearance.pair?, clearance.distance - clearance.margin))
    }

    fn project(&mut self, q: &mut [f64]) -> bool {
        self.constraints.as_mut().is_none_or(|constraints| constraints.project(q))
    }

    fn motion_keeps_constraints(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.constraints.as_mut().is_none_or(|constraints| constraints.holds_along(from, to))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kinetic_core::rng::SeededRng;
    use kinetic_core::{Pose, Shape};
    use kinetic_robot::Robot;
    use kinetic_scene::{Margins, Scene};

    use super::*;

    /// A ur5e between two boxes.
    fn scene() -> Scene {
        let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e").expect("a built-in robot"))).expect("geometry");
        for (name, x) in [("left", 0.5), ("right", -0.5)] {
            let shape = Shape::cuboid(0.1, 0.3, 0.2).expect("a box");
            scene.add(name, shape, Pose::from_xyz(x, 0.0, 0.5)).expect("a new name");
        }
        scene
    }

    /// Edges of all lengths, from those that share batches to those that have several of their own. What is refused is not free
    /// at one of many configurations on it, and paths of which every edge is proven are accepted.
    #[test]
    fn paths_are_refused_for_what_is_on_them_alone() {
        let scene = scene();
        let group = &scene.robot().groups[scene.robot().default_group];
        let mut plain = scene.checker(&group.name, Margins::ZERO).expect("a group");
        let mut other = plain.clone();
        let mut validity = SceneValidity::new(&mut other);
        let (mut rng, dof) = (SeededRng::new(1), group.dof());
        let (mut counts, mut missed) = ([0; 2], 0);
        for case in 0..1500 {
            let mut points = scene.robot().random_configuration(group, &mut rng).0;
            for _ in 0..rng.below(6) {
                let reach = [0.0, 0.05, 0.2, 0.8][rng.below(4)];
                let last = points.len() - dof;
                (last..last + dof).for_each(|value| points.push(points[value] + reach * rng.uniform(-1.0, 1.0)));
            }
            let accepted = validity.path_may_be_valid(&points, dof);
            let is_proven = edges(&points, dof).all(|(from, to)| plain.is_motion_free(from, to));
            let mut samples = |(from, to): (&[f64], &[f64])| plain.is_motion_sampled_free(from, to, SAMPLES_PER_RAD_M);
            let is_sampled_free = edges(&points, dof).all(&mut samples);
            assert!(accepted || !is_proven, "case {case}: a free path is refused");
            missed += usize::from(accepted && !is_sampled_free && points.len() > dof);
            counts[usize::from(accepted)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
        // Samples that lie elsewhere see nearly the same.
        assert!(missed < 60, "{missed} of {counts:?}");
    }

    /// Runs of motions of one length, so that early checks become seldom and frequent again.
    #[test]
    fn early_checks_of_ends_and_middles_change_no_verdict() {
        let scene = scene();
        let robot = scene.robot();
        let group = &robot.groups[robot.default_group];
        let mut plain = scene.checker(&group.name, Margins::ZERO).expect("a group");
        let mut other = plain.clone();
        let mut validity = SceneValidity::new(&mut other);
        let mut rng = SeededRng::new(0);
        let mut counts = [0; 2];
        for case in 0..2000 {
            let from = robot.random_configuration(group, &mut rng).0;
            let length = if case / 100 % 2 == 0 { 1.0 } else { 0.02 };
            let to: Vec<f64> = from.iter().map(|q| q + length * rng.uniform(-1.0, 1.0)).collect();
            let may_be_valid = validity.motion_may_be_valid(&from, &to);
            assert_eq!(may_be_valid, plain.is_motion_sampled_free(&from, &to, SAMPLES_PER_RAD_M), "case {case}");
            counts[usize::from(may_be_valid)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
    }
}
