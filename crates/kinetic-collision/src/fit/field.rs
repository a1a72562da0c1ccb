//! Inside test and signed distance of a mesh, by a voxel grid and winding numbers (Jacobson et al. 2013).

use nalgebra::{Point3, Vector3};

use crate::triangle_tree::{Triangle, TriangleTree};

/// Voxels along the longest side; what is enclosed up to holes of that size counts as solid.
const VOXELS_ALONG_LONGEST_SIDE: f64 = 48.0;
/// Distance in radii from which on a cluster of triangles counts as one.
const COARSE_WINDING_FAR_RATIO: f64 = 2.5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voxel {
    /// Not reached from outside.
    Enclosed,
    /// A triangle may pass through it.
    Surface,
    /// Connected with the outside.
    Open,
}

/// A signed distance of a mesh that bounds how far balls reach beyond it.
///
/// Voxels have a 48th of the mesh's length. Solid are the voxels that no path from outside reaches, so that cavities
/// and shells with small holes count as filled. In voxels that touch the surface, the winding number decides.
#[derive(Debug, Clone)]
pub(super) struct Field {
    all: TriangleTree,
    /// Triangles that are visible from outside.
    outer: TriangleTree,
    low: Point3<f64>,
    side: f64,
    counts: [usize; 3],
    voxels: Vec<Voxel>,
}

impl Field {
    pub(super) fn new(triangles: &[Triangle]) -> Self {
        let first = triangles.first().map_or_else(Point3::origin, |triangle| triangle[0]);
        let corners = triangles.iter().flatten();
        let (min, max) = corners.fold((first, first), |(min, max), corner| (min.inf(corner), max.sup(corner)));
        // A mesh of no size still has one voxel.
        let side = ((max - min).max() / VOXELS_ALONG_LONGEST_SIDE).max(1e-9);
        // One layer of voxels all around is outside.
        let low = min - Vector3::repeat(1.5 * side);
        #[expect(clippy::cast_sign_loss, reason = "the lowest corner is below all others")]
        let counts = [0, 1, 2].map(|axis| ((max[axis] - low[axis]) / side) as usize + 3);
        let voxels = vec![Voxel::Enclosed; counts.iter().product()];
        let all = TriangleTree::new(triangles.to_vec());
        let mut field = Self { all, outer: TriangleTree::new(Vec::new()), low, side, counts, voxels };
        let touched: Vec<Vec<usize>> = triangles.iter().map(|triangle| field.touched(triangle)).collect();
        touched.iter().flatten().for_each(|voxel| field.voxels[*voxel] = Voxel::Surface);
        field.flood();
        let is_outer = |voxels: &Vec<usize>| voxels.iter().any(|voxel| field.is_beside_open(*voxel));
        let outer =
            triangles.iter().zip(&touched).filter(|(_, voxels)| is_outer(voxels)).map(|(triangle, _)| *triangle);
        field.outer = TriangleTree::new(outer.collect());
        field
    }

    /// At least the distance from the solid outside of it, at most minus the distance from its outside within: a ball
    /// of radius `r` around the point reaches at most `r` plus this beyond the solid.
    pub(super) fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        if self.is_solid(point) { -self.outer.distance(point) } else { self.all.distance(point) }
    }

    /// True inside the solid.
    pub(super) fn is_solid(&self, point: &Point3<f64>) -> bool {
        let place: Option<Vec<usize>> = (0..3).map(|axis| self.place(axis, point[axis])).collect();
        let Some(&[x, y, z]) = place.as_deref() else { return false };
        match self.voxels[self.index([x, y, z])] {
            Voxel::Open => false,
            Voxel::Enclosed => true,
            Voxel::Surface => self.all.winding(point, COARSE_WINDING_FAR_RATIO).abs() > 0.5,
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "used where it is not negative")]
    fn place(&self, axis: usize, value: f64) -> Option<usize> {
        let place = (value - self.low[axis]) / self.side;
        (place >= 0.0 && place < self.counts[axis] as f64).then_some(place as usize)
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Voxels whose box meets that of a triangle, or of its parts no larger than a voxel.
    fn touched(&self, triangle: &Triangle) -> Vec<usize> {
        let mut voxels = Vec::new();
        let mut open = vec![*triangle];
        while let Some(part) = open.pop() {
            let [a, b, c] = part;
            let (min, max) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
            if (max - min).max() > self.side {
                open.extend(halves(part));
                continue;
            }
            let range =
                |axis: usize| self.place(axis, min[axis]).unwrap_or(0)..=self.place(axis, max[axis]).unwrap_or(0);
            for z in range(2) {
                for y in range(1) {
                    voxels.extend(range(0).map(|x| self.index([x, y, z])));
                }
            }
        }
        voxels.sort_unstable();
        voxels.dedup();
        voxels
    }

    /// Marks what is connected with the first voxel, which is outside.
    fn flood(&mut self) {
        let mut open = vec![0];
        self.voxels[0] = Voxel::Open;
        while let Some(index) = open.pop() {
            let reached: Vec<usize> = self.beside(index).filter(|i| self.voxels[*i] == Voxel::Enclosed).collect();
            for next in reached {
                self.voxels[next] = Voxel::Open;
                open.push(next);
            }
        }
    }

    /// The up to six voxels that share a side with one.
    fn beside(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let [nx, ny, nz] = self.counts;
        let place = [index % nx, index / nx % ny, index / (nx * ny)];
        let steps = [1, nx, nx * ny];
        (0..3).flat_map(move |axis| {
            let below = (place[axis] > 0).then(|| index - steps[axis]);
            let above = (place[axis] + 1 < [nx, ny, nz][axis]).then(|| index + steps[axis]);
            below.into_iter().chain(above)
        })
    }

    fn is_beside_open(&self, index: usize) -> bool {
        self.beside(index).any(|other| {
            self.voxels[other] == Voxel::Open || self.beside(other).any(|next| self.voxels[next] == Voxel::Open)
        })
    }
}

/// A triangle cut in two through the middle of its longest edge.
fn halves([a, b, c]: Triangle) -> [Triangle; 2] {
    let (ab, bc, ca) = ((b - a).norm_squared(), (c - b).norm_squared(), (a - c).norm_squared());
    let [p, q, r] = if ab >= bc && ab >= ca {
        [a, b, c]
    } else if bc >= ca {
        [b, c, a]
    } else {
        [c, a, b]
    };
    let middle = nalgebra::center(&p, &q);
    [[p, middle, r], [middle, q, r]]
}
