//! The figures of a report.

use serde::Serialize;

use super::{Finding, Level};

/// What the checks found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Name of the robot.
    pub robot: String,
    /// Seed of the random configurations.
    pub seed: u64,
    /// Remarks, the worst first.
    pub findings: Vec<Finding>,
    /// Per link with collision shapes.
    pub links: Vec<LinkFigures>,
    /// Per pair of such links, except rigid and adjacent ones.
    pub pairs: Vec<PairFigures>,
    /// Random configurations, when the shapes could be loaded.
    pub self_collision: Option<SampledShare>,
    /// Inverse kinematics of the default group, when it is a chain.
    pub ik: Option<IkFigures>,
}

impl Report {
    pub(super) fn new(robot: String, seed: u64) -> Self {
        Self { robot, seed, findings: Vec::new(), links: Vec::new(), pairs: Vec::new(), self_collision: None, ik: None }
    }

    /// Number of findings of a level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }
}

/// Shapes of one link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkFigures {
    /// Name.
    pub link: String,
    /// Diagonal of the box around its collision shapes, m.
    pub size: f64,
    /// Number of convex pieces.
    pub pieces: usize,
    /// Number of covering spheres.
    pub spheres: usize,
    /// How far the spheres stand out of the pieces at most, m.
    pub excess: f64,
}

/// Contact of one pair of links in random configurations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairFigures {
    /// Names.
    pub links: (String, String),
    /// `disabled`, `always`, `never` or `checked`.
    pub class: &'static str,
    /// Why.
    pub reason: String,
    /// Share of random configurations in which they touch.
    pub touching: f64,
    /// Share in which only their covering spheres touch.
    pub spheres_alone: f64,
}

/// Random configurations of all joints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampledShare {
    /// How many were looked at.
    pub configurations: usize,
    /// Share in which a checked pair touches.
    pub colliding: f64,
    /// Share in which covering spheres of a checked pair touch, but no checked pair does.
    pub spheres_alone: f64,
}

/// Numerical inverse kinematics of poses that random configurations reach.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IkFigures {
    /// Planning group.
    pub group: String,
    /// Poses asked for.
    pub poses: usize,
    /// Poses solved.
    pub solved: usize,
}
