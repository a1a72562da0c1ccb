//! Results of planning queries.

use kinetic_core::{ContentHash, KineticError, Pair, Result, TimedTrajectory, Trajectory};

/// A planned path, proven free over its whole length.
#[derive(Debug, Clone)]
pub struct PlanningResult {
    /// The path in group order, from the start to a configuration that meets the goal.
    pub path: Trajectory,
    /// Length of the path before simplification, Euclidean in joint space with the [weights](crate::Planner::joint_weights) of the
    /// joints.
    pub raw_length: f64,
    /// Length of the path, measured alike.
    pub path_length: f64,
    /// What the length of a path is at least, among those through the regions of the planner `gcs`, or that of the straight line where that is
    /// free, to the goal configurations that the search had, of which a pose has more; `None` where nothing is known, as among regions of joints without limits, which may overlap a turn apart. It is one of [`raw_length`](Self::raw_length): what shortens a path afterwards may leave the
    /// regions. Where [time is made small](kinetic_core::PlannerConfig::minimise), the time that paths take under limits of velocity, s.
    pub lower_bound: Option<f64>,
    /// Seconds spent on compiling the scene, checking start and goal, and on the search.
    pub planning_time: f64,
    /// Seconds spent on shortening and smoothing.
    pub simplification_time: f64,
    /// Seconds spent on the final proof.
    pub verification_time: f64,
    /// Seconds spent on [refining](kinetic_core::PlannerConfig::refine) the timed motion.
    pub refinement_time: f64,
    /// Duration of the timed motion along the path, s, where refinement has shortened it.
    pub unrefined_duration: Option<f64>,
    /// Which member of a set of goals the path ends at; 0 for other goals.
    pub goal_index: usize,
    /// By how many full turns each joint ends away from the values that a joint goal or a named goal states; empty for other
    /// goals. Not zero for joints without limits whose equivalent value is nearer to the start or on the way there, and for
    /// joint goals [with turns](kinetic_core::Goal::JointTurns).
    pub goal_turns: Vec<i64>,
    /// Iterations of the search.
    pub iterations: u64,
    /// Nodes of the search.
    pub tree_size: usize,
    /// Configurations at which distances were evaluated, over the whole call.
    pub checks: u64,
    /// [`id`](crate::PlannerSpec::id) of the planner that found the path.
    pub planner_used: &'static str,
    /// Whether time, and not iterations, ended the planners of [`fallback`](kinetic_core::PlannerConfig::fallback) that the path is
    /// not of: on another machine it may be of one of them. True of the first answer of a [race](kinetic_core::Race::First).
    pub chosen_by_clock: bool,
    /// Planners of [`fallback`](kinetic_core::PlannerConfig::fallback) whose turn came, or which ran at the same time, and which
    /// have no answer: their names, and why. Those that a race ended are [`Cancelled`](KineticError::Cancelled).
    pub passed_over: Vec<(&'static str, KineticError)>,
    /// How the start was moved to the first waypoint, where [`fix_start`](kinetic_core::PlannerConfig::fix_start) asked for it and
    /// the start was not valid.
    pub lead_in: Option<LeadIn>,
    /// [Version](kinetic_scene::Scene::version) of the planner's scene.
    pub scene_version: ContentHash,
}

/// The way from a start that is outside its limits or in contact to the valid configuration that a motion was planned from.
///
/// It is not part of the motion and of its certificate. What is said of it was looked at as its fields say.
#[derive(Debug, Clone)]
pub struct LeadIn {
    /// The start that was given, and the valid configuration: the first waypoint of the path. Joint space is straight between
    /// them.
    pub path: Trajectory,
    /// Largest change of a joint, rad or m.
    pub largest_change: f64,
    /// Names of joints that start outside their limits.
    pub outside_limits: Vec<String>,
    /// Pairs that miss their margins at the start, with their signed distances, m. On the way no other pair misses its margin,
    /// and none of these comes nearer than it was: at [`LEAD_IN_SAMPLES`](crate::LEAD_IN_SAMPLES) configurations, which is no proof
    /// of what lies between.
    pub contacts: Vec<(Pair, f64)>,
    /// Whether the whole way is proven to keep the margins: never where there are contacts.
    pub is_proven_free: bool,
    /// The motion along it, from rest to rest, with the time law of the query; without a certificate. `None` where the query names
    /// no time law.
    pub trajectory: Option<TimedTrajectory>,
}

impl PlanningResult {
    /// Number of waypoints.
    pub fn num_waypoints(&self) -> usize {
        self.path.len()
    }

    /// First waypoint.
    pub fn start(&self) -> &[f64] {
        self.path.positions(0)
    }

    /// Last waypoint.
    pub fn end(&self) -> &[f64] {
        self.path.positions(self.path.len() - 1)
    }
}

/// A path that is shorter than all that a planning call found before it, or quicker where
/// [time is made small](kinetic_core::PlannerConfig::minimise).
#[derive(Debug, Clone)]
pub struct Improvement {
    /// The path in group order, from the start to a configuration that meets the goal; every edge proven free.
    pub path: Trajectory,
    /// Its length, Euclidean in joint space with the [weights](crate::Planner::joint_weights) of the joints.
    pub path_length: f64,
    /// Seconds since the budget began.
    pub elapsed: f64,
}

/// The answer to a [`Query`](crate::Query).
#[derive(Debug, Clone)]
pub struct Solution {
    /// The path and the figures of its search.
    pub result: PlanningResult,
    /// The timed motion along it, with its certificate; `None` when the query names no time law.
    pub trajectory: Option<TimedTrajectory>,
}

impl Solution {
    /// The timed motion.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the query named no time law.
    pub fn into_trajectory(self) -> Result<TimedTrajectory> {
        Ok(PlannedTrajectory::try_from(self)?.trajectory)
    }
}

/// A planned, timed and verified trajectory.
#[derive(Debug, Clone)]
pub struct PlannedTrajectory {
    /// The trajectory; its certificate says what was proven.
    pub trajectory: TimedTrajectory,
    /// The path it follows and the figures of the search.
    pub result: PlanningResult,
}

impl TryFrom<Solution> for PlannedTrajectory {
    type Error = KineticError;

    /// # Errors
    /// [`KineticError::InvalidValue`] when the query named no time law.
    fn try_from(Solution { result, trajectory }: Solution) -> Result<Self> {
        let trajectory = trajectory
            .ok_or_else(|| KineticError::invalid("time law of the query", "None", "a time law for a timed motion"))?;
        Ok(Self { trajectory, result })
    }
}
