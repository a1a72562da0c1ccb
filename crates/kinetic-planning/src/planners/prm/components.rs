//! Which vertices of a roadmap hang together: disjoint sets (Tarjan 1975), with the ends of the query marked.

/// Sets of vertices that edges join.
#[derive(Debug, Clone, Default)]
pub(super) struct Components {
    parents: Vec<u32>,
    sizes: Vec<u32>,
    /// Whether the set of a representative has the start or a goal.
    has_end: Vec<bool>,
}

impl Components {
    /// Adds vertices that are alone, up to a number of them.
    pub(super) fn resize(&mut self, vertices: usize) {
        self.parents.extend(self.parents.len() as u32..vertices as u32);
        self.sizes.resize(vertices, 1);
        self.has_end.resize(vertices, false);
    }

    pub(super) fn mark_end(&mut self, vertex: usize) {
        let set = self.set_of(vertex);
        self.has_end[set] = true;
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.set_of(a), self.set_of(b));
        if a == b {
            return;
        }
        let (small, large) = if self.sizes[a] < self.sizes[b] { (a, b) } else { (b, a) };
        self.parents[small] = large as u32;
        self.sizes[large] += self.sizes[small];
        self.has_end[large] |= self.has_end[small];
    }

    /// Whether two vertices are in one component.
    pub(super) fn are_joined(&mut self, a: usize, b: usize) -> bool {
        self.set_of(a) == self.set_of(b)
    }

    /// Whether an edge would join a set that has an end of the query with another one.
    pub(super) fn would_lead_on(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.set_of(a), self.set_of(b));
        a != b && (self.has_end[a] || self.has_end[b])
    }

    /// Whether a vertex hangs together with an end of the query.
    pub(super) fn has_end(&mut self, vertex: usize) -> bool {
        let set = self.set_of(vertex);
        self.has_end[set]
    }

    fn set_of(&mut self, vertex: usize) -> usize {
        let mut at = vertex;
        while self.parents[at] as usize != at {
            let above = self.parents[at] as usize;
            self.parents[at] = self.parents[above];
            at = above;
        }
        at
    }
}
