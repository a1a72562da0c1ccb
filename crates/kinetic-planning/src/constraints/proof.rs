//! Proofs that motions keep constraints, by halving.

use kinetic_core::curve::{enclosure, evaluate, extremes};
use kinetic_core::{Constraint, Control, PiecewisePolynomial, Result};

use super::second_order::Neighbourhood;
use super::{ConstraintSet, Violation};
use crate::goal_context::LIMIT_TOLERANCE;

/// Configurations that the proof of a straight motion evaluates at most; what needs more stays at the limit of a tolerance all
/// along, and is refused.
const MAX_EVALUATIONS_PER_MOTION: usize = 4096;

/// The same of a piece of a timed curve; the clock is read between pieces.
const MAX_EVALUATIONS_PER_PIECE: usize = 1 << 14;

/// An interval is halved this often at most.
const MAX_INTERVAL_HALVINGS: usize = 40;

/// What is known of an interval.
enum Interval {
    /// All constraints are kept on it.
    Kept,
    /// In its middle one is not.
    Violated,
    /// Neither is shown.
    Open,
}

/// Memory of proofs: a configuration and what is known of those around it.
#[derive(Debug, Clone, Default)]
pub(super) struct ProofMemory {
    q: Vec<f64>,
    /// How far each joint is from `q` at most, rad or m.
    radii: Vec<f64>,
    /// Half of the straight way through `q`.
    along: Vec<f64>,
    /// How far joints leave the straight way at most.
    off_straight: Vec<f64>,
    /// The largest deviation of each measure.
    largest: Vec<f64>,
}

impl ProofMemory {
    fn resize(&mut self, dof: usize) {
        for values in [&mut self.q, &mut self.radii, &mut self.along, &mut self.off_straight] {
            values.clear();
            values.resize(dof, 0.0);
        }
    }
}

/// Where a curve does not keep a constraint, or could not be shown to.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveViolation {
    /// Time, s.
    pub time: f64,
    /// What is exceeded there, or comes nearest to it.
    pub violation: Violation,
}

impl ConstraintSet {
    /// Whether the straight motion keeps all constraints, ends included: a proof by motion bounds. What cannot be proven in
    /// some thousands of halvings is refused.
    pub fn holds_along(&mut self, from: &[f64], to: &[f64]) -> bool {
        if !self.is_in_ranges(from) || !self.is_in_ranges(to) {
            return false;
        }
        if self.measures.is_empty() && self.custom.is_empty() {
            return true;
        }
        let mut memory = std::mem::take(&mut self.scratch);
        memory.resize(from.len());
        let violation = halve((0.0, 1.0), MAX_EVALUATIONS_PER_MOTION, &mut |low, high| {
            let (middle, half) = (f64::midpoint(low, high), 0.5 * (high - low));
            for joint in 0..from.len() {
                let way = to[joint] - from[joint];
                memory.q[joint] = from[joint] + middle * way;
                memory.along[joint] = half * way;
                memory.radii[joint] = half * way.abs();
            }
            self.judge(&mut memory, None)
        });
        self.scratch = memory;
        violation.is_none()
    }

    /// Proves that a timed curve keeps all constraints at every instant. Returns for each how far it is exceeded at most, rad or
    /// m, at most 0; or where one is not kept.
    ///
    /// # Errors
    /// What `control` says when it ends the work.
    pub fn bound_along(
        &mut self,
        curve: &PiecewisePolynomial,
        control: &Control,
    ) -> Result<std::result::Result<Vec<f64>, CurveViolation>> {
        let mut bounds = vec![f64::NEG_INFINITY; self.constraints.len()];
        for piece in 0..curve.pieces().max(1) {
            control.check(0)?;
            if let Some(violation) = self.bound_piece(curve, piece, &mut bounds) {
                return Ok(Err(violation));
            }
        }
        Ok(Ok(bounds))
    }

    /// Whether a timed curve is proven to keep all constraints.
    pub(crate) fn holds_along_curve(&mut self, curve: &PiecewisePolynomial, control: &Control) -> bool {
        self.bound_along(curve, control).is_ok_and(|outcome| outcome.is_ok())
    }

    /// Raises `bounds` to those of one piece.
    fn bound_piece(&mut self, curve: &PiecewisePolynomial, piece: usize, bounds: &mut [f64]) -> Option<CurveViolation> {
        let (start, duration) = (curve.knots()[piece], curve.piece_duration(piece));
        if let Some(violation) = self.range_violation(curve, piece, bounds) {
            return Some(violation);
        }
        let dof = curve.dof();
        let mut memory = std::mem::take(&mut self.scratch);
        memory.resize(dof);
        let open_at = halve((0.0, duration), MAX_EVALUATIONS_PER_PIECE, &mut |low, high| {
            let (middle, half) = (f64::midpoint(low, high), 0.5 * (high - low));
            for joint in 0..dof {
                let row = curve.coefficients(piece, joint);
                let (least, most) = enclosure(row, 0, low, high);
                let q = evaluate(row, 0, middle);
                let (least_curved, most_curved) = enclosure(row, 2, low, high);
                memory.q[joint] = q;
                memory.radii[joint] = (most - q).max(q - least).max(0.0);
                memory.along[joint] = half * evaluate(row, 1, middle);
                // Taylor's theorem about the middle.
                memory.off_straight[joint] = 0.5 * half * half * most_curved.max(-least_curved).max(0.0);
            }
            self.judge(&mut memory, Some(bounds))
        });
        self.scratch = memory;
        let at = open_at?;
        let q = curve.sample(start + at, 0);
        let violation = self.violation(&q).or_else(|| self.tightest(&q))?;
        Some(CurveViolation { time: start + at, violation })
    }

    /// The constraint of a link that is nearest to its tolerance.
    pub(crate) fn tightest(&mut self, q: &[f64]) -> Option<Violation> {
        let deviations = self.deviations(q).into_iter().enumerate();
        let of_links = deviations.filter(|(constraint, _)| !self.is_joint_range(*constraint));
        let worst = of_links.max_by(|a, b| (a.1.0 - a.1.1).total_cmp(&(b.1.0 - b.1.1)))?;
        Some(Violation { constraint: worst.0, deviation: worst.1.0, tolerance: worst.1.1 })
    }

    /// Ranges of joints are bounds of polynomials: exact.
    fn range_violation(&self, curve: &PiecewisePolynomial, piece: usize, bounds: &mut [f64]) -> Option<CurveViolation> {
        let (start, duration) = (curve.knots()[piece], curve.piece_duration(piece));
        for (constraint, bound) in self.constraints.iter().zip(bounds).enumerate().map(|(i, (c, b))| ((i, c), b)) {
            let (index, Constraint::Joint { joint_index, min, max }) = constraint else { continue };
            let range = extremes(curve.coefficients(piece, *joint_index), 0, 0.0, duration, LIMIT_TOLERANCE / 4.0);
            let (excess, at) = if min - range.low > range.high - max {
                (min - range.low, range.low_at)
            } else {
                (range.high - max, range.high_at)
            };
            if !(excess <= LIMIT_TOLERANCE) {
                let tolerance = 0.5 * (max - min);
                let violation = Violation { constraint: index, deviation: tolerance + excess, tolerance };
                return Some(CurveViolation { time: start + at, violation });
            }
            // What rounding of limits allows is no violation.
            *bound = bound.max(excess.min(0.0));
        }
        None
    }

    /// Judges the configurations around one. The bounds of the second order are asked for where those of the first are too wide.
    fn judge(&mut self, memory: &mut ProofMemory, bounds: Option<&mut [f64]>) -> Interval {
        let ProofMemory { q, radii, along, off_straight, largest } = memory;
        let (program, tolerances) = (self.tree.program(), self.measures.iter().map(|measure| measure.tolerance));
        program.frames_into(q, &mut self.frames);
        let around = Neighbourhood { frames: &self.frames, radii, along, off_straight };
        largest.clear();
        let mut is_kept = true;
        for measure in &*self.measures {
            let deviation = measure.deviation(&self.frames);
            if !(deviation <= measure.tolerance) {
                return Interval::Violated;
            }
            let mut most = deviation + measure.largest_change(&self.frames, radii);
            if is_kept && !(most <= measure.tolerance) {
                most = most.min(measure.largest_deviation(program, &around));
            }
            is_kept &= most <= measure.tolerance;
            largest.push(most);
        }
        for measure in &mut self.custom {
            let deviation = measure.deviation(q, &self.failures);
            if !(deviation <= measure.tolerance()) {
                return Interval::Violated;
            }
            let most = deviation + measure.largest_change(radii);
            is_kept &= most <= measure.tolerance();
            largest.push(most);
        }
        if !is_kept {
            return Interval::Open;
        }
        let Some(bounds) = bounds else { return Interval::Kept };
        let own = self.custom.iter().map(|measure| (measure.constraint, measure.tolerance()));
        let of_links = self.measures.iter().map(|measure| measure.constraint).zip(tolerances);
        for ((constraint, tolerance), most) in of_links.chain(own).zip(&*largest) {
            bounds[constraint] = bounds[constraint].max(most - tolerance);
        }
        Interval::Kept
    }
}

/// Halves an interval until every part is kept; otherwise the middle of a part that is not, or of one that cannot be decided.
fn halve((low, high): (f64, f64), max_evaluations: usize, judge: &mut dyn FnMut(f64, f64) -> Interval) -> Option<f64> {
    // Of every depth one part waits at most.
    let mut waiting = [(0.0, 0.0, 0); MAX_INTERVAL_HALVINGS + 2];
    waiting[0] = (low, high, MAX_INTERVAL_HALVINGS);
    let (mut count, mut evaluations) = (1, 0);
    while count > 0 {
        count -= 1;
        let (low, high, depth) = waiting[count];
        let middle = f64::midpoint(low, high);
        evaluations += 1;
        match judge(low, high) {
            Interval::Kept => {}
            Interval::Violated => return Some(middle),
            Interval::Open if depth == 0 || evaluations >= max_evaluations => return Some(middle),
            Interval::Open => {
                waiting[count] = (middle, high, depth - 1);
                waiting[count + 1] = (low, middle, depth - 1);
                count += 2;
            }
        }
    }
    None
}
