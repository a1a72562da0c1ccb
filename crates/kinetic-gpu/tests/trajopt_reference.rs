//! Costs of trajectory optimisation against double precision: splines by the recursion of Cox and de Boor, speeds by differences.

use std::sync::Arc;

use kinetic_collision_simd::CollisionModel;
use kinetic_core::Control;
use kinetic_core::rng::SeededRng;
use kinetic_gpu::{CpuTrajectoryOptimizer, GpuConfig};
use kinetic_scene::{Margins, Scene};
use nalgebra::{Point3, Vector3};

use crate::cases;
use crate::collision::group_of;
use crate::robots::{chain, random_robot};
use crate::trajopt::{noisy_lines, short, twin_with};
use crate::worlds::{MARGINS, primitive_scene};

/// A uniform cubic B-spline whose ends count three times, at a time from 0 to 1.
fn spline(seed: &[f64], dof: usize, time: f64) -> Vec<f64> {
    let rows = seed.len() / dof;
    let place = time * (rows + 1) as f64;
    let interval = (0..=rows).rev().find(|interval| *interval as f64 <= place).unwrap();
    let row = |offset: usize| &seed[(interval + offset).saturating_sub(2).min(rows - 1) * dof..][..dof];
    let mut points: [Vec<f64>; 4] = std::array::from_fn(|offset| row(offset).to_vec());
    for degree in 1..=3 {
        for index in (degree..=3).rev() {
            // Knots are whole numbers.
            let share = (place - interval as f64 + (3 - index) as f64) / (4 - degree) as f64;
            let before = points[index - 1].clone();
            points[index]
                .iter_mut()
                .zip(before)
                .for_each(|(after, before)| *after = before + share * (*after - before));
        }
    }
    points[3].clone()
}

/// Spheres of a body in the root.
fn placed(model: &CollisionModel, q: &[f64]) -> Vec<Vec<(Point3<f64>, f64)>> {
    let frames = model.program.frame_poses(q);
    let of_body = |body: &kinetic_collision_simd::MovingBody| {
        body.spheres.iter().map(|(c, r)| (Point3::from(frames[body.frame].point(c)), *r)).collect()
    };
    model.bodies.iter().map(of_body).collect()
}

fn hinge(slack: f64, clearance: f64) -> f64 {
    if slack < 0.0 { 0.5 * clearance - slack } else { 0.5 * (clearance - slack).max(0.0).powi(2) / clearance }
}

/// Spheres of a pair: slack, a sphere of a body, and one of another body, or none of an obstacle.
type Witness = (f64, (usize, usize), Option<(usize, usize)>);

/// A placed sphere and its number.
type Numbered<'a> = (usize, &'a (Point3<f64>, f64));

/// The nearest spheres of each pair.
fn witnesses(model: &CollisionModel, bodies: &[Vec<(Point3<f64>, f64)>]) -> Vec<Witness> {
    let nearest = |a: &Witness, b: &Witness| a.0.total_cmp(&b.0);
    let mut found = Vec::new();
    for (index, body) in model.bodies.iter().enumerate() {
        for group in &body.world {
            for (id, _) in model.sets[group.set].shapes() {
                let shape = &model.world[*id as usize].shape;
                let slack = |(sphere, (center, radius)): Numbered<'_>| {
                    (shape.signed_distance(center) - radius - group.margin, (index, sphere), None)
                };
                found.extend(bodies[index].iter().enumerate().map(slack).min_by(nearest));
            }
        }
    }
    for pair in &model.pairs[..model.checked_pairs] {
        let of = |body: usize| bodies[body].iter().enumerate();
        let both = of(pair.a).flat_map(|a| of(pair.b).map(move |b| (a, b)));
        let slack = |((i, (a, ra)), (j, (b, rb))): (Numbered<'_>, Numbered<'_>)| {
            ((a - b).norm() - ra - rb - pair.margin, (pair.a, i), Some((pair.b, j)))
        };
        found.extend(both.map(slack).min_by(nearest));
    }
    found
}

/// Obstacle cost and least slack of the samples.
fn obstacle_cost(model: &CollisionModel, seed: &[f64], dof: usize, options: &GpuConfig) -> (f64, f64) {
    let steps = (options.control_points + 3) * options.samples_per_interval;
    let (mut cost, mut least) = (0.0, options.clearance);
    for sample in 1..steps {
        let time = sample as f64 / steps as f64;
        let at = |time: f64| placed(model, &spline(seed, dof, time));
        let [before, here, after] = [at(time - 1e-6), at(time), at(time + 1e-6)];
        for (slack, (body, sphere), other) in witnesses(model, &here) {
            let place = |bodies: &[Vec<(Point3<f64>, f64)>]| -> Vector3<f64> {
                let other = other.map_or_else(Vector3::zeros, |(body, sphere)| bodies[body][sphere].0.coords);
                bodies[body][sphere].0.coords - other
            };
            let speed = (place(&after) - place(&before)).norm() / 2e-6;
            cost += hinge(slack, options.clearance) * speed / steps as f64;
            least = least.min(slack);
        }
    }
    (cost, least)
}

/// Cost of the accelerations, from its definition: half the weighted squares of second differences of the deviation, taken with rows of
/// zeros around the inner ones.
fn smoothness_cost(seed: &[f64], weights: &[f64], options: &GpuConfig) -> f64 {
    let (dof, steps) = (weights.len(), options.control_points + 1);
    let deviation = |row: usize, joint: usize| {
        let (start, end) = (seed[joint], seed[steps * dof + joint]);
        seed[row * dof + joint] - start - (end - start) * row as f64 / steps as f64
    };
    let bent =
        |row: usize, joint: usize| 2.0 * deviation(row, joint) - deviation(row - 1, joint) - deviation(row + 1, joint);
    let squares = |joint: usize| (1..steps).map(|row| (weights[joint] * bent(row, joint)).powi(2)).sum::<f64>();
    let step = 1.0 / steps as f64;
    0.5 * options.smoothness_weight * step * (0..dof).map(squares).sum::<f64>() / (std::f64::consts::PI * step).powi(4)
}

#[test]
fn the_smoothness_cost_is_that_of_double_precision_and_free_seeds_are_kept() {
    let scene = Scene::new(&Arc::new(chain(4))).unwrap();
    let group = group_of(scene.robot());
    let weights = [1.0, 0.5, 2.0, 0.25];
    let options = short(5);
    let twin = CpuTrajectoryOptimizer::new(&scene, &group, Margins::ZERO, &weights, options).unwrap();
    let seeds = noisy_lines([&[0.1, -0.4, 1.0, 0.0], &[1.4, 0.3, -0.2, 0.8]], options.control_points, 6, 0.8);
    let width = seeds.len() / 6;
    let proposals = twin.optimize(&seeds, &Control::default()).unwrap();
    for (index, (seed, proposal)) in seeds.chunks(width).zip(&proposals).enumerate() {
        let wanted = smoothness_cost(seed, &weights, &options);
        assert!((proposal.cost - wanted).abs() < 1e-5 * wanted + 1e-12, "{index}: {} for {wanted}", proposal.cost);
        assert!((index == 0) == (wanted < 1e-12), "{index}: {wanted}");
        assert!(proposal.is_free() && proposal.iterations == 1, "{index}: {proposal:?}");
        let steps = (options.control_points + 3) * options.samples_per_interval;
        for (sample, q) in proposal.path.chunks(4).enumerate() {
            let wanted = spline(seed, 4, sample as f64 / steps as f64);
            assert!(q.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{index}, {sample}: {q:?} {wanted:?}");
        }
    }
}

#[test]
fn the_obstacle_cost_and_the_least_slack_are_those_of_double_precision() {
    let (mut compared, mut worst) = (0, [0.0_f64; 2]);
    for seed in 0..cases(25, 200) as u64 {
        let robot = random_robot(seed);
        if robot.groups.is_empty() {
            continue;
        }
        let scene = primitive_scene(&robot, seed);
        let exact = scene.checker(&group_of(&robot), MARGINS).unwrap();
        // Next to nothing of the accelerations.
        let options = GpuConfig { smoothness_weight: 1e-6, ..short(1) };
        let mut rng = SeededRng::new(seed);
        let dof = exact.dof();
        let variables = &robot.groups[robot.default_group].variables;
        let limits = |joint: usize| &robot.joint_limits[variables[joint]];
        // Followers narrow the limits of their leaders.
        let mut value = |joint: usize| rng.uniform(-0.28, 0.28).clamp(limits(joint).lower, limits(joint).upper);
        let mut row = || (0..dof).map(&mut value).collect::<Vec<f64>>();
        let (start, goal) = (row(), row());
        let initial = noisy_lines([&start, &goal], options.control_points, 1, 0.0);
        let (cost, least) = obstacle_cost(exact.model(), &initial, dof, &options);
        let proposal = &twin_with(&scene, options).optimize(&initial, &Control::default()).unwrap()[0];
        let (error, slack_error) = ((proposal.cost - cost).abs() / (1e-3 + cost), least - proposal.least_slack);
        assert!(error < 1e-5, "robot {seed}: {} for {cost}", proposal.cost);
        assert!(slack_error > 0.0 && slack_error < 1e-4, "robot {seed}: {} for {least}", proposal.least_slack);
        (worst, compared) = ([worst[0].max(error), worst[1].max(slack_error)], compared + usize::from(cost > 1e-3));
    }
    eprintln!("cost and slack against double precision: {worst:?} in {compared}");
    assert!(compared > 5);
}
