//! Is a generated Rust solver as fast as the library? Prints the time per pose of both, and their ratio.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Branches, Manipulator, TolerancePolicy};
use kinetic_ik_codegen::{Language, generate};
use kinetic_kinematics::Rigid;
use kinetic_robot::Robot;

/// Best of so many rounds.
const ROUNDS: usize = 30;
/// Poses per round.
const POSES: usize = 256;

/// Reads poses, prints the best time per pose in s and the number of branches.
const CALLER: &str = r#"
mod solver;
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let pose = |p: &[f64]| -> solver::Pose { std::array::from_fn(|r| std::array::from_fn(|c| p[4 * r + c])) };
    let poses: Vec<solver::Pose> = numbers.chunks(16).map(pose).collect();
    let (mut best, mut count, mut branches) = (f64::INFINITY, 0, solver::Branches::default());
    for _ in 0..ROUNDS {
        count = 0;
        let begin = std::time::Instant::now();
        for pose in &poses {
            solver::branches(std::hint::black_box(pose), &mut branches);
            count += branches.as_slice().len();
        }
        best = best.min(begin.elapsed().as_secs_f64() / poses.len() as f64);
    }
    println!("{best:e} {count}");
}
"#;

fn main() {
    println!("{:<16} {:>12} {:>12} {:>7}", "arm", "library", "generated", "ratio");
    for name in ["ur5e", "abb_irb1200", "xarm6"] {
        let robot = Robot::from_name(name).unwrap();
        let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(1);
        let configurations = (0..POSES).map(|_| robot.random_configuration(group, &mut rng));
        let poses: Vec<Rigid> = configurations.map(|q| arm.normal_form().pose(&q)).collect();
        let (library, branches) = of_library(&arm, &poses);
        let (generated, found) = of_generated(name, &arm, &poses);
        assert_eq!(branches, found, "{name}");
        let micro = |seconds: f64| format!("{:.2} µs", seconds * 1e6);
        println!("{name:<16} {:>12} {:>12} {:>7.2}", micro(library), micro(generated), generated / library);
    }
}

fn of_library(arm: &Manipulator, poses: &[Rigid]) -> (f64, usize) {
    let (mut best, mut count, mut branches) = (f64::INFINITY, 0, Branches::default());
    for _ in 0..ROUNDS {
        count = 0;
        let begin = Instant::now();
        for pose in poses {
            arm.branches(black_box(pose), &mut branches);
            count += branches.as_slice().len();
        }
        best = best.min(begin.elapsed().as_secs_f64() / poses.len() as f64);
    }
    (best, count)
}

fn of_generated(name: &str, arm: &Manipulator, poses: &[Rigid]) -> (f64, usize) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench_{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("solver.rs"), generate(arm, Language::Rust, name).unwrap()).unwrap();
    std::fs::write(folder.join("main.rs"), CALLER.replace("ROUNDS", &ROUNDS.to_string())).unwrap();
    let lines: Vec<String> = poses.iter().map(line).collect();
    std::fs::write(folder.join("poses"), lines.join("\n")).unwrap();
    let mut rustc = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
    rustc.args(["--edition", "2024", "-O", "-o"]).arg(folder.join("main")).arg(folder.join("main.rs"));
    assert!(rustc.status().unwrap().success());
    let output = Command::new(folder.join("main")).arg(folder.join("poses")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (seconds, count) = text.trim().split_once(' ').unwrap();
    (seconds.parse().unwrap(), count.parse().unwrap())
}

fn line(pose: &Rigid) -> String {
    let entry = |row: usize, column: usize| match (row, column) {
        (3, column) => f64::from(u8::from(column == 3)),
        (row, 3) => pose.translation[row],
        (row, column) => pose.rotation[(row, column)],
    };
    (0..16).map(|at| format!("{:?}", entry(at / 4, at % 4))).collect::<Vec<_>>().join(" ")
}
