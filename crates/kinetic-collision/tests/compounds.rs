//! Meshes, ground and voxels: the tree against all pieces one by one, solids against closed forms, depths against what
//! parts bodies.

use kinetic_collision::exact::{Separation, distance, intersects};
use kinetic_collision::fit::cover_by_grid;
use kinetic_collision::{Body, PreparedShape};
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::support::{bounded_shape, cases, direction, pose, vector};

/// Rounding of poses of about a metre.
const ROUNDING: f64 = 1e-9;
/// Two ways to the distance of a rim.
const RIM: f64 = 2e-6;

/// A shape of many pieces and its pieces as convex shapes.
fn compound(rng: &mut SeededRng, kind: usize) -> (Shape, Vec<Shape>) {
    match kind {
        0 => soup(rng),
        1 => ground(rng),
        2 => cells(rng),
        _ => points(rng),
    }
}

/// Kinds of [`compound`].
const KINDS: usize = 4;

fn convex(points: &[Point3<f64>]) -> Shape {
    Shape::convex(points, 0.0).unwrap()
}

/// Triangles anywhere; every fifth without area.
fn soup(rng: &mut SeededRng) -> (Shape, Vec<Shape>) {
    let count = 1 + rng.below(60);
    let mut vertices = Vec::new();
    for index in 0..count {
        let place = vector(rng, 0.3);
        let corners = [0; 3].map(|_| Point3::from(place + vector(rng, 0.1)));
        let flat = if index % 5 == 4 { nalgebra::center(&corners[0], &corners[1]) } else { corners[2] };
        vertices.extend([corners[0], corners[1], flat]);
    }
    let faces: Vec<[u32; 3]> = (0..count as u32).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
    let pieces = vertices.chunks(3).map(convex).collect();
    (Shape::mesh(&vertices, &faces, false).unwrap(), pieces)
}

fn ground(rng: &mut SeededRng) -> (Shape, Vec<Shape>) {
    let nodes = [2 + rng.below(5), 2 + rng.below(5)];
    let spacing = [rng.uniform(0.02, 0.2), rng.uniform(0.02, 0.2)];
    let heights: Vec<f64> = (0..nodes[0] * nodes[1]).map(|_| rng.uniform(0.0, 0.2)).collect();
    let at = |i: usize, j: usize| {
        let x = spacing[0] * (i as f64 - 0.5 * (nodes[0] - 1) as f64);
        let y = spacing[1] * (j as f64 - 0.5 * (nodes[1] - 1) as f64);
        [Point3::new(x, y, heights[i * nodes[1] + j]), Point3::new(x, y, -0.1)]
    };
    let mut pieces = Vec::new();
    for i in 1..nodes[0] {
        for j in 1..nodes[1] {
            let (low, high) = (at(i - 1, j - 1), at(i, j));
            for beside in [at(i, j - 1), at(i - 1, j)] {
                pieces.push(convex(&[low, high, beside].concat()));
            }
        }
    }
    (Shape::height_field(&heights, nodes, spacing, -0.1).unwrap(), pieces)
}

fn cells(rng: &mut SeededRng) -> (Shape, Vec<Shape>) {
    let resolution = rng.uniform(0.02, 0.1);
    let mut index = || i32::try_from(rng.below(7)).unwrap() - 3;
    let cells: Vec<[i32; 3]> = (0..60).map(|_| [index(), index(), index()]).collect();
    let corner = |cell: &[i32; 3], bits: usize| {
        Point3::from(Vector3::from_fn(|axis, _| (f64::from(cell[axis]) + (bits >> axis & 1) as f64) * resolution))
    };
    let pieces = cells.iter().map(|cell| convex(&(0..8).map(|bits| corner(cell, bits)).collect::<Vec<_>>())).collect();
    (Shape::voxels(&cells, resolution).unwrap(), pieces)
}

/// Balls around points, some without a radius and some on one place.
fn points(rng: &mut SeededRng) -> (Shape, Vec<Shape>) {
    let radius = if rng.below(4) == 0 { 0.0 } else { rng.uniform(0.005, 0.1) };
    let mut points: Vec<Point3<f64>> = (0..=rng.below(200)).map(|_| Point3::from(vector(rng, 0.3))).collect();
    points.push(points[rng.below(points.len())]);
    let ball = |point: &Point3<f64>| Shape::convex(&[*point], radius).unwrap();
    (Shape::point_cloud(&points, radius).unwrap(), points.iter().map(ball).collect())
}

fn measured(a: (&Shape, &Isometry3<f64>), b: (&Shape, &Isometry3<f64>)) -> Separation {
    let (body_a, body_b) = (Body::new(a.0).unwrap(), Body::new(b.0).unwrap());
    distance(&body_a, a.1, &body_b, b.1, f64::INFINITY).unwrap()
}

/// Least distance over all pairs of convex pieces.
fn by_hand(a: (&[Shape], &Isometry3<f64>), b: (&[Shape], &Isometry3<f64>)) -> f64 {
    let pairs = a.0.iter().flat_map(|piece_a| b.0.iter().map(move |piece_b| (piece_a, piece_b)));
    pairs.map(|(piece_a, piece_b)| measured((piece_a, a.1), (piece_b, b.1)).distance).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_nearest_piece_is_found_for_every_kind_of_body() {
    let mut touching = 0;
    for seed in 0..cases(600, 30_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (shape, pieces) = compound(&mut rng, seed as usize % KINDS);
        let other = bounded_shape(&mut rng, seed as usize / KINDS % 5);
        let (here, there) = (pose(&mut rng, 0.3), pose(&mut rng, 0.6));
        let wanted = by_hand((&pieces, &here), (std::slice::from_ref(&other), &there));
        let found = measured((&shape, &here), (&other, &there));
        let label = format!("seed {seed}, {} and {}: {found:?}, {wanted}", shape.kind(), other.kind());
        touching += usize::from(wanted < 0.0);
        // Joined cells are deeper than each of them.
        let is_deeper = shape.kind() == "voxels" && wanted < 0.0 && found.distance < wanted;
        assert!((found.distance - wanted).abs() < RIM || is_deeper, "{label}");
        let between = found.point_b - found.point_a;
        assert!((between - found.normal * found.distance).norm() < ROUNDING, "{label}");
        if found.distance > 0.0 {
            let on_surface = PreparedShape::new(&shape, &here).unwrap().signed_distance(&found.point_a);
            assert!(on_surface.abs() < RIM, "{label}: witness at {on_surface}");
        }
        let (body, other_body) = (Body::new(&shape).unwrap(), Body::new(&other).unwrap());
        for margin in [0.0, 0.02, 0.2] {
            let is_near = intersects(&body, &here, &other_body, &there, margin);
            assert!(is_near == (wanted <= margin) || (wanted - margin).abs() < RIM, "{label}, margin {margin}");
            let cut = distance(&other_body, &there, &body, &here, margin);
            let agrees = cut.is_some_and(|cut| (cut.distance - found.distance).abs() < RIM);
            assert!(agrees == (found.distance <= margin) || (wanted - margin).abs() < RIM, "{label}, margin {margin}");
        }
    }
    assert!(touching > 50);
}

#[test]
fn two_compounds_are_as_far_apart_as_their_nearest_pieces() {
    for seed in 0..cases(60, 2_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (shape, pieces) = compound(&mut rng, seed as usize % KINDS);
        let (other, other_pieces) = compound(&mut rng, seed as usize / KINDS % KINDS);
        let (here, there) = (pose(&mut rng, 0.3), pose(&mut rng, 0.9));
        let wanted = by_hand((&pieces, &here), (&other_pieces, &there));
        let found = measured((&shape, &here), (&other, &there)).distance;
        let joined = [shape.kind(), other.kind()].contains(&"voxels") && wanted < 0.0 && found < wanted;
        assert!((found - wanted).abs() < RIM || joined, "seed {seed}: {found}, {wanted}");
    }
}

#[test]
fn half_spaces_meet_compounds_too() {
    for seed in 0..cases(60, 2_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (shape, pieces) = compound(&mut rng, seed as usize % KINDS);
        let floor = Shape::half_space(direction(&mut rng), rng.uniform(-0.5, 0.5)).unwrap();
        let (here, there) = (pose(&mut rng, 0.3), pose(&mut rng, 0.3));
        let wanted = by_hand((&pieces, &here), (std::slice::from_ref(&floor), &there));
        for found in [measured((&shape, &here), (&floor, &there)), measured((&floor, &there), (&shape, &here))] {
            assert!((found.distance - wanted).abs() < ROUNDING, "seed {seed}: {found:?}, {wanted}");
        }
    }
}

#[test]
fn points_are_measured_to_the_nearest_piece() {
    for seed in 0..cases(300, 10_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (shape, pieces) = compound(&mut rng, seed as usize % KINDS);
        let here = pose(&mut rng, 0.3);
        let prepared = PreparedShape::new(&shape, &here).unwrap();
        let pieces: Vec<_> = pieces.iter().map(|piece| PreparedShape::new(piece, &here).unwrap()).collect();
        for _ in 0..20 {
            let point = Point3::from(vector(&mut rng, 0.8));
            let wanted = pieces.iter().map(|piece| piece.signed_distance(&point)).fold(f64::INFINITY, f64::min);
            let nearest = prepared.nearest(&point);
            let label = format!("seed {seed}, {}: {nearest:?}, {wanted}", shape.kind());
            let is_deeper = shape.kind() == "voxels" && wanted <= 0.0 && nearest.distance <= wanted + ROUNDING;
            assert!((nearest.distance - wanted).abs() < ROUNDING || is_deeper, "{label}");
            if nearest.distance > 1e-6 {
                let step = 1e-7 * (nearest.distance.min(1.0));
                let grown = prepared.signed_distance(&(point + nearest.gradient * step)) - nearest.distance;
                // Coordinates below 1 m, that of the point moved among them, are rounded to half of this each.
                let rounding = 8.0 * f64::EPSILON / step;
                assert!((grown / step - 1.0).abs() < 1e-5 + rounding, "{label}: grows by {}", grown / step);
            }
            assert!(prepared.is_within(&point, nearest.distance + ROUNDING), "{label}");
            assert!(!prepared.is_within(&point, nearest.distance - ROUNDING), "{label}");
        }
    }
}

/// The faces of a box as twelve triangles, outward or all the other way round.
fn box_mesh(half: &Vector3<f64>, is_inverted: bool) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let corner = |bits: usize| Vector3::from_fn(|axis, _| if bits >> axis & 1 == 1 { half[axis] } else { -half[axis] });
    let vertices = (0..8).map(|bits| Point3::from(corner(bits))).collect();
    let mut faces = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    if is_inverted {
        for face in &mut faces {
            face.swap(0, 1);
        }
    }
    (vertices, faces)
}

#[test]
fn a_solid_mesh_of_a_box_measures_points_as_the_box_does() {
    for seed in 0..cases(200, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let half = Vector3::from_fn(|_, _| rng.uniform(0.02, 0.5));
        let (vertices, faces) = box_mesh(&half, seed % 2 == 1);
        let here = pose(&mut rng, 0.3);
        let mesh = PreparedShape::new(&Shape::mesh(&vertices, &faces, true).unwrap(), &here).unwrap();
        let hollow = PreparedShape::new(&Shape::mesh(&vertices, &faces, false).unwrap(), &here).unwrap();
        let solid = PreparedShape::new(&Shape::Cuboid { half_extents: half }, &here).unwrap();
        for _ in 0..40 {
            let local = vector(&mut rng, 1.2).component_mul(&half);
            let point = here * Point3::from(local);
            let (found, wanted) = (mesh.signed_distance(&point), solid.signed_distance(&point));
            assert!((found - wanted).abs() < ROUNDING, "seed {seed}: {found}, {wanted}");
            assert!((hollow.signed_distance(&point) - wanted.abs()).abs() < ROUNDING, "seed {seed}");
            assert_eq!(mesh.is_within(&point, 0.0), wanted <= 0.0, "seed {seed}: {wanted}");
            // Along the gradient the distance grows as fast as one moves, inside as well, where one wall is the nearest.
            let mut walls: Vec<f64> = (half - local).iter().chain(&(half + local)).copied().collect();
            walls.sort_by(f64::total_cmp);
            if walls[0] > 0.0 && walls[1] - walls[0] < 2e-6 {
                continue;
            }
            for (kind, shape) in [("solid", &mesh), ("hollow", &hollow)] {
                let (away, before) = (shape.nearest(&point).gradient, shape.signed_distance(&point));
                let grown = shape.signed_distance(&(point + away * 1e-6)) - before;
                assert!(before.abs() < 2e-6 || (grown - 1e-6).abs() < 1e-9, "seed {seed}, {kind}: {grown} at {before}");
            }
        }
    }
}

/// A ring with a square section, between two radii and ±height: not convex, with a hole through it.
fn ring(inner: f64, outer: f64, height: f64, corners: u32) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for index in 0..corners {
        let (sine, cosine) = (std::f64::consts::TAU * f64::from(index) / f64::from(corners)).sin_cos();
        for (radius, z) in [(inner, -height), (outer, -height), (outer, height), (inner, height)] {
            vertices.push(Point3::new(radius * cosine, radius * sine, z));
        }
        let (here, next) = (4 * index, 4 * ((index + 1) % corners));
        for side in 0..4 {
            let (a, b) = (here + side, here + (side + 1) % 4);
            let (c, d) = (next + side, next + (side + 1) % 4);
            faces.extend([[a, c, b], [b, c, d]]);
        }
    }
    (vertices, faces)
}

#[test]
fn the_hole_of_a_ring_is_outside_and_its_body_inside() {
    let (vertices, faces) = ring(0.2, 0.4, 0.05, 24);
    let mesh = PreparedShape::new(&Shape::mesh(&vertices, &faces, true).unwrap(), &Isometry3::identity()).unwrap();
    let mut rng = SeededRng::new(1);
    let (mut inside, mut outside) = (0, 0);
    // Between the polygon's edges and its corners the side is not known from the radius.
    let sagitta = (std::f64::consts::PI / 24.0).cos();
    for _ in 0..cases(3_000, 100_000) {
        let point = Point3::new(rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), rng.uniform(-0.1, 0.1));
        let radius = point.x.hypot(point.y);
        let is_inside = radius > 0.2 && radius < 0.4 * sagitta && point.z.abs() < 0.05;
        let is_outside = radius < 0.2 * sagitta || radius > 0.4 || point.z.abs() > 0.05;
        let found = mesh.signed_distance(&point);
        assert!(!(is_inside && found > 0.0 || is_outside && found < 0.0), "{point}: {found}");
        inside += usize::from(is_inside);
        outside += usize::from(is_outside);
    }
    assert!(inside > 500 && outside > 500);
}

#[test]
fn balls_inside_a_solid_are_as_deep_as_the_way_out() {
    let half = Vector3::new(0.3, 0.4, 0.5);
    let (vertices, faces) = box_mesh(&half, false);
    let solid = Shape::mesh(&vertices, &faces, true).unwrap();
    let hollow = Shape::mesh(&vertices, &faces, false).unwrap();
    for seed in 0..cases(200, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let radius = rng.uniform(0.01, 0.1);
        let center = vector(&mut rng, 1.0).component_mul(&(half * 0.9));
        let ball = Shape::sphere(radius).unwrap();
        let there = Isometry3::from_parts(Translation3::from(center), UnitQuaternion::identity());
        let wall = (half - center.abs()).min();
        let found = measured((&ball, &there), (&solid, &Isometry3::identity()));
        assert!((found.distance + wall + radius).abs() < ROUNDING, "seed {seed}: {found:?}, {wall} {radius}");
        // Moved out along the normal, it touches and no more.
        let out = Translation3::from(found.normal * found.distance) * there;
        let touching = measured((&ball, &out), (&solid, &Isometry3::identity())).distance;
        assert!(touching.abs() < ROUNDING, "seed {seed}: {touching}");
        let within = measured((&ball, &there), (&hollow, &Isometry3::identity())).distance;
        assert!((within - (wall - radius)).abs() < ROUNDING, "seed {seed}: {within}");
    }
}

#[test]
fn what_a_solid_has_swallowed_touches_it_and_what_a_shell_holds_does_not() {
    for seed in 0..cases(200, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let half = Vector3::from_fn(|_, _| rng.uniform(0.3, 0.6));
        let small = Vector3::from_fn(|_, _| rng.uniform(0.02, 0.1));
        let here = pose(&mut rng, 0.3);
        let offset = Vector3::from_fn(|axis, _| (half[axis] - small[axis] - 0.01) * rng.uniform(-1.0, 1.0));
        let there = here * Isometry3::from_parts(offset.into(), UnitQuaternion::identity());
        let (vertices, faces) = box_mesh(&half, seed % 2 == 1);
        let [solid, shell] = [true, false].map(|is_solid| Shape::mesh(&vertices, &faces, is_solid).unwrap());
        let (corners, small_faces) = box_mesh(&small, false);
        // The nearest wall, and the way out through it.
        let walls = (half - small - offset.abs()).min();
        let way_out = (half + small - offset.abs()).min();
        let inner = [
            Shape::Cuboid { half_extents: small },
            convex(&corners),
            Shape::mesh(&corners, &small_faces, true).unwrap(),
            Shape::mesh(&corners, &small_faces, false).unwrap(),
        ];
        for (index, inside) in inner.iter().enumerate() {
            let label = format!("seed {seed}, {index}");
            for is_swapped in [false, true] {
                let ask = |outer: &Shape| {
                    let pair = [(outer, &here), (inside, &there)];
                    let (a, b) = if is_swapped { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
                    let (body_a, body_b) = (Body::new(a.0).unwrap(), Body::new(b.0).unwrap());
                    let near = intersects(&body_a, a.1, &body_b, b.1, 0.0);
                    (measured(a, b).distance, near, distance(&body_a, a.1, &body_b, b.1, 0.0).is_some())
                };
                let (depth, is_near, is_found) = ask(&solid);
                assert!(is_near && is_found && depth < -walls, "{label}: {depth}, {walls} from the wall");
                assert!(-depth <= way_out + ROUNDING, "{label}: {depth}, out after {way_out}");
                let (gap, is_near, is_found) = ask(&shell);
                // A solid in a shell is swallowed by nobody.
                assert!(!is_near && !is_found && (gap - walls).abs() < RIM, "{label}: {gap}, not {walls}");
            }
        }
    }
}

#[test]
fn the_nearest_of_pieces_that_single_precision_cannot_tell_apart_is_found() {
    // Coordinates beyond 4096 m have steps of half a millimetre in single precision, those before it half of that.
    let far = Vector3::repeat(4096.0);
    let here = Isometry3::from_parts((-far).into(), UnitQuaternion::identity());
    for seed in 0..cases(300, 10_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let axis = seed as usize % 3;
        let mut vertices = Vec::new();
        for _ in 0..40 {
            let place = vector(&mut rng, 0.01);
            for _ in 0..3 {
                let mut corner = place + vector(&mut rng, 0.001);
                corner[axis] = -rng.uniform(1e-4, 2e-3);
                vertices.push(Point3::from(far + corner));
            }
        }
        let faces: Vec<[u32; 3]> = (0..40).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
        let body = Body::new(&Shape::mesh(&vertices, &faces, false).unwrap()).unwrap();
        // A plate that covers all of them: the nearest corner is the one that is farthest along the axis.
        let mut offset = Vector3::zeros();
        offset[axis] = 0.02 + rng.uniform(0.0, 1e-3);
        let there = Isometry3::from_parts(offset.into(), UnitQuaternion::identity());
        let plate = Body::new(&Shape::cuboid(0.02, 0.02, 0.02).unwrap()).unwrap();
        let foremost = vertices.iter().map(|corner| corner[axis] - far[axis]).fold(f64::NEG_INFINITY, f64::max);
        let wanted = offset[axis] - 0.02 - foremost;
        for cutoff in [f64::INFINITY, wanted + 1e-8] {
            let found = distance(&plate, &there, &body, &here, cutoff);
            // Rounding of such coordinates is a picometre.
            let is_right = found.is_some_and(|found| (found.distance - wanted).abs() < RIM);
            assert!(is_right, "seed {seed}: {found:?}, {wanted}");
        }
        assert!(intersects(&body, &here, &plate, &there, wanted + RIM), "seed {seed}: {wanted}");
        assert!(!intersects(&body, &here, &plate, &there, wanted - RIM), "seed {seed}: {wanted}");
    }
}

/// No shorter way parts two bodies.
#[test]
fn depths_are_never_larger_than_what_parts_the_bodies() {
    let (vertices, faces) = ring(0.2, 0.4, 0.1, 12);
    let shape = Shape::mesh(&vertices, &faces, true).unwrap();
    let (body, origin) = (Body::new(&shape).unwrap(), Isometry3::identity());
    let mut deep = 0;
    for seed in 0..cases(300, 10_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let other = Body::new(&bounded_shape(&mut rng, seed as usize % 5)).unwrap();
        let there = pose(&mut rng, 0.3);
        let Some(found) = distance(&other, &there, &body, &origin, -1e-6) else { continue };
        deep += 1;
        for _ in 0..30 {
            let way = direction(&mut rng) * (-found.distance * 0.999 * rng.uniform(0.9, 1.0));
            let moved = Translation3::from(way) * there;
            assert!(intersects(&other, &moved, &body, &origin, 0.0), "seed {seed}: {found:?} parted by {way:?}");
        }
    }
    assert!(deep > 100);
}

#[test]
fn quick_covers_of_compounds_contain_their_pieces() {
    for seed in 0..cases(60, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (shape, pieces) = compound(&mut rng, seed as usize % KINDS);
        let here = pose(&mut rng, 0.3);
        let spheres = cover_by_grid(&shape, &here, 16).unwrap();
        assert!(!spheres.is_empty() && spheres.len() <= 16, "seed {seed}");
        for piece in &pieces {
            let Shape::Convex { vertices, radius } = piece else { panic!("{}", piece.kind()) };
            for _ in 0..20 {
                // A random point of the piece.
                let weights: Vec<f64> = vertices.iter().map(|_| rng.uniform(0.0, 1.0).powi(3)).collect();
                let sum: Vector3<f64> = vertices.iter().zip(&weights).map(|(v, w)| v.coords * *w).sum();
                let rounding = direction(&mut rng) * *radius;
                let point = here * Point3::from(sum / weights.iter().sum::<f64>() + rounding);
                let is_covered = spheres.iter().any(|ball| (point - ball.center).norm() <= ball.radius + 1e-12);
                assert!(is_covered, "seed {seed}, {}: {point}", shape.kind());
            }
        }
    }
}
