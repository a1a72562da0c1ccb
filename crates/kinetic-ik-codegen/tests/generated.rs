//! Generated solvers, compiled and run, against the library.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kinetic_core::error::reason;
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_ik::analytic::{Manipulator, SolveOptions, TolerancePolicy, registry};
use kinetic_ik_codegen::{self as codegen, Language};
use kinetic_robot::Robot;
use nalgebra::Matrix4;

use crate::arms::{self, Lie, arm, conditioning, manipulator};
use crate::cases;

/// Both files work with the same numbers; what differs is the order of a few sums, which a branch at the edge of a
/// singularity magnifies.
const SAME: f64 = 1e-9;

/// One built-in arm for each solver.
const ONE_PER_CLASS: [&str; 7] =
    ["ur5e", "abb_irb1200", "xarm6", "kuka_iiwa14", "franka_panda", "xarm5", "open_manipulator_x"];

/// What the library promises of a branch.
const CLOSED: f64 = 1e-10;

/// Least singular value of the Jacobian where two branches are less than the policy's 1e-3 rad apart.
const NEARLY_DOUBLE: f64 = 1e-3;
/// Arms of the general class may miss a branch of one pose in a thousand, and the two need not miss the same one.
const MISSED_ONCE_IN: usize = 500;

struct Request {
    pose: [f64; 16],
    /// Branches run together, or one stands for many: which of them come out is a matter of rounding.
    is_singular: bool,
    options: SolveOptions,
}

struct Answer {
    counts: [f64; 3],
    rows: Vec<Vec<f64>>,
}

#[test]
fn every_class_has_a_generator_or_says_that_it_has_none() {
    use Lie::{Meets, Parallel, SamePoint, Skew};
    let generated: Vec<&str> = codegen::classes().collect();
    assert_eq!(generated, registry::classes().map(|class| class.name).collect::<Vec<_>>());
    for class in registry::classes() {
        let lies: &[Lie] = match class.name {
            name if name.starts_with("six_r.") => continue,
            "seven_r.srs" => &[Meets, SamePoint, Skew, Skew, Meets, SamePoint],
            "seven_r.locked" => &[Skew, Meets, Parallel, Parallel, Meets, Meets],
            "long.locked" => &[Skew, Skew, Meets, Parallel, Skew, Meets, SamePoint],
            "five_r.position_axis" => &[Meets, Parallel, Parallel, Meets],
            "four_r.position_pitch" => &[Skew, Parallel, Parallel],
            "three_r.position" => &[Skew, Skew],
            name => panic!("{name}: no arm of this class to generate code of"),
        };
        let arm = manipulator(&arm(&mut SeededRng::new(3), lies)).unwrap();
        assert!(arm.dispatch_plan().solver_name.starts_with(class.name), "{}", arm.dispatch_plan());
        for language in Language::ALL {
            assert!(codegen::generate(&arm, language, "arm").unwrap().contains(class.name), "{}", class.name);
        }
    }
}

#[test]
fn an_arm_locked_in_the_middle_is_told_what_to_do() {
    use Lie::{Meets, SamePoint, Skew};
    let random = arm(&mut SeededRng::new(3), &[Skew, Skew, Skew, Skew, Meets, SamePoint]);
    let chain = arms::chain(&random);
    let arm = Manipulator::with_locked(chain, &["j3"], TolerancePolicy::default()).unwrap();
    for language in Language::ALL {
        let error = codegen::generate(&arm, language, "arm").unwrap_err();
        let KineticError::IncompatibleKinematics { reason } = &error else { panic!("{error}") };
        assert!(matches!(reason, reason::IncompatibleKinematics::NoSingleArm { .. }), "{reason}");
        assert!(reason.to_string().contains("another joint to lock"), "{reason}");
    }
}

#[test]
fn built_in_arms_answer_as_the_library_does() {
    let all: Vec<String> = kinetic_robot::builtin::names().iter().map(ToString::to_string).collect();
    let names: Vec<String> = if cases(0, 1) == 1 { all } else { ONE_PER_CLASS.map(str::to_owned).into() };
    for name in names {
        let robot = Robot::from_name(&name).unwrap();
        match Manipulator::from_robot(&robot, None, TolerancePolicy::default()) {
            // It is S-R-S but for rounded angles, so that its solver is that of another arm, and Newton's method.
            Ok(arm) if arm.dof() > 6 && arm.dispatch_plan().solver_name.split('.').next_back() == Some("near") => {
                let error = codegen::generate(&arm, Language::Rust, &name).unwrap_err();
                assert!(matches!(error, KineticError::IncompatibleKinematics { .. }), "{name}: {error}");
            }
            Ok(arm) => compare(&name, &arm, cases(if arm.dof() > 6 { 8 } else { 40 }, 400)),
            Err(error) => assert!(matches!(error, KineticError::IncompatibleKinematics { .. }), "{name}: {error}"),
        }
    }
}

#[test]
fn random_arms_of_every_class_and_direction_answer_as_the_library_does() {
    use Lie::{Meets, Parallel, SamePoint, Skew};
    let arms: [(&str, &[Lie]); 15] = [
        ("six_r.three_parallel", &[Skew, Parallel, Parallel, Skew, Skew]),
        ("six_r.three_parallel.reversed", &[Skew, Skew, Parallel, Parallel, Skew]),
        ("six_r.spherical_two_intersecting", &[Meets, Skew, Skew, Meets, SamePoint]),
        ("six_r.spherical", &[Skew, Skew, Skew, Meets, SamePoint]),
        ("six_r.spherical.reversed", &[Meets, SamePoint, Skew, Skew, Skew]),
        ("six_r.spherical_elbow", &[Skew, Skew, Meets, SamePoint, Skew]),
        ("six_r.spherical_elbow.reversed", &[Skew, Meets, SamePoint, Skew, Skew]),
        ("six_r.general", &[Skew, Skew, Skew, Skew, Skew]),
        ("three_r.position", &[Skew, Skew]),
        ("four_r.position_pitch", &[Skew, Parallel, Parallel]),
        ("five_r.position_axis.six_r.general", &[Skew, Skew, Skew, Skew]),
        ("seven_r.locked.six_r.spherical", &[Skew, Skew, Skew, Skew, Meets, SamePoint]),
        ("seven_r.locked.six_r.general", &[Skew; 6]),
        ("seven_r.srs", &[Meets, SamePoint, Skew, Skew, Meets, SamePoint]),
        ("long.locked.six_r.general", &[Skew; 7]),
    ];
    for (seed, (name, lies)) in arms.into_iter().enumerate() {
        // The others differ from these, and from the built-in arms, in direction only.
        if cases(0, 1) == 0
            && !["six_r.three_parallel.reversed", "six_r.spherical", "six_r.spherical_elbow", "three_r.position"]
                .contains(&name)
        {
            continue;
        }
        let seed = seed as u64;
        let arm = manipulator(&arm(&mut SeededRng::new(seed), lies)).unwrap();
        assert_eq!(arm.dispatch_plan().solver_name, name, "seed {seed}");
        compare(&name.replace('.', "_"), &arm, cases(20, 400));
    }
}

#[test]
fn the_same_arm_gives_the_same_bytes_and_a_header_that_says_whence() {
    let robot = Robot::from_name("ur5e").unwrap();
    for language in Language::ALL {
        let text = || {
            let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
            codegen::generate(&arm, language, "ur5e").unwrap()
        };
        let first = text();
        assert_eq!(first, text());
        for word in ["kinetic 0.", "ur5e", "six_r.three_parallel", "axes 2 and 3 are parallel", "wrist_3_joint"] {
            assert!(first.contains(word), "{language}: {word}");
        }
        assert_eq!(Language::of_file(Path::new(&format!("a/solver.{}", language.ending()))).unwrap(), language);
        assert_eq!(language.id().parse::<Language>().unwrap(), language);
    }
    assert!(matches!(Language::of_file(Path::new("solver")), Err(KineticError::UnknownName { .. })));
    assert!(matches!("c".parse::<Language>(), Err(KineticError::UnknownName { .. })));
}

#[test]
fn a_name_cannot_break_out_of_the_header() {
    let robot = Robot::from_name("ur5e").unwrap();
    let arm = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
    let text = codegen::generate(&arm, Language::Rust, "a\nfn main() {}\u{2028}\r\"\"\"").unwrap();
    assert!(text.lines().next().unwrap().contains("fn main() {}"));
}

/// Answers of the generated file and of the library for random, singular, unreachable and broken poses.
fn compare(name: &str, arm: &Manipulator, poses: usize) {
    let program = compiled(name, &codegen::generate(arm, Language::Rust, name).unwrap(), !arm.ranges().is_empty());
    let requests = requests(arm, poses);
    let answers = asked(&program, &requests);
    assert_eq!(answers.len(), requests.len(), "{name}");
    let mut missed = 0;
    for (index, (request, line)) in requests.iter().zip(&answers).enumerate() {
        let place = format!("{name}, request {index}: {:?}", request.pose);
        let Ok(target) = Pose::from_matrix(&Matrix4::from_row_slice(&request.pose)) else {
            assert!(line == "NotFinite" || line == "NotRigid", "{place}: {line}");
            continue;
        };
        let Ok((wanted, story)) = arm.explain(&target, &request.options) else {
            assert_eq!(line, "SelfMotion", "{place}: values of the self-motion outside the limits");
            continue;
        };
        let answer = parsed(line, arm.dof());
        assert!(answer.rows.iter().all(|row| row[0] <= CLOSED && row.iter().all(|value| value.is_finite())), "{place}");
        if request.is_singular {
            // Where no sample of a short self-motion has a branch, the library asks its numerical solver, which files lack.
            let is_asked_further = !arm.ranges().is_empty() && !wanted.is_empty();
            assert!(answer.rows.is_empty() == wanted.is_empty() || is_asked_further, "{place}");
            continue;
        }
        // Between the samples the way goes downhill, and the last digit may decide which.
        let most: usize = arm.ranges().iter().map(|range| range.samples).product();
        if story.samples > most + 1 {
            assert_eq!(answer.rows.is_empty(), wanted.is_empty(), "{place}");
            continue;
        }
        let counts = [story.raw_candidates, story.dropped_by_limits, story.dropped_by_max_solutions].map(|n| n as f64);
        if arm.dispatch_plan().tier > 0 && (answer.counts, answer.rows.len()) != (counts, wanted.len()) {
            missed += 1;
            assert!(missed <= 1 + requests.len() / MISSED_ONCE_IN, "{place}: {missed} poses with other counts");
            continue;
        }
        assert_eq!((answer.counts, answer.rows.len()), (counts, wanted.len()), "{place}");
        let mut left = answer.rows.clone();
        for (at, solution) in wanted.iter().enumerate() {
            // Two branches beside a double root are one in both answers, and which one is a matter of rounding.
            let is_double = conditioning(arm.normal_form(), &solution.q) < NEARLY_DOUBLE;
            let same = if is_double { arm.policy().subproblem_dedup } else { SAME };
            let is_it = |row: &Vec<f64>| row[1..].iter().zip(solution.q.iter()).all(|(a, b)| (a - b).abs() <= same);
            let found = left.iter().position(is_it);
            assert!(found.is_some(), "{place}: {:?} is missing in {left:?}", solution.q);
            left.remove(found.unwrap_or_default());
            // The same order, too, where the order has a meaning.
            assert!(request.options.seed.is_none() || is_it(&answer.rows[at]), "{place}: another order");
        }
    }
}

fn requests(arm: &Manipulator, poses: usize) -> Vec<Request> {
    let mut rng = SeededRng::new(7);
    let mut out = Vec::new();
    let dof = arm.dof();
    let rows = |pose: &Pose| std::array::from_fn(|at| pose.to_matrix()[(at / 4, at % 4)]);
    for case in 0..poses {
        let q: Vec<f64> = (0..dof).map(|_| rng.uniform(-3.1, 3.1)).collect();
        let pose = rows(&arm.fk(&q).unwrap());
        let inside: Vec<f64> =
            q.iter().zip(arm.chain().bounds()).map(|(q, (low, high))| q.clamp(*low, *high)).collect();
        // Values outside the limits are refused where limits count, and taken as they are elsewhere.
        let at = if case % 9 == 4 { &inside } else { &q };
        // Around the configuration itself wrists flip by exactly half a turn; elsewhere turns of 2π are asked for.
        let spread = if case % 3 == 0 { 0.0 } else { 7.0 };
        let seed: Vec<f64> = q.iter().map(|q| q + rng.uniform(-spread, spread)).collect();
        out.push(Request {
            pose,
            is_singular: false,
            options: SolveOptions {
                seed: (case % 2 == 0).then(|| seed.into()),
                max_solutions: (case % 8 == 4).then_some(2),
                respect_limits: case % 4 < 2,
                at: (case % 3 == 1 && !arm.ranges().is_empty()).then(|| arm.parameters(at).unwrap()),
                ..SolveOptions::default()
            },
        });
    }
    // Stretched out, and ever closer to it.
    for step in [0.0, 1e-9, 1e-6, 1e-3] {
        let pose = rows(&arm.fk(&vec![step; dof]).unwrap());
        out.push(Request { pose, is_singular: true, options: SolveOptions::default() });
    }
    // Out of reach, no rotation, mirrored, not finite, and a rotation that is nearly one.
    let options = SolveOptions::default();
    let pose = arm.fk(&vec![0.3; dof]).unwrap();
    let mut broken = vec![rows(&Pose::from_xyz(9.0, 0.0, 0.0)); 5];
    broken[1][0] = 2.0;
    broken[2] = rows(&pose);
    broken[2][..3].iter_mut().for_each(|value| *value = -*value);
    broken[3][7] = f64::NAN;
    broken[4] = rows(&pose);
    broken[4][5] += 1e-7;
    out.extend(broken.into_iter().map(|pose| Request { pose, is_singular: false, options: options.clone() }));
    out
}

fn parsed(line: &str, dof: usize) -> Answer {
    let numbers: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    Answer {
        counts: std::array::from_fn(|at| numbers[at]),
        rows: numbers[3..].chunks(dof + 1).map(<[f64]>::to_vec).collect(),
    }
}

fn compiled(name: &str, text: &str, is_swept: bool) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("generated_{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("solver.rs"), text).unwrap();
    std::fs::write(folder.join("main.rs"), include_str!("caller.rs")).unwrap();
    let program = folder.join("main");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let mut command = Command::new(rustc);
    command
        .args(["--edition", "2021", "-C", "opt-level=1", "-D", "warnings", "-o"])
        .arg(&program)
        .arg(folder.join("main.rs"));
    command.args(["--check-cfg", "cfg(swept)"]).args(if is_swept { &["--cfg", "swept"][..] } else { &[] });
    let output = command.output().unwrap();
    assert!(output.status.success(), "{name}:\n{}", String::from_utf8_lossy(&output.stderr));
    program
}

fn asked(program: &Path, requests: &[Request]) -> Vec<String> {
    let mut text = String::new();
    for Request { pose, options, .. } in requests {
        let flag = |flag: bool| f64::from(u8::from(flag));
        let most = options.max_solutions.map_or(-1.0, |most| most as f64);
        let start = [flag(options.respect_limits), flag(options.allow_refinement), most];
        let seed = options.seed.iter().flat_map(|seed| seed.iter());
        let count = [options.seed.as_ref().map_or(0, |seed| seed.len()) as f64];
        let at = options.at.iter().flat_map(|at| at.iter());
        let words: Vec<String> =
            start.iter().chain(pose).chain(&count).chain(seed).chain(at).map(|value| format!("{value:?}")).collect();
        text.push_str(&words.join(" "));
        text.push('\n');
    }
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}
