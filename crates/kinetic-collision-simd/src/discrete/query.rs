//! What a batch of configurations, each with the same box around it, says about every item.
//!
//! Three thresholds decide each test. Beyond the widest, an item is clear in the whole box: it includes a bound on the
//! motion. Beyond the next it is clear at the configuration itself; that one is wider than the true one by a bound on
//! the rounding. Within the third, which is narrower than the true one, it certainly touches. What lies between the
//! latter two, or is covered by spheres that are larger than the body, is left to double precision, item by item.
//!
//! Bodies that are close to each other on one frame stand in a cluster, which is looked at first: against the world from
//! tip to base (`world`), since the tip moves farthest and meets things first, then against each other (`own`).

use crate::item::{Batch, Hit};
use crate::model::KernelModel;
use crate::placement::Placement;
use crate::vector::Lanes;

/// What is left to look at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remainder {
    /// Bodies and obstacles.
    pub(crate) world: Vec<(u32, u32)>,
    /// Cluster pairs between clusters, ascending.
    pub(crate) cluster_pairs: Vec<u32>,
}

impl Remainder {
    /// Replaces what is listed by items. Of a pair, all of its cluster pair is looked at.
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

/// A question about a batch, and what is found.
pub(crate) struct BatchQuery<'a> {
    pub(crate) batch: &'a Batch,
    /// Lanes that hold a configuration.
    pub(crate) used: u16,
    /// Half-widths of the box around the configurations, per variable; `None` for configurations alone.
    pub(crate) widths: Option<&'a [f32]>,
    /// Only these; `None` means all.
    pub(crate) items: Option<&'a Remainder>,
    /// Whether one lane that certainly touches ends the search.
    pub(crate) stops_at_hit: bool,
    /// Nor does it matter which lane, and what.
    pub(crate) any_hit_will_do: bool,
    /// Lanes that certainly touch.
    pub(crate) hit: u16,
    /// Items that are not clear, or undecided.
    pub(crate) hits: &'a mut Vec<Hit>,
}

impl BatchQuery<'_> {
    /// Notes an item; true when nothing more needs to be known.
    #[inline]
    fn note(&mut self, item: u32, open: u16, touching: u16, hit: u16) -> bool {
        let hit = hit & self.used;
        self.hit |= hit;
        let undecided = touching & !self.hit;
        let open = (if self.widths.is_some() { open } else { undecided }) & self.used;
        let is_over = if self.stops_at_hit { self.hit != 0 } else { self.hit == self.used };
        if open != 0 || (is_over && self.stops_at_hit) {
            let touching = touching & self.used;
            self.hits.push(Hit { item, open, touching, deepest: middle_bit(hit) });
        }
        is_over
    }
}

/// The middle one of the bits that are set: of a run of touching lanes, likely the deepest.
pub(crate) fn middle_bit(bits: u16) -> u8 {
    let mut rest = bits;
    for _ in 0..bits.count_ones() / 2 {
        rest &= rest - 1;
    }
    if rest == 0 { 0 } else { rest.trailing_zeros() as u8 }
}

/// Some lanes of a block.
pub(crate) struct Chunk<'a, 'b, L> {
    pub(crate) model: &'a KernelModel,
    pub(crate) placement: &'a mut Placement<L>,
    pub(crate) block: &'a mut BatchQuery<'b>,
    /// First lane of the batch that it holds, and the step to the next.
    pub(crate) first: usize,
    pub(crate) stride: usize,
}

impl<L: Lanes> Chunk<'_, '_, L> {
    /// Bound on the motion of a body by its nearest joints; more exact than that of its cluster.
    #[inline(always)]
    pub(crate) fn bound_of(&self, body: usize, joints: usize) -> f32 {
        let mut moved = 0.0;
        if let Some(widths) = self.block.widths {
            for ancestor in &self.model.bodies[body].ancestors[..joints] {
                moved += ancestor.bound(widths, self.placement.slide);
            }
        }
        moved
    }

    /// True when a lane that is used is not above 0.
    #[inline(always)]
    pub(crate) fn is_hit(&self, signs: L) -> bool {
        let lanes = signs.not_positive();
        lanes != 0 && self.in_batch(lanes) & self.block.used != 0
    }

    /// With lanes numbered in the batch. Returns true when nothing more needs to be known.
    #[inline(always)]
    pub(crate) fn note(&mut self, item: u32, [open, touching, hit]: [u16; 3]) -> bool {
        if open | touching == 0 {
            return false;
        }
        // Without motion the first of the three is not asked: it is the second.
        let (open, touching, hit) = (self.in_batch(open | touching), self.in_batch(touching), self.in_batch(hit));
        self.block.note(item, open, touching, hit)
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

/// Distances to keep: in the whole box, at the configuration for certain, and those below which there is contact for
/// certain.
#[inline(always)]
pub(crate) fn gaps(fixed: f32, pad: f32, reach: f32) -> [f32; 3] {
    [fixed + pad + reach, fixed + pad, fixed - 2.0 * pad]
}
