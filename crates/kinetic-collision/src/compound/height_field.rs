//! Height fields as prisms.

use nalgebra::Point3;

/// A prism with upright edges: three corners below, the three above them.
pub(crate) type Prism = [Point3<f64>; 6];

/// Two prisms for each cell of the grid, split along the diagonal from its first to its last node.
pub(super) fn prisms(heights: &[f64], nodes: [usize; 2], spacing: [f64; 2], base: f64) -> Vec<Prism> {
    let place = |axis: usize, index: usize| (index as f64 - (nodes[axis] - 1) as f64 / 2.0) * spacing[axis];
    let corner = |[i, j]: [usize; 2]| Point3::new(place(0, i), place(1, j), heights[i * nodes[1] + j]);
    let prism = |above: [[usize; 2]; 3]| {
        let [a, b, c] = above.map(corner);
        let [d, e, f] = [a, b, c].map(|point| Point3::new(point.x, point.y, base));
        [d, e, f, a, b, c]
    };
    let mut prisms = Vec::with_capacity(2 * (nodes[0] - 1) * (nodes[1] - 1));
    for i in 0..nodes[0] - 1 {
        for j in 0..nodes[1] - 1 {
            prisms.push(prism([[i, j], [i + 1, j], [i + 1, j + 1]]));
            prisms.push(prism([[i, j], [i + 1, j + 1], [i, j + 1]]));
        }
    }
    prisms
}
