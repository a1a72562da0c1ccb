//! Which pairs of links are left out: toys with known answers, and the built-in robots against random configurations.

use std::sync::Arc;

use kinetic_collision::exact::distance;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::robot_link_poses;
use kinetic_robot::Robot;
use kinetic_scene::geometry::{LinkGeometry, find_pair_facts};
use kinetic_scene::precompute;
use kinetic_scene::{Effort, LinkPair, Margins, PairClass, Scene};

use crate::cases;
use crate::support::built_in;

/// Stored distances are rounded down; distances of hulls carry rounding of about 1e-12 m.
const ROUNDING: f64 = 1e-9;

/// A planar arm: a ball of radius 0.1 at the base's origin, a bare upper link of length 1, and a forearm with a ball of
/// radius 0.1 at `reach` from the elbow, which bends up to `limit`. The centres are `|1 + reach e^(i q)|` apart.
fn planar(reach: f64, limit: f64) -> Arc<Robot> {
    let ball = |x: f64| {
        format!("<collision><origin xyz=\"{x} 0 0\"/><geometry><sphere radius=\"0.1\"/></geometry></collision>")
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64, limit: f64| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{x} 0 0\"/><axis xyz=\"0 0 1\"/>\
             <limit lower=\"-{limit}\" upper=\"{limit}\" velocity=\"1\" effort=\"1\"/></joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"planar\"><link name=\"base\">{}</link><link name=\"upper\"/><link name=\"fore\">{}</link>{}{}</robot>",
        ball(0.0),
        ball(reach),
        joint("shoulder", "base", "upper", 0.0, 3.0),
        joint("elbow", "upper", "fore", 1.0, limit),
    );
    Arc::new(Robot::from_urdf_string(&urdf).unwrap())
}

fn only_pair(robot: &Arc<Robot>) -> LinkPair {
    let scene = Scene::new(robot).unwrap();
    let [pair] = scene.geometry().pairs() else { panic!("{:?}", scene.geometry().pairs()) };
    pair.clone()
}

#[test]
fn a_pair_that_cannot_touch_is_proven_with_a_distance_that_it_keeps() {
    for (reach, limit, least) in [(0.5, 3.1, 0.3), (1.0, 2.0, 2.0 * f64::cos(1.0) - 0.2), (2.0, 3.1, 0.8)] {
        let pair = only_pair(&planar(reach, limit));
        assert_eq!(pair.class, PairClass::Never, "{pair:?}");
        let clearance = pair.clearance.unwrap();
        // Half of the least distance that the search meets, which is not below the true one.
        assert!(clearance >= 0.45 * least && clearance <= least, "{clearance} of {least}");
        assert!(pair.reason.contains("mm"), "{}", pair.reason);
    }
}

#[test]
fn a_pair_that_touches_only_sometimes_stays() {
    // Touches where the elbow bends by more than 2.94 rad: 3 % of its range for 3.04, and 0.03 % for 2.9416.
    for limit in [3.1, 3.04, 2.9416] {
        let pair = only_pair(&planar(1.0, limit));
        assert_eq!((pair.class, pair.clearance), (PairClass::Checked, None), "{limit}");
    }
}

#[test]
fn a_pair_that_touches_everywhere_is_left_out_and_the_arm_stays_usable() {
    let robot = planar(0.0, 3.0);
    let mut near = Robot::clone(&robot);
    for joint in &mut near.joints {
        joint.parent_from_joint.0.translation.vector *= 0.15;
    }
    let near = Arc::new(near);
    let pair = only_pair(&near);
    assert_eq!(pair.class, PairClass::Always);
    assert!(pair.reason.contains("1000") && pair.reason.contains("95 %"), "{}", pair.reason);
    assert!(!Scene::new(&near).unwrap().check_collision(&[0.0, 0.0]).unwrap());
}

#[test]
fn a_proven_pair_is_checked_again_when_margin_or_padding_ask_for_more_than_was_proven() {
    let robot = planar(0.5, 3.1);
    let folded = [0.0, 3.1];
    let scene = Scene::new(&robot).unwrap();
    let distance = (1.0 + 0.5 * f64::cos(3.1)).hypot(0.5 * f64::sin(3.1)) - 0.2;
    for (own, is_free) in [(0.0, true), (distance - 1e-6, true), (distance + 1e-6, false), (1.0, false)] {
        let mut checker = scene.checker("arm", Margins::new(0.0, own)).unwrap();
        assert_eq!(checker.is_free(&folded), is_free, "margin {own}");
    }
    let mut padded = Robot::clone(&robot);
    padded.collision.padding = 0.5 * distance + 1e-6;
    assert!(Scene::new(&Arc::new(padded)).unwrap().check_collision(&folded).unwrap());
}

#[test]
fn a_pair_that_was_proven_apart_is_checked_again_when_either_link_grows() {
    // The balls keep 0.3 m: one that is four times as large reaches 0.3 m farther.
    let robot = planar(0.5, 3.1);
    assert_eq!(only_pair(&robot).class, PairClass::Never);
    let folded = [0.0, 3.1];
    let between = (1.0 + 0.5 * f64::cos(3.1)).hypot(0.5 * f64::sin(3.1));
    for (base, fore) in [(3.5, 1.0), (1.0, 3.5), (4.5, 1.0), (1.0, 4.5), (2.5, 2.7), (2.4, 2.5), (0.5, 4.7), (4.7, 0.5)]
    {
        let mut scene = Scene::new(&robot).unwrap();
        scene.set_scale("base", base).unwrap();
        scene.set_scale("fore", fore).unwrap();
        let distance = between - 0.1 * (base + fore);
        for mut checker in
            [scene.checker("arm", Margins::ZERO).unwrap(), scene.checker_within("arm", Margins::ZERO, None).unwrap()]
        {
            assert_eq!(checker.is_free(&folded), distance > 0.0, "{base} and {fore}: {distance}");
        }
        let measured = scene.checker("arm", Margins::new(0.0, 1.0)).unwrap().clearance(&folded).distance;
        assert!((measured - distance).abs() < ROUNDING, "{base} and {fore}: {measured}, not {distance}");
    }
}

#[test]
fn links_that_share_a_mesh_have_a_scale_each() {
    let folder = std::env::temp_dir().join(format!("kinetic-shared-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A tetrahedron: corners at the origin and a metre along each axis.
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("corner.obj"), text).unwrap();
    let link = |name: &str, scale: &str| {
        format!(
            "<link name=\"{name}\"><collision><geometry><mesh filename=\"corner.obj\" scale=\"{scale}\"/></geometry></collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, y: f64| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"0 {y} 0\"/><axis xyz=\"1 0 0\"/>\
             <limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint>"
        )
    };
    let urdf = format!(
        "<robot name=\"meshes\"><link name=\"root\"/>{}{}{}{}</robot>",
        link("small", "0.1 0.2 0.3"),
        link("large", "0.5 0.2 -0.3"),
        joint("j1", "root", "small", 0.0),
        joint("j2", "small", "large", 10.0)
    );
    let path = folder.join("meshes.urdf");
    std::fs::write(&path, urdf).unwrap();
    let robot = Arc::new(Robot::from_urdf(&path).unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    // A plate across x before each: the farthest corner is as far as its scale.
    for (y, least) in [(0.0, 2.0 - 0.1), (10.0, 2.0 - 0.5)] {
        scene.add("plate", Shape::cuboid(0.5, 1.0, 1.0).unwrap(), Pose::from_xyz(2.5, y, 0.0)).unwrap();
        let found = scene.min_distance(&[0.0, 0.0]).unwrap();
        assert!((found - least).abs() < 1e-6, "{y}: {found}, not {least}");
        assert!(scene.remove("plate"));
    }
}

/// Where a slide and its followers along x take a ball of radius 0.1: `x = q (1 + Σ mᵢ) + Σ oᵢ`.
fn telescope(stroke: [f64; 2], followers: &[(f64, f64)]) -> Arc<Robot> {
    use std::fmt::Write as _;
    let [lower, upper] = stroke;
    let joint = |index: usize, limits: [f64; 2], mimic: &str| {
        let [low, high] = limits;
        format!(
            "<joint name=\"j{index}\" type=\"prismatic\"><parent link=\"l{index}\"/><child link=\"l{}\"/>\
             <axis xyz=\"1 0 0\"/><limit lower=\"{low}\" upper=\"{high}\" velocity=\"1\" effort=\"1\"/>{mimic}</joint>",
            index + 1
        )
    };
    let mut urdf = format!("<robot name=\"telescope\"><link name=\"l0\"/>{}", joint(0, [lower, upper], ""));
    for (index, (multiplier, offset)) in followers.iter().enumerate() {
        let mimic = format!("<mimic joint=\"j0\" multiplier=\"{multiplier}\" offset=\"{offset}\"/>");
        write!(urdf, "<link name=\"l{}\"/>{}", index + 1, joint(index + 1, [-9.0, 9.0], &mimic)).unwrap();
    }
    let ball = "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>";
    write!(urdf, "<link name=\"l{}\">{ball}</link></robot>", followers.len() + 1).unwrap();
    Arc::new(Robot::from_urdf_string(&urdf).unwrap())
}

#[test]
fn what_only_a_sliding_follower_reaches_inside_the_limits_is_met() {
    for (stroke, followers) in [
        ([0.0, 0.5], &[(-2.0, 0.0)][..]),
        ([-0.5, 0.1], &[(-2.0, 0.0)]),
        ([-0.3, 0.5], &[(2.0, 0.0)]),
        ([-0.1, 0.2], &[(1.0, 0.7)]),
        ([-0.1, 0.2], &[(1.0, -0.7)]),
        ([0.0, 0.4], &[(-2.0, 0.1), (-3.0, -0.2)]),
        ([0.0, 0.4], &[(2.0, 0.1), (0.5, 0.2)]),
    ] {
        let robot = telescope(stroke, followers);
        let (factor, offset) =
            followers.iter().fold((1.0, 0.0), |(factor, offset), (more, aside)| (factor + more, offset + aside));
        let at = |q: f64| factor * q + offset;
        let mut met = 0;
        for step in 0..=40 {
            let place = -3.0 + 0.15 * f64::from(step);
            let mut scene = Scene::new(&robot).unwrap();
            scene.add("ball", Shape::sphere(0.05).unwrap(), Pose::from_xyz(place, 0.0, 0.0)).unwrap();
            let mut checker = scene.checker_within("arm", Margins::ZERO, None).unwrap();
            for part in 0..=20 {
                let q = stroke[0] + (stroke[1] - stroke[0]) * f64::from(part) / 20.0;
                let gap = (at(q) - place).abs() - 0.15;
                if gap.abs() > 1e-6 {
                    assert_eq!(checker.is_free(&[q]), gap > 0.0, "{stroke:?} {followers:?}: {q} and {place}");
                    met += usize::from(gap < 0.0);
                }
            }
        }
        assert!(met > 0, "{stroke:?} {followers:?}");
    }
}

#[test]
fn contact_outside_the_joint_limits_is_still_seen() {
    let scene = Scene::new(&planar(1.0, 2.0)).unwrap();
    let folded = [0.0, std::f64::consts::PI];
    assert!(scene.check_collision(&folded).unwrap());
    assert_eq!(scene.self_collision(&folded).unwrap().len(), 1);
    assert!(scene.check_motion(&[0.0, 0.0], &folded).unwrap().is_some());
    assert!(scene.check_motion(&[0.0, 0.0], &[0.0, 2.0]).unwrap().is_none());
}

#[test]
fn the_same_robot_has_the_same_facts() {
    let mut robot = Robot::clone(&built_in("xarm7"));
    robot.collision.pair_facts = None;
    let facts = || find_pair_facts(&robot, &Effort::WHEN_FIRST_USED).unwrap();
    assert_eq!(facts(), facts());
}

#[test]
fn an_effort_that_is_used_up_leaves_one_look_at_each_pair() {
    let mut robot = Robot::clone(&built_in("meca500"));
    robot.collision.pair_facts = None;
    let never = |effort: Effort| find_pair_facts(&robot, &effort).unwrap().never;
    let one_look = never(Effort { near: 1, far: 1, total: usize::MAX });
    assert_eq!(never(Effort { total: 1, ..Effort::WHEN_FIRST_USED }), one_look);
    assert!(never(Effort::WHEN_FIRST_USED).len() > one_look.len());
}

#[test]
fn changed_joints_and_shapes_make_stored_facts_strangers() {
    let robot = built_in("ur5e");
    let nothing = Effort { near: 0, far: 0, total: 0 };
    let fingerprint = |robot: &Robot| find_pair_facts(robot, &nothing).unwrap().fingerprint;
    let stored = robot.collision.pair_facts.as_ref().unwrap().fingerprint;
    assert_eq!(fingerprint(&robot), stored);
    let changes: [fn(&mut Robot); 4] = [
        |robot| robot.joint_limits[2].upper += 0.1,
        |robot| robot.joints[3].parent_from_joint.0.translation.vector.x += 1e-3,
        |robot| robot.links[3].collisions.truncate(0),
        |robot| robot.collision.skip_pairs.clear(),
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut changed = Robot::clone(&robot);
        change(&mut changed);
        assert_ne!(fingerprint(&changed), stored, "change {index}");
    }
}

/// A robot without stored facts finds a part of what a stored proof says: the same search with less patience.
#[test]
fn every_built_in_robot_stores_the_facts_that_a_search_finds() {
    let slice = Effort { near: 600, far: 100, total: 20_000 };
    let effort = if cases(0, 1) == 1 { Effort::WHEN_FIRST_USED } else { slice };
    for name in kinetic_robot::builtin::names() {
        let robot = built_in(name);
        let again = "run: cargo run --release -p kinetic --example pair_facts";
        let stored = robot.collision.pair_facts.as_ref().unwrap_or_else(|| panic!("{name} has no pairs.json; {again}"));
        let found = find_pair_facts(&robot, &effort).unwrap();
        assert_eq!(found.fingerprint, stored.fingerprint, "{name}: pairs.json is about another robot; {again}");
        assert_eq!(found.always, stored.always, "{name}; {again}");
        for (pair, distance) in &found.never {
            let kept = stored.never.iter().find(|(known, _)| known == pair).map(|(_, kept)| *kept);
            // Stored with 0.01 mm, rounded down.
            assert!(
                kept.is_some_and(|kept| kept <= *distance && *distance - kept < 1.1e-5),
                "{name} {pair:?}; {again}"
            );
        }
    }
}

fn least_distance(
    a: &LinkGeometry,
    root_from_a: &kinetic_core::Pose,
    b: &LinkGeometry,
    root_from_b: &kinetic_core::Pose,
) -> f64 {
    let mut least = f64::INFINITY;
    for (piece_a, a_from_piece) in a.pieces() {
        for (piece_b, b_from_piece) in b.pieces() {
            let (pose_a, pose_b) = (root_from_a.0 * a_from_piece.0, root_from_b.0 * b_from_piece.0);
            if let Some(found) = distance(piece_a, &pose_a, piece_b, &pose_b, least) {
                least = found.distance;
            }
        }
    }
    least
}

#[test]
fn random_configurations_find_no_proven_pair_nearer_than_its_distance() {
    for name in kinetic_robot::builtin::names() {
        let mut rng = SeededRng::new(31);
        let robot = built_in(name);
        let scene = Scene::new(&robot).unwrap();
        let geometry = scene.geometry();
        let never: Vec<&LinkPair> = geometry.pairs().iter().filter(|pair| pair.class == PairClass::Never).collect();
        for _ in 0..cases(2_000, 1_000_000) / kinetic_robot::builtin::names().len() {
            let q = robot.random_variables(&mut rng);
            let poses = robot_link_poses(&robot, &q).unwrap();
            for LinkPair { links: (a, b), clearance, .. } in &never {
                let found = least_distance(&geometry.links()[*a], &poses[*a], &geometry.links()[*b], &poses[*b]);
                assert!(found > clearance.unwrap() - ROUNDING, "{name} {a} {b} at {q:?}: {found}, {clearance:?}");
            }
        }
    }
}

#[test]
fn what_is_stored_with_built_in_robots_is_what_is_found() {
    let again = "run: cargo run --release -p kinetic --example precomputed";
    for name in kinetic_robot::builtin::names() {
        let robot = Robot::from_name(name).unwrap();
        let stored = &*robot.collision.precomputed;
        assert!(!stored.is_empty(), "{name} has no precomputed.json; {again}");
        assert_eq!(precompute(&robot).unwrap(), *stored, "{name}: precomputed.json is about another robot; {again}");
    }
}
