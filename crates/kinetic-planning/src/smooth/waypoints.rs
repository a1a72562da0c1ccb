//! Shortcuts between waypoints: a straight edge instead of a run of waypoints.

use super::polyline::Polyline;
use super::question::Question;

/// Drops runs of waypoints that a straight edge can replace: from each waypoint to the farthest one that can be
/// reached, tried from the far end. Right for zigzags, where the farther waypoint is often the easier one.
pub(crate) fn shortcut(line: &mut Polyline, question: &mut Question<'_>) {
    replace_runs(line, question, |line, from, question| {
        (from + 2..line.len()).rev().find(|to| question.is_free(line.point(from), line.point(*to)))
    });
}

/// Drops runs of waypoints that a straight edge can replace: from each waypoint on in steps that double as long as the
/// straight is free, then by bisection. Right for curves, where what hides a waypoint hides those behind it too;
/// asks a number of questions per edge that grows with the logarithm of the run only.
pub(crate) fn straighten(line: &mut Polyline, question: &mut Question<'_>) {
    replace_runs(line, question, |line, from, question| {
        let last = line.len() - 1;
        let (mut reached, mut hidden) = (from + 1, last + 1);
        let mut step = 2;
        while reached + 1 < hidden {
            let to = if hidden > last { (from + step).min(last) } else { usize::midpoint(reached, hidden) };
            if question.is_free(line.point(from), line.point(to)) {
                reached = to;
            } else {
                hidden = to;
            }
            step *= 2;
        }
        (reached > from + 1).then_some(reached)
    });
}

/// Rebuilds a polyline; `farthest` names for a waypoint a later one, not the next, to which the straight is free.
fn replace_runs(
    line: &mut Polyline,
    question: &mut Question<'_>,
    farthest: impl Fn(&Polyline, usize, &mut Question<'_>) -> Option<usize>,
) {
    if line.len() < 3 {
        return;
    }
    let mut shorter = line.emptied();
    shorter.push(line.point(0), false);
    let mut from = 0;
    while from + 1 < line.len() {
        let found = farthest(line, from, question);
        let (to, is_proven) = found.map_or((from + 1, line.is_proven(from)), |to| (to, question.proves));
        shorter.push(line.point(to), is_proven);
        from = to;
    }
    *line = shorter;
}
