//! Random sampling of link pairs: how often they touch, by the exact tier.

use kinetic_collision::Sphere;
use kinetic_collision::exact::intersects;
use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::JointProgram;
use kinetic_robot::Robot;

use crate::link_geometry::LinkGeometry;

/// Random configurations in which all pairs are tested. Most pairs that touch sometimes are found by them.
const FIRST_SAMPLES: usize = 50;

/// Bound on the rounding of distances of bounding spheres, m.
const SPHERE_DISTANCE_ROUNDING_M: f64 = 1e-6;

/// Configurations in which a pair must touch to count as always touching. By the rule of three (Hanley and
/// Lippman-Hand 1983), with 95 % confidence it is then apart in at most 0.3 % of the configurations.
pub const ALWAYS_SAMPLES: usize = 1000;

/// Result of sampling a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampled {
    /// Touched in all of [`ALWAYS_SAMPLES`].
    Always,
    /// Touched in some and not in others.
    Sometimes,
    /// Touched in none of [`FIRST_SAMPLES`].
    NotSeen,
}

/// Samples each pair until its class is known. The seed is fixed, so that the same robot gives the same result.
pub(super) fn sample(robot: &Robot, links: &[LinkGeometry], pairs: &[(usize, usize)]) -> Vec<Sampled> {
    let sampler = Sampler::new(robot, links);
    let balls: Vec<Sphere> = links.iter().map(LinkGeometry::ball_of_pieces).collect();
    let mut rng = SeededRng::new(0);
    let mut touched = vec![0; pairs.len()];
    let mut seen = 0;
    let mut undecided: Vec<usize> = (0..pairs.len()).collect();
    while seen < ALWAYS_SAMPLES && !undecided.is_empty() {
        let poses = sampler.link_poses(&robot.random_variables(&mut rng));
        let centers: Vec<_> = balls.iter().zip(&poses).map(|(ball, pose)| pose.0 * ball.center).collect();
        seen += 1;
        for index in &undecided {
            let (a, b) = pairs[*index];
            let is_near =
                (centers[a] - centers[b]).norm() <= balls[a].radius + balls[b].radius + SPHERE_DISTANCE_ROUNDING_M;
            touched[*index] += usize::from(is_near && sampler.touches((a, b), &poses));
        }
        let is_undecided = |index: &usize| {
            let count: usize = touched[*index];
            count == seen || (count == 0 && seen < FIRST_SAMPLES)
        };
        undecided.retain(is_undecided);
    }
    let verdict = |count: &usize| match *count {
        0 => Sampled::NotSeen,
        ALWAYS_SAMPLES => Sampled::Always,
        _ => Sampled::Sometimes,
    };
    touched.iter().map(verdict).collect()
}

/// Places all links of a robot and tests which of them touch, as hulls or as bounding spheres.
#[derive(Debug)]
pub struct Sampler<'a> {
    links: &'a [LinkGeometry],
    program: JointProgram,
}

impl<'a> Sampler<'a> {
    /// For a robot and the geometry of its links.
    pub fn new(robot: &Robot, links: &'a [LinkGeometry]) -> Self {
        let variables: Vec<usize> = (0..robot.num_variables()).collect();
        Self { links, program: JointProgram::compile(robot, &variables, &robot.neutral_configuration()) }
    }

    /// Poses of all links in the root frame at a robot-length configuration.
    pub fn link_poses(&self, q: &[f64]) -> Vec<Pose> {
        self.program.link_poses(q)
    }

    /// True when two links touch.
    pub fn touches(&self, pair: (usize, usize), poses: &[Pose]) -> bool {
        let (pose_a, pose_b) = (&poses[pair.0].0, &poses[pair.1].0);
        self.links[pair.0].pieces().iter().any(|(piece_a, a_from_piece)| {
            let root_from_a = pose_a * a_from_piece.0;
            self.links[pair.1].pieces().iter().any(|(piece_b, b_from_piece)| {
                intersects(piece_a, &root_from_a, piece_b, &(pose_b * b_from_piece.0), 0.0)
            })
        })
    }

    /// True when covering spheres of two links touch.
    pub fn spheres_touch(&self, pair: (usize, usize), poses: &[Pose]) -> bool {
        let a_from_b = poses[pair.0].0.inv_mul(&poses[pair.1].0);
        self.links[pair.1].spheres.iter().any(|b| {
            let center = a_from_b * b.center;
            self.links[pair.0].spheres.iter().any(|a| (a.center - center).norm() <= a.radius + b.radius)
        })
    }
}
