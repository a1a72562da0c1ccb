//! Shapes refuse what is none, and take damaged meshes by documented rules.

use kinetic_core::{ErrorFamily, KineticError, Shape};
use nalgebra::Point3;

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn corners() -> Vec<Point3<f64>> {
    vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0), Point3::new(0.0, 0.0, 1.0)]
}

fn refusal(shape: kinetic_core::Result<Shape>) -> String {
    let error = shape.unwrap_err();
    assert_eq!(error.family(), ErrorFamily::Input, "{error}");
    error.to_string()
}

#[test]
fn meshes_that_are_none_are_refused_by_name() {
    assert!(refusal(Shape::mesh(&corners(), &[], false)).contains("no triangles"));
    assert!(refusal(Shape::mesh(&[], &TETRAHEDRON, false)).contains("mesh face"));
    assert!(refusal(Shape::mesh(&corners(), &[[0, 1, 4]], false)).contains("indices below 4"));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut vertices = corners();
        vertices[2].y = bad;
        assert!(matches!(Shape::mesh(&vertices, &TETRAHEDRON, false), Err(KineticError::NotFinite { .. })));
    }
}

#[test]
fn only_closed_meshes_are_solid() {
    assert!(Shape::mesh(&corners(), &TETRAHEDRON, true).is_ok());
    assert!(refusal(Shape::mesh(&corners(), &TETRAHEDRON[1..], true)).contains("3 open edges"));
    let mut turned = TETRAHEDRON;
    turned[0].swap(0, 1);
    assert!(refusal(Shape::mesh(&corners(), &turned, true)).contains("agree on what is outside"));
    // Turned altogether it is as good as before.
    assert!(Shape::mesh(&corners(), &TETRAHEDRON.map(|[a, b, c]| [a, c, b]), true).is_ok());
}

#[test]
fn duplicated_vertices_flat_faces_and_touching_bodies_leave_a_mesh_closed() {
    // Three vertices for each face, as STL files have them, with both zeros.
    let mut soup: Vec<Point3<f64>> = TETRAHEDRON.iter().flatten().map(|index| corners()[*index as usize]).collect();
    soup.iter_mut().step_by(2).for_each(|vertex| *vertex = vertex.map(|value| if value == 0.0 { -0.0 } else { value }));
    let faces: Vec<[u32; 3]> = (0..4).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    assert!(Shape::mesh(&soup, &faces, true).is_ok());
    let mut faces = TETRAHEDRON.to_vec();
    faces.extend([[0, 0, 1], [2, 2, 2]]);
    assert!(Shape::mesh(&corners(), &faces, true).is_ok());
    // Two tetrahedra that share the edge from 0 to 1: four faces meet there.
    let mut vertices = corners();
    vertices.extend([Point3::new(0.0, -1.0, 0.0), Point3::new(0.0, 0.0, -1.0)]);
    let second = TETRAHEDRON.map(|face| face.map(|index| [0, 1, 4, 5][index as usize]));
    assert!(Shape::mesh(&vertices, &[TETRAHEDRON, second].concat(), true).is_ok());
}

#[test]
fn height_fields_need_nodes_heights_and_a_base_below() {
    let heights = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
    assert!(Shape::height_field(&heights, [2, 3], [0.1, 0.1], 0.0).is_ok());
    assert!(refusal(Shape::height_field(&heights, [1, 6], [0.1, 0.1], 0.0)).contains("2 × 2"));
    assert!(refusal(Shape::height_field(&heights, [3, 3], [0.1, 0.1], 0.0)).contains('9'));
    assert!(refusal(Shape::height_field(&heights, [2, 3], [0.1, 0.0], 0.0)).contains("along y"));
    assert!(refusal(Shape::height_field(&heights, [2, 3], [0.1, 0.1], 0.01)).contains("base"));
    let missing = Shape::height_field(&[0.0, f64::NAN, 0.0, 0.0], [2, 2], [0.1, 0.1], 0.0);
    assert!(matches!(missing, Err(KineticError::NotFinite { .. })));
}

#[test]
fn points_of_clouds_keep_their_order() {
    let points = [Point3::new(1.0, 0.0, 0.0), Point3::origin(), Point3::origin()];
    let shape = Shape::point_cloud(&points, 0.0).unwrap();
    let Shape::PointCloud { points: stored, radius } = &shape else { panic!("{}", shape.kind()) };
    assert_eq!((&stored[..], *radius, shape.kind()), (&points[..], 0.0, "point_cloud"));
    assert!(refusal(Shape::point_cloud(&[], 0.1)).contains("no points"));
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(refusal(Shape::point_cloud(&points, bad)).contains("point cloud radius"));
        assert!(refusal(Shape::point_cloud(&[Point3::new(0.0, bad / 0.0, 0.0)], 0.1)).contains("point of a cloud"));
    }
}

#[test]
fn voxels_are_kept_once_and_in_order() {
    let shape = Shape::voxels(&[[1, 0, 0], [0, 5, 0], [1, 0, 0]], 0.1).unwrap();
    let Shape::Voxels { cells, resolution } = &shape else { panic!("{}", shape.kind()) };
    assert_eq!((&cells[..], *resolution), (&[[0, 5, 0], [1, 0, 0]][..], 0.1));
    assert!(refusal(Shape::voxels(&[], 0.1)).contains("no cells"));
    assert!(refusal(Shape::voxels(&[[0, 0, i32::MIN]], 0.1)).contains("voxel index"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refusal(Shape::voxels(&[[0, 0, 0]], bad)).contains("voxel resolution"));
    }
}

/// Regression 60: distances to sizes that the squares of overflow were infinite, and walls of that size free.
#[test]
fn sizes_that_distances_cannot_be_measured_with_are_refused() {
    let shapes = |size: f64| {
        let (far, near) = (Point3::new(0.0, -size, 0.0), corners());
        [
            Shape::sphere(size),
            Shape::cuboid(1.0, size, 1.0),
            Shape::box_from_size(1.0, 1.0, 2.0 * size),
            Shape::cylinder(size, 1.0),
            Shape::capsule(1.0, size),
            Shape::convex(&[Point3::origin(), far], 0.0),
            Shape::convex(&near, size),
            Shape::mesh(&[near[0], near[1], far], &[[0, 1, 2]], false),
        ]
    };
    assert!(shapes(1e5).iter().all(Result::is_ok));
    for size in [1.001e5, 1e9, 1e155, f64::MAX] {
        for shape in shapes(size) {
            let told = refusal(shape);
            let most = if told.contains("box size_z") { "200000" } else { "100000" };
            assert!(told.contains(most), "{told}");
        }
    }
}
