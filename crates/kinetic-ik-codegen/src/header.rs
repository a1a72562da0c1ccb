//! Headers of generated files: how a file was made, of which chain, and by which solver.

use kinetic_core::Pose;
use kinetic_ik::analytic::Manipulator;
use kinetic_ik::analytic::registry::REVERSED;

/// Lines of the header, without marks of comments.
pub(super) fn lines(arm: &Manipulator, robot: &str, needs: &str) -> Vec<String> {
    let (plan, chain) = (arm.dispatch_plan(), arm.chain());
    let mut lines = vec![
        format!("Closed-form inverse kinematics of {robot}: all branches of every pose."),
        String::new(),
        format!("Made by kinetic {} (`kinetic ik build`); not meant to be edited.", env!("CARGO_PKG_VERSION")),
        format!("Licence: {}. Needs {needs}.", env!("CARGO_PKG_LICENSE")),
        String::new(),
        format!("Chain: {}. Joints: {}.", chain.name(), chain.joint_names().join(", ")),
        format!("Tool in the last link: {}.", pose(&chain.tcp())),
        format!("Solver: {} (tier {}), because of the geometry:", plan.solver_name, plan.tier),
    ];
    lines.extend(plan.reason.lines().map(|line| format!("- {line}")));
    // Nothing in a name can end a comment, or begin another line of code.
    lines
        .iter()
        .map(|line| line.replace(|c: char| c.is_control(), " ").replace('\\', "/").replace("\"\"\"", "'''"))
        .collect()
}

pub(super) fn is_read_from_tip(arm: &Manipulator) -> bool {
    arm.dispatch_plan().solver_name.ends_with(REVERSED)
}

fn pose(pose: &Pose) -> String {
    let (t, (roll, pitch, yaw)) = (pose.translation(), pose.rpy());
    format!("xyz {:?} {:?} {:?} m, rpy {roll:?} {pitch:?} {yaw:?} rad", t.x, t.y, t.z)
}
