//! The validity interface of planners: configurations and motions.

use kinetic_core::Pair;

use crate::near_distances::{DistanceBounds, NearDistances};

/// Whether configurations and straight motions are valid.
///
/// There are two checks of a motion. [`motion_may_be_valid`](Self::motion_may_be_valid), a discrete edge check, is fast and
/// may be wrong in one direction: searches and simplification grow and reject with it. [`is_motion_valid`](Self::is_motion_valid),
/// a certified continuous check, is a proof: edges that are kept have to pass it (lazy collision checking). Nothing that was
/// not proven leaves a planner; an edge that fails its proof is dropped with its subtree, and the search goes on.
///
/// # Laws
/// - A valid motion is a proof: every configuration on the straight segment, ends included, is valid.
/// - A motion is its segment as a set: a proof of `from → to` is one of `to → from`.
/// - `motion_may_be_valid` refuses only motions on which it met a configuration that is not valid. It may accept anything.
/// - The same query has the same result as long as the implementation is not edited.
/// - Segments are straight in the values given; continuous joints are unwrapped by the planner beforehand, and an
///   implementation must give equivalent configurations (full turns apart) the same result.
///
/// A motion that is not proven valid need not be invalid: an implementation may refuse what it cannot prove.
pub trait Validity {
    /// Whether the configuration is valid.
    fn is_valid(&mut self, q: &[f64]) -> bool;

    /// Whether the whole straight segment, ends included, is proven valid.
    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool;

    /// Whether the segment is worth a proof: false where a configuration on it is known not to be valid. `from` may be
    /// taken to be valid. The default is the proof.
    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.is_motion_valid(from, to)
    }

    /// Whether the edges of a polyline through `points`, configuration after configuration of `dof` values, are worth proofs, as
    /// [`motion_may_be_valid`](Self::motion_may_be_valid) says of each. The points may be taken to be valid. The default asks about
    /// the edges one by one.
    fn path_may_be_valid(&mut self, points: &[f64], dof: usize) -> bool {
        edges(points, dof).all(|(from, to)| self.motion_may_be_valid(from, to))
    }

    /// Configurations evaluated so far.
    fn checks(&self) -> u64;

    /// The fraction of the segment, from `from` on, that should be checked first where the segment is likely to be blocked: 1
    /// when the whole one [may be valid](Self::motion_may_be_valid), 0 when no part of it is worth a check.
    ///
    /// Below 1 it is a proposal: planners check that part first, and then the rest. The default checks the whole segment.
    fn free_fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        if self.motion_may_be_valid(from, to) { 1.0 } else { 0.0 }
    }

    /// The distance from what `q` must not touch, m, where that is known; infinite where there is nothing. Planners avoid the
    /// neighbourhood of obstacles with it. The default does not know.
    fn clearance(&mut self, q: &[f64]) -> Option<f64> {
        let _ = q;
        None
    }

    /// Writes the pairs of bodies that are at most `within` (m, finite) from missing the clearance that they have to keep at `q`,
    /// with bias accelerations at the joint velocities `qd`; false where distances are not known. The answer depends on the
    /// configuration alone. The default does not know.
    fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
        let _ = (q, qd, within, out);
        false
    }

    /// Writes the pairs of bodies that are at most `within` (m, finite) from missing the clearance that they have to keep at `q`, with
    /// distances that are true or too small; false where distances are not known. The default asks for
    /// [`near_distances`](Self::near_distances).
    fn distance_bounds(&mut self, q: &[f64], within: f64, out: &mut DistanceBounds) -> bool {
        let mut near = NearDistances::default();
        let is_known = self.near_distances(q, &vec![0.0; q.len()], within, &mut near);
        out.clear(q.len());
        for (pair, jacobian) in near.iter() {
            out.push((0..q.len()).map(|joint| pair.derivative(jacobian, joint)), pair.slack);
        }
        is_known
    }

    /// The pair of bodies that misses its clearance by most at `q`, or is nearest to missing it, and its signed distance less
    /// that clearance, m. The default does not know.
    fn nearest_pair(&mut self, q: &[f64]) -> Option<(Pair, f64)> {
        let _ = q;
        None
    }

    /// Moves `q` onto the configurations that keep the constraints; false where that fails. The default has no constraints.
    fn project(&mut self, q: &mut [f64]) -> bool {
        let _ = q;
        true
    }

    /// Whether the segment keeps the constraints, whatever it collides with; valid motions do. The default has no constraints.
    fn motion_keeps_constraints(&mut self, from: &[f64], to: &[f64]) -> bool {
        let _ = (from, to);
        true
    }
}

/// Both ends of the edges of a polyline, whose points stand one after the other.
pub(crate) fn edges(points: &[f64], dof: usize) -> impl Iterator<Item = (&[f64], &[f64])> {
    points.chunks_exact(dof.max(1)).zip(points.chunks_exact(dof.max(1)).skip(1))
}
