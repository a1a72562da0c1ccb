//! Free configurations of a pose that most configurations reach in collision: the self-motion of a redundant arm, sampled finer
//! and finer.

use std::collections::BTreeMap;

use kinetic_core::{Control, JointValues, Pair, Pose, Result};
use kinetic_ik::analytic::{Manipulator, Parameters, Range, SolveOptions};
use kinetic_scene::Checker;

use crate::goal_context::collision;

/// Places of the self-motion that are looked at before a pose is given up, where a place costs microseconds.
const MAX_SELF_MOTION_SAMPLES: u64 = 1 << 14;

/// Where a place costs an eigenproblem.
const MAX_SLOW_SAMPLES: u64 = 1 << 11;

/// So many free configurations are enough.
const ENOUGH_FREE_CONFIGURATIONS: usize = 16;

/// After the first free configuration, so many times as many places are looked at as it took.
const FURTHER_SAMPLES_RATIO: u64 = 2;

/// Configurations in collision whose colliding pair is determined; evenly spread among all.
const MAX_EXAMINED_COLLISIONS: u64 = 256;

/// What was tried of a self-motion, and what became of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelfMotionTried {
    /// Values of the swivel angle or of the locked joints that were looked at.
    pub places: u64,
    /// Configurations there that reach the pose.
    pub configurations: u64,
    /// Those inside the joint limits.
    pub inside_limits: u64,
    /// Those of them that are in collision.
    pub in_collision: u64,
    /// The tightest pairs of a sample of these, most often first.
    pub colliding: Vec<(Pair, u64)>,
}

/// The self-motion of one pose.
pub(crate) struct SelfMotion<'a> {
    arm: &'a Manipulator,
    base_from_tcp: &'a Pose,
    start: &'a [f64],
}

impl<'a> SelfMotion<'a> {
    /// `None` for an arm that has none, or no closed form for it.
    pub(crate) fn of(arm: Option<&'a Manipulator>, base_from_tcp: &'a Pose, start: &'a [f64]) -> Option<Self> {
        let arm = arm.filter(|arm| !arm.ranges().is_empty())?;
        Some(Self { arm, base_from_tcp, start })
    }

    /// Free configurations, and what was tried; none where the last place was looked at in vain.
    ///
    /// Places follow a Halton sequence: evenly spread, and the next ones always fall between those before.
    ///
    /// # Errors
    /// What `control` says.
    pub(crate) fn free(&self, checker: &mut Checker, control: &Control) -> Result<(Vec<JointValues>, SelfMotionTried)> {
        let mut tried = SelfMotionTried::default();
        let mut free = Vec::new();
        let mut last = self.most_places();
        while tried.places < last && free.len() < ENOUGH_FREE_CONFIGURATIONS {
            control.check(0)?;
            let before = free.len();
            for q in self.next(&mut tried)? {
                if checker.is_free(&q) { free.push(q) } else { tried.in_collision += 1 }
            }
            if before == 0 && !free.is_empty() {
                last = last.min(FURTHER_SAMPLES_RATIO * tried.places);
            }
        }
        Ok((free, tried))
    }

    /// What all places that are looked at come to, with the pairs in collision.
    ///
    /// # Errors
    /// What `control` says.
    pub(crate) fn evidence(&self, checker: &mut Checker, control: &Control) -> Result<SelfMotionTried> {
        let mut tried = SelfMotionTried::default();
        let mut colliding: BTreeMap<Pair, u64> = BTreeMap::new();
        let every = self.most_places() / MAX_EXAMINED_COLLISIONS;
        while tried.places < self.most_places() {
            control.check(0)?;
            for q in self.next(&mut tried)? {
                if checker.is_free(&q) {
                    continue;
                }
                tried.in_collision += 1;
                if tried.in_collision % every == 1
                    && let Some((link, other, ..)) = collision(checker, &q)
                {
                    *colliding.entry(Pair { link, other }).or_default() += 1;
                }
            }
        }
        tried.colliding = colliding.into_iter().collect();
        // Stable: pairs in alphabetical order where counts are equal.
        tried.colliding.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(tried)
    }

    fn most_places(&self) -> u64 {
        if self.arm.dispatch_plan().tier > 0 { MAX_SLOW_SAMPLES } else { MAX_SELF_MOTION_SAMPLES }
    }

    /// The configurations inside the limits at the next place.
    fn next(&self, tried: &mut SelfMotionTried) -> Result<Vec<JointValues>> {
        tried.places += 1;
        let options = SolveOptions {
            seed: Some(self.start.into()),
            at: Some(place(self.arm.ranges(), tried.places)?),
            ..SolveOptions::default()
        };
        let (solutions, diagnostic) = self.arm.explain(self.base_from_tcp, &options)?;
        tried.configurations += diagnostic.raw_candidates as u64;
        tried.inside_limits += solutions.len() as u64;
        Ok(solutions.into_iter().map(|solution| solution.q).collect())
    }
}

/// Member `index` of Halton's sequence (1960) in the bases 2 and 3, inside the ranges.
fn place(ranges: &[Range], index: u64) -> Result<Parameters> {
    let values: Vec<f64> = ranges
        .iter()
        .zip([2, 3])
        .map(|(range, base)| range.low + (range.high - range.low) * radical_inverse(index, base))
        .collect();
    Parameters::try_from_slice("place in the self-motion", &values)
}

/// The digits of `index` mirrored at the point.
fn radical_inverse(mut index: u64, base: u64) -> f64 {
    let (mut value, mut weight) = (0.0, 1.0 / base as f64);
    while index > 0 {
        value += weight * (index % base) as f64;
        index /= base;
        weight /= base as f64;
    }
    value
}
