//! Covers of convex polytopes: cut into cells, put the smallest ball around each.
//!
//! Containment is by construction: the cells of the cover partition the polytope, each lies in its ball. Balls are
//! improved by cutting anew: given any balls, the power diagram of their surfaces partitions the polytope too, and if
//! the balls covered it, each new cell lies inside its old ball (a point of it is in some ball, and its own ball's
//! power is lowest). So the smallest ball around the new cell is never larger: Lloyd's iteration for coverings.

use nalgebra::{Point3, Vector3};

use super::cell::Cell;
use super::grid::{Grid, principal_axes};
use crate::ball::{Sphere, bounding_ball};
use crate::distance::point::PreparedShape;

/// Rounds of improvement after each cut; most of the gain comes in the first two.
const ROUNDS: usize = 3;
/// Rounds of improvement at the end.
const FINAL_ROUNDS: usize = 20;
/// A cover with more balls replaces one with fewer if its excess is below this part of the other's.
const WORTHWHILE: f64 = 0.97;
/// Above this many balls, improving after every cut would cost more than it gains; it is done at the end only.
const IMPROVED_AT_ONCE: usize = 16;

/// A part of the polytope with its ball.
#[derive(Debug, Clone)]
struct Part {
    cell: Cell,
    /// Smallest ball around the cell, without rounding.
    ball: Sphere,
    excess: f64,
}

/// A cover in progress.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    whole: Cell,
    /// The true shape in the frame of the polytope: what excess is measured against.
    shape: PreparedShape,
    rounding: f64,
    parts: Vec<Part>,
    /// The parts with the least excess so far: the halves of a cell can stick out farther than the whole did, until
    /// more cuts follow.
    best: Vec<Part>,
    grid: Grid,
}

impl Cells {
    /// One ball around a polytope that, enlarged by `rounding`, contains `shape`.
    pub(super) fn new(whole: Cell, rounding: f64, shape: PreparedShape) -> Self {
        let grid = Grid::new(&whole);
        let mut cells = Self { whole, shape, rounding, parts: Vec::new(), best: Vec::new(), grid };
        cells.parts.push(cells.part(cells.whole.clone()));
        cells.best.clone_from(&cells.parts);
        cells
    }

    fn part(&self, cell: Cell) -> Part {
        let ball = bounding_ball(&cell.corners);
        // The farthest that the rounded ball reaches beyond the shape: its surface along the gradient.
        let excess = ball.radius + self.rounding + self.shape.signed_distance(&ball.center);
        Part { cell, ball, excess }
    }

    /// Least excess of a cover found so far, m.
    pub(super) fn excess(&self) -> f64 {
        worst(&self.best).1
    }

    /// Number of balls of the cover in progress, at least that of the best.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The balls, rounding included.
    pub(super) fn spheres(&self) -> impl Iterator<Item = Sphere> + '_ {
        self.best.iter().map(|part| Sphere::new(part.ball.center, part.ball.radius + self.rounding))
    }

    /// Cuts the cell of the worst ball in two; false when it cannot be cut.
    pub(super) fn refine(&mut self) -> bool {
        let (index, _) = worst(&self.parts);
        let Some([one, other]) = self.best_cut(&self.parts[index].cell) else { return false };
        self.parts[index] = one;
        self.parts.push(other);
        if self.parts.len() <= IMPROVED_AT_ONCE {
            self.improve(ROUNDS);
        }
        self.try_grids();
        self.remember();
        true
    }

    /// Goes on from a regular cut into no more parts, if that is better.
    fn try_grids(&mut self) {
        while self.grid.len() < self.parts.len() {
            self.grid.advance();
            if self.grid.len() > self.parts.len() {
                return;
            }
            let parts = self.grid.cut(&self.whole).into_iter().map(|cell| self.part(cell)).collect();
            let mut other = Self { parts, ..self.clone() };
            other.improve(ROUNDS);
            if worst(&other.parts).1 < worst(&self.parts).1 {
                self.parts = other.parts;
            }
        }
    }

    fn remember(&mut self) {
        // More balls have to pay for themselves.
        let is_larger = self.parts.len() > self.best.len();
        let wanted = worst(&self.best).1 * if is_larger { WORTHWHILE } else { 1.0 };
        if worst(&self.parts).1 < wanted {
            self.best.clone_from(&self.parts);
        }
    }

    /// Improves the best cover for the last time.
    pub(super) fn finish(&mut self) {
        self.parts.clone_from(&self.best);
        self.improve(FINAL_ROUNDS);
        self.remember();
    }

    /// The cut through the middle, across one of the principal axes of the corners, that leaves the least excess.
    fn best_cut(&self, cell: &Cell) -> Option<[Part; 2]> {
        let axes = principal_axes(&cell.corners);
        let cuts = (0..3).filter_map(|axis| self.cut(cell, &axes.column(axis).into_owned()));
        let larger = |parts: &[Part; 2]| parts[0].excess.max(parts[1].excess);
        cuts.min_by(|p, q| larger(p).total_cmp(&larger(q)))
    }

    fn cut(&self, cell: &Cell, axis: &Vector3<f64>) -> Option<[Part; 2]> {
        let along = cell.corners.iter().map(|corner| axis.dot(&corner.coords));
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        // Thinner than a micrometre: nothing to gain across this axis.
        if high - low < 1e-6 {
            return None;
        }
        let middle = 0.5 * (low + high);
        Some([self.part(cell.clone().below(axis, middle)?), self.part(cell.clone().below(&-axis, -middle)?)])
    }

    /// Cuts the polytope anew around the balls, as long as that lowers the excess.
    fn improve(&mut self, rounds: usize) {
        for _ in 0..rounds {
            // Equal weights pull the radii together; the power diagram never makes a ball larger.
            let candidates = [self.recut(|_| 0.0), self.recut(|ball| ball.radius * ball.radius)];
            // A ball lost here would be cut off and lost again at every step.
            let kept = candidates.into_iter().filter(|parts| parts.len() == self.parts.len());
            let Some(best) = kept.min_by(|p, q| cost(p).total_cmp(&cost(q))) else { return };
            if cost(&best) >= cost(&self.parts) * (1.0 - 1e-4) {
                return;
            }
            self.parts = best;
        }
    }

    /// The parts of the diagram of the balls' centres with weights; balls whose part is empty are left out.
    fn recut(&self, weight: impl Fn(&Sphere) -> f64) -> Vec<Part> {
        let balls: Vec<(Point3<f64>, f64)> =
            self.parts.iter().map(|part| (part.ball.center, weight(&part.ball))).collect();
        let parts = (0..balls.len()).filter_map(|index| power_cell(&self.whole, &balls, index));
        parts.map(|cell| self.part(cell)).collect()
    }
}

/// The part of a polytope where ball `own` has the least power; `balls` are centres with squared radii.
fn power_cell(whole: &Cell, balls: &[(Point3<f64>, f64)], own: usize) -> Option<Cell> {
    let (center, weight) = balls[own];
    // Near neighbours first: what they leave, most others do not cut any more.
    let mut order: Vec<(f64, usize)> =
        balls.iter().enumerate().map(|(index, ball)| ((ball.0 - center).norm(), index)).collect();
    order.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    let mut cell = whole.clone();
    for (distance, index) in order {
        let (other, other_weight) = balls[index];
        if distance >= 1e-12 {
            // |x - center|² - weight ≤ |x - other|² - other_weight
            let squares = other.coords.norm_squared() - center.coords.norm_squared();
            let offset = 0.5 * (squares + weight - other_weight) / distance;
            cell = cell.below(&((other - center) / distance), offset)?;
        } else if index != own && (weight, index) < (other_weight, own) {
            // Concentric balls: the larger takes all, of equals the first.
            return None;
        }
    }
    Some(cell)
}

/// Index and excess of the worst part.
fn worst(parts: &[Part]) -> (usize, f64) {
    let pairs = parts.iter().enumerate().map(|(index, part)| (index, part.excess));
    pairs.fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
}

/// What improvement lowers: the large excesses first, the others a little.
fn cost(parts: &[Part]) -> f64 {
    parts.iter().map(|part| part.excess.powi(8)).sum()
}
