//! Finds a table.
//!
//! The box of the angles is halved until its parts are cells, or one plane does for all of a part. In a part, a pair of spheres
//! is left out that is surely farther apart than another one, or so far apart that nobody asks: few are left.
//!
//! **Plane below a distance.** With `v` the difference of two centres, `n` its direction in the middle of a part, and `δ` what
//! the angles differ from there, `|v(δ)| ≥ n·v(δ) ≥ |v(0)| + Σ n·∂v/∂θ_k δ_k - R`. The second derivatives of a point by two
//! of the joints that turn it are not longer than its distance from the axis of the outer one, `ρ`, so that
//! `R = ½ Σ ρ_outer(k, l) h_k h_l` over the joints of each end, for half-widths `h`. A plane with other slopes lies below it in
//! the whole part when it is lower in the middle by the slopes' differences times the half-widths. From above,
//! `|v + w| ≤ |v| + n·w + |w|² / 2 |v|` for a motion `w`.

use super::MOST_JOINTS;
use super::cells::{Cells, Part, Plane};
use super::jointed_clusters::JointedClusters;
use super::placed::{Distance, Pair, Placed, ROOM};
use super::tree::{self, Node, Tree};

/// Distances beyond which nobody asks, m.
const FAR: f64 = 0.3;

/// A plane that is nowhere lower does for all of a part, m: motions that carry two neighbouring links so far are long.
const ENOUGH: f64 = 0.1;

/// So does one that is as near the distance in the middle, m. What is nearer everywhere is left to the spheres.
const CLOSE: f64 = 4e-3;

/// How much lower planes are for the rounding of their sums, m.
const LOWER: f64 = 1e-6;

/// Distances that a search may look at, per sphere that its table spares in the samples that tell its worth; one takes some
/// 50 ns, and the first plan with a robot waits for all searches.
const LOOKS: usize = 60;
const MOST_LOOKS: usize = 600_000;

const FLAT: [f64; MOST_JOINTS] = [0.0; MOST_JOINTS];

impl Tree {
    /// That of two clusters; `None` where it takes longer than a table is worth.
    pub(crate) fn find(between: &JointedClusters, worth: usize) -> Option<Self> {
        let mut search = Search {
            cells: Cells::new(between),
            placed: Placed::new(between),
            open: between.pairs.clone(),
            lowest: Vec::new(),
            found: Vec::new(),
            budget: MOST_LOOKS.min(LOOKS * worth),
            looks: 0,
            decided: 0,
            tree: Self::default(),
        };
        let whole = search.cells.whole();
        search.visit(&whole, 0);
        (search.decided == count(&whole)).then_some(search.tree)
    }
}

/// What is nearest in a part.
enum Nearest {
    /// In the middle.
    Pair(Distance),
    /// Nothing, in all of the part.
    Far,
    /// Spheres that all but touch in all of it.
    Touching,
}

struct Search<'a> {
    cells: Cells,
    placed: Placed<'a>,
    /// Pairs that are looked at, those of later parts above.
    open: Vec<Pair>,
    /// Of the last part: what every pair keeps at least, and the courses of those that are kept.
    lowest: Vec<f64>,
    found: Vec<Distance>,
    /// Distances that may be looked at, and that were.
    budget: usize,
    looks: usize,
    /// Cells of which it is known what to write down.
    decided: usize,
    tree: Tree,
}

/// Cells of a part.
fn count(part: &Part) -> usize {
    part.iter().map(|(low, high)| high - low).product()
}

impl Search<'_> {
    /// Fills in the cells of a part, for the open pairs from one on.
    fn visit(&mut self, part: &Part, first: usize) {
        let last = self.open.len();
        self.looks += last - first;
        if self.is_too_long() {
            return;
        }
        self.placed.place(&self.cells, part);
        match self.keep_nearest(first, last) {
            Nearest::Far => self.decide(part, Some(&Plane { middle: tree::height_below(FAR), slopes: FLAT })),
            Nearest::Touching => self.decide(part, None),
            Nearest::Pair(nearest) => {
                let plane = self.plane(&nearest);
                let is_enough = plane.middle - self.placed.difference(&plane.slopes, &FLAT) > ENOUGH;
                let is_close = nearest.plane.middle - plane.middle < CLOSE;
                match self.cells.halves(part).filter(|_| !is_enough && !is_close) {
                    None => self.decide(part, Some(&plane)),
                    Some(halves) => {
                        self.tree.push(Node::Halves);
                        for half in &halves {
                            self.visit(half, last);
                        }
                    }
                }
            }
        }
        self.open.truncate(last);
    }

    /// Whether the looks so far say that the budget will not do; the first eighth of it says nothing.
    fn is_too_long(&self) -> bool {
        let cells = count(&self.cells.whole());
        8 * self.looks > self.budget && self.looks * cells > self.budget * self.decided.max(cells / 8)
    }

    /// Writes down what is known about a part.
    fn decide(&mut self, part: &Part, plane: Option<&Plane>) {
        self.decided += count(part);
        let plane = plane.filter(|plane| plane.middle.is_finite());
        self.tree.push(plane.map_or(Node::Nothing, |plane| Node::Plane(*plane)));
    }

    /// Appends those of some open pairs that may decide in the part.
    fn keep_nearest(&mut self, first: usize, last: usize) -> Nearest {
        let (mut nearest, mut least, mut surely) = (None, f64::INFINITY, f64::INFINITY);
        self.lowest.clear();
        for pair in &self.open[first..last] {
            let (distance, moved) = self.placed.distance(*pair);
            surely = surely.min(distance + moved);
            if distance < least {
                (nearest, least) = (Some(*pair), distance);
            }
            self.lowest.push(distance - moved);
        }
        if surely < CLOSE {
            return Nearest::Touching;
        }
        let Some(nearest) = nearest.map(|pair| self.placed.course(pair)) else { return Nearest::Far };
        self.found.clear();
        for index in first..last {
            if self.lowest[index - first] > surely.min(FAR) {
                continue;
            }
            let this = self.placed.course(self.open[index]);
            let difference = self.placed.difference(&this.plane.slopes, &nearest.plane.slopes);
            if this.plane.middle - this.below - difference <= nearest.plane.middle + nearest.above {
                self.open.push(this.pair);
                self.found.push(this);
            }
        }
        if self.found.is_empty() { Nearest::Far } else { Nearest::Pair(nearest) }
    }

    /// The highest plane that a tree can hold with the slopes of a distance that is below those of all pairs that were kept, and those left out.
    fn plane(&self, nearest: &Distance) -> Plane {
        let slopes = nearest.plane.slopes.map(tree::nearest_slope);
        let far = FAR - self.placed.difference(&slopes, &FLAT);
        let below =
            |this: &Distance| this.plane.middle - this.below - self.placed.difference(&slopes, &this.plane.slopes);
        let middle = self.found.iter().map(below).fold(far, f64::min);
        let rounding: f64 = slopes.iter().map(|slope| slope.abs() * ROOM).sum();
        Plane { middle: tree::height_below(middle - LOWER - rounding), slopes }
    }
}
