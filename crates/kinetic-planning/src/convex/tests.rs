use kinetic_core::rng::SeededRng;

use super::band_rows::BandRows;
use super::*;

/// The point of a half-plane that is nearest to two others in sum: on the straight line between them where that passes through, the
/// mirror point (Heron) where it does not.
#[test]
fn sums_of_distances_have_herons_minimum() {
    let ends = [[-1.0, 1.0], [2.0, 1.0]];
    // Variables: x, y, and two distances; y ≤ 0.
    let mut program = Program::new(4);
    program.at_most([(1, 1.0)].into_iter(), 0.0);
    for (index, end) in ends.iter().enumerate() {
        program.minimise(2 + index, 1.0);
        program.norm_at_most((0..2).map(|axis| (-end[axis], vec![(axis, 1.0)])), 2 + index);
    }
    let found = program.solve().unwrap_or_else(|| panic!("a solution"));
    assert!((found[0] - 0.5).abs() < 1e-6 && found[1].abs() < 1e-6, "{found:?}");
    let length = found[2] + found[3];
    assert!((length - 13.0_f64.sqrt()).abs() < 1e-6, "{length}");
}

/// What an edge costs.
#[derive(Debug, Clone, Copy)]
enum Cost {
    Distance,
    /// The largest change of a coordinate, and a hundredth of the distance.
    LargestChange,
}

/// Points between two ends, each behind some planes around a centre, and the least sum of the costs of edges.
fn cheapest_line(rng: &mut SeededRng, cost: Cost, [points, dof, planes]: [usize; 3]) -> Program {
    let costs = if let Cost::Distance = cost { 1 } else { 2 };
    let (of_edge, at) = (|edge: usize| edge * (dof + costs), |point: usize| point * (dof + costs) + costs);
    let mut program = Program::new(at(points));
    let size = [0.1, 1.0, 30.0][rng.below(3)];
    let somewhere = |rng: &mut SeededRng| (0..dof).map(|_| rng.uniform(-size, size)).collect::<Vec<f64>>();
    let ends = [somewhere(rng), somewhere(rng)];
    for edge in 0..=points {
        let step = |joint: usize| {
            let from = (edge > 0).then(|| (at(edge - 1) + joint, -1.0));
            let to = (edge < points).then(|| (at(edge) + joint, 1.0));
            let start = if edge == 0 { -ends[0][joint] } else { 0.0 };
            let end = if edge == points { ends[1][joint] } else { 0.0 };
            (start + end, from.into_iter().chain(to).collect::<Vec<_>>())
        };
        let [largest, distance] = [of_edge(edge), of_edge(edge) + costs - 1];
        program.minimise(distance, if costs == 1 { 1.0 } else { 0.01 });
        program.norm_at_most((0..dof).map(step), distance);
        if let Cost::LargestChange = cost {
            program.minimise(largest, 1.0);
            for (joint, sign) in (0..dof).flat_map(|joint| [(joint, 1.0), (joint, -1.0)]) {
                let (constant, terms) = step(joint);
                let terms = terms.into_iter().map(|(variable, factor)| (variable, sign * factor));
                program.at_most(terms.chain([(largest, -1.0)]), -sign * constant);
            }
        }
    }
    for point in 0..points {
        let centre = somewhere(rng);
        for _ in 0..planes {
            let normal: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let room = rng.uniform(0.0, 0.5 * size);
            let bound = normal.iter().zip(&centre).map(|(a, c)| a * c).sum::<f64>() + room;
            program.at_most((at(point)..).zip(normal), bound);
        }
    }
    program
}

/// How far a point is outside of the cones of a programme.
fn excess(program: &Program, x: &[f64]) -> f64 {
    let mut slacks: Vec<f64> = vec![0.0; program.offsets.len()];
    BandRows::new(&program.rows).add_product(x, &mut slacks);
    slacks.iter_mut().zip(&program.offsets).for_each(|(slack, offset)| *slack = offset - *slack);
    program.cones().unwrap().iter().map(|cone| cone.least_shift(&slacks)).fold(0.0, f64::max)
}

/// Clarabel is the oracle.
fn assert_solved(program: &Program, case: &str) {
    let cones = program.cones().unwrap();
    let search = InteriorPoint::new(&program.objective, &program.rows, &program.offsets, &cones);
    let Outcome::Solved(found) = search.minimum() else { panic!("{case}: no solution") };
    let cost = program.objective.iter().zip(&found).map(|(c, x)| c * x).sum::<f64>();
    let (excess, wanted) = (excess(program, &found), program.optimum(&Control::default()).unwrap().bound);
    assert!((cost - wanted).abs() < 1e-6 * (1.0 + cost.abs()), "{case}: {cost}, {wanted}");
    assert!(excess < 1e-7 * (1.0 + cost.abs()), "{case}: {excess}");
}

#[test]
fn lines_cost_what_those_of_another_solver_cost() {
    let mut rng = SeededRng::new(8);
    for round in 0..1000 {
        let cost = [Cost::Distance, Cost::LargestChange][round % 2];
        let counts = [1 + rng.below(6), 1 + rng.below(7), 1 + rng.below(20)];
        let case = format!("{round}: {cost:?}, points, coordinates, planes: {counts:?}");
        assert_solved(&cheapest_line(&mut rng, cost, counts), &case);
    }
}

/// The largest balls behind planes, or the least ones that planes leave no room for; many planes are there twice.
#[test]
fn balls_are_as_large_as_those_of_another_solver() {
    let mut rng = SeededRng::new(9);
    for round in 0..500 {
        let [dof, planes] = [1 + rng.below(7), rng.below(80)];
        let mut program = Program::new(dof + 1);
        program.minimise(dof, -1.0);
        program.at_most([(dof, 1.0)].into_iter(), 1.0);
        for (joint, sign) in (0..dof).flat_map(|joint| [(joint, 1.0), (joint, -1.0)]) {
            let bound = rng.uniform(0.0, 3.0);
            (0..2).for_each(|_| program.at_most([(joint, sign), (dof, 1.0)].into_iter(), bound));
        }
        for _ in 0..planes {
            let normal: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let length = normal.iter().map(|value| value * value).sum::<f64>().sqrt();
            let normal = normal.into_iter().map(|value| value / length);
            program.at_most((0..).zip(normal.chain([1.0])), rng.uniform(-0.5, 3.0));
        }
        assert_solved(&program, &format!("{round}: {dof} coordinates, {planes} planes"));
    }
}

/// Points behind planes of which many leave no room.
#[test]
fn what_another_solver_finds_infeasible_is() {
    let (mut rng, mut counts) = (SeededRng::new(10), [0; 2]);
    for round in 0..500 {
        let [dof, planes] = [1 + rng.below(7), 1 + rng.below(20)];
        let mut program = Program::new(dof + 1);
        program.minimise(0, 1.0);
        program.norm_at_most((0..dof).map(|joint| (0.0, vec![(1 + joint, 1.0)])), 0);
        for _ in 0..planes {
            let normal: Vec<f64> = (0..dof).map(|_| rng.uniform(-1.0, 1.0)).collect();
            program.at_most((1..).zip(normal), rng.uniform(-0.5, 0.3));
        }
        let wanted = program.optimum(&Control::default());
        let cones = program.cones().unwrap();
        match InteriorPoint::new(&program.objective, &program.rows, &program.offsets, &cones).minimum() {
            Outcome::Solved(_) => assert!(wanted.is_some(), "{round}: solved"),
            Outcome::Infeasible => assert!(wanted.is_none(), "{round}: infeasible"),
            Outcome::Stalled => panic!("{round}: stalled"),
        }
        counts[usize::from(wanted.is_some())] += 1;
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn contradictions_have_no_solution() {
    let mut program = Program::new(1);
    program.at_most([(0, 1.0)].into_iter(), 0.0);
    program.at_most([(0, -1.0)].into_iter(), -1.0);
    assert_eq!(program.solve(), None);
}
