//! Named poses: inside the limits, and free of contact with oneself.

use kinetic_core::JointValues;
use kinetic_robot::PlanningGroup;
use kinetic_scene::{Margins, Scene};

use super::{Check, Level, Report, Subject};

pub(super) const CHECK: Check = Check {
    id: "named_poses",
    summary: "named poses outside the joint limits or in contact with the robot itself",
    run,
};

/// Room for the last digit of limits and poses that were printed and read again, rad or m.
const POSE_LIMIT_TOLERANCE_RAD_M: f64 = 1e-9;

fn run(subject: &Subject<'_>, report: &mut Report) {
    for pose in &subject.robot.named_poses {
        let group = &subject.robot.groups[pose.group];
        let name = format!("{} of {}", pose.name, group.name);
        if let Err(error) = subject.robot.check_limits(group, &pose.values, POSE_LIMIT_TOLERANCE_RAD_M) {
            CHECK.add(report, Level::Error, name, error.to_string());
            continue;
        }
        let contacts = subject.scene.as_ref().map_or_else(|_| Vec::new(), |scene| contacts(scene, group, &pose.values));
        if !contacts.is_empty() {
            CHECK.add(report, Level::Error, name, format!("the robot touches itself: {}", contacts.join(", ")));
        }
    }
}

/// Pairs in contact, with the joints outside the group in their neutral configuration.
fn contacts(scene: &Scene, group: &PlanningGroup, q: &JointValues) -> Vec<String> {
    let Ok(mut checker) = scene.checker(&group.name, Margins::ZERO) else { return Vec::new() };
    checker.self_contacts(q).into_iter().map(|pair| format!("{} – {}", pair.link, pair.other)).collect()
}
