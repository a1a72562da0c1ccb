//! Covers, pieces, hulls, boxes and capsules of meshes: nothing of the mesh outside, whatever state it is in.

use kinetic_collision::fit::{
    Covering, HullConfig, PieceConfig, convex_pieces, enclosing_box, enclosing_capsule, enclosing_hull,
};
use kinetic_collision::{PreparedShape, Sphere, SphereGenConfig};
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Shape};
use kinetic_robot::TriangleMesh;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::support::{cases, cloud, direction, pose};

/// Covers have a slack of 1e-9; hulls and poses carry the rounding of a few operations.
const ROUNDING: f64 = 1e-12;
const HULL_ROUNDING: f64 = 1e-9;

/// A closed box as twelve triangles, outwards.
fn add_box(mesh: &mut TriangleMesh, placed: &Isometry3<f64>, half: &Vector3<f64>) {
    let base = mesh.vertices.len() as u32;
    for bits in 0..8u32 {
        let sign = |bit: u32| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corner = Vector3::new(sign(0), sign(1), sign(2)).component_mul(half);
        mesh.vertices.push(placed * Point3::from(corner));
    }
    let faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4]];
    let more = [[2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
    mesh.triangles.extend(faces.iter().chain(&more).map(|face| face.map(|corner| base + corner)));
}

/// A few boxes that overlap or not, and what else files contain: duplicates, triangles without area, holes. False when a
/// triangle is missing, so that one box is open.
fn mesh(rng: &mut SeededRng) -> (TriangleMesh, bool) {
    let mut mesh = TriangleMesh::default();
    for _ in 0..=rng.below(3) {
        let half = Vector3::from_fn(|_, _| rng.uniform(0.01, 0.15));
        add_box(&mut mesh, &pose(rng, 0.15), &half);
    }
    if rng.below(2) == 0 {
        let again = mesh.triangles[rng.below(mesh.triangles.len())];
        mesh.triangles.extend([again, [again[0], again[0], again[1]], [again[2]; 3]]);
    }
    let is_closed = rng.below(3) != 0;
    if !is_closed {
        mesh.triangles.remove(rng.below(mesh.triangles.len()));
    }
    (mesh, is_closed)
}

/// A random point of a random triangle, often on an edge or a corner.
fn on_mesh(mesh: &TriangleMesh, rng: &mut SeededRng) -> Point3<f64> {
    let corners = mesh.triangles[rng.below(mesh.triangles.len())].map(|index| mesh.vertices[index as usize]);
    let mut weights = [0; 3].map(|_| if rng.below(4) == 0 { 0.0 } else { rng.unit() });
    weights[rng.below(3)] += 1e-3;
    let total: f64 = weights.iter().sum();
    Point3::from((0..3).map(|i| corners[i].coords * (weights[i] / total)).sum::<Vector3<f64>>())
}

/// How often a mesh winds around a point: the sum of the solid angles of all triangles (Van Oosterom, Strackee 1983).
fn winding(mesh: &TriangleMesh, point: &Point3<f64>) -> f64 {
    let angle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| mesh.vertices[index as usize] - point);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        2.0 * a.dot(&b.cross(&c)).atan2(denominator)
    };
    mesh.triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Distance of a point from the nearest of many points on a mesh: never below the true one.
fn distance(points: &[Point3<f64>], point: &Point3<f64>) -> f64 {
    points.iter().map(|other| (other - point).norm()).fold(f64::INFINITY, f64::min)
}

fn is_covered(spheres: &[Sphere], point: &Point3<f64>) -> bool {
    spheres.iter().any(|ball| (point - ball.center).norm() <= ball.radius + ROUNDING)
}

fn contains(shapes: &[(Isometry3<f64>, Shape)], point: &Point3<f64>) -> bool {
    let prepared = |(pose, shape): &(Isometry3<f64>, Shape)| PreparedShape::new(shape, pose).unwrap();
    shapes.iter().any(|placed| prepared(placed).signed_distance(point) <= HULL_ROUNDING)
}

#[test]
fn covers_of_meshes_contain_every_point_of_their_triangles_and_of_what_they_enclose() {
    for seed in 0..cases(6, 300) as u64 {
        let mut rng = SeededRng::new(seed);
        let (mesh, is_closed) = mesh(&mut rng);
        let config = SphereGenConfig { max_spheres: 1 + rng.below(24), target_excess: 0.0 };
        let cover = Covering::from_mesh(&mesh).unwrap().fit(&config).unwrap();
        assert!(!cover.spheres.is_empty() && cover.spheres.len() <= config.max_spheres, "seed {seed}");
        for _ in 0..cases(2_000, 20_000) {
            let point = on_mesh(&mesh, &mut rng);
            assert!(is_covered(&cover.spheres, &point), "seed {seed}: {point} of the surface is outside");
            let inner = Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.3, 0.3)));
            // The inside of an open surface need not be covered.
            if is_closed && winding(&mesh, &inner) > 0.51 {
                assert!(is_covered(&cover.spheres, &inner), "seed {seed}: {inner} inside is outside of the cover");
            }
        }
    }
}

#[test]
fn no_point_of_a_cover_of_a_closed_mesh_is_farther_from_it_than_stated() {
    for seed in 0..cases(3, 60) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut mesh = TriangleMesh::default();
        for _ in 0..2 {
            let half = Vector3::from_fn(|_, _| rng.uniform(0.02, 0.15));
            add_box(&mut mesh, &pose(&mut rng, 0.1), &half);
        }
        let config = SphereGenConfig { max_spheres: 2 + rng.below(10), target_excess: 0.0 };
        let cover = Covering::from_mesh(&mesh).unwrap().fit(&config).unwrap();
        let surface: Vec<_> = (0..20_000).map(|_| on_mesh(&mesh, &mut rng)).collect();
        let mut largest: f64 = 0.0;
        for ball in &cover.spheres {
            for _ in 0..100 {
                let point = ball.center + direction(&mut rng) * ball.radius;
                if winding(&mesh, &point) < 0.5 {
                    largest = largest.max(distance(&surface, &point));
                }
            }
        }
        // 20 000 points lie within 5 mm of every point of half a square metre at most; the bound is the claim.
        assert!(largest <= cover.excess + 0.005, "seed {seed}: {largest} beyond the stated {}", cover.excess);
    }
}

#[test]
fn pieces_of_meshes_contain_every_point_of_their_triangles() {
    for seed in 0..cases(10, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let (mesh, _) = mesh(&mut rng);
        let hull = HullConfig { max_vertices: 4 + rng.below(60), tolerance: rng.uniform(0.0, 0.002) };
        let config = PieceConfig { max_pieces: 1 + rng.below(8), tolerance: rng.uniform(0.0, 0.02), hull };
        let pieces = convex_pieces(&mesh, &config).unwrap();
        assert!(pieces.len() <= config.max_pieces, "seed {seed}");
        let placed: Vec<_> = pieces.iter().map(|piece| (Isometry3::identity(), piece.shape.clone())).collect();
        for _ in 0..cases(300, 3_000) {
            let point = on_mesh(&mesh, &mut rng);
            assert!(contains(&placed, &point), "seed {seed}: {point} is outside");
        }
    }
}

#[test]
fn an_angle_is_cut_into_pieces_that_follow_it() {
    let mut mesh = TriangleMesh::default();
    add_box(&mut mesh, &Isometry3::translation(0.25, 0.0, 0.0), &Vector3::new(0.25, 0.03, 0.03));
    add_box(&mut mesh, &Isometry3::translation(0.0, 0.0, 0.25), &Vector3::new(0.03, 0.03, 0.25));
    let pieces = convex_pieces(&mesh, &PieceConfig::default()).unwrap();
    assert!(pieces.len() > 1, "one hull of an angle reaches 15 cm beyond it");
    assert!(pieces.iter().all(|piece| piece.gap < 0.03), "{pieces:?}");
    let inside_corner = Point3::new(0.2, 0.0, 0.2);
    let placed: Vec<_> = pieces.iter().map(|piece| (Isometry3::identity(), piece.shape.clone())).collect();
    assert!(!contains(&placed, &inside_corner));
}

#[test]
fn hulls_boxes_and_capsules_contain_all_points_and_are_near_the_smallest() {
    for seed in 0..cases(30, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let keep = [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3]][[0, 0, 0, 1, 2, 3][rng.below(6)]];
        let (placed, count) = (pose(&mut rng, 0.3), 1 + rng.below(400));
        let local = cloud(&mut rng, count);
        let points: Vec<_> =
            local.iter().map(|p| placed * Point3::from(p.coords.component_mul(&Vector3::from(keep)))).collect();
        let config = HullConfig { max_vertices: 4 + rng.below(40), tolerance: rng.uniform(0.0, 0.01) };
        let hull = enclosing_hull(&points, &config).unwrap();
        let Shape::Convex { vertices, .. } = &hull else { panic!("{hull:?}") };
        assert!(vertices.len() <= config.max_vertices, "seed {seed}: {} vertices", vertices.len());
        let solid = enclosing_box(&points).unwrap();
        for shape in [(Isometry3::identity(), hull.clone()), solid.clone(), enclosing_capsule(&points).unwrap()] {
            let prepared = PreparedShape::new(&shape.1, &shape.0).unwrap();
            for point in &points {
                let outside = prepared.signed_distance(point);
                assert!(outside <= HULL_ROUNDING, "seed {seed}, {}: {point} is {outside} outside", shape.1.kind());
            }
        }
        // The box that the cloud was drawn from is one that the search has to match, up to its finite choice.
        let extent = |axis: usize| local.iter().map(|p| (p[axis] * keep[axis]).abs()).fold(0.0, f64::max);
        let Shape::Cuboid { half_extents } = solid.1 else { panic!("{solid:?}") };
        let drawn = (0..3).map(|axis| extent(axis).max(2e-6)).product::<f64>();
        assert!(half_extents.product() <= 1.05 * drawn, "seed {seed}: {half_extents} against {drawn}");
    }
}

#[test]
fn a_capsule_of_points_on_a_capsule_is_that_capsule() {
    let mut rng = SeededRng::new(3);
    for _ in 0..5 {
        let placed = pose(&mut rng, 0.5);
        let (radius, half) = (rng.uniform(0.02, 0.1), rng.uniform(0.1, 0.3));
        let point = |rng: &mut SeededRng| {
            let n = direction(rng);
            placed * Point3::from(n * radius + Vector3::z() * (half * n.z.signum()))
        };
        let points: Vec<_> = (0..2_000).map(|_| point(&mut rng)).collect();
        let (_, fitted) = enclosing_capsule(&points).unwrap();
        let Shape::Capsule { radius: r, half_height: h } = fitted else { panic!("{fitted:?}") };
        let volume = |r: f64, h: f64| r * r * (2.0 * h + 4.0 / 3.0 * r);
        assert!(volume(r, h) <= 1.02 * volume(radius, half), "{r} {h} for {radius} {half}");
    }
}

#[test]
fn the_same_mesh_gives_the_same_bytes() {
    let (mesh, _) = mesh(&mut SeededRng::new(5));
    let config = SphereGenConfig { max_spheres: 12, target_excess: 0.0 };
    let once = || Covering::from_mesh(&mesh).unwrap().fit(&config).unwrap();
    assert_eq!(once(), once());
    let pieces = || convex_pieces(&mesh, &PieceConfig::default()).unwrap();
    assert_eq!(pieces(), pieces());
}

#[test]
fn meshes_that_are_none_are_refused() {
    let (good, _) = mesh(&mut SeededRng::new(1));
    let mut beyond = good.clone();
    beyond.triangles[0][1] = 1_000;
    let mut nan = good.clone();
    nan.vertices[0].x = f64::NAN;
    for bad in [&TriangleMesh::default(), &beyond] {
        assert!(matches!(Covering::from_mesh(bad), Err(KineticError::InvalidValue { .. })));
        assert!(matches!(convex_pieces(bad, &PieceConfig::default()), Err(KineticError::InvalidValue { .. })));
    }
    assert!(matches!(Covering::from_mesh(&nan), Err(KineticError::NotFinite { .. })));
    assert!(matches!(convex_pieces(&nan, &PieceConfig::default()), Err(KineticError::NotFinite { .. })));
    assert!(matches!(enclosing_box(&[]), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(enclosing_capsule(&nan.vertices), Err(KineticError::NotFinite { .. })));
    let none = PieceConfig { max_pieces: 0, ..PieceConfig::default() };
    assert!(matches!(convex_pieces(&good, &none), Err(KineticError::InvalidValue { .. })));
}
