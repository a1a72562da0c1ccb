//! Where the time of a planning call goes, on the problems of MotionBenchMaker with the sphere models that come with them.
//!
//!     cargo bench -p kinetic --bench mbm -- DATA [panda ur5 …] [--repeats 5] [--every 1] [--paths FOLDER]
//!
//! `DATA` is the folder that `kinetic bench mbm` takes. Every problem is planned some times, one after the other on one
//! core; its times are those of the quickest call. The counts are from another call, whose questions are watched.
//! `--every 8` takes every eighth problem only. With `--paths` the solved paths are written as `FOLDER/ROBOT.json.gz`, for judges.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a bench")]
#![allow(clippy::type_complexity, clippy::cast_sign_loss, reason = "tables of what is printed; places in lists")]

use std::path::PathBuf;
use std::time::Instant;

use kinetic::mbm::{Case, Cylinders, Model, Options, Report, Row, SolvedPath, cases, machine, write_paths};
use kinetic_core::{Goal, PlannerConfig, StopFlag};
use kinetic_planning::{
    Algorithm, PlannerType, PlanningResult, Problem, SceneValidity, SimplifyOptions, Space, Validity,
};
use kinetic_planning::{Planner, simplify};
use kinetic_scene::Margins;

fn main() {
    let mut data = None;
    let (mut robots, mut repeats, mut folder) = (Vec::new(), 5_usize, None);
    let mut step = 1_usize;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => {}
            "--repeats" => repeats = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(repeats),
            "--every" => step = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(step),
            "--paths" => folder = arguments.next().map(PathBuf::from),
            _ if data.is_none() => data = Some(PathBuf::from(argument)),
            _ => robots.push(argument),
        }
    }
    let Some(data) = data else {
        eprintln!("nothing measured: give the folder of the MotionBenchMaker data");
        return;
    };
    if robots.is_empty() {
        robots = ["panda", "ur5", "fetch"].map(str::to_owned).to_vec();
    }
    for robot in robots {
        let options = Options { data: data.clone(), robot, model: Model::Given, cylinders: Cylinders::Vamp, seed: 0 };
        let (base, problems) = cases(&options).unwrap();
        let measured: Vec<Measured> = problems
            .iter()
            .step_by(step)
            .filter(|case| case.is_valid)
            .map(|case| measure(&base, case, repeats))
            .collect();
        print(&options.robot, &measured);
        if let Some(folder) = &folder {
            write(&options.robot, &measured, folder);
        }
    }
}

/// One problem. Times in µs.
struct Measured {
    family: String,
    index: u64,
    /// Set-up of the checker, its two questions about the ends, search, simplification, proof, and the whole call.
    times: [f64; 6],
    result: Option<PlanningResult>,
    search: Counts,
    shortening: Counts,
}

/// Questions about motions.
#[derive(Default, Clone, Copy)]
struct Counts {
    quick: u64,
    quick_refused: u64,
    proofs: u64,
    proofs_refused: u64,
    /// Time spent in questions of the four kinds.
    us: [f64; 4],
}

fn measure(base: &Planner, case: &Case, repeats: usize) -> Measured {
    let planner = base.clone().with_scene(&case.scene).unwrap();
    let goal = Goal::joints(case.goal.clone());
    let mut times = [f64::INFINITY; 6];
    let mut result = None;
    for _ in 0..repeats {
        let control = planner.control(StopFlag::default());
        let began = Instant::now();
        let planned = planner.plan_controlled(&case.start, &goal, &control);
        let total = began.elapsed().as_secs_f64();
        let Ok(planned) = planned else {
            times[5] = total * 1e6;
            break;
        };
        if total * 1e6 < times[5] {
            times[2] = planned.planning_time * 1e6;
            times[3] = planned.simplification_time * 1e6;
            times[4] = planned.verification_time * 1e6;
            times[5] = total * 1e6;
        }
        result = Some(planned);
    }
    let (mut search, mut shortening) = (Counts::default(), Counts::default());
    let margins = Margins::new(planner.config().collision_margin, planner.config().self_margin);
    for _ in 0..repeats {
        let began = Instant::now();
        let mut checker = case.scene.checker_within(&planner.group().name, margins, None).unwrap();
        times[0] = times[0].min(began.elapsed().as_secs_f64() * 1e6);
        let began = Instant::now();
        assert!(checker.is_free(&case.start) && checker.is_free(&case.goal));
        times[1] = times[1].min(began.elapsed().as_secs_f64() * 1e6);
    }
    if result.is_some() {
        times[2] -= times[1];
        (search, shortening) = count(&planner, case);
    }
    Measured { family: case.family.clone(), index: case.index, times, result, search, shortening }
}

/// The same call in parts, watched.
fn count(planner: &Planner, case: &Case) -> (Counts, Counts) {
    let config: &PlannerConfig = planner.config();
    let margins = Margins::new(config.collision_margin, config.self_margin);
    let mut checker = case.scene.checker_within(&planner.group().name, margins, None).unwrap();
    let space = Space::from_bounds(planner.chain().bounds()).unwrap();
    let goals = [case.goal.clone().into()];
    let problem = Problem::new(&space, &case.start, &goals, config.seed).unwrap();
    let mut algorithm: Box<dyn Algorithm> = (PlannerType::Auto.spec().build)(config).unwrap();
    let control = planner.control(StopFlag::default());
    let mut watched = Watched { inner: SceneValidity::new(&mut checker), counts: Counts::default() };
    let Ok(plan) = algorithm.plan(&problem, &mut watched, &control) else {
        return Default::default();
    };
    let search = std::mem::take(&mut watched.counts);
    simplify(&plan.path, &SimplifyOptions::from(config), &mut watched, &control).unwrap();
    (search, watched.counts)
}

/// Passes questions on and counts them.
struct Watched<'a> {
    inner: SceneValidity<'a>,
    counts: Counts,
}

impl Validity for Watched<'_> {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.inner.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let began = Instant::now();
        let answer = self.inner.is_motion_valid(from, to);
        self.counts.us[2 + usize::from(!answer)] += began.elapsed().as_secs_f64() * 1e6;
        self.counts.proofs += 1;
        self.counts.proofs_refused += u64::from(!answer);
        answer
    }

    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let began = Instant::now();
        let answer = self.inner.motion_may_be_valid(from, to);
        self.counts.us[usize::from(!answer)] += began.elapsed().as_secs_f64() * 1e6;
        self.counts.quick += 1;
        self.counts.quick_refused += u64::from(!answer);
        answer
    }

    fn checks(&self) -> u64 {
        self.inner.checks()
    }

    fn free_fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        self.inner.free_fraction(from, to)
    }
}

fn print(robot: &str, all: &[Measured]) {
    let solved: Vec<&Measured> = all.iter().filter(|one| one.result.is_some()).collect();
    println!("{robot}: {} valid, {} solved; {}", all.len(), solved.len(), machine());
    for one in all.iter().filter(|one| one.result.is_none()) {
        println!("  unsolved: {} {} after {:.0} us", one.family, one.index, one.times[5]);
    }
    if solved.is_empty() {
        return;
    }
    let names = ["checker set-up", "start and goal", "search", "simplification", "proof", "whole call"];
    for (place, name) in names.into_iter().enumerate() {
        line(&format!("{name}, us"), solved.iter().map(|one| one.times[place]).collect());
    }
    let mut families: Vec<&str> = solved.iter().map(|one| one.family.as_str()).collect();
    families.dedup();
    for family in families {
        let mine = solved.iter().filter(|one| one.family == family);
        line(&format!("  whole call of {family}, us"), mine.map(|one| one.times[5]).collect());
    }
    let result =
        |value: fn(&PlanningResult) -> f64| solved.iter().filter_map(|one| one.result.as_ref()).map(value).collect();
    line("iterations", result(|result| result.iterations as f64));
    line("nodes", result(|result| result.tree_size as f64));
    line("configurations checked", result(|result| result.checks as f64));
    line("waypoints", result(|result| result.num_waypoints() as f64));
    line("raw length", result(|result| result.raw_length));
    line("length", result(|result| result.path_length));
    let parts: [(&str, fn(&Measured) -> &Counts); 2] =
        [("search", |one| &one.search), ("simplification", |one| &one.shortening)];
    for (part, counts) in parts {
        let each: [(&str, fn(&Counts) -> u64); 4] = [
            ("quick questions", |counts| counts.quick),
            ("of them refused", |counts| counts.quick_refused),
            ("proofs", |counts| counts.proofs),
            ("of them refused", |counts| counts.proofs_refused),
        ];
        for (name, count) in each {
            line(&format!("{part}: {name}"), solved.iter().map(|one| count(counts(one)) as f64).collect());
        }
        for (kind, name) in ["quick yes", "quick no", "proof yes", "proof no"].into_iter().enumerate() {
            line(&format!("{part}: {name}, us"), solved.iter().map(|one| counts(one).us[kind]).collect());
        }
    }
}

/// Mean, median and 95th percentile.
fn line(name: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let at = |part: f64| values[(part * (values.len() - 1) as f64) as usize];
    println!("  {name:<44} {mean:>12.2} {:>12.2} {:>12.2}", at(0.5), at(0.95));
}

fn write(robot: &str, all: &[Measured], folder: &std::path::Path) {
    let path = |one: &Measured| {
        let result = one.result.as_ref()?;
        let path = result.path.iter().map(<[f64]>::to_vec).collect();
        Some(SolvedPath { family: one.family.clone(), index: one.index, path })
    };
    let paths = all.iter().filter_map(path).collect();
    let report = Report { machine: machine(), robot: robot.to_owned(), rows: Vec::<Row>::new(), paths };
    write_paths(&report, &folder.join(format!("{robot}.json.gz"))).unwrap();
}
