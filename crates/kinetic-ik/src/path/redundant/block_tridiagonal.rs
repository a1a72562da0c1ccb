//! Bordered block tridiagonal systems: symmetric, with one variable that is coupled to all blocks.

/// The part of a vector that belongs to a block.
pub(super) type BlockVector<const D: usize> = [f64; D];
/// A matrix of a block, row after row.
pub(super) type BlockMatrix<const D: usize> = [[f64; D]; D];

/// `[[A, b], [bᵀ, c]]`, where `A` is block tridiagonal and positive definite.
#[derive(Debug)]
pub(super) struct BlockTridiagonal<const D: usize> {
    /// On the diagonal; after [`factor`](Self::factor) their inverses in the elimination.
    pub(super) diagonal: Vec<BlockMatrix<D>>,
    /// Left of the diagonal; the first is not used.
    pub(super) left: Vec<BlockMatrix<D>>,
    /// `b`.
    pub(super) border: Vec<BlockVector<D>>,
    /// `c`.
    pub(super) corner: f64,
    /// `A⁻¹ b`.
    swept: Vec<BlockVector<D>>,
}

impl<const D: usize> BlockTridiagonal<D> {
    pub(super) fn new(blocks: usize) -> Self {
        let (block, part) = ([[0.0; D]; D], [0.0; D]);
        Self {
            diagonal: vec![block; blocks],
            left: vec![block; blocks],
            border: vec![part; blocks],
            corner: 0.0,
            swept: vec![part; blocks],
        }
    }

    /// Back to zero.
    pub(super) fn clear(&mut self) {
        self.diagonal.fill([[0.0; D]; D]);
        self.left.fill([[0.0; D]; D]);
        self.border.fill([0.0; D]);
        self.corner = 0.0;
    }

    /// Eliminates block after block. False when the matrix is not positive definite.
    pub(super) fn factor(&mut self) -> bool {
        for at in 0..self.diagonal.len() {
            if at > 0 {
                let (inverse, left) = (self.diagonal[at - 1], self.left[at]);
                let share = product(&left, &inverse);
                for row in 0..D {
                    for column in 0..D {
                        self.diagonal[at][row][column] -= dot(&share[row], &left[column]);
                    }
                }
            }
            let Some(inverse) = inverse(&self.diagonal[at]) else { return false };
            self.diagonal[at] = inverse;
        }
        let mut swept = std::mem::take(&mut self.swept);
        swept.copy_from_slice(&self.border);
        self.solve_blocks(&mut swept);
        self.swept = swept;
        true
    }

    /// `A⁻¹` times `parts`, in place.
    fn solve_blocks(&self, parts: &mut [BlockVector<D>]) {
        for at in 1..parts.len() {
            let known = times(&self.diagonal[at - 1], &parts[at - 1]);
            for (value, row) in parts[at].iter_mut().zip(&self.left[at]) {
                *value -= dot(row, &known);
            }
        }
        for at in (0..parts.len()).rev() {
            if at + 1 < parts.len() {
                let next = parts[at + 1];
                for column in 0..D {
                    for row in 0..D {
                        parts[at][column] -= self.left[at + 1][row][column] * next[row];
                    }
                }
            }
            parts[at] = times(&self.diagonal[at], &parts[at]);
        }
    }

    /// Solves for right sides `parts` and `last`, in place; returns the last unknown. After [`factor`](Self::factor).
    pub(super) fn solve(&self, parts: &mut [BlockVector<D>], last: f64) -> f64 {
        self.solve_blocks(parts);
        let along = |parts: &[BlockVector<D>]| self.border.iter().zip(parts).map(|(a, b)| dot(a, b)).sum::<f64>();
        let last = (last - along(parts)) / (self.corner - along(&self.swept));
        for (part, swept) in parts.iter_mut().zip(&self.swept) {
            for (value, swept) in part.iter_mut().zip(swept) {
                *value -= last * swept;
            }
        }
        last
    }
}

#[inline]
pub(super) fn dot<const D: usize>(a: &BlockVector<D>, b: &BlockVector<D>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[inline]
fn times<const D: usize>(matrix: &BlockMatrix<D>, vector: &BlockVector<D>) -> BlockVector<D> {
    std::array::from_fn(|row| dot(&matrix[row], vector))
}

#[inline]
fn product<const D: usize>(a: &BlockMatrix<D>, b: &BlockMatrix<D>) -> BlockMatrix<D> {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..D).map(|at| a[row][at] * b[at][column]).sum()))
}

/// Gauss–Jordan; positive definite matrices need no pivoting. `None` for others.
#[inline]
fn inverse<const D: usize>(matrix: &BlockMatrix<D>) -> Option<BlockMatrix<D>> {
    let (mut left, mut right) = (*matrix, [[0.0; D]; D]);
    for at in 0..D {
        right[at][at] = 1.0;
    }
    for pivot in 0..D {
        if !(left[pivot][pivot] > 0.0) {
            return None;
        }
        let scale = 1.0 / left[pivot][pivot];
        for column in 0..D {
            left[pivot][column] *= scale;
            right[pivot][column] *= scale;
        }
        for row in (0..D).filter(|row| *row != pivot) {
            let share = left[row][pivot];
            for column in 0..D {
                left[row][column] -= share * left[pivot][column];
                right[row][column] -= share * right[pivot][column];
            }
        }
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use nalgebra::{DMatrix, DVector};

    use super::*;

    #[test]
    fn bordered_systems_are_solved_as_dense_ones() {
        for seed in 0..50 {
            let mut rng = SeededRng::new(seed);
            let blocks = 1 + rng.below(6);
            let size = 2 * blocks + 1;
            // Neighbours and the last variable only: a sum of squares of parts that touch no more.
            let mut dense = DMatrix::<f64>::identity(size, size) * 0.1;
            for at in 0..blocks {
                for _ in 0..3 {
                    let mut part = DVector::<f64>::zeros(size);
                    for entry in (2 * at.max(1) - 2)..2 * at + 2 {
                        part[entry] = rng.uniform(-1.0, 1.0);
                    }
                    part[size - 1] = rng.uniform(-1.0, 1.0);
                    dense += &part * part.transpose();
                }
            }
            let mut band = BlockTridiagonal::<2>::new(blocks);
            let block = |row: usize, column: usize| {
                std::array::from_fn(|i| std::array::from_fn(|j| dense[(2 * row + i, 2 * column + j)]))
            };
            for at in 0..blocks {
                band.diagonal[at] = block(at, at);
                band.left[at] = if at > 0 { block(at, at - 1) } else { [[0.0; 2]; 2] };
                band.border[at] = [dense[(2 * at, size - 1)], dense[(2 * at + 1, size - 1)]];
            }
            band.corner = dense[(size - 1, size - 1)];
            let right = DVector::from_fn(size, |_, _| rng.uniform(-1.0, 1.0));
            let mut parts: Vec<[f64; 2]> = (0..blocks).map(|at| [right[2 * at], right[2 * at + 1]]).collect();
            assert!(band.factor());
            let last = band.solve(&mut parts, right[size - 1]);
            let expected = dense.lu().solve(&right).expect("positive definite");
            let mut found: Vec<f64> = parts.concat();
            found.push(last);
            assert!((DVector::from_vec(found) - expected).amax() < 1e-9, "seed {seed}");
        }
    }
}
