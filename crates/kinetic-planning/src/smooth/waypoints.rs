//! Shortcuts between waypoints: a straight edge instead of a run of waypoints.

use super::edge_check::EdgeCheck;
use super::polyline::Polyline;

/// Drops runs of waypoints that a straight edge can replace: from each waypoint to the farthest one that can be
/// reached, tried from the far end. Right for zigzags, where the farther waypoint is often the easier one.
pub(crate) fn shortcut(line: &mut Polyline, edge_check: &mut EdgeCheck<'_>) {
    if line.len() < 3 {
        return;
    }
    let mut shorter = line.emptied();
    shorter.push(line.point(0), false);
    let mut from = 0;
    while from + 1 < line.len() {
        let mut farther = (from + 2..line.len()).rev().take_while(|_| !edge_check.control.is_over(0));
        let reached = farther.find(|to| edge_check.is_free(line.point(from), line.point(*to)));
        let (to, is_proven) = reached.map_or((from + 1, line.is_proven(from)), |to| (to, edge_check.proves));
        shorter.push(line.point(to), is_proven);
        from = to;
    }
    *line = shorter;
}
