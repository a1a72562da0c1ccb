//! Starts outside their limits or in contact, moved to a valid configuration (the tasks of `FixStartStateBounds` and
//! `FixStartStateCollision` among `MoveIt`'s adapters), see [`fix_start`](kinetic_core::PlannerConfig::fix_start).

use std::collections::BTreeMap;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, JointValues, Pair, Result, Trajectory};
use kinetic_scene::Checker;
use kinetic_trajectory::{TimeLawSpec, TimingOptions, time_parameterize_with};

use super::Planner;
use crate::certify::identity;
use crate::goal_context::LIMIT_TOLERANCE;
use crate::result::LeadIn;

/// Configurations of the way from an invalid start to a valid one at which pairs are measured, evenly spread, both ends included.
pub const LEAD_IN_SAMPLES: usize = 33;

/// Sizes of the neighbourhoods that are sampled one after the other, as parts of the largest change.
const SCALES: [f64; 5] = [1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0, 1.0];

/// Samples in each of them.
const SAMPLES_PER_SCALE: u64 = 256;

/// Bisections of the way from the contact to a free sample.
const WAY_BACK_BISECTIONS: usize = 20;

/// What a configuration that was searched for keeps beyond its margins, m: motions that begin right at a margin can hardly be
/// proven.
const ROOM_M: f64 = 5e-4;

/// A pair in contact may come nearer by this on its way out, m: above the rounding of distances.
const NEARER_M: f64 = 1e-6;

impl Planner {
    /// The valid configuration that a start is moved to, and the way there; `None` where the start is valid, where it is not to be
    /// moved, or where no valid configuration is near enough.
    ///
    /// # Errors
    /// What `control` says.
    pub(super) fn lead_in(&self, checker: &mut Checker, start: &[f64], control: &Control) -> Result<Option<LeadIn>> {
        let most = self.config.fix_start;
        if most <= 0.0 || self.check_start(checker, start).is_ok() {
            return Ok(None);
        }
        let inside = self.inside_limits(start);
        if largest_change(start, &inside) > most {
            return Ok(None);
        }
        let contacts = contacts(checker, start);
        let end = if checker.is_free(&inside) {
            way_keeps(checker, start, &inside, &contacts).then_some(inside)
        } else {
            self.nearest_free(checker, (start, &inside), &contacts, control)?
        };
        end.map(|end| self.led_in(checker, start, &end, contacts)).transpose()
    }

    /// What is said of the way to `end`.
    fn led_in(
        &self,
        checker: &mut Checker,
        start: &[f64],
        end: &JointValues,
        contacts: BTreeMap<Pair, f64>,
    ) -> Result<LeadIn> {
        let bounds = self.chain.bounds().iter().zip(self.chain.joint_names());
        let outside =
            |((bounds, name), value): ((&(f64, f64), &String), &f64)| is_outside(*value, *bounds).then(|| name.clone());
        Ok(LeadIn {
            path: Trajectory::from_waypoints(&[start, end])?.with_identity(identity(
                &self.scene,
                &self.group,
                &self.chain,
            ))?,
            largest_change: largest_change(start, end),
            outside_limits: bounds.zip(start).filter_map(outside).collect(),
            is_proven_free: contacts.is_empty() && checker.is_motion_free(start, end),
            contacts: contacts.into_iter().collect(),
            trajectory: None,
        })
    }

    /// The way timed from rest to rest by a law under the limits of velocity and acceleration.
    ///
    /// # Errors
    /// Those of the time law.
    pub(super) fn timed_lead_in(&self, lead_in: LeadIn, law: &TimeLawSpec, control: &Control) -> Result<LeadIn> {
        let (limits, options) = (self.limits()?, TimingOptions::default());
        let timed = time_parameterize_with(law, &lead_in.path, &limits, &options, &mut |_| true, control)?;
        let trajectory = timed.with_identity(identity(&self.scene, &self.group, &self.chain))?;
        Ok(LeadIn { trajectory: Some(trajectory), ..lead_in })
    }

    /// The nearest configuration inside the limits.
    fn inside_limits(&self, start: &[f64]) -> JointValues {
        let inside = |(value, bounds): (&f64, &(f64, f64))| {
            if is_outside(*value, *bounds) { value.clamp(bounds.0, bounds.1) } else { *value }
        };
        start.iter().zip(self.chain.bounds()).map(inside).collect()
    }

    /// A free configuration near a blocked one, by samples in growing neighbourhoods; the nearest sample to the start is brought
    /// back towards it as far as it has room.
    fn nearest_free(
        &self,
        checker: &mut Checker,
        (start, blocked): (&[f64], &JointValues),
        contacts: &BTreeMap<Pair, f64>,
        control: &Control,
    ) -> Result<Option<JointValues>> {
        let way = |q: &JointValues| q.iter().zip(start).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        for (scale, part) in SCALES.iter().enumerate() {
            let mut free = Vec::new();
            for index in 0..SAMPLES_PER_SCALE {
                control.check(0)?;
                let mut rng = SeededRng::stream(self.config.seed, scale as u64 * SAMPLES_PER_SCALE + index);
                let q = self.near((start, blocked), part * self.config.fix_start, &mut rng);
                if has_room(checker, &q) {
                    free.push(q);
                }
            }
            free.sort_by(|one, other| way(one).total_cmp(&way(other)));
            let nearer = free.into_iter().map(|q| brought_back(checker, blocked, q));
            let nearer: Vec<JointValues> = nearer.collect();
            if let Some(found) = nearer.into_iter().find(|q| way_keeps(checker, start, q, contacts)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A sample within `radius` of the blocked configuration, inside the limits and within the largest change of the start.
    fn near(&self, (start, blocked): (&[f64], &JointValues), radius: f64, rng: &mut SeededRng) -> JointValues {
        let most = self.config.fix_start;
        let value = |joint: usize| {
            let (low, high) = self.chain.bounds()[joint];
            let low = low.max(start[joint] - most).max(blocked[joint] - radius);
            let high = high.min(start[joint] + most).min(blocked[joint] + radius);
            // A joint just outside its limits, within the tolerance of starts, stays.
            if low <= high { rng.uniform(low, high) } else { blocked[joint] }
        };
        (0..start.len()).map(value).collect()
    }
}

/// A free configuration on the way from a blocked one to a free one, near the blocked one.
fn brought_back(checker: &mut Checker, blocked: &JointValues, free: JointValues) -> JointValues {
    let at = |part: f64| -> JointValues { blocked.iter().zip(&*free).map(|(a, b)| a + part * (b - a)).collect() };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..WAY_BACK_BISECTIONS {
        let middle = f64::midpoint(low, high);
        if has_room(checker, &at(middle)) { high = middle } else { low = middle }
    }
    if high < 1.0 { at(high) } else { free }
}

fn has_room(checker: &mut Checker, q: &[f64]) -> bool {
    checker.is_free(q) && {
        let clearance = checker.clearance(q);
        clearance.distance - clearance.margin >= ROOM_M
    }
}

/// Whether on the way no pair misses its margin that keeps it at the start, and none of the others comes nearer.
fn way_keeps(checker: &mut Checker, start: &[f64], end: &[f64], at_start: &BTreeMap<Pair, f64>) -> bool {
    (0..LEAD_IN_SAMPLES).all(|sample| {
        let part = sample as f64 / (LEAD_IN_SAMPLES - 1) as f64;
        let q: Vec<f64> = start.iter().zip(end).map(|(from, to)| from + part * (to - from)).collect();
        let is_kept =
            |(pair, distance): (&Pair, &f64)| at_start.get(pair).is_some_and(|before| *distance >= before - NEARER_M);
        contacts(checker, &q).iter().all(is_kept)
    })
}

/// The pairs that miss their margins, with their least distances.
fn contacts(checker: &mut Checker, q: &[f64]) -> BTreeMap<Pair, f64> {
    let mut least = BTreeMap::new();
    // The nearest first: of several pieces of a pair the nearest counts.
    for contact in checker.contacts(q, 0.0) {
        least.entry(contact.pair).or_insert(contact.distance);
    }
    least
}

fn is_outside(value: f64, (low, high): (f64, f64)) -> bool {
    value < low - LIMIT_TOLERANCE || value > high + LIMIT_TOLERANCE
}

fn largest_change(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max)
}
