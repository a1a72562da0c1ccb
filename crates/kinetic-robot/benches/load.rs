//! How long it takes to read a robot, without meshes: `cargo bench -p kinetic-robot`.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::Result;
use kinetic_robot::Robot;

/// The URDF of the built-in Panda, of 11 links.
const PANDA: &str = include_str!("../../../robot_configs/franka_panda/robot.urdf");

/// A chain of links with a shape each.
fn urdf(count: usize) -> String {
    let mut text = String::from("<robot name='chain'><link name='l0'/>");
    for index in 1..count {
        let before = index - 1;
        let _ = write!(
            text,
            "<link name='l{index}'><inertial><mass value='1'/>
             <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>
             <collision><geometry><box size='1 1 1'/></geometry></collision></link>
             <joint name='j{index}' type='revolute'><parent link='l{before}'/><child link='l{index}'/>
             <origin xyz='0 0 1'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"
        );
    }
    text + "</robot>"
}

/// The same chain for MuJoCo.
fn mjcf(count: usize) -> String {
    let mut text = String::from("<mujoco model='chain'><worldbody><body name='l0'>");
    for index in 1..count {
        let _ = write!(
            text,
            "<body name='l{index}' pos='0 0 1'><joint name='j{index}' axis='0 1 0' range='-57 57'/>
             <inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='box' size='0.5 0.5 0.5'/>"
        );
    }
    text + &"</body>".repeat(count) + "</worldbody></mujoco>"
}

/// The same chain for Gazebo.
fn sdf(count: usize) -> String {
    let mut text = String::from("<sdf version='1.9'><model name='chain'><link name='l0'/>");
    for index in 1..count {
        let before = index - 1;
        let _ = write!(
            text,
            "<link name='l{index}'><pose>0 0 {index} 0 0 0</pose><inertial><mass>1</mass></inertial>
             <collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link>
             <joint name='j{index}' type='revolute'><parent>l{before}</parent><child>l{index}</child>
             <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"
        );
    }
    text + "</model></sdf>"
}

type Reader = fn(&str) -> Result<Robot>;

fn load(criterion: &mut Criterion) {
    let urdf_reader: Reader = Robot::from_urdf_string;
    let cases: [(&str, String, Reader); 5] = [
        ("urdf/franka_panda", PANDA.to_owned(), urdf_reader),
        ("urdf/chain_of_1000", urdf(1_000), urdf_reader),
        ("urdf/chain_of_8", urdf(8), urdf_reader),
        ("mjcf/chain_of_8", mjcf(8), |text| Robot::from_mjcf_string(text)),
        ("sdf/chain_of_8", sdf(8), |text| Robot::from_sdf_string(text)),
    ];
    for (name, text, read) in cases {
        // A text that is refused is read in no time.
        assert!(read(&text).is_ok(), "{name}");
        criterion.bench_function(&format!("load/{name}"), |bencher| bencher.iter(|| read(black_box(&text))));
    }
}

criterion_group!(benches, load);
criterion_main!(benches);
