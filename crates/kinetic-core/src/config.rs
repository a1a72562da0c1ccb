//! The options of planning, each stated once: a row holds its name in every language, its default, its domain and its
//! documentation. Problem files, Python, the command line and the documentation read the rows or are checked against them.

mod minimise;
pub mod motion_limits;
mod option_value;
mod planner_option;
mod prefer;
mod projection;
mod race;
mod refine;
mod state_cost;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::constraint::Constraint;
use crate::error::{KineticError, Result};
use crate::payload::MountedPayload;
pub use minimise::Minimise;
use motion_limits::MotionLimits;
pub use option_value::{OptionKind, OptionValue};
use planner_option::options;
pub use planner_option::{InFiles, PlannerOption};
pub use prefer::Prefer;
pub use projection::Projection;
pub use race::Race;
pub use refine::Refine;
pub use state_cost::{CostFunction, StateCost};

/// An axis-aligned box in the robot's root frame that the tool must stay in, m.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorkspaceBounds {
    /// Lowest corner.
    pub min: [f64; 3],
    /// Highest corner.
    pub max: [f64; 3],
}

/// Weights that joints may have in distances: how much one radian or metre of a joint counts. Beyond them the other joints
/// would no longer count at all in single precision.
pub const JOINT_WEIGHTS: RangeInclusive<f64> = 1e-3..=1e3;

options! {
    /// Options of a planning call.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct PlannerConfig = |config| config;

    /// Time budget of a plan, s.
    timeout: f64 = 5.0 => {
        name: "timeout", keyword: "timeout", flag: "--timeout", in_files: InFiles::Never,
        wanted: "a positive number of seconds", is_valid: |seconds| seconds > 0.0,
    };
    /// Iteration budget of the search; no limit where none is stated.
    ///
    /// `u64::MAX` is no limit.
    max_iterations: u64 = u64::MAX => {
        name: "max_iterations", keyword: "max_iterations", flag: "--max-iterations", in_files: InFiles::Always,
        wanted: "an integer of at least 1", is_valid: |iterations| iterations >= 1.0,
    };
    /// Seed of everything random: the same seed gives the same plan.
    seed: u64 = 0 => {
        name: "seed", keyword: "rng_seed", flag: "--seed", in_files: InFiles::Always,
        wanted: "an integer from 0 to 2^64 - 1", is_valid: |_| true,
    };
    /// Distance to keep from the world, m.
    collision_margin: f64 = 0.02 => {
        name: "collision_margin", keyword: "collision_margin", flag: "--margin", in_files: InFiles::Always,
        wanted: "a finite number of at least 0 (m)", is_valid: is_distance,
    };
    /// Distance to keep between links of the robot, m.
    self_margin: f64 = 0.0 => {
        name: "self_margin", keyword: "self_margin", flag: "--self-margin", in_files: InFiles::Always,
        wanted: "a finite number of at least 0 (m)", is_valid: is_distance,
    };
    /// Attempts of the random shortcut; 0 leaves the path as the search found it, but for its corners.
    shortcut_iterations: usize = 100 => {
        name: "shortcut_iterations", keyword: "shortcut_iterations", flag: "--shortcut-iterations",
        in_files: InFiles::Always, wanted: "an integer of at least 0", is_valid: |_| true,
    };
    /// Whether the corners of the path are cut.
    smooth: bool = true => {
        name: "smooth", keyword: "smooth", flag: "--smooth", in_files: InFiles::Always,
        wanted: "true or false", is_valid: |_| true,
    };
    /// Lowest and highest corner of a box in the robot's root frame that the tool's origin stays in, m.
    workspace_bounds: Option<WorkspaceBounds> = None => {
        name: "workspace_bounds", keyword: "workspace_bounds", flag: "--workspace-bounds", in_files: InFiles::WhenStated,
        wanted: "min below max on every axis", is_valid: |extent| extent > 0.0,
    };
    /// How much one radian or metre of each joint counts in distances and lengths, instead of the robot's weights.
    ///
    /// In the length of the group or of the robot. The weights of the robot are 1 unless its model states others.
    joint_weights: Option<Vec<f64>> = None => {
        name: "joint_weights", keyword: "joint_weights", flag: "--joint-weights", in_files: InFiles::WhenStated,
        wanted: "a number from 1e-3 to 1e3", is_valid: |weight| JOINT_WEIGHTS.contains(&weight),
    };
    /// What the whole budget is used to make small, instead of ending with the first path, shortened.
    minimise: Option<Minimise> = None => {
        name: "minimise", keyword: "minimise", flag: "--minimise", in_files: InFiles::WhenStated,
        wanted: "\"length\" or \"time\"", is_valid: |_| true,
    };
    /// Whether timed motions keep the effort limits of the robot's description, proven at every instant.
    ///
    /// Masses, payload, rotors, damping, friction and gravity count.
    torque_limits: bool = false => {
        name: "torque_limits", keyword: "torque_limits", flag: "--torque-limits", in_files: InFiles::WhenStated,
        wanted: "true or false", is_valid: |_| true,
    };
    /// What the robot carries, for its torques.
    payload: Option<MountedPayload> = None => {
        name: "payload", keyword: "payload", flag: "--payload", in_files: InFiles::WhenStated,
        wanted: "a positive mass (kg) with a centre of mass (m) and a tensor that a body has (kg m²)", is_valid: |_| true,
    };
    /// Gravity in the axes of the root link, m/s², for the torques of a robot on a wall or a ceiling.
    ///
    /// Where none is stated, it is that of the Earth along −z of the root link.
    gravity: Option<[f64; 3]> = None => {
        name: "gravity", keyword: "gravity", flag: "--gravity", in_files: InFiles::WhenStated,
        wanted: "three finite numbers (m/s²)", is_valid: f64::is_finite,
    };
    /// Conditions that every motion keeps at every instant, all of them.
    ///
    /// MoveIt's path constraints. `auto` then picks `cbirrt`, which searches on the configurations that keep them.
    constraints: Vec<Constraint> = Vec::new() => {
        name: "constraints", keyword: "constraints", flag: "--constraint", in_files: InFiles::WhenStated,
        wanted: "a list of constraints", is_valid: |_| true,
    };
    /// Whether a start that does not keep the constraints is projected onto them: the motion begins at the projected start.
    ///
    /// Newton's method with least steps; the way from the start to it is no part of the motion.
    project_start: bool = false => {
        name: "project_start", keyword: "project_start", flag: "--project-start", in_files: InFiles::WhenStated,
        wanted: "true or false", is_valid: |_| true,
    };
    /// Largest change of a joint by which a start outside its limits or in contact is moved to a valid one, rad or m; 0 moves none.
    ///
    /// The motion from the start to the valid one is apart from the motion that is planned, and has no certificate.
    fix_start: f64 = 0.0 => {
        name: "fix_start", keyword: "fix_start", flag: "--fix-start", in_files: InFiles::WhenStated,
        wanted: "a finite number of at least 0 (rad or m)", is_valid: is_distance,
    };
    /// Which of the configurations that meet a goal the motion ends at, instead of the one that the search connects first.
    ///
    /// The best one is searched for alone; where it is not reached, the four best, the sixteen best, and so on.
    prefer: Option<Prefer> = None => {
        name: "prefer", keyword: "prefer", flag: "--prefer", in_files: InFiles::WhenStated,
        wanted: "\"distance\", \"time\" or \"clearance\"", is_valid: |_| true,
    };
    /// What the planner `kpiece` projects configurations onto, instead of the position of the tool where there is one.
    ///
    /// In spaces without a tool, two random directions. Other planners project nothing.
    projection: Option<Projection> = None => {
        name: "projection", keyword: "projection", flag: "--projection", in_files: InFiles::WhenStated,
        wanted: "\"tool\", \"joints\" or \"random\"", is_valid: |_| true,
    };
    /// What the planners `bitrrt` and `stomp` avoid: configurations that cost much.
    ///
    /// `auto` then picks `bitrrt`, for which none stated is `clearance`; `stomp` avoids contact alone then, and others refuse it.
    state_cost: Option<StateCost> = None => {
        name: "state_cost", keyword: "state_cost", flag: "--state-cost", in_files: InFiles::WhenStated,
        wanted: "\"clearance\", \"joint_centring\", \"manipulability\" or \"torque\"", is_valid: |_| true,
    };
    /// Initial trajectories that the planners `chomp`, `stomp` and `trajopt` try before they give up, the straight line first.
    ///
    /// Where none is stated, until the budget ends. Other planners optimise no trajectory.
    num_seeds: Option<u64> = None => {
        name: "num_seeds", keyword: "num_seeds", flag: "--num-seeds", in_files: InFiles::WhenStated,
        wanted: "an integer of at least 1", is_valid: |seeds| seeds >= 1.0,
    };
    /// Whether the planners `prm` and `prm_star` look at edges of their roadmap only when a path needs them, and not when they are made.
    ///
    /// Either way those of a path are proven. Other planners have no roadmap.
    lazy_roadmap: bool = false => {
        name: "lazy_roadmap", keyword: "lazy_roadmap", flag: "--lazy-roadmap", in_files: InFiles::WhenStated,
        wanted: "true or false", is_valid: |_| true,
    };
    /// Whether the planner `gcs` solves the convex relaxation of its whole graph as well, for shorter paths and a lower bound of their length.
    ///
    /// It takes seconds, of what the search leaves of the budget. Other planners have no convex regions.
    convex_relaxation: bool = false => {
        name: "convex_relaxation", keyword: "convex_relaxation", flag: "--convex-relaxation", in_files: InFiles::WhenStated,
        wanted: "true or false", is_valid: |_| true,
    };
    /// What shortens timed motions after their path was found: "trajopt", a spline in time that leaves the path where that is free.
    ///
    /// Paths stay as they were found. Not together with constraints or torque limits.
    refine: Option<Refine> = None => {
        name: "refine", keyword: "refine", flag: "--refine", in_files: InFiles::WhenStated,
        wanted: "\"trajopt\"", is_valid: |_| true,
    };
    /// Planners that follow the one that was asked for, in this order, where it finds nothing.
    ///
    /// Each has an equal share of the time and of the iterations that are left when its turn comes.
    fallback: Vec<String> = Vec::new() => {
        name: "fallback", keyword: "fallback", flag: "--fallback", in_files: InFiles::WhenStated,
        wanted: "names of planners", is_valid: |_| true,
    };
    /// Whether the planners of `fallback` run beside the one that was asked for, each with the whole iteration budget, and the
    /// best answer is taken, or with "first" the first one.
    ///
    /// The best one costs least: by its duration where time is made small and the motion is timed, else by the length of its
    /// path; of equal ones the first. It needs an iteration budget. The first one depends on the clock.
    race: Race = Race::Off => {
        name: "race", keyword: "race", flag: "--race", in_files: InFiles::WhenStated,
        wanted: "true, false or \"first\"", is_valid: |_| true,
    };
    and
    /// How fast motions may be.
    limits: MotionLimits;
}

fn is_distance(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

impl PlannerConfig {
    /// For use inside a control cycle: 10 ms, 2,000 iterations, 1 cm margin, 20 shortcuts, no smoothing.
    pub fn realtime() -> Self {
        Self {
            timeout: 0.01,
            max_iterations: 2_000,
            collision_margin: 0.01,
            shortcut_iterations: 20,
            smooth: false,
            ..Self::default()
        }
    }

    /// For preparation: all of 60 s to find quicker and quicker motions, 500 shortcuts.
    pub fn offline() -> Self {
        Self { timeout: 60.0, shortcut_iterations: 500, minimise: Some(Minimise::Time), ..Self::default() }
    }

    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the option; a [race](Self::race) without planners in [`fallback`](Self::fallback).
    pub fn check(&self) -> Result<()> {
        PlannerOption::all().try_for_each(|option| option.check(self))?;
        if self.race != Race::Off && self.fallback.is_empty() {
            let wanted = "planners in fallback, which race with the one that was asked for";
            return Err(KineticError::invalid("race", self.race.name(), wanted));
        }
        self.check_refine()
    }

    fn check_refine(&self) -> Result<()> {
        let beside = match self.refine {
            Some(_) if !self.constraints.is_empty() => "constraints",
            Some(_) if self.torque_limits => "torque limits",
            _ => return Ok(()),
        };
        let given = self.refine.map_or("None", Refine::name);
        Err(KineticError::invalid("refine", format!("\"{given}\""), format!("None together with {beside}")))
    }
}

/// Refuses weights outside [`JOINT_WEIGHTS`].
///
/// # Errors
/// [`KineticError::InvalidValue`] naming the first one by its place.
pub fn check_joint_weights(weights: &[f64]) -> Result<()> {
    PlannerOption::of_name("joint_weights")?.check_joints(weights)
}
