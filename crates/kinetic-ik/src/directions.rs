//! Reachable directions of a capability map by closed-form inverse kinematics.

use kinetic_core::error::reason;
use kinetic_core::{KineticError, Result, StopFlag};
use kinetic_kinematics::ReachabilityMap;

use crate::analytic::{Manipulator, Met, SolveOptions};

/// Adds to every cell of a map the directions that sampling missed and that `arm` reaches inside its joint limits: at the
/// cell's centre, with the tool turned about the direction in `rolls` steps. `arm` must be of the chain that was sampled.
///
/// # Errors
/// [`KineticError::IncompatibleKinematics`] for an arm that meets a part of a pose only, and those of
/// [`ReachabilityMap::add_directions`].
pub fn solve_directions(map: &mut ReachabilityMap, arm: &Manipulator, rolls: usize, stop: &StopFlag) -> Result<()> {
    if arm.met() != Met::Pose {
        let met = arm.met().description();
        let reason = reason::IncompatibleKinematics::PartOfPose { joints: arm.dof(), met };
        return Err(KineticError::IncompatibleKinematics { reason });
    }
    let options = SolveOptions { max_solutions: Some(1), ..SolveOptions::default() };
    map.add_directions(rolls, stop, |pose| arm.solve(pose, &options).is_ok_and(|solutions| !solutions.is_empty()))
}
