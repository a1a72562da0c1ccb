//! Proofs about motions: nothing thin is missed, nothing free is refused without cause.

use kinetic_core::rng::SeededRng;
use kinetic_core::{PiecewisePolynomial, Pose, Shape};
use kinetic_scene::{Margins, Scene};

use crate::cases;
use crate::support::{ball_arm, boxes, built_in, random_configuration, with_boxes};

fn at(from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(a, b)| a + t * (b - a)).collect()
}

#[test]
fn a_thin_plate_between_two_free_ends_is_never_missed() {
    let robot = ball_arm();
    for seed in 0..cases(2_000, 1_000_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let from = random_configuration(&robot, &mut rng);
        let mut to = from.clone();
        to[0] = rng.uniform(-3.0, 3.0);
        // A plate of 0.1 mm, upright through the z axis, at an angle that the arm sweeps through.
        let angle = from[0] + rng.uniform(0.05, 0.95) * (to[0] - from[0]);
        let pose = Pose::from_xyz_rpy(f64::cos(angle), f64::sin(angle), 0.1, 0.0, 0.0, angle);
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("plate", Shape::cuboid(0.99, 5e-5, 2.0).unwrap(), pose).unwrap();
        let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
        assert!(!checker.is_motion_free(&from, &to), "seed {seed}");
        let (t, pair) = checker.first_contact(&from, &to).unwrap();
        assert!((0.0..=1.0).contains(&t), "seed {seed}");
        assert_eq!(pair.other, "plate", "seed {seed}");
    }
}

#[test]
fn a_proven_motion_is_free_at_dense_samples_and_a_refused_one_is_not_far_from_contact() {
    for (name, seeds) in [("ur5e", cases(60, 5_000)), ("franka_panda", cases(60, 5_000))] {
        let robot = built_in(name);
        let (mut proven, mut refused) = (0, 0);
        for seed in 0..seeds as u64 {
            let mut rng = SeededRng::new(seed);
            let scene = with_boxes(&robot, &boxes(&mut rng, 6));
            let mut checker = scene.checker("arm", Margins::new(0.01, 0.0)).unwrap();
            let from = random_configuration(&robot, &mut rng);
            let to = at(&from, &random_configuration(&robot, &mut rng), 0.3);
            let is_proven = checker.is_motion_free(&from, &to);
            let samples = 300;
            let least = (0..=samples)
                .map(|i| checker.clearance(&at(&from, &to, f64::from(i) / f64::from(samples))))
                .map(|clearance| clearance.distance - clearance.margin)
                .fold(f64::INFINITY, f64::min);
            if is_proven {
                proven += 1;
                assert!(least > 0.0, "{name}, seed {seed}: a sample of a proven motion misses its margin by {least}");
            } else {
                refused += 1;
                // Between samples the arm (reach below 1.5 m, at most 2 rad over 300 samples) moves by millimetres.
                assert!(least < 0.02, "{name}, seed {seed}: refused, but {least} m clear everywhere");
            }
        }
        assert!(proven > 3 && refused > 3, "{name}: {proven} proven, {refused} refused");
    }
}

#[test]
fn the_first_contact_is_where_the_formula_puts_it() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    // The tip ball (1.1 m out, 3 cm) turns about z towards a wall in the plane y = 0.5.
    scene.add("wall", Shape::half_space(-nalgebra::Vector3::y(), -0.5).unwrap(), Pose::identity()).unwrap();
    let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
    let (t, pair) = checker.first_contact(&[0.0; 3], &[1.0, 0.0, 0.0]).unwrap();
    let expected = f64::asin(0.47 / 1.1);
    assert!((t - expected).abs() < 1e-4, "{t} instead of {expected}");
    assert_eq!((pair.link.as_str(), pair.other.as_str()), ("tip", "wall"));
    assert_eq!(checker.first_contact(&[0.0; 3], &[expected - 1e-3, 0.0, 0.0]), None);
}

#[test]
fn self_collision_inside_a_motion_is_found() {
    let robot = ball_arm();
    let scene = Scene::new(&robot).unwrap();
    let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
    // Folding by j2 brings the tip back over the upper arm; both ends are free.
    let (from, to) = ([0.0, 2.0, 0.0], [0.0, -2.0, 0.0]);
    assert!(checker.is_motion_free(&from, &to));
    let (from, to) = ([0.0, 2.95, 1.5], [0.0, 2.95, -1.5]);
    assert!(checker.is_free(&from) == checker.is_free(&to));
    assert_eq!(checker.is_motion_free(&from, &to), checker.first_contact(&from, &to).is_none());
}

#[test]
fn a_curve_is_proven_like_the_segment_it_runs_along() {
    let robot = built_in("ur5e");
    for seed in 0..cases(60, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let scene = with_boxes(&robot, &boxes(&mut rng, 6));
        let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
        let from = random_configuration(&robot, &mut rng);
        let to = at(&from, &random_configuration(&robot, &mut rng), 0.3);
        // s(t) = 3t² − 2t³: the same points in another time.
        let coefficients =
            from.iter().zip(&to).map(|(a, b)| [*a, 0.0, 3.0 * (b - a), -2.0 * (b - a), 0.0, 0.0]).collect();
        let curve = PiecewisePolynomial::new(6, vec![0.0, 1.0], coefficients).unwrap();
        let free = checker.is_motion_free(&from, &to);
        assert_eq!(checker.curve_contact(&curve).is_none(), free, "seed {seed}");
        let found = checker.closest_approaches(&curve, 1e-4);
        assert_eq!(found.tightest().excess() >= 0.0, free, "seed {seed}: {found:?}");
        // Without objects the tightest pair is one of the robot's own.
        let mut alone = Scene::new(scene.robot()).unwrap().checker("arm", Margins::ZERO).unwrap();
        for (checker, least) in [(&mut checker, found.tightest()), (&mut alone, &found.own)] {
            let sampled = (0..=500)
                .map(|i| checker.clearance(&curve.sample(f64::from(i) / 500.0, 0)))
                .map(|clearance| clearance.distance - clearance.margin)
                .fold(f64::INFINITY, f64::min);
            assert!(least.excess() <= sampled + 1e-4 + 1e-9, "seed {seed}: {least:?}, sampled {sampled}");
            let there = checker.clearance(&curve.sample(least.time, 0));
            assert!((there.distance - least.distance).abs() < 1e-9, "seed {seed}: {there:?}, {least:?}");
        }
    }
}

/// Pieces are looked at several together: none of them may be left out, whatever their number.
#[test]
fn a_thin_plate_in_any_piece_of_a_curve_is_found_in_that_piece() {
    let robot = ball_arm();
    for pieces in (1..=20).chain([33]) {
        // The first joint turns from −1 to 1 at an even speed, in pieces of uneven duration.
        let times: Vec<f64> = (0..=pieces).map(|knot| (f64::from(knot) / f64::from(pieces)).powi(2)).collect();
        let row = |time: &f64| [[2.0 * time - 1.0, 2.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6], [0.0; 6]];
        let rows = times[..times.len() - 1].iter().flat_map(row).collect();
        let curve = PiecewisePolynomial::new(3, times.clone(), rows).unwrap();
        let count = curve.pieces();
        for met in 0..count {
            let time = 0.3 * times[met] + 0.7 * times[met + 1];
            let angle = 2.0 * time - 1.0;
            let pose = Pose::from_xyz_rpy(1.1 * f64::cos(angle), 1.1 * f64::sin(angle), 0.1, 0.0, 0.0, angle);
            let mut scene = Scene::new(&robot).unwrap();
            scene.add("plate", Shape::cuboid(0.05, 5e-5, 2.0).unwrap(), pose).unwrap();
            let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
            assert!(checker.curve_contact(&curve).is_some(), "piece {met} of {count}");
            let (first, _) = checker.first_curve_contact(&curve).unwrap();
            // The last ball is 3 cm wide and 1.1 m out.
            assert!((first - time).abs() < 0.02, "piece {met} of {count}: {first} instead of {time}");
            let far = |piece: &usize| times[*piece] > time + 0.02 || times[piece + 1] < time - 0.02;
            let others: Vec<usize> = (0..count).filter(far).collect();
            let free = others.iter().all(|piece| checker.pieces_contact(&curve, &[*piece]).is_none());
            assert!(free, "piece {met} of {count}: others are free");
            assert!(
                checker.pieces_contact(&curve, &others).is_none(),
                "piece {met} of {count}: others are free together"
            );
            let mut some: Vec<usize> = others.iter().copied().filter(|piece| piece % 3 != 1).chain([met]).collect();
            some.sort_unstable();
            assert!(checker.pieces_contact(&curve, &some).is_some(), "piece {met} of {count}, with others");
            let found = checker.pieces_contact(&curve, &[met]);
            assert!(found.is_some_and(|(at, _)| (times[met]..=times[met + 1]).contains(&at)), "piece {met} of {count}");
        }
    }
}

/// Paths pulled taut pass closer than the resolution of their proof, which some pass by where their intervals lie. Their
/// timed curves were refused then.
#[test]
fn regression_curves_that_pass_within_the_resolution_of_paths_are_proven() {
    let robot = ball_arm();
    let mut accepted = 0;
    for seed in 0..cases(200, 20_000) as u64 {
        let mut rng = SeededRng::new(seed);
        // The tip ball (1.1 m out, 3 cm) passes a wall across the x axis, nearest where the first joint is 0.
        let clearance = 10.0_f64.powf(rng.uniform(-6.3, -4.7));
        let wall = Shape::half_space(-nalgebra::Vector3::x(), -(1.13 + clearance)).unwrap();
        let mut scene = Scene::new(&robot).unwrap();
        scene.add("wall", wall, Pose::identity()).unwrap();
        let mut checker = scene.checker("arm", Margins::ZERO).unwrap();
        let (from, to) = (-rng.uniform(0.01, 1.0), rng.uniform(0.01, 1.0));
        accepted += usize::from(checker.is_motion_free(&[from, 0.0, 0.0], &[to, 0.0, 0.0]));
        let turn = [from, 0.0, 3.0 * (to - from), -2.0 * (to - from), 0.0, 0.0];
        let curve = PiecewisePolynomial::new(3, vec![0.0, 1.0], vec![turn, [0.0; 6], [0.0; 6]]).unwrap();
        assert_eq!(checker.curve_contact(&curve), None, "seed {seed}, {clearance} m");
        assert_eq!(checker.first_curve_contact(&curve), None, "seed {seed}, {clearance} m");
    }
    assert!(accepted > 20, "{accepted}");
}
