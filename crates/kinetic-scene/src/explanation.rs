//! Explanation of a configuration: the near pairs, their required clearances, and the sources of these.

use std::fmt;

use kinetic_core::Pair;
use nalgebra::Point3;

use crate::margins::{MarginSource, Required};

/// The tier that decided whether a pair keeps its required clearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// Bounding spheres, which are clear or are the bodies themselves.
    Spheres,
    /// The convex pieces.
    Exact,
    /// A proof for all configurations inside the joint limits.
    Proof,
}

impl DecidedBy {
    /// `spheres`, `exact` or `proof`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spheres => "spheres",
            Self::Exact => "exact",
            Self::Proof => "proof",
        }
    }
}

/// A checked pair that is near its required clearance or violates it.
#[derive(Debug, Clone, PartialEq)]
pub struct NearPair {
    /// The two.
    pub pair: Pair,
    /// Signed distance, m; negative is penetration.
    pub distance: f64,
    /// Required clearance.
    pub required: Required,
    /// Closest point on the first, root frame, m.
    pub point_on_link: Point3<f64>,
    /// Closest point on the other, root frame, m.
    pub point_on_other: Point3<f64>,
    /// The tier that decided.
    pub decided_by: DecidedBy,
}

impl NearPair {
    /// Distance minus required clearance, m.
    pub fn slack(&self) -> f64 {
        self.distance - self.required.total()
    }

    /// True when the pair keeps its margin.
    pub fn is_free(&self) -> bool {
        self.slack() > 0.0
    }
}

/// A pair that is near and not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct UncheckedPair {
    /// The two.
    pub pair: Pair,
    /// Signed distance, m.
    pub distance: f64,
    /// Why it is not checked.
    pub reason: String,
}

/// The near pairs of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The planning group.
    pub group: String,
    /// Largest slack of the listed pairs, m.
    pub within: f64,
    /// Checked pairs, the least slack first.
    pub near: Vec<NearPair>,
    /// Pairs that are not checked, nearest first.
    pub unchecked: Vec<UncheckedPair>,
}

impl Explanation {
    /// True when every pair keeps its margin.
    pub fn is_free(&self) -> bool {
        self.near.iter().all(NearPair::is_free)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_free() { "free" } else { "not free" };
        let (group, count, within) = (&self.group, self.near.len(), millimetres(self.within));
        writeln!(f, "group \"{group}\": {verdict}, {count} pairs within {within} of their margins")?;
        for near in &self.near {
            writeln!(f, "  {near}")?;
        }
        if !self.unchecked.is_empty() {
            writeln!(f, "not checked within {within}:")?;
        }
        for unchecked in &self.unchecked {
            let UncheckedPair { pair, distance, reason } = unchecked;
            writeln!(f, "  {} - {}: {} apart, {reason}", pair.link, pair.other, millimetres(*distance))?;
        }
        Ok(())
    }
}

impl fmt::Display for NearPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_free() { "free" } else { "too close" };
        write!(
            f,
            "{} - {}: {verdict}, {} apart, keeps {}, decided by {}, at {} and {}",
            self.pair.link,
            self.pair.other,
            millimetres(self.distance),
            self.required,
            self.decided_by.name(),
            position(&self.point_on_link),
            position(&self.point_on_other)
        )
    }
}

impl fmt::Display for Required {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let margin = millimetres(self.margin);
        match &self.source {
            MarginSource::General => write!(f, "{margin} (general margin)")?,
            MarginSource::Name(name) => write!(f, "{margin} (margin of {name})")?,
            MarginSource::Pair => write!(f, "{margin} (margin of the pair)")?,
        }
        if self.padding > 0.0 { write!(f, " + {} (paddings)", millimetres(self.padding)) } else { Ok(()) }
    }
}

fn millimetres(value: f64) -> String {
    format!("{:.1} mm", 1e3 * value)
}

fn position(point: &Point3<f64>) -> String {
    format!("({:.3}, {:.3}, {:.3})", point.x, point.y, point.z)
}
