//! The evolutionary solver with local descent: Bio-IK (Starke, Hendrich & Zhang 2018, "Memetic evolution for generic
//! full-body inverse kinematics in robotics and animation").
//!
//! A population of configurations with a momentum per joint. In each generation the best ones, the elites, descend by
//! damped least-squares steps; the others are replaced by children: two parents chosen by rank are mixed joint by joint,
//! moved on by momentum, mutated by as much as the parents are unfit, and drawn towards the best. When no elite improves,
//! all but the best are drawn anew (a wipe-out). Any list of weighted targets on any links makes the fitness.

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError, Result, StopFlag};
use kinetic_kinematics::{KinematicChain, Motion, Rigid};
use nalgebra::Vector3;

use super::IKConfig;
use super::ccd::pose_targets;
use super::pose_problem::{PoseProblem, bounds_that_count, reach_bound};
use super::quadratic::cholesky_solve;
use super::solver::{NumericalSolver, Outcome};
use super::targets::{LinkTarget, TargetSet, Wanted};
use crate::watch::Watch;

/// Size of the population.
const POPULATION_SIZE: usize = 16;
/// How many of it descend.
const ELITES: usize = 3;
/// Steps of the descent per generation.
const DESCENT_STEPS: usize = 4;
/// Elites that improve less than this part over a generation have stalled.
const ELITE_STALLED_RELATIVE_GAIN: f64 = 0.01;

/// Configuration inside the limits at which all weighted targets are met, by evolution with local descent.
///
/// `max_iterations` of `config` are generations of one attempt; solver, mode and tolerances are not looked at, since
/// targets state their own.
///
/// # Errors
/// [`KineticError::IKNotConverged`] with the largest error (m or rad), and input errors.
pub fn bio_ik(chain: &KinematicChain, targets: &[LinkTarget], config: &IKConfig) -> Result<JointValues> {
    config.check(chain)?;
    let set = TargetSet::new(chain, targets, 1.0 / reach_bound(chain).max(1e-3))?;
    let bounds = bounds_that_count(chain, config);
    let mut evolution = Evolution::new(chain, bounds);
    let mut rng = SeededRng::new(config.rng_seed);
    let mut q = config.start(chain);
    let (watch, mut iterations, mut residual) = (Watch::new(&config.stop), 0, f64::INFINITY);
    for _ in 0..=config.num_restarts {
        iterations += evolution.run(&set, &mut rng, config.max_iterations, &config.stop, &mut q);
        chain.program().frames_into(&q, &mut evolution.frames);
        if set.is_met(&evolution.frames) {
            return Ok(q.into());
        }
        watch.check_cancelled(iterations)?;
        residual = residual.min(set.residual(&evolution.frames));
        if config.stop.is_out_of_time() {
            break;
        }
        evolution.random_into(&mut rng, &mut q);
    }
    Err(KineticError::IKNotConverged { iterations, residual })
}

/// A member of the population.
#[derive(Clone)]
struct Individual {
    q: Vec<f64>,
    momentum: Vec<f64>,
    cost: f64,
}

/// The population and the buffers of its descents.
struct Evolution {
    frames: Vec<Rigid>,
    bounds: Vec<(f64, f64)>,
    /// Ranges of random configurations: finite also for joints without limits.
    ranges: Vec<(f64, f64)>,
    population: Vec<Individual>,
    normal: Vec<f64>,
    step: Vec<f64>,
    row: Vec<Vector3<f64>>,
}

impl Evolution {
    fn new(chain: &KinematicChain, bounds: Vec<(f64, f64)>) -> Self {
        let n = chain.dof();
        let pi = std::f64::consts::PI;
        let finite = |(low, high): &(f64, f64)| if (high - low).is_finite() { (*low, *high) } else { (-pi, pi) };
        Self {
            frames: vec![Rigid::identity(); chain.program().num_frames()],
            ranges: chain.bounds().iter().map(finite).collect(),
            bounds,
            population: Vec::with_capacity(2 * POPULATION_SIZE),
            normal: vec![0.0; n * n],
            step: vec![0.0; n],
            row: vec![Vector3::zeros(); n],
        }
    }

    fn random_into(&self, rng: &mut SeededRng, q: &mut [f64]) {
        for (value, (low, high)) in q.iter_mut().zip(&self.ranges) {
            *value = rng.uniform(*low, *high);
        }
    }

    fn cost(&mut self, set: &TargetSet<'_>, q: &[f64]) -> f64 {
        set.chain.program().frames_into(q, &mut self.frames);
        set.cost(&self.frames)
    }

    fn individual(&mut self, set: &TargetSet<'_>, q: Vec<f64>) -> Individual {
        let cost = self.cost(set, &q);
        Individual { momentum: vec![0.0; q.len()], q, cost }
    }

    /// Evolves from `q` and leaves the best configuration in it; returns the generations.
    fn run(
        &mut self,
        set: &TargetSet<'_>,
        rng: &mut SeededRng,
        generations: usize,
        stop: &StopFlag,
        q: &mut [f64],
    ) -> usize {
        let first = self.individual(set, q.to_vec());
        self.population.clear();
        self.population.push(first);
        self.fill(set, rng);
        for generation in 0..generations {
            let before: f64 = self.population[..ELITES].iter().map(|elite| elite.cost).sum();
            for elite in 0..ELITES {
                self.descend(set, elite);
            }
            self.rank();
            q.copy_from_slice(&self.population[0].q);
            set.chain.program().frames_into(q, &mut self.frames);
            if set.is_met(&self.frames) || stop.is_stopped() {
                return generation + 1;
            }
            let after: f64 = self.population[..ELITES].iter().map(|elite| elite.cost).sum();
            if after > (1.0 - ELITE_STALLED_RELATIVE_GAIN) * before {
                self.population.truncate(1);
                // The best itself is a local minimum; it stays for its genes.
                self.fill(set, rng);
            } else {
                self.breed(set, rng);
            }
            self.rank();
        }
        generations
    }

    /// Random individuals up to the size of the population.
    fn fill(&mut self, set: &TargetSet<'_>, rng: &mut SeededRng) {
        while self.population.len() < POPULATION_SIZE {
            let mut q = vec![0.0; self.bounds.len()];
            self.random_into(rng, &mut q);
            let individual = self.individual(set, q);
            self.population.push(individual);
        }
        self.rank();
    }

    fn rank(&mut self) {
        self.population.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    }

    /// Replaces all but the elites by children.
    fn breed(&mut self, set: &TargetSet<'_>, rng: &mut SeededRng) {
        let worst = self.population[POPULATION_SIZE - 1].cost.max(1e-12);
        let mut children = Vec::with_capacity(POPULATION_SIZE - ELITES);
        for _ in ELITES..POPULATION_SIZE {
            // The better the rank, the likelier: the smaller of two draws.
            let parents = [(); 2].map(|()| rng.below(POPULATION_SIZE).min(rng.below(POPULATION_SIZE)));
            let [a, b] = parents.map(|parent| &self.population[parent]);
            let unfit = (0.5 * (a.cost + b.cost) / worst).min(1.0);
            let mut q = vec![0.0; self.bounds.len()];
            let mut momentum = vec![0.0; q.len()];
            for joint in 0..q.len() {
                let (low, high) = self.ranges[joint];
                let mix = rng.unit();
                let mixed = mix * a.q[joint] + (1.0 - mix) * b.q[joint];
                let carried = rng.unit() * (mix * a.momentum[joint] + (1.0 - mix) * b.momentum[joint]);
                let mutated = if rng.unit() < 1.0 / q.len() as f64 + unfit {
                    rng.uniform(-0.5, 0.5) * unfit * (high - low)
                } else {
                    0.0
                };
                let adopted = 0.5 * rng.unit() * (self.population[0].q[joint] - mixed);
                let (least, most) = self.bounds[joint];
                q[joint] = (mixed + carried + mutated + adopted).clamp(least, most);
                momentum[joint] = q[joint] - mixed;
            }
            children.push((q, momentum));
        }
        for (slot, (q, momentum)) in (ELITES..POPULATION_SIZE).zip(children) {
            let cost = self.cost(set, &q);
            self.population[slot] = Individual { q, momentum, cost };
        }
    }

    /// A few damped least-squares steps of one individual, kept while they help.
    fn descend(&mut self, set: &TargetSet<'_>, index: usize) {
        let mut individual = self.population[index].clone();
        let mut damping = 0.1 * individual.cost;
        for _ in 0..DESCENT_STEPS {
            self.cost(set, &individual.q);
            self.least_squares_step(set, damping + 1e-12);
            let moved: Vec<f64> = (0..individual.q.len())
                .map(|joint| {
                    let (low, high) = self.bounds[joint];
                    (individual.q[joint] + self.step[joint].clamp(-1.0, 1.0)).clamp(low, high)
                })
                .collect();
            let cost = self.cost(set, &moved);
            if cost < individual.cost {
                (individual.q, individual.cost) = (moved, cost);
                damping = 0.1 * cost;
            } else {
                damping = 10.0 * damping + 1e-9;
            }
        }
        self.population[index] = individual;
    }

    /// `(JᵀWJ + damping) step = JᵀWe` over all targets, at the frames at hand.
    fn least_squares_step(&mut self, set: &TargetSet<'_>, damping: f64) {
        let n = self.step.len();
        self.normal.fill(0.0);
        self.step.fill(0.0);
        for target in &set.targets {
            let (weight, error) = (set.square_weight(target), target.error(&self.frames));
            let reached = target.pose(&self.frames).translation;
            self.row.fill(Vector3::zeros());
            for (index, frame) in set.chain.program().frames()[..target.frame].iter().enumerate() {
                let pose = &self.frames[index + 1];
                let z = pose.z_axis() * frame.multiplier;
                self.row[frame.variable] += match (&target.wanted, frame.motion) {
                    (Wanted::Position(_), Motion::Rotation) => z.cross(&(reached - pose.translation)),
                    (Wanted::Position(_), Motion::Translation) | (Wanted::Rotation(_), Motion::Rotation) => z,
                    (Wanted::Rotation(_), Motion::Translation) => Vector3::zeros(),
                };
            }
            for i in 0..n {
                self.step[i] += weight * self.row[i].dot(&error);
                for j in 0..n {
                    self.normal[i * n + j] += weight * self.row[i].dot(&self.row[j]);
                }
            }
        }
        for i in 0..n {
            self.normal[i * n + i] += damping;
        }
        cholesky_solve(&mut self.normal, &mut self.step);
    }
}

/// The registry's solver: the pose of the tool as targets.
pub(super) struct BioIk(Evolution);

impl BioIk {
    pub(super) fn new(problem: &PoseProblem<'_>) -> Self {
        Self(Evolution::new(problem.chain, problem.bounds.clone()))
    }
}

impl NumericalSolver for BioIk {
    fn attempt(&mut self, problem: &PoseProblem<'_>, rng: &mut SeededRng, q: &mut [f64]) -> Outcome {
        let Ok(set) = TargetSet::new(problem.chain, &pose_targets(problem), problem.scale) else {
            return Outcome::none();
        };
        let iterations = self.0.run(&set, rng, problem.config.max_iterations, &problem.config.stop, q);
        let residual = problem.residual(&problem.chain.tip_rigid(q, &mut self.0.frames));
        Outcome { converged: problem.is_met(&residual), iterations, residual }
    }
}
