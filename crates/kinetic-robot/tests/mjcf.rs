//! What an MJCF document becomes. Poses and masses are compared with MuJoCo's in `mjcf_goldens`.

use std::f64::consts::FRAC_PI_2;

use kinetic_core::Shape;
use kinetic_robot::{GeometryShape, JointDynamics, JointType, Link, Robot, UrdfOptions};

use crate::support::TempFolder;

/// f64 rounding of a few products.
const TOLERANCE: f64 = 1e-12;

fn read(content: &str) -> Robot {
    Robot::from_mjcf_string(&format!("<mujoco>{content}</mujoco>")).unwrap()
}

/// A world with this content.
fn world(content: &str) -> Robot {
    read(&format!("<worldbody>{content}</worldbody>"))
}

fn link<'a>(robot: &'a Robot, name: &str) -> &'a Link {
    &robot.links[robot.link_index(name).unwrap()]
}

fn has_note(robot: &Robot, part: &str) -> bool {
    robot.notes.iter().any(|note| note.contains(part))
}

#[test]
fn the_world_is_the_root_and_bodies_hang_on_it() {
    let robot = world("<body name='a'><joint name='turn'/><body name='b' pos='1 2 3'/></body><body name='c'/>");
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "a", "b", "c"]);
    let names: Vec<&str> = robot.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["turn", "b/fixed", "c/fixed"]);
    assert_eq!(robot.joints[1].parent_from_joint.translation.vector.as_slice(), [1.0, 2.0, 3.0]);
    assert_eq!((robot.groups[0].name.as_str(), robot.dof), ("arm", 1));
}

#[test]
fn base_and_tip_select_the_group() {
    let options = UrdfOptions { base: Some("a".into()), tip: Some("b".into()), ..UrdfOptions::default() };
    let text = "<mujoco><worldbody><body name='a'><joint/><body name='b'><joint/></body></body></worldbody></mujoco>";
    let robot = Robot::from_mjcf_string_with(text, &options).unwrap();
    assert_eq!(robot.joint_names(&robot.groups[0]), ["joint_1"]);
}

#[test]
fn nameless_bodies_and_joints_are_called_after_mujocos_indices() {
    let robot = world("<body name='body_2'><joint/><body><joint name='x'/><joint/></body></body>");
    assert!(robot.link_index("body_2_").is_ok());
    assert_eq!(robot.moving_joint_names(true), ["joint_0", "x", "joint_2"]);
}

#[test]
fn angles_are_degrees_unless_the_compiler_says_radian() {
    let joint = "<worldbody><body><joint range='-90 90'/></body></worldbody>";
    let degrees = read(joint);
    assert!((degrees.joint_limits[0].upper - FRAC_PI_2).abs() < TOLERANCE);
    let radians = read(&format!("<compiler angle='radian'/>{joint}"));
    assert_eq!(radians.joint_limits[0].upper, 90.0);
}

#[test]
fn a_range_limits_a_joint_unless_limits_are_switched_off() {
    for (attributes, joint_type) in [
        ("range='-1 1'", JointType::Revolute),
        ("range='-1 1' limited='false'", JointType::Continuous),
        ("range='0 0'", JointType::Continuous),
        ("type='slide'", JointType::Prismatic),
    ] {
        let robot = world(&format!("<body><joint {attributes}/></body>"));
        assert_eq!(robot.joints[0].joint_type, joint_type, "{attributes}");
    }
    let robot = read("<compiler autolimits='false'/><worldbody><body><joint range='-1 1'/></body></worldbody>");
    assert_eq!(robot.joints[0].joint_type, JointType::Continuous);
}

#[test]
fn the_range_of_actuator_forces_is_the_effort_limit() {
    let robot = world("<body><joint actuatorfrcrange='-30 20'/></body>");
    assert_eq!(robot.joint_limits[0].effort, 30.0);
}

#[test]
fn actuators_limit_the_effort_of_their_joint() {
    let effort = |actuators: &str| {
        let defaults = "<default><position forcerange='-7 6'/><default class='strong'><position forcerange='-9 9'/></default></default>";
        let body = "<worldbody><body><joint name='j' actuatorfrcrange='-30 20'/></body></worldbody>";
        read(&format!("{defaults}{body}<actuator>{actuators}</actuator>")).joint_limits[0].effort
    };
    let cases = [
        ("<motor joint='j' ctrlrange='-2 1' gear='10 0 0 0 0 0'/>", 20.0),
        ("<motor joint='j' ctrlrange='-2 1' ctrllimited='false'/>", 30.0),
        ("<motor joint='j' ctrlrange='-2 1' forcerange='-1.5 1.5' gear='4'/>", 6.0),
        ("<general joint='j' ctrlrange='-2 1' gainprm='3'/>", 6.0),
        // Of a servo the control is a position.
        ("<general joint='j' ctrlrange='-2 1' biastype='affine'/>", 30.0),
        ("<position joint='j' ctrlrange='-2 1'/>", 7.0),
        ("<position joint='j' class='strong'/>", 9.0),
        ("<position joint='j'/><position joint='j' class='strong'/>", 16.0),
        ("<velocity joint='j' forcerange='-200 200'/>", 30.0),
    ];
    for (actuators, wanted) in cases {
        assert_eq!(effort(actuators), wanted, "{actuators}");
    }
}

#[test]
fn damping_friction_and_armature_are_those_of_the_joint_or_its_class() {
    let text = "<default><joint damping='0.5'/><default class='worn'><joint frictionloss='0.2' armature='0.01'/></default></default>\
         <worldbody><body><joint name='a' class='worn' damping='2'/><body><joint name='b' type='ball'/></body></body></worldbody>";
    let dynamics: Vec<_> = read(text).joints.iter().filter(|j| j.joint_type.is_moving()).map(|j| j.dynamics).collect();
    assert_eq!(dynamics[0], JointDynamics { damping: 2.0, friction: 0.2, armature: 0.01 });
    assert_eq!(dynamics[1..], [JointDynamics { damping: 0.5, ..JointDynamics::default() }; 3]);
    let odd = world("<body><joint damping='2 0 3' frictionloss='-1'/></body>");
    assert_eq!(odd.joints[0].dynamics, JointDynamics { damping: 2.0, ..JointDynamics::default() });
    assert!(has_note(&odd, "the linear part alone"), "{:?}", odd.notes);
    assert!(has_note(&odd, "a negative friction, -1, is not used"), "{:?}", odd.notes);
}

#[test]
fn several_joints_of_a_body_follow_each_other_over_massless_links() {
    let robot =
        world("<body name='b'><joint name='x' type='slide'/><joint name='y' pos='1 0 0'/><joint name='z'/></body>");
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "b/x", "b/y", "b"]);
    assert!(robot.links.iter().all(|link| link.inertial.is_none()));
}

#[test]
fn free_and_ball_joints_become_series() {
    let robot =
        world("<body name='a'><freejoint name='free'/><body name='b'><joint name='ball' type='ball'/></body></body>");
    assert_eq!(
        robot.moving_joint_names(true),
        ["free/x", "free/y", "free/z", "free/yaw", "free/pitch", "free/roll", "ball/yaw", "ball/pitch", "ball/roll"]
    );
}

#[test]
fn bodies_on_either_side_of_several_joints_are_neighbours() {
    let geom = "<geom size='0.1'/>";
    let robot = world(&format!(
        "<body name='a'>{geom}<joint/><body name='b'>{geom}<joint/><joint/></body><body name='c'>{geom}<joint/></body></body>"
    ));
    let pair = (robot.link_index("a").unwrap(), robot.link_index("b").unwrap());
    let pairs: Vec<_> = robot.collision.skip_pairs.iter().map(|pair| (pair.links, pair.reason.as_str())).collect();
    assert_eq!(pairs, [(pair, "Adjacent")]);
}

#[test]
fn excluded_pairs_are_skipped_and_explicit_pairs_are_checked() {
    let robot = read(
        "<worldbody><body name='a'><geom name='ga' size='1'/></body><body name='b'><geom size='1'/></body>
         <body name='c'><geom name='gc' size='1' contype='0' conaffinity='0'/></body></worldbody>
         <contact><exclude body1='b' body2='a'/><exclude body1='a' body2='c'/><pair geom1='ga' geom2='gc'/></contact>",
    );
    let pair = (robot.link_index("a").unwrap(), robot.link_index("b").unwrap());
    let pairs: Vec<_> = robot.collision.skip_pairs.iter().map(|pair| (pair.links, pair.reason.as_str())).collect();
    assert_eq!(pairs, [(pair, "Excluded")]);
    assert_eq!(link(&robot, "c").collisions.len(), 1);
}

#[test]
fn geoms_that_touch_nothing_are_only_seen() {
    let seen = "<geom type='box' size='1 1 1' contype='0' conaffinity='0'/>";
    let touched = "<geom size='1'/>";
    for (geoms, visuals, collisions) in [
        (format!("{seen}{touched}"), "cuboid", vec!["sphere"]),
        (touched.to_owned(), "sphere", vec!["sphere"]),
        (seen.to_owned(), "cuboid", vec![]),
    ] {
        let robot = world(&format!("<body name='a'>{geoms}</body>"));
        let kind = |shape: &GeometryShape| match shape {
            GeometryShape::Shape(shape) => shape.kind(),
            GeometryShape::Mesh(_) => "mesh",
        };
        let link = link(&robot, "a");
        assert_eq!(link.visuals.iter().map(|geometry| kind(&geometry.shape)).collect::<Vec<_>>(), [visuals]);
        assert_eq!(link.collisions.iter().map(|geometry| kind(&geometry.shape)).collect::<Vec<_>>(), collisions);
    }
    let hidden = world("<body name='a'><geom size='1' group='3'/></body>");
    assert!(link(&hidden, "a").visuals.is_empty());
}

#[test]
fn geoms_have_their_own_colour_or_that_of_their_material() {
    let robot = read(
        "<asset><material name='red' rgba='1 0 0 1'/></asset><worldbody><body name='a'><geom size='1' material='red'/>
         <geom size='1' material='red' rgba='0 1 0 0.5'/><geom size='1'/></body></worldbody>",
    );
    let color = |seen: &kinetic_robot::Geometry| seen.material.clone().and_then(|material| material.color);
    let colors: Vec<_> = link(&robot, "a").visuals.iter().map(color).collect();
    assert_eq!(colors, [Some([1.0, 0.0, 0.0, 1.0]), Some([0.0, 1.0, 0.0, 0.5]), None]);
}

#[test]
fn msh_files_are_meshes() {
    let folder = TempFolder::new();
    let mut bytes = Vec::new();
    for count in [4_i32, 0, 1, 4] {
        bytes.extend(count.to_le_bytes());
    }
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.5];
    for number in corners {
        bytes.extend(f32::to_le_bytes(number));
    }
    for index in [0_i32, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2] {
        bytes.extend(index.to_le_bytes());
    }
    folder.write("a.msh", &bytes);
    folder.write("short.msh", &bytes[..bytes.len() - 1]);
    let text = "<mujoco><asset><mesh file='NAME.msh'/></asset><worldbody><body name='a'>
        <geom type='mesh' mesh='NAME'/></body></worldbody></mujoco>";
    let robot = |name: &str| Robot::from_mjcf(folder.write("main.xml", text.replace("NAME", name))).unwrap();
    // A corner of the unit cube at the density of water.
    let mass = link(&robot("a"), "a").inertial.as_ref().unwrap().mass;
    assert!((mass - 1000.0 / 6.0).abs() < 1e-9, "{mass}");
    assert!(has_note(&robot("short"), "bytes do not hold 4 vertices"));
}

#[test]
fn planes_and_height_fields_belong_to_the_scene() {
    let robot = world("<geom type='plane' size='1 1 1'/><geom type='plane' size='1 1 1'/>");
    assert!(robot.links[0].collisions.is_empty());
    assert!(has_note(
        &robot,
        "a plane is not part of the robot; add it to the scene (2 times, first <string>:1, <geom>)"
    ));
}

#[test]
fn an_ellipsoid_is_inside_the_polyhedron_that_stands_for_it_and_nearly_fills_it() {
    let semi = nalgebra::Vector3::new(0.1, 0.2, 0.5);
    let robot = world("<body name='a'><geom type='ellipsoid' size='0.1 0.2 0.5'/></body>");
    let GeometryShape::Shape(Shape::Convex { vertices, radius: 0.0 }) = &link(&robot, "a").collisions[0].shape else {
        panic!("not convex");
    };
    // In every direction the hull reaches at least as far as the ellipsoid, whose support function is |semi ∘ d|.
    let mut rng = kinetic_core::rng::SeededRng::new(1);
    for _ in 0..2_000 {
        let direction = nalgebra::Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0));
        let needed = direction.component_mul(&semi).norm();
        let reach = vertices.iter().map(|vertex| vertex.coords.dot(&direction)).fold(f64::MIN, f64::max);
        assert!(reach >= needed * (1.0 - TOLERANCE) && reach <= needed * 1.025, "{reach} for {needed}");
    }
}

#[test]
fn classes_give_what_elements_leave_out() {
    let robot = read(
        "<default><joint axis='1 0 0'/><default class='a'><joint range='-1 1'/>
           <default class='b'><joint axis='0 1 0'/></default></default></default>
         <worldbody><body name='x'><joint name='main'/><body childclass='a'><joint name='a'/>
           <body><joint name='b' class='b'/><frame childclass='b'><body><joint name='c' axis='0 0 1'/></body></frame>
         </body></body></body></worldbody>",
    );
    let joint = |name: &str| &robot.joints[robot.joint_index(name).unwrap()];
    assert_eq!((joint("main").axis.x, joint("main").joint_type), (1.0, JointType::Continuous));
    assert_eq!((joint("a").axis.x, joint("a").joint_type), (1.0, JointType::Revolute));
    assert_eq!((joint("b").axis.y, joint("b").joint_type), (1.0, JointType::Revolute));
    assert_eq!((joint("c").axis.z, joint("c").joint_type), (1.0, JointType::Revolute));
}

#[test]
fn linear_joint_constraints_become_mimic_joints() {
    let robot = read(
        "<compiler angle='radian'/>
         <worldbody><body><joint name='a' ref='0.1'/><body><joint name='b' ref='0.5'/></body></body></worldbody>
         <equality><joint joint1='b' joint2='a' polycoef='0.2 -2 0 0 0'/></equality>",
    );
    let mimic = robot.joints[robot.joint_index("b").unwrap()].mimic.unwrap();
    // b - 0.5 = 0.2 - 2 (a - 0.1)
    assert_eq!(mimic.multiplier, -2.0);
    assert!((mimic.offset - 0.9).abs() < TOLERANCE);
    assert_eq!(robot.num_variables(), 1);
}

#[test]
fn constraints_that_make_no_mimic_joint_are_noted() {
    let joints = "<worldbody><body name='p'><joint name='a' range='1 2'/><body name='q'><joint name='b' range='1 2'/>
        <body><joint name='c'/></body></body></body></worldbody>";
    for (constraint, note) in [
        ("<joint joint1='a'/>", "it holds \"a\" at one value"),
        ("<joint joint1='a' joint2='b' polycoef='0 1 1 0 0'/>", "polynomial that is not linear"),
        ("<joint joint1='a' joint2='b' active='false'/>", "switched off"),
        ("<joint joint1='a' joint2='a'/>", "\"a\" already follows \"a\""),
        ("<joint joint1='a' joint2='b'/><joint joint1='b' joint2='a'/>", "\"a\" already follows \"b\""),
        ("<joint joint1='a' joint2='b' polycoef='9'/>", "no value of \"b\" keeps \"a\" within its limits"),
        ("<joint joint1='c' joint2='b'/><joint joint1='c' joint2='a'/>", "\"c\" already follows \"b\""),
        ("<weld body1='p' body2='q'/>", "equality constraint <weld> is not used"),
    ] {
        let robot = read(&format!("{joints}<equality>{constraint}</equality>"));
        assert!(has_note(&robot, note), "{constraint}: {:?}", robot.notes);
    }
}

#[test]
fn keys_that_fit_become_named_poses() {
    let robot = read(
        "<worldbody><body name='a' pos='1 0 0'><freejoint name='f'/><body><joint name='b' range='-90 90'/>
         </body></body></worldbody>
         <keyframe><key name='home' qpos='2 0 0 1 0 0 0 1'/><key name='short' qpos='1 2'/>
         <key name='outside' qpos='0 0 0 1 0 0 0 3'/><key name='none'/></keyframe>",
    );
    let group = &robot.groups[0];
    assert_eq!(robot.named_pose_names(group), ["home"]);
    let home = robot.named_pose(group, "home").unwrap();
    // The automatic group begins below the free joint.
    assert_eq!(home.as_ref(), [1.0]);
    assert!(has_note(&robot, "\"short\" is not used: its qpos does not fit"));
    assert!(has_note(&robot, "\"outside\" is not used: it violates joint limits"));
}

#[test]
fn sections_that_are_not_used_are_noted_once_each() {
    let robot = read(
        "<worldbody/><actuator><motor/><motor/></actuator><sensor><touch/></sensor><option/><visual><map/></visual>",
    );
    assert_eq!(
        robot.notes,
        [
            "<motor> that moves no joint is not used (2 times, first <string>:1, <motor>)",
            "section <sensor> with 1 element(s) is not used (<string>:1, <sensor>)"
        ]
    );
}

#[test]
fn included_files_are_found_from_the_main_file_wherever_the_include_stands() {
    let folder = TempFolder::new();
    folder.write("parts/outer.xml", "<mujoco><include file='parts/inner.xml'/></mujoco>");
    folder.write("parts/inner.xml", "<mujocoinclude><body name='inner'/></mujocoinclude>");
    let main = folder.write("main.xml", "<mujoco><worldbody><include file='parts/outer.xml'/></worldbody></mujoco>");
    let robot = Robot::from_mjcf(&main).unwrap();
    assert_eq!(robot.links[1].name, "inner");
    let options = UrdfOptions { package_dirs: vec![folder.0.clone()], ..UrdfOptions::default() };
    let text = std::fs::read_to_string(main).unwrap();
    assert_eq!(Robot::from_mjcf_string_with(&text, &options).unwrap().links, robot.links);
}

#[test]
fn attached_models_keep_their_own_settings_and_get_a_prefix() {
    let folder = TempFolder::new();
    let child = "<mujoco model='child'><compiler angle='radian'/><default><joint axis='1 0 0'/></default>
        <worldbody><body name='hand'><joint name='a' range='0 1'/><body name='finger'><joint name='b'/></body></body>
        <body name='other'/></worldbody>
        <equality><joint joint1='b' joint2='a'/></equality>
        <contact><exclude body1='hand' body2='finger'/><exclude body1='hand' body2='other'/></contact></mujoco>";
    folder.write("child.xml", child);
    let main = folder.write(
        "main.xml",
        "<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody><body name='wrist' pos='0 0 1'>
         <joint name='own'/><attach model='c' body='hand' prefix='left_'/>
         <attach model='c' body='hand' prefix='right_'/></body></worldbody></mujoco>",
    );
    let robot = Robot::from_mjcf(main).unwrap();
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "wrist", "left_hand", "left_finger", "right_hand", "right_finger"]);
    let joint = |name: &str| &robot.joints[robot.joint_index(name).unwrap()];
    assert_eq!((joint("own").axis.z, joint("left_a").axis.x), (1.0, 1.0));
    assert_eq!(joint("right_a").limits.unwrap().upper, 1.0);
    assert_eq!(joint("right_b").mimic.unwrap().joint, robot.joint_index("right_a").unwrap());
    assert_eq!(robot.collision.skip_pairs.len(), 2);
}

#[test]
fn replicas_are_numbered_and_what_names_them_is_copied() {
    let robot = read(
        "<worldbody><body name='hub'/><replicate count='10' sep='-' offset='1 0 0'><body name='leg'/></replicate>
         </worldbody><contact><exclude body1='hub' body2='leg'/></contact>",
    );
    let last = robot.link_index("leg-09").unwrap();
    let joint = robot.links[last].parent_joint.unwrap();
    assert_eq!(robot.joints[joint].parent_from_joint.translation.vector.x, 9.0);
    assert_eq!(robot.collision.skip_pairs.len(), 10);
}

#[test]
fn meshes_are_found_below_meshdir_and_placed_by_their_reference() {
    let folder = TempFolder::new();
    folder.write("shapes/part.stl", "not read");
    let main = folder.write(
        "main.xml",
        "<mujoco><compiler meshdir='shapes' strippath='true'/><asset><mesh file='elsewhere/part.stl' scale='2 2 2'
         refpos='1 0 0'/></asset><worldbody><body name='a'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>
         <geom type='mesh' mesh='part' pos='0 0 3'/></body></worldbody></mujoco>",
    );
    let robot = Robot::from_mjcf(main).unwrap();
    let geometry = &link(&robot, "a").collisions[0];
    let GeometryShape::Mesh(mesh) = &geometry.shape else { panic!("not a mesh") };
    assert_eq!(mesh.path().unwrap(), folder.0.join("shapes/part.stl"));
    assert_eq!(mesh.scale.as_slice(), [2.0, 2.0, 2.0]);
    assert_eq!(geometry.link_from_shape.translation.vector.as_slice(), [-2.0, 0.0, 3.0]);
}

#[test]
fn a_mass_that_needs_a_missing_mesh_is_unknown_and_noted() {
    let robot = read(
        "<asset><mesh file='gone.stl'/></asset><worldbody><body name='a'><geom type='mesh' mesh='gone'/></body></worldbody>",
    );
    assert_eq!(link(&robot, "a").inertial, None);
    assert!(has_note(&robot, "the mass of body \"a\" is unknown"));
}

#[test]
fn comments_may_hold_what_xml_forbids_in_them() {
    assert_eq!(world("<!-- a -- b --><body name='a'/>").links.len(), 2);
}

/// MuJoCo 3's `geom_pos` and `geom_quat` for these ends: +z of a geom points to the first one, and a box, which
/// is not round about it, shows how it got there.
#[test]
fn geoms_between_two_points_stand_as_mujoco_puts_them() {
    let text =
        |kind: &str| format!("<body name='b'><geom type='{kind}' size='0.05' fromto='0 0 0 0.3 0.2 0.5'/></body>");
    let wanted = kinetic_core::Pose::from_xyz_quat(
        0.15,
        0.1,
        0.25,
        0.527_855_910_650_130_9,
        -0.791_783_865_975_196_2,
        0.0,
        0.307_321_406_955_476_66,
    )
    .unwrap();
    for kind in ["box", "capsule", "cylinder"] {
        let robot = world(&text(kind));
        let pose = link(&robot, "b").collisions[0].link_from_shape;
        assert!(pose.translation_distance(&wanted) < TOLERANCE, "{kind}: {pose:?}");
        assert!(pose.rotation_distance(&wanted) < 1e-7, "{kind}: {pose:?}");
    }
}
