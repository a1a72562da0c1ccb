//! What planners ask: is this configuration valid, is this motion?

/// Answers whether configurations and straight motions are valid.
///
/// # Laws
/// - A valid motion is a proof: every configuration on the straight segment, ends included, is valid.
/// - A motion is its segment as a set: a proof of `from → to` is one of `to → from`.
/// - The same question gets the same answer as long as the implementation is not edited.
/// - Segments are straight in the values given; continuous joints are unwrapped by the planner beforehand, and an
///   implementation must give equivalent configurations (full turns apart) the same answer.
///
/// Being refused is no proof of the contrary: an implementation may refuse what it cannot prove.
pub trait Validity {
    /// Whether the configuration is valid.
    fn is_valid(&mut self, q: &[f64]) -> bool;

    /// Whether the whole straight segment, ends included, is proven valid.
    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool;

    /// Configurations evaluated so far.
    fn checks(&self) -> u64;

    /// The fraction of the segment, from `from` on, that is free: 1 exactly when
    /// [`is_motion_valid`](Self::is_motion_valid), otherwise in [0, 1).
    ///
    /// Below 1 it is an offer: planners that keep the free part ask [`is_motion_valid`](Self::is_motion_valid) about
    /// it first. The default offers nothing.
    fn free_fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        if self.is_motion_valid(from, to) { 1.0 } else { 0.0 }
    }
}
