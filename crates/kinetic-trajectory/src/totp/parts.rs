//! Into how many stages each element of a path is cut.
//!
//! On a stage the path acceleration is constant while what the limits allow changes, so that a part of the change is lost:
//! with n stages on an element that takes the time T and on which the limits change by the part C, about T C / 2n. The sum
//! over the path is smallest, for a number of stages, where n is proportional to √(T C). Times come from a quick look at
//! speeds: what velocity and curvature allow on each element, and what acceleration allows between them.

use kinetic_core::Limits;
use kinetic_core::curve::evaluate;

use crate::smooth::CurveElement;

/// Part of the time that is lost by this estimate, times the resolution. What really is lost is a fifth of it.
const LOSS: f64 = 0.15;

/// Part of an even cut by the change of the tangent that every bend gets, however short its time is beside that of others.
const EVENLY: f64 = 0.4;

/// Stages of an element at most, in resolutions.
const MOST: usize = 8;

/// What is cut, and how finely.
pub(crate) struct Cutting<'a> {
    pub(crate) elements: &'a [CurveElement],
    /// Of each element.
    pub(crate) degrees: &'a [usize],
    pub(crate) limits: &'a Limits,
    /// Squared path speeds at both ends.
    pub(crate) ends: [f64; 2],
    pub(crate) resolution: usize,
    /// True when further limits are looked at where stages meet, and nowhere else: straights and corners are cut evenly then.
    pub(crate) has_further: bool,
}

impl Cutting<'_> {
    /// The number of stages of every element.
    pub(crate) fn stages(&self) -> Vec<usize> {
        let estimates: Vec<Estimate> =
            self.elements.iter().map(|element| Estimate::new(element, self.limits)).collect();
        let squares = self.squares(&estimates);
        let (mut time, mut roots) = (0.0, 0.0);
        let mut stages = vec![0.0; estimates.len()];
        for (index, estimate) in estimates.iter().enumerate() {
            let (own, change) = estimate.time_and_change([squares[index], squares[index + 1]]);
            stages[index] = (own * change).sqrt();
            (time, roots) = (time + own, roots + stages[index]);
        }
        let per_root = roots * self.resolution as f64 / (2.0 * LOSS * time);
        let number = |index: usize| self.number(index, per_root * stages[index], &estimates[index]);
        (0..stages.len()).map(number).collect()
    }

    fn number(&self, index: usize, wanted: f64, estimate: &Estimate) -> usize {
        let degree = self.degrees[index];
        if degree <= 1 {
            return self.resolution;
        }
        let even = self.resolution as f64 * estimate.turn * if self.has_further { 1.0 } else { EVENLY };
        // A change of curvature gets two stages at least.
        whole(wanted.max(even)).clamp(degree.min(3) - 1, MOST * self.resolution)
    }

    /// Roughly the squared path speed at both ends of every element.
    fn squares(&self, estimates: &[Estimate]) -> Vec<f64> {
        let count = estimates.len();
        let mut squares = vec![f64::INFINITY; count + 1];
        [squares[0], squares[count]] = self.ends;
        for (index, estimate) in estimates.iter().enumerate() {
            let rests = self.elements[index].starts_at_rest && index > 0;
            let start = if rests { 0.0 } else { squares[index].min(estimate.fastest) };
            squares[index] = start;
            squares[index + 1] = squares[index + 1].min(estimate.fastest).min(start + estimate.gain);
        }
        for (index, estimate) in estimates.iter().enumerate().rev() {
            squares[index] = squares[index].min(squares[index + 1] + estimate.gain);
        }
        squares
    }
}

/// The next whole number; 0 of what is none.
fn whole(value: f64) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is clamped")]
    let whole = value.ceil() as usize;
    whole
}

/// Of one element.
struct Estimate {
    length: f64,
    /// Largest squared path speed that velocity and curvature allow, and by how much acceleration may change it.
    fastest: f64,
    gain: f64,
    /// Part by which the tangent changes the limits of path acceleration, and by which curvature does, per squared speed.
    turn: f64,
    bend: f64,
}

impl Estimate {
    fn new(element: &CurveElement, limits: &Limits) -> Self {
        let places = [0.0, 0.5 * element.length, element.length];
        let (mut slowness, mut inertia, mut curvature) = (0.0_f64, 0.0_f64, 0.0_f64);
        let (mut turn, mut bend) = (0.0_f64, 0.0_f64);
        for (joint, row) in element.shape.iter().enumerate() {
            let (velocity, acceleration) = (limits.velocity[joint], limits.acceleration[joint]);
            let tangents = places.map(|at| evaluate(row, 1, at));
            let curvatures = places.map(|at| evaluate(row, 2, at));
            let steepest = largest(tangents);
            slowness = slowness.max(steepest / velocity);
            inertia = inertia.max(steepest / acceleration);
            curvature = curvature.max(largest(curvatures) / acceleration);
            turn = turn.max(variation(tangents) / acceleration);
            bend = bend.max(variation(curvatures) / acceleration);
        }
        let (fastest, gain) = ((slowness * slowness).max(curvature).recip(), 2.0 * element.length / inertia);
        Self { length: element.length, fastest, gain, turn: turn / inertia, bend }
    }

    /// Roughly the time that it takes between two squared speeds, and the part by which its limits change.
    fn time_and_change(&self, [start, end]: [f64; 2]) -> (f64, f64) {
        let middle = (f64::midpoint(start, end) + 0.5 * self.gain).min(self.fastest);
        let speed = 0.25 * (start.sqrt() + 2.0 * middle.sqrt() + end.sqrt());
        (self.length / speed, self.turn + self.bend * middle)
    }
}

fn largest(values: [f64; 3]) -> f64 {
    values.into_iter().fold(0.0, |most, value| most.max(value.abs()))
}

fn variation([a, b, c]: [f64; 3]) -> f64 {
    (b - a).abs() + (c - b).abs()
}
