//! Context of goal resolution: the robot, inverse kinematics, and collision checks of single configurations.

use std::collections::BTreeMap;

use kinetic_core::error::reason;
use kinetic_core::{KineticError, Pose, Result};
use kinetic_ik::analytic::Manipulator;
use kinetic_ik::{IKConfig, IKSolution, solve_ik_branches};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::{Attachment, Checker};

/// Joint limits are compared with this tolerance, rad or m: files with five or six decimals put configurations at a
/// limit some 1e-6 outside.
pub const LIMIT_TOLERANCE: f64 = 1e-5;

/// A pose goal is met to this distance (m) and angle (rad).
pub(crate) const POSE_GOAL_TOLERANCE_RAD_M: f64 = 1e-6;

/// Configurations full turns apart that one goal stands for at most; the nearest ones.
pub(crate) const MOST_TURNED: usize = 256;

/// What inverse kinematics of a pose goal needs.
pub(crate) struct IkContext<'a> {
    pub(crate) robot: &'a Robot,
    pub(crate) chain: &'a KinematicChain,
    /// The closed form of the chain; made when there is a pose to reach.
    pub(crate) closed_form: &'a dyn Fn() -> Option<&'a Manipulator>,
    pub(crate) seed: u64,
}

/// What a goal is resolved with.
pub(crate) struct GoalContext<'a> {
    pub(crate) ik: IkContext<'a>,
    pub(crate) group: &'a PlanningGroup,
    pub(crate) start: &'a [f64],
    /// Where the joints outside the group stand, robot length.
    pub(crate) held: &'a [f64],
    /// What the robot carries.
    pub(crate) attached: &'a BTreeMap<String, Attachment>,
}

impl GoalContext<'_> {
    /// The link of that name, or the one that carries the body of that name.
    pub(crate) fn link_of(&self, name: &str) -> Option<usize> {
        let carrier = || self.attached.get(name).map(|body| body.link);
        self.ik.robot.links.iter().position(|link| link.name == name).or_else(carrier)
    }
}

/// The tightest pair at `q`, when it misses its margin: names, distance, margin.
pub(crate) fn collision(checker: &mut Checker, q: &[f64]) -> Option<(String, String, f64, f64)> {
    if checker.is_free(q) {
        return None;
    }
    let clearance = checker.clearance(q);
    let pair = clearance.pair?;
    Some((pair.link, pair.other, clearance.distance, clearance.margin))
}

/// All configurations that inverse kinematics finds for a pose: every branch of the closed form, where there is one.
pub(crate) fn branches(
    ik: &IkContext<'_>,
    start: &[f64],
    base_from_tcp: &Pose,
    restarts: usize,
) -> Result<Vec<IKSolution>> {
    let config = IKConfig {
        seed: Some(start.into()),
        num_restarts: restarts,
        position_tolerance: POSE_GOAL_TOLERANCE_RAD_M,
        orientation_tolerance: POSE_GOAL_TOLERANCE_RAD_M,
        rng_seed: ik.seed,
        ..IKConfig::for_robot(ik.robot)
    };
    let found = solve_ik_branches((ik.closed_form)(), ik.chain, base_from_tcp, &config);
    found.map_err(|error| match error {
        KineticError::IKNotConverged { iterations, residual } => {
            let attempts = restarts + 1;
            let reason = reason::GoalUnreachable::NotConverged { attempts, iterations, residual };
            KineticError::GoalUnreachable { reason }
        }
        KineticError::NoIKSolution { reason: cause } => {
            KineticError::GoalUnreachable { reason: reason::GoalUnreachable::NoIKSolution { cause } }
        }
        other => other,
    })
}
