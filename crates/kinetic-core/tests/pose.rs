//! Poses: group axioms, conversions against nalgebra's matrices, repair and refusal of what is not rigid.

use std::f64::consts::{FRAC_PI_2, PI};

use kinetic_core::Pose;
use kinetic_core::pose::ORTHONORMAL_TOLERANCE;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Matrix3, Matrix4, Rotation3, Translation3, UnitQuaternion, Vector3};

/// Rounding of a few products of rotations and translations of order 1.
const TOLERANCE: f64 = 1e-12;

pub(crate) fn random(rng: &mut SeededRng) -> Pose {
    let mut angle = || rng.uniform(-PI, PI);
    let (roll, pitch, yaw) = (angle(), angle(), angle());
    Pose::from_xyz_rpy(rng.uniform(-2.0, 2.0), rng.uniform(-2.0, 2.0), rng.uniform(-2.0, 2.0), roll, pitch, yaw)
}

pub(crate) fn assert_same(a: &Pose, b: &Pose, case: &str) {
    let gap = (a.to_matrix() - b.to_matrix()).amax();
    assert!(gap < TOLERANCE, "{case}: {gap}");
}

/// `R = Rz Ry Rx` written out from the definition of fixed-axis angles.
fn rotation_by_definition(roll: f64, pitch: f64, yaw: f64) -> Matrix3<f64> {
    let (sr, cr) = roll.sin_cos();
    let (sp, cp) = pitch.sin_cos();
    let (sy, cy) = yaw.sin_cos();
    let x = Matrix3::new(1.0, 0.0, 0.0, 0.0, cr, -sr, 0.0, sr, cr);
    let y = Matrix3::new(cp, 0.0, sp, 0.0, 1.0, 0.0, -sp, 0.0, cp);
    let z = Matrix3::new(cy, -sy, 0.0, sy, cy, 0.0, 0.0, 0.0, 1.0);
    z * y * x
}

#[test]
fn rigid_motions_form_a_group() {
    let mut rng = SeededRng::new(1);
    for case in 0..1000 {
        let (a, b, c) = (random(&mut rng), random(&mut rng), random(&mut rng));
        let case = format!("case {case}");
        assert_same(&((a * b) * c), &(a * (b * c)), &case);
        assert_same(&(a * Pose::identity()), &a, &case);
        assert_same(&(Pose::identity() * a), &a, &case);
        assert_same(&(a * a.inverse()), &Pose::identity(), &case);
        assert_same(&a.compose(&b).inverse(), &(b.inverse() * a.inverse()), &case);
        assert!((a.compose(&b).to_matrix() - a.to_matrix() * b.to_matrix()).amax() < TOLERANCE, "{case}");
    }
}

#[test]
fn roll_pitch_yaw_mean_fixed_axes_and_survive_a_round_trip() {
    let mut rng = SeededRng::new(2);
    for case in 0..1000 {
        let (roll, yaw) = (rng.uniform(-PI, PI), rng.uniform(-PI, PI));
        let pitch = rng.uniform(-FRAC_PI_2, FRAC_PI_2);
        let pose = Pose::from_xyz_rpy(1.0, 2.0, 3.0, roll, pitch, yaw);
        let rotation: Matrix3<f64> = pose.to_matrix().fixed_view::<3, 3>(0, 0).into_owned();
        assert!((rotation - rotation_by_definition(roll, pitch, yaw)).amax() < TOLERANCE, "case {case}");
        let (r, p, y) = pose.rpy();
        assert_same(&Pose::from_xyz_rpy(1.0, 2.0, 3.0, r, p, y), &pose, &format!("case {case}"));
    }
}

#[test]
fn a_vertical_pitch_survives_a_round_trip_too() {
    for pitch in [FRAC_PI_2, -FRAC_PI_2] {
        for off in [0.0, 1e-12, 1e-9, 1e-7, 1e-4] {
            for (roll, yaw) in [(0.0, 0.0), (0.3, -1.2), (PI, 2.0), (-2.5, 0.7)] {
                let pose = Pose::from_xyz_rpy(0.0, 0.0, 0.0, roll, pitch - pitch.signum() * off, yaw);
                let (r, p, y) = pose.rpy();
                assert_same(&Pose::from_xyz_rpy(0.0, 0.0, 0.0, r, p, y), &pose, &format!("{pitch} {off} {roll} {yaw}"));
            }
        }
    }
}

#[test]
fn matrix_and_quaternion_survive_round_trips() {
    let mut rng = SeededRng::new(3);
    for case in 0..1000 {
        let pose = random(&mut rng);
        let case = format!("case {case}");
        assert_same(&Pose::from_matrix(&pose.to_matrix()).unwrap(), &pose, &case);
        let (t, q) = (pose.translation(), pose.rotation());
        let scale = rng.uniform(0.1, 10.0);
        let back = Pose::from_xyz_quat(t.x, t.y, t.z, q.i * scale, q.j * scale, q.k * scale, q.w * scale);
        assert_same(&back.unwrap(), &pose, &case);
        let text = serde_json::to_string(&pose).unwrap();
        assert_eq!(serde_json::from_str::<Pose>(&text).unwrap(), pose, "{case}");
    }
}

#[test]
fn half_turns_survive_matrix_round_trips() {
    // The conversion from a matrix divides by a component of the quaternion: w is 0 here.
    for axis in [Vector3::x(), Vector3::y(), Vector3::z(), Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.0, 1.0, 1.0)] {
        for angle in [PI, PI - 1e-9, -PI + 1e-5] {
            let rotation = Rotation3::from_scaled_axis(axis.normalize() * angle);
            let pose = Pose::from(Isometry3::from_parts(Vector3::zeros().into(), rotation.into()));
            assert_same(&Pose::from_matrix(&rotation.to_homogeneous()).unwrap(), &pose, &format!("{axis} {angle}"));
        }
    }
}

#[test]
fn distances_are_those_of_the_documented_example() {
    let a = Pose::from_xyz(1.0, 0.0, 0.0);
    let b = Pose::from_xyz_rpy(1.0, 0.5, 0.0, 0.0, 0.0, 1.57);
    assert!((a.translation_distance(&b) - 0.5).abs() < TOLERANCE);
    assert!((a.rotation_distance(&b) - 1.57).abs() < TOLERANCE);
    assert_eq!(a.rotation_distance(&a), 0.0);
}

#[test]
fn rotation_distance_is_the_angle_of_the_relative_rotation() {
    let mut rng = SeededRng::new(4);
    for case in 0..1000 {
        let (a, b) = (random(&mut rng), random(&mut rng));
        let relative: Matrix3<f64> = (a.inverse() * b).to_matrix().fixed_view::<3, 3>(0, 0).into_owned();
        let wanted = ((relative.trace() - 1.0) / 2.0).clamp(-1.0, 1.0).acos();
        // The arc cosine loses half the digits near 0 and π.
        assert!((a.rotation_distance(&b) - wanted).abs() < 1e-7, "case {case}");
        assert!((a.rotation_distance(&b) - b.rotation_distance(&a)).abs() < TOLERANCE);
    }
}

#[test]
fn an_almost_rigid_matrix_is_repaired_to_a_rotation() {
    let mut rng = SeededRng::new(5);
    for case in 0..1000 {
        let exact = random(&mut rng).to_matrix();
        let mut noisy = exact;
        for row in 0..3 {
            for column in 0..3 {
                noisy[(row, column)] += rng.uniform(-1.0, 1.0) * ORTHONORMAL_TOLERANCE / 10.0;
            }
        }
        let repaired = Pose::from_matrix(&noisy).unwrap().to_matrix();
        let r: Matrix3<f64> = repaired.fixed_view::<3, 3>(0, 0).into_owned();
        assert!((r.transpose() * r - Matrix3::identity()).amax() < TOLERANCE, "case {case}: not a rotation");
        assert!((repaired - exact).amax() < ORTHONORMAL_TOLERANCE, "case {case}: moved");
    }
}

/// Entries rounded to so many decimals.
fn rounded(matrix: &Matrix4<f64>, decimals: i32) -> Matrix4<f64> {
    let scale = 10.0_f64.powi(decimals);
    matrix.map(|entry| (entry * scale).round() / scale)
}

#[test]
fn matrices_of_five_decimals_are_poses() {
    let mut rng = SeededRng::new(15);
    for case in 0..10_000 {
        let exact = random(&mut rng).to_matrix();
        let read = Pose::from_matrix(&rounded(&exact, 5)).unwrap_or_else(|error| panic!("case {case}: {error}"));
        assert!((read.to_matrix() - exact).amax() < 2e-5, "case {case}");
    }
}

#[test]
fn the_refusal_of_fewer_digits_says_how_far_off_and_what_helps() {
    let mut rng = SeededRng::new(16);
    for case in 0..1_000 {
        let exact = random(&mut rng).to_matrix();
        let coarse = rounded(&exact, 3);
        let rotation: Matrix3<f64> = coarse.fixed_view::<3, 3>(0, 0).into_owned();
        let off = (rotation.transpose() * rotation - Matrix3::identity()).amax();
        if off > ORTHONORMAL_TOLERANCE {
            let message = Pose::from_matrix(&coarse).unwrap_err().to_string();
            let said: f64 = message.split(' ').find_map(|word| word.parse().ok()).unwrap();
            // Four digits are written.
            assert!((said - off).abs() <= 5e-4 * off && message.contains("orthonormalised"), "{case}: {message}");
        }
        assert!((Pose::orthonormalised(&coarse).unwrap().to_matrix() - exact).amax() < 2e-3, "case {case}");
    }
}

#[test]
fn no_rotation_is_nearer_than_the_orthonormalised_one() {
    let mut rng = SeededRng::new(17);
    let rotation = |pose: &Pose| -> Matrix3<f64> { pose.to_matrix().fixed_view::<3, 3>(0, 0).into_owned() };
    for case in 0..300 {
        let mut matrix = random(&mut rng).to_matrix();
        for entry in 0..9 {
            matrix[(entry / 3, entry % 3)] += rng.uniform(-0.2, 0.2);
        }
        let given: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let nearest = Pose::orthonormalised(&matrix).unwrap();
        let least = (rotation(&nearest) - given).norm();
        for _ in 0..50 {
            let size = 10.0_f64.powf(rng.uniform(-4.0, 0.0));
            let mut angle = || rng.uniform(-size, size);
            let beside = nearest * Pose::from_xyz_rpy(0.0, 0.0, 0.0, angle(), angle(), angle());
            assert!((rotation(&beside) - given).norm() >= least - 1e-12, "case {case}");
        }
        assert_eq!(nearest.translation(), random_translation(&matrix), "case {case}");
    }
    for wrong in
        [Matrix4::from_diagonal(&[1.0, 1.0, -1.0, 1.0].into()), Matrix4::from_diagonal(&[1.0, 1.0, 0.0, 1.0].into())]
    {
        assert!(Pose::orthonormalised(&wrong).unwrap_err().to_string().contains("positive determinant"));
    }
}

fn random_translation(matrix: &Matrix4<f64>) -> nalgebra::Vector3<f64> {
    nalgebra::Vector3::new(matrix[(0, 3)], matrix[(1, 3)], matrix[(2, 3)])
}

#[test]
fn what_is_not_rigid_is_refused_with_the_reason() {
    let identity = Matrix4::<f64>::identity();
    let refuse = |row: usize, column: usize, value: f64| {
        let mut matrix = identity;
        matrix[(row, column)] = value;
        Pose::from_matrix(&matrix).unwrap_err()
    };
    for error in [refuse(0, 0, 1.1), refuse(0, 1, 0.1), refuse(2, 2, -1.0), refuse(1, 1, 0.0)] {
        assert!(error.code() == "InvalidValue" && error.to_string().contains("rotation of pose matrix"), "{error}");
    }
    assert!(refuse(3, 0, 1.0).to_string().contains("last row"));
    assert!(refuse(3, 3, 2.0).to_string().contains("last row"));
    assert_eq!(refuse(0, 3, f64::NAN).code(), "NotFinite");
    assert_eq!(Pose::from_xyz_quat(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0).unwrap_err().code(), "InvalidValue");
    assert_eq!(Pose::from_xyz_quat(0.0, 0.0, f64::INFINITY, 0.0, 0.0, 0.0, 1.0).unwrap_err().code(), "NotFinite");
    let error = Pose::from_xyz(f64::NAN, 0.0, 0.0).check_finite("goal pose").unwrap_err();
    assert!(error.to_string().contains("goal pose"), "{error}");
}

#[test]
fn a_quaternion_in_a_file_is_normalised_or_refused() {
    let read = |q: &str| serde_json::from_str::<Pose>(&format!("{{\"rotation\": {q}, \"translation\": [1, 2, 3]}}"));
    let pose = read("[0, 0, 2, 2]").unwrap();
    assert_same(&pose, &Pose::from_xyz_rpy(1.0, 2.0, 3.0, 0.0, 0.0, FRAC_PI_2), "scaled quaternion");
    assert!(read("[0, 0, 0, 0]").is_err());
}

#[test]
fn a_pose_is_its_isometry() {
    let isometry = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
    let pose = Pose::from(isometry);
    assert_eq!(pose.isometry(), &isometry);
    // Dereferences, so that nalgebra's methods are there.
    assert_eq!(pose.transform_vector(&Vector3::x()), isometry.rotation * Vector3::x());
    assert_eq!(Pose::from(Vector3::new(1.0, 2.0, 3.0)), Pose::from_xyz(1.0, 2.0, 3.0));
    assert_eq!(Pose::default(), Pose::identity());
}

#[test]
fn poses_come_from_and_go_to_the_types_of_nalgebra() {
    let (shift, turn) = (Translation3::new(1.0, -2.0, 0.5), UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3));
    assert_eq!(Pose::from(shift), Pose::from_xyz(1.0, -2.0, 0.5));
    assert_eq!(Pose::from(turn), Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.1, 0.2, 0.3));
    let both = Isometry3::from_parts(shift, turn);
    assert_eq!(Isometry3::from(Pose::from(both)), both);
    assert_eq!(Pose::from(shift) * Pose::from(turn), both.into());
}

#[test]
fn poses_are_written_as_what_makes_them() {
    let pose = Pose::from_xyz(0.4, 0.0, -0.25);
    assert_eq!(pose.to_string(), "xyz [0.4, 0, -0.25] xyzw [0, 0, 0, 1]");
    let turned = Pose::from_xyz_rpy(1.0, 0.0, 0.0, 0.0, 0.0, std::f64::consts::FRAC_PI_2);
    assert_eq!(format!("{turned:.2}"), "xyz [1.00, 0.00, 0.00] xyzw [0.00, 0.00, 0.71, 0.71]");
}
