//! Kernel results per interval and item, for tests that compare them with the exact tier.

use crate::continuous::interval_batch::{HitSink, Proof};
use crate::discrete::query::BatchQuery;
use crate::engine::Engine;
use crate::item::Hit;
use crate::motion::{BATCH, TimedMotion};

/// An item that a kernel does not prove clear; bit `i` is interval `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelHit {
    /// Number of the item.
    pub item: u32,
    /// Intervals in which it is not proven clear.
    pub undecided: u16,
    /// Intervals at whose middle spheres touch, or are too close for single precision to tell.
    pub touching: u16,
}

/// Results of both kernels for the intervals of a batch.
#[derive(Debug, Clone)]
pub struct Statements {
    /// Hits of the discrete kernel, with one box around all configurations. Lanes in certain contact are not listed again.
    pub of_box: Vec<KernelHit>,
    /// Lanes in certain contact.
    pub certain: u16,
    /// Hits of the interval kernel.
    pub of_intervals: Vec<KernelHit>,
}

/// Collects all hits.
struct CollectAll(Vec<Hit>);

impl HitSink for CollectAll {
    fn report(&mut self, hit: Hit) -> bool {
        self.0.push(hit);
        false
    }
}

impl Engine {
    /// Results of both kernels for some items in each of the intervals, which have equal widths.
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
        self.dispatcher.run(&self.model, BATCH, &mut query);
        let certain = query.hit;
        let items: Vec<(u32, u16)> = items.map(|item| (item, !0)).collect();
        let mut collected = CollectAll(Vec::new());
        let mut proof = Proof { batch: &self.batch, items: &items, sink: &mut collected };
        self.dispatcher.run(&self.model, BATCH, &mut proof);
        let kernel_hit = |Hit { item, undecided, touching, .. }| KernelHit { item, undecided, touching };
        Statements {
            of_box: of_box.into_iter().map(kernel_hit).collect(),
            certain,
            of_intervals: collected.0.into_iter().map(kernel_hit).collect(),
        }
    }
}
