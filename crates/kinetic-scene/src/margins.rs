//! Required clearances: one model of margins and paddings for links, attached bodies and objects.
//!
//! The required clearance of a pair is a *margin* plus the *paddings* of both bodies. The margin is the most specific
//! one that was stated: that of the pair; else that of either body, the larger one if both have one; else the general
//! one of the query, which has one value for the world and one for self-collision. A padding makes a body thicker
//! towards all others.

use std::collections::BTreeMap;

use kinetic_core::{KineticError, Result};

/// General margins: required clearances where the scene states no more specific ones, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Margins {
    /// Between the robot (with attached bodies) and the world.
    pub world: f64,
    /// In self-collision: between links of the robot, and between them and attached bodies.
    pub own: f64,
}

impl Margins {
    /// Plain contact.
    pub const ZERO: Self = Self { world: 0.0, own: 0.0 };

    /// Margins towards the world and itself.
    pub fn new(world: f64, own: f64) -> Self {
        Self { world, own }
    }

    /// The margin of a side.
    pub fn of(&self, side: Side) -> f64 {
        match side {
            Side::World => self.world,
            Side::Own => self.own,
        }
    }
}

impl From<f64> for Margins {
    /// The same towards the world and itself.
    fn from(both: f64) -> Self {
        Self::new(both, both)
    }
}

/// The side that a margin applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The world.
    World,
    /// The robot itself, with attached bodies.
    Own,
}

impl Side {
    /// `world` or `robot`.
    pub fn name(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::Own => "robot",
        }
    }
}

impl std::str::FromStr for Side {
    type Err = KineticError;

    fn from_str(name: &str) -> Result<Self> {
        [Self::World, Self::Own]
            .into_iter()
            .find(|side| side.name() == name)
            .ok_or_else(|| KineticError::unknown_name("margin side", name, ["robot", "world"]))
    }
}

/// The source of a pair's margin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarginSource {
    /// The query.
    General,
    /// The scene, for one of the two bodies.
    Name(String),
    /// The scene, for the pair.
    Pair,
}

/// Required clearance of a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Required {
    /// Margin between the padded bodies, m.
    pub margin: f64,
    /// Paddings of both, m.
    pub padding: f64,
    /// Source of the margin.
    pub source: MarginSource,
}

impl Required {
    /// Plain contact.
    pub(crate) const NOTHING: Self = Self { margin: 0.0, padding: 0.0, source: MarginSource::General };

    /// Required clearance between the bodies without paddings, m.
    pub fn total(&self) -> f64 {
        self.margin + self.padding
    }
}

/// Margins, paddings and scales that a scene states, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MarginModel {
    names: BTreeMap<(String, Side), f64>,
    pairs: BTreeMap<(String, String), f64>,
    paddings: BTreeMap<String, f64>,
    scales: BTreeMap<String, f64>,
}

impl MarginModel {
    /// Margins of single bodies, by name and side.
    pub fn names(&self) -> impl Iterator<Item = (&str, Side, f64)> {
        self.names.iter().map(|((name, side), value)| (name.as_str(), *side, *value))
    }

    /// Margins of pairs, names in alphabetical order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str, f64)> {
        self.pairs.iter().map(|((a, b), value)| (a.as_str(), b.as_str(), *value))
    }

    /// Paddings by name, m.
    pub fn paddings(&self) -> impl Iterator<Item = (&str, f64)> {
        self.paddings.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// Scales of links by name.
    pub fn scales(&self) -> impl Iterator<Item = (&str, f64)> {
        self.scales.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// Padding of a body, m; `usual` where none was stated.
    pub(crate) fn padding(&self, name: &str, usual: f64) -> f64 {
        self.paddings.get(name).copied().unwrap_or(usual)
    }

    /// Required clearance of two bodies, each given with its padding.
    pub(crate) fn required(&self, a: (&str, f64), b: (&str, f64), side: Side, general: Margins) -> Required {
        let (margin, source) = self.stated(a.0, b.0, side).unwrap_or((general.of(side), MarginSource::General));
        Required { margin, padding: a.1 + b.1, source }
    }

    fn stated(&self, a: &str, b: &str, side: Side) -> Option<(f64, MarginSource)> {
        let of_pair = if self.pairs.is_empty() { None } else { self.pairs.get(&ordered(a, b)) };
        if let Some(value) = of_pair {
            return Some((*value, MarginSource::Pair));
        }
        if self.names.is_empty() {
            return None;
        }
        let of_name = |name: &str| Some((*self.names.get(&(name.to_owned(), side))?, name.to_owned()));
        let larger = [of_name(a), of_name(b)].into_iter().flatten().max_by(|x, y| x.0.total_cmp(&y.0));
        larger.map(|(value, name)| (value, MarginSource::Name(name)))
    }

    /// States or, with `None`, takes back the margin of a pair.
    pub(crate) fn set_pair(&mut self, a: &str, b: &str, value: Option<f64>) {
        set(&mut self.pairs, ordered(a, b), value);
    }

    /// Takes back all margins; paddings and scales stay.
    pub(crate) fn clear_margins(&mut self) {
        self.names.clear();
        self.pairs.clear();
    }

    /// As [`set_pair`](Self::set_pair), for one body and one side.
    pub(crate) fn set_name(&mut self, name: &str, side: Side, value: Option<f64>) {
        set(&mut self.names, (name.to_owned(), side), value);
    }

    /// As [`set_pair`](Self::set_pair), for the padding of a body.
    pub(crate) fn set_padding(&mut self, name: &str, value: Option<f64>) {
        set(&mut self.paddings, name.to_owned(), value);
    }

    /// As [`set_pair`](Self::set_pair), for the scale of a link.
    pub(crate) fn set_scale(&mut self, name: &str, value: Option<f64>) {
        set(&mut self.scales, name.to_owned(), value);
    }
}

fn set<K: Ord>(map: &mut BTreeMap<K, f64>, key: K, value: Option<f64>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}

fn ordered(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) }
}
