//! Exact Euclidean distance transform of occupied cells, measured at the corners of cells.
//!
//! The point of a cube that is nearest to a corner of the lattice is a corner of the lattice too, so that squared distances from
//! cubes are whole numbers: those from the corners of the cubes. They are separable (Felzenszwalb and Huttenlocher, Theory of
//! Computing 2012): the distances along z, then the lower envelope of parabolas along y and along x. An envelope is taken by
//! looking at neighbours farther and farther away until their parabolas alone are above what was found (Saito and Toriwaki,
//! Pattern Recognition 1994), for many lines at once.

use kinetic_core::parallel::in_chunks;
use kinetic_core::{Control, Result};

use crate::cell_bits::{CellBits, CellKind};
use crate::distance_transformer::{DistanceTransformer, NodeBox};

/// Cells along an axis at most: squared distances are whole numbers that single precision holds.
pub(crate) const MOST_CELLS_ALONG_AXIS: usize = 2_000;

/// Steps to a bit that a line does not have: no limit is larger.
#[expect(clippy::cast_possible_wrap, reason = "a few thousand")]
const NO_BIT: i32 = MOST_CELLS_ALONG_AXIS as i32;

/// Lines that are looked at together.
const LANES: usize = 16;
/// Slabs of nodes that a thread takes the envelopes of together, whose lines stay in the cache from slab to slab.
const SLABS_PER_ENVELOPE: usize = 8;

/// The transform on all processors, with its memory.
#[derive(Debug, Clone, Default)]
pub struct DistanceTransform {
    outside: Vec<f32>,
    /// Of the distances inside as long as they are computed.
    signed: Vec<f32>,
    between: Vec<f32>,
}

impl DistanceTransformer for DistanceTransform {
    fn signed_squares(
        &mut self,
        cells: &CellBits,
        nodes: &NodeBox,
        limit: Option<usize>,
        control: &Control,
    ) -> Result<&[f32]> {
        let count = nodes.counts.iter().product();
        for values in [&mut self.outside, &mut self.signed, &mut self.between] {
            values.resize(count, 0.0);
        }
        let Self { outside, signed, between } = self;
        along_z_and_y(cells, CellKind::Occupied, (nodes, limit), control, between);
        along_x(between, nodes, limit, control, outside, |_, _| {});
        control.check(0)?;
        along_z_and_y(cells, CellKind::Free, (nodes, limit), control, between);
        along_x(between, nodes, limit, control, signed, |first, inside| merge(&outside[first..], inside));
        control.check(0)?;
        Ok(signed)
    }
}

/// Squared distances within slabs of nodes, until the control ends it. Corners beyond the box do not count.
fn along_z_and_y(
    cells: &CellBits,
    kind: CellKind,
    (nodes, limit): (&NodeBox, Option<usize>),
    control: &Control,
    out: &mut [f32],
) {
    let [_, ny, nz] = nodes.counts;
    let slab = ny * nz;
    let cap = limit.map_or(f32::INFINITY, |limit| (limit * limit) as f32);
    in_chunks(out, slab, SLABS_PER_ENVELOPE, |first, out| {
        let (mut lines, mut bits, mut steps) = (vec![0.0; slab], vec![0; cells.words_per_column()], vec![0; nz]);
        for (x, out) in out.chunks_exact_mut(slab).enumerate() {
            for (y, line) in lines.chunks_exact_mut(nz).enumerate() {
                cells.corners([nodes.first[0] + first + x, nodes.first[1] + y], kind, &mut bits);
                along_bits(&bits, nodes.first[2], cap, &mut steps, line);
            }
            envelope(&lines, nz, (limit, control), [0, ny], out);
        }
    });
}

/// Squared distances out of those within slabs, until the control ends it. `finish` has each slab while it is still in the cache, with
/// the index of its first node.
fn along_x(
    within_slabs: &[f32],
    nodes: &NodeBox,
    limit: Option<usize>,
    control: &Control,
    out: &mut [f32],
    finish: impl Fn(usize, &mut [f32]) + Sync,
) {
    let slab = nodes.counts[1] * nodes.counts[2];
    in_chunks(out, slab, SLABS_PER_ENVELOPE, |first, out| {
        envelope(within_slabs, slab, (limit, control), [first, first + out.len() / slab], out);
        finish(first * slab, out);
    });
}

/// Makes signed values of those inside. One of the two is 0, since a node is the corner of a cell of either kind.
fn merge(outside: &[f32], inside: &mut [f32]) {
    for (outside, inside) in outside.iter().zip(inside) {
        *inside = if *inside > 0.0 { -*inside } else { *outside };
    }
}

/// Squared distances to the nearest set bit along a line of nodes that begins with a bit. `steps` is memory for as many.
fn along_bits(bits: &[u64], first: usize, cap: f32, steps: &mut [i32], line: &mut [f32]) {
    if bits.iter().all(|word| *word == 0) {
        line.fill(cap);
        return;
    }
    let mut distance = NO_BIT;
    for (index, steps) in steps.iter_mut().enumerate() {
        let bit = first + index;
        distance = if bits[bit / 64] >> (bit % 64) & 1 == 1 { 0 } else { distance + 1 };
        *steps = distance;
    }
    distance = NO_BIT;
    for steps in steps.iter_mut().rev() {
        distance = i32::min(*steps, distance + 1);
        *steps = distance;
    }
    for (value, steps) in line.iter_mut().zip(steps) {
        *value = ((*steps * *steps) as f32).min(cap);
    }
}

/// The lower envelope across rows of `width` values, for the rows between two: in each place the least of the values of all rows
/// plus the square of their distance. Until the control ends it.
fn envelope(
    rows: &[f32],
    width: usize,
    (limit, control): (Option<usize>, &Control),
    [from, to]: [usize; 2],
    out: &mut [f32],
) {
    let limit = limit.unwrap_or(usize::MAX);
    let whole = width - width % LANES;
    // Row after row of the same lanes, whose values stay in the cache.
    for lane in (0..whole).step_by(LANES).take_while(|_| !control.is_over(0)) {
        for row in from..to {
            let at = (row - from) * width + lane;
            out[at..at + LANES].copy_from_slice(&envelope_of_lanes(&rows[lane..], width, row, limit));
        }
    }
    for lane in whole..width {
        for row in from..to {
            out[(row - from) * width + lane] = envelope_of_lane(&rows[lane..], width, row, limit);
        }
    }
}

/// The envelope of the first lanes of rows, at one row. What follows is written in loops over arrays, which compile to vector
/// instructions.
fn envelope_of_lanes(rows: &[f32], width: usize, row: usize, limit: usize) -> [f32; LANES] {
    let count = rows.len().div_ceil(width);
    let mut least = [0.0; LANES];
    least.copy_from_slice(&rows[row * width..row * width + LANES]);
    for step in 1..=limit.min(row.max(count - 1 - row)) {
        let square = (step * step) as f32;
        // Looking too often costs more than looking farther than needed.
        if (step <= 4 || step % 4 == 0) && is_most(&least, square) {
            break;
        }
        if row >= step {
            lower(&mut least, &rows[(row - step) * width..], square);
        }
        if row + step < count {
            lower(&mut least, &rows[(row + step) * width..], square);
        }
    }
    least
}

/// Whether no value is above a bound. Without a branch per value, so that it compiles to vector instructions.
#[inline]
fn is_most(values: &[f32; LANES], bound: f32) -> bool {
    values.iter().fold(0, |above, value| above | u32::from(*value > bound)) == 0
}

#[inline]
fn lower(least: &mut [f32; LANES], row: &[f32], square: f32) {
    let row = &row[..LANES];
    for lane in 0..LANES {
        let other = row[lane] + square;
        least[lane] = if other < least[lane] { other } else { least[lane] };
    }
}

fn envelope_of_lane(rows: &[f32], width: usize, row: usize, limit: usize) -> f32 {
    let count = rows.len().div_ceil(width);
    let mut least = rows[row * width];
    for step in 1..=limit.min(row.max(count - 1 - row)) {
        let square = (step * step) as f32;
        if least <= square {
            break;
        }
        if row >= step {
            least = least.min(rows[(row - step) * width] + square);
        }
        if row + step < count {
            least = least.min(rows[(row + step) * width] + square);
        }
    }
    least
}
