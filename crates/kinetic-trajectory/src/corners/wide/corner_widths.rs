//! Widths of corners: each is widened in turn as long as the curve stays within its deviation from the polyline.
//!
//! The offset from the polyline is kept at every vertex, so that another width of one corner is judged by what it changes:
//! work in proportion to the vertices that it reaches.

use kinetic_core::Result;

use crate::watch::Watch;

/// A corner is widened by this factor at first; where that is too much, by the root of the factor next time.
const FIRST_WIDENING: f64 = 2.0;

/// A smaller factor of widening is not tried.
const LEAST_WIDENING: f64 = 1.04;

/// Rounds of widening, and of making narrower.
const MAX_SWEEPS: usize = 60;

/// Factor by which a corner becomes narrower in a round.
const NARROWING: f64 = 0.9;

/// So many vertices on the support of a corner show its largest offset.
const MIN_VERTICES_FOR_OFFSET: usize = 8;

/// Part of the squared distance that is rounding: isolated corners are as wide as is allowed.
const SQUARED_DISTANCE_ROUNDING: f64 = 1e-12;

/// Joints whose offsets are summed up at once; what is left of the last ones is 0.
const LANES: usize = 4;
type JointLanes = [f64; LANES];

/// Corners of a polyline with their widths.
pub(super) struct CornerWidths<'a> {
    arc_lengths: &'a [f64],
    /// Largest squared distance from the polyline.
    allowed: f64,
    pub(super) widths: Vec<f64>,
    shapes: Vec<OffsetShape>,
    /// Change of direction and offset from the polyline at every vertex, `blocks` for each.
    bends: Vec<JointLanes>,
    offsets: Vec<JointLanes>,
    blocks: usize,
    /// No width is larger.
    widest: f64,
}

/// Offset by a corner, in changes of direction: (width − distance)³ / 6 width².
#[derive(Debug, Clone, Copy, Default)]
struct OffsetShape {
    width: f64,
    scale: f64,
}

impl OffsetShape {
    fn new(width: f64) -> Self {
        let scale = if width > 0.0 { 1.0 / (6.0 * width * width) } else { 0.0 };
        Self { width, scale }
    }

    #[inline]
    fn height(self, distance: f64) -> f64 {
        let rest = (self.width - distance.abs()).max(0.0);
        rest * rest * rest * self.scale
    }
}

/// Adds `factor` times `bend`.
#[inline]
fn add(offset: &mut JointLanes, factor: f64, bend: &JointLanes) {
    offset.iter_mut().zip(bend).for_each(|(offset, bend)| *offset += factor * bend);
}

/// Adds the squares of `offset`.
#[inline]
fn add_squares(sum: &mut JointLanes, offset: &JointLanes) {
    sum.iter_mut().zip(offset).for_each(|(sum, offset)| *sum += offset * offset);
}

impl<'a> CornerWidths<'a> {
    /// Corners of these widths.
    pub(super) fn new(arc_lengths: &'a [f64], bends: &[Vec<f64>], widths: &[f64], allowed: f64) -> Self {
        let blocks = bends[0].len().div_ceil(LANES);
        let block = |bend: &Vec<f64>, first: usize| -> JointLanes {
            std::array::from_fn(|lane| bend.get(first * LANES + lane).copied().unwrap_or(0.0))
        };
        let bends = bends.iter().flat_map(|bend| (0..blocks).map(move |first| block(bend, first))).collect();
        let mut corners = Self {
            arc_lengths,
            allowed: allowed * allowed * (1.0 + SQUARED_DISTANCE_ROUNDING),
            widths: vec![0.0; widths.len()],
            shapes: vec![OffsetShape::default(); widths.len()],
            bends,
            offsets: vec![[0.0; LANES]; blocks * widths.len()],
            blocks,
            widest: 0.0,
        };
        widths.iter().enumerate().for_each(|(vertex, width)| corners.set(vertex, *width));
        corners
    }

    /// Makes corners narrower until none leaves the deviation, where that is possible.
    pub(super) fn narrow(&mut self, watch: &Watch) -> Result<()> {
        for _ in 0..MAX_SWEEPS {
            let mut inside = true;
            for vertex in 1..self.widths.len() - 1 {
                watch.check_at(vertex)?;
                let now = self.widths[vertex];
                if now > 0.0 && !self.can_be(vertex, now) {
                    self.set(vertex, NARROWING * now);
                    inside = false;
                }
            }
            if inside {
                break;
            }
        }
        self.widest = self.widths.iter().copied().fold(0.0, f64::max);
        Ok(())
    }

    /// Widens corners up to `most`.
    pub(super) fn widen(&mut self, most: &[f64], watch: &Watch) -> Result<()> {
        let mut order: Vec<usize> = (0..most.len())
            .filter(|vertex| self.widths[*vertex] > 0.0 && self.widths[*vertex] < most[*vertex])
            .collect();
        let mut factors = vec![FIRST_WIDENING; most.len()];
        for _ in 0..MAX_SWEEPS {
            // The narrowest first: it is what slows the motion down.
            order.sort_by(|a, b| self.widths[*a].total_cmp(&self.widths[*b]).then(a.cmp(b)));
            for (step, vertex) in order.iter().enumerate() {
                watch.check_at(step)?;
                let wider = (self.widths[*vertex] * factors[*vertex]).min(most[*vertex]);
                if self.can_be(*vertex, wider) {
                    self.set(*vertex, wider);
                } else {
                    factors[*vertex] = factors[*vertex].sqrt();
                }
            }
            order.retain(|vertex| self.widths[*vertex] < most[*vertex] && factors[*vertex] > LEAST_WIDENING);
            if order.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn set(&mut self, vertex: usize, width: f64) {
        let (at, before, after) = (self.arc_lengths[vertex], self.shapes[vertex], OffsetShape::new(width));
        for other in self.within(at, width.max(before.width)) {
            let distance = self.arc_lengths[other] - at;
            let change = after.height(distance) - before.height(distance);
            for block in 0..self.blocks {
                let bend = &self.bends[vertex * self.blocks + block];
                add(&mut self.offsets[other * self.blocks + block], change, bend);
            }
        }
        (self.widths[vertex], self.shapes[vertex]) = (width, after);
        self.widest = self.widest.max(width);
    }

    /// Vertices closer than `radius` to an arc length.
    fn within(&self, arc_length: f64, radius: f64) -> std::ops::Range<usize> {
        let first = self.arc_lengths.partition_point(|other| *other <= arc_length - radius);
        let last = self.arc_lengths.partition_point(|other| *other < arc_length + radius);
        first..last.max(first)
    }

    /// True when with this width of a corner the offset is allowed on its support: at vertices, close to which it is largest,
    /// and half-way where these are few.
    fn can_be(&self, vertex: usize, width: f64) -> bool {
        let (at, before, after) = (self.arc_lengths[vertex], self.shapes[vertex], OffsetShape::new(width));
        let change = |distance: f64| after.height(distance) - before.height(distance);
        let is_allowed =
            |other: usize| self.square(other, vertex, change(self.arc_lengths[other] - at)) <= self.allowed;
        let half_way = |offset: f64| self.square_at(at + offset, vertex, change(offset)) <= self.allowed;
        let near = self.within(at, width);
        // At the corner itself first, where most that is too wide is refused.
        is_allowed(vertex)
            && near.clone().all(is_allowed)
            && (near.len() >= MIN_VERTICES_FOR_OFFSET || half_way(-0.5 * width) && half_way(0.5 * width))
    }

    fn blocks_of(&self, vertex: usize) -> std::ops::Range<usize> {
        vertex * self.blocks..(vertex + 1) * self.blocks
    }

    /// Squared offset at a vertex, moved along the bend of a `corner` by `change`.
    #[inline]
    fn square(&self, vertex: usize, corner: usize, change: f64) -> f64 {
        let mut sum = [0.0; LANES];
        let bends = &self.bends[self.blocks_of(corner)];
        for (offset, bend) in self.offsets[self.blocks_of(vertex)].iter().zip(bends) {
            let mut offset = *offset;
            add(&mut offset, change, bend);
            add_squares(&mut sum, &offset);
        }
        sum.iter().sum()
    }

    /// Squared offset at any arc length, moved likewise.
    fn square_at(&self, arc_length: f64, corner: usize, change: f64) -> f64 {
        let mut sum = [0.0; LANES];
        for block in 0..self.blocks {
            let mut offset = [0.0; LANES];
            add(&mut offset, change, &self.bends[corner * self.blocks + block]);
            for vertex in self.within(arc_length, self.widest) {
                let height = self.shapes[vertex].height(arc_length - self.arc_lengths[vertex]);
                add(&mut offset, height, &self.bends[vertex * self.blocks + block]);
            }
            add_squares(&mut sum, &offset);
        }
        sum.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinetic_core::rng::SeededRng;

    #[test]
    fn offsets_that_were_kept_are_those_summed_up_anew_and_allowed() {
        for seed in 0..20 {
            let mut rng = SeededRng::new(seed);
            let count = 3 + rng.below(40);
            let dof = 1 + rng.below(10);
            let mut arc_lengths = vec![0.0];
            (1..count).for_each(|index| arc_lengths.push(arc_lengths[index - 1] + rng.uniform(0.01, 0.3)));
            let mut bends: Vec<Vec<f64>> =
                (0..count).map(|_| (0..dof).map(|_| rng.uniform(-0.5, 0.5)).collect()).collect();
            bends[0].fill(0.0);
            bends[count - 1].fill(0.0);
            let mut widths = vec![0.05; count];
            (widths[0], widths[count - 1]) = (0.0, 0.0);
            let mut corners = CornerWidths::new(&arc_lengths, &bends, &widths, 0.01);
            corners.narrow(&Watch::default()).expect("nothing ends it");
            let narrow = corners.widths.clone();
            corners.widen(&vec![0.5; count], &Watch::default()).expect("nothing ends it");
            assert!(corners.widths.iter().zip(&narrow).all(|(now, before)| now >= before), "seed {seed}");
            assert!(corners.widths.iter().sum::<f64>() > 1.2 * narrow.iter().sum::<f64>(), "seed {seed}: not widened");
            for (vertex, at) in arc_lengths.iter().enumerate() {
                let offset = |joint: usize| -> f64 {
                    let height = |other: usize| OffsetShape::new(corners.widths[other]).height(at - arc_lengths[other]);
                    let part = |other: usize| bends[other][joint] * height(other);
                    (0..count).map(part).sum()
                };
                let anew: Vec<f64> = (0..dof).map(offset).collect();
                let kept = corners.offsets[corners.blocks_of(vertex)].as_flattened();
                assert!(anew.iter().zip(kept).all(|(a, b)| (a - b).abs() < 1e-15), "seed {seed}");
                let distance = anew.iter().map(|value| value * value).sum::<f64>().sqrt();
                assert!(distance <= 0.01 + 1e-15, "seed {seed}: {distance}");
                assert!((corners.square_at(*at, 0, 0.0) - distance * distance).abs() < 1e-15, "seed {seed}");
            }
        }
    }
}
