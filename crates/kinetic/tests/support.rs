//! Scenes and independent checks for the tests.

use std::sync::Arc;

use kinetic::prelude::*;

pub(crate) fn robot(name: &str) -> Arc<Robot> {
    Arc::new(Robot::from_name(name).unwrap())
}

/// A UR5e on a table, with a shelf in front and a pillar beside it.
pub(crate) fn workcell() -> Scene {
    let mut scene = Scene::new(&robot("ur5e")).unwrap();
    let mut cuboid = |name: &str, half: [f64; 3], at: [f64; 3]| {
        let shape = Shape::cuboid(half[0], half[1], half[2]).unwrap();
        scene.add(name, shape, Pose::from_xyz(at[0], at[1], at[2])).unwrap();
    };
    cuboid("table", [0.8, 0.8, 0.02], [0.2, 0.0, -0.06]);
    cuboid("shelf_board", [0.15, 0.4, 0.01], [0.65, 0.0, 0.45]);
    cuboid("shelf_side", [0.15, 0.01, 0.3], [0.65, 0.4, 0.25]);
    let pillar = Shape::cylinder(0.06, 0.5).unwrap();
    scene.add("pillar", pillar, Pose::from_xyz(0.25, -0.45, 0.46)).unwrap();
    scene
}

/// The workcell with walls on all sides of a configuration that only hand and wrist meet.
pub(crate) fn walled(goal: &[f64; 6]) -> Scene {
    let mut scene = workcell();
    let tool = Planner::in_scene(scene.clone()).unwrap().fk(goal).unwrap().translation();
    for (index, (axis, side)) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)].into_iter().enumerate() {
        let mut half = Vector3::new(0.3, 0.3, 1.0);
        half[axis] = 0.005;
        let mut at = tool;
        at[axis] += side * 0.3;
        let shape = Shape::cuboid(half.x, half.y, half.z).unwrap();
        scene.add(&format!("wall{index}"), shape, Pose::from(at)).unwrap();
        for link in ["forearm_link", "upper_arm_link"] {
            scene.allow_collision(&format!("wall{index}"), link).unwrap();
        }
    }
    scene
}

/// Largest step between configurations of a dense walk, rad: PLN-04 asks for 0.1°.
const STEP: f64 = 1.7e-3;

/// Walks along a path in small steps and asks the scene, configuration by configuration, for contacts within `margin`
/// with the world.
pub(crate) fn assert_dense_free(scene: &Scene, group: &str, path: &Trajectory, margin: f64) {
    let mut checker = scene.checker(group, Margins::new(margin, 0.0)).unwrap();
    for (from, to) in path.segments() {
        let largest = from.iter().zip(to).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let steps = (largest / STEP).ceil().max(1.0);
        let mut step = 0.0;
        while step <= steps {
            let t = step / steps;
            step += 1.0;
            let q: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + t * (b - a)).collect();
            assert!(checker.is_free(&q), "{:?} at {q:?}", checker.clearance(&q));
        }
    }
}

/// Positions inside limits; velocities and accelerations from finite differences of positions at 1 kHz inside theirs.
pub(crate) fn assert_limits_by_differences(robot: &Robot, group: &str, trajectory: &TimedTrajectory) {
    let group = robot.group(group).unwrap();
    let limits = robot.limits(group);
    let (step, duration) = (1e-3, trajectory.duration());
    let at = |t: f64| trajectory.sample_at(t).positions;
    // Differences of second order across a corner of the acceleration stay below the limit; rounding adds 1e-16 / h².
    let slack = 1.0 + 1e-6;
    let mut t = step;
    while t + step < duration {
        let (before, here, after) = (at(t - step), at(t), at(t + step));
        robot.check_limits(group, &here, 1e-9).unwrap();
        for joint in 0..group.dof() {
            let velocity = (after[joint] - before[joint]) / (2.0 * step);
            let acceleration = (after[joint] - 2.0 * here[joint] + before[joint]) / (step * step);
            assert!(velocity.abs() <= limits.velocity[joint] * slack, "joint {joint}: {velocity} rad/s at {t}");
            assert!(acceleration.abs() <= limits.acceleration[joint] * slack, "joint {joint}: {acceleration} at {t}");
        }
        t += step;
    }
}
