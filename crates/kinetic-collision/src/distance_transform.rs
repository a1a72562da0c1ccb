//! Exact Euclidean distance transform of occupied cells, measured at the corners of cells.
//!
//! The point of a cube that is nearest to a corner of the lattice is a corner of the lattice too, so that squared distances from
//! cubes are whole numbers: those from the corners of the cubes. They are separable (Felzenszwalb and Huttenlocher, Theory of
//! Computing 2012): the distances along z, then the lower envelope of parabolas along y and along x. An envelope is taken by
//! looking at neighbours farther and farther away until their parabolas alone are above what was found (Saito and Toriwaki,
//! Pattern Recognition 1994), for many lines at once.

use kinetic_core::parallel::in_chunks;
use kinetic_core::{Control, Result};

/// Cells along an axis at most: squared distances are whole numbers that single precision holds.
pub(crate) const MOST_CELLS_ALONG_AXIS: usize = 2_000;

/// Lines that are looked at together.
const LANES: usize = 32;
/// Slabs of nodes per chunk of a thread.
const SLABS_PER_CHUNK: usize = 4;

/// Which cells distances are measured from. Cells outside of the box are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellKind {
    Occupied,
    Free,
}

/// The occupied cells of a box, a bit each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellBits {
    /// Cells along each axis.
    pub(crate) counts: [usize; 3],
    /// Words of a column along z. One bit more than cells, because a column has one node more.
    words: usize,
    bits: Vec<u64>,
}

impl CellBits {
    pub(crate) fn new(counts: [usize; 3]) -> Self {
        let words = (counts[2] + 1).div_ceil(64);
        Self { counts, words, bits: vec![0; counts[0] * counts[1] * words] }
    }

    pub(crate) fn set(&mut self, [x, y, z]: [usize; 3]) {
        self.bits[(x * self.counts[1] + y) * self.words + z / 64] |= 1 << (z % 64);
    }

    /// The occupied cells, ascending.
    pub(crate) fn cells(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        let [_, ny, _] = self.counts;
        self.bits.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(move |(index, word)| {
            let (column, first) = (index / self.words, index % self.words * 64);
            let set = (0..64).filter(move |bit| word >> bit & 1 == 1);
            set.map(move |bit| [column / ny, column % ny, first + bit])
        })
    }

    /// First and last cell along each axis of those that differ; `None` where none does. Along z whole words.
    pub(crate) fn difference(&self, other: &Self) -> Option<[[usize; 2]; 3]> {
        let differing = self.bits.iter().zip(&other.bits).enumerate().filter(|(_, (a, b))| a != b);
        let mut found: Option<[[usize; 2]; 3]> = None;
        for (index, _) in differing {
            let (column, first) = (index / self.words, index % self.words * 64);
            let place = [column / self.counts[1], column % self.counts[1], first];
            let last = [place[0], place[1], (first + 63).min(self.counts[2] - 1)];
            let all = found.get_or_insert([0, 1, 2].map(|axis| [place[axis], last[axis]]));
            for axis in 0..3 {
                all[axis] = [all[axis][0].min(place[axis]), all[axis][1].max(last[axis])];
            }
        }
        found
    }

    /// Sets the bits of the nodes of a column that are corners of cells of one kind.
    fn corners(&self, [x, y]: [usize; 2], kind: CellKind, nodes: &mut [u64]) {
        let [nx, ny, _] = self.counts;
        let flipped = if kind == CellKind::Free { u64::MAX } else { 0 };
        nodes.fill(0);
        for [i, j] in [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]] {
            if i == 0 || j == 0 || i > nx || j > ny {
                for word in nodes.iter_mut() {
                    *word |= flipped;
                }
                continue;
            }
            let column = ((i - 1) * ny + j - 1) * self.words;
            for (word, cells) in nodes.iter_mut().zip(&self.bits[column..column + self.words]) {
                *word |= cells ^ flipped;
            }
        }
        // A node is between the cell below and the one above.
        let mut below = flipped & 1;
        for word in nodes {
            let cells = *word;
            *word = cells | cells << 1 | below;
            below = cells >> 63;
        }
    }
}

/// Nodes of a box: the first, and how many along each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeBox {
    pub(crate) first: [usize; 3],
    pub(crate) counts: [usize; 3],
}

/// The transform with its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct DistanceTransform {
    /// Of the two kinds of cells.
    squared: [Vec<f32>; 2],
    between: Vec<f32>,
}

impl DistanceTransform {
    /// What [`run`](Self::run) found last.
    pub(crate) fn squared(&self, kind: CellKind) -> &[f32] {
        &self.squared[kind as usize]
    }

    /// Computes squared distances from cells of one kind at the nodes of a box, in cells, x slowest. Cells beyond the box do not
    /// count, and distances beyond a limit become the limit; without limit and without such a cell they are infinite.
    ///
    /// # Errors
    /// That of the control, which is looked at before each slab.
    pub(crate) fn run(
        &mut self,
        cells: &CellBits,
        kind: CellKind,
        (nodes, limit): (&NodeBox, Option<usize>),
        control: &Control,
    ) -> Result<()> {
        let [_, ny, nz] = nodes.counts;
        let slab = ny * nz;
        let cap = limit.map_or(f32::INFINITY, |limit| (limit * limit) as f32);
        let limit = limit.unwrap_or(usize::MAX);
        let count = nodes.counts.iter().product();
        let squared = &mut self.squared[kind as usize];
        squared.resize(count, 0.0);
        self.between.resize(count, 0.0);
        in_chunks(&mut self.between, slab, SLABS_PER_CHUNK, |first, out| {
            let (mut lines, mut bits) = (vec![0.0; slab], vec![0; cells.words]);
            for (x, out) in out.chunks_exact_mut(slab).enumerate().take_while(|_| !control.is_over(0)) {
                for (y, line) in lines.chunks_exact_mut(nz).enumerate() {
                    cells.corners([nodes.first[0] + first + x, nodes.first[1] + y], kind, &mut bits);
                    along_bits(&bits, nodes.first[2], cap, line);
                }
                envelope(&lines, nz, limit, [0, ny], out);
            }
        });
        control.check(0)?;
        let between = &self.between;
        in_chunks(squared, slab, SLABS_PER_CHUNK, |first, out| {
            for (x, out) in out.chunks_exact_mut(slab).enumerate().take_while(|_| !control.is_over(0)) {
                envelope(between, slab, limit, [first + x, first + x + 1], out);
            }
        });
        control.check(0)
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
fn envelope(rows: &[f32], width: usize, limit: usize, [from, to]: [usize; 2], out: &mut [f32]) {
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
