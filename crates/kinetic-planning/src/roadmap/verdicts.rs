//! What is known of the vertices and edges of a roadmap in one scene.

use super::graph::RoadmapGraph;

/// What is known of a vertex or an edge. What is known better is greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// It was not looked at.
    #[default]
    Unknown,
    /// It passed the discrete check of edges.
    Sampled,
    /// It is proven valid.
    Proven,
    /// It is not valid, or cannot be proven.
    Refused,
}

impl Verdict {
    const ALL: [Self; 4] = [Self::Unknown, Self::Sampled, Self::Proven, Self::Refused];

    pub(crate) fn to_byte(self) -> u8 {
        self as u8
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }
}

/// One verdict per vertex and per edge. They are facts about a scene: in which order they are found changes none of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Verdicts {
    pub(crate) vertices: Vec<Verdict>,
    pub(crate) edges: Vec<Verdict>,
}

impl Verdicts {
    /// Nothing is known of a graph.
    pub(crate) fn unknown(graph: &RoadmapGraph) -> Self {
        let mut verdicts = Self::default();
        verdicts.resize(graph);
        verdicts
    }

    /// Nothing is known of what a graph has gained.
    pub(crate) fn resize(&mut self, graph: &RoadmapGraph) {
        self.vertices.resize(graph.len(), Verdict::Unknown);
        self.edges.resize(graph.edges(), Verdict::Unknown);
    }

    pub(crate) fn is_open(&self, edge: usize) -> bool {
        self.edges[edge] != Verdict::Refused
    }

    /// Refuses a vertex and the edges that end at it; which of them were open.
    pub(crate) fn refuse_vertex(&mut self, graph: &RoadmapGraph, vertex: usize) -> Vec<usize> {
        self.vertices[vertex] = Verdict::Refused;
        let edges = graph.neighbours(vertex).map(|(edge, _)| edge);
        let open: Vec<usize> = edges.filter(|edge| self.is_open(*edge)).collect();
        for edge in &open {
            self.edges[*edge] = Verdict::Refused;
        }
        open
    }

    /// Takes over what others know of the same vertices and edges, as far as they have them.
    pub(crate) fn take_over(&mut self, others: &Self) {
        let pairs = self.vertices.iter_mut().zip(&others.vertices).chain(self.edges.iter_mut().zip(&others.edges));
        for (own, other) in pairs {
            *own = (*own).max(*other);
        }
    }
}
