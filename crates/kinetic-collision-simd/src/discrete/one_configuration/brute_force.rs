//! Brute-force broad phase for few obstacles: the box of each is compared with the boxes of a pack of clusters at once.

use super::{OneConfiguration, PackedModel};
use crate::model::KernelModel;
use crate::model::cluster::Cluster;
use crate::packed::{W, load, load_points};
use crate::tolerance::DIFFERENCE_ROUNDING_RATIO;
use crate::vector::{Lanes, Plain};

/// Number of obstacles up to which brute force is faster than a tree.
const MAX_BRUTE_FORCE_OBSTACLES: usize = 4 * W;

/// The obstacles of all clusters.
#[derive(Debug, Clone)]
pub(crate) struct BruteForce {
    ids: Vec<u32>,
    /// Their bounding boxes, lower and upper corners.
    boxes: Vec<[[f32; 3]; 2]>,
    /// Per pack of clusters and obstacle, a bit per cluster that is checked against it.
    clusters: Vec<Vec<u8>>,
    /// Per pack of clusters: radii plus largest required clearance and rounding without prismatic displacement, and
    /// rounding per metre of it.
    around: Vec<Plain<W>>,
    per_displacement: Vec<Plain<W>>,
}

impl BruteForce {
    /// `None` where obstacles are too many.
    pub(crate) fn new(model: &KernelModel) -> Option<Self> {
        if model.obstacles.len() > MAX_BRUTE_FORCE_OBSTACLES {
            return None;
        }
        let mut of_clusters = vec![Vec::new(); model.clusters.len()];
        for (found, cluster) in of_clusters.iter_mut().zip(&model.clusters) {
            model.trees[cluster.tree].collect::<Plain<W>>(&[f32::MIN; 3], &[f32::MAX; 3], found);
        }
        let mut ids = of_clusters.concat();
        ids.sort_unstable();
        ids.dedup();
        let bit = |found: &Vec<u32>, id: &u32, lane: usize| u8::from(found.contains(id)) << lane;
        let bits =
            |pack: &[Vec<u32>], id: &u32| (0..pack.len()).fold(0, |bits, lane| bits | bit(&pack[lane], id, lane));
        let rounding = |cluster: &Cluster| cluster.roundoff + DIFFERENCE_ROUNDING_RATIO;
        Some(Self {
            clusters: of_clusters.chunks(W).map(|pack| ids.iter().map(|id| bits(pack, id)).collect()).collect(),
            around: by_packs(model, |this| (this.radius + this.margin).max(0.0) + rounding(this) * this.extent),
            per_displacement: by_packs(model, rounding),
            boxes: ids.iter().map(|id| corners(model, *id)).collect(),
            ids,
        })
    }

    /// Updates the box of an obstacle that has moved.
    pub(crate) fn move_obstacle(&mut self, model: &KernelModel, obstacle: u32) {
        if let Ok(position) = self.ids.binary_search(&obstacle) {
            self.boxes[position] = corners(model, obstacle);
        }
    }

    /// Which of up to [`W`] obstacles, from `first` on, have boxes near clusters of a pack: bit `8 c + o` for cluster
    /// `c` and obstacle `o`.
    #[inline(always)]
    fn near<L: Lanes>(&self, packed: &PackedModel, pack: usize, first: usize) -> u64 {
        let centers = load_points::<L>(&packed.clusters[pack]);
        let around = load::<L>(&self.per_displacement[pack]).scale_add(packed.displacement, load(&self.around[pack]));
        let lower = [centers.x - around, centers.y - around, centers.z - around];
        let upper = [centers.x + around, centers.y + around, centers.z + around];
        let mut near = 0;
        // Slices that end where the loop does, because a separate counter would be kept in memory.
        let end = self.boxes.len().min(first + W);
        let (boxes, of_pack) = (&self.boxes[first..end], &self.clusters[pack][first..end]);
        for (position, (corners, clusters)) in boxes.iter().zip(of_pack).enumerate() {
            let mut gap = L::splat(f32::NEG_INFINITY);
            for axis in 0..3 {
                gap = gap.max(lower[axis].less(corners[1][axis]));
                gap = gap.max(L::splat(corners[0][axis]) - upper[axis]);
            }
            near |= u64::from(gap.not_positive() & u16::from(*clusters)) << (W * position);
        }
        transposed(near)
    }
}

impl OneConfiguration<'_> {
    /// Tests the clusters against all obstacles whose boxes are near, those near the tip first. True when one certainly
    /// touches.
    #[inline(always)]
    pub(crate) fn brute_force<L: Lanes>(&mut self, brute_force: &BruteForce) -> bool {
        for pack in (0..brute_force.around.len()).rev() {
            for first in (0..brute_force.ids.len()).step_by(W) {
                // One loop over all bits, because the ends of many short loops are hard to predict.
                let mut near = brute_force.near::<L>(self.packed, pack, first);
                while near != 0 {
                    let position = near.ilog2() as usize;
                    near ^= 1 << position;
                    let (cluster, obstacle) = (W * pack + position / W, brute_force.ids[first + position % W]);
                    if self.cluster_against_obstacle::<L>(cluster, obstacle) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// Lower and upper corner of an obstacle's box.
fn corners(model: &KernelModel, obstacle: u32) -> [[f32; 3]; 2] {
    let this = &model.obstacles[obstacle as usize];
    [this.lower, this.upper]
}

/// A number of each cluster, in packs; unused lanes are 0.
fn by_packs(model: &KernelModel, number: impl Fn(&Cluster) -> f32) -> Vec<Plain<W>> {
    let pack = |clusters: &[Cluster]| Plain(std::array::from_fn(|lane| clusters.get(lane).map_or(0.0, &number)));
    model.clusters.chunks(W).map(pack).collect()
}

/// The transpose of an 8 × 8 matrix of bits (Warren 2013, Hacker's Delight, 7-3).
#[inline(always)]
fn transposed(mut matrix: u64) -> u64 {
    for (shift, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)] {
        let moved = (matrix ^ (matrix >> shift)) & mask;
        matrix ^= moved ^ (moved << shift);
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::transposed;

    #[test]
    fn rows_become_columns() {
        for row in 0..8 {
            for column in 0..8 {
                assert_eq!(transposed(1 << (8 * row + column)), 1 << (8 * column + row), "{row}, {column}");
            }
        }
    }
}
