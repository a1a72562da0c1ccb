//! Per cell of a grid, bounds on the distance of its places from the places of the nearest occupied cells.

use kinetic_core::parallel::in_chunks;

use crate::instructions::{Instructions, PackedKernel};
use crate::tier::usual_tier;
use crate::vector::{Lanes, Plain};

/// Cells along an axis that are looked at. What lies beyond is known to be no nearer.
pub(super) const FARTHEST: usize = 8;

/// Number of cells that are worth a thread.
const CELLS_PER_CHUNK: usize = 1 << 16;

/// Squared steps between places in two cells, by the distance of the cells along an axis; the last for all that are farther.
type Squares = [u8; FARTHEST + 2];

/// The largest square, of which nothing is known.
pub(super) const UNKNOWN: u8 = u8::MAX;

/// Of the nearest places.
const LEAST: Squares = squares(0);

/// Of the farthest places.
const MOST: Squares = squares(2);

const fn squares(more: usize) -> Squares {
    let mut squares = [0; FARTHEST + 2];
    let mut cells = 0;
    while cells < squares.len() {
        let steps = (cells + more).saturating_sub(1);
        squares[cells] = (steps * steps) as u8;
        cells += 1;
    }
    if more > 0 {
        squares[FARTHEST + 1] = UNKNOWN;
    }
    squares
}

/// Per cell, x slowest, the least over the occupied cells of the sum of the squared steps along the axes: of the nearest places, and of
/// the farthest. Occupied cells are 0, others [`UNKNOWN`]; a column along z ends with [`FARTHEST`] cells that are none, so that no step
/// leads from column to column.
pub(super) fn nearest(occupied: &[u8], [nx, ny, nz]: [usize; 3]) -> Vec<[u8; 2]> {
    let column = nz + FARTHEST;
    let slab = ny * column;
    let slabs_per_chunk = CELLS_PER_CHUNK.div_ceil(slab);
    let mut within_slabs = vec![0; 2 * nx * slab];
    in_chunks(&mut within_slabs, 2 * slab, slabs_per_chunk, |first, out| {
        run_kernel(&mut WithinSlabs { occupied: &occupied[first * slab..], column, slab, out });
    });
    let mut cells = vec![[0; 2]; nx * slab];
    in_chunks(&mut cells, slab, slabs_per_chunk, |first, out| {
        run_kernel(&mut AcrossSlabs { within_slabs: &within_slabs, slab, first, out });
    });
    cells
}

/// Runs a kernel with the instructions of this process.
pub(super) fn run_kernel(kernel: &mut impl PackedKernel) {
    match Instructions::with_fused_multiply_add(usual_tier()) {
        Some(instructions) => instructions.run_pack(kernel),
        None => kernel.run::<Plain<8>>(),
    }
}

/// The passes along z and y, of some slabs: the squares of the nearest places in a slab, then those of the farthest.
struct WithinSlabs<'a> {
    occupied: &'a [u8],
    column: usize,
    slab: usize,
    out: &'a mut [u8],
}

impl PackedKernel for WithinSlabs<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        let mut along_z = vec![0; self.slab];
        for (occupied, out) in self.occupied.chunks_exact(self.slab).zip(self.out.chunks_exact_mut(2 * self.slab)) {
            let (least, most) = out.split_at_mut(self.slab);
            for (squares, out) in [(&LEAST, least), (&MOST, most)] {
                lower_envelope(occupied, (0, 1), squares, &mut along_z);
                lower_envelope(&along_z, (0, self.column), squares, out);
            }
        }
    }
}

/// The pass along x, of some slabs.
struct AcrossSlabs<'a> {
    within_slabs: &'a [u8],
    slab: usize,
    first: usize,
    out: &'a mut [[u8; 2]],
}

impl PackedKernel for AcrossSlabs<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        let (mut least, mut most) = (vec![0; self.slab], vec![0; self.slab]);
        for (index, out) in self.out.chunks_exact_mut(self.slab).enumerate() {
            let at = (2 * self.slab * (self.first + index), 2 * self.slab);
            lower_envelope(self.within_slabs, at, &LEAST, &mut least);
            lower_envelope(&self.within_slabs[self.slab..], at, &MOST, &mut most);
            for (out, (least, most)) in out.iter_mut().zip(least.iter().zip(&most)) {
                *out = [*least, *most];
            }
        }
    }
}

/// In each place from the first on, the least of the values up to [`FARTHEST`] strides away plus the squared steps to them.
#[inline(always)]
fn lower_envelope(values: &[u8], (first, stride): (usize, usize), squares: &Squares, out: &mut [u8]) {
    // What lies farther along this axis is not looked at.
    out.fill(squares[FARTHEST + 1]);
    let (end, last) = (first + out.len(), values.len());
    for (steps, square) in squares[..=FARTHEST].iter().enumerate() {
        let shift = steps * stride;
        // Values behind the places, then those before them.
        if first + shift < last {
            let behind = &values[first + shift..usize::min(end + shift, last)];
            lower(&mut out[..behind.len()], behind, *square);
        }
        if end > shift {
            let begin = first.saturating_sub(shift);
            let before = &values[begin..end - shift];
            let skipped = out.len() - before.len();
            lower(&mut out[skipped..], before, *square);
        }
    }
}

/// A loop over two slices, which compiles to vector instructions.
#[inline(always)]
fn lower(least: &mut [u8], values: &[u8], square: u8) {
    for (least, value) in least.iter_mut().zip(values) {
        *least = u8::min(*least, value.saturating_add(square));
    }
}
