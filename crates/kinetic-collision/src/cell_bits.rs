//! Which cells of a box are occupied.

/// Which cells distances are measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellKind {
    Occupied,
    Free,
}

/// The occupied cells of a box, a bit each, in columns along z of whole words. Cells around the box are free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellBits {
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

    /// Cells along each axis.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// Words of a column: room for one bit more than it has cells, and the bits behind its cells are 0.
    pub fn words_per_column(&self) -> usize {
        self.words
    }

    /// The words of all columns, x slowest. The lowest bit of a word is its first cell.
    pub fn words(&self) -> &[u64] {
        &self.bits
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
    pub(crate) fn corners(&self, [x, y]: [usize; 2], kind: CellKind, nodes: &mut [u64]) {
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
