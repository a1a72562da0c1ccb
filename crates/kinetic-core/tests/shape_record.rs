//! Records of shapes: every kind, through the record and serde, and what is refused.

use kinetic_core::shape::{BesideShape, ShapeRecord, WithShape};
use kinetic_core::{KineticError, Shape};
use nalgebra::{Point3, Vector3};
use serde::de::MapAccess;

const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// A shape of every kind with the text that serde makes of it.
fn shapes() -> Vec<(Shape, &'static str)> {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
    let heights = [0.0, 0.1, 0.2, 0.3, 0.1, 0.0];
    vec![
        (Shape::sphere(0.1).unwrap(), r#"{"kind":"sphere","radius":0.1}"#),
        (Shape::cuboid(0.1, 0.2, 0.3).unwrap(), r#"{"kind":"box","half_extents":[0.1,0.2,0.3]}"#),
        (Shape::cylinder(0.1, 0.2).unwrap(), r#"{"kind":"cylinder","radius":0.1,"half_height":0.2}"#),
        (Shape::capsule(0.1, 0.2).unwrap(), r#"{"kind":"capsule","radius":0.1,"half_height":0.2}"#),
        (
            Shape::half_space(Vector3::new(0.0, 0.6, 0.8), -3.0).unwrap(),
            r#"{"kind":"half_space","normal":[0.0,0.6,0.8],"offset":-3.0}"#,
        ),
        (
            Shape::convex(&corners, 0.01).unwrap(),
            r#"{"kind":"convex","vertices":[[0.0,0.0,0.0],[1.0,0.0,0.0],[0.0,1.0,0.0],[0.0,0.0,1.0]],"radius":0.01}"#,
        ),
        (
            Shape::mesh(&corners, &FACES, true).unwrap(),
            r#"{"kind":"mesh","vertices":[[0.0,0.0,0.0],[1.0,0.0,0.0],[0.0,1.0,0.0],[0.0,0.0,1.0]],"triangles":[[0,2,1],[0,1,3],[1,2,3],[2,0,3]],"is_solid":true}"#,
        ),
        (
            Shape::height_field(&heights, [3, 2], [0.1, 0.2], -0.5).unwrap(),
            r#"{"kind":"height_field","heights":[[0.0,0.1],[0.2,0.3],[0.1,0.0]],"spacing":[0.1,0.2],"base":-0.5}"#,
        ),
        (
            Shape::voxels(&[[0, 0, 0], [-3, 2, 7]], 0.02).unwrap(),
            r#"{"kind":"voxels","cells":[[-3,2,7],[0,0,0]],"resolution":0.02}"#,
        ),
        (
            Shape::point_cloud(&[Point3::new(0.5, 0.0, -2.0), Point3::origin()], 0.01).unwrap(),
            r#"{"kind":"point_cloud","points":[[0.5,0.0,-2.0],[0.0,0.0,0.0]],"radius":0.01}"#,
        ),
    ]
}

#[test]
fn every_kind_comes_back_from_its_record_and_from_serde() {
    let mut kinds = Vec::new();
    for (shape, text) in shapes() {
        let record = ShapeRecord::of(&shape);
        assert_eq!(record.shape().unwrap(), shape);
        assert_eq!(serde_json::to_string(&shape).unwrap(), text);
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
        assert_eq!(serde_json::from_str::<Shape>(text).unwrap(), shape);
        kinds.push(record.kind);
    }
    kinds.sort_unstable();
    assert_eq!(kinds, ShapeRecord::kinds().collect::<Vec<_>>());
}

#[test]
fn names_of_either_format_are_read() {
    let cuboid = r#"{"kind":"cuboid","half_extents":[0.1,0.2,0.3]}"#;
    assert_eq!(serde_json::from_str::<Shape>(cuboid).unwrap(), Shape::cuboid(0.1, 0.2, 0.3).unwrap());
    let (mesh, text) = &shapes()[6];
    let text = text.replace("triangles", "faces").replace("is_solid", "solid");
    assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), *mesh);
}

#[test]
fn what_no_shape_is_made_of_is_refused_by_name() {
    for (text, word) in [
        (r#"{"kind":"cone","radius":0.1}"#, "no shape \"cone\"; shapes are \"box\", \"capsule\""),
        (r#"{"radius":0.1}"#, "missing field `kind`"),
        (r#"{"kind":"sphere"}"#, "radius = missing"),
        (r#"{"kind":"sphere","radius":0.1,"half_height":0.2}"#, "half_height"),
        (r#"{"kind":"sphere","radius":0.1,"radius":0.2}"#, "duplicate field `radius`"),
        (r#"{"kind":"mesh","faces":[[0,1,2]],"triangles":[[0,1,2]]}"#, "duplicate field `triangles`"),
        (r#"{"kind":"sphere","kind":"sphere","radius":0.1}"#, "duplicate field `kind`"),
        (r#"{"kind":"sphere","radius":-0.1}"#, "sphere radius"),
        (r#"{"kind":"sphere","radius":"big"}"#, "expected f64"),
        (r#"{"kind":"sphere","radius":0.1,"colour":3}"#, "unknown field `colour`"),
        (r#"{"kind":"height_field","heights":[[0.0,0.1],[0.0]],"spacing":[1,1],"base":0}"#, "row of heights"),
        ("[]", "an object with `kind`"),
    ] {
        let error = serde_json::from_str::<Shape>(text).unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
    let cone = ShapeRecord { kind: "cone".to_owned(), ..ShapeRecord::default() };
    assert!(
        matches!(cone.shape(), Err(KineticError::UnknownName { kind, name, .. }) if kind == "shape" && name == "cone")
    );
}

#[derive(Debug, Default, PartialEq)]
struct Label {
    label: Option<String>,
}

impl BesideShape for Label {
    const KIND: &'static str = "type";
    const KEYS: &'static [&'static str] = &["label"];

    fn read<'de, A: MapAccess<'de>>(&mut self, _: &str, map: &mut A) -> Result<(), A::Error> {
        self.label = Some(map.next_value()?);
        Ok(())
    }

    fn missing(&self) -> Option<&'static str> {
        self.label.is_none().then_some("label")
    }
}

#[test]
fn a_record_stands_beside_other_keys_in_any_order() {
    let text = r#"{"radius":0.1,"label":"ball","type":"sphere"}"#;
    let WithShape { record, beside } = serde_json::from_str::<WithShape<Label>>(text).unwrap();
    assert_eq!(record.shape().unwrap(), Shape::sphere(0.1).unwrap());
    assert_eq!(beside.label.as_deref(), Some("ball"));
    for (text, word) in [
        (r#"{"radius":0.1,"type":"sphere"}"#, "missing field `label`"),
        (r#"{"radius":0.1,"label":"ball"}"#, "missing field `type`"),
        (r#"{"radius":0.1,"label":"ball","kind":"sphere"}"#, "unknown field `kind`"),
    ] {
        let error = serde_json::from_str::<WithShape<Label>>(text).unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
}
