//! Branch and bound over the joint angles, which computes a distance table. The box of all angles is halved until boxes
//! are single cells, or one plane suffices for a whole box. In each box, sphere pairs are discarded that are certainly
//! farther apart than another pair, or farther than any query needs, so that few are left. **Plane below a distance.**
//! With `v` the difference of two centres, `n` its direction in the middle of a box, and `δ` the difference of the
//! angles from there, `|v(δ)| ≥ n·v(δ) ≥ |v(0)| + Σ n·∂v/∂θ_k δ_k - R`. The second derivative of a point by two of its
//! joints is at most as long as its distance from the axis of the outer one, `ρ`, so that `R = ½ Σ ρ_outer(k, l) h_k
//! h_l` over the joints of each cluster, for half-widths `h`. A plane with other slopes lies below it in the whole box
//! when it is lower in the middle by the slopes' differences times the half-widths. From above, `|v + w| ≤ |v| + n·w +
//! |w|² / 2 |v|` for a motion `w`.

use super::MAX_TABLE_JOINTS;
use super::cells::{CellBox, Cells, Plane};
use super::jointed_clusters::JointedClusters;
use super::placed::{Distance, PlacedClusters, SpherePair};
use super::tree::{self, TableNode, TableTree};
use crate::tolerance::ANGLE_ROUNDING_RAD;

/// Largest bound in a table, m. Queries hardly ever need larger distances.
const MAX_DISTANCE_BOUND_M: f64 = 0.3;

/// A plane that is nowhere lower than this suffices for a whole box, m, because motion bounds of two neighbouring links
/// are rarely larger.
const SUFFICIENT_DISTANCE_BOUND_M: f64 = 0.1;

/// A plane that is this close to the distance in the middle suffices too, m. Boxes in which the distance is smaller
/// everywhere are left to the spheres.
const PLANE_TOLERANCE_M: f64 = 4e-3;

/// Lowering of planes for the rounding of their sums, m.
const PLANE_ROUNDING_M: f64 = 1e-6;

/// Distance evaluations that a search may take, per sphere test that its table saves, and at most. One takes some 50
/// ns, and the first plan with a robot waits for all searches.
const EVALUATIONS_PER_SPARED_TEST: usize = 60;
const MAX_EVALUATIONS_PER_SEARCH: usize = 600_000;

const NO_SLOPES: [f64; MAX_TABLE_JOINTS] = [0.0; MAX_TABLE_JOINTS];

impl TableTree {
    /// Searches for the table of two clusters; `None` where it takes longer than the table is worth.
    pub(crate) fn find(jointed: &JointedClusters, spared_tests: usize) -> Option<Self> {
        let mut search = TableSearch {
            cells: Cells::new(jointed),
            placed: PlacedClusters::new(jointed),
            pairs: jointed.pairs.clone(),
            lowest: Vec::new(),
            found: Vec::new(),
            budget: MAX_EVALUATIONS_PER_SEARCH.min(EVALUATIONS_PER_SPARED_TEST * spared_tests),
            evaluations: 0,
            decided: 0,
            tree: Self::default(),
        };
        let whole = search.cells.whole();
        search.visit(&whole, 0);
        (search.decided == count(&whole)).then_some(search.tree)
    }
}

/// The nearest sphere pair in a box.
enum NearestPair {
    /// The pair that is nearest in the middle.
    Pair(Distance),
    /// All pairs are far apart in the whole box.
    Far,
    /// Some spheres almost touch in the whole box.
    Touching,
}

struct TableSearch<'a> {
    cells: Cells,
    placed: PlacedClusters<'a>,
    /// Stack of the sphere pairs that are left in each box.
    pairs: Vec<SpherePair>,
    /// For the current box: lower bounds on the distances of all pairs, and the distances of those that are left.
    lowest: Vec<f64>,
    found: Vec<Distance>,
    /// Distance evaluations: allowed, and used.
    budget: usize,
    evaluations: usize,
    /// Number of cells that are decided.
    decided: usize,
    tree: TableTree,
}

/// Number of cells in a box.
fn count(cell_box: &CellBox) -> usize {
    cell_box.iter().map(|(low, high)| high - low).product()
}

impl TableSearch<'_> {
    /// Decides the cells of a box, for the sphere pairs on the stack from `first` on.
    fn visit(&mut self, cell_box: &CellBox, first: usize) {
        let last = self.pairs.len();
        self.evaluations += last - first;
        if self.is_too_long() {
            return;
        }
        self.placed.place(&self.cells, cell_box);
        match self.keep_nearest(first, last) {
            NearestPair::Far => {
                self.decide(
                    cell_box,
                    Some(&Plane { middle: tree::height_below(MAX_DISTANCE_BOUND_M), slopes: NO_SLOPES }),
                );
            }
            NearestPair::Touching => self.decide(cell_box, None),
            NearestPair::Pair(nearest) => {
                let plane = self.plane(&nearest);
                let is_enough =
                    plane.middle - self.placed.difference(&plane.slopes, &NO_SLOPES) > SUFFICIENT_DISTANCE_BOUND_M;
                let is_close = nearest.plane.middle - plane.middle < PLANE_TOLERANCE_M;
                match self.cells.halves(cell_box).filter(|_| !is_enough && !is_close) {
                    None => self.decide(cell_box, Some(&plane)),
                    Some(halves) => {
                        self.tree.push(TableNode::Halves);
                        for half in &halves {
                            self.visit(half, last);
                        }
                    }
                }
            }
        }
        self.pairs.truncate(last);
    }

    /// Whether the budget will not suffice at the present rate; the first eighth of it is not judged.
    fn is_too_long(&self) -> bool {
        let cells = count(&self.cells.whole());
        8 * self.evaluations > self.budget && self.evaluations * cells > self.budget * self.decided.max(cells / 8)
    }

    /// Records the bound of a box.
    fn decide(&mut self, cell_box: &CellBox, plane: Option<&Plane>) {
        self.decided += count(cell_box);
        let plane = plane.filter(|plane| plane.middle.is_finite());
        self.tree.push(plane.map_or(TableNode::Nothing, |plane| TableNode::Plane(*plane)));
    }

    /// Pushes those of the pairs `first..last` that may be the nearest in the box.
    fn keep_nearest(&mut self, first: usize, last: usize) -> NearestPair {
        let (mut nearest, mut least, mut least_upper) = (None, f64::INFINITY, f64::INFINITY);
        self.lowest.clear();
        for pair in &self.pairs[first..last] {
            let (distance, moved) = self.placed.distance(*pair);
            least_upper = least_upper.min(distance + moved);
            if distance < least {
                (nearest, least) = (Some(*pair), distance);
            }
            self.lowest.push(distance - moved);
        }
        if least_upper < PLANE_TOLERANCE_M {
            return NearestPair::Touching;
        }
        let Some(nearest) = nearest.map(|pair| self.placed.tangent(pair)) else { return NearestPair::Far };
        self.found.clear();
        for index in first..last {
            if self.lowest[index - first] > least_upper.min(MAX_DISTANCE_BOUND_M) {
                continue;
            }
            let this = self.placed.tangent(self.pairs[index]);
            let difference = self.placed.difference(&this.plane.slopes, &nearest.plane.slopes);
            if this.plane.middle - this.below - difference <= nearest.plane.middle + nearest.above {
                self.pairs.push(this.pair);
                self.found.push(this);
            }
        }
        if self.found.is_empty() { NearestPair::Far } else { NearestPair::Pair(nearest) }
    }

    /// The highest plane with the slopes of the nearest pair, as a tree stores them, that is below the distances of all
    /// pairs, discarded ones included.
    fn plane(&self, nearest: &Distance) -> Plane {
        let slopes = nearest.plane.slopes.map(tree::nearest_slope);
        let far = MAX_DISTANCE_BOUND_M - self.placed.difference(&slopes, &NO_SLOPES);
        let below =
            |this: &Distance| this.plane.middle - this.below - self.placed.difference(&slopes, &this.plane.slopes);
        let middle = self.found.iter().map(below).fold(far, f64::min);
        let rounding: f64 = slopes.iter().map(|slope| slope.abs() * ANGLE_ROUNDING_RAD).sum();
        Plane { middle: tree::height_below(middle - PLANE_ROUNDING_M - rounding), slopes }
    }
}
