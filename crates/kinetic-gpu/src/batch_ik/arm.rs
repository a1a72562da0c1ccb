//! A chain as the arrays of the shader, and answers of the shader as configurations.

use std::ops::Range;

use kinetic_core::error::check_len;
use kinetic_core::parallel::in_chunks;
use kinetic_core::{Pose, Result};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_scene::{Margins, Scene};

use super::arm_in_scene::{ArmInScene, tip_elements};
use super::options::BatchIkOptions;
use crate::collision::CollisionOptions;
use crate::ik_polish::{BatchIkSolution, polished};
use crate::layout::{Four, UNBOUNDED};
use crate::packed_robot::{PackedRobot, rows};

/// Squared error, m² + rad², from which Newton's method is tried.
const PROMISING_COST: f32 = 1e-4;
/// Poses that a thread makes exact at once.
const POSES_PER_CHUNK: usize = 8;
/// Configurations that differ by less in every joint, rad or m, are one.
const SAME: f64 = 1e-4;

/// A chain as arrays.
#[derive(Debug, Clone)]
pub(super) struct PackedArm {
    pub(super) chain: KinematicChain,
    pub(super) robot: PackedRobot,
    pub(super) tip: Vec<Four>,
    pub(super) options: BatchIkOptions,
    pub(super) scene: Option<ArmInScene>,
}

impl PackedArm {
    pub(super) fn new(chain: &KinematicChain, options: BatchIkOptions) -> Result<Self> {
        options.check()?;
        let robot = PackedRobot::new(chain.program());
        Ok(Self { chain: chain.clone(), robot, tip: tip_elements(chain.tip()), options, scene: None })
    }

    /// The arm among the bodies of a scene, whose forward kinematics it then has.
    pub(super) fn in_scene(
        self,
        scene: &Scene,
        group: &str,
        margins: Margins,
        options: CollisionOptions,
    ) -> Result<Self> {
        let (scene, tip) = ArmInScene::new(&self.chain, scene, group, margins, options)?;
        Ok(Self { robot: scene.packed.robot.clone(), tip, scene: Some(scene), ..self })
    }

    /// Limits in single precision. Newton's steps keep the exact limits.
    pub(super) fn limits(&self) -> Vec<Four> {
        let bounded = |value: f64| (value as f32).clamp(-UNBOUNDED, UNBOUNDED);
        self.chain.bounds().iter().map(|(lower, upper)| [bounded(*lower), bounded(*upper), 0.0, 0.0]).collect()
    }

    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub(super) fn check(&self, targets: &[Pose], starts: &[f64]) -> Result<()> {
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
    pub(super) fn target_elements(&self, targets: &[Pose], starts: &[f64], first: usize) -> Vec<Four> {
        let four = |values: &[f64]| std::array::from_fn(|place| values.get(place).map_or(0.0, |value| *value as f32));
        let of_target = |(offset, target): (usize, &Pose)| {
            let start = self.start_of(starts, first + offset).chunks(4).map(four);
            let target = Rigid::from(target);
            let target = self.scene.as_ref().map_or(target, |scene| scene.root_from_base.then(&target));
            rows(&target).into_iter().chain(start).collect::<Vec<Four>>()
        };
        targets.iter().enumerate().flat_map(of_target).collect()
    }

    /// The array of the robot: of its scene where there is one, then the tip, then the limits.
    pub(super) fn robot_elements(&self) -> Vec<Four> {
        let in_scene = self.scene.as_ref().map(|scene| scene.packed.robot_elements());
        let robot = in_scene.unwrap_or_else(|| self.robot.elements().to_vec());
        [&robot[..], &self.tip, &self.limits()].concat()
    }

    /// Sizes for the shader, in its order; the iterations are those of a dispatch.
    pub(super) fn sizes(&self, threads: usize, first_pose: usize, of_dispatch: &Range<usize>) -> [u32; 19] {
        let (robot, scene) = (&self.robot, self.scene.as_ref());
        let mut sizes = [0; 19];
        sizes[..3].copy_from_slice(&[threads, robot.num_frames(), robot.num_variables()]);
        let mut tip = robot.elements().len();
        if let Some(scene) = scene {
            sizes[3..11].copy_from_slice(&scene.sizes());
            [tip, _] = scene.packed.num_elements();
        }
        let BatchIkOptions { starts, iterations, seed } = self.options;
        let clear_iterations = scene.map_or(0, |_| self.options.clear_iterations());
        sizes[11..17].copy_from_slice(&[starts, iterations, seed as usize, tip, first_pose, clear_iterations]);
        sizes[17..].copy_from_slice(&[of_dispatch.start, of_dispatch.end]);
        sizes.map(|size| size as u32)
    }

    /// How often the loops of a thread run in an iteration, at most: to place frames, for columns, weights and steps of variables, for
    /// the normal matrix and its Cholesky factors, and in the scene.
    pub(super) fn loops_per_iteration(&self) -> usize {
        let in_scene = self.scene.as_ref().map_or(0, |scene| scene.packed.loops_per_query());
        3 * (self.robot.num_frames() + 1) + 50 * (self.robot.num_variables() + 1) + 200 + in_scene
    }

    pub(super) fn floats_per_start(&self) -> usize {
        self.chain.dof() + 1
    }

    /// The distinct answers of each pose, the nearest to the start first.
    pub(super) fn finish(&self, targets: &[Pose], starts: &[f64], answers: &[f32]) -> Vec<Vec<BatchIkSolution>> {
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
