//! What do a nearest neighbour, a sample, an iteration, a plan and its simplification cost, apart from collision checks?
//!
//! The validity is a handful of balls in seven dimensions, so that the planner's own work shows.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, JointValues, StopFlag, SystemClock};
use kinetic_planning::nearest::NearestNeighbors;
use kinetic_planning::{
    Algorithm, Problem, RrtConnect, RrtConnectConfig, Sampler, SamplerKind, SimplifyOptions, Space, Validity, simplify,
};

const DOF: usize = 7;

fn space() -> Space {
    Space::new(vec![-2.9; DOF], vec![2.9; DOF]).expect("bounds in order")
}

/// Balls; a segment is decided by its nearest point to each centre.
struct Balls {
    balls: Vec<([f64; DOF], f64)>,
    checks: u64,
}

impl Balls {
    fn new(count: usize) -> Self {
        let mut rng = SeededRng::new(11);
        let mut balls = vec![([0.0; DOF], 2.0)];
        balls.extend((1..count).map(|_| ([(); DOF].map(|()| rng.uniform(-2.0, 2.0)), rng.uniform(0.5, 1.2))));
        Self { balls, checks: 0 }
    }
}

impl Validity for Balls {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.is_motion_valid(q, q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.checks += 1;
        self.balls.iter().all(|(centre, radius)| {
            let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
            for i in 0..DOF {
                let (step, offset) = (to[i] - from[i], from[i] - centre[i]);
                a += step * step;
                b += step * offset;
                c += offset * offset;
            }
            let t = if a > 0.0 { (-b / a).clamp(0.0, 1.0) } else { 0.0 };
            c + t * (2.0 * b + t * a) > radius * radius
        })
    }

    fn checks(&self) -> u64 {
        self.checks
    }
}

/// Refuses every motion: what remains is sampling, nearest neighbour and the dynamic domain.
struct Nothing;

impl Validity for Nothing {
    fn is_valid(&mut self, _: &[f64]) -> bool {
        true
    }

    fn is_motion_valid(&mut self, _: &[f64], _: &[f64]) -> bool {
        false
    }

    fn checks(&self) -> u64 {
        0
    }
}

/// Nodes that grew from one another, as in a search, and uniform queries.
fn grown(space: &Space, count: usize, tree_from: usize) -> (NearestNeighbors, Vec<[f64; DOF]>) {
    let mut rng = SeededRng::new(1);
    let mut nodes = NearestNeighbors::with_tree_from(tree_from);
    nodes.reset(space);
    let mut q = [0.0; DOF];
    let mut points = vec![q];
    for _ in 0..count {
        let from = points[rng.below(points.len())];
        q = from.map(|value| (value + rng.uniform(-0.4, 0.4)).clamp(-2.9, 2.9));
        nodes.insert(space, &q);
        points.push(q);
    }
    let queries = (0..64).map(|_| {
        space.sample_uniform(&mut rng, &mut q);
        q
    });
    (nodes, queries.collect())
}

fn nearest(c: &mut Criterion) {
    let space = space();
    let mut group = c.benchmark_group("nearest/7d");
    for (name, tree_from) in [("scan", usize::MAX), ("tree", 0)] {
        for count in [64, 1_024, 2_048, 4_096, 16_384, 65_536] {
            let (mut nodes, queries) = grown(&space, count, tree_from);
            let mut next = 0;
            group.bench_function(BenchmarkId::new(name, count), |b| {
                b.iter(|| {
                    next = (next + 1) % queries.len();
                    nodes.nearest(&space, black_box(&queries[next]))
                });
            });
        }
    }
    group.finish();
}

fn sample(c: &mut Criterion) {
    for (name, kind) in [("halton", SamplerKind::Halton), ("random", SamplerKind::Random)] {
        let mut sampler = Sampler::new(kind, &space(), 1);
        let mut q = [0.0; DOF];
        c.bench_function(&format!("sample/7d/{name}"), |b| {
            b.iter(|| {
                sampler.next_into(black_box(&mut q));
                q[0]
            });
        });
    }
}

fn rejected_iterations(c: &mut Criterion) {
    let space = space();
    let (start, goals): (_, [JointValues; 1]) = ([-2.0; DOF], [[2.0; DOF].into()]);
    let problem = Problem::new(&space, &start, &goals, 1).expect("a problem");
    let config = RrtConnectConfig { radius: 0.5, min_radius: 0.5, ..RrtConnectConfig::default() };
    let mut planner = RrtConnect::new(config).expect("options in their domains");
    c.bench_function("rrt_connect/7d/1000_rejected_iterations", |b| {
        b.iter(|| {
            let control = Control::new(Arc::new(SystemClock::default()), 1e9, 1_000, StopFlag::default());
            planner.plan(&problem, &mut Nothing, &control).is_err()
        });
    });
}

fn plan_and_simplify(c: &mut Criterion) {
    let space = space();
    let (start, goals): (_, [JointValues; 1]) = ([-1.6; DOF], [[1.6; DOF].into()]);
    let control = Control::default();
    let mut planner = RrtConnect::default();
    let mut seed = 0;
    c.bench_function("rrt_connect/7d/40_balls", |b| {
        b.iter(|| {
            seed = (seed + 1) % 64;
            let problem = Problem::new(&space, &start, &goals, seed).expect("a problem");
            planner.plan(&problem, &mut Balls::new(40), &control).expect("a plan").path.len()
        });
    });
    let mut balls = Balls::new(40);
    let paths: Vec<_> = (0..64)
        .map(|seed| {
            let problem = Problem::new(&space, &start, &goals, seed).expect("a problem");
            planner.plan(&problem, &mut balls, &control).expect("a plan").path
        })
        .collect();
    for (name, shortcut_iterations) in [("corners_only", 0), ("default", 100)] {
        let options = SimplifyOptions { shortcut_iterations, ..SimplifyOptions::default() };
        c.bench_function(&format!("simplify/7d/40_balls/{name}"), |b| {
            b.iter(|| {
                seed = (seed + 1) % 64;
                simplify(&paths[seed as usize], &options, &mut balls, &control).expect("a path").length
            });
        });
    }
}

criterion_group!(benches, nearest, sample, rejected_iterations, plan_and_simplify);
criterion_main!(benches);
