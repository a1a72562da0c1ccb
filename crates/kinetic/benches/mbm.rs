//! Where the time of a planning call goes, on the problems of MotionBenchMaker with the sphere models that come with them.
//!
//!     cargo bench -p kinetic --bench mbm -- DATA [panda ur5 …] [--repeats 5] [--every 1] [--paths FOLDER]
//!         [--planner aorrtc] [--budget-ms 10] [--cylinders exact] [--model builtin] [--json]
//!
//! `DATA` is the folder that `kinetic bench mbm` takes. Every problem is planned some times, one after the other on one
//! core; its times are those of the quickest call. The counts are from another call, whose questions are watched.
//! `--every 8` takes every eighth problem only. `--budget-ms` is the time of one problem, which anytime planners use up. With
//! `--paths` the solved paths are written as `FOLDER/ROBOT.json.gz`, for judges.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench"
)]
#![allow(clippy::type_complexity, clippy::cast_sign_loss, reason = "tables of what is printed; places in lists")]

use std::path::PathBuf;
use std::time::Instant;

use kinetic::mbm::{Case, Cylinders, Model, Options, Report, Row, SolvedPath, cases, machine, write_paths};
use kinetic_core::{Goal, PlannerConfig, StopFlag};
use kinetic_planning::{
    LazyPlan, Planner, PlannerContext, PlanningResult, Problem, Query, SceneValidity, SimplifyOptions, Space, Validity,
    simplify,
};
use kinetic_scene::Margins;

/// What the command line asks for.
struct Asked {
    options: Options,
    robots: Vec<String>,
    repeats: usize,
    /// Every how many problems.
    step: usize,
    is_json: bool,
    /// Where paths are written.
    folder: Option<PathBuf>,
}

impl Asked {
    fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Self {
        let options = Options { seed: 0, ..Options::new("", "") };
        let mut asked = Self { options, robots: Vec::new(), repeats: 5, step: 1, is_json: false, folder: None };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_default();
            let options = &mut asked.options;
            match argument.as_str() {
                "--bench" => {}
                "--json" => asked.is_json = true,
                "--repeats" => asked.repeats = value().parse().unwrap(),
                "--every" => asked.step = value().parse().unwrap(),
                "--paths" => asked.folder = Some(PathBuf::from(value())),
                "--planner" => options.planner = value().parse().unwrap(),
                "--budget-ms" => options.timeout = 1e-3 * value().parse::<f64>().unwrap(),
                "--cylinders" => {
                    options.cylinders = one_of(&value(), [("vamp", Cylinders::Vamp), ("exact", Cylinders::Exact)]);
                }
                "--model" => options.model = one_of(&value(), [("given", Model::Given), ("builtin", Model::Builtin)]),
                _ if options.data.as_os_str().is_empty() => options.data = PathBuf::from(argument),
                _ => asked.robots.push(argument),
            }
        }
        if asked.robots.is_empty() {
            asked.robots = ["panda", "ur5", "fetch"].map(str::to_owned).to_vec();
        }
        asked
    }
}

fn main() {
    let asked = Asked::from_arguments(std::env::args().skip(1));
    if asked.options.data.as_os_str().is_empty() {
        eprintln!("nothing measured: give the folder of the MotionBenchMaker data");
        return;
    }
    for robot in &asked.robots {
        let options = Options { robot: robot.clone(), ..asked.options.clone() };
        let (base, problems) = cases(&options).unwrap();
        let valid = problems.iter().step_by(asked.step).filter(|case| case.is_valid);
        let measured: Vec<Measured> = valid.map(|case| measure(&base, case, asked.repeats)).collect();
        let show = if asked.is_json { print_json } else { print };
        show(robot, &measured);
        if let Some(folder) = &asked.folder {
            write(robot, &measured, folder);
        }
    }
}

fn one_of<T>(name: &str, known: [(&str, T); 2]) -> T {
    known.into_iter().find(|(known, _)| *known == name).unwrap().1
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
    /// The search once more, with the answers to its questions read from a list: samples, neighbours and trees.
    bare_search: f64,
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
    let (mut times, result) = quickest(&planner, case, repeats);
    set_up(&planner, case, repeats, &mut times);
    let (mut search, mut shortening, mut bare_search) = (Counts::default(), Counts::default(), f64::INFINITY);
    if result.is_some() {
        // The first call has compiled the scene.
        times[2] -= times[1];
        for _ in 0..repeats {
            let (searched, shortened, bare) = count(&planner, case);
            bare_search = bare_search.min(bare);
            search.keep_quickest(searched);
            shortening.keep_quickest(shortened);
        }
    }
    Measured { family: case.family.clone(), index: case.index, times, result, search, shortening, bare_search }
}

/// The times of the quickest call but for the first two, and what it found.
fn quickest(planner: &Planner, case: &Case, repeats: usize) -> ([f64; 6], Option<PlanningResult>) {
    let goal = Goal::joints(case.goal.clone());
    let (mut times, mut result) = ([f64::INFINITY; 6], None);
    for _ in 0..repeats {
        let control = planner.control(StopFlag::default());
        let began = Instant::now();
        let planned = planner.solve(Query::new(&case.start, &goal).with_control(&control)).map(|found| found.result);
        let total = began.elapsed().as_secs_f64() * 1e6;
        let Ok(planned) = planned else {
            times[5] = total;
            break;
        };
        if total < times[5] {
            times[2] = planned.planning_time * 1e6;
            times[3] = planned.simplification_time * 1e6;
            times[4] = planned.verification_time * 1e6;
            times[5] = total;
        }
        result = Some(planned);
    }
    (times, result)
}

/// The first two times: what the checker and its questions about the ends take.
fn set_up(planner: &Planner, case: &Case, repeats: usize, times: &mut [f64; 6]) {
    let margins = Margins::new(planner.config().collision_margin, planner.config().self_margin);
    for _ in 0..repeats {
        let began = Instant::now();
        let mut checker = case.scene.checker_within(&planner.group().name, margins, None).unwrap();
        times[0] = times[0].min(began.elapsed().as_secs_f64() * 1e6);
        let began = Instant::now();
        assert!(checker.is_free(&case.start) && checker.is_free(&case.goal));
        times[1] = times[1].min(began.elapsed().as_secs_f64() * 1e6);
    }
}

/// The same call in parts, watched.
fn count(planner: &Planner, case: &Case) -> (Counts, Counts, f64) {
    let config: &PlannerConfig = planner.config();
    let margins = Margins::new(config.collision_margin, config.self_margin);
    let mut checker = case.scene.checker_within(&planner.group().name, margins, None).unwrap();
    let space = Space::from_bounds(planner.chain().bounds()).unwrap();
    let goals = [case.goal.clone().into()];
    let problem = Problem::new(&space, &case.start, &goals, config.seed).unwrap();
    let spec = planner.planner_type().spec();
    let mut algorithm = (spec.build)(&PlannerContext::without_robot(config)).unwrap();
    let control = planner.control(StopFlag::default());
    let inner = SceneValidity::new(&mut checker);
    let mut watched = Watched { inner, counts: Counts::default(), said: Vec::new() };
    // As the planner does: proofs of a path that nobody hears of come after its simplification, if that can do without.
    for is_lazy in if spec.is_anytime { &[false][..] } else { &[true, false] } {
        let mut search = |validity: &mut dyn Validity| match is_lazy {
            true => algorithm.plan_lazily(&problem, validity, &control),
            false => algorithm.plan(&problem, validity, &control).map(LazyPlan::from),
        };
        let Ok(LazyPlan { unproven: plan }) = search(&mut watched) else {
            return Default::default();
        };
        let asked = std::mem::take(&mut watched.counts);
        let mut heard = Heard { said: std::mem::take(&mut watched.said).into_iter() };
        if simplify(&plan.path, &SimplifyOptions::from(config), &mut watched, &control).is_ok() {
            let began = Instant::now();
            search(&mut heard).unwrap();
            return (asked, watched.counts, began.elapsed().as_secs_f64() * 1e6);
        }
        (watched.counts, watched.said) = Default::default();
    }
    panic!("a proven path is refused");
}

/// Gives the answers that another validity gave to the same questions.
struct Heard {
    said: std::vec::IntoIter<f64>,
}

impl Validity for Heard {
    fn is_valid(&mut self, _: &[f64]) -> bool {
        self.said.next() == Some(1.0)
    }

    fn is_motion_valid(&mut self, _: &[f64], _: &[f64]) -> bool {
        self.said.next() == Some(1.0)
    }

    fn motion_may_be_valid(&mut self, _: &[f64], _: &[f64]) -> bool {
        self.said.next() == Some(1.0)
    }

    fn checks(&self) -> u64 {
        0
    }

    fn free_fraction(&mut self, _: &[f64], _: &[f64]) -> f64 {
        self.said.next().unwrap_or_default()
    }
}

impl Counts {
    /// Of two runs with the same questions, the shorter times.
    fn keep_quickest(&mut self, other: Self) {
        let is_first = self.quick + self.proofs == 0;
        for (kept, new) in self.us.iter_mut().zip(other.us) {
            *kept = if is_first { new } else { kept.min(new) };
        }
        *self = Self { us: self.us, ..other };
    }
}

/// Passes questions on and counts them.
struct Watched<'a> {
    inner: SceneValidity<'a>,
    counts: Counts,
    /// The answers, in order; yes is 1.
    said: Vec<f64>,
}

impl Validity for Watched<'_> {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        let answer = self.inner.is_valid(q);
        self.said.push(f64::from(u8::from(answer)));
        answer
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let began = Instant::now();
        let answer = self.inner.is_motion_valid(from, to);
        self.counts.us[2 + usize::from(!answer)] += began.elapsed().as_secs_f64() * 1e6;
        self.said.push(f64::from(u8::from(answer)));
        self.counts.proofs += 1;
        self.counts.proofs_refused += u64::from(!answer);
        answer
    }

    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let began = Instant::now();
        let answer = self.inner.motion_may_be_valid(from, to);
        self.counts.us[usize::from(!answer)] += began.elapsed().as_secs_f64() * 1e6;
        self.said.push(f64::from(u8::from(answer)));
        self.counts.quick += 1;
        self.counts.quick_refused += u64::from(!answer);
        answer
    }

    fn checks(&self) -> u64 {
        self.inner.checks()
    }

    fn free_fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        let began = Instant::now();
        let answer = self.inner.free_fraction(from, to);
        self.counts.us[usize::from(answer < 1.0)] += began.elapsed().as_secs_f64() * 1e6;
        self.said.push(answer);
        self.counts.quick += 1;
        self.counts.quick_refused += u64::from(answer < 1.0);
        answer
    }
}

/// Means over the solved problems: where the time goes, µs, and how often what is asked.
fn print_json(robot: &str, all: &[Measured]) {
    let solved: Vec<&Measured> = all.iter().filter(|one| one.result.is_some()).collect();
    let mean = |value: &dyn Fn(&Measured) -> f64| {
        solved.iter().map(|one| value(one)).sum::<f64>() / solved.len().max(1) as f64
    };
    let asked = |counts: &Counts| (counts.us[0] + counts.us[1], counts.us[2] + counts.us[3]);
    let times = serde_json::json!({
        "set-up of the checker": mean(&|one| one.times[0] + one.times[1]),
        "search: samples, neighbours, trees": mean(&|one| one.bare_search),
        "search: questions about edges": mean(&|one| asked(&one.search).0),
        "search: proofs": mean(&|one| asked(&one.search).1),
        "simplification: questions about edges": mean(&|one| asked(&one.shortening).0),
        "simplification: proofs": mean(&|one| asked(&one.shortening).1),
        "simplification: the rest":
            mean(&|one| (one.times[3] - asked(&one.shortening).0 - asked(&one.shortening).1).max(0.0)),
        "last proof": mean(&|one| one.times[4]),
        "whole call": mean(&|one| one.times[5]),
    });
    let counts = serde_json::json!({
        "iterations": mean(&|one| one.result.as_ref().map_or(0.0, |result| result.iterations as f64)),
        "nodes": mean(&|one| one.result.as_ref().map_or(0.0, |result| result.tree_size as f64)),
        "questions": mean(&|one| (one.search.quick + one.shortening.quick) as f64),
        "refused": mean(&|one| (one.search.quick_refused + one.shortening.quick_refused) as f64),
        "proofs": mean(&|one| (one.search.proofs + one.shortening.proofs) as f64),
    });
    let lengths =
        solved.iter().filter_map(|one| one.result.as_ref()).map(|result| result.path_length).collect::<Vec<_>>();
    println!(
        "{}",
        serde_json::json!({
            "robot": robot, "valid": all.len(), "solved": solved.len(), "us": times, "counts": counts, "lengths": lengths
        })
    );
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
    print_times(&solved);
    print_results(&solved);
    print_questions("search", &solved, |one| &one.search);
    print_questions("simplification", &solved, |one| &one.shortening);
}

fn print_times(solved: &[&Measured]) {
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
}

fn print_results(solved: &[&Measured]) {
    let result =
        |value: fn(&PlanningResult) -> f64| solved.iter().filter_map(|one| one.result.as_ref()).map(value).collect();
    line("iterations", result(|result| result.iterations as f64));
    line("nodes", result(|result| result.tree_size as f64));
    line("configurations checked", result(|result| result.checks as f64));
    line("waypoints", result(|result| result.num_waypoints() as f64));
    line("raw length", result(|result| result.raw_length));
    line("length", result(|result| result.path_length));
}

fn print_questions(part: &str, solved: &[&Measured], counts: fn(&Measured) -> &Counts) {
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
