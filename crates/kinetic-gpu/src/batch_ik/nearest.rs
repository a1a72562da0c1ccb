//! Inverse kinematics of batches on a device with the options and the answers of [`kinetic_ik`].

use std::sync::Arc;

use kinetic_core::error::check_len;
use kinetic_core::{Control, KineticError, Pose, SystemClock};
use kinetic_ik::first_accepted;
use kinetic_ik::solvers::{IKConfig, IKMode, IKSolution, IKSolver, SINGULAR_CONDITION};
use kinetic_kinematics::{KinematicChain, condition_number};

use super::{BatchIkOptions, BatchIkSolution, GpuInverseKinematics};
use crate::device::GpuDevice;
use crate::error::{GpuError, GpuResult};
use crate::ik_polish::{SOLVED, clamp};

impl GpuInverseKinematics {
    /// For the tool of a chain, with as many starts and iterations as a configuration says: `num_restarts` after the first,
    /// `max_iterations` each, drawn from `rng_seed`.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`InvalidValue`](KineticError::InvalidValue) for options that only the processor has.
    pub fn for_config(device: &Arc<GpuDevice>, chain: &KinematicChain, config: &IKConfig) -> GpuResult<Self> {
        check_options(config)?;
        let options = BatchIkOptions {
            starts: config.num_restarts.saturating_add(1),
            iterations: config.max_iterations,
            seed: (config.rng_seed ^ (config.rng_seed >> 32)) as u32,
        };
        Self::new(device, chain, options)
    }

    /// The answer of each pose that is nearest to its seed, in the order of the poses; `None` where there is none, or where its turn
    /// has not come when the time of the flag is over. Seeds are one per pose, or none for that of the configuration.
    /// The iterations of an answer are those that its starts had together, of which some may have ended early.
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and [`Cancelled`](KineticError::Cancelled) once a stop is asked for.
    pub fn solve_batch(
        &mut self,
        targets: &[Pose],
        seeds: &[&[f64]],
        config: &IKConfig,
    ) -> GpuResult<Vec<Option<IKSolution>>> {
        self.solve_batch_where(targets, seeds, config, &|_| Ok(true))
    }

    /// As [`solve_batch`](Self::solve_batch), of the answers that `accept` takes, such as those without collision.
    ///
    /// # Errors
    /// As [`solve_batch`](Self::solve_batch), and those of `accept`.
    pub fn solve_batch_where(
        &mut self,
        targets: &[Pose],
        seeds: &[&[f64]],
        config: &IKConfig,
        accept: &dyn Fn(&[f64]) -> kinetic_core::Result<bool>,
    ) -> GpuResult<Vec<Option<IKSolution>>> {
        check_options(config)?;
        let starts = self.starts(targets.len(), seeds, config)?;
        self.arm.check(targets, &starts)?;
        let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, config.stop.clone());
        let mut answers = Vec::with_capacity(targets.len());
        for poses in targets.chunks(self.poses_per_dispatch()) {
            let first = answers.len();
            let of_share = if seeds.is_empty() { &starts[..] } else { &starts[first * self.arm.chain.dof()..] };
            let proposed = match self.propose(poses, (first, of_share), &control) {
                Err(GpuError::Input(KineticError::PlanningTimeout { .. })) => break,
                proposed => proposed?,
            };
            for all in self.arm.finish(poses, of_share, &proposed) {
                let solutions = all.into_iter().map(|one| self.solution(one)).collect();
                answers.push(first_accepted(solutions, accept)?);
            }
        }
        answers.resize(targets.len(), None);
        Ok(answers)
    }

    /// The seeds inside the limits, row after row; that of the configuration where there are none.
    fn starts(&self, poses: usize, seeds: &[&[f64]], config: &IKConfig) -> kinetic_core::Result<Vec<f64>> {
        let chain = &self.arm.chain;
        for seed in seeds.iter().copied().chain(config.seed.as_deref()) {
            chain.check(seed)?;
        }
        if seeds.is_empty() {
            return Ok(config.start(chain));
        }
        check_len("seeds", seeds.len(), poses)?;
        let mut starts = seeds.concat();
        starts.chunks_exact_mut(chain.dof().max(1)).for_each(|start| clamp(chain, start));
        Ok(starts)
    }

    fn solution(&self, found: BatchIkSolution) -> IKSolution {
        let BatchIkOptions { starts, iterations, .. } = self.arm.options;
        // What the answer is made of has passed the check of its chain.
        let condition_number = condition_number(&self.arm.chain, &found.configuration).unwrap_or(f64::INFINITY);
        IKSolution {
            joints: found.configuration.into(),
            position_error: found.position_error,
            orientation_error: found.rotation_error,
            converged: true,
            iterations: starts * iterations,
            attempts: starts,
            mode_used: IKMode::Full6D,
            degraded: condition_number > SINGULAR_CONDITION,
            condition_number,
            solver: IKSolver::DLS { damping: 0.0 },
        }
    }
}

/// Refuses what the shader does not compute.
///
/// # Errors
/// [`InvalidValue`](KineticError::InvalidValue) naming the option.
fn check_options(config: &IKConfig) -> kinetic_core::Result<()> {
    let on_gpu = |option: &str, given: String, wanted: &str| {
        Err(KineticError::invalid(option, given, format!("{wanted} on a GPU; \"cpu\" has the others")))
    };
    if !matches!(config.solver, IKSolver::Auto | IKSolver::DLS { .. }) {
        return on_gpu("solver", config.solver.id().to_owned(), "\"auto\" or \"dls\"");
    }
    if config.mode != IKMode::Full6D {
        return on_gpu("mode", config.mode.id().to_owned(), "\"full6d\"");
    }
    if let Some(objective) = config.null_space {
        return on_gpu("null_space", objective.id().to_owned(), "none");
    }
    if !config.check_limits {
        return on_gpu("check_limits", "false".to_owned(), "true");
    }
    if config.tool_axis.is_some() {
        return on_gpu("tool_axis", "a cone".to_owned(), "none");
    }
    for (name, value) in
        [("position_tolerance", config.position_tolerance), ("orientation_tolerance", config.orientation_tolerance)]
    {
        if value < SOLVED {
            return on_gpu(name, value.to_string(), &format!("at least {SOLVED}"));
        }
    }
    Ok(())
}
