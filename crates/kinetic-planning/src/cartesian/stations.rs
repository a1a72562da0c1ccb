//! Stations of a tool path: where it is sampled.

use kinetic_core::{KineticError, Result};
use kinetic_ik::ToolPath;

/// A corner, and a line, get at least this many samples at first.
const MIN_SAMPLES_PER_CORNER: f64 = 12.0;
const MIN_SAMPLES_PER_LINE: f64 = 6.0;

/// More samples than this are not taken.
const MAX_SAMPLES: f64 = 1e5;

/// Stations between stops up to `end`, both ends of every run included: lines at most `step` apart (m), corners with as many
/// samples whatever their size. `finer`: how many times closer than at first.
pub(crate) fn stations(path: &ToolPath, end: f64, step: f64, finer: f64) -> Result<Vec<Vec<f64>>> {
    let corners = path.corners();
    let stops: Vec<f64> = path.stops().into_iter().filter(|stop| *stop < end).chain([end]).collect();
    let (mut runs, mut total) = (Vec::new(), 0.0);
    for ends in stops.windows(2) {
        let inside = corners.iter().flatten().copied().filter(|at| *at > ends[0] && *at < ends[1]);
        let cuts: Vec<f64> = [ends[0]].into_iter().chain(inside).chain([ends[1]]).collect();
        let mut run = vec![ends[0]];
        for (index, pair) in cuts.windows(2).enumerate() {
            let least = finer * if index % 2 == 1 { MIN_SAMPLES_PER_CORNER } else { MIN_SAMPLES_PER_LINE };
            let length = pair[1] - pair[0];
            let count = (length / step).max(least).ceil();
            total += count;
            if !(total <= MAX_SAMPLES) {
                let wanted = format!("lengths and a tolerance for which {MAX_SAMPLES} samples suffice");
                return Err(KineticError::invalid("length of the tool path", path.length(), wanted));
            }
            // Half-lines between two corners that use all of the line are empty.
            if length > 0.0 {
                let parts = std::iter::successors(Some(1.0), |part| Some(part + 1.0));
                run.extend(parts.take_while(|part| *part < count).map(|part| pair[0] + length * part / count));
                run.push(pair[1]);
            }
        }
        runs.push(run);
    }
    Ok(runs)
}

/// Samples towards both ends of a run, as parts of the first and the last step: grids of time laws have a stage per sample at
/// least, and a speed of the tool is reached within the first one at the earliest.
const GRADED_PARTS: [f64; 4] = [0.0625, 0.125, 0.25, 0.5];

/// A run with more stations towards its ends.
pub(crate) fn graded(run: &[f64]) -> Vec<f64> {
    let [first, second, .., before, last] = *run else { return run.to_vec() };
    let near_first = GRADED_PARTS.map(|part| first + part * (second - first));
    let near_last = GRADED_PARTS.map(|part| last - part * (last - before));
    let begin = [first].into_iter().chain(near_first);
    begin.chain(run[1..run.len() - 1].iter().copied()).chain(near_last.into_iter().rev()).chain([last]).collect()
}

/// The stations of all runs in one list: where one ends the next begins.
pub(crate) fn joined(runs: &[Vec<f64>]) -> Vec<f64> {
    let begin = runs.first().and_then(|run| run.first()).copied();
    begin.into_iter().chain(runs.iter().flat_map(|run| run[1..].iter().copied())).collect()
}
