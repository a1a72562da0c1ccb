//! Symmetric matrices with two bands beside the diagonal.

/// Rows of the lower half: `[i][b]` is the entry of row `i` and column `i − b`.
pub(crate) type Band = Vec<[f64; 3]>;

/// Solves `matrix · x = right`, answer in `right`; the matrix, which must be positive definite, is overwritten by its
/// factors L D Lᵀ. False when it is not positive definite.
pub(crate) fn solve(matrix: &mut Band, right: &mut [f64]) -> bool {
    let n = right.len();
    for i in 0..n {
        let [mut diagonal, mut one, mut two] = matrix[i];
        if i >= 2 {
            two /= matrix[i - 2][0];
            one -= two * matrix[i - 2][0] * matrix[i - 1][1];
            diagonal -= two * two * matrix[i - 2][0];
        }
        if i >= 1 {
            one /= matrix[i - 1][0];
            diagonal -= one * one * matrix[i - 1][0];
        }
        if !(diagonal > 0.0) {
            return false;
        }
        matrix[i] = [diagonal, one, two];
        let above = |back: usize| if i >= back { right[i - back] } else { 0.0 };
        right[i] -= one * above(1) + two * above(2);
    }
    for i in (0..n).rev() {
        let below = |ahead: usize| if i + ahead < n { matrix[i + ahead][ahead] * right[i + ahead] } else { 0.0 };
        right[i] = right[i] / matrix[i][0] - below(1) - below(2);
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
