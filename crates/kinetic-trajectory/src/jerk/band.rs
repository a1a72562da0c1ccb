//! Symmetric matrices with two bands beside the diagonal.

/// Rows of the lower half: `[i][b]` is the entry of row `i` and column `i − b`.
pub(crate) type Band = Vec<[f64; 3]>;

/// Solves `matrix · x = right`, answer in `right`; the matrix, which must be positive definite, is overwritten by its
/// factors L D Lᵀ, with the inverse of D. False when it is not positive definite.
pub(crate) fn solve(matrix: &mut Band, right: &mut [f64]) -> bool {
    let n = right.len();
    // Of the two rows before: the inverse of their diagonals, and what the first one has beside it, times its diagonal.
    let (mut inverses, mut beside) = ([0.0; 2], 0.0);
    for i in 0..n {
        let [diagonal, one, two] = matrix[i];
        let second = two * inverses[1];
        let one = one - second * beside;
        let first = one * inverses[0];
        let diagonal = diagonal - second * two - first * one;
        if !(diagonal > 0.0) {
            return false;
        }
        (inverses, beside) = ([1.0 / diagonal, inverses[0]], one);
        matrix[i] = [inverses[0], first, second];
        let above = |back: usize| if i >= back { right[i - back] } else { 0.0 };
        right[i] -= first * above(1) + second * above(2);
    }
    for i in (0..n).rev() {
        let below = |ahead: usize| if i + ahead < n { matrix[i + ahead][ahead] * right[i + ahead] } else { 0.0 };
        right[i] = right[i] * matrix[i][0] - below(1) - below(2);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinetic_core::rng::SeededRng;

    #[test]
    fn the_solution_of_a_random_diagonally_dominant_system_gives_the_right_side_back() {
        let mut rng = SeededRng::new(3);
        for n in 1..20 {
            let full: Band = (0..n)
                .map(|i| {
                    let mut entry = |back: usize| if i >= back { rng.uniform(-1.0, 1.0) } else { 0.0 };
                    [5.0, entry(1), entry(2)]
                })
                .collect();
            let x: Vec<f64> = (0..n).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let entry = |i: usize, j: usize| {
                let (i, j) = (i.max(j), i.min(j));
                if i - j < 3 { full[i][i - j] } else { 0.0 }
            };
            let mut right: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
            assert!(solve(&mut full.clone(), &mut right));
            assert!(right.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12), "{n}");
        }
    }
}
