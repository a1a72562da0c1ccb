//! What planners ask: is this configuration valid, is this motion?

/// Answers whether configurations and straight motions are valid.
///
/// There are two questions about a motion. [`motion_may_be_valid`](Self::motion_may_be_valid) is quick and may be wrong
/// in one direction: searches and simplification grow and reject with it. [`is_motion_valid`](Self::is_motion_valid) is
/// a proof: it is asked about what is kept. Nothing that was not proven leaves a planner; an edge that seemed free and is
/// refused its proof is dropped with what hangs on it, and the search goes on.
///
/// # Laws
/// - A valid motion is a proof: every configuration on the straight segment, ends included, is valid.
/// - A motion is its segment as a set: a proof of `from → to` is one of `to → from`.
/// - What may not be valid is not: `motion_may_be_valid` refuses only motions on which it met a configuration that is
///   not valid. It may accept anything.
/// - The same question gets the same answer as long as the implementation is not edited.
/// - Segments are straight in the values given; continuous joints are unwrapped by the planner beforehand, and an
///   implementation must give equivalent configurations (full turns apart) the same answer.
///
/// Being refused a proof is no proof of the contrary: an implementation may refuse what it cannot prove.
pub trait Validity {
    /// Whether the configuration is valid.
    fn is_valid(&mut self, q: &[f64]) -> bool;

    /// Whether the whole straight segment, ends included, is proven valid.
    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool;

    /// Whether the segment is worth a proof: false where a configuration on it is known not to be valid. `from` may be
    /// taken to be valid. The default asks for the proof.
    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.is_motion_valid(from, to)
    }

    /// Configurations evaluated so far.
    fn checks(&self) -> u64;

    /// The fraction of the segment, from `from` on, that is worth a question of its own, where the segment is likely to be
    /// blocked: 1 says that the whole one [may be valid](Self::motion_may_be_valid), 0 that nothing of it does.
    ///
    /// Below 1 it is an offer and no claim: planners ask about that part first, and then about the rest. The default asks
    /// about the whole segment and offers nothing less.
    fn free_fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        if self.motion_may_be_valid(from, to) { 1.0 } else { 0.0 }
    }
}
