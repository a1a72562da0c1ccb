//! Paths that the flow of a relaxation is rounded to.
//!
//! Marcucci, Petersen, von Wrangel and Tedrake, "Motion planning around obstacles with convex optimization", Science Robotics 2023: walks from
//! the start that take each edge with the probability of its share of the flow, never enter a region twice, and go back where nothing leads
//! on.

use kinetic_core::rng::SeededRng;

use super::relaxation::{Flow, Relaxation};
use super::search::{RegionSearch, Way};

/// Walks that are drawn.
const WALKS: usize = 20;

/// Edges with less flow are not taken: what a solver leaves of zero.
const LEAST_FLOW: f64 = 1e-5;

/// The different ways of some walks, in the order in which they were drawn.
pub(super) fn rounded(relaxation: &Relaxation<'_>, flow: &Flow, search: &RegionSearch<'_>, seed: u64) -> Vec<Way> {
    let (mut rng, mut found): (_, Vec<Way>) = (SeededRng::new(seed), Vec::new());
    for _ in 0..WALKS {
        let Some(edges) = walk(relaxation, flow, &mut rng) else { continue };
        let of_edges = edges.iter().map(|edge| &relaxation.edges[*edge]);
        let way = search.way_through(of_edges.map(|edge| (edge.head, edge.node)));
        if let Some(way) = way.filter(|way| !found.contains(way)) {
            found.push(way);
        }
    }
    found
}

/// The edges of a walk from the start to a goal; `None` where the flow leads to none.
fn walk(relaxation: &Relaxation<'_>, flow: &Flow, rng: &mut SeededRng) -> Option<Vec<usize>> {
    let mut is_left_out = vec![false; relaxation.edges.len()];
    let mut walked: Vec<usize> = Vec::new();
    loop {
        let at = walked.last().map(|edge| relaxation.edges[*edge].head);
        if at == Some(None) {
            return Some(walked);
        }
        let is_open = |edge: &usize| {
            let head = relaxation.edges[*edge].head;
            let is_new = head.is_none() || walked.iter().all(|other| relaxation.edges[*other].head != head);
            flow.along[*edge] > LEAST_FLOW && !is_left_out[*edge] && is_new
        };
        let open: Vec<usize> = relaxation.edges_from(at.flatten()).filter(is_open).collect();
        match drawn(&open, flow, rng) {
            Some(edge) => walked.push(edge),
            None => is_left_out[walked.pop()?] = true,
        }
    }
}

/// One of some edges, with the probability of its share of their flow.
fn drawn(edges: &[usize], flow: &Flow, rng: &mut SeededRng) -> Option<usize> {
    let mut left = rng.uniform(0.0, 1.0) * edges.iter().map(|edge| flow.along[*edge]).sum::<f64>();
    for edge in edges {
        left -= flow.along[*edge];
        if left <= 0.0 {
            return Some(*edge);
        }
    }
    edges.last().copied()
}
