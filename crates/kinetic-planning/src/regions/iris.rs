//! IRIS: convex regions that grow around a configuration until obstacles are in the way.
//!
//! Deits and Tedrake, "Computing large convex regions of obstacle-free space through semidefinite programming", WAFR 2014: planes that
//! separate obstacles from an ellipsoid, and the largest ellipsoid between the planes, by turns. In joint space obstacles have no
//! planes of their own: Werner, Cohn, Jiang, Seyde, Simchowitz, Tedrake and Rus, "Faster algorithms for growing collision-free convex
//! polytopes in robot configuration space", ISRR 2024 (IRIS-ZO), draw configurations of the region, move those in collision towards
//! the centre of the ellipsoid until they are on the boundary of an obstacle, and lay planes there; a test says when
//! few enough collide.
//!
//! Regions that connect others grow around an edge of a path, and planes keep all of it: Werner, Cheng, Stewart, Tedrake and Rus,
//! "Superfast configuration-space convex set computation on GPUs for online motion planning", 2025 (edge inflation).

#[cfg(test)]
mod tests;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Result};
use nalgebra::{DMatrix, DVector};

use super::contact::{between, contact};
use super::inscribed_ellipsoid::{Ellipsoid, largest_ellipsoid};
use super::options::IrisOptions;
use super::polytope::Polytope;
use super::region::ConvexRegion;
use crate::space::Space;
use crate::validity::Validity;

/// Radius of the ball that a region grows from, a distance of the joint space.
const FIRST_RADIUS: f64 = 0.01;

/// Sweeps of hit-and-run between two samples: after one every direction has its share anew.
const MIXING_SWEEPS: usize = 1;

/// Colliding samples that planes are laid for in a round, the nearest first.
const MOST_PLANES_PER_ROUND: usize = 30;

/// Rounds of planes after which a region is left as it was.
const MOST_ROUNDS: usize = 500;

/// What the fraction that collides in a test has to stay below, as a part of the fraction that is claimed.
const TEST_SHARE: f64 = 0.5;

/// A joint without limits spans half a turn to each side of the seed.
const CONTINUOUS_SPAN: f64 = std::f64::consts::PI;

/// Grows a region around an edge that is free.
pub(super) struct Inflation<'a> {
    pub(super) space: &'a Space,
    pub(super) edge: &'a Edge,
    pub(super) options: &'a IrisOptions,
    pub(super) rng: SeededRng,
    pub(super) validity: Box<dyn Validity + 'a>,
    pub(super) control: &'a Control,
}

/// A straight line between two configurations, or a single configuration.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edge {
    pub(super) ends: [Vec<f64>; 2],
    pub(super) middle: Vec<f64>,
}

impl Edge {
    pub(super) fn new(from: &[f64], to: &[f64]) -> Self {
        Self { ends: [from.to_vec(), to.to_vec()], middle: between(from, to, 0.5) }
    }

    /// A single configuration.
    pub(super) fn point(q: &[f64]) -> Self {
        Self { ends: [q.to_vec(), q.to_vec()], middle: q.to_vec() }
    }

    fn is_point(&self) -> bool {
        self.ends[0] == self.ends[1]
    }

    /// The configuration of it that is nearest to another.
    pub(super) fn nearest(&self, q: &[f64]) -> Vec<f64> {
        let [from, to] = &self.ends;
        let (mut along, mut length) = (0.0, 0.0);
        for ((from, to), q) in from.iter().zip(to).zip(q) {
            along += (to - from) * (q - from);
            length += (to - from) * (to - from);
        }
        if length > 0.0 { between(from, to, (along / length).clamp(0.0, 1.0)) } else { from.clone() }
    }
}

impl Inflation<'_> {
    /// The region; `None` where none passes the test around the seed.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    pub(super) fn grow(&mut self) -> Result<Option<ConvexRegion>> {
        let domain = self.domain();
        let Some(mut ellipsoid) = Ellipsoid::ball(&self.edge.middle, FIRST_RADIUS) else { return Ok(None) };
        let mut best = None;
        for _ in 0..self.options.iterations {
            let Some((polytope, next)) = self.separated(domain.clone(), &ellipsoid)? else { break };
            let growth = next.log_volume() - ellipsoid.log_volume();
            best = Some(ConvexRegion::new(polytope, &self.edge.middle, &next));
            ellipsoid = next;
            if growth < self.options.least_growth.ln_1p() {
                break;
            }
        }
        Ok(best)
    }

    /// All configurations: the limits, and half a turn around the middle of the edge where there are none.
    fn domain(&self) -> Polytope {
        let bound = |joint: usize, limit: f64, span: f64| {
            if limit.is_finite() { limit } else { self.edge.middle[joint] + span }
        };
        let side = |limits: &[f64], span: f64| -> Vec<f64> {
            limits.iter().enumerate().map(|(joint, limit)| bound(joint, *limit, span)).collect()
        };
        let (lower, upper) = (side(self.space.lower(), -CONTINUOUS_SPAN), side(self.space.upper(), CONTINUOUS_SPAN));
        Polytope::of_bounds(&lower, &upper)
    }

    /// The domain with planes between the ellipsoid and what collides, so many that the test passes, and the largest ellipsoid in it;
    /// `None` where a plane would cut off an end of the edge, the centre of the ellipsoid collides itself, or no ellipsoid is found inside.
    fn separated(&mut self, mut polytope: Polytope, around: &Ellipsoid) -> Result<Option<(Polytope, Ellipsoid)>> {
        let center = around.center.as_slice();
        if !self.validity.is_valid(center) {
            return Ok(None);
        }
        let (mut directions, mut inside) = (around.factor.l(), None);
        for round in 1..=MOST_ROUNDS {
            let colliding = match (self.test(&polytope, &directions, round)?, inside.take()) {
                (SeparationTest::Colliding(colliding), _) => colliding,
                (SeparationTest::Passed, Some(inside)) => return Ok(Some((polytope, inside))),
                (SeparationTest::Passed, None) => {
                    // Samples hardly reach the ends of a polytope that lies askew to their directions: a test counts along its axes.
                    let Some(largest) = largest_ellipsoid(&polytope) else { break };
                    directions = largest.factor.l();
                    inside = Some(largest);
                    continue;
                }
            };
            let mut boundary: Vec<(f64, Vec<f64>)> = colliding
                .iter()
                .map(|q| contact(center, q, self.validity.as_mut()))
                .map(|q| (around.outward(&q).1, q))
                .collect();
            boundary.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (_, q) in &boundary {
                if polytope.contains(q) && !self.cut(&mut polytope, around, q) {
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// Draws as many configurations as the test of a round takes: of a region of which a larger fraction than claimed collides, all
    /// tests together let less than the stated share pass (Werner et al. 2024, section 4.3).
    ///
    /// Paths begin and end at seeds, which uniform samples of a region with many dimensions hardly ever come near to: every sample is
    /// looked at once more, moved by a random part of its way towards the edge, and both have to pass.
    fn test(&mut self, polytope: &Polytope, directions: &DMatrix<f64>, round: usize) -> Result<SeparationTest> {
        let (fraction, pi) = (self.options.collision_fraction, std::f64::consts::PI);
        let share = 6.0 * (1.0 - self.options.confidence) / (pi * pi * (round * round) as f64);
        #[allow(clippy::cast_sign_loss, reason = "a positive number")]
        let count = (2.0 * (1.0 / share).ln() / (fraction * TEST_SHARE * TEST_SHARE)).ceil() as usize;
        let most = (1.0 - TEST_SHARE) * fraction * count as f64;
        let mut sampler = polytope.hit_and_run(&self.edge.middle, directions);
        let (mut colliding, mut refused) = (Vec::new(), [0_usize; 2]);
        for _ in 0..count {
            self.control.check(0)?;
            let q = sampler.after(MIXING_SWEEPS, &mut self.rng).to_vec();
            let near = self.moved_towards_edge(&q);
            for (sample, refused) in [q, near].into_iter().zip(&mut refused) {
                if !self.validity.is_valid(&sample) {
                    *refused += 1;
                    colliding.push(sample);
                }
            }
            if colliding.len() >= MOST_PLANES_PER_ROUND && refused.iter().any(|refused| *refused as f64 > most) {
                // Enough planes for a round that has failed.
                break;
            }
        }
        let passes = refused.iter().all(|refused| *refused as f64 <= most);
        colliding.truncate(MOST_PLANES_PER_ROUND);
        Ok(if passes { SeparationTest::Passed } else { SeparationTest::Colliding(colliding) })
    }

    /// A configuration on the way from a random one of the edge.
    fn moved_towards_edge(&mut self, q: &[f64]) -> Vec<f64> {
        let part = self.rng.uniform(0.0, 1.0);
        if self.edge.is_point() {
            return between(&self.edge.middle, q, part);
        }
        let [from, to] = &self.edge.ends;
        between(&between(from, to, self.rng.uniform(0.0, 1.0)), q, part)
    }

    /// Lays a plane that touches the ellipsoid's shape at a configuration, and the stated distance before it; one across the shortest way
    /// from the edge where that would cut off an end of it. False where both do.
    fn cut(&self, polytope: &mut Polytope, ellipsoid: &Ellipsoid, q: &[f64]) -> bool {
        let (outward, _) = ellipsoid.outward(q);
        let nearest = self.edge.nearest(q);
        let from_edge = DVector::from_iterator(q.len(), q.iter().zip(&nearest).map(|(q, nearest)| q - nearest));
        let candidates = [(outward, ellipsoid.center.as_slice()), (from_edge, &nearest)];
        candidates.into_iter().any(|(direction, inside)| self.lay(polytope, &direction, inside, q))
    }

    /// Lays a plane across a direction, the stated distance before a configuration, or half the way from one inside where that is nearer.
    fn lay(&self, polytope: &mut Polytope, direction: &DVector<f64>, inside: &[f64], q: &[f64]) -> bool {
        let length = direction.norm();
        if !(length > 0.0) {
            return false;
        }
        let normal = direction / length;
        let dot = |x: &[f64]| normal.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        let (behind, at) = (dot(inside), dot(q));
        let offset = (at - self.options.margin).max(0.5 * (behind + at));
        if self.edge.ends.iter().any(|end| dot(end) >= offset) {
            return false;
        }
        polytope.add(normal.as_slice(), offset);
        true
    }
}

/// What a test says of a polytope.
enum SeparationTest {
    Passed,
    /// Some of the samples that collide.
    Colliding(Vec<Vec<f64>>),
}
