//! Wide corners: of continuous curvature, as wide as a deviation allows, also beyond their neighbours.

mod course;
mod growth;
mod rounding;

pub(crate) use course::{Run, Stretch};
pub(crate) use rounding::{Polyline, Rounding};
