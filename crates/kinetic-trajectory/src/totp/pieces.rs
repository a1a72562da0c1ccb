//! The curve in time, composed of path geometry and path speed profile.

use kinetic_core::curve::Coefficients;
use kinetic_core::{Limits, PiecewisePolynomial, Result};

use super::compose::{Composition, CubicComposition, Motion, exact};
use crate::curve_element::CurveElement;
use crate::trapezoid::Phase;

/// Composition may change an acceleration by this part of its limit.
const COMPOSITION_ACCELERATION_TOLERANCE: f64 = 5e-7;

/// A stage is cut in at most this many pieces.
const MAX_PIECES_PER_STAGE: usize = 64;

/// Pieces of a curve, one after another.
pub(crate) struct StagePieces<'a> {
    elements: &'a [CurveElement],
    /// Of each element.
    degrees: &'a [usize],
    limits: &'a Limits,
    knots: Vec<f64>,
    coefficients: Vec<Coefficients>,
    /// Bound on the squared distance from the path by composition, Euclidean in joint space.
    change: f64,
    /// Taylor coefficients of all joints where the current piece begins.
    locals: Vec<Coefficients>,
    /// The last element of degree 3, the largest |c₃| / limit of its joints, and the sum of c₃².
    cubic: Option<(usize, [f64; 2])>,
}

impl<'a> StagePieces<'a> {
    pub(crate) fn new(elements: &'a [CurveElement], degrees: &'a [usize], limits: &'a Limits) -> Self {
        let (knots, coefficients, locals) = (Vec::new(), Vec::new(), Vec::new());
        Self { elements, degrees, limits, knots, coefficients, change: 0.0, locals, cubic: None }
    }

    /// The curve, and a bound on its distance from the path.
    pub(crate) fn curve(mut self, phases: &[Phase]) -> Result<(PiecewisePolynomial, f64)> {
        let dof = self.limits.acceleration.len();
        self.knots.reserve(phases.len() + 1);
        self.coefficients.reserve(phases.len() * dof);
        for phase in phases {
            self.push(phase);
        }
        self.knots.extend(phases.last().map(|phase| phase.end));
        Ok((PiecewisePolynomial::new(dof, self.knots, self.coefficients)?, self.change.sqrt()))
    }

    fn push(&mut self, phase: &Phase) {
        let motion = Motion::from(phase);
        let degree = self.degrees[phase.element];
        if degree <= 2 {
            self.knots.push(phase.time);
            self.coefficients.extend(self.elements[phase.element].shape.iter().map(|row| exact(row, &motion)));
            return;
        }
        if degree == 3 {
            self.push_cubic(phase, &motion);
            return;
        }
        let whole = Composition::new(degree, &motion);
        self.look(&whole, phase.element);
        let cuts = self.cuts(&whole);
        if cuts == 1 {
            self.push_piece(&whole, phase.time);
            return;
        }
        for cut in 0..cuts {
            let piece = Composition::new(degree, &motion.cut(cut, cuts));
            self.look(&piece, phase.element);
            self.push_piece(&piece, phase.time + (phase.end - phase.time) * cut as f64 / cuts as f64);
        }
    }

    fn push_cubic(&mut self, phase: &Phase, motion: &Motion) {
        let [thirds, squares] = self.thirds(phase.element);
        let cuts = cuts(thirds * CubicComposition::new(*motion).changes[1]);
        for cut in 0..cuts {
            let piece = CubicComposition::new(motion.cut(cut, cuts));
            self.knots.push(phase.time + (phase.end - phase.time) * cut as f64 / cuts as f64);
            self.coefficients.extend(self.elements[phase.element].shape.iter().map(|row| piece.coefficients(row)));
            self.change = self.change.max(squares * piece.changes[0] * piece.changes[0]);
        }
    }

    /// Largest |c₃| / limit and the sum of c₃². Stages of one element follow each other.
    fn thirds(&mut self, element: usize) -> [f64; 2] {
        match self.cubic {
            Some((last, thirds)) if last == element => thirds,
            _ => {
                let thirds = self.elements[element].shape.iter().map(|row| row[3]);
                let parts = thirds.clone().zip(&self.limits.acceleration).map(|(third, limit)| third.abs() / limit);
                let found = [parts.fold(0.0, f64::max), thirds.map(|third| third * third).sum()];
                self.cubic = Some((element, found));
                found
            }
        }
    }

    fn look(&mut self, piece: &Composition, element: usize) {
        self.locals.clear();
        self.locals.extend(self.elements[element].shape.iter().map(|row| piece.local(row)));
    }

    /// Number of equal times into which a piece is cut.
    fn cuts(&self, whole: &Composition) -> usize {
        let part = |(local, limit): (&Coefficients, &f64)| whole.changes(local)[1] / limit;
        cuts(self.locals.iter().zip(&self.limits.acceleration).map(part).fold(0.0, f64::max))
    }

    fn push_piece(&mut self, piece: &Composition, knot: f64) {
        self.knots.push(knot);
        self.coefficients.extend(self.locals.iter().map(|local| piece.coefficients(local)));
        self.change = self.change.max(self.locals.iter().map(|local| piece.changes(local)[0].powi(2)).sum());
    }
}

/// Number of equal times that make a change of acceleration, in limits, small enough: it falls with their fourth power.
fn cuts(change: f64) -> usize {
    if change <= COMPOSITION_ACCELERATION_TOLERANCE {
        return 1;
    }
    let wanted = (change / COMPOSITION_ACCELERATION_TOLERANCE).sqrt().sqrt().ceil();
    (1..MAX_PIECES_PER_STAGE).find(|cuts| *cuts as f64 >= wanted).unwrap_or(MAX_PIECES_PER_STAGE)
}
