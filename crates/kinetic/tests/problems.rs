//! Problems as files: round trips to the last bit, damage, and the same bytes wherever they are solved.

use std::fmt::Write as _;
use std::sync::Arc;

use kinetic::core::config::WorkspaceBounds;
use kinetic::core::rng::SeededRng;
use kinetic::planning::{
    Algorithm, PlanningProblem, Problem, ProblemSolution, RrtConnect, SceneValidity, Space, StoredHashes,
};
use kinetic::prelude::*;
use kinetic::scene::{robot_document, simd};

use crate::cases;
use crate::support::{robot, workcell};

const START: [f64; 6] = [-2.0, -1.6, 1.5, -1.5, -1.57, 0.0];
const GOAL: [f64; 6] = [0.9, -1.3, 1.6, -1.8, -1.57, 0.4];

fn planner(seed: u64) -> Planner {
    let config = PlannerConfig { seed, max_iterations: 20_000, ..PlannerConfig::default() };
    Planner::in_scene(workcell()).unwrap().with_config(config).unwrap()
}

fn timed(planner: &Planner, start: &[f64], goal: &Goal) -> PlanningProblem {
    planner.problem(start, goal).unwrap().with_time_law(Some("totp")).unwrap()
}

fn reread(problem: &PlanningProblem) -> PlanningProblem {
    PlanningProblem::from_toml(&problem.to_toml().unwrap(), "problem.toml").unwrap()
}

fn assert_same(a: &ProblemSolution, b: &ProblemSolution) {
    assert_eq!(a.problem_hash, b.problem_hash);
    assert_eq!(a.result_hash, b.result_hash);
    assert_eq!(a.result.path, b.result.path);
    assert_eq!(a.trajectory, b.trajectory);
}

/// Every kind of goal, object, rule and option.
fn varied(rng: &mut SeededRng) -> PlanningProblem {
    let mut number = move |low: f64, high: f64| low + (high - low) * rng.unit();
    let mut scene = workcell();
    let pose = Pose::from_xyz_rpy(number(0.3, 1.0), number(-1.0, 1.0), number(1.2, 2.0), number(-3.0, 3.0), 0.3, 1.0);
    scene.add("odd \"name\"", Shape::cylinder(number(0.01, 0.1), number(0.01, 0.1)).unwrap(), pose).unwrap();
    let normal = Vector3::new(number(-0.1, 0.1), number(-0.1, 0.1), 1.0);
    scene.add("floor", Shape::half_space(normal, -1.0).unwrap(), Pose::identity()).unwrap();
    scene.attach("tool", Shape::sphere(0.01).unwrap(), pose, "tool0", &["wrist_3_link"]).unwrap();
    scene.allow_collision("tool", "floor").unwrap();
    scene.set_margin("tool", "table", number(0.0, 0.1)).unwrap();
    let tool = Robot::clone(&robot("ur5e")).with_tcp("arm", pose).unwrap();
    let goals = [
        Goal::joints(GOAL.map(|value| value + number(-0.1, 0.1))),
        Goal::named("ready"),
        Goal::pose(pose),
        Goal::relative(pose, ReferenceFrame::Base),
        Goal::region(PoseRegion::new(pose, [0.1, 0.0, 0.3], [0.0, 0.2, 3.0]).unwrap()),
        Goal::any([Goal::named("ready"), Goal::pose(pose), Goal::joints(GOAL)]),
    ];
    #[allow(clippy::cast_sign_loss, reason = "a number in [0, 6)")]
    let goal = goals[number(0.0, 6.0) as usize].clone();
    let config = PlannerConfig {
        seed: number(0.0, 1.0).to_bits(),
        collision_margin: number(0.0, 0.1),
        smooth: number(0.0, 1.0) < 0.5,
        workspace_bounds: Some(WorkspaceBounds { min: [number(-3.0, -2.0); 3], max: [2.5; 3] }),
        limits: MotionLimits {
            velocity_scaling: number(0.1, 1.0),
            acceleration_scaling: number(0.1, 1.0),
            velocity: (number(0.0, 1.0) < 0.5).then(|| vec![number(0.1, 1.0); 6]),
            acceleration: (number(0.0, 1.0) < 0.5).then(|| vec![number(0.1, 1.0); 6]),
            jerk: (number(0.0, 1.0) < 0.5).then(|| vec![number(10.0, 100.0); 6]),
        },
        ..PlannerConfig::default()
    };
    let scene = scene.with_robot(&Arc::new(tool)).unwrap();
    let planner = Planner::in_scene(scene).unwrap().with_config(config).unwrap();
    planner.problem(&START.map(|value| value + number(-0.1, 0.1)), &goal).unwrap()
}

#[test]
fn every_problem_reads_back_to_the_last_bit() {
    for seed in 0..cases(30, 1_000) as u64 {
        let problem = varied(&mut SeededRng::new(seed));
        let read = reread(&problem);
        assert_eq!(read.to_toml().unwrap(), problem.to_toml().unwrap(), "seed {seed}");
        assert_eq!(read.hash().unwrap(), problem.hash().unwrap(), "seed {seed}");
        assert_eq!((read.start(), read.goal(), read.config()), (problem.start(), problem.goal(), problem.config()));
        assert_eq!(read.stored(), Some(StoredHashes { problem: problem.hash().unwrap(), result: None }));
    }
}

#[test]
fn a_problem_that_was_read_has_the_same_answer() {
    for seed in 0..cases(3, 50) as u64 {
        let problem = timed(&planner(seed), &START, &Goal::joints(GOAL));
        let solution = problem.solve().unwrap();
        assert_same(&solution, &reread(&problem).solve().unwrap());
    }
}

#[test]
fn a_replay_says_whether_the_answer_is_the_stored_one() {
    let problem = timed(&planner(0), &START, &Goal::joints(GOAL));
    assert_eq!(problem.replay(StopFlag::default()).unwrap().is_same(), None);
    let solution = problem.solve().unwrap();
    let solved = reread(&problem.clone().with_answer(&solution).unwrap());
    assert_eq!(solved.replay(StopFlag::default()).unwrap().is_same(), Some(true));
    // The hash of another answer in the file.
    let other = kinetic::core::ContentHash::of_bytes(b"other").to_string();
    let text = problem.clone().with_answer(&solution).unwrap().to_toml().unwrap();
    let text = text.replace(&solution.result_hash.to_string(), &other);
    let replay = PlanningProblem::from_toml(&text, "p").unwrap().replay(StopFlag::default()).unwrap();
    assert_eq!(replay.is_same(), Some(false));
    let error = timed(&planner(1), &START, &Goal::joints(GOAL)).with_answer(&solution).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
}

#[test]
fn a_problem_has_the_answer_of_its_planner() {
    let planner = planner(7);
    let direct = planner.plan_timed(&START, &Goal::joints(GOAL), "totp").unwrap();
    let solution = timed(&planner, &START, &Goal::joints(GOAL)).solve().unwrap();
    assert_eq!(direct.content_hash(), solution.result_hash);
    let result = planner.problem(&START, &Goal::joints(GOAL)).unwrap().solve().unwrap();
    assert_eq!(result.result_hash, direct.result.content_hash());
    assert!(result.trajectory.is_none());
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let problems: Vec<_> = (0..8).map(|seed| timed(&planner(seed), &START, &Goal::joints(GOAL))).collect();
    let alone: Vec<_> = problems.iter().map(|problem| problem.solve().unwrap()).collect();
    for threads in [2, 8] {
        let together: Vec<ProblemSolution> = std::thread::scope(|scope| {
            let solve =
                |part: &[PlanningProblem]| part.iter().map(|problem| problem.solve().unwrap()).collect::<Vec<_>>();
            let parts = problems.chunks(problems.len() / threads);
            let workers: Vec<_> = parts.map(|part| scope.spawn(move || solve(part))).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
        });
        alone.iter().zip(&together).for_each(|(a, b)| assert_same(a, b));
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_width_of_registers() {
    let scene = workcell();
    let space = Space::from_bounds(Planner::in_scene(scene.clone()).unwrap().chain().bounds()).unwrap();
    let goals = [JointValues::from(GOAL)];
    for seed in 0..cases(4, 100) as u64 {
        let problem = Problem::new(&space, &START, &goals, seed).unwrap();
        let plans: Vec<_> = simd::SimdTier::available()
            .into_iter()
            .map(|tier| {
                let checker = scene.checker_within("arm", Margins::new(0.02, 0.0), None).unwrap();
                let mut checker = checker.with_simd_tier(tier).unwrap();
                let mut search = RrtConnect::default();
                search.plan(&problem, &mut SceneValidity::new(&mut checker), &Control::default()).unwrap().path
            })
            .collect();
        assert!(plans.windows(2).all(|pair| pair[0].content_hash() == pair[1].content_hash()), "seed {seed}");
    }
}

/// The answers of releases to come have these bits, or the change says so: `KINETIC_WRITE_HASHES=1` writes them anew.
#[test]
fn stored_hashes_are_met() {
    let (home, arm) = (Goal::named("ready"), [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8]);
    let mut found = String::new();
    for (name, problem) in [
        ("workcell", timed(&planner(0), &START, &Goal::joints(GOAL))),
        ("another seed", timed(&planner(1), &START, &Goal::joints(GOAL))),
        ("pose", timed(&planner(1), &START, &Goal::pose(planner(1).fk(&GOAL).unwrap()))),
        ("empty scene", timed(&Planner::new(&robot("franka_panda")).unwrap(), &arm, &home)),
    ] {
        let solution = problem.solve().unwrap();
        writeln!(found, "{name}: problem {}, result {}", solution.problem_hash, solution.result_hash).unwrap();
    }
    if std::env::var("KINETIC_WRITE_HASHES").is_ok_and(|value| value == "1") {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stored_hashes.txt"), &found).unwrap();
        return;
    }
    assert_eq!(found, include_str!("stored_hashes.txt"));
}

const TWO_LINKS: &str = "<robot name='it''s'><link name='base'/><link name='a'>
    <collision><origin xyz='0.2 0 0'/><geometry><box size='0.4 0.05 0.05'/></geometry></collision></link><link name='b'>
    <collision><origin xyz='0.2 0 0' rpy='0.1 0.2 0.3'/><geometry><cylinder radius='0.03' length='0.3'/></geometry></collision></link>
    <joint name='j1' type='continuous'><parent link='base'/><child link='a'/><axis xyz='0 0 1'/></joint>
    <joint name='j2' type='revolute'><origin xyz='0.4 0 0'/><parent link='a'/><child link='b'/><axis xyz='0 0.6 0.8'/>
    <limit lower='-2' upper='2' velocity='1' effort='5'/></joint></robot>";

fn own_robot() -> Arc<Robot> {
    Arc::new(Robot::from_urdf_string(&TWO_LINKS.replace("''", "&apos;")).unwrap())
}

#[test]
fn a_robot_that_is_not_built_in_travels_in_the_file() {
    let planner = Planner::new(&own_robot()).unwrap();
    let problem = timed(&planner, &[0.1, 0.2], &Goal::joints([2.5, -1.0]));
    let read = reread(&problem);
    assert_eq!(read.scene().robot().name, "it's");
    assert_eq!(read.hash().unwrap(), problem.hash().unwrap());
    assert_same(&read.solve().unwrap(), &problem.solve().unwrap());
}

#[test]
fn every_built_in_robot_survives_its_document() {
    for name in kinetic::robot_names() {
        let robot = Robot::from_name(name).unwrap();
        let text = robot_document::to_json(&robot).unwrap();
        let read = robot_document::from_json(&text, "robot").unwrap();
        assert_eq!(robot_document::to_json(&read).unwrap(), text, "{name}");
        assert_eq!(robot_document::fingerprint(&read).unwrap(), robot_document::fingerprint(&robot).unwrap());
        assert_eq!((read.joints, read.groups, read.named_poses), (robot.joints, robot.groups, robot.named_poses));
    }
}

#[test]
fn another_model_of_the_same_name_is_refused_with_both_fingerprints() {
    let text = planner(0).problem(&START, &Goal::named("ready")).unwrap().to_toml().unwrap();
    let own = robot_document::fingerprint(&robot("ur5e")).unwrap().to_string();
    let other = robot_document::fingerprint(&robot("ur10e")).unwrap().to_string();
    let error = PlanningProblem::from_toml(&text.replace(&own, &other), "p.toml").unwrap_err();
    let KineticError::FileParse { file, detail, line } = &error else { panic!("{error}") };
    assert!(file == "p.toml" && *line > 0 && detail.contains(&own) && detail.contains(&other), "{error}");
}

#[test]
fn edited_files_are_refused_until_their_hashes_are_taken_out() {
    let text = planner(0).problem(&START, &Goal::named("ready")).unwrap().to_toml().unwrap();
    let edited = text.replace("collision_margin = 0.02", "collision_margin = 0.03");
    let error = PlanningProblem::from_toml(&edited, "p.toml").unwrap_err();
    assert!(error.to_string().contains("damaged or edited"), "{error}");
    let without: Vec<&str> =
        edited.lines().filter(|line| !line.contains("hashes") && !line.starts_with("problem =")).collect();
    let read = PlanningProblem::from_toml(&without.join("\n"), "p.toml").unwrap();
    assert_eq!((read.config().collision_margin, read.stored()), (0.03, None));
}

#[test]
fn damaged_files_give_typed_errors() {
    let own = Planner::new(&own_robot()).unwrap().problem(&[0.1, 0.2], &Goal::joints([1.0, 0.0])).unwrap();
    let texts = [planner(0).problem(&START, &Goal::named("ready")).unwrap().to_toml().unwrap(), own.to_toml().unwrap()];
    let mut rng = SeededRng::new(5);
    for case in 0..cases(200, 20_000) {
        let mut bytes = texts[case % 2].clone().into_bytes();
        for _ in 0..=case % 3 {
            #[allow(clippy::cast_sign_loss, reason = "numbers in [0, 1)")]
            let (at, value) = ((rng.unit() * bytes.len() as f64) as usize, (rng.unit() * 256.0) as u8);
            match case % 5 {
                0 => drop(bytes.remove(at)),
                1 => bytes.truncate(at.max(1)),
                2 => bytes.insert(at, value & 0x7F),
                _ => bytes[at] = value & 0x7F,
            }
            if bytes.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Err(error) = PlanningProblem::from_toml(&text, "p.toml") {
            assert!(matches!(error, KineticError::FileParse { .. }), "case {case}: {error}");
        }
    }
}

#[test]
fn models_whose_parts_do_not_fit_are_refused_before_they_are_used() {
    let text = robot_document::to_json(&own_robot()).unwrap();
    for (from, to) in [
        ("\"parent\":0", "\"parent\":7"),
        ("\"child\":1", "\"child\":2"),
        ("\"active_joints\":[0,1]", "\"active_joints\":[0,9]"),
        ("\"default_group\":0", "\"default_group\":1"),
        ("\"tip_link\":2", "\"tip_link\":3"),
        ("\"variables\":[0,1]", "\"variables\":[0,2]"),
        ("\"axis\":[0.0,0.0,1.0]", "\"axis\":[0.0,0.0,2.0]"),
        ("\"type\":\"continuous\"", "\"type\":\"bent\""),
        ("\"version\":1", "\"version\":2"),
        ("\"lower\":-2.0", "\"lower\":3.0"),
        ("\"half_extents\":[0.2", "\"half_extents\":[-0.2"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let error = robot_document::from_json(&text.replacen(from, to, 1), "p.toml").unwrap_err();
        assert!(matches!(error, KineticError::FileParse { .. }), "{to}: {error}");
    }
}

#[test]
fn files_that_are_missing_or_no_text_are_told() {
    let missing = PlanningProblem::load("no such file.toml").unwrap_err();
    assert!(matches!(missing, KineticError::Io { .. }), "{missing}");
    let path = std::env::temp_dir().join(format!("kinetic-problem-{}.toml", std::process::id()));
    std::fs::write(&path, [b'a', b'\n', 0xFF]).unwrap();
    let error = PlanningProblem::load(&path).unwrap_err();
    assert!(matches!(error, KineticError::FileParse { line: 2, .. }), "{error}");
    let problem = timed(&planner(3), &START, &Goal::named("ready"));
    problem.save(&path).unwrap();
    assert_eq!(PlanningProblem::load(&path).unwrap().hash().unwrap(), problem.hash().unwrap());
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn the_time_budget_is_no_part_of_a_problem() {
    let with_timeout = |timeout: f64| {
        let config = PlannerConfig { timeout, ..PlannerConfig::default() };
        Planner::in_scene(workcell()).unwrap().with_config(config).unwrap()
    };
    let hash = |timeout: f64| with_timeout(timeout).problem(&START, &Goal::named("ready")).unwrap().hash().unwrap();
    assert_eq!(hash(0.001), hash(60.0));
}

#[test]
fn what_is_wrong_with_an_option_is_told_with_its_line() {
    let text = planner(0).problem(&START, &Goal::named("ready")).unwrap().to_toml().unwrap();
    let line_of = |words: &str| text.lines().position(|line| line.starts_with(words)).unwrap() as u32 + 1;
    let cases = [
        ("smooth = true", "smooth = 1", line_of("smooth"), "true or false"),
        ("self_margin = 0.0", "self_margin = \"none\"", line_of("self_margin"), "at least 0"),
        ("self_margin = 0.0", "self_margins = 0.0", line_of("self_margin"), "self_margins"),
        ("seed = 0", "seed = -1", line_of("seed"), "2^64 - 1"),
        ("smooth = true", "smooth = true\nspeed = 1.0", line_of("smooth") + 1, "velocity_scaling"),
        ("smooth = true", "smooth = true\ntimeout = 5.0", line_of("smooth") + 1, "no option \"timeout\""),
        ("smooth = true", "smooth = true\nminimise = \"energy\"", line_of("smooth") + 1, "energy"),
        ("shortcut_iterations = 100\n", "", line_of("[options]"), "shortcut_iterations"),
        ("collision_margin = 0.02", "collision_margin = -0.02", line_of("[options]"), "collision_margin"),
    ];
    for (stated, other, wanted_line, words) in cases {
        assert!(text.contains(stated), "{stated}");
        let error = PlanningProblem::from_toml(&text.replace(stated, other), "p.toml").unwrap_err();
        let KineticError::FileParse { line, detail, .. } = &error else { panic!("{error}") };
        assert!(*line == wanted_line && detail.contains(words), "{other}: {error}");
    }
}
