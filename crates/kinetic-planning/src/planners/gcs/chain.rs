//! The shortest path through a chain of regions.

use kinetic_core::{Control, Result};

use super::edge_cost::EdgeCost;
use super::search::Way;
use crate::convex::Program;
use crate::regions::contact::{between, contact};
use crate::regions::polytope::Polytope;
use crate::regions::{ConvexDecomposition, ConvexRegion};
use crate::space::Space;
use crate::validity::Validity;

/// How often planes are laid in front of what is in the way.
const MOST_CUTS: usize = 20;

/// Configurations of a refused edge that are looked at, per unit of its length (rad or m), and the fewest and most of an edge.
const EDGE_SAMPLES_PER_RAD_M: f64 = 64.0;
const FEWEST_EDGE_SAMPLES: f64 = 8.0;
const MOST_EDGE_SAMPLES: f64 = 512.0;

/// What the lengths of edges count beside their durations, measured in the time that each joint takes at its limit of velocity.
const TIE_BREAK: f64 = 0.01;

/// How far a point may be beyond a face by the accuracy of the solver, a distance of the joint space.
const SOLVED: f64 = 1e-6;

/// Faces of a region that are added at once for a point.
const MOST_FACES_AT_ONCE: usize = 4;

/// Faces as near as this to a point of a path are touched by it, a distance of the joint space.
const TOUCHING: f64 = 1e-4;

/// Regions one after the other, each with planes of its own.
pub(super) struct Chain<'a> {
    space: &'a Space,
    cost: EdgeCost<'a>,
    polytopes: Vec<Polytope>,
    /// A configuration of each region that stays in it when planes are laid: where the path begins and ends in the first and last one, and
    /// in others the seed, around which little collides.
    anchors: Vec<&'a [f64]>,
    origins: Vec<Origin<'a>>,
    ends: [&'a [f64]; 2],
    /// Faces that solutions have passed.
    passed: Vec<PassedFace>,
    /// The last solution.
    solution: Option<Vec<Vec<f64>>>,
    margin: f64,
}

/// What an edge of the chain crosses.
#[derive(Clone, Copy)]
struct Origin<'a> {
    /// The place of the region in the way.
    place: usize,
    region: &'a ConvexRegion,
}

/// A face that a point between two regions has to stay behind.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PassedFace {
    point: usize,
    region: usize,
    face: usize,
}

/// Where the variables of a programme are.
struct Layout {
    dof: usize,
    /// How many each edge has.
    costs: usize,
}

impl Layout {
    /// The first cost of an edge.
    fn cost(&self, edge: usize) -> usize {
        edge * (self.dof + self.costs)
    }

    /// The first joint of a point between the ends: where its edge ends.
    fn point(&self, point: usize) -> usize {
        self.cost(point) + self.costs
    }
}

impl<'a> Chain<'a> {
    /// The regions of a way.
    pub(super) fn new(
        (regions, cost): (&'a ConvexDecomposition, EdgeCost<'a>),
        way: &'a Way,
        space: &'a Space,
    ) -> Self {
        let of_way = way.regions.iter().enumerate();
        let origins: Vec<_> =
            of_way.map(|(place, region)| Origin { place, region: &regions.regions()[*region] }).collect();
        let polytopes = origins.iter().map(|origin| origin.region.polytope.clone()).collect();
        let margin = regions.options().copied().unwrap_or_default().margin;
        let ends: [&[f64]; 2] = [&way.start.entry, &way.goal.entry];
        let (anchors, passed) = (Vec::new(), Vec::new());
        let mut chain = Self { space, cost, polytopes, anchors, origins, ends, passed, solution: None, margin };
        chain.set_anchors();
        chain
    }

    fn set_anchors(&mut self) {
        self.anchors = self.origins.iter().map(|origin| origin.region.seed()).collect();
        let last = self.anchors.len() - 1;
        (self.anchors[0], self.anchors[last]) = (self.ends[0], if last == 0 { self.ends[0] } else { self.ends[1] });
    }

    /// Points from the entry of the start to that of the goal, all edges between them proven and the sum of their costs below a limit; or
    /// the edge that was refused last.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    pub(super) fn path(
        &mut self,
        below: f64,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<std::result::Result<Vec<Vec<f64>>, usize>> {
        let mut last_cut = 0;
        for _ in 0..=MOST_CUTS {
            control.check(0)?;
            let Some(points) = self.shortest(below) else { break };
            let Some(edge) = refused(&points, validity, control)? else { return Ok(Ok(points)) };
            last_cut = edge;
            if !self.keep_away(edge, &points, validity) {
                break;
            }
        }
        Ok(Err(last_cut))
    }

    /// Puts the region of an edge twice into the chain, as it was without planes: what planes leave no straight way through is crossed by two.
    pub(super) fn split(&mut self, edge: usize) {
        let origin = self.origins[edge];
        self.origins.insert(edge, origin);
        self.polytopes[edge] = origin.region.polytope.clone();
        self.polytopes.insert(edge, origin.region.polytope.clone());
        self.passed.clear();
        self.solution = None;
        self.set_anchors();
    }

    /// The place in the way of the region that an edge crosses.
    pub(super) fn place(&self, edge: usize) -> usize {
        self.origins[edge].place
    }

    fn cost_of(&self, points: &[Vec<f64>]) -> f64 {
        self.cost.of_path(points.iter().map(Vec::as_slice))
    }

    /// Makes the region of a refused edge smaller where that is refused; false where nothing is left to do.
    fn keep_away(&mut self, edge: usize, points: &[Vec<f64>], validity: &mut dyn Validity) -> bool {
        let colliding = colliding(&points[edge], &points[edge + 1], validity);
        // What grazes an obstacle collides nowhere, and has no proof; where a region ends at an obstacle, its own face keeps away.
        let inner = &points[edge.max(1)..(edge + 2).min(points.len() - 1)];
        let touching = colliding.as_ref().map_or(inner, std::slice::from_ref);
        if self.polytopes[edge].tighten(touching, TOUCHING, self.margin) {
            return !self.cuts_off_an_end(edge);
        }
        let (anchor, Some(colliding)) = (self.anchors[edge], colliding) else { return false };
        validity.is_valid(anchor) && self.cut(edge, &contact(anchor, &colliding, validity))
    }

    /// Whether the path begins or ends outside of its region.
    fn cuts_off_an_end(&self, edge: usize) -> bool {
        let last = self.polytopes.len() - 1;
        let is_out = |end: usize| !self.polytopes[edge].contains(self.ends[end]);
        (edge == 0 && is_out(0)) || (edge == last && is_out(1))
    }

    /// The way of least cost between the ends whose k-th edge is in the k-th region; `None` where there is none below a limit.
    ///
    /// Few faces matter to a path: the programme has those that solutions without them have passed. Faces only raise the cost.
    fn shortest(&mut self, below: f64) -> Option<Vec<Vec<f64>>> {
        // The solution before planes were laid says which of them matter.
        if let Some(points) = self.solution.take() {
            self.add_passed(&points);
        }
        loop {
            let points = self.shortest_behind_passed()?;
            if self.cost_of(&points) >= below {
                return None;
            }
            if !self.add_passed(&points) {
                self.solution = Some(points.clone());
                return Some(points);
            }
        }
    }

    /// The shortest way behind the faces that were passed.
    ///
    /// The variables are, edge by edge, its costs and the point where it ends, so that each is coupled with near ones alone. Of paths that take
    /// the same time the one with the shorter edges is wanted: what joints that need not hurry do is open otherwise.
    fn shortest_behind_passed(&self) -> Option<Vec<Vec<f64>>> {
        let (dof, edges) = (self.ends[0].len(), self.polytopes.len());
        let tie_break = match self.cost {
            EdgeCost::Length(_) => None,
            EdgeCost::Duration(limits) => Some(limits.iter().map(|limit| 1.0 / limit).collect::<Vec<_>>()),
        };
        let of_tie_break = tie_break.as_deref().map(|weights| (EdgeCost::Length(weights), TIE_BREAK));
        let costs = [(self.cost, 1.0)].into_iter().chain(of_tie_break).collect::<Vec<_>>();
        let layout = Layout { dof, costs: costs.len() };
        let mut program = Program::new(layout.point(edges - 1));
        for passed in &self.passed {
            let (normal, offset) = self.polytopes[passed.region].face(passed.face);
            let first = layout.point(passed.point);
            program.at_most((first..).zip(normal.iter().copied()), offset);
        }
        for edge in 0..edges {
            for (index, (cost, share)) in costs.iter().enumerate() {
                let variable = layout.cost(edge) + index;
                program.minimise(variable, *share);
                cost.bound(&mut program, |joint| self.step(&layout, edge, joint), variable);
            }
        }
        let solved = if edges == 1 { Vec::new() } else { program.solve()? };
        let between = (0..edges - 1).map(|point| self.within_limits(&solved[layout.point(point)..][..dof]));
        let [start, goal] = self.ends.map(<[f64]>::to_vec);
        Some([start].into_iter().chain(between).chain([goal]).collect())
    }

    /// Adds the faces that each point between the ends is farthest beyond, of both its regions; false where it is beyond none.
    fn add_passed(&mut self, points: &[Vec<f64>]) -> bool {
        let before = self.passed.len();
        for (point, at) in points[1..points.len() - 1].iter().enumerate() {
            for region in [point, point + 1] {
                let faces = self.polytopes[region].excesses(at).enumerate();
                let mut beyond: Vec<(usize, f64)> = faces.filter(|(_, excess)| *excess > SOLVED).collect();
                beyond.sort_by(|a, b| b.1.total_cmp(&a.1));
                let faces = beyond.into_iter().take(MOST_FACES_AT_ONCE);
                let new = faces.map(|(face, _)| PassedFace { point, region, face });
                let known = &self.passed[..before];
                let new: Vec<_> = new.filter(|face| !known.contains(face)).collect();
                self.passed.extend(new);
            }
        }
        self.passed.len() > before
    }

    /// What an edge moves a joint by: a constant, and factors of variables.
    fn step(&self, layout: &Layout, edge: usize, joint: usize) -> (f64, Vec<(usize, f64)>) {
        let (mut constant, mut terms) = (0.0, Vec::new());
        if edge == 0 {
            constant -= self.ends[0][joint];
        } else {
            terms.push((layout.point(edge - 1) + joint, -1.0));
        }
        if edge + 1 == self.polytopes.len() {
            constant += self.ends[1][joint];
        } else {
            terms.push((layout.point(edge) + joint, 1.0));
        }
        (constant, terms)
    }

    /// What an interior-point solver leaves outside of a limit by rounding.
    fn within_limits(&self, point: &[f64]) -> Vec<f64> {
        let limits = self.space.lower().iter().zip(self.space.upper());
        point.iter().zip(limits).map(|(value, (low, high))| value.clamp(*low, *high)).collect()
    }

    /// Lays a plane before a contact in the region of an edge, the anchor behind it; false where that cuts off an end of the path.
    fn cut(&mut self, edge: usize, contact: &[f64]) -> bool {
        let anchor = self.anchors[edge];
        let offset: Vec<f64> = contact.iter().zip(anchor).map(|(q, c)| q - c).collect();
        let length = offset.iter().map(|value| value * value).sum::<f64>().sqrt();
        if !(length > 0.0) {
            return false;
        }
        let normal: Vec<f64> = offset.iter().map(|value| value / length).collect();
        let dot = |x: &[f64]| normal.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        let (behind, at) = (dot(anchor), dot(contact));
        let bound = (at - self.margin).max(0.5 * (behind + at));
        self.polytopes[edge].add(&normal, bound);
        !self.cuts_off_an_end(edge)
    }
}

/// A configuration between two others that is in collision; `None` where none is found.
fn colliding(from: &[f64], to: &[f64], validity: &mut dyn Validity) -> Option<Vec<f64>> {
    let length = from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    let parts = (length * EDGE_SAMPLES_PER_RAD_M).ceil().clamp(FEWEST_EDGE_SAMPLES, MOST_EDGE_SAMPLES);
    let steps = (0_u32..).map(f64::from).take_while(|part| *part <= parts);
    steps.map(|part| between(from, to, part / parts)).find(|q| !validity.is_valid(q))
}

/// The first edge that is refused: by the quick check, and where that refuses none, by proof.
fn refused(points: &[Vec<f64>], validity: &mut dyn Validity, control: &Control) -> Result<Option<usize>> {
    for proves in [false, true] {
        for (edge, ends) in points.windows(2).enumerate() {
            control.check(0)?;
            let passes = if proves {
                validity.is_motion_valid(&ends[0], &ends[1])
            } else {
                validity.motion_may_be_valid(&ends[0], &ends[1])
            };
            if !passes {
                return Ok(Some(edge));
            }
        }
    }
    Ok(None)
}
