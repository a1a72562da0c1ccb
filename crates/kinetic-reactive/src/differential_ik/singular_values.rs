//! Singular values and vectors by one-sided Jacobi rotations (Hestenes 1958), which keep small singular values accurate,
//! without allocation.

use super::velocity_problem::SingularityDamping;

/// Sweeps over all pairs; ten are plenty for the sizes of Jacobians.
const MOST_SWEEPS: usize = 30;
/// Vectors whose cosine is below this are orthogonal.
const ORTHOGONAL_COSINE: f64 = 1e-14;
/// Singular values below this part of the largest have no right vector: no joint velocity shows there.
const VANISHING_PART: f64 = 1e-12;

/// Decomposition of matrices of m rows and n columns into `min(m, n)` singular values with their vectors, in no order.
#[derive(Debug, Clone)]
pub(super) struct SingularValues {
    rows: usize,
    columns: usize,
    /// `min(m, n)` vectors: rows of the matrix, or its columns when those are fewer.
    vectors: Vec<f64>,
    /// How the vectors were combined.
    combination: Vec<f64>,
    sigma: Vec<f64>,
}

impl SingularValues {
    /// Memory for matrices of up to this size.
    pub(super) fn new(most_rows: usize, columns: usize) -> Self {
        let fewer = most_rows.min(columns);
        let vectors = vec![0.0; most_rows * columns];
        Self { rows: 0, columns, vectors, combination: vec![0.0; fewer * fewer], sigma: vec![0.0; fewer] }
    }

    /// Number of singular values.
    pub(super) fn len(&self) -> usize {
        self.rows.min(self.columns)
    }

    fn is_wide(&self) -> bool {
        self.rows <= self.columns
    }

    /// Decomposes a matrix, row after row. A larger one than ever before allocates.
    pub(super) fn decompose(&mut self, matrix: &[f64], columns: usize) {
        (self.rows, self.columns) = (matrix.len() / columns, columns);
        let count = self.len();
        let length = self.rows.max(columns);
        self.make_room(matrix.len(), count);
        if self.is_wide() {
            self.vectors[..matrix.len()].copy_from_slice(matrix);
        } else {
            for (row, values) in matrix.chunks_exact(columns).enumerate() {
                for (column, value) in values.iter().enumerate() {
                    self.vectors[column * length + row] = *value;
                }
            }
        }
        self.combination[..count * count].fill(0.0);
        for index in 0..count {
            self.combination[index * count + index] = 1.0;
        }
        self.orthogonalise(count, length);
        for (sigma, vector) in self.sigma.iter_mut().zip(self.vectors.chunks_exact(length.max(1))).take(count) {
            *sigma = dot(vector, vector).sqrt();
        }
        self.normalise(count, length);
    }

    fn make_room(&mut self, size: usize, count: usize) {
        if self.vectors.len() < size {
            self.vectors.resize(size, 0.0);
        }
        if self.sigma.len() < count {
            self.combination.resize(count * count, 0.0);
            self.sigma.resize(count, 0.0);
        }
    }

    fn orthogonalise(&mut self, count: usize, length: usize) {
        for _ in 0..MOST_SWEEPS {
            let mut turned = false;
            for i in 0..count {
                for j in i + 1..count {
                    if let Some((c, s)) = rotation(pair(&mut self.vectors, i, j, length)) {
                        turn(pair(&mut self.vectors, i, j, length), c, s);
                        turn(pair(&mut self.combination, i, j, count), c, s);
                        turned = true;
                    }
                }
            }
            if !turned {
                return;
            }
        }
    }

    fn normalise(&mut self, count: usize, length: usize) {
        let largest = self.sigma[..count].iter().fold(0.0_f64, |largest, sigma| largest.max(*sigma));
        for (sigma, vector) in self.sigma.iter_mut().zip(self.vectors.chunks_exact_mut(length.max(1))).take(count) {
            let vanishes = *sigma <= VANISHING_PART * largest;
            let scale = if vanishes { 0.0 } else { 1.0 / *sigma };
            for value in vector.iter_mut() {
                *value *= scale;
            }
            if vanishes {
                *sigma = 0.0;
            }
        }
    }

    /// A singular value; 0 when it vanishes beside the largest.
    pub(super) fn sigma(&self, index: usize) -> f64 {
        self.sigma[index]
    }

    /// The velocity of the rows that a unit of [`right`](Self::right) brings about, over σ; zeros for σ = 0 of a matrix
    /// with more rows than columns.
    pub(super) fn left(&self, index: usize) -> &[f64] {
        if self.is_wide() { self.combined(index) } else { self.vector(index) }
    }

    /// The unit joint velocity; zeros for σ = 0 of a matrix that has no more rows than columns.
    pub(super) fn right(&self, index: usize) -> &[f64] {
        if self.is_wide() { self.vector(index) } else { self.combined(index) }
    }

    fn vector(&self, index: usize) -> &[f64] {
        let length = self.rows.max(self.columns);
        &self.vectors[index * length..(index + 1) * length]
    }

    fn combined(&self, index: usize) -> &[f64] {
        &self.combination[index * self.len()..(index + 1) * self.len()]
    }

    /// Writes the joint velocities of damped least squares for what is wanted of the rows; answers with the product of what they bring
    /// about and what is wanted.
    pub(super) fn write_damped(&self, wanted: &[f64], damping: &SingularityDamping, velocity: &mut [f64]) -> f64 {
        velocity.fill(0.0);
        let mut achieved = 0.0;
        for index in (0..self.len()).filter(|index| self.sigma(*index) > 0.0) {
            let (sigma, along) = (self.sigma(index), dot(self.left(index), wanted));
            let speed = sigma * along / (sigma * sigma + damping.squared(sigma, along));
            velocity.iter_mut().zip(self.right(index)).for_each(|(velocity, right)| *velocity += speed * right);
            achieved += along * sigma * speed;
        }
        achieved
    }

    /// The index of the smallest singular value; `None` for a matrix without rows.
    pub(super) fn smallest(&self) -> Option<usize> {
        (0..self.len()).min_by(|a, b| self.sigma[*a].total_cmp(&self.sigma[*b]))
    }
}

fn pair(vectors: &mut [f64], i: usize, j: usize, length: usize) -> (&mut [f64], &mut [f64]) {
    let (head, tail) = vectors.split_at_mut(j * length);
    (&mut head[i * length..(i + 1) * length], &mut tail[..length])
}

/// Cosine and sine of the turn that makes two vectors orthogonal (Golub & Van Loan, 8.6.3); none when they are.
fn rotation((x, y): (&mut [f64], &mut [f64])) -> Option<(f64, f64)> {
    let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
    if xy == 0.0 || xy.abs() <= ORTHOGONAL_COSINE * (xx * yy).sqrt() {
        return None;
    }
    let zeta = (yy - xx) / (2.0 * xy);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    Some((c, c * t))
}

fn turn((x, y): (&mut [f64], &mut [f64]), c: f64, s: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
