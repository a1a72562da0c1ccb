//! Refinement of a timed motion: trajectory optimisation over B-splines with time as a variable.
//!
//! A path planner leaves a polyline, and its time law the corners of one. Here the motion itself is optimised: control points of
//! a uniform B-spline in time, whose derivatives are bounded by differences of control points, with signed distances of near pairs
//! linearised around the last motion, as sequential convex optimisation does (Schulman et al. 2014, "Motion planning with
//! sequential convex optimization and convex collision checking"). The duration is shortened step by step; at each, limits and
//! clearance that are missed are minimised. Time is then stretched until all limits hold, and a motion counts if it is
//! shorter than the last one and proven free.

mod banded;
mod deviation;
mod problem;
mod spline;

use kinetic_core::{Control, Limits, PiecewisePolynomial, Result};

pub(crate) use self::deviation::deviation;
use self::problem::RelaxationProblem;
use self::spline::RestSpline;
use crate::near_distances::NearDistances;
use crate::scene_validity::SceneValidity;
use crate::validity::Validity;

/// A motion is stretched by this much more than the limits need, so that rounding exceeds none.
const STRETCH_ROUNDING: f64 = 1e-12;

/// Limits that are exceeded by less are left to the stretching of time.
const NEGLIGIBLE_STRETCH: f64 = 1e-3;

/// Seconds per interval of the spline, about, and the fewest and most intervals.
const INTERVAL_S: f64 = 0.04;
const FEWEST_INTERVALS: usize = 24;
const MOST_INTERVALS: usize = 64;

/// Clearance beyond the required one that samples are to have, m.
const SAMPLE_CLEARANCE_M: f64 = 0.002;

/// Pairs that are nearer to missing their clearance are looked at, m. Farther ones made no motion shorter, and cost time.
const PAIR_REACH_M: f64 = 0.03;

/// The part of the duration that is cut first, and the least one.
const FIRST_CUT: f64 = 0.1;
const LEAST_CUT: f64 = 0.005;

/// Linearisations of the clearance per duration.
const MAX_LINEARISATIONS: usize = 4;

/// How often a duration is tried again with a sample more.
const MAX_ADDED_SAMPLES: usize = 3;

/// Queries of near pairs after which nothing more is tried: some 20 ms on an arm.
const MAX_NEAR_QUERIES: usize = 1_500;

/// What is asked of a motion.
pub(crate) struct Refinement<'a> {
    /// Limits of the derivatives.
    pub(crate) limits: &'a Limits,
    /// Degree of the splines: 2, or 3 for continuous acceleration.
    pub(crate) degree: usize,
    /// Range per joint.
    pub(crate) bounds: &'a [(f64, f64)],
}

impl Refinement<'_> {
    /// Shortens a motion that is at rest at both ends; `None` where nothing shorter is found until the budget ends. What is
    /// returned is proven free.
    ///
    /// # Errors
    /// When a control point is not finite.
    pub(crate) fn refine(
        &self,
        curve: &PiecewisePolynomial,
        validity: &mut SceneValidity<'_>,
        control: &Control,
    ) -> Result<Option<PiecewisePolynomial>> {
        if !(curve.duration() > 0.0) {
            return Ok(None);
        }
        let mut best = RestSpline::along(curve, self.degree, intervals_of(curve.duration()));
        let (mut shortest, mut found, least) = (curve.duration(), None, self.least_duration(curve));
        let mut work = Work::new(&best);
        let mut cut = FIRST_CUT;
        while cut >= LEAST_CUT && work.queries < MAX_NEAR_QUERIES && control.check(0).is_ok() {
            let target = (shortest * (1.0 - cut)).max(least);
            if target > (1.0 - 0.5 * LEAST_CUT) * shortest {
                break;
            }
            let mut next = best.clone();
            next.set_duration(target);
            match self.shorter((&mut next, shortest), &mut work, validity, control)? {
                Some(motion) => (shortest, best, found) = (next.duration(), next, Some(motion)),
                None => cut *= 0.5,
            }
        }
        Ok(found)
    }

    /// Moves a motion until it is shorter than `shortest` (s) and proven free; `None` where it does not become so. Where it is met
    /// between samples, another sample is taken there.
    fn shorter(
        &self,
        (next, shortest): (&mut RestSpline, f64),
        work: &mut Work,
        validity: &mut SceneValidity<'_>,
        control: &Control,
    ) -> Result<Option<PiecewisePolynomial>> {
        let target = next.duration();
        for _ in 0..=MAX_ADDED_SAMPLES {
            let slack = self.relax(next, work, validity, control);
            let mut motion = next.clone();
            motion.set_duration(target * motion.stretch(self.limits) * (1.0 + STRETCH_ROUNDING));
            let is_shorter = motion.duration() < shortest * (1.0 - 0.2 * LEAST_CUT);
            if control.check(0).is_err() || !(slack > 0.0 && is_shorter) {
                return Ok(None);
            }
            let curve = motion.to_curve()?;
            let Some((time, _)) = validity.checker().curve_contact(&curve) else {
                *next = motion;
                return Ok(Some(curve));
            };
            work.add_sample(&motion, time);
        }
        Ok(None)
    }

    /// Lessens what a motion of this duration misses; returns the least slack of a sample.
    fn relax(
        &self,
        spline: &mut RestSpline,
        work: &mut Work,
        validity: &mut SceneValidity<'_>,
        control: &Control,
    ) -> f64 {
        for _ in 0..MAX_LINEARISATIONS {
            let slack = work.linearise(spline, validity);
            let is_done = slack >= 0.5 * SAMPLE_CLEARANCE_M && spline.stretch(self.limits) < 1.0 + NEGLIGIBLE_STRETCH;
            if is_done || work.queries >= MAX_NEAR_QUERIES || control.check(0).is_err() {
                return slack;
            }
            work.problem.solve(spline, self.limits, self.bounds, SAMPLE_CLEARANCE_M, control);
        }
        work.linearise(spline, validity)
    }

    /// The time that the slowest joint takes from end to end at least, under the limits of velocity and acceleration, s.
    fn least_duration(&self, curve: &PiecewisePolynomial) -> f64 {
        let (from, to) = (curve.sample(0.0, 0), curve.sample(curve.duration(), 0));
        let of_joint = |joint: usize| {
            let (way, v, a) =
                ((to[joint] - from[joint]).abs(), self.limits.velocity[joint], self.limits.acceleration[joint]);
            if way > v * v / a { way / v + v / a } else { 2.0 * (way / a).sqrt() }
        };
        (0..curve.dof()).map(of_joint).fold(0.0, f64::max)
    }
}

fn intervals_of(duration: f64) -> usize {
    #[allow(clippy::cast_sign_loss, reason = "a duration")]
    let intervals = (duration / INTERVAL_S).ceil() as usize;
    intervals.clamp(FEWEST_INTERVALS, MOST_INTERVALS)
}

/// Memory of a refinement.
struct Work {
    problem: RelaxationProblem,
    near: NearDistances,
    queries: usize,
    q: Vec<f64>,
    still: Vec<f64>,
    /// Where near pairs are looked at: interval and place in it.
    samples: Vec<(usize, f64)>,
}

impl Work {
    fn new(spline: &RestSpline) -> Self {
        Self {
            problem: RelaxationProblem::default(),
            near: NearDistances::default(),
            queries: 0,
            q: vec![0.0; spline.dof()],
            still: vec![0.0; spline.dof()],
            samples: (0..spline.intervals()).map(|interval| (interval, 0.5)).collect(),
        }
    }

    /// Looks at the near pairs along a motion; returns the least slack.
    fn linearise(&mut self, spline: &mut RestSpline, validity: &mut SceneValidity<'_>) -> f64 {
        let mut least = f64::INFINITY;
        self.problem.begin(spline);
        for place in &self.samples {
            spline.position_into(place.0, place.1, &mut self.q);
            validity.near_distances(&self.q, &self.still, PAIR_REACH_M, &mut self.near);
            least = least.min(self.near.least_slack());
            self.problem.add(spline, *place, &self.q, &self.near);
        }
        self.queries += self.samples.len();
        least
    }

    /// Adds the instant of a motion.
    fn add_sample(&mut self, spline: &RestSpline, time: f64) {
        let at = (time / spline.step).clamp(0.0, spline.intervals() as f64);
        #[allow(clippy::cast_sign_loss, reason = "a time inside the motion")]
        let interval = (at as usize).min(spline.intervals() - 1);
        self.samples.push((interval, at - interval as f64));
    }
}
