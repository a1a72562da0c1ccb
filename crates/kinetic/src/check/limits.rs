//! Joint limits: ranges, speeds, efforts, and what stands in for those that are not stated.

use std::f64::consts::TAU;

use kinetic_robot::limits::{DEFAULT_ANGULAR_VELOCITY, DEFAULT_LINEAR_VELOCITY};
use kinetic_robot::{Joint, JointLimits, JointType};

use super::{Check, Level, Report, Subject};

pub(super) const CHECK: Check = Check {
    id: "limits",
    summary: "ranges that are empty or in degrees, absurd speeds, limits that are not stated",
    run,
};

/// Ranges wider than this are in degrees, or of a joint without stops: ten turns to either side, rad.
const WIDEST_TURN: f64 = 20.0 * TAU;
/// A slide longer than this is in millimetres, m.
const LONGEST_SLIDE: f64 = 50.0;
/// Speeds outside this range are in other units: rad/s (the fastest arms turn at about 12) and m/s.
const TURNING: (f64, f64) = (1e-3, 60.0);
const SLIDING: (f64, f64) = (1e-4, 20.0);

fn run(subject: &Subject<'_>, report: &mut Report) {
    let robot = subject.robot;
    let mut defaults = Defaults::default();
    for (variable, joint) in robot.active_joints.iter().enumerate() {
        let joint = &robot.joints[*joint];
        let limits = &robot.joint_limits[variable];
        range(joint, limits, report);
        speed(joint, limits, report);
        defaults.note(joint, limits);
        narrowing(joint, limits, report);
    }
    defaults.report(report);
}

fn range(joint: &Joint, limits: &JointLimits, report: &mut Report) {
    let slides = joint.joint_type == JointType::Prismatic;
    let width = limits.upper - limits.lower;
    if width <= 0.0 {
        let message = format!("range [{}, {}] is empty: the joint cannot move", limits.lower, limits.upper);
        CHECK.add(report, Level::Warning, &*joint.name, message);
    } else if width.is_finite() && width > if slides { LONGEST_SLIDE } else { WIDEST_TURN } {
        let (unit, other) = if slides { ("m", "millimetres") } else { ("rad", "degrees") };
        let message = format!("range is {width:.4} {unit} wide; are these {other}?");
        CHECK.add(report, Level::Warning, &*joint.name, message);
    }
}

fn speed(joint: &Joint, limits: &JointLimits, report: &mut Report) {
    let slides = joint.joint_type == JointType::Prismatic;
    let (least, most) = if slides { SLIDING } else { TURNING };
    if !(least..=most).contains(&limits.velocity) {
        let unit = if slides { "m/s" } else { "rad/s" };
        let message = format!("speed limit {} {unit} is outside of what robots do, [{least}, {most}]", limits.velocity);
        CHECK.add(report, Level::Warning, &*joint.name, message);
    }
}

/// The limits that count are narrower than the joint's own when a joint that follows it would leave its range.
fn narrowing(joint: &Joint, limits: &JointLimits, report: &mut Report) {
    let Some(own) = &joint.limits else { return };
    if limits.lower > own.lower || limits.upper < own.upper {
        let message = format!(
            "range [{}, {}] is narrowed to [{}, {}] by a joint that follows it",
            own.lower, own.upper, limits.lower, limits.upper
        );
        CHECK.add(report, Level::Note, &*joint.name, message);
    }
}

/// Joints whose limits are not stated, gathered so that each kind is one remark.
#[derive(Default)]
struct Defaults {
    speed: Vec<String>,
    effort: Vec<String>,
    acceleration: Vec<String>,
}

impl Defaults {
    fn note(&mut self, joint: &Joint, limits: &JointLimits) {
        let default =
            if joint.joint_type == JointType::Prismatic { DEFAULT_LINEAR_VELOCITY } else { DEFAULT_ANGULAR_VELOCITY };
        // A description that states the default by chance is in good company.
        if limits.velocity.to_bits() == default.to_bits() {
            self.speed.push(joint.name.clone());
        }
        if limits.effort.is_infinite() {
            self.effort.push(joint.name.clone());
        }
        if limits.acceleration.is_none() {
            self.acceleration.push(joint.name.clone());
        }
    }

    fn report(self, report: &mut Report) {
        let kinds = [
            (self.speed, "speed limit is the default (1 rad/s, 0.25 m/s), not stated or stated so"),
            (self.effort, "effort limit is not stated"),
            (self.acceleration, "acceleration limit is not stated: full speed after 0.5 s"),
        ];
        for (joints, message) in kinds {
            if !joints.is_empty() {
                CHECK.add(report, Level::Note, joints.join(", "), message.to_owned());
            }
        }
    }
}
