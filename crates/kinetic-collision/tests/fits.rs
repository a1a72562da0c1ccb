//! Sphere covers: nothing of the shape outside, no more beyond it than stated.

use kinetic_collision::fit::{Covering, cover, cover_all, cover_by_grid, excess};
use kinetic_collision::{PreparedShape, Sphere, SphereGenConfig};
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::support::{bounded_shape, cases, cloud, direction, pose};

/// Samples of a shape are on it to rounding; covers have a slack of 1e-9.
const ROUNDING: f64 = 1e-12;

/// A random point of a bounded shape in its frame: on the surface (often on edges and corners) or inside.
fn sample(shape: &Shape, rng: &mut SeededRng) -> Point3<f64> {
    let shrink = if rng.below(2) == 0 { 1.0 } else { rng.unit() };
    let n = direction(rng);
    let round = |radius: f64| n * radius * shrink;
    let side = |rng: &mut SeededRng| [-1.0, 1.0, rng.uniform(-1.0, 1.0)][rng.below(3)];
    let local = match shape {
        Shape::Sphere { radius } => round(*radius),
        Shape::Cuboid { half_extents } => half_extents.map(|half| half * side(rng)),
        Shape::Capsule { radius, half_height } => Vector3::z() * (half_height * side(rng)) + round(*radius),
        Shape::Cylinder { radius, half_height } => {
            let (sine, cosine) = rng.uniform(0.0, std::f64::consts::TAU).sin_cos();
            Vector3::new(radius * shrink * cosine, radius * shrink * sine, half_height * side(rng))
        }
        Shape::Convex { vertices, radius } => {
            // One, two, three or many corners: corners, edges, faces and the inside.
            let count = [1, 2, 3, 10][rng.below(4)];
            let weights: Vec<f64> = (0..count).map(|_| rng.unit() + 1e-3).collect();
            let total: f64 = weights.iter().sum();
            let blend = |sum: Vector3<f64>, weight: f64, rng: &mut SeededRng| {
                sum + vertices[rng.below(vertices.len())].coords * (weight / total)
            };
            weights.iter().fold(Vector3::zeros(), |sum, weight| blend(sum, *weight, rng)) + round(*radius)
        }
        other => panic!("{} is not bounded", other.kind()),
    };
    Point3::from(local)
}

fn is_covered(spheres: &[Sphere], point: &Point3<f64>) -> bool {
    spheres.iter().any(|ball| (point - ball.center).norm() <= ball.radius + ROUNDING)
}

fn random_config(rng: &mut SeededRng) -> SphereGenConfig {
    SphereGenConfig { max_spheres: 1 + rng.below(16), target_excess: rng.uniform(0.0, 0.05) }
}

#[test]
fn covers_contain_every_sample_of_the_shape() {
    for seed in 0..cases(10, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let shape = bounded_shape(&mut rng, seed as usize % 5);
        let (link_from_shape, config) = (pose(&mut rng, 0.3), random_config(&mut rng));
        let spheres = cover(&shape, &link_from_shape, &config).unwrap();
        assert!(!spheres.is_empty() && spheres.len() <= config.max_spheres, "seed {seed}");
        let by_grid = cover_by_grid(&shape, &link_from_shape, config.max_spheres).unwrap();
        assert!(!by_grid.is_empty() && by_grid.len() <= config.max_spheres, "seed {seed}");
        for _ in 0..400 {
            let point = link_from_shape * sample(&shape, &mut rng);
            for spheres in [&spheres, &by_grid] {
                assert!(is_covered(spheres, &point), "seed {seed}, {}: {point} is outside", shape.kind());
            }
        }
    }
}

/// A box or a cylinder between a plate and a rod, in every proportion.
fn box_or_cylinder(rng: &mut SeededRng) -> Shape {
    let mut length = || 10.0_f64.powf(rng.uniform(-2.5, 0.0));
    let (x, y, z) = (length(), length(), length());
    if rng.below(2) == 0 { Shape::cuboid(x, y, z).unwrap() } else { Shape::cylinder(x, y).unwrap() }
}

#[test]
fn boxes_and_cylinders_of_every_proportion_are_covered_within_the_excess_that_was_asked_for() {
    for seed in 0..cases(150, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let (shape, at) = (box_or_cylinder(&mut rng), pose(&mut rng, 0.3));
        let config = SphereGenConfig { max_spheres: 1 + rng.below(64), target_excess: rng.uniform(0.002, 0.1) };
        let spheres = cover(&shape, &at, &config).unwrap();
        assert!(spheres.len() <= config.max_spheres, "seed {seed}: {}", spheres.len());
        for _ in 0..400 {
            let point = at * sample(&shape, &mut rng);
            assert!(is_covered(&spheres, &point), "seed {seed}: {point} of {shape:?}");
        }
        // What is not reached takes more spheres than there may be.
        let larger = cover(&shape, &at, &SphereGenConfig { max_spheres: 300, ..config }).unwrap();
        let is_reached = |spheres: &[Sphere]| excess(spheres, &shape, &at).unwrap() <= config.target_excess + 1e-8;
        assert!(
            is_reached(&spheres) || !is_reached(&larger) || larger.len() > config.max_spheres,
            "seed {seed}: {} of {config:?}",
            spheres.len()
        );
    }
}

#[test]
fn closed_forms_take_hardly_more_spheres_than_a_search() {
    let (mut closed, mut searched) = (0, 0);
    for seed in 0..cases(12, 100) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut length = || rng.uniform(0.02, 0.15);
        let (x, y, z) = (length(), length(), length());
        let shape = if seed % 2 == 0 { Shape::cuboid(x, y, z) } else { Shape::cylinder(x, y) }.unwrap();
        let config = SphereGenConfig { max_spheres: 200, ..SphereGenConfig::default() };
        closed += cover(&shape, &Isometry3::identity(), &config).unwrap().len();
        let search = Covering::from_shapes(&[(Isometry3::identity(), &shape)]).unwrap();
        searched += search.fit(&config).unwrap().spheres.len();
    }
    assert!(closed * 10 <= searched * 12, "{closed} in closed form, {searched} searched");
}

#[test]
fn covers_of_flat_straight_and_single_hulls_contain_them() {
    for seed in 0..cases(10, 1_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let keep = Vector3::from([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]][seed as usize % 3]);
        let count = 1 + rng.below(16);
        let placed = pose(&mut rng, 0.3);
        let mut points: Vec<_> =
            cloud(&mut rng, count).iter().map(|p| placed * Point3::from(p.coords.component_mul(&keep))).collect();
        points.extend_from_within(..);
        let shape = Shape::convex(&points, [0.0, 0.02][rng.below(2)]).unwrap();
        let spheres = cover(&shape, &Isometry3::identity(), &random_config(&mut rng)).unwrap();
        for _ in 0..200 {
            let point = sample(&shape, &mut rng);
            assert!(is_covered(&spheres, &point), "seed {seed}: {point} is outside {spheres:?}");
        }
    }
}

#[test]
fn the_stated_excess_is_the_largest_distance_of_the_cover_from_the_shape() {
    for seed in 0..cases(8, 300) as u64 {
        let mut rng = SeededRng::new(seed);
        let shape = bounded_shape(&mut rng, seed as usize % 5);
        let config = random_config(&mut rng);
        let spheres = cover(&shape, &Isometry3::identity(), &config).unwrap();
        let stated = excess(&spheres, &shape, &Isometry3::identity()).unwrap();
        let prepared = PreparedShape::new(&shape, &Isometry3::identity()).unwrap();
        let mut largest: f64 = 0.0;
        for ball in &spheres {
            for _ in 0..500 {
                largest = largest.max(prepared.signed_distance(&(ball.center + direction(&mut rng) * ball.radius)));
            }
        }
        assert!(largest <= stated + 1e-9, "seed {seed}: {largest} beyond the stated {stated}");
        // 500 directions per ball miss the farthest point by a few degrees.
        assert!(largest > stated - 0.02 * (stated + 0.1), "seed {seed}: {largest}, stated {stated}");
    }
}

/// Volume of a union of balls, m³, by counting the same points for every union.
fn volume(spheres: &[Sphere]) -> f64 {
    let mut rng = SeededRng::new(99);
    let hits = (0..20_000).filter(|_| {
        let point = Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.6, 0.6)));
        spheres.iter().any(|ball| ball.contains(&point))
    });
    hits.count() as f64 / 20_000.0 * 1.2_f64.powi(3)
}

#[test]
fn finer_covers_have_less_excess_and_less_volume() {
    let mut volumes = [0.0; 3];
    for seed in 0..cases(6, 100) as u64 {
        let mut rng = SeededRng::new(seed);
        let shape = bounded_shape(&mut rng, 1 + seed as usize % 4);
        let at = Isometry3::identity();
        let configs = [SphereGenConfig::coarse(), SphereGenConfig::default(), SphereGenConfig::fine()];
        let covers = configs.map(|config| cover(&shape, &at, &config).unwrap());
        let [coarse, medium, fine] = covers.each_ref().map(|spheres| excess(spheres, &shape, &at).unwrap());
        assert!(coarse >= medium - 1e-9 && medium >= fine - 1e-9, "seed {seed}: {coarse} {medium} {fine}");
        for (sum, spheres) in volumes.iter_mut().zip(&covers) {
            *sum += volume(spheres);
        }
    }
    let [coarse, medium, fine] = volumes;
    assert!(coarse > medium * 1.01 && medium > fine * 1.01, "{coarse} {medium} {fine}");
}

#[test]
fn capsules_get_equal_balls_on_their_axis() {
    let capsule = Shape::capsule(0.05, 0.2).unwrap();
    let config = SphereGenConfig { max_spheres: 5, target_excess: 0.0 };
    let spheres = cover(&capsule, &Isometry3::identity(), &config).unwrap();
    assert_eq!(spheres.len(), 5);
    // 4 gaps of 2 √(R² − r²) and twice R − r make the 0.4 m of the segment: R worked out by hand to 4 digits.
    assert!(spheres.iter().all(|ball| (ball.radius - 0.068).abs() < 1e-3 && ball.center.xy().coords.norm() < 1e-12));
}

#[test]
fn the_budget_of_a_link_goes_to_the_shape_that_is_covered_worst() {
    let (large, small) = (Shape::cuboid(0.3, 0.1, 0.1).unwrap(), Shape::sphere(0.03).unwrap());
    let aside = Isometry3::translation(0.5, 0.0, 0.0);
    let config = SphereGenConfig { max_spheres: 40, target_excess: 0.0 };
    let spheres = cover_all(&[(Isometry3::identity(), &large), (aside, &small)], &config).unwrap();
    let at_small = spheres.iter().filter(|ball| ball.center.x > 0.4).count();
    assert!(at_small == 1 && spheres.len() > 10 && spheres.len() <= 40, "{spheres:?}");
    let none = cover_all(&[], &config).unwrap();
    assert!(none.is_empty());
}

#[test]
fn a_grid_cuts_a_rod_along_its_length() {
    let rod = Shape::cuboid(0.4, 0.05, 0.05).unwrap();
    let spheres = cover_by_grid(&rod, &Isometry3::identity(), 4).unwrap();
    // Four cells of 0.1 x 0.05 x 0.05 or so: balls through the corners of each.
    let radius: f64 = Vector3::new(0.1, 0.05, 0.05).norm();
    assert_eq!(spheres.len(), 4);
    assert!(spheres.iter().all(|ball| (ball.radius - radius).abs() < 1e-6), "{spheres:?}");
}

#[test]
fn the_same_shape_gives_the_same_bytes() {
    let shape = bounded_shape(&mut SeededRng::new(3), 4);
    let once = || cover(&shape, &Isometry3::identity(), &SphereGenConfig::fine()).unwrap();
    assert_eq!(once(), once());
}

#[test]
fn half_spaces_and_empty_budgets_are_refused() {
    let half_space = Shape::half_space(Vector3::z(), 0.0).unwrap();
    let ball = Shape::sphere(0.1).unwrap();
    let at = Isometry3::identity();
    let refused = |result: Result<Vec<Sphere>, KineticError>| matches!(result, Err(KineticError::InvalidValue { .. }));
    assert!(refused(cover(&half_space, &at, &SphereGenConfig::default())));
    assert!(refused(cover(&ball, &at, &SphereGenConfig { max_spheres: 0, target_excess: 0.1 })));
    assert!(refused(cover(&ball, &at, &SphereGenConfig { max_spheres: 1, target_excess: f64::NAN })));
    assert!(refused(cover_by_grid(&half_space, &at, 4)));
    assert!(refused(cover_by_grid(&ball, &at, 0)));
}
