//! How often links touch in random configurations, on the exact tier.

use kinetic_collision::Sphere;
use kinetic_collision::exact::intersects;
use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::JointProgram;
use kinetic_robot::Robot;

use crate::link_geometry::LinkGeometry;

/// Random configurations that all pairs are looked at in; most pairs show here that they touch sometimes.
const FIRST_SAMPLES: usize = 50;

/// How much farther apart balls are than rounding can be wrong, m.
const ROUNDING: f64 = 1e-6;

/// Configurations in which a pair must touch to count as always touching. By the rule of three (Hanley and
/// Lippman-Hand 1983), with 95 % confidence it is then apart in at most 0.3 % of the configurations.
pub const ALWAYS_SAMPLES: usize = 1000;

/// What sampling says about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampled {
    /// Touched in all of [`ALWAYS_SAMPLES`].
    Always,
    /// Touched in some and not in others.
    Sometimes,
    /// Touched in none of [`FIRST_SAMPLES`].
    NotSeen,
}

/// Samples each pair until it is known; seeded, the same robot gives the same answer.
pub(super) fn sample(robot: &Robot, links: &[LinkGeometry], pairs: &[(usize, usize)]) -> Vec<Sampled> {
    let sampler = Sampler::new(robot, links);
    let balls: Vec<Sphere> = links.iter().map(LinkGeometry::ball_of_pieces).collect();
    let mut rng = SeededRng::new(0);
    let mut touched = vec![0; pairs.len()];
    let mut seen = 0;
    let mut open: Vec<usize> = (0..pairs.len()).collect();
    while seen < ALWAYS_SAMPLES && !open.is_empty() {
        let poses = sampler.link_poses(&robot.random_variables(&mut rng));
        let centers: Vec<_> = balls.iter().zip(&poses).map(|(ball, pose)| pose.0 * ball.center).collect();
        seen += 1;
        for index in &open {
            let (a, b) = pairs[*index];
            let is_near = (centers[a] - centers[b]).norm() <= balls[a].radius + balls[b].radius + ROUNDING;
            touched[*index] += usize::from(is_near && sampler.touches((a, b), &poses));
        }
        let is_open = |index: &usize| {
            let count: usize = touched[*index];
            count == seen || (count == 0 && seen < FIRST_SAMPLES)
        };
        open.retain(is_open);
    }
    let verdict = |count: &usize| match *count {
        0 => Sampled::NotSeen,
        ALWAYS_SAMPLES => Sampled::Always,
        _ => Sampled::Sometimes,
    };
    touched.iter().map(verdict).collect()
}

/// Places all links of a robot and asks which of them touch: as hulls, which is the answer, or as spheres.
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
