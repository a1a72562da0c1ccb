//! Models that are edited: several robots in one cell, a link at a tool flange, joints that are locked.

mod compose;
mod locking;
mod tool_link;

pub use compose::CellMember;
