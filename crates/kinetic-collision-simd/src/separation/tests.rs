//! Against the exact tier, which finds distances in another way.

use kinetic_collision::exact;
use kinetic_collision::exact::Body;
use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::*;

fn count() -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { 1_000_000 } else { 10_000 }
}

fn body(rng: &mut SeededRng) -> Body {
    let kind = rng.below(6);
    let mut size = || rng.uniform(0.01, 0.3);
    let shape = match kind {
        0 => Shape::sphere(size()),
        1 => Shape::capsule(size(), size()),
        2 => Shape::cuboid(size(), size(), size()),
        3 => Shape::cylinder(size(), size()),
        _ => {
            // Off the origin, with up to 150 corners; some are flat.
            let flat = if kind == 4 { 1.0 } else { 1e-3 };
            let points = 4 + rng.below(150);
            let mut point = || Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.2, 0.3)));
            let corners: Vec<Point3<f64>> =
                (0..points).map(|_| point()).map(|p| Point3::new(p.x, p.y, flat * p.z)).collect();
            Shape::convex(&corners, 0.001)
        }
    };
    Body::new(&shape.expect("sizes are positive")).expect("a solid")
}

fn pose(rng: &mut SeededRng, far: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::new_normalize(Quaternion::from([0; 4].map(|_| rng.uniform(-1.0, 1.0))));
    Isometry3::from_parts(Vector3::from_fn(|_, _| rng.uniform(-far, far)).into(), rotation)
}

fn rigid(pose: &Isometry3<f64>) -> Rigid {
    Rigid { rotation: pose.rotation.to_rotation_matrix().into_inner(), translation: pose.translation.vector }
}

fn separation(a: &Body, b: &Body, a_from_piece: &Isometry3<f64>) -> SeparationTest {
    let pieces: Arc<[Option<SupportPiece>]> =
        [SupportPiece::new(a, a_from_piece), SupportPiece::new(b, &Isometry3::identity())].into();
    let instructions = Instructions::with_fused_multiply_add(usual_tier());
    SeparationTest {
        instructions,
        pieces,
        obstacles: Arc::default(),
        first: [0, 2].into(),
        cached_axes: vec![CachedAxis::default(); CACHE_SLOTS],
        cached_simplices: Vec::new(),
    }
}

#[test]
fn nothing_is_certain_that_the_exact_tier_denies_and_little_is_left_to_it() {
    if Instructions::with_fused_multiply_add(usual_tier()).is_none() {
        // Without these instructions nothing is tested.
        let mut rng = SeededRng::new(0);
        let (a, b) = (body(&mut rng), body(&mut rng));
        let mut separation = separation(&a, &b, &Isometry3::identity());
        assert_eq!(separation.separated((0, None), (1, &Rigid::identity()), 0.0), Separated::Perhaps);
        return;
    }
    let (mut undecided, mut tested) = (0, 0);
    for seed in 0..count() as u64 {
        let mut rng = SeededRng::new(seed);
        let (a, b) = (body(&mut rng), body(&mut rng));
        let (root_from_a, a_from_piece, root_from_b) = (pose(&mut rng, 0.6), pose(&mut rng, 0.1), pose(&mut rng, 0.6));
        let mut separation = separation(&a, &b, &a_from_piece);
        let root_from_piece = root_from_a * a_from_piece;
        let distance =
            exact::distance(&a, &root_from_piece, &b, &root_from_b, f64::INFINITY).expect("no cutoff").distance;
        // Later bounds start from the cached axes of earlier ones.
        for off in [-0.1, -1e-2, -1e-3, -1e-4, -1e-6, 0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, -0.1, -1e-3] {
            let bound = distance + off;
            if bound < 0.0 {
                continue;
            }
            let found = separation.separated((0, Some(&rigid(&root_from_a))), (1, &rigid(&root_from_b)), bound);
            // The result of the exact tier itself, whose distance may be below the true one.
            let is_near = exact::intersects(&a, &root_from_piece, &b, &root_from_b, bound);
            assert!(found != Separated::Yes || !is_near, "seed {seed}: {distance} is not beyond {bound}");
            assert!(found != Separated::No || is_near, "seed {seed}: {distance} is beyond {bound}");
            tested += usize::from(off.abs() >= 1e-3);
            undecided += usize::from(off.abs() >= 1e-3 && found == Separated::Perhaps);
        }
    }
    assert!(tested > count() && undecided * 20 < tested, "{undecided} of {tested} left undecided");
}

/// Distances and witnesses against those of the exact tier, with and without a direction of the last search.
#[test]
fn distances_are_those_of_the_exact_tier_within_the_stated_error() {
    if Instructions::with_fused_multiply_add(usual_tier()).is_none() {
        return;
    }
    let (mut apart, mut known) = (0, 0);
    for seed in 0..count() as u64 {
        let mut rng = SeededRng::new(seed);
        let (a, b) = (body(&mut rng), body(&mut rng));
        let (root_from_a, a_from_piece, root_from_b) = (pose(&mut rng, 0.6), pose(&mut rng, 0.1), pose(&mut rng, 0.6));
        let mut separation = separation(&a, &b, &a_from_piece);
        for _ in 0..3 {
            let nudge = Isometry3::from_parts(
                Vector3::from_fn(|_, _| rng.uniform(-5e-3, 5e-3)).into(),
                pose(&mut rng, 0.0).rotation.powf(0.01),
            );
            let root_from_a = root_from_a * nudge;
            let root_from_piece = root_from_a * a_from_piece;
            let exact = exact::distance(&a, &root_from_piece, &b, &root_from_b, f64::INFINITY).expect("no cutoff");
            let frames = (rigid(&root_from_a), rigid(&root_from_b));
            let found = separation.distance((0, Some(&frames.0)), (1, &frames.1), 1e3);
            let (ball_a, ball_b) = (a.bounding_ball(), b.bounding_ball());
            let size =
                (root_from_piece * ball_a.center - root_from_b * ball_b.center).norm() + ball_a.radius + ball_b.radius;
            let error = SINGLE_PRECISION_ERROR * size;
            apart += usize::from(exact.distance > 1e-4);
            let PieceDistance::Apart { distance, point_a, normal } = found else {
                assert_eq!(found, PieceDistance::Unknown, "seed {seed}");
                continue;
            };
            known += usize::from(exact.distance > 1e-4);
            assert!((distance - exact.distance).abs() <= error, "seed {seed}: {distance} for {}", exact.distance);
            // The witness is on the surface, and nothing of the first piece is beyond it along the normal.
            assert!((normal.norm() - 1.0).abs() < 1e-6, "seed {seed}");
            let point_b = point_a + normal * distance;
            let is_on = |body: &Body, pose: &Isometry3<f64>, point: &Point3<f64>| {
                body.prepared(pose).expect("a solid").signed_distance(point).abs() <= 4.0 * error
            };
            assert!(
                is_on(&a, &root_from_piece, &point_a) && is_on(&b, &root_from_b, &point_b),
                "seed {seed}: {found:?} {exact:?}"
            );
            let cut = separation.distance((0, Some(&frames.0)), (1, &frames.1), exact.distance - 2.0 * error - 1e-4);
            assert!(matches!(cut, PieceDistance::Beyond | PieceDistance::Unknown), "seed {seed}: {cut:?}");
        }
    }
    assert!(known * 100 > apart * 98, "{known} of {apart}");
}

/// An obstacle that is rotated has other support points than those that the last search ended with.
#[test]
fn distances_to_an_obstacle_that_was_rotated_are_those_of_a_new_search() {
    if Instructions::with_fused_multiply_add(usual_tier()).is_none() {
        return;
    }
    for seed in 0..200 {
        let mut rng = SeededRng::new(seed);
        let (a, b) = (Arc::new(body(&mut rng)), Arc::new(body(&mut rng)));
        let obstacle = |pose: Isometry3<f64>| Obstacle {
            name: String::new(),
            solid: b.shape(),
            shape: b.prepared(&pose).expect("a solid"),
            body: Arc::clone(&b),
            world_from_body: pose,
            tree: None,
        };
        let mut test = separation(&a, &a, &Isometry3::identity());
        test.first = [0, 1, 2].into();
        test.obstacles = pieces_of(&[obstacle(pose(&mut rng, 0.6))]);
        let frame = rigid(&Isometry3::identity());
        for _ in 0..5 {
            let moved = pose(&mut rng, 0.6);
            test.move_obstacle(0, &obstacle(moved));
            let exact =
                exact::distance(&a, &Isometry3::identity(), &b, &moved, f64::INFINITY).expect("no cutoff").distance;
            match test.distance((test.obstacle(0), None), (0, &frame), 1e3) {
                PieceDistance::Apart { distance, .. } => {
                    assert!(
                        (distance - exact).abs() < 4.0 * SINGLE_PRECISION_ERROR,
                        "seed {seed}: {distance} for {exact}"
                    );
                }
                other => assert!(other == PieceDistance::Unknown, "seed {seed}: {other:?}"),
            }
        }
    }
}
