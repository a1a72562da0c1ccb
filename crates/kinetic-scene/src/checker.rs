//! The state validity checker: collision queries about configurations and motions of one planning group.

pub(crate) mod key;

use std::sync::Arc;

use kinetic_collision::exact::Separation;
use kinetic_collision_simd::TimedMotion;
use kinetic_collision_simd::{BATCH, CollisionModel, CurveMotion, ExactTier, SegmentMotion, SimdTier};
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{ClosestApproach, ClosestApproaches, Control, KineticError, Pair, PiecewisePolynomial, Result};
use nalgebra::{Point3, Vector3};

use crate::continuous::{DistanceQueries, LeastClearance, Partners};
use crate::margins::Margins;
use crate::tiers::CollisionTiers;
use key::CheckerKey;

/// The tightest pair at a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Clearance {
    /// Signed distance of the pair, m; negative is penetration, infinite when nothing can touch.
    pub distance: f64,
    /// Required clearance of the pair, m.
    pub margin: f64,
    /// The pair; `None` when nothing can touch.
    pub pair: Option<Pair>,
}

impl Clearance {
    /// True when the pair keeps its margin.
    pub fn is_free(&self) -> bool {
        self.distance > self.margin
    }
}

/// Two bodies that are closer than the distance of a query, with witness points. Points and normal are in the robot's
/// root frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Names of the two bodies.
    pub pair: Pair,
    /// Signed distance, m; negative is penetration.
    pub distance: f64,
    /// Point of the surface of `pair.link` that is nearest to the other, or deepest in it.
    pub point_on_link: Point3<f64>,
    /// Witness point on the other, at `point_on_link + normal · distance`.
    pub point_on_other: Point3<f64>,
    /// Unit vector from the link to the other. Moving the other along it separates the two or increases their distance.
    pub normal: Vector3<f64>,
}

impl Contact {
    fn new(pair: Pair, found: &Separation) -> Self {
        let Separation { distance, point_a, point_b, normal } = *found;
        Self { pair, distance, point_on_link: point_a, point_on_other: point_b, normal }
    }

    /// Penetration depth, m; 0 for bodies that do not overlap.
    pub fn depth(&self) -> f64 {
        (-self.distance).max(0.0)
    }
}

/// Answers whether configurations and motions of one planning group are free.
///
/// Made by [`Scene::checker`](crate::Scene::checker) from the scene as it is then; later edits do not reach it. It owns
/// its buffers, so that each thread needs its own. After set-up, queries allocate nothing once their buffers have
/// grown.
#[derive(Debug, Clone)]
pub struct Checker {
    pub(crate) tiers: CollisionTiers,
    group: String,
    margins: Margins,
    /// Cache key; `None` for a checker whose obstacles cannot be replaced.
    pub(crate) key: Option<Arc<CheckerKey>>,
    /// Number of object moves since its obstacles were compiled.
    pub(crate) moved: usize,
}

impl Checker {
    pub(crate) fn new(model: CollisionModel, group: String, margins: Margins) -> Self {
        Self { tiers: CollisionTiers::new(model), group, margins, key: None, moved: 0 }
    }

    /// Uses other instructions than [`simd_tier`](crate::simd::simd_tier) says, for measurements. Results stay the same.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::InvalidValue`] for instructions that the processor does not have.
    pub fn with_simd_tier(mut self, tier: SimdTier) -> Result<Self> {
        let available = SimdTier::available();
        if !available.contains(&tier) {
            return Err(KineticError::invalid("SIMD tier", format!("{tier:?}"), format!("one of {available:?}")));
        }
        self.tiers.set_tier(tier);
        Ok(self)
    }

    /// Clears the caches that earlier queries filled. The cost of a query, which budgets count, is then that of a new
    /// checker.
    pub fn forget(&mut self) {
        self.tiers.exact.separation.forget();
    }

    /// Clears the caches on which distances in single precision depend, within their error. Those of verdicts, which change nothing
    /// but their cost, stay.
    pub fn forget_distances(&mut self) {
        self.tiers.exact.separation.forget_distances();
    }

    /// Sets a control that ends long queries about motions and curves. A query that it ends has the result of a missing
    /// proof: a motion is not proven free, a curve is blocked, a clearance is the least one met so far. With `None` no
    /// query is ended. Iterations are not counted, and queries of less than some thousand configurations do not read
    /// the control. Callers should test the control before they trust a negative result.
    pub fn obey(&mut self, control: Option<&Control>) {
        self.tiers.obey(control);
    }

    /// Length of a configuration.
    pub fn dof(&self) -> usize {
        self.tiers.exact.model.program.num_variables()
    }

    /// The collision model that it was compiled from: bodies with their bounding spheres, obstacles, and the pairs that the
    /// scene does not allow to touch, with the clearance that each requires.
    pub fn model(&self) -> &CollisionModel {
        &self.tiers.exact.model
    }

    /// Configurations evaluated since creation.
    pub fn checks(&self) -> u64 {
        self.tiers.continuous.checks
    }

    /// The planning group of its configurations.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// The general margins: the required clearance of pairs for which the scene states none.
    pub fn margins(&self) -> Margins {
        self.margins
    }

    /// The least required clearances from the world and in self-collision, with paddings and all margins of the scene:
    /// a proof guarantees them for every pair. The general margins where there is no such pair.
    pub fn least_margins(&self) -> Margins {
        let (world, own) = self.tiers.exact.least_margins();
        Margins::new(world.unwrap_or(self.margins.world), own.unwrap_or(self.margins.own))
    }

    /// Rejects a configuration of the wrong length or with NaN. The queries below do not test for either.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
    pub fn check_input(&self, q: &[f64]) -> Result<()> {
        check_len(&format!("configuration of group \"{}\"", self.group), q.len(), self.dof())?;
        check_finite("configuration", q)
    }

    /// True when every pair keeps its margin at `q`.
    pub fn is_free(&mut self, q: &[f64]) -> bool {
        self.tiers.is_free(q)
    }

    /// For each configuration (row after row in `configurations`), whether it is free.
    pub fn are_free(&mut self, configurations: &[f64]) -> Vec<bool> {
        let mut free = vec![false; configurations.len() / self.dof().max(1)];
        self.are_free_into(configurations, &mut free);
        free
    }

    /// As [`are_free`](Self::are_free), into a buffer with one element per configuration.
    pub fn are_free_into(&mut self, configurations: &[f64], free: &mut [bool]) {
        let dof = self.dof();
        for (batch, free) in free.chunks_mut(BATCH).enumerate() {
            let begin = batch * BATCH * dof;
            let rows = &configurations[begin..begin + free.len() * dof];
            self.tiers.are_free(rows, free);
        }
    }

    /// Whether all configurations (row after row in `configurations`) are free. It ends with the first batch of which one is not,
    /// and is fast where those of a batch are near each other, as samples of a path are. Values that make no whole configuration are
    /// not free.
    pub fn are_all_free(&mut self, configurations: &[f64]) -> bool {
        let dof = self.dof();
        let are_whole = configurations.len().is_multiple_of(dof);
        are_whole && (dof == 0 || configurations.chunks(BATCH * dof).all(|rows| self.tiers.are_all_free(rows)))
    }

    /// True when every sample of the segment keeps every margin. This is no proof, but rejects a motion faster than
    /// [`is_motion_free`](Self::is_motion_free). There are at least `resolution` samples per unit of joint-space length
    /// (rad or m); `to` is one of them, `from` is not. Where they lie does not depend on the processor.
    pub fn is_motion_sampled_free(&mut self, from: &[f64], to: &[f64], resolution: f64) -> bool {
        let rakes = rakes(from, to, resolution);
        let answer = self.tiers.is_sampled_free((from, to), rakes);
        answer.unwrap_or_else(|| {
            let samples = u64::from(rakes) * BATCH as u64;
            (0..samples).all(|k| self.is_free_between(from, to, (samples - k) as f64 / samples as f64))
        })
    }

    /// Up to where a segment is free by its samples: the largest fraction in [0, 1] such that all samples up to it keep
    /// every margin, 0 when the first one does not. The samples are as many as those of
    /// [`is_motion_sampled_free`](Self::is_motion_sampled_free), at the same parameters except for rounding. They are
    /// checked in order from `from` on; to reject a whole motion, that query is faster.
    pub fn sampled_free_fraction(&mut self, from: &[f64], to: &[f64], resolution: f64) -> f64 {
        let rakes = rakes(from, to, resolution);
        let samples = u64::from(rakes) * BATCH as u64;
        let found = self.tiers.free_samples((from, to), rakes);
        let free = found.map_or_else(
            || {
                let blocked = |k: &u64| !self.is_free_between(from, to, (k + 1) as f64 / samples as f64);
                (0..samples).find(blocked).unwrap_or(samples)
            },
            u64::from,
        );
        free as f64 / samples as f64
    }

    fn is_free_between(&mut self, from: &[f64], to: &[f64], t: f64) -> bool {
        let q: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + t * (to - from)).collect();
        self.tiers.is_free_in_double(&q)
    }

    /// The pair with the least distance over its margin at `q`.
    pub fn clearance(&mut self, q: &[f64]) -> Clearance {
        let least = self.tiers.least_clearance(&SegmentMotion { from: q, to: q }, 0.0, Partners::All);
        self.describe(least.item, least.slack)
    }

    /// The item with the least slack at `q`, and its slack; `None` when nothing can touch.
    pub(crate) fn tightest(&mut self, q: &[f64]) -> Option<(u32, f64)> {
        let least = self.tiers.least_clearance(&SegmentMotion { from: q, to: q }, 0.0, Partners::All);
        Some((self.tiers.exact.finest(least.item?), least.slack))
    }

    /// All pairs closer than their margin plus `within`, at `q`, nearest first.
    pub fn contacts(&mut self, q: &[f64], within: f64) -> Vec<Contact> {
        self.place(q);
        let mut found = Vec::new();
        for item in self.tiers.exact.finest_items() {
            let margin = self.tiers.exact.margin(item);
            if let Some(separation) = self.tiers.exact.separation(item, within + margin) {
                let (link, other) = self.tiers.exact.names(item);
                found.push(Contact::new(Pair { link, other }, &separation));
            }
        }
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then_with(|| a.pair.cmp(&b.pair)));
        found
    }

    /// Self-collision pairs that violate their required clearance at `q`; names of a pair in alphabetical order.
    pub fn self_contacts(&mut self, q: &[f64]) -> Vec<Pair> {
        self.place(q);
        let first = self.tiers.exact.model.bodies.len() as u32;
        let mut found: Vec<Pair> = (first..self.tiers.exact.num_items() as u32)
            .filter(|item| self.tiers.exact.slack(*item, 0.0) <= 0.0)
            .collect::<Vec<_>>()
            .into_iter()
            .map(|item| self.tiers.exact.names(item))
            .map(|(a, b)| if a <= b { Pair::new(a, b) } else { Pair::new(b, a) })
            .collect();
        found.sort();
        found
    }

    /// Least signed distance to the world at `q`, with its pair; infinite in an empty scene. Paddings belong to the bodies,
    /// margins do not count.
    pub fn world_distance(&mut self, q: &[f64]) -> (f64, Option<Pair>) {
        self.place(q);
        let (mut least, mut nearest) = (f64::INFINITY, None);
        for body in 0..self.tiers.exact.model.bodies.len() {
            if let Some((distance, id)) = self.tiers.exact.padded_world_distance(body, least) {
                (least, nearest) = (distance, Some((body, id)));
            }
        }
        let pair = nearest.map(|(body, id)| {
            Pair::new(&self.tiers.exact.model.bodies[body].name, &self.tiers.exact.model.world[id as usize].name)
        });
        (least, pair)
    }

    /// True when the whole segment, ends included, is proven to keep every margin.
    pub fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.tiers.prove(&SegmentMotion { from, to }, u64::MAX).is_none()
    }

    /// As [`is_motion_free`](Self::is_motion_free), with the proof limited to `budget` configurations: `false` also for
    /// a motion that is so close to obstacles over so long a stretch that its proof needs more. It is meant for
    /// searches, which have other motions to try.
    pub fn is_motion_free_within(&mut self, from: &[f64], to: &[f64], budget: u64) -> bool {
        self.tiers.prove(&SegmentMotion { from, to }, budget).is_none()
    }

    /// Whether a motion of the caller's, ends included, is proven to keep every margin, with the proof limited to `budget`
    /// configurations as in [`is_motion_free_within`](Self::is_motion_free_within). The boxes of the motion may be wider than
    /// the motion, by what is not known of it.
    pub fn is_timed_motion_free_within(&mut self, motion: &impl TimedMotion, budget: u64) -> bool {
        self.tiers.prove(motion, budget).is_none()
    }

    /// The first contact on the segment, as a fraction in [0, 1] at which a margin is violated, with the pair.
    pub fn first_contact(&mut self, from: &[f64], to: &[f64]) -> Option<(f64, Pair)> {
        let motion = SegmentMotion { from, to };
        let blocked = self.tiers.first_contact(&motion)?;
        Some((blocked.t, self.pair(blocked.item)))
    }

    /// Proves a timed curve free; otherwise returns when and by which pair it is blocked.
    pub fn curve_contact(&mut self, curve: &PiecewisePolynomial) -> Option<(f64, Pair)> {
        self.timed_contact(&CurveMotion::new(curve))
    }

    /// Whether a timed curve is proven free, with the proof limited to `budget` configurations as in
    /// [`is_motion_free_within`](Self::is_motion_free_within).
    pub fn is_curve_free_within(&mut self, curve: &PiecewisePolynomial, budget: u64) -> bool {
        self.is_timed_motion_free_within(&CurveMotion::new(curve), budget)
    }

    /// As [`curve_contact`](Self::curve_contact), for some pieces of the curve, in ascending order.
    ///
    /// # Panics
    /// For pieces that the curve does not have.
    pub fn pieces_contact(&mut self, curve: &PiecewisePolynomial, pieces: &[usize]) -> Option<(f64, Pair)> {
        self.timed_contact(&CurveMotion::of_pieces(curve, pieces))
    }

    fn timed_contact(&mut self, motion: &CurveMotion<'_>) -> Option<(f64, Pair)> {
        let blocked = self.tiers.prove(motion, u64::MAX)?;
        Some((blocked.t, self.pair(blocked.item)))
    }

    /// The first time on a timed curve at which a margin is missed, and the pair; `None` when it is proven free.
    pub fn first_curve_contact(&mut self, curve: &PiecewisePolynomial) -> Option<(f64, Pair)> {
        let blocked = self.tiers.first_contact(&CurveMotion::new(curve))?;
        Some((blocked.t, self.pair(blocked.item)))
    }

    /// The closest approaches along a timed curve, each at most `tolerance` (m) above the true minimum.
    pub fn closest_approaches(&mut self, curve: &PiecewisePolynomial, tolerance: f64) -> ClosestApproaches {
        ClosestApproaches {
            world: self.closest_approach(curve, tolerance, Partners::World),
            own: self.closest_approach(curve, tolerance, Partners::Robot),
        }
    }

    fn closest_approach(&mut self, curve: &PiecewisePolynomial, tolerance: f64, partners: Partners) -> ClosestApproach {
        let LeastClearance { slack, t, item } =
            self.tiers.least_clearance(&CurveMotion::new(curve), tolerance, partners);
        let mut q = vec![0.0; self.dof()];
        curve.sample_into(t, 0, &mut q);
        self.place(&q);
        let Clearance { distance, margin, pair } = self.describe(item, slack);
        ClosestApproach { distance, margin, pair, time: t }
    }

    pub(crate) fn place(&mut self, q: &[f64]) {
        self.tiers.place(q);
    }

    pub(crate) fn describe(&mut self, item: Option<u32>, slack: f64) -> Clearance {
        let Some(item) = item else {
            return Clearance { distance: f64::INFINITY, margin: 0.0, pair: None };
        };
        let item = self.tiers.exact.finest(item);
        let margin = self.tiers.exact.margin(item);
        Clearance { distance: slack + margin, margin, pair: Some(self.pair(item)) }
    }

    /// The names of an item.
    fn pair(&mut self, item: u32) -> Pair {
        let item = self.tiers.exact.finest(item);
        let (link, other) = self.tiers.exact.names(item);
        Pair { link, other }
    }
}

/// Number of batches of samples that a segment needs for at least `resolution` samples per unit of its length.
fn rakes(from: &[f64], to: &[f64], resolution: f64) -> u32 {
    let length = from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    #[allow(clippy::cast_sign_loss, reason = "a length; what is not finite becomes the nearest integer or 0")]
    let rakes = (length * resolution / BATCH as f64).ceil() as u32;
    // Bounded so that the number of samples fits into the same type.
    rakes.clamp(1, u32::MAX / BATCH as u32)
}
