//! Refinement of a sphere cover: power diagram, then the best centre for each part, alternating as in Lloyd's iteration.

use nalgebra::{Point3, Vector3};

use super::power;
use super::samples::{SolidSample, spiral};
use super::solid::Solid;
use crate::ball::{Sphere, bounding_ball};

/// Rounds of cutting and centring after which starts are compared, and most rounds for the best.
const TRIAL_ROUNDS: usize = 3;
const MAX_ROUNDS: usize = 25;
/// Rounds without gain after which it stops, and what counts as gain.
const MAX_ROUNDS_WITHOUT_GAIN: usize = 2;
const MIN_GAIN_RATIO: f64 = 2e-3;
/// A start whose excess after the trial rounds is this many times the sufficient one is given up. Of the built-in
/// robots' links, one would still succeed from a larger ratio.
const HOPELESS_EXCESS_RATIO: f64 = 1.2;
/// Corners of a part among which its centre is sought: the farthest in this many bins of direction per face of a cube.
const BINS_PER_CUBE_EDGE: usize = 6;
/// First steps of a centre, as parts of the radius: in the first round, and when a part has changed a little.
const COARSE_STEP_RATIO: f64 = 0.2;
const FINE_STEP_RATIO: f64 = 0.05;
/// Steps smaller than this part of the radius are not worth their time.
const MIN_STEP_RATIO: f64 = 4e-3;
/// Directions in which a centre is moved on trial.
const TRIAL_DIRECTIONS: usize = 10;

/// A ball of a cover.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    pub(super) sphere: Sphere,
    /// Bound on how far it extends beyond the solid, m.
    pub(super) excess: f64,
}

/// Largest excess of a cover.
pub(super) fn worst(balls: &[Ball]) -> f64 {
    balls.iter().map(|ball| ball.excess).fold(f64::NEG_INFINITY, f64::max)
}

/// Balls that contain the solid, from the best of some starts; these need not contain it.
///
/// A few rounds show which start is best; that one is moved until its largest excess gets no smaller, or is `enough`, or
/// will not be.
pub(super) fn polish(solid: &Solid, starts: &[Vec<Sphere>], enough: f64) -> Vec<Ball> {
    let mut best: Option<Vec<Ball>> = None;
    for start in starts {
        let begun = improved(solid, around_parts(solid, start, COARSE_STEP_RATIO), (TRIAL_ROUNDS, enough));
        if best.as_ref().is_none_or(|best| worst(&begun) < worst(best)) {
            best = Some(begun);
        }
        if best.as_ref().is_some_and(|best| worst(best) <= enough) {
            break;
        }
    }
    let best = best.unwrap_or_default();
    if enough > 0.0 && worst(&best) > HOPELESS_EXCESS_RATIO * enough {
        return best;
    }
    improved(solid, best, (MAX_ROUNDS, enough))
}

/// Balls around the parts of the diagram of some balls, which need not contain the solid.
pub(super) fn around(solid: &Solid, balls: &[Sphere]) -> Vec<Ball> {
    around_parts(solid, balls, COARSE_STEP_RATIO)
}

fn improved(solid: &Solid, mut balls: Vec<Ball>, (rounds, enough): (usize, f64)) -> Vec<Ball> {
    let mut best = balls.clone();
    let mut idle = 0;
    for _ in 0..rounds {
        if worst(&best) <= enough {
            break;
        }
        // Each ball as large as the largest excess allows: balls with room take over from balls without. No part of a
        // cover leaves its ball by that, so the largest excess does not grow.
        let allowed = worst(&balls);
        let grown = |ball: &Ball| Sphere::new(ball.sphere.center, ball.sphere.radius + (allowed - ball.excess));
        balls = around_parts(solid, &balls.iter().map(grown).collect::<Vec<_>>(), FINE_STEP_RATIO);
        idle = if worst(&balls) < worst(&best) * (1.0 - MIN_GAIN_RATIO) { 0 } else { idle + 1 };
        if worst(&balls) < worst(&best) {
            best.clone_from(&balls);
        }
        if idle == MAX_ROUNDS_WITHOUT_GAIN {
            break;
        }
    }
    best
}

/// The best ball around each part of the diagram of some balls; balls without a part are left out.
fn around_parts(solid: &Solid, balls: &[Sphere], step: f64) -> Vec<Ball> {
    let parts = power::parts(solid, balls);
    let pairs = parts.iter().zip(balls).filter(|(part, _)| !part.is_empty());
    pairs.map(|(part, ball)| centred(solid, part, &ball.center, step)).collect()
}

/// A ball around a part with little excess: radius plus signed distance of the centre.
fn centred(solid: &Solid, part: &[SolidSample], start: &Point3<f64>, step: f64) -> Ball {
    let decisive = decisive(part, start);
    let excess = |center: &Point3<f64>| radius(&decisive, center) + solid.signed_distance(center);
    let middle = bounding_ball(&decisive.iter().map(|sample| sample.point).collect::<Vec<_>>()).center;
    let (mut center, mut least) = (*start, excess(start));
    let value = excess(&middle);
    if value < least {
        (center, least) = (middle, value);
    }
    let size = radius(&decisive, &center);
    let mut step = step * size;
    while step > MIN_STEP_RATIO * size {
        let towards = farthest(&decisive, &center).map(|sample| (sample.point - center).normalize());
        let trials = spiral(TRIAL_DIRECTIONS).chain(towards.filter(|direction| direction.x.is_finite()));
        // Radius and depth often cancel; without a least gain the centre would wander over that plateau.
        let wanted = least - MIN_GAIN_RATIO * step;
        let excess = |center: &Point3<f64>| {
            let radius = radius(&decisive, center);
            radius + solid.signed_distance_below(center, wanted - radius)
        };
        let moved = trials.map(|direction: Vector3<f64>| center + direction * step).map(|c| (excess(&c), c));
        match moved.min_by(|p, q| p.0.total_cmp(&q.0)).filter(|best| best.0 < wanted) {
            Some(best) => (least, center) = best,
            None => step *= 0.5,
        }
    }
    let sphere = Sphere::new(center, radius(part, &center));
    Ball { sphere, excess: sphere.radius + solid.signed_distance(&center) }
}

/// The smallest radius around a centre that holds all samples.
fn radius(samples: &[SolidSample], center: &Point3<f64>) -> f64 {
    // One root per rounding instead of one per sample: roundings come in runs.
    let (mut farthest, mut rounding, mut radius) = (0.0_f64, 0.0, 0.0_f64);
    for sample in samples {
        if sample.rounding != rounding {
            radius = radius.max(farthest.sqrt() + rounding);
            (farthest, rounding) = (0.0, sample.rounding);
        }
        farthest = farthest.max((sample.point - center).norm_squared());
    }
    radius.max(farthest.sqrt() + rounding)
}

fn farthest<'a>(samples: &'a [SolidSample], center: &Point3<f64>) -> Option<&'a SolidSample> {
    let distance = |sample: &SolidSample| (sample.point - center).norm() + sample.rounding;
    samples.iter().max_by(|p, q| distance(p).total_cmp(&distance(q)))
}

/// The samples that decide about a ball around `center` and near it: in each direction the farthest.
fn decisive(samples: &[SolidSample], center: &Point3<f64>) -> Vec<SolidSample> {
    if samples.len() <= BINS_PER_CUBE_EDGE * BINS_PER_CUBE_EDGE * 6 {
        return samples.to_vec();
    }
    let mut bins: Vec<Option<(f64, SolidSample)>> = vec![None; BINS_PER_CUBE_EDGE * BINS_PER_CUBE_EDGE * 6];
    for sample in samples {
        let offset = sample.point - center;
        let distance = offset.norm() + sample.rounding;
        let bin = &mut bins[bin(&offset)];
        if bin.is_none_or(|(farthest, _)| distance > farthest) {
            *bin = Some((distance, *sample));
        }
    }
    bins.into_iter().flatten().map(|(_, sample)| sample).collect()
}

#[expect(clippy::cast_sign_loss, reason = "the ratio of a component to the largest one, moved to 0 … 1")]
/// Number of the square, on the faces of a cube, through which a direction leaves it.
fn bin(direction: &Vector3<f64>) -> usize {
    let axis = direction.iamax();
    let along = direction[axis];
    let place = |other: usize| {
        let ratio = 0.5 + 0.5 * direction[(axis + other) % 3] / along.abs();
        ((ratio * BINS_PER_CUBE_EDGE as f64) as usize).min(BINS_PER_CUBE_EDGE - 1)
    };
    ((2 * axis + usize::from(along > 0.0)) * BINS_PER_CUBE_EDGE + place(1)) * BINS_PER_CUBE_EDGE + place(2)
}
