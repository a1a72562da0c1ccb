//! `LDLᵀ` factorisation of a Gram matrix that grows and shrinks by one row at a time.

/// `G = L D Lᵀ`, `L` with ones on its diagonal.
#[derive(Debug, Clone)]
pub(super) struct Ldl {
    capacity: usize,
    len: usize,
    /// Strictly lower part of `L`, row after row.
    lower: Vec<f64>,
    diagonal: Vec<f64>,
    scratch: Vec<f64>,
}

impl Ldl {
    pub(super) fn new(capacity: usize) -> Self {
        let zeros = vec![0.0; capacity];
        Self { capacity, len: 0, lower: vec![0.0; capacity * capacity], diagonal: zeros.clone(), scratch: zeros }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.lower[row * self.capacity..row * self.capacity + row]
    }

    /// The pivot that a further row would have: `gram` are its products with the rows so far, `square` the one with
    /// itself. [`push`](Self::push) takes the row.
    pub(super) fn propose(&mut self, gram: &[f64], square: f64) -> f64 {
        let k = self.len;
        let (before, new) = self.lower.split_at_mut(k * self.capacity);
        let new = &mut new[..k];
        let mut pivot = square;
        for i in 0..k {
            let row = &before[i * self.capacity..i * self.capacity + i];
            let sum: f64 = row.iter().zip(&*new).map(|(l, y)| l * y).sum();
            new[i] = gram[i] - sum;
        }
        for (y, d) in new.iter_mut().zip(&self.diagonal) {
            let l = *y / d;
            pivot -= *y * l;
            *y = l;
        }
        self.diagonal[k] = pivot;
        pivot
    }

    /// Replaces the pivot of the last [`propose`](Self::propose) by one that is known better.
    pub(super) fn set_pivot(&mut self, pivot: f64) {
        self.diagonal[self.len] = pivot;
    }

    /// Takes the row of the last [`propose`](Self::propose).
    pub(super) fn push(&mut self) {
        self.len += 1;
    }

    /// The combination of the rows that equals the proposed row: `Lᵀ p = l`.
    pub(super) fn combination(&self, out: &mut [f64]) {
        let k = self.len;
        out.copy_from_slice(&self.lower[k * self.capacity..k * self.capacity + k]);
        self.back_substitute(out);
    }

    fn back_substitute(&self, out: &mut [f64]) {
        for i in (0..self.len).rev() {
            let value = out[i];
            for (out, l) in out[..i].iter_mut().zip(self.row(i)) {
                *out -= l * value;
            }
        }
    }

    /// Solves `G y = r` in place; returns `½ rᵀ y`.
    pub(super) fn solve(&self, y: &mut [f64]) -> f64 {
        for i in 0..self.len {
            let sum: f64 = self.row(i).iter().zip(&*y).map(|(l, y)| l * y).sum();
            y[i] -= sum;
        }
        let mut half = 0.0;
        for (y, d) in y.iter_mut().zip(&self.diagonal[..self.len]) {
            half += 0.5 * *y * *y / d;
            *y /= d;
        }
        self.back_substitute(y);
        half
    }

    /// Drops a row: what follows it takes a positive rank-one update (Gill, Golub, Murray & Saunders 1974, method C1).
    pub(super) fn remove(&mut self, position: usize) {
        let (k, capacity) = (self.len, self.capacity);
        for i in position + 1..k {
            self.scratch[i] = self.lower[i * capacity + position];
        }
        let mut alpha = self.diagonal[position];
        for j in position + 1..k {
            let p = self.scratch[j];
            let updated = self.diagonal[j] + alpha * p * p;
            let beta = p * alpha / updated;
            alpha *= self.diagonal[j] / updated;
            self.diagonal[j] = updated;
            for i in j + 1..k {
                let l = &mut self.lower[i * capacity + j];
                self.scratch[i] -= p * *l;
                *l += beta * self.scratch[i];
            }
        }
        for i in position + 1..k {
            let from = i * capacity;
            let to = from - capacity;
            self.lower.copy_within(from..from + position, to);
            self.lower.copy_within(from + position + 1..from + i, to + position);
            self.diagonal[i - 1] = self.diagonal[i];
        }
        self.len -= 1;
    }
}
