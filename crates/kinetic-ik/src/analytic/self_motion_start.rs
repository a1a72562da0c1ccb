//! Where a search along the self-motion begins that no sample met.

use kinetic_core::{JointValues, Pose};
use kinetic_kinematics::KinematicChain;

use super::solution::SolveOptions;
use crate::solvers::{IKConfig, solve_ik};

/// Restarts of the numerical solver.
const SELF_MOTION_RESTARTS: usize = 3;
/// Its tolerance.
const SELF_MOTION_START_ERROR_M_RAD: f64 = 1e-9;

/// A configuration that reaches the pose, inside the limits where they are to be looked at: by the numerical solver, since samples
/// do not tell in which direction a branch begins.
pub(super) fn self_motion_start(
    chain: &KinematicChain,
    base_from_tcp: &Pose,
    options: &SolveOptions,
    check_limits: bool,
) -> Option<JointValues> {
    let config = IKConfig {
        check_limits,
        num_restarts: SELF_MOTION_RESTARTS,
        position_tolerance: SELF_MOTION_START_ERROR_M_RAD,
        orientation_tolerance: SELF_MOTION_START_ERROR_M_RAD,
        seed: options.seed.clone(),
        stop: options.stop.clone(),
        ..IKConfig::dls()
    };
    solve_ik(chain, base_from_tcp, &config).ok().map(|found| found.joints)
}
