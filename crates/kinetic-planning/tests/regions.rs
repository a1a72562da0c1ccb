//! Convex regions, and paths through them: against exact regions, visibility graphs and independent samples.

use std::sync::Arc;

use kinetic_core::error::reason;
use kinetic_core::rng::SeededRng;
use kinetic_core::{
    Control, Goal, KineticError, ManualClock, Minimise, PlannerConfig, Pose, Result, Shape, StopFlag, Trajectory,
};
use kinetic_planning::{
    Algorithm, ConvexDecomposition, ConvexRegion, Gcs, IrisOptions, Plan, Planner, PlannerType, Problem, RegionSeeds,
    RrtConnect, Space, Validity,
};
use kinetic_robot::Robot;
use kinetic_scene::Scene;

use crate::cases;
use crate::shortest::visibility_graph_in;
use crate::worlds::{BUDGET, Query, Witness, World, balls, boxed, cube, iterations, problem_set};

const ROUGH: IrisOptions =
    IrisOptions { collision_fraction: 0.05, confidence: 0.95, margin: 0.01, iterations: 5, least_growth: 0.3 };

fn grow_in(
    world: &World,
    space: &Space,
    seeds: &RegionSeeds<'_>,
    options: &IrisOptions,
    control: &Control,
) -> Result<ConvexDecomposition> {
    let new_validity = || -> Box<dyn Validity> { Box::new(world.clone()) };
    ConvexDecomposition::grow(space, seeds, options, &mut RrtConnect::default(), &new_validity, control)
}

fn grown(query: &Query, count: usize, options: &IrisOptions, rng_seed: u64) -> ConvexDecomposition {
    let stated = [query.start.clone(), query.goals[0].to_vec()];
    let seeds = RegionSeeds { stated: &stated, count, rng_seed };
    grow_in(&query.world, &query.space, &seeds, options, &Control::default()).unwrap()
}

fn plan(query: &Query, regions: &ConvexDecomposition, validity: &mut dyn Validity) -> Result<Plan> {
    let problem = Problem::new(&query.space, &query.start, &query.goals, 1)?;
    Gcs::new(regions).plan(&problem, validity, &iterations(BUDGET))
}

/// The rectangle between two corners.
fn rectangle(low: [f64; 2], high: [f64; 2]) -> ConvexRegion {
    let normals = [2.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -0.5];
    ConvexRegion::from_faces(2, &normals, &[2.0 * high[0], high[1], -low[0], -0.5 * low[1]]).unwrap()
}

/// Walls across a square, each with so many gaps; the exact regions between and in them, and the length of the shortest path in a norm.
fn walls(rng: &mut SeededRng, gaps: usize, norm: fn(f64, f64) -> f64) -> (Query, ConvexDecomposition, f64) {
    let (mut boxes, mut regions, mut left) = (Vec::new(), Vec::new(), -3.0);
    for column in 0..4 {
        let x = -1.8 + f64::from(column) * 1.2;
        regions.push(rectangle([left, -3.0], [x - 0.1, 3.0]));
        left = x + 0.1;
        let mut low = -4.0;
        for gap in 0..gaps {
            let (band, part) = (6.0 / gaps as f64, gap as f64);
            let middle = rng.uniform(-3.0 + part * band + 0.35, -3.0 + (part + 1.0) * band - 0.35);
            boxes.push(([x - 0.1, low], [x + 0.1, middle - 0.3]));
            low = middle + 0.3;
            regions.push(rectangle([x - 0.2, middle - 0.3], [x + 0.2, middle + 0.3]));
        }
        boxes.push(([x - 0.1, low], [x + 0.1, 4.0]));
    }
    regions.push(rectangle([left, -3.0], [3.0, 3.0]));
    let ends = [[-2.8, rng.uniform(-2.5, 2.5)], [2.8, rng.uniform(-2.5, 2.5)]];
    let shortest = visibility_graph_in(&boxes, ends, 3.0, norm).unwrap();
    let world = World::new(boxes.iter().map(|(low, high)| boxed(low, high)).collect());
    let (space, [start, goal]) = (cube(2, 3.0), ends.map(|end| end.to_vec()));
    let regions = ConvexDecomposition::from_regions(&space, regions, &Control::default()).unwrap();
    (Query { name: "walls", space, world, start, goals: vec![goal.into()] }, regions, shortest)
}

#[test]
fn in_exact_regions_paths_are_the_shortest_there_are() {
    for gaps in [1, 2, 3] {
        for seed in 0..cases(20, 200) {
            let (query, regions, shortest) = walls(&mut SeededRng::new(100 * seed + gaps as u64), gaps, f64::hypot);
            let found = plan(&query, &regions, &mut query.world.clone())
                .unwrap_or_else(|error| panic!("{gaps} {seed}: {error}"));
            let length = query.space.path_length(&found.path);
            let case = format!("{gaps} gaps, seed {seed}: {length}, shortest {shortest}");
            query.world.assert_path_is_clear(&found.path, &case);
            assert!(length >= shortest - 1e-6, "{case}");
            // Through one chain the path is the shortest. Which chain, the lengths between overlaps say, which are not those of paths.
            let bound = if gaps == 1 { 1.01 } else { 1.03 };
            assert!(length <= bound * shortest, "{case}");
        }
    }
}

/// The relaxation bounds the shortest path from below, and chains that its flow is rounded to are the shortest ones.
#[test]
fn in_exact_regions_the_relaxation_bounds_and_finds_the_shortest_path() {
    let (mut shares, mut exact) = (Vec::new(), 0);
    for gaps in [1, 2, 3, 4] {
        for seed in 0..cases(20, 200) {
            let (query, regions, shortest) = walls(&mut SeededRng::new(100 * seed + gaps as u64), gaps, f64::hypot);
            let problem = Problem::new(&query.space, &query.start, &query.goals, 1).unwrap();
            let mut planner = Gcs::new(&regions).with_relaxation(true);
            let found = planner.plan(&problem, &mut query.world.clone(), &iterations(BUDGET)).unwrap();
            let (length, bound) = (query.space.path_length(&found.path), found.lower_bound.unwrap());
            let case = format!("{gaps} gaps, seed {seed}: bound {bound}, {length}, shortest {shortest}");
            query.world.assert_path_is_clear(&found.path, &case);
            assert!(bound <= shortest + 1e-5 && length >= shortest - 1e-6, "{case}");
            assert!(length <= 1.01 * shortest, "{case}");
            shares.push(bound / shortest);
            exact += usize::from(bound > (1.0 - 1e-6) * shortest);
        }
    }
    // A flow that is split between gaps above and below another is shorter than either of its paths: most bounds are within a tenth of
    // the shortest path, and where one gap is passed after the other the bound is that path.
    shares.sort_by(f64::total_cmp);
    assert!(shares[shares.len() / 4] > 0.9 && 4 * exact > shares.len(), "{exact} of {shares:?}");
}

/// Whenever the budget ends: without a path that is an error, without a bound none is said, and bounds on the way hold.
#[test]
fn a_relaxation_ends_with_its_control() {
    let (query, regions, shortest) = walls(&mut SeededRng::new(3), 4, f64::hypot);
    let problem = Problem::new(&query.space, &query.start, &query.goals, 1).unwrap();
    let mut seen = [0; 3];
    for readings in (0..12).map(|power| f64::from(1_u32 << power)) {
        let clock = Arc::new(ManualClock::with_step(1_000));
        let control = Control::new(clock, 1e-6 * readings, u64::MAX, StopFlag::default());
        let found = Gcs::new(&regions).with_relaxation(true).plan(&problem, &mut query.world.clone(), &control);
        match found.map(|plan| plan.lower_bound) {
            Err(KineticError::PlanningTimeout { .. }) => seen[0] += 1,
            Ok(None) => seen[1] += 1,
            Ok(Some(bound)) => {
                assert!(bound <= shortest + 1e-5, "{bound}, shortest {shortest}");
                seen[2] += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

/// Limits of velocity of two joints, and the time that a step takes under them.
const VELOCITY_LIMITS: [f64; 2] = [1.0, 0.4];

fn duration(dx: f64, dy: f64) -> f64 {
    (dx.abs() / VELOCITY_LIMITS[0]).max(dy.abs() / VELOCITY_LIMITS[1])
}

#[test]
fn under_velocity_limits_paths_take_the_least_time_there_is() {
    let (mut gained, mut excess, mut paths): (f64, f64, f64) = (1.0, 0.0, 0.0);
    for gaps in [1, 2, 3] {
        for seed in 0..cases(20, 200) {
            let (query, regions, shortest) = walls(&mut SeededRng::new(100 * seed + gaps as u64), gaps, duration);
            let problem = Problem::new(&query.space, &query.start, &query.goals, 1).unwrap();
            let planned = |planner: Gcs| {
                let mut planner = planner.with_relaxation(true);
                planner.plan(&problem, &mut query.world.clone(), &iterations(BUDGET)).unwrap()
            };
            let found = planned(Gcs::new(&regions).with_velocity_limits(&VELOCITY_LIMITS).unwrap());
            let takes =
                |plan: &Plan| plan.path.segments().map(|(a, b)| duration(b[0] - a[0], b[1] - a[1])).sum::<f64>();
            let (time, bound) = (takes(&found), found.lower_bound.unwrap());
            let case = format!("{gaps} gaps, seed {seed}: bound {bound}, {time}, shortest {shortest}");
            query.world.assert_path_is_clear(&found.path, &case);
            assert!(bound <= shortest + 1e-5 && time >= shortest - 1e-6, "{case}");
            // Of both corners of each of four walls paths keep 0.01 away: to such a place and on from it takes longer by twice the time
            // between both at most.
            assert!(time <= shortest + 16.0 * duration(0.01, 0.01), "{case}");
            (excess, paths) = (excess + time / shortest - 1.0, paths + 1.0);
            gained = gained.max(takes(&planned(Gcs::new(&regions))) / time);
        }
    }
    assert!(excess <= 0.008 * paths, "{} in the mean", excess / paths);
    assert!(gained > 1.02, "shortest paths take the least time, too: {gained}");
}

#[test]
fn grown_regions_lead_through_the_problem_set() {
    for query in problem_set() {
        // Walls in two and three dimensions are thin: regions of which one per cent may collide span them.
        let collision_fraction = if query.space.dof() < 4 { 0.002 } else { 0.01 };
        let regions = grown(&query, 16, &IrisOptions { collision_fraction, ..ROUGH }, 1);
        let mut validity = Witness::new(query.world.clone());
        let found = plan(&query, &regions, &mut validity).unwrap_or_else(|error| panic!("{}: {error}", query.name));
        validity.assert_proven(&found.path, query.name);
        assert_eq!(found.path.positions(0), query.start, "{}", query.name);
        let last = found.path.positions(found.path.len() - 1);
        assert!(query.space.distance(last, &query.goals[0]) < 1e-12, "{}: {last:?}", query.name);
        assert_eq!((found.goal_index, found.planner_used), (0, "gcs"));
        assert_eq!(found, plan(&query, &regions, &mut Witness::new(query.world.clone())).unwrap(), "{}", query.name);
    }
}

/// The fraction of a region that collides, from uniform samples of the box around it that are in the region.
fn colliding(region: &ConvexRegion, space: &Space, world: &World, rng: &mut SeededRng) -> f64 {
    let samples = region.sample(2_000, 5, &Control::default()).unwrap();
    let bound = |joint: usize, pick: fn(f64, f64) -> f64, start: f64| {
        samples.chunks_exact(space.dof()).map(|q| q[joint]).fold(start, pick)
    };
    // The box around hit-and-run samples, and half as much again on each side.
    let sides: Vec<(f64, f64)> = (0..space.dof())
        .map(|joint| {
            let (low, high) = (bound(joint, f64::min, f64::INFINITY), bound(joint, f64::max, f64::NEG_INFINITY));
            let more = 0.5 * (high - low);
            ((low - more).max(space.lower()[joint]), (high + more).min(space.upper()[joint]))
        })
        .collect();
    let (mut inside, mut refused) = (0_u32, 0_u32);
    while inside < 4_000 {
        let q: Vec<f64> = sides.iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
        if region.contains(&q).unwrap() {
            inside += 1;
            refused += u32::from(!world.is_clear(&q, 0.0));
        }
    }
    f64::from(refused) / f64::from(inside)
}

#[test]
fn few_regions_have_more_collisions_than_claimed() {
    let mut rng = SeededRng::new(12);
    let (mut regions, mut worse) = (0_u32, 0_u32);
    for seed in 0..cases(6, 60) {
        let dof = 2 + usize::try_from(seed % 3).unwrap();
        let world = balls(dof, 12, seed);
        let (space, options) = (cube(dof, 3.0), IrisOptions { collision_fraction: 0.02, ..ROUGH });
        let seeds = RegionSeeds { stated: &[], count: 5, rng_seed: seed };
        let found = grow_in(&world, &space, &seeds, &options, &Control::default()).unwrap();
        assert_eq!(found.regions().len(), 5, "seed {seed}");
        for region in found.regions() {
            assert!(world.is_clear(region.seed(), 0.0) && region.contains(region.seed()).unwrap());
            regions += 1;
            worse += u32::from(colliding(region, &space, &world, &mut rng) > options.collision_fraction);
        }
    }
    // One in twenty may be worse; of so few regions more than one in eight are so with a probability below 2 %.
    assert!(8 * worse <= regions, "{worse} of {regions} regions");
}

#[test]
fn the_same_seed_grows_the_same_regions_and_files_keep_them() {
    let query = &problem_set()[2];
    let regions = grown(query, 12, &ROUGH, 7);
    let bytes = regions.to_bytes();
    assert_eq!(bytes, grown(query, 12, &ROUGH, 7).to_bytes());
    assert_ne!(bytes, grown(query, 12, &ROUGH, 8).to_bytes());
    let read = ConvexDecomposition::from_bytes(&bytes, "regions").unwrap();
    assert_eq!((read.to_bytes(), read.regions()), (bytes.clone(), regions.regions()));
    assert!(read.overlaps().eq(regions.overlaps()) && read.options() == Some(&ROUGH));
    let elsewhere =
        ConvexDecomposition::from_regions(&query.space, regions.regions().to_vec(), &Control::default()).unwrap();
    let read = ConvexDecomposition::from_bytes(&elsewhere.to_bytes(), "regions").unwrap();
    assert_eq!((read.options(), read.regions()), (None, regions.regions()));
    for place in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        let refused = ConvexDecomposition::from_bytes(&damaged, "regions");
        assert!(matches!(refused, Err(KineticError::FileParse { .. })), "byte {place}");
        let refused = ConvexDecomposition::from_bytes(&bytes[..place], "regions");
        assert!(matches!(refused, Err(KineticError::FileParse { .. })), "{place} bytes");
    }
}

fn name_of<T>(refused: Result<T>) -> String {
    match refused {
        Err(
            KineticError::InvalidValue { name, .. }
            | KineticError::NotFinite { context: name, .. }
            | KineticError::DimensionMismatch { context: name, .. },
        ) => name,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was accepted"),
    }
}

#[test]
fn what_is_asked_of_regions_has_its_domain() {
    let query = &problem_set()[1];
    let grow = |stated: &[Vec<f64>], count, options: IrisOptions| {
        let seeds = RegionSeeds { stated, count, rng_seed: 0 };
        grow_in(&query.world, &query.space, &seeds, &options, &Control::default())
    };
    assert_eq!(name_of(grow(&[], 0, ROUGH)), "number of regions");
    assert_eq!(name_of(grow(&[], 1001, ROUGH)), "number of regions");
    assert_eq!(name_of(grow(&[query.start.clone(), query.start.clone()], 1, ROUGH)), "number of regions");
    assert_eq!(name_of(grow(&[vec![0.0, -1.0]], 1, ROUGH)), "seed 0");
    assert_eq!(name_of(grow(&[query.start.clone(), vec![f64::NAN, 0.0]], 2, ROUGH)), "seed 1");
    for (name, options) in [
        ("collision_fraction", IrisOptions { collision_fraction: 0.0, ..ROUGH }),
        ("collision_fraction", IrisOptions { collision_fraction: 1.0, ..ROUGH }),
        ("collision_fraction", IrisOptions { collision_fraction: f64::NAN, ..ROUGH }),
        ("confidence", IrisOptions { confidence: 1.0, ..ROUGH }),
        ("margin", IrisOptions { margin: -0.1, ..ROUGH }),
        ("least_growth", IrisOptions { least_growth: f64::INFINITY, ..ROUGH }),
        ("iterations", IrisOptions { iterations: 0, ..ROUGH }),
    ] {
        assert_eq!(name_of(grow(&[], 1, options)), name);
    }
    let square = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0];
    let faces = |normals: &[f64], offsets: &[f64]| ConvexRegion::from_faces(2, normals, offsets);
    assert_eq!(name_of(ConvexRegion::from_faces(0, &[], &[])), "joints of a region");
    assert_eq!(name_of(faces(&square[..7], &[1.0; 4])), "normals of a region");
    assert_eq!(name_of(faces(&square, &[1.0, 1.0, f64::NAN, 1.0])), "offsets of a region");
    assert_eq!(name_of(faces(&[0.0; 2], &[1.0])), "normal of face 0");
    assert_eq!(name_of(faces(&square[..4], &[1.0; 2])), "faces of a region", "unbounded");
    assert_eq!(name_of(faces(&square, &[1.0, 1.0, -1.0, 1.0])), "faces of a region", "flat");
    assert_eq!(
        name_of(ConvexDecomposition::from_regions(&query.space, Vec::new(), &Control::default())),
        "number of regions"
    );
    let one = faces(&square, &[1.0; 4]).unwrap();
    assert_eq!(
        name_of(ConvexDecomposition::from_regions(&cube(3, 1.0), vec![one.clone()], &Control::default())),
        "joints of region 0"
    );
    let outside = faces(&square, &[6.0, 1.0, -5.0, 1.0]).unwrap();
    assert_eq!(
        name_of(ConvexDecomposition::from_regions(&cube(2, 3.0), vec![outside], &Control::default())),
        "region 0"
    );
    assert_eq!(name_of(one.contains(&[0.0])), "configuration");
    assert_eq!(name_of(one.sample(20_000_000, 0, &Control::default())), "number of samples");
    assert!(one.contains(&[1.0, -1.0]).unwrap() && !one.contains(&[1.0 + 1e-9, 0.0]).unwrap());
}

/// Regression 50: paths through regions that reach beyond the joint limits left these.
#[test]
fn what_of_a_region_is_outside_the_limits_is_cut_off_and_what_is_inside_stays() {
    let (space, control) = (cube(2, 2.0), Control::default());
    let square = [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0];
    let region = |offsets: [f64; 4]| ConvexRegion::from_faces(2, &square, &offsets).unwrap();
    let slanted = ConvexRegion::from_faces(2, &[1.0, 1.0, -1.0, 0.3, 0.2, -1.0], &[1.5, 1.4, 1.2]).unwrap();
    let inside = [region([1.0; 4]), region([2.0; 4]), slanted];
    let kept = ConvexDecomposition::from_regions(&space, inside.to_vec(), &control).unwrap();
    assert_eq!(kept.regions()[..2], inside[..2]);
    let mut rng = SeededRng::new(4);
    for cut in [region([2.0, 2.0, 20.0, 2.0]), region([2.5, -1.0, 1.0, 9.0]), inside[2].clone()] {
        let decomposition = ConvexDecomposition::from_regions(&space, vec![cut.clone()], &control).unwrap();
        let found = &decomposition.regions()[0];
        for _ in 0..2_000 {
            let q = [rng.uniform(-4.0, 4.0), rng.uniform(-4.0, 4.0)];
            let is_in = cut.contains(&q).unwrap() && q.iter().all(|value| value.abs() <= 2.0);
            assert_eq!(found.contains(&q).unwrap(), is_in, "{q:?}");
        }
        assert!(found.seed().iter().all(|value| value.abs() < 2.0));
    }
}

#[test]
fn regions_grow_around_seeds_on_their_limits_and_nowhere_where_nothing_is_free() {
    let (space, options) = (cube(2, 3.0), IrisOptions { collision_fraction: 0.01, ..ROUGH });
    let grow = |world: &World, stated: &[Vec<f64>]| {
        let seeds = RegionSeeds { stated, count: 8, rng_seed: 0 };
        grow_in(world, &space, &seeds, &options, &Control::default())
    };
    let corners = [vec![3.0, -3.0], vec![-3.0, 3.0]];
    let world = World::new(vec![boxed(&[-0.2, -4.0], &[0.2, 1.0])]);
    let found = grow(&world, &corners).unwrap();
    for corner in &corners {
        assert!(found.regions().iter().any(|region| region.contains(corner).unwrap()), "{corner:?}");
    }
    let query = Query { name: "corners", space: space.clone(), world, start: corners[0].clone(), goals: vec![] };
    let goals = [corners[1].clone().into()];
    let problem = Problem::new(&space, &query.start, &goals, 0).unwrap();
    let path = Gcs::new(&found).plan(&problem, &mut query.world.clone(), &iterations(BUDGET)).unwrap().path;
    query.world.assert_path_is_clear(&path, query.name);
    let full = World::new(vec![boxed(&[-4.0, -4.0], &[4.0, 4.0])]);
    assert_eq!(name_of(grow(&full, &[])), "seeds");
}

/// Two rooms without a door: regions stay apart, and growth ends.
#[test]
fn what_nothing_connects_stays_apart() {
    let world = World::new(vec![boxed(&[-0.2, -4.0], &[0.2, 4.0])]);
    let query =
        Query { name: "rooms", space: cube(2, 3.0), world, start: vec![-1.0, 0.0], goals: vec![[1.0, 0.0].into()] };
    let regions = grown(&query, 4, &ROUGH, 3);
    let side = |place: usize| regions.regions()[place].seed()[0] > 0.0;
    assert!(regions.overlaps().all(|[a, b]| side(a) == side(b)));
    // The error says what is missing: a way between the rooms, and without regions in the other room one to the goal.
    let at_ends = |regions: &ConvexDecomposition| match plan(&query, regions, &mut query.world.clone()) {
        Err(KineticError::PlanningFailed {
            reason: reason::PlanningFailed::NoChain { at_start, at_goals, refused: 0, .. },
        }) => [at_start > 0, at_goals > 0],
        other => panic!("{other:?}"),
    };
    assert_eq!(at_ends(&regions), [true, true]);
    let seeds = RegionSeeds { stated: std::slice::from_ref(&query.start), count: 1, rng_seed: 3 };
    let beside_start = grow_in(&query.world, &query.space, &seeds, &ROUGH, &Control::default()).unwrap();
    assert_eq!(at_ends(&beside_start), [true, false]);
}

#[test]
fn growth_ends_with_its_control() {
    let query = &problem_set()[2];
    let seeds = RegionSeeds { stated: std::slice::from_ref(&query.start), count: 1000, rng_seed: 0 };
    let run = |control: &Control| grow_in(&query.world, &query.space, &seeds, &ROUGH, control);
    // Every reading of the clock takes 1 µs.
    let clocked =
        |timeout| Control::new(Arc::new(ManualClock::with_step(1_000)), timeout, u64::MAX, StopFlag::default());
    let few = run(&clocked(0.2)).unwrap();
    assert!((1..1000).contains(&few.regions().len()), "{}", few.regions().len());
    assert!(matches!(run(&clocked(1e-5)), Err(KineticError::PlanningTimeout { .. })));
    let stop = StopFlag::default();
    stop.stop();
    let stopped = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    assert!(matches!(run(&stopped), Err(KineticError::Cancelled { .. })));
}

/// A `ur5e` beside a wall.
fn arm() -> (Planner, Vec<f64>, Vec<f64>) {
    let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e").unwrap())).unwrap();
    let wall = Shape::cuboid(0.02, 0.4, 0.5).unwrap();
    scene.add("wall", wall, Pose::from_xyz(0.0, 0.7, 0.5)).unwrap();
    let [start, goal] = [0.6, 2.5].map(|pan| vec![pan, -1.2, 1.4, -1.7, -1.57, 0.0]);
    (Planner::in_scene(scene).unwrap(), start, goal)
}

#[test]
fn a_planner_plans_in_regions_of_its_own_robot() {
    let (planner, start, goal) = arm();
    let ends = [start.clone(), goal.clone()];
    let regions = planner.convex_decomposition(&ends, 8, &ROUGH, &Control::default()).unwrap();
    assert_eq!((regions.robot_name(), regions.scene_version()), ("ur5e", Some(planner.scene().version())));
    let with = planner.clone().with_regions(&regions).unwrap();
    assert_eq!(with.planner_type(), PlannerType::GCS);
    let found = with.plan(&start, &Goal::joints(goal.clone())).unwrap();
    assert_eq!(found.planner_used, "gcs");
    let back = with.plan(&goal, &Goal::joints(start.clone())).unwrap();
    assert_eq!(back.planner_used, "gcs");
    let without = planner.clone().with_planner_type(PlannerType::GCS).plan(&start, &Goal::joints(goal));
    assert_eq!(name_of(without), "regions of the planner");
    let other = Planner::new(&Arc::new(Robot::from_name("ur10e").unwrap())).unwrap();
    assert_eq!(name_of(other.with_regions(&regions)), "regions");
    assert_eq!(name_of(planner.clone().with_planner_type(PlannerType::EST).with_regions(&regions)), "planner_type");
    let bare = PlannerConfig { shortcut_iterations: 0, smooth: false, ..PlannerConfig::default() };
    let minimise = |what| PlannerConfig { minimise: Some(what), ..bare.clone() };
    let [short, quick] = [Minimise::Length, Minimise::Time].map(|what| {
        with.clone().with_config(minimise(what)).unwrap().plan(&start, &Goal::joints(ends[1].clone())).unwrap()
    });
    let limits = with.limits().unwrap().velocity;
    let takes = |path: &Trajectory| {
        let of_edge = |(a, b): (&[f64], &[f64])| (0..6).map(|j| (b[j] - a[j]).abs() / limits[j]).fold(0.0, f64::max);
        path.segments().map(of_edge).sum::<f64>()
    };
    assert_eq!((short.planner_used, quick.planner_used), ("gcs", "gcs"));
    assert!(takes(&quick.path) <= takes(&short.path) * (1.0 + 1e-9));
    // What is simplified afterwards takes no longer than what is not, and less where corners are cut.
    let [bare, simplified] = [&bare, &PlannerConfig::default()].map(|options| {
        let config = PlannerConfig { minimise: Some(Minimise::Time), ..options.clone() };
        let timed =
            with.clone().with_config(config).unwrap().plan_timed(&start, &Goal::joints(ends[1].clone()), "totp");
        timed.unwrap().trajectory.duration()
    });
    assert!(simplified < 0.999 * bare, "{simplified} {bare}");
    assert_eq!(name_of(Gcs::new(&regions).with_velocity_limits(&[1.0; 5])), "velocity limits");
    assert_eq!(name_of(Gcs::new(&regions).with_velocity_limits(&[0.0; 6])), "velocity limits");
}
