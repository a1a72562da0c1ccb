//! Moving frames: joints in compiled form.

use crate::rigid::Rigid;

/// Motion of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// About its z axis, rad.
    Rotation,
    /// Along its z axis, m.
    Translation,
}

/// One moving frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The frame it hangs on; 0 is the root and does not move.
    pub parent: usize,
    /// Pose at joint value 0.
    pub parent_from_frame: Rigid,
    /// Rotation or translation.
    pub motion: Motion,
    /// Index into the configuration vector.
    pub variable: usize,
    /// Joint value = `multiplier · q[variable] + offset`; other than (1, 0) for mimic joints.
    pub multiplier: f64,
    /// See `multiplier`.
    pub offset: f64,
}
