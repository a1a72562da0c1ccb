#![doc = include_str!("../README.md")]

pub mod checker;
pub mod document;
pub mod evaluation;
pub mod geometry;
pub mod motion;
pub mod sweep;

mod always;
mod attachment;
mod scene;

pub use attachment::Attachment;
pub use checker::{Checker, Clearance, Contact, Margins};
pub use motion::{CurveMotion, SegmentMotion, TimedMotion};
pub use scene::{Object, Scene};
pub use sweep::LeastClearance;
