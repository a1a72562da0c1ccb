//! The double-precision tier that decides what single precision cannot.

/// Exact collision tests of one configuration. Items are numbered as [`CollisionModel`](crate::CollisionModel) says.
pub trait ExactTier {
    /// Number of items.
    fn num_items(&self) -> usize;

    /// Moves to a configuration, with a box of half-widths `radius` around it.
    fn place(&mut self, q: &[f64], radius: &[f64]);

    /// True when an item violates its required clearance at the placed configuration.
    fn misses_margin(&mut self, item: u32) -> bool;
}

/// A contact that blocks a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blocked {
    /// Parameter of the motion.
    pub t: f64,
    /// The item that blocks it.
    pub item: u32,
}
