//! Inverse kinematics with collision avoidance.

use std::str::FromStr;

use kinetic_core::error::check_len;
use kinetic_core::{Control, KineticError, Pose, Result};
use kinetic_ik::tasks::{FrameOn, Model, PoseTask, Task, TaskOptions, TaskProblem, TaskSolution};

use crate::clearance_task::{Avoidance, ClearanceTask};
use crate::scene::Scene;

/// Priority of the distances relative to the pose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rank {
    /// The distances have priority over the pose.
    #[default]
    First,
    /// Both are weighted objectives, the distances with [`AvoidingIk::gain`].
    Equal,
    /// The distances are kept in the null space of the pose, which has priority.
    NullSpace,
}

impl FromStr for Rank {
    type Err = KineticError;

    /// `first`, `equal` or `null_space`.
    fn from_str(name: &str) -> Result<Self> {
        let ranks = [("first", Self::First), ("equal", Self::Equal), ("null_space", Self::NullSpace)];
        let found = ranks.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, rank)| *rank)
            .ok_or_else(|| KineticError::unknown_name("rank", name, ranks.iter().map(|(known, _)| *known)))
    }
}

/// Options of [`Scene::inverse_kinematics`].
#[derive(Debug, Clone, PartialEq)]
pub struct AvoidingIk {
    /// The required distances.
    pub avoidance: Avoidance,
    /// Priority of pose and distances.
    pub rank: Rank,
    /// Weight of a squared distance against that of squared pose errors, for [`Rank::Equal`].
    pub gain: f64,
    /// Cost of motion per joint of the group; joints of larger weight move less. Equal weights when `None`.
    pub joint_weights: Option<Vec<f64>>,
    /// Tool on the group's tip link, `tip_from_tcp`; the group's own when none.
    pub tcp: Option<Pose>,
    /// Whether the orientation is free.
    pub position_only: bool,
    /// Largest distance between reached and wanted origin, m.
    pub position_tolerance: f64,
    /// Largest angle between reached and wanted orientation, rad.
    pub orientation_tolerance: f64,
    /// Iterations, attempts and seed.
    pub solver: TaskOptions,
}

impl Default for AvoidingIk {
    fn default() -> Self {
        let solver = TaskOptions { attempts: 20, ..TaskOptions::default() };
        Self {
            avoidance: Avoidance::default(),
            rank: Rank::default(),
            gain: 1.0,
            joint_weights: None,
            tcp: None,
            position_only: false,
            position_tolerance: 1e-4,
            orientation_tolerance: 1e-3,
            solver,
        }
    }
}

impl AvoidingIk {
    fn pose_task(&self, tool: FrameOn, root_from_target: &Pose) -> Result<PoseTask> {
        let tolerances =
            [("position_tolerance", self.position_tolerance), ("orientation_tolerance", self.orientation_tolerance)];
        for (name, tolerance) in tolerances {
            if !(tolerance > 0.0 && tolerance.is_finite()) {
                return Err(KineticError::invalid(name, tolerance, "a positive finite number"));
            }
        }
        self.tcp.map_or(Ok(()), |tcp| tcp.check_finite("tool frame"))?;
        let task = if self.position_only {
            PoseTask::position("target", tool, root_from_target.translation())
        } else {
            PoseTask::new("target", tool, *root_from_target)
        };
        Ok(PoseTask {
            position_threshold: self.position_tolerance,
            rotation_threshold: self.orientation_tolerance,
            ..task
        })
    }
}

impl Scene {
    /// Joint values of the robot (of its length) with which the tool of the default group has a pose in the group's base
    /// and everything keeps its distance, from `seed` (default group or robot length). What does not converge is an answer
    /// too: see [`TaskSolution::converged`].
    ///
    /// # Errors
    /// Input errors: those of [`ClearanceTask::new`], sizes, NaN, weights that are not positive.
    pub fn inverse_kinematics(&self, target: &Pose, seed: &[f64], options: &AvoidingIk) -> Result<TaskSolution> {
        self.inverse_kinematics_with(target, seed, options, &Control::default())
    }

    /// As [`inverse_kinematics`](Self::inverse_kinematics), until `control` ends it: by time, iterations of all attempts
    /// together, or stop flag.
    ///
    /// # Errors
    /// As [`inverse_kinematics`](Self::inverse_kinematics), and those of [`TaskProblem::solve_with`].
    pub fn inverse_kinematics_with(
        &self,
        target: &Pose,
        seed: &[f64],
        options: &AvoidingIk,
        control: &Control,
    ) -> Result<TaskSolution> {
        target.check_finite("target pose")?;
        let (scene, _) = self.holding_at(seed)?;
        let group = &scene.robot().groups[scene.robot().default_group];
        let mut model = Model::new(scene.robot(), &group.variables)?;
        if let Some(weights) = &options.joint_weights {
            check_len("joint weights", weights.len(), group.dof())?;
            model = model.with_joint_weights(weights)?;
        }
        let root_from_base = scene.link_poses(seed)?[group.base_link];
        let tool = FrameOn { link: group.tip_link, link_from_frame: options.tcp.unwrap_or(group.tip_from_tcp) };
        let pose = options.pose_task(tool, &(root_from_base * *target))?;
        let clearance = ClearanceTask::new(&scene, &options.avoidance)?;
        let (of_pose, of_clearance) = match options.rank {
            Rank::First => (1, 0),
            Rank::Equal => (0, 0),
            Rank::NullSpace => (0, 1),
        };
        let mut problem = TaskProblem::new(model);
        problem.add(pose, of_pose, 1.0)?;
        if clearance.num_rows() > 0 {
            problem.add(clearance, of_clearance, options.gain)?;
        }
        problem.solve_with(scene.held(), &Pose::identity(), &options.solver, control)
    }
}
