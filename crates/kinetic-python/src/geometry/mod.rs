//! Poses, twists, frames and shapes.

pub(crate) mod cascaded_frame;
pub(crate) mod fit;
pub(crate) mod frame_tree;
pub(crate) mod mesh;
pub(crate) mod pose;
pub(crate) mod pose_motion;
pub(crate) mod shape;
pub(crate) mod twist;
