//! How long the queries of planning take: `cargo bench -p kinetic-collision`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_collision::exact::{Body, distance, is_closer_than};
use kinetic_collision::{ObstacleSet, PreparedShape, SphereGenConfig, fit};
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

/// Query points per measurement: enough that branches cannot be learnt.
const POINTS: usize = 1024;

fn vector(rng: &mut SeededRng, half: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.uniform(-half, half))
}

fn pose(rng: &mut SeededRng, half: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::new_normalize(Quaternion::from([0; 4].map(|_| rng.uniform(-1.0, 1.0))));
    Isometry3::from_parts(vector(rng, half).into(), rotation)
}

fn points(rng: &mut SeededRng, half: f64) -> Vec<Point3<f64>> {
    (0..POINTS).map(|_| Point3::from(vector(rng, half))).collect()
}

/// A hull of the size and detail of a robot link: a lathe of 160 corners.
fn link_hull() -> Shape {
    let ring = |k: usize| {
        (0..32).map(move |i| {
            let angle = f64::from(i) / 32.0 * std::f64::consts::TAU;
            let radius = [0.05, 0.06, 0.06, 0.045, 0.03][k];
            Point3::new(radius * angle.cos(), radius * angle.sin(), 0.1 * k as f64 - 0.2)
        })
    };
    let corners: Vec<Point3<f64>> = (0..5).flat_map(ring).collect();
    Shape::convex(&corners, 0.001).unwrap_or(Shape::Sphere { radius: 0.1 })
}

fn kinds() -> Vec<Shape> {
    let half_space = Shape::half_space(Vector3::new(0.1, 0.2, 1.0), 0.0);
    let plain = [Shape::sphere(0.1), Shape::cuboid(0.1, 0.2, 0.05), Shape::capsule(0.05, 0.2)];
    let shapes = plain.into_iter().chain([Shape::cylinder(0.1, 0.2), half_space]);
    shapes.flatten().chain([link_hull()]).collect()
}

fn point_distances(criterion: &mut Criterion) {
    let mut rng = SeededRng::new(1);
    let points = points(&mut rng, 0.5);
    for shape in kinds() {
        let Ok(prepared) = PreparedShape::new(&shape, &pose(&mut rng, 0.1)) else { continue };
        let mut next = points.iter().cycle();
        criterion.bench_function(&format!("point_distance/{}", shape.kind()), |bencher| {
            bencher.iter(|| next.next().map(|point| prepared.signed_distance(black_box(point))));
        });
    }
}

/// A world of boxes, balls, capsules and cylinders in a cube of 2 m, thinner the more there are.
fn world(rng: &mut SeededRng, count: u32) -> ObstacleSet {
    let scale = (10.0 / f64::from(count)).cbrt().min(1.0);
    let shape = |kind: u32, rng: &mut SeededRng| {
        let mut size = || rng.uniform(0.03, 0.15) * scale;
        match kind % 4 {
            0 | 1 => Shape::cuboid(size(), size(), size()),
            2 => Shape::cylinder(size(), size()),
            _ => Shape::sphere(size()),
        }
    };
    let placed = |id| {
        let shape = shape(id, rng).ok()?;
        Some((id, PreparedShape::new(&shape, &pose(rng, 1.0)).ok()?))
    };
    ObstacleSet::new((0..count).filter_map(placed).collect::<Vec<_>>())
}

fn obstacle_sets(criterion: &mut Criterion) {
    for count in [10, 100, 1000] {
        let mut rng = SeededRng::new(2);
        let set = world(&mut rng, count);
        // Free spheres only: a query that ends at its first obstacle says nothing about the others.
        let free: Vec<Point3<f64>> =
            points(&mut rng, 1.0).into_iter().filter(|point| !set.has_within(point, 0.05, 0.0)).collect();
        let mut next = free.iter().cycle();
        criterion.bench_function(&format!("obstacles/{count}/is_free"), |bencher| {
            bencher.iter(|| next.next().map(|point| set.has_within(black_box(point), 0.05, 0.0)));
        });
        criterion.bench_function(&format!("obstacles/{count}/min_distance"), |bencher| {
            bencher.iter(|| next.next().map(|point| set.min_distance(black_box(point), 0.05, f64::INFINITY)));
        });
        criterion.bench_function(&format!("obstacles/{count}/min_distance_below_2cm"), |bencher| {
            bencher.iter(|| next.next().map(|point| set.min_distance(black_box(point), 0.05, 0.02)));
        });
    }
}

fn pairs(criterion: &mut Criterion) {
    let shapes = [("hull", link_hull()), ("cuboid", Shape::Cuboid { half_extents: Vector3::new(0.1, 0.2, 0.3) })];
    let cylinder = Shape::Cylinder { radius: 0.1, half_height: 0.2 };
    let pairs = [(0, &shapes[0].1), (1, &shapes[1].1), (2, &cylinder)];
    let Ok(link) = Body::new(&shapes[0].1) else { return };
    for (index, other) in pairs {
        let name = ["hull_hull", "hull_cuboid", "hull_cylinder"][index];
        let Ok(body) = Body::new(other) else { continue };
        let mut rng = SeededRng::new(3);
        let at = Isometry3::identity();
        for (state, apart) in [("apart", true), ("overlapping", false)] {
            let is_wanted = |there: &Isometry3<f64>| {
                distance(&link, &at, &body, there, f64::INFINITY).is_some_and(|found| (found.distance > 0.0) == apart)
            };
            let half = if apart { 0.5 } else { 0.15 };
            let poses: Vec<Isometry3<f64>> =
                std::iter::repeat_with(|| pose(&mut rng, half)).filter(is_wanted).take(POINTS).collect();
            let mut next = poses.iter().cycle();
            criterion.bench_function(&format!("pair/{name}/{state}/distance"), |bencher| {
                bencher.iter(|| {
                    next.next().and_then(|there| distance(&link, &at, &body, black_box(there), f64::INFINITY))
                });
            });
            criterion.bench_function(&format!("pair/{name}/{state}/is_closer_than"), |bencher| {
                bencher.iter(|| {
                    next.next()
                        .map(|there| is_closer_than(&link, &at, &body, black_box(there), 0.0, &mut Vector3::zeros()))
                });
            });
        }
        remembered_axis(criterion, name, &link, &body);
    }
}

/// The same pair again and again, a little further each time, as along a motion.
fn remembered_axis(criterion: &mut Criterion, name: &str, link: &Body, body: &Body) {
    let (at, mut axis, mut angle) = (Isometry3::identity(), Vector3::zeros(), 0.0_f64);
    criterion.bench_function(&format!("pair/{name}/apart/is_closer_than_with_axis"), |bencher| {
        bencher.iter(|| {
            angle += 1e-3;
            let there = Isometry3::translation(0.3 * angle.cos(), 0.3 * angle.sin(), 0.1);
            is_closer_than(link, &at, body, black_box(&there), 0.0, &mut axis)
        });
    });
}

/// Ground of 20,000 triangles over 4 m × 4 m, and the same triangles as a mesh in no order.
fn terrain() -> Option<[Shape; 2]> {
    let mut rng = SeededRng::new(4);
    let heights: Vec<f64> = (0..101 * 101).map(|_| rng.uniform(0.0, 0.02)).collect();
    let ground = Shape::height_field(&heights, [101, 101], [0.04, 0.04], -0.1).ok()?;
    let at = |index: usize| {
        Point3::new(0.04 * (index / 101) as f64 - 2.0, 0.04 * (index % 101) as f64 - 2.0, heights[index])
    };
    let vertices: Vec<Point3<f64>> = (0..101 * 101).map(at).collect();
    let cells = (0..100_u32).flat_map(|i| (0..100_u32).map(move |j| 101 * i + j));
    let faces: Vec<[u32; 3]> = cells.flat_map(|k| [[k, k + 101, k + 102], [k, k + 102, k + 1]]).collect();
    Some([ground, Shape::mesh(&vertices, &faces, false).ok()?])
}

fn compounds(criterion: &mut Criterion) {
    let (Some(shapes), Ok(link)) = (terrain(), Body::new(&link_hull())) else { return };
    for shape in shapes {
        let (name, at) = (shape.kind(), Isometry3::identity());
        let Ok(body) = Body::new(&shape) else { continue };
        criterion.bench_function(&format!("compound/{name}/make"), |bencher| {
            bencher.iter(|| Body::new(black_box(&shape)));
        });
        let mut rng = SeededRng::new(5);
        let mut poses = |low: f64, high: f64| -> Vec<Isometry3<f64>> {
            let lifted = |rng: &mut SeededRng| {
                let height = rng.uniform(low, high);
                nalgebra::Translation3::new(0.0, 0.0, height) * pose(rng, 0.05)
            };
            (0..POINTS).map(|_| lifted(&mut rng)).collect()
        };
        // The link reaches 0.22 m from its origin.
        let (far, near) = (poses(0.35, 0.5), poses(0.1, 0.25));
        for (state, poses) in [("far", far), ("near", near)] {
            let mut next = poses.iter().cycle();
            criterion.bench_function(&format!("compound/{name}/{state}/distance"), |bencher| {
                bencher.iter(|| {
                    next.next().and_then(|there| distance(&link, black_box(there), &body, &at, f64::INFINITY))
                });
            });
            criterion.bench_function(&format!("compound/{name}/{state}/is_closer_than"), |bencher| {
                bencher.iter(|| {
                    let there = next.next()?;
                    Some(is_closer_than(&link, black_box(there), &body, &at, 0.02, &mut Vector3::zeros()))
                });
            });
        }
    }
}

fn covers(criterion: &mut Criterion) {
    let hull = link_hull();
    let presets = [SphereGenConfig::coarse(), SphereGenConfig::default(), SphereGenConfig::fine()];
    for (name, config) in ["coarse", "default", "fine"].into_iter().zip(presets) {
        criterion.bench_function(&format!("cover/hull/{name}"), |bencher| {
            bencher.iter(|| fit::cover(black_box(&hull), &Isometry3::identity(), &config));
        });
    }
}

criterion_group!(benches, point_distances, obstacle_sets, pairs, compounds, covers);
criterion_main!(benches);
