//! Batched inverse kinematics: one task for many poses, on all processors.

use std::sync::Arc;

use kinetic_core::constraint::Axis;
use kinetic_core::error::check_len;
use kinetic_core::rng::SeededRng;
use kinetic_core::{AxisMask, Control, KineticError, Pose, Result};
use kinetic_kinematics::VirtualBase;
use kinetic_robot::{PlanningGroup, Robot};

use super::model::Model;
use super::pose_task::{FrameOn, PoseTask};
use super::problem::{TaskOptions, TaskProblem};
use super::state::State;

/// Where the first attempts start. Configurations have the length of the robot.
#[derive(Debug, Clone, PartialEq)]
pub enum Initial {
    /// All poses from one configuration.
    Same(Vec<f64>),
    /// Every pose from its own.
    Each(Vec<Vec<f64>>),
    /// At random; the joints that do not move stand as here.
    Random(Vec<f64>),
}

/// Task and solver options for every pose of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchOptions {
    /// The frame to bring there; the group's tool when none.
    pub frame: Option<FrameOn>,
    /// Coordinates that must agree, along the target's axes.
    pub position_mask: AxisMask,
    /// Components of the rotation vector that must vanish, about the target's axes.
    pub rotation_mask: AxisMask,
    /// A target turned half about this axis of its own is as good.
    pub mirror: Option<Axis>,
    /// Per axis the distance within which a coordinate counts as reached, m.
    pub translation_tolerance: [f64; 3],
    /// Per axis the angle within which a component counts as reached, rad.
    pub rotation_tolerance: [f64; 3],
    /// Largest distance left, m.
    pub position_threshold: f64,
    /// Largest angle left, rad.
    pub rotation_threshold: f64,
    /// Start of the attempts.
    pub initial: Initial,
    /// The joints that move, as indices into the robot's active joints; those of the group when none.
    pub joints: Option<Vec<usize>>,
    /// Whether the root moves.
    pub base: VirtualBase,
    /// Weights of the base's columns; 1 when none.
    pub base_weights: Option<Vec<f64>>,
    /// Iterations, attempts, step and seed. Every pose has random numbers of its own.
    pub solver: TaskOptions,
    /// Number of threads; all processors when none. It changes no result.
    pub threads: Option<usize>,
}

impl BatchOptions {
    /// Full poses of the group's tool, to 1 mm and 1°, one attempt of 100 iterations from one configuration.
    pub fn from_configuration(q: Vec<f64>) -> Self {
        Self {
            frame: None,
            position_mask: AxisMask::ALL,
            rotation_mask: AxisMask::ALL,
            mirror: None,
            translation_tolerance: [0.0; 3],
            rotation_tolerance: [0.0; 3],
            position_threshold: 1e-3,
            rotation_threshold: 1.0_f64.to_radians(),
            initial: Initial::Same(q),
            joints: None,
            base: VirtualBase::Fixed,
            base_weights: None,
            solver: TaskOptions { random_range: 0.7, ..TaskOptions::default() },
            threads: None,
        }
    }

    fn start(&self, index: usize) -> &[f64] {
        match &self.initial {
            Initial::Same(q) | Initial::Random(q) => q,
            Initial::Each(all) => &all[index],
        }
    }
}

/// The result for one pose.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchSolution {
    /// The configuration, of the length of the robot: the best found when it is no success.
    pub q: Vec<f64>,
    /// Pose of the robot's root, in its pose before the call.
    pub world_from_root: Pose,
    /// True when the pose is reached.
    pub success: bool,
    /// Attempts made.
    pub attempts: usize,
}

/// Solves every pose (in the group's base where the start has it) on its own.
///
/// # Errors
/// Input errors: NaN, wrong lengths, options outside their domain, no joint to move. [`KineticError::Cancelled`] when
/// `control` says so. A pose that is not reached is an answer.
pub fn batch_inverse_kinematics(
    robot: &Robot,
    group: &PlanningGroup,
    targets: &[Pose],
    options: &BatchOptions,
    control: &Control,
) -> Result<Vec<BatchSolution>> {
    if let Initial::Each(all) = &options.initial {
        check_len("initial configurations", all.len(), targets.len())?;
    }
    let joints = options.joints.as_ref().unwrap_or(&group.variables);
    let model = Model::new(robot, joints)?.with_base(options.base, options.base_weights.as_deref())?;
    if model.num_columns() == 0 {
        return Err(KineticError::invalid("joints to move", "none", "at least one joint, or a base that moves"));
    }
    for index in 0..targets.len() {
        model.check(options.start(index), &Pose::identity())?;
    }
    let batch = Batch { group, targets, options, control, model: Arc::new(model) };
    // A problem is checked before the threads start, and so that an empty batch is too.
    batch.problem(targets.first().unwrap_or(&Pose::identity()))?;
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.unwrap_or_else(processors).clamp(1, targets.len().max(1));
    let chunks = std::thread::scope(|scope| {
        let batch = &batch;
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(move || batch.chunk(first, threads))).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    let mut chunks: Vec<_> = chunks.into_iter().map(Vec::into_iter).collect();
    Ok((0..targets.len()).filter_map(|index| chunks[index % threads].next()).collect())
}

struct Batch<'a> {
    group: &'a PlanningGroup,
    targets: &'a [Pose],
    options: &'a BatchOptions,
    control: &'a Control,
    model: Arc<Model>,
}

impl Batch<'_> {
    /// Every `step`-th pose from `first` on.
    fn chunk(&self, first: usize, step: usize) -> Result<Vec<BatchSolution>> {
        (first..self.targets.len()).step_by(step).map(|index| self.solve(index)).collect()
    }

    fn solve(&self, index: usize) -> Result<BatchSolution> {
        self.control.check(index as u64)?;
        let start = self.options.start(index);
        // Pose of the group's base at the start.
        let root_from_base = State::new(&self.model, start, &Pose::identity()).link(self.group.base_link);
        let problem = self.problem(&(root_from_base.to_pose() * self.targets[index]))?;
        let seed = SeededRng::stream(self.options.solver.rng_seed, index as u64).next_u64();
        let random_start = matches!(self.options.initial, Initial::Random(_));
        let options = TaskOptions { rng_seed: seed, random_start, ..self.options.solver.clone() };
        let solution = problem.solve_with(start, &Pose::identity(), &options, self.control)?;
        let (q, world_from_root) = (solution.q, solution.world_from_root);
        Ok(BatchSolution { q, world_from_root, success: solution.converged, attempts: solution.attempts })
    }

    fn problem(&self, target: &Pose) -> Result<TaskProblem> {
        let options = self.options;
        let tool = || FrameOn { link: self.group.tip_link, link_from_frame: self.group.tip_from_tcp };
        let task = PoseTask {
            position_mask: options.position_mask,
            rotation_mask: options.rotation_mask,
            mirror: options.mirror,
            translation_tolerance: options.translation_tolerance,
            rotation_tolerance: options.rotation_tolerance,
            position_threshold: options.position_threshold,
            rotation_threshold: options.rotation_threshold,
            ..PoseTask::new("target", options.frame.clone().unwrap_or_else(tool), *target)
        };
        let mut problem = TaskProblem::new(Arc::clone(&self.model));
        problem.add_shared(Arc::new(task), 0, 1.0)?;
        Ok(problem)
    }
}
