//! The SIMD engine against double precision, and the instruction tiers against each other.

mod approach;
mod first_contact;
#[path = "../../kinetic-collision-simd/src/tests/random_shapes.rs"]
mod random_shapes;
mod widths;

use std::sync::Arc;

use kinetic_collision_simd::{BATCH, Engine, ExactTier, KernelHit, SegmentMotion, SimdTier, Statements, Verdict};
use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_robot::Robot;

use random_shapes::{random_pose, random_shape};

use crate::continuous::ContinuousCheck;
use crate::exact::PlacedModel;
use crate::{Checker, Margins, Scene};

/// Motions per robot: a slice, or all with `KINETIC_FULL=1`.
fn count() -> usize {
    if std::env::var_os("KINETIC_FULL").is_some() { 100_000 } else { 1_000 }
}

/// A slide and four joints with balls along the links: spheres that are the geometry itself.
fn ball_arm() -> Robot {
    let mut urdf = "<robot name=\"balls\"><link name=\"l0\"/>".to_owned();
    for (index, (kind, axis)) in [
        ("prismatic", "1 0 0"),
        ("revolute", "0 0 1"),
        ("revolute", "0 1 0"),
        ("revolute", "0 1 0"),
        ("revolute", "1 0 1"),
    ]
    .into_iter()
    .enumerate()
    {
        let balls: String = (0..3 + 5 * (index % 3)).fold(String::new(), |text, k| {
            let (x, y) = (0.05 * k as f64, 0.02 * (k % 3) as f64);
            format!(
                "{text}<collision><origin xyz=\"{x} {y} 0\"/><geometry><sphere radius=\"{}\"/></geometry></collision>",
                0.04 + 0.005 * (k % 4) as f64
            )
        });
        let (parent, child) = (index, index + 1);
        urdf = format!(
            "{urdf}<link name=\"l{child}\">{balls}</link><joint name=\"j{child}\" type=\"{kind}\"><parent link=\"l{parent}\"/>\
             <child link=\"l{child}\"/><origin xyz=\"0.2 0 0.15\" rpy=\"0.3 0 {}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-2.5\" upper=\"2.5\" velocity=\"1\" effort=\"1\"/></joint>",
            0.5 * index as f64
        );
    }
    Robot::from_urdf_string(&(urdf + "</robot>")).expect("a robot")
}

fn robot(name: &str) -> Arc<Robot> {
    Arc::new(if name == "balls" { ball_arm() } else { Robot::from_name(name).expect("built in") })
}

/// A robot among obstacles of every kind.
fn checker(name: &str, seed: u64) -> (Arc<Robot>, Checker) {
    let robot = robot(name);
    let mut scene = Scene::new(&robot).expect("geometry");
    let mut rng = SeededRng::new(seed);
    for index in 0..16 {
        // Around the robot, not in it.
        let (angle, reach) = (rng.uniform(-3.0, 3.0), rng.uniform(0.7, 1.2));
        let mut pose = random_pose(&mut rng, 0.0);
        pose.translation = [reach * f64::cos(angle), reach * f64::sin(angle), rng.uniform(0.0, 1.2)].into();
        scene.add(&format!("o{index}"), random_shape(index, &mut rng), Pose(pose)).expect("a new name");
    }
    // Items differ in what they have to keep.
    scene.set_margin_all("o1", 0.05).expect("a known name");
    scene.set_margin_all("o2", 0.0).expect("a known name");
    let tip =
        robot.links[robot.groups[robot.default_group].tip_link].parent_joint.map(|joint| robot.joints[joint].parent);
    scene.set_padding(&robot.links[tip.expect("a chain")].name, 0.02).expect("a known name");
    let group = robot.groups[robot.default_group].name.clone();
    let checker = scene.checker(&group, Margins::new(0.01, 0.0)).expect("a group of the robot");
    (robot, checker)
}

/// From anywhere within the limits of the default group, by up to 0.6 rad (or m) per joint.
fn random_motion(robot: &Robot, rng: &mut SeededRng) -> (Vec<f64>, Vec<f64>) {
    let from = robot.random_configuration(&robot.groups[robot.default_group], rng).0;
    let step = rng.uniform(0.01, 0.6);
    let to = from.iter().map(|q| q + step * rng.uniform(-1.0, 1.0)).collect();
    (from, to)
}

/// Verdict of the sweep alone.
fn is_proven_in_double(exact: &mut PlacedModel, motion: &SegmentMotion<'_>) -> bool {
    let mut sweep = ContinuousCheck::new(exact.model.program.num_variables());
    sweep.start(exact, motion);
    sweep.finish(exact, motion, u64::MAX).is_none()
}

#[test]
fn what_the_filter_decides_the_sweep_decides_likewise() {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let (robot, mut checker) = checker(name, 3);
        let mut engine = Engine::new(&checker.tiers.exact.model);
        let mut rng = SeededRng::new(4);
        let mut decided = 0;
        for case in 0..count() {
            let (from, to) = random_motion(&robot, &mut rng);
            let motion = SegmentMotion { from: &from, to: &to };
            let verdict = engine.prove(&mut checker.tiers.exact, &motion, &mut 0, u64::MAX);
            let is_proven = verdict == Verdict::Proven && engine.undecided_intervals.is_empty();
            let is_blocked = matches!(verdict, Verdict::Blocked(_));
            let expected = is_proven_in_double(&mut checker.tiers.exact, &motion);
            assert!(!is_proven || expected, "{name} case {case}: proven wrongly, {from:?} to {to:?}");
            assert!(!(is_blocked && expected), "{name} case {case}: blocked wrongly, {from:?} to {to:?}");
            decided += usize::from(is_proven || is_blocked);
        }
        // A engine that decided nothing would pass the above. Where covers overlap in every pose (fetch's shoulder and
        // torso) something is always left to the sweep, but contacts are still found.
        assert!(decided > count() / 4, "{name}: {decided} of {} decided", count());
    }
}

#[test]
fn a_batch_of_configurations_is_answered_as_each_alone() {
    for name in ["ur5e", "franka_panda"] {
        let (robot, mut checker) = checker(name, 11);
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(12);
        // Not a multiple of the batch.
        let rows: Vec<Vec<f64>> = (0..count() + 3).map(|_| robot.random_configuration(group, &mut rng).0).collect();
        let together = checker.are_free(&rows.concat());
        let alone: Vec<bool> = rows.iter().map(|q| checker.is_free(q)).collect();
        assert_eq!(together, alone, "{name}");
        assert!(alone.contains(&true) && alone.contains(&false), "{name}");
        // Free rows first, so that long runs of them have one answer.
        let free = rows.iter().zip(&alone).filter(|(_, free)| **free).map(|(q, _)| q.clone()).collect::<Vec<_>>();
        for length in 0..=40.min(free.len()) {
            assert!(checker.are_all_free(&free[..length].concat()), "{name}: {length} free ones");
        }
        assert!(!checker.are_all_free(&free[0][1..]), "{name}: a value of a configuration is missing");
        for (begin, length) in (0..rows.len() - 40).step_by(7).zip((1..=40).cycle()) {
            let some = begin..begin + length;
            let expected = alone[some.clone()].iter().all(|free| *free);
            assert_eq!(checker.are_all_free(&rows[some].concat()), expected, "{name}: {length} from {begin} on");
        }
    }
}

#[test]
fn every_tier_leaves_the_same() {
    let tiers = SimdTier::available();
    for name in ["ur5e", "franka_panda"] {
        let (robot, mut checker) = checker(name, 5);
        let mut engines: Vec<Engine> =
            tiers.iter().map(|tier| Engine::with_tier(&checker.tiers.exact.model, *tier)).collect();
        let mut rng = SeededRng::new(6);
        for case in 0..count() {
            let (from, to) = random_motion(&robot, &mut rng);
            let motion = SegmentMotion { from: &from, to: &to };
            let found: Vec<_> = engines
                .iter_mut()
                .map(|engine| match engine.prove(&mut checker.tiers.exact, &motion, &mut 0, u64::MAX) {
                    // Which of several contacts is met first is a matter of width; that there is one is not.
                    Verdict::Blocked(_) => None,
                    _ => Some((format!("{:?}", engine.undecided_intervals), engine.items.clone())),
                })
                .collect();
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{name} case {case}: {found:?}");
        }
    }
}

#[test]
fn what_is_called_clear_is_clear_in_the_whole_interval_and_what_is_called_hit_is_in_contact() {
    for name in ["ur5e", "franka_panda", "fetch", "balls"] {
        let (robot, checker) = checker(name, 7);
        let mut exact = checker.tiers.exact.clone();
        let mut rng = SeededRng::new(8);
        for tier in SimdTier::available() {
            let mut engine = Engine::with_tier(&exact.model, tier);
            for _ in 0..count() / 100 {
                let (from, to) = random_motion(&robot, &mut rng);
                check_interval_by_interval(&mut engine, &mut exact, (&from, &to), &mut rng);
            }
        }
    }
}

/// Asserts that the kernels admit that the spheres of an item are near each other in a lane, and that they touch.
fn check_statements(statements: &Statements, item: u32, lane: usize, is_middle: bool) {
    let lanes_of = |hits: &[KernelHit]| {
        let of_item = hits.iter().filter(|hit| hit.item == item);
        of_item.fold((0, 0), |all: (u16, u16), hit| (all.0 | hit.undecided, all.1 | hit.touching))
    };
    let (undecided, touching) = lanes_of(&statements.of_intervals);
    assert!(undecided >> lane & 1 == 1, "item {item} lane {lane} is undecided");
    assert!(!is_middle || touching >> lane & 1 == 1, "item {item} lane {lane} touches");
    let of_box = lanes_of(&statements.of_box).0 | statements.certain;
    assert!(of_box >> lane & 1 == 1, "item {item} lane {lane} is undecided in the box");
}

/// Compares both kernels with double precision at places of the intervals that they make statements about.
fn check_interval_by_interval(
    engine: &mut Engine,
    exact: &mut PlacedModel,
    (from, to): (&[f64], &[f64]),
    rng: &mut SeededRng,
) {
    let intervals = std::array::from_fn(|k| (k as f64 / BATCH as f64, (k + 1) as f64 / BATCH as f64));
    let items = exact.fine_items();
    let statements = engine.statements(&SegmentMotion { from, to }, &intervals, items.iter().copied());
    let still = vec![0.0; from.len()];
    for (lane, (t0, t1)) in intervals.iter().enumerate() {
        let middle = f64::midpoint(*t0, *t1);
        let mut is_blocked = false;
        for t in [middle, *t0, *t1, rng.uniform(*t0, *t1)] {
            let q: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + t * (to - from)).collect();
            exact.place(&q, &still);
            for item in &items {
                is_blocked |= t == middle && exact.misses_margin(*item);
                if exact.spheres_near(*item).1 {
                    check_statements(&statements, *item, lane, t == middle);
                }
            }
        }
        assert!(statements.certain >> lane & 1 == 0 || is_blocked, "lane {lane} is in contact for certain");
    }
}

/// Verdict of the plain loop in double precision.
fn is_free_in_double(exact: &mut PlacedModel, q: &[f64]) -> bool {
    ContinuousCheck::new(q.len()).is_free(exact, q)
}

#[test]
fn sampled_motions_are_free_exactly_when_all_their_samples_are() {
    for name in ["ur5e", "franka_panda", "balls"] {
        let (robot, mut checker) = checker(name, 21);
        let mut exact = checker.tiers.exact.clone();
        let mut engines: Vec<Engine> =
            SimdTier::available().into_iter().map(|tier| Engine::with_tier(&exact.model, tier)).collect();
        let mut rng = SeededRng::new(16);
        let mut free = 0;
        for case in 0..count() / 4 {
            let (from, to) = random_motion(&robot, &mut rng);
            let rakes = 1 + case as u32 % 4;
            let samples = rakes * BATCH as u32;
            let blocked = (1..=samples).find(|k| {
                let t = f64::from(*k) / f64::from(samples);
                let q: Vec<f64> = from.iter().zip(&to).map(|(from, to)| from + t * (to - from)).collect();
                !is_free_in_double(&mut exact, &q)
            });
            let (plain, in_a_row) = (blocked.is_none(), blocked.map_or(samples, |k| k - 1));
            free += usize::from(plain);
            for engine in &mut engines {
                let found = engine.is_sampled_free(&mut exact, (&from, &to), rakes, &mut 0);
                assert_eq!(found, Some(plain), "{name} case {case}: {from:?} to {to:?}");
                let found = engine.free_samples(&mut exact, (&from, &to), rakes, &mut 0);
                assert_eq!(found, Some(in_a_row), "{name} case {case}: {from:?} to {to:?}");
            }
            let length = from.iter().zip(&to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            // A hair below, so that rounding does not ask for one batch more.
            let resolution = f64::from(samples) / length * (1.0 - 1e-12);
            assert_eq!(checker.is_motion_sampled_free(&from, &to, resolution), plain, "{name} case {case}");
            let fraction = f64::from(in_a_row) / f64::from(samples);
            assert_eq!(checker.sampled_free_fraction(&from, &to, resolution), fraction, "{name} case {case}");
        }
        assert!(free > 0 && free < count() / 4, "{name}: {free} free");
    }
}

#[test]
fn values_beyond_single_precision_are_left_to_the_sweep() {
    let (_, mut checker) = checker("ur5e", 10);
    let mut engine = Engine::new(&checker.tiers.exact.model);
    for bad in [f64::NAN, 1e9, f64::INFINITY] {
        let (from, to) = ([0.0; 6], [0.0, bad, 0.0, 0.0, 0.0, 0.0]);
        let motion = SegmentMotion { from: &from, to: &to };
        assert_eq!(engine.prove(&mut checker.tiers.exact, &motion, &mut 0, u64::MAX), Verdict::Unable, "{bad}");
    }
}
