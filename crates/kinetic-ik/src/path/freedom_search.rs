//! Search for the use of a path's freedom: a coarse ladder over knots of the path, whose choices become a smooth curve.
//!
//! At every knot samples of the tolerance are solved, and dynamic programming finds the choices along which the joints and the
//! freedom change least (as the Descartes planner of De Maeyer, Moyaers & Demeester 2017, over knots instead of all poses); then
//! again among the neighbours of the choices. The path that a curve through them makes is a path of poses without freedom.

use kinetic_core::{Pose, Result, StopFlag};
use kinetic_kinematics::{KinematicChain, Rigid};

use super::candidates::{Candidates, ClosedForm, is_near};
use super::freedom_curve::FreedomCurve;
use super::numerical::Numerical;
use super::redundant::Sampled;
use super::tolerance::{Freedom, PathTolerance, STRICT};
use super::tool_path::ToolPath;
use super::turns::{lifted, turns_inside};
use super::validity::{PathValidity, Verdicts};
use super::{DEFAULT_SLIDING_STEP, DEFAULT_TURNING_STEP, PathOptions};
use crate::analytic::{Manipulator, Met};
use crate::tolerance::LIMIT_ROUNDING_RAD_M;
use crate::watch::Watch;

/// Distance of knots, m, and bounds on their number.
const KNOT_DISTANCE_M: f64 = 0.03;
const KNOTS: [f64; 2] = [8.0, 96.0];
/// Times that neighbours of the choices are looked at.
const REFINEMENTS: i32 = 5;
/// What a change of the freedom counts beside one of the joints: per rad, and per m.
const COST_PER_RAD: f64 = 0.3;
const COST_PER_M: f64 = 5.0;
/// Labels of the knot before from which configurations of a choice are continued, where they are not listed.
const CONTINUED_LABELS: usize = 3;
/// Configurations nearer than this to an excluded one are excluded too, rad or m.
const EXCLUDED_RAD_M: f64 = 0.1;

/// How a path uses its freedom, as far as a search got.
#[derive(Debug, Clone)]
pub struct FoundFreedom {
    /// The curve of the freedom.
    pub curve: FreedomCurve,
    /// Up to where the knots have configurations, m; the length of the path when it is all of it.
    pub reached: f64,
    /// The configurations at the knots.
    rows: Vec<Vec<f64>>,
}

/// A search for the use of a tolerance along a path.
pub struct FreedomSearch<'a> {
    source: Box<dyn Candidates + 'a>,
    path: &'a ToolPath,
    tolerance: PathTolerance,
    start: &'a [f64],
    stop: &'a StopFlag,
    knots: usize,
    joints: Vec<JointStep>,
    is_listed: bool,
    /// Knots and configurations that led nowhere.
    excluded: Vec<(usize, Vec<f64>)>,
}

/// How a joint may move from knot to knot.
struct JointStep {
    is_rotation: bool,
    /// Its limits.
    bounds: (f64, f64),
    /// Its farthest step, rad or m.
    most: f64,
}

/// The labels of a knot, in the order of their costs.
struct KnotLabels {
    labels: Vec<FreedomLabel>,
    /// Their configurations, one after the other: all of them are looked at again and again.
    rows: Vec<f64>,
}

impl KnotLabels {
    fn new(mut labels: Vec<FreedomLabel>) -> Self {
        labels.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        Self { rows: labels.iter().flat_map(|label| &label.q).copied().collect(), labels }
    }
}

/// A configuration of a knot on the best way there.
struct FreedomLabel {
    q: Vec<f64>,
    freedom: Freedom,
    parent: usize,
    cost: f64,
}

impl<'a> FreedomSearch<'a> {
    /// A search for `path` from the configuration `start`, at which the tool stands at its beginning.
    pub fn new(
        closed_form: Option<&'a Manipulator>,
        chain: &'a KinematicChain,
        path: &'a ToolPath,
        tolerance: PathTolerance,
        (start, seed, stop): (&'a [f64], u64, &'a StopFlag),
    ) -> Self {
        let options = PathOptions { tolerance: vec![tolerance], rng_seed: seed, ..PathOptions::default() };
        let closed_form = closed_form.filter(|manipulator| manipulator.met() == Met::Pose);
        let is_listed = closed_form.is_some_and(Manipulator::lists_all);
        let source: Box<dyn Candidates + 'a> = match closed_form {
            Some(manipulator) if is_listed => Box::new(ClosedForm::new(manipulator)),
            Some(manipulator) => Box::new(Sampled::new(manipulator, &options, true)),
            None => Box::new(Numerical::new(chain, &options)),
        };
        let step = |joint| {
            let is_rotation = chain.is_rotation(joint);
            let most = if is_rotation { DEFAULT_TURNING_STEP } else { DEFAULT_SLIDING_STEP };
            JointStep { is_rotation, bounds: chain.bounds()[joint], most }
        };
        Self {
            source,
            path,
            tolerance,
            start,
            stop,
            knots: knots(path.length()),
            joints: (0..chain.dof()).map(step).collect(),
            is_listed,
            excluded: Vec::new(),
        }
    }

    fn spacing(&self) -> f64 {
        self.path.length() / self.knots as f64
    }

    /// The use of the freedom along which joints move least, through configurations that `validity` takes.
    ///
    /// # Errors
    /// [`Cancelled`](kinetic_core::KineticError::Cancelled) and [`IKTimeout`](kinetic_core::KineticError::IKTimeout).
    pub fn search(&mut self, validity: Option<&mut (dyn PathValidity + '_)>) -> Result<FoundFreedom> {
        let mut verdicts = match validity {
            None => Verdicts::none(),
            Some(validity) => Verdicts::of(validity),
        };
        let samples = self.tolerance.samples();
        let mut best = self.pass(&|_| samples.clone(), &mut verdicts)?;
        for level in 1..=REFINEMENTS {
            let tolerance = self.tolerance;
            let choices = best.iter().map(|label| tolerance.around(&label.freedom, level)).collect::<Vec<_>>();
            let finer = self.pass(&|knot| choices.get(knot).cloned().unwrap_or_default(), &mut verdicts)?;
            if finer.len() < best.len() {
                break;
            }
            best = finer;
        }
        Ok(self.found(best))
    }

    /// Leaves out the configurations of `found` on both sides of an arc length in later searches.
    pub fn exclude(&mut self, found: &FoundFreedom, arc_length: f64) {
        let after =
            (1..found.rows.len()).find(|knot| *knot as f64 * self.spacing() >= arc_length).unwrap_or(found.rows.len());
        for knot in [after.saturating_sub(1), after] {
            if let Some(q) = found.rows.get(knot).filter(|_| knot > 0) {
                self.excluded.push((knot, q.clone()));
            }
        }
    }

    fn found(&self, labels: Vec<FreedomLabel>) -> FoundFreedom {
        let reached =
            if labels.len() > self.knots { self.path.length() } else { (labels.len() - 1) as f64 * self.spacing() };
        let (points, rows) = labels.into_iter().map(|label| (label.freedom, label.q)).unzip();
        FoundFreedom { curve: FreedomCurve::new(self.spacing(), points), reached, rows }
    }

    /// The best labels from knot to knot, the start first, as far as there are any. `choices` are those of a knot.
    fn pass(
        &mut self,
        choices: &dyn Fn(usize) -> Vec<Freedom>,
        verdicts: &mut Verdicts<'_>,
    ) -> Result<Vec<FreedomLabel>> {
        let watch = Watch::new(self.stop);
        let start = FreedomLabel { q: self.start.to_vec(), freedom: STRICT, parent: 0, cost: 0.0 };
        let mut layers = vec![KnotLabels::new(vec![start])];
        for knot in 1..=self.knots {
            let pose = self.path.pose_at(knot as f64 * self.spacing());
            let mut next = Vec::new();
            for choice in choices(knot) {
                watch.check(knot)?;
                self.arrive((knot, &pose), &choice, &layers[knot - 1], &mut next, verdicts);
            }
            if next.is_empty() {
                break;
            }
            layers.push(KnotLabels::new(next));
        }
        Ok(traced(layers))
    }

    /// Adds the labels of a choice at a knot.
    fn arrive(
        &mut self,
        (knot, pose): (usize, &Pose),
        choice: &Freedom,
        before: &KnotLabels,
        out: &mut Vec<FreedomLabel>,
        verdicts: &mut Verdicts<'_>,
    ) {
        let target = self.tolerance.apply(&Rigid::from(pose), choice);
        let mut rows = Vec::new();
        let previous = if self.is_listed { Vec::new() } else { self.nearest(choice, &before.labels) };
        self.source.candidates(&target, &previous, &mut rows);
        for row in rows.chunks_exact(self.joints.len()) {
            let Some(label) = self.joined(row, choice, before) else { continue };
            let is_excluded =
                |(at, q): &(usize, Vec<f64>)| *at == knot && is_near(self.source.chain(), q, &label.q, EXCLUDED_RAD_M);
            if !self.excluded.iter().any(is_excluded) && verdicts.is_valid(&label.q) {
                out.push(label);
            }
        }
    }

    /// Configurations of the labels whose freedom is nearest to a choice.
    fn nearest(&self, choice: &Freedom, before: &[FreedomLabel]) -> Vec<f64> {
        let mut order: Vec<(f64, usize)> =
            before.iter().enumerate().map(|(index, label)| (self.change(&label.freedom, choice).1, index)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order.iter().take(CONTINUED_LABELS).flat_map(|(_, index)| before[*index].q.iter().copied()).collect()
    }

    /// A choice on the turn next to another, and what the change costs.
    fn change(&self, from: &Freedom, to: &Freedom) -> (Freedom, f64) {
        let mut next = *to;
        if self.tolerance.is_full_turn() {
            next[0] = lifted(next[0], from[0], true);
        }
        let cost = |index: usize| {
            let weight = if (1..4).contains(&index) { COST_PER_M } else { COST_PER_RAD };
            (weight * (next[index] - from[index])).powi(2)
        };
        (next, (0..next.len()).map(cost).sum())
    }

    /// The label of a configuration, from the one before that costs least; `None` where none is within the steps of the joints. Labels
    /// before are in the order of their costs.
    fn joined(&self, row: &[f64], choice: &Freedom, before: &KnotLabels) -> Option<FreedomLabel> {
        let chain = self.source.chain();
        if (0..row.len()).any(|joint| turns_inside(chain, joint, row[joint]).is_none()) {
            return None;
        }
        let (mut least, mut best) = (f64::INFINITY, None);
        for (parent, (label, from)) in before.labels.iter().zip(before.rows.chunks_exact(row.len())).enumerate() {
            if label.cost >= least {
                break;
            }
            let Some(moved) = self.step(from, row, least - label.cost) else { continue };
            let (freedom, changed) = self.change(&label.freedom, choice);
            let cost = label.cost + moved + changed;
            if cost < least {
                (least, best) = (cost, Some((parent, freedom)));
            }
        }
        let (parent, freedom) = best?;
        let near = |((joint, value), from): ((&JointStep, &f64), &f64)| {
            lifted(*value, *from, joint.is_rotation).clamp(joint.bounds.0, joint.bounds.1)
        };
        let q = self.joints.iter().zip(row).zip(&before.labels[parent].q).map(near).collect();
        Some(FreedomLabel { q, freedom, parent, cost: least })
    }

    /// The square of the step to a configuration on the turns next to another, where it is less than `most`, those turns are inside
    /// the limits and no joint moves farther than its step.
    fn step(&self, from: &[f64], row: &[f64], most: f64) -> Option<f64> {
        let mut square = 0.0;
        for ((joint, value), from) in self.joints.iter().zip(row).zip(from) {
            let value = lifted(*value, *from, joint.is_rotation);
            let (step, (low, high)) = (value - from, joint.bounds);
            square += step * step;
            let is_inside = value >= low - LIMIT_ROUNDING_RAD_M && value <= high + LIMIT_ROUNDING_RAD_M;
            if square >= most || step.abs() > joint.most || !is_inside {
                return None;
            }
        }
        Some(square)
    }
}

/// Number of intervals between knots of a path of this length.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a range that fits")]
fn knots(length: f64) -> usize {
    (length / KNOT_DISTANCE_M).ceil().clamp(KNOTS[0], KNOTS[1]) as usize
}

/// The labels on the way to the best one of the last layer, which is its first.
fn traced(mut layers: Vec<KnotLabels>) -> Vec<FreedomLabel> {
    let (mut out, mut wanted) = (Vec::with_capacity(layers.len()), 0);
    while let Some(mut layer) = layers.pop() {
        let label = layer.labels.swap_remove(wanted);
        wanted = label.parent;
        out.push(label);
    }
    out.reverse();
    out
}
