//! Combinations of one choice from each of several lists, the cheapest first (best-first enumeration with a heap).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Iterates over index tuples in the order of the sum of their costs; of equal sums the smaller tuple comes first.
pub(super) struct Combinations {
    /// Ascending costs per list, not negative.
    costs: Vec<Vec<f64>>,
    /// The bits of numbers that are not negative order as the numbers do.
    frontier: BinaryHeap<Reverse<(u64, Vec<usize>)>>,
    seen: BTreeSet<Vec<usize>>,
}

impl Combinations {
    pub(super) fn new(costs: Vec<Vec<f64>>) -> Self {
        let first = vec![0; costs.len()];
        let mut all = Self { costs, frontier: BinaryHeap::new(), seen: BTreeSet::new() };
        all.push(first);
        all
    }

    fn push(&mut self, choice: Vec<usize>) {
        let costs = self.costs.iter().zip(&choice).map(|(costs, index)| costs.get(*index));
        let sum: Option<f64> = costs.sum();
        if let Some(sum) = sum.filter(|_| self.seen.insert(choice.clone())) {
            self.frontier.push(Reverse((sum.to_bits(), choice)));
        }
    }
}

impl Iterator for Combinations {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let Reverse((_, choice)) = self.frontier.pop()?;
        for list in 0..choice.len() {
            let mut next = choice.clone();
            next[list] += 1;
            self.push(next);
        }
        Some(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::Combinations;

    #[test]
    fn combinations_come_in_the_order_of_a_sorted_product() {
        let costs = vec![vec![0.0, 1.0, 5.0], vec![0.5, 0.6], vec![0.0, 3.0, 3.0, 9.0]];
        let sum = |choice: &[usize]| choice.iter().zip(&costs).map(|(index, costs)| costs[*index]).sum::<f64>();
        let mut product = Vec::new();
        for a in 0..3 {
            for b in 0..2 {
                product.extend((0..4).map(|c| vec![a, b, c]));
            }
        }
        product.sort_by(|one, other| sum(one).total_cmp(&sum(other)).then(one.cmp(other)));
        assert_eq!(Combinations::new(costs.clone()).collect::<Vec<_>>(), product);
    }

    #[test]
    fn an_empty_list_has_no_combination() {
        assert_eq!(Combinations::new(vec![vec![0.0], vec![]]).count(), 0);
    }
}
