//! Planning and execution in one loop: plan, time, execute, watch the scene, replan from where the robot is measured.
//!
//! [`PlanExecuteLoop::move_to`] plans, carries the motion out, and proves what is left of it anew in every content that the
//! planner's [`LiveScene`](kinetic_scene::LiveScene) gets meanwhile, by the continuous check that proved the plan. Where
//! something is in the way, the robot stops along its path, [at once or as late as is safe](ReplanStrategy), and a new motion
//! is planned from the measured state. What happens when there is none, [`RecoveryStrategy`] says.
//! [`PlanExecuteLoop::move_cartesian`] does the same with a path of the tool, and stays on it.
//!
//! An obstacle that appears farther ahead than the robot needs to brake, and than it moves in the declared
//! [latency](PlanExecuteConfig::latency), leads to a stop before contact: the stop stays on the part of the path that is proven.
//! Anything nearer leads to the same stop; nothing on the path can stop earlier. With [`ReplanStrategy::Splice`] the robot leaves
//! for another motion instead, without coming to rest, where one is found whose connection is proven before that stop has to begin.

mod config;
mod destination;
mod executor;
mod motion_loop;
mod splice_search;
mod supervision;

pub use config::{PlanExecuteConfig, RecoveryStrategy, ReplanStrategy};
pub use executor::{DriverExecutor, ProgressListener, SupervisedExecutor};
pub use motion_loop::{PlanExecuteLoop, PlanExecuteResult};
