//! Placed spheres against the plain loop, and robots made of them against whole-robot kinematics.

use kinetic_collision::{
    AllowedCollisionMatrix, CollisionEnvironment, ObstacleSet, PreparedShape, RobotSphereModel, SphereGenConfig,
    SpheresSoA, adjacent_link_pairs,
};
use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Shape};
use kinetic_kinematics::robot_link_poses;
use kinetic_robot::Robot;
use nalgebra::{Isometry3, Point3, Vector3};

const TOLERANCE: f64 = 1e-12;

fn cloud(rng: &mut SeededRng, count: usize, around: f64) -> (SpheresSoA, Vec<(Point3<f64>, f64)>) {
    let (mut soa, mut plain) = (SpheresSoA::new(), Vec::new());
    for id in 0..count {
        let [x, y, z] = [0; 3].map(|_| rng.uniform(around - 1.0, around + 1.0));
        let radius = rng.uniform(0.0, 0.2);
        soa.push(x, y, z, radius, id as u32);
        plain.push((Point3::new(x, y, z), radius));
    }
    (soa, plain)
}

#[test]
fn distances_overlaps_and_boxes_are_those_of_the_plain_loop() {
    for seed in 0..200 {
        let mut rng = SeededRng::new(seed);
        let ((a, plain_a), (b, plain_b)) = (cloud(&mut rng, 9, 0.0), cloud(&mut rng, 7, 1.2));
        let gaps = plain_a.iter().flat_map(|(p, r)| plain_b.iter().map(move |(q, s)| (p - q).norm() - r - s));
        let least = gaps.fold(f64::INFINITY, f64::min);
        let (found, i, j) = a.min_distance(&b).unwrap();
        assert!((found - least).abs() < TOLERANCE, "seed {seed}");
        assert!((((a.center(i) - b.center(j)).norm() - a.radius[i] - b.radius[j]) - least).abs() < TOLERANCE);
        assert!(a.any_overlap(&b, least + TOLERANCE) && !a.any_overlap(&b, least - TOLERANCE), "seed {seed}");
        let bounds = a.bounding_box().unwrap();
        for axis in 0..3 {
            let lowest = plain_a.iter().map(|(c, r)| c[axis] - r).fold(f64::INFINITY, f64::min);
            assert!((bounds.min[axis] - lowest).abs() < TOLERANCE, "seed {seed}");
        }
        assert_eq!((a.len(), a.is_empty(), a.id[3]), (9, false, 3));
    }
    assert_eq!((SpheresSoA::new().bounding_box(), SpheresSoA::new().min_distance(&SpheresSoA::new())), (None, None));
}

#[test]
fn the_spheres_of_a_branched_robot_follow_its_links() {
    let robot = Robot::from_name("fetch").unwrap();
    let model = RobotSphereModel::from_robot(&robot, &SphereGenConfig::coarse(), None).unwrap();
    let mut spheres = model.create_runtime();
    let adjacent = adjacent_link_pairs(&robot);
    for seed in 0..20 {
        let mut rng = SeededRng::new(seed);
        let q: Vec<f64> = robot.joint_limits.iter().map(|l| rng.uniform(l.lower.max(-3.0), l.upper.min(3.0))).collect();
        let poses = robot_link_poses(&robot, &q).unwrap();
        spheres.update(&poses).unwrap();
        // Every sphere, placed one by one.
        let plain: Vec<(usize, Point3<f64>, f64)> = model
            .covers
            .iter()
            .zip(&poses)
            .enumerate()
            .flat_map(|(link, (cover, pose))| cover.spheres.iter().map(move |s| (link, pose.0 * s.center, s.radius)))
            .collect();
        let gap = |a: &(usize, Point3<f64>, f64), b: &(usize, Point3<f64>, f64)| (a.1 - b.1).norm() - a.2 - b.2;
        let mut wanted: Vec<(usize, usize)> = Vec::new();
        let mut least = f64::INFINITY;
        for (index, a) in plain.iter().enumerate() {
            for b in &plain[index + 1..] {
                if a.0 != b.0 && !adjacent.contains(&(a.0, b.0)) {
                    least = least.min(gap(a, b));
                    if gap(a, b) <= 0.03 {
                        wanted.push((a.0, b.0));
                    }
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        assert_eq!(spheres.self_collision(&adjacent, 0.03), wanted, "seed {seed}");
        assert!((spheres.min_self_distance(&adjacent).unwrap().0 - least).abs() < TOLERANCE, "seed {seed}");

        let ball = (Shape::sphere(0.1).unwrap(), Pose::from_xyz(rng.uniform(-1.0, 1.0), 0.5, 1.0));
        let environment = CollisionEnvironment::build(std::slice::from_ref(&ball)).unwrap();
        let to_ball = plain.iter().map(|(_, c, r)| (c.coords - ball.1.translation()).norm() - r - 0.1);
        let least = to_ball.fold(f64::INFINITY, f64::min);
        assert!((environment.min_distance(&spheres) - least).abs() < TOLERANCE, "seed {seed}");
        assert_eq!(environment.check_collision(&spheres), least <= 0.0, "seed {seed}");
        assert!(environment.check_collision_with_margin(&spheres, least + 1e-9), "seed {seed}");
        assert!(!environment.check_collision_with_margin(&spheres, least - 1e-9), "seed {seed}");
    }
    assert_eq!(CollisionEnvironment::empty().min_distance(&spheres), f64::INFINITY);
    assert!(matches!(spheres.update(&[Pose::identity()]), Err(KineticError::DimensionMismatch { got: 1, .. })));
}

#[test]
fn every_sphere_of_a_robot_meets_obstacles() {
    let robot = Robot::from_name("ur5e").unwrap();
    let model = RobotSphereModel::from_robot(&robot, &SphereGenConfig::coarse(), None).unwrap();
    let mut spheres = model.create_runtime();
    spheres.update(&robot_link_poses(&robot, &[0.4, -1.0, 1.2, 0.3, 0.9, 0.2]).unwrap()).unwrap();
    let placed = spheres.spheres().clone();
    let mut decides = vec![false; placed.len()];
    let mut rng = SeededRng::new(0);
    for index in 0..placed.len() {
        for case in 0..200 {
            let way = Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0)).normalize();
            let point = placed.center(index) + way * (placed.radius[index] + 0.002);
            let gaps =
                (0..placed.len()).map(|other| (placed.center(other) - point).norm() - placed.radius[other] - 0.001);
            let mut sorted: Vec<(f64, usize)> = gaps.zip(0..).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (least, nearest) = sorted[0];
            decides[nearest] |= sorted[1].0 > least + 1e-6;
            let ball =
                PreparedShape::new(&Shape::sphere(0.001).unwrap(), &Isometry3::translation(point.x, point.y, point.z));
            let set = ObstacleSet::new([(7, ball.unwrap())]);
            let label = format!("sphere {index}, case {case}: {least}");
            let (found, link, obstacle) = spheres.min_distance(&set).unwrap();
            assert!((found - least).abs() < TOLERANCE && obstacle == 7, "{label}: {found}");
            assert!(sorted[1].0 < least + 1e-6 || link == placed.id[nearest] as usize, "{label}: link {link}");
            assert!(spheres.collides_with(&set, least + 1e-9), "{label}");
            assert!(!spheres.collides_with(&set, least - 1e-9), "{label}");
        }
    }
    // Those that others contain aside, each was the nearest.
    assert!(decides[0] && decides[placed.len() - 1], "{decides:?}");
}

#[test]
fn a_matrix_of_a_robot_allows_neighbours_and_resolves_to_the_same_pairs() {
    let robot = Robot::from_name("franka_panda").unwrap();
    let mut matrix = AllowedCollisionMatrix::from_robot(&robot);
    for (a, b) in adjacent_link_pairs(&robot) {
        assert!(matrix.is_allowed(&robot.links[b].name, &robot.links[a].name));
    }
    assert!(!matrix.is_allowed("panda_link1", "panda_hand"));
    let mut of_scene = AllowedCollisionMatrix::default();
    of_scene.allow("table", "panda_link1");
    matrix.merge(&of_scene);
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).chain(["table", "cup"]).collect();
    let resolved = matrix.resolve(&names);
    for (i, a) in names.iter().enumerate() {
        for (j, b) in names.iter().enumerate() {
            assert_eq!(resolved.is_allowed(i, j), matrix.is_allowed(a, b), "{a} {b}");
        }
    }
    assert!(matrix.is_allowed("panda_link1", "table") && resolved.pairs().len() == matrix.len());
    matrix.disallow("panda_link1", "table");
    assert!(!matrix.is_allowed("table", "panda_link1"));
    assert!(matrix.resolve(&["nobody"]).pairs().is_empty());
}
