//! Corner cutting by subdivision.
//!
//! One step of cubic B-spline subdivision (Lane and Riesenfeld 1980) inserts the midpoint of every edge and moves every
//! corner to the mean of itself and the mean of the two midpoints. A corner moves only when both new edges are free;
//! midpoints next to no moved corner are left out again. Moving stays inside the triangle of midpoints and
//! corner, so that no step makes a path longer.

use super::edge_check::EdgeCheck;
use super::polyline::{Polyline, mix};

/// Subdivision steps in one go. A corner moves a quarter as far with each, so that more change nothing visible.
const MAX_STEPS: usize = 5;

/// Cuts corners that move by more than `tolerance`, repeatedly.
pub(crate) fn cut(line: &mut Polyline, tolerance: f64, edge_check: &mut EdgeCheck<'_>) {
    for _ in 0..MAX_STEPS {
        if !step(line, tolerance, edge_check) {
            return;
        }
    }
}

/// One subdivision; true when a corner moved.
fn step(line: &mut Polyline, tolerance: f64, edge_check: &mut EdgeCheck<'_>) -> bool {
    if line.len() < 3 {
        return false;
    }
    let dof = line.dof();
    let (mut before, mut after, mut moved) = (vec![0.0; dof], vec![0.0; dof], vec![0.0; dof]);
    let mut cut = line.emptied();
    cut.push(line.point(0), false);
    let (mut any_moved, mut previous_moved) = (false, false);
    mix(line.point(0), line.point(1), 0.5, &mut after);
    for corner in 1..line.len() - 1 {
        std::mem::swap(&mut before, &mut after);
        mix(line.point(corner), line.point(corner + 1), 0.5, &mut after);
        mix(&before, &after, 0.5, &mut moved);
        halve_towards(line.point(corner), &mut moved);
        let moves = line.distance(line.point(corner), &moved) > tolerance
            && edge_check.is_free(&before, &moved)
            && edge_check.is_free(&moved, &after);
        if moves {
            // After a moved corner the midpoint is already there.
            if !previous_moved {
                cut.push(&before, false);
            }
            cut.push(&moved, edge_check.proves);
            cut.push(&after, edge_check.proves);
        } else {
            cut.push(line.point(corner), !previous_moved && line.is_proven(corner - 1));
        }
        any_moved |= moves;
        previous_moved = moves;
    }
    let last = line.len() - 1;
    cut.push(line.point(last), !previous_moved && line.is_proven(last - 1));
    if any_moved {
        *line = cut;
    }
    any_moved
}

/// Replaces `point` by the middle between `corner` and itself.
fn halve_towards(corner: &[f64], point: &mut [f64]) {
    for (value, corner) in point.iter_mut().zip(corner) {
        *value = f64::midpoint(*value, *corner);
    }
}
