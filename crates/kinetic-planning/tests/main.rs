//! Tests on spaces whose validity is known in closed form.

#![allow(clippy::unwrap_used, reason = "a test that unwraps fails, as it should")]
#![allow(clippy::float_cmp, reason = "ends and repeated runs must agree bit for bit")]

mod aorrtc;
mod batch_optimizer;
mod bitrrt;
mod cartesian;
mod cartesian_frames;
mod certify;
mod constraints;
mod corners;
mod dual_arm;
mod exploring;
mod groups;
mod live_scene;
mod nearest;
mod optimizing;
mod prm;
mod problem;
mod refine;
mod regions;
mod registry;
mod roadmaps;
mod rounded;
mod rrt_connect;
mod rrt_star;
mod sampler;
mod scales;
mod sequence;
mod several;
mod shortest;
mod slides;
mod smooth;
mod space;
mod start_fix;
mod tolerant_paths;
mod tool_motion;
mod two_arms;
mod warm_start;
mod worlds;

/// `slice` cases in an ordinary run, `full` when `KINETIC_FULL=1`.
fn cases(slice: u64, full: u64) -> u64 {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}
