//! Structured damage to the files of every reader: no panic, no hang, bounded memory. The full run makes a million
//! damaged inputs per reader.

use std::time::{Duration, Instant};

use kinetic_core::Result;
use kinetic_core::rng::SeededRng;
use kinetic_robot::moveit::MoveItConfig;
use kinetic_robot::srdf::SrdfModel;
use kinetic_robot::{MeshRef, MeshResolver, Robot, RobotConfig, World};

use crate::support::{ARM, ARM_TOML, TempFolder};

/// Inputs per reader in the full run.
const MILLION: u64 = 1_000_000;

/// What one input may hold at once, bytes.
const MOST_MEMORY: u64 = 1 << 30;

/// Inputs that take longer are timed again.
const SLOW: Duration = Duration::from_millis(200);

/// Numbers that readers should survive.
const NUMBERS: [&str; 14] = [
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-320",
    "-0",
    "0",
    "1e16",
    "4294967296",
    "-1",
    "99999999999999999999",
    "",
    "0x1",
];

const FRAMES: &str = include_str!("data/sdf/frames.sdf");
const KINDS: &str = include_str!("data/sdf/kinds.sdf");
const SRDF: &str = "<robot name='tester'><group name='arm'><chain base_link='world' tip_link='tool'/></group>
  <group name='hand'><link name='left'/></group><group name='all'><group name='arm'/><group name='hand'/></group>
  <group_state name='home' group='arm'><joint name='elbow' value='1'/></group_state>
  <end_effector name='e' parent_link='tool' group='hand' parent_group='arm'/>
  <disable_collisions link1='left' link2='right' reason='Never'/></robot>";
const MJCF: &str = "<mujoco model='m'><compiler angle='degree' eulerseq='xyz'/>
  <default><joint damping='1'/><default class='c'><geom type='box' size='.1 .1 .1'/></default></default>
  <worldbody><body name='a' pos='0 0 1' euler='0 90 0' childclass='c'><joint name='j' range='-90 90' axis='0 1 0'/>
  <geom/><body name='b'><freejoint/><geom type='capsule' size='.1' fromto='0 0 0 0 0 1'/></body></body></worldbody>
  <equality><joint joint1='j' polycoef='0 1 0 0 0'/></equality><keyframe><key qpos='0 0 0 0 1 0 0 0'/></keyframe></mujoco>";
const LIMITS: &str = "joint_limits:\n  shoulder:\n    has_velocity_limits: true\n    max_velocity: 1.5\n    min_position: -0.5\n  \
                      elbow: {max_acceleration: 4, has_jerk_limits: yes, max_jerk: '40'}\n  list: [1, 2, {a: b}]\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\ng a\nf 1 2 3\nf 1/1/1 2/1/1 3/1/1\nf -1 -2 -3\n";
const DAE: &str = "<COLLADA><asset><unit meter='0.01'/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id='g'>
  <mesh><source id='p'><float_array id='pa' count='9'>0 0 0 1 0 0 0 1 0</float_array><technique_common>
  <accessor source='#pa' count='3' stride='3'/></technique_common></source><vertices id='v'>
  <input semantic='POSITION' source='#p'/></vertices><triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/>
  <p>0 1 2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node>
  <matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url='#g'/></node></visual_scene>
  </library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>";

/// A binary STL of two triangles.
fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(2_u32.to_le_bytes());
    for value in 0..2 * 12_u8 {
        bytes.extend(f32::from(value).to_le_bytes());
        if value % 12 == 11 {
            bytes.extend([0, 0]);
        }
    }
    bytes
}

/// A glTF container of one triangle.
fn glb() -> Vec<u8> {
    let json = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"scene":0,"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36}]}"#;
    let json = format!("{json:width$}", width = json.len().next_multiple_of(4));
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0_f32]];
    let binary: Vec<u8> = corners.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend((12 + 8 + json.len() as u32 + 8 + 36).to_le_bytes());
    for (kind, content) in [(b"JSON", json.as_bytes()), (b"BIN\0", &binary)] {
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(content);
    }
    bytes
}

/// Ranges of numbers, words and attributes: runs of bytes that mean one thing.
fn words(bytes: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+_:#/".contains(byte);
    let mut words = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes[start..].iter().take_while(|byte| is_word(byte)).count();
        if length > 0 {
            words.push((start, start + length));
        }
        start += length + 1;
    }
    words
}

/// One to three edits of the kinds that find mistakes in readers.
fn damaged(original: &[u8], rng: &mut SeededRng) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=rng.below(3) {
        let place = rng.below(bytes.len() + 1);
        let longest = if rng.below(8) == 0 { 400 } else { 16 };
        let length = rng.below(longest);
        let end = (place + length).min(bytes.len());
        match rng.below(9) {
            0 if place < bytes.len() => bytes[place] ^= 1 << rng.below(8),
            1 => bytes.truncate(place),
            2 => {
                let part = bytes[place..end].to_vec();
                let copies = if rng.below(50) == 0 { 2_000 } else { 1 + rng.below(3) };
                let repeated = part.repeat(copies);
                drop(bytes.splice(place..place, repeated));
            }
            3 => drop(bytes.drain(place..end)),
            // A word becomes a number, or another word of the file.
            kind => {
                let words = words(&bytes);
                if words.is_empty() {
                    continue;
                }
                let (start, end) = words[rng.below(words.len())];
                let (from, to) = words[rng.below(words.len())];
                let other = if kind < 6 {
                    NUMBERS[rng.below(NUMBERS.len())].as_bytes().to_vec()
                } else {
                    bytes[from..to].to_vec()
                };
                drop(bytes.splice(start..end, other));
            }
        }
    }
    bytes
}

/// Damages the corpus in turn and reads; returns how many were accepted, and the longest time.
fn torment(name: &str, corpus: &[&[u8]], slice: u64, mut read: impl FnMut(&[u8]) -> Result<()>) {
    let is_full = std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1");
    let count = if is_full { MILLION } else { slice };
    let (mut accepted, mut longest, mut slowest, mut most) = (0_u64, Duration::ZERO, 0, 0);
    let start = Instant::now();
    for seed in 0..count {
        let input = damaged(corpus[seed as usize % corpus.len()], &mut SeededRng::new(seed));
        let begin = Instant::now();
        let mut result = Ok(());
        let memory = allocation_counter::measure(|| result = read(&input)).bytes_max;
        let mut elapsed = begin.elapsed();
        // On a busy machine a thread may wait for seconds; a slow input is slow again.
        if elapsed > SLOW {
            let again = Instant::now();
            drop(read(&input));
            elapsed = elapsed.min(again.elapsed());
        }
        if elapsed > longest {
            (longest, slowest) = (elapsed, seed);
        }
        most = most.max(memory);
        assert!(memory < MOST_MEMORY, "{name}, seed {seed}: {memory} bytes");
        match result {
            Ok(()) => accepted += 1,
            Err(error) => assert!(!error.to_string().is_empty(), "{name}, seed {seed}"),
        }
    }
    // Shown with --nocapture; times are reported, not asserted.
    #[allow(clippy::print_stdout, reason = "the figures of the full run")]
    {
        let total = start.elapsed();
        println!(
            "{name}: {count} inputs in {total:.1?}, {accepted} accepted, longest {longest:.1?} (seed {slowest}), most {most} bytes"
        );
    }
    assert!(accepted > 0 && accepted < count, "{name}: {accepted} of {count} accepted");
}

/// Readers of text are handed what a file would give them.
fn as_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn urdf_survives_damage() {
    torment("URDF", &[ARM.as_bytes()], 2_000, |bytes| Robot::from_urdf_string(&as_text(bytes)).map(drop));
}

#[test]
fn sdf_survives_damage() {
    let corpus = [FRAMES.as_bytes(), KINDS.as_bytes()];
    torment("SDF", &corpus, 2_000, |bytes| Robot::from_sdf_string(&as_text(bytes)).map(drop));
    torment("SDF world", &corpus, 2_000, |bytes| World::from_sdf_string(&as_text(bytes)).map(drop));
}

#[test]
fn mjcf_survives_damage() {
    torment("MJCF", &[MJCF.as_bytes()], 2_000, |bytes| Robot::from_mjcf_string(&as_text(bytes)).map(drop));
}

#[test]
fn srdf_survives_damage() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    torment("SRDF", &[SRDF.as_bytes()], 2_000, |bytes| {
        SrdfModel::from_string(&as_text(bytes))?.apply_to_robot(&mut robot.clone())
    });
}

#[test]
fn kinetic_toml_survives_damage() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    torment("kinetic.toml", &[ARM_TOML.as_bytes()], 2_000, |bytes| {
        RobotConfig::from_string(&as_text(bytes))?.apply_to_robot(&mut robot.clone())
    });
}

#[test]
fn moveit_yaml_survives_damage() {
    let folder = TempFolder::new();
    let urdf = folder.write("robot.urdf", ARM);
    folder.write("tester.srdf", SRDF);
    let config = MoveItConfig {
        joint_limits: Some(folder.0.join("joint_limits.yaml")),
        ..MoveItConfig::find(&folder.0, urdf).unwrap()
    };
    torment("MoveIt YAML", &[LIMITS.as_bytes()], 200, |bytes| {
        folder.write("joint_limits.yaml", bytes);
        config.import(folder.0.join("out"))?;
        Robot::from_path(folder.0.join("out")).map(drop)
    });
}

#[test]
fn meshes_survive_damage() {
    let folder = TempFolder::new();
    let resolver = std::sync::Arc::new(MeshResolver { base_dir: Some(folder.0.clone()), package_dirs: vec![] });
    for (name, original) in [
        ("a.stl", STL.as_bytes().to_vec()),
        ("b.stl", binary_stl()),
        ("a.obj", OBJ.as_bytes().to_vec()),
        ("a.dae", DAE.as_bytes().to_vec()),
        ("a.glb", glb()),
    ] {
        let mesh = MeshRef { uri: name.into(), scale: [1.0; 3].into(), resolver: resolver.clone() };
        torment(name, &[&original], 300, |bytes| {
            folder.write(name, bytes);
            mesh.load().map(drop)
        });
    }
}

/// Depths and repetitions that a random edit does not find.
#[test]
fn depth_and_repetition_end_in_errors() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(50_000), close.repeat(50_000));
    let nested = deep("<model name='m'>", "</model>");
    assert_eq!(Robot::from_sdf_string(&format!("<sdf version='1.9'>{nested}</sdf>")).unwrap_err().code(), "SdfParse");
    let nested = deep("<body>", "</body>");
    let text = format!("<mujoco><worldbody>{nested}</worldbody></mujoco>");
    assert_eq!(Robot::from_mjcf_string(&text).unwrap_err().code(), "MjcfParse");
    let bomb =
        "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]>";
    for text in [format!("{bomb}<robot name='&c;'/>"), format!("{bomb}<sdf/>"), format!("{bomb}<mujoco/>")] {
        for read in [Robot::from_urdf_string, Robot::from_sdf_string, Robot::from_mjcf_string] {
            let error = read(&text).unwrap_err();
            assert!(error.to_string().contains("DTD"), "{error}");
        }
    }
}
