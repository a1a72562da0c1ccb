//! Which centres: few balls of a given excess that cover all samples.

use super::samples::{Candidate, Samples};
use crate::ball::Sphere;

/// Steps of the search for the smallest excess; each halves the interval.
const STEPS: usize = 9;

/// Sets of samples, 64 per word.
type Bits = Vec<u64>;

/// Distances between samples and candidates, and what is covered at a given excess.
#[derive(Debug, Clone)]
pub(super) struct Coverage {
    candidates: Vec<Candidate>,
    /// Excess that each candidate needs for each sample, candidate by candidate.
    needed: Vec<f32>,
    samples: usize,
}

impl Coverage {
    pub(super) fn new(samples: &Samples) -> Self {
        let needed = |candidate: &Candidate| {
            let (center, height) = (candidate.center, candidate.height);
            let each = samples.points.iter();
            each.map(move |s| ((s.point - center).norm() + s.rounding + height) as f32).collect::<Vec<_>>()
        };
        let candidates = samples.candidates.clone();
        Self { needed: candidates.iter().flat_map(needed).collect(), candidates, samples: samples.points.len() }
    }

    /// Candidates whose balls of this excess cover all samples, chosen greedily; `None` when `most` do not suffice.
    pub(super) fn cover(&self, excess: f64, most: usize) -> Option<Vec<Candidate>> {
        let sets: Vec<Bits> = self.needed.chunks(self.samples).map(|row| bits(row, excess as f32)).collect();
        let mut open = bits(&vec![0.0; self.samples], 0.0);
        let mut chosen = Vec::new();
        while open.iter().any(|word| *word != 0) {
            let gain = |set: &Bits| set.iter().zip(&open).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
            let gains = sets.iter().map(gain).enumerate();
            // The first of equals.
            let (index, gain) = gains.fold((0, 0), |best, next| if next.1 > best.1 { next } else { best });
            if gain == 0 || chosen.len() == most {
                return None;
            }
            open.iter_mut().zip(&sets[index]).for_each(|(word, covered)| *word &= !covered);
            chosen.push(self.candidates[index]);
        }
        Some(chosen)
    }

    /// Balls, no more than `most`, that cover all samples with the least excess that the search finds.
    pub(super) fn best(&self, most: usize) -> Vec<Sphere> {
        // One ball around everything always does.
        let rows = self.needed.chunks(self.samples).map(|row| row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let mut high = f64::from(rows.fold(f32::INFINITY, f32::min));
        let mut best = self.cover(high, most).unwrap_or_default();
        let mut low = 0.0;
        for _ in 0..STEPS {
            let middle = 0.5 * (low + high);
            match self.cover(middle, most) {
                Some(chosen) => (high, best) = (middle, chosen),
                None => low = middle,
            }
        }
        best.iter().map(|chosen| Sphere::new(chosen.center, (high - chosen.height).max(0.0))).collect()
    }
}

fn bits(row: &[f32], excess: f32) -> Bits {
    let word = |chunk: &[f32]| {
        chunk.iter().enumerate().fold(0, |word, (place, needed)| word | u64::from(*needed <= excess) << place)
    };
    row.chunks(64).map(word).collect()
}
