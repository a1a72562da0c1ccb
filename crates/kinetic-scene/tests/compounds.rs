//! Meshes, ground and voxels as obstacles: the same verdicts as their pieces one by one, in every query.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_scene::{Checker, Margins, Scene};
use nalgebra::{Point3, Vector3};

use crate::cases;
use crate::support::{ball_arm, built_in, random_configuration};

/// Two triangles: a square of side 2 · `half` in the plane x–z.
fn plate(half: f64) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let vertices = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    (vertices.map(|(x, z)| Point3::new(x * half, 0.0, z * half)).to_vec(), vec![[0, 1, 2], [0, 2, 3]])
}

#[test]
fn a_plate_without_any_thickness_between_two_free_ends_is_never_missed() {
    let robot = ball_arm();
    let (vertices, faces) = plate(1.0);
    for seed in 0..cases(1_000, 100_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let from = random_configuration(&robot, &mut rng);
        let mut to = from.clone();
        to[0] = rng.uniform(-3.0, 3.0);
        // Upright through the z axis, at an angle that the arm sweeps through.
        let angle = from[0] + rng.uniform(0.05, 0.95) * (to[0] - from[0]);
        let pose = Pose::from_xyz_rpy(f64::cos(angle), f64::sin(angle), 0.1, 0.0, 0.0, angle);
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("plate", Shape::mesh(&vertices, &faces, false).unwrap(), pose).unwrap();
        let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
        assert!(!checker.is_motion_free(&from, &to), "seed {seed}");
        let (t, pair) = checker.first_contact(&from, &to).unwrap();
        assert!((0.0..=1.0).contains(&t) && pair.other == "plate", "seed {seed}: {t} {pair:?}");
    }
}

/// A compound and its pieces as objects of their own.
fn pieces(kind: usize, rng: &mut SeededRng) -> (Shape, Vec<Shape>) {
    let convex = |points: &[Point3<f64>]| Shape::convex(points, 0.0).unwrap();
    match kind {
        0 => {
            let mut vertices = Vec::new();
            for _ in 0..25 {
                let place = Vector3::from_fn(|_, _| rng.uniform(-0.3, 0.3));
                vertices.extend([0; 3].map(|_| Point3::from(place + Vector3::from_fn(|_, _| rng.uniform(-0.1, 0.1)))));
            }
            let faces: Vec<[u32; 3]> = (0..25).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
            (Shape::mesh(&vertices, &faces, false).unwrap(), vertices.chunks(3).map(convex).collect())
        }
        1 => {
            let heights: Vec<f64> = (0..16).map(|_| rng.uniform(0.0, 0.3)).collect();
            let at = |i: usize, j: usize| {
                let (x, y) = (0.2 * (i as f64 - 1.5), 0.2 * (j as f64 - 1.5));
                [Point3::new(x, y, heights[4 * i + j]), Point3::new(x, y, -0.3)]
            };
            let corners = (0..9).map(|index| (index / 3, index % 3));
            let halves = corners.flat_map(|(i, j)| [(i, j, i + 1, j), (i, j, i, j + 1)]);
            let prism =
                |(i, j, k, l): (usize, usize, usize, usize)| convex(&[at(i, j), at(i + 1, j + 1), at(k, l)].concat());
            (Shape::height_field(&heights, [4, 4], [0.2, 0.2], -0.3).unwrap(), halves.map(prism).collect())
        }
        2 => {
            let radius = rng.uniform(0.005, 0.05);
            let points: Vec<Point3<f64>> =
                (0..100).map(|_| Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.3, 0.3)))).collect();
            let ball = |point: &Point3<f64>| Shape::convex(&[*point], radius).unwrap();
            (Shape::point_cloud(&points, radius).unwrap(), points.iter().map(ball).collect())
        }
        _ => {
            let mut index = || i32::try_from(rng.below(8)).unwrap() - 4;
            let cells: Vec<[i32; 3]> = (0..25).map(|_| [index(), index(), index()]).collect();
            let cell = |cell: &[i32; 3]| {
                let corner = |bits: usize| {
                    Point3::from(Vector3::from_fn(|axis, _| {
                        (f64::from(cell[axis]) + f64::from(u8::from(bits >> axis & 1 == 1))) * 0.07
                    }))
                };
                convex(&(0..8).map(corner).collect::<Vec<_>>())
            };
            (Shape::voxels(&cells, 0.07).unwrap(), cells.iter().map(cell).collect())
        }
    }
}

/// A checker of the robot among one compound, and one among its pieces.
fn checkers(name: &str, kind: usize, rng: &mut SeededRng) -> (Checker, Checker) {
    let robot = built_in(name);
    let (angle, reach) = (rng.uniform(-3.0, 3.0), rng.uniform(0.5, 0.8));
    let pose = Pose::from_xyz_rpy(reach * angle.cos(), reach * angle.sin(), rng.uniform(0.2, 0.8), 0.3, -0.5, angle);
    let (shape, parts) = pieces(kind, rng);
    let mut whole = Scene::new(&robot).unwrap();
    let mut apart = whole.clone();
    whole.add("obstacle", shape, pose).unwrap();
    for (index, part) in parts.into_iter().enumerate() {
        apart.add(&format!("part{index}"), part, pose).unwrap();
    }
    let margins = Margins::new(0.01, 0.0);
    (whole.checker("arm", margins).unwrap(), apart.checker("arm", margins).unwrap())
}

#[test]
fn configurations_and_motions_get_the_verdicts_of_the_pieces() {
    for name in ["ur5e", "franka_panda"] {
        let robot = built_in(name);
        let (mut free, mut blocked) = (0, 0);
        for seed in 0..cases(30, 2_000) as u64 {
            let mut rng = SeededRng::new(seed);
            let (mut whole, mut apart) = checkers(name, seed as usize % 4, &mut rng);
            let rows: Vec<Vec<f64>> = (0..20).map(|_| random_configuration(&robot, &mut rng)).collect();
            let verdicts = whole.are_free(&rows.concat());
            for (q, is_free) in rows.iter().zip(verdicts) {
                assert_eq!(is_free, apart.is_free(q), "{name}, seed {seed}: {q:?}");
                assert_eq!(is_free, whole.is_free(q), "{name}, seed {seed}: {q:?}");
                let (one, other) = (whole.world_distance(q).0, apart.world_distance(q).0);
                let is_deeper = other < 0.0 && one <= other;
                assert!((one - other).abs() < 2e-6 || is_deeper, "{name}, seed {seed}: {one}, {other}");
            }
            for pair in rows.windows(2) {
                let to: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| a + 0.2 * (b - a)).collect();
                let is_free = whole.is_motion_free(&pair[0], &to);
                assert_eq!(is_free, apart.is_motion_free(&pair[0], &to), "{name}, seed {seed}: {:?} {to:?}", pair[0]);
                free += usize::from(is_free);
                blocked += usize::from(!is_free);
            }
        }
        assert!(free > 50 && blocked > 50, "{name}: {free} free, {blocked} blocked");
    }
}

/// Regression 25: in the frame of a shape whose coordinates are thousands of metres, those of the robot are rounded to half a
/// millimetre in single precision, wherever the pose puts the shape.
#[test]
fn shapes_far_from_their_own_origin_get_the_verdicts_of_shapes_around_it() {
    let robot = ball_arm();
    let far = Vector3::new(7_000.0, -6_000.0, 5_000.0);
    let mut close = 0;
    for seed in 0..cases(100, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let corners: Vec<Point3<f64>> =
            (0..60).map(|_| Point3::from(Vector3::from_fn(|_, _| rng.uniform(-0.6, 0.6)))).collect();
        let faces: Vec<[u32; 3]> = (0..20).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
        let shape = |corners: &[Point3<f64>]| match seed % 2 {
            0 => Shape::point_cloud(corners, 0.05).unwrap(),
            _ => Shape::mesh(corners, &faces, false).unwrap(),
        };
        let pose = Pose::from_xyz_rpy(0.3, 0.0, 0.3, 0.3, 0.2, 0.1);
        let back = Pose(pose.0 * nalgebra::Translation3::from(-far));
        let checker = |corners: &[Point3<f64>], pose: Pose| {
            let mut scene = Scene::new(&robot).unwrap();
            scene.add("obstacle", shape(corners), pose).unwrap();
            scene.checker("arm", Margins::ZERO).unwrap()
        };
        let moved: Vec<Point3<f64>> = corners.iter().map(|corner| corner + far).collect();
        let (mut near, mut moved) = (checker(&corners, pose), checker(&moved, back));
        let (from, to) = (random_configuration(&robot, &mut rng), random_configuration(&robot, &mut rng));
        let at = |t: f64| -> Vec<f64> { from.iter().zip(&to).map(|(from, to)| from + t * (to - from)).collect() };
        let Some((contact, _)) = near.first_contact(&from, &to).filter(|_| near.is_free(&from)) else { continue };
        for step in -50..=50 {
            let q = at(contact + f64::from(step) * 2e-6);
            // Rounding of such coordinates in double precision is a picometre.
            let distance = near.world_distance(&q).0;
            if distance.abs() > 1e-9 {
                assert_eq!(moved.is_free(&q), near.is_free(&q), "seed {seed}: {distance}");
                close += usize::from(distance.abs() < 2e-4);
            }
        }
    }
    assert!(close > 500, "{close}");
}

/// A robot deep inside a solid touches none of its triangles.
#[test]
fn what_a_solid_swallows_is_in_collision_and_what_a_shell_holds_is_not() {
    let robot = ball_arm();
    let half = 5.0;
    let corner = |bits: usize| Point3::from([0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { half } else { -half }));
    let vertices: Vec<Point3<f64>> = (0..8).map(corner).collect();
    let faces = [
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
    let (from, to) = ([0.0; 3], [1.0, 0.5, 0.2]);
    for is_solid in [true, false] {
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("rock", Shape::mesh(&vertices, &faces, is_solid).unwrap(), Pose::identity()).unwrap();
        let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
        assert_eq!(scene.check_collision(&from).unwrap(), is_solid);
        assert_eq!(checker.are_free(&from), [!is_solid]);
        assert_eq!(checker.is_motion_free(&from, &to), !is_solid);
        assert_eq!(scene.min_distance(&from).unwrap() < 0.0, is_solid);
    }
}

/// A carried mesh collides like the box that it is the surface of.
#[test]
fn meshes_ground_and_voxels_can_be_carried() {
    let robot = built_in("ur5e");
    let cells: Vec<[i32; 3]> = (0..8).map(|index| [index % 2 - 1, index / 2 % 2 - 1, index / 4]).collect();
    let carried = [Shape::voxels(&cells, 0.05).unwrap(), Shape::cuboid(0.05, 0.05, 0.05).unwrap()];
    let heights = [0.1; 4];
    let ground = Shape::height_field(&heights, [2, 2], [0.1, 0.1], 0.0).unwrap();
    let mut free = [Vec::new(), Vec::new(), Vec::new()];
    for (index, shape) in [carried[0].clone(), carried[1].clone(), ground].into_iter().enumerate() {
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("floor", Shape::half_space(Vector3::z(), 0.0).unwrap(), Pose::identity()).unwrap();
        scene.add("post", Shape::cylinder(0.05, 0.5).unwrap(), Pose::from_xyz(0.5, 0.0, 0.5)).unwrap();
        scene.allow_collision("base_link_inertia", "floor").unwrap();
        scene.allow_collision("shoulder_link", "floor").unwrap();
        let place = if index == 1 { Pose::from_xyz(0.0, 0.0, 0.1) } else { Pose::from_xyz(0.0, 0.0, 0.05) };
        scene.attach("part", shape, place, "tool0", &["wrist_3_link", "wrist_2_link", "wrist_1_link"]).unwrap();
        let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
        let mut rng = SeededRng::new(3);
        for _ in 0..cases(150, 5_000) {
            let q = random_configuration(&robot, &mut rng);
            free[index].push(checker.is_free(&q));
        }
    }
    // The voxels are upright between 0 and 0.1 above the place, as the box is.
    assert_eq!(free[0], free[1]);
    assert_eq!(free[2], free[1]);
    assert!(free[1].contains(&true) && free[1].contains(&false));
}

/// The tip ball (radius 0.03) is 1.1 in front of the base and 0.1 above it.
#[test]
fn contacts_say_where_on_both_bodies() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    let (vertices, faces) = plate(0.2);
    let at = |x: f64| Pose::from_xyz_rpy(x, 0.0, 0.1, 0.0, 0.0, std::f64::consts::FRAC_PI_2);
    scene.add("plate", Shape::mesh(&vertices, &faces, false).unwrap(), at(1.15)).unwrap();
    scene.add("ball", Shape::sphere(0.1).unwrap(), Pose::from_xyz(1.1, 0.12, 0.1)).unwrap();
    let contacts = scene.contacts(&[0.0; 3], 0.025).unwrap();
    let near = |found: &Point3<f64>, wanted: [f64; 3]| (found - Point3::from(wanted)).norm() < 1e-9;
    let [ball, plate] = &contacts[..] else { panic!("{contacts:?}") };
    assert_eq!((ball.pair.link.as_str(), ball.pair.other.as_str()), ("tip", "ball"));
    assert!((ball.depth() - 0.01).abs() < 1e-9 && (ball.normal - Vector3::y()).norm() < 1e-9, "{ball:?}");
    assert!(near(&ball.point_on_link, [1.1, 0.03, 0.1]) && near(&ball.point_on_other, [1.1, 0.02, 0.1]), "{ball:?}");
    assert_eq!((plate.pair.link.as_str(), plate.pair.other.as_str(), plate.depth()), ("tip", "plate", 0.0));
    assert!((plate.distance - 0.02).abs() < 1e-9 && (plate.normal - Vector3::x()).norm() < 1e-9, "{plate:?}");
    assert!(near(&plate.point_on_link, [1.13, 0.0, 0.1]) && near(&plate.point_on_other, [1.15, 0.0, 0.1]), "{plate:?}");
}
