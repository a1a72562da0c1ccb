//! What may be wrong with a robot: `kinetic check-robot`.
//!
//! A check is a file with a function that adds [`Finding`]s and figures to a [`Report`], and a row in [`CHECKS`]. Checks
//! only look; a robot with findings loads and plans as well as it can.

mod figures;
mod geometry;
mod inertia;
mod inverse_kinematics;
mod kinematics;
mod limits;
mod poses;
mod self_collision;
mod sizes;
mod spheres;

use std::sync::Arc;

use kinetic_core::KineticError;
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use serde::Serialize;

pub use figures::{IkFigures, LinkFigures, PairFigures, Report, SampledShare};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The robot cannot be what the description says, or cannot be used.
    Error,
    /// Probably a mistake.
    Warning,
    /// Good to know.
    Note,
}

/// One remark about one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Id of the check.
    pub check: &'static str,
    /// How bad it is.
    pub level: Level,
    /// Link, joint, pair, pose or group it is about.
    pub subject: String,
    /// What was found, and what it may mean.
    pub message: String,
}

/// A row of [`CHECKS`].
#[derive(Debug)]
pub struct Check {
    /// Name in reports.
    pub id: &'static str,
    /// What it looks for, in one line.
    pub summary: &'static str,
    run: fn(&Subject<'_>, &mut Report),
}

/// All checks, in the order in which they run and report.
pub const CHECKS: [Check; 10] = [
    limits::CHECK,
    inertia::CHECK,
    geometry::CHECK,
    sizes::CHECK,
    spheres::CHECK,
    self_collision::CHECK,
    self_collision::DISABLED,
    poses::CHECK,
    inverse_kinematics::CHECK,
    kinematics::CHECK,
];

/// What the checks look at.
struct Subject<'a> {
    robot: &'a Robot,
    /// The robot alone in an empty world, or why its shapes cannot be loaded.
    scene: Result<Scene, KineticError>,
    seed: u64,
}

impl Subject<'_> {
    fn link(&self, link: usize) -> &str {
        &self.robot.links[link].name
    }

    fn pair(&self, (a, b): (usize, usize)) -> String {
        format!("{} – {}", self.link(a), self.link(b))
    }
}

impl Check {
    fn add(&self, report: &mut Report, level: Level, subject: impl Into<String>, message: String) {
        report.findings.push(Finding { check: self.id, level, subject: subject.into(), message });
    }
}

/// Runs all checks. The same robot and seed give the same report.
pub fn check_robot(robot: &Arc<Robot>, seed: u64) -> Report {
    let subject = Subject { robot, scene: Scene::new(robot), seed };
    let mut report = Report::new(robot.name.clone(), seed);
    for check in &CHECKS {
        (check.run)(&subject, &mut report);
    }
    report.findings.sort_by_key(|finding| finding.level);
    report
}
