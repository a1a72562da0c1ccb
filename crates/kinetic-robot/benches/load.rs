//! How long it takes to read a robot, without meshes: `cargo bench -p kinetic-robot`.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_robot::Robot;

/// The URDF of the built-in Panda, of 11 links.
const PANDA: &str = include_str!("../../../robot_configs/franka_panda/robot.urdf");

/// A chain of 1000 links with a shape each.
fn chain() -> String {
    let mut text = String::from("<robot name='chain'><link name='l0'/>");
    for index in 1..1000 {
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

fn load(criterion: &mut Criterion) {
    let chain = chain();
    for (name, text) in [("franka_panda", PANDA), ("chain_of_1000", &chain)] {
        criterion.bench_function(&format!("load/urdf/{name}"), |bencher| {
            bencher.iter(|| Robot::from_urdf_string(black_box(text)));
        });
    }
}

criterion_group!(benches, load);
criterion_main!(benches);
