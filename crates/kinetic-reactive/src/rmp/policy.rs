//! Policies as data: what a user asks for, before it is compiled for a robot.

use std::sync::Arc;

use kinetic_core::{KineticError, Pose, Result};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::LiveScene;

use super::avoid_obstacles::AvoidObstacles;
use super::avoid_self_collision::AvoidSelfCollision;
use super::damping::Damping;
use super::joint_limit_avoidance::JointLimitAvoidance;
use super::motion_policy::MotionPolicy;
use super::reach_target::ReachTarget;
use super::singularity_avoidance::SingularityAvoidance;

/// A policy of [`Rmp`](super::Rmp). Gains are squares of rates, 1/s²: a policy of gain `k²` settles like `e^(−kt)`.
#[derive(Debug, Clone)]
pub enum Policy {
    /// Attracts the tool to a pose, and comes to rest there.
    ReachTarget {
        /// Pose of the tool in the group's base, `base_from_tool`.
        target: Pose,
        /// 1/s².
        gain: f64,
    },
    /// Keeps the robot, and what it carries, away from the objects of a scene, as the scene is in each cycle. The clearances that
    /// the scene states count.
    AvoidObstacles {
        /// The scene; edits arrive in the next cycle.
        scene: LiveScene,
        /// Distance from which objects are kept away from, m.
        influence_distance: f64,
        /// 1/s².
        gain: f64,
    },
    /// Keeps the links of the robot apart.
    AvoidSelfCollision {
        /// 1/s².
        gain: f64,
    },
    /// Keeps joints away from the ends of their ranges. The limits hold without it, too.
    JointLimitAvoidance {
        /// Distance from a limit from which it acts, rad or m.
        margin: f64,
        /// 1/s².
        gain: f64,
    },
    /// Keeps the tool's manipulability (Yoshikawa 1985) from falling.
    SingularityAvoidance {
        /// Manipulability from which it acts, see [`kinetic_kinematics::manipulability`].
        threshold: f64,
        /// 1/s².
        gain: f64,
    },
    /// Damps the velocities of all joints.
    Damping {
        /// 1/s.
        coefficient: f64,
    },
}

/// One row per policy.
#[derive(Debug, Clone, Copy)]
pub struct PolicyRow {
    /// Its name, as in Python.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// A policy of the kind that acts on the robot of a scene.
    pub example: fn(&LiveScene) -> Policy,
}

/// All policies.
pub const POLICIES: &[PolicyRow] = &[
    PolicyRow {
        name: "reach_target",
        doc: "attracts the tool to a pose",
        example: |scene| {
            let robot = scene.robot();
            let group = &robot.groups[robot.default_group];
            let middle = robot.mid_configuration(group);
            let reached = KinematicChain::from_group(&robot, group).map(|chain| chain.tip_pose(&middle));
            Policy::ReachTarget { target: reached.unwrap_or_default(), gain: 10.0 }
        },
    },
    PolicyRow {
        name: "avoid_obstacles",
        doc: "keeps away from the objects of a scene",
        example: |scene| Policy::AvoidObstacles { scene: scene.clone(), influence_distance: 0.2, gain: 20.0 },
    },
    PolicyRow {
        name: "avoid_self_collision",
        doc: "keeps the links of the robot apart",
        example: |_| Policy::AvoidSelfCollision { gain: 20.0 },
    },
    PolicyRow {
        name: "joint_limit_avoidance",
        doc: "keeps joints away from their limits",
        example: |_| Policy::JointLimitAvoidance { margin: 0.2, gain: 10.0 },
    },
    PolicyRow {
        name: "singularity_avoidance",
        doc: "keeps the tool's manipulability from falling",
        example: |_| Policy::SingularityAvoidance { threshold: 0.5, gain: 10.0 },
    },
    PolicyRow { name: "damping", doc: "damps all joints", example: |_| Policy::Damping { coefficient: 2.0 } },
];

impl Policy {
    /// Its name: that of its row in [`POLICIES`].
    pub fn name(&self) -> &'static str {
        match self {
            Self::ReachTarget { .. } => "reach_target",
            Self::AvoidObstacles { .. } => "avoid_obstacles",
            Self::AvoidSelfCollision { .. } => "avoid_self_collision",
            Self::JointLimitAvoidance { .. } => "joint_limit_avoidance",
            Self::SingularityAvoidance { .. } => "singularity_avoidance",
            Self::Damping { .. } => "damping",
        }
    }

    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`], or [`KineticError::NotFinite`] for a target with NaN.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::ReachTarget { target, gain } => {
                target.check_finite("target")?;
                check_positive("gain", *gain, "1/s²")
            }
            Self::AvoidObstacles { influence_distance, gain, .. } => {
                check_positive("influence_distance", *influence_distance, "m")?;
                check_positive("gain", *gain, "1/s²")
            }
            Self::AvoidSelfCollision { gain } => check_positive("gain", *gain, "1/s²"),
            Self::JointLimitAvoidance { margin, gain } => {
                check_positive("margin", *margin, "rad or m")?;
                check_positive("gain", *gain, "1/s²")
            }
            Self::SingularityAvoidance { threshold, gain } => {
                check_positive("threshold", *threshold, "a manipulability")?;
                check_positive("gain", *gain, "1/s²")
            }
            Self::Damping { coefficient } => check_positive("coefficient", *coefficient, "1/s"),
        }
    }

    /// Compiles the policy for a robot.
    pub(super) fn compile(&self, robot: &Arc<Robot>, group: &PlanningGroup) -> Result<Box<dyn MotionPolicy>> {
        self.check()?;
        Ok(match self {
            Self::ReachTarget { target, gain } => Box::new(ReachTarget::new(robot, group, target, *gain)?),
            Self::AvoidObstacles { scene, influence_distance, gain } => {
                Box::new(AvoidObstacles::new(robot, group, (scene, *influence_distance, *gain))?)
            }
            Self::AvoidSelfCollision { gain } => Box::new(AvoidSelfCollision::new(robot, group, *gain)?),
            Self::JointLimitAvoidance { margin, gain } => {
                Box::new(JointLimitAvoidance { margin: *margin, gain: *gain })
            }
            Self::SingularityAvoidance { threshold, gain } => {
                let chain = KinematicChain::from_group(robot, group)?;
                Box::new(SingularityAvoidance::new(&chain, *threshold, *gain))
            }
            Self::Damping { coefficient } => Box::new(Damping { coefficient: *coefficient }),
        })
    }
}

/// Rates above this are faster than any control cycle.
const LARGEST_VALUE: f64 = 1e6;

fn check_positive(name: &str, value: f64, unit: &str) -> Result<()> {
    if value > 0.0 && value <= LARGEST_VALUE {
        return Ok(());
    }
    Err(KineticError::invalid(name, value, format!("a positive number of at most {LARGEST_VALUE:e} ({unit})")))
}
