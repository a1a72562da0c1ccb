//! Mesh files of every format against what trimesh finds in them (`tools/make_mesh_goldens.py`), and malformed ones.

use std::path::{Path, PathBuf};

use kinetic_core::KineticError;
use kinetic_robot::TriangleMesh;
use serde_json::{Value, json};

use crate::support::{TempFolder, assert_parse_error};

/// STL and binary glTF hold 32-bit numbers; the figures are up to some hundreds.
const SINGLE_PRECISION: f64 = 1e-6;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/meshes")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// Lowest and highest coordinates, area and volume, from the triangles alone.
fn figures(mesh: &TriangleMesh) -> ([[f64; 3]; 2], f64, f64) {
    let (mut low, mut high, mut area, mut volume) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0, 0.0);
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|index| mesh.vertices[index as usize]);
        for corner in [a, b, c] {
            for axis in 0..3 {
                low[axis] = f64::min(low[axis], corner[axis]);
                high[axis] = f64::max(high[axis], corner[axis]);
            }
        }
        let cross = (b - a).cross(&(c - a));
        area += cross.norm() / 2.0;
        volume += a.coords.dot(&cross) / 6.0;
    }
    ([low, high], area, volume)
}

#[test]
fn every_format_gives_the_bounds_area_and_volume_that_trimesh_finds() {
    let goldens: Value = serde_json::from_str(&text("goldens.json")).unwrap();
    let goldens = goldens.as_object().unwrap();
    assert_eq!(goldens.len(), 11);
    for (name, golden) in goldens {
        let (bounds, area, volume) = figures(&TriangleMesh::from_file(folder().join(name)).unwrap());
        for (side, axis) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
            let wanted = golden["bounds"][side][axis].as_f64().unwrap();
            assert!((bounds[side][axis] - wanted).abs() < SINGLE_PRECISION, "{name}: {bounds:?}");
        }
        let close = |found: f64, wanted: &Value| {
            let wanted = wanted.as_f64().unwrap();
            (found - wanted).abs() < SINGLE_PRECISION * wanted
        };
        assert!(close(area, &golden["area"]), "{name}: area {area}");
        // Positive: the outside stayed outside, also in mirrored parts.
        assert!(close(volume, &golden["volume"]), "{name}: volume {volume}");
    }
}

#[test]
fn the_upward_axis_turns_a_mesh_only_on_request() {
    let bounds = |read: fn(PathBuf) -> kinetic_core::Result<TriangleMesh>, name: &str| {
        figures(&read(folder().join(name)).unwrap()).0
    };
    assert_eq!(bounds(TriangleMesh::from_file, "y_up.dae"), [[0.0; 3], [3.0, 2.0, 1.0]]);
    assert_eq!(bounds(TriangleMesh::from_file_z_up, "y_up.dae"), [[0.0, -1.0, 0.0], [3.0, 0.0, 2.0]]);
    assert_eq!(bounds(TriangleMesh::from_file_z_up, "triangles.dae"), [[0.0; 3], [3.0, 2.0, 1.0]]);
    let x_up = TempFolder::new();
    let path = x_up.write("x_up.dae", text("y_up.dae").replace("Y_UP", "X_UP"));
    assert_eq!(figures(&TriangleMesh::from_file_z_up(path).unwrap()).0, [[-2.0, -1.0, 0.0], [0.0, 0.0, 3.0]]);
}

#[test]
fn vertices_that_no_triangle_uses_are_left_out() {
    let folder = TempFolder::new();
    let text = text("triangles.dae");
    assert!(text.contains("0 2 1\n"));
    let path = folder.write("a.dae", text.replace("0 2 1\n", "0 2 1 99 99 99\n"));
    assert_eq!(TriangleMesh::from_file(path).unwrap().vertices.len(), 8);
}

#[test]
fn comments_inside_numbers_do_not_cut_them_off() {
    let folder = TempFolder::new();
    let path = folder.write("a.dae", text("polylist.dae").replace("0 2 0  0 0 1", "0 2 0 <!-- above --> 0 0 1"));
    assert_eq!(TriangleMesh::from_file(path).unwrap().triangles.len(), 12);
}

/// Changes one part of a COLLADA file and asserts the error at the line of the element that is wrong.
#[track_caller]
fn refused_dae(name: &str, old: &str, new: &str, parts: &[&str]) {
    let original = text(name);
    assert!(original.contains(old), "{name} has no {old}");
    let folder = TempFolder::new();
    let path = folder.write("wrong.dae", original.replacen(old, new, 1));
    let Err(KineticError::FileParse { line, detail, .. }) = TriangleMesh::from_file(path) else {
        panic!("accepted: {new}")
    };
    for part in parts {
        assert!(detail.contains(part), "\"{part}\" is not in line {line}: {detail}");
    }
}

#[test]
fn malformed_collada_files_are_errors_that_name_the_element() {
    refused_dae("triangles.dae", "<COLLADA ", "<WRONG ", &["expected 'WRONG' tag"]);
    refused_dae("triangles.dae", "meter=\"1.0\"", "meter=\"-1\"", &["unit of \"-1\" m"]);
    refused_dae(
        "triangles.dae",
        "<node><instance_geometry url=\"#box",
        "<node><instance_geometry url=\"#sphere",
        &["no <geometry> with id \"sphere\""],
    );
    refused_dae("triangles.dae", "url=\"#scene\"", "url=\"b.dae#scene\"", &["\"b.dae#scene\"", "only \"#id\""]);
    refused_dae("triangles.dae", "0 0 0  3 0 0", "0 0 0  x 0 0", &["<float_array> has \"x\""]);
    refused_dae("triangles.dae", "0 0 0  3 0 0", "0 0 0  NaN 0 0", &["not finite"]);
    refused_dae("triangles.dae", "<p>0 0 3 0", "<p>0 0 8 0", &["vertex 8 is named, but there are 8"]);
    refused_dae("triangles.dae", "<p>0 0 3 0", "<p>0 0 -1 0", &["<p> has \"-1\""]);
    refused_dae("polylist.dae", "<vcount>4", "<vcount>5", &["<vcount> counts more corners"]);
    refused_dae("polylist.dae", "<vcount>4", "<vcount>99999999999999999999", &["<vcount> has"]);
    refused_dae("triangles.dae", "stride=\"3\"", "stride=\"2\"", &["stride of at least 3"]);
    refused_dae("triangles.dae", "<node><instance_geometry url=\"#box\"/>", "<node>", &["no triangles"]);
    refused_dae("triangles.dae", "<node><instance_geometry", "<node><instance_controller", &["skinned"]);
    refused_dae("nested.dae", "<translate>10 0 0", "<translate>10 0", &["<translate> has 2 numbers; 3"]);
    refused_dae("nested.dae", "<translate>10 0 0</translate>", "<skew>1 2</skew>", &["<skew>"]);
    refused_dae(
        "nested.dae",
        "<node id=\"part\">",
        "<node id=\"part\"><instance_node url=\"#part\"/>",
        &["contain themselves"],
    );
}

#[test]
fn scenes_that_multiply_without_end_are_refused_soon() {
    let copies = "<instance_node url=\"#part\"/>".repeat(10);
    let mut nodes = String::new();
    for level in 0..12 {
        let inner = copies.replace("part", &format!("level{}", level + 1));
        nodes = format!("{nodes}<node id=\"level{level}\">{inner}</node>");
    }
    nodes += "<node id=\"level12\"/>";
    let many = text("triangles.dae").replace("<library_nodes>", &format!("<library_nodes>{nodes}"));
    let folder = TempFolder::new();
    let path = folder.write(
        "many.dae",
        many.replace("<node><instance_geometry url=\"#box\"/></node>", "<node><instance_node url=\"#level0\"/></node>"),
    );
    assert_parse_error(TriangleMesh::from_file(path), 0, &["more than 100000 nodes"]);
}

/// Changes the document of a glTF file and asserts the error.
#[track_caller]
fn refused_gltf(change: impl FnOnce(&mut Value), parts: &[&str]) {
    let temp = TempFolder::new();
    let mut document: Value = serde_json::from_str(&text("scene.gltf")).unwrap();
    change(&mut document);
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "bin") {
            temp.write(&path.file_name().unwrap().to_string_lossy(), std::fs::read(&path).unwrap());
        }
    }
    assert_parse_error(TriangleMesh::from_file(temp.write("wrong.gltf", document.to_string())), 0, parts);
}

#[test]
fn malformed_gltf_files_are_errors() {
    refused_gltf(|document| document["accessors"][1]["count"] = json!(9), &["accessor 1: reaches beyond its buffer"]);
    refused_gltf(|document| document["accessors"][1]["count"] = json!(u64::MAX), &["reaches beyond its buffer"]);
    refused_gltf(|document| document["accessors"][1]["type"] = json!("VEC2"), &["positions must be VEC3"]);
    refused_gltf(|document| document["accessors"][0]["componentType"] = json!(5126), &["indices must be unsigned"]);
    refused_gltf(|document| document["accessors"][1]["sparse"] = json!({}), &["sparse"]);
    refused_gltf(|document| document["bufferViews"][0]["buffer"] = json!(7), &["buffer 7 is named"]);
    refused_gltf(|document| document["nodes"][0]["children"] = json!([0]), &["contain themselves"]);
    refused_gltf(|document| document["scene"] = json!(5), &["default scene does not exist"]);
    refused_gltf(|document| document["buffers"][0]["uri"] = json!("../secret"), &["\"../secret\" is not beside"]);
    refused_gltf(|document| document["buffers"][0]["uri"] = json!("none.bin"), &["\"none.bin\""]);
    refused_gltf(|document| document["buffers"][0]["uri"] = json!("data:;base64,???"), &["base64"]);
    let draco = "KHR_draco_mesh_compression";
    refused_gltf(|document| document["extensionsRequired"] = json!([draco]), &[draco, "not supported"]);
    refused_gltf(|document| document["nodes"] = json!("x"), &["JSON"]);
}

#[test]
fn buffers_may_stand_inside_a_gltf_file() {
    use base64::Engine;
    let temp = TempFolder::new();
    let mut document: Value = serde_json::from_str(&text("scene.gltf")).unwrap();
    for buffer in document["buffers"].as_array_mut().unwrap() {
        let bytes = std::fs::read(folder().join(buffer["uri"].as_str().unwrap())).unwrap();
        let encoded = base64::engine::general_purpose::STANDARD.encode(bytes);
        buffer["uri"] = json!(format!("data:application/octet-stream;base64,{encoded}"));
    }
    let inside = TriangleMesh::from_file(temp.write("inside.gltf", document.to_string())).unwrap();
    assert_eq!(inside, TriangleMesh::from_file(folder().join("scene.gltf")).unwrap());
}

#[test]
fn a_truncated_or_damaged_file_of_any_format_is_an_error_or_a_sound_mesh() {
    use kinetic_core::rng::SeededRng;
    let temp = TempFolder::new();
    for name in ["text.stl", "binary.stl", "box.obj", "scene.glb", "nested.dae"] {
        let original = std::fs::read(folder().join(name)).unwrap();
        for seed in 0..crate::support::cases(300) {
            let mut rng = SeededRng::new(seed);
            let mut bytes = original.clone();
            if rng.below(2) == 0 {
                bytes.truncate(rng.below(bytes.len()));
            }
            for _ in 0..rng.below(4) {
                let place = rng.below(bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = rng.below(256) as u8;
                }
            }
            match TriangleMesh::from_file(temp.write(name, &bytes)) {
                Ok(mesh) => {
                    assert!(mesh.triangles.iter().flatten().all(|index| (*index as usize) < mesh.vertices.len()));
                    assert!(
                        mesh.vertices.iter().all(|vertex| vertex.iter().all(|value| value.is_finite())),
                        "seed {seed}"
                    );
                }
                Err(error) => assert_eq!(error.code(), "FileParse", "{name}, seed {seed}: {error}"),
            }
        }
    }
}

/// Writes a file and asserts the error of reading it.
#[track_caller]
fn refused(name: &str, content: &str, line: u32, parts: &[&str]) {
    let temp = TempFolder::new();
    assert_parse_error(TriangleMesh::from_file(temp.write(name, content)), line, parts);
}

#[test]
fn malformed_stl_and_obj_files_are_errors_with_their_line() {
    refused("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x", 4, &["\"x\"", "three numbers"]);
    refused("a.stl", "solid a\nvertex 1 2", 2, &["\"\"", "three numbers"]);
    refused("a.stl", "solid a\nsphere", 2, &["\"sphere\" is no word of STL"]);
    refused("a.stl", "hello", 0, &["too short"]);
    refused("a.stl", &"x".repeat(200), 0, &["states 2021161080 triangles", "bytes for 2"]);
    refused("a.obj", "v 0 0\n", 1, &["\"\"", "three numbers"]);
    refused("a.obj", "v 0 0 0\nf 0 1 1\n", 2, &["\"0\"", "number of a vertex"]);
    refused("a.obj", "v 0 0 0\nf -2 1 1\n", 2, &["\"-2\""]);
    refused("a.obj", "v 0 0 0\nf 1 1 3\n", 0, &["beyond the 1"]);
    refused("a.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", 2, &["number of a vertex"]);
}

#[test]
fn a_binary_stl_file_may_begin_like_a_text_and_end_in_more_bytes() {
    let temp = TempFolder::new();
    let mut bytes = std::fs::read(folder().join("binary.stl")).unwrap();
    bytes[..9].copy_from_slice(b"solid abc");
    assert_eq!(TriangleMesh::from_file(temp.write("a.stl", &bytes)).unwrap().triangles.len(), 12);
    bytes[..9].copy_from_slice(b"something");
    bytes.extend(b"appended");
    assert_eq!(TriangleMesh::from_file(temp.write("a.stl", &bytes)).unwrap().triangles.len(), 12);
}

#[test]
fn obj_faces_count_backwards_continue_and_may_come_before_their_vertices() {
    let temp = TempFolder::new();
    let text = "f 1/1/1 2//2 \\\n 3 4 # a square\nv 0 0 0 1 0 0\n\tv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2\nl 1 2\n";
    let mesh = TriangleMesh::from_file(temp.write("a.obj", text)).unwrap();
    assert_eq!((mesh.vertices.len(), mesh.triangles), (4, vec![[0, 1, 2], [0, 2, 3], [0, 1, 2]]));
}

#[test]
fn a_huge_count_in_the_header_of_an_stl_file_allocates_nothing() {
    let temp = TempFolder::new();
    let mut bytes = std::fs::read(folder().join("binary.stl")).unwrap();
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    match TriangleMesh::from_file(temp.write("huge.stl", &bytes)) {
        Ok(mesh) => assert_eq!(mesh.triangles.len(), 12),
        Err(error) => assert_eq!(error.code(), "FileParse"),
    }
}
