//! Every kind of shape through every file that holds shapes, and a kind that does not exist through all of them.

use kinetic_core::shape::ShapeRecord;
use kinetic_core::{KineticError, Pose, Shape};
use kinetic_robot::{Geometry, GeometryShape, Robot};
use kinetic_scene::{Scene, robot_document};
use nalgebra::{Point3, Vector3};

use crate::support::ball_arm;

const ONE_LINK: &str = r#"<robot name="one"><link name="base"/><link name="tip"/>
    <joint name="turn" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>"#;

fn shapes() -> Vec<Shape> {
    let corners = [[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 1.0 / 3.0]].map(Point3::from);
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    vec![
        Shape::cuboid(0.1, 0.2, 1.0 / 3.0).unwrap(),
        Shape::sphere(1e-3).unwrap(),
        Shape::cylinder(0.1, 0.2).unwrap(),
        Shape::capsule(0.1, 0.2).unwrap(),
        Shape::half_space(Vector3::new(1.0, 2.0, 3.0), -3.0).unwrap(),
        Shape::convex(&corners, 0.01).unwrap(),
        Shape::mesh(&corners, &faces, true).unwrap(),
        Shape::height_field(&[0.0, 0.1, 0.2, 0.3, 0.1, 0.0], [3, 2], [0.1, 0.2], -0.5).unwrap(),
        Shape::voxels(&[[0, 0, 0], [-3, 2, 7]], 0.02).unwrap(),
        Shape::point_cloud(&[Point3::new(0.1, 0.2, 0.3), Point3::origin()], 0.01).unwrap(),
    ]
}

/// A robot whose base has the shape.
fn robot_with(shape: Shape) -> Robot {
    let mut robot = Robot::from_urdf_string(ONE_LINK).unwrap();
    robot.links[0].collisions = vec![Geometry::new(Pose::identity(), GeometryShape::Shape(shape))];
    robot
}

#[test]
fn every_kind_passes_every_door_or_is_refused_there_by_name() {
    let kinds: Vec<_> = shapes().iter().map(|shape| ShapeRecord::of(shape).kind).collect();
    assert!(ShapeRecord::kinds().all(|kind| kinds.iter().any(|known| known == kind)));
    for shape in shapes() {
        let kind = ShapeRecord::of(&shape).kind;
        let mut scene = Scene::new(&ball_arm()).unwrap();
        scene.add("thing", shape.clone(), Pose::identity()).unwrap();
        let mut again = Scene::new(&ball_arm()).unwrap();
        again.load_string(&scene.to_toml().unwrap(), "scene.toml").unwrap();
        assert_eq!(again.object("thing").unwrap().shape, shape);
        assert_eq!(again.version(), scene.version(), "{kind}");

        let robot = robot_with(shape.clone());
        let stored: Robot = serde_json::from_str(&serde_json::to_string(&robot).unwrap()).unwrap();
        assert_eq!(stored, robot);
        match robot_document::to_json(&robot) {
            Ok(text) => {
                let read = robot_document::from_json(&text, "robot.json").unwrap();
                assert_eq!(read.links[0].collisions, robot.links[0].collisions);
            }
            Err(error) => {
                assert!(
                    ["half_space", "height_field", "point_cloud", "voxels"].contains(&kind.as_str()),
                    "{kind}: {error}"
                );
                assert!(matches!(&error, KineticError::InvalidValue { value, .. } if *value == kind), "{error}");
            }
        }
    }
}

#[test]
fn a_kind_that_does_not_exist_is_refused_by_every_door() {
    let shape = Shape::sphere(0.25).unwrap();
    let mut scene = Scene::new(&ball_arm()).unwrap();
    scene.add("thing", shape.clone(), Pose::identity()).unwrap();
    let text = scene.to_toml().unwrap().replace("\"sphere\"", "\"cone\"");
    let error = Scene::new(&ball_arm()).unwrap().load_string(&text, "scene.toml").unwrap_err();
    assert!(
        matches!(&error, KineticError::FileParse { detail, .. } if detail.contains("no shape \"cone\"")),
        "{error}"
    );

    let robot = robot_with(shape);
    let text = robot_document::to_json(&robot).unwrap();
    assert!(text.contains("\"sphere\""), "{text}");
    let error = robot_document::from_json(&text.replace("\"sphere\"", "\"cone\""), "robot.json").unwrap_err();
    assert!(
        matches!(&error, KineticError::FileParse { detail, .. } if detail.contains("no shape \"cone\"")),
        "{error}"
    );
    let ground = text.replace(r#""kind":"sphere","radius":0.25"#, r#""kind":"half_space","normal":[0,0,1],"offset":0"#);
    let error = robot_document::from_json(&ground, "robot.json").unwrap_err();
    assert!(matches!(&error, KineticError::FileParse { detail, .. } if detail.contains("robots have")), "{error}");

    let text = serde_json::to_string(&robot).unwrap().replace("\"sphere\"", "\"cone\"");
    let error = serde_json::from_str::<Robot>(&text).unwrap_err();
    assert!(error.to_string().contains("no shape \"cone\""), "{error}");
}
