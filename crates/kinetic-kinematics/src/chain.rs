//! Kinematic chains: the joints from a base link to a tip link.

mod parts;

pub use parts::ChainParts;

use kinetic_core::error::{check_finite, check_len, reason};
use kinetic_core::{KineticError, Pose, Result};
use kinetic_robot::{JointType, PlanningGroup, Robot};

use crate::kernel::{Constant, Transform};
use crate::program::{JointProgram, variable_of};
use crate::rigid::Rigid;
use crate::simd::Lanes;

/// Base → tip of a robot, compiled, for FK, Jacobians and IK.
///
/// Configurations have the length and order of [`variables`](Self::variables). The tip may carry a tool: every pose
/// of the tip is `base_from_tip · tip_from_tcp`.
#[derive(Debug, Clone)]
pub struct KinematicChain {
    name: String,
    joints: Vec<usize>,
    variables: Vec<usize>,
    joint_names: Vec<String>,
    bounds: Vec<(f64, f64)>,
    turns: Vec<bool>,
    weights: Vec<f64>,
    program: JointProgram,
    tip: (usize, Rigid),
    tip_constant: Constant,
    tip_from_tcp: Pose,
}

impl KinematicChain {
    /// The chain between two links, by name. Variables are the independent joints between them, base first.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`], or [`KineticError::ChainExtraction`] when `base` is no ancestor of `tip`.
    pub fn extract(robot: &Robot, base: &str, tip: &str) -> Result<Self> {
        let joints = joints_between(robot, robot.link_index(base)?, robot.link_index(tip)?)?;
        let mut variables = Vec::new();
        for joint in &joints {
            variables.extend(variable_of(robot, *joint).filter(|variable| !variables.contains(variable)));
        }
        let name = format!("{base} to {tip}");
        Ok(Self::build(robot, name, joints, variables, &robot.neutral_configuration(), &Pose::identity()))
    }

    /// The chain of a planning group, with the group's variables and its tool.
    ///
    /// # Errors
    /// [`KineticError::ChainExtraction`] when the group's base is no ancestor of its tip.
    pub fn from_group(robot: &Robot, group: &PlanningGroup) -> Result<Self> {
        Self::from_group_held(robot, group, &robot.neutral_configuration())
    }

    /// As [`from_group`](Self::from_group), with the joints outside the group held at `held` (robot length).
    ///
    /// # Errors
    /// As [`from_group`](Self::from_group).
    pub fn from_group_held(robot: &Robot, group: &PlanningGroup, held: &[f64]) -> Result<Self> {
        let joints = joints_between(robot, group.base_link, group.tip_link)?;
        Ok(Self::build(robot, group.name.clone(), joints, group.variables.clone(), held, &group.tip_from_tcp))
    }

    /// The chain from the frame of any link to a tip, up to the link that both hang on and down from there: the tip as it is seen
    /// from a part on a positioner, or in the hand of another arm. Its variables are those of the group, of which some may not
    /// move the tip in that frame; joints outside the group are held at `held` (robot length).
    ///
    /// `tip` is the link that is moved, and the tool on it.
    ///
    /// # Errors
    /// [`KineticError::ChainExtraction`] when no joint of the group is between the two links.
    pub fn between(
        robot: &Robot,
        group: &PlanningGroup,
        frame_link: usize,
        (tip_link, tip_from_tcp): (usize, &Pose),
        held: &[f64],
    ) -> Result<Self> {
        let [up, down] = parts_between(robot, frame_link, tip_link);
        let program = JointProgram::compile_between(robot, [&up, &down], &group.variables, held);
        if program.frames().is_empty() {
            return Err(KineticError::ChainExtraction {
                base: robot.links[frame_link].name.clone(),
                tip: robot.links[tip_link].name.clone(),
                reason: reason::ChainExtraction::NothingMoves,
            });
        }
        let joints = up.into_iter().chain(down).collect();
        Ok(Self::of_program(robot, (group.name.clone(), program), joints, group.variables.clone(), tip_from_tcp))
    }

    /// The chain of the group with this name, or of the default group.
    ///
    /// # Errors
    /// [`KineticError::GroupNotFound`], and as [`from_group`](Self::from_group).
    pub fn from_robot(robot: &Robot, group: Option<&str>) -> Result<Self> {
        Self::from_group(robot, robot.group_or_default(group)?)
    }

    /// The chain of the robot's default group.
    ///
    /// # Errors
    /// As [`from_group`](Self::from_group).
    pub fn auto_detect(robot: &Robot) -> Result<Self> {
        Self::from_group(robot, &robot.groups[robot.default_group])
    }

    fn build(
        robot: &Robot,
        name: String,
        joints: Vec<usize>,
        variables: Vec<usize>,
        held: &[f64],
        tip_from_tcp: &Pose,
    ) -> Self {
        let program = JointProgram::compile_chain(robot, &joints, &variables, held);
        Self::of_program(robot, (name, program), joints, variables, tip_from_tcp)
    }

    fn of_program(
        robot: &Robot,
        (name, program): (String, JointProgram),
        joints: Vec<usize>,
        variables: Vec<usize>,
        tip_from_tcp: &Pose,
    ) -> Self {
        let (frame, frame_from_tip) = program.link(program.num_links() - 1);
        let tip = (frame, frame_from_tip.then(&Rigid::from(tip_from_tcp)));
        let joint = |variable: &usize| &robot.joints[robot.active_joints[*variable]];
        let names = variables.iter().map(|v| joint(v).name.clone()).collect();
        let turns = variables.iter().map(|v| joint(v).joint_type != JointType::Prismatic).collect();
        let bounds = variables.iter().map(|v| (robot.joint_limits[*v].lower, robot.joint_limits[*v].upper)).collect();
        let weights = variables.iter().map(|v| robot.joint_weights.get(*v).copied().unwrap_or(1.0)).collect();
        let (tip_constant, tip_from_tcp) = (Constant::new(&tip.1), *tip_from_tcp);
        Self {
            name,
            joints,
            variables,
            joint_names: names,
            bounds,
            turns,
            weights,
            program,
            tip,
            tip_constant,
            tip_from_tcp,
        }
    }

    /// The same chain with another tool at its tip.
    #[must_use]
    pub fn with_tcp(mut self, tip_from_tcp: &Pose) -> Self {
        let (frame, frame_from_tip) = self.program.link(self.program.num_links() - 1);
        self.tip = (frame, frame_from_tip.then(&Rigid::from(tip_from_tcp)));
        self.tip_constant = Constant::new(&self.tip.1);
        self.tip_from_tcp = *tip_from_tcp;
        self
    }

    /// The tool, `tip_from_tcp`.
    pub fn tcp(&self) -> Pose {
        self.tip_from_tcp
    }

    /// Name of the chain: its group, or its links.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Length of a configuration.
    pub fn dof(&self) -> usize {
        self.variables.len()
    }

    /// All joints from base to tip, fixed ones included, as indices into the robot's joints.
    pub fn all_joints(&self) -> &[usize] {
        &self.joints
    }

    /// The configuration's entries, as indices into the robot's active joints.
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// True when the chain is the same for two robot-length configurations of its robot: the joints between base and tip
    /// that it has no entries for stand alike in both.
    pub fn holds_alike(&self, robot: &Robot, one: &[f64], other: &[f64]) -> bool {
        let held = self.joints.iter().filter_map(|joint| variable_of(robot, *joint));
        held.filter(|variable| !self.variables.contains(variable)).all(|variable| one[variable] == other[variable])
    }

    /// Names of the configuration's entries.
    pub fn joint_names(&self) -> &[String] {
        &self.joint_names
    }

    /// Position limits of the configuration's entries; infinite for continuous joints.
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    /// True when entry `variable` of the configuration turns (rather than slides). It need not lie between base and tip:
    /// groups of several arms list further joints.
    pub fn is_rotation(&self, variable: usize) -> bool {
        self.turns[variable]
    }

    /// How much a radian or metre of each entry counts in [`travel`](Self::travel), as [`Robot::weights`].
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// How far the joints travel from one configuration to the other, as they stand: the Euclidean norm of the weighted
    /// differences. A turn of 2π counts, since a joint inside its limits has to make it.
    pub fn travel(&self, from: &[f64], to: &[f64]) -> f64 {
        let steps = from.iter().zip(to).zip(&self.weights);
        steps.map(|((from, to), weight)| (weight * (to - from)).powi(2)).sum::<f64>().sqrt()
    }

    /// The compiled joints; its links are those the chain passes, base first.
    pub fn program(&self) -> &JointProgram {
        &self.program
    }

    /// The frame that carries the tip, and `frame_from_tcp`.
    pub fn tip(&self) -> (usize, &Rigid) {
        (self.tip.0, &self.tip.1)
    }

    /// Refuses a configuration of the wrong length or with NaN.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn check(&self, q: &[f64]) -> Result<()> {
        if q.len() != self.dof() {
            // The name is composed only for the error: checked calls allocate nothing.
            check_len(&format!("configuration of \"{}\"", self.name), q.len(), self.dof())?;
        }
        check_finite("configuration", q)
    }

    /// Buffer for the poses of all frames, which [`tip_rigid`](Self::tip_rigid) fills.
    pub fn frame_buffer(&self) -> Vec<Rigid> {
        vec![Rigid::identity(); self.program.num_frames()]
    }

    /// Pose of the tool in the base, `base_from_tcp`; `q` must have [`dof`](Self::dof) finite values.
    pub fn tip_pose(&self, q: &[f64]) -> Pose {
        self.tip_rigid(q, &mut self.frame_buffer()).to_pose()
    }

    /// As [`tip_pose`](Self::tip_pose) without allocation; leaves the poses of all frames in `frames`.
    #[inline]
    pub fn tip_rigid(&self, q: &[f64], frames: &mut [Rigid]) -> Rigid {
        let last = self.program.place(q, frames);
        // What was just written is slow to read back.
        let carrier = if self.tip.0 + 1 == frames.len() { last } else { Transform::of(&frames[self.tip.0]) };
        self.tip_constant.after(&carrier).rigid()
    }

    /// Pose of the tool for several configurations in SIMD lanes.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "otherwise compiled without the wide instructions")]
    pub(crate) fn place_lanes<const W: usize>(
        &self,
        q: &[Lanes<W>],
        frames: &mut [Transform<Lanes<W>>],
    ) -> Transform<Lanes<W>> {
        self.program.place_lanes(q, frames);
        self.tip_constant.after(&frames[self.tip.0])
    }
}

/// Joints from `base` down to `tip`.
fn joints_between(robot: &Robot, base: usize, tip: usize) -> Result<Vec<usize>> {
    let mut joints = Vec::new();
    let mut link = tip;
    while link != base {
        let Some(joint) = robot.links[link].parent_joint else {
            return Err(KineticError::ChainExtraction {
                base: robot.links[base].name.clone(),
                tip: robot.links[tip].name.clone(),
                reason: reason::ChainExtraction::BaseNotAbove { root: robot.links[link].name.clone() },
            });
        };
        joints.push(joint);
        link = robot.joints[joint].parent;
    }
    joints.reverse();
    Ok(joints)
}

/// Joints from a link up to the nearest link that both hang on, nearest first, and from there down to the other link.
fn parts_between(robot: &Robot, from: usize, to: usize) -> [Vec<usize>; 2] {
    let above = |link: usize| -> Vec<usize> {
        let next = |joint: &usize| robot.links[robot.joints[*joint].parent].parent_joint;
        std::iter::successors(robot.links[link].parent_joint, next).collect()
    };
    let (mut up, mut down) = (above(from), above(to));
    while up.last().is_some_and(|joint| down.last() == Some(joint)) {
        up.pop();
        down.pop();
    }
    down.reverse();
    [up, down]
}
