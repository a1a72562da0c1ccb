//! What the kernels state about intervals, item by item: for tests that compare it with the exact tier.

use crate::continuous::interval_batch::{HitSink, Proof};
use crate::discrete::query::BatchQuery;
use crate::engine::Engine;
use crate::item::Hit;
use crate::motion::{BATCH, TimedMotion};

/// An item that a kernel does not call clear; bit `i` is interval `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelHit {
    /// Number of the item.
    pub item: u32,
    /// Not proven clear for the interval.
    pub open: u16,
    /// Spheres touch at the middle, or are too close for single precision to tell.
    pub touching: u16,
}

/// What both kernels state about the intervals of a batch.
#[derive(Debug, Clone)]
pub struct Statements {
    /// Of the discrete kernel, with one box around the configurations; it lists nothing more about lanes in certain contact.
    pub of_box: Vec<KernelHit>,
    /// Lanes in certain contact.
    pub certain: u16,
    /// Of the interval kernel.
    pub of_intervals: Vec<KernelHit>,
}

/// Collects all hits.
struct Collect(Vec<Hit>);

impl HitSink for Collect {
    fn report(&mut self, hit: Hit) -> bool {
        self.0.push(hit);
        false
    }
}

impl Engine {
    /// What the kernels state about some items in each of the intervals, which have one width.
    #[doc(hidden)]
    pub fn statements(
        &mut self,
        motion: &dyn TimedMotion,
        intervals: &[(f64, f64); BATCH],
        items: impl Iterator<Item = u32>,
    ) -> Statements {
        motion.boxes_around(intervals, &mut self.batch.q, &mut self.batch.radius);
        let widths: Vec<f32> = self.batch.radius.iter().map(|radius| radius[0].next_up()).collect();
        let mut of_box = Vec::new();
        let mut query = BatchQuery {
            batch: &self.batch,
            used: !0,
            widths: Some(&widths),
            items: None,
            stops_at_hit: false,
            any_hit_will_do: false,
            hit: 0,
            hits: &mut of_box,
        };
        self.tier_placement.run(&self.model, BATCH, &mut query);
        let certain = query.hit;
        let items: Vec<(u32, u16)> = items.map(|item| (item, !0)).collect();
        let mut collected = Collect(Vec::new());
        let mut proof = Proof { batch: &self.batch, items: &items, sink: &mut collected };
        self.tier_placement.run(&self.model, BATCH, &mut proof);
        let kernel_hit = |Hit { item, open, touching, .. }| KernelHit { item, open, touching };
        Statements {
            of_box: of_box.into_iter().map(kernel_hit).collect(),
            certain,
            of_intervals: collected.0.into_iter().map(kernel_hit).collect(),
        }
    }
}
