//! Inverse kinematics of many poses from many starts: proposed in single precision, made exact and proven in double.

use std::sync::Arc;

use kinetic_core::error::check_len;
use kinetic_core::{Control, KineticError, Pose, Result};
use kinetic_kinematics::{KinematicChain, Rigid};

use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
pub use crate::ik_polish::BatchIkSolution;
use crate::ik_polish::polished;
use crate::layout::{self, Four, PLACED_FLOATS, UNBOUNDED, VARIABLE_STRIDE};
use crate::packed_robot::{PackedRobot, rows};
use crate::twin::ik_lm::{ArmArrays, IkMemory};

/// Buffers that the shader reads: sizes, robot, targets.
const IK_INPUTS: usize = 3;
/// Squared error, m² + rad², from which Newton's method is tried.
const PROMISING_COST: f32 = 1e-4;
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

    /// Limits in single precision, and the first start of every pose. Newton's steps keep the exact limits.
    fn limits(&self, start: &[f64]) -> Vec<Four> {
        let bounded = |value: f64| (value as f32).clamp(-UNBOUNDED, UNBOUNDED);
        let limits = self.chain.bounds().iter().zip(start);
        limits.map(|((lower, upper), start)| [bounded(*lower), bounded(*upper), *start as f32, 0.0]).collect()
    }

    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    fn check(&self, targets: &[Pose], start: &[f64]) -> Result<()> {
        self.chain.check(start)?;
        check_len("start of inverse kinematics", start.len(), self.chain.dof())?;
        targets.iter().try_for_each(|target| target.check_finite("target of inverse kinematics"))
    }

    fn floats_per_start(&self) -> usize {
        self.chain.dof() + 1
    }

    /// The distinct answers of each pose, the nearest to the start first.
    fn finish(&self, targets: &[Pose], start: &[f64], answers: &[f32]) -> Vec<Vec<BatchIkSolution>> {
        let width = self.floats_per_start();
        let of_pose = |(target, answers): (&Pose, &[f32])| {
            let mut found: Vec<BatchIkSolution> = Vec::new();
            for answer in answers.chunks_exact(width).filter(|answer| answer[0] < PROMISING_COST) {
                let Some(solution) = polished(&self.chain, target, &answer[1..]) else { continue };
                if !found.iter().any(|known| is_same(&known.configuration, &solution.configuration)) {
                    found.push(solution);
                }
            }
            let travel = |solution: &BatchIkSolution| self.chain.travel(start, &solution.configuration);
            found.sort_by(|a, b| travel(a).total_cmp(&travel(b)));
            found
        };
        targets.iter().zip(answers.chunks_exact(width * self.options.starts)).map(of_pose).collect()
    }
}

fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < SAME)
}

fn target_rows(targets: &[Pose]) -> Vec<Four> {
    targets.iter().flat_map(|target| rows(&Rigid::from(target))).collect()
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

    /// All distinct answers that were found for each pose of the tool in the base of the chain, the nearest to `start` first.
    ///
    /// # Errors
    /// [`DimensionMismatch`](KineticError::DimensionMismatch), [`NotFinite`](KineticError::NotFinite), and those of the device.
    pub fn solve(&mut self, targets: &[Pose], start: &[f64]) -> GpuResult<Vec<Vec<BatchIkSolution>>> {
        self.solve_within(targets, start, &Control::default())
    }

    /// As [`solve`](Self::solve), with a control that is looked at between dispatches.
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and that of the control.
    pub fn solve_within(
        &mut self,
        targets: &[Pose],
        start: &[f64],
        control: &Control,
    ) -> GpuResult<Vec<Vec<BatchIkSolution>>> {
        self.arm.check(targets, start)?;
        let answers = self.propose(targets, start, control)?;
        Ok(self.arm.finish(targets, start, &answers))
    }

    /// The answers of the shader: squared error and configuration of each pose and start.
    pub(crate) fn propose(&mut self, targets: &[Pose], start: &[f64], control: &Control) -> GpuResult<Vec<f32>> {
        let PackedArm { robot, tip, options, .. } = &self.arm;
        let width = self.arm.floats_per_start();
        let scratch = robot.num_frames() * PLACED_FLOATS + 4 * VARIABLE_STRIDE * robot.num_variables();
        let rows_per_dispatch = self.kernel.device().max_rows(size_of::<f32>() * scratch.max(width).max(PLACED_FLOATS));
        let poses_per_dispatch = (rows_per_dispatch / options.starts).max(1);
        self.kernel.upload(1, &[robot.elements(), tip, &self.arm.limits(start)].concat())?;
        let fixed =
            [robot.num_frames(), robot.num_variables(), options.starts, options.iterations].map(|size| size as u32);
        let (mut answers, mut part) = (Vec::new(), Vec::new());
        for (chunk, poses) in targets.chunks(poses_per_dispatch).enumerate() {
            let (rows, first) = (poses.len() * options.starts, chunk * poses_per_dispatch);
            control.check((first * options.starts) as u64)?;
            let last = [options.seed, robot.elements().len() as u32, first as u32];
            self.kernel.upload(0, &[&[rows as u32][..], &fixed, &last].concat())?;
            self.kernel.upload(2, &target_rows(poses))?;
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
    pub fn solve(&mut self, targets: &[Pose], start: &[f64]) -> Result<Vec<Vec<BatchIkSolution>>> {
        self.arm.check(targets, start)?;
        let answers = self.propose(targets, start);
        Ok(self.arm.finish(targets, start, &answers))
    }

    /// As [`GpuInverseKinematics::propose`].
    pub(crate) fn propose(&mut self, targets: &[Pose], start: &[f64]) -> Vec<f32> {
        let (starts, limits) = (self.arm.options.starts, self.arm.limits(start));
        let arrays = ArmArrays {
            frames: self.arm.robot.elements(),
            tip: &self.arm.tip,
            limits: &limits,
            iterations: self.arm.options.iterations,
            random_seed: self.arm.options.seed,
        };
        let (width, rows) = (self.arm.floats_per_start(), target_rows(targets));
        let mut answers = vec![0.0; targets.len() * starts * width];
        for (row, out) in answers.chunks_exact_mut(width).enumerate() {
            let (pose, start) = (row / starts, row % starts);
            arrays.answer(&rows[3 * pose..3 * pose + 3], (pose as u32, start as u32), &mut self.memory, out);
        }
        answers
    }
}
