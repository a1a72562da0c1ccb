//! How late commands were.

/// Number of bins.
const HISTOGRAM_BINS: usize = 24;

/// How late commands were begun, in bins of doubling width: 0 to 1 µs, 1 to 2 µs, 2 to 4 µs, … , above 4 s.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JitterHistogram {
    counts: [u64; HISTOGRAM_BINS],
    count: u64,
    sum: f64,
    largest: f64,
}

impl JitterHistogram {
    /// Adds a lateness, s; negative is on time.
    pub(crate) fn add(&mut self, late: f64) {
        let late = late.max(0.0);
        let bin = (0..HISTOGRAM_BINS - 1).find(|bin| late < Self::upper_edge(*bin)).unwrap_or(HISTOGRAM_BINS - 1);
        self.counts[bin] += 1;
        self.count += 1;
        self.sum += late;
        self.largest = self.largest.max(late);
    }

    /// Upper edge of a bin, s; that of the last is infinite.
    pub fn upper_edge(bin: usize) -> f64 {
        if bin + 1 >= HISTOGRAM_BINS {
            f64::INFINITY
        } else {
            1e-6 * f64::powi(2.0, i32::try_from(bin).unwrap_or(i32::MAX))
        }
    }

    /// Number of commands per bin.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Number of commands.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean lateness, s; 0 without commands.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Largest lateness, s.
    pub fn max(&self) -> f64 {
        self.largest
    }
}
