//! Lower bounds on the distances of the bounding spheres of two links over all configurations inside the joint limits.

use std::collections::BTreeMap;

/// Lower bounds on the distances between the surfaces of two links' spheres, row by row, m; negative where they may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct SphereDistances {
    columns: usize,
    distances: Vec<f32>,
}

impl SphereDistances {
    /// From a matrix with a row per sphere of the first link and a column per sphere of the second one.
    pub fn new(columns: usize, distances: Vec<f32>) -> Self {
        Self { columns, distances }
    }

    /// The bound for a sphere of the first link and one of the second.
    pub fn distance(&self, first: usize, second: usize) -> f32 {
        self.distances[first * self.columns + second]
    }

    /// All bounds, row by row.
    pub fn distances(&self) -> &[f32] {
        &self.distances
    }
}

/// Lower bounds on sphere distances inside the joint limits, by pair of links.
#[derive(Debug, Clone, Default)]
pub struct LinkSphereDistances {
    /// By link indices, the smaller first.
    pub pairs: BTreeMap<(usize, usize), SphereDistances>,
}

impl LinkSphereDistances {
    /// The bounds for two links, the smaller index first; `None` where none are known.
    pub fn pair(&self, links: (usize, usize)) -> Option<&SphereDistances> {
        self.pairs.get(&links)
    }
}
