//! The least largest step near a path, in the linear model of its self-motion.
//!
//! Along the directions of the self-motion steps are linear; the least largest step is a linear program, a small share of
//! squares makes its answer unique and short. It is solved by a primal–dual interior point method with predictor and
//! corrector (Mehrotra 1992). A pose meets its neighbours only, so that the normal equations are a band.

use super::band::{Band, Part, dot};

/// Joints, at most.
pub(super) const WIDE: usize = 8;
/// Weight of the squares of steps against the largest step.
const SQUARES: f64 = 1e-3;
/// Relative gap of the objective at which the method ends.
const GAP: f64 = 2e-4;
/// Iterations at most.
const ITERATIONS: usize = 40;
/// Part of the way to the nearest constraint that is gone.
const SHORT: f64 = 0.99;

/// The step to a pose from the one before, per pose of the path between them.
#[derive(Debug, Clone)]
pub(super) struct Edge<const D: usize> {
    pub(super) rate: [f64; WIDE],
    /// What the parameters of the pose before add to it, per joint.
    pub(super) before: [Part<D>; WIDE],
    /// What those of the pose add.
    pub(super) after: [Part<D>; WIDE],
    /// Number of poses between them; its part in the squares. None for the first pose of a path without start.
    pub(super) weight: f64,
}

/// `room − normal · z ≥ 0` for the parameters of a pose.
#[derive(Debug, Clone)]
pub(super) struct Wall<const D: usize> {
    pub(super) pose: usize,
    pub(super) normal: Part<D>,
    pub(super) room: f64,
}

/// Both sides of a bound on a step.
#[derive(Debug, Clone, Copy)]
struct Pair {
    above: f64,
    below: f64,
}

/// The program and the memory of its solution; poses are numbered from 0, edge `i` leads to pose `i`.
#[derive(Debug)]
pub(super) struct Program<const D: usize> {
    pub(super) joints: usize,
    pub(super) edges: Vec<Edge<D>>,
    pub(super) walls: Vec<Wall<D>>,
    band: Band<D>,
    /// Parameters of the poses: the answer.
    pub(super) z: Vec<Part<D>>,
    most: f64,
    slacks: Vec<[Pair; WIDE]>,
    duals: Vec<[Pair; WIDE]>,
    wall_slacks: Vec<f64>,
    wall_duals: Vec<f64>,
    predicted: Vec<Part<D>>,
    squares: f64,
}

/// How far a step may go.
#[derive(Debug, Clone, Copy)]
struct Reach {
    primal: f64,
    dual: f64,
}

impl<const D: usize> Program<D> {
    pub(super) fn new(joints: usize) -> Self {
        Self {
            joints,
            edges: Vec::new(),
            walls: Vec::new(),
            band: Band::new(0),
            z: Vec::new(),
            most: 0.0,
            slacks: Vec::new(),
            duals: Vec::new(),
            wall_slacks: Vec::new(),
            wall_duals: Vec::new(),
            predicted: Vec::new(),
            squares: 0.0,
        }
    }

    /// Solves from zero, which must be inside all walls. False when nothing was gained.
    pub(super) fn solve(&mut self) -> bool {
        let start = self.begin();
        if !(start > 0.0) {
            return false;
        }
        for _ in 0..ITERATIONS {
            let gap = self.gap();
            if gap.0 <= GAP * self.most {
                break;
            }
            if !self.advance(gap.1) {
                break;
            }
        }
        self.most < start
    }

    /// At zero, all constraints with the same product of slack and dual variable; the largest step there.
    fn begin(&mut self) -> f64 {
        let poses = self.edges.len();
        if self.band.diagonal.len() != poses {
            self.band = Band::new(poses);
        }
        for parts in [&mut self.z, &mut self.predicted] {
            parts.clear();
            parts.resize(poses, [0.0; D]);
        }
        let rates = self.edges.iter().filter(|edge| edge.weight > 0.0).flat_map(|edge| &edge.rate[..self.joints]);
        let start = rates.fold(0.0_f64, |most, rate| most.max(rate.abs()));
        self.most = 1.05 * start;
        let weight: f64 = self.edges.iter().map(|edge| edge.weight).sum();
        self.squares = SQUARES / (start * weight).max(f64::MIN_POSITIVE);
        let count = 2 * self.joints * poses + self.walls.len();
        let product = self.most / count as f64;
        self.slacks.clear();
        self.duals.clear();
        for edge in &self.edges {
            let slack =
                |joint: usize| Pair { above: self.most - edge.rate[joint], below: self.most + edge.rate[joint] };
            let slacks: [Pair; WIDE] = std::array::from_fn(slack);
            self.duals.push(slacks.map(|slack| Pair { above: product / slack.above, below: product / slack.below }));
            self.slacks.push(slacks);
        }
        self.wall_slacks.clear();
        self.wall_slacks.extend(self.walls.iter().map(|wall| wall.room));
        self.wall_duals.clear();
        self.wall_duals.extend(self.walls.iter().map(|wall| product / wall.room));
        start
    }

    /// Sum and mean of the products of slacks and duals.
    fn gap(&self) -> (f64, f64) {
        let mut sum = 0.0;
        let mut count = self.walls.len();
        for ((edge, slacks), duals) in self.edges.iter().zip(&self.slacks).zip(&self.duals) {
            if edge.weight > 0.0 {
                count += 2 * self.joints;
                for joint in 0..self.joints {
                    sum += slacks[joint].above * duals[joint].above + slacks[joint].below * duals[joint].below;
                }
            }
        }
        sum += self.wall_slacks.iter().zip(&self.wall_duals).map(|(slack, dual)| slack * dual).sum::<f64>();
        (sum, sum / count as f64)
    }

    /// One step of predictor and corrector; false at the end of what arithmetic allows.
    fn advance(&mut self, mean: f64) -> bool {
        self.assemble();
        if !self.band.factor() {
            return false;
        }
        let (last, right) = self.right_side(0.0, None);
        self.predicted.copy_from_slice(&right);
        let mut predicted = std::mem::take(&mut self.predicted);
        let most = self.band.solve(&mut predicted, last);
        let reach = self.reach(&predicted, most, 0.0, None);
        let centring = (self.mean_after(&predicted, most, reach) / mean).powi(3).clamp(1e-6, 1.0);
        let (last, mut right) = self.right_side(centring * mean, Some((&predicted, most)));
        let step = self.band.solve(&mut right, last);
        let reach = self.reach(&right, step, centring * mean, Some((&predicted, most)));
        self.go(&right, step, centring * mean, (&predicted, most), reach);
        self.predicted = predicted;
        reach.primal > 1e-6 && self.most.is_finite()
    }

    /// The matrix of the normal equations.
    fn assemble(&mut self) {
        self.band.clear();
        for at in 0..self.edges.len() {
            let edge = &self.edges[at];
            if edge.weight == 0.0 {
                continue;
            }
            for joint in 0..self.joints {
                let (slack, dual) = (self.slacks[at][joint], self.duals[at][joint]);
                let (above, below) = (dual.above / slack.above, dual.below / slack.below);
                let (both, uneven) = (above + below + self.squares * edge.weight, below - above);
                self.band.corner += above + below;
                let (before, after) = (&edge.before[joint], &edge.after[joint]);
                for row in 0..D {
                    self.band.border[at][row] += uneven * after[row];
                    for column in 0..D {
                        self.band.diagonal[at][row][column] += both * after[row] * after[column];
                    }
                }
                if at > 0 {
                    for row in 0..D {
                        self.band.border[at - 1][row] += uneven * before[row];
                        for column in 0..D {
                            self.band.diagonal[at - 1][row][column] += both * before[row] * before[column];
                            self.band.left[at][row][column] += both * after[row] * before[column];
                        }
                    }
                }
            }
        }
        for ((wall, slack), dual) in self.walls.iter().zip(&self.wall_slacks).zip(&self.wall_duals) {
            let block = &mut self.band.diagonal[wall.pose];
            for row in 0..D {
                for column in 0..D {
                    block[row][column] += dual / slack * wall.normal[row] * wall.normal[column];
                }
            }
        }
    }

    /// Change of the step of a joint along a direction.
    #[inline]
    fn change(&self, at: usize, joint: usize, z: &[Part<D>]) -> f64 {
        let edge = &self.edges[at];
        let before = if at > 0 { dot(&edge.before[joint], &z[at - 1]) } else { 0.0 };
        before + dot(&edge.after[joint], &z[at])
    }

    /// Right side for products of slacks and duals of `aim`, corrected by those of a predicted step.
    fn right_side(&self, aim: f64, predicted: Option<(&[Part<D>], f64)>) -> (f64, Vec<Part<D>>) {
        let (mut last, mut right) = (-1.0, vec![[0.0; D]; self.edges.len()]);
        for at in 0..self.edges.len() {
            let edge = &self.edges[at];
            if edge.weight == 0.0 {
                continue;
            }
            for joint in 0..self.joints {
                let (slack, dual) = (self.slacks[at][joint], self.duals[at][joint]);
                let (mut above, mut below) = (aim, aim);
                if let Some((z, most)) = predicted {
                    let change = self.change(at, joint, z);
                    above -= correction(slack.above, dual.above, most - change);
                    below -= correction(slack.below, dual.below, most + change);
                }
                let (above, below) = (above / slack.above, below / slack.below);
                last += above + below;
                let rate = 0.5 * (slack.below - slack.above);
                let pull = below - above - self.squares * edge.weight * rate;
                for row in 0..D {
                    right[at][row] += pull * edge.after[joint][row];
                    if at > 0 {
                        right[at - 1][row] += pull * edge.before[joint][row];
                    }
                }
            }
        }
        for (index, wall) in self.walls.iter().enumerate() {
            let (slack, dual) = (self.wall_slacks[index], self.wall_duals[index]);
            let correction = predicted.map_or(0.0, |(z, _)| correction(slack, dual, -dot(&wall.normal, &z[wall.pose])));
            for row in 0..D {
                right[wall.pose][row] -= (aim - correction) / slack * wall.normal[row];
            }
        }
        (last, right)
    }

    /// Visits every constraint: slack, dual variable, and the changes of both.
    fn visit(
        &self,
        z: &[Part<D>],
        most: f64,
        aim: f64,
        predicted: Option<(&[Part<D>], f64)>,
        mut see: impl FnMut(f64, f64, f64, f64),
    ) {
        for at in 0..self.edges.len() {
            if self.edges[at].weight == 0.0 {
                continue;
            }
            for joint in 0..self.joints {
                let (slack, dual) = (self.slacks[at][joint], self.duals[at][joint]);
                let change = self.change(at, joint, z);
                let before = predicted.map(|(z, most)| (self.change(at, joint, z), most));
                let mut side = |slack: f64, dual: f64, sign: f64| {
                    let moved = most - sign * change;
                    let corrected = before.map_or(0.0, |(change, most)| correction(slack, dual, most - sign * change));
                    see(slack, dual, moved, (aim - corrected - dual * moved) / slack - dual);
                };
                side(slack.above, dual.above, 1.0);
                side(slack.below, dual.below, -1.0);
            }
        }
        for (index, wall) in self.walls.iter().enumerate() {
            let (slack, dual) = (self.wall_slacks[index], self.wall_duals[index]);
            let moved = -dot(&wall.normal, &z[wall.pose]);
            let corrected = predicted.map_or(0.0, |(z, _)| correction(slack, dual, -dot(&wall.normal, &z[wall.pose])));
            see(slack, dual, moved, (aim - corrected - dual * moved) / slack - dual);
        }
    }

    fn reach(&self, z: &[Part<D>], most: f64, aim: f64, predicted: Option<(&[Part<D>], f64)>) -> Reach {
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        self.visit(z, most, aim, predicted, |slack, value, moved, changed| {
            if moved < 0.0 {
                primal = primal.min(-SHORT * slack / moved);
            }
            if changed < 0.0 {
                dual = dual.min(-SHORT * value / changed);
            }
        });
        Reach { primal, dual }
    }

    fn mean_after(&self, z: &[Part<D>], most: f64, reach: Reach) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        self.visit(z, most, 0.0, None, |slack, value, moved, changed| {
            sum += (slack + reach.primal * moved) * (value + reach.dual * changed);
            count += 1;
        });
        sum / f64::from(count)
    }

    fn go(&mut self, z: &[Part<D>], most: f64, aim: f64, predicted: (&[Part<D>], f64), reach: Reach) {
        let mut moved = Vec::with_capacity(2 * self.joints * self.edges.len() + self.walls.len());
        self.visit(z, most, aim, Some(predicted), |slack, value, changed, dual| {
            moved.push((slack + reach.primal * changed, value + reach.dual * dual));
        });
        let mut next = moved.into_iter();
        for at in 0..self.edges.len() {
            if self.edges[at].weight == 0.0 {
                continue;
            }
            for joint in 0..self.joints {
                if let (Some(above), Some(below)) = (next.next(), next.next()) {
                    self.slacks[at][joint] = Pair { above: above.0, below: below.0 };
                    self.duals[at][joint] = Pair { above: above.1, below: below.1 };
                }
            }
        }
        for (index, (slack, dual)) in next.enumerate() {
            (self.wall_slacks[index], self.wall_duals[index]) = (slack, dual);
        }
        for (own, change) in self.z.iter_mut().zip(z) {
            for (own, change) in own.iter_mut().zip(change) {
                *own += reach.primal * change;
            }
        }
        self.most += reach.primal * most;
    }
}

/// Product of the changes that a predicted step makes in slack and dual variable.
#[inline]
fn correction(slack: f64, dual: f64, moved: f64) -> f64 {
    moved * (-dual * moved / slack - dual)
}
