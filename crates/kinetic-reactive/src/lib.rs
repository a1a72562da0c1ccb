//! Commands to an arm that moves: each cycle turns a wish (a twist, a pose, joint velocities, a policy) into the next command.
pub mod rmp;
