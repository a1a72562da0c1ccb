//! Reduction of a path to its corners: duplicates and collinear waypoints removed by rule.

use kinetic_core::Trajectory;

/// Waypoints closer than this to the one before (Euclidean, rad or m) are the same waypoint.
///
/// Far below what a joint encoder resolves, far above rounding: the direction of a shorter step is noise, and a path
/// that follows it has corners that are not there.
pub const MERGE_TOLERANCE: f64 = 1e-6;

/// A path whose ends are at most this far apart and which never leaves them by [`MERGE_TOLERANCE`] is one
/// configuration; anything longer is a motion, so that the end is reached exactly.
pub const REST_TOLERANCE: f64 = 1e-12;

/// Waypoints that together bend a straight line by at most this are on it.
pub const STRAIGHT_TOLERANCE: f64 = 1e-9;

/// The waypoints that matter, as indices into the path.
pub(crate) struct PolylineVertices {
    /// Distinct waypoints; the first and the last of the path are among them unless all are one.
    pub(crate) distinct: Vec<usize>,
    /// Positions in `distinct` at which the direction changes, ends included.
    pub(crate) corners: Vec<usize>,
    /// Bound on the distance between the path and the polyline through the corners.
    pub(crate) deviation: f64,
}

/// Reduces `path`, which must not be empty.
pub(crate) fn reduce(path: &Trajectory) -> PolylineVertices {
    let (distinct, merged) = distinct_waypoints(path);
    let (corners, straightened) = corner_waypoints(path, &distinct);
    PolylineVertices { distinct, corners, deviation: merged + straightened }
}

/// Indices of distinct waypoints, and the largest distance of a dropped one from the one that stands for it.
fn distinct_waypoints(path: &Trajectory) -> (Vec<usize>, f64) {
    let gap = |a: usize, b: usize| distance(path.positions(a), path.positions(b));
    let last = path.len() - 1;
    let mut distinct = vec![0];
    for index in 1..=last {
        if gap(distinct[distinct.len() - 1], index) > MERGE_TOLERANCE {
            distinct.push(index);
        }
    }
    // The goal itself must be reached: it replaces the waypoints it would have been merged with.
    let mut tail = last;
    while distinct.len() > 1 && gap(distinct[distinct.len() - 1], last) <= MERGE_TOLERANCE {
        tail = distinct.pop().unwrap_or(tail);
    }
    if gap(distinct[distinct.len() - 1], last) > REST_TOLERANCE {
        distinct.push(last);
    }
    let mut deviation: f64 = 0.0;
    let mut stands_for = 0;
    for index in 0..=last {
        stands_for = if index >= tail {
            distinct[distinct.len() - 1]
        } else if distinct.binary_search(&index).is_ok() {
            index
        } else {
            stands_for
        };
        deviation = deviation.max(gap(index, stands_for));
    }
    (distinct, deviation)
}

/// Positions in `distinct` where the path bends, and the bound on what straightening the rest moved.
fn corner_waypoints(path: &Trajectory, distinct: &[usize]) -> (Vec<usize>, f64) {
    let point = |position: usize| path.positions(distinct[position]);
    let mut corners = vec![0];
    let (mut spent, mut worst) = (0.0, 0.0_f64);
    for position in 1..distinct.len().saturating_sub(1) {
        // Dropping this waypoint moves the already straightened line by its distance from the new chord; the sum of
        // these moves bounds the distance from the path itself, in one pass.
        let moved = distance_to_segment(point(position), point(corners[corners.len() - 1]), point(position + 1));
        if spent + moved <= STRAIGHT_TOLERANCE {
            spent += moved;
            worst = worst.max(spent);
        } else {
            corners.push(position);
            spent = 0.0;
        }
    }
    if distinct.len() > 1 {
        corners.push(distinct.len() - 1);
    }
    (corners, worst)
}

/// Euclidean distance.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// Where the projection of `p` on the segment from `a` to `b` lies, 0 to 1.
pub(crate) fn projection(p: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let (mut along, mut square) = (0.0, 0.0);
    for joint in 0..p.len() {
        let d = b[joint] - a[joint];
        along += (p[joint] - a[joint]) * d;
        square += d * d;
    }
    if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// Euclidean distance of `p` from the segment from `a` to `b`.
pub(crate) fn distance_to_segment(p: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let t = projection(p, a, b);
    (0..p.len()).map(|j| (a[j] + t * (b[j] - a[j]) - p[j]).powi(2)).sum::<f64>().sqrt()
}
