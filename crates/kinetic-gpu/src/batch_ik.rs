//! Inverse kinematics of many poses from many starts: proposed in single precision, made exact and proven in double.

mod arm;
mod arm_in_scene;
mod nearest;
mod options;

use std::sync::Arc;

use kinetic_core::{Control, Pose, Result};
use kinetic_kinematics::KinematicChain;
use kinetic_scene::{Margins, Scene};

use self::arm::PackedArm;
pub use self::options::BatchIkOptions;
use crate::collision::CollisionOptions;
use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
pub use crate::ik_polish::BatchIkSolution;
use crate::layout::{self, PLACED_FLOATS, VARIABLE_STRIDE};
use crate::twin::ik_lm::{ArmArrays, IkMemory, POSE_ROWS};

/// Buffers that the shader reads: sizes, robot, targets.
const IK_INPUTS: usize = 3;
/// Buffers that the shader reads in a scene: those, world, fields.
const SCENE_INPUTS: usize = 5;
/// Iterations of a dispatch in a scene.
const ITERATIONS_IN_SCENE: usize = 20;

/// The text of the shader without a scene.
pub(crate) fn text() -> String {
    layout::with_kinematics(&[include_str!("shaders/ik_pose.wgsl"), include_str!("shaders/ik_lm.wgsl")].concat())
}

/// The text of the shader in a scene.
pub(crate) fn text_in_scene() -> String {
    let texts = [include_str!("shaders/ik_clearance.wgsl"), include_str!("shaders/ik_lm.wgsl")];
    layout::with_tightest_pair(&texts.concat())
}

/// Inverse kinematics of one chain on a device: bounded Levenberg-Marquardt, one thread per pose and start.
///
/// A call is one dispatch; several for more starts than 65 536, in scenes, and on software adapters. What it proposes is made exact by
/// Newton's method in double precision, and is an answer where the error is below 1e-9 m and rad inside the joint limits. Self-motions
/// of redundant arms are sampled: each start ends on one of their configurations.
#[derive(Debug)]
pub struct GpuInverseKinematics {
    arm: PackedArm,
    kernel: Kernel,
}

impl GpuInverseKinematics {
    /// For the tool of a chain.
    ///
    /// # Errors
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options out of their domain, and those of the device.
    pub fn new(device: &Arc<GpuDevice>, chain: &KinematicChain, options: BatchIkOptions) -> GpuResult<Self> {
        let arm = PackedArm::new(chain, options)?;
        Ok(Self { arm, kernel: Kernel::new(device, "ik_lm", &text(), IK_INPUTS)? })
    }

    /// The same, but its starts also go away from collisions in a scene as it is now, for the group of the chain: where the spheres of a
    /// pair are nearer than its margin, what is missing is one more residual in the first half of the iterations. The other half
    /// looks at the pose alone, as without a scene. Answers are not filtered: what touches may be among them.
    ///
    /// # Errors
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a group of other joints than the chain, a base that the group moves,
    /// or options out of their domain; as [`Scene::checker`]; and those of the device.
    pub fn in_scene(self, scene: &Scene, group: &str, margins: Margins, options: CollisionOptions) -> GpuResult<Self> {
        let arm = self.arm.in_scene(scene, group, margins, options)?;
        let kernel = Kernel::new(self.kernel.device(), "ik_lm", &text_in_scene(), SCENE_INPUTS)?;
        Ok(Self { arm, kernel })
    }

    /// All distinct answers that were found for each pose of the tool in the base of the chain, the nearest to its start first.
    /// `starts` is one configuration for all poses, or one for each, row after row.
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch),
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite), and those of the device.
    pub fn solve(&mut self, targets: &[Pose], starts: &[f64]) -> GpuResult<Vec<Vec<BatchIkSolution>>> {
        self.solve_within(targets, starts, &Control::default())
    }

    /// As [`solve`](Self::solve), with a control that is looked at between dispatches.
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and that of the control.
    pub fn solve_within(
        &mut self,
        targets: &[Pose],
        starts: &[f64],
        control: &Control,
    ) -> GpuResult<Vec<Vec<BatchIkSolution>>> {
        self.arm.check(targets, starts)?;
        let answers = self.propose(targets, (0, starts), control)?;
        Ok(self.arm.finish(targets, starts, &answers))
    }

    /// The answers of the shader: squared error and configuration of each pose and start. The number of the first pose decides,
    /// with those of start and joint, which random starts it has.
    pub(crate) fn propose(
        &mut self,
        targets: &[Pose],
        (first_pose, starts): (usize, &[f64]),
        control: &Control,
    ) -> GpuResult<Vec<f32>> {
        let options = self.arm.options;
        let (width, scratch) = (self.arm.floats_per_start(), self.scratch());
        let poses_per_dispatch = self.poses_per_dispatch();
        let most = self.iterations_per_dispatch()?;
        self.kernel.upload(1, &self.arm.robot_elements())?;
        if let Some(scene) = &self.arm.scene {
            self.kernel.upload(3, &scene.packed.world_elements())?;
            self.kernel.upload(4, &scene.packed.fields)?;
        }
        let (mut answers, mut part) = (Vec::new(), Vec::new());
        for (chunk, poses) in targets.chunks(poses_per_dispatch).enumerate() {
            let (rows, before) = (poses.len() * options.starts, chunk * poses_per_dispatch);
            let groups = rows.div_ceil(self.kernel.device().lanes() as usize);
            self.kernel.upload(2, &self.arm.target_elements(poses, starts, before))?;
            self.kernel.reserve(rows * width, &[rows * scratch])?;
            for first in (0..options.iterations).step_by(most) {
                control.check((before * options.starts) as u64)?;
                let end = (first + most).min(options.iterations);
                self.kernel.upload(0, &self.arm.sizes(rows, first_pose + before, &(first..end)))?;
                if end < options.iterations {
                    self.kernel.advance(groups)?;
                } else {
                    self.kernel.run_groups(groups, rows * width, &mut part)?;
                }
            }
            answers.append(&mut part);
        }
        Ok(answers)
    }

    /// Numbers of a thread among the intermediate results.
    fn scratch(&self) -> usize {
        let robot = &self.arm.robot;
        robot.num_frames() * PLACED_FLOATS + 4 * VARIABLE_STRIDE * robot.num_variables()
    }

    fn poses_per_dispatch(&self) -> usize {
        let floats = self.scratch().max(self.arm.floats_per_start()).max(PLACED_FLOATS);
        (self.kernel.device().max_rows(size_of::<f32>() * floats) / self.arm.options.starts).max(1)
    }

    /// Iterations that end in time: between two dispatches the best configuration and the damping stay on the device.
    ///
    /// # Errors
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a scene that the driver cannot look at in one dispatch.
    fn iterations_per_dispatch(&self) -> GpuResult<usize> {
        let (device, loops) = (self.kernel.device(), self.arm.loops_per_iteration());
        // The best configuration is looked at again at the start, and where the clearance is left.
        if 3 * loops > device.max_loops() {
            return Err(device.unfinished(self.arm.scene.as_ref().map_or(0, |scene| scene.packed.num_obstacles())));
        }
        let fitting = (device.max_loops() / loops).saturating_sub(2).max(1);
        Ok(if self.arm.scene.is_some() { fitting.min(ITERATIONS_IN_SCENE) } else { fitting })
    }
}

/// As [`GpuInverseKinematics`], on one thread of the processor: the same arithmetic in the same order.
#[derive(Debug, Clone)]
pub struct CpuInverseKinematics {
    arm: PackedArm,
    memory: IkMemory,
}

impl CpuInverseKinematics {
    /// For the tool of a chain.
    ///
    /// # Errors
    /// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for options out of their domain.
    pub fn new(chain: &KinematicChain, options: BatchIkOptions) -> Result<Self> {
        Ok(Self { arm: PackedArm::new(chain, options)?, memory: IkMemory::default() })
    }

    /// As [`GpuInverseKinematics::in_scene`].
    ///
    /// # Errors
    /// As [`GpuInverseKinematics::in_scene`], but for those of the device.
    pub fn in_scene(self, scene: &Scene, group: &str, margins: Margins, options: CollisionOptions) -> Result<Self> {
        Ok(Self { arm: self.arm.in_scene(scene, group, margins, options)?, ..self })
    }

    /// As [`GpuInverseKinematics::solve`].
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) or
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite).
    pub fn solve(&mut self, targets: &[Pose], starts: &[f64]) -> Result<Vec<Vec<BatchIkSolution>>> {
        self.arm.check(targets, starts)?;
        let answers = self.propose(targets, starts);
        Ok(self.arm.finish(targets, starts, &answers))
    }

    /// As [`GpuInverseKinematics::propose`].
    pub(crate) fn propose(&mut self, targets: &[Pose], starts: &[f64]) -> Vec<f32> {
        let (count, limits) = (self.arm.options.starts, self.arm.limits());
        let arrays = ArmArrays {
            frames: self.arm.robot.elements(),
            tip: &self.arm.tip,
            limits: &limits,
            iterations: self.arm.options.iterations,
            random_seed: self.arm.options.seed,
            scene: self.arm.scene.as_ref().map(|scene| (scene.packed.arrays(), self.arm.options.clear_iterations())),
        };
        let (width, elements) = (self.arm.floats_per_start(), self.arm.target_elements(targets, starts, 0));
        let stride = POSE_ROWS + self.arm.chain.dof().div_ceil(4);
        let mut answers = vec![0.0; targets.len() * count * width];
        for (row, out) in answers.chunks_exact_mut(width).enumerate() {
            let (pose, start) = (row / count, row % count);
            arrays.answer(&elements[stride * pose..], (pose as u32, start as u32), &mut self.memory, out);
        }
        answers
    }
}
