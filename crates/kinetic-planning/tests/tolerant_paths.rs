//! Cartesian plans along paths that leave something free, judged by the definition of the tolerance at dense samples.

use std::f64::consts::PI;
use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, PlannerConfig, Pose};
use kinetic_ik::{CartesianPath, PathTolerance};
use kinetic_planning::{CartesianConfig, CartesianResult, Planner};
use kinetic_robot::Robot;
use nalgebra::{Isometry3, Rotation3, UnitQuaternion, Vector3};

use super::cases;

/// A planner with time to spare on a machine that does other work.
fn planner_of(name: &str) -> Planner {
    let planner = Planner::new(&Arc::new(Robot::from_name(name).unwrap())).unwrap();
    let config = PlannerConfig { timeout: 60.0, ..planner.config().clone() };
    planner.with_config(config).unwrap()
}

/// How far a pose is outside of a tolerance: distance from the box, and angles outside of cone and turn.
fn outside(tolerance: &PathTolerance, target_from_tool: &Pose) -> [f64; 2] {
    let away = (target_from_tool.translation().abs() - tolerance.position).map(|excess| excess.max(0.0)).norm();
    let (axis, rotation) = (tolerance.axis.normalize(), target_from_tool.rotation());
    let leaning = rotation * axis;
    let swing = Rotation3::rotation_between(&axis, &leaning).unwrap();
    let twist = UnitQuaternion::from_rotation_matrix(&swing).inverse() * rotation;
    if tolerance.angle == 0.0 && tolerance.cone == 0.0 {
        return [away, rotation.angle()];
    }
    let beyond_cone = (leaning.angle(&axis) - tolerance.cone).max(0.0);
    [away, beyond_cone + (twist.angle() - tolerance.angle).max(0.0)]
}

fn random_vector(rng: &mut SeededRng) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0))
}

fn random_tolerance(rng: &mut SeededRng, kind: u64) -> PathTolerance {
    let (axis, position) = (random_vector(rng), random_vector(rng).abs() * 0.01);
    match kind % 4 {
        0 => PathTolerance::free_turn(axis),
        1 => PathTolerance { axis, angle: PI, cone: rng.uniform(0.05, 0.4), ..PathTolerance::default() },
        2 => PathTolerance { axis, angle: rng.uniform(0.1, 1.5), cone: rng.uniform(0.0, 0.3), position },
        _ => PathTolerance { position, ..PathTolerance::default() },
    }
}

/// A start without collision and a line.
fn line(planner: &Planner, rng: &mut SeededRng) -> (Vec<f64>, Pose, Pose) {
    let bounds = planner.chain().bounds().to_vec();
    loop {
        let draw = |(low, high): &(f64, f64)| rng.uniform(low.max(-PI), high.min(PI));
        let start: Vec<f64> = bounds.iter().map(draw).collect();
        if planner.is_in_collision(&start).is_ok_and(|collides| !collides) {
            let begin = planner.chain().tip_pose(&start);
            let turn = UnitQuaternion::from_scaled_axis(random_vector(rng) * 0.3);
            let to = begin.translation() + random_vector(rng) * 0.2;
            return (start, begin, Pose(Isometry3::from_parts(to.into(), begin.rotation() * turn)));
        }
    }
}

fn check(
    planner: &Planner,
    result: &CartesianResult,
    tolerance: &PathTolerance,
    [begin, goal]: [&Pose; 2],
    case: &str,
) {
    let motion = result.trajectory.as_ref().unwrap();
    let by = goal.translation() - begin.translation();
    let turn = (begin.rotation().inverse() * goal.rotation()).scaled_axis();
    for step in 0..=300 {
        let time = motion.duration() * f64::from(step) / 300.0;
        let part = result.arc_length_at(time) / result.length;
        let rotation = begin.rotation() * UnitQuaternion::from_scaled_axis(turn * part);
        let target = Pose(Isometry3::from_parts((begin.translation() + by * part).into(), rotation));
        let off = outside(tolerance, &(target.inverse() * planner.chain().tip_pose(&motion.curve().sample(time, 0))));
        assert!(off[0] <= 1e-4 + 1e-6 && off[1] <= 1e-3 + 1e-5, "{case}: {off:?} at {time}");
    }
}

#[test]
fn the_tool_stays_in_the_tolerance_at_every_instant_and_gets_farther() {
    let (mut whole, mut whole_strict) = (0, 0);
    for name in ["ur5e", "xarm6", "franka_panda"] {
        let planner = planner_of(name);
        for seed in 0..cases(8, 100) {
            let mut rng = SeededRng::new(seed);
            let tolerance = random_tolerance(&mut rng, seed);
            let (start, begin, goal) = line(&planner, &mut rng);
            let config = CartesianConfig { path_tolerance: Some(tolerance), ..CartesianConfig::default() };
            let path = CartesianPath::from(goal);
            let result = planner.plan_cartesian(&start, &path, &config).unwrap();
            check(&planner, &result, &tolerance, [&begin, &goal], &format!("{name}, seed {seed}"));
            let certificate = result.trajectory.as_ref().unwrap().certificate();
            if let Some(tool) = certificate.and_then(|certificate| certificate.tool) {
                assert_eq!(tool.freedom.map(|freedom| freedom.cone), Some(tolerance.cone));
                assert!(tool.max_deviation <= 1e-4 && tool.max_angle <= 1e-3, "{name}, seed {seed}");
            }
            let strict = planner.plan_cartesian(&start, &path, &CartesianConfig::default()).unwrap();
            whole += u32::from(result.stop.is_none());
            whole_strict += u32::from(strict.stop.is_none());
        }
    }
    assert!(whole > whole_strict, "{whole} with tolerances, {whole_strict} without");
}

#[test]
fn tolerances_outside_their_domain_are_refused() {
    let planner = planner_of("ur5e");
    let path = CartesianPath::from(Pose::from_xyz(0.4, 0.1, 0.4));
    let tolerance = PathTolerance { cone: 2.0, ..PathTolerance::default() };
    let config = CartesianConfig { path_tolerance: Some(tolerance), ..CartesianConfig::default() };
    let error = planner.plan_cartesian(&[0.3, -1.2, 1.6, -2.0, -1.5, 0.1], &path, &config).unwrap_err();
    assert!(matches!(&error, KineticError::InvalidValue { name, .. } if name == "cone of tolerance"), "{error}");
}
