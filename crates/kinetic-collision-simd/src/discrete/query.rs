//! A discrete collision query about a batch of configurations, each with the same box around it. Three thresholds
//! decide each test. Beyond the widest, which includes a motion bound, an item is clear in the whole box. Beyond the
//! second, which exceeds the true threshold by a bound on the rounding, it is clear at the configuration itself. Within
//! the third, which is smaller than the true one, it certainly touches: for bodies that spheres contain, by the balls around
//! the same centres that are inside of them. Items between the latter two, and pairs of bodies that are not their spheres,
//! are left to double precision, item by item. Bodies that are close to each other on
//! one frame form a cluster, which is tested before they are: against the obstacles from tip to base
//! ([`world`](super::world)), because the tip moves farthest and is the likeliest to touch, then against other clusters
//! ([`self_collision`](super::self_collision)).

use crate::item::{Batch, Hit};
use crate::model::KernelModel;
use crate::placement::Placement;
use crate::vector::Lanes;

/// Items that remain to be tested.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remainder {
    /// Pairs of body and obstacle.
    pub(crate) world: Vec<(u32, u32)>,
    /// Cluster pairs, ascending.
    pub(crate) cluster_pairs: Vec<u32>,
}

impl Remainder {
    /// Replaces the list by some items. For a body pair, its whole cluster pair is listed.
    pub(crate) fn list(&mut self, model: &KernelModel, items: impl Iterator<Item = u32>) {
        let numbering = model.numbering();
        self.world.clear();
        self.cluster_pairs.clear();
        for item in items {
            let index = item - numbering.bodies;
            match index.checked_sub(numbering.pairs) {
                Some(index) => self.world.push((index / numbering.obstacles, index % numbering.obstacles)),
                None => self.cluster_pairs.push(model.cluster_pair_of[index as usize]),
            }
        }
        self.cluster_pairs.sort_unstable();
        self.cluster_pairs.dedup();
    }
}

/// A query about a batch, and its results.
pub(crate) struct BatchQuery<'a> {
    pub(crate) batch: &'a Batch,
    /// Lanes that hold a configuration.
    pub(crate) used: u16,
    /// Half-widths of the box around the configurations, per variable; `None` for configurations alone.
    pub(crate) widths: Option<&'a [f32]>,
    /// Items to test; `None` means all.
    pub(crate) items: Option<&'a Remainder>,
    /// Whether one lane that certainly touches answers the query.
    pub(crate) stops_at_hit: bool,
    /// Whether any such lane and item will do, so that tests may end early.
    pub(crate) any_hit_will_do: bool,
    /// Lanes that certainly touch.
    pub(crate) hit: u16,
    /// Items that are not clear, or undecided.
    pub(crate) hits: &'a mut Vec<Hit>,
}

impl BatchQuery<'_> {
    /// Records the result of an item; true when the query is answered.
    #[inline]
    fn note(&mut self, item: u32, undecided: u16, touching: u16, hit: u16) -> bool {
        let hit = hit & self.used;
        self.hit |= hit;
        let undecided_at_middle = touching & !self.hit;
        let undecided = (if self.widths.is_some() { undecided } else { undecided_at_middle }) & self.used;
        let is_over = if self.stops_at_hit { self.hit != 0 } else { self.hit == self.used };
        if undecided != 0 || (is_over && self.stops_at_hit) {
            let touching = touching & self.used;
            self.hits.push(Hit { item, undecided, touching, deepest: middle_bit(hit) });
        }
        is_over
    }
}

/// The middle one of the set bits. In a run of touching lanes it is likely the deepest.
pub(crate) fn middle_bit(bits: u16) -> u8 {
    let mut remaining = bits;
    for _ in 0..bits.count_ones() / 2 {
        remaining &= remaining - 1;
    }
    if remaining == 0 { 0 } else { remaining.trailing_zeros() as u8 }
}

/// A chunk of a batch: the lanes that fill a register.
pub(crate) struct Chunk<'a, 'b, L> {
    pub(crate) model: &'a KernelModel,
    pub(crate) placement: &'a mut Placement<L>,
    pub(crate) query: &'a mut BatchQuery<'b>,
    /// First lane of the batch in the chunk, and the step to the next.
    pub(crate) first: usize,
    pub(crate) stride: usize,
}

impl<L: Lanes> Chunk<'_, '_, L> {
    /// Motion bound of a body by its nearest joints; tighter than that of its cluster.
    #[inline(always)]
    pub(crate) fn bound_of(&self, body: usize, joints: usize) -> f32 {
        let mut moved = 0.0;
        if let Some(widths) = self.query.widths {
            for ancestor in &self.model.bodies[body].ancestors[..joints] {
                moved += ancestor.bound(widths, self.placement.displacement);
            }
        }
        moved
    }

    /// True when a used lane is not above 0.
    #[inline(always)]
    pub(crate) fn is_hit(&self, signs: L) -> bool {
        let lanes = signs.not_positive();
        lanes != 0 && self.in_batch(lanes) & self.query.used != 0
    }

    /// Records the result of an item, given lanes of the chunk. True when the query is answered.
    #[inline(always)]
    pub(crate) fn note(&mut self, item: u32, [undecided, touching, hit]: [u16; 3]) -> bool {
        if undecided | touching == 0 {
            return false;
        }
        // Without motion the first mask is not computed, because it equals the second.
        let (undecided, touching, hit) =
            (self.in_batch(undecided | touching), self.in_batch(touching), self.in_batch(hit));
        self.query.note(item, undecided, touching, hit)
    }

    #[inline(always)]
    fn in_batch(&self, lanes: u16) -> u16 {
        if self.stride == 1 {
            return lanes;
        }
        let mut placed = 0;
        for lane in 0..L::WIDTH {
            placed |= (lanes >> lane & 1) << (self.first + lane * self.stride);
        }
        placed
    }
}

/// The three thresholds: beyond the first an item is clear in the whole box, beyond the second at the configuration,
/// and within the third it certainly touches.
#[inline(always)]
pub(crate) fn gaps(fixed: f32, pad: f32, motion_bound: f32) -> [f32; 3] {
    [fixed + pad + motion_bound, fixed + pad, fixed - 2.0 * pad]
}
