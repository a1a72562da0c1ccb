//! Pair distances against Coal, an independent C++ implementation (`tools/make_collision_goldens.py`).

use kinetic_collision::Body;
use kinetic_collision::exact::{distance, intersects};
use kinetic_core::Shape;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;

/// Coal's own default tolerance is 1e-6; it adds up for two witnesses and the iteration's last step.
const CURVED: f64 = 3e-6;
/// Polytopes have no curvature to approach.
const POLYTOPE: f64 = 1e-6;
/// The file holds normals to 7 digits.
const NORMAL: f64 = 1e-6;
/// Curved normals turn by the square root of what the distance is off.
const CURVED_NORMAL: f64 = 2e-2;

struct Case {
    a: Shape,
    b: Shape,
    world_from_a: Isometry3<f64>,
    world_from_b: Isometry3<f64>,
    distance: f64,
    normal: Vector3<f64>,
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

pub(crate) fn points(value: &Value) -> Vec<Point3<f64>> {
    value.as_array().unwrap().iter().map(|point| Point3::from_slice(&numbers(point))).collect()
}

pub(crate) fn shape(value: &Value, hulls: &[Vec<Point3<f64>>]) -> Shape {
    let number = |key: &str| value[key].as_f64().unwrap();
    let vector = |key: &str| Vector3::from_row_slice(&numbers(&value[key]));
    let shape = match value["kind"].as_str().unwrap() {
        "sphere" => Shape::sphere(number("radius")),
        "cuboid" => {
            let h = vector("half_extents");
            Shape::cuboid(h.x, h.y, h.z)
        }
        "cylinder" => Shape::cylinder(number("radius"), number("half_height")),
        "capsule" => Shape::capsule(number("radius"), number("half_height")),
        "half_space" => {
            let n = vector("normal");
            Shape::half_space(n, number("offset") / n.norm())
        }
        _ => Shape::convex(&hulls[value["hull"].as_u64().unwrap() as usize], number("radius")),
    };
    shape.unwrap()
}

pub(crate) fn pose(value: &Value) -> Isometry3<f64> {
    let [x, y, z, qx, qy, qz, qw] = numbers(value).try_into().unwrap();
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(qw, qx, qy, qz));
    Isometry3::from_parts(Translation3::new(x, y, z), rotation)
}

fn cases() -> Vec<Case> {
    let data: Value = serde_json::from_str(include_str!("data/coal_pairs.json")).unwrap();
    let hulls: Vec<_> = data["hulls"].as_array().unwrap().iter().map(points).collect();
    let case = |pair: &Value| Case {
        a: shape(&pair["a"], &hulls),
        b: shape(&pair["b"], &hulls),
        world_from_a: pose(&pair["pose_a"]),
        world_from_b: pose(&pair["pose_b"]),
        distance: pair["distance"].as_f64().unwrap(),
        normal: Vector3::from_row_slice(&numbers(&pair["normal"])),
    };
    data["pairs"].as_array().unwrap().iter().map(case).collect()
}

pub(crate) fn has_rim(shape: &Shape) -> bool {
    matches!(shape, Shape::Cylinder { .. })
}

#[test]
fn distances_and_normals_agree_with_coal() {
    let cases = cases();
    assert!(cases.len() > 1_500 && cases.iter().filter(|case| case.distance < 0.0).count() > 500);
    for (index, case) in cases.iter().enumerate() {
        let (a, b) = (Body::new(&case.a).unwrap(), Body::new(&case.b).unwrap());
        let found = distance(&a, &case.world_from_a, &b, &case.world_from_b, f64::INFINITY).unwrap();
        let curved = has_rim(&case.a) || has_rim(&case.b);
        let (tolerance, turn) = if curved { (CURVED, CURVED_NORMAL) } else { (POLYTOPE, NORMAL) };
        let label = format!("pair {index}, {} and {}: {found:?}, Coal {}", case.a.kind(), case.b.kind(), case.distance);
        assert!((found.distance - case.distance).abs() < tolerance, "{label}");
        assert!(found.normal.angle(&case.normal) < turn, "{label}, normal {:?}", case.normal);
    }
}

#[test]
fn the_boolean_query_agrees_with_coal_on_both_sides_of_the_distance() {
    for (index, case) in cases().iter().enumerate() {
        let (a, b) = (Body::new(&case.a).unwrap(), Body::new(&case.b).unwrap());
        let hit = |margin: f64| intersects(&a, &case.world_from_a, &b, &case.world_from_b, margin);
        assert!(hit(case.distance + CURVED), "pair {index} is closer than its distance and more");
        assert!(!hit(case.distance - CURVED), "pair {index} is not closer than less than its distance");
    }
}
