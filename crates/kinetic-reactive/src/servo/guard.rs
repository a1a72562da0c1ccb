//! What keeps an arm that is steered from touching anything: braking motions that are proven before each tick.
//!
//! A tick is allowed when the motion of the tick, and the fastest stop after it, are proven to keep the stop distance. The stop
//! is then the escape of the next tick, so that there is always one as long as the scene stays as it is. Where the arm is
//! closer than the stop distance already (an obstacle came, or it began there), a motion must be proven to keep the distance
//! that there is, to 0.2 mm, and no pair that is too close may be closer where it ends.

use kinetic_core::{KineticError, Pair, Result};
use kinetic_scene::motion::PROOF_RESOLUTION;
use kinetic_scene::{
    Checker, Clearance, DistancePrecision, LiveScene, Margins, Proximity, ProximityPair, ProximityPartner, Scene,
};

use super::braking::{BrakingMotion, HeldConfiguration};

/// Configurations that one proof may look at. A motion that needs more is not proven.
const PROOF_BUDGET: u64 = 256;

/// The same for motions with an error of the joints: their boxes do not vanish by halving.
const PROOF_BUDGET_WITH_ERROR: u64 = 16;

/// Less than this above the stop distance, m, proofs of motions fail by their resolution: a pair counts as too close.
const PROVABLE_SLACK_M: f64 = 2.0 * PROOF_RESOLUTION;

/// Pairs are measured at least so far beyond their stop distance, m: what is too close is among them.
const LEAST_ZONE_M: f64 = 1e-3;

/// Configurations that a proof about a single one may look at: halves of its box would be the same box.
const SINGLE_PROOF_BUDGET: u64 = 1;

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
    /// How far each joint may be from where it is commanded to be, rad or m.
    pub(super) error: f64,
}

impl StopMargins {
    /// How far beyond their stop distances pairs are measured.
    fn zones(&self) -> Margins {
        Margins::new(self.world_zone.max(LEAST_ZONE_M), self.own_zone.max(LEAST_ZONE_M))
    }

    fn zone(&self, pair: &ProximityPair) -> f64 {
        if matches!(pair.other, ProximityPartner::Body(_)) { self.own_zone } else { self.world_zone }
    }
}

/// Checkers of the scene as it is now.
pub(super) struct Guard {
    scene: LiveScene,
    group: String,
    margins: StopMargins,
    content: Content,
    /// Of the present configuration, and of another one.
    near: Proximity,
    later: Proximity,
    /// Least distances between padded bodies, to objects and between links, where a pair is too close.
    room: [f64; 2],
    /// Whether the stop distance is not proven for the configuration with the error of its joints.
    is_uncertain: bool,
}

/// The checkers of one content of the scene.
struct Content {
    /// Without stated margins.
    bare: Scene,
    revision: u64,
    /// Keeps the stop distance, or the margin that the scene states for a pair.
    stop: Checker,
    /// Keeps paddings, and contacts that the scene allows.
    contact: Checker,
    /// Keeps the distance that there is, where it is below the stop distance.
    leaving: Option<Checker>,
}

impl Content {
    fn new(scene: &LiveScene, group: &str, margins: StopMargins) -> Result<Self> {
        // An edit between the two is followed next time.
        let (revision, snapshot) = (scene.revision(), scene.snapshot());
        let stop = snapshot.checker(group, Margins::new(margins.world, margins.own))?;
        let bare = snapshot.without_margins();
        let contact = bare.checker(group, Margins::new(0.0, 0.0))?;
        Ok(Self { bare, revision, stop, contact, leaving: None })
    }
}

impl Guard {
    pub(super) fn new(scene: LiveScene, group: &str, margins: StopMargins) -> Result<Self> {
        let content = Content::new(&scene, group, margins)?;
        let (near, later) = (Proximity::default(), Proximity::default());
        Ok(Self {
            scene,
            group: group.to_owned(),
            margins,
            content,
            near,
            later,
            room: [f64::INFINITY; 2],
            is_uncertain: false,
        })
    }

    /// Follows edits of the scene; answers whether there was one. Proofs made before it hold no longer.
    pub(super) fn follow_scene(&mut self) -> Result<bool> {
        if self.scene.revision() == self.content.revision {
            return Ok(false);
        }
        self.content = Content::new(&self.scene, &self.group, self.margins)?;
        Ok(true)
    }

    /// The scene, edits of it included.
    pub(super) fn scene(&self) -> &LiveScene {
        &self.scene
    }

    /// Distances that stops keep where the scene states none.
    pub(super) fn stop_margins(&self) -> Margins {
        Margins::new(self.margins.world, self.margins.own)
    }

    /// Values of the joints outside the group.
    pub(super) fn held(&self) -> &[f64] {
        self.content.bare.held()
    }

    /// Refuses a configuration in contact, as one to begin at.
    pub(super) fn check_contact(&mut self, q: &[f64]) -> Result<()> {
        self.content.leaving = None;
        if self.content.contact.is_free(q) {
            return Ok(());
        }
        let Clearance { distance, margin, pair } = self.content.contact.clearance(q);
        let Pair { link, other } = pair.unwrap_or_else(|| Pair::new("", ""));
        Err(KineticError::StartInCollision { link, other, distance, margin })
    }

    /// Measures every pair that is near at `q`.
    pub(super) fn look(&mut self, q: &[f64]) {
        let Self { content, margins, near, later, is_uncertain, .. } = self;
        let zones = margins.zones();
        content.stop.proximity(q, zones, DistancePrecision::Single, near);
        *is_uncertain = margins.error > 0.0
            && !content
                .stop
                .is_timed_motion_free_within(&HeldConfiguration { q, error: margins.error }, SINGLE_PROOF_BUDGET);
        if *is_uncertain || near.pairs().iter().any(is_too_close) {
            // Whether a pair comes closer is decided by exact distances.
            content.stop.proximity(q, zones, DistancePrecision::Exact, near);
            let within = margins.world.max(margins.own) + LEAVING_STEP_M;
            content.contact.proximity(q, within, DistancePrecision::Exact, later);
            self.room = least(later.pairs().iter().map(|pair| (pair, slack(pair))));
        }
    }

    fn is_slowing(&self, pair: &ProximityPair) -> bool {
        slack(pair) < self.margins.zone(pair)
    }

    /// Whether a pair is at its stop distance, or closer, or may be by the error of the joints.
    pub(super) fn is_too_close(&self) -> bool {
        self.is_uncertain || self.near.pairs().iter().any(is_too_close)
    }

    /// The pairs inside their slowdown distance at the configuration that was looked at last, and the derivative of each distance.
    pub(super) fn near(&self) -> impl Iterator<Item = (&ProximityPair, &[f64])> {
        let pairs = self.near.pairs().iter().enumerate().map(|(index, pair)| (pair, self.near.gradient(index)));
        pairs.filter(|(pair, _)| self.is_slowing(pair) || is_too_close(pair))
    }

    /// Their least distances, to objects and between bodies of the robot.
    pub(super) fn least_distances(&self) -> [f64; 2] {
        least(self.near().map(|(pair, _)| (pair, pair.distance)))
    }

    /// The one that has least room above its stop distance.
    pub(super) fn nearest(&self) -> Option<&ProximityPair> {
        self.near().map(|(pair, _)| pair).min_by(|one, other| slack(one).total_cmp(&slack(other)))
    }

    pub(super) fn names(&self, pair: &ProximityPair) -> Pair {
        self.content.stop.proximity_names(pair)
    }

    /// The fastest that a pair may come closer, m/s and negative, where it would come closer by `rate`: the part of it that falls
    /// from 1 at the slowdown distance to 0 at the stop distance, or what is slow enough anyway.
    pub(super) fn fastest_approach(&self, pair: &ProximityPair, rate: f64) -> f64 {
        let (slack, zone) = (slack(pair).max(0.0), self.margins.zone(pair));
        let part = if slack >= zone { 1.0 } else { slack / zone };
        (part * rate.min(0.0)).min(-slack / UNHURRIED_APPROACH_S)
    }

    /// Whether a motion from the configuration that was looked at last, which ends at `end`, is proven. From where the arm is too close
    /// already, or may be, it is proven as it is commanded.
    pub(super) fn allows(&mut self, motion: &mut BrakingMotion, end: &[f64]) -> Result<bool> {
        if !self.is_too_close() {
            self.content.leaving = None;
            let budget = if self.margins.error > 0.0 { PROOF_BUDGET_WITH_ERROR } else { PROOF_BUDGET };
            return Ok(self.content.stop.is_timed_motion_free_within(motion, budget));
        }
        if !self.leaves(end) {
            return Ok(false);
        }
        let leaving = self.leaving()?;
        Ok(motion.without_error(|motion| leaving.is_timed_motion_free_within(motion, PROOF_BUDGET)))
    }

    /// The checker that keeps the distances that there were when the arm came too close. Its margins rise with the distance, and
    /// fall only when something else than a proven motion has brought the arm closer.
    fn leaving(&mut self) -> Result<&mut Checker> {
        let before = self.content.leaving.as_ref().map(Checker::margins);
        let [world, own] = self.room;
        let margins = Margins::new(
            kept_distance(world, before.map(|before| before.world)).min(self.margins.world),
            kept_distance(own, before.map(|before| before.own)).min(self.margins.own),
        );
        let checker = match self.content.leaving.take() {
            Some(checker) if checker.margins() == margins => checker,
            _ => self.content.bare.checker(&self.group, margins)?,
        };
        Ok(self.content.leaving.insert(checker))
    }

    /// Whether a motion is proven not to touch anything.
    pub(super) fn is_braking_free(&mut self, motion: &BrakingMotion) -> bool {
        self.content.contact.is_timed_motion_free_within(motion, PROOF_BUDGET)
    }

    /// Whether no pair that is too close at `end` is closer there than now.
    fn leaves(&mut self, end: &[f64]) -> bool {
        // What was not near now and is near there has come closer.
        self.content.stop.proximity(end, self.margins.zones(), DistancePrecision::Exact, &mut self.later);
        let now = |pair: &ProximityPair| {
            let is_same = |other: &&ProximityPair| other.body == pair.body && other.other == pair.other;
            self.near.pairs().iter().find(is_same).map_or(f64::INFINITY, |pair| pair.distance)
        };
        let mut close =
            self.later.pairs().iter().filter(|pair| is_too_close(pair) || (self.is_uncertain && self.is_slowing(pair)));
        close.all(|pair| pair.distance >= now(pair) - CLOSER_TOLERANCE_M)
    }
}

/// Distance beyond what is required, m.
pub(super) fn slack(pair: &ProximityPair) -> f64 {
    pair.distance - pair.margin
}

/// Whether a pair is at its stop distance, or closer.
fn is_too_close(pair: &ProximityPair) -> bool {
    slack(pair) <= PROVABLE_SLACK_M
}

/// The least values of pairs with objects, and of those between bodies of the robot; infinite without any.
fn least<'a>(values: impl Iterator<Item = (&'a ProximityPair, f64)>) -> [f64; 2] {
    values.fold([f64::INFINITY; 2], |mut least, (pair, value)| {
        let own = &mut least[usize::from(matches!(pair.other, ProximityPartner::Body(_)))];
        *own = own.min(value);
        least
    })
}

/// The distance, m, that motions from a distance have to keep, by the one that they had to keep `before`.
fn kept_distance(least: f64, before: Option<f64>) -> f64 {
    let step = (least / LEAVING_STEP_M).floor() - 1.0;
    let kept = (step * LEAVING_STEP_M).max(0.0);
    before.filter(|before| least > *before).map_or(kept, |before| before.max(kept))
}
