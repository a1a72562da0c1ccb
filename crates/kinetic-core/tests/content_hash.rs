//! The hash of content against published values, and what it tells apart.

use kinetic_core::content_hash::{ContentHash, ContentHasher};
use kinetic_core::{KineticError, PiecewisePolynomial, SetHash, Shape, TimedTrajectory, Trajectory};
use nalgebra::Point3;

/// Test vectors of FNV-1a, 128 bits, as Go's standard library has them (`hash/fnv`, `golden128a`).
#[test]
fn published_values_are_met() {
    for (text, digits) in [
        ("", "6c62272e07bb014262b821756295c58d"),
        ("a", "d228cb696f1a8caf78912b704e4a8964"),
        ("ab", "08809544bbab1be95aa0733055b69a62"),
        ("abc", "a68d622cec8b5822836dbc7977af7f3b"),
    ] {
        assert_eq!(ContentHash::of_bytes(text.as_bytes()).to_string(), format!("fnv1a128:{digits}"));
    }
}

#[test]
fn texts_read_back_and_others_are_refused() {
    let hash = ContentHash::of_bytes(b"kinetic");
    assert_eq!(hash.to_string().parse::<ContentHash>().unwrap(), hash);
    for wrong in ["", "fnv1a128:", "fnv1a128:12", "sha256:00", &format!("fnv1a128:+{}", "0".repeat(31)), "é"] {
        let error = wrong.parse::<ContentHash>().unwrap_err();
        assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
    }
}

#[test]
fn one_bit_makes_another_hash() {
    let path = |value: f64| Trajectory::from_waypoints(&[[0.0, 1.0], [0.5, value]]).unwrap().content_hash();
    assert_eq!(path(0.3), path(0.3));
    assert_ne!(path(0.3), path(0.3_f64.next_up()));
    assert_ne!(path(0.0), path(-0.0));
    let one = Trajectory::from_waypoints(&[[0.0, 1.0, 0.5, 0.3]]).unwrap();
    assert_ne!(one.content_hash(), path(0.3));
}

#[test]
fn the_law_and_the_certificate_do_not_count_but_the_curve_does() {
    let timed = |value: f64, law: &str| {
        TimedTrajectory::new(PiecewisePolynomial::constant(&[value]).unwrap(), vec![0.0], 0.0, law).unwrap()
    };
    assert_eq!(timed(1.0, "a").content_hash(), timed(1.0, "b").content_hash());
    assert_ne!(timed(1.0, "a").content_hash(), timed(2.0, "a").content_hash());
}

#[test]
fn lengths_keep_parts_apart() {
    let hash = |parts: &[&str]| {
        let mut hasher = ContentHasher::default();
        for part in parts {
            hasher.text(part);
        }
        hasher.finish()
    };
    assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
}

#[test]
fn a_set_is_its_members_in_any_order_and_as_often_as_they_are_in_it() {
    let member = |text: &str| ContentHash::of_bytes(text.as_bytes());
    let set = |members: &[&str]| {
        let mut set = SetHash::default();
        for text in members {
            set.insert(member(text));
        }
        set
    };
    assert_eq!(set(&["a", "b", "c"]), set(&["c", "a", "b"]));
    let mut edited = set(&["a", "b", "c"]);
    edited.remove(member("b"));
    edited.insert(member("d"));
    assert_eq!(edited, set(&["d", "c", "a"]));
    for other in [&["a", "c"][..], &["a", "c", "d", "d"], &[], &["b", "c", "d"]] {
        assert_ne!(edited, set(other));
        assert_ne!(edited.finish(), set(other).finish());
    }
    // Last bytes that change places cancel in a sum of plain hashes.
    for pair in 0..=u8::MAX {
        let bytes = |prefix: u8, last: u8| ContentHash::of_bytes(&[prefix, pair, last]);
        let sum = |members: [ContentHash; 2]| {
            let mut set = SetHash::default();
            for one in members {
                set.insert(one);
            }
            set.finish()
        };
        assert_ne!(sum([bytes(1, 0), bytes(2, 1)]), sum([bytes(1, 1), bytes(2, 0)]), "{pair}");
    }
}

#[test]
fn every_number_of_a_shape_counts_and_so_does_its_kind() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(nalgebra::Point3::from);
    let moved = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f64.next_up()]];
    let shapes = [
        Shape::sphere(0.1).unwrap(),
        Shape::sphere(0.1_f64.next_up()).unwrap(),
        Shape::cuboid(0.1, 0.2, 0.3).unwrap(),
        Shape::cuboid(0.1, 0.3, 0.2).unwrap(),
        Shape::cylinder(0.1, 0.2).unwrap(),
        Shape::capsule(0.1, 0.2).unwrap(),
        Shape::cylinder(0.2, 0.1).unwrap(),
        Shape::half_space(nalgebra::Vector3::z(), 0.1).unwrap(),
        Shape::half_space(nalgebra::Vector3::x(), 0.1).unwrap(),
        Shape::half_space(nalgebra::Vector3::x(), 0.2).unwrap(),
        Shape::convex(&corners, 0.0).unwrap(),
        Shape::convex(&corners, 0.1).unwrap(),
        Shape::convex(&moved.map(nalgebra::Point3::from), 0.0).unwrap(),
        Shape::voxels(&[[0, 0, 0], [1, 0, 0]], 0.1).unwrap(),
        Shape::voxels(&[[0, 0, 0], [0, 1, 0]], 0.1).unwrap(),
        Shape::voxels(&[[0, 0, 0], [1, 0, 0]], 0.2).unwrap(),
        Shape::point_cloud(&[Point3::origin(), Point3::new(1.0, 0.0, 0.0)], 0.1).unwrap(),
        Shape::point_cloud(&[Point3::new(1.0, 0.0, 0.0), Point3::origin()], 0.1).unwrap(),
        Shape::point_cloud(&[Point3::origin(), Point3::new(1.0, 0.0, 0.0)], 0.0).unwrap(),
    ];
    let hashes: std::collections::BTreeSet<ContentHash> = shapes.iter().map(Shape::content_hash).collect();
    assert_eq!(hashes.len(), shapes.len());
    assert_eq!(Shape::sphere(0.1).unwrap().content_hash(), shapes[0].content_hash());
}
