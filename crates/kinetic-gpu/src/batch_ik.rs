//! Inverse kinematics of many poses from many starts: proposed in single precision, made exact and proven in double.

mod nearest;

use std::sync::Arc;

use kinetic_core::error::check_len;
use kinetic_core::parallel::in_chunks;
use kinetic_core::{Control, KineticError, Pose, Result};
use kinetic_kinematics::{KinematicChain, Rigid};

use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
pub use crate::ik_polish::BatchIkSolution;
use crate::ik_polish::polished;
use crate::layout::{self, Four, PLACED_FLOATS, UNBOUNDED, VARIABLE_STRIDE};
use crate::packed_robot::{PackedRobot, rows};
use crate::twin::ik_lm::{ArmArrays, IkMemory, POSE_ROWS};

/// Buffers that the shader reads: sizes, robot, targets.
const IK_INPUTS: usize = 3;
/// Squared error, m² + rad², from which Newton's method is tried.
const PROMISING_COST: f32 = 1e-4;
/// Poses that a thread makes exact at once.
const POSES_PER_CHUNK: usize = 8;
/// Configurations that differ by less in every joint, rad or m, are one.
const SAME: f64 = 1e-4;

/// The text of the shader.
pub(crate) fn text() -> String {
    layout::with_kinematics(include_str!("shaders/ik_lm.wgsl"))
}

/// How many starts a pose has, and how long each is improved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchIkOptions {
    /// Starts of a pose: the configuration of the call, then random ones inside the limits.
    pub starts: usize,
    /// Levenberg-Marquardt steps of a start.
    pub iterations: usize,
    /// Seed of the random starts, which depend on it and on the numbers of pose, start and joint alone.
    pub seed: u32,
}

impl Default for BatchIkOptions {
    fn default() -> Self {
        Self { starts: 16, iterations: 60, seed: 0 }
    }
}

/// A chain as arrays.
#[derive(Debug, Clone)]
struct PackedArm {
    chain: KinematicChain,
    robot: PackedRobot,
    tip: Vec<Four>,
    options: BatchIkOptions,
}

impl PackedArm {
    fn new(chain: &KinematicChain, options: BatchIkOptions) -> Result<Self> {
        for (name, value) in [("starts", options.starts), ("iterations", options.iterations)] {
            if !(1..=1 << 16).contains(&value) {
                return Err(KineticError::invalid(name, value, "1 to 65536"));
            }
        }
        let (frame, frame_from_tip) = chain.tip();
        let [a, b, c] = rows(frame_from_tip);
        let robot = PackedRobot::new(chain.program());
        Ok(Self { chain: chain.clone(), robot, tip: vec![a, b, c, [frame as f32, 0.0, 0.0, 0.0]], options })
    }

    /// Limits in single precision. Newton's steps keep the exact limits.
    fn limits(&self) -> Vec<Four> {
        let bounded = |value: f64| (value as f32).clamp(-UNBOUNDED, UNBOUNDED);
        self.chain.bounds().iter().map(|(lower, upper)| [bounded(*lower), bounded(*upper), 0.0, 0.0]).collect()
    }

    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    fn check(&self, targets: &[Pose], starts: &[f64]) -> Result<()> {
        let dof = self.chain.dof();
        if starts.len() != dof {
            check_len("starts of inverse kinematics", starts.len(), targets.len() * dof)?;
        }
        starts.chunks_exact(dof.max(1)).try_for_each(|start| self.chain.check(start))?;
        targets.iter().try_for_each(|target| target.check_finite("target of inverse kinematics"))
    }

    /// The start of a pose: its row, or the one of all.
    fn start_of<'a>(&self, starts: &'a [f64], pose: usize) -> &'a [f64] {
        let dof = self.chain.dof();
        if starts.len() == dof { starts } else { &starts[pose * dof..(pose + 1) * dof] }
    }

    /// The rows of each target, then its first start.
    fn target_elements(&self, targets: &[Pose], starts: &[f64], first: usize) -> Vec<Four> {
        let four = |values: &[f64]| std::array::from_fn(|place| values.get(place).map_or(0.0, |value| *value as f32));
        let of_target = |(offset, target): (usize, &Pose)| {
            let start = self.start_of(starts, first + offset).chunks(4).map(four);
            rows(&Rigid::from(target)).into_iter().chain(start).collect::<Vec<Four>>()
        };
        targets.iter().enumerate().flat_map(of_target).collect()
    }

    fn floats_per_start(&self) -> usize {
        self.chain.dof() + 1
    }

    /// The distinct answers of each pose, the nearest to the start first.
    fn finish(&self, targets: &[Pose], starts: &[f64], answers: &[f32]) -> Vec<Vec<BatchIkSolution>> {
        let width = self.floats_per_start() * self.options.starts;
        let mut found = vec![Vec::new(); targets.len()];
        in_chunks(&mut found, 1, POSES_PER_CHUNK, |first, found| {
            for (offset, found) in found.iter_mut().enumerate() {
                let pose = first + offset;
                let start = self.start_of(starts, pose);
                *found = self.distinct(&targets[pose], start, &answers[pose * width..(pose + 1) * width]);
            }
        });
        found
    }

    /// The distinct answers of one pose.
    fn distinct(&self, target: &Pose, start: &[f64], answers: &[f32]) -> Vec<BatchIkSolution> {
        let mut found: Vec<BatchIkSolution> = Vec::new();
        for answer in answers.chunks_exact(self.floats_per_start()).filter(|answer| answer[0] < PROMISING_COST) {
            let Some(solution) = polished(&self.chain, target, &answer[1..]) else { continue };
            if !found.iter().any(|known| is_same(&known.configuration, &solution.configuration)) {
                found.push(solution);
            }
        }
        let travel = |solution: &BatchIkSolution| self.chain.travel(start, &solution.configuration);
        found.sort_by(|a, b| travel(a).total_cmp(&travel(b)));
        found
    }
}

fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < SAME)
}

/// Inverse kinematics of one chain on a device: bounded Levenberg-Marquardt, one thread per pose and start.
///
/// A call is one dispatch (several for more starts than 65 536). What it proposes is made exact by Newton's method in double
/// precision, and is an answer where the error is below 1e-9 m and rad inside the joint limits. Self-motions of redundant arms
/// are sampled: each start ends on one of their configurations.
#[derive(Debug)]
pub struct GpuInverseKinematics {
    arm: PackedArm,
    kernel: Kernel,
}

impl GpuInverseKinematics {
    /// For the tool of a chain.
    ///
    /// # Errors
    /// [`InvalidValue`](KineticError::InvalidValue) for options out of their domain, and those of the device.
    pub fn new(device: &Arc<GpuDevice>, chain: &KinematicChain, options: BatchIkOptions) -> GpuResult<Self> {
        let arm = PackedArm::new(chain, options)?;
        Ok(Self { arm, kernel: Kernel::new(device, "ik_lm", &text(), IK_INPUTS)? })
    }

    /// All distinct answers that were found for each pose of the tool in the base of the chain, the nearest to its start first.
    /// `starts` is one configuration for all poses, or one for each, row after row.
    ///
    /// # Errors
    /// [`DimensionMismatch`](KineticError::DimensionMismatch), [`NotFinite`](KineticError::NotFinite), and those of the device.
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
        let PackedArm { robot, tip, options, .. } = &self.arm;
        let width = self.arm.floats_per_start();
        let scratch = robot.num_frames() * PLACED_FLOATS + 4 * VARIABLE_STRIDE * robot.num_variables();
        let rows_per_dispatch = self.kernel.device().max_rows(size_of::<f32>() * scratch.max(width).max(PLACED_FLOATS));
        let poses_per_dispatch = (rows_per_dispatch / options.starts).max(1);
        self.kernel.upload(1, &[robot.elements(), tip, &self.arm.limits()].concat())?;
        let fixed =
            [robot.num_frames(), robot.num_variables(), options.starts, options.iterations].map(|size| size as u32);
        let (mut answers, mut part) = (Vec::new(), Vec::new());
        for (chunk, poses) in targets.chunks(poses_per_dispatch).enumerate() {
            let (rows, before) = (poses.len() * options.starts, chunk * poses_per_dispatch);
            control.check((before * options.starts) as u64)?;
            let last = [options.seed, robot.elements().len() as u32, (first_pose + before) as u32];
            self.kernel.upload(0, &[&[rows as u32][..], &fixed, &last].concat())?;
            self.kernel.upload(2, &self.arm.target_elements(poses, starts, before))?;
            self.kernel.run(rows, [width, scratch], &mut part)?;
            answers.append(&mut part);
        }
        Ok(answers)
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
    /// [`InvalidValue`](KineticError::InvalidValue) for options out of their domain.
    pub fn new(chain: &KinematicChain, options: BatchIkOptions) -> Result<Self> {
        Ok(Self { arm: PackedArm::new(chain, options)?, memory: IkMemory::default() })
    }

    /// As [`GpuInverseKinematics::solve`].
    ///
    /// # Errors
    /// [`DimensionMismatch`](KineticError::DimensionMismatch) or [`NotFinite`](KineticError::NotFinite).
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
