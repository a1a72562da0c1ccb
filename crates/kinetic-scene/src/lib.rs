#![doc = include_str!("../README.md")]

pub mod checker;
pub mod document;
pub mod evaluation;
pub mod geometry;
pub mod motion;
pub mod pairs;
pub mod sweep;

mod attachment;
mod contact;
mod lanes;
mod scene;

pub use attachment::Attachment;
pub use checker::{Checker, Clearance, Contact, Margins};
pub use contact::ContactChecker;
pub use lanes::{SimdTier, detect_simd_tier};
pub use motion::{CurveMotion, SegmentMotion, TimedMotion};
pub use pairs::{Effort, LinkPair, PairClass};
pub use scene::{Object, Scene};
pub use sweep::LeastClearance;
