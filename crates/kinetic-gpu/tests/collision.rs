//! Slacks and gradients: twin and device against double precision, against each other, and against the exact checker.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Shape};
use kinetic_gpu::{CollisionOptions, CpuCollisionChecker, GpuCollisionChecker};
use kinetic_robot::Robot;
use kinetic_scene::{BatchCollisionChecker, Margins, Scene};

use crate::cases;
use crate::robots::{random_configuration, random_robot};
use crate::support::{device, small_device};
use crate::worlds::{MARGINS, far_balls, least_slack, primitive_scene, random_pose, voxelised};

/// Single precision against double, and device against twin, m.
const TOLERANCE: f64 = 1e-5;
const ROWS: usize = 32;

pub(crate) fn group_of(robot: &Robot) -> String {
    robot.groups[robot.default_group].name.clone()
}

pub(crate) fn rows_of(robot: &Robot, seed: u64, count: usize) -> Vec<f64> {
    let mut rng = SeededRng::new(seed);
    let group = &robot.groups[robot.default_group];
    let mut row = || {
        let full = random_configuration(robot, &mut rng);
        group.variables.iter().map(|variable| full[*variable]).collect::<Vec<_>>()
    };
    (0..count).flat_map(|_| row()).collect()
}

pub(crate) fn twin_of(scene: &Scene) -> CpuCollisionChecker {
    CpuCollisionChecker::new(scene, &group_of(scene.robot()), MARGINS, CollisionOptions::default()).unwrap()
}

pub(crate) fn slacks_of(checker: &mut dyn BatchCollisionChecker, rows: &[f64]) -> Vec<f64> {
    let mut slacks = vec![0.0; rows.len() / checker.dof()];
    checker.slacks_into(rows, &mut slacks).unwrap();
    slacks
}

fn gradients_of(checker: &mut dyn BatchCollisionChecker, rows: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut slacks, mut gradients) = (vec![0.0; rows.len() / checker.dof()], vec![0.0; rows.len()]);
    checker.gradients_into(rows, &mut slacks, &mut gradients).unwrap();
    (slacks, gradients)
}

/// Robots of random shape with primitives around them; those without joints or geometry are of no use.
fn random_scenes(count: u64) -> impl Iterator<Item = (u64, Scene)> {
    (0..count).filter_map(|seed| {
        let robot = random_robot(seed);
        (!robot.groups.is_empty()).then(|| (seed, primitive_scene(&robot, seed)))
    })
}

#[test]
fn the_twin_agrees_with_closed_forms_in_double_precision() {
    let (mut worst, mut compared): (f64, usize) = (0.0, 0);
    for (seed, scene) in random_scenes(cases(40, 400) as u64) {
        let rows = rows_of(scene.robot(), seed, ROWS);
        let exact = scene.checker(&group_of(scene.robot()), MARGINS).unwrap();
        let mut twin = twin_of(&scene);
        let slacks = slacks_of(&mut twin, &rows);
        for (q, slack) in rows.chunks_exact(exact.dof()).zip(&slacks) {
            let wanted = least_slack(exact.model(), q);
            if wanted == f64::INFINITY {
                assert_eq!(*slack, f64::INFINITY, "robot {seed}");
                continue;
            }
            let difference = slack + twin.rounding() - wanted;
            assert!(difference.abs() < TOLERANCE, "robot {seed}: {slack} + {} for {wanted}", twin.rounding());
            assert!(*slack <= wanted, "robot {seed}: the bound {slack} is above {wanted}");
            assert!(wanted.abs() < TOLERANCE || (slack + twin.rounding() > 0.0) == (wanted > 0.0), "robot {seed}");
            (worst, compared) = (worst.max(difference.abs()), compared + 1);
        }
    }
    eprintln!("twin against double precision: {worst:e} m in {compared}");
    assert!(compared > 500);
}

#[test]
fn the_device_agrees_with_the_twin_and_repeats_its_bytes() {
    let Some(device) = device() else { return };
    let (mut worst, mut worst_gradient): (f64, f64) = (0.0, 0.0);
    for (seed, scene) in random_scenes(cases(40, 400) as u64) {
        let rows = rows_of(scene.robot(), seed, ROWS);
        let group = group_of(scene.robot());
        let mut checker =
            GpuCollisionChecker::new(&device, &scene, &group, MARGINS, CollisionOptions::default()).unwrap();
        let (found, gradients) = gradients_of(&mut checker, &rows);
        let (wanted, wanted_gradients) = gradients_of(&mut twin_of(&scene), &rows);
        let dof = checker.dof();
        for (row, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            if *wanted == f64::INFINITY {
                assert_eq!(found, wanted);
                continue;
            }
            assert!((found - wanted).abs() < TOLERANCE, "robot {seed}: {found} for {wanted}");
            assert!(wanted.abs() < TOLERANCE || (*found > 0.0) == (*wanted > 0.0), "robot {seed}");
            worst = worst.max((found - wanted).abs());
            let own = row * dof..(row + 1) * dof;
            let apart = gradients[own.clone()].iter().zip(&wanted_gradients[own]).map(|(a, b)| (a - b).abs());
            worst_gradient = worst_gradient.max(apart.fold(0.0, f64::max));
        }
        let again = gradients_of(&mut checker, &rows);
        assert!(again == (found.clone(), gradients), "robot {seed}: the same bytes again");
        assert_eq!(slacks_of(&mut checker, &rows), found, "robot {seed}: with and without gradients");
    }
    eprintln!("device against twin: {worst:e} m, gradients {worst_gradient:e}");
    assert!(worst_gradient < 1e-3);
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let (mut compared, mut worst): (usize, f64) = (0, 0.0);
    let h = 2e-3;
    for (seed, mut scene) in random_scenes(cases(30, 300) as u64) {
        let mut rng = SeededRng::new(seed);
        scene.add("field", voxelised(seed as usize % 4, &mut rng), random_pose(&mut rng)).unwrap();
        let mut twin = twin_of(&scene);
        let (dof, rows) = (twin.dof(), rows_of(scene.robot(), seed, 8));
        let (slacks, gradients) = gradients_of(&mut twin, &rows);
        for (index, gradient) in gradients.iter().enumerate() {
            let (row, joint) = (index / dof, index % dof);
            let at = |step: f64| {
                let mut q = rows[row * dof..(row + 1) * dof].to_vec();
                q[joint] += step;
                q
            };
            let [b2, b1, a1, a2] = slacks_of(&mut twin, &[at(-2.0 * h), at(-h), at(h), at(2.0 * h)].concat())[..]
            else {
                panic!()
            };
            // Where the differences disagree, the tightest pair or its features change between the points.
            let (narrow, wide) = ((a1 - b1) / (2.0 * h), (a2 - b2) / (4.0 * h));
            let sides = ((a1 - slacks[row]) / h, (slacks[row] - b1) / h);
            if slacks[row].is_finite() && (narrow - wide).abs() < 1e-3 && (sides.0 - sides.1).abs() < 1e-2 {
                worst = worst.max((narrow - gradient).abs());
                compared += 1;
            }
        }
    }
    eprintln!("gradients: {worst:e} in {compared}");
    assert!(compared > 300 && worst < 5e-3, "{worst}, {compared}");
}

#[test]
fn what_is_free_here_is_free_for_the_exact_checker() {
    let mut counts = [0; 3];
    for name in ["ur5e", "franka_panda", "fetch"] {
        let robot = Arc::new(Robot::from_name(name).unwrap());
        let group = group_of(&robot);
        for seed in 0..cases(3, 30) as u64 {
            let mut rng = SeededRng::new(seed);
            let mut scene = Scene::new(&robot).unwrap();
            for index in 0..6 {
                let shape = Shape::cuboid(rng.uniform(0.02, 0.2), 0.1, rng.uniform(0.02, 0.2)).unwrap();
                scene.add(&format!("box {index}"), shape, random_pose(&mut rng)).unwrap();
                scene.add(&format!("field {index}"), voxelised(index % 4, &mut rng), random_pose(&mut rng)).unwrap();
            }
            let options = CollisionOptions::default();
            let mut twin = CpuCollisionChecker::new(&scene, &group, Margins::ZERO, options).unwrap();
            let mut exact = scene.checker(&group, Margins::ZERO).unwrap();
            let rows = rows_of(&robot, seed, 100);
            let mut free = vec![false; 100];
            twin.free_into(&rows, &mut free).unwrap();
            if let Some(device) = device() {
                let mut checker = GpuCollisionChecker::new(&device, &scene, &group, Margins::ZERO, options).unwrap();
                let mut on_device = vec![false; 100];
                checker.free_into(&rows, &mut on_device).unwrap();
                let mut lenient = twin.clearances(&rows).unwrap().into_iter().map(|found| found.slack() > -TOLERANCE);
                assert!(on_device.iter().all(|free| lenient.next() == Some(true) || !free), "{name}, seed {seed}");
            }
            for (free, q) in free.iter().zip(rows.chunks_exact(exact.dof())) {
                let is_free = exact.is_free(q);
                assert!(is_free || !free, "{name}, seed {seed}: {q:?}");
                counts[0] += usize::from(is_free);
                counts[1] += usize::from(*free);
                counts[2] += 1;
            }
            let clearances = twin.clearances(&rows).unwrap();
            assert!(clearances.iter().zip(&free).all(|(clearance, free)| (clearance.slack() > 0.0) == *free));
        }
        eprintln!("{name}: {} exactly free and {} free here of {}", counts[0], counts[1], counts[2]);
    }
    assert!(counts[1] > 0);
}

#[test]
fn grids_are_lower_bounds_of_exact_distances() {
    let robot = random_robot(3);
    for kind in 0..4 {
        let mut rng = SeededRng::new(kind as u64);
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("field", voxelised(kind, &mut rng), Pose::from_xyz(0.1, 0.2, 0.1)).unwrap();
        let mut near = 0;
        let exact = scene.checker(&group_of(&robot), MARGINS).unwrap();
        let rows = rows_of(&robot, 7, 200);
        let slacks = slacks_of(&mut twin_of(&scene), &rows);
        for (q, slack) in rows.chunks_exact(exact.dof()).zip(&slacks) {
            let wanted = least_slack(exact.model(), q);
            assert!(*slack <= wanted, "kind {kind}: {slack} above {wanted}");
            if wanted < 0.02 {
                assert!(*slack > wanted - 1.74 * 0.02, "kind {kind}: {slack} far below {wanted}");
                near += 1;
            }
        }
        assert!(near > 5, "kind {kind}: {near}");
    }
}

#[test]
fn small_limits_and_many_dispatches_change_no_bit() {
    let (Some(device), Some(small)) = (device(), small_device()) else { return };
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let scene = primitive_scene(&robot, 1);
    let group = group_of(&robot);
    let rows = rows_of(&robot, 5, 5000);
    let of = |device| GpuCollisionChecker::new(device, &scene, &group, MARGINS, CollisionOptions::default()).unwrap();
    let (mut whole, mut parts) = (of(&device), of(&small));
    let found = gradients_of(&mut whole, &rows);
    assert!(found == gradients_of(&mut parts, &rows));
    let dof = whole.dof();
    for row in [0, 4095, 4096, 4999] {
        assert_eq!(slacks_of(&mut whole, &rows[row * dof..(row + 1) * dof]), [found.0[row]], "row {row}");
    }
}

/// A change of a scene; the text names a link.
type Edit = fn(&mut Scene, &str);

#[test]
fn an_update_has_the_answers_of_a_new_checker() {
    let robot = random_robot(11);
    let mut scene = primitive_scene(&robot, 2);
    let mut rng = SeededRng::new(4);
    scene.add("mesh", voxelised(3, &mut rng), Pose::from_xyz(0.3, 0.0, 0.2)).unwrap();
    let group = group_of(&robot);
    let rows = rows_of(&robot, 1, ROWS);
    let mut twin = twin_of(&scene);
    let options = CollisionOptions::default();
    let mut on_device =
        device().map(|device| GpuCollisionChecker::new(&device, &scene, &group, MARGINS, options).unwrap());
    assert_eq!(twin.version(), scene.version());
    assert!(!twin.update(&scene).unwrap());
    let carrier = robot.links[robot.links.len() - 1].name.clone();
    let edits: [Edit; 5] = [
        |scene, _| scene.update_pose("mesh", Pose::from_xyz(0.1, -0.1, 0.3)).unwrap(),
        |scene, _| assert!(scene.remove("object 7")),
        |scene, _| scene.add("ball", Shape::sphere(0.1).unwrap(), Pose::from_xyz(0.2, 0.2, 0.2)).unwrap(),
        |scene, link| {
            scene.attach("tool", Shape::cuboid(0.05, 0.02, 0.1).unwrap(), Pose::identity(), link, &[]).unwrap();
        },
        |scene, link| scene.allow_collision(link, "ball").unwrap(),
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        let before = slacks_of(&mut twin, &rows);
        edit(&mut scene, &carrier);
        assert!(twin.update(&scene).unwrap(), "edit {index}");
        assert_eq!(twin.version(), scene.version());
        let after = slacks_of(&mut twin, &rows);
        assert_eq!(after, slacks_of(&mut twin_of(&scene), &rows), "edit {index}");
        assert!(index == 4 || index == 1 || before != after, "edit {index} is seen");
        if let Some(checker) = &mut on_device {
            assert!(checker.update(&scene).unwrap());
            let mut anew =
                GpuCollisionChecker::new(&checker.device().clone(), &scene, &group, MARGINS, options).unwrap();
            assert_eq!(slacks_of(checker, &rows), slacks_of(&mut anew, &rows), "edit {index}");
        }
    }
}

#[test]
fn a_scene_without_objects_has_self_collision_alone() {
    let robot = Arc::new(Robot::from_name("ur5e").unwrap());
    let scene = Scene::new(&robot).unwrap();
    let rows = rows_of(&robot, 3, 50);
    let mut twin = twin_of(&scene);
    let found = slacks_of(&mut twin, &rows);
    let exact = scene.checker(&group_of(&robot), MARGINS).unwrap();
    let wanted: Vec<f64> = rows.chunks_exact(6).map(|q| least_slack(exact.model(), q)).collect();
    assert!(found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < TOLERANCE));
    let clearances = twin.clearances(&rows).unwrap();
    let link = |name: &str| robot.link_index(name).is_ok();
    assert!(clearances.iter().all(|found| found.pair.as_ref().is_some_and(|p| link(&p.link) && link(&p.other))));
    let Some(device) = device() else { return };
    let options = CollisionOptions::default();
    let mut checker = GpuCollisionChecker::new(&device, &scene, &group_of(&robot), MARGINS, options).unwrap();
    assert!(slacks_of(&mut checker, &rows).iter().zip(&found).all(|(a, b)| (a - b).abs() < TOLERANCE));
    assert_eq!(checker.clearances(&rows[..6]).unwrap()[0].pair, clearances[0].pair);
}

/// Regression 31: llvmpipe ends loops after 65,535 runs, and what was not looked at was reported as free.
#[test]
fn scenes_that_a_driver_cannot_look_at_in_one_thread_are_refused() {
    let Some(device) = device() else { return };
    let robot = Arc::new(Robot::from_name("franka_panda").unwrap());
    let q = [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7];
    for count in [500, 8_000] {
        let mut touched = far_balls(&robot, count);
        touched.add("touched", Shape::sphere(0.3).unwrap(), Pose::from_xyz(0.3, 0.0, 0.5)).unwrap();
        let options = CollisionOptions::default();
        let mut twin = CpuCollisionChecker::new(&touched, &group_of(&robot), Margins::ZERO, options).unwrap();
        let mut checker =
            GpuCollisionChecker::new(&device, &touched, &group_of(&robot), Margins::ZERO, options).unwrap();
        let (mut wanted, mut found) = ([0.0], [0.0]);
        twin.slacks_into(&q, &mut wanted).unwrap();
        match checker.slacks_into(&q, &mut found) {
            Ok(()) => assert!((found[0] - wanted[0]).abs() < 1e-5, "{count}: {found:?} {wanted:?}"),
            Err(error) => {
                assert!(
                    matches!(&error, KineticError::InvalidValue { name, .. } if name == "obstacles of the scene"),
                    "{error}"
                );
                assert!(count > 500 && device.info().is_software(), "{count}: {error}");
            }
        }
    }
}
