//! Samples of the dynamic domain (Yershova et al. 2005), drawn inside it.
//!
//! The dynamic domain keeps samples far away from nodes that are boxed in, by rejecting them. In a tree of such nodes
//! nearly all are, each at the cost of a nearest neighbour: a tree in a shelf spends its time on that, and the smaller the
//! domain has become, the more. So the sample after a rejected one is drawn from the domain itself: from around a node, each
//! as likely as any other. It falls where that node is not the nearest one too, and is then that one's.

use kinetic_core::rng::SeededRng;

use crate::space::Space;
use crate::tree::Tree;

/// The square of half the edge of the cube around a node, relative to that of its domain's radius and the number of joints:
/// its points lie at four fifths of the radius in the mean. Those outside are rejected like any other.
const CUBE_RATIO_SQUARED: f64 = 2.0;

/// A source of samples around the nodes of a tree.
#[derive(Debug)]
pub(crate) struct DomainSampler {
    rng: SeededRng,
    /// Largest radius of a domain.
    radius: f64,
}

impl DomainSampler {
    pub(crate) fn new(radius: f64, seed: u64) -> Self {
        // Another stream than that of random samples of the whole space.
        Self { rng: SeededRng::stream(seed, 1), radius }
    }

    /// Writes a configuration inside the bounds.
    pub(crate) fn sample_into(&mut self, space: &Space, tree: &Tree, out: &mut [f64]) {
        let node = self.rng.below(tree.len());
        let half = tree.radius(node).min(self.radius) * (CUBE_RATIO_SQUARED / space.dof() as f64).sqrt();
        for (joint, value) in out.iter_mut().enumerate() {
            let half = half / space.weights()[joint];
            let moved = tree.node(node)[joint] + self.rng.uniform(-half, half);
            *value = moved.clamp(space.lower()[joint], space.upper()[joint]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_around_every_node_inside_the_bounds() -> kinetic_core::Result<()> {
        let space = Space::new(vec![-1.0, f64::NEG_INFINITY, 0.0], vec![1.0, f64::INFINITY, 4.0])?;
        let space = space.with_weights(vec![1.0, 2.0, 0.5])?;
        let mut tree = Tree::default();
        tree.reset(&space);
        let nodes = [[0.9, 3.0, 0.1], [-0.9, -3.0, 3.9], [0.0, 0.0, 2.0]];
        for node in &nodes {
            tree.add_root(&space, node);
        }
        tree.set_radius(2, 0.2);
        let mut sampler = DomainSampler::new(0.4, 7);
        let mut around = [0; 3];
        let mut sample = [0.0; 3];
        for _ in 0..3_000 {
            sampler.sample_into(&space, &tree, &mut sample);
            space.check("sample", &sample, 0.0)?;
            let (near, distance) = tree.nearest(&space, &sample);
            // The corner of the cube.
            assert!(distance <= tree.radius(near).min(0.4) * CUBE_RATIO_SQUARED.sqrt() * 1.000_001, "{sample:?}");
            around[near] += 1;
        }
        assert!(around.iter().all(|count| (900..1_100).contains(count)), "{around:?}");
        Ok(())
    }
}
