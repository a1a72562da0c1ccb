//! Corners that a time law rounds: what of them touches is not driven.

use std::sync::Arc;

use kinetic_core::{Goal, PlannerConfig, Pose, Shape, Trajectory};
use kinetic_planning::Planner;
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use kinetic_trajectory::{TimingOptions, time_parameterize};

use crate::cases;

/// Radius of the ball that moves, and what it keeps from the wall, m.
const BALL: f64 = 0.002;
const MARGIN: f64 = 0.001;
/// Half extents of the wall, which stands on the x axis, m.
const WALL: [f64; 3] = [0.001, 0.5, 1.0];

/// A ball on two slides.
fn gantry() -> Robot {
    let slide = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/></joint>"
        )
    };
    let ball = format!("<collision><geometry><sphere radius=\"{BALL}\"/></geometry></collision>");
    let urdf = format!(
        "<robot name=\"gantry\"><link name=\"base\"/><link name=\"bridge\"/><link name=\"ball\">{ball}</link>{}{}</robot>",
        slide("x", "base", "bridge", "1 0 0"),
        slide("y", "bridge", "ball", "0 1 0"),
    );
    Robot::from_urdf_string(&urdf).unwrap()
}

fn planner(seed: u64) -> Planner {
    let mut scene = Scene::new(&Arc::new(gantry())).unwrap();
    scene.add("wall", Shape::cuboid(WALL[0], WALL[1], WALL[2]).unwrap(), Pose::identity()).unwrap();
    let config = PlannerConfig { seed, collision_margin: MARGIN, ..PlannerConfig::default() };
    Planner::in_scene(scene).unwrap().with_config(config).unwrap()
}

/// What the ball has to spare, from the definition of a box's distance.
fn spare(q: &[f64]) -> f64 {
    let outside = [q[0].abs() - WALL[0], q[1].abs() - WALL[1]];
    let beyond = outside.map(|part| part.max(0.0));
    beyond[0].hypot(beyond[1]) + outside[0].max(outside[1]).min(0.0) - BALL - MARGIN
}

fn least_spare(curve: &kinetic_core::PiecewisePolynomial) -> f64 {
    let samples = 20_000;
    let at = |sample: i32| curve.sample(curve.duration() * f64::from(sample) / f64::from(samples), 0);
    (0..=samples).map(|sample| spare(&at(sample))).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_corner_that_would_touch_when_it_is_rounded_is_driven_another_way() {
    let mut touching = 0;
    for seed in 0..cases(30, 1_000) {
        let planner = planner(seed);
        let (start, goal) = ([-0.3, 0.3], Goal::joints([0.4, 0.2 + 1e-3 * (seed % 50) as f64]));
        for law in ["totp", "trapezoidal", "jerk_limited", "cubic_spline"] {
            let planned = planner.plan_timed(&start, &goal, law).unwrap();
            let given = least_spare(planned.trajectory.curve());
            assert!(given > -1e-9, "seed {seed}, {law}: {given}");
            assert!(planned.trajectory.certificate().is_some());
            // What comes of the same path where nobody looks.
            let path: &Trajectory = &planned.result.path;
            let limits = planner.scene().robot().limits(planner.group());
            let blind = time_parameterize(path, law, &limits, &TimingOptions::default(), &mut |_| true).unwrap();
            touching += u32::from(least_spare(blind.curve()) < -1e-6);
        }
    }
    assert!(touching >= 20, "of the corners only {touching} would touch: the test says nothing");
}
