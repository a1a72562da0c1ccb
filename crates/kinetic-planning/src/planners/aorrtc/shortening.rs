//! Simplification of paths before their cost becomes the bound.

use kinetic_core::{Control, Result, Trajectory};

use crate::problem::Problem;
use crate::smooth::{SimplifyOptions, simplify_in};
use crate::validity::Validity;

/// Simplifications of one path at most.
const MAX_SIMPLIFICATIONS: u64 = 20;

/// A simplification that gains less than this part halves the tolerance of the next.
const LEAST_SIMPLIFICATION_GAIN: f64 = 1e-3;

/// The finest tolerance of simplification.
const FINEST_TOLERANCE: f64 = 1e-3;

/// Paths that are simplified once and longer than this part of the bound are left.
const PROMISING_COST_RATIO: f64 = 1.05;

/// What shortening needs beside the path.
pub(super) struct Shortening<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) options: SimplifyOptions,
    pub(super) control: &'a Control,
}

impl Shortening<'_> {
    /// The path, simplified as the options say.
    pub(super) fn once(&self, path: &Trajectory, validity: &mut dyn Validity) -> Result<Trajectory> {
        if self.is_off() {
            return Ok(path.clone());
        }
        Ok(simplify_in(self.problem.space(), path, &self.options, validity, self.control)?.path)
    }

    fn is_off(&self) -> bool {
        self.options.shortcut_iterations == 0 && !self.options.smooth
    }

    /// The path, simplified while that makes it shorter, with finer and finer tolerances; given up after the first time
    /// when it is then still much longer than `bound`. Of all on the way, the one that costs least.
    pub(super) fn shortened(
        &self,
        mut path: Trajectory,
        bound: f64,
        validity: &mut dyn Validity,
    ) -> Result<Trajectory> {
        let (mut options, space) = (self.options, self.problem.space());
        if self.is_off() {
            return Ok(path);
        }
        let mut best: Option<(f64, Trajectory)> = None;
        for round in 0..MAX_SIMPLIFICATIONS {
            let before = space.path_length(&path);
            options.seed = self.options.seed.wrapping_add(round);
            let simpler = simplify_in(space, &path, &options, validity, self.control)?.path;
            let length = space.path_length(&simpler);
            if !self.problem.costs_length() {
                let cost = self.problem.cost(&simpler);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, simpler.clone()));
                }
            }
            if length < before {
                path = simpler;
            }
            if before - length < LEAST_SIMPLIFICATION_GAIN * before {
                options.tolerance /= 2.0;
            }
            if length > PROMISING_COST_RATIO * bound || options.tolerance < FINEST_TOLERANCE || self.control.is_over(0)
            {
                break;
            }
        }
        Ok(best.map_or(path, |(_, path)| path))
    }

    /// The path, simplified once more: other random shortcuts each round, tolerances from coarse to fine and over again.
    pub(super) fn polished(&self, path: &Trajectory, round: usize, validity: &mut dyn Validity) -> Result<Trajectory> {
        let mut options = self.options;
        options.seed = options.seed.wrapping_add(round as u64);
        options.tolerance /= [1.0, 4.0, 16.0, 64.0][round % 4];
        Ok(simplify_in(self.problem.space(), path, &options, validity, self.control)?.path)
    }
}
