//! Pairs of links that touch in every configuration.
//!
//! Such a pair says nothing about a configuration and would make all of them invalid; descriptions without an SRDF do
//! not name them. A pair is left out only when it touches in *all* samples: by the rule of three (Hanley and
//! Lippman-Hand 1983), with 95 % confidence it is then apart in at most 3 % of the configurations.

use kinetic_collision::exact::intersects;
use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::JointProgram;
use kinetic_robot::Robot;

use crate::geometry::LinkGeometry;

/// Configurations sampled; most pairs are apart at the first.
const SAMPLES: usize = 100;

/// Keeps the pairs that are apart in at least one sampled configuration. Seeded: the same robot, the same pairs.
pub(crate) fn without_always_touching(
    robot: &Robot,
    links: &[LinkGeometry],
    mut pairs: Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let variables: Vec<usize> = (0..robot.num_variables()).collect();
    let program = JointProgram::compile(robot, &variables, &robot.neutral_configuration());
    let mut rng = SeededRng::new(0);
    let mut touching = pairs.clone();
    for _ in 0..SAMPLES {
        if touching.is_empty() {
            return pairs;
        }
        let poses = program.link_poses(&random_configuration(robot, &mut rng));
        touching.retain(|(a, b)| touch(&links[*a], &poses[*a], &links[*b], &poses[*b]));
    }
    pairs.retain(|pair| !touching.contains(pair));
    pairs
}

fn random_configuration(robot: &Robot, rng: &mut SeededRng) -> Vec<f64> {
    let value = |limits: &kinetic_core::JointLimits| {
        let bounded = limits.lower.is_finite() && limits.upper.is_finite();
        let (low, high) =
            if bounded { (limits.lower, limits.upper) } else { (-std::f64::consts::PI, std::f64::consts::PI) };
        rng.uniform(low, high)
    };
    robot.joint_limits.iter().map(value).collect()
}

fn touch(a: &LinkGeometry, root_from_a: &Pose, b: &LinkGeometry, root_from_b: &Pose) -> bool {
    a.pieces().iter().any(|(piece_a, link_from_a)| {
        let pose_a = root_from_a.0 * link_from_a.0;
        b.pieces()
            .iter()
            .any(|(piece_b, link_from_b)| intersects(piece_a, &pose_a, piece_b, &(root_from_b.0 * link_from_b.0), 0.0))
    })
}
