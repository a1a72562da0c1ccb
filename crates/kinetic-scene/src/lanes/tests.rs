//! The filter against double precision, and the tiers against each other.

mod approach;
mod widths;

use std::sync::Arc;

use kinetic_collision::{PreparedShape, convex_hull};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::block::Block;
use super::boxes::Boxes;
use super::filter::{Filter, Verdict};
use super::kernel::{Hit, Proof, Sink};
use super::obstacle::{LaneObstacle, single};
use super::scratch::corners;
use super::vector::{Lanes, Plain, Point};
use crate::evaluation::{Evaluation, WorldBody};
use crate::motion::{BATCH, SegmentMotion, TimedMotion};
use crate::prepared::PreparedObject;
use crate::simd::SimdTier;
use crate::sweep::{Evaluator, Sweep};
use crate::{Checker, Margins, Scene};

/// Motions per robot: a slice, or all with `KINETIC_FULL=1`.
fn count() -> usize {
    if std::env::var_os("KINETIC_FULL").is_some() { 100_000 } else { 1_000 }
}

fn random_pose(rng: &mut SeededRng, half: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::new_normalize(Quaternion::from([0; 4].map(|_| rng.uniform(-1.0, 1.0))));
    Isometry3::from_parts(Vector3::from_fn(|_, _| rng.uniform(-half, half)).into(), rotation)
}

/// A closed surface: the hull of random points.
fn random_mesh(rng: &mut SeededRng, is_solid: bool) -> Shape {
    let points: Vec<Point3<f64>> =
        (0..40).map(|_| Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.2, 0.2)))).collect();
    let hull = convex_hull(&points).expect("points");
    let faces: Vec<[u32; 3]> = hull.faces().iter().map(|face| face.map(|corner| corner as u32)).collect();
    Shape::mesh(hull.vertices(), &faces, is_solid).expect("a hull is closed")
}

fn random_shape(kind: usize, rng: &mut SeededRng) -> Shape {
    match kind % 10 {
        6 => return random_mesh(rng, false),
        7 => return random_mesh(rng, true),
        8 => {
            let heights: Vec<f64> = (0..30).map(|_| rng.uniform(0.0, 0.2)).collect();
            return Shape::height_field(&heights, [5, 6], [0.05, 0.04], -0.05).expect("a grid");
        }
        9 => {
            let mut index = || i32::try_from(rng.below(6)).expect("small") - 3;
            let cells: Vec<[i32; 3]> = (0..40).map(|_| [index(), index(), index()]).collect();
            return Shape::voxels(&cells, 0.04).expect("cells");
        }
        _ => {}
    }
    let mut size = || rng.uniform(0.02, 0.2);
    match kind % 10 {
        0 => Shape::sphere(size()),
        1 => Shape::cuboid(size(), size(), size()),
        2 => Shape::cylinder(size(), size()),
        3 => Shape::capsule(size(), size()),
        4 => Shape::half_space(Vector3::new(size(), -size(), 0.3), -1.0 - size()),
        _ => {
            let corners: Vec<Point3<f64>> =
                (0..12).map(|_| Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.1, 0.1)))).collect();
            Shape::convex(&corners, 0.01)
        }
    }
    .expect("sizes are positive")
}

/// A slide and four joints with balls along the links: spheres that are the geometry itself.
fn ball_arm() -> Robot {
    let mut urdf = "<robot name=\"balls\"><link name=\"l0\"/>".to_owned();
    for (index, (kind, axis)) in [
        ("prismatic", "1 0 0"),
        ("revolute", "0 0 1"),
        ("revolute", "0 1 0"),
        ("revolute", "0 1 0"),
        ("revolute", "1 0 1"),
    ]
    .into_iter()
    .enumerate()
    {
        let balls: String = (0..3 + 5 * (index % 3)).fold(String::new(), |text, k| {
            let (x, y) = (0.05 * k as f64, 0.02 * (k % 3) as f64);
            format!(
                "{text}<collision><origin xyz=\"{x} {y} 0\"/><geometry><sphere radius=\"{}\"/></geometry></collision>",
                0.04 + 0.005 * (k % 4) as f64
            )
        });
        let (parent, child) = (index, index + 1);
        urdf = format!(
            "{urdf}<link name=\"l{child}\">{balls}</link><joint name=\"j{child}\" type=\"{kind}\"><parent link=\"l{parent}\"/>\
             <child link=\"l{child}\"/><origin xyz=\"0.2 0 0.15\" rpy=\"0.3 0 {}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-2.5\" upper=\"2.5\" velocity=\"1\" effort=\"1\"/></joint>",
            0.5 * index as f64
        );
    }
    Robot::from_urdf_string(&(urdf + "</robot>")).expect("a robot")
}

fn robot(name: &str) -> Arc<Robot> {
    Arc::new(if name == "balls" { ball_arm() } else { Robot::from_name(name).expect("built in") })
}

/// A robot among obstacles of every kind.
fn checker(name: &str, seed: u64) -> (Arc<Robot>, Checker) {
    let robot = robot(name);
    let mut scene = Scene::new(&robot).expect("geometry");
    let mut rng = SeededRng::new(seed);
    for index in 0..16 {
        // Around the robot, not in it.
        let (angle, reach) = (rng.uniform(-3.0, 3.0), rng.uniform(0.7, 1.2));
        let mut pose = random_pose(&mut rng, 0.0);
        pose.translation = [reach * f64::cos(angle), reach * f64::sin(angle), rng.uniform(0.0, 1.2)].into();
        scene.add(&format!("o{index}"), random_shape(index, &mut rng), Pose(pose)).expect("a new name");
    }
    // Items differ in what they have to keep.
    scene.set_margin_all("o1", 0.05).expect("a known name");
    scene.set_margin_all("o2", 0.0).expect("a known name");
    let tip =
        robot.links[robot.groups[robot.default_group].tip_link].parent_joint.map(|joint| robot.joints[joint].parent);
    scene.set_padding(&robot.links[tip.expect("a chain")].name, 0.02).expect("a known name");
    let group = robot.groups[robot.default_group].name.clone();
    let checker = scene.checker(&group, Margins::new(0.01, 0.0)).expect("a group of the robot");
    (robot, checker)
}

/// From anywhere within the limits of the default group, by up to 0.6 rad (or m) per joint.
fn random_motion(robot: &Robot, rng: &mut SeededRng) -> (Vec<f64>, Vec<f64>) {
    let from = robot.random_configuration(&robot.groups[robot.default_group], rng).0;
    let step = rng.uniform(0.01, 0.6);
    let to = from.iter().map(|q| q + step * rng.uniform(-1.0, 1.0)).collect();
    (from, to)
}

/// What the sweep alone says.
fn is_proven_in_double(evaluation: &mut Evaluation, motion: &SegmentMotion<'_>) -> bool {
    let mut sweep = Sweep::new(evaluation.program.num_variables());
    sweep.start(evaluation, motion);
    sweep.finish(evaluation, motion, u64::MAX).is_none()
}

#[test]
fn what_the_filter_decides_the_sweep_decides_likewise() {
    for name in ["ur5e", "franka_panda", "fetch"] {
        let (robot, mut checker) = checker(name, 3);
        let mut filter = Filter::new(&checker.evaluation);
        let mut rng = SeededRng::new(4);
        let mut decided = 0;
        for case in 0..count() {
            let (from, to) = random_motion(&robot, &mut rng);
            let motion = SegmentMotion { from: &from, to: &to };
            let verdict = filter.prove(&mut checker.evaluation, &motion, &mut 0, u64::MAX);
            let is_proven = verdict == Verdict::Proven && filter.leftovers.is_empty();
            let is_blocked = matches!(verdict, Verdict::Blocked(_));
            let expected = is_proven_in_double(&mut checker.evaluation, &motion);
            assert!(!is_proven || expected, "{name} case {case}: proven wrongly, {from:?} to {to:?}");
            assert!(!(is_blocked && expected), "{name} case {case}: blocked wrongly, {from:?} to {to:?}");
            decided += usize::from(is_proven || is_blocked);
        }
        // A filter that decided nothing would pass the above. Where covers overlap in every pose (fetch's shoulder and
        // torso) something is always left to the sweep, but contacts are still found.
        assert!(decided > count() / 4, "{name}: {decided} of {} decided", count());
    }
}

#[test]
fn a_batch_of_configurations_is_answered_as_each_alone() {
    for name in ["ur5e", "franka_panda"] {
        let (robot, mut checker) = checker(name, 11);
        let group = &robot.groups[robot.default_group];
        let mut rng = SeededRng::new(12);
        // Not a multiple of the batch.
        let rows: Vec<Vec<f64>> = (0..count() + 3).map(|_| robot.random_configuration(group, &mut rng).0).collect();
        let together = checker.are_free(&rows.concat());
        let alone: Vec<bool> = rows.iter().map(|q| checker.is_free(q)).collect();
        assert_eq!(together, alone, "{name}");
        assert!(alone.contains(&true) && alone.contains(&false), "{name}");
    }
}

#[test]
fn every_tier_leaves_the_same() {
    let tiers = SimdTier::available();
    for name in ["ur5e", "franka_panda"] {
        let (robot, mut checker) = checker(name, 5);
        let mut filters: Vec<Filter> = tiers.iter().map(|tier| Filter::with_tier(&checker.evaluation, *tier)).collect();
        let mut rng = SeededRng::new(6);
        for case in 0..count() {
            let (from, to) = random_motion(&robot, &mut rng);
            let motion = SegmentMotion { from: &from, to: &to };
            let found: Vec<_> = filters
                .iter_mut()
                .map(|filter| match filter.prove(&mut checker.evaluation, &motion, &mut 0, u64::MAX) {
                    // Which of several contacts is met first is a matter of width; that there is one is not.
                    Verdict::Blocked(_) => None,
                    _ => Some((format!("{:?}", filter.leftovers), filter.items.clone())),
                })
                .collect();
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{name} case {case}: {found:?}");
        }
    }
}

/// Collects everything.
struct Collect(Vec<Hit>);

impl Sink for Collect {
    fn report(&mut self, hit: Hit) -> bool {
        self.0.push(hit);
        false
    }
}

#[test]
fn what_is_called_clear_is_clear_in_the_whole_interval_and_what_is_called_hit_is_in_contact() {
    for name in ["ur5e", "franka_panda", "fetch", "balls"] {
        let (robot, checker) = checker(name, 7);
        let mut evaluation = checker.evaluation.clone();
        let mut rng = SeededRng::new(8);
        for tier in SimdTier::available() {
            let mut filter = Filter::with_tier(&evaluation, tier);
            for _ in 0..count() / 100 {
                let (from, to) = random_motion(&robot, &mut rng);
                check_interval_by_interval(&mut filter, &mut evaluation, (&from, &to), &mut rng);
            }
        }
    }
}

/// As a checker of a scene holds it.
fn lane_obstacle(shape: &Shape, pose: &Isometry3<f64>) -> LaneObstacle {
    let PreparedObject { body, tree, .. } = PreparedObject::new(shape).expect("a shape");
    let prepared = body.prepared(pose).expect("a pose");
    let solid = shape.clone();
    LaneObstacle::of_body(&WorldBody {
        name: String::new(),
        solid,
        shape: prepared,
        body,
        world_from_body: *pose,
        tree,
    })
}

/// Beyond an acute corner the planes of a neighbouring face tell less than the distance, but not nothing.
#[test]
fn clearances_of_meshes_are_at_least_half_the_distance_above_their_faces() {
    let mut rng = SeededRng::new(13);
    for case in 0..count() {
        let (shape, pose) = (random_mesh(&mut rng, case % 2 == 0), random_pose(&mut rng, 1.0));
        let Shape::Mesh { vertices, triangles, .. } = &shape else { panic!("a mesh") };
        let [a, b, c] = triangles[rng.below(triangles.len())].map(|corner| vertices[corner as usize]);
        let normal = (b - a).cross(&(c - a)).normalize();
        let height = rng.uniform(0.01, 0.5);
        let point = pose * (Point3::from((a.coords + b.coords + c.coords) / 3.0) + normal * height);
        let lane = lane_obstacle(&shape, &pose);
        let point = Point::<Plain<8>>::splat(single(&point.coords));
        let beyond = |reach: f64| {
            let reach = Plain::splat(reach as f32);
            lane.clearances(point, reach).beyond(reach).0[0] > 0.0
        };
        assert!(beyond(0.5 * height) && !beyond(height + 1e-5), "case {case}: {height}");
    }
}

/// What both kernels say about the sixteenths of a motion.
struct Statements {
    items: Vec<(u32, u16)>,
    /// Of the block, which lists nothing more about lanes in contact for certain.
    of_block: Vec<Hit>,
    certain: u16,
    of_proof: Vec<Hit>,
}

impl Statements {
    fn of(filter: &mut Filter, evaluation: &Evaluation) -> Self {
        let widths: Vec<f32> = filter.batch.radius.iter().map(|radius| radius[0].next_up()).collect();
        let mut of_block = Vec::new();
        let mut block = Block {
            batch: &filter.batch,
            used: !0,
            widths: Some(&widths),
            items: None,
            stops_at_hit: false,
            any_hit_will_do: false,
            hit: 0,
            hits: &mut of_block,
        };
        filter.workspace.run(&filter.model, BATCH, &mut block);
        let certain = block.hit;
        let items: Vec<(u32, u16)> = evaluation.fine_items().into_iter().map(|item| (item, !0)).collect();
        let mut collected = Collect(Vec::new());
        let mut proof = Proof { batch: &filter.batch, items: &items, sink: &mut collected };
        filter.workspace.run(&filter.model, BATCH, &mut proof);
        Self { items, of_block, certain, of_proof: collected.0 }
    }

    /// Whether they admit that the spheres of an item are near each other in a lane, and that they touch.
    fn check(&self, item: u32, lane: usize, is_middle: bool) {
        let lanes_of = |hits: &[Hit]| {
            let of_item = hits.iter().filter(|hit| hit.item == item);
            of_item.fold((0, 0), |all: (u16, u16), hit| (all.0 | hit.open, all.1 | hit.touching))
        };
        let (open, touching) = lanes_of(&self.of_proof);
        assert!(open >> lane & 1 == 1, "item {item} lane {lane} is open");
        assert!(!is_middle || touching >> lane & 1 == 1, "item {item} lane {lane} touches");
        let of_block = lanes_of(&self.of_block).0 | self.certain;
        assert!(of_block >> lane & 1 == 1, "item {item} lane {lane} is open in the block");
    }
}

/// Compares both kernels with double precision at places of the intervals that they make statements about.
fn check_interval_by_interval(
    filter: &mut Filter,
    evaluation: &mut Evaluation,
    (from, to): (&[f64], &[f64]),
    rng: &mut SeededRng,
) {
    let intervals = std::array::from_fn(|k| (k as f64 / BATCH as f64, (k + 1) as f64 / BATCH as f64));
    SegmentMotion { from, to }.boxes_around(&intervals, &mut filter.batch.q, &mut filter.batch.radius);
    let statements = Statements::of(filter, evaluation);
    let still = vec![0.0; from.len()];
    for (lane, (t0, t1)) in intervals.iter().enumerate() {
        let middle = f64::midpoint(*t0, *t1);
        let mut is_blocked = false;
        for t in [middle, *t0, *t1, rng.uniform(*t0, *t1)] {
            let q: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + t * (to - from)).collect();
            evaluation.place(&q, &still);
            for (item, _) in &statements.items {
                is_blocked |= t == middle && evaluation.misses_margin(*item);
                if evaluation.spheres_near(*item).1 {
                    statements.check(*item, lane, t == middle);
                }
            }
        }
        assert!(statements.certain >> lane & 1 == 0 || is_blocked, "lane {lane} is in contact for certain");
    }
}

/// What the plain loop in double precision says.
fn is_free_in_double(evaluation: &mut Evaluation, q: &[f64]) -> bool {
    Sweep::new(q.len()).is_free(evaluation, q)
}

#[test]
fn sampled_motions_are_free_exactly_when_all_their_samples_are() {
    for name in ["ur5e", "franka_panda", "balls"] {
        let (robot, mut checker) = checker(name, 21);
        let mut evaluation = checker.evaluation.clone();
        let mut filters: Vec<Filter> =
            SimdTier::available().into_iter().map(|tier| Filter::with_tier(&evaluation, tier)).collect();
        let mut rng = SeededRng::new(16);
        let mut free = 0;
        for case in 0..count() / 4 {
            let (from, to) = random_motion(&robot, &mut rng);
            let rakes = 1 + case as u32 % 4;
            let samples = rakes * BATCH as u32;
            let blocked = (1..=samples).find(|k| {
                let t = f64::from(*k) / f64::from(samples);
                let q: Vec<f64> = from.iter().zip(&to).map(|(from, to)| from + t * (to - from)).collect();
                !is_free_in_double(&mut evaluation, &q)
            });
            let (plain, in_a_row) = (blocked.is_none(), blocked.map_or(samples, |k| k - 1));
            free += usize::from(plain);
            for filter in &mut filters {
                let found = filter.is_sampled_free(&mut evaluation, (&from, &to), rakes, &mut 0);
                assert_eq!(found, Some(plain), "{name} case {case}: {from:?} to {to:?}");
                let found = filter.free_samples(&mut evaluation, (&from, &to), rakes, &mut 0);
                assert_eq!(found, Some(in_a_row), "{name} case {case}: {from:?} to {to:?}");
            }
            let length = from.iter().zip(&to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            // A hair below, so that rounding does not ask for one batch more.
            let resolution = f64::from(samples) / length * (1.0 - 1e-12);
            assert_eq!(checker.is_motion_sampled_free(&from, &to, resolution), plain, "{name} case {case}");
            let fraction = f64::from(in_a_row) / f64::from(samples);
            assert_eq!(checker.sampled_free_fraction(&from, &to, resolution), fraction, "{name} case {case}");
        }
        assert!(free > 0 && free < count() / 4, "{name}: {free} free");
    }
}

#[test]
fn the_tree_of_boxes_finds_what_a_loop_over_all_boxes_finds() {
    let mut rng = SeededRng::new(17);
    for size in [0, 1, 7, 8, 9, 64, 65, 700] {
        let shape = |kind: usize, rng: &mut SeededRng| random_shape(kind, rng);
        let obstacles: Vec<LaneObstacle> =
            (0..size).map(|kind| lane_obstacle(&shape(kind, &mut rng), &random_pose(&mut rng, 1.0))).collect();
        let ids: Vec<u32> = (0..size as u32).filter(|id| id % 5 != 3).collect();
        let boxes = Boxes::new(&obstacles, &ids);
        for _ in 0..50 {
            let lower: [f32; 3] = std::array::from_fn(|_| rng.uniform(-1.2, 1.0) as f32);
            let upper = lower.map(|low| low + rng.uniform(0.0, 0.5) as f32);
            let mut found = Vec::new();
            boxes.collect::<Plain<8>>(&lower, &upper, &mut found);
            found.sort_unstable();
            let meets = |o: &LaneObstacle| (0..3).all(|k| upper[k] >= o.lower[k] && o.upper[k] >= lower[k]);
            let expected: Vec<u32> = ids.iter().copied().filter(|id| meets(&obstacles[*id as usize])).collect();
            assert_eq!(found, expected, "{size} obstacles");
            all_near_points_are_found(&boxes, &obstacles, &ids, &mut rng);
        }
    }
}

/// Points that lie far apart: nothing near one of them is missed, and what is found lies around all of them.
fn all_near_points_are_found(boxes: &Boxes, obstacles: &[LaneObstacle], ids: &[u32], rng: &mut SeededRng) {
    let mut coordinate = || Plain::<8>(std::array::from_fn(|_| rng.uniform(-1.2, 1.2) as f32));
    let points = Point { x: coordinate(), y: coordinate(), z: coordinate() };
    let within = rng.uniform(0.0, 0.3) as f32;
    let mut found = Vec::new();
    boxes.collect_near(points, within, &mut found);
    let around = |o: &LaneObstacle, lane: usize| {
        let point = [points.x, points.y, points.z].map(|coordinate| coordinate.0[lane]);
        let outside = |k: usize| f64::from((o.lower[k] - point[k]).max(point[k] - o.upper[k]).max(0.0));
        (0..3).map(|k| outside(k).powi(2)).sum::<f64>().sqrt() <= f64::from(within)
    };
    let is_near = |id: &&u32| (0..8).any(|lane| around(&obstacles[**id as usize], lane));
    assert!(ids.iter().filter(is_near).all(|id| found.contains(id)), "one near a point is missed");
    let (lower, upper) = corners(points, within);
    let mut around_all = Vec::new();
    boxes.collect::<Plain<8>>(&lower, &upper, &mut around_all);
    assert!(found.iter().all(|id| around_all.contains(id)), "one beyond the box around all points is found");
}

#[test]
fn clearances_of_obstacles_are_lower_bounds_and_tight_for_all_but_hulls() {
    let mut rng = SeededRng::new(9);
    for case in 0..count() {
        let (shape, pose) = (random_shape(case, &mut rng), random_pose(&mut rng, 1.0));
        let pose =
            if case % 2 == 0 { pose } else { Isometry3::from_parts(pose.translation, UnitQuaternion::identity()) };
        let exact = PreparedShape::new(&shape, &pose).expect("a shape");
        let lane = lane_obstacle(&shape, &pose);
        let point = Point3::from(Vector3::from_fn(|_, _| rng.uniform(-1.5, 1.5)));
        let distance = exact.signed_distance(&point);
        let found = lane.clearances(Point::<Plain<8>>::splat(single(&point.coords)), Plain::splat(f32::MAX));
        let is_beyond = |reach: f64| found.beyond(Plain::splat(reach as f32 + lane.radius)).0[0] > 0.0;
        // Coordinates up to 3 m: single precision is good to a micrometre.
        let rounding = 5e-6;
        if distance - rounding > 0.0 {
            assert!(!is_beyond(distance + rounding), "case {case}: {shape:?} is nearer");
        }
        let is_tight = !matches!(shape, Shape::Convex { .. } | Shape::Mesh { .. } | Shape::HeightField { .. });
        if is_tight && distance > 0.01 {
            assert!(is_beyond(distance - rounding), "case {case}: {shape:?} is farther");
        }
    }
}

#[test]
fn values_beyond_single_precision_are_left_to_the_sweep() {
    let (_, mut checker) = checker("ur5e", 10);
    let mut filter = Filter::new(&checker.evaluation);
    for bad in [f64::NAN, 1e9, f64::INFINITY] {
        let (from, to) = ([0.0; 6], [0.0, bad, 0.0, 0.0, 0.0, 0.0]);
        let motion = SegmentMotion { from: &from, to: &to };
        assert_eq!(filter.prove(&mut checker.evaluation, &motion, &mut 0, u64::MAX), Verdict::Unable, "{bad}");
    }
}
