//! The cells between a sensor and a measured point (Amanatides and Woo 1987), for very many points.

use nalgebra::Point3;

use super::key::{CellGrid, CellKey};
use super::layout::Layout;

/// The length of a segment in the integers that its borders are counted in, and where a border is out of reach.
const SEGMENT_LENGTH: f64 = (1_u64 << 61) as f64;
const OUT_OF_REACH: u64 = 1 << 62;

/// A segment between two points, and their cells.
pub(crate) struct Segment<'a> {
    pub(crate) origin: &'a Point3<f64>,
    pub(crate) end: &'a Point3<f64>,
    pub(crate) first: CellKey,
    pub(crate) last: CellKey,
}

impl Segment<'_> {
    /// Visits the places of the cells from the origin to the end, without the cell of the end.
    ///
    /// Distances are integers, whose sums are exact, and steps have no branches, which no processor could foresee here.
    #[inline]
    pub(crate) fn visit_before(&self, grid: &CellGrid, layout: &Layout, visit: impl FnMut(u64)) {
        let mut axes = [0, 1, 2].map(|axis| AxisSteps::new(grid, layout, self, axis));
        let apart = |axis: usize| u32::from(self.first[axis].abs_diff(self.last[axis]));
        let count = apart(0) + apart(1) + apart(2);
        // The border after the last cell lies behind the last border that is crossed, unless rounding made them meet.
        let last = (0..3).filter(|axis| apart(*axis) > 0).map(|axis| axes[axis].border(apart(axis) - 1)).max();
        let beyond = (0..3).map(|axis| axes[axis].border(apart(axis))).min();
        if last < beyond { walk::<false>(&mut axes, count, visit) } else { walk::<true>(&mut axes, count, visit) }
    }
}

#[inline]
fn walk<const STOPS: bool>([x, y, z]: &mut [AxisSteps; 3], count: u32, mut visit: impl FnMut(u64)) {
    for _ in 0..count {
        visit(x.place | y.place | z.place);
        // In this order, as `OctoMap`, where a segment passes an edge of a cell.
        let (before_y, before_z, y_before_z) = (ones_if_less(x, y), ones_if_less(x, z), ones_if_less(y, z));
        let (is_x, is_y) = (before_y & before_z, !before_y & y_before_z);
        x.step_if::<STOPS>(is_x);
        y.step_if::<STOPS>(is_y);
        z.step_if::<STOPS>(!(is_x | is_y));
    }
}

/// All bits where the next border along one axis is nearer than that along another one, otherwise none. Of comparisons, compilers make
/// branches.
#[inline]
fn ones_if_less(a: &AxisSteps, b: &AxisSteps) -> u64 {
    (a.next.wrapping_sub(b.next).cast_signed() >> 63).cast_unsigned()
}

/// The borders of cells that a segment crosses along an axis.
struct AxisSteps {
    /// The part of the axis in the place of the cell, and in that of the last one.
    place: u64,
    last: u64,
    /// What leads to the next place, and the bits that matter then.
    step: u64,
    mask: u64,
    /// Distance of the next border, and between borders.
    next: u64,
    delta: u64,
}

impl AxisSteps {
    #[inline]
    #[allow(
        clippy::cast_sign_loss,
        reason = "parts of a segment are not negative, and the cast rounds to 0 where they are"
    )]
    fn new(grid: &CellGrid, layout: &Layout, segment: &Segment<'_>, axis: usize) -> Self {
        let (first, last, mask) = (segment.first[axis], segment.last[axis], layout.masks[axis]);
        let (from, way) = (segment.origin[axis], segment.end[axis] - segment.origin[axis]);
        let fixed = |part: f64| ((part * SEGMENT_LENGTH).min(OUT_OF_REACH as f64)) as u64;
        let border = grid.border(i32::from(first) + i32::from(last > first));
        Self {
            place: layout.part(first, axis),
            last: layout.part(last, axis),
            // One more, carried over the gaps, or one less, borrowed over them.
            step: if last > first { mask.wrapping_neg() } else { u64::MAX },
            mask,
            next: if first == last { OUT_OF_REACH } else { fixed((border - from) / way) },
            delta: fixed((grid.resolution / way).abs()),
        }
    }

    /// The distance of a border, counted from the next one.
    fn border(&self, number: u32) -> u64 {
        self.delta.saturating_mul(u64::from(number)).saturating_add(self.next)
    }

    /// Steps into the next cell with all bits, and stays without any; where asked for, not beyond the last cell.
    #[inline]
    fn step_if<const STOPS: bool>(&mut self, ones: u64) {
        self.place = self.place.wrapping_add(self.step & ones) & self.mask;
        self.next = self.next.wrapping_add(self.delta & ones);
        if STOPS && self.place == self.last {
            self.next = OUT_OF_REACH;
        }
    }
}
