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

/// Where the radial formula of a lens first stops growing, by small steps up to an end.
fn first_fold(appears: &dyn Fn(f64) -> f64, end: f64) -> f64 {
    let step = end / 40_000.0;
    (1..40_000).map(|k| f64::from(k) * step).find(|at| appears(at + step) <= appears(*at)).unwrap_or(end)
}

/// Lenses at random, many of which fold. A ray before the fold is the ray of its pixel; where nothing appears before the fold, there is none.
#[test]
fn rays_are_those_before_the_first_fold_of_the_lens() {
    let mut rng = SeededRng::new(3);
    let (mut found, mut none) = (0, 0);
    for lens in 0..200 {
        let mut coefficient = |scale: f64| scale * rng.uniform(-1.0, 1.0);
        let k: [f64; 4] = [coefficient(0.5), coefficient(0.2), coefficient(0.1), coefficient(0.02)];
        let p = if lens % 3 == 0 { [coefficient(0.002), coefficient(0.002)] } else { [0.0; 2] };
        let is_fisheye = lens % 2 == 1;
        let distortion =
            if is_fisheye { Distortion::Fisheye { k } } else { Distortion::BrownConrady { k: [k[0], k[1], k[2]], p } };
        let last = if is_fisheye { k[3] } else { 0.0 };
        let appears = |r: f64| r * (1.0 + k[0] * r.powi(2) + k[1] * r.powi(4) + k[2] * r.powi(6) + last * r.powi(8));
        // Tangential terms move the fold a little.
        let nearly = if is_fisheye || p == [0.0; 2] { 0.999 } else { 0.9 };
        let fold = first_fold(&appears, if is_fisheye { std::f64::consts::FRAC_PI_2 } else { 3.0 });
        for _ in 0..50 {
            let (at, turn) = (fold * nearly * rng.unit(), rng.uniform(-3.2, 3.2_f64));
            let radius = if is_fisheye { at.tan() } else { at };
            let point = Point3::new(radius * turn.cos(), radius * turn.sin(), 1.0);
            let pixel = camera(distortion).project(&point).unwrap();
            let ray = camera(distortion).ray(pixel).unwrap_or_else(|| panic!("lens {lens}: {at} of {fold}"));
            // Near the fold pixels tell rays apart badly.
            let error = (ray - point.coords).norm() / (1.0 + radius * radius);
            assert!(error < 1e-5, "lens {lens}: {ray:?} for {point:?}, the fold is at {fold}");
            found += 1;
            if appears(fold) > 0.0 && (is_fisheye || fold < 2.9) {
                let beyond = 610.0 * appears(fold) * rng.uniform(2.0 - nearly, 3.0);
                let place = [322.0 + beyond * turn.cos(), 241.5 + 605.0 / 610.0 * beyond * turn.sin()];
                assert!(camera(distortion).ray(place).is_none(), "lens {lens}: {place:?}, the fold is at {fold}");
                none += 1;
            }
        }
    }
    assert!(found == 10_000 && none > 5_000, "{found} and {none}");
}

/// Regression 33: behind the fold of this lens pixels had rays that it does not have.
#[test]
fn a_lens_that_grows_again_beyond_its_fold_has_no_rays_there() {
    let lens = camera(Distortion::BrownConrady { k: [-0.36, 0.0038, 0.0077], p: [0.0; 2] });
    assert!(lens.ray([322.0 + 610.0 * 0.65, 241.5]).is_some_and(|ray| ray.x < 1.0));
    assert_eq!(lens.ray([322.0 + 610.0 * 0.71, 241.5]), None);
    assert!(lens.project(&Point3::new(0.9, 0.0, 1.0)).is_some());
    assert_eq!(lens.project(&Point3::new(2.3, 0.0, 1.0)), None);
}

/// Regression 34: the search for wide angles began beyond a right angle, where this lens folds.
#[test]
fn wide_angles_of_a_fisheye_have_their_rays() {
    let k = [0.07, 0.0385, 0.0159, -0.0094];
    let fisheye = camera(Distortion::Fisheye { k });
    for angle in [80.0_f64, 84.0, 87.0, 89.0, 89.9].map(f64::to_radians) {
        let pixel = fisheye.project(&Point3::new(angle.tan(), 0.0, 1.0)).unwrap();
        let ray = fisheye.ray(pixel).unwrap();
        assert!((ray.x.atan() - angle).abs() < 1e-9, "{angle}: {ray:?}");
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
