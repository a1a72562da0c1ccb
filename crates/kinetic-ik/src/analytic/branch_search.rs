//! Branch search: limits, order and number of solutions, and for redundant arms the sweep over their self-motion.

use std::f64::consts::TAU;

use kinetic_core::JointValues;
use kinetic_kinematics::KinematicChain;

use super::angles::{LIMIT_TOLERANCE_RAD_M, into_limits, onto, wrapped};
use super::array_vec::ArrayVec;
use super::branches::{Branch, BranchJoints, Branches, CLOSED_RESIDUAL, MOST_JOINTS, USUAL_BRANCHES};
use super::redundant::{Grid, clamped};
use super::solution::{Refinement, Solution, SolveOptions};
use super::solver::{Held, Parameters, Range, Solver, Target, blank};

/// The accepted branches of a search and its counters.
#[derive(Debug)]
pub(super) struct SearchOutcome {
    accepted: Vec<AcceptedBranch>,
    pub(super) raw_candidates: usize,
    pub(super) dropped_by_limits: usize,
    pub(super) dropped_by_max_solutions: usize,
    pub(super) samples: usize,
    pub(super) warnings: Vec<&'static str>,
}

#[derive(Debug)]
struct AcceptedBranch {
    branch: Branch,
    refinement: Refinement,
    /// From the seed.
    distance: f64,
}

/// The search for the branches of one target.
pub(super) struct BranchSearch<'a> {
    solver: &'a dyn Solver,
    chain: &'a KinematicChain,
    target: &'a Target,
    options: &'a SolveOptions,
    /// Whether solving at one sample costs so much that only the first of the finer sweeps is made.
    is_slow: bool,
    branches: Branches,
    accepted: Vec<AcceptedBranch>,
    /// Distance of the nearest of them from the seed.
    nearest: f64,
    raw_candidates: usize,
    samples: usize,
    warnings: Vec<&'static str>,
}

/// Bounds of a search for the nearest solution.
pub(super) struct SeedBound {
    /// Entries of the locked joints.
    pub(super) locked: Vec<usize>,
    /// Travel from the seed to a solution that is known, infinite for none.
    pub(super) known: f64,
}

/// A sample of the self-motion and how far its best branch is outside the limits.
#[derive(Clone, Copy)]
struct SelfMotionSample {
    at: Parameters,
    excess: f64,
}

/// A branch within this distance of the seed, rad and m, is the seed: near a double root so much accuracy is lost.
const SAME_AS_SEED_RAD_M: f64 = LIMIT_TOLERANCE_RAD_M;
/// Newton's method goes on while a round leaves at most this part of the residual.
const NEWTON_RESIDUAL_RATIO: f64 = 0.5;
/// Perturbed targets without a branch after which the others are taken to have none.
const EMPTY_PERTURBED_TARGETS: usize = 16;
/// Samples from which the pattern search starts.
const PATTERN_SEARCH_STARTS: usize = 12;
/// A step of the pattern search that leaves at most this part of the excess is made again in the same size.
const SUFFICIENT_EXCESS_RATIO: f64 = 0.99;
/// Finest step of a search between samples, against the step of the sweep.
const FINEST_STEP_RATIO: f64 = 1e-7;
/// Sweeps between the samples, each with twice as many values.
const FINER_SWEEPS: usize = 2;
/// Sweeps between the samples while there is no branch at all: at the edge of the workspace the self-motion is short.
const FINER_SWEEPS_WITHOUT_BRANCH: usize = 5;
/// Values of a finer sweep at most.
const MOST_SWEEP_SAMPLES: usize = 6_000;

impl<'a> BranchSearch<'a> {
    pub(super) fn new(
        solver: &'a dyn Solver,
        chain: &'a KinematicChain,
        target: &'a Target,
        options: &'a SolveOptions,
        is_slow: bool,
    ) -> Self {
        let (branches, accepted, warnings) =
            (Branches::with_usual_capacity(), Vec::with_capacity(USUAL_BRANCHES), Vec::new());
        let nearest = f64::INFINITY;
        Self {
            solver,
            chain,
            target,
            options,
            is_slow,
            branches,
            accepted,
            nearest,
            raw_candidates: 0,
            samples: 0,
            warnings,
        }
    }

    /// Solves at one value of the self-motion only.
    pub(super) fn solve_only_at(&mut self, at: &[f64]) {
        let mut inside = clamped(self.solver.ranges(), at);
        if !self.options.respect_limits {
            inside.copy_from_slice(at);
        }
        self.solve_at(&inside);
    }

    /// Sweeps over the self-motion from `start` outwards, until there are enough solutions. With `near`, over all samples
    /// where the locked joints alone do not travel farther than to the nearest solution and a step.
    pub(super) fn sweep(&mut self, start: Option<Parameters>, near: Option<&SeedBound>) {
        if self.solver.ranges().is_empty() {
            self.solve_at(&ArrayVec::empty(0.0));
            self.add_seed();
            return;
        }
        let grid = Grid::new(self.solver.ranges(), self.options.samples, start);
        let mut sweep_samples = Vec::with_capacity(grid.samples.len());
        let mut end = grid.samples.len();
        for (index, at) in grid.samples.iter().enumerate() {
            if let Some(near) = near {
                if self.least_travel(&near.locked, at, &grid.steps) <= self.nearest.min(near.known) {
                    sweep_samples.push(SelfMotionSample { at: *at, excess: self.solve_at(at) });
                }
                continue;
            }
            if index >= end {
                self.warnings.push("the sweep ended at max_solutions, before its last sample");
                break;
            }
            sweep_samples.push(SelfMotionSample { at: *at, excess: self.solve_at(at) });
            if self.is_enough() {
                // Near a fold the nearest branch may begin at a neighbour only.
                let neighbours = if start.is_some() { 2 * at.len() } else { 0 };
                end = end.min(index + 1 + neighbours);
            }
        }
        self.add_seed();
        if self.accepted.is_empty() && near.is_none_or(|near| near.known.is_infinite()) {
            self.refine_sweep(&grid, sweep_samples);
        }
    }

    /// A seed that reaches the target is the solution nearest to itself. In a singular pose, where a continuum of
    /// configurations reaches the target, the branches may be others of it.
    fn add_seed(&mut self) {
        let Some(seed) = &self.options.seed else { return };
        if self.accepted.iter().any(|accepted| accepted.distance <= SAME_AS_SEED_RAD_M) {
            return;
        }
        let mut q = blank(seed.len());
        q.copy_from_slice(seed);
        let fk_residual = self.solver.residual(&q, self.target);
        if fk_residual <= CLOSED_RESIDUAL && (!self.options.respect_limits || self.is_inside(&q)) {
            self.raw_candidates += 1;
            let branch = Branch { q, fk_residual };
            self.accepted.push(AcceptedBranch { branch, refinement: Refinement::None, distance: 0.0 });
        }
    }

    fn is_inside(&self, q: &[f64]) -> bool {
        q.iter().zip(self.chain.bounds()).all(|(value, (low, high))| low <= value && value <= high)
    }

    /// Whether no branch was found yet that is inside the limits, where these are respected.
    pub(super) fn has_no_solution(&self) -> bool {
        self.accepted.is_empty()
    }

    /// Whether no branch was found yet, inside the limits or not.
    pub(super) fn has_no_branch(&self) -> bool {
        self.raw_candidates == 0
    }

    /// Adds a warning for the user.
    pub(super) fn warn(&mut self, warning: &'static str) {
        self.warnings.push(warning);
    }

    /// Solves for perturbed targets and corrects their branches to the target by Newton's method, until there is a solution.
    /// Where the first perturbed targets have no branch either, none is hidden.
    #[cold]
    pub(super) fn search_perturbed(&mut self, perturbed: impl Iterator<Item = Target>) {
        let (mut branches, mut corrected) = (Branches::with_usual_capacity(), Vec::<BranchJoints>::new());
        for (index, target) in perturbed.enumerate() {
            let is_empty = index >= EMPTY_PERTURBED_TARGETS && branches.found.is_empty();
            if is_empty || !self.accepted.is_empty() || self.options.stop.is_stopped() {
                return;
            }
            let first = branches.found.len();
            self.solver.search(&target, &[], &mut branches);
            for branch in &branches.found[first..] {
                let Some(branch) = self.corrected_to_target(branch) else { continue };
                if !corrected.iter().any(|known| is_same(known, &branch.q)) {
                    corrected.push(branch.q);
                    self.accept(&branch, Refinement::Lm);
                }
            }
        }
    }

    /// The branch of the target that Newton's method reaches from a branch of a perturbed target.
    fn corrected_to_target(&self, perturbed: &Branch) -> Option<Branch> {
        let (mut branch, mut residual) = (*perturbed, f64::INFINITY);
        branch.fk_residual = self.solver.residual(&branch.q, self.target);
        while CLOSED_RESIDUAL < branch.fk_residual && branch.fk_residual < NEWTON_RESIDUAL_RATIO * residual {
            residual = branch.fk_residual;
            branch = self.solver.polished_holding(&branch, self.target, [false; MOST_JOINTS])?;
        }
        (branch.fk_residual <= CLOSED_RESIDUAL).then_some(branch)
    }

    /// Accepts a configuration that reaches the target up to what Newton's method corrects. Where it is outside the limits,
    /// starts the pattern search at its value `at` of the self-motion.
    pub(super) fn descend_from(&mut self, q: &[f64], at: &[f64]) {
        let mut branch = Branch { q: blank(q.len()), fk_residual: f64::INFINITY };
        branch.q.copy_from_slice(q);
        if let Some(branch) = self.corrected_to_target(&branch) {
            self.accept(&branch, Refinement::Lm);
        }
        if !self.accepted.is_empty() {
            return;
        }
        let at = clamped(self.solver.ranges(), at);
        let excess = self.solve_at(&at);
        if self.accepted.is_empty() && excess.is_finite() {
            let grid = Grid::new(self.solver.ranges(), self.options.samples, None);
            self.descend(SelfMotionSample { at, excess }, &grid.steps);
        }
    }

    /// A lower bound on the travel of the locked joints from the seed to within a step of `at`.
    fn least_travel(&self, locked: &[usize], at: &Parameters, steps: &Parameters) -> f64 {
        let Some(seed) = &self.options.seed else { return 0.0 };
        let parts = locked.iter().zip(self.solver.ranges()).zip(at.iter().zip(steps.iter()));
        let part = |((joint, range), (value, step)): ((&usize, &Range), (&f64, &f64))| {
            let apart = value - seed[*joint];
            let apart = if range.is_circle { wrapped(apart) } else { apart };
            self.chain.weights()[*joint] * (apart.abs() - step).max(0.0)
        };
        parts.map(part).map(|part| part * part).sum::<f64>().sqrt()
    }

    fn is_enough(&self) -> bool {
        self.options.max_solutions.is_some_and(|most| self.accepted.len() >= most)
    }

    /// Finer sweeps between the samples, then pattern searches from the best samples towards the limits.
    fn refine_sweep(&mut self, grid: &Grid, mut sweep_samples: Vec<SelfMotionSample>) {
        let own = self.options.samples.unwrap_or(self.solver.ranges()[0].samples);
        for level in 1..=FINER_SWEEPS_WITHOUT_BRANCH {
            if level > FINER_SWEEPS && self.raw_candidates > 0 {
                break;
            }
            let finer = Grid::new(self.solver.ranges(), Some(own << level), None);
            if finer.samples.len() > MOST_SWEEP_SAMPLES || (self.is_slow && level > 1) {
                break;
            }
            for at in &finer.samples {
                sweep_samples.push(SelfMotionSample { at: *at, excess: self.solve_at(at) });
                if !self.accepted.is_empty() {
                    return;
                }
            }
        }
        sweep_samples.retain(|sample| sample.excess.is_finite());
        sweep_samples.sort_by(|a, b| a.excess.total_cmp(&b.excess));
        let mut tried: Vec<Parameters> = Vec::new();
        for sample in sweep_samples {
            let is_near = |other: &Parameters| {
                let steps = sample.at.iter().zip(other.iter()).zip(grid.steps.iter());
                steps.into_iter().all(|((a, b), step)| (a - b).abs() < *step)
            };
            if tried.iter().any(is_near) {
                continue;
            }
            tried.push(sample.at);
            self.descend(sample, &grid.steps);
            if !self.accepted.is_empty() || tried.len() >= PATTERN_SEARCH_STARTS {
                return;
            }
        }
    }

    /// Pattern search (Hooke & Jeeves 1961) for a value of the self-motion with a branch inside the limits.
    fn descend(&mut self, mut current: SelfMotionSample, steps: &Parameters) {
        let mut scale = 0.5;
        while scale > FINEST_STEP_RATIO && self.accepted.is_empty() {
            let mut best = current;
            for direction in 0..9_i32 {
                let (one, two) = (f64::from(direction / 3 - 1), f64::from(direction % 3 - 1));
                // A single parameter has two neighbours only.
                let is_used = direction != 4 && (steps.len() == 2 || two == 0.0);
                if !is_used {
                    continue;
                }
                let mut at = current.at;
                for (value, (step, sign)) in at.iter_mut().zip(steps.iter().zip([one, two])) {
                    *value += sign * scale * step;
                }
                let at = clamped(self.solver.ranges(), &at);
                let excess = self.solve_at(&at);
                if excess < best.excess {
                    best = SelfMotionSample { at, excess };
                }
            }
            // Along a kink of the excess every step gains, each less than the one before.
            let is_enough = best.excess < SUFFICIENT_EXCESS_RATIO * current.excess;
            current = best;
            if !is_enough {
                scale *= 0.5;
            }
        }
    }

    /// Solves at a value of the self-motion; returns how far the best branch is outside the limits, infinite for none.
    fn solve_at(&mut self, at: &Parameters) -> f64 {
        if self.options.stop.is_stopped() {
            // Callers then find nothing more and end soon.
            return f64::INFINITY;
        }
        self.samples += 1;
        self.branches.found.clear();
        self.solver.search(self.target, at, &mut self.branches);
        let mut least = f64::INFINITY;
        for index in 0..self.branches.found.len() {
            let Some((branch, refinement)) = self.closed(&self.branches.found[index]) else { continue };
            least = least.min(self.accept(&branch, refinement));
        }
        least
    }

    /// Accepts a branch that is inside the limits; returns how far it is outside.
    fn accept(&mut self, branch: &Branch, refinement: Refinement) -> f64 {
        self.raw_candidates += 1;
        match self.inside(branch) {
            Ok(branch) => {
                let distance = self.options.seed.as_ref().map_or(0.0, |seed| self.chain.travel(seed, &branch.q));
                self.nearest = self.nearest.min(distance);
                self.accepted.push(AcceptedBranch { branch, refinement, distance });
                0.0
            }
            Err(excess) => excess,
        }
    }

    /// A branch that closes, refined if it has to be and may be.
    fn closed(&self, branch: &Branch) -> Option<(Branch, Refinement)> {
        if branch.fk_residual <= CLOSED_RESIDUAL {
            return Some((*branch, Refinement::None));
        }
        let steps = self.options.allow_refinement.then_some(self.options.refinement_max_iters)?;
        Some((self.solver.refined(branch, self.target, steps)?, Refinement::Lm))
    }

    /// A branch inside its limits, or how far it is outside.
    fn inside(&self, branch: &Branch) -> Result<Branch, f64> {
        let mut placed = *branch;
        let (excess, on_limits) = self.wrap_into_limits(&mut placed.q, LIMIT_TOLERANCE_RAD_M);
        if excess > 0.0 {
            return Err(excess);
        }
        if !on_limits.contains(&true) {
            return Ok(placed);
        }
        if let Some(closed) = self.closed_on_limits(placed, on_limits) {
            return Ok(closed);
        }
        // More than rounding: what is outside on one turn may be inside on another.
        let mut placed = *branch;
        match self.wrap_into_limits(&mut placed.q, 0.0) {
            (excess, _) if excess > 0.0 => Err(excess),
            _ => Ok(placed),
        }
    }

    /// A branch some of whose joints were put onto their limits, with the others where they bring the tool back to the
    /// target; these may come to their limits, too.
    #[cold]
    fn closed_on_limits(&self, mut branch: Branch, mut held: Held) -> Option<Branch> {
        loop {
            let polished = self.solver.polished_holding(&branch, self.target, held)?;
            let mut is_inside = true;
            for joint in (0..branch.q.len()).filter(|joint| self.chain.is_rotation(*joint)) {
                if held[joint] {
                    continue;
                }
                let value = branch.q[joint] + wrapped(polished.q[joint] - branch.q[joint]);
                branch.q[joint] = onto(value, self.chain.bounds()[joint], LIMIT_TOLERANCE_RAD_M)?;
                held[joint] = branch.q[joint] != value;
                is_inside &= !held[joint];
            }
            if is_inside {
                branch.fk_residual = polished.fk_residual;
                return (branch.fk_residual <= CLOSED_RESIDUAL).then_some(branch);
            }
        }
    }

    /// Gives joints the turns of 2π that limits and seed ask for, and puts those onto their limits that are outside by at
    /// most `tolerance`; how far they are outside (Euclidean, so that it is smooth), and which are on a limit.
    fn wrap_into_limits(&self, q: &mut BranchJoints, tolerance: f64) -> (f64, Held) {
        let (mut square, mut on_limits) = (0.0, [false; MOST_JOINTS]);
        for (joint, q) in q.iter_mut().enumerate() {
            let (low, high) = self.chain.bounds()[joint];
            let limits = self.options.respect_limits.then_some((low, high));
            let is_turning = self.chain.is_rotation(joint);
            let near = self.options.seed.as_ref().map_or(*q, |seed| seed[joint]);
            let is_endless = !(low.is_finite() && high.is_finite());
            let inside = match limits {
                // Joints without limits keep their angle unless a seed says which turn is meant.
                _ if is_turning && self.options.seed.is_none() && (limits.is_none() || is_endless) => Some(*q),
                _ if is_turning => into_limits(*q, near, limits, tolerance),
                Some(limits) => onto(*q, limits, tolerance),
                None => Some(*q),
            };
            match inside {
                Some(inside) => {
                    *q = inside;
                    on_limits[joint] = limits.is_some() && (inside == low || inside == high);
                }
                None if is_turning => square += turned_outside(*q, low, high).powi(2),
                None => square += outside(*q, low, high).powi(2),
            }
        }
        (square.sqrt(), on_limits)
    }

    /// The accepted branches in order, at most as many as asked for.
    pub(super) fn finished(mut self) -> SearchOutcome {
        if self.options.seed.is_some() {
            self.accepted.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        }
        let before = self.accepted.len();
        self.accepted.truncate(self.options.max_solutions.unwrap_or(usize::MAX));
        SearchOutcome {
            raw_candidates: self.raw_candidates,
            dropped_by_limits: self.raw_candidates - before,
            dropped_by_max_solutions: before - self.accepted.len(),
            accepted: self.accepted,
            samples: self.samples,
            warnings: self.warnings,
        }
    }
}

impl SearchOutcome {
    pub(super) fn solutions(&self) -> Vec<Solution> {
        let solution = |accepted: &AcceptedBranch| Solution {
            q: JointValues::from(&accepted.branch.q[..]),
            fk_residual: accepted.branch.fk_residual,
            refinement_used: accepted.refinement,
        };
        self.accepted.iter().map(solution).collect()
    }

    /// Joint values alone, one solution after the other.
    pub(super) fn configurations(&self) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.accepted.iter().map(|accepted| accepted.branch.q.len()).sum());
        for accepted in &self.accepted {
            out.extend_from_slice(&accepted.branch.q);
        }
        out
    }
}

/// Whether two configurations are the same, turns of 2π ignored.
fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| wrapped(a - b).abs() <= SAME_AS_SEED_RAD_M)
}

fn outside(value: f64, low: f64, high: f64) -> f64 {
    (low - value).max(value - high).max(0.0)
}

/// As [`outside`] for the nearest of the turns by ±2π.
fn turned_outside(angle: f64, low: f64, high: f64) -> f64 {
    [0.0, -TAU, TAU].iter().map(|turn| outside(angle + turn, low, high)).fold(f64::INFINITY, f64::min)
}
