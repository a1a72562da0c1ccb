//! The edges that a flow from the start to a goal takes, and the variables of each.

use kinetic_core::{Control, Result};

use super::search::{RegionSearch, Terminal, WayPoint};
use crate::convex::Program;

/// A point that an edge carries, times its flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlowPoint {
    /// Where the region that the edge leaves was entered.
    Entry,
    /// Where the edge goes from one region into the next one: a point of both. The entry of the start or a goal, where it comes from or
    /// leads to one.
    Shared,
    /// Where the region that the edge leads into is left.
    Exit,
}

/// An edge from the start into a region, from one region into another, or from a region to a goal.
///
/// Its variables are one after the other: the flow, the coordinates of the points that are not given, and the cost of the way through the
/// region that it leaves.
#[derive(Debug, Clone)]
pub(super) struct FlowEdge {
    /// The region that it leaves; `None` at the start.
    pub(super) tail: Option<usize>,
    /// The region that it leads into; `None` at a goal.
    pub(super) head: Option<usize>,
    /// What it passes.
    pub(super) node: WayPoint,
    /// Cost of the straight line that joins the start or goal with its region.
    pub(super) join: f64,
    /// The shared point, where that is given.
    fixed: Option<Vec<f64>>,
    dof: usize,
    first: usize,
}

impl FlowEdge {
    /// The variable of its flow.
    pub(super) fn flow(&self) -> usize {
        self.first
    }

    /// The variable of the cost of the way through the region that it leaves.
    pub(super) fn cost(&self) -> Option<usize> {
        self.tail.map(|_| self.end() - 1)
    }

    /// The variable after its last one.
    pub(super) fn end(&self) -> usize {
        let points = [self.tail.is_some(), self.fixed.is_none(), self.head.is_some()];
        let count = points.into_iter().filter(|is_free| *is_free).count();
        self.first + 1 + count * self.dof + usize::from(self.tail.is_some())
    }

    /// A coordinate of a point times the flow: a variable and its factor.
    pub(super) fn component(&self, point: FlowPoint, joint: usize) -> (usize, f64) {
        let before = match point {
            FlowPoint::Entry => 0,
            FlowPoint::Shared => match &self.fixed {
                Some(at) => return (self.first, at[joint]),
                None => usize::from(self.tail.is_some()),
            },
            FlowPoint::Exit => usize::from(self.tail.is_some()) + usize::from(self.fixed.is_none()),
        };
        (self.first + 1 + before * self.dof + joint, 1.0)
    }

    /// Its points, each with a region that it is in. Given points are.
    pub(super) fn points(&self) -> Vec<(FlowPoint, usize)> {
        let shared = if self.fixed.is_none() { [self.tail, self.head] } else { [None, None] };
        let all = [
            (FlowPoint::Entry, self.tail),
            (FlowPoint::Shared, shared[0]),
            (FlowPoint::Shared, shared[1]),
            (FlowPoint::Exit, self.head),
        ];
        all.into_iter().filter_map(|(point, region)| Some((point, region?))).collect()
    }
}

/// The edges of a search that a path which costs less than `below` may pass.
///
/// # Errors
/// What [`Control::check`] says.
pub(super) fn edges_of(search: &RegionSearch<'_>, below: f64, control: &Control) -> Result<Vec<FlowEdge>> {
    let dof = search.regions().dof();
    let mut edges: Vec<FlowEdge> = Vec::new();
    let mut push = |tail: Option<usize>, head: Option<usize>, node: WayPoint, given: Option<&Terminal>| {
        let join = given.map_or(0.0, |terminal| terminal.join(&search.cost()));
        let fixed = given.map(|terminal| terminal.entry.clone());
        let first = edges.last().map_or(0, FlowEdge::end);
        edges.push(FlowEdge { tail, head, node, join, fixed, dof, first });
    };
    for (index, start) in search.starts().iter().enumerate() {
        push(None, Some(start.region), WayPoint::Start(index), Some(start));
    }
    for (index, overlap) in search.regions().portals().iter().enumerate() {
        control.check(0)?;
        if may_pass(search, index, below) {
            let [a, b] = overlap.regions;
            push(Some(a), Some(b), WayPoint::Overlap(index), None);
            push(Some(b), Some(a), WayPoint::Overlap(index), None);
        }
    }
    for (index, goal) in search.goals().iter().enumerate() {
        push(Some(goal.region), None, WayPoint::Goal(index), Some(goal));
    }
    Ok(edges)
}

/// Whether a path through an overlap may cost less than `below`: straight lines from an end to the overlap and on to another end cost no
/// more.
fn may_pass(search: &RegionSearch<'_>, overlap: usize, below: f64) -> bool {
    let (cost, of) = (search.cost(), &search.regions().portals()[overlap]);
    let distinct = |ends: &[Terminal]| {
        let mut found: Vec<Vec<f64>> = ends.iter().map(|terminal| terminal.end.clone()).collect();
        found.dedup();
        found
    };
    let (starts, goals) = (distinct(search.starts()), distinct(search.goals()));
    let pairs = || starts.iter().flat_map(|start| goals.iter().map(move |goal| [start, goal]));
    let over_middle = |[a, b]: &[&Vec<f64>; 2]| cost.of(a, &of.middle) + cost.of(&of.middle, b);
    if below.is_infinite() || pairs().any(|ends| over_middle(&ends) < below) {
        return true;
    }
    pairs().any(|ends| least_over(search, of.regions, ends.map(Vec::as_slice)).is_none_or(|least| least < below))
}

/// The least cost of two straight lines that meet in two regions; `None` where the solver does not find it.
fn least_over(search: &RegionSearch<'_>, regions: [usize; 2], ends: [&[f64]; 2]) -> Option<f64> {
    let dof = search.regions().dof();
    let mut program = Program::new(dof + 2);
    for region in regions {
        for (normal, offset) in search.regions().regions()[region].polytope.faces() {
            program.at_most(normal.iter().copied().enumerate(), offset);
        }
    }
    for (index, end) in ends.iter().enumerate() {
        program.minimise(dof + index, 1.0);
        search.cost().bound(&mut program, |joint| (-end[joint], vec![(joint, 1.0)]), dof + index);
    }
    program.optimum(&Control::default()).map(|found| found.bound)
}
