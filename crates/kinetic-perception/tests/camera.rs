//! Projections and rays against the formulas written down again, and against each other.

use kinetic_core::rng::SeededRng;
use kinetic_perception::{CameraModel, Distortion};
use nalgebra::Point3;

fn camera(distortion: Distortion) -> CameraModel {
    CameraModel { fx: 610.0, fy: 605.0, cx: 322.0, cy: 241.5, distortion }
}

const BROWN: Distortion = Distortion::BrownConrady { k: [-0.28, 0.09, -0.01], p: [0.001, -0.0007] };
const FISHEYE: Distortion = Distortion::Fisheye { k: [-0.013, 0.02, -0.012, 0.002] };

#[test]
fn pixels_are_those_of_the_published_formulas() {
    let mut rng = SeededRng::new(1);
    for _ in 0..1_000 {
        let (x, y): (f64, f64) = (rng.uniform(-0.5, 0.5), rng.uniform(-0.4, 0.4));
        let (z, r2) = (rng.uniform(0.2, 4.0), x * x + y * y);
        let point = Point3::new(x * z, y * z, z);
        let [k1, k2, k3, p1, p2] = [-0.28, 0.09, -0.01, 0.001, -0.0007];
        let radial = 1.0 + k1 * r2 + k2 * r2.powi(2) + k3 * r2.powi(3);
        let brown = [
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        ];
        let theta = r2.sqrt().atan();
        let bent =
            theta + (-0.013 * theta.powi(3) + 0.02 * theta.powi(5) - 0.012 * theta.powi(7) + 0.002 * theta.powi(9));
        let fisheye = [x / r2.sqrt() * bent, y / r2.sqrt() * bent];
        for (distortion, plane) in [(Distortion::None, [x, y]), (BROWN, brown), (FISHEYE, fisheye)] {
            let [u, v] = camera(distortion).project(&point).unwrap();
            let wanted = [610.0 * plane[0] + 322.0, 605.0 * plane[1] + 241.5];
            assert!((u - wanted[0]).abs() < 1e-9 && (v - wanted[1]).abs() < 1e-9, "{distortion:?}: {u} {v} {wanted:?}");
        }
    }
}

#[test]
fn rays_project_to_their_pixels() {
    let mut rng = SeededRng::new(2);
    for distortion in [Distortion::None, BROWN, FISHEYE] {
        for _ in 0..1_000 {
            let pixel = [rng.uniform(0.0, 640.0), rng.uniform(0.0, 480.0)];
            let ray = camera(distortion).ray(pixel).unwrap();
            let back = camera(distortion).project(&Point3::from(ray * rng.uniform(0.1, 5.0))).unwrap();
            assert!((back[0] - pixel[0]).hypot(back[1] - pixel[1]) < 1e-6, "{distortion:?}: {pixel:?} {back:?}");
        }
    }
}

#[test]
fn what_is_behind_the_camera_or_beyond_its_lens_has_no_pixel_or_ray() {
    let camera = camera(BROWN);
    assert!(camera.project(&Point3::new(0.0, 0.0, 0.0)).is_none());
    assert!(camera.project(&Point3::new(0.1, 0.0, -1.0)).is_none());
    // The radial polynomial has a maximum; nothing appears beyond it.
    assert!(camera.ray([5_000.0, 241.5]).is_none());
    let fisheye = CameraModel { distortion: Distortion::Fisheye { k: [0.0; 4] }, ..camera };
    assert!(fisheye.ray([322.0 + 610.0 * 1.6, 241.5]).is_none(), "an angle beyond 90°");
    assert!(fisheye.ray([322.0 + 610.0 * 1.5, 241.5]).is_some());
    assert_eq!(fisheye.ray([322.0, 241.5]).unwrap().as_slice(), [0.0, 0.0, 1.0]);
}

#[test]
fn intrinsics_of_no_camera_are_refused_by_name() {
    for (fx, fy, cx, name) in
        [(0.0, 1.0, 0.0, "fx"), (1.0, -1.0, 0.0, "fy"), (f64::NAN, 1.0, 0.0, "fx"), (1.0, 1.0, f64::NAN, "cx")]
    {
        let error = CameraModel::pinhole(fx, fy, cx, 0.0).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    let bad = CameraModel { distortion: Distortion::Fisheye { k: [f64::INFINITY, 0.0, 0.0, 0.0] }, ..camera(BROWN) };
    assert!(bad.check().unwrap_err().to_string().contains("distortion"));
}
