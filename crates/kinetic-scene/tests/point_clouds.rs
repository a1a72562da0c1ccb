//! Points of sensors as objects: what is known otherwise goes, everything else is an obstacle.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, Pose, Shape};
use kinetic_perception::{CameraModel, CropBox, DepthImage, DepthValues, PointCloudConfig};
use kinetic_scene::{KnownBodies, LiveScene, PointCloudOptions, Scene, points_of};
use nalgebra::{Point3, Vector3};

use crate::cases;
use crate::support::{built_in, random_configuration};

fn options(known: KnownBodies) -> PointCloudOptions {
    let config = PointCloudConfig { sphere_radius: 0.0, max_points: None, ..PointCloudConfig::default() };
    PointCloudOptions { config, known, root_from_sensor: Pose::identity() }
}

/// The points that are left of some.
fn left(scene: &Scene, points: &[Point3<f64>], options: &PointCloudOptions) -> Vec<Point3<f64>> {
    scene.filter_pointcloud(points.iter().copied(), options, &Control::default()).unwrap().points
}

/// Distance of a point from the robot, by a ball without a radius in a scene of its own.
fn distance_from_robot(scene: &Scene, point: &Point3<f64>, q: &[f64]) -> f64 {
    let mut probe = Scene::new(scene.robot()).unwrap();
    probe
        .add("point", Shape::point_cloud(&[Point3::origin()], 0.0).unwrap(), Pose::from_xyz(point.x, point.y, point.z))
        .unwrap();
    probe.min_distance(q).unwrap()
}

#[test]
fn points_on_the_robot_are_those_that_are_nearer_than_the_padding() {
    for name in ["ur5e", "franka_panda"] {
        let robot = built_in(name);
        let scene = Scene::new(&robot).unwrap();
        let (mut on, mut off) = (0, 0);
        for seed in 0..cases(4, 40) as u64 {
            let mut rng = SeededRng::new(seed);
            let (q, padding) = (random_configuration(&robot, &mut rng), rng.uniform(0.0, 0.05));
            let poses = scene.link_poses(&q).unwrap();
            let points: Vec<Point3<f64>> = (0..100)
                .map(|index| {
                    let place = poses[1 + index % (poses.len() - 1)].translation();
                    Point3::from(place + Vector3::from_fn(|_, _| rng.uniform(-0.15, 0.15)))
                })
                .collect();
            let known = KnownBodies { robot_at: Some(q.clone()), robot_padding: padding, ..KnownBodies::default() };
            let kept = left(&scene, &points, &options(known));
            for point in &points {
                let distance = distance_from_robot(&scene, point, &q);
                // Links that no obstacle can touch, as the base of an arm, are on the robot for a camera.
                let is_kept = kept.contains(point);
                if (distance - padding).abs() > 1e-9 && distance < padding {
                    assert!(!is_kept, "{name}, seed {seed}: {distance} within {padding}");
                    on += 1;
                }
                off += usize::from(is_kept);
                assert!(!is_kept || distance > padding - 1e-9, "{name}, seed {seed}: {distance} within {padding}");
            }
        }
        assert!(on > 50 && off > 50, "{name}: {on} on the robot, {off} left");
    }
}

/// An arm with its own points, a cable beside a link, and a wall behind it.
#[test]
fn an_arm_is_free_among_its_own_points_and_not_in_the_wall_behind_it() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    let q = vec![0.0, -1.2, 1.0, -1.4, -1.57, 0.0];
    let mut rng = SeededRng::new(5);
    let around: Vec<Point3<f64>> = (0..20_000)
        .map(|_| Point3::new(rng.uniform(-0.2, 0.9), rng.uniform(-0.3, 0.3), rng.uniform(0.05, 0.9)))
        .filter(|point| distance_from_robot(&scene, point, &q).abs() < 0.01)
        .collect();
    assert!(around.len() > 50, "{}", around.len());
    let wall: Vec<Point3<f64>> =
        (0..2_500).map(|i| Point3::new(f64::from(i % 50) * 0.02, -0.35, f64::from(i / 50) * 0.02)).collect();
    let points = [around.clone(), wall.clone()].concat();
    let blind = options(KnownBodies::default());
    scene.add_pointcloud("cloud", &points, &blind).unwrap();
    assert!(scene.check_collision(&q).unwrap());
    let known = KnownBodies { robot_at: Some(q.clone()), robot_padding: 0.02, ..KnownBodies::default() };
    let report = scene.add_pointcloud("cloud", &points, &options(known.clone())).unwrap();
    assert!(!scene.check_collision(&q).unwrap());
    assert_eq!((report.excluded, report.kept), (around.len(), wall.len()));
    let into_the_wall = [-1.57, -1.2, 1.0, -1.4, -1.57, 0.0];
    assert!(scene.check_collision(&into_the_wall).unwrap());
    // A padding of one link alone.
    let forearm = scene.link_poses(&q).unwrap()[robot.link_index("forearm_link").unwrap()].translation();
    let near: Vec<Point3<f64>> = (0..500)
        .map(|_| Point3::from(forearm + Vector3::from_fn(|_, _| rng.uniform(-0.15, 0.15))))
        .filter(|point| (0.05..0.08).contains(&distance_from_robot(&scene, point, &q)))
        .collect();
    let cable = KnownBodies { link_paddings: vec![("forearm_link".to_owned(), 0.1)], ..known.clone() };
    let (plain, padded) = (left(&scene, &near, &options(known)).len(), left(&scene, &near, &options(cable)).len());
    assert!(plain == near.len() && padded < plain / 2, "{} points: {plain}, {padded}", near.len());
}

#[test]
fn what_the_robot_carries_and_objects_that_are_named_are_taken_out() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    let q = vec![0.0, -1.2, 1.0, -1.4, -1.57, 0.0];
    scene
        .attach("stick", Shape::cuboid(0.02, 0.02, 0.3).unwrap(), Pose::from_xyz(0.0, 0.0, 0.3), "tool0", &[])
        .unwrap();
    scene.add("cup", Shape::cylinder(0.04, 0.06).unwrap(), Pose::from_xyz(0.5, 0.5, 0.1)).unwrap();
    let tool = scene.link_poses(&q).unwrap()[robot.link_index("tool0").unwrap()];
    let (stick, cup, table) =
        (tool.0 * Point3::new(0.0, 0.021, 0.5), Point3::new(0.5, 0.541, 0.1), Point3::new(0.5, 0.5, -0.2));
    let points = [stick, cup, table];
    let robot_at = Some(q);
    let objects = vec!["cup".to_owned()];
    let known = |robot_at: &Option<Vec<f64>>, objects: &[String]| {
        options(KnownBodies { robot_at: robot_at.clone(), objects: objects.to_vec(), ..KnownBodies::default() })
    };
    assert_eq!(left(&scene, &points, &known(&None, &[])), points);
    assert_eq!(left(&scene, &points, &known(&robot_at, &[])), [cup, table]);
    assert_eq!(left(&scene, &points, &known(&None, &objects)), [stick, table]);
    assert_eq!(left(&scene, &points, &known(&robot_at, &objects)), [table]);
}

#[test]
fn nothing_left_removes_the_object_and_errors_leave_the_scene_as_it_was() {
    let robot = built_in("ur5e");
    let mut scene = Scene::new(&robot).unwrap();
    let points = [Point3::new(0.6, 0.0, 0.2)];
    scene.add_pointcloud("cloud", &points, &PointCloudOptions::default()).unwrap();
    let before = scene.version();
    let known = KnownBodies::default();
    let unknown = |known| options(known);
    let bad = [
        (unknown(KnownBodies { objects: vec!["cup".to_owned()], ..known.clone() }), "cup"),
        (unknown(KnownBodies { link_paddings: vec![("arm".to_owned(), 0.1)], ..known.clone() }), "arm"),
        (unknown(KnownBodies { robot_padding: -0.1, ..known.clone() }), "robot_padding"),
        (unknown(KnownBodies { object_padding: f64::NAN, ..known.clone() }), "object_padding"),
        (unknown(KnownBodies { link_paddings: vec![("tool0".to_owned(), -1.0)], ..known.clone() }), "tool0"),
        (unknown(KnownBodies { robot_at: Some(vec![0.0; 5]), ..known.clone() }), "6"),
        (unknown(KnownBodies { robot_at: Some(vec![f64::NAN; 6]), ..known.clone() }), "NaN"),
        (
            PointCloudOptions { root_from_sensor: Pose::from_xyz(f64::NAN, 0.0, 0.0), ..PointCloudOptions::default() },
            "sensor",
        ),
    ];
    for (options, text) in bad {
        let error = scene.add_pointcloud("cloud", &points, &options).unwrap_err().to_string();
        assert!(error.contains(text), "{text}: {error}");
    }
    for blind in [&[][..], &[Point3::new(0.0, f64::NAN, 0.0)]] {
        assert!(scene.add_pointcloud("cloud", blind, &PointCloudOptions::default()).is_err());
    }
    assert!(scene.add_pointcloud("tool0", &points, &PointCloudOptions::default()).is_err(), "a link has that name");
    assert_eq!(scene.version(), before);
    let crop = CropBox { min: Point3::origin(), max: Point3::new(0.1, 0.1, 0.1) };
    let away = PointCloudConfig { crop: Some(crop), ..PointCloudConfig::default() };
    let report =
        scene.add_pointcloud("cloud", &points, &PointCloudOptions { config: away, ..PointCloudOptions::default() });
    assert_eq!((report.unwrap().kept, scene.objects().len()), (0, 0));
    assert!(points_of(&[1.0_f32, 2.0]).is_err());
    assert_eq!(points_of(&[1.0_f32, 2.0, 3.0]).unwrap().next(), Some(Point3::new(1.0, 2.0, 3.0)));
}

/// A camera above a table: the obstacle that it sees is as far away as the table.
#[test]
fn a_depth_image_becomes_the_surface_that_it_shows() {
    let robot = built_in("ur5e");
    let live = LiveScene::new(Scene::new(&robot).unwrap());
    let camera = CameraModel::pinhole(200.0, 200.0, 79.5, 59.5).unwrap();
    // One metre above the table, looking down: x to the right, y backwards.
    let root_from_sensor = Pose::from_xyz_rpy(0.7, 0.0, 0.95, std::f64::consts::PI, 0.0, 0.0);
    let metres = vec![1.0_f32; 160 * 120];
    let image = DepthImage {
        values: DepthValues::Metres(&metres),
        width: 160,
        height: 120,
        camera,
        min_depth: 0.1,
        max_depth: 3.0,
        flying_pixel_ratio: Some(0.1),
    };
    let config = PointCloudConfig { sphere_radius: 0.004, ..PointCloudConfig::default() };
    let options = PointCloudOptions { config, root_from_sensor, ..PointCloudOptions::default() };
    let report = live.update_from_depth("table", &image, &options, &Control::default()).unwrap();
    assert_eq!((report.given, report.kept), (160 * 120, 160 * 120));
    let mut solid = Scene::new(&robot).unwrap();
    solid.add_box("table", [0.8, 0.6, 0.01], Pose::from_xyz(0.7, 0.0, -0.055)).unwrap();
    let mut compared = 0;
    for seed in 0..200 {
        let q = random_configuration(&robot, &mut SeededRng::new(seed));
        let (seen, true_distance) = (live.snapshot().min_distance(&q).unwrap(), solid.min_distance(&q).unwrap());
        // Beside and below the surface they differ: the cloud has no thickness.
        if true_distance > 0.0 && solid.link_poses(&q).unwrap().iter().all(|pose| pose.translation().z > -0.02) {
            assert!((seen - true_distance).abs() < 0.006, "seed {seed}: {seen}, {true_distance}");
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
    let dark = vec![f32::NAN; 160 * 120];
    let dark = DepthImage { values: DepthValues::Metres(&dark), ..image };
    assert!(live.update_from_depth("table", &dark, &options, &Control::default()).is_err());
    assert_eq!(live.snapshot().objects().len(), 1);
}

#[test]
fn a_stop_flag_ends_the_filters() {
    let live = LiveScene::new(Scene::new(&built_in("ur5e")).unwrap());
    let stop = kinetic_core::StopFlag::default();
    stop.stop();
    let clock = std::sync::Arc::new(kinetic_core::SystemClock::default());
    let control = Control::new(clock, 1.0, u64::MAX, stop);
    let points = vec![Point3::new(0.5, 0.0, 0.5); 10];
    let ended = live.add_pointcloud("cloud", points.into_iter(), &PointCloudOptions::default(), &control);
    assert!(matches!(ended, Err(KineticError::Cancelled { .. })), "{ended:?}");
    assert_eq!(live.revision(), 0);
}

/// A wall with the noise of a sensor, beside which something may stand.
fn noisy_wall(rng: &mut SeededRng, with_box: bool) -> Vec<Point3<f64>> {
    let mut noise = [0.0; 3];
    let mut place = |base: Point3<f64>| {
        rng.fill_normal(&mut noise);
        base + Vector3::from(noise) * 0.001
    };
    let wall = (0..10_000).map(|i| Point3::new(0.6, f64::from(i % 100) * 0.01, f64::from(i / 100) * 0.01));
    let item = (0..200).map(|i| Point3::new(0.45, f64::from(i % 20) * 0.01, f64::from(i / 20) * 0.01));
    wall.chain(item.filter(|_| with_box)).map(&mut place).collect()
}

#[test]
fn a_scene_that_stands_still_keeps_its_version_where_cells_stay() {
    let live = LiveScene::new(Scene::new(&built_in("ur5e")).unwrap());
    let config = PointCloudConfig { voxel_size: Some(0.02), hysteresis: true, ..PointCloudConfig::default() };
    let options = PointCloudOptions { config, ..PointCloudOptions::default() };
    let mut rng = SeededRng::new(1);
    let mut show = |with_box: bool| {
        let points = noisy_wall(&mut rng, with_box);
        live.add_pointcloud("seen", points.into_iter(), &options, &Control::default()).unwrap()
    };
    (0..100).for_each(|_| {
        show(false);
    });
    let (version, revision) = (live.version(), live.revision());
    for _ in 0..20 {
        assert!(show(false).carried_over > 0);
        assert_eq!((live.version(), live.revision()), (version, revision));
    }
    show(true);
    assert_ne!((live.version(), live.revision()), (version, revision));
    // What went away is gone with the picture that does not show it, but for cells beside the wall.
    show(false);
    let (points, _) = cloud_of(&live.snapshot());
    assert!(points.iter().all(|point| point.x > 0.55));
}

fn cloud_of(scene: &Scene) -> (Vec<Point3<f64>>, f64) {
    match &scene.objects().get("seen").unwrap().shape {
        Shape::PointCloud { points, radius } => (points.to_vec(), *radius),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_points_are_no_edit_and_a_moved_cloud_is_replaced() {
    let live = LiveScene::new(Scene::new(&built_in("ur5e")).unwrap());
    let points = noisy_wall(&mut SeededRng::new(2), true);
    let show = |options: &PointCloudOptions| {
        live.add_pointcloud("seen", points.iter().copied(), options, &Control::default()).unwrap();
        live.revision()
    };
    for hysteresis in [false, true] {
        let config = PointCloudConfig { voxel_size: Some(0.03), hysteresis, ..PointCloudConfig::default() };
        let options = PointCloudOptions { config, ..PointCloudOptions::default() };
        let first = show(&options);
        let shown = cloud_of(&live.snapshot());
        assert_eq!(show(&options), first);
        live.update_pose("seen", Pose::from_xyz(0.1, 0.0, 0.0)).unwrap();
        assert_eq!(show(&options), first + 2);
        assert_eq!(
            (cloud_of(&live.snapshot()), live.snapshot().objects().get("seen").unwrap().pose),
            (shown, Pose::identity())
        );
        let mut larger = options.clone();
        larger.config.sphere_radius += 0.001;
        assert_eq!(show(&larger), first + 3);
    }
}
