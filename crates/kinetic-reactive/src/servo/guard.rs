//! What keeps an arm that is steered from touching anything: braking motions that are proven before each tick.
//!
//! A tick is allowed when the motion of the tick, and the fastest stop after it, are proven to keep the stop distance. The stop
//! is then the way out of the next tick, so that there is always one as long as the scene stays as it is. Where the arm is
//! closer than the stop distance already (an obstacle came, or it began there), a motion must be proven to keep the distance
//! that there is, to 0.2 mm, and no pair that is too close may be closer where it ends.

use kinetic_core::{KineticError, Pair, Result};
use kinetic_scene::motion::PROOF_RESOLUTION;
use kinetic_scene::{
    Checker, Clearance, DistancePrecision, LiveScene, Margins, Proximity, ProximityPair, ProximityPartner, Scene,
};

use super::braking::BrakingMotion;

/// Configurations that one proof may look at: some hundred microseconds. A motion that needs more is not proven.
const PROOF_BUDGET: u64 = 1_000;

/// Less than this above the stop distance, m, proofs of motions fail by their resolution: a pair counts as too close.
const PROVABLE_SLACK_M: f64 = 2.0 * PROOF_RESOLUTION;

/// A pair that is too close already may be closer by this after a motion, m: the rounding of exact distances. It is so small
/// because every tick may use it.
const CLOSER_TOLERANCE_M: f64 = 1e-8;

/// A pair is not slowed down for when its room above the stop distance would last longer than this, s: links that always turn
/// near each other, and rounding.
const UNHURRIED_APPROACH_S: f64 = 1.0;

/// The distance that there is, where it is below the stop distance, is kept in steps of this, m: a checker is made for each.
const LEAVING_STEP_M: f64 = 1e-4;

/// Distances that the guard keeps, m.
#[derive(Debug, Clone, Copy)]
pub(super) struct StopMargins {
    pub(super) world: f64,
    pub(super) own: f64,
    /// How much farther away motion slows down.
    pub(super) world_zone: f64,
    pub(super) own_zone: f64,
}

impl StopMargins {
    fn zone(&self, pair: &ProximityPair) -> f64 {
        if matches!(pair.other, ProximityPartner::Body(_)) { self.own_zone } else { self.world_zone }
    }
}

/// Checkers of the scene as it is now.
pub(super) struct Guard {
    scene: LiveScene,
    group: String,
    margins: StopMargins,
    revision: u64,
    /// Keeps the stop distance.
    stop: Checker,
    /// Keeps the distance that there is, where it is below the stop distance.
    leaving: Option<Checker>,
    /// Keeps the scene's own margins, paddings and contacts.
    contact: Checker,
    /// Of the present configuration, and of another one.
    near: Proximity,
    later: Proximity,
}

impl Guard {
    pub(super) fn new(scene: LiveScene, group: &str, margins: StopMargins) -> Result<Self> {
        let (snapshot, revision) = latest(&scene);
        let stop = snapshot.checker(group, Margins::new(margins.world, margins.own))?;
        let contact = snapshot.checker(group, Margins::new(0.0, 0.0))?;
        let (near, later) = (Proximity::default(), Proximity::default());
        Ok(Self { scene, group: group.to_owned(), margins, revision, stop, leaving: None, contact, near, later })
    }

    /// Follows edits of the scene; answers whether there was one. Proofs made before it hold no longer.
    pub(super) fn follow_scene(&mut self) -> Result<bool> {
        if self.scene.revision() == self.revision {
            return Ok(false);
        }
        let (snapshot, revision) = latest(&self.scene);
        self.stop = snapshot.checker(&self.group, Margins::new(self.margins.world, self.margins.own))?;
        self.contact = snapshot.checker(&self.group, Margins::new(0.0, 0.0))?;
        (self.leaving, self.revision) = (None, revision);
        Ok(true)
    }

    /// Reads the scene as it is now.
    pub(super) fn read_scene(&self, read: impl FnOnce(&Scene)) {
        self.scene.read(read);
    }

    /// Refuses a configuration in contact, as one to begin at.
    pub(super) fn check_contact(&mut self, q: &[f64]) -> Result<()> {
        self.leaving = None;
        if self.contact.is_free(q) {
            return Ok(());
        }
        let Clearance { distance, margin, pair } = self.contact.clearance(q);
        let Pair { link, other } = pair.unwrap_or_else(|| Pair::new("", ""));
        Err(KineticError::StartInCollision { link, other, distance, margin })
    }

    /// Measures every pair that is near at `q`.
    pub(super) fn look(&mut self, q: &[f64]) {
        let farthest = self.margins.world_zone.max(self.margins.own_zone);
        self.stop.proximity(q, farthest, DistancePrecision::Single, &mut self.near);
        if self.is_too_close() {
            // Whether a pair comes closer is decided by exact distances.
            self.stop.proximity(q, farthest, DistancePrecision::Exact, &mut self.near);
        }
    }

    /// Whether a pair is at its stop distance, or closer.
    pub(super) fn is_too_close(&self) -> bool {
        self.near.pairs().iter().any(|pair| slack(pair) <= PROVABLE_SLACK_M)
    }

    /// The pairs near the configuration that was looked at last, and the derivative of each distance.
    pub(super) fn near(&self) -> impl Iterator<Item = (&ProximityPair, &[f64])> {
        self.near.pairs().iter().enumerate().map(|(index, pair)| (pair, self.near.gradient(index)))
    }

    /// The least distance to objects, and between bodies of the robot.
    pub(super) fn least_distances(&self) -> [f64; 2] {
        let mut least = [f64::INFINITY; 2];
        for pair in self.near.pairs() {
            let own = &mut least[usize::from(matches!(pair.other, ProximityPartner::Body(_)))];
            *own = own.min(pair.distance);
        }
        least
    }

    /// The one that has least room above its stop distance.
    pub(super) fn nearest(&self) -> Option<&ProximityPair> {
        self.near.pairs().iter().min_by(|one, other| slack(one).total_cmp(&slack(other)))
    }

    pub(super) fn names(&self, pair: &ProximityPair) -> Pair {
        self.stop.proximity_names(pair)
    }

    /// The fastest that a pair may come closer, m/s and negative, where it would come closer by `rate`: the part of it that falls
    /// from 1 at the slowdown distance to 0 at the stop distance, or what is slow enough anyway.
    pub(super) fn fastest_approach(&self, pair: &ProximityPair, rate: f64) -> f64 {
        let (slack, zone) = (slack(pair).max(0.0), self.margins.zone(pair));
        let part = if slack >= zone { 1.0 } else { slack / zone };
        (part * rate.min(0.0)).min(-slack / UNHURRIED_APPROACH_S)
    }

    /// Whether a motion from the configuration that was looked at last, which ends at `end`, is proven.
    pub(super) fn allows(&mut self, motion: &BrakingMotion, end: &[f64]) -> Result<bool> {
        if !self.is_too_close() {
            self.leaving = None;
            return Ok(self.stop.is_timed_motion_free_within(motion, PROOF_BUDGET));
        }
        Ok(self.leaves(end) && self.leaving()?.is_timed_motion_free_within(motion, PROOF_BUDGET))
    }

    /// The checker that keeps the distances that there were when the arm came too close. Its margins rise with the distance, and
    /// fall only when something else than a proven motion has brought the arm closer.
    fn leaving(&mut self) -> Result<&mut Checker> {
        let before = self.leaving.as_ref().map(Checker::margins);
        let [world, own] = self.least_distances();
        let margins = Margins::new(
            kept_distance(world, before.map(|before| before.world)).min(self.margins.world),
            kept_distance(own, before.map(|before| before.own)).min(self.margins.own),
        );
        let checker = match self.leaving.take() {
            Some(checker) if checker.margins() == margins => checker,
            _ => self.scene.read(|scene| scene.checker(&self.group, margins))?,
        };
        Ok(self.leaving.insert(checker))
    }

    /// Whether a motion is proven not to touch anything.
    pub(super) fn is_braking_free(&mut self, motion: &BrakingMotion) -> bool {
        self.contact.is_timed_motion_free_within(motion, PROOF_BUDGET)
    }

    /// Whether no pair that is too close at `end` is closer there than now.
    fn leaves(&mut self, end: &[f64]) -> bool {
        self.stop.proximity(end, PROVABLE_SLACK_M, DistancePrecision::Exact, &mut self.later);
        let now = |pair: &ProximityPair| {
            let is_same = |other: &&ProximityPair| other.body == pair.body && other.other == pair.other;
            self.near.pairs().iter().find(is_same).map_or(f64::INFINITY, |pair| pair.distance)
        };
        let pairs = self.later.pairs();
        pairs.iter().all(|pair| slack(pair) > PROVABLE_SLACK_M || pair.distance >= now(pair) - CLOSER_TOLERANCE_M)
    }
}

/// Distance beyond what is required, m.
pub(super) fn slack(pair: &ProximityPair) -> f64 {
    pair.distance - pair.margin
}

/// A snapshot and the revision that it has, or an older one, so that an edit in between is followed next time.
fn latest(scene: &LiveScene) -> (Scene, u64) {
    let revision = scene.revision();
    (scene.snapshot(), revision)
}

/// The distance, m, that motions from a distance have to keep, by the one that they had to keep `before`.
fn kept_distance(least: f64, before: Option<f64>) -> f64 {
    let step = (least / LEAVING_STEP_M).floor() - 1.0;
    let kept = (step * LEAVING_STEP_M).max(0.0);
    before.filter(|before| least > *before).map_or(kept, |before| before.max(kept))
}
