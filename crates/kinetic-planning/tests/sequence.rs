//! Sequences: joints to the last bit, what is proven, and the choice of starts against brute force over all branches.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, Goal, KineticError, Pose, Shape, StopFlag};
use kinetic_ik::{CartesianPath, IKConfig, MoveFrame, solve_ik_branches};
use kinetic_planning::{CartesianConfig, Planner, SequenceItem, SequenceOutcome, SequenceResult};
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use kinetic_trajectory::time_law;

use crate::cases;

const UR5E: [f64; 6] = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1];
const HOME: [f64; 6] = [0.0, -1.57, 0.0, -1.57, 0.0, 0.0];

fn planner(name: &str) -> Planner {
    Planner::new(&Arc::new(Robot::from_name(name).unwrap())).unwrap()
}

/// A planner among balls around the robot.
fn among_balls(name: &str, seed: u64) -> Planner {
    let robot = Arc::new(Robot::from_name(name).unwrap());
    let (mut scene, mut rng) = (Scene::new(&robot).unwrap(), SeededRng::new(seed));
    for index in 0..6 {
        let [x, y, z] = [(); 3].map(|()| rng.uniform(-0.7, 0.7));
        if x.hypot(y) > 0.35 {
            scene.add(&format!("ball {index}"), Shape::sphere(0.06).unwrap(), Pose::from_xyz(x, y, z + 0.5)).unwrap();
        }
    }
    Planner::in_scene(scene).unwrap()
}

fn by(x: f64, y: f64, z: f64) -> CartesianPath {
    CartesianPath::new().move_by(Pose::from_xyz(x, y, z), MoveFrame::Base)
}

/// What holds for every sequence that was planned.
fn check(planner: &Planner, start: &[f64], items: &[SequenceItem], planned: &SequenceResult) {
    let (whole, boundaries) = (&planned.trajectory, planned.boundaries());
    assert_eq!((planned.parts.len(), boundaries.len()), (items.len(), items.len() + 1));
    assert!(boundaries.windows(2).all(|pair| pair[0] < pair[1]), "{boundaries:?}");
    assert_eq!((boundaries[0], boundaries[items.len()]), (0.0, whole.duration()));
    assert_eq!(whole.curve().sample(0.0, 0), start);
    let certificate = whole.certificate().unwrap();
    assert!(certificate.is_of(whole.curve()) && certificate.max_velocity_ratio <= 1.0 + 1e-9);
    for time in &boundaries {
        assert!(whole.curve().sample(*time, 1).iter().all(|speed| speed.abs() < 1e-6), "not at rest at {time}");
    }
    for (item, part) in items.iter().zip(&planned.parts) {
        let own = part.trajectory.certificate().unwrap();
        assert!(own.is_of(part.trajectory.curve()));
        match &part.outcome {
            SequenceOutcome::Cartesian(result) => {
                assert!(!item.is_free_for_tests() && result.fraction == 1.0 && result.stop.is_none());
                let tool = own.tool.unwrap();
                assert!(tool.max_deviation <= tool.position_tolerance && tool.max_angle <= tool.orientation_tolerance);
                assert!(tool.speed_limit.is_none_or(|limit| tool.max_speed <= limit));
            }
            SequenceOutcome::Free { .. } => assert!(item.is_free_for_tests() && own.tool.is_none()),
        }
        for step in 0..=20 {
            let part_time = part.trajectory.duration() * f64::from(step) / 20.0;
            let (alone, inside) =
                (part.trajectory.curve().sample(part_time, 0), whole.curve().sample(part.begin + part_time, 0));
            let off = alone.iter().zip(&inside).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-9, "{off}");
            assert!(!planner.is_in_collision(&inside).unwrap());
        }
    }
}

trait Kind {
    fn is_free_for_tests(&self) -> bool;
}

impl Kind for SequenceItem {
    fn is_free_for_tests(&self) -> bool {
        matches!(self.motion, kinetic_planning::SequenceMotion::Free(_))
    }
}

#[test]
fn items_follow_each_other_at_rest_under_their_own_scalings() {
    let planner = planner("ur5e");
    let above = planner.fk(&UR5E).unwrap();
    let slow = CartesianConfig { max_tool_speed: Some(0.05), ..CartesianConfig::default() };
    let items = [
        SequenceItem::free(Goal::pose(above)),
        SequenceItem::cartesian_with(by(0.0, 0.0, -0.1), slow),
        SequenceItem::cartesian(by(0.0, 0.0, 0.1)).scaled(0.2, 0.5),
        SequenceItem::free(Goal::named("home")).scaled(0.5, 1.0),
    ];
    let planned = planner.plan_sequence(&HOME, &items).unwrap();
    check(&planner, &HOME, &items, &planned);
    let tool = planned.parts[1].trajectory.certificate().unwrap().tool.unwrap();
    assert!(tool.speed_limit == Some(0.05) && tool.max_speed <= 0.05 && tool.max_speed > 0.04, "{tool:?}");
    // The largest speed of a joint in samples, as a part of the robot's own limit.
    let limits = planner.scene().robot().limits(planner.group());
    let share = |index: usize| {
        let curve = planned.parts[index].trajectory.curve();
        let samples = (0..=2000).map(|step| curve.sample(curve.duration() * f64::from(step) / 2000.0, 1));
        let most =
            samples.map(|v| v.iter().zip(&limits.velocity).map(|(v, limit)| v.abs() / limit).fold(0.0, f64::max));
        most.fold(0.0, f64::max)
    };
    assert!(share(0) <= 1.0 && share(2) <= 0.2 + 1e-9 && share(3) <= 0.5 + 1e-9);
    assert!(share(3) > 0.45, "{}", share(3));
    let again = planner.plan_sequence(&HOME, &items).unwrap();
    assert_eq!(again.trajectory, planned.trajectory);
}

/// Whether a line can be followed from any of the configurations of a pose: brute force over all branches and turns of ±2π.
fn from_any_branch(planner: &Planner, pose: &Pose, line: &CartesianPath) -> bool {
    let config = IKConfig { num_restarts: 64, ..IKConfig::for_robot(planner.scene().robot()) };
    let Ok(branches) = solve_ik_branches(None, planner.chain(), pose, &config) else { return false };
    branches.iter().any(|branch| {
        let bounds = planner.chain().bounds();
        let turned = (0..branch.joints.len()).flat_map(|joint| {
            [-std::f64::consts::TAU, std::f64::consts::TAU].map(|turn| {
                let mut q = branch.joints.0.clone();
                q[joint] += turn;
                q
            })
        });
        let inside = |q: &Vec<f64>| q.iter().zip(bounds).all(|(value, (low, high))| value >= low && value <= high);
        std::iter::once(branch.joints.0.clone()).chain(turned.filter(inside)).any(|q| {
            let result = planner.plan_cartesian(&q, line, &CartesianConfig::default());
            result.is_ok_and(|result| result.stop.is_none())
        })
    })
}

#[test]
fn a_start_is_found_wherever_one_exists() {
    for (name, seed) in [("ur5e", 5), ("xarm6", 6), ("abb_irb1200", 7)] {
        let planner = among_balls(name, seed);
        let mut rng = SeededRng::new(seed);
        let start = loop {
            let q = planner.scene().robot().random_configuration(planner.group(), &mut rng).0;
            if !planner.is_in_collision(&q).unwrap() {
                break q;
            }
        };
        let (mut found, mut naive, mut left) = (0, 0, cases(5, 200));
        while left > 0 {
            let q = planner.scene().robot().random_configuration(planner.group(), &mut rng).0;
            if planner.is_in_collision(&q).unwrap() {
                continue;
            }
            left -= 1;
            let (pose, [x, y, z]) = (planner.fk(&q).unwrap(), [(); 3].map(|()| rng.uniform(-0.2, 0.2)));
            let line = by(x, y, z);
            let items = [SequenceItem::free(Goal::pose(pose)), SequenceItem::cartesian(line.clone())];
            let first = planner.plan(&start, &Goal::pose(pose));
            let follows = |q: &[f64]| {
                let result = planner.plan_cartesian(q, &line, &CartesianConfig::default());
                result.is_ok_and(|result| result.stop.is_none())
            };
            naive += u32::from(first.is_ok_and(|first| follows(first.end())));
            match planner.plan_sequence(&start, &items) {
                Ok(planned) => {
                    check(&planner, &start, &items, &planned);
                    found += 1;
                }
                Err(KineticError::SequenceItemFailed { item: 1, items: 2, tried, reason }) => {
                    assert!(
                        matches!(*reason, KineticError::CartesianPathIncomplete { .. }),
                        "{name} seed {seed}: {reason}"
                    );
                    assert!(tried >= 1);
                    assert!(!from_any_branch(&planner, &pose, &line), "{name} seed {seed}: {q:?} {line:?}");
                }
                Err(KineticError::SequenceItemFailed { item: 0, reason, .. })
                    if matches!(*reason, KineticError::PlanningTimeout { .. }) => {}
                Err(error) => panic!("{name} seed {seed}: {error}"),
            }
        }
        assert!(found >= naive, "{name} seed {seed}");
        assert!(found > 0, "{name} seed {seed}");
    }
}

#[test]
fn failures_name_the_item_and_why() {
    let planner = planner("ur5e");
    let above = planner.fk(&UR5E).unwrap();
    let failed = |items: &[SequenceItem]| planner.plan_sequence(&HOME, items).unwrap_err();
    let free = SequenceItem::free(Goal::pose(above));
    match failed(&[
        free.clone(),
        SequenceItem::cartesian(by(0.0, 0.0, -0.05)),
        SequenceItem::cartesian(by(3.0, 0.0, 0.0)),
    ]) {
        KineticError::SequenceItemFailed { item: 2, items: 3, tried, reason } => {
            let KineticError::CartesianPathIncomplete { fraction, at, move_index: 0, .. } = *reason else {
                panic!("{reason}")
            };
            assert!(tried > 1 && fraction > 0.0 && fraction < 1.0 && at > 0.0, "{tried} {fraction} {at}");
        }
        error => panic!("{error}"),
    }
    match failed(&[free.clone(), SequenceItem::free(Goal::pose(Pose::from_xyz(3.0, 0.0, 0.0)))]) {
        KineticError::SequenceItemFailed { item: 1, items: 2, tried: 1, reason } => {
            assert!(matches!(*reason, KineticError::GoalUnreachable { .. }), "{reason}");
        }
        error => panic!("{error}"),
    }
    match failed(&[SequenceItem::free(Goal::joints([9.0; 6]))]) {
        KineticError::SequenceItemFailed { item: 0, reason, .. } => {
            assert!(matches!(*reason, KineticError::JointLimitViolation { .. }), "{reason}");
        }
        error => panic!("{error}"),
    }
    let input = |items: &[SequenceItem], texts: [&str; 2]| {
        let error = failed(items);
        assert!(matches!(error, KineticError::InvalidValue { .. } | KineticError::DimensionMismatch { .. }), "{error}");
        assert!(texts.iter().all(|text| error.to_string().contains(text)), "{error}");
    };
    input(&[], ["items", "at least one"]);
    input(&[free.clone(), SequenceItem::free(Goal::joints([0.0; 3]))], ["item 1", "3 values"]);
    input(&[free.clone(), free.clone().scaled(0.0, 1.0)], ["item 1", "velocity_scaling"]);
    input(&[free.clone().scaled(1.0, f64::NAN)], ["item 0", "acceleration_scaling"]);
    input(&[free.clone(), SequenceItem::cartesian(CartesianPath::new())], ["item 1", "no moves"]);
    input(&[free.clone(), SequenceItem::cartesian(above.into())], ["item 1", "length of move 0"]);
    let broken = CartesianConfig { max_step: 0.0, ..CartesianConfig::default() };
    input(&[free.clone(), SequenceItem::cartesian_with(by(0.1, 0.0, 0.0), broken)], ["item 1", "max_step"]);
    let held = CartesianConfig { constant_speed: Some(0.1), ..CartesianConfig::default() };
    let items = [free.clone(), SequenceItem::cartesian_with(by(0.0, 0.0, -0.1), held)];
    let law = time_law("trapezoidal").unwrap();
    let error = planner.plan_sequence_with(&HOME, &items, law, &Control::default()).unwrap_err();
    assert!(error.to_string().contains("item 1") && error.to_string().contains("constant_speed"), "{error}");
    assert!(planner.plan_sequence(&HOME[..5], &items).is_err());
    let stop = StopFlag::default();
    stop.stop();
    let law = time_law("totp").unwrap();
    let stopped = planner.plan_sequence_with(&HOME, &items, law, &planner.control(stop));
    assert!(matches!(stopped, Err(KineticError::Cancelled { .. })), "{stopped:?}");
}

#[test]
fn a_budget_that_is_used_up_names_the_item() {
    let planner = planner("ur5e");
    let above = planner.fk(&UR5E).unwrap();
    let items = [SequenceItem::free(Goal::pose(above)), SequenceItem::cartesian(by(0.0, 0.0, -0.1))];
    let clock = Arc::new(kinetic_core::control::ManualClock::with_step(1_000_000));
    let law = time_law("totp").unwrap();
    let mut outcomes = [0; 2];
    for milliseconds in [1.0, 5.0, 20.0, 60.0, 200.0, 1e6] {
        let control = Control::new(clock.clone(), 1e-3 * milliseconds, u64::MAX, StopFlag::default());
        match planner.plan_sequence_with(&HOME, &items, law, &control) {
            Ok(planned) => {
                check(&planner, &HOME, &items, &planned);
                outcomes[1] += 1;
            }
            Err(KineticError::SequenceItemFailed { item: 0 | 1, items: 2, reason, .. }) => {
                assert!(matches!(*reason, KineticError::PlanningTimeout { .. }), "{reason}");
                outcomes[0] += 1;
            }
            Err(KineticError::PlanningTimeout { .. }) => outcomes[0] += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(outcomes[0] > 0 && outcomes[1] > 0, "{outcomes:?}");
}

#[test]
fn approaches_and_retreats_are_lines_along_a_direction() {
    let planner = planner("ur5e");
    let grasp = planner.fk(&UR5E).unwrap();
    for frame in [MoveFrame::Base, MoveFrame::Tool] {
        let direction = nalgebra::Vector3::new(0.0, -0.5, 2.0) * if frame == MoveFrame::Base { -1.0 } else { 1.0 };
        let (begin, approach) = CartesianPath::approach(&grasp, &direction, 0.08, &frame).unwrap();
        let retreat = CartesianPath::retreat(&-direction, 0.08, frame.clone()).unwrap();
        let items = [
            SequenceItem::free(Goal::pose(begin)),
            SequenceItem::cartesian(approach),
            SequenceItem::cartesian(retreat),
        ];
        let planned = planner.plan_sequence(&HOME, &items).unwrap();
        check(&planner, &HOME, &items, &planned);
        let tool = |time: f64| planner.fk(&planned.trajectory.curve().sample(time, 0)).unwrap();
        let [_, before, at, after] = planned.boundaries()[..] else { panic!() };
        let unit = direction.normalize();
        let wanted = if frame == MoveFrame::Tool { grasp.rotation() * unit } else { unit };
        let gone = tool(at).translation() - tool(before).translation();
        assert!((gone - wanted * 0.08).norm() < 1e-6, "{frame:?}: {gone}");
        assert!((tool(at).translation() - grasp.translation()).norm() < 1e-6);
        assert!(tool(at).rotation().angle_to(&grasp.rotation()) < 1e-6);
        assert!((tool(after).translation() - tool(before).translation()).norm() < 1e-6, "{frame:?}");
    }
    let refused = |direction: [f64; 3], distance: f64, text: &str| {
        let direction = nalgebra::Vector3::from(direction);
        let approach = CartesianPath::approach(&grasp, &direction, distance, &MoveFrame::Base).unwrap_err();
        let retreat = CartesianPath::retreat(&direction, distance, MoveFrame::Base).unwrap_err();
        assert!(approach.to_string().contains(text) && retreat.to_string().contains(text), "{approach}");
    };
    refused([0.0; 3], 0.1, "direction of the");
    refused([f64::NAN, 0.0, 1.0], 0.1, "direction of the");
    for distance in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        refused([0.0, 0.0, 1.0], distance, "distance of the");
    }
    let named = MoveFrame::Named("tool0".to_owned());
    let error = CartesianPath::approach(&grasp, &nalgebra::Vector3::z(), 0.1, &named).unwrap_err();
    assert!(error.to_string().contains("tool0"), "{error}");
}

#[test]
fn a_blend_goes_by_the_end_of_an_item_inside_its_radius_and_moves_there() {
    let planner = planner("ur5e");
    let items = [
        SequenceItem::cartesian(by(0.0, 0.0, -0.1)).blended(0.03),
        SequenceItem::cartesian(by(0.0, -0.12, 0.0)).scaled(0.5, 0.5).blended(0.02),
        SequenceItem::free(Goal::named("home")),
    ];
    let stopping: Vec<SequenceItem> = items.iter().map(|item| item.clone().blended(0.0)).collect();
    let whole = planner.plan_sequence(&UR5E, &items).unwrap();
    assert!(whole.trajectory.duration() < planner.plan_sequence(&UR5E, &stopping).unwrap().trajectory.duration());
    assert!(whole.trajectory.certificate().is_some_and(|certificate| certificate.is_of(whole.trajectory.curve())));
    for part in &whole.parts[..2] {
        let blend = part.blend.as_ref().unwrap();
        assert!(blend.radius == blend.asked || blend.reason.is_some(), "{blend:?}");
        assert!(blend.radius > 0.0, "{blend:?}");
        let end = planner.fk(&part.trajectory.curve().sample(part.trajectory.duration(), 0)).unwrap();
        let there = planner.fk(&whole.trajectory.curve().sample(part.end, 0)).unwrap();
        assert!(there.translation_distance(&end) <= blend.radius);
        assert!(whole.trajectory.curve().sample(part.end, 1).iter().any(|speed| speed.abs() > 1e-3), "it moves");
    }
    assert_eq!(whole.parts[2].blend, None);
}

#[test]
fn radii_that_make_no_sense_name_their_items() {
    let planner = planner("ur5e");
    let (down, across, up) = (by(0.0, 0.0, -0.1), by(0.0, -0.1, 0.0), by(0.0, 0.0, 0.1));
    let item = |path: &CartesianPath, radius: f64| SequenceItem::cartesian(path.clone()).blended(radius);
    let cases = [
        (vec![item(&down, 0.0), item(&across, 0.01)], "item 1"),
        (vec![item(&down, 0.06), item(&across, 0.06), item(&up, 0.0)], "items 0 and 1"),
        (vec![item(&down, 0.15), item(&across, 0.0)], "item 0"),
        (vec![item(&down, f64::NAN), item(&across, 0.0)], "item 0"),
    ];
    for (items, named) in cases {
        let error = planner.plan_sequence(&UR5E, &items).unwrap_err();
        assert!(matches!(&error, KineticError::InvalidValue { .. }) && error.to_string().contains(named), "{error}");
    }
}
