//! One model of margins, paddings and scales, honoured by every question.

use std::collections::BTreeMap;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Shape};
use kinetic_scene::motion::PROOF_RESOLUTION;
use kinetic_scene::{MarginSource, Margins, Scene, Side};

use crate::cases;
use crate::support::{ball_arm, balls, box_distance, boxes, built_in, random_configuration, with_boxes};

const TOLERANCE: f64 = 1e-9;
const LINKS: [&str; 3] = ["upper", "lower", "tip"];

/// What the rules say, written a second time.
#[derive(Default)]
struct Rules {
    names: BTreeMap<(String, bool), f64>,
    pairs: BTreeMap<(String, String), f64>,
    paddings: BTreeMap<String, f64>,
}

impl Rules {
    /// Random rules, stated to a scene too.
    fn random(rng: &mut SeededRng, scene: &mut Scene, objects: usize) -> Self {
        let mut rules = Self::default();
        let object = |rng: &mut SeededRng| format!("box{}", rng.below(objects));
        let link = |rng: &mut SeededRng| LINKS[rng.below(3)].to_owned();
        for _ in 0..rng.below(3) {
            let (a, b, value) = (link(rng), object(rng), rng.uniform(0.0, 0.3));
            scene.set_margin(&a, &b, value).unwrap();
            rules.pairs.insert((a, b), value);
        }
        if rng.below(2) == 0 {
            let value = rng.uniform(0.0, 0.3);
            scene.set_margin("tip", "upper", value).unwrap();
            rules.pairs.insert(("upper".to_owned(), "tip".to_owned()), value);
        }
        for _ in 0..rng.below(3) {
            let (name, is_world, value) = (link(rng), rng.below(2) == 0, rng.uniform(0.0, 0.3));
            scene.set_margin_of(&name, if is_world { Side::World } else { Side::Own }, value).unwrap();
            rules.names.insert((name, is_world), value);
        }
        for _ in 0..rng.below(3) {
            let (name, value) = (object(rng), rng.uniform(0.0, 0.3));
            scene.set_margin_all(&name, value).unwrap();
            rules.names.insert((name, true), value);
        }
        for name in [link(rng), object(rng)] {
            let value = rng.uniform(0.0, 0.1);
            scene.set_padding(&name, value).unwrap();
            rules.paddings.insert(name, value);
        }
        rules
    }

    fn required(&self, a: &str, b: &str, is_world: bool, general: f64) -> f64 {
        let of_pair = self.pairs.get(&(a.to_owned(), b.to_owned())).copied();
        let named = |name: &str| self.names.get(&(name.to_owned(), is_world)).copied();
        let of_names = named(a).into_iter().chain(named(b)).reduce(f64::max);
        let padding = |name: &str| self.paddings.get(name).copied().unwrap_or(0.0);
        of_pair.or(of_names).unwrap_or(general) + padding(a) + padding(b)
    }
}

/// Distance and required distance of every pair of a ball arm among boxes.
fn pairs(
    robot: &kinetic_robot::Robot,
    q: &[f64],
    boxes: &[(Pose, nalgebra::Vector3<f64>)],
    rules: &Rules,
    margins: Margins,
) -> Vec<(String, String, f64, f64)> {
    let balls = balls(robot, q);
    let of_link = |index: usize| balls.iter().filter(move |ball| ball.0 == index + 1);
    let mut found = Vec::new();
    for (index, link) in LINKS.iter().enumerate() {
        for (number, (pose, half)) in boxes.iter().enumerate() {
            let distance =
                of_link(index).map(|(_, c, r)| box_distance(c, pose, half) - r).fold(f64::INFINITY, f64::min);
            let name = format!("box{number}");
            let required = rules.required(link, &name, true, margins.world);
            found.push(((*link).to_owned(), name, distance, required));
        }
    }
    // The only links that are not adjacent.
    let gaps = of_link(0).flat_map(|(_, a, r)| of_link(2).map(move |(_, b, s)| (a - b).norm() - r - s));
    let required = rules.required("upper", "tip", false, margins.own);
    found.push(("upper".to_owned(), "tip".to_owned(), gaps.fold(f64::INFINITY, f64::min), required));
    found
}

#[test]
fn every_question_honours_margins_of_pairs_names_and_paddings() {
    let robot = ball_arm();
    let (mut free, mut blocked, mut moves) = (0, 0, 0);
    for seed in 0..cases(400, 50_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let boxes = boxes(&mut rng, 4);
        let mut scene = with_boxes(&robot, &boxes);
        let rules = Rules::random(&mut rng, &mut scene, 4);
        let margins = Margins::new(rng.uniform(0.0, 0.1), rng.uniform(0.0, 0.1));
        let mut checker = scene.checker("arm", margins).unwrap();
        let q = random_configuration(&robot, &mut rng);
        let wanted = pairs(&robot, &q, &boxes, &rules, margins);

        let expected = wanted.iter().all(|(_, _, distance, required)| distance > required);
        assert_eq!(checker.is_free(&q), expected, "seed {seed}");
        assert_eq!(checker.are_free(&q), [expected], "seed {seed}");
        (free, blocked) = (free + usize::from(expected), blocked + usize::from(!expected));

        let tightest =
            wanted.iter().map(|(_, _, distance, required)| distance - required).fold(f64::INFINITY, f64::min);
        let clearance = checker.clearance(&q);
        assert!((clearance.slack() - tightest).abs() < TOLERANCE, "seed {seed}: {clearance:?} but {tightest}");

        let contacts = checker.contacts(&q, 0.05);
        let near = wanted.iter().filter(|(_, _, distance, required)| distance - required <= 0.05).count();
        assert_eq!(contacts.len(), near, "seed {seed}");
        let explained = scene.explain(&q, margins, 0.05).unwrap();
        assert_eq!(explained.near.len(), near, "seed {seed}");
        assert_eq!(explained.is_free(), expected, "seed {seed}");
        for near in &explained.near {
            let (link, other) = (near.pair.link.as_str(), near.pair.other.as_str());
            let (_, _, distance, required) =
                wanted.iter().find(|(a, b, ..)| (a.as_str(), b.as_str()) == (link, other)).unwrap();
            assert!((near.distance - distance).abs() < TOLERANCE, "seed {seed}: {near:?}");
            assert!((near.required.total() - required).abs() < TOLERANCE, "seed {seed}: {near:?}");
        }

        let to = random_configuration(&robot, &mut rng);
        let first = checker.first_contact(&q, &to);
        assert_eq!(checker.is_motion_free(&q, &to), first.is_none(), "seed {seed}");
        let slack_at = |t: f64| {
            let at: Vec<f64> = q.iter().zip(&to).map(|(a, b)| a + t * (b - a)).collect();
            let all = pairs(&robot, &at, &boxes, &rules, margins);
            all.iter().map(|(_, _, distance, required)| distance - required).fold(f64::INFINITY, f64::min)
        };
        let until = first.as_ref().map_or(1.0, |(t, _)| *t);
        moves += usize::from(until > 0.0 && until < 1.0);
        assert!(
            (0..=200).all(|step| slack_at(until * 0.999 * f64::from(step) / 200.0) > 0.0 || until == 0.0),
            "seed {seed}"
        );
        let is_met = first.is_none() || slack_at(until) < 2.0 * PROOF_RESOLUTION;
        assert!(is_met, "seed {seed}: {} m to spare at {until}", slack_at(until));
    }
    assert!(free > 20 && blocked > 20 && moves > 20, "{free} free, {blocked} not, {moves} contacts on the way");
}

#[test]
fn links_scale_by_the_formula_and_distances_of_hulls_shrink() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("wall", Shape::cuboid(0.1, 1.0, 1.0).unwrap(), Pose::from_xyz(1.28, 0.0, 0.1)).unwrap();
    // The last ball is at x = 1.1 with radius 0.03.
    for factor in [0.5, 1.0, 2.0, 2.5] {
        scene.set_scale("tip", factor).unwrap();
        let wanted = 1.18 - 1.1 - 0.03 * factor;
        assert!((scene.min_distance(&[0.0; 3]).unwrap() - wanted).abs() < TOLERANCE, "{factor}");
    }
    scene.set_scale("tip", None).unwrap();
    assert!((scene.min_distance(&[0.0; 3]).unwrap() - 0.05).abs() < TOLERANCE);

    let robot = built_in("ur5e");
    for seed in 0..cases(60, 5_000) as u64 {
        let mut rng = SeededRng::new(seed);
        let mut scene = with_boxes(&robot, &boxes(&mut rng, 4));
        let q = random_configuration(&robot, &mut rng);
        let before = scene.min_distance(&q).unwrap();
        for link in ["upper_arm_link", "forearm_link", "wrist_3_link"] {
            scene.set_scale(link, 1.3).unwrap();
        }
        let larger = scene.min_distance(&q).unwrap();
        assert!(larger <= before + TOLERANCE, "seed {seed}: {larger} after {before}");
        // What spheres clear, hulls clear: the cover of the scaled link still contains it.
        let mut checker = scene.checker(&robot.groups[robot.default_group].name, Margins::ZERO).unwrap();
        assert_eq!(checker.are_free(&q)[0], checker.contacts(&q, 0.0).is_empty(), "seed {seed}");
    }
}

#[test]
fn pairs_that_were_proven_apart_are_checked_when_links_grow_or_keep_more() {
    let robot = built_in("ur5e");
    let group = robot.groups[robot.default_group].name.clone();
    let mut scene = Scene::new(&robot).unwrap();
    scene.set_scale("forearm_link", 1.6).unwrap();
    scene.set_margin_of("wrist_1_link", Side::Own, 0.15).unwrap();
    scene.set_padding("shoulder_link", 0.1).unwrap();
    let (mut within, mut anywhere) =
        (scene.checker_within(&group, Margins::ZERO, None).unwrap(), scene.checker(&group, Margins::ZERO).unwrap());
    let mut rng = SeededRng::new(5);
    let (count, mut free) = (cases(500, 20_000), 0);
    for case in 0..count {
        let q = random_configuration(&robot, &mut rng);
        assert_eq!(within.is_free(&q), anywhere.is_free(&q), "case {case}: {q:?}");
        free += usize::from(anywhere.is_free(&q));
    }
    assert!(free > 0 && free < count, "{free} of {count}");
}

#[test]
fn the_most_specific_statement_counts_and_can_be_taken_back() {
    let robot = ball_arm();
    let mut scene = Scene::new(&robot).unwrap();
    scene.add("wall", Shape::cuboid(0.1, 1.0, 1.0).unwrap(), Pose::from_xyz(1.28, 0.0, 0.1)).unwrap();
    let required = |scene: &Scene| {
        let explained = scene.explain(&[0.0; 3], Margins::new(0.01, 0.0), 1.0).unwrap();
        let found = explained.near.iter().find(|near| near.pair.link == "tip" && near.pair.other == "wall");
        found.unwrap().required.clone()
    };
    assert_eq!((required(&scene).margin, required(&scene).source), (0.01, MarginSource::General));
    scene.set_margin_all("wall", 0.04).unwrap();
    scene.set_margin_all("tip", 0.03).unwrap();
    assert_eq!((required(&scene).margin, required(&scene).source), (0.04, MarginSource::Name("wall".to_owned())));
    scene.set_margin("wall", "tip", 0.02).unwrap();
    assert_eq!((required(&scene).margin, required(&scene).source), (0.02, MarginSource::Pair));
    scene.set_padding("tip", 0.005).unwrap();
    assert!((required(&scene).total() - 0.025).abs() < TOLERANCE);
    scene.set_margin("tip", "wall", None).unwrap();
    scene.set_margin_all("wall", None).unwrap();
    scene.set_margin_all("tip", None).unwrap();
    scene.set_padding("tip", None).unwrap();
    assert_eq!((required(&scene).total(), required(&scene).source), (0.01, MarginSource::General));
}

#[test]
fn impossible_margins_are_refused_and_change_nothing() {
    let mut scene = Scene::new(&ball_arm()).unwrap();
    scene.add("wall", Shape::sphere(0.1).unwrap(), Pose::from_xyz(3.0, 0.0, 0.0)).unwrap();
    let before = (scene.version(), scene.margins().clone());
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(scene.set_margin("tip", "wall", bad), Err(KineticError::InvalidValue { .. })));
        assert!(matches!(scene.set_margin_all("tip", bad), Err(KineticError::InvalidValue { .. })));
        assert!(matches!(scene.set_margin_of("tip", Side::Own, bad), Err(KineticError::InvalidValue { .. })));
        assert!(matches!(scene.set_padding("wall", bad), Err(KineticError::InvalidValue { .. })));
        assert!(matches!(scene.set_scale("tip", bad), Err(KineticError::InvalidValue { .. })));
    }
    assert!(matches!(scene.set_scale("tip", 0.0), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(scene.set_scale("wall", 1.1), Err(KineticError::LinkNotFound { .. })));
    assert!(matches!(scene.set_margin("tip", "tip", 0.1), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(scene.set_margin_of("wall", Side::Own, 0.1), Err(KineticError::InvalidValue { .. })));
    for unknown in
        [scene.set_margin("tip", "wal", 0.1), scene.set_margin_all("wal", 0.1), scene.set_padding("wal", 0.1)]
    {
        let Err(KineticError::ObjectNotFound { name, available }) = unknown else { panic!("{unknown:?}") };
        assert!(name == "wal" && available.contains(&"wall".to_owned()));
    }
    assert_eq!((scene.version(), scene.margins().clone()), before);
}

#[test]
fn the_least_margins_of_a_checker_are_those_of_its_pairs() {
    let mut scene = Scene::new(&ball_arm()).unwrap();
    let least = |scene: &Scene| scene.checker("arm", Margins::new(0.02, 0.01)).unwrap().least_margins();
    assert_eq!(least(&scene), Margins::new(0.02, 0.01));
    for (name, x) in [("a", 3.0), ("b", 4.0)] {
        scene.add(name, Shape::sphere(0.1).unwrap(), Pose::from_xyz(x, 0.0, 0.0)).unwrap();
    }
    scene.set_margin_all("a", 0.05).unwrap();
    assert_eq!(least(&scene), Margins::new(0.02, 0.01));
    scene.set_margin_all("b", 0.03).unwrap();
    scene.set_padding("tip", 0.04).unwrap();
    assert_eq!(least(&scene), Margins::new(0.03, 0.05));
}
