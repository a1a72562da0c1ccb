//! Lower bounds on the distances of the bounding spheres of two links over all configurations inside the joint limits.

use std::collections::BTreeMap;

/// Distances between the surfaces of the spheres of two links, row by row, m; negative where they may meet.
#[derive(Debug, Clone, PartialEq)]
pub struct SphereDistances {
    columns: usize,
    distances: Vec<f32>,
}

impl SphereDistances {
    /// A row per sphere of the first link, a column per sphere of the second one.
    pub fn new(columns: usize, distances: Vec<f32>) -> Self {
        Self { columns, distances }
    }

    /// Of a sphere of the first link and one of the second.
    pub fn distance(&self, first: usize, second: usize) -> f32 {
        self.distances[first * self.columns + second]
    }

    /// All of them, row by row.
    pub fn distances(&self) -> &[f32] {
        &self.distances
    }
}

/// For pairs of links, the distance that each two of their spheres keep inside the joint limits.
#[derive(Debug, Clone, Default)]
pub struct LinkSphereDistances {
    /// By link indices, the smaller first.
    pub pairs: BTreeMap<(usize, usize), SphereDistances>,
}

impl LinkSphereDistances {
    /// What is known about two links, the smaller index first.
    pub fn pair(&self, links: (usize, usize)) -> Option<&SphereDistances> {
        self.pairs.get(&links)
    }
}
