//! The best path by trying all of them: no labels, no boxes of turns, no pruning.

use std::f64::consts::{PI, TAU};

/// What the ladder is about.
pub(crate) struct Problem<'a> {
    /// Configurations of each pose.
    pub(crate) layers: &'a [Vec<Vec<f64>>],
    pub(crate) start: Option<&'a [f64]>,
    pub(crate) bounds: &'a [(f64, f64)],
    pub(crate) is_rotation: &'a [bool],
    pub(crate) steps: &'a [f64],
    /// Whether a step may be taken; turns of 2π make no difference.
    pub(crate) is_valid: &'a dyn Fn(&[f64], &[f64]) -> bool,
}

/// Number of splits, largest step and length of the best path, compared in this order.
pub(crate) type Best = (usize, f64, f64);

impl Problem<'_> {
    /// Every sequence of configurations with every set of splits. `None` when a pose has no configuration at all.
    pub(crate) fn best(&self) -> Option<Best> {
        let mut best = None;
        let mut rows = Vec::new();
        let mut splits = Vec::new();
        self.extend(&mut rows, &mut splits, &mut best);
        best
    }

    fn extend<'b>(&'b self, rows: &mut Vec<&'b [f64]>, splits: &mut Vec<bool>, best: &mut Option<Best>) {
        let Some(layer) = self.layers.get(rows.len()) else {
            if let Some(found) = self.measure(rows, splits)
                && best.is_none_or(|best| found < best)
            {
                *best = Some(found);
            }
            return;
        };
        let may_go_on = !rows.is_empty() || self.start.is_some();
        for row in layer {
            for starts in [false, true] {
                if starts || may_go_on {
                    rows.push(row);
                    splits.push(starts);
                    self.extend(rows, splits, best);
                    rows.pop();
                    splits.pop();
                }
            }
        }
    }

    /// `None` for a sequence with a step that is too large, or with a segment that fits no turns.
    fn measure(&self, rows: &[&[f64]], splits: &[bool]) -> Option<Best> {
        let (mut largest, mut length) = (0.0_f64, 0.0);
        let mut segment: Vec<Vec<f64>> = self.start.iter().map(|start| start.to_vec()).collect();
        let mut is_anchored = self.start.is_some();
        for (row, starts) in rows.iter().zip(splits) {
            if *starts {
                self.check(&segment, is_anchored)?;
                segment = vec![row.to_vec()];
                is_anchored = false;
                continue;
            }
            let next = self.continuation(&segment[segment.len() - 1], row);
            if !(self.is_valid)(&segment[segment.len() - 1], &next) {
                return None;
            }
            let step: Vec<f64> = next.iter().zip(&segment[segment.len() - 1]).map(|(a, b)| (a - b).abs()).collect();
            if step.iter().zip(self.steps).any(|(step, most)| step > most) {
                return None;
            }
            largest = step.iter().copied().fold(largest, f64::max);
            length += step.iter().map(|step| step * step).sum::<f64>().sqrt();
            segment.push(next);
        }
        self.check(&segment, is_anchored)?;
        // The first segment of a path without start is no split.
        let count = splits.iter().filter(|starts| **starts).count() - usize::from(self.start.is_none());
        // Equal steps on different turns differ by rounding.
        Some((count, (largest * 1e10).round() / 1e10, length))
    }

    fn continuation(&self, from: &[f64], row: &[f64]) -> Vec<f64> {
        let near = |joint: usize| {
            if !self.is_rotation[joint] {
                return row[joint];
            }
            let ahead = (row[joint] - from[joint]).rem_euclid(TAU);
            from[joint] + if ahead > PI { ahead - TAU } else { ahead }
        };
        (0..row.len()).map(near).collect()
    }

    /// Some number of turns must bring every joint inside its limits all along the segment; none, from a given start.
    fn check(&self, segment: &[Vec<f64>], is_anchored: bool) -> Option<()> {
        let first = usize::from(is_anchored);
        for (joint, (low, high)) in self.bounds.iter().enumerate() {
            let turns = if is_anchored || !self.is_rotation[joint] { 0..=0 } else { -4..=4 };
            let fits = |turns: i32| {
                let inside = |q: &Vec<f64>| {
                    let value = q[joint] + f64::from(turns) * TAU;
                    value >= low - 1e-9 && value <= high + 1e-9
                };
                segment[first.min(segment.len())..].iter().all(inside)
            };
            if !turns.into_iter().any(fits) {
                return None;
            }
        }
        Some(())
    }
}
