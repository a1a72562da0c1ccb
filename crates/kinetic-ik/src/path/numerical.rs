//! Numerical continuation of configurations, for arms without closed form.

use std::f64::consts::PI;

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{KinematicChain, Rigid};

use super::PathOptions;
use super::candidates::{Candidates, continued, is_near};
use crate::tolerance::SAME_CONFIGURATION_RAD_M;

/// Configurations found by the numerical solver: from those of the pose before, and where there are none (at the first
/// pose, and after a pose out of reach) from seeded random starts. A sample of all configurations, not all of them.
#[derive(Debug)]
pub struct Numerical<'a> {
    chain: &'a KinematicChain,
    rng: SeededRng,
    starts: usize,
    /// Configurations near the start of the path are tried too, so that redundant arms have a choice.
    spread: Option<Vec<f64>>,
}

/// Random starts of a pose.
const RANDOM_STARTS: usize = 24;
/// Random starts over all samples of a pose with tolerances, but [`LEAST_STARTS_PER_SAMPLE`] per sample.
const RANDOM_STARTS_OF_ALL_SAMPLES: usize = 72;
/// Random starts of a sample.
const LEAST_STARTS_PER_SAMPLE: usize = 2;

impl<'a> Numerical<'a> {
    /// A source for a path with these options.
    pub fn new(chain: &'a KinematicChain, options: &PathOptions) -> Self {
        let samples = options.tolerance.iter().map(|tolerance| tolerance.samples().len()).max().unwrap_or(1);
        let starts = if samples == 1 {
            RANDOM_STARTS
        } else {
            (RANDOM_STARTS_OF_ALL_SAMPLES / samples).max(LEAST_STARTS_PER_SAMPLE)
        };
        let spread = options.start.is_some().then(|| options.steps(chain));
        Self { chain, rng: SeededRng::new(options.rng_seed), starts, spread }
    }

    fn add(&self, target: &Rigid, from: &[f64], first: usize, out: &mut Vec<f64>) {
        if let Some(q) = continued(self.chain, target, from)
            && !out[first..]
                .chunks_exact(self.chain.dof())
                .any(|row| is_near(self.chain, &q, row, SAME_CONFIGURATION_RAD_M))
        {
            out.extend_from_slice(&q);
        }
    }

    fn random(&mut self) -> Vec<f64> {
        let Self { chain, rng, .. } = self;
        let draw = |(low, high): &(f64, f64)| {
            let is_finite = low.is_finite() && high.is_finite();
            if is_finite { rng.uniform(*low, *high) } else { rng.uniform(-PI, PI) }
        };
        chain.bounds().iter().map(draw).collect()
    }

    /// A configuration within half a step of `from`.
    fn near(&mut self, from: &[f64], steps: &[f64]) -> Vec<f64> {
        let draw = |(value, step): (&f64, &f64)| value + 0.5 * step.min(PI) * self.rng.uniform(-1.0, 1.0);
        from.iter().zip(steps).map(draw).collect()
    }
}

impl Candidates for Numerical<'_> {
    fn chain(&self) -> &KinematicChain {
        self.chain
    }

    fn candidates(&mut self, base_from_tcp: &Rigid, previous: &[f64], out: &mut Vec<f64>) {
        let (first, dof) = (out.len(), self.chain.dof());
        for from in previous.chunks_exact(dof) {
            self.add(base_from_tcp, from, first, out);
        }
        if previous.len() == dof
            && let Some(steps) = self.spread.take()
        {
            for _ in 0..self.starts {
                let from = self.near(previous, &steps);
                self.add(base_from_tcp, &from, first, out);
            }
        }
        if out.len() == first {
            for _ in 0..self.starts {
                let from = self.random();
                self.add(base_from_tcp, &from, first, out);
            }
        }
    }
}
