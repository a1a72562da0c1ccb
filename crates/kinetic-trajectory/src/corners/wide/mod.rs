//! Wide corners: of continuous curvature, as wide as a deviation allows, also beyond their neighbours.

mod corner_widths;
mod curve_segment;
mod rounding;

pub(crate) use curve_segment::{CurveSegment, Run};
pub(crate) use rounding::{Polyline, Rounding};
