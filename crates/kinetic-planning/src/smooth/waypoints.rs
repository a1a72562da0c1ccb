//! Shortcuts between waypoints: a straight edge instead of a run of waypoints.

use kinetic_core::Control;

use super::polyline::Polyline;
use crate::validity::Validity;

/// Drops runs of waypoints that a straight edge can replace: from each waypoint to the farthest one that can be
/// reached, tried from the far end. Right for zigzags, where the farther waypoint is often the easier one.
pub(crate) fn shortcut(line: &mut Polyline, validity: &mut dyn Validity, control: &Control) {
    replace_runs(line, |line, from| {
        (from + 2..line.len())
            .rev()
            .find(|to| !control.is_over(0) && validity.is_motion_valid(line.point(from), line.point(*to)))
    });
}

/// Drops runs of waypoints that a straight edge can replace: from each waypoint on in steps that double as long as the
/// straight is free, then by bisection. Right for curves, where what hides a waypoint hides those behind it too;
/// asks a number of questions per edge that grows with the logarithm of the run only.
pub(crate) fn straighten(line: &mut Polyline, validity: &mut dyn Validity, control: &Control) {
    replace_runs(line, |line, from| {
        let mut is_reached =
            |to: usize| !control.is_over(0) && validity.is_motion_valid(line.point(from), line.point(to));
        let last = line.len() - 1;
        let (mut reached, mut hidden) = (from + 1, last + 1);
        let mut step = 2;
        while reached + 1 < hidden {
            let to = if hidden > last { (from + step).min(last) } else { usize::midpoint(reached, hidden) };
            if is_reached(to) {
                reached = to;
            } else {
                hidden = to;
            }
            step *= 2;
        }
        (reached > from + 1).then_some(reached)
    });
}

/// Rebuilds a polyline; `farthest` names for a waypoint a later one, not the next, to which the straight is proven.
fn replace_runs(line: &mut Polyline, mut farthest: impl FnMut(&Polyline, usize) -> Option<usize>) {
    if line.len() < 3 {
        return;
    }
    let mut shorter = Polyline::with_dof(line.dof());
    shorter.push(line.point(0), false);
    let mut from = 0;
    while from + 1 < line.len() {
        let (to, is_proven) = farthest(line, from).map_or((from + 1, line.is_proven(from)), |to| (to, true));
        shorter.push(line.point(to), is_proven);
        from = to;
    }
    *line = shorter;
}
