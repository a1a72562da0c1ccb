//! What is unusual about the joints.

use kinetic_robot::{Joint, JointType};

use super::{Check, Level, Report, Subject};

pub(super) const CHECK: Check =
    Check { id: "kinematics", summary: "joints without stops, joints that follow others, slides without end", run };

fn run(subject: &Subject<'_>, report: &mut Report) {
    let robot = subject.robot;
    for joint in &robot.joints {
        let is_endless = joint.limits.is_some_and(|limits| limits.lower.is_infinite() || limits.upper.is_infinite());
        if joint.joint_type == JointType::Prismatic && joint.mimic.is_none() && is_endless {
            let message = "a slide without end: random configurations and proofs leave it out".to_owned();
            CHECK.add(report, Level::Warning, &*joint.name, message);
        }
    }
    let names = |wanted: fn(&Joint) -> bool| {
        robot
            .joints
            .iter()
            .filter(|joint| wanted(joint))
            .map(|joint| joint.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let endless = names(|joint| joint.joint_type == JointType::Continuous && joint.mimic.is_none());
    let followers = names(|joint| joint.mimic.is_some());
    for (joints, message) in [(endless, "turns without stops"), (followers, "follows another joint")] {
        if !joints.is_empty() {
            CHECK.add(report, Level::Note, joints, message.to_owned());
        }
    }
}
