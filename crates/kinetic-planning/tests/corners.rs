//! Corners that a time law rounds: what of them touches is not driven.

use std::sync::Arc;

use kinetic_core::{Control, Goal, PlannerConfig, Pose, Result, Shape, Trajectory};
use kinetic_planning::{Algorithm, LIMIT_TOLERANCE, Plan, Planner, PlannerSpec, Problem, Validity};
use kinetic_scene::Scene;
use kinetic_trajectory::{TimingOptions, time_parameterize};

use crate::{cases, slides};

/// Radius of the ball that moves, and what it keeps from the wall, m.
const BALL: f64 = 0.002;
const MARGIN: f64 = 0.001;
/// Half extents of the wall, which stands on the x axis, m.
const WALL: [f64; 3] = [0.001, 0.5, 1.0];

fn planner(seed: u64) -> Planner {
    let mut scene = Scene::new(&Arc::new(slides::robot(1.0, BALL).unwrap())).unwrap();
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

/// Along the limit of the first joint, at which wide corners swing out.
const ALONG_A_LIMIT: [[f64; 2]; 4] = [[-0.99, 0.04], [-1.97, -0.51], [-2.0, -0.51], [-2.0, -0.42]];

struct AlongALimit;

impl Algorithm for AlongALimit {
    fn plan(&mut self, _: &Problem<'_>, validity: &mut dyn Validity, _: &Control) -> Result<Plan> {
        let (path, checks) = (Trajectory::from_waypoints(&ALONG_A_LIMIT)?, validity.checks());
        Ok(Plan { path, goal_index: 0, iterations: 1, tree_size: 4, checks, planner_used: "along", lower_bound: None })
    }
}

static ALONG: PlannerSpec = PlannerSpec {
    id: "along",
    summary: "along a limit",
    source: "",
    is_anytime: false,
    is_complete: false,
    may_be_simplified: false,
    build: &|_| Ok(Box::new(AlongALimit)),
};

/// Regression 44: corners that left a joint range made the plan fail. Regression 54: motions left it by up to 1e-5.
#[test]
fn a_corner_that_would_leave_a_joint_range_is_cut_less() {
    let planner = Planner::new(&Arc::new(slides::robot(2.0, BALL).unwrap())).unwrap().with_algorithm(&ALONG);
    let (start, goal) = (ALONG_A_LIMIT[0], Goal::joints(ALONG_A_LIMIT[3]));
    let path = Trajectory::from_waypoints(&ALONG_A_LIMIT).unwrap();
    let limits = planner.scene().robot().limits(planner.group());
    let least = |curve: &kinetic_core::PiecewisePolynomial| {
        let at = |sample: i32| curve.sample(curve.duration() * f64::from(sample) / 20_000.0, 0)[0];
        (0..=20_000).map(at).fold(f64::INFINITY, f64::min)
    };
    let mut outside = 0;
    for law in ["totp", "trapezoidal", "jerk_limited", "cubic_spline"] {
        let blind = time_parameterize(&path, law, &limits, &TimingOptions::default(), &mut |_| true).unwrap();
        outside += u32::from(least(blind.curve()) < -2.0 - 2.0 * LIMIT_TOLERANCE);
        let planned = planner.plan_timed(&start, &goal, law).unwrap();
        assert!(least(planned.trajectory.curve()) >= -2.0 - 1e-9, "{law}");
    }
    assert!(outside > 0, "no corner leaves the range: the test says nothing");
}
