//! Bodies carried by the robot.

use kinetic_core::{Pose, Shape};

/// A body that moves with a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// Its shape.
    pub shape: Shape,
    /// Pose in the link, `link_from_shape`.
    pub link_from_shape: Pose,
    /// Index of the link that carries it.
    pub link: usize,
    /// Links it may touch besides the one that carries it.
    pub touch_links: Vec<usize>,
}
