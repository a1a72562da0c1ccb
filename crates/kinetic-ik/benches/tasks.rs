//! What one iteration of the hierarchy, one pose and one pose with a posture below it cost.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench may panic")]

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Pose};
use kinetic_ik::tasks::{
    BatchOptions, FrameOn, Model, PoseTask, Posture, TaskOptions, TaskProblem, batch_inverse_kinematics,
};
use kinetic_kinematics::{KinematicChain, robot_link_poses};
use kinetic_robot::Robot;

fn tasks(bench: &mut Criterion) {
    for name in ["ur5e", "franka_panda"] {
        let robot = Robot::from_name(name).unwrap();
        let group = &robot.groups[robot.default_group];
        let chain = KinematicChain::from_group(&robot, group).unwrap();
        let mut rng = SeededRng::new(1);
        let targets: Vec<Pose> =
            (0..100).map(|_| chain.tip_pose(&robot.random_configuration(group, &mut rng))).collect();
        let start = robot.neutral_configuration();
        let mut options = BatchOptions::from_configuration(start.clone());
        options.solver.attempts = 20;
        options.threads = Some(1);
        bench.bench_function(&format!("tasks/{name}/batch_of_100"), |b| {
            b.iter(|| batch_inverse_kinematics(&robot, group, &targets, &options, &Control::default()).unwrap());
        });
        let root_from_base = robot_link_poses(&robot, &start).unwrap()[group.base_link];
        let frame = FrameOn { link: group.tip_link, link_from_frame: group.tip_from_tcp };
        let mut problem = TaskProblem::new(Model::new(&robot, &group.variables).unwrap());
        problem.add(PoseTask::new("tool", frame, root_from_base * targets[0]), 0, 1.0).unwrap();
        let target = robot.mid_configuration(group).0;
        let joints = group.variables.clone();
        problem.add(Posture { name: "rest".to_owned(), joints, target, threshold: None }, 1, 1.0).unwrap();
        bench.bench_function(&format!("tasks/{name}/pose_and_posture"), |b| {
            b.iter(|| problem.solve(&start, &Pose::identity(), &TaskOptions::default()).unwrap());
        });
    }
}

criterion_group!(benches, tasks);
criterion_main!(benches);
