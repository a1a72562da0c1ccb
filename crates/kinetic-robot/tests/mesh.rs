//! Finding and reading meshes.

use std::io::ErrorKind;
use std::path::PathBuf;

use kinetic_core::KineticError;
use kinetic_robot::{GeometryShape, MeshRef, MeshResolver, Robot, UrdfOptions};
use nalgebra::Point3;

use crate::support::{TempFolder, assert_parse_error};

const ASCII_STL: &str = "solid one
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1 0 0
  vertex 0 2 0
 endloop
endfacet
endsolid one
";

/// A square of two triangles in one group, a triangle in another.
const OBJ: &str = "mtllib none.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
g square
f 1 2 3 4
g triangle
f 1/1 2/1 4/1
";

fn binary_stl(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0.0_f32; 3].iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(triangle.iter().flatten().flat_map(|value| value.to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

fn robot_with_mesh(mesh: &str) -> String {
    format!(
        "<robot name='r'><link name='a'><visual><geometry><{mesh}/></geometry></visual></link><link name='b'/>
         <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>"
    )
}

fn mesh_of(robot: &Robot) -> MeshRef {
    match &robot.links[0].visuals[0].shape {
        GeometryShape::Mesh(mesh) => mesh.clone(),
        GeometryShape::Shape(shape) => panic!("no mesh: {shape:?}"),
    }
}

fn mesh_in(folder: &TempFolder, uri: &str) -> MeshRef {
    let path = folder.write("robots/urdf/robot.urdf", robot_with_mesh(&format!("mesh filename='{uri}'")));
    mesh_of(&Robot::from_urdf(path).unwrap())
}

/// Corners of all triangles, which do not depend on how vertices are shared.
fn corners(mesh: &kinetic_robot::TriangleMesh) -> Vec<[f64; 3]> {
    let corner = |index: &u32| mesh.vertices[*index as usize].coords.into();
    mesh.triangles.iter().flatten().map(corner).collect()
}

#[test]
fn text_and_binary_stl_give_the_same_triangle() {
    let folder = TempFolder::new();
    folder.write("robots/urdf/text.stl", ASCII_STL);
    folder.write("robots/urdf/binary.STL", binary_stl(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]]));
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    for name in ["text.stl", "binary.STL"] {
        assert_eq!(corners(&mesh_in(&folder, name).load().unwrap()), triangle, "{name}");
    }
}

#[test]
fn all_groups_of_an_obj_become_one_mesh() {
    let folder = TempFolder::new();
    folder.write("robots/urdf/shape.obj", OBJ);
    let mesh = mesh_in(&folder, "shape.obj").load().unwrap();
    let corners = corners(&mesh);
    assert_eq!(corners.len(), 9);
    assert_eq!(corners[6..], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
}

#[test]
fn scale_is_applied_and_a_mirror_keeps_the_outside_outside() {
    let folder = TempFolder::new();
    folder.write("a.stl", ASCII_STL);
    let resolver = MeshResolver { base_dir: Some(folder.0.clone()), package_dirs: vec![] }.into();
    let mesh = MeshRef { uri: "a.stl".into(), scale: [0.1, 0.5, -1.0].into(), resolver }.load().unwrap();
    assert_eq!(mesh.vertices.iter().filter(|vertex| **vertex == Point3::new(0.1, 0.0, 0.0)).count(), 1);
    let [a, b, c] = mesh.triangles[0].map(|index| mesh.vertices[index as usize]);
    // Seen in the mirror z → -z, the normal (0, 0, 1) becomes (0, 0, -1).
    assert!((b - a).cross(&(c - a)).z < 0.0);
}

#[test]
fn meshes_are_not_touched_when_a_robot_is_read() {
    let robot = Robot::from_urdf_string(&robot_with_mesh("mesh filename='package://nowhere/none.dae'")).unwrap();
    assert_eq!(robot.dof, 1);
    assert_eq!(mesh_of(&robot).uri, "package://nowhere/none.dae");
}

#[test]
fn packages_are_found_by_folder_manifest_neighbour_and_option() {
    let folder = TempFolder::new();
    let by_folder = folder.write("robots/meshes/a.stl", ASCII_STL);
    assert_eq!(mesh_in(&folder, "package://robots/meshes/a.stl").path().unwrap(), by_folder);
    assert_eq!(mesh_in(&folder, "model://robots/meshes/a.stl").path().unwrap(), by_folder);
    folder.write("robots/package.xml", "<package><name> tester_description </name></package>");
    assert_eq!(mesh_in(&folder, "package://tester_description/meshes/a.stl").path().unwrap(), by_folder);
    let neighbour = folder.write("other/b.stl", ASCII_STL);
    assert_eq!(mesh_in(&folder, "package://other/b.stl").path().unwrap(), neighbour);
    let elsewhere = TempFolder::new();
    let far = elsewhere.write("far/c.stl", ASCII_STL);
    for package_dir in [elsewhere.0.clone(), elsewhere.0.join("far")] {
        let options = UrdfOptions { package_dirs: vec![package_dir], ..UrdfOptions::default() };
        let text = robot_with_mesh("mesh filename='package://far/c.stl'");
        assert_eq!(mesh_of(&Robot::from_urdf_string_with(&text, &options).unwrap()).path().unwrap(), far);
    }
}

#[test]
fn absolute_and_file_names_mean_that_file() {
    let folder = TempFolder::new();
    let path = folder.write("far/a.stl", ASCII_STL);
    for uri in [path.display().to_string(), format!("file://{}", path.display())] {
        assert_eq!(mesh_in(&folder, &uri).path().unwrap(), path);
    }
}

#[test]
fn a_missing_mesh_lists_every_place_that_was_tried() {
    let folder = TempFolder::new();
    let package_dirs = vec![PathBuf::from("/somewhere")];
    let resolver = MeshResolver { base_dir: Some(folder.0.join("robots/urdf")), package_dirs };
    let Err(KineticError::Io { path, kind, detail }) = resolver.resolve("package://arm/a.stl") else { panic!() };
    assert_eq!((path, kind), (PathBuf::from("package://arm/a.stl"), ErrorKind::NotFound));
    for place in ["robots/urdf/arm/a.stl", "robots/arm/a.stl", "arm/a.stl"] {
        assert!(detail.contains(&folder.0.join(place).display().to_string()), "{place} is not in {detail}");
    }
    assert!(detail.contains("/somewhere/arm/a.stl"));
    let Err(KineticError::Io { detail, .. }) = resolver.resolve("a.stl") else { panic!() };
    assert!(detail.contains("robots/urdf/a.stl") && detail.contains("/somewhere/a.stl"), "{detail}");
}

#[test]
fn a_relative_mesh_of_a_string_says_what_is_missing() {
    let robot = Robot::from_urdf_string(&robot_with_mesh("mesh filename='a.stl'")).unwrap();
    let Err(KineticError::Io { kind, detail, .. }) = mesh_of(&robot).load() else { panic!() };
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(detail.contains("package_dirs"), "{detail}");
}

#[test]
fn other_schemes_and_formats_are_refused_by_name() {
    let folder = TempFolder::new();
    let Err(KineticError::Io { kind, detail, .. }) = mesh_in(&folder, "https://x/a.stl").load() else { panic!() };
    assert_eq!(kind, ErrorKind::Unsupported);
    assert!(detail.contains("\"https\""));
    folder.write("robots/urdf/a.ply", "ply");
    let known = ".stl, .obj, .dae, .glb, .gltf, .msh";
    assert_parse_error(mesh_in(&folder, "a.ply").load(), 0, &["\".ply\"", known]);
}

#[test]
fn malformed_meshes_are_errors() {
    let folder = TempFolder::new();
    let mut not_finite = binary_stl(&[[[0.0; 3], [f32::NAN, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
    for (name, content, part) in [
        ("empty.stl", b"".as_slice(), ""),
        ("short.stl", &not_finite.clone()[..100], ""),
        ("nan.stl", &not_finite, "not finite"),
        ("empty.obj", b"v 0 0 0\n", "no triangles"),
        ("beyond.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 7\n", ""),
    ] {
        folder.write(&format!("robots/urdf/{name}"), content);
        assert_parse_error(mesh_in(&folder, name).load(), 0, &[part]);
    }
    not_finite.truncate(84);
    folder.write("robots/urdf/none.stl", &not_finite);
    assert_parse_error(mesh_in(&folder, "none.stl").load(), 0, &["bytes for 0"]);
}
