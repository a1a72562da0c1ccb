//! Coarse dynamic programming: paths through the knots over samples of their self-motion (Bellman 1957).

use super::knot_path::{KnotPath, PathProblem, apart};
use super::knots::{KnotSample, samples, turned};
use super::label::KnotLabel;
use super::pose_continuation;
use super::projector::PoseProjector;
use super::{IsFree, PaddedJoints};
use crate::analytic::{Branches, Manipulator};

/// Knots that are inserted at discontinuities, at most.
const MOST_INSERTED_KNOTS: usize = 24;
/// Largest step between knots, against the largest at knots.
pub(super) const BETWEEN_KNOTS_STEP_RATIO: f64 = 1.6;
/// Distinct paths that are returned, at most.
const MOST_DISTINCT_PATHS: usize = 3;
/// Paths are distinct when a joint differs by more at some knot.
const DISTINCT_PATH_RAD_M: f64 = 0.8;
/// Cost of a path through samples, which are apart from each other, against that of one found by continuation.
const SAMPLING_COST_RATIO: f64 = 4.0;

/// The samples of every knot, and the search over them.
pub(super) struct CoarseSearch<'a, 'b, 'f> {
    pub(super) problem: &'a PathProblem<'a>,
    pub(super) projector: &'a mut PoseProjector<'b>,
    /// Largest step of each joint from pose to pose.
    pub(super) steps: &'a [f64],
    pub(super) knots: Vec<usize>,
    pub(super) samples: Vec<Vec<KnotSample>>,
    /// The self-motion is a curve, along which samples are added where labels lead to.
    pub(super) is_curve: bool,
    /// Distance of samples along curves, and least distance of those of surfaces.
    pub(super) spacing: f64,
    /// Closed form that samples every knot.
    sampler: Option<&'a Manipulator>,
    branches: Branches,
    /// Cost from which paths are discarded.
    pub(super) bound: f64,
    /// Largest step of a path that was continued.
    pub(super) largest: f64,
    /// What refuses configurations, if anything does.
    pub(super) is_free: Option<&'a mut IsFree<'f>>,
}

impl<'a, 'b> CoarseSearch<'a, 'b, '_> {
    /// `first` are samples of the first knot: all of them, unless there is a start. A sampler gives samples of all knots.
    pub(super) fn new(
        problem: &'a PathProblem<'a>,
        projector: &'a mut PoseProjector<'b>,
        steps: &'a [f64],
        knots: Vec<usize>,
        first: Vec<KnotSample>,
        sampler: Option<&'a Manipulator>,
        (is_curve, spacing): (bool, f64),
    ) -> Self {
        let mut samples = vec![Vec::new(); knots.len()];
        samples[0] = first;
        let (branches, bound, largest) = (Branches::default(), f64::INFINITY, f64::INFINITY);
        let is_free = None;
        let mut search = Self {
            problem,
            projector,
            steps,
            knots,
            samples,
            is_curve,
            spacing,
            sampler,
            branches,
            bound,
            largest,
            is_free,
        };
        (0..search.knots.len()).for_each(|at| search.sample(at));
        search
    }

    /// Samples of a knot from the sampler, if there is one.
    fn sample(&mut self, at: usize) {
        if let Some(manipulator) = self.sampler {
            let (target, dof) = (&self.problem.targets[self.knots[at]], self.problem.dof);
            let kept = &mut self.samples[at];
            for sample in samples(manipulator, target, &mut self.branches) {
                if kept.iter().all(|known| apart(&known.folded, &sample.folded, dof) >= self.spacing) {
                    kept.push(sample);
                }
            }
        }
    }

    /// Paths through the knots in which large steps are few and small, the best first, that are continuous between knots.
    pub(super) fn paths(&mut self) -> Vec<KnotPath> {
        // What is near the path without obstacles is of no use beside them.
        let continued = match self.is_free {
            None => pose_continuation::best(self.problem, self.projector, &self.knots, &self.samples[0]),
            Some(_) => None,
        };
        if let Some(path) = continued.as_ref().filter(|path| path.keeps(self.problem, self.steps)) {
            (self.bound, self.largest) = (SAMPLING_COST_RATIO * path.cost(self.problem), path.largest(self.problem));
        }
        let mut layers: Vec<Vec<KnotLabel>> = Vec::with_capacity(self.knots.len());
        let most = self.knots.len() + MOST_INSERTED_KNOTS;
        while self.knots.len() <= most && !self.problem.stop.is_stopped() {
            let wanted = if let Some(at) = self.extend(&mut layers) {
                self.knot_before(at).into_iter().collect()
            } else {
                let mut paths = self.distinct(&layers).into_iter();
                let Some(best) = paths.next() else { break };
                let wanted = self.next_knots(&best);
                if wanted.is_empty() {
                    let others: Vec<KnotPath> = paths.filter(|path| self.next_knots(path).is_empty()).collect();
                    return std::iter::once(best).chain(others).collect();
                }
                wanted
            };
            let Some((first, _)) = wanted.first() else { break };
            layers.truncate(*first);
            wanted.into_iter().rev().for_each(|(at, pose)| self.insert(at, pose));
        }
        continued.into_iter().collect()
    }

    /// Adds a knot before knot `at`.
    fn insert(&mut self, at: usize, pose: usize) {
        self.knots.insert(at, pose);
        self.samples.insert(at, Vec::new());
        self.sample(at);
    }

    /// Labels of the layers that have none; the first layer that gets none, and all if there is no such.
    fn extend(&mut self, layers: &mut Vec<Vec<KnotLabel>>) -> Option<usize> {
        for at in layers.len()..self.knots.len() {
            let mut layer = match (layers.last(), self.problem.start) {
                (Some(_), _) => self.layer(layers, at),
                (None, Some(start)) => self.layer(&[vec![KnotLabel::start(self.projector.chain(), start)]], at),
                (None, None) => self.first_layer(),
            };
            layer.retain(|label| label.cost <= self.bound);
            if layer.is_empty() || self.problem.stop.is_stopped() {
                return Some(at);
            }
            layer.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            layers.push(layer);
        }
        None
    }

    /// A knot between the last one that free configurations lead to and knot `at`, to which none do; `None` where there are no poses
    /// between them, and where all configurations are free.
    fn knot_before(&self, at: usize) -> Option<(usize, usize)> {
        let before = self.knots[at.checked_sub(1)?];
        (self.is_free.is_some() && self.knots[at] > before + 1).then(|| (at, usize::midpoint(before, self.knots[at])))
    }

    /// Distinct paths, the best first.
    fn distinct(&mut self, layers: &[Vec<KnotLabel>]) -> Vec<KnotPath> {
        let mut paths: Vec<KnotPath> = Vec::new();
        for end in 0..layers.last().map_or(0, Vec::len) {
            let rows = trace(layers, end);
            let differs = |known: &KnotPath| {
                let steps = known.rows.iter().zip(&rows).map(|(a, b)| apart(a, b, self.problem.dof));
                steps.fold(0.0, f64::max) > DISTINCT_PATH_RAD_M
            };
            if paths.iter().all(differs) {
                paths.extend(self.projected(rows));
            }
            if paths.len() == MOST_DISTINCT_PATHS {
                break;
            }
        }
        paths
    }

    /// The path whose configurations are projected onto their poses.
    fn projected(&mut self, rows: Vec<PaddedJoints>) -> Option<KnotPath> {
        let mut path = KnotPath { rows, knots: self.knots.clone() };
        let mut knots = path.knots.iter().zip(&mut path.rows);
        knots.all(|(knot, row)| self.projector.project(&self.problem.targets[*knot], row)).then_some(path)
    }

    /// Where the path needs more knots, and at which poses: half way to those that it reaches discontinuously, or where it is blocked.
    fn next_knots(&mut self, path: &KnotPath) -> Vec<(usize, usize)> {
        let wanted = self.discontinuous_knots(path);
        if wanted.is_empty() { self.blocked_pose(path).into_iter().collect() } else { wanted }
    }

    /// The first pose between knots at which the path is not free, and the knot after it.
    fn blocked_pose(&mut self, path: &KnotPath) -> Option<(usize, usize)> {
        self.is_free.as_ref()?;
        let full = path.full(self.problem, self.projector)?;
        let dof = self.problem.dof;
        let is_free = self.is_free.as_mut()?;
        let blocked =
            full.knots.iter().zip(&full.rows).find(|(pose, row)| !path.knots.contains(pose) && !is_free(&row[..dof]));
        let pose = *blocked?.0;
        Some((path.knots.partition_point(|knot| *knot < pose), pose))
    }

    /// Whether a label's configuration is free.
    pub(super) fn accepts(&mut self, label: &KnotLabel) -> bool {
        let dof = self.problem.dof;
        self.is_free.as_mut().is_none_or(|is_free| is_free(&turned(&label.row, &label.turns)[..dof]))
    }

    /// The knots that the path reaches discontinuously, and poses half way to them: steps between such a knot and the one before are
    /// much larger than at knots.
    fn discontinuous_knots(&mut self, path: &KnotPath) -> Vec<(usize, usize)> {
        let largest = path.largest(self.problem);
        let gap = PathProblem { start: None, ..*self.problem };
        let is_discontinuous = |at: &usize| {
            let part = path.part(*at);
            let is_whole =
                |full: KnotPath| full.largest(&gap) <= BETWEEN_KNOTS_STEP_RATIO * largest.max(part.largest(&gap));
            !part.full(&gap, self.projector).is_some_and(is_whole)
        };
        let knots = (1..path.knots.len()).filter(is_discontinuous);
        knots.map(|at| (at, usize::midpoint(path.knots[at - 1], path.knots[at]))).collect()
    }
}

/// The rows of the path to a label of the last layer, first to last, on turns inside the limits.
fn trace(layers: &[Vec<KnotLabel>], end: usize) -> Vec<PaddedJoints> {
    let (mut rows, mut at) = (Vec::with_capacity(layers.len()), end);
    let Some(turns) = layers.last().map(|last| last[end].turns) else { return rows };
    for layer in layers.iter().rev() {
        rows.push(turned(&layer[at].row, &turns));
        at = layer[at].parent;
    }
    rows.reverse();
    rows
}
