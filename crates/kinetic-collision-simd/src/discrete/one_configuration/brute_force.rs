//! Brute force over few obstacles: the box of each is compared with those around eight clusters at once, instead of looking for what is near
//! one cluster after the other.

use super::{OneConfiguration, PackedModel};
use crate::model::KernelModel;
use crate::model::cluster::Cluster;
use crate::packed::{W, load, load_points};
use crate::rounding::DIFFERENCE_ROUNDING;
use crate::vector::{Lanes, Plain};

/// More obstacles are looked for in a tree.
const MOST: usize = 4 * W;

/// The obstacles of all clusters.
#[derive(Debug, Clone)]
pub(crate) struct BruteForce {
    ids: Vec<u32>,
    /// Their boxes, lower and upper corners.
    boxes: Vec<[[f32; 3]; 2]>,
    /// Per eight clusters and obstacle, those that have to keep clear of it.
    clusters: Vec<Vec<u8>>,
    /// Per eight clusters their radii with the largest margin and rounding, without slides, and rounding per metre of slides.
    around: Vec<Plain<W>>,
    per_slide: Vec<Plain<W>>,
}

impl BruteForce {
    /// `None` where there are many.
    pub(crate) fn new(model: &KernelModel) -> Option<Self> {
        if model.obstacles.len() > MOST {
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
        let rounding = |cluster: &Cluster| cluster.roundoff + DIFFERENCE_ROUNDING;
        Some(Self {
            clusters: of_clusters.chunks(W).map(|pack| ids.iter().map(|id| bits(pack, id)).collect()).collect(),
            around: by_eights(model, |this| (this.radius + this.margin).max(0.0) + rounding(this) * this.extent),
            per_slide: by_eights(model, rounding),
            boxes: ids.iter().map(|id| corners(model, *id)).collect(),
            ids,
        })
    }

    /// Takes over where an obstacle is now, if some cluster keeps clear of it.
    pub(crate) fn move_obstacle(&mut self, model: &KernelModel, obstacle: u32) {
        if let Ok(place) = self.ids.binary_search(&obstacle) {
            self.boxes[place] = corners(model, obstacle);
        }
    }

    /// Up to eight obstacles from one on whose boxes are near some of eight clusters: bit `8 c + o` for cluster `c`.
    #[inline(always)]
    fn near<L: Lanes>(&self, single: &PackedModel, pack: usize, first: usize) -> u64 {
        let centers = load_points::<L>(&single.clusters[pack]);
        let around = load::<L>(&self.per_slide[pack]).scale_add(single.slide, load(&self.around[pack]));
        let lower = [centers.x - around, centers.y - around, centers.z - around];
        let upper = [centers.x + around, centers.y + around, centers.z + around];
        let mut near = 0;
        // Slices that end where the loop does: an iterator that counts along is kept in memory.
        let end = self.boxes.len().min(first + W);
        let (boxes, of_eight) = (&self.boxes[first..end], &self.clusters[pack][first..end]);
        for (place, (corners, clusters)) in boxes.iter().zip(of_eight).enumerate() {
            let mut gap = L::splat(f32::NEG_INFINITY);
            for axis in 0..3 {
                gap = gap.max(lower[axis].less(corners[1][axis]));
                gap = gap.max(L::splat(corners[0][axis]) - upper[axis]);
            }
            near |= u64::from(gap.not_positive() & u16::from(*clusters)) << (W * place);
        }
        transposed(near)
    }
}

impl OneConfiguration<'_> {
    /// The clusters against few obstacles, those near the tip first. True when one certainly touches.
    #[inline(always)]
    pub(crate) fn few<L: Lanes>(&mut self, few: &BruteForce) -> bool {
        for pack in (0..few.around.len()).rev() {
            for first in (0..few.ids.len()).step_by(W) {
                // One loop for all of them: where short loops end is hard to foresee.
                let mut near = few.near::<L>(self.single, pack, first);
                while near != 0 {
                    let place = near.ilog2() as usize;
                    near ^= 1 << place;
                    let (cluster, obstacle) = (W * pack + place / W, few.ids[first + place % W]);
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

/// A number of each cluster; unused places are 0.
fn by_eights(model: &KernelModel, number: impl Fn(&Cluster) -> f32) -> Vec<Plain<W>> {
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
