#![doc = include_str!("../README.md")]

pub mod algorithm;
mod batch;
pub mod cartesian;
mod certify;
pub mod constraints;
pub mod dual_arm;
pub mod nearest;
pub mod planners;
pub mod planning_problem;
pub mod problem;
mod proven_path;
mod query;
mod registered;
pub mod registry;
pub mod report;
pub mod sampler;
pub mod sequence;
pub mod smooth;
pub mod space;
pub mod validity;

mod goal;
mod goal_context;
mod goal_groups;
mod goal_links;
mod goal_naming;
mod goal_region;
mod goal_set;
mod path_tools;
pub mod planner;
mod planner_spec;
mod result;
pub mod rounded;

mod restarts;
mod scene_validity;
mod self_motion;
pub mod tool_motion;
mod tree;
mod verify;
mod windings;

pub use algorithm::{Algorithm, LazyPlan, Plan};
pub use batch::BatchOptions;
pub use cartesian::{CartesianConfig, CartesianResult, CartesianStop, SpeedLoss};
pub use certify::CLEARANCE_TOLERANCE;
pub use constraints::ConstraintSet;
pub use dual_arm::{DualArmMode, DualArmMotion, DualArmPlanner, DualGoal, GraspTolerance};
pub use goal_context::LIMIT_TOLERANCE;
pub use planner::{LEAD_IN_SAMPLES, Planner};
pub use planner_spec::{PlannerContext, PlannerSpec, RobotContext};
pub use planners::aorrtc::{Aorrtc, AorrtcConfig};
pub use planners::bi_rrt_star::{BiRrtStar, BiRrtStarConfig};
pub use planners::bitrrt::{Bitrrt, BitrrtConfig, CostFunction};
pub use planners::cbirrt::{Cbirrt, CbirrtConfig};
pub use planners::est::{Est, EstConfig};
pub use planners::kpiece::{Kpiece, KpieceConfig};
pub use planners::rrt_connect::{RrtConnect, RrtConnectConfig};
pub use planners::rrt_star::{RrtStar, RrtStarConfig};
pub use planning_problem::{DEFAULT_ITERATIONS, PlanningProblem, ProblemSolution, Replay, StoredHashes};
pub use problem::Problem;
pub use query::Query;
pub use registry::{PLANNERS, PlannerType, register_planner};
pub use report::{Change, PlanningReport, ReportOptions, Suggestion};
pub use result::{Improvement, LeadIn, PlannedTrajectory, PlanningResult, Solution};
pub use rounded::round_corners;
pub use sampler::{Sampler, SamplerKind};
pub use scene_validity::SceneValidity;
pub use self_motion::SelfMotionTried;
pub use sequence::{SequenceBlend, SequenceItem, SequenceMotion, SequenceOutcome, SequencePart, SequenceResult};
pub use smooth::{
    Simplified, SimplifyOptions, path_length, shortcut, shortcut_in, simplify, simplify_in, smooth_bspline,
};
pub use space::Space;
pub use tool_motion::{ToolMotion, ToolMotionOptions, tool_motion};
pub use validity::Validity;
