//! What a batch of configurations, each with the same box around it, says about every item.
//!
//! Three thresholds decide each test. Beyond the widest, an item is clear in the whole box: it includes a bound on the
//! motion. Beyond the next it is clear at the configuration itself; that one is wider than the true one by a bound on
//! the rounding. Within the third, which is narrower than the true one, it certainly touches. What lies between the
//! latter two, or is covered by spheres that are larger than the body, is left to double precision, item by item.
//!
//! Bodies that are close to each other on one frame stand in a cluster, which is looked at first: against the world from
//! tip to base (`world`), since the tip moves farthest and meets things first, then against each other (`own`).

use super::dispatch::Work;
use super::kernel::{Batch, Hit, Numbering, WIDER};
use super::model::LaneModel;
use super::own::Own;
use super::scratch::Scratch;
use super::vector::Lanes;
use super::world::World;

/// What is left to look at.
#[derive(Debug, Clone, Default)]
pub(super) struct Rest {
    /// Bodies and obstacles.
    pub(super) world: Vec<(u32, u32)>,
    /// Gates between clusters, ascending.
    pub(super) gates: Vec<u32>,
}

impl Rest {
    /// Replaces what is listed by items. Of a pair, all of its gate is looked at.
    pub(super) fn list(&mut self, model: &LaneModel, items: impl Iterator<Item = u32>) {
        let numbering = Numbering::of(model);
        self.world.clear();
        self.gates.clear();
        for item in items {
            let index = item - numbering.bodies;
            match index.checked_sub(numbering.pairs) {
                Some(index) => self.world.push((index / numbering.obstacles, index % numbering.obstacles)),
                None => self.gates.push(model.gate_of[index as usize]),
            }
        }
        self.gates.sort_unstable();
        self.gates.dedup();
    }
}

/// A question about a batch, and what is found.
pub(super) struct Block<'a> {
    pub(super) batch: &'a Batch,
    /// Lanes that hold a configuration.
    pub(super) used: u16,
    /// Half-widths of the box around the configurations, per variable; `None` for configurations alone.
    pub(super) widths: Option<&'a [f32]>,
    /// Only these; `None` means all.
    pub(super) items: Option<&'a Rest>,
    /// Whether one lane that certainly touches ends the search.
    pub(super) stops_at_hit: bool,
    /// Nor does it matter which lane, and what.
    pub(super) any_hit_will_do: bool,
    /// Lanes that certainly touch.
    pub(super) hit: u16,
    /// Items that are not clear, or undecided.
    pub(super) hits: &'a mut Vec<Hit>,
}

impl Work for Block<'_> {
    #[inline(always)]
    fn part<L: Lanes>(&mut self, model: &LaneModel, scratch: &mut Scratch<L>, first: usize, stride: usize) -> bool {
        scratch.place_frames(model, self.batch, first, stride);
        scratch.bound_motions(model, self.widths);
        // Places that are written to while the rest of the scratch memory is read.
        let mut world = std::mem::take(&mut scratch.world);
        let mut gates = std::mem::take(&mut scratch.near_gates);
        let mut spheres = std::mem::take(&mut scratch.near_spheres);
        let mut part = Part { model, scratch, block: self, first, stride };
        let is_over = L::outline(World { part: &mut part, work: &mut world })
            || L::outline(Own { part: &mut part, gates: &mut gates, spheres: &mut spheres });
        scratch.world = world;
        scratch.near_gates = gates;
        scratch.near_spheres = spheres;
        is_over
    }
}

impl Block<'_> {
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
pub(super) fn middle_bit(bits: u16) -> u8 {
    let mut rest = bits;
    for _ in 0..bits.count_ones() / 2 {
        rest &= rest - 1;
    }
    if rest == 0 { 0 } else { rest.trailing_zeros() as u8 }
}

/// Some lanes of a block.
pub(super) struct Part<'a, 'b, L> {
    pub(super) model: &'a LaneModel,
    pub(super) scratch: &'a mut Scratch<L>,
    pub(super) block: &'a mut Block<'b>,
    first: usize,
    stride: usize,
}

impl<L: Lanes> Part<'_, '_, L> {
    /// Bound on the motion of a body by its nearest joints; more exact than that of its cluster.
    #[inline(always)]
    pub(super) fn bound_of(&self, body: usize, joints: usize) -> f32 {
        let mut moved = 0.0;
        if let Some(widths) = self.block.widths {
            for ancestor in &self.model.bodies[body].ancestors[..joints] {
                moved += ancestor.bound(widths, self.scratch.slide);
            }
        }
        moved
    }

    /// True when a lane that is used is not above 0.
    #[inline(always)]
    pub(super) fn is_hit(&self, signs: L) -> bool {
        let lanes = signs.not_positive();
        lanes != 0 && self.in_batch(lanes) & self.block.used != 0
    }

    /// With lanes numbered in the batch. Returns true when nothing more needs to be known.
    #[inline(always)]
    pub(super) fn note(&mut self, item: u32, [open, touching, hit]: [u16; 3]) -> bool {
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
pub(super) fn gaps(fixed: f32, pad: f32, reach: f32) -> [f32; 3] {
    [fixed + pad + reach, fixed + pad, fixed - 2.0 * pad]
}

/// The square of a distance, widened for the rounding of squares; nothing is nearer than a negative one. The widening
/// is less than any bound on the rounding of positions: where things must certainly touch, that bound is taken twice.
#[inline(always)]
pub(super) fn squared(distance: f32) -> f32 {
    if distance > 0.0 { distance * distance * WIDER } else { -1.0 }
}
