//! Depth images of surfaces that are known.

use std::sync::Arc;

use kinetic_core::{Control, StopFlag, SystemClock};
use kinetic_perception::{CameraModel, DepthImage, DepthValues, Distortion};
use nalgebra::Point3;

fn image(values: DepthValues<'_>, camera: CameraModel) -> DepthImage<'_> {
    DepthImage { values, width: 64, height: 48, camera, min_depth: 0.1, max_depth: 5.0, flying_pixel_ratio: None }
}

fn camera(distortion: Distortion) -> CameraModel {
    CameraModel { fx: 60.0, fy: 62.0, cx: 31.0, cy: 24.0, distortion }
}

/// A plane `n · x = 1.2` seen by a camera: depths by intersection of rays.
#[test]
fn the_points_of_a_plane_lie_on_it() {
    let normal = nalgebra::Vector3::new(0.2, -0.3, 1.0);
    for distortion in [Distortion::None, Distortion::BrownConrady { k: [-0.2, 0.05, 0.0], p: [0.001, 0.002] }] {
        let camera = camera(distortion);
        let depth = |index: usize| {
            camera.ray([(index % 64) as f64, (index / 64) as f64]).map_or(0.0, |ray| 1.2 / normal.dot(&ray))
        };
        let metres: Vec<f32> = (0..64 * 48).map(|index| depth(index) as f32).collect();
        #[allow(clippy::cast_sign_loss, reason = "depths are positive")]
        let integers: Vec<u16> = (0..64 * 48).map(|index| (depth(index) * 10_000.0).round() as u16).collect();
        for (values, error) in [(DepthValues::Metres(&metres), 1e-6), (DepthValues::Integers(&integers, 1e-4), 1e-4)] {
            let points = image(values, camera).points(&Control::default()).unwrap();
            assert!(points.len() > 2_000, "{}", points.len());
            let far = points.iter().map(|point| (normal.dot(&point.coords) - 1.2).abs()).fold(0.0, f64::max);
            assert!(far < error, "{distortion:?}: {far}");
            assert!(points.iter().all(|point| (0.1..=5.0).contains(&point.z)));
        }
    }
}

#[test]
fn what_was_not_measured_is_no_point() {
    let mut metres = vec![1.0_f32; 64 * 48];
    for (index, value) in [0.0, f32::NAN, f32::INFINITY, -1.0, 0.05, 6.0].into_iter().enumerate() {
        metres[100 + 7 * index] = value;
    }
    let points = image(DepthValues::Metres(&metres), camera(Distortion::None)).points(&Control::default()).unwrap();
    assert_eq!(points.len(), 64 * 48 - 6);
    // Without a bound, what is infinitely far is still nothing that was measured.
    let unbounded =
        DepthImage { max_depth: f64::INFINITY, ..image(DepthValues::Metres(&metres), camera(Distortion::None)) };
    let points = unbounded.points(&Control::default()).unwrap();
    assert!(points.len() == 64 * 48 - 5 && points.iter().flat_map(Point3::iter).all(|value| value.is_finite()));
    let integers = vec![0_u16; 64 * 48];
    let points = image(DepthValues::Integers(&integers, 1e-3), camera(Distortion::None)).points(&Control::default());
    assert!(points.unwrap().is_empty());
}

/// A step from 1 m to 2 m with a column of mixed depths between: it goes, and both sides of the step stay.
#[test]
fn flying_pixels_go_and_edges_stay() {
    let depth = |index: usize| match index % 64 {
        0..30 => 1.0_f32,
        30 => 1.5,
        _ => 2.0,
    };
    let metres: Vec<f32> = (0..64 * 48).map(depth).collect();
    let plain = image(DepthValues::Metres(&metres), camera(Distortion::None));
    let filtered = DepthImage { flying_pixel_ratio: Some(0.1), ..plain };
    let points = filtered.points(&Control::default()).unwrap();
    assert_eq!(points.len(), 63 * 48);
    assert!(points.iter().all(|point| (point.z - 1.0).abs() < 1e-9 || (point.z - 2.0).abs() < 1e-9));
}

#[test]
fn images_that_are_none_are_refused_by_name() {
    let (metres, integers) = (vec![1.0_f32; 64 * 48], vec![1_u16; 64 * 48]);
    let good = image(DepthValues::Metres(&metres), camera(Distortion::None));
    let bad = [
        (DepthImage { width: 63, ..good }, "depth image"),
        (DepthImage { width: usize::MAX, ..good }, "depth image"),
        (DepthImage { values: DepthValues::Integers(&integers, 0.0), ..good }, "depth_scale"),
        (DepthImage { min_depth: 2.0, max_depth: 1.0, ..good }, "min_depth"),
        (DepthImage { max_depth: f64::NAN, ..good }, "max_depth"),
        (DepthImage { flying_pixel_ratio: Some(-0.1), ..good }, "flying_pixel_ratio"),
        (DepthImage { camera: CameraModel { fx: 0.0, ..good.camera }, ..good }, "fx"),
    ];
    for (image, name) in bad {
        let error = image.points(&Control::default()).unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}

/// More cameras than are remembered, in turns, each with the rays of its own.
#[test]
fn pictures_of_several_distorted_cameras_have_the_rays_of_their_own() {
    let metres = vec![1.0_f32; 64 * 48];
    for round in 0..3 {
        for number in 0..8 {
            let k = -0.2 + 0.02 * f64::from(number);
            let camera = camera(Distortion::BrownConrady { k: [k, 0.05, 0.0], p: [0.001, 0.002] });
            let turned = DepthImage { width: 48, height: 64, ..image(DepthValues::Metres(&metres), camera) };
            for picture in [image(DepthValues::Metres(&metres), camera), turned] {
                let points = picture.points(&Control::default()).unwrap();
                let rays = (0..metres.len()).filter_map(|index| {
                    camera.ray([(index % picture.width) as f64, (index / picture.width) as f64]).map(Point3::from)
                });
                assert_eq!(points, rays.collect::<Vec<_>>(), "round {round}, camera {number}");
            }
        }
    }
    let stopped = StopFlag::default();
    stopped.stop();
    let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stopped);
    let fresh = camera(Distortion::Fisheye { k: [0.015, 0.0, 0.0, 0.0] });
    assert!(image(DepthValues::Metres(&metres), fresh).points(&control).is_err());
}
