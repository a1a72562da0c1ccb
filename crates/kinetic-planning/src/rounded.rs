//! Rounding of corners by B-splines within a distance of the path.

use kinetic_core::error::reason;
use kinetic_core::{Control, KineticError, Result, Trajectory};

use crate::validity::Validity;

/// Edges of a rounded corner; even, so that the point that is farthest from the path is one of the waypoints.
const EDGES_PER_CORNER: usize = 12;

/// How often a corner that cannot be rounded is tried with half the deviation.
const MAX_CORNER_HALVINGS: usize = 4;

/// Part of an edge that a bend may take: a little less than half, so that something straight is left between two.
const MAX_EDGE_RATIO: f64 = 0.49;

/// Turns whose spline would miss the corner by less than this part of its reach are none.
const STRAIGHT_RATIO: f64 = 1e-9;

/// Rounds the corners of a path by cubic B-splines; no point of the result is farther than `max_deviation` from the path
/// given, Euclidean in joint space.
///
/// A corner `c` is replaced by the uniform cubic B-spline with control points on both of its edges, `r` and `2r` away from
/// it: a curve without a jump in curvature that leaves the edges `r` before and after the corner, and passes it at
/// `(a + 4c + b) / 6` (de Boor, "A Practical Guide to Splines", 1978, chapter IX). `r` is such that this is
/// `max_deviation` away, and at most about half an edge. Where that touches, half of it is tried, up to four times; then
/// the corner stays. Ends are kept, the result is not longer, and each of its edges was proven by
/// [`Validity::is_motion_valid`]. `control` ends the rounding early; its iterations are not counted.
///
/// # Errors
/// [`KineticError::InvalidValue`] for a deviation that is not a finite number of at least 0;
/// [`KineticError::PlannerOutputInvalid`] when the path given is not valid.
pub fn round_corners(
    path: &Trajectory,
    max_deviation: f64,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<Trajectory> {
    if !(max_deviation >= 0.0 && max_deviation.is_finite()) {
        return Err(KineticError::invalid("max_deviation", max_deviation, "a finite number of at least 0"));
    }
    if let Some(waypoint) = path.segments().position(|(from, to)| !validity.is_motion_valid(from, to)) {
        let reason = reason::PlannerOutputInvalid::MotionInvalid;
        return Err(KineticError::PlannerOutputInvalid { waypoint, reason });
    }
    let mut bends: Vec<Option<Bend>> = vec![None; path.len()];
    for corner in 1..path.len().saturating_sub(1) {
        if control.is_over(0) {
            break;
        }
        bends[corner] = Corner::of(path, corner).and_then(|corner| corner.bend(max_deviation, validity));
    }
    while let Some(edge) = refused_edge(path, &bends, validity) {
        // A proof of an edge need not hold for a piece of it: both ends of the edge are corners again.
        (bends[edge], bends[edge + 1]) = (None, None);
    }
    assembled(path, &bends)
}

/// The waypoints in place of a corner.
type Bend = Vec<Vec<f64>>;

/// A waypoint where the path turns.
struct Corner<'a> {
    at: &'a [f64],
    /// Directions of unit length to the waypoints before and after.
    back: Vec<f64>,
    on: Vec<f64>,
    /// How far along its edges the bend may reach.
    room: f64,
}

impl<'a> Corner<'a> {
    fn of(path: &'a Trajectory, corner: usize) -> Option<Self> {
        let at = path.positions(corner);
        let (before, after) = (path.positions(corner - 1), path.positions(corner + 1));
        let (first, second) = (distance(at, before), distance(at, after));
        let towards =
            |end: &[f64], length: f64| end.iter().zip(at).map(|(end, at)| (end - at) / length).collect::<Vec<_>>();
        (first > 0.0 && second > 0.0).then(|| Self {
            at,
            back: towards(before, first),
            on: towards(after, second),
            room: MAX_EDGE_RATIO * first.min(second),
        })
    }

    /// The widest bend that is free.
    fn bend(&self, max_deviation: f64, validity: &mut dyn Validity) -> Option<Bend> {
        // The spline misses the corner by |a + b - 2c| / 6.
        let miss = self.back.iter().zip(&self.on).map(|(a, b)| (a + b).powi(2)).sum::<f64>().sqrt() / 6.0;
        if miss < STRAIGHT_RATIO {
            return None;
        }
        let mut reach = (max_deviation / miss).min(self.room);
        for _ in 0..=MAX_CORNER_HALVINGS {
            let bend = self.curve(reach);
            let moves = || bend.windows(2).map(|pair| (&pair[0], &pair[1]));
            if bend.windows(2).any(|pair| pair[0] == pair[1]) {
                return None;
            }
            if moves().all(|(from, to)| validity.motion_may_be_valid(from, to))
                && moves().all(|(from, to)| validity.is_motion_valid(from, to))
            {
                return Some(bend);
            }
            reach *= 0.5;
        }
        None
    }

    /// Points of the B-spline, from `reach` before the corner to `reach` after it.
    fn curve(&self, reach: f64) -> Bend {
        let half = EDGES_PER_CORNER / 2;
        let point = |step: usize| {
            // On the first half the control points are at 2, 1 and 0 times the reach before the corner and 1 after it.
            let is_first = step < half;
            let t = (if is_first { step } else { EDGES_PER_CORNER - step }) as f64 / half as f64;
            let [far, near, _, beyond] = basis(t);
            let (near_side, far_side) = if is_first { (&self.back, &self.on) } else { (&self.on, &self.back) };
            let weights = (reach * (2.0 * far + near), reach * beyond);
            let joints = self.at.iter().zip(near_side).zip(far_side);
            joints.map(|((at, near), far)| at + weights.0 * near + weights.1 * far).collect()
        };
        (0..=EDGES_PER_CORNER).map(point).collect()
    }
}

/// The uniform cubic B-splines that are not 0 at `t` in [0, 1].
fn basis(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    let inner = |t: f64| (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0;
    [s * s * s / 6.0, inner(t), inner(s), t * t * t / 6.0]
}

/// The first edge of the path of which what the bends leave is refused.
fn refused_edge(path: &Trajectory, bends: &[Option<Bend>], validity: &mut dyn Validity) -> Option<usize> {
    (0..path.len().saturating_sub(1)).find(|&edge| {
        if bends[edge].is_none() && bends[edge + 1].is_none() {
            return false;
        }
        let from = bends[edge].as_ref().and_then(|bend| bend.last()).map_or(path.positions(edge), Vec::as_slice);
        let to = bends[edge + 1].as_ref().and_then(|bend| bend.first()).map_or(path.positions(edge + 1), Vec::as_slice);
        !validity.is_motion_valid(from, to)
    })
}

fn assembled(path: &Trajectory, bends: &[Option<Bend>]) -> Result<Trajectory> {
    let mut rounded = Trajectory::with_dof(path.dof());
    for (index, corner) in path.iter().enumerate() {
        match &bends[index] {
            Some(bend) => bend.iter().try_for_each(|q| rounded.push_waypoint(q))?,
            None => rounded.push_waypoint(corner)?,
        }
    }
    Ok(rounded)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
