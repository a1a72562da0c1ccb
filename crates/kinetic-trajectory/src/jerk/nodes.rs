//! Nodes of the grid along a part of the path.

use crate::corners::wide::Run;

/// Intervals on half of a corner.
const INTERVALS_PER_HALF_CORNER: f64 = 3.0;

/// Intervals between two breaks at most; where lengths are graded, of the widest ones.
const MAX_INTERVALS_BETWEEN_BREAKS: u32 = 64;

/// Breaks of the path that are closer than this part of the spacing around are looked at together.
const MERGED_BREAK_RATIO: f64 = 0.3;

/// Intervals of a long straight at least.
const MIN_INTERVALS_PER_STRAIGHT: f64 = 8.0;

/// Neighbouring intervals differ by this factor at most where lengths are graded.
const INTERVAL_GROWTH: f64 = 1.6;

/// The shortest interval where lengths are graded, as part of what they are graded over: from shorter ones, which limits of very
/// different sizes ask for, lengths would never grow.
const LEAST_GRADED_RATIO: f64 = 1e-9;

/// On curved segments lengths are graded where the spacing next to one is smaller by more than this factor.
const MAX_UNGRADED_RATIO: f64 = 8.0;

/// Places between `ends` at which a run is looked at: its breaks, unless they are too close, and places between.
pub(super) fn nodes(run: &Run, ends: [f64; 2], ramps: [f64; 2]) -> Vec<f64> {
    let spacing: Vec<f64> = (0..run.len()).map(|index| spacing(run, index)).collect();
    let breaks = distinct_breaks(run, ends, &spacing);
    let mut nodes = vec![ends[0]];
    for (place, pair) in breaks.windows(2).enumerate() {
        let [(from, index), (to, next)] = [pair[0], pair[1]];
        let before = if index == 0 { 0.5 * ramps[0] } else { spacing[index - 1] };
        let after = if place + 2 == breaks.len() { 0.5 * ramps[1] } else { spacing[next] };
        if run[index].is_straight() {
            let widest = (run[index].length / MIN_INTERVALS_PER_STRAIGHT).max(before.min(after));
            nodes.extend_from_slice(&graded(from, to, [before, after], widest)[1..]);
        } else if MAX_UNGRADED_RATIO * before.min(after) < spacing[index] {
            // Out of a narrow corner speed changes by orders of magnitude: no polynomial follows that in one step.
            nodes.extend_from_slice(&graded(from, to, [before, after], spacing[index])[1..]);
        } else {
            nodes.extend_from_slice(&even(from, to, spacing[index])[1..]);
        }
    }
    nodes
}

/// Breaks of a run that are not too close to each other, each with the segment that begins there; both ends.
fn distinct_breaks(run: &Run, ends: [f64; 2], spacing: &[f64]) -> Vec<(f64, usize)> {
    let mut breaks = vec![(ends[0], 0)];
    for index in 1..run.len() {
        let near = spacing[index - 1].min(spacing[index]) * MERGED_BREAK_RATIO;
        let at = run[index].arc_length - run[0].arc_length;
        if at - breaks[breaks.len() - 1].0 > near && ends[1] - at > near {
            breaks.push((at, index));
        }
    }
    breaks.push((ends[1], run.len() - 1));
    breaks
}

/// Offsets from `from` to `to` at equal distances of at most `widest`, unless that is too many.
fn even(from: f64, to: f64, widest: f64) -> Vec<f64> {
    let mut parts = 1_u32;
    while f64::from(parts) * widest < to - from && parts < MAX_INTERVALS_BETWEEN_BREAKS {
        parts += 1;
    }
    let inner = (1..parts).map(|part| from + (to - from) * f64::from(part) / f64::from(parts));
    std::iter::once(from).chain(inner).chain([to]).collect()
}

/// Spacing on a curved segment, a part of the width of its narrowest corner; infinite on a straight.
fn spacing(run: &Run, index: usize) -> f64 {
    if run[index].is_straight() {
        return f64::INFINITY;
    }
    run[index].width / INTERVALS_PER_HALF_CORNER
}

/// Offsets from `from` to `to` whose distances grow from `ends[0]` and shrink to `ends[1]`, none above `widest`.
fn graded(from: f64, to: f64, ends: [f64; 2], widest: f64) -> Vec<f64> {
    let (mut left, mut right) = (vec![from], vec![to]);
    let least = (LEAST_GRADED_RATIO * (to - from)).max(4.0 * f64::EPSILON * to.abs());
    let widest = widest.max((to - from) / f64::from(MAX_INTERVALS_BETWEEN_BREAKS)).max(least);
    let mut steps = ends.map(|step| (step * INTERVAL_GROWTH).max(least).min(widest));
    loop {
        let (a, b) = (left[left.len() - 1], right[right.len() - 1]);
        // The smaller step next, so that both meet at the same spacing.
        let side = usize::from(steps[1] < steps[0]);
        // NaN ends it, too.
        if !(b - a > 1.5 * steps[side]) {
            break;
        }
        if side == 0 {
            left.push(a + steps[0]);
        } else {
            right.push(b - steps[1]);
        }
        steps[side] = (steps[side] * INTERVAL_GROWTH).min(widest);
    }
    left.extend(right.into_iter().rev());
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression 41: a first interval of nothing never grew.
    #[test]
    fn graded_places_ascend_and_are_few_for_intervals_of_any_size() {
        let sizes = [0.0, f64::MIN_POSITIVE, 1e-30, 1e-3, 1.0, f64::INFINITY];
        for (from, to) in [(0.0, 1.0), (0.0, 1e-12), (1e6, 1e6 + 1e-3), (1.0, 1e9)] {
            for (first, last) in sizes.into_iter().flat_map(|first| sizes.map(|last| (first, last))) {
                let widest = [0.0, 0.1 * (to - from)].map(|widest: f64| widest.max(first.min(last)));
                for widest in widest {
                    let places = graded(from, to, [first, last], widest);
                    assert_eq!((places[0], places[places.len() - 1]), (from, to));
                    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{from} {to} {first} {last} {widest}");
                    assert!(places.len() < 200, "{from} {to} {first} {last} {widest}: {}", places.len());
                }
            }
        }
    }
}
