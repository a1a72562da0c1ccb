//! A path that is being simplified: waypoints in a flat array, and for each edge whether it was proven as it stands.

use std::rc::Rc;

use kinetic_core::{Result, Trajectory};

use crate::validity::Validity;

#[derive(Debug, Clone)]
pub(crate) struct Polyline {
    dof: usize,
    /// What each joint counts in lengths.
    weights: Rc<[f64]>,
    points: Vec<f64>,
    /// `is_proven[i]` belongs to the edge from point `i` to `i + 1`.
    is_proven: Vec<bool>,
}

impl Polyline {
    /// An empty polyline whose joints count by `weights`.
    pub(crate) fn weighted(weights: Rc<[f64]>) -> Self {
        Self { dof: weights.len().max(1), weights, points: Vec::new(), is_proven: Vec::new() }
    }

    /// An empty polyline that measures as this one.
    pub(crate) fn emptied(&self) -> Self {
        Self::weighted(self.weights.clone())
    }

    /// The waypoints of a path with their numbers; no edge is proven. Its joints count by `weights`.
    pub(crate) fn with_every_waypoint(path: &Trajectory, weights: &[f64]) -> Self {
        let mut line = Self::weighted(weights.into());
        path.iter().for_each(|point| line.push(point, false));
        line
    }

    /// The points without repetitions; no edge is proven.
    pub(crate) fn without_repetitions(&self) -> Self {
        let mut line = self.emptied();
        for (index, point) in self.points.chunks_exact(self.dof).enumerate() {
            let is_last = index + 1 == self.len();
            // A path that does not move keeps both its ends.
            if line.is_empty() || line.last() != point || (is_last && line.len() == 1) {
                line.push(point, false);
            }
        }
        line
    }

    pub(crate) fn dof(&self) -> usize {
        self.dof
    }

    pub(crate) fn len(&self) -> usize {
        self.points.len() / self.dof
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    pub(crate) fn point(&self, index: usize) -> &[f64] {
        &self.points[index * self.dof..(index + 1) * self.dof]
    }

    pub(crate) fn last(&self) -> &[f64] {
        &self.points[self.points.len() - self.dof..]
    }

    /// Whether the edge from point `index` to the next was proven as it stands.
    pub(crate) fn is_proven(&self, index: usize) -> bool {
        self.is_proven[index]
    }

    /// Appends a point; `is_proven` is about the edge to it, and means nothing for the first point.
    pub(crate) fn push(&mut self, point: &[f64], is_proven: bool) {
        if !self.is_empty() {
            self.is_proven.push(is_proven);
        }
        self.points.extend_from_slice(point);
    }

    /// Replaces what lies between a point on edge `first` and one on edge `second` by the polyline through `points`, which begins
    /// and ends there. `is_proven` is about its edges; what is left of the two edges is not proven as it stands.
    pub(crate) fn splice(&mut self, (first, second): (usize, usize), points: &[f64], is_proven: bool) {
        let count = points.len() / self.dof;
        self.points.splice((first + 1) * self.dof..(second + 1) * self.dof, points.iter().copied());
        let states = (0..=count).map(|edge| is_proven && edge > 0 && edge < count);
        self.is_proven.splice(first..=second, states);
    }

    /// Length of the edge from point `index` to the next.
    pub(crate) fn edge_length(&self, index: usize) -> f64 {
        self.distance(self.point(index), self.point(index + 1))
    }

    /// Weighted Euclidean distance of two configurations as they stand.
    pub(crate) fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let steps = a.iter().zip(b).zip(&*self.weights).map(|((x, y), weight)| weight * (x - y));
        steps.map(|step| step * step).sum::<f64>().sqrt()
    }

    pub(crate) fn length(&self) -> f64 {
        (1..self.len()).map(|index| self.edge_length(index - 1)).sum()
    }

    /// Proves an edge, unless it was; false when it is refused in both directions.
    pub(crate) fn prove(&mut self, index: usize, validity: &mut dyn Validity) -> bool {
        if !self.is_proven[index] {
            let (from, to) = (self.point(index), self.point(index + 1));
            self.is_proven[index] = validity.is_motion_valid(from, to) || validity.is_motion_valid(to, from);
        }
        self.is_proven[index]
    }

    /// With both ends of some edges moved away from the middle between their neighbours, by a part of their distance from
    /// it; the ends of the path stay.
    pub(crate) fn relaxed(&self, edges: &[bool], part: f64) -> Self {
        let mut relaxed = self.clone();
        let dof = self.dof;
        let mut moves_before = false;
        for index in 1..self.len() - 1 {
            let moves = edges[index - 1] || edges[index];
            if moves {
                let (before, after) = (self.point(index - 1), self.point(index + 1));
                let point = &mut relaxed.points[index * dof..(index + 1) * dof];
                for joint in 0..dof {
                    point[joint] += part * (point[joint] - f64::midpoint(before[joint], after[joint]));
                }
            }
            relaxed.is_proven[index - 1] &= !(moves || moves_before);
            moves_before = moves;
        }
        let last = self.is_proven.len() - 1;
        relaxed.is_proven[last] &= !moves_before;
        relaxed
    }

    /// Whether no value lies outside the interval of the other polyline's values of that joint.
    pub(crate) fn is_within_box_of(&self, other: &Self) -> bool {
        (0..self.dof).all(|joint| {
            let values = |line: &Self| line.points.iter().skip(joint).step_by(line.dof).copied().collect::<Vec<f64>>();
            let (mine, others) = (values(self), values(other));
            let low = others.iter().copied().fold(f64::INFINITY, f64::min);
            let high = others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            mine.iter().all(|value| *value >= low && *value <= high)
        })
    }

    pub(crate) fn to_path(&self) -> Result<Trajectory> {
        let mut path = Trajectory::with_dof(self.dof);
        self.points.chunks_exact(self.dof).try_for_each(|point| path.push_waypoint(point))?;
        Ok(path)
    }
}

/// Writes the point at fraction `t` of the straight from `a` to `b`, which never leaves the box spanned by its ends; from
/// `t = 1` on it is `b`.
pub(crate) fn mix(a: &[f64], b: &[f64], t: f64, out: &mut [f64]) {
    if t >= 1.0 {
        out.copy_from_slice(b);
        return;
    }
    for ((value, a), b) in out.iter_mut().zip(a).zip(b) {
        *value = (a + t * (b - a)).max(a.min(*b)).min(a.max(*b));
    }
}
