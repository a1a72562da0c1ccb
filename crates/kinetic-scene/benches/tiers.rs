//! What the exact tier adds, what a contact costs, how queries grow with the number of obstacles, what a cloud of points
//! takes, and what scenes and checkers keep in memory.
//!
//!     cargo bench -p kinetic-scene --bench tiers
//!
//! Built-in robots with their own models. Every figure is the best of many rounds over the same cases, which are drawn by
//! fixed seeds.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

mod clouds;
mod worlds;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::{DecidedBy, Margins, Scene};

const ROUNDS: usize = 200;

fn main() {
    for name in ["ur5e", "franka_panda"] {
        first(name);
        tiers(name);
    }
    growth();
    points();
}

/// Makes something; prints the best time of a few, and the bytes that it keeps.
fn made<T>(name: &str, mut make: impl FnMut() -> T) -> T {
    let mut made = make();
    let mut kept = None;
    let bytes = allocation_counter::measure(|| kept = Some(make())).bytes_current;
    let mut least = f64::INFINITY;
    for _ in 0..10 {
        let begin = Instant::now();
        made = make();
        least = least.min(begin.elapsed().as_secs_f64());
    }
    let bytes = bytes.cast_unsigned() as usize + size_of::<T>();
    println!("{name:<64} {:>12.0} ns {bytes:>12} B", least * 1e9);
    made
}

/// Best mean time per case over all rounds, ns.
fn best<T>(cases: &[T], mut query: impl FnMut(&T)) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        for case in cases {
            query(black_box(case));
        }
        least = least.min(begin.elapsed().as_secs_f64());
    }
    least * 1e9 / cases.len() as f64
}

fn print(name: &str, ns: f64) {
    println!("{name:<64} {ns:>12.0} ns");
}

/// Ten boxes around the arm, placed by the seed.
fn cluttered(robot: &Arc<Robot>) -> Scene {
    let mut scene = Scene::new(robot).unwrap();
    let mut rng = SeededRng::new(5);
    for index in 0..10 {
        let (angle, height) = (rng.uniform(-3.0, 3.0), rng.uniform(-0.2, 1.0));
        let reach = rng.uniform(0.5, 0.9);
        let pose = Pose::from_xyz_rpy(reach * f64::cos(angle), reach * f64::sin(angle), height, 0.0, 0.0, angle);
        scene.add(&format!("box{index}"), Shape::cuboid(0.06, 0.06, 0.06).unwrap(), pose).unwrap();
    }
    scene
}

/// What is worked out once per robot and process.
fn first(name: &str) {
    let robot = Arc::new(Robot::from_name(name).unwrap());
    let (group, scene) = (&robot.groups[robot.default_group].name, Scene::new(&robot).unwrap());
    let (mut checker, begin) = (None, Instant::now());
    let bytes = allocation_counter::measure(|| checker = scene.checker_within(group, Margins::ZERO, None).ok());
    let ns = begin.elapsed().as_secs_f64() * 1e9;
    println!("{:<64} {ns:>12.0} ns {:>12} B", format!("{name}: first checker of a process"), bytes.bytes_current);
    black_box(checker);
}

fn tiers(name: &str) {
    let robot = Arc::new(Robot::from_name(name).unwrap());
    let group = &robot.groups[robot.default_group];
    let scene = cluttered(&robot);
    let mut checker = scene.checker_within(&group.name, Margins::ZERO, None).unwrap();
    let mut rng = SeededRng::new(7);
    let random: Vec<Vec<f64>> = (0..4096).map(|_| robot.random_configuration(group, &mut rng).0).collect();
    let free: Vec<Vec<f64>> = random.iter().filter(|q| checker.is_free(q)).take(512).cloned().collect();
    let by_spheres = |q: &&Vec<f64>| {
        let near = scene.explain(q, Margins::ZERO, 0.3).unwrap().near;
        near.iter().all(|pair| pair.decided_by != DecidedBy::Exact)
    };
    let clear: Vec<Vec<f64>> = free.iter().filter(by_spheres).cloned().collect();
    let mut is_free = |q: &Vec<f64>| {
        black_box(checker.is_free(q));
    };
    let of_clear = best(&clear, &mut is_free);
    let of_free = best(&free, &mut is_free);
    print(&format!("{name}: {} free configurations", free.len()), of_free);
    print(&format!("{name}: {} of them that spheres alone clear", clear.len()), of_clear);
    println!("{name}: ratio {:.2}", of_free / of_clear);
    let part = |from: &[f64], to: &[f64]| from.iter().zip(to).map(|(a, b)| a + 0.3 * (b - a)).collect::<Vec<f64>>();
    let motions: Vec<_> = free.iter().zip(&free[1..]).map(|(from, to)| (from.clone(), part(from, to))).collect();
    let is_proven: Vec<bool> = motions.iter().map(|(from, to)| checker.is_motion_free(from, to)).collect();
    for wanted in [true, false] {
        let cases: Vec<_> =
            motions.iter().zip(&is_proven).filter(|(_, is)| **is == wanted).map(|(m, _)| m).take(64).collect();
        let kind = if wanted { "free" } else { "blocked" };
        let checks = checker.checks();
        let ns = best(&cases, |(from, to)| {
            black_box(checker.is_motion_free(from, to));
        });
        let each = (checker.checks() - checks) / (ROUNDS * cases.len()) as u64;
        print(&format!("{name}: {} {kind} motions, proof, {each} checks each", cases.len()), ns);
        let checks = checker.checks();
        let ns = best(&cases, |(from, to)| {
            black_box(checker.first_contact(from, to));
        });
        let each = (checker.checks() - checks) / (ROUNDS * cases.len()) as u64;
        print(&format!("{name}: {} {kind} motions, first contact, {each} checks each", cases.len()), ns);
    }
}

/// A hundred thousand points as voxels of 1 cm, and ten thousand to a million as a cloud of balls of 1 cm.
fn points() {
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let group = &robot.groups[robot.default_group];
    let neutral = robot.neutral_configuration();
    let q: Vec<f64> = group.variables.iter().map(|variable| neutral[*variable]).collect();
    let empty = Scene::new(&robot).unwrap();
    // Scenes around a robot that is known share its geometry: each is around a copy here.
    made("geometry of a robot, with an empty scene", || Scene::new(&Arc::new(Robot::clone(&robot))).unwrap());
    made("another empty scene", || empty.clone());
    made("checker of an empty scene", || empty.checker_within(&group.name, Margins::ZERO, None).unwrap());
    let cells = clouds::cells(&clouds::points(&robot, &q, 100_000));
    among_points("100,000 points as voxels", (&empty, &q), || Shape::voxels(&cells, 0.01).unwrap());
    for count in [10_000, 100_000, 1_000_000] {
        let points = clouds::points(&robot, &q, count);
        among_points(&format!("{count} points"), (&empty, &q), || Shape::point_cloud(&points, 0.01).unwrap());
    }
}

/// Queries near `q` and anywhere, among the points that a shape is made of.
fn among_points(name: &str, (empty, q): (&Scene, &[f64]), shape: impl Fn() -> Shape) {
    let robot = empty.robot();
    let group = &robot.groups[robot.default_group];
    let shape = made(&format!("{name}: shape"), shape);
    let scene = made(&format!("{name}: scene"), || {
        let mut scene = empty.clone();
        scene.add("cloud", shape.clone(), Pose::identity()).unwrap();
        scene
    });
    let build = || scene.checker_within(&group.name, Margins::ZERO, None).unwrap();
    let mut checker = made(&format!("{name}: checker"), build);
    let cases = worlds::near(q);
    let ns = best(&cases, |q| {
        black_box(checker.is_free(q));
    });
    print(&format!("{name}: configuration"), ns);
    let mut rng = SeededRng::new(12);
    let random: Vec<Vec<f64>> = (0..4096).map(|_| robot.random_configuration(group, &mut rng).0).collect();
    let free: Vec<Vec<f64>> = random.iter().filter(|q| checker.is_free(q)).take(256).cloned().collect();
    let ns = best(&free, |q| {
        black_box(checker.is_free(q));
    });
    print(&format!("{name}: {} free configurations anywhere", free.len()), ns);
    let mut answers = vec![false; free.len()];
    let ns = best(&[free.concat()], |rows| checker.are_free_into(rows, &mut answers)) / free.len() as f64;
    print(&format!("{name}: the same together, each"), ns);
    let motions: Vec<(Vec<f64>, Vec<f64>)> = free.iter().map(|from| (from.clone(), short_of(from, q))).collect();
    let ns = best(&motions, |(from, to)| {
        black_box(checker.is_motion_free(from, to));
    });
    print(&format!("{name}: motion of a tenth of the way home, proof"), ns);
}

/// A tenth of the way from one configuration to another.
fn short_of(from: &[f64], to: &[f64]) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + 0.1 * (to - from)).collect()
}

/// Small spheres at random places around the arm, and configurations near its neutral one: one at a time, 64 together, 64
/// that are not near each other, and short motions.
fn growth() {
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let group = &robot.groups[robot.default_group];
    let neutral = robot.neutral_configuration();
    let q: Vec<f64> = group.variables.iter().map(|variable| neutral[*variable]).collect();
    for count in [10, 100, 1_000, 10_000] {
        let scene = worlds::spheres_around(&robot, &q, count);
        let build = || scene.checker_within(&group.name, Margins::ZERO, None).unwrap();
        let mut checker = made(&format!("{count} spheres: checker"), build);
        let mut rng = SeededRng::new(10);
        let cases = worlds::near(&q);
        let ns = best(&cases, |q| {
            black_box(checker.is_free(q));
        });
        print(&format!("{count} spheres: configuration"), ns);
        let mut free = vec![false; 64];
        let random: Vec<f64> = (0..64).flat_map(|_| robot.random_configuration(group, &mut rng).0).collect();
        for (kind, rows) in [("near each other", &cases.concat()), ("anywhere", &random)] {
            let ns = best(&[rows], |rows| checker.are_free_into(rows, &mut free));
            print(&format!("{count} spheres: configuration of 64, {kind}"), ns / 64.0);
        }
        let motions: Vec<_> = cases.iter().zip(&cases[1..]).collect();
        let ns = best(&motions, |(from, to)| {
            black_box(checker.is_motion_free(from, to));
        });
        print(&format!("{count} spheres: short motion, proof"), ns);
    }
}
