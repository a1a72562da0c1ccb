//! Random small ladders: the path is as good as the best of all paths.

use std::collections::HashSet;
use std::f64::consts::TAU;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pair, Pose};
use kinetic_ik::path::{
    Candidates, IKPath, PathContact, PathOptions, PathValidity, solve_ik_path_with, solve_ik_path_with_where,
};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::Robot;

use super::brute_force::{Best, Problem};
use crate::cases;

/// Configurations that stand for pose `x = 0, 1, 2, …`, whatever the chain would reach.
struct Table {
    chain: KinematicChain,
    layers: Vec<Vec<Vec<f64>>>,
}

impl Candidates for Table {
    fn chain(&self) -> &KinematicChain {
        &self.chain
    }

    fn candidates(&mut self, base_from_tcp: &Rigid, _previous: &[f64], out: &mut Vec<f64>) {
        let x = base_from_tcp.translation.x;
        if x >= 0.0 && x.fract() == 0.0 && base_from_tcp.translation.y == 7.0 {
            self.layers.iter().enumerate().filter(|(index, _)| *index as f64 == x).for_each(|(_, layer)| {
                out.extend(layer.iter().flatten());
            });
        }
    }
}

/// Two turning joints and a sliding one with these limits.
fn chain(limits: [(f64, f64); 3]) -> KinematicChain {
    use std::fmt::Write;
    let mut urdf = String::from(r#"<robot name="r"><link name="l0"/>"#);
    for (joint, (kind, (low, high))) in ["revolute", "revolute", "prismatic"].into_iter().zip(limits).enumerate() {
        write!(
            urdf,
            r#"<link name="l{}"/><joint name="j{joint}" type="{kind}"><parent link="l{joint}"/><child link="l{}"/>
            <origin xyz="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="{low}" upper="{high}" velocity="1" effort="1"/></joint>"#,
            joint + 1,
            joint + 1
        )
        .unwrap();
    }
    let robot = Robot::from_urdf_string(&(urdf + "</robot>")).unwrap();
    KinematicChain::extract(&robot, "l0", "l3").unwrap()
}

fn random_table(rng: &mut SeededRng) -> Table {
    let chain = chain([4.0, 8.0, 0.6].map(|half| (-rng.uniform(0.5, 1.0) * half, rng.uniform(0.5, 1.0) * half)));
    let row = |rng: &mut SeededRng| vec![rng.uniform(-3.1, 3.1), rng.uniform(-3.1, 3.1), rng.uniform(-0.5, 0.5)];
    let layers = (0..4).map(|_| (0..=rng.below(4)).map(|_| row(rng)).collect()).collect();
    Table { chain, layers }
}

fn targets(count: usize) -> Vec<Pose> {
    (0..count).map(|index| Pose::from_xyz(index as f64, 7.0, 0.0)).collect()
}

fn solved(table: &mut Table, options: &PathOptions) -> IKPath {
    let count = table.layers.len();
    solve_ik_path_with(table, &targets(count), options).unwrap()
}

/// The best of all paths; rows that are outside the limits on every turn are no rows.
fn best(table: &Table, options: &PathOptions) -> Option<Best> {
    best_where(table, options, &|_| true, &|_, _| true)
}

/// As [`best`], through rows and along steps that are valid.
fn best_where(
    table: &Table,
    options: &PathOptions,
    is_row_valid: &dyn Fn(&[f64]) -> bool,
    is_valid: &dyn Fn(&[f64], &[f64]) -> bool,
) -> Option<Best> {
    let is_rotation: Vec<bool> = (0..3).map(|joint| table.chain.is_rotation(joint)).collect();
    let inside = |row: &&Vec<f64>| {
        (0..3).all(|joint| {
            let (low, high) = table.chain.bounds()[joint];
            let turns = if is_rotation[joint] { 4 } else { 0 };
            (-turns..=turns).any(|turn| {
                let value = row[joint] + f64::from(turn) * std::f64::consts::TAU;
                (low..=high).contains(&value)
            })
        })
    };
    let layers: Vec<Vec<Vec<f64>>> = table
        .layers
        .iter()
        .map(|layer| layer.iter().filter(inside).filter(|row| is_row_valid(row)).cloned().collect())
        .collect();
    let problem = Problem {
        layers: &layers,
        start: options.start.as_deref(),
        bounds: table.chain.bounds(),
        is_rotation: &is_rotation,
        steps: options.max_joint_step.as_ref().unwrap(),
        is_valid,
    };
    problem.best()
}

#[test]
fn the_path_has_as_few_splits_as_small_steps_and_is_as_short_as_any() {
    let mut counts = [0; 5];
    for case in 0..cases(400, 20_000) {
        let mut rng = SeededRng::new(case as u64);
        let mut table = random_table(&mut rng);
        let steps = [rng.uniform(0.8, 3.1), rng.uniform(0.8, 3.1), rng.uniform(0.2, 1.0)];
        let begins = [rng.uniform(-2.0, 2.0), rng.uniform(-4.0, 4.0), rng.uniform(-0.3, 0.3)];
        let options = PathOptions {
            start: (rng.below(2) == 0).then(|| begins.into()),
            max_joint_step: Some(steps.to_vec()),
            ..PathOptions::default()
        };
        let path = solved(&mut table, &options);
        let Some((splits, largest, length)) = best(&table, &options) else {
            assert!(path.success.contains(&false), "case {case}: a pose has no configuration");
            continue;
        };
        counts[splits] += 1;
        assert_eq!(path.splits.len(), splits, "case {case}");
        assert_eq!(path.obstacles.len(), splits, "case {case}: {:?}", path.obstacles);
        assert!((path.largest_step - largest).abs() < 1e-9, "case {case}: {} {largest}", path.largest_step);
        assert!((path.length - length).abs() < 1e-9, "case {case}: {} {length}", path.length);
        check(&table, &options, &path, &format!("case {case}"));
    }
    assert!(counts[..4].iter().all(|count| *count > 0), "{counts:?}");
}

/// The path is one of the table, inside the limits, with the steps and splits that it says.
fn check(table: &Table, options: &PathOptions, path: &IKPath, what: &str) {
    let mut last = options.start.as_ref().map(|start| start.to_vec());
    for (index, layer) in table.layers.iter().enumerate() {
        let q = path.configuration(index).unwrap();
        let turned = |row: &&Vec<f64>| {
            (0..3).all(|joint| {
                let turns = (q[joint] - row[joint]) / std::f64::consts::TAU;
                let rest = if table.chain.is_rotation(joint) { turns - turns.round() } else { turns };
                rest.abs() < 1e-9
            })
        };
        assert!(layer.iter().any(|row| turned(&row)), "{what}: pose {index}");
        let inside = q.iter().zip(table.chain.bounds()).all(|(q, (low, high))| (low..=high).contains(&q));
        assert!(inside, "{what}: pose {index} {q:?} {:?}", table.chain.bounds());
        let is_split = path.splits.contains(&index);
        assert_eq!(path.success[index], !is_split, "{what}");
        if let (Some(last), false) = (&last, is_split) {
            let steps = options.max_joint_step.as_ref().unwrap();
            let far = (0..3).find(|joint| (q[*joint] - last[*joint]).abs() > steps[*joint] + 1e-9);
            assert_eq!(far, None, "{what}: pose {index}");
        }
        last = Some(q.to_vec());
    }
}

#[test]
fn a_nearer_beginning_does_not_hide_one_from_which_more_turns_are_left() {
    // From 0 and from 1.8 rad to 1 rad and then 12 rad down, 2 rad at a time: only who begins a turn higher gets there,
    // which 1.8 rad is too far up for, although it is nearer to 1 rad.
    for begins in [[0.0, 1.8], [1.8, 0.0]] {
        for side in [1.0, -1.0] {
            let row = |angle: f64| vec![side * (angle - TAU * (angle / TAU).round()), 0.1, 0.2];
            let mut layers = vec![begins.map(row).to_vec()];
            layers.extend((0..=6).map(|step| vec![row(1.0 - 2.0 * f64::from(step))]));
            let mut table = Table { chain: chain([(-8.0, 8.0), (-1.0, 1.0), (-0.5, 0.5)]), layers };
            let options = PathOptions { max_joint_step: Some(vec![2.5; 3]), ..PathOptions::default() };
            let path = solved(&mut table, &options);
            assert_eq!(path.splits, Vec::<usize>::new(), "{begins:?} {side}");
            let wanted = [TAU, 1.0 + TAU, TAU - 1.0, TAU - 3.0, TAU - 5.0, TAU - 7.0, TAU - 9.0, TAU - 11.0];
            for (pose, wanted) in wanted.into_iter().enumerate() {
                let found = path.configuration(pose).unwrap()[0];
                assert!((found - side * wanted).abs() < 1e-9, "{begins:?} {side}, pose {pose}: {found}");
            }
            check(&table, &options, &path, &format!("{begins:?} {side}"));
        }
    }
}

#[test]
fn an_obstacle_is_as_far_as_any_path_gets() {
    for case in 0..cases(200, 5_000) {
        let mut rng = SeededRng::new(1_000_000 + case as u64);
        let mut table = random_table(&mut rng);
        let options = PathOptions { max_joint_step: Some(vec![1.0, 1.0, 0.3]), ..PathOptions::default() };
        let path = solved(&mut table, &options);
        let Some(first) = path.obstacles.first() else { continue };
        if first.id() == "unreachable" || path.configuration(first.index()).is_none() {
            continue;
        }
        // Up to the pose before, one segment suffices; with the pose, two are needed.
        let all = table.layers.clone();
        table.layers.truncate(first.index());
        assert_eq!(best(&table, &options).map(|best| best.0), Some(0), "case {case}");
        table.layers = all[..=first.index()].to_vec();
        assert_eq!(best(&table, &options).map(|best| best.0), Some(1), "case {case}");
        assert!(path.splits[0] <= first.index(), "case {case}");
        assert!(first.joint().is_some() && first.amount() > 0.0, "case {case}: {first}");
    }
}

/// Refuses rows and steps between rows of a table, whatever turns they are on. Layer 0 is the start.
struct Refusals {
    layers: Vec<Vec<Vec<f64>>>,
    rows: HashSet<(usize, usize)>,
    steps: HashSet<[(usize, usize); 2]>,
}

impl Refusals {
    fn random(rng: &mut SeededRng, table: &Table, start: Option<&[f64]>) -> Self {
        let start = start.map(|start| vec![start.to_vec()]).unwrap_or_default();
        let layers: Vec<_> = [start].into_iter().chain(table.layers.iter().cloned()).collect();
        let (mut rows, mut steps) = (HashSet::new(), HashSet::new());
        for layer in 0..layers.len() {
            for row in 0..layers[layer].len() {
                if layer > 0 && rng.below(6) == 0 {
                    rows.insert((layer, row));
                }
                for next in 0..layers.get(layer + 1).map_or(0, Vec::len) {
                    if rng.below(3) == 0 {
                        steps.insert([(layer, row), (layer + 1, next)]);
                    }
                }
            }
        }
        Self { layers, rows, steps }
    }

    fn find(&self, q: &[f64]) -> (usize, usize) {
        let is_same = |row: &Vec<f64>| {
            let apart = |joint: usize| {
                let turns = (q[joint] - row[joint]) / TAU;
                if joint < 2 { (turns - turns.round()).abs() } else { turns.abs() }
            };
            (0..3).all(|joint| apart(joint) < 1e-9)
        };
        let place = |(layer, rows): (usize, &Vec<Vec<f64>>)| rows.iter().position(is_same).map(|row| (layer, row));
        self.layers.iter().enumerate().find_map(place).expect("a row of the table")
    }

    fn takes_row(&self, q: &[f64]) -> bool {
        !self.rows.contains(&self.find(q))
    }

    fn takes(&self, from: &[f64], to: &[f64]) -> bool {
        !self.steps.contains(&[self.find(from), self.find(to)])
    }
}

impl PathValidity for Refusals {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.takes_row(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.takes(from, to)
    }

    fn contact(&mut self, from: &[f64], to: &[f64]) -> Option<PathContact> {
        let is_blocked = !self.takes_row(to) || (from != to && !self.takes(from, to));
        let contact = || PathContact { pair: Pair::new("row", "wall"), distance: 0.25, margin: 1.0 };
        is_blocked.then(contact)
    }
}

#[test]
fn refused_configurations_and_steps_are_on_no_path_and_the_best_of_the_others_is_found() {
    let (mut counts, mut kinds) = ([0; 5], HashSet::new());
    for case in 0..cases(600, 20_000) {
        let mut rng = SeededRng::new(2_000_000 + case as u64);
        let mut table = random_table(&mut rng);
        let steps = [rng.uniform(1.5, 3.1), rng.uniform(1.5, 3.1), rng.uniform(0.4, 1.0)];
        let begins = [rng.uniform(-2.0, 2.0), rng.uniform(-4.0, 4.0), rng.uniform(-0.3, 0.3)];
        let options = PathOptions {
            start: (rng.below(2) == 0).then(|| begins.into()),
            max_joint_step: Some(steps.to_vec()),
            ..PathOptions::default()
        };
        let mut refusals = Refusals::random(&mut rng, &table, options.start.as_deref());
        let count = table.layers.len();
        let path = solve_ik_path_with_where(&mut table, &targets(count), &options, &mut refusals).unwrap();
        kinds.extend(path.obstacles.iter().map(kinetic_ik::Obstacle::id));
        let wanted = best_where(&table, &options, &|q| refusals.takes_row(q), &|a, b| refusals.takes(a, b));
        let Some((splits, largest, length)) = wanted else {
            assert!(path.success.contains(&false), "case {case}: a pose has no configuration");
            continue;
        };
        counts[splits] += 1;
        assert_eq!(path.splits.len(), splits, "case {case}");
        assert_eq!(path.obstacles.len(), splits, "case {case}: {:?}", path.obstacles);
        assert!((path.largest_step - largest).abs() < 1e-9, "case {case}: {} {largest}", path.largest_step);
        assert!((path.length - length).abs() < 1e-9, "case {case}: {} {length}", path.length);
        check(&table, &options, &path, &format!("case {case}"));
        let Some(first) = path.obstacles.first() else { continue };
        // As far as any path gets: up to the pose before, one segment suffices.
        table.layers.truncate(first.index());
        let before = best_where(&table, &options, &|q| refusals.takes_row(q), &|a, b| refusals.takes(a, b));
        assert_eq!(before.map(|best| best.0), Some(0), "case {case}");
        if let Some(pair) = first.pair() {
            assert_eq!((pair, first.amount()), (("row", "wall"), 0.75), "case {case}");
        }
    }
    assert!(counts[..4].iter().all(|count| *count > 5), "{counts:?}");
    assert!(kinds.contains("collision") && kinds.len() > 2, "{kinds:?}");
}

#[test]
fn a_search_that_ends_at_its_first_obstacle_finds_the_same_one_or_the_same_path() {
    let (mut whole_paths, mut others, mut indices) = (0, 0, HashSet::new());
    let count = cases(600, 20_000);
    for case in 0..count {
        let mut rng = SeededRng::new(3_000_000 + case as u64);
        let mut table = random_table(&mut rng);
        let steps = [rng.uniform(1.5, 3.1), rng.uniform(1.5, 3.1), rng.uniform(0.4, 1.0)];
        let begins = [rng.uniform(-2.0, 2.0), rng.uniform(-4.0, 4.0), rng.uniform(-0.3, 0.3)];
        let whole =
            PathOptions { start: Some(begins.into()), max_joint_step: Some(steps.to_vec()), ..PathOptions::default() };
        let ended = PathOptions { ends_at_obstacle: true, ..whole.clone() };
        let mut refusals = Refusals::random(&mut rng, &table, whole.start.as_deref());
        let poses = targets(table.layers.len());
        let [wanted, found] = [&whole, &ended]
            .map(|options| solve_ik_path_with_where(&mut table, &poses, options, &mut refusals).unwrap());
        let index = |path: &IKPath| path.obstacles.first().map(kinetic_ik::Obstacle::index);
        assert_eq!(index(&found), index(&wanted), "case {case}");
        // Which step is named may hang on edges of which only the path behind the obstacle asks.
        others += usize::from(found.obstacles.first() != wanted.obstacles.first());
        let Some(first) = wanted.obstacles.first() else {
            whole_paths += 1;
            assert_eq!((found.q, found.success), (wanted.q, wanted.success), "case {case}");
            continue;
        };
        indices.insert(first.index());
    }
    assert!(whole_paths > 20 && indices.len() == 4, "{whole_paths} {indices:?}");
    assert!(others <= count / 1000, "{others} of {count} name another step");
}
