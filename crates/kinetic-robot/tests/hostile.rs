//! Damaged documents give errors or sound robots, never a panic.

use kinetic_core::rng::SeededRng;
use kinetic_robot::srdf::SrdfModel;
use kinetic_robot::{GeometryShape, MeshRef, MeshResolver, Robot, RobotConfig};

use crate::support::{ARM, ARM_TOML, TempFolder, cases};

/// Pieces that mean something to one of the readers.
const PIECES: [&str; 43] = [
    "<",
    ">",
    "/>",
    "</",
    "\"",
    "'",
    "=",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&lt;",
    "&x;",
    "<?",
    "?>",
    "\u{feff}",
    "é",
    "\n",
    "-",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "inf",
    "nan",
    "0 0 0",
    "<link name='upper'/>",
    "<mimic joint='rail'/>",
    "<mimic joint='elbow' multiplier='1e200'/>",
    "type='fixed'",
    "type='prismatic'",
    "type='planar'",
    "type='floating'",
    "type='spherical'",
    "<limit lower='-1e308' upper='1e308'/>",
    "<group name='arm'/>",
    "[",
    "]",
    "{",
    "}",
    "[robot]",
    "[[a]]",
    "= [1, 2]",
];

const SHAPES: &str = "<collision><origin xyz='1 2 3' rpy='1 2 3'/><geometry><box size='1 2 3'/></geometry></collision>
  <visual><geometry><mesh filename='package://a/b.stl' scale='1 1 -1'/></geometry></visual>
  <inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";

const SRDF: &str = "<robot name='tester'><group name='arm'><chain base_link='world' tip_link='tool'/></group>
  <group name='hand'><link name='left'/><joint name='finger_right'/></group>
  <group name='all'><group name='arm'/><group name='hand'/></group>
  <group_state name='home' group='arm'><joint name='elbow' value='1'/></group_state>
  <end_effector name='e' parent_link='tool' group='hand' parent_group='arm'/>
  <disable_collisions link1='left' link2='right' reason='Never'/></robot>";

/// Moves `position` back to the beginning of a character.
fn boundary(text: &str, mut position: usize) -> usize {
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}

/// One to four random edits: cut, repeat, move, insert, replace.
fn damaged(original: &str, rng: &mut SeededRng) -> String {
    let mut text = original.to_owned();
    for _ in 0..=rng.below(4) {
        let start = boundary(&text, rng.below(text.len() + 1));
        let longest = if rng.below(4) == 0 { 200 } else { 12 };
        let length = rng.below(longest);
        let end = boundary(&text, (start + length).min(text.len())).max(start);
        let part = text[start..end].to_owned();
        let piece = PIECES[rng.below(PIECES.len())];
        match rng.below(5) {
            0 => text.replace_range(start..end, ""),
            1 => text.insert_str(start, &part),
            2 => {
                text.replace_range(start..end, "");
                let place = boundary(&text, rng.below(text.len() + 1));
                text.insert_str(place, &part);
            }
            3 => text.insert_str(start, piece),
            _ => text.replace_range(start..end, piece),
        }
    }
    text
}

/// Everything that can be asked of a robot gives finite answers.
fn exercise(robot: &Robot, seed: u64) {
    let mut rng = SeededRng::new(seed);
    for group in &robot.groups {
        let context = format!("seed {seed}, group {}", group.name);
        let q = robot.random_configuration(group, &mut rng);
        robot.check_limits(group, &q, 0.0).unwrap_or_else(|error| panic!("{context}: {error}"));
        let full = robot.full_configuration(group, &q).unwrap();
        // Of equal lengths the group's order is meant, and a configuration file may have listed its joints in another.
        if group.dof() < full.len() || group.variables.is_sorted() {
            assert_eq!(robot.group_configuration(group, &full).unwrap(), q, "{context}");
        }
        robot.check_limits(group, &robot.neutral_configuration(), 0.0).unwrap();
        robot.check_limits(group, &robot.mid_configuration(group), 0.0).unwrap();
        let limits = robot.limits(group);
        limits.check().unwrap_or_else(|error| panic!("{context}: {error}"));
    }
    for joint in &robot.joints {
        joint.parent_from_joint.check_finite(&joint.name).unwrap();
        assert!(joint.parent < joint.child);
    }
}

#[test]
fn damaged_urdf_gives_errors_or_sound_robots() {
    let original = ARM.replace("<link name=\"upper\"/>", &format!("<link name=\"upper\">{SHAPES}</link>"));
    let mut accepted = 0;
    for seed in 0..cases(10_000) {
        let text = damaged(&original, &mut SeededRng::new(seed));
        match Robot::from_urdf_string(&text) {
            Ok(robot) => {
                accepted += 1;
                exercise(&robot, seed);
            }
            Err(error) => assert!(error.is_input_error(), "seed {seed}: {error}"),
        }
    }
    // The damage is neither always fatal nor never.
    assert!(accepted > 100 && accepted < cases(9_000), "{accepted}");
}

const MJCF: &str = "<mujoco><compiler angle='radian' eulerseq='xYz' boundmass='0.1' boundinertia='1e-3'/>
  <default><joint range='-1 1'/><geom density='10'/><default class='c'><joint axis='1 0 0' ref='0.2'/></default></default>
  <asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 1 2 3 0 3 2' refpos='1 0 0'/></asset>
  <worldbody><geom type='plane' size='1 1 1'/><body name='a' pos='1 0 0' euler='1 2 3'><freejoint name='f'/>
  <geom size='0.1'/><frame zaxis='1 0 0'><body name='b' childclass='c'><joint name='j' pos='0 1 0'/><joint type='ball'/>
  <geom type='mesh' mesh='m'/><geom type='capsule' size='0.1' fromto='0 0 0 1 0 0'/><inertial mass='1' pos='0 0 0'
  fullinertia='1 2 3 0.1 0.1 0.1'/></body></frame></body><replicate count='3' offset='1 0 0' euler='0 0 1'><body name='r'
  xyaxes='1 0 0 0 1 0'><joint name='k' type='slide' actuatorfrcrange='-5 5'/><geom type='ellipsoid' size='1 2 3'/></body>
  </replicate></worldbody><equality><joint joint1='k0' joint2='j' polycoef='0 1 0 0 0'/></equality>
  <contact><exclude body1='a' body2='r'/></contact><keyframe><key name='home' qpos='0 0 0 1 0 0 0 0 1 0 0 0 0 0 0'/>
  </keyframe></mujoco>";

#[test]
fn damaged_mjcf_gives_errors_or_sound_robots() {
    let mut accepted = 0;
    for seed in 0..cases(5_000) {
        let text = damaged(MJCF, &mut SeededRng::new(seed));
        match Robot::from_mjcf_string(&text) {
            Ok(robot) => {
                accepted += 1;
                exercise(&robot, seed);
            }
            Err(error) => assert!(error.is_input_error(), "seed {seed}: {error}"),
        }
    }
    assert!(accepted > 100 && accepted < cases(4_500), "{accepted}");
}

#[test]
fn damaged_srdf_gives_errors_or_sound_robots() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    for seed in 0..cases(5_000) {
        let text = damaged(SRDF, &mut SeededRng::new(seed));
        let mut changed = robot.clone();
        match SrdfModel::from_string(&text).and_then(|model| model.apply_to_robot(&mut changed)) {
            Ok(()) => assert!(changed.groups.iter().all(|group| !group.joints.is_empty()), "seed {seed}"),
            Err(error) => assert_eq!((error.code(), &changed), ("SrdfParse", &robot), "seed {seed}"),
        }
    }
}

#[test]
fn damaged_configurations_give_errors_or_sound_robots() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    for seed in 0..cases(5_000) {
        let text = damaged(ARM_TOML, &mut SeededRng::new(seed));
        let mut changed = robot.clone();
        match RobotConfig::from_string(&text).and_then(|config| config.apply_to_robot(&mut changed)) {
            Ok(()) => exercise(&changed, seed),
            Err(error) => assert_eq!(error.code(), "FileParse", "seed {seed}: {error}"),
        }
    }
}

#[test]
fn damaged_meshes_give_errors_or_sound_meshes() {
    let folder = TempFolder::new();
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\ng a\nf 1 2 3\nf 1/1/1 2/1/1 3/1/1\nf -1 -2 -3\n";
    let resolver = std::sync::Arc::new(MeshResolver { base_dir: Some(folder.0.clone()), package_dirs: vec![] });
    for seed in 0..cases(1_000) {
        for (name, original) in [("a.stl", stl), ("a.obj", obj)] {
            folder.write(name, damaged(original, &mut SeededRng::new(seed)));
            let mesh = MeshRef { uri: name.into(), scale: [1.0; 3].into(), resolver: resolver.clone() };
            match mesh.load() {
                Ok(mesh) => {
                    assert!(mesh.triangles.iter().flatten().all(|index| (*index as usize) < mesh.vertices.len()));
                }
                Err(error) => assert_eq!(error.code(), "FileParse", "seed {seed}: {error}"),
            }
        }
    }
}

#[test]
fn shapes_of_an_accepted_robot_are_shapes() {
    let text = ARM.replace("<link name=\"upper\"/>", &format!("<link name=\"upper\">{SHAPES}</link>"));
    let robot = Robot::from_urdf_string(&text).unwrap();
    assert!(matches!(robot.links[1].collisions[0].shape, GeometryShape::Shape(_)));
    assert!(matches!(robot.links[1].visuals[0].shape, GeometryShape::Mesh(_)));
}
