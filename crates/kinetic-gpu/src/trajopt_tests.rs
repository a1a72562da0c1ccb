//! The cost of the twin, and its gradient, against finite differences.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_robot::Robot;
use kinetic_scene::{Margins, Scene};

use crate::trajopt::{CpuTrajectoryOptimizer, GpuConfig};

/// Three joints, the second of them prismatic, that move one ball; the last follows the first as well. Where there is another ball, the
/// first joint moves it.
fn robot(has_second: bool) -> Arc<Robot> {
    let joint = |name: &str, kind: &str, [from, to]: [&str; 2], axis: &str, rest: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{from}\"/><child link=\"{to}\"/>\
             <origin xyz=\"0.25 0 0.1\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/>{rest}</joint>"
        )
    };
    let ball = |xyz: &str| {
        format!("<collision><origin xyz=\"{xyz}\"/><geometry><sphere radius=\"0.05\"/></geometry></collision>")
    };
    let second = if has_second { ball("0.9 0.1 0.55") } else { String::new() };
    let text = [
        "<robot name=\"r\"><link name=\"a\"/><link name=\"c\"/><link name=\"d\"/>",
        &format!("<link name=\"b\">{second}</link><link name=\"e\">{}</link>", ball("0.2 0 0")),
        &joint("j1", "revolute", ["a", "b"], "0 0 1", ""),
        &joint("j2", "prismatic", ["b", "c"], "0 1 0", ""),
        &joint("j3", "revolute", ["c", "d"], "0 1 0", ""),
        &joint("j4", "revolute", ["d", "e"], "0.6 0 0.8", "<mimic joint=\"j1\" multiplier=\"0.5\" offset=\"0.1\"/>"),
        "</robot>",
    ];
    Arc::new(Robot::from_urdf_string(&text.concat()).unwrap())
}

/// The cost, and the largest error of its gradient, as a part of the largest derivative.
fn worst_part(robot: &Arc<Robot>, radius: f64, seed: u64) -> (f32, f64) {
    let mut scene = Scene::new(robot).unwrap();
    scene.add("ball", Shape::sphere(radius).unwrap(), Pose::from_xyz(0.9, 0.0, 0.2)).unwrap();
    // Dense samples, so that the sum is the integral that the functional gradient is of.
    let options = GpuConfig {
        control_points: 8,
        samples_per_interval: 60,
        clearance: 0.3,
        smoothness_weight: 0.02,
        ..GpuConfig::default()
    };
    let group = robot.groups[robot.default_group].name.clone();
    let twin = CpuTrajectoryOptimizer::new(&scene, &group, Margins::ZERO, &[1.0, 2.0, 0.5], options).unwrap();
    let mut rng = SeededRng::new(seed);
    let (start, goal) = ([-0.8, -0.1, 0.1], [0.9, 0.2, -0.3]);
    let value = |index: usize| start[index % 3] + (goal[index % 3] - start[index % 3]) * (index / 3) as f64 / 9.0;
    let mut initial: Vec<f64> = (0..30).map(value).collect();
    initial[3..27].iter_mut().for_each(|value| *value += rng.uniform(-0.1, 0.1));
    let (cost, gradient) = twin.cost_and_gradient(&initial).unwrap();
    assert!(cost > 0.0);
    let largest = gradient.iter().map(|value| f64::from(value.abs())).fold(0.0, f64::max);
    let part = |index: usize| {
        let moved = |by: f64| {
            let mut other = initial.clone();
            other[index + 3] += by;
            f64::from(twin.cost_and_gradient(&other).unwrap().0)
        };
        let measured = (moved(3e-3) - moved(-3e-3)) / 6e-3;
        (f64::from(gradient[index]) - measured).abs() / largest
    };
    (cost, (0..24).map(part).fold(0.0, f64::max))
}

#[test]
fn the_gradient_is_the_derivative_of_the_cost_with_and_without_obstacles() {
    let (one, two) = (robot(false), robot(true));
    for seed in 0..4 {
        let (smooth, worst) = worst_part(&one, 1e-3, seed);
        assert!(worst < 1e-2, "seed {seed}: {worst}");
        for (robot, radius, costs) in [(&one, 0.3, "the obstacle"), (&two, 1e-3, "the other ball"), (&two, 0.3, "both")]
        {
            let (cost, worst) = worst_part(robot, radius, seed);
            assert!(cost > smooth + 0.01, "seed {seed}: {costs} cost, {smooth} {cost}");
            assert!(worst < 1e-2, "seed {seed}, {costs}: {worst}");
        }
    }
}
