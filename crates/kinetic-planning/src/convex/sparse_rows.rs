//! Matrices of rows with few entries.

/// The entries of a matrix, row by row.
#[derive(Debug)]
pub(super) struct SparseRows {
    /// Where each row begins, and where the last one ends.
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl SparseRows {
    pub(super) fn new() -> Self {
        Self { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Adds a row; entries that are zero are left out.
    pub(super) fn push(&mut self, terms: impl Iterator<Item = (usize, f64)>) {
        for (column, value) in terms.filter(|(_, value)| *value != 0.0) {
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        let entries = self.starts[row]..self.starts[row + 1];
        self.columns[entries.clone()].iter().copied().zip(self.values[entries].iter().copied())
    }

    /// Row, column and value of every entry.
    pub(super) fn triplets(&self) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
        let rows = (0..self.len()).flat_map(|row| std::iter::repeat_n(row, self.starts[row + 1] - self.starts[row]));
        (rows.collect(), self.columns.clone(), self.values.clone())
    }
}
