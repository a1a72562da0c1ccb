//! Configurations with a joint on its limit: rounding takes none of them away.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Manipulator, ProductOfExponentials, Screw, SolveOptions, TolerancePolicy};
use kinetic_ik::{IKConfig, solve_ik_auto, solve_ik_branches};
use kinetic_kinematics::{KinematicChain, Motion};
use kinetic_robot::Robot;
use nalgebra::Vector3;

use super::arms::{self, difference};
use super::zoo;
use crate::cases;

/// What a closed form promises, entry by entry.
const CLOSES: f64 = 1.01e-10;
/// A configuration that a pose determines well comes back to this, rad or m.
const SAME: f64 = 1e-6;
/// Least singular value from which a pose determines its configuration to [`SAME`].
const REGULAR: f64 = 1e-3;

/// The chain with finite limits: endless joints get those of `ranges`.
fn limits(chain: &KinematicChain) -> Vec<(f64, f64)> {
    let finite =
        |(low, high): &(f64, f64)| if low.is_finite() && high.is_finite() { (*low, *high) } else { (-3.0, 3.0) };
    chain.bounds().iter().map(finite).collect()
}

fn is_here(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME)
}

fn inside(chain: &KinematicChain, q: &[f64]) -> bool {
    q.iter().zip(chain.bounds()).all(|(q, (low, high))| low <= q && q <= high)
}

/// Each joint at each of its limits, the others at random: the configuration is among the solutions of its pose, and the
/// nearest to itself.
fn check(arm: &Manipulator, count: usize, seed: u64, what: &str) -> usize {
    let (chain, normal) = (arm.chain(), arm.normal_form());
    let limits = limits(chain);
    let mut rng = SeededRng::new(seed);
    let mut asked = 0;
    for joint in 0..arm.dof() {
        for side in 0..2 {
            if chain.bounds()[joint].0.is_infinite() {
                continue;
            }
            for case in 0..count {
                let mut q: Vec<f64> = limits.iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
                q[joint] = if side == 0 { limits[joint].0 } else { limits[joint].1 };
                let is_regular = zoo::conditioning(arm, normal, &q) > REGULAR;
                let what = format!("{what}, seed {seed}, joint {joint}, side {side}, case {case}: {q:?}");
                let target = arm.fk(&q).unwrap();
                asked += 1;
                let at = Some(arm.parameters(&q).unwrap()).filter(|at| !at.is_empty());
                let options = SolveOptions { at, ..SolveOptions::default() };
                let all = arm.solve(&target, &options).unwrap();
                for solution in &all {
                    assert!(inside(chain, &solution.q), "{what}: {solution:?}");
                    if arm.dof() >= 6 {
                        let off = difference(&normal.pose(&solution.q), &(&target).into());
                        assert!(off <= CLOSES, "{what}: {off:e}");
                    }
                }
                let same = |found: &[f64]| {
                    found.iter().zip(&q).enumerate().all(|(joint, (a, b))| {
                        if chain.is_rotation(joint) { arms::apart(*a, *b) <= SAME } else { (a - b).abs() <= SAME }
                    })
                };
                assert!(!is_regular || all.iter().any(|solution| same(&solution.q)), "{what}: lost in {all:?}");
                let config = IKConfig::default().with_seed(q.clone());
                let nearest = solve_ik_auto(Some(arm), chain, &target, &config);
                let nearest = nearest.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(inside(chain, &nearest.joints) && is_here(&nearest.joints, &q), "{what}: {:?}", nearest.joints);
                let listed = solve_ik_branches(Some(arm), chain, &target, &config).unwrap();
                assert!(listed.iter().any(|one| is_here(&one.joints, &q)), "{what}: {listed:?}");
            }
        }
    }
    asked
}

#[test]
fn built_in_arms_keep_configurations_on_their_limits() {
    let mut asked = 0;
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let Ok(arm) = Manipulator::from_robot(&robot, None, TolerancePolicy::default()) else { continue };
        let plan = arm.dispatch_plan();
        let count = if plan.tier == 0 { cases(6, 300) } else { cases(1, 50) };
        asked += check(&arm, count, 3, name);
    }
    assert!(asked > 1_000, "{asked}");
}

/// Limits as random as the arm, some of them at zero, at half a turn or at a whole one.
fn random_limits(rng: &mut SeededRng, dof: usize) -> Vec<(f64, f64)> {
    let some = |rng: &mut SeededRng, fixed: [f64; 3]| match rng.below(5) {
        index @ 0..=2 => fixed[index],
        _ => rng.uniform(0.2, 3.0),
    };
    (0..dof).map(|_| (-some(rng, [0.0, PI, TAU]), some(rng, [FRAC_PI_2, PI, TAU]))).collect()
}

#[test]
fn arms_that_nobody_built_keep_configurations_on_their_limits() {
    for (index, (kind, links)) in zoo::KINDS.iter().enumerate() {
        let seed = 6000 + index as u64;
        let mut rng = SeededRng::new(seed);
        let (mut made, mut tried) = (0, 0);
        while made < cases(1, 10) && tried < 300 {
            tried += 1;
            let arm = zoo::build(&mut rng, links, 0.0);
            if !zoo::can_move(&arm, &mut rng) {
                continue;
            }
            made += 1;
            judge(&arm, &mut rng, seed, &format!("{kind}, arm {tried}"));
        }
    }
}

#[test]
fn an_arm_on_a_rail_keeps_configurations_at_the_ends_of_the_rail() {
    use arms::Lie::{Meets, Parallel, SamePoint, Skew};
    for seed in 0..cases(3, 30) as u64 {
        let mut rng = SeededRng::new(6100 + seed);
        let six = arms::arm(&mut rng, &[Skew, Parallel, Skew, Meets, SamePoint]);
        let rail =
            Screw { motion: Motion::Translation, axis: arms::unit(&mut rng), point: Vector3::zeros(), variable: 0 };
        let mut screws = vec![rail];
        screws.extend(six.screws().iter().map(|screw| Screw { variable: screw.variable + 1, ..*screw }));
        let arm = ProductOfExponentials::new(screws, *six.home()).unwrap();
        judge(&arm, &mut rng, seed, "rail");
    }
}

fn judge(arm: &ProductOfExponentials, rng: &mut SeededRng, seed: u64, what: &str) {
    let limits = random_limits(rng, arm.dof());
    let Ok(arm) = Manipulator::from_chain(arms::chain_within(arm, &limits), TolerancePolicy::default()) else { return };
    let plan = arm.dispatch_plan();
    let count = if plan.tier == 0 { cases(3, 100) } else { cases(1, 20) };
    check(&arm, count, seed, what);
}

/// Regression 62: the pattern search crept along a kink of the excess for minutes, and found nothing where the part of the
/// self-motion that is inside the limits is narrow.
#[test]
#[expect(clippy::approx_constant, clippy::unreadable_literal, reason = "the limits as the description prints them")]
fn narrow_self_motions_inside_the_limits_are_found_in_bounded_time() {
    let robot = Robot::from_name("tiago").unwrap();
    let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
    for q in [
        [0.16747330, 2.74889357189, -0.33058602, 1.56362721, 2.30144353, 1.91072091, 0.18434513, 1.32280018],
        [0.16747330, 2.74889357089, -0.33058602, 1.56362721, 2.30144353, 1.91072091, 0.18434513, 1.32280018],
        [0.16747330, 2.74789357189, -0.33058602, 1.56362721, 2.30144353, 1.91072091, 0.18434513, 1.32280018],
        [0.34835017, 2.57111747, 1.01588306, 1.57079632679, 2.08227711, 1.28049317, -0.46042600, 0.89153302],
        [0.26796668, 1.51485995, 0.21573750, 1.56117983, 0.88469929, -1.93117238, 1.41371669412, 2.01437247],
        [0.25561583, 0.30539129, -0.50150318, 1.55063138, 2.16146080, -2.09439510239, 1.41371669412, -1.22459462],
        [0.0, 0.48217195, -1.27770711, 1.57079632679, 1.81598238, 1.22906615, -1.41371669412, -0.27623243],
        [0.12843242, 0.0, -0.77753899, 1.57079632679, 1.40539577, -2.09439510239, 0.87320593, 0.04474760],
    ] {
        assert!(inside(arm.chain(), &q), "{q:?}");
        let target = arm.fk(&q).unwrap();
        let (solutions, diagnostic) = arm.explain(&target, &SolveOptions::default()).unwrap();
        assert!(diagnostic.samples < 50_000, "{q:?}: {} samples", diagnostic.samples);
        assert!(!solutions.is_empty(), "{q:?}: {diagnostic}");
        for solution in &solutions {
            let off = difference(&arm.normal_form().pose(&solution.q), &(&target).into());
            assert!(inside(arm.chain(), &solution.q) && off <= CLOSES, "{q:?}: {off:e}");
        }
    }
}
