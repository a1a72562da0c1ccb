//! Batches of configurations, and the collision items that a kernel reports.

use crate::motion::BATCH;

/// Configurations of a batch, stored joint by joint.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    /// Middle of each interval, per variable.
    pub(crate) q: Vec<[f64; BATCH]>,
    /// Half-widths of the box around it, per variable.
    pub(crate) radius: Vec<[f32; BATCH]>,
}

/// An item that is not proven clear in some lanes of a batch; bit `i` is lane `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Number of the item; see [`CollisionModel`](crate::CollisionModel).
    pub(crate) item: u32,
    /// Lanes in which it is not proven clear for the interval.
    pub(crate) undecided: u16,
    /// Lanes in which spheres touch at the middle, or are too close for single precision to tell.
    pub(crate) touching: u16,
    /// The lane in which they touch deepest.
    pub(crate) deepest: u8,
}

/// Offsets of the item numbers; the numbering is that of [`CollisionModel`](crate::CollisionModel).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbering {
    pub(crate) bodies: u32,
    pub(crate) pairs: u32,
    pub(crate) obstacles: u32,
}

impl Numbering {
    /// Item number of a body against one obstacle.
    #[inline]
    pub(crate) fn obstacle(&self, body: usize, obstacle: u32) -> u32 {
        self.bodies + self.pairs + body as u32 * self.obstacles + obstacle
    }
}
