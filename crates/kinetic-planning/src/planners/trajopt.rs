//! Trajectory optimisation over B-splines by a quasi-Newton method.
//!
//! A trajectory is a uniform cubic B-spline (de Boor 1978) of few control points, at rest at both ends, as in cuRobo (Sundaralingam et
//! al., ICRA 2023). Its cost is the obstacle functional of CHOMP (Zucker et al. 2013) and how much the control points accelerate.
//! L-BFGS (Liu and Nocedal 1989) goes down; its initial inverse Hessian is that of the accelerations, so that the whole trajectory
//! gives way, as covariant steps do. Where edges between samples are refused, samples are added.
//!
//! Initial trajectories are straight lines to the goals, then paths of `rrt_connect` and smooth noise by turns. The
//! duration of a motion is no part of a path: time is a variable of the [refinement](kinetic_core::Refine) of timed motions.

mod batch;
mod lbfgs;
mod objective;
mod samples;

use kinetic_core::{Control, KineticError, Result};

use self::batch::BatchTrajopt;
use self::lbfgs::Lbfgs;
use self::objective::Objective;
use super::rewiring::check_length;
use super::trajectory_optimization::{
    OptimizationRun, Optimizer, Repair, SeedOptions, Smoothness, Waypoints, check_count, check_seeds, keep_least,
    optimize,
};
use crate::algorithm::{Algorithm, Plan};
use crate::planner_spec::PlannerSpec;
use crate::problem::Problem;
use crate::space::Space;
use crate::validity::Validity;

/// The row of the registry.
pub const SPEC: PlannerSpec = PlannerSpec {
    id: "trajopt",
    summary: "B-splines that a quasi-Newton method moves off obstacles, from lines, paths of rrt_connect and noise",
    source: "obstacle functional: Zucker et al., IJRR 2013; B-splines and L-BFGS: Sundaralingam et al., ICRA 2023",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: false,
    build: &|context| {
        let config = context.config;
        config.check()?;
        context.check_ends_with_first_path(SPEC.id)?;
        let trajopt = Trajopt::new(TrajoptConfig {
            num_seeds: config.num_seeds.unwrap_or(u64::MAX),
            ..TrajoptConfig::default()
        })?;
        Ok(match context.optimizer.cloned() {
            Some(optimizer) => Box::new(BatchTrajopt { config: trajopt.config, optimizer }),
            None => Box::new(trajopt),
        })
    },
};

/// Options of [`Trajopt`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrajoptConfig {
    /// Initial trajectories that are tried, the straight line to the nearest goal first; `u64::MAX` until the budget ends.
    pub num_seeds: u64,
    /// Control points between the ends.
    pub control_points: usize,
    /// Samples of the trajectory per interval of the spline, where obstacles are looked at.
    pub samples_per_interval: usize,
    /// Iterations for each initial trajectory.
    pub iterations_per_seed: u64,
    /// Distance beyond the required clearance at which obstacles begin to cost, m.
    pub clearance: f64,
    /// Weight of the accelerations of the trajectory; obstacles have the weight 1.
    pub smoothness_weight: f64,
    /// Largest change of a control point in an iteration, a distance of the [`Space`].
    pub largest_change: f64,
    /// Standard deviation of the noise of initial trajectories at their middle, a distance of the space per joint.
    pub seed_spread: f64,
}

impl Default for TrajoptConfig {
    fn default() -> Self {
        Self {
            num_seeds: u64::MAX,
            control_points: 24,
            samples_per_interval: 2,
            iterations_per_seed: 40,
            clearance: 0.03,
            smoothness_weight: 0.003,
            largest_change: 0.3,
            seed_spread: 0.7,
        }
    }
}

/// Samples per interval that a trajectory may have.
const MOST_SAMPLES_PER_INTERVAL: usize = 100;

impl TrajoptConfig {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        check_seeds(self.num_seeds, self.iterations_per_seed)?;
        check_count("control_points", self.control_points)?;
        if !(1..=MOST_SAMPLES_PER_INTERVAL).contains(&self.samples_per_interval) {
            let wanted = format!("an integer from 1 to {MOST_SAMPLES_PER_INTERVAL}");
            return Err(KineticError::invalid("samples_per_interval", self.samples_per_interval, wanted));
        }
        check_length("clearance", self.clearance)?;
        check_length("smoothness_weight", self.smoothness_weight)?;
        check_length("largest_change", self.largest_change)?;
        check_length("seed_spread", self.seed_spread)
    }
}

/// The planner.
#[derive(Debug, Clone, Default)]
pub struct Trajopt {
    config: TrajoptConfig,
}

impl Trajopt {
    /// A planner with the given options.
    ///
    /// # Errors
    /// As [`TrajoptConfig::check`].
    pub fn new(config: TrajoptConfig) -> Result<Self> {
        config.check()?;
        Ok(Self { config })
    }

    /// Its options.
    pub fn config(&self) -> &TrajoptConfig {
        &self.config
    }
}

impl Algorithm for Trajopt {
    /// # Errors
    /// Besides, [`KineticError::InvalidValue`] where the validity knows no [distances](Validity::near_distances).
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        let config = self.config;
        let size = config.control_points * problem.space().dof();
        let mut descent = SplineDescent {
            config,
            metric: Smoothness::new(config.control_points),
            objective: Objective::new(&config),
            lbfgs: Lbfgs::new(size),
            gradient: vec![0.0; size],
            before: vec![0.0; size],
            change: vec![0.0; size],
        };
        let options =
            SeedOptions { num_seeds: config.num_seeds, waypoints: config.control_points, spread: config.seed_spread };
        let run = OptimizationRun::new(SPEC.id, problem, validity, control);
        optimize(&mut descent, options, run)
    }
}

/// Descent by L-BFGS; the variables are control points.
struct SplineDescent {
    config: TrajoptConfig,
    metric: Smoothness,
    objective: Objective,
    lbfgs: Lbfgs,
    gradient: Vec<f64>,
    before: Vec<f64>,
    change: Vec<f64>,
}

impl Optimizer for SplineDescent {
    fn begins_with_paths(&self) -> bool {
        true
    }

    /// Steps are as long as the quasi-Newton method says, up to a bound, and may raise the cost: one that falls all along gets
    /// stuck where the nearest points of two bodies jump, which its gradient does not foresee.
    fn repair(&mut self, control: &mut Waypoints, run: &mut OptimizationRun<'_>) -> Result<Repair> {
        self.lbfgs.clear();
        self.objective.begin(control);
        let (mut least, mut is_first) = (None, true);
        for _ in 0..self.config.iterations_per_seed {
            run.begin_iteration()?;
            self.gradient.swap_with_slice(&mut self.before);
            let mut cost = self.objective.evaluate(control, &mut self.metric, run, &mut self.gradient)?;
            if cost.least_slack > 0.0 {
                let path = self.objective.path(control);
                let refused = run.refused_edges(&path)?;
                if refused.is_empty() {
                    *control = path;
                    return Ok(Repair::Free);
                }
                self.objective.add_samples(&path, &refused);
                self.lbfgs.clear();
                cost = self.objective.evaluate(control, &mut self.metric, run, &mut self.gradient)?;
            } else if !is_first {
                let differences = self.before.iter_mut().zip(&self.gradient);
                differences.for_each(|(before, after)| *before = after - *before);
                self.lbfgs.push(&self.change, &self.before);
            }
            keep_least(&mut least, cost.cost, &cost.worst);
            self.step(run.problem.space(), control);
            is_first = false;
        }
        Ok(Repair::stuck(least))
    }
}

impl SplineDescent {
    /// One step along the direction of L-BFGS, no control point farther than the options say; the change is kept.
    fn step(&mut self, space: &Space, control: &mut Waypoints) {
        let (dof, weights) = (space.dof(), space.weights());
        let (step, metric) = (control.step(), &mut self.metric);
        let precondition = |rows: &mut [f64]| {
            metric.solve(rows);
            let weighted = |index: usize| weights[index % dof] * weights[index % dof] * step;
            rows.iter_mut().enumerate().for_each(|(index, value)| *value /= weighted(index));
        };
        self.lbfgs.direction(&self.gradient, precondition, &mut self.change);
        let length =
            |row: &[f64]| row.iter().zip(weights).map(|(change, weight)| (change * weight).powi(2)).sum::<f64>();
        let largest = self.change.chunks_exact(dof).map(length).fold(0.0, f64::max).sqrt();
        let shorter = if largest > self.config.largest_change { self.config.largest_change / largest } else { 1.0 };
        for (value, change) in control.inner_mut().iter_mut().zip(&mut self.change) {
            let before = *value;
            *value += shorter * *change;
            *change = before;
        }
        self.metric.enforce_bounds(space, control);
        self.change.iter_mut().zip(control.inner()).for_each(|(change, value)| *change = value - *change);
    }
}
