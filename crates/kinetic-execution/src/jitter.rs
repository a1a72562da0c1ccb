//! How late commands were.

/// Number of bins.
const HISTOGRAM_BINS: usize = 24;

/// Parts of equal width of each bin, from which quantiles follow, as in an HDR histogram.
const PARTS: usize = 8;

/// How late commands were begun, in bins of doubling width: 0 to 1 µs, 1 to 2 µs, 2 to 4 µs, … , above 4 s.
#[derive(Debug, Clone, PartialEq)]
pub struct JitterHistogram {
    counts: [u64; HISTOGRAM_BINS],
    parts: [[u64; PARTS]; HISTOGRAM_BINS],
    count: u64,
    sum: f64,
    largest: f64,
}

impl Default for JitterHistogram {
    fn default() -> Self {
        let parts = [[0; PARTS]; HISTOGRAM_BINS];
        Self { counts: [0; HISTOGRAM_BINS], parts, count: 0, sum: 0.0, largest: 0.0 }
    }
}

impl JitterHistogram {
    /// Adds a lateness, s; negative is on time.
    pub(crate) fn add(&mut self, late: f64) {
        let late = late.max(0.0);
        let bin = (0..HISTOGRAM_BINS - 1).find(|bin| late < Self::upper_edge(*bin)).unwrap_or(HISTOGRAM_BINS - 1);
        let part = (0..PARTS - 1).find(|part| late < upper_edge_of_part(bin, *part)).unwrap_or(PARTS - 1);
        self.counts[bin] += 1;
        self.parts[bin][part] += 1;
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

    /// A lateness, s, that at least `fraction` (0 to 1) of the commands did not exceed, and at most an eighth, or 0.125 µs,
    /// above the smallest such; 0 without commands.
    pub fn quantile(&self, fraction: f64) -> f64 {
        let wanted = fraction * self.count as f64;
        let mut counted = 0;
        for (bin, parts) in self.parts.iter().enumerate() {
            for (part, count) in parts.iter().enumerate() {
                counted += count;
                if *count > 0 && counted as f64 >= wanted {
                    return upper_edge_of_part(bin, part).min(self.largest);
                }
            }
        }
        self.largest
    }
}

/// Upper edge of a part of a bin, s.
fn upper_edge_of_part(bin: usize, part: usize) -> f64 {
    let lower = if bin == 0 { 0.0 } else { JitterHistogram::upper_edge(bin - 1) };
    lower + (JitterHistogram::upper_edge(bin) - lower) * (part + 1) as f64 / PARTS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_values_within_a_part_of_a_bin() {
        // 0.3 µs to 3 s, each a bit more than the one before; in an order of no kind.
        let mut values: Vec<f64> =
            (0..1000_u32).map(|n| 0.3e-6 * f64::powf(1e7, f64::from(n * 389 % 1000) / 999.0)).collect();
        let mut histogram = JitterHistogram::default();
        for value in &values {
            histogram.add(*value);
        }
        values.sort_by(f64::total_cmp);
        for (fraction, rank) in [(0.0, 1), (0.001, 1), (0.5, 500), (0.99, 990), (0.999, 999), (1.0, 1000)] {
            let (found, wanted) = (histogram.quantile(fraction), values[rank - 1]);
            assert!(
                found >= wanted && found <= (wanted * 1.125).max(wanted + 0.125e-6),
                "{fraction}: {found} {wanted}"
            );
        }
        assert_eq!(histogram.quantile(1.0), values[999]);
        assert_eq!(histogram.counts().iter().sum::<u64>(), 1000);
        assert_eq!(JitterHistogram::default().quantile(0.5), 0.0);
    }
}
