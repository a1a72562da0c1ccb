//! What one collision query costs with the sphere models of MotionBenchMaker: blocks, edges, single configurations.
//!
//!     cargo bench -p kinetic --bench collision -- DATA [--json]
//!
//! `DATA` is the folder that `kinetic bench mbm` takes. Every figure is the best of many rounds over the same cases, which
//! are drawn by a fixed seed: valid configurations, and edges of one radian from them, valid and not.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a bench")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use kinetic::mbm::{Options, problem_scene};
use kinetic::robot::Robot;
use kinetic::scene::{Checker, Margins, Scene};
use kinetic_core::rng::SeededRng;

const ROUNDS: usize = 40;
const CASES: usize = 512;
const BLOCK: usize = 8;
/// Samples per radian, as VAMP takes them.
const RESOLUTION: f64 = 32.0;
const ROBOTS: [&str; 3] = ["panda", "ur5", "fetch"];

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(data) = arguments.next().map(PathBuf::from) else {
        eprintln!("nothing measured: give the folder of the MotionBenchMaker data");
        return;
    };
    let is_json = arguments.any(|argument| argument == "--json");
    let mut all = BTreeMap::new();
    for robot in ROBOTS {
        let options = Options::new(&data, robot);
        let scene = problem_scene(&options, "bookshelf_small", 1).unwrap();
        let figures = measure(&scene);
        if !is_json {
            println!("{robot}");
            print_memory(&scene);
            for (name, ns) in &figures {
                let unit = if name.ends_with('%') { "" } else { " ns" };
                println!("  {name:<44} {ns:>9.0}{unit}");
            }
        }
        all.insert(robot, figures.into_iter().collect::<BTreeMap<_, _>>());
    }
    if is_json {
        println!("{}", serde_json::to_string(&all).unwrap());
    }
}

/// Bytes on the heap of a scene and its parts.
fn print_memory(scene: &Scene) {
    let group = &scene.robot().groups[scene.robot().default_group].name;
    let (mut new, mut checker) = (None, None);
    // A scene around the same robot would share its geometry.
    let robot = Arc::new(Robot::clone(scene.robot()));
    let geometry = allocation_counter::measure(|| new = Scene::new(&robot).ok()).bytes_current;
    let mut another = None;
    let empty = allocation_counter::measure(|| another.clone_from(&new)).bytes_current;
    let compiled = allocation_counter::measure(|| checker = scene.checker(group, Margins::ZERO).ok()).bytes_current;
    println!(
        "  geometry of the robot {geometry} B, an empty scene around it {empty} B on the heap and {} B beside,",
        size_of::<Scene>()
    );
    println!("  a checker of {} objects {compiled} B", scene.objects().len());
    black_box((new, another, checker));
}

fn measure(scene: &Scene) -> Vec<(&'static str, f64)> {
    let robot = scene.robot();
    let group = &robot.groups[robot.default_group].name;
    let mut checker = scene.checker_within(group, Margins::ZERO, None).unwrap();
    let mut empty = scene.clone();
    empty.clear();
    let mut alone = empty.checker_within(group, Margins::ZERO, None).unwrap();
    let free = valid_configurations(scene, &mut checker);
    let random = configurations(scene, 1);
    let edges = edges_from_valid(scene, &mut checker, true);
    let blocked = edges_from_valid(scene, &mut checker, false);
    let proven: Vec<_> = edges.iter().filter(|(from, to)| checker.is_motion_free(from, to)).cloned().collect();
    let blocks = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> { rows.chunks(BLOCK).map(<[Vec<f64>]>::concat).collect() };
    let (blocks, random_blocks, together) = (blocks(&free), blocks(&random), free.concat());
    let mut answers = vec![false; CASES];
    vec![
        ("8 valid configurations", best(&blocks, |rows| checker.are_free_into(rows, &mut answers[..BLOCK]))),
        ("8 valid configurations, empty scene", best(&blocks, |rows| alone.are_free_into(rows, &mut answers[..BLOCK]))),
        ("8 random configurations", best(&random_blocks, |rows| checker.are_free_into(rows, &mut answers[..BLOCK]))),
        (
            "512 valid configurations, per 8",
            best(&[together], |rows| checker.are_free_into(rows, &mut answers)) * BLOCK as f64 / CASES as f64,
        ),
        (
            "valid 1-rad edge, sampled",
            best(&edges, |(from, to)| {
                black_box(checker.is_motion_sampled_free(from, to, RESOLUTION));
            }),
        ),
        (
            "the same edge, proven",
            best(&proven, |(from, to)| {
                black_box(checker.is_motion_free(from, to));
            }),
        ),
        (
            "invalid 1-rad edge, sampled",
            best(&blocked, |(from, to)| {
                black_box(checker.is_motion_sampled_free(from, to, RESOLUTION));
            }),
        ),
        (
            "one valid configuration",
            best(&free, |q| {
                black_box(checker.is_free(q));
            }),
        ),
        (
            "one random configuration",
            best(&random, |q| {
                black_box(checker.is_free(q));
            }),
        ),
        ("of these edges can be proven, %", 100.0 * proven.len() as f64 / edges.len() as f64),
    ]
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

fn configurations(scene: &Scene, seed: u64) -> Vec<Vec<f64>> {
    let robot = scene.robot();
    let mut rng = SeededRng::new(seed);
    let group = &robot.groups[robot.default_group];
    (0..CASES).map(|_| robot.random_configuration(group, &mut rng).0).collect()
}

fn valid_configurations(scene: &Scene, checker: &mut Checker) -> Vec<Vec<f64>> {
    let many = (2..).flat_map(|seed| configurations(scene, seed));
    many.filter(|q| checker.is_free(q)).take(CASES).collect()
}

/// From valid configurations, one radian in a random direction of joint space; at the resolution valid, or not.
fn edges_from_valid(scene: &Scene, checker: &mut Checker, is_valid: bool) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut rng = SeededRng::new(1000);
    let mut edges = Vec::new();
    for from in (1001..).flat_map(|seed| configurations(scene, seed)) {
        let step: Vec<f64> = from.iter().map(|_| rng.uniform(-1.0, 1.0)).collect();
        let norm = step.iter().map(|s| s * s).sum::<f64>().sqrt();
        let to: Vec<f64> = from.iter().zip(&step).map(|(q, s)| q + s / norm).collect();
        if checker.is_free(&from) && checker.is_motion_sampled_free(&from, &to, RESOLUTION) == is_valid {
            edges.push((from, to));
        }
        if edges.len() == CASES {
            break;
        }
    }
    edges
}
