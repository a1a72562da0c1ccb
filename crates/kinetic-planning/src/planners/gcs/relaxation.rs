//! The convex relaxation of the shortest path through the whole graph of regions: its lower bound, and the flow that paths are rounded
//! from.
//!
//! Marcucci, Umenberger, Parrilo and Tedrake, "Shortest paths in graphs of convex sets", SIAM Journal on Optimization 34(1), 2024: one unit
//! flows from the start to a goal, and every edge carries its points multiplied by its flow, so that a point in a region becomes linear
//! inequalities, and a cost a norm. Where the flow is not split, the relaxation is the shortest path itself.
//!
//! Few faces matter, as in a [chain](super::chain): the programme begins without any, and gets those that its solutions have passed. Every
//! solution on the way is a lower bound.

use std::collections::BTreeMap;

use kinetic_core::{Control, KineticError, Result};

use super::edge_cost::EdgeCost;
use super::flow_edge::{FlowEdge, FlowPoint, edges_of};
use super::search::RegionSearch;
use crate::convex::Program;
use crate::regions::ConvexDecomposition;

/// How far a point times its flow may be beyond a face, a distance of the joint space.
const PASSED: f64 = 1e-5;

/// Faces that are added at once for a point.
const MOST_FACES_PER_MEMBERSHIP: usize = 3;

/// Programmes that are solved at most.
const MOST_PROGRAMMES: usize = 100;

/// Parts that the sums of pairs of edges have at most: they only tighten the bound, and in a graph of many regions take much memory.
const MOST_PAIRED_PARTS: usize = 1_000_000;

/// A solution of the relaxation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Flow {
    /// No path through the regions costs less.
    pub(super) lower_bound: f64,
    /// What flows along each edge.
    pub(super) along: Vec<f64>,
}

/// The programme of a problem.
pub(super) struct Relaxation<'a> {
    regions: &'a ConvexDecomposition,
    cost: EdgeCost<'a>,
    pub(super) edges: Vec<FlowEdge>,
    /// Edges into and out of each region.
    arriving: Vec<Vec<usize>>,
    leaving: Vec<Vec<usize>>,
    variables: usize,
    /// What is in a region, and which faces of the region solutions have passed with it.
    memberships: Vec<Membership>,
}

/// Points times flows whose sum is in a region, times the sum of the flows.
struct Membership {
    region: usize,
    parts: Vec<FlowPart>,
    faces: Vec<usize>,
}

/// A point of an edge, added or subtracted.
struct FlowPart {
    edge: usize,
    point: FlowPoint,
    sign: f64,
}

impl<'a> Relaxation<'a> {
    /// The programme over the edges that a path which costs less than `below` may pass.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    pub(super) fn new(search: &RegionSearch<'a>, below: f64, control: &Control) -> Result<Self> {
        let regions = search.regions();
        let edges = edges_of(search, below, control)?;
        let variables = edges.last().map_or(0, FlowEdge::end);
        let count = regions.regions().len();
        let of = |is_at: &dyn Fn(&FlowEdge) -> Option<usize>| {
            let mut at_region = vec![Vec::new(); count];
            for (index, edge) in edges.iter().enumerate() {
                if let Some(region) = is_at(edge) {
                    at_region[region].push(index);
                }
            }
            at_region
        };
        let (arriving, leaving) = (of(&|edge| edge.head), of(&|edge| edge.tail));
        let mut relaxation =
            Self { regions, cost: search.cost(), edges, arriving, leaving, variables, memberships: Vec::new() };
        relaxation.memberships = relaxation.all_memberships();
        Ok(relaxation)
    }

    /// Every point of an edge is in its regions. A region is not left for where it was entered from: what leaves it elsewhere, less what
    /// entered it from there, is in it, too (the valid inequalities of section 5.3 for a pair of edges between two sets).
    fn all_memberships(&self) -> Vec<Membership> {
        let (mut found, mut paired) = (Vec::new(), 0);
        for (edge, of) in self.edges.iter().enumerate() {
            for (point, region) in of.points() {
                found.push(Membership { region, parts: vec![FlowPart { edge, point, sign: 1.0 }], faces: Vec::new() });
            }
            let Some((region, before)) = of.head.zip(of.tail).filter(|_| paired < MOST_PAIRED_PARTS) else { continue };
            let back = |other: &usize| self.edges[*other].head == Some(before);
            let onward: Vec<usize> = self.leaving[region].iter().copied().filter(|other| !back(other)).collect();
            paired += 2 * (onward.len() + 1);
            for (of_edge, of_others) in [(FlowPoint::Shared, FlowPoint::Entry), (FlowPoint::Exit, FlowPoint::Shared)] {
                let mut parts = vec![FlowPart { edge, point: of_edge, sign: -1.0 }];
                parts.extend(onward.iter().map(|other| FlowPart { edge: *other, point: of_others, sign: 1.0 }));
                found.push(Membership { region, parts, faces: Vec::new() });
            }
        }
        found
    }

    /// The edges out of a region, or out of the start.
    pub(super) fn edges_from(&self, region: Option<usize>) -> impl Iterator<Item = usize> {
        let is_from = move |edge: &usize| self.edges[*edge].tail == region;
        (0..self.edges.len()).filter(is_from)
    }

    /// The flow of least cost, as near as `control` lets it come; `None` where it ends the first programme, or there is no path.
    ///
    /// # Errors
    /// What [`Control::check`] says when it is cancelled.
    pub(super) fn solve(&mut self, control: &Control) -> Result<Option<Flow>> {
        let mut best: Option<Flow> = None;
        for _ in 0..MOST_PROGRAMMES {
            let Some(found) = self.program().optimum(control) else { break };
            let bound = best.as_ref().map_or(0.0, |flow| flow.lower_bound);
            let along = self.edges.iter().map(|edge| found.values[edge.flow()]).collect();
            best = Some(Flow { lower_bound: found.bound.max(bound), along });
            if !self.add_passed(&found.values) {
                break;
            }
        }
        match control.check(0) {
            Err(error @ KineticError::Cancelled { .. }) => Err(error),
            _ => Ok(best),
        }
    }

    fn program(&self) -> Program {
        let mut program = Program::new(self.variables);
        for edge in &self.edges {
            program.minimise(edge.flow(), edge.join);
            if let Some(cost) = edge.cost() {
                program.minimise(cost, 1.0);
            }
        }
        self.conserve(&mut program);
        self.bound(&mut program);
        for edge in &self.edges {
            let Some(variable) = edge.cost() else { continue };
            let step = |joint: usize| {
                let [entry, shared] = [FlowPoint::Entry, FlowPoint::Shared].map(|point| edge.component(point, joint));
                (0.0, vec![(entry.0, -entry.1), shared])
            };
            self.cost.bound(&mut program, step, variable);
        }
        program
    }

    /// One unit flows out of the start, and what flows into a region flows out of it, points and all.
    fn conserve(&self, program: &mut Program) {
        let starts = self.edges.iter().filter(|edge| edge.tail.is_none());
        program.equal(starts.map(|edge| (edge.flow(), 1.0)), 1.0);
        for (arriving, leaving) in self.arriving.iter().zip(&self.leaving) {
            let terms = |term: &dyn Fn(&FlowEdge, bool) -> (usize, f64)| {
                let arrive = arriving.iter().map(|edge| term(&self.edges[*edge], true));
                let leave = leaving.iter().map(|edge| term(&self.edges[*edge], false));
                arrive.chain(leave.map(|(variable, factor)| (variable, -factor))).collect::<Vec<_>>()
            };
            program.equal(terms(&|edge, _| (edge.flow(), 1.0)).into_iter(), 0.0);
            for joint in 0..self.regions.dof() {
                for [arriving, leaving] in [[FlowPoint::Shared, FlowPoint::Entry], [FlowPoint::Exit, FlowPoint::Shared]]
                {
                    let of = |edge: &FlowEdge, arrives: bool| {
                        edge.component(if arrives { arriving } else { leaving }, joint)
                    };
                    program.equal(terms(&of).into_iter(), 0.0);
                }
            }
        }
    }

    /// A region is passed once; flows are not negative; what is in a region is behind the faces that were passed.
    fn bound(&self, program: &mut Program) {
        for arriving in &self.arriving {
            program.at_most(arriving.iter().map(|edge| (self.edges[*edge].flow(), 1.0)), 1.0);
        }
        for edge in &self.edges {
            program.at_most([(edge.flow(), -1.0)].into_iter(), 0.0);
        }
        for membership in &self.memberships {
            let flows = membership.parts.iter().map(|part| (self.edges[part.edge].flow(), -part.sign));
            if membership.parts.len() > 1 {
                program.at_most(flows.clone(), 0.0);
            }
            for face in &membership.faces {
                let (normal, offset) = self.regions.regions()[membership.region].polytope.face(*face);
                let part_terms = membership.parts.iter().flat_map(|part| {
                    normal.iter().enumerate().map(|(joint, factor)| {
                        let (variable, value) = self.edges[part.edge].component(part.point, joint);
                        (variable, part.sign * factor * value)
                    })
                });
                program.at_most(summed(part_terms.chain(flows.clone().map(|(flow, sign)| (flow, sign * offset)))), 0.0);
            }
        }
    }

    /// Adds the faces that a solution is farthest beyond; false where it is beyond none.
    fn add_passed(&mut self, values: &[f64]) -> bool {
        let mut found = false;
        for membership in &mut self.memberships {
            let flow: f64 = membership.parts.iter().map(|part| part.sign * values[self.edges[part.edge].flow()]).sum();
            let at = |joint: usize| -> f64 {
                let of = |part: &FlowPart| {
                    let (variable, factor) = self.edges[part.edge].component(part.point, joint);
                    part.sign * factor * values[variable]
                };
                membership.parts.iter().map(of).sum()
            };
            let point: Vec<f64> = (0..self.regions.dof()).map(at).collect();
            let faces = self.regions.regions()[membership.region].polytope.faces().enumerate();
            let excess = |(face, (normal, offset)): (usize, (&[f64], f64))| {
                let reach: f64 = normal.iter().zip(&point).map(|(a, b)| a * b).sum();
                (face, reach - flow * offset)
            };
            let mut beyond: Vec<(usize, f64)> = faces.map(excess).filter(|(_, excess)| *excess > PASSED).collect();
            beyond.retain(|(face, _)| !membership.faces.contains(face));
            beyond.sort_by(|a, b| b.1.total_cmp(&a.1));
            beyond.truncate(MOST_FACES_PER_MEMBERSHIP);
            found |= !beyond.is_empty();
            membership.faces.extend(beyond.into_iter().map(|(face, _)| face));
        }
        found
    }
}

/// Terms of a row, one for each variable.
fn summed(terms: impl Iterator<Item = (usize, f64)>) -> impl Iterator<Item = (usize, f64)> {
    let mut of_variable = BTreeMap::new();
    for (variable, factor) in terms {
        *of_variable.entry(variable).or_insert(0.0) += factor;
    }
    of_variable.into_iter()
}
