//! Greedy set cover with lazy evaluation (Minoux 1978): few spheres of a given excess that cover all samples.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::samples::{Candidate, Samples};
use crate::ball::Sphere;

/// Steps of the search for the smallest excess; each halves the interval.
const EXCESS_HALVINGS: usize = 9;

/// Distances between samples and candidates.
#[derive(Debug, Clone)]
pub(super) struct Coverage {
    candidates: Vec<Candidate>,
    /// Excess that each candidate needs for each sample, candidate by candidate; whole words of samples, those beyond the
    /// last one are never covered.
    needed: Vec<f32>,
    samples: usize,
    /// Least excess at which one ball covers everything.
    of_one: f64,
}

/// Cache of greedy choices by excess, because searches for several counts evaluate the same ones.
#[derive(Debug, Default)]
pub(super) struct Choices(BTreeMap<u64, Choice>);

#[derive(Debug)]
struct Choice {
    /// Indices of candidates, in the order in which they were chosen.
    chosen: Vec<usize>,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// All samples are covered.
    Covered,
    /// As many as were allowed are chosen, and samples are left.
    Full,
    /// No candidate covers what is left.
    Stuck,
}

impl Coverage {
    pub(super) fn new(samples: &Samples) -> Self {
        let mut needed = Vec::with_capacity(samples.candidates.len() * samples.points.len().next_multiple_of(64));
        let mut of_one = f32::INFINITY;
        for Candidate { center, height } in &samples.candidates {
            let first = needed.len();
            needed.extend(samples.points.iter().map(|s| ((s.point - center).norm() + s.rounding + height) as f32));
            of_one = of_one.min(needed[first..].iter().copied().fold(f32::NEG_INFINITY, f32::max));
            needed.resize(needed.len().next_multiple_of(64), f32::INFINITY);
        }
        Self {
            needed,
            candidates: samples.candidates.clone(),
            samples: samples.points.len(),
            of_one: f64::from(of_one),
        }
    }

    /// Number of balls of this excess that cover all samples, chosen greedily; `None` when `most` do not suffice.
    pub(super) fn count(&self, excess: f64, most: usize, choices: &mut Choices) -> Option<usize> {
        self.cover(excess, most, choices).map(<[usize]>::len)
    }

    /// Candidates whose balls of this excess cover all samples; `None` when `most` do not suffice.
    fn cover<'a>(&self, excess: f64, most: usize, choices: &'a mut Choices) -> Option<&'a [usize]> {
        let known = choices.0.get(&excess.to_bits());
        if known.is_none_or(|known| known.end == End::Full && known.chosen.len() < most) {
            choices.0.insert(excess.to_bits(), self.choose(excess as f32, most));
        }
        let known = &choices.0[&excess.to_bits()];
        (known.end == End::Covered && known.chosen.len() <= most).then_some(known.chosen.as_slice())
    }

    /// Takes the candidate that covers most of what is left, of equals the first, as long as there is one. The gain of
    /// a candidate never grows, so that a candidate whose updated gain is not below the old gains of the others is the
    /// best (Minoux 1978).
    fn choose(&self, excess: f32, most: usize) -> Choice {
        let words = self.samples.div_ceil(64);
        let sets: Vec<u64> = self.needed.as_chunks::<64>().0.iter().map(|samples| word(samples, excess)).collect();
        let mut open: Vec<u64> = (0..words).map(|index| first_bits(self.samples - 64 * index)).collect();
        let gain = |index: usize, open: &[u64]| {
            let set = &sets[index * words..][..words];
            set.iter().zip(open).map(|(a, b)| (a & b).count_ones()).sum::<u32>()
        };
        let mut order: BinaryHeap<(u32, Reverse<usize>)> =
            (0..self.candidates.len()).map(|index| (gain(index, &open), Reverse(index))).collect();
        let mut chosen = Vec::new();
        while open.iter().any(|word| *word != 0) {
            if chosen.len() == most {
                return Choice { chosen, end: End::Full };
            }
            let Some(best) = next_best(&mut order, |index| gain(index, &open)) else {
                return Choice { chosen, end: End::Stuck };
            };
            open.iter_mut().zip(&sets[best * words..]).for_each(|(word, covered)| *word &= !covered);
            chosen.push(best);
        }
        Choice { chosen, end: End::Covered }
    }

    /// Balls, no more than `most`, that cover all samples with the least excess that the search finds.
    pub(super) fn best(&self, most: usize, choices: &mut Choices) -> Vec<Sphere> {
        // One ball around everything always does.
        let mut high = self.of_one;
        let mut best = self.cover(high, most, choices).unwrap_or_default().to_vec();
        let mut low = 0.0;
        for _ in 0..EXCESS_HALVINGS {
            let middle = 0.5 * (low + high);
            match self.cover(middle, most, choices) {
                Some(chosen) => (high, best) = (middle, chosen.to_vec()),
                None => low = middle,
            }
        }
        let ball = |index: usize| {
            let Candidate { center, height } = self.candidates[index];
            Sphere::new(center, (high - height).max(0.0))
        };
        best.into_iter().map(ball).collect()
    }
}

/// Takes the candidate of the largest gain, of equals the first, from an order by gains that may have fallen since; `None`
/// when nothing gains.
fn next_best(order: &mut BinaryHeap<(u32, Reverse<usize>)>, gain: impl Fn(usize) -> u32) -> Option<usize> {
    while let Some((_, Reverse(index))) = order.pop() {
        let now = (gain(index), Reverse(index));
        if order.peek().is_none_or(|next| now >= *next) {
            return (now.0 > 0).then_some(index);
        }
        order.push(now);
    }
    None
}

/// The samples, of 64, for which an excess is enough.
fn word(needed: &[f32; 64], excess: f32) -> u64 {
    // Comparisons of whole registers, then multiplications that move the lowest bits of eight bytes side by side.
    let mut flags = [0; 64];
    for (flag, needed) in flags.iter_mut().zip(needed) {
        *flag = u8::from(*needed <= excess);
    }
    let byte = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    flags.as_chunks::<8>().0.iter().rev().fold(0, |word, eight| word << 8 | byte(eight))
}

/// The lowest `count` bits, all 64 at most.
fn first_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

#[cfg(test)]
mod tests;
