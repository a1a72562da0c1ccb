//! Arms that approach things as fast as their motion bounds allow, against all proofs of motions.

use std::fmt::Write as _;
use std::sync::Arc;

use kinetic_collision_simd::{CurveMotion, Engine, SegmentMotion, TimedMotion, Verdict};
use kinetic_core::rng::SeededRng;
use kinetic_core::{PiecewisePolynomial, Pose, Shape};
use kinetic_kinematics::robot_link_poses;
use kinetic_robot::Robot;
use nalgebra::Vector3;

use crate::continuous::ContinuousCheck;
use crate::{Checker, Margins, Scene};

/// Radius of the balls on the tips, m: small, so that bounds on the motion of balls are bounds on that of their centres.
const BALL_RADIUS_M: f64 = 1e-3;

/// How much of a half interval's way, at most, the end of a motion is inside an obstacle: what is missing of 1 is how
/// close the way has to come to its bound for the motion to be refused.
const INSIDE_RATIO: f64 = 0.04;

/// A straight arm along x whose joints all carry the tip along y (or against it, for a `mirror` of −1): slides, turns about
/// z, and followers of either sign. Names of its leaders are added to `leaders`; where there are some, it has no others.
fn straight_arm(rng: &mut SeededRng, side: &str, mirror: f64, leaders: &mut Vec<String>) -> String {
    let count = 1 + rng.below(4);
    let (mut urdf, is_led) = (String::new(), !leaders.is_empty());
    let mut parent = format!("{side}base");
    for joint in 0..count {
        let (name, child) = (format!("{side}j{joint}"), format!("{side}l{joint}"));
        let length = rng.uniform(0.1, 0.5);
        let is_slide = rng.below(3) == 0;
        let (mut sign, mut mimic) = (mirror, String::new());
        if is_led || (!leaders.is_empty() && rng.below(2) == 0) {
            let multiplier = [-2.0, 0.5, 2.0, -0.7][rng.below(4)];
            let leader = &leaders[rng.below(leaders.len())];
            sign *= f64::signum(multiplier);
            mimic = format!("<mimic joint=\"{leader}\" multiplier=\"{multiplier}\" offset=\"0\"/>");
        } else {
            leaders.push(name.clone());
        }
        let (kind, axis) = if is_slide { ("prismatic", [0.0, sign, 0.0]) } else { ("revolute", [0.0, 0.0, sign]) };
        let ball = if joint + 1 == count {
            format!(
                "<collision><origin xyz=\"{length} 0 0\"/><geometry><sphere radius=\"{BALL_RADIUS_M}\"/></geometry></collision>"
            )
        } else {
            String::new()
        };
        let place = if joint == 0 { 0.0 } else { rng.uniform(0.1, 0.4) };
        let [x, y, z] = axis;
        write!(
            urdf,
            "<link name=\"{child}\">{ball}</link><joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/>\
             <child link=\"{child}\"/><origin xyz=\"{place} 0 0\"/><axis xyz=\"{x} {y} {z}\"/>\
             <limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/>{mimic}</joint>"
        )
        .expect("a string");
        parent = child;
    }
    urdf
}

fn arm(rng: &mut SeededRng) -> (Arc<Robot>, String) {
    let urdf = straight_arm(rng, "a", 1.0, &mut Vec::new());
    let robot = Robot::from_urdf_string(&format!("<robot name=\"arm\"><link name=\"abase\"/>{urdf}</robot>"));
    let robot = Arc::new(robot.expect("a robot"));
    let tip = robot.links[robot.links.len() - 1].name.clone();
    (robot, tip)
}

/// Two arms whose tips come together along y: when both are straight the second one is `apart` above the first. Joints of
/// the second one follow those of the first one where `is_led`.
fn two_arms(seed: u64, is_led: bool, apart: f64) -> (Arc<Robot>, [String; 2]) {
    let build = |offset: [f64; 2]| {
        let mut rng = SeededRng::new(seed);
        let mut leaders = Vec::new();
        let first = straight_arm(&mut rng, "a", 1.0, &mut leaders);
        if !is_led {
            leaders.clear();
        }
        let second = straight_arm(&mut rng, "b", -1.0, &mut leaders);
        let [x, y] = offset;
        let robot = Robot::from_urdf_string(&format!(
            "<robot name=\"arms\"><link name=\"abase\"/><link name=\"bbase\"/><joint name=\"between\" type=\"fixed\">\
             <parent link=\"abase\"/><child link=\"bbase\"/><origin xyz=\"{x} {y} 0\"/></joint>{first}{second}</robot>"
        ));
        let mut robot = robot.expect("a robot");
        // The joints of both arms.
        let group = &mut robot.groups[robot.default_group];
        group.joints.clone_from(&robot.active_joints);
        group.variables = (0..group.joints.len()).collect();
        let robot = Arc::new(robot);
        let tips: Vec<_> = robot.links.iter().filter(|link| !link.collisions.is_empty()).collect();
        let tips = [tips[0], tips[1]].map(|link| link.name.clone());
        (robot, tips)
    };
    // Straight, they reach as far as they reach.
    let (robot, tips) = build([0.0; 2]);
    let [a, b] = [0, 1].map(|tip| tip_at(&robot, &tips[tip], &vec![0.0; robot.num_variables()]).x);
    let is_first_below = tips[0].starts_with('a');
    build(if is_first_below { [a - b, apart] } else { [b - a, apart] })
}

/// From before the straight configuration to it, by up to 0.15 rad or m per joint.
fn motion_to_straight(robot: &Robot, rng: &mut SeededRng) -> (Vec<f64>, Vec<f64>) {
    let to = vec![0.0; robot.num_variables()];
    let from = to.iter().map(|_| -rng.uniform(0.03, 0.15)).collect();
    (from, to)
}

fn tip_at(robot: &Robot, tip: &str, q: &[f64]) -> Vector3<f64> {
    let poses = robot_link_poses(robot, q).expect("a configuration");
    let link = robot.link_index(tip).expect("a link");
    (poses[link].0 * robot.links[link].collisions[0].link_from_shape.0).translation.vector
}

/// The same points in two pieces, linear in time.
fn in_two_pieces(from: &[f64], to: &[f64]) -> PiecewisePolynomial {
    let piece = |a: f64, b: f64, time: f64| [a, (b - a) / time, 0.0, 0.0, 0.0, 0.0];
    let at = |share: f64| from.iter().zip(to).map(move |(a, b)| a + share * (b - a));
    let first = from.iter().zip(at(0.3)).map(|(a, b)| piece(*a, b, 0.5));
    let second = at(0.3).zip(to).map(|(a, b)| piece(a, *b, 1.0));
    let coefficients = first.chain(second).collect();
    PiecewisePolynomial::new(from.len(), vec![0.0, 0.5, 1.5], coefficients).expect("two pieces")
}

/// Everything that proves motions: whether each says that this one is free.
fn says_free(checker: &mut Checker, motion: &impl TimedMotion) -> Vec<(&'static str, bool)> {
    let tiers = &mut checker.tiers;
    let mut said = vec![("both tiers", tiers.prove(motion, u64::MAX).is_none())];
    for (name, budget) in [("budget 1", 1), ("budget 16", 16), ("budget 64", 64)] {
        said.push((name, tiers.prove(motion, budget).is_none()));
    }
    said.push(("first contact", tiers.first_contact(motion).is_none()));
    let exact = &mut tiers.exact;
    let mut continuous = ContinuousCheck::new(exact.model.program.num_variables());
    continuous.start(exact, motion);
    said.push(("exact tier", continuous.finish(exact, motion, u64::MAX).is_none()));
    said.push(("first contact of the exact tier", continuous.first_contact(exact, motion).is_none()));
    let mut engine = Engine::new(&exact.model);
    let verdict = engine.prove(exact, motion, &mut 0, u64::MAX);
    said.push(("engine", verdict == Verdict::Proven && engine.undecided_intervals.is_empty()));
    said
}

fn assert_refused(checker: &mut Checker, (from, to): (&[f64], &[f64]), label: &str) {
    let curve = in_two_pieces(from, to);
    let backwards = in_two_pieces(to, from);
    for said in [
        says_free(checker, &SegmentMotion { from, to }),
        says_free(checker, &SegmentMotion { from: to, to: from }),
        says_free(checker, &CurveMotion::new(&curve)),
        says_free(checker, &CurveMotion::new(&backwards)),
    ] {
        let free: Vec<_> = said.iter().filter(|(_, is_free)| *is_free).collect();
        assert!(free.is_empty(), "{label}: {free:?} say that a motion which ends in contact is free");
    }
}

/// A wall or box whose face is at `y`, towards which the tip comes.
fn obstacle(kind: usize, (x, y): (f64, f64)) -> (Shape, Pose) {
    let upright = Pose::from_xyz(x, y + 0.3, 0.0);
    let shape = match kind {
        0 => return (Shape::half_space(-Vector3::y(), -y).expect("a plane"), Pose::identity()),
        1 => Shape::cuboid(1.5, 0.3, 1.0),
        2 => {
            return (
                Shape::cuboid(0.3, 1.5, 1.0).expect("sizes"),
                Pose::from_xyz_rpy(x, y + 0.3, 0.0, 0.0, 0.0, std::f64::consts::FRAC_PI_2),
            );
        }
        3 => Shape::sphere(0.3),
        _ => return (Shape::mesh(&slab_corners(), &SLAB_FACES, true).expect("closed"), upright),
    };
    (shape.expect("sizes are positive"), upright)
}

/// A box of 3 × 0.6 × 2 m around the origin.
fn slab_corners() -> Vec<nalgebra::Point3<f64>> {
    let end = |bit: usize, length: f64| if bit == 0 { -length } else { length };
    (0..8).map(|bits| [end(bits & 1, 1.5), end(bits >> 1 & 1, 0.3), end(bits >> 2, 1.0)].into()).collect()
}

const SLAB_FACES: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// How far the tip moves in the last half of the last of sixteen parts, halved `level` times.
fn last_way(robot: &Robot, tip: &str, (from, to): (&[f64], &[f64]), level: i32) -> f64 {
    let share = 1.0 / 32.0 / 2.0_f64.powi(level);
    let before: Vec<f64> = from.iter().zip(to).map(|(a, b)| b + share * (a - b)).collect();
    (tip_at(robot, tip, to) - tip_at(robot, tip, &before)).norm()
}

#[test]
fn a_motion_that_ends_in_an_obstacle_is_never_free_however_little_it_touches() {
    for seed in 0..150 {
        let mut rng = SeededRng::new(seed);
        let (robot, tip) = arm(&mut rng);
        let (from, to) = motion_to_straight(&robot, &mut rng);
        let end = tip_at(&robot, &tip, &to);
        let level = i32::try_from(rng.below(6)).expect("small");
        let way = last_way(&robot, &tip, (&from, &to), level);
        let depth = rng.uniform(0.3, 1.0) * INSIDE_RATIO * way;
        let margin = if rng.below(2) == 0 { 0.0 } else { 0.02 };
        let (shape, pose) = obstacle(seed as usize % 5, (end.x, end.y + BALL_RADIUS_M + margin - depth));
        let mut scene = Scene::new(&robot).expect("geometry");
        scene.add("wall", shape.clone(), pose).expect("a new name");
        let group = robot.groups[robot.default_group].name.clone();
        let label = format!("seed {seed}, {} at level {level}, {depth:e} m", shape.kind());
        let mut checker = scene.checker(&group, Margins::new(margin, 0.0)).expect("a group");
        assert_refused(&mut checker, (&from, &to), &label);
        // A little farther away all agree that it is free; a ball or a mesh is at its nearest there too.
        scene.update_pose("wall", Pose::from_xyz(0.0, 2.0 * depth + 1e-4, 0.0) * pose).expect("it is there");
        let mut checker = scene.checker(&group, Margins::new(margin, 0.0)).expect("a group");
        assert!(checker.is_motion_free(&from, &to), "{label}: refused though it ends before");
        assert_eq!(checker.first_contact(&from, &to), None, "{label}");
    }
}

#[test]
fn tips_that_come_together_are_never_free_of_each_other_however_little_they_touch() {
    for seed in 0..150 {
        let mut rng = SeededRng::new(1000 + seed);
        let (is_led, margin) = (rng.below(2) == 0, if rng.below(2) == 0 { 0.0 } else { 0.02 });
        let (robot, tips) = two_arms(seed, is_led, 1.0);
        let (from, to) = motion_to_straight(&robot, &mut rng);
        let level = i32::try_from(rng.below(6)).expect("small");
        let way: f64 = tips.iter().map(|tip| last_way(&robot, tip, (&from, &to), level)).sum();
        let depth = rng.uniform(0.3, 1.0) * INSIDE_RATIO * way;
        let margins = Margins::new(0.0, margin);
        let checker = |apart: f64| {
            let (robot, _) = two_arms(seed, is_led, 2.0 * BALL_RADIUS_M + margin + apart);
            let scene = Scene::new(&robot).expect("geometry");
            scene.checker(&robot.groups[robot.default_group].name, margins).expect("a group")
        };
        let label = format!("seed {seed}, led {is_led}, level {level}, {depth:e} m, margin {margin}");
        assert_refused(&mut checker(-depth), (&from, &to), &label);
        let mut apart = checker(depth + 1e-4);
        assert!(apart.is_motion_free(&from, &to), "{label}: refused though it ends before");
        assert_eq!(apart.first_contact(&from, &to), None, "{label}");
    }
}

/// Verdict of the double-precision sweep alone, without any budget.
fn is_free_in_double(checker: &mut Checker, motion: &impl TimedMotion) -> bool {
    let mut sweep = ContinuousCheck::new(checker.dof());
    sweep.start(&checker.tiers.exact, motion);
    sweep.finish(&mut checker.tiers.exact, motion, u64::MAX).is_none()
}

#[test]
fn what_is_free_within_a_budget_is_free_by_the_sweep_alone() {
    let mut free = [0; 3];
    for name in ["ur5e", "franka_panda", "balls"] {
        let (robot, mut checker) = super::checker(name, 31);
        let mut rng = SeededRng::new(32);
        for case in 0..super::count() / 5 {
            let (from, to) = super::random_motion(&robot, &mut rng);
            let expected = is_free_in_double(&mut checker, &SegmentMotion { from: &from, to: &to });
            for (place, budget) in [1, 16, 64].into_iter().enumerate() {
                let found = checker.is_motion_free_within(&from, &to, budget);
                assert!(!found || expected, "{name} case {case}, budget {budget}: {from:?} to {to:?}");
                free[place] += usize::from(found);
            }
        }
    }
    assert!(free.iter().all(|count| *count > 20), "{free:?}");
}

#[test]
fn a_long_graze_needs_more_than_a_small_budget() {
    let urdf = format!(
        "<robot name=\"slide\"><link name=\"base\"/><link name=\"tip\"><collision><geometry><sphere radius=\"{BALL_RADIUS_M}\"/>\
         </geometry></collision></link><joint name=\"slide\" type=\"prismatic\"><parent link=\"base\"/><child link=\"tip\"/>\
         <axis xyz=\"1 0 0\"/><limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/></joint></robot>"
    );
    let robot = Arc::new(Robot::from_urdf_string(&urdf).expect("a robot"));
    for kind in 0..5 {
        // 0.1 mm beside the ball, for a metre: no bound on the motion is less in fewer than ten thousand intervals.
        let (shape, pose) = obstacle(kind, (0.0, BALL_RADIUS_M + 1e-4));
        let (long, label) = (kind != 3, format!("obstacle {kind}"));
        let mut scene = Scene::new(&robot).expect("geometry");
        scene.add("wall", shape, pose).expect("a new name");
        let mut checker = scene.checker(&robot.groups[0].name, Margins::ZERO).expect("a group");
        for (from, to) in [(&[-0.5], &[0.5]), (&[0.5], &[-0.5])] {
            for budget in [1, 16, 64] {
                let is_free = checker.is_motion_free_within(from, to, budget);
                assert!(!(long && is_free), "{label}: free within {budget}");
            }
            assert!(checker.is_motion_free(from, to), "{label}");
            assert!(is_free_in_double(&mut checker, &SegmentMotion { from, to }), "{label}");
        }
    }
}

#[test]
fn the_box_around_an_interval_of_a_curve_holds_all_of_it() {
    for seed in 0..500 {
        let mut rng = SeededRng::new(seed);
        // Quintics that go up, down and back.
        let piece = |rng: &mut SeededRng| {
            std::array::from_fn(|power: usize| rng.uniform(-1.0, 1.0) * [1.0, 2.0, 4.0, 8.0, 16.0, 32.0][power])
        };
        let knots = vec![0.0, rng.uniform(0.2, 0.8), 1.0];
        let curve = PiecewisePolynomial::new(2, knots.clone(), (0..4).map(|_| piece(&mut rng)).collect());
        // Values may jump where pieces meet: boxes are of one piece.
        let curve = curve.expect("two pieces");
        let index = rng.below(2);
        let (start, end) = (knots[index], knots[index + 1]);
        let t0 = rng.uniform(start, end);
        let t1 = rng.uniform(t0, end);
        let (mut q, mut radius) = ([0.0; 2], [0.0; 2]);
        CurveMotion::new(&curve).box_around(t0, t1, &mut q, &mut radius);
        let mut strayed = [0.0_f64; 2];
        for step in 0..=200 {
            let t = t0 + (t1 - t0) * f64::from(step) / 200.0;
            for joint in 0..2 {
                let c = curve.coefficients(index, joint);
                let value = c.iter().rev().fold(0.0, |sum, c| sum * (t - start) + c);
                strayed[joint] = strayed[joint].max((value - q[joint]).abs());
            }
        }
        for joint in 0..2 {
            assert!(strayed[joint] <= radius[joint] + 1e-9, "seed {seed}: {strayed:?} in {radius:?}");
        }
    }
}
