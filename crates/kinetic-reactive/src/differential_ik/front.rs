//! The front of differential inverse kinematics: a group of a robot, a period, and a solver.

use std::sync::Arc;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{AxisMask, KineticError, Result};
use kinetic_kinematics::{JointProgram, KinematicChain, Rigid, jacobian_into};
use kinetic_robot::{PlanningGroup, Robot, VectorKind};
use nalgebra::Matrix3;

use super::escape_trials::EscapeTrials;
use super::lost_directions::LostDirections;
use super::registry::{VELOCITY_SOLVERS, VelocitySolverSpec};
use super::singularity::{Singularity, SingularityProbe};
use super::task_rows::TaskRows;
use super::twist_command::{TaskCommand, TwistCommand, TwistFrame, VelocityCommand, VelocityContext};
use super::velocity_bounds::{OutsideLimits, VelocityBounds};
use super::velocity_problem::{
    SingularityDamping, VelocityOutcome, VelocityProblem, VelocitySizes, check_regularization,
};
use super::velocity_solver::VelocitySolver;

/// Options of [`DifferentialIk`].
#[derive(Debug, Clone, PartialEq)]
pub struct DifferentialIkOptions {
    /// Name of a solver of [`VELOCITY_SOLVERS`].
    pub method: String,
    /// Time between two commands, s.
    pub period: f64,
    /// Part of the robot's speed limits that is used, in (0, 1].
    pub velocity_scale: f64,
    /// Part of the robot's acceleration limits that is used, in (0, 1].
    pub acceleration_scale: f64,
    /// What a joint does outside its position limits.
    pub outside_limits: OutsideLimits,
    /// Damping of lost directions.
    pub damping: SingularityDamping,
    /// Weight of the squared difference between the joint velocities and those without bounds and rows, beside the squared error of the
    /// task; 0 for the least error. See [`VelocityProblem::regularization`].
    pub regularization: f64,
}

impl Default for DifferentialIkOptions {
    fn default() -> Self {
        Self {
            method: VELOCITY_SOLVERS[0].name.to_owned(),
            period: 0.01,
            velocity_scale: 1.0,
            acceleration_scale: 1.0,
            outside_limits: OutsideLimits::default(),
            damping: SingularityDamping::default(),
            regularization: 0.0,
        }
    }
}

/// Differential inverse kinematics of a planning group.
///
/// ```
/// use kinetic_core::Twist;
/// use kinetic_reactive::differential_ik::{DifferentialIk, DifferentialIkOptions, TwistCommand, TwistFrame};
/// use kinetic_robot::Robot;
/// use nalgebra::Vector3;
///
/// let robot = Robot::from_name("franka_panda")?;
/// let mut ik = DifferentialIk::new(robot, None, DifferentialIkOptions::default())?;
/// let q = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
/// let forward = Twist::new(Vector3::new(0.1, 0.0, 0.0), Vector3::zeros());
/// let mut velocity = [0.0; 7];
/// let outcome = ik.twist(&q, &TwistCommand::new(forward, TwistFrame::Base), &mut velocity)?;
/// assert!((outcome.achieved - 1.0).abs() < 1e-9);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug)]
pub struct DifferentialIk {
    robot: Arc<Robot>,
    group: PlanningGroup,
    options: DifferentialIkOptions,
    spec: &'static VelocitySolverSpec,
    bounds: VelocityBounds,
    sizes: VelocitySizes,
    solver: Box<dyn VelocitySolver>,
    probe: SingularityProbe,
    /// The chain of the tool; the error for groups that are none.
    chain: Result<KinematicChain>,
    /// All links, for twists along their axes.
    program: JointProgram,
    /// Where joints outside the group stand for configurations of the length of the group.
    neutral: Vec<f64>,
    /// Where they stand in the chain.
    held: Vec<f64>,
    pub(super) buffers: Buffers,
    pub(super) lost: LostDirections,
    pub(super) trials: EscapeTrials,
}

/// Memory of a call.
#[derive(Debug)]
pub(super) struct Buffers {
    full: Vec<f64>,
    q: Vec<f64>,
    frames: Vec<Rigid>,
    all_frames: Vec<Rigid>,
    columns: Vec<f64>,
    pub(super) jacobian: Vec<f64>,
    pub(super) wanted: Vec<f64>,
    weights: Vec<f64>,
    zeros: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
}

/// Rows of a twist.
const TWIST_ROWS: usize = 6;

impl DifferentialIk {
    /// For the group of this name, or the default one.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`], [`KineticError::UnknownName`] for the method, [`KineticError::InvalidValue`] for
    /// options outside their domain or a group without joints.
    pub fn new(robot: impl Into<Arc<Robot>>, group: Option<&str>, options: DifferentialIkOptions) -> Result<Self> {
        let robot = robot.into();
        let group = robot.group_or_default(group)?.clone();
        let spec = VelocitySolverSpec::by_name(&options.method)?;
        check_regularization(options.regularization)?;
        let bounds = VelocityBounds::of_group(
            &robot,
            &group,
            options.period,
            options.velocity_scale,
            options.acceleration_scale,
            options.outside_limits,
        )?;
        let n = group.dof();
        let sizes = VelocitySizes { joints: n, task_rows: TWIST_ROWS, rows: 0 };
        let held = robot.neutral_configuration();
        let chain = KinematicChain::from_group(&robot, &group);
        let frames = chain.as_ref().map_or_else(|_| Vec::new(), KinematicChain::frame_buffer);
        let all: Vec<usize> = (0..robot.num_variables()).collect();
        let program = JointProgram::compile(&robot, &all, &held);
        Ok(Self {
            spec,
            bounds,
            sizes,
            solver: spec.make(&sizes, options.damping)?,
            probe: SingularityProbe::new(n, TWIST_ROWS)?,
            lost: LostDirections::new(TWIST_ROWS, n, held.len()),
            trials: EscapeTrials::new(TWIST_ROWS, n, held.len()),
            buffers: Buffers::new(n, held.clone(), frames, &program),
            chain,
            program,
            neutral: held.clone(),
            held,
            robot,
            group,
            options,
        })
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// The group.
    pub fn group(&self) -> &PlanningGroup {
        &self.group
    }

    /// The options.
    pub fn options(&self) -> &DifferentialIkOptions {
        &self.options
    }

    /// Number of joints, the length of all velocities.
    pub fn dof(&self) -> usize {
        self.group.dof()
    }

    /// Forgets what was kept from earlier calls.
    pub fn reset(&mut self) {
        self.solver.reset();
    }

    /// Velocity bounds of all joints at `q` (length of the group or of the robot) for the next period.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn velocity_bounds(&mut self, q: &[f64], previous: Option<&[f64]>) -> Result<(&[f64], &[f64])> {
        self.place(q)?;
        self.set_bounds(previous)?;
        Ok((&self.buffers.lower, &self.buffers.upper))
    }

    /// Joint velocities at `q` (length of the group or of the robot) for a twist of the tool. It allocates nothing, unless
    /// there are more inequalities than ever before, or joints outside the group moved.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`], [`KineticError::InvalidValue`];
    /// [`KineticError::ChainExtraction`] for a group without one tool.
    pub fn twist(&mut self, q: &[f64], command: &TwistCommand<'_>, velocity: &mut [f64]) -> Result<VelocityOutcome> {
        check_len("joint velocities", velocity.len(), self.dof())?;
        check_finite("twist", &command.twist.to_array())?;
        let rows = self.set_twist_rows(q, command)?;
        self.set_bounds(command.context.previous)?;
        self.solve(rows, &command.context, velocity)
    }

    /// The smallest singular value of the Jacobian of a command's components, with its directions.
    ///
    /// # Errors
    /// As [`twist`](Self::twist), and [`KineticError::InvalidValue`] for a command without components.
    pub fn singularity(&mut self, q: &[f64], command: &TwistCommand<'_>) -> Result<Singularity<'_>> {
        let rows = self.set_twist_rows(q, command)?;
        self.probe.at(&self.buffers.jacobian[..rows * self.group.dof()])
    }

    /// Joint velocities at `q` (length of the group or of the robot) for tasks.
    ///
    /// Errors of the tasks vanish by `gain` times themselves per second. The second priority level has what the first leaves
    /// over (Siciliano & Slotine 1991), the posture of the context what both leave.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`]; [`KineticError::InvalidValue`] for a gain outside
    /// (0, 1 / period], a problem over other joints or a base that moves, or more than two priority levels.
    pub fn tasks(&mut self, q: &[f64], command: &TaskCommand<'_>, velocity: &mut [f64]) -> Result<VelocityOutcome> {
        let rows = self.set_task_rows(q, command)?;
        self.solve_tasks(&rows, command, velocity)
    }

    /// As [`tasks`](Self::tasks), of what [`slow_down`](Self::slow_down) or [`forgo_lost`](Self::forgo_lost) have left of the first level
    /// at the same configuration.
    pub(crate) fn tasks_as_left(
        &mut self,
        q: &[f64],
        command: &TaskCommand<'_>,
        velocity: &mut [f64],
    ) -> Result<VelocityOutcome> {
        let rows = self.set_task_rows(q, command)?;
        self.buffers.wanted.copy_from_slice(&self.lost.wanted);
        self.solve_tasks(&rows, command, velocity)
    }

    /// Writes the rows of the first priority level; answers with those of both.
    fn set_task_rows(&mut self, q: &[f64], command: &TaskCommand<'_>) -> Result<TaskRows> {
        self.check_tasks(command)?;
        self.place(q)?;
        let rows = TaskRows::new(command, &self.buffers.full)?;
        let buffers = &mut self.buffers;
        buffers.jacobian.clone_from(&rows.first.jacobian);
        buffers.wanted.clone_from(&rows.first.wanted);
        buffers.weights.clear();
        buffers.weights.resize(rows.first.wanted.len(), 1.0);
        Ok(rows)
    }

    /// Writes the rows of a wish; answers with how many.
    pub(super) fn set_rows(&mut self, q: &[f64], wish: VelocityCommand<'_>) -> Result<usize> {
        match wish {
            VelocityCommand::Twist(command) => self.set_twist_rows(q, command),
            VelocityCommand::Tasks(command) => self.set_task_rows(q, command).map(|rows| rows.first.wanted.len()),
        }
    }

    fn solve_tasks(
        &mut self,
        rows: &TaskRows,
        command: &TaskCommand<'_>,
        velocity: &mut [f64],
    ) -> Result<VelocityOutcome> {
        check_len("joint velocities", velocity.len(), self.dof())?;
        self.set_bounds(command.context.previous)?;
        let posture = match command.context.posture {
            Some(posture) => {
                check_len("posture velocity", posture.len(), self.dof())?;
                check_finite("posture velocity", posture)?;
                posture
            }
            None => &self.buffers.zeros,
        };
        let (posture, damping) = rows.null_space_velocity(posture, self.options.damping);
        let context = VelocityContext { posture: Some(&posture), ..command.context };
        let outcome = self.solve(rows.first.wanted.len(), &context, velocity)?;
        Ok(VelocityOutcome { damping: outcome.damping.max(damping), ..outcome })
    }

    fn check_tasks(&self, command: &TaskCommand<'_>) -> Result<()> {
        let (gain, most) = (command.gain, 1.0 / self.options.period);
        if !(gain > 0.0 && gain <= most) {
            let wanted = format!("more than 0 and at most 1 / period = {most}");
            return Err(KineticError::invalid("gain", gain, wanted));
        }
        let model = command.problem.model();
        let is_of_robot = model.joint_names().iter().map(String::as_str).eq(self.robot.moving_joint_names(false));
        if !is_of_robot
            || model.num_columns() != self.dof()
            || !model.leaders().eq(self.group.variables.iter().copied())
        {
            let names = |variables: &mut dyn Iterator<Item = usize>| -> Vec<String> {
                variables.map(|variable| model.joint_names()[variable].clone()).collect()
            };
            let given = format!("{} columns, joints {:?}", model.num_columns(), names(&mut model.leaders()));
            let wanted = format!("the joints of group \"{}\" alone: {:?}", self.group.name, {
                self.robot.joint_names(&self.group)
            });
            return Err(KineticError::invalid("joints of the task problem", given, wanted));
        }
        command.world_from_root.check_finite("world_from_root")
    }

    /// Takes a configuration. The chain is made anew when joints outside the group moved that it contains.
    fn place(&mut self, q: &[f64]) -> Result<()> {
        let kind = self.robot.vector_kind(&self.group, q)?;
        check_finite("joint vector", q)?;
        let buffers = &mut self.buffers;
        if kind == VectorKind::Robot && q.len() != self.group.dof() {
            buffers.full.copy_from_slice(q);
        } else {
            buffers.full.copy_from_slice(&self.neutral);
            for (value, variable) in q.iter().zip(&self.group.variables) {
                buffers.full[*variable] = *value;
            }
        }
        for (value, variable) in buffers.q.iter_mut().zip(&self.group.variables) {
            *value = buffers.full[*variable];
        }
        if let Ok(chain) = &self.chain
            && !chain.holds_alike(&self.robot, &buffers.full, &self.held)
        {
            self.held.copy_from_slice(&buffers.full);
            let made = KinematicChain::from_group_held(&self.robot, &self.group, &self.held);
            if let Ok(made) = &made {
                buffers.frames = made.frame_buffer();
            }
            self.chain = made;
        }
        Ok(())
    }

    pub(super) fn set_bounds(&mut self, previous: Option<&[f64]>) -> Result<()> {
        let buffers = &mut self.buffers;
        self.bounds.at(&buffers.q, previous, &mut buffers.lower, &mut buffers.upper)
    }

    /// Writes the rows of a twist; returns how many.
    pub(super) fn set_twist_rows(&mut self, q: &[f64], command: &TwistCommand<'_>) -> Result<usize> {
        self.place(q)?;
        if let TwistFrame::Link(link) = command.frame
            && link >= self.robot.links.len()
        {
            let wanted = format!("an index below {}", self.robot.links.len());
            return Err(KineticError::invalid("link of a twist", link, wanted));
        }
        let chain = self.chain.as_ref().map_err(KineticError::clone)?;
        let buffers = &mut self.buffers;
        let tip = jacobian_into(chain, &buffers.q, &mut buffers.frames, &mut buffers.columns)?;
        let base_from_frame = match command.frame {
            TwistFrame::Base => Matrix3::identity(),
            TwistFrame::Tool => tip.rotation,
            TwistFrame::Link(link) => {
                self.program.frames_into(&buffers.full, &mut buffers.all_frames);
                let rotation = |link: usize| {
                    let (frame, frame_from_link) = self.program.link(link);
                    buffers.all_frames[frame].rotation * frame_from_link.rotation
                };
                rotation(self.group.base_link).transpose() * rotation(link)
            }
        };
        let rows = buffers.write_twist_rows(command, &base_from_frame);
        buffers.wanted.truncate(rows);
        Ok(rows)
    }

    /// Solves for the rows in the buffers.
    fn solve(&mut self, rows: usize, context: &VelocityContext<'_>, velocity: &mut [f64]) -> Result<VelocityOutcome> {
        let (task_rows, inequalities) = (self.sizes.task_rows.max(rows), self.sizes.rows.max(context.row_bounds.len()));
        if (task_rows, inequalities) != (self.sizes.task_rows, self.sizes.rows) {
            self.sizes = VelocitySizes { task_rows, rows: inequalities, ..self.sizes };
            self.solver = self.spec.make(&self.sizes, self.options.damping)?;
        }
        let buffers = &self.buffers;
        let problem = VelocityProblem {
            jacobian: &buffers.jacobian[..rows * buffers.q.len()],
            wanted: &buffers.wanted[..rows],
            weights: &buffers.weights[..rows],
            posture: context.posture.unwrap_or(&buffers.zeros),
            bias: context.bias,
            lower: &buffers.lower,
            upper: &buffers.upper,
            rows: context.rows,
            row_bounds: context.row_bounds,
            row_weights: context.row_weights,
            regularization: self.options.regularization,
        };
        self.solver.solve(&problem, velocity)
    }
}

impl Buffers {
    fn new(n: usize, full: Vec<f64>, frames: Vec<Rigid>, program: &JointProgram) -> Self {
        Self {
            full,
            q: vec![0.0; n],
            frames,
            all_frames: vec![Rigid::identity(); program.num_frames()],
            columns: vec![0.0; TWIST_ROWS * n],
            jacobian: vec![0.0; TWIST_ROWS * n],
            wanted: vec![0.0; TWIST_ROWS],
            weights: vec![1.0; TWIST_ROWS],
            zeros: vec![0.0; n],
            lower: vec![0.0; n],
            upper: vec![0.0; n],
        }
    }

    /// Rows of the commanded components along the axes of the frame, from the Jacobian in the base.
    fn write_twist_rows(&mut self, command: &TwistCommand<'_>, base_from_frame: &Matrix3<f64>) -> usize {
        let n = self.q.len();
        // Tasks may have left more or fewer.
        self.jacobian.resize(TWIST_ROWS * n, 0.0);
        self.wanted.resize(TWIST_ROWS, 0.0);
        self.weights.clear();
        self.weights.resize(TWIST_ROWS, 1.0);
        let parts: [(usize, AxisMask, _); 2] =
            [(0, command.position_mask, command.twist.linear), (3, command.rotation_mask, command.twist.angular)];
        let mut row = 0;
        for (first, mask, wanted) in parts {
            for axis in (0..3).filter(|axis| mask.has(*axis)) {
                let direction = base_from_frame.column(axis);
                for (value, column) in self.jacobian[row * n..].iter_mut().zip(self.columns.chunks_exact(TWIST_ROWS)) {
                    *value = direction[0] * column[first]
                        + direction[1] * column[first + 1]
                        + direction[2] * column[first + 2];
                }
                self.wanted[row] = wanted[axis];
                row += 1;
            }
        }
        row
    }
}
