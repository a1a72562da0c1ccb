#![allow(warnings)]
use kinetic::mbm::*;
use kinetic_core::*;
use kinetic_planning::{simplify, *};
use kinetic_scene::Margins;
#[derive(Default, Clone, Copy, Debug)]
struct C {
    q: u64,
    r: u64,
    p: u64,
    pr: u64,
}
struct W<'a> {
    inner: SceneValidity<'a>,
    c: C,
}
impl Validity for W<'_> {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.inner.is_valid(q)
    }
    fn is_motion_valid(&mut self, a: &[f64], b: &[f64]) -> bool {
        let x = self.inner.is_motion_valid(a, b);
        self.c.p += 1;
        self.c.pr += !x as u64;
        x
    }
    fn motion_may_be_valid(&mut self, a: &[f64], b: &[f64]) -> bool {
        let x = self.inner.motion_may_be_valid(a, b);
        self.c.q += 1;
        self.c.r += !x as u64;
        x
    }
    fn checks(&self) -> u64 {
        self.inner.checks()
    }
    fn free_fraction(&mut self, a: &[f64], b: &[f64]) -> f64 {
        self.inner.free_fraction(a, b)
    }
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seeds: u64 = args[0].parse().unwrap();
    let every: usize = args[1].parse().unwrap();
    for robot in &args[2..] {
        let options = Options { seed: 0, robot: robot.clone(), ..Options::new("/work/shared/bench/mbm", "") };
        let (base, problems) = cases(&options).unwrap();
        let mut rows: Vec<(f64, f64, f64, f64)> = vec![];
        let mut fails = 0;
        for case in problems.iter().filter(|c| c.is_valid).step_by(every) {
            let planner = base.clone().with_scene(&case.scene).unwrap();
            let config = planner.config();
            let margins = Margins::new(config.collision_margin, config.self_margin);
            let mut checker = case.scene.checker_within(&planner.group().name, margins, None).unwrap();
            let space = Space::from_bounds(planner.chain().bounds()).unwrap();
            let goals = [case.goal.clone().into()];
            for seed in 0..seeds {
                let problem = Problem::new(&space, &case.start, &goals, seed).unwrap();
                let mut algorithm: Box<dyn Algorithm> = (planner.planner_type().spec().build)(config).unwrap();
                let control = Control::new(
                    std::sync::Arc::new(SystemClock::default()),
                    f64::INFINITY,
                    100_000,
                    StopFlag::default(),
                );
                let mut w = W { inner: SceneValidity::new(&mut checker), c: C::default() };
                let Ok(plan) = algorithm.plan(&problem, &mut w, &control) else {
                    fails += 1;
                    rows.push((w.c.q as f64, 1e5, 0.0, w.c.p as f64));
                    continue;
                };
                let s = w.c;
                let path =
                    simplify(&plan.path, &SimplifyOptions { seed, ..SimplifyOptions::from(config) }, &mut w, &control)
                        .unwrap()
                        .path;
                rows.push((s.q as f64, plan.iterations as f64, space.path_length(&path), w.c.p as f64));
            }
        }
        let mut q: Vec<f64> = rows.iter().map(|r| r.0).collect();
        q.sort_by(f64::total_cmp);
        let n = q.len() as f64;
        let at = |f: f64| q[((n - 1.0) * f) as usize];
        let m = |g: &dyn Fn(&(f64, f64, f64, f64)) -> f64| rows.iter().map(g).sum::<f64>() / n;
        println!(
            "{robot:7} n {n} quick mean {:.1} median {} p90 {} p99 {} max {} | iter {:.1} | len {:.3} | proofs {:.1} | fails {fails}",
            m(&|r| r.0),
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0),
            m(&|r| r.1),
            m(&|r| r.2),
            m(&|r| r.3)
        );
    }
}
