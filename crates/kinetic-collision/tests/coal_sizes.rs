//! Distances from 1 mm to 10 m, meshes included, against Coal (`tools/make_size_goldens.py`).

use kinetic_collision::Body;
use kinetic_collision::exact::{distance, intersects};
use kinetic_core::Shape;
use nalgebra::{Isometry3, Point3, Vector3};
use serde_json::Value;

use crate::coal_pairs::{has_rim, numbers, points, pose, shape};

/// Coal's own default tolerance is 1e-6; it adds up for two witnesses and the iteration's last step.
const CURVED: f64 = 3e-6;
/// Polytopes have no curvature to approach.
const POLYTOPE: f64 = 1e-6;
/// Curved normals turn by the square root of what the distance is off.
const CURVED_NORMAL: f64 = 2e-2;

struct Case {
    shapes: [Shape; 2],
    poses: [Isometry3<f64>; 2],
    distance: f64,
    normal: Vector3<f64>,
}

fn mesh(stored: &Value, scale: f64) -> Shape {
    let vertices: Vec<Point3<f64>> = points(&stored["vertices"]).iter().map(|vertex| vertex * scale).collect();
    let corner = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
    let face = |value: &Value| [corner(&value[0]), corner(&value[1]), corner(&value[2])];
    let faces: Vec<[u32; 3]> = stored["faces"].as_array().unwrap().iter().map(face).collect();
    Shape::mesh(&vertices, &faces, false).unwrap()
}

fn any_shape(value: &Value, meshes: &Value) -> Shape {
    match value["kind"].as_str().unwrap() {
        "mesh" => {
            let index = usize::try_from(value["mesh"].as_u64().unwrap()).unwrap();
            mesh(&meshes[index], value["scale"].as_f64().unwrap())
        }
        "convex" => Shape::convex(&points(&value["points"]), 0.0).unwrap(),
        _ => shape(value, &[]),
    }
}

fn cases() -> Vec<Case> {
    let data: Value = serde_json::from_str(include_str!("data/coal_sizes.json")).unwrap();
    let case = |pair: &Value| Case {
        shapes: ["a", "b"].map(|key| any_shape(&pair[key], &data["meshes"])),
        poses: ["pose_a", "pose_b"].map(|key| pose(&pair[key])),
        distance: pair["distance"].as_f64().unwrap(),
        normal: Vector3::from_row_slice(&numbers(&pair["normal"])),
    };
    data["pairs"].as_array().unwrap().iter().map(case).collect()
}

#[test]
fn distances_agree_with_coal_at_every_size_and_for_meshes() {
    let cases = cases();
    let meshes = cases.iter().filter(|case| case.shapes.iter().any(|shape| shape.kind() == "mesh"));
    assert!(cases.len() > 900 && meshes.count() > 250);
    for (index, case) in cases.iter().enumerate() {
        let [a, b] = case.shapes.each_ref().map(|shape| Body::new(shape).unwrap());
        let [pose_a, pose_b] = &case.poses;
        let found = distance(&a, pose_a, &b, pose_b, f64::INFINITY).unwrap();
        let curved = case.shapes.iter().any(has_rim);
        let (tolerance, turn) = if curved { (CURVED, CURVED_NORMAL) } else { (POLYTOPE, 1e-3) };
        let kinds = case.shapes.each_ref().map(Shape::kind);
        let label = format!("pair {index}, {kinds:?}: {found:?}, Coal {}", case.distance);
        let is_mesh = kinds.contains(&"mesh");
        if is_mesh && case.distance == 0.0 {
            assert!(found.distance < tolerance, "{label}");
            continue;
        }
        assert!((found.distance - case.distance).abs() < tolerance, "{label}");
        // Normals of short gaps hang on the digits of the witnesses; for two meshes Coal 3.0.3 gives none.
        if case.distance.abs() > 1e-3 && kinds != ["mesh"; 2] {
            assert!(found.normal.angle(&case.normal) < turn, "{label}, normal {:?}", case.normal);
        }
        for (margin, wanted) in [(case.distance + CURVED, true), (case.distance - CURVED, false)] {
            assert_eq!(intersects(&a, pose_a, &b, pose_b, margin), wanted, "{label}, margin {margin}");
        }
    }
}
