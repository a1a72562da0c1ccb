//! Occupancy maps as objects of a scene, against maps and shapes on their own.

use std::sync::Arc;

use kinetic_core::{Control, KineticError, ManualClock, Pose, Shape, StopFlag};
use kinetic_perception::{Octree, OctreeConfig};
use kinetic_scene::{KnownBodies, LiveScene, OctreeOptions, Scene};
use nalgebra::Point3;

use crate::support::built_in;

const RESOLUTION: f64 = 0.05;

/// Points on a wall at `x`, in the middles of cells.
fn wall(x: f64) -> Vec<Point3<f64>> {
    let middle = |index: i32| (f64::from(index) + 0.5) * RESOLUTION;
    (0..400).map(|index| Point3::new(x, middle(index % 20 - 10), middle(index / 20))).collect()
}

fn camera() -> OctreeOptions {
    OctreeOptions {
        octree: OctreeConfig { resolution: RESOLUTION, ..OctreeConfig::default() },
        sensor_origin: Point3::new(0.026, 0.026, 0.526),
        ..OctreeOptions::default()
    }
}

fn update(scene: &mut Scene, points: &[Point3<f64>], options: &OctreeOptions) {
    scene.update_octree("map", points.iter().copied(), options, &Control::default()).unwrap();
}

#[test]
fn the_object_is_the_occupied_cells_of_the_map_that_octomap_would_have() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    let (near, far, camera) = (wall(0.676), wall(0.976), camera());
    let mut alone = Octree::new(camera.octree).unwrap();
    for points in [&near, &far, &far, &near] {
        update(&mut scene, points, &camera);
        alone.insert_cloud(points, &camera.sensor_origin, f64::INFINITY, &Control::default()).unwrap();
        assert_eq!(scene.octree("map").unwrap().to_ot(), alone.to_ot());
        let mut other = Scene::new(&robot).unwrap();
        other.add("map", alone.occupied_shape().unwrap(), Pose::identity()).unwrap();
        assert_eq!(scene.version(), other.version());
        let q = robot.neutral_configuration();
        assert_eq!(scene.min_distance(&q).unwrap(), other.min_distance(&q).unwrap());
    }
}

#[test]
fn what_went_away_is_cleared_and_a_map_without_occupied_cells_is_no_object() {
    let mut scene = Scene::new(&built_in("ur5e")).unwrap();
    let camera = OctreeOptions { max_range: 2.0, ..camera() };
    update(&mut scene, &wall(0.676), &camera);
    assert_eq!((scene.objects().len(), scene.num_octrees()), (1, 1));
    // What is seen now lies beyond the range: only rays are left, which clear.
    let behind: Vec<_> =
        wall(0.676).iter().map(|point| camera.sensor_origin + (point - camera.sensor_origin) * 10.0).collect();
    for _ in 0..8 {
        update(&mut scene, &behind, &camera);
    }
    assert_eq!((scene.objects().len(), scene.num_octrees()), (0, 1));
    assert!(!scene.octree("map").unwrap().is_empty());
    assert!(scene.remove("map") && !scene.remove("map"));
    assert_eq!(scene.octrees().count(), 0);
}

#[test]
fn points_on_the_robot_and_on_known_objects_change_nothing() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    let q = robot.neutral_configuration();
    scene.add_sphere("ball", 0.1, [0.7, 0.0, 0.5]).unwrap();
    let wrist = Point3::from(scene.link_poses(&q).unwrap()[6].translation());
    let seen = [wrist, Point3::new(0.65, 0.0, 0.5), Point3::new(0.0, 0.8, 0.8)];
    let known = KnownBodies { robot_at: Some(q), objects: vec!["ball".to_owned()], ..KnownBodies::default() };
    let options = OctreeOptions { known, ..camera() };
    let report = scene.update_octree("map", seen.iter().copied(), &options, &Control::default()).unwrap();
    assert_eq!((report.cloud.given, report.cloud.excluded, report.insertion.rays), (3, 2, 1));
    let map = scene.octree("map").unwrap();
    assert!(map.is_occupied(&seen[2]) && map.is_unknown(&seen[0]) && map.is_unknown(&seen[1]));
}

#[test]
fn any_other_edit_makes_the_object_an_ordinary_one() {
    let robot = built_in("ur5e");
    let mut mapped = Scene::new(&robot).unwrap();
    update(&mut mapped, &wall(0.676), &camera());
    let q = robot.neutral_configuration();
    let edits: [fn(&mut Scene, &[f64]); 4] = [
        |scene, _| scene.update_pose("map", Pose::from_xyz(0.1, 0.0, 0.0)).unwrap(),
        |scene, _| scene.add("map", Shape::sphere(0.1).unwrap(), Pose::identity()).unwrap(),
        |scene, q| {
            scene.attach_existing("map", "tool0", q, Some(&[])).unwrap();
        },
        |scene, _| scene.clear(),
    ];
    for edit in edits {
        let mut scene = mapped.clone();
        edit(&mut scene, &q);
        assert_eq!(scene.num_octrees(), 0);
        let error = scene.octree("map").unwrap_err();
        assert!(matches!(error, KineticError::UnknownName { .. }), "{error}");
    }
    // A map of which nothing is occupied is no object, and its name is free for one and for what a link carries.
    let mut empty = Scene::new(&robot).unwrap();
    empty.set_octree("map", Octree::new(OctreeConfig::default()).unwrap()).unwrap();
    empty.attach("map", Shape::sphere(0.1).unwrap(), Pose::identity(), "tool0", &[]).unwrap();
    assert_eq!((empty.num_octrees(), empty.objects().len()), (0, 0));
    let mut copy = Scene::new(&robot).unwrap();
    copy.set_octree("map", mapped.octree("map").unwrap().clone()).unwrap();
    assert_eq!(copy.version(), mapped.version());
    assert!(copy.set_octree("tool0", mapped.octree("map").unwrap().clone()).is_err());
}

#[test]
fn what_several_threads_insert_is_all_in_the_map() {
    let live = LiveScene::new(Scene::new(&built_in("ur5e")).unwrap());
    let clouds = [wall(0.676), wall(-0.676)];
    std::thread::scope(|scope| {
        for points in &clouds {
            let live = live.clone();
            scope.spawn(move || {
                for _ in 0..10 {
                    live.update_octree("map", points.iter().copied(), &camera(), &Control::default()).unwrap();
                }
            });
        }
    });
    let mut alone = Octree::new(camera().octree).unwrap();
    for points in clouds.iter().flat_map(|points| std::iter::repeat_n(points, 10)) {
        alone.insert_cloud(points, &camera().sensor_origin, f64::INFINITY, &Control::default()).unwrap();
    }
    assert_eq!(live.read(|scene| scene.octree("map").unwrap().to_ot()), alone.to_ot());
}

#[test]
fn a_change_that_no_verdict_depends_on_is_no_revision_and_yet_remembered() {
    let live = LiveScene::new(Scene::new(&built_in("ur5e")).unwrap());
    let insert = || live.update_octree("map", wall(0.676).into_iter(), &camera(), &Control::default()).unwrap();
    insert();
    let (revision, version) = (live.revision(), live.version());
    let log_odds = || live.read(|scene| scene.octree("map").unwrap().log_odds(&wall(0.676)[0]));
    let before = log_odds();
    insert();
    assert_eq!((live.revision(), live.version()), (revision, version));
    assert!(log_odds() > before);
}

#[test]
fn a_refused_update_leaves_the_scene_as_it_was() {
    let mut scene = Scene::new(&built_in("ur5e")).unwrap();
    update(&mut scene, &wall(0.676), &camera());
    let before = scene.octree("map").unwrap().to_ot();
    let blind = [Point3::new(f64::NAN, 0.0, 0.0)];
    let outside = OctreeOptions { sensor_origin: Point3::new(1e6, 0.0, 0.0), ..camera() };
    let no_range = OctreeOptions { max_range: 0.0, ..camera() };
    let no_pose = OctreeOptions { root_from_points: Pose::from_xyz(f64::NAN, 0.0, 0.0), ..camera() };
    let stopped = Control::default();
    let refused = [
        scene.update_octree("map", blind.iter().copied(), &camera(), &stopped),
        scene.update_octree("map", wall(0.9).into_iter(), &outside, &stopped),
        scene.update_octree("map", wall(0.9).into_iter(), &no_range, &stopped),
        scene.update_octree("map", wall(0.9).into_iter(), &no_pose, &stopped),
        scene.update_octree("tool0", wall(0.9).into_iter(), &camera(), &stopped),
        scene.update_octree("", wall(0.9).into_iter(), &camera(), &stopped),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    assert_eq!(scene.octree("map").unwrap().to_ot(), before);
}

#[test]
fn unknown_space_is_an_object_but_for_where_the_robot_and_known_objects_are() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    let q = robot.neutral_configuration();
    scene.add_sphere("ball", 0.1, [0.3, 0.3, 0.3]).unwrap();
    let known = KnownBodies { objects: vec!["ball".to_owned()], ..KnownBodies::default() };
    update(&mut scene, &wall(0.676), &OctreeOptions { known: known.clone(), ..camera() });
    let corners = [Point3::new(-0.99, -0.99, 0.01), Point3::new(0.99, 0.99, 0.99)];
    let without =
        scene.add_unknown_space("unseen", "map", corners, &KnownBodies::default(), &Control::default()).unwrap();
    assert!(scene.check_collision(&q).unwrap(), "the robot is where no sensor has seen");
    let known = KnownBodies { robot_at: Some(q.clone()), ..known };
    let cells = scene.add_unknown_space("unseen", "map", corners, &known, &Control::default()).unwrap();
    assert!(cells < without && cells > without / 2, "{cells} of {without}");
    assert!(!scene.check_collision(&q).unwrap());
    // Every cell of the box is occupied, free, in the object, or near what is known.
    let map = scene.octree("map").unwrap();
    let Shape::Voxels { cells: unseen, .. } = &scene.object("unseen").unwrap().shape else { panic!("no voxels") };
    let mut probe = Scene::new(&robot).unwrap();
    let mut left_out = 0;
    for [x, y, z] in unseen.iter() {
        let middle = Point3::from([x, y, z].map(|index| (f64::from(*index) + 0.5) * RESOLUTION));
        assert!(map.is_unknown(&middle) && (middle - Point3::new(0.3, 0.3, 0.3)).norm() > 0.1 + 0.03);
    }
    for [x, y, z] in (-20..20).flat_map(|x| (0..20).map(move |z| [x, 3, z])) {
        let middle = [x, y, z].map(|index| (f64::from(index) + 0.5) * RESOLUTION);
        if map.is_unknown(&Point3::from(middle)) && unseen.binary_search(&[x, y, z]).is_err() {
            left_out += 1;
            probe.add_sphere("middle", 1e-6, middle).unwrap();
            let near_ball = (Point3::from(middle) - Point3::new(0.3, 0.3, 0.3)).norm() < 0.1 + 0.03 + RESOLUTION;
            assert!(near_ball || probe.min_distance(&q).unwrap() < 0.03 + RESOLUTION, "{middle:?}");
        }
    }
    assert!(left_out > 10);
    // Where everything is seen or left out there is no object.
    let seen = [Point3::new(0.36, 0.01, 0.51), Point3::new(0.37, 0.02, 0.52)];
    assert_eq!(
        scene.add_unknown_space("unseen", "map", seen, &KnownBodies::default(), &Control::default()).unwrap(),
        0
    );
    assert!(!scene.objects().contains_key("unseen"));
    let refused = [
        scene.add_unknown_space("unseen", "nothing", corners, &known, &Control::default()),
        scene.add_unknown_space("map", "map", corners, &known, &Control::default()),
        scene.add_unknown_space("tool0", "map", corners, &known, &Control::default()),
        scene.add_unknown_space("unseen", "map", [corners[1], corners[0]], &known, &Control::default()),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    assert_early_ends_leave_the_scene(&scene, corners, &known, cells);
}

/// However early the time is over, the scene is as before.
fn assert_early_ends_leave_the_scene(scene: &Scene, corners: [Point3<f64>; 2], known: &KnownBodies, cells: usize) {
    let before = scene.version();
    let ended = (0..12).filter(|looks| {
        let control = Control::new(
            Arc::new(ManualClock::with_step(1_000)),
            1e-6 * f64::from(*looks),
            u64::MAX,
            StopFlag::default(),
        );
        let added = scene.clone().add_unknown_space("unseen", "map", corners, known, &control);
        assert!(
            added.as_ref().is_err_and(|error| matches!(error, KineticError::PlanningTimeout { .. }))
                || added == Ok(cells)
        );
        added.is_err()
    });
    assert!((2..12).contains(&ended.count()));
    assert_eq!(scene.version(), before);
}
