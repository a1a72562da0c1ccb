//! Paths of the tool. Oracles: lines and radii worked out by hand, and one-sided differences where lines and corners meet.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_ik::ToolPath;
use nalgebra::{UnitQuaternion, Vector3};

fn random(rng: &mut SeededRng) -> Pose {
    let mut list = || -> Vec<f64> { (0..3).map(|_| rng.uniform(-1.0, 1.0)).collect() };
    let (p, r) = (list(), list());
    Pose::from_xyz_rpy(p[0], p[1], p[2], r[0], r[1], r[2])
}

fn random_path(rng: &mut SeededRng) -> (Vec<Pose>, Vec<f64>) {
    let mut poses: Vec<Pose> = (0..3 + rng.below(5)).map(|_| random(rng)).collect();
    if rng.below(3) == 0 {
        // A pure rotation.
        let turned = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.7, 0.2));
        let here = poses[1];
        let there = Pose::from(nalgebra::Isometry3::from_parts(here.translation().into(), here.rotation() * turned));
        poses.insert(2, there);
    }
    let radii = (0..poses.len() - 2).map(|_| rng.uniform(0.01, 0.3)).collect();
    (poses, radii)
}

#[test]
fn outside_of_corners_the_tool_moves_on_lines_and_turns_about_one_axis() {
    for seed in 0..200 {
        let mut rng = SeededRng::new(seed);
        let (poses, radii) = random_path(&mut rng);
        let path = ToolPath::new(&poses, &radii).unwrap();
        let corners = path.corners();
        assert_eq!(corners.len(), radii.len());
        let mut begin = 0.0;
        for (index, pair) in poses.windows(2).enumerate() {
            let end = corners.get(index).map_or(path.length(), |[begin, _]| *begin);
            for sample in 0..=10 {
                let pose = path.pose_at(begin + (end - begin) * f64::from(sample) / 10.0);
                let whole = pair[0].translation_distance(&pair[1]);
                let parts = pair[0].translation_distance(&pose) + pose.translation_distance(&pair[1]);
                assert!((parts - whole).abs() < 1e-12, "seed {seed}: off the line");
                let whole = pair[0].rotation_distance(&pair[1]);
                let parts = pair[0].rotation_distance(&pose) + pose.rotation_distance(&pair[1]);
                assert!((parts - whole).abs() < 1e-7, "seed {seed}: off the axis {parts} {whole}");
            }
            begin = corners.get(index).map_or(0.0, |[_, end]| *end);
        }
        assert!(path.pose_at(0.0).translation_distance(&poses[0]) < 1e-12);
        assert!(path.pose_at(path.length()).translation_distance(&poses[poses.len() - 1]) < 1e-12);
    }
}

#[test]
fn corners_begin_within_their_radius_and_stay_within_three_eighths_of_it() {
    for seed in 0..200 {
        let mut rng = SeededRng::new(seed);
        let (poses, radii) = random_path(&mut rng);
        let path = ToolPath::new(&poses, &radii).unwrap();
        for (index, [begin, end]) in path.corners().into_iter().enumerate() {
            let pose = &poses[index + 1];
            let away = |arc_length: f64| path.pose_at(arc_length).translation_distance(pose);
            assert!(away(begin) <= radii[index] + 1e-12 && away(end) <= radii[index] + 1e-12, "seed {seed}");
            assert!(away(f64::midpoint(begin, end)) <= 0.375 * radii[index] + 1e-12, "seed {seed}");
        }
    }
}

/// Value, first and second derivative at `at` from one side, by differences of second order.
fn one_sided(path: &ToolPath, at: f64, h: f64) -> [Vec<f64>; 3] {
    let origin = path.pose_at(at);
    let value = |k: f64| -> Vec<f64> {
        let pose = path.pose_at(at + k * h);
        let turn = (origin.rotation().inverse() * pose.rotation()).scaled_axis();
        pose.translation().iter().copied().chain(turn.iter().copied()).collect()
    };
    let rows: Vec<Vec<f64>> = (0..4).map(|k| value(f64::from(k))).collect();
    let combine = |weights: [f64; 4], scale: f64| -> Vec<f64> {
        (0..6).map(|i| (0..4).map(|k| weights[k] * rows[k][i]).sum::<f64>() / scale).collect()
    };
    [rows[0].clone(), combine([-11.0 / 6.0, 3.0, -1.5, 1.0 / 3.0], h), combine([2.0, -5.0, 4.0, -1.0], h * h)]
}

#[test]
fn position_and_rotation_are_twice_differentiable_where_corners_and_lines_meet() {
    for seed in 0..100 {
        let mut rng = SeededRng::new(seed);
        let (poses, radii) = random_path(&mut rng);
        let path = ToolPath::new(&poses, &radii).unwrap();
        for [begin, end] in path.corners() {
            let size = end - begin;
            for at in [begin, end] {
                let h = size * 1e-3;
                let [before, after] = [one_sided(&path, at, -h), one_sided(&path, at, h)];
                for order in 0..3 {
                    // Differences are off by h² of the fourth derivative, which scales with the size of the corner.
                    let tolerance = [1e-12, 1e-4, 0.3 / size][order];
                    for (a, b) in before[order].iter().zip(&after[order]) {
                        assert!((a - b).abs() < tolerance, "seed {seed} at {at} order {order}: {a} {b}");
                    }
                }
            }
            // In the middle there is curvature to compare that tolerance with.
            let middle = one_sided(&path, f64::midpoint(begin, end), size * 1e-3);
            assert!(middle[2].iter().any(|value| value.abs() * size > 0.3), "seed {seed}: {middle:?}");
        }
    }
}

#[test]
fn a_radius_of_zero_is_a_stop_at_the_pose_itself() {
    let poses = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 1.0)].map(|(x, y)| Pose::from_xyz(x, y, 0.0));
    let path = ToolPath::new(&poses, &[0.0, 5.0]).unwrap();
    assert_eq!(path.stops(), [0.0, 1.0, 3.0]);
    // A corner takes half of a segment at most.
    assert_eq!(path.corners(), [[1.5, 2.5]]);
    assert!(path.pose_at(1.0).translation_distance(&poses[1]) < 1e-15);
}

#[test]
fn repeated_poses_are_one_and_bad_input_is_refused() {
    let [a, b, c] = [0.0, 1.0, 2.0].map(|x| Pose::from_xyz(x, x * x, 0.0));
    let path = ToolPath::new(&[a, a, b, b, c], &[0.1, 0.2, 0.05]).unwrap();
    let plain = ToolPath::new(&[a, b, c], &[0.05]).unwrap();
    assert_eq!((path.length(), path.corners()), (plain.length(), plain.corners()));
    assert_eq!(ToolPath::new(&[a, a, a], &[0.1]).unwrap_err().code(), "InvalidValue");
    assert_eq!(ToolPath::new(&[], &[]).unwrap_err().code(), "InvalidValue");
    assert_eq!(ToolPath::new(&[a, b, c], &[]).unwrap_err().code(), "DimensionMismatch");
    for radius in [-0.1, f64::NAN, f64::INFINITY] {
        let error = ToolPath::new(&[a, b, c], &[radius]).unwrap_err();
        assert!(error.to_string().contains("blend radius of pose 1"), "{error}");
    }
}
