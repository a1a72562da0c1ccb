//! Arc lengths of a tool path: where it is sampled.

use kinetic_core::{KineticError, Pose, Result};
use kinetic_ik::ToolPath;

/// A corner, and a line, get at least this many samples at first.
const MIN_SAMPLES_PER_CORNER: f64 = 12.0;
const MIN_SAMPLES_PER_LINE: f64 = 6.0;

/// A corner that bends by less than this part of the tolerances is none: a dense list of poses is sampled like a line.
const BEND_RATIO: f64 = 0.02;

/// More samples than this are not taken.
const MAX_SAMPLES: f64 = 1e5;

/// Arc lengths between stops up to `end`, both ends of every run included: lines at most `step` apart (m), corners with as many
/// samples whatever their size, but those that bend by little beside `tolerances` (m and rad). `finer`: how many times closer than
/// at first.
pub(crate) fn arc_lengths(
    path: &ToolPath,
    end: f64,
    step: f64,
    (finer, tolerances): (f64, [f64; 2]),
) -> Result<Vec<Vec<f64>>> {
    let corners: Vec<[f64; 2]> = path.corners().into_iter().filter(|corner| bends(path, *corner, tolerances)).collect();
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

/// Whether the middle of a corner is off the middle of its ends by more than a little.
fn bends(path: &ToolPath, [begin, end]: [f64; 2], [length, angle]: [f64; 2]) -> bool {
    let [from, middle, to] = [begin, f64::midpoint(begin, end), end].map(|arc_length| path.pose_at(arc_length));
    let off = 0.5 * (from.translation() + to.translation()) - middle.translation();
    let turn = |a: &Pose, b: &Pose| (a.rotation().inverse() * b.rotation()).scaled_axis();
    let turned = 0.5 * (turn(&from, &middle) - turn(&middle, &to));
    !(off.norm() <= BEND_RATIO * length && turned.norm() <= BEND_RATIO * angle)
}

/// Samples towards both ends of a run, as parts of the first and the last step: grids of time laws have a stage per sample at
/// least, and a speed of the tool is reached within the first one at the earliest.
const GRADED_PARTS: [f64; 4] = [0.0625, 0.125, 0.25, 0.5];

/// A run with more arc lengths towards its ends.
pub(crate) fn graded(run: &[f64]) -> Vec<f64> {
    let [first, second, .., before, last] = *run else { return run.to_vec() };
    let near_first = GRADED_PARTS.map(|part| first + part * (second - first));
    let near_last = GRADED_PARTS.map(|part| last - part * (last - before));
    let begin = [first].into_iter().chain(near_first);
    begin.chain(run[1..run.len() - 1].iter().copied()).chain(near_last.into_iter().rev()).chain([last]).collect()
}

/// The arc lengths of all runs in one list: where one ends the next begins.
pub(crate) fn joined(runs: &[Vec<f64>]) -> Vec<f64> {
    let begin = runs.first().and_then(|run| run.first()).copied();
    begin.into_iter().chain(runs.iter().flat_map(|run| run[1..].iter().copied())).collect()
}
