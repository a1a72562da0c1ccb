//! Perception pipeline: measurements at their own time, in any order, from any thread.

use std::sync::Arc;

use kinetic_core::{Control, FrameTree, KineticError, ManualClock, Pose, StopFlag, SystemClock};
use kinetic_perception::{CameraModel, Distortion};
use kinetic_scene::{
    DepthCamera, KnownBodies, LiveScene, Measurement, PerceptionPipeline, Scene, SensorConfig, SensorStatistics,
};
use nalgebra::Point3;

use crate::support::built_in;

/// A pipeline of a UR5e with a camera in its hand.
fn pipeline() -> PerceptionPipeline {
    let live = LiveScene::new(Scene::new(&built_in("ur5e")).unwrap());
    let frames = Arc::new(FrameTree::with_history(10.0).unwrap());
    frames.set_static_transform("tool0", "hand_camera", hand_from_camera()).unwrap();
    frames.set_static_transform("base_link", "lidar", Pose::from_xyz(0.0, 0.0, 1.0)).unwrap();
    PerceptionPipeline::new(live, frames, Arc::new(ManualClock::with_step(1_000_000))).unwrap()
}

#[test]
fn a_tree_without_history_is_refused() {
    let live = LiveScene::new(Scene::new(&built_in("ur5e")).unwrap());
    let frames = Arc::new(FrameTree::with_history(0.0).unwrap());
    let refused = PerceptionPipeline::new(live, frames, Arc::new(ManualClock::with_step(1))).unwrap_err();
    assert!(refused.to_string().contains("history"), "{refused}");
}

fn hand_from_camera() -> Pose {
    Pose::from_xyz_rpy(0.02, 0.05, 0.03, 0.3, -0.2, 0.9)
}

fn statistics(pipeline: &PerceptionPipeline, sensor: &str) -> SensorStatistics {
    pipeline.statistics(sensor).unwrap()
}

fn point(x: f32, y: f32, z: f32) -> Measurement {
    Measurement::Points(vec![x, y, z])
}

/// Where the joints are at a time: never twice at one place.
fn joints(stamp: f64) -> Vec<f64> {
    [0.3, -1.2, 0.9, -0.5, 1.1, 0.2]
        .iter()
        .enumerate()
        .map(|(joint, start)| start + 0.05 * stamp * (joint + 1) as f64)
        .collect()
}

/// The only point of the object of a name.
fn seen(pipeline: &PerceptionPipeline, object: &str) -> Point3<f64> {
    let scene = pipeline.scene().snapshot();
    let shape = scene.object(object).unwrap().shape.clone();
    let kinetic_core::Shape::PointCloud { points, .. } = shape else { panic!("{shape:?} is no cloud") };
    assert_eq!(points.len(), 1);
    points[0]
}

#[test]
fn a_measurement_is_where_the_hand_was_at_its_time() {
    let pipeline = pipeline();
    pipeline.add_sensor("eye", SensorConfig::cloud("hand_camera", "seen")).unwrap();
    for step in 0..8 {
        pipeline.update_robot(&joints(f64::from(step)), f64::from(step)).unwrap();
    }
    let robot = pipeline.scene().robot();
    let tool = robot.link_index("tool0").unwrap();
    // Between two states every joint turns at a constant rate, and so the hand is where the joints are.
    for stamp in [0.0, 0.1, 3.0, 4.5, 7.0] {
        pipeline.push("eye", point(0.1, -0.2, 0.9), stamp).unwrap();
        assert_eq!(pipeline.process(&Control::default()).unwrap(), ["eye"]);
        let at = pipeline.scene().read(|scene| scene.link_poses(&joints(stamp)).unwrap()[tool]);
        let wanted =
            (at * hand_from_camera()).0 * Point3::new(f64::from(0.1_f32), f64::from(-0.2_f32), f64::from(0.9_f32));
        let found = seen(&pipeline, "seen");
        assert!((found - wanted).norm() < 1e-6, "{stamp}: {found}, {wanted}");
        assert_eq!(statistics(&pipeline, "eye").last_stamp, Some(stamp));
    }
    let counted = statistics(&pipeline, "eye");
    assert_eq!((counted.received, counted.processed, counted.dropped, counted.failed), (5, 5, 0, 0));
    assert!(counted.last_duration > 0.0 && counted.longest_duration >= counted.last_duration);
}

#[test]
fn the_robot_is_filtered_where_it_was_and_not_where_it_is() {
    let pipeline = pipeline();
    pipeline.add_sensor("lidar", SensorConfig::cloud("lidar", "seen")).unwrap();
    let (then, now) = (joints(0.0), vec![-2.0, -0.8, 0.3, 0.4, 0.5, 0.6]);
    pipeline.update_robot(&then, 0.0).unwrap();
    pipeline.update_robot(&now, 1.0).unwrap();
    let wrist = |q: &[f64]| pipeline.scene().read(|scene| scene.link_poses(q).unwrap()[6].translation());
    let from_lidar = |q: &[f64]| wrist(q) - nalgebra::Vector3::new(0.0, 0.0, 1.0);
    let both: Vec<f32> = [&then, &now].iter().flat_map(|q| from_lidar(q).data.0[0]).map(|value| value as f32).collect();
    for (stamp, left) in [(0.0, &now), (1.0, &then)] {
        pipeline.push("lidar", Measurement::Points(both.clone()), stamp).unwrap();
        pipeline.process(&Control::default()).unwrap();
        assert_eq!(statistics(&pipeline, "lidar").last_cloud.excluded, 1);
        assert!((seen(&pipeline, "seen").coords - wrist(left)).norm() < 1e-6);
    }
}

#[test]
fn early_measurements_wait_stale_ones_go_and_newer_ones_replace_older() {
    let pipeline = pipeline();
    pipeline.add_sensor("eye", SensorConfig::cloud("hand_camera", "seen")).unwrap();
    let process = || pipeline.process(&Control::default()).unwrap().len();
    // Nothing is known of the robot yet.
    pipeline.push("eye", point(0.0, 0.0, 1.0), 3.0).unwrap();
    assert_eq!(process(), 0);
    assert!(statistics(&pipeline, "eye").is_waiting);
    // From before the first transforms.
    pipeline.update_robot(&joints(0.0), 4.0).unwrap();
    assert_eq!((process(), statistics(&pipeline, "eye").stale), (0, 1));
    pipeline.push("eye", point(0.0, 0.0, 1.0), 5.0).unwrap();
    assert_eq!(process(), 0);
    pipeline.update_robot(&joints(1.0), 6.0).unwrap();
    assert_eq!(process(), 1);
    assert!(!statistics(&pipeline, "eye").is_waiting);
    // From before what is remembered.
    pipeline.update_robot(&joints(2.0), 30.0).unwrap();
    pipeline.push("eye", point(0.0, 0.0, 1.0), 6.0).unwrap();
    assert_eq!((process(), statistics(&pipeline, "eye").stale), (0, 2));
    // The newest counts, in whatever order they arrive.
    for stamp in [28.0, 30.0, 29.0] {
        pipeline.push("eye", point(0.0, 0.0, 1.0), stamp).unwrap();
    }
    pipeline.update_robot(&joints(1.9), 28.5).unwrap();
    assert_eq!(process(), 1);
    let counted = statistics(&pipeline, "eye");
    assert_eq!((counted.last_stamp, counted.dropped, counted.received, counted.processed), (Some(30.0), 2, 6, 2));
    // What is older than the scene comes too late.
    pipeline.push("eye", point(0.0, 0.0, 2.0), 29.0).unwrap();
    let before = pipeline.scene().version();
    assert_eq!((process(), pipeline.scene().version()), (0, before));
    assert_eq!(statistics(&pipeline, "eye").dropped, 3);
}

#[test]
fn sensors_without_robot_filter_need_no_joints_and_unknown_frames_are_told() {
    let pipeline = pipeline();
    let config = SensorConfig { is_robot_filtered: false, ..SensorConfig::cloud("lidar", "seen") };
    pipeline.add_sensor("lidar", config.clone()).unwrap();
    pipeline
        .add_sensor("lost", SensorConfig { frame: "nowhere".to_owned(), object: "other".to_owned(), ..config })
        .unwrap();
    for sensor in ["lidar", "lost"] {
        pipeline.push(sensor, point(1.0, 0.0, 0.0), 3.0).unwrap();
    }
    assert_eq!(pipeline.process(&Control::default()).unwrap(), ["lidar"]);
    assert_eq!(seen(&pipeline, "seen"), Point3::new(1.0, 0.0, 1.0));
    let lost = statistics(&pipeline, "lost");
    assert!(lost.failed == 1 && lost.last_error.is_some_and(|error| error.contains("nowhere")));
    // A blind sensor frees nothing.
    let before = pipeline.scene().version();
    pipeline.push("lidar", point(f32::NAN, 0.0, 0.0), 4.0).unwrap();
    assert!(pipeline.process(&Control::default()).unwrap().is_empty());
    assert_eq!((statistics(&pipeline, "lidar").failed, pipeline.scene().version()), (1, before));
}

#[test]
fn two_cameras_feed_one_map_with_one_margin() {
    let pipeline = pipeline();
    pipeline.frames().set_static_transform("base_link", "left", Pose::from_xyz(0.0, 0.5, 0.5)).unwrap();
    let camera = CameraModel { fx: 20.0, fy: 20.0, cx: 9.5, cy: 7.5, distortion: Distortion::None };
    for (name, frame) in [("a", "lidar"), ("b", "left")] {
        let config = SensorConfig {
            camera: Some(DepthCamera::new(camera)),
            is_robot_filtered: false,
            // The largest margin counts, whichever sensor comes last.
            margin: if name == "a" { 0.01 } else { 0.02 },
            ..SensorConfig::octree(frame, "map", 0.05)
        };
        pipeline.add_sensor(name, config).unwrap();
    }
    let (size, values) = ([16, 20], vec![800_u16; 320]);
    pipeline.push("a", Measurement::DepthIntegers { values, size }, 2.0).unwrap();
    pipeline.push("b", Measurement::DepthMetres { values: vec![0.8; 320], size }, 1.0).unwrap();
    assert_eq!(pipeline.process(&Control::default()).unwrap(), ["b", "a"], "in order of time");
    let scene = pipeline.scene().snapshot();
    let map = scene.octree("map").unwrap();
    assert!(map.is_occupied(&Point3::new(0.01, 0.01, 1.81)) && map.is_occupied(&Point3::new(0.01, 0.51, 1.31)));
    assert!(scene.margins().paddings().any(|(name, value)| name == "map" && value == 0.02));
    assert!(statistics(&pipeline, "a").last_insertion.is_some_and(|report| report.cells_missed > 100));
    // The same picture once more changes no cell, and is no new revision.
    let revision = pipeline.scene().revision();
    pipeline.push("a", Measurement::DepthIntegers { values: vec![800; 320], size }, 3.0).unwrap();
    pipeline.process(&Control::default()).unwrap();
    assert_eq!(pipeline.scene().revision(), revision);
}

#[test]
fn what_no_sensor_can_be_or_measure_is_refused() {
    let pipeline = pipeline();
    let cloud = || SensorConfig::cloud("lidar", "seen");
    pipeline.add_sensor("lidar", cloud()).unwrap();
    let camera = CameraModel { fx: 0.0, fy: 1.0, cx: 0.0, cy: 0.0, distortion: Distortion::None };
    let padded = |known| SensorConfig { known, ..SensorConfig::cloud("lidar", "other") };
    let of_link =
        |link: &str, padding| KnownBodies { link_paddings: vec![(link.to_owned(), padding)], ..KnownBodies::default() };
    let refused = [
        pipeline.add_sensor("lidar", SensorConfig::cloud("lidar", "other")),
        pipeline.add_sensor("", SensorConfig::cloud("lidar", "other")),
        pipeline.add_sensor("second", cloud()),
        pipeline.add_sensor("second", SensorConfig::octree("lidar", "seen", 0.05)),
        pipeline.add_sensor("second", SensorConfig::octree("lidar", "map", 0.0)),
        pipeline
            .add_sensor("first", SensorConfig::octree("lidar", "coarse", 0.05))
            .and_then(|()| pipeline.add_sensor("second", SensorConfig::octree("lidar", "coarse", 0.02))),
        pipeline.add_sensor("second", SensorConfig::cloud("lidar", "tool0")),
        pipeline.add_sensor("second", SensorConfig { margin: -0.1, ..SensorConfig::cloud("lidar", "other") }),
        pipeline.add_sensor(
            "second",
            SensorConfig { camera: Some(DepthCamera::new(camera)), ..SensorConfig::cloud("lidar", "other") },
        ),
        pipeline.add_sensor("second", padded(KnownBodies { robot_padding: -1.0, ..KnownBodies::default() })),
        pipeline.add_sensor("second", padded(KnownBodies { object_padding: f64::NAN, ..KnownBodies::default() })),
        pipeline.add_sensor("second", padded(of_link("wrist_3_link", -1.0))),
        pipeline.add_sensor("second", padded(of_link("wrist_33_link", 0.1))),
        pipeline.push("nobody", point(0.0, 0.0, 0.0), 0.0),
        pipeline.push("lidar", point(0.0, 0.0, 0.0), f64::NAN),
        pipeline.push("lidar", Measurement::Points(vec![0.0; 4]), 0.0),
        pipeline.push("lidar", Measurement::DepthMetres { values: vec![1.0; 4], size: [2, 2] }, 0.0),
        pipeline.update_robot(&[0.0; 3], 0.0),
        pipeline.update_robot(&[f64::NAN; 6], 0.0),
        pipeline.update_robot(&[0.0; 6], f64::INFINITY),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    assert!(matches!(pipeline.statistics("nobody"), Err(KineticError::UnknownName { .. })));
    assert_eq!(pipeline.sensors(), ["first", "lidar"]);
    assert_eq!(statistics(&pipeline, "lidar").received, 0);
    assert!(pipeline.remove_sensor("lidar") && !pipeline.remove_sensor("lidar"));
}

#[test]
fn a_call_that_is_stopped_leaves_the_measurements() {
    let pipeline = pipeline();
    let config = SensorConfig { is_robot_filtered: false, ..SensorConfig::cloud("lidar", "seen") };
    pipeline.add_sensor("lidar", config).unwrap();
    pipeline.push("lidar", point(1.0, 0.0, 0.0), 3.0).unwrap();
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop);
    assert!(pipeline.process(&control).is_err());
    assert!(statistics(&pipeline, "lidar").is_waiting);
    assert_eq!(pipeline.process(&Control::default()).unwrap(), ["lidar"]);
}

#[test]
fn a_call_that_waits_for_an_edit_can_be_stopped() {
    let pipeline = pipeline();
    let config = SensorConfig { is_robot_filtered: false, ..SensorConfig::cloud("lidar", "seen") };
    pipeline.add_sensor("lidar", config).unwrap();
    pipeline.push("lidar", point(1.0, 0.0, 0.0), 3.0).unwrap();
    let edit = pipeline.scene().begin_edit().unwrap();
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pipeline.process(&control));
        while statistics(&pipeline, "lidar").is_waiting {
            std::thread::yield_now();
        }
        stop.stop();
        assert!(waiting.join().unwrap().is_err());
    });
    assert!(statistics(&pipeline, "lidar").is_waiting, "the measurement is not lost");
    edit.commit().unwrap();
    assert_eq!(pipeline.process(&Control::default()).unwrap(), ["lidar"]);
}

#[test]
fn a_thread_takes_what_is_newest_and_every_measurement_is_counted() {
    let pipeline = pipeline();
    let config = SensorConfig { is_robot_filtered: false, ..SensorConfig::cloud("lidar", "seen") };
    pipeline.add_sensor("lidar", config).unwrap();
    let worker = pipeline.start().unwrap();
    for step in 0..500_u16 {
        pipeline.push("lidar", point(1.0, f32::from(step) * 0.001, 0.0), f64::from(step)).unwrap();
    }
    // The last one arrives, however many before it were replaced.
    let control = Control::new(Arc::new(SystemClock::default()), 60.0, u64::MAX, StopFlag::default());
    while statistics(&pipeline, "lidar").last_stamp != Some(499.0) {
        std::thread::yield_now();
        control.check(0).unwrap();
    }
    worker.stop().unwrap();
    let counted = statistics(&pipeline, "lidar");
    assert_eq!((counted.received, counted.processed + counted.dropped, counted.failed), (500, 500, 0));
    assert!((seen(&pipeline, "seen").y - 0.499).abs() < 1e-6);
    // Nobody processes any more.
    pipeline.push("lidar", point(1.0, 0.0, 0.0), 600.0).unwrap();
    assert!(statistics(&pipeline, "lidar").is_waiting);
}

#[test]
fn objects_go_when_their_time_to_live_is_over() {
    let pipeline = pipeline();
    let config = |object: &str, time_to_live| SensorConfig {
        is_robot_filtered: false,
        time_to_live,
        ..SensorConfig::cloud("lidar", object)
    };
    let map = |time_to_live| SensorConfig {
        is_robot_filtered: false,
        time_to_live,
        ..SensorConfig::octree("lidar", "map", 0.05)
    };
    pipeline.add_sensor("short", config("seen", Some(1.0))).unwrap();
    pipeline.add_sensor("long", config("kept", None)).unwrap();
    pipeline.add_sensor("left", map(Some(1.0))).unwrap();
    pipeline.add_sensor("right", map(Some(2.0))).unwrap();
    for sensor in ["short", "long", "left", "right"] {
        pipeline.push(sensor, point(1.0, 0.0, -0.5), 5.0).unwrap();
    }
    let objects_after = |stamp: f64| {
        pipeline.update_robot(&joints(0.0), stamp).unwrap();
        pipeline.process(&Control::default()).unwrap();
        pipeline.scene().snapshot().objects().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(objects_after(5.0), ["kept", "map", "seen"]);
    assert_eq!(objects_after(6.0), ["kept", "map", "seen"], "its last moment");
    assert_eq!(objects_after(6.5), ["kept", "map"]);
    let revision = pipeline.scene().revision();
    assert_eq!(objects_after(6.6), ["kept", "map"]);
    assert_eq!(pipeline.scene().revision(), revision, "nothing is edited again");
    assert_eq!(objects_after(7.5), ["kept"], "as long as one sensor lets it");
    assert!(pipeline.scene().snapshot().octree("map").is_err());
    pipeline.push("short", point(1.0, 0.0, -0.5), 7.5).unwrap();
    assert_eq!(objects_after(7.5), ["kept", "seen"], "seen anew");
    let expired = ["short", "long", "left", "right"].map(|sensor| statistics(&pipeline, sensor).expired);
    assert_eq!(expired, [1, 0, 1, 1]);
    for wrong in [0.0, -1.0, f64::NAN] {
        assert!(pipeline.add_sensor("wrong", config("other", Some(wrong))).is_err());
    }
}
