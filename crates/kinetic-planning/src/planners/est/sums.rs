//! Draws by weight.

/// Weights with their sums in a Fenwick tree ("A new data structure for cumulative frequency tables", 1994), so that changes of
/// a weight and draws take logarithmic time.
#[derive(Debug, Clone, Default)]
pub(super) struct Weights {
    weights: Vec<f64>,
    /// Entry `i` (from 1) is the sum of the `i & -i` weights up to the `i`-th.
    sums: Vec<f64>,
}

impl Weights {
    pub(super) fn clear(&mut self) {
        self.weights.clear();
        self.sums.clear();
    }

    pub(super) fn push(&mut self, weight: f64) {
        self.weights.push(weight);
        let end = self.weights.len();
        let first = end - (end & end.wrapping_neg());
        self.sums.push(self.weights[first..].iter().sum());
    }

    pub(super) fn set(&mut self, index: usize, weight: f64) {
        let change = weight - self.weights[index];
        self.weights[index] = weight;
        let mut place = index + 1;
        while place <= self.sums.len() {
            self.sums[place - 1] += change;
            place += place & place.wrapping_neg();
        }
    }

    /// The index at a part of the sum of all weights, in [0, 1).
    pub(super) fn at(&self, part: f64) -> usize {
        let mut left = part * self.total();
        let (mut place, mut step) = (0, self.sums.len().next_power_of_two());
        while step > 0 {
            if place + step <= self.sums.len() && self.sums[place + step - 1] <= left {
                place += step;
                left -= self.sums[place - 1];
            }
            step /= 2;
        }
        place.min(self.weights.len() - 1)
    }

    fn total(&self) -> f64 {
        let (mut place, mut total) = (self.sums.len(), 0.0);
        while place > 0 {
            total += self.sums[place - 1];
            place &= place - 1;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;

    use super::*;

    #[test]
    fn draws_are_those_of_running_sums() {
        for seed in 0..50 {
            let mut rng = SeededRng::new(seed);
            let (mut weights, mut plain) = (Weights::default(), Vec::new());
            for _ in 0..=rng.below(60) {
                // Powers of two are added without rounding.
                let weight = [0.25, 0.5, 1.0, 2.0][rng.below(4)];
                weights.push(weight);
                plain.push(weight);
                let changed = rng.below(plain.len());
                plain[changed] = [0.0, 0.25, 1.0][rng.below(3)];
                weights.set(changed, plain[changed]);
                let total: f64 = plain.iter().sum();
                if total == 0.0 {
                    continue;
                }
                let part = rng.unit();
                let mut left = part * total;
                let expected = plain.iter().position(|weight| {
                    left -= weight;
                    left < 0.0
                });
                assert_eq!(Some(weights.at(part)), expected, "seed {seed}: {plain:?} at {part}");
            }
        }
    }
}
