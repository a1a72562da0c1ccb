//! Options of RRT-Connect and their domains.

use kinetic_core::{KineticError, Result};

use crate::sampler::SamplerKind;

/// Options of [`RrtConnect`](super::RrtConnect); lengths are distances of the [`Space`](crate::space::Space).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RrtConnectConfig {
    /// Longest edge.
    pub range: f64,
    /// Dynamic domain radius of a node when its first extension is blocked; infinite switches the dynamic domain off.
    pub radius: f64,
    /// Relative growth of the radius after a free extension and shrinkage after a blocked one, in [0, 1).
    pub alpha: f64,
    /// Smallest dynamic domain radius.
    pub min_radius: f64,
    /// Whether the smaller tree catches up before the trees take turns.
    pub balance: bool,
    /// After so many blocked extensions of a node from which no whole one was free, its extensions go along what is near it, where
    /// the validity knows [distances](crate::validity::Validity::distance_bounds). At least 1; `u32::MAX` for never.
    pub along_after: u32,
    /// After so many blocked extensions of a node from which no whole one was free, its extensions are checked in parts: first
    /// the part that the validity offers, and where that is free the rest. The way out for a node that is boxed in: shorter
    /// motions from it are free much more often, and where one is, a whole one often is too. At least 1.
    pub partial_after: u32,
    /// Shortest extension along something, and shortest free part that is kept, relative to `range`, in (0, 1].
    pub min_partial: f64,
    /// Iterations after which a second pair of trees takes turns with the first, for passages that the first does not
    /// find; `u64::MAX` for never.
    pub second_after: u64,
    /// Longest edge of the second pair when it begins the first, third, fifth, … time, relative to `range`, in (0, 1]; the
    /// other times it is `range`.
    pub second_range: f64,
    /// Where samples come from.
    pub sampler: SamplerKind,
}

impl Default for RrtConnectConfig {
    fn default() -> Self {
        Self {
            range: 1.0,
            radius: 3.0,
            alpha: 1e-3,
            min_radius: 1.0,
            balance: true,
            along_after: 4,
            partial_after: 32,
            min_partial: 0.05,
            second_after: 12_000,
            second_range: 0.3,
            sampler: SamplerKind::Halton,
        }
    }
}

impl RrtConnectConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        let wrong = |name, value: f64, wanted| Err(KineticError::invalid(name, value, wanted));
        if !(self.range > 0.0 && self.range.is_finite()) {
            return wrong("range", self.range, "a positive finite number");
        }
        if !(self.radius > 0.0) {
            return wrong("radius", self.radius, "a positive number, infinite for no dynamic domain");
        }
        if !(self.alpha >= 0.0 && self.alpha < 1.0) {
            return wrong("alpha", self.alpha, "a number in [0, 1)");
        }
        if !(self.min_radius >= 0.0 && self.min_radius <= self.radius) {
            return wrong("min_radius", self.min_radius, "a number from 0 to radius");
        }
        if self.along_after == 0 {
            return wrong("along_after", 0.0, "at least 1");
        }
        if self.partial_after == 0 {
            return wrong("partial_after", 0.0, "at least 1");
        }
        if !(self.min_partial > 0.0 && self.min_partial <= 1.0) {
            return wrong("min_partial", self.min_partial, "a number in (0, 1]");
        }
        if !(self.second_range > 0.0 && self.second_range <= 1.0) {
            return wrong("second_range", self.second_range, "a number in (0, 1]");
        }
        Ok(())
    }
}
