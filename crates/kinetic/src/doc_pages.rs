//! The Rust blocks of the documentation, as documentation tests.

#[doc = include_str!("../../../README.md")]
mod readme {}

#[doc = include_str!("../../../docs-site/first-plan.md")]
mod first_plan {}

#[doc = include_str!("../../../docs-site/concepts/forward-kinematics.md")]
mod forward_kinematics {}

#[doc = include_str!("../../../docs-site/concepts/several-tasks.md")]
mod several_tasks {}

#[doc = include_str!("../../../docs-site/concepts/motion-in-time.md")]
mod motion_in_time {}

#[doc = include_str!("../../../docs-site/concepts/when-planning-fails.md")]
mod when_planning_fails {}

#[doc = include_str!("../../../docs-site/concepts/repeatable-plans.md")]
mod repeatable_plans {}

#[doc = include_str!("../../../docs-site/concepts/planning.md")]
mod planning {}

#[doc = include_str!("../../../docs-site/concepts/live-scenes.md")]
mod live_scenes {}

#[doc = include_str!("../../../docs-site/rust.md")]
mod rust {}

#[doc = include_str!("../../../docs-site/concepts/collision-and-margins.md")]
mod collision_and_margins {}

#[doc = include_str!("../../../docs-site/concepts/inverse-kinematics.md")]
mod inverse_kinematics {}
#[doc = include_str!("../../../docs-site/point-clouds.md")]
mod point_clouds {}

#[doc = include_str!("../../../docs-site/dynamics.md")]
mod dynamics {}

#[doc = include_str!("../../../docs-site/differential-ik.md")]
mod differential_ik {}

#[doc = include_str!("../../../docs-site/several-arms.md")]
mod several_arms {}

#[doc = include_str!("../../../docs-site/execution.md")]
mod execution {}

#[doc = include_str!("../../../docs-site/policies.md")]
mod policies {}

#[doc = include_str!("../../../docs-site/receding-horizon.md")]
mod receding_horizon {}

#[doc = include_str!("../../../docs-site/servo.md")]
mod servo {}
