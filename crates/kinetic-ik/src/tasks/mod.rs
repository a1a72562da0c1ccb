//! Several tasks at once: inverse kinematics for any number of frames, with masks, tolerances, weights and strict priorities.
//!
//! A [`TaskProblem`] has a [`Model`] (which joints move, which are coupled, whether the base moves) and tasks on priority
//! levels. The solver brings about the first level as well as it can, the second as far as that leaves the first alone,
//! and so on. For one pose of one arm `solve_ik` is simpler and faster.

mod batch;
mod hierarchy;
mod jacobi_svd;
mod joint_tasks;
mod limit_table;
mod look_at;
mod mass_centre;
mod model;
mod pose_task;
mod problem;
mod single_task;
mod state;
mod task;
mod task_search;

pub use batch::{BatchOptions, BatchSolution, Initial, batch_inverse_kinematics};
pub use joint_tasks::{LimitAvoidance, Posture};
pub use limit_table::LimitTable;
pub use look_at::LookAt;
pub use mass_centre::{MassCentre, Payload};
pub use model::Model;
pub use pose_task::{FrameOn, PoseTask};
pub use problem::{ActiveLimit, Residual, TaskOptions, TaskProblem, TaskReport, TaskSolution};
pub use single_task::{look_at, move_end};
pub use state::State;
pub use task::{Limit, Rows, Task};
