//! Inverse kinematics of one chain with what it needs: the options its robot prefers, its closed form and its cache.

use std::sync::{Mutex, OnceLock, PoisonError};

use kinetic_core::error::{check_len, reason};
use kinetic_core::{KineticError, Pose, Result, StopFlag};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::{PlanningGroup, Robot};

use crate::analytic::{Manipulator, Solution, SolveOptions, TolerancePolicy};
use crate::path::{IKPath, PathOptions, PathValidity, solve_ik_path, solve_ik_path_where};
use crate::solvers::{
    IKConfig, IKSolution, IKSolver, IkCache, IkReport, explain_ik, in_parallel, is_unsolved, look_into_ik, nearest_ik,
    solve_ik_auto, solve_ik_distinct, solve_ik_where, what_stopped,
};

/// Random configurations that the cache of the solver "cached" starts with.
const CACHED_RANDOM_CONFIGURATIONS: usize = 1000;

/// Iterations of the numerical solvers that end within some ten milliseconds.
const QUICK_ITERATIONS: usize = 2_000;

/// By how much more branches are listed while too few of them are accepted.
const BRANCH_LIST_GROWTH_FACTOR: usize = 4;

/// Inverse kinematics of a chain: one object for all poses, which threads may share.
///
/// Closed form and cache are made when they are first needed and kept. Calls take an [`IKConfig`], of which
/// [`config`](Self::config) gives the one that the robot prefers.
///
/// ```
/// use kinetic_ik::InverseKinematics;
/// use kinetic_robot::Robot;
///
/// let ik = InverseKinematics::from_robot(&Robot::from_name("ur5e")?)?;
/// let target = ik.chain().tip_pose(&[0.1, -1.2, 1.3, -0.4, 0.5, 0.6]);
/// let answer = ik.solve(&target, &ik.config())?;
/// assert!(answer.position_error < 1e-9 && ik.solve_all(&target, &Default::default())?.len() == 8);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug)]
pub struct InverseKinematics {
    chain: KinematicChain,
    config: IKConfig,
    closed_form: OnceLock<Result<Manipulator>>,
    cache: OnceLock<Mutex<IkCache>>,
}

impl InverseKinematics {
    /// Of a chain, with the options that calls begin with.
    pub fn new(chain: KinematicChain, config: IKConfig) -> Self {
        Self { chain, config, closed_form: OnceLock::new(), cache: OnceLock::new() }
    }

    /// Of a chain, by numerical solvers alone: for a chain that serves few calls, since it takes longer to find its closed
    /// form than to use it.
    pub fn numerical(chain: KinematicChain, config: IKConfig) -> Self {
        let reason = reason::IncompatibleKinematics::NumericalOnly;
        let closed_form = OnceLock::from(Err(KineticError::IncompatibleKinematics { reason }));
        Self { closed_form, ..Self::new(chain, config) }
    }

    /// Of a robot's default group, with the options that the robot's configuration prefers.
    ///
    /// # Errors
    /// [`KineticError::ChainExtraction`] when the group is no chain.
    pub fn from_robot(robot: &Robot) -> Result<Self> {
        Ok(Self::new(KinematicChain::auto_detect(robot)?, IKConfig::for_robot(robot)))
    }

    /// As [`from_robot`](Self::from_robot), of any of its groups.
    ///
    /// # Errors
    /// As [`from_robot`](Self::from_robot).
    pub fn from_group(robot: &Robot, group: &PlanningGroup) -> Result<Self> {
        Ok(Self::new(KinematicChain::from_group(robot, group)?, IKConfig::for_robot(robot)))
    }

    /// The chain.
    pub fn chain(&self) -> &KinematicChain {
        &self.chain
    }

    /// The options that calls begin with, with a stop flag of their own.
    pub fn config(&self) -> IKConfig {
        IKConfig { stop: StopFlag::default(), ..self.config.clone() }
    }

    /// The closed form of the chain.
    ///
    /// # Errors
    /// [`KineticError::IncompatibleKinematics`] with what has one.
    pub fn closed_form(&self) -> Result<&Manipulator> {
        self.made_closed_form().as_ref().map_err(KineticError::clone)
    }

    fn made_closed_form(&self) -> &Result<Manipulator> {
        self.closed_form.get_or_init(|| Manipulator::from_chain(self.chain.clone(), TolerancePolicy::default()))
    }

    /// The closed form, if there is one.
    fn arm(&self) -> Option<&Manipulator> {
        self.made_closed_form().as_ref().ok()
    }

    /// What [`IKSolver::Auto`] stands for here: the solver that the robot's configuration prefers, the closed form, else
    /// damped least squares.
    pub fn auto_solver(&self) -> IKSolver {
        match self.config.preference {
            preferred if preferred.is_numerical() => preferred,
            _ if self.arm().is_some() => IKSolver::Analytic,
            _ => IKConfig::dls().solver,
        }
    }

    /// The configuration that reaches `base_from_tcp`, nearest to the seed of `config`: [`solve_ik_auto`] with the closed
    /// form, and [`IkCache::solve`] with the cache of this object for [`IKSolver::Cached`].
    ///
    /// # Errors
    /// As [`solve_ik_auto`].
    pub fn solve(&self, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
        if config.solver == IKSolver::Cached {
            return self.cache().lock().unwrap_or_else(PoisonError::into_inner).solve(base_from_tcp, config);
        }
        solve_ik_auto(self.arm(), &self.chain, base_from_tcp, config)
    }

    fn cache(&self) -> &Mutex<IkCache> {
        self.cache.get_or_init(|| {
            let mut cache = IkCache::new(self.chain.clone());
            cache.warm(CACHED_RANDOM_CONFIGURATIONS, 0);
            Mutex::new(cache)
        })
    }

    /// As [`solve`](Self::solve), but where nothing meets the tolerances the answer is the nearest configuration that a
    /// numerical solver comes to, not converged.
    ///
    /// # Errors
    /// Input errors and [`KineticError::Cancelled`].
    pub fn nearest(&self, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
        match self.solve(base_from_tcp, config) {
            Err(error) if is_unsolved(&error) => nearest_ik(&self.chain, base_from_tcp, &numerically(config)),
            answer => answer,
        }
    }

    /// All branches of `base_from_tcp`, by [`Manipulator::solve`].
    ///
    /// # Errors
    /// [`KineticError::IncompatibleKinematics`] without closed form, and those of [`Manipulator::solve`].
    pub fn solve_all(&self, base_from_tcp: &Pose, options: &SolveOptions) -> Result<Vec<Solution>> {
        self.closed_form()?.solve(base_from_tcp, options)
    }

    /// The branches of [`solve_all`](Self::solve_all), in its order, that `accept` takes, such as those without collision;
    /// `max_solutions` counts these.
    ///
    /// # Errors
    /// As [`solve_all`](Self::solve_all), and those of `accept`.
    pub fn solve_all_where(
        &self,
        base_from_tcp: &Pose,
        options: &SolveOptions,
        accept: &mut dyn FnMut(&[f64]) -> Result<bool>,
    ) -> Result<Vec<Solution>> {
        let wanted = options.max_solutions.unwrap_or(usize::MAX);
        let mut listed = options.clone();
        loop {
            let found = self.solve_all(base_from_tcp, &listed)?;
            let is_all = listed.max_solutions.is_none_or(|most| found.len() < most);
            let accepted = accepted(found, wanted, accept)?;
            if is_all || accepted.len() == wanted {
                return Ok(accepted);
            }
            // Of arms with self-motion, and of turns, there are too many to list all of them at once.
            listed.max_solutions = listed.max_solutions.map(|most| most.saturating_mul(BRANCH_LIST_GROWTH_FACTOR));
        }
    }

    /// Distinct configurations from numerical attempts, by [`solve_ik_distinct`].
    ///
    /// # Errors
    /// As [`solve_ik_distinct`].
    pub fn solve_distinct(&self, base_from_tcp: &Pose, config: &IKConfig) -> Result<Vec<IKSolution>> {
        solve_ik_distinct(&self.chain, base_from_tcp, config)
    }

    /// One answer per pose on all processors, the same as pose by pose; `None` where there is none, or where the time of the
    /// options' stop flag was over before the pose's turn came. `seeds` has one configuration per pose, or none for the
    /// seed of `config`.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for another number of seeds, options and poses that cannot be used, and
    /// [`KineticError::Cancelled`].
    pub fn solve_batch(
        &self,
        base_from_tcp: &[Pose],
        seeds: &[&[f64]],
        config: &IKConfig,
    ) -> Result<Vec<Option<IKSolution>>> {
        self.solve_batch_where(base_from_tcp, seeds, config, &|_| Ok(true))
    }

    /// As [`solve_batch`](Self::solve_batch), of the answers that `accept` takes, such as those without collision, by
    /// [`solve_ik_where`].
    ///
    /// # Errors
    /// As [`solve_batch`](Self::solve_batch), and those of `accept`.
    pub fn solve_batch_where(
        &self,
        base_from_tcp: &[Pose],
        seeds: &[&[f64]],
        config: &IKConfig,
        accept: &(dyn Fn(&[f64]) -> Result<bool> + Sync),
    ) -> Result<Vec<Option<IKSolution>>> {
        if !seeds.is_empty() {
            check_len("seeds", seeds.len(), base_from_tcp.len())?;
        }
        in_parallel(base_from_tcp.len(), &|pose| {
            if config.stop.is_cancelled() {
                return Err(KineticError::Cancelled { elapsed: 0.0, iterations: pose as u64 });
            }
            if config.stop.is_out_of_time() {
                return Err(KineticError::IKTimeout { elapsed: 0.0, iterations: pose as u64 });
            }
            let seeded = seeds.get(pose).map(|seed| IKConfig { seed: Some((*seed).into()), ..config.clone() });
            solve_ik_where(self.arm(), &self.chain, &base_from_tcp[pose], seeded.as_ref().unwrap_or(config), accept)
        })
    }

    /// Configurations along a list of poses, by [`solve_ik_path`].
    ///
    /// # Errors
    /// As [`solve_ik_path`].
    pub fn solve_path(&self, base_from_tcp: &[Pose], options: &PathOptions) -> Result<IKPath> {
        solve_ik_path(self.arm(), &self.chain, base_from_tcp, options)
    }

    /// Configurations along a list of poses that `validity` takes, with the steps between them, by [`solve_ik_path_where`].
    ///
    /// # Errors
    /// As [`solve_ik_path_where`].
    pub fn solve_path_where(
        &self,
        base_from_tcp: &[Pose],
        options: &PathOptions,
        validity: &mut dyn PathValidity,
    ) -> Result<IKPath> {
        solve_ik_path_where(self.arm(), &self.chain, base_from_tcp, options, validity)
    }

    /// Why a pose is not reached, with the changes that would help, each tried; by [`explain_ik`].
    ///
    /// # Errors
    /// As [`explain_ik`].
    pub fn explain(&self, base_from_tcp: &Pose, config: &IKConfig) -> Result<IkReport> {
        explain_ik(self.arm(), &self.chain, base_from_tcp, config)
    }

    /// As [`explain`](Self::explain), without trying anything.
    ///
    /// # Errors
    /// As [`explain`](Self::explain).
    pub fn look_into(&self, base_from_tcp: &Pose, config: &IKConfig) -> Result<IkReport> {
        look_into_ik(self.arm(), &self.chain, base_from_tcp, config)
    }

    /// How near the arm comes and which joints stop it, in words ([`what_stopped`]), for an error of
    /// [`solve`](Self::solve) that does not say so itself.
    ///
    /// # Errors
    /// As [`nearest_ik`].
    pub fn what_stopped(
        &self,
        base_from_tcp: &Pose,
        config: &IKConfig,
        error: &KineticError,
    ) -> Result<Option<String>> {
        // A closed form that was asked for knows its branches, not what is near.
        let is_told = match error {
            KineticError::NoIKSolution { .. } => {
                config.solver.is_numerical() || matches!(config.solver, IKSolver::Auto | IKSolver::Cached)
            }
            error => !is_unsolved(error),
        };
        if is_told {
            return Ok(None);
        }
        let once = IKConfig { num_restarts: 0, ..numerically(config) };
        Ok(Some(what_stopped(&self.chain, &nearest_ik(&self.chain, base_from_tcp, &once)?)))
    }

    /// Whether [`solve`](Self::solve) may take longer than some ten milliseconds: many iterations, or a self-motion whose
    /// samples cost an eigenproblem each. Programs that can be interrupted watch such calls.
    pub fn may_take_long(&self, config: &IKConfig) -> bool {
        let iterations = config.num_restarts.saturating_add(1).saturating_mul(config.max_iterations);
        iterations > QUICK_ITERATIONS || self.arm().is_some_and(Manipulator::sweeps_slowly)
    }

    /// The options with as few restarts as take some ten milliseconds. What these attempts find is what the whole search
    /// finds, since it ends at the first that arrives. `None` where a single attempt may take longer.
    pub fn first_attempts(&self, config: &IKConfig) -> Option<IKConfig> {
        let num_restarts = (QUICK_ITERATIONS / config.max_iterations.max(1)).checked_sub(1)?;
        let few = IKConfig { num_restarts, ..config.clone() };
        (!self.may_take_long(&few)).then_some(few)
    }
}

/// With a solver that says how near the arm comes.
fn numerically(config: &IKConfig) -> IKConfig {
    let solver = if config.solver.is_numerical() { config.solver } else { IKSolver::Auto };
    config.clone().with_solver(solver)
}

fn accepted(
    found: Vec<Solution>,
    most: usize,
    accept: &mut dyn FnMut(&[f64]) -> Result<bool>,
) -> Result<Vec<Solution>> {
    let mut accepted = Vec::new();
    for solution in found {
        if accepted.len() == most {
            break;
        }
        if accept(&solution.q)? {
            accepted.push(solution);
        }
    }
    Ok(accepted)
}
