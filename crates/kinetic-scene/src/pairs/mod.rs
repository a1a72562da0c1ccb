//! Classification of link pairs: those that are checked in self-collision, and why the others are not.
//!
//! Not checked are pairs that do not distinguish configurations: rigid and adjacent ones, those that the description
//! disables, and those that touch in *every* sampled configuration, of which a single one would make every
//! configuration invalid. Pairs that are *proven* never to touch inside the joint limits are not checked either, as
//! long as the proven distance exceeds margin and paddings. All other pairs are checked, including those for which no
//! proof was found.

mod facts;
mod fingerprint;
mod proof;
mod sampling;
pub(crate) mod sphere_distances;
mod tree;

use kinetic_collision::self_pairs::Relation;
use kinetic_robot::PairFacts;

pub use proof::Effort;
pub use sampling::{ALWAYS_SAMPLES, Sampler};

pub(crate) use facts::{facts, find};
pub(crate) use fingerprint::{fingerprint, with_spheres};

/// Class of a pair of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairClass {
    /// Not checked: no moving joint between them.
    Rigid,
    /// Not checked: one moving joint between them.
    Adjacent,
    /// Not checked: disabled by the description.
    Disabled,
    /// Not checked: touch in every configuration.
    Always,
    /// Not checked while the proven distance exceeds margin and paddings.
    Never,
    /// Checked.
    Checked,
}

impl PairClass {
    /// `rigid`, `adjacent`, `disabled`, `always`, `never` or `checked`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Adjacent => "adjacent",
            Self::Disabled => "disabled",
            Self::Always => "always",
            Self::Never => "never",
            Self::Checked => "checked",
        }
    }
}

/// A pair of links with geometry.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkPair {
    /// Link indices, the smaller first.
    pub links: (usize, usize),
    /// Its class.
    pub class: PairClass,
    /// The reason for the class, as text.
    pub reason: String,
    /// Proven distance of the pair in all configurations inside the joint limits, m; for class `Never` only.
    pub clearance: Option<f64>,
}

impl LinkPair {
    /// True when configurations must be checked for this pair: `distance` is its required clearance, margin and
    /// paddings together, and `is_inside` tells that all joints are inside their limits.
    pub(crate) fn must_be_checked(&self, distance: f64, is_inside: bool) -> bool {
        match self.class {
            PairClass::Checked => true,
            PairClass::Never => !is_inside || self.clearance.is_none_or(|clearance| clearance <= distance),
            _ => false,
        }
    }
}

/// Classifies pairs by the kinematic tree, the description and the facts about shapes.
pub(crate) fn classify(relations: Vec<((usize, usize), Relation)>, facts: &PairFacts) -> Vec<LinkPair> {
    let pair = |(links, relation)| {
        let clearance =
            facts.never.binary_search_by_key(&links, |(pair, _)| *pair).ok().map(|index| facts.never[index].1);
        let (class, reason) = match relation {
            Relation::Rigid => (PairClass::Rigid, "no moving joint between them".to_owned()),
            Relation::Adjacent => (PairClass::Adjacent, "one moving joint between them".to_owned()),
            Relation::Disabled(reason) => (PairClass::Disabled, disabled(&reason)),
            Relation::Open => of_facts(facts.always.binary_search(&links).is_ok(), clearance),
        };
        LinkPair { links, class, reason, clearance: clearance.filter(|_| class == PairClass::Never) }
    };
    relations.into_iter().map(pair).collect()
}

fn disabled(reason: &str) -> String {
    let why = if reason.is_empty() { "without a reason" } else { reason };
    format!("switched off by the description: {why}")
}

fn of_facts(always: bool, clearance: Option<f64>) -> (PairClass, String) {
    match clearance {
        _ if always => {
            let most = 100.0 * 3.0 / ALWAYS_SAMPLES as f64;
            let reason = format!(
                "touch in all of {ALWAYS_SAMPLES} random configurations, so are apart in at most {most:.1} % (95 % confidence)"
            );
            (PairClass::Always, reason)
        }
        Some(clearance) => {
            let reason = format!("proven to stay {:.1} mm apart inside the joint limits", clearance * 1e3);
            (PairClass::Never, reason)
        }
        None => (PairClass::Checked, "may touch".to_owned()),
    }
}
