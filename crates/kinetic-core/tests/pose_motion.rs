//! Poses between, moved, turned and compared: laws, matrices, and nalgebra's own interpolation.

use std::f64::consts::PI;

use kinetic_core::constraint::Axis;
use kinetic_core::rng::SeededRng;
use kinetic_core::{AxisMask, Pose, Wrt};
use nalgebra::{UnitQuaternion, Vector3};

use crate::pose::{assert_same, random};

/// Rounding of a few products of rotations and translations of order 1.
const TOLERANCE: f64 = 1e-12;
/// A quaternion of almost half a turn holds its angle to about the root of the rounding error times the rest to π.
const ANGLE_TOLERANCE: f64 = 1e-9;

fn vector(rng: &mut SeededRng) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0))
}

#[test]
fn slerp_is_that_of_nalgebra_and_turns_at_a_constant_rate() {
    let mut rng = SeededRng::new(11);
    for case in 0..500 {
        let (a, b) = (random(&mut rng), random(&mut rng));
        let ratio = rng.unit();
        let wanted = Pose(a.0.lerp_slerp(&b.0, ratio));
        assert_same(&a.slerp(&b, ratio), &wanted, &format!("case {case}"));
        let angle = a.rotation_distance(&b);
        assert!((a.rotation_distance(&a.slerp(&b, ratio)) - ratio * angle).abs() < ANGLE_TOLERANCE, "case {case}");
        assert_eq!(a.slerp(&b, ratio), a.interpolate(&b, ratio));
    }
}

#[test]
fn both_interpolations_meet_their_ends_and_are_symmetric() {
    let mut rng = SeededRng::new(12);
    for case in 0..500 {
        let (a, b) = (random(&mut rng), random(&mut rng));
        let case = format!("case {case}");
        for between in [Pose::slerp, Pose::lerp] {
            assert_same(&between(&a, &b, 0.0), &a, &case);
            assert_same(&between(&a, &b, 1.0), &b, &case);
            let ratio = rng.unit();
            assert_same(&between(&a, &b, ratio), &between(&b, &a, 1.0 - ratio), &case);
        }
        // Both turn about the same axis; in the middle they agree.
        assert_same(&a.slerp(&b, 0.5), &a.lerp(&b, 0.5), &case);
    }
}

#[test]
fn poses_half_a_turn_apart_have_poses_between_them() {
    for axis in [Vector3::x(), Vector3::y(), Vector3::new(1.0, -2.0, 0.5).normalize()] {
        let turned = Pose::identity().rotated(&UnitQuaternion::from_scaled_axis(axis * PI), Wrt::Local);
        for between in [Pose::slerp, Pose::lerp] {
            let middle = between(&Pose::identity(), &turned, 0.5);
            assert!((middle.rotation_distance(&turned) - PI / 2.0).abs() < TOLERANCE);
        }
    }
}

#[test]
fn edits_are_products_with_the_reference_frame() {
    let mut rng = SeededRng::new(13);
    for case in 0..500 {
        let (pose, frame, motion) = (random(&mut rng), random(&mut rng), random(&mut rng));
        let case = format!("case {case}");
        let (p, f, m) = (pose.to_matrix(), frame.to_matrix(), motion.to_matrix());
        let matrix = |pose: &Pose| pose.to_matrix();
        let inverse = f.try_inverse().unwrap();
        assert!((matrix(&pose.transformed(&motion, Wrt::Local)) - p * m).amax() < TOLERANCE, "{case}");
        assert!((matrix(&pose.transformed(&motion, Wrt::World)) - m * p).amax() < TOLERANCE, "{case}");
        let by_frame = pose.transformed(&motion, Wrt::Frame(frame));
        assert!((matrix(&by_frame) - f * m * inverse * p).amax() < TOLERANCE, "{case}");
        // A reference frame that is the pose itself means its own axes; the identity means the world.
        for (wrt, same) in [(Wrt::Local, Wrt::Frame(pose)), (Wrt::World, Wrt::Frame(Pose::identity()))] {
            assert_same(&pose.transformed(&motion, wrt), &pose.transformed(&motion, same), &case);
            let offset = motion.translation();
            assert_same(&pose.translated(&offset, wrt), &pose.translated(&offset, same), &case);
            let turned = pose.rotated(&motion.rotation(), wrt);
            assert_same(&turned, &pose.rotated(&motion.rotation(), same), &case);
            assert_eq!(turned.translation(), pose.translation());
        }
        let moved = pose.translated(&motion.translation(), Wrt::Frame(frame));
        let wanted = pose.translation() + frame.rotation() * motion.translation();
        assert!((moved.translation() - wanted).amax() < TOLERANCE && moved.rotation() == pose.rotation(), "{case}");
        assert_same(&(Pose::with_local_at(&motion, &frame) * motion), &frame, &case);
    }
}

#[test]
fn an_aligned_axis_points_along_the_direction_by_the_smallest_turn() {
    let mut rng = SeededRng::new(14);
    for case in 0..1000 {
        let (pose, frame) = (random(&mut rng), random(&mut rng));
        let (direction, axis) = (vector(&mut rng), vector(&mut rng));
        for wrt in [Wrt::World, Wrt::Local, Wrt::Frame(frame)] {
            let axes = match wrt {
                Wrt::Local => pose.rotation(),
                Wrt::Frame(frame) => frame.rotation(),
                _ => UnitQuaternion::identity(),
            };
            let wanted = (axes * direction).normalize();
            let aligned = pose.align_axis_to_direction(&direction, &axis, wrt, 0.0).unwrap();
            assert!((aligned.rotation() * axis.normalize() - wanted).amax() < TOLERANCE, "case {case}");
            assert_eq!(aligned.translation(), pose.translation());
            let angle = (pose.rotation() * axis).angle(&wanted);
            assert!((pose.rotation_distance(&aligned) - angle).abs() < 1e-7, "case {case}");
        }
    }
}

#[test]
fn parallel_and_opposite_axes_are_aligned_exactly_and_without_jumps() {
    let mut rng = SeededRng::new(15);
    for case in 0..300 {
        let (pose, axis) = (random(&mut rng), vector(&mut rng).normalize());
        let pointing = pose.rotation() * axis;
        let same = pose.align_axis_to_direction(&pointing, &axis, Wrt::World, 0.005).unwrap();
        assert!(same.rotation_distance(&pose) < 1e-7, "case {case}");
        let opposite = pose.align_axis_to_direction(&-pointing, &axis, Wrt::World, 0.005).unwrap();
        for size in [1e-17, 1e-12, 1e-9, 1e-6, 1e-3] {
            let wanted = (vector(&mut rng) * size - pointing).normalize();
            let near = pose.align_axis_to_direction(&wanted, &axis, Wrt::World, 0.005).unwrap();
            assert!((near.rotation() * axis - wanted).amax() < TOLERANCE, "case {case}, {size}");
            // A direction that moves by little turns the result by as little: the half turn goes the same way round.
            assert!(near.rotation_distance(&opposite) < 4.0 * size + 1e-7, "case {case}, {size}");
        }
    }
    let refused = |direction: Vector3<f64>, axis: Vector3<f64>, eps: f64| {
        Pose::identity().align_axis_to_direction(&direction, &axis, Wrt::World, eps).unwrap_err().code()
    };
    assert_eq!(refused(Vector3::zeros(), Vector3::z(), 0.005), "InvalidValue");
    assert_eq!(refused(Vector3::x(), Vector3::zeros(), 0.005), "InvalidValue");
    assert_eq!(refused(Vector3::x(), Vector3::z(), -1.0), "InvalidValue");
    assert_eq!(refused(Vector3::x(), Vector3::z(), f64::NAN), "InvalidValue");
    assert_eq!(refused(Vector3::new(f64::NAN, 0.0, 0.0), Vector3::z(), 0.005), "NotFinite");
}

#[test]
fn a_camera_looks_at_its_target_with_its_y_axis_down() {
    let mut rng = SeededRng::new(16);
    for case in 0..300 {
        let (eye, target, up) = (vector(&mut rng), vector(&mut rng), vector(&mut rng));
        let pose = Pose::look_at(&eye, &target, &up).unwrap();
        let view = (target - eye).normalize();
        assert!((pose.z_axis() - view).amax() < TOLERANCE && pose.translation() == eye, "case {case}");
        assert!(pose.x_axis().dot(&up).abs() < TOLERANCE, "case {case}: the horizon is level");
        assert!(pose.y_axis().dot(&up) < 0.0, "case {case}: y is down");
        assert!((pose.x_axis().cross(&pose.y_axis()) - pose.z_axis()).amax() < TOLERANCE, "case {case}");
    }
    let (eye, x, z) = (Vector3::zeros(), Vector3::x(), Vector3::z());
    for (target, up) in [(eye, z), (x, x), (x, -x * 2.0), (x, eye)] {
        assert_eq!(Pose::look_at(&eye, &target, &up).unwrap_err().code(), "InvalidValue");
    }
    assert_eq!(Pose::look_at(&eye, &x, &(z * f64::INFINITY)).unwrap_err().code(), "NotFinite");
}

#[test]
fn differences_lead_from_one_pose_to_the_other() {
    let mut rng = SeededRng::new(17);
    for case in 0..500 {
        let (a, b) = (random(&mut rng), random(&mut rng));
        let position = a.difference_position(&b, AxisMask::ALL);
        let rotation = a.difference_rotation(&b, AxisMask::ALL, None);
        let there =
            a.translated(&position, Wrt::Local).rotated(&UnitQuaternion::from_scaled_axis(rotation), Wrt::Local);
        assert_same(&there, &b, &format!("case {case}"));
        assert!((rotation.norm() - a.rotation_distance(&b)).abs() < TOLERANCE, "case {case}");
        let mask: AxisMask = "xz".parse().unwrap();
        assert_eq!(a.difference_position(&b, mask), Vector3::new(position.x, 0.0, position.z));
        assert_eq!(a.difference_rotation(&b, mask, None), Vector3::new(rotation.x, 0.0, rotation.z));
        assert_eq!(a.difference_rotation(&b, AxisMask::NONE, None), Vector3::zeros());
    }
}

#[test]
fn a_mirror_accepts_the_flipped_pose_and_takes_the_nearer_one() {
    let mut rng = SeededRng::new(18);
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        let half_turn = UnitQuaternion::from_scaled_axis(axis.unit() * PI);
        for case in 0..200 {
            let (a, b) = (random(&mut rng), random(&mut rng));
            let flipped = b.rotated(&half_turn, Wrt::Local);
            let difference = a.difference_rotation(&b, AxisMask::ALL, Some(axis));
            let nearer = a.rotation_distance(&b).min(a.rotation_distance(&flipped));
            assert!((difference.norm() - nearer).abs() < TOLERANCE, "case {case}");
            let same = a.difference_rotation(&flipped, AxisMask::ALL, Some(axis));
            assert!((same - difference).amax() < ANGLE_TOLERANCE, "case {case}");
            let own_flip = a.rotated(&half_turn, Wrt::Local);
            assert!(a.difference_rotation(&own_flip, AxisMask::ALL, Some(axis)).norm() < TOLERANCE);
        }
    }
}

#[test]
fn batches_of_vectors_are_carried_as_single_ones() {
    let mut rng = SeededRng::new(19);
    let pose = random(&mut rng);
    let vectors: Vec<[f64; 3]> = (0..100).map(|_| vector(&mut rng).into()).collect();
    let carried = |carry: fn(&Pose, &mut [[f64; 3]])| {
        let mut vectors = vectors.clone();
        carry(&pose, &mut vectors);
        vectors
    };
    let pairs = [
        (carried(Pose::transform_points), pose.to_matrix()),
        (carried(Pose::inverse_transform_points), pose.to_matrix().try_inverse().unwrap()),
        (carried(Pose::rotate_vectors), pose.rotation().to_homogeneous()),
        (carried(Pose::inverse_rotate_vectors), pose.rotation().inverse().to_homogeneous()),
    ];
    for (given, matrix) in pairs {
        for (result, vector) in given.iter().zip(&vectors) {
            let wanted = matrix * Vector3::from(*vector).push(1.0);
            assert!((Vector3::from(*result) - wanted.xyz()).amax() < TOLERANCE);
        }
    }
    Pose::identity().transform_points(&mut []);
}

#[test]
fn axes_and_quaternions_are_those_of_the_matrix() {
    let mut rng = SeededRng::new(20);
    let pose = random(&mut rng);
    let columns = nalgebra::Matrix3::from_columns(&[pose.x_axis(), pose.y_axis(), pose.z_axis()]);
    assert!((columns - pose.rotation_matrix()).amax() < TOLERANCE);
    let [x, y, z, w] = pose.quaternion_xyzw();
    assert_eq!(pose.quaternion_wxyz(), [w, x, y, z]);
    let turned = pose.translated(&-pose.translation(), Wrt::World);
    assert_same(&Pose::from_xyz_quat(0.0, 0.0, 0.0, x, y, z, w).unwrap(), &turned, "xyzw");
}

#[test]
fn masks_read_letters_in_any_order_and_refuse_others() {
    for (letters, flags) in [("", [false; 3]), ("x", [true, false, false]), ("zx", [true, false, true])] {
        assert_eq!(letters.parse::<AxisMask>().unwrap(), AxisMask(flags));
    }
    assert_eq!("yzx".parse::<AxisMask>().unwrap(), AxisMask::ALL);
    for letters in ["xx", "w", "X", "x y", "xyzx"] {
        let error = letters.parse::<AxisMask>().unwrap_err();
        assert!(error.to_string().contains(letters) && error.code() == "InvalidValue", "{error}");
    }
    assert_eq!((AxisMask::from(true), AxisMask::from(false)), (AxisMask::ALL, AxisMask::NONE));
    assert_eq!(AxisMask([true, false, true]).count(), 2);
    assert_eq!(["x", "y", "z"].map(|name| name.parse::<Axis>().unwrap().index()), [0, 1, 2]);
    assert_eq!("q".parse::<Axis>().unwrap_err().code(), "UnknownName");
}
