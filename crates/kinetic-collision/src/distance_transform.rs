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

/// Lines that are looked at together.
const LANES: usize = 32;
/// Slabs of nodes per chunk of a thread.
const SLABS_PER_CHUNK: usize = 4;

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
    in_chunks(out, slab, SLABS_PER_CHUNK, |first, out| {
        let (mut lines, mut bits) = (vec![0.0; slab], vec![0; cells.words_per_column()]);
        for (x, out) in out.chunks_exact_mut(slab).enumerate().take_while(|_| !control.is_over(0)) {
            for (y, line) in lines.chunks_exact_mut(nz).enumerate() {
                cells.corners([nodes.first[0] + first + x, nodes.first[1] + y], kind, &mut bits);
                along_bits(&bits, nodes.first[2], cap, line);
            }
            envelope(&lines, nz, limit, [0, ny], out);
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
    in_chunks(out, slab, SLABS_PER_CHUNK, |first, out| {
        for (x, out) in out.chunks_exact_mut(slab).enumerate().take_while(|_| !control.is_over(0)) {
            envelope(within_slabs, slab, limit, [first + x, first + x + 1], out);
            finish((first + x) * slab, out);
        }
    });
}

/// Makes signed values of those inside. One of the two is 0, since a node is the corner of a cell of either kind.
fn merge(outside: &[f32], inside: &mut [f32]) {
    for (outside, inside) in outside.iter().zip(inside) {
        *inside = if *inside > 0.0 { -*inside } else { *outside };
    }
}

/// Squared distances to the nearest set bit along a line of nodes that begins with a bit.
fn along_bits(bits: &[u64], first: usize, cap: f32, line: &mut [f32]) {
    if bits.iter().all(|word| *word == 0) {
        line.fill(cap);
        return;
    }
    let mut distance = f32::INFINITY;
    for (index, value) in line.iter_mut().enumerate() {
        let bit = first + index;
        distance = if bits[bit / 64] >> (bit % 64) & 1 == 1 { 0.0 } else { distance + 1.0 };
        *value = distance;
    }
    distance = f32::INFINITY;
    for value in line.iter_mut().rev() {
        distance = value.min(distance + 1.0);
        *value = (distance * distance).min(cap);
    }
}

/// The lower envelope across rows of `width` values, for the rows between two: in each place the least of the values of all rows
/// plus the square of their distance.
fn envelope(rows: &[f32], width: usize, limit: Option<usize>, [from, to]: [usize; 2], out: &mut [f32]) {
    let limit = limit.unwrap_or(usize::MAX);
    let whole = width - width % LANES;
    for row in from..to {
        let out = &mut out[(row - from) * width..(row - from + 1) * width];
        for lane in (0..whole).step_by(LANES) {
            let found = envelope_of_lanes(&rows[lane..], width, row, limit);
            out[lane..lane + LANES].copy_from_slice(&found);
        }
        for lane in whole..width {
            out[lane] = envelope_of_lane(&rows[lane..], width, row, limit);
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

/// Whether no value is above a bound.
#[inline]
fn is_most(values: &[f32; LANES], bound: f32) -> bool {
    let mut most = [0.0_f32; 4];
    for four in values.chunks_exact(4) {
        for lane in 0..4 {
            most[lane] = if four[lane] > most[lane] { four[lane] } else { most[lane] };
        }
    }
    most[0].max(most[1]).max(most[2]).max(most[3]) <= bound
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
