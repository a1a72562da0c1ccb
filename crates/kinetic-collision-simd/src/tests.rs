//! Obstacles in single precision against exact distances, and the models that the tests of this crate share.

mod random_shapes;

use std::sync::Arc;

use kinetic_collision::PreparedShape;
use kinetic_collision::ball::enclosing_ball;
use kinetic_collision::exact::Body;
use kinetic_collision::self_pairs::{self, Relation};
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::JointProgram;
use kinetic_robot::{Geometry, GeometryShape, Robot};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use random_shapes::{random_mesh, random_pose, random_shape};

use crate::collision_model::{CollisionModel, MovingBody, Obstacle, SelfPair};
use crate::model::compound_tree::CompoundTree;
use crate::model::obstacle::KernelObstacle;
use crate::model::obstacle_tree::ObstacleTree;
use crate::model::tree_search::Stop;
use crate::rounding::single;
use crate::vector::{Lanes, Plain, Point, corners};

/// Cases per property: a slice, or all with `KINETIC_FULL=1`.
fn count() -> usize {
    if std::env::var_os("KINETIC_FULL").is_some() { 100_000 } else { 1_000 }
}

/// The default group of a robot whose links are spheres: those of its sphere model, or its shapes. All pairs of links that
/// may touch keep `margin` from each other, inside the joint limits.
pub(crate) fn model_of(robot: &Robot, margin: f64) -> CollisionModel {
    let group = &robot.groups[robot.default_group];
    let program = JointProgram::compile(robot, &group.variables, &robot.neutral_configuration());
    let spheres: Vec<Vec<(Vector3<f64>, f64)>> = (0..robot.links.len()).map(|link| spheres_of(robot, link)).collect();
    let solid: Vec<usize> = (0..spheres.len()).filter(|link| !spheres[*link].is_empty()).collect();
    let bodies: Vec<MovingBody> = solid.iter().map(|link| body_of(robot, &program, *link, &spheres[*link])).collect();
    let is_solid: Vec<bool> = spheres.iter().map(|spheres| !spheres.is_empty()).collect();
    let place = |link: usize| solid.iter().position(|other| *other == link).expect("a link with spheres");
    let open = self_pairs::relations(robot, &is_solid).into_iter().filter(|(_, relation)| *relation == Relation::Open);
    let pairs: Vec<SelfPair> = open
        .map(|((a, b), _)| SelfPair::new(&bodies, place(a), place(b), margin))
        .filter(|pair| pair.below != (0, 0))
        .collect();
    let count = pairs.len();
    let mut model = CollisionModel::new(program, bodies, Default::default(), (pairs, count));
    model.links = solid.into_iter().map(Some).collect();
    model.limits = Some(group.variables.iter().map(|variable| robot.joint_limits[*variable]).collect());
    model.precomputed = Arc::clone(&robot.collision.precomputed);
    model
}

fn spheres_of(robot: &Robot, link: usize) -> Vec<(Vector3<f64>, f64)> {
    if let Some(model) = &robot.sphere_model {
        return model[link].iter().map(|[x, y, z, radius]| (Vector3::new(*x, *y, *z), *radius)).collect();
    }
    let sphere = |collision: &Geometry| match &collision.shape {
        GeometryShape::Shape(Shape::Sphere { radius }) => (collision.link_from_shape.translation(), *radius),
        _ => panic!("a link of spheres"),
    };
    robot.links[link].collisions.iter().map(sphere).collect()
}

fn body_of(robot: &Robot, program: &JointProgram, link: usize, spheres: &[(Vector3<f64>, f64)]) -> MovingBody {
    let (frame, frame_from_link) = program.link(link);
    let spheres: Vec<_> = spheres.iter().map(|(center, radius)| (frame_from_link.point(center), *radius)).collect();
    let (center, radius) = enclosing_ball(&spheres);
    MovingBody {
        name: robot.links[link].name.clone(),
        frame,
        center,
        radius,
        inner_radii: spheres.iter().map(|(_, radius)| *radius).collect(),
        spheres,
        pieces: Vec::new(),
        spheres_are_exact: true,
        ancestors: program.ancestors(frame),
        world: Vec::new(),
        margins: Vec::new(),
    }
}

/// As a checker of a scene holds it.
fn kernel_obstacle(shape: &Shape, pose: &Isometry3<f64>) -> KernelObstacle {
    let body = Arc::new(Body::new(shape).expect("a shape"));
    let tree = body.compound().map(|compound| Arc::new(CompoundTree::new(compound)));
    let prepared = body.prepared(pose).expect("a pose");
    let solid = shape.clone();
    KernelObstacle::of_body(&Obstacle {
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
        let lane = kernel_obstacle(&shape, &pose);
        let point = Point::<Plain<8>>::splat(single(&point.coords));
        let beyond = |reach: f64| {
            let reach = Plain::splat(reach as f32);
            lane.clearances(point, reach).beyond(reach).0[0] > 0.0
        };
        assert!(beyond(0.5 * height) && !beyond(height + 1e-5), "case {case}: {height}");
    }
}

#[test]
fn the_tree_of_boxes_finds_what_a_loop_over_all_boxes_finds() {
    let mut rng = SeededRng::new(17);
    for size in [0, 1, 7, 8, 9, 64, 65, 700] {
        let shape = |kind: usize, rng: &mut SeededRng| random_shape(kind, rng);
        let obstacles: Vec<KernelObstacle> =
            (0..size).map(|kind| kernel_obstacle(&shape(kind, &mut rng), &random_pose(&mut rng, 1.0))).collect();
        let ids: Vec<u32> = (0..size as u32).filter(|id| id % 5 != 3).collect();
        let boxes = ObstacleTree::new(&obstacles, &ids);
        for _ in 0..50 {
            let lower: [f32; 3] = std::array::from_fn(|_| rng.uniform(-1.2, 1.0) as f32);
            let upper = lower.map(|low| low + rng.uniform(0.0, 0.5) as f32);
            let mut found = Vec::new();
            boxes.collect::<Plain<8>>(&lower, &upper, &mut found);
            found.sort_unstable();
            let meets = |o: &KernelObstacle| (0..3).all(|k| upper[k] >= o.lower[k] && o.upper[k] >= lower[k]);
            let expected: Vec<u32> = ids.iter().copied().filter(|id| meets(&obstacles[*id as usize])).collect();
            assert_eq!(found, expected, "{size} obstacles");
            all_near_points_are_found(&boxes, &obstacles, &ids, &mut rng);
        }
    }
}

/// Points that lie far apart: nothing near one of them is missed, and what is found lies around all of them.
fn all_near_points_are_found(boxes: &ObstacleTree, obstacles: &[KernelObstacle], ids: &[u32], rng: &mut SeededRng) {
    let mut coordinate = || Plain::<8>(std::array::from_fn(|_| rng.uniform(-1.2, 1.2) as f32));
    let points = Point { x: coordinate(), y: coordinate(), z: coordinate() };
    let within = rng.uniform(0.0, 0.3) as f32;
    let mut found = Vec::new();
    boxes.collect_near(points, within, &mut found);
    let around = |o: &KernelObstacle, lane: usize| {
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

/// Searches that end early say of every lane whether it is beyond its limit, as those do that go on.
#[test]
fn searches_that_end_early_decide_every_lane_as_the_others_do() {
    let mut rng = SeededRng::new(17);
    let (mut near, mut far) = (0, 0);
    for case in 0..count() {
        let (shape, pose) = (random_shape(case, &mut rng), random_pose(&mut rng, 0.5));
        let lane = kernel_obstacle(&shape, &pose);
        let mut value = |half: f64| Plain::<8>(std::array::from_fn(|_| rng.uniform(-half, half) as f32));
        let point = Point { x: value(0.6), y: value(0.6), z: value(0.6) };
        let limit = value(0.2).abs();
        let ended = lane.clearances(point, limit).beyond(limit).not_positive();
        let whole = lane.distances(point, (limit, limit), Stop::Exhausted).beyond(limit).not_positive();
        assert_eq!(ended, whole, "case {case}: {shape:?}");
        let within = limit.largest();
        let each = Plain::splat(within);
        let any = lane.distances(point, (each, each), Stop::Exhausted).outside(within).not_positive() != 0;
        assert_eq!(lane.is_any_within(point, within), any, "case {case}: {shape:?}");
        (near, far) = (near + usize::from(any), far + usize::from(!any));
    }
    assert!(near > count() / 20 && far > count() / 20, "{near} near, {far} far");
}

/// Points on walls, as many as a grid over them is of use for.
fn dense_cloud(rng: &mut SeededRng) -> Vec<Point3<f64>> {
    let mut wall = |axis: usize| {
        let mut point = Vector3::from_fn(|_, _| rng.uniform(-0.5, 0.5));
        point[axis] = -0.5;
        Point3::from(point)
    };
    (0..4_000).map(|index| wall(index % 3)).collect()
}

#[test]
fn spheres_are_near_a_dense_cloud_where_the_nearest_of_all_points_is() {
    let mut rng = SeededRng::new(23);
    let points = dense_cloud(&mut rng);
    let pose = random_pose(&mut rng, 0.5);
    let lane = kernel_obstacle(&Shape::point_cloud(&points, 0.01).expect("points"), &pose);
    let placed: Vec<Point3<f64>> = points.iter().map(|point| pose * point).collect();
    let (mut near, mut far) = (0, 0);
    // Eight spheres per case; a million in all.
    for case in 0..count() + count() / 4 {
        let around = placed[rng.below(placed.len())];
        let spread = [0.02, 0.1, 0.6][case % 3];
        let mut coordinate =
            |axis: usize| Plain::<8>(std::array::from_fn(|_| (around[axis] + rng.uniform(-spread, spread)) as f32));
        let point = Point { x: coordinate(0), y: coordinate(1), z: coordinate(2) };
        let limit = Plain::<8>(std::array::from_fn(|_| rng.uniform(0.005, 0.15) as f32));
        let found = lane.clearances(point, limit).beyond(limit);
        let mut is_any_near = false;
        for index in 0..8 {
            let center = Point3::new(point.x.0[index], point.y.0[index], point.z.0[index]).map(f64::from);
            let squared = placed.iter().map(|other| (other - center).norm_squared()).fold(f64::INFINITY, f64::min);
            let gap = squared.sqrt() - f64::from(limit.0[index]);
            let is_beyond = found.0[index] > 0.0;
            // What single precision cannot tell may be either.
            assert!(gap.abs() < 2e-6 || is_beyond == (gap > 0.0), "case {case}: {gap} m, beyond: {is_beyond}");
            is_any_near |= gap < 0.0;
            (near, far) = (near + usize::from(!is_beyond), far + usize::from(is_beyond));
        }
        let within = limit.smallest();
        assert!(is_any_near || !lane.is_any_within(point, within), "case {case}");
    }
    assert!(near > count() && far > count(), "{near} near, {far} far");
}

/// Lanes that have no nodes in common search one after the other.
#[test]
fn spheres_far_from_each_other_are_near_a_dense_cloud_where_the_nearest_of_all_points_is() {
    let mut rng = SeededRng::new(29);
    let points = dense_cloud(&mut rng);
    let lane = kernel_obstacle(&Shape::point_cloud(&points, 0.01).expect("points"), &Isometry3::identity());
    let (mut near, mut far) = (0, 0);
    for case in 0..count() {
        let centers: [Point3<f64>; 8] = std::array::from_fn(|_| {
            let offset = Vector3::from_fn(|_, _| rng.uniform(-0.05, 0.05));
            (points[rng.below(points.len())] + offset).map(|value| f64::from(value as f32))
        });
        let coordinate = |axis: usize| Plain::<8>(centers.map(|center| center[axis] as f32));
        let point = Point { x: coordinate(0), y: coordinate(1), z: coordinate(2) };
        let limit = Plain::<8>(std::array::from_fn(|_| rng.uniform(0.005, 0.03) as f32));
        let gaps: [f64; 8] = std::array::from_fn(|index| {
            let squared = points.iter().map(|other| (other - centers[index]).norm_squared());
            squared.fold(f64::INFINITY, f64::min).sqrt() - f64::from(limit.0[index])
        });
        for stop in [Stop::Decided, Stop::Exhausted] {
            let found = lane.distances(point, (limit, limit), stop).beyond(limit);
            for (gap, found) in gaps.iter().zip(found.0) {
                assert!(gap.abs() < 2e-6 || (found > 0.0) == (*gap > 0.0), "case {case}: {gap} m, beyond: {found}");
                (near, far) = (near + usize::from(found <= 0.0), far + usize::from(found > 0.0));
            }
        }
        let within = limit.smallest();
        let is_any = (0..8).map(|index| gaps[index] + f64::from(limit.0[index] - within)).fold(f64::INFINITY, f64::min);
        assert!(is_any.abs() < 2e-6 || lane.is_any_within(point, within) == (is_any < 0.0), "case {case}: {is_any} m");
    }
    assert!(near > 2 * count() && far > 2 * count(), "{near} near, {far} far");
}

#[test]
fn clearances_of_obstacles_are_lower_bounds_and_tight_for_all_but_hulls() {
    let mut rng = SeededRng::new(9);
    for case in 0..count() {
        let (shape, pose) = (random_shape(case, &mut rng), random_pose(&mut rng, 1.0));
        let pose =
            if case % 2 == 0 { pose } else { Isometry3::from_parts(pose.translation, UnitQuaternion::identity()) };
        let exact = PreparedShape::new(&shape, &pose).expect("a shape");
        let lane = kernel_obstacle(&shape, &pose);
        let point = Point3::from(Vector3::from_fn(|_, _| rng.uniform(-1.5, 1.5)));
        let distance = exact.signed_distance(&point);
        let (place, everywhere) = (Point::<Plain<8>>::splat(single(&point.coords)), Plain::splat(f32::MAX));
        let found = lane.distances(place, (everywhere, everywhere), Stop::Exhausted);
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
