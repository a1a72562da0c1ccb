//! `kinetic.toml` and the shape files beside it.

use std::io::ErrorKind;

use kinetic_core::{KineticError, Pose, Shape};
use kinetic_robot::{GeometryShape, Robot, RobotConfig, SelfCollisionPairs, SkipPair};
use nalgebra::Vector3;

use crate::support::{ARM, ARM_TOML, TempFolder, assert_parse_error, line_of, parse_error};

fn apply(toml: &str) -> Result<Robot, KineticError> {
    let mut robot = Robot::from_urdf_string(ARM)?;
    let before = robot.clone();
    let result = RobotConfig::from_string(toml).and_then(|config| config.apply_to_robot(&mut robot));
    if result.is_err() {
        assert_eq!(robot, before, "a failed configuration changed the robot");
    }
    result.map(|()| robot)
}

#[track_caller]
fn refused(old: &str, new: &str, parts: &[&str]) {
    assert!(ARM_TOML.contains(old), "the configuration has no {old}");
    assert_parse_error(apply(&ARM_TOML.replacen(old, new, 1)), line_of(ARM_TOML, old), parts);
}

#[test]
fn everything_in_the_file_reaches_the_robot() {
    let robot = apply(ARM_TOML).unwrap();
    assert_eq!((robot.name.as_str(), robot.dof), ("tester_one", 3));
    assert_eq!(robot.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["hand", "arm"]);
    assert_eq!(robot.default_group, 1);
    let gripper = &robot.end_effectors[0];
    assert_eq!((gripper.name.as_str(), gripper.parent_group), ("gripper", Some(1)));
    assert_eq!(gripper.grasp_frame.translation(), Vector3::new(0.0, 0.0, 0.12));
    assert_eq!((robot.ik_preference.solver.as_str(), robot.ik_preference.damping), ("dls", 0.1));
    assert_eq!(robot.collision.self_collision_pairs, SelfCollisionPairs::None);
    assert_eq!(robot.collision.padding, 0.01);
    let pair = |a, b, reason: &str| SkipPair { links: (a, b), reason: reason.into() };
    assert_eq!(robot.collision.skip_pairs, [pair(1, 4, "Never"), pair(5, 6, "")]);
    assert_eq!(robot.joint_limits[0].acceleration, Some(7.0));
    assert_eq!(
        (robot.provenance.maker.as_str(), robot.provenance.acceleration_source.as_str()),
        ("nobody", "published")
    );
}

#[test]
fn the_tool_of_an_end_effector_is_the_tool_of_its_group() {
    let tool = |toml: &str| apply(toml).unwrap().group("arm").unwrap().tip_from_tcp;
    assert_eq!(tool(ARM_TOML), Pose::from_xyz(0.0, 0.0, 0.12));
    // Without a group, the one that ends at the link; in another link of the same body, as the tip sees it: the tool is
    // mounted 0.1 m above the slide.
    assert_eq!(tool(&ARM_TOML.replace("parent_group = \"arm\"\n", "")), Pose::from_xyz(0.0, 0.0, 0.12));
    let on_slide = ARM_TOML.replace("parent_link = \"tool\"", "parent_link = \"slide\"");
    assert!((tool(&on_slide).translation() - Vector3::new(0.0, 0.0, 0.02)).norm() < 1e-15);
    let turned = ARM_TOML.replace("tcp_xyz = [0.0, 0.0, 0.12]", "tcp_rpy = [0.0, 0.0, 1.0]");
    assert_eq!(tool(&turned), Pose::from_xyz_rpy(0.0, 0.0, 0.0, 0.0, 0.0, 1.0));
}

#[test]
fn a_place_to_grasp_is_no_tool() {
    let robot = apply(&ARM_TOML.replace("tcp_xyz", "grasp_xyz")).unwrap();
    assert_eq!(robot.group("arm").unwrap().tip_from_tcp, Pose::identity());
    assert_eq!(robot.end_effectors[0].grasp_frame, Pose::from_xyz(0.0, 0.0, 0.12));
    let both = apply(&ARM_TOML.replace("tcp_xyz", "grasp_xyz = [0.0, 0.0, 0.1]\ntcp_xyz")).unwrap();
    assert_eq!(both.group("arm").unwrap().tip_from_tcp, Pose::from_xyz(0.0, 0.0, 0.12));
    assert_eq!(both.end_effectors[0].grasp_frame, Pose::from_xyz(0.0, 0.0, 0.1));
}

#[test]
fn tools_that_no_group_can_have_are_refused() {
    let link = "parent_link = \"tool\"\nparent_group = \"arm\"";
    refused(link, "parent_link = \"lower\"\nparent_group = \"arm\"", &["\"lower\"", "fixed to \"tool\"", "\"arm\""]);
    refused(link, "parent_link = \"lower\"", &["no group ends at \"lower\"", "\"hand\", \"arm\""]);
    let second = "[end_effector.second]\nparent_link = \"tool\"\ntcp_rpy = [0, 0, 0]\n\n[ik]";
    let (_, line, detail) = parse_error(apply(&ARM_TOML.replace("[ik]", second)).unwrap_err());
    assert_eq!(line, line_of(ARM_TOML, "[ik]") + 1);
    assert!(detail.contains("end_effector \"gripper\" states the tool of group \"arm\" already"), "{detail}");
}

#[test]
fn a_short_file_keeps_the_automatic_group_and_the_defaults() {
    let robot = apply("[robot]\nname = \"short\"\nurdf = \"robot.urdf\"\n").unwrap();
    assert_eq!((robot.groups[0].name.as_str(), robot.dof), ("arm", 4));
    assert_eq!((robot.ik_preference.solver.as_str(), robot.ik_preference.damping), ("auto", 0.05));
    assert_eq!(robot.collision.self_collision_pairs, SelfCollisionPairs::Auto);
    assert_eq!(robot.provenance.acceleration_source, "default");
}

#[test]
fn syntax_unknown_keys_and_wrong_types_are_reported_with_their_line() {
    refused("maker = \"nobody\"", "maker = nobody", &[]);
    refused("maker = \"nobody\"", "creator = \"nobody\"", &["unknown field `creator`", "maker"]);
    refused("[ik]", "[inverse_kinematics]", &["unknown field `inverse_kinematics`"]);
    refused("chain = [\"world\", \"tool\"]", "chains = [\"world\", \"tool\"]", &["unknown field `chains`"]);
    refused("padding = 0.01", "padding = \"thick\"", &["invalid type", "thick"]);
    refused("ready = [0.5, 1, 0.2]", "ready = [0.5, \"one\", 0.2]", &["invalid type"]);
    assert_parse_error(apply("[robot]\nname = \"x\"\n"), 1, &["missing field `urdf`"]);
}

#[test]
fn what_is_said_of_inertials_is_checked() {
    refused("maker = \"nobody\"", "inertials = \"foo\"", &["\"foo\"", "\"published\", \"placeholder\""]);
    refused("maker = \"nobody\"", "estimated_tensors = [\"moon\"]", &["estimated_tensors", "no link \"moon\""]);
}

#[test]
fn groups_must_name_links_or_joints_that_form_one() {
    refused("chain = [\"world\", \"tool\"]", "chain = [\"world\"]", &["\"arm\"", "1 links", "[base, tip]"]);
    refused("chain = [\"world\", \"tool\"]", "chain = [\"world\", \"moon\"]", &["\"arm\"", "no link \"moon\""]);
    refused("chain = [\"world\", \"tool\"]", "chain = [\"tool\", \"world\"]", &["\"arm\"", "swap"]);
    refused("chain = [\"world\", \"tool\"]", "chain = [\"slide\", \"tool\"]", &["\"arm\"", "no joint moves"]);
    refused("joints = [\"finger_left\"]", "joints = []", &["\"hand\"", "empty"]);
    refused("joints = [\"finger_left\"]", "joints = [\"thumb\"]", &["\"hand\"", "no joint \"thumb\""]);
    refused("joints = [\"finger_left\"]", "joints = [\"mount\"]", &["\"mount\" is fixed"]);
    refused("joints = [\"finger_left\"]", "joints = [\"finger_right\"]", &["follows \"finger_left\""]);
    refused("joints = [\"finger_left\"]", "joints = [\"rail\", \"rail\"]", &["\"rail\" is listed twice"]);
    let both = "[planning_group.hand]\nchain = [\"tool\", \"left\"]\n";
    assert_parse_error(
        apply(&ARM_TOML.replace("[planning_group.hand]\n", both)),
        8,
        &["\"hand\"", "either chain or joints"],
    );
}

#[test]
fn defaults_must_exist_and_agree() {
    refused("default_group = \"arm\"", "default_group = \"leg\"", &["default_group", "no planning group \"leg\""]);
    refused("dof = 3", "dof = 6", &["dof = 6", "\"arm\" has 3"]);
}

#[test]
fn names_select_groups_that_exist() {
    let names = |group: &str| format!("[names]\ntester_left = \"{group}\"\n\n{ARM_TOML}");
    assert_eq!(apply(&names("hand")).unwrap().name, "tester_one", "a robot from a folder keeps its own name");
    assert_parse_error(apply(&names("leg")), 2, &["names: \"tester_left\"", "no planning group \"leg\"", "\"hand\""]);
}

#[test]
fn end_effectors_name_their_mistakes() {
    refused("parent_link = \"tool\"", "parent_link = \"x\"", &["end_effector \"gripper\"", "no link \"x\""]);
    refused("parent_group = \"arm\"", "parent_group = \"x\"", &["end_effector \"gripper\"", "no planning group \"x\""]);
    refused("tcp_xyz = [0.0, 0.0, 0.12]", "tcp_xyz = [0.0, 0.12]", &["tcp_xyz must be three finite numbers"]);
    refused("tcp_xyz = [0.0, 0.0, 0.12]", "tcp_rpy = [0, 0, inf]", &["tcp_rpy must be three finite numbers"]);
}

#[test]
fn solver_names_and_dampings_are_checked() {
    refused("solver = \"dls\"", "solver = \"magic\"", &["no solver \"magic\"", "auto", "dls"]);
    refused("damping = 0.1", "damping = -1", &["damping = -1"]);
    refused("damping = 0.1", "damping = nan", &["damping = NaN"]);
}

#[test]
fn named_poses_must_fit_their_group_and_its_limits() {
    refused("ready = [0.5, 1, 0.2]", "ready = [0.5, 1]", &["\"ready\" of group \"arm\"", "2 values", "3 joints"]);
    refused("ready = [0.5, 1, 0.2]", "ready = [0.5, 1, 0.9]", &["\"ready\"", "joint \"rail\" = 0.9", "[0.1, 0.4]"]);
    refused("ready = [0.5, 1, 0.2]", "ready = [0.5, nan, 0.2]", &["\"ready\"", "NaN"]);
    refused("[named_poses.hand]", "[named_poses.foot]", &["no planning group \"foot\""]);
}

#[test]
fn collision_settings_are_checked() {
    refused(
        "self_collision_pairs = \"none\"",
        "self_collision_pairs = \"some\"",
        &["\"some\"", "\"auto\" or \"none\""],
    );
    refused("padding = 0.01", "padding = -0.01", &["padding = -0.01"]);
    refused("[\"left\", \"right\"]", "[\"left\"]", &["1 words", "[link, link, reason]"]);
    refused("[\"left\", \"right\"]", "[\"left\", \"moon\"]", &["no link \"moon\""]);
    refused("[\"left\", \"right\"]", "[\"left\", \"left\"]", &["\"left\" is paired with itself"]);
}

#[test]
fn limits_are_positive_and_belong_to_independent_joints() {
    refused(
        "acceleration = { shoulder = 7.0 }",
        "acceleration = { shoulder = 0.0 }",
        &["\"shoulder\" = 0", "positive"],
    );
    refused("acceleration = { shoulder = 7.0 }", "acceleration = { x = 1.0 }", &["no joint \"x\""]);
    refused("acceleration = { shoulder = 7.0 }", "acceleration = { mount = 1.0 }", &["\"mount\" is fixed"]);
    refused("acceleration = { shoulder = 7.0 }", "acceleration = { finger_right = 1.0 }", &["follows \"finger_left\""]);
    refused("rail = 90.0", "rail = -90.0", &["jerk of \"rail\" = -90"]);
}

#[test]
fn weights_of_joints_are_read_and_checked() {
    let with = |table: &str| apply(&format!("{ARM_TOML}\n[metric]\n{table}\n"));
    let robot = with("weights = { rail = 4.0, finger_left = 0.5 }").unwrap();
    assert_eq!(robot.weights(robot.group("arm").unwrap()), [1.0, 1.0, 4.0]);
    assert_eq!(robot.weights(robot.group("hand").unwrap()), [0.5]);
    let robot = with("weights = {}").unwrap();
    assert_eq!(robot.weights(robot.group("arm").unwrap()), [1.0; 3]);
    for (entry, parts) in [
        ("rail = 0.0", &["weight of \"rail\" = 0", "from 1e-3 to 1e3"][..]),
        ("rail = nan", &["weight of \"rail\" = NaN"]),
        ("rail = -1.0", &["= -1"]),
        ("rail = 1e4", &["= 10000"]),
        ("x = 1.0", &["no joint \"x\""]),
        ("mount = 1.0", &["\"mount\" is fixed"]),
        ("finger_right = 1.0", &["follows \"finger_left\""]),
    ] {
        let line = ARM_TOML.lines().count() as u32 + 3;
        assert_parse_error(with(&format!("weights = {{ {entry} }}")), line, parts);
    }
}

/// A folder with the test robot and the given files beside it.
fn folder(about: &str, files: &[(&str, &str)]) -> (TempFolder, Result<Robot, KineticError>) {
    let folder = TempFolder::new();
    folder.write("kinetic.toml", format!("[robot]\nname = \"r\"\nurdf = \"robot.urdf\"\n{about}"));
    folder.write("robot.urdf", ARM);
    for (name, content) in files {
        folder.write(name, content);
    }
    let robot = Robot::from_path(&folder.0);
    (folder, robot)
}

const HULLS: &str = r#"{"links": {
  "upper": [{"type": "convex", "radius": 0.01, "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}],
  "tool": [{"type": "box", "half_extents": [0.1, 0.2, 0.3], "origin_xyz": [1, 2, 3], "origin_rpy": [0, 0, 0]},
           {"type": "cylinder", "radius": 0.1, "half_height": 0.2, "origin_xyz": [0, 0, 1]},
           {"type": "capsule", "radius": 0.1, "half_height": 0.2},
           {"type": "sphere", "radius": 0.1, "origin_xyz": [0, 0, 2]}]
}}"#;

#[test]
fn hulls_replace_the_collision_shapes_of_every_link() {
    let (_folder, robot) = folder("hulls = \"hulls.json\"", &[("hulls.json", HULLS)]);
    let robot = robot.unwrap();
    let shapes = |name: &str| &robot.links[robot.link_index(name).unwrap()].collisions;
    match &shapes("upper")[0].shape {
        GeometryShape::Shape(Shape::Convex { vertices, radius }) => assert_eq!((vertices.len(), *radius), (4, 0.01)),
        other => panic!("{other:?}"),
    }
    assert_eq!(shapes("tool").len(), 4);
    assert_eq!(shapes("tool")[0].link_from_shape.translation(), Vector3::new(1.0, 2.0, 3.0));
    let half_extents = Vector3::new(0.1, 0.2, 0.3);
    assert_eq!(shapes("tool")[0].shape, GeometryShape::Shape(Shape::Cuboid { half_extents }));
    assert_eq!(shapes("tool")[3].link_from_shape.translation(), Vector3::new(0.0, 0.0, 2.0));
    assert!(shapes("world").is_empty());
}

#[test]
fn wrong_hulls_are_reported_with_file_and_line() {
    for (old, new, line, parts) in [
        ("\"upper\"", "\"moon\"", 2, ["no link \"moon\"", "upper"]),
        ("\"radius\": 0.01", "\"radius\": -0.01", 2, ["\"upper\"", "convex radius"]),
        ("\"half_height\": 0.2}", "\"half_height\": 0}", 3, ["\"tool\"", "capsule half_height"]),
        ("\"capsule\"", "\"torus\"", 5, ["no hull \"torus\"; hulls are \"box\", \"capsule\"", "upper"]),
        ("\"half_extents\"", "\"size\"", 3, ["half_extents", "size"]),
    ] {
        let (_folder, robot) = folder("hulls = \"hulls.json\"", &[("hulls.json", &HULLS.replacen(old, new, 1))]);
        let (file, found, detail) = parse_error(robot.unwrap_err());
        assert!(file.ends_with("hulls.json"), "{file}");
        assert!(parts.iter().any(|part| detail.contains(part)), "{detail}");
        assert!(!detail.contains("half_space"), "{detail}");
        // The reader of tagged objects knows the end of the object only.
        assert!(found >= line && found <= line + 3, "{found} {detail}");
    }
}

#[test]
fn spheres_are_read_per_link_and_may_be_absent() {
    let balls = "{\"links\": {\"tool\": [[0, 0, 0.1, 0.05], [0, 0, 0.2, 0.04]]}}";
    let (_folder, robot) = folder("spheres = \"spheres.json\"", &[("spheres.json", balls)]);
    let robot = robot.unwrap();
    let model = robot.sphere_model.as_ref().unwrap();
    assert_eq!(model.len(), robot.links.len());
    assert_eq!(model[robot.link_index("tool").unwrap()], [[0.0, 0.0, 0.1, 0.05], [0.0, 0.0, 0.2, 0.04]]);
    assert!(model[0].is_empty());
    assert_eq!(folder("spheres = \"spheres.json\"", &[]).1.unwrap().sphere_model, None);
}

#[test]
fn wrong_spheres_are_refused() {
    for (balls, part) in [
        ("{\"links\": {\n\"tool\": [[0, 0, 0.1, 0]]}}", "sphere radius = 0"),
        ("{\"links\": {\n\"tool\": [[0, 0, 0.1]]}}", "invalid length 3"),
        ("{\"links\": {\n\"moon\": []}}", "no link \"moon\""),
    ] {
        let (_folder, robot) = folder("spheres = \"spheres.json\"", &[("spheres.json", balls)]);
        assert_parse_error(robot, 2, &[part]);
    }
}

#[test]
fn missing_files_are_named() {
    let empty = TempFolder::new();
    let missing = |result: Result<Robot, KineticError>| match result.unwrap_err() {
        KineticError::Io { path, kind: ErrorKind::NotFound, .. } => path,
        other => panic!("{other}"),
    };
    assert_eq!(missing(Robot::from_path(&empty.0)), empty.0.join("kinetic.toml"));
    let (with_hulls, robot) = folder("hulls = \"none.json\"", &[]);
    assert_eq!(missing(robot), with_hulls.0.join("none.json"));
    empty.write("kinetic.toml", "[robot]\nname = \"r\"\nurdf = \"r.urdf\"\n");
    assert_eq!(missing(Robot::from_path(&empty.0)), empty.0.join("r.urdf"));
}

#[test]
fn a_mistake_in_the_urdf_names_the_urdf() {
    let (folder, robot) = folder("", &[("robot.urdf", "<robot name='r'>\n<link/></robot>")]);
    let (file, line, _) = parse_error(robot.unwrap_err());
    assert_eq!((file, line), (folder.0.join("robot.urdf").display().to_string(), 2));
}

#[test]
fn meshes_of_a_folder_are_found_beside_its_urdf() {
    let urdf = "<robot name='r'><link name='a'><visual><geometry><mesh filename='m/a.stl'/></geometry></visual></link></robot>";
    let (folder, robot) = folder("", &[("robot.urdf", urdf), ("m/a.stl", "x")]);
    match &robot.unwrap().links[0].visuals[0].shape {
        GeometryShape::Mesh(mesh) => assert_eq!(mesh.path().unwrap(), folder.0.join("m/a.stl")),
        other @ GeometryShape::Shape(_) => panic!("{other:?}"),
    }
}
