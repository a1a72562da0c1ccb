//! Distances as tasks: derivatives against finite differences, and solutions that keep them.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pair, Pose, Shape};
use kinetic_ik::tasks::{Model, Rows, State, Task};
use kinetic_scene::{Avoidance, AvoidingIk, ClearanceTask, PairClass, Rank, Scene};

use crate::cases;
use crate::support::{built_in, random_configuration, with_boxes};

const STEP: f64 = 1e-6;
/// Second derivatives of distances reach some ten per metre: what the step leaves of them.
const TOLERANCE: f64 = 1e-3;

/// Errors and Jacobian of a task.
fn evaluate(task: &ClearanceTask, model: &Model, q: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (rows, columns) = (task.num_rows(), model.num_columns());
    let (mut error, mut jacobian, mut scratch) = (vec![0.0; rows], vec![0.0; rows * columns], vec![0.0; 12 * columns]);
    let state = State::new(model, q, &Pose::identity());
    task.evaluate(&state, &mut Rows { error: &mut error, jacobian: &mut jacobian, columns, scratch: &mut scratch });
    (error, jacobian)
}

#[test]
fn the_jacobian_of_a_clearance_task_is_what_finite_differences_say() {
    let robot = built_in("franka_panda");
    let group = &robot.groups[robot.default_group];
    let model = Model::new(&robot, &group.variables).unwrap();
    let mut compared = 0;
    for seed in 0..cases(40, 3_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let scene = with_boxes(&robot, &crate::support::boxes(&mut rng, 3));
        let avoidance = Avoidance { distance: 0.2, band: 0.1, ..Avoidance::default() };
        let task = ClearanceTask::new(&scene, &avoidance).unwrap();
        let q = robot.full_configuration(group, &random_configuration(&robot, &mut rng)).unwrap();
        let (error, jacobian) = evaluate(&task, &model, &q);
        for (column, variable) in group.variables.iter().enumerate() {
            let at = |step: f64| {
                let mut moved = q.clone();
                moved[*variable] += step;
                evaluate(&task, &model, &moved).0
            };
            let (before, after) = (at(-STEP), at(STEP));
            for row in 0..task.num_rows() {
                let slopes = [(error[row] - before[row]) / STEP, (after[row] - error[row]) / STEP];
                // Deep inside each other the nearest way out jumps; where a row begins or changes its obstacle is a kink.
                let is_smooth = (slopes[0] - slopes[1]).abs() < TOLERANCE && error[row] > 0.0 && error[row] < 0.3;
                if is_smooth {
                    let found = -jacobian[row * model.num_columns() + column];
                    let slope = f64::midpoint(slopes[0], slopes[1]);
                    assert!(
                        (found - slope).abs() < TOLERANCE,
                        "seed {seed} row {row} column {column}: {found}, {slope}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

/// A Panda beside a post that stands where its forearm would be.
fn beside_a_post() -> Scene {
    let mut scene = Scene::new(&built_in("franka_panda")).unwrap();
    scene.add("post", Shape::cylinder(0.06, 0.6).unwrap(), Pose::from_xyz(0.35, 0.12, 0.6)).unwrap();
    scene
}

fn tool(scene: &Scene, q: &[f64]) -> Pose {
    let group = &scene.robot().groups[scene.robot().default_group];
    let poses = scene.link_poses(q).unwrap();
    poses[group.base_link].inverse() * poses[group.tip_link] * group.tip_from_tcp
}

/// Pairs of links that a tool-side half and a base-side half of the arm make.
fn far_pairs(scene: &Scene) -> Vec<Pair> {
    let robot = scene.robot();
    let name = |link: usize| robot.links[link].name.as_str();
    let checked = scene.geometry().pairs().iter().filter(|pair| pair.class == PairClass::Checked);
    checked
        .filter(|pair| pair.links.1 - pair.links.0 > 4)
        .map(|pair| Pair::new(name(pair.links.0), name(pair.links.1)))
        .collect()
}

/// Whether objects, and the links of some pairs, are at least `distance` apart, by the list of all distances.
fn keeps(scene: &Scene, pairs: &[Pair], q: &[f64], distance: f64) -> bool {
    let is_meant = |pair: &Pair| {
        let reversed = Pair::new(&pair.other, &pair.link);
        pair.other == "post" || pairs.contains(pair) || pairs.contains(&reversed)
    };
    scene.contacts(q, 1.0).unwrap().iter().all(|contact| contact.distance >= distance || !is_meant(&contact.pair))
}

#[test]
fn solutions_reach_the_pose_and_keep_the_distance_from_world_and_robot() {
    let scene = beside_a_post();
    let pairs = far_pairs(&scene);
    assert!(pairs.len() > 5);
    let robot = scene.robot().clone();
    let (mut plain, mut solved, mut moved) = (0, 0, 0);
    let count = cases(30, 1_000);
    for seed in 0..count as u64 {
        let mut rng = SeededRng::new(seed);
        // A pose that is reachable with the distance kept, asked for from another configuration.
        let goals = (0..1_000).map(|_| random_configuration(&robot, &mut rng));
        let goal = goals.into_iter().find(|goal| keeps(&scene, &pairs, goal, 0.06)).unwrap();
        let (target, start) = (tool(&scene, &goal), random_configuration(&robot, &mut rng));
        let avoidance = Avoidance { distance: 0.05, pairs: Some(pairs.clone()), ..Avoidance::default() };
        let options = AvoidingIk { avoidance, ..AvoidingIk::default() };
        let solution = scene.inverse_kinematics(&target, &start, &options).unwrap();
        let ignoring = Avoidance { world: false, pairs: Some(Vec::new()), ..Avoidance::default() };
        let careless = AvoidingIk { avoidance: ignoring, ..options };
        let careless = scene.inverse_kinematics(&target, &start, &careless).unwrap();
        let short = |q: &[f64]| robot.group_configuration(&robot.groups[robot.default_group], q).unwrap().0;
        let is_lucky = careless.converged && keeps(&scene, &pairs, &short(&careless.q), 0.05);
        plain += usize::from(is_lucky);
        if solution.converged {
            let q = short(&solution.q);
            assert!(keeps(&scene, &pairs, &q, 0.05 - 1e-9), "seed {seed}: {:?}", scene.contacts(&q, 0.1));
            let reached = tool(&scene, &q);
            assert!((reached.translation() - target.translation()).norm() < 1.01e-4, "seed {seed}");
            assert!(reached.rotation_distance(&target) < 1.01e-3, "seed {seed}");
            (solved, moved) = (solved + 1, moved + usize::from(!is_lucky));
        }
    }
    assert!(solved * 10 >= count * 8 && moved > 0, "{solved} solved, {plain} by luck, {moved} moved");
}

#[test]
fn chosen_pairs_alone_are_kept_apart_and_in_the_null_space_the_pose_stays() {
    let scene = beside_a_post();
    let robot = scene.robot().clone();
    let group = &robot.groups[robot.default_group];
    let forearm = robot.links[group.tip_link - 4].name.clone();
    let mut kept = 0;
    for seed in 0..cases(20, 500) as u64 {
        let mut rng = SeededRng::new(seed);
        let start = random_configuration(&robot, &mut rng);
        let avoidance =
            Avoidance { distance: 0.1, world: false, pairs: Some(vec![Pair::new(&forearm, "post")]), band: 0.01 };
        let options = AvoidingIk { avoidance, rank: Rank::NullSpace, ..AvoidingIk::default() };
        let target = tool(&scene, &start);
        let solution = scene.inverse_kinematics(&target, &start, &options).unwrap();
        // The pose came first, and was reached at the start: it is never given up.
        let short = robot.group_configuration(group, &solution.q).unwrap().0;
        assert!((tool(&scene, &short).translation() - target.translation()).norm() < 1.01e-4, "seed {seed}");
        if solution.converged {
            let contacts = scene.contacts(&short, 1.0).unwrap();
            let found = contacts.iter().find(|c| c.pair.link == forearm && c.pair.other == "post");
            assert!(found.is_none_or(|contact| contact.distance >= 0.1 - 1e-9), "seed {seed}: {found:?}");
            kept += 1;
        }
    }
    assert!(kept > 10, "{kept}");
}

#[test]
fn impossible_avoidances_are_refused() {
    let scene = beside_a_post();
    let refused = |avoidance: Avoidance| ClearanceTask::new(&scene, &avoidance).unwrap_err();
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            refused(Avoidance { distance: bad, ..Avoidance::default() }),
            KineticError::InvalidValue { .. }
        ));
        assert!(matches!(refused(Avoidance { band: bad, ..Avoidance::default() }), KineticError::InvalidValue { .. }));
    }
    let of_pair = |a: &str, b: &str| Avoidance { pairs: Some(vec![Pair::new(a, b)]), ..Avoidance::default() };
    let link = scene.robot().links[scene.robot().groups[scene.robot().default_group].tip_link - 2].name.clone();
    assert!(matches!(refused(of_pair(&link, "pole")), KineticError::ObjectNotFound { .. }));
    assert!(matches!(refused(of_pair(&link, &link)), KineticError::InvalidValue { .. }));
    assert!(matches!(refused(of_pair("post", "post")), KineticError::InvalidValue { .. }));
}
