//! Reaching a target: attractors of the tool's pose, and of a configuration that has it.
//!
//! The attractor of Ratliff et al. 2018, section 5: a spring whose pull is cut off far away, and a critical damper. A pose alone
//! attracts an arm into joint limits and singularities from which no descent leads on, as all local methods; so the inverse
//! kinematics is solved when the policy is added, and from far away the arm is attracted to the solution that its joints have the
//! shortest way to. Joint limits are a box, so that nothing is in that way. Near the solution the pose takes over.

use std::f64::consts::TAU;
use std::sync::Arc;

use kinetic_core::{KineticError, Pose, Result};
use kinetic_ik::InverseKinematics;
use kinetic_ik::analytic::SolveOptions;
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::{Margins, Scene};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use super::acceleration_bounds::JointBounds;
use super::motion_policy::{MotionPolicy, MotionState};
use super::task_space::TaskSpaces;

/// Most solutions of the inverse kinematics among which the nearest is taken.
const MAX_SOLUTIONS: usize = 256;
/// How far the joints are from the solution, as root mean square, where pose and configuration count alike, rad or m.
const HANDOVER: f64 = 0.3;
/// Metric of a radian of rotation against that of a metre, m²: that of a tool of some decimetres.
const ROTATION_METRIC: f64 = 0.1;
/// Metric of the configuration per joint far from the solution, m²/rad²: that of a metre of the tool at a lever of half a metre.
const CONFIGURATION_METRIC: f64 = 0.25;
/// As part of that, what is left of it near the solution, so that a singular one is reached too.
const LEAST_CONFIGURATION_SHARE: f64 = 0.04;
/// Largest error of the pose that pulls, m and rad.
const STRONGEST_PULL: [f64; 2] = [0.25, 0.8];
/// Share of the velocity limits that the pull of the configuration leads to.
const CRUISE: f64 = 0.8;
/// Errors of the inverse kinematics below these are none, m and rad.
const IK_TOLERANCE: [f64; 2] = [1e-6, 1e-6];

/// Attracts the tool to a pose.
#[derive(Debug)]
pub(super) struct ReachTarget {
    target: Rigid,
    gain: f64,
    solutions: Vec<Vec<f64>>,
    /// The solution that the arm is attracted to, with the turns of continuous joints that are nearest.
    chosen: Option<Vec<f64>>,
}

impl ReachTarget {
    /// Of a target in the group's base.
    ///
    /// # Errors
    /// Those of the inverse kinematics.
    pub(super) fn new(robot: &Arc<Robot>, group: &PlanningGroup, target: &Pose, gain: f64) -> Result<Self> {
        let solutions = solutions(robot, group, target)?;
        Ok(Self { target: Rigid::from(target), gain, solutions, chosen: None })
    }

    fn choose(&mut self, state: &MotionState<'_>) {
        let unwound = |solution: &Vec<f64>| -> Vec<f64> {
            let value = |(joint, value): (usize, &f64)| {
                let JointBounds { lower, upper, .. } = state.bounds[joint];
                let is_free = state.chain.is_rotation(joint) && lower.is_infinite() && upper.is_infinite();
                if is_free { value + TAU * ((state.q[joint] - value) / TAU).round() } else { *value }
            };
            solution.iter().enumerate().map(value).collect()
        };
        let way = |solution: &Vec<f64>| {
            let times = solution.iter().zip(state.q).zip(state.bounds);
            times.map(|((to, from), bounds)| ((to - from) / bounds.velocity).powi(2)).sum::<f64>()
        };
        let nearest = self.solutions.iter().map(unwound).min_by(|a, b| way(a).total_cmp(&way(b)));
        self.chosen = nearest;
    }

    /// Adds the attractor of the configuration; how much the pose is to count, 0 to 1.
    fn attract_joints(&self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> f64 {
        let Some(solution) = &self.chosen else { return 1.0 };
        let rate = self.gain.sqrt();
        let ways = || solution.iter().zip(state.q).map(|(to, from)| to - from);
        let slowest =
            ways().zip(state.bounds).fold(0.0_f64, |most, (way, bounds)| most.max(way.abs() / bounds.velocity));
        // A critically damped spring cruises at half its rate times the way.
        let cut = (2.0 * CRUISE / (rate * slowest.max(f64::MIN_POSITIVE))).min(1.0);
        let mean_square = ways().map(|way| way * way).sum::<f64>() / state.dof().max(1) as f64;
        let nearness = (-mean_square / (HANDOVER * HANDOVER)).exp();
        let share = (1.0 - nearness).max(LEAST_CONFIGURATION_SHARE);
        for (joint, way) in ways().enumerate() {
            let wanted = self.gain * cut * way - 2.0 * rate * state.qd[joint];
            tasks.add_joint(joint, CONFIGURATION_METRIC * share, wanted);
        }
        nearness
    }

    fn attract_tool(&self, weight: f64, state: &MotionState<'_>, tasks: &mut TaskSpaces) {
        let position = self.target.translation - state.base_from_tool.translation;
        let turn = self.target.rotation * state.base_from_tool.rotation.transpose();
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn)).scaled_axis();
        let pulls = [cut_off(position, STRONGEST_PULL[0]), cut_off(rotation, STRONGEST_PULL[1])];
        let task = tasks.add(6);
        let dof = state.dof();
        for row in 0..6 {
            state.jacobian_row(row, &mut task.jacobian[row * dof..(row + 1) * dof]);
            let pull = pulls[row / 3][row % 3];
            task.acceleration[row] = self.gain * pull - 2.0 * self.gain.sqrt() * state.tool_velocity[row];
            task.metric[7 * row] = weight * if row < 3 { 1.0 } else { ROTATION_METRIC };
        }
        task.curvature.copy_from_slice(&state.tool_curvature);
    }
}

impl MotionPolicy for ReachTarget {
    fn name(&self) -> &'static str {
        "reach_target"
    }

    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        if self.chosen.is_none() {
            self.choose(state);
        }
        let nearness = self.attract_joints(state, tasks);
        self.attract_tool(nearness, state, tasks);
        Ok(())
    }
}

fn cut_off(error: Vector3<f64>, longest: f64) -> Vector3<f64> {
    let length = error.norm();
    if length > longest { error * (longest / length) } else { error }
}

/// Configurations inside the limits that have the pose: all branches of a closed form, else those that restarts find. Those in
/// which the robot does not touch itself, if there are any.
fn solutions(robot: &Arc<Robot>, group: &PlanningGroup, target: &Pose) -> Result<Vec<Vec<f64>>> {
    let ik = InverseKinematics::from_group(robot, group)?;
    let mut found = branches(&ik, target);
    if found.is_empty() {
        let [position_tolerance, orientation_tolerance] = IK_TOLERANCE;
        let config =
            kinetic_ik::IKConfig { position_tolerance, orientation_tolerance, num_restarts: 40, ..ik.config() };
        // What is out of reach, or not found, is said by the solver.
        let solver = if config.preference.is_numerical() { config.preference } else { config.solver };
        let config = kinetic_ik::IKConfig { solver, ..config };
        found = ik.solve_distinct(target, &config)?.into_iter().map(|solution| solution.joints.0).collect();
    }
    let mut checker = Scene::new(robot)?.checker_within(&group.name, Margins::ZERO, None)?;
    let free: Vec<Vec<f64>> = found.iter().filter(|q| checker.is_free(q)).cloned().collect();
    if free.is_empty() {
        let wanted = "a pose that the robot can have without touching itself";
        let [x, y, z] = target.translation().into();
        return Err(KineticError::invalid("target", format!("the pose at [{x}, {y}, {z}]"), wanted));
    }
    Ok(free)
}

fn branches(ik: &InverseKinematics, target: &Pose) -> Vec<Vec<f64>> {
    let options = SolveOptions { turns: true, max_solutions: Some(MAX_SOLUTIONS), ..SolveOptions::default() };
    let chain: &KinematicChain = ik.chain();
    let reaches = |q: &[f64]| {
        let off = chain.tip_pose(q);
        off.translation_distance(target) <= IK_TOLERANCE[0] && off.rotation_distance(target) <= IK_TOLERANCE[1]
    };
    let found = ik.solve_all(target, &options).unwrap_or_default();
    found.into_iter().map(|solution| solution.q.0).filter(|q| reaches(q)).collect()
}
