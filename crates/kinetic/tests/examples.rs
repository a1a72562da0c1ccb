//! Every example of `examples/rust` runs to its end.

/// The example as a module, and a test that runs it.
macro_rules! example {
    ($name:ident, $path:literal) => {
        // Seen from here, the public functions of a program are for nobody else.
        #[allow(unreachable_pub)]
        #[path = $path]
        mod $name;

        #[test]
        fn $name() {
            $name::main().unwrap();
        }
    };
}

example!(kinematics, "../../../examples/rust/01_kinematics.rs");
example!(collision, "../../../examples/rust/02_collision.rs");
example!(plan, "../../../examples/rust/03_plan.rs");
example!(trajectory, "../../../examples/rust/04_trajectory.rs");
example!(own_robot, "../../../examples/rust/05_own_robot.rs");
example!(pick, "../../../examples/rust/06_pick.rs");
example!(branches, "../../../examples/rust/07_branches.rs");
example!(tasks, "../../../examples/rust/08_tasks.rs");
example!(time_laws, "../../../examples/rust/09_time_laws.rs");
example!(online, "../../../examples/rust/10_online.rs");
example!(failure, "../../../examples/rust/11_failure.rs");
example!(replay, "../../../examples/rust/12_replay.rs");
example!(execution, "../../../examples/rust/13_execution.rs");
example!(torque_control, "../../../examples/rust/14_torque_control.rs");
example!(torques, "../../../examples/rust/15_torques.rs");
example!(replanning, "../../../examples/rust/16_replanning.rs");
example!(cartesian, "../../../examples/rust/17_cartesian.rs");
example!(two_arms, "../../../examples/rust/18_two_arms.rs");
example!(servo, "../../../examples/rust/19_servo.rs");
example!(policies, "../../../examples/rust/20_policies.rs");
example!(action_chunks, "../../../examples/rust/21_action_chunks.rs");
