//! SDF against Drake, which reads the format with its reference reader; and what files say besides motion.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kinetic_core::{Pose, Shape};
use kinetic_robot::{Geometry, GeometryShape, JointDynamics, JointType, Robot};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;

use crate::support::{TempFolder, assert_parse_error, line_of};

/// Several products of poses of some metres each, in both programs, and decimals of the file.
const POSE_ROUNDING: f64 = 1e-12;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sdf")
}

fn read(name: &str) -> Robot {
    Robot::from_sdf(folder().join(name)).unwrap()
}

/// Pose of every link in the root, by definition of the joints, with values by joint name.
fn link_poses(robot: &Robot, q: &BTreeMap<&str, f64>) -> Vec<Pose> {
    let mut poses = vec![Pose::identity(); robot.links.len()];
    for joint in &robot.joints {
        let value = q.get(joint.name.as_str()).copied();
        let motion = match joint.joint_type {
            JointType::Fixed => Isometry3::identity(),
            JointType::Prismatic => Isometry3::from_parts(
                Translation3::from(joint.axis.into_inner() * value.unwrap()),
                UnitQuaternion::identity(),
            ),
            _ => Isometry3::from_parts(
                Translation3::identity(),
                UnitQuaternion::from_axis_angle(&joint.axis, value.unwrap()),
            ),
        };
        poses[joint.child] = poses[joint.parent] * joint.parent_from_joint * Pose::from(motion);
    }
    poses
}

fn golden_pose(value: &Value) -> Pose {
    let v: Vec<f64> = value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    Pose::from_xyz_quat(v[0], v[1], v[2], v[3], v[4], v[5], v[6]).unwrap()
}

#[test]
fn links_are_where_drake_says_they_are() {
    let goldens: Value =
        serde_json::from_str(&std::fs::read_to_string(folder().join("goldens.json")).unwrap()).unwrap();
    let (mut models, mut compared) = (0, 0);
    for case in goldens.as_array().unwrap() {
        let (file, text) = (case["file"].as_str().unwrap(), case["text"].as_str().unwrap());
        let robot = if file.is_empty() { Robot::from_sdf_string(text).unwrap() } else { read(file) };
        for sample in case["samples"].as_array().unwrap() {
            let q: BTreeMap<&str, f64> =
                sample["q"].as_object().unwrap().iter().map(|(name, q)| (name.as_str(), q.as_f64().unwrap())).collect();
            let poses = link_poses(&robot, &q);
            let golden = sample["world_from_link"].as_object().unwrap();
            let root = &robot.links[0].name;
            let world_from_root = golden.get(root).map_or(Pose::identity(), golden_pose);
            for (name, pose) in golden {
                let wanted = world_from_root.inverse() * golden_pose(pose);
                let found = poses[robot.link_index(name).unwrap()];
                let off = wanted.translation_distance(&found).max(wanted.rotation_distance(&found));
                assert!(off < POSE_ROUNDING, "{file}{text}: link {name} is off by {off}");
                compared += 1;
            }
        }
        models += 1;
    }
    assert!(models == 65 && compared > 1000, "{models} models, {compared} poses");
}

#[test]
fn absent_and_huge_limits_are_none_and_others_are_kept() {
    let robot = read("frames.sdf");
    let joint = |name| &robot.joints[robot.joint_index(name).unwrap()];
    assert_eq!(joint("elbow").joint_type, JointType::Continuous);
    let limits = joint("elbow").limits.unwrap();
    assert_eq!((limits.velocity, limits.effort), (2.0, 30.0));
    let limits = joint("shoulder").limits.unwrap();
    assert_eq!((limits.lower, limits.upper, limits.effort), (-1.0, 2.0, f64::INFINITY));
    assert_eq!(joint("mount_tool").joint_type, JointType::Fixed);
}

#[test]
fn mass_properties_and_shapes_stand_in_their_links() {
    let robot = read("frames.sdf");
    let link = &robot.links[robot.link_index("lower").unwrap()];
    let inertial = link.inertial.as_ref().unwrap();
    assert_eq!((inertial.mass, inertial.inertia[(0, 1)], inertial.inertia[(2, 2)]), (2.5, 0.01, 0.25));
    assert_eq!(inertial.link_from_com.translation(), Vector3::new(0.01, 0.02, 0.03));
    // `far` carries the link's frame: far_from_link is written in the file, and so is far_from_shape.
    let far_from_link = Pose::from_xyz_quat(0.4, 0.0, 0.0, 0.1, -0.7, 0.1, 0.7).unwrap();
    let wanted = far_from_link.inverse() * Pose::from_xyz(0.1, 0.2, 0.3);
    let Geometry { link_from_shape, shape, .. } = &link.collisions[0];
    assert!(wanted.translation_distance(link_from_shape) < POSE_ROUNDING);
    assert!(wanted.rotation_distance(link_from_shape) < POSE_ROUNDING);
    // Sizes of boxes are full lengths.
    assert_eq!(*shape, GeometryShape::Shape(Shape::cuboid(0.1, 0.2, 0.3).unwrap()));
}

#[test]
fn names_of_nested_models_tell_where_they_belong() {
    let robot = read("arm_with_tool/model.sdf");
    assert_eq!(robot.name, "arm_with_tool");
    assert_eq!(robot.links[0].name, "base");
    for name in ["wrist::output", "hand::palm", "hand::finger", "cover_shell", "lid"] {
        assert!(robot.link_index(name).is_ok(), "{name}");
    }
    assert_eq!(robot.moving_joint_names(true), ["turn", "bend", "wrist::roll", "hand::close", "hinge"]);
    let palm = &robot.links[robot.link_index("hand::palm").unwrap()];
    assert_eq!(palm.visuals[0].material.as_ref().unwrap().color, Some([0.1, 0.2, 0.3, 1.0]));
    let GeometryShape::Mesh(mesh) = &palm.visuals[0].shape else { panic!("not a mesh") };
    assert_eq!((mesh.uri.as_str(), mesh.scale.x), ("meshes/palm.stl", 0.001));
    assert_eq!(mesh.resolver.base_dir.as_deref(), Some(folder().join("arm_with_tool/gripper").as_path()));
    assert_eq!(palm.collisions[0].shape, GeometryShape::Shape(Shape::capsule(0.03, 0.05).unwrap()));
}

#[test]
fn a_follower_counts_from_its_reference() {
    let robot = read("kinds.sdf");
    let mimic = robot.joints[robot.joint_index("grip_mirror").unwrap()].mimic.unwrap();
    assert_eq!(robot.joints[mimic.joint].name, "grip");
    // 0.5 (grip - 0.01) + 0.02
    assert_eq!(mimic.multiplier, 0.5);
    assert!((mimic.offset - 0.015).abs() < 1e-16);
}

#[test]
fn what_stands_beside_the_robot_is_noted() {
    let robot = read("kinds.sdf");
    assert_eq!(robot.name, "kinds");
    assert_eq!(robot.links[0].name, "world");
    assert!(robot.notes.iter().any(|note| note.contains("\"ground\"")), "{:?}", robot.notes);
}

/// A model around some elements; its first line is line 1.
fn model(content: &str) -> String {
    format!("<sdf version='1.9'><model name='m'>\n{content}\n</model></sdf>")
}

fn joint(content: &str) -> String {
    model(&format!(
        "<link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent>a</parent><child>b</child>\n{content}</joint>"
    ))
}

#[test]
fn mistakes_are_named_with_their_line() {
    let cases: [(String, u32, &[&str]); 17] = [
        (model("<link name='a'>\n<pose relative_to='b'/></link>"), 2, &["link \"a\"", "no frame \"b\"", "a"]),
        (joint("<pose>1 2 3</pose><axis/>"), 4, &["joint \"j\"", "3 numbers; 6 are needed"]),
        (joint("<axis><xyz>0 0 0</xyz></axis>"), 4, &["length 0"]),
        (joint("<axis><xyz expressed_in='x'>0 0 1</xyz></axis>"), 3, &["expressed_in", "\"x\"", "a, b, j"]),
        (joint("<axis><limit><lower>2</lower><upper>1</upper></limit></axis>"), 4, &["lower limit 2", "upper limit 1"]),
        (joint("<axis><mimic joint='k'/></axis>"), 3, &["<mimic>", "\"k\""]),
        (joint("<axis><mimic joint='a'/></axis>"), 3, &["link \"a\", which is no joint"]),
        (joint(""), 3, &["<axis> is missing"]),
        (joint("").replace("revolute", "screw"), 3, &["screw", "not supported"]),
        (joint("").replace("revolute", "gearbox"), 3, &["gearbox", "not supported"]),
        (joint("").replace("revolute", "spring"), 3, &["\"spring\"", "prismatic"]),
        (joint("<axis/>").replace("<child>b", "<child>a"), 3, &["one link"]),
        (joint("<axis/>").replace("<child>b", "<child>world"), 3, &["its child is no link"]),
        (model("<link name='a'/><link name='b'/>"), 2, &["several links have no parent joint", "\"a\", \"b\""]),
        (
            model("<link name='a'><collision name='c'>\n<geometry><polyline/></geometry></collision></link>"),
            3,
            &["<polyline>"],
        ),
        (model("<link name='a'/><model name='n'>\n<pose>0 0 0 x 0 0</pose></model>"), 3, &["model \"n\"", "\"x\""]),
        ("<sdf version='1.2'><model name='m'/></sdf>".to_owned(), 1, &["1.2", "older"]),
    ];
    for (text, line, parts) in cases {
        assert_parse_error(Robot::from_sdf_string(&text), line, parts);
    }
}

#[test]
fn circles_are_named() {
    let poses = model(
        "<link name='a'><pose relative_to='f'/></link>\n<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='a'/></frame>",
    );
    assert_parse_error(
        Robot::from_sdf_string(&poses),
        2,
        &["circle", "link \"a\" relative to frame \"f\" relative to frame \"g\" relative to link \"a\""],
    );
    let frames = model(
        "<link name='a'/>\n<frame name='f' attached_to='g'><pose relative_to='a'/></frame><frame name='g' attached_to='f'><pose relative_to='a'/></frame>",
    );
    assert_parse_error(
        Robot::from_sdf_string(&frames),
        3,
        &["frame \"f\" attached to frame \"g\" attached to frame \"f\""],
    );
}

#[test]
fn files_that_include_each_other_are_refused() {
    let folder = TempFolder::new();
    let including = |other: &str| {
        format!(
            "<sdf version='1.9'><model name='m'><link name='l'/>\n<include><uri>{other}</uri></include></model></sdf>"
        )
    };
    let first = folder.write("a.sdf", including("b.sdf"));
    folder.write("b.sdf", including("a.sdf"));
    assert_parse_error(Robot::from_sdf(first), 2, &["include each other", "a.sdf", "b.sdf"]);
    let missing = folder.write("c.sdf", including("model://nowhere"));
    assert_parse_error(Robot::from_sdf(missing), 2, &["model://nowhere", "tried", "model.config"]);
    let server = folder.write("d.sdf", including("https://example.org/x"));
    assert_parse_error(Robot::from_sdf(server), 2, &["server", "download"]);
}

#[test]
fn the_robot_must_be_the_only_one() {
    let two =
        "<sdf version='1.9'><world name='w'><model name='a'><link name='l'/></model><model name='b'/></world></sdf>";
    assert_parse_error(Robot::from_sdf_string(two), 1, &["2 models", "\"a\", \"b\""]);
    assert_parse_error(Robot::from_sdf_string("<sdf version='1.9'/>"), 1, &["no <model>"]);
    assert_parse_error(Robot::from_sdf_string("<robot name='r'/>"), 1, &["<robot>", "<sdf> or <gazebo>"]);
    let static_one = two.replace("<model name='b'/>", "<model name='b'><static>1</static></model>");
    assert_eq!(Robot::from_sdf_string(&static_one).unwrap().name, "a");
}

#[test]
fn links_of_a_static_model_stand_in_the_world() {
    let text = "<sdf version='1.9'><model name='m'><static>true</static><pose>0 0 1 0 0 0</pose>
      <link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link></model></sdf>";
    let robot = Robot::from_sdf_string(text).unwrap();
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "a", "b"]);
    assert_eq!(robot.joints[1].parent_from_joint.translation(), Vector3::new(1.0, 0.0, 1.0));
}

#[test]
fn every_shape_is_read_or_named() {
    let text = model(
        "<link name='a'>
        <collision name='1'><geometry><cylinder><radius>0.1</radius><length>0.4</length></cylinder></geometry></collision>
        <collision name='2'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
        <collision name='3'><geometry><ellipsoid><radii>0.1 0.1 0.1</radii></ellipsoid></geometry></collision>
        <collision name='4'><geometry><plane><normal>0 1 0</normal><size>1 1</size></plane></geometry></collision>
        <collision name='5'><geometry><empty/></geometry></collision>
        <visual name='6'><geometry><heightmap/></geometry></visual>
        <sensor name='7' type='camera'/>
        </link>",
    );
    let robot = Robot::from_sdf_string(&text).unwrap();
    let shapes: Vec<_> = robot.links[0].collisions.iter().map(|geometry| geometry.shape.clone()).collect();
    let wanted = [
        Shape::cylinder(0.1, 0.2).unwrap(),
        Shape::sphere(0.1).unwrap(),
        Shape::sphere(0.1).unwrap(),
        Shape::half_space(Vector3::y(), 0.0).unwrap(),
    ];
    assert_eq!(shapes, wanted.map(GeometryShape::Shape));
    assert!(robot.links[0].visuals.is_empty());
    for word in ["<heightmap>", "<sensor>"] {
        assert!(robot.notes.iter().any(|note| note.contains(word)), "{word}: {:?}", robot.notes);
    }
}

#[test]
fn the_line_of_an_error_in_an_included_file_is_in_that_file() {
    let folder = TempFolder::new();
    let main = "<sdf version='1.9'><model name='m'><link name='l'/>\n<include><uri>part</uri></include></model></sdf>";
    let main = folder.write("main.sdf", main);
    let part = "<sdf version='1.9'>\n<model name='p'>\n\n<link/></model></sdf>";
    folder.write("part/model.sdf", part);
    let error = Robot::from_sdf(main).unwrap_err().to_string();
    assert!(error.contains("model.sdf") && error.contains(&line_of(part, "<link/>").to_string()), "{error}");
}

#[test]
fn a_folder_is_included_by_what_its_manifest_names() {
    let folder = TempFolder::new();
    let manifest = "<model><name>p</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.10'>new.sdf</sdf><sdf version='1.9'>older.sdf</sdf></model>";
    folder.write("part/model.config", manifest);
    folder.write("part/new.sdf", "<sdf version='1.10'><model name='p'><link name='found'/></model></sdf>");
    let main = "<sdf version='1.9'><model name='m'><include><name>q</name><uri>part</uri></include></model></sdf>";
    let robot = Robot::from_sdf(folder.write("main.sdf", main)).unwrap();
    assert_eq!(robot.links[0].name, "q::found");
}

#[test]
fn a_name_that_old_files_give_to_link_and_joint_means_the_link() {
    let text = "<sdf version='1.6'><model name='m'><link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link>
      <joint name='b' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>";
    let robot = Robot::from_sdf_string(text).unwrap();
    assert_eq!(robot.joints[0].parent_from_joint.translation(), Vector3::x());
}

#[test]
fn damping_and_friction_of_an_axis_are_read_and_springs_noted() {
    let text = "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/>\
        <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>\
        <dynamics><damping>0.7</damping><friction>0.1</friction><spring_stiffness>3</spring_stiffness></dynamics>\
        </axis></joint></model></sdf>";
    let robot = Robot::from_sdf_string(text).unwrap();
    let joint = robot.joints.iter().find(|joint| joint.name == "j").unwrap();
    assert_eq!(joint.dynamics, JointDynamics { damping: 0.7, friction: 0.1, armature: 0.0 });
    assert!(robot.notes.iter().any(|note| note.contains("<spring_stiffness>")), "{:?}", robot.notes);
}
