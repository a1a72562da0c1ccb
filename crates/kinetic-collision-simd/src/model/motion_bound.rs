//! Motion bounds that hold in every configuration (Schwarzer, Saha, Latombe 2005), of clusters and of cluster pairs.

use kinetic_kinematics::Motion;

use crate::model::{Ancestor, KernelModel};
use crate::tolerance::SUM_WIDENING_FACTOR;

/// Clusters or cluster pairs per pack.
const CLUSTERS_PER_PACK: usize = 8;

/// Motion per unit of each variable: of every cluster, then of the two clusters of every cluster pair relative to each
/// other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounds {
    /// Lever arms in packs, per variable: without prismatic displacement, and per metre of it.
    arms: Vec<[f32; CLUSTERS_PER_PACK]>,
    rates: Vec<[f32; CLUSTERS_PER_PACK]>,
    count: usize,
    variables: usize,
}

impl Bounds {
    pub(crate) fn new(model: &KernelModel) -> Self {
        let of_cluster = |index: usize, joints: usize| &model.clusters[index].ancestors[..joints];
        let whole = (0..model.clusters.len()).map(|index| [&model.clusters[index].ancestors[..], &[]]);
        let against = model.cluster_pairs.iter().map(|cluster_pair| {
            [
                of_cluster(cluster_pair.small, cluster_pair.joints_of_small),
                of_cluster(cluster_pair.large, cluster_pair.joints_of_large),
            ]
        });
        let (count, variables) = (model.clusters.len() + model.cluster_pairs.len(), model.num_variables);
        let packs = count.div_ceil(CLUSTERS_PER_PACK) * variables;
        let (arms, rates) = (vec![[0.0; CLUSTERS_PER_PACK]; packs], vec![[0.0; CLUSTERS_PER_PACK]; packs]);
        let mut bounds = Self { arms, rates, count, variables };
        for (index, joints) in whole.chain(against).enumerate() {
            joints.into_iter().flatten().for_each(|joint| bounds.add(index, joint));
        }
        bounds
    }

    fn add(&mut self, index: usize, joint: &Ancestor) {
        let (pack, lane) = (index / CLUSTERS_PER_PACK * self.variables + joint.variable, index % CLUSTERS_PER_PACK);
        self.arms[pack][lane] += joint.arm * SUM_WIDENING_FACTOR;
        if joint.motion == Motion::Rotation {
            self.rates[pack][lane] += joint.rate * SUM_WIDENING_FACTOR;
        }
    }

    /// Length of a list of all bounds.
    pub(crate) fn len(&self) -> usize {
        self.count.next_multiple_of(CLUSTERS_PER_PACK)
    }

    /// Computes all motion bounds in a box of these half-widths, where prismatic joints displace by at most `displacement`.
    #[inline(always)]
    pub(crate) fn sum_up(&self, widths: &[f32], displacement: f32, sums: &mut [f32]) {
        let packs = sums.as_chunks_mut::<CLUSTERS_PER_PACK>().0.iter_mut();
        let (arms, rates) =
            (self.arms.chunks_exact(self.variables.max(1)), self.rates.chunks_exact(self.variables.max(1)));
        for ((sums, arms), rates) in packs.zip(arms).zip(rates) {
            let mut moved = [0.0; CLUSTERS_PER_PACK];
            for ((arms, rates), width) in arms.iter().zip(rates).zip(widths) {
                for lane in 0..CLUSTERS_PER_PACK {
                    moved[lane] += (arms[lane] + rates[lane] * displacement) * width;
                }
            }
            *sums = moved;
        }
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use kinetic_robot::Robot;

    use super::*;
    use crate::tests::model_of;

    /// One joint after the other, in double precision, for an arm on a lift and one without.
    #[test]
    fn bounds_are_the_sums_over_the_joints_and_not_less() {
        let mut rng = SeededRng::new(0);
        for name in ["fetch", "ur5e"] {
            let robot = Robot::from_name(name).expect("a built-in robot");
            let model = KernelModel::new(&model_of(&robot, 0.0));
            for _ in 0..50 {
                let widths: Vec<f32> = (0..model.num_variables).map(|_| rng.uniform(0.0, 0.3) as f32).collect();
                let displacement = rng.uniform(0.0, 0.4) as f32;
                let mut sums = vec![f32::NAN; model.bounds.len()];
                model.bounds.sum_up(&widths, displacement, &mut sums);
                let moved = |joint: &Ancestor| {
                    let displacement = if joint.motion == Motion::Rotation { displacement } else { 0.0 };
                    let arm = f64::from(joint.rate).mul_add(f64::from(displacement), f64::from(joint.arm));
                    arm * f64::from(widths[joint.variable])
                };
                let of = |cluster: usize, joints: usize| -> f64 {
                    model.clusters[cluster].ancestors[..joints].iter().map(moved).sum()
                };
                let whole = (0..model.clusters.len()).map(|index| of(index, model.clusters[index].ancestors.len()));
                let cluster_pairs = model.cluster_pairs.iter();
                let against = cluster_pairs.map(|cluster_pair| {
                    of(cluster_pair.small, cluster_pair.joints_of_small)
                        + of(cluster_pair.large, cluster_pair.joints_of_large)
                });
                for (index, (found, exact)) in sums.iter().zip(whole.chain(against)).enumerate() {
                    let found = f64::from(*found);
                    assert!(found >= exact && found <= exact * (1.0 + 2e-5), "{name} {index}: {found} and {exact}");
                }
            }
        }
    }
}
