//! Velocity problems of random Jacobians, for every solver of the registry.

use kinetic_core::rng::SeededRng;
use kinetic_reactive::differential_ik::{
    SingularityDamping, VELOCITY_SOLVERS, VelocityLimit, VelocityProblem, VelocitySizes, VelocitySolver,
    VelocitySolverSpec,
};
use nalgebra::{DMatrix, DVector};

use crate::cases;

const INF: f64 = f64::INFINITY;

/// Data of a problem.
struct Owned {
    n: usize,
    jacobian: Vec<f64>,
    wanted: Vec<f64>,
    weights: Vec<f64>,
    posture: Vec<f64>,
    bias: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    rows: Vec<f64>,
    row_bounds: Vec<f64>,
    row_weights: Vec<f64>,
    regularization: f64,
}

impl Owned {
    fn random(n: usize, m: usize, rng: &mut SeededRng) -> Self {
        let mut vector =
            |count: usize, size: f64| -> Vec<f64> { (0..count).map(|_| rng.uniform(-size, size)).collect() };
        Self {
            n,
            jacobian: vector(n * m, 1.0),
            wanted: vector(m, 1.0),
            weights: vector(m, 0.9).iter().map(|value| 1.0 + value).collect(),
            posture: vector(n, 1.0),
            bias: Vec::new(),
            lower: vec![-INF; n],
            upper: vec![INF; n],
            rows: Vec::new(),
            row_bounds: Vec::new(),
            row_weights: Vec::new(),
            regularization: 0.0,
        }
    }

    fn problem(&self) -> VelocityProblem<'_> {
        VelocityProblem {
            jacobian: &self.jacobian,
            wanted: &self.wanted,
            weights: &self.weights,
            posture: &self.posture,
            bias: &self.bias,
            lower: &self.lower,
            upper: &self.upper,
            rows: &self.rows,
            row_bounds: &self.row_bounds,
            row_weights: &self.row_weights,
            regularization: self.regularization,
        }
    }

    fn matrix(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.wanted.len(), self.n, &self.jacobian)
    }

    fn weighted(&self) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_vec(self.weights.iter().map(|weight| weight.sqrt()).collect()))
            * self.matrix()
    }

    fn error(&self, velocity: &[f64]) -> f64 {
        let roots = DVector::from_vec(self.weights.iter().map(|weight| weight.sqrt()).collect());
        let gap = self.matrix() * DVector::from_column_slice(velocity) - DVector::from_column_slice(&self.wanted);
        gap.component_mul(&roots).norm()
    }

    fn row(&self, row: usize, velocity: &[f64]) -> f64 {
        self.rows[row * self.n..(row + 1) * self.n].iter().zip(velocity).map(|(a, v)| a * v).sum()
    }

    /// Adds rows that standing still keeps.
    fn add_rows(&mut self, count: usize, rng: &mut SeededRng) {
        for _ in 0..count {
            self.rows.extend((0..self.n).map(|_| rng.uniform(-1.0, 1.0)));
            self.row_bounds.push(if rng.below(4) == 0 { 0.0 } else { -rng.uniform(0.0, 0.5) });
        }
    }
}

fn solvers(n: usize, m: usize, rows: usize) -> Vec<(&'static str, Box<dyn VelocitySolver>)> {
    let sizes = VelocitySizes { joints: n, task_rows: m, rows };
    let make = |spec: &VelocitySolverSpec| (spec.name, spec.make(&sizes, SingularityDamping::default()).unwrap());
    VELOCITY_SOLVERS.iter().map(make).collect()
}

#[test]
fn without_bounds_velocities_are_those_of_the_pseudo_inverse_and_the_projected_posture() {
    for case in 0..cases(500, 20_000) {
        let mut rng = SeededRng::new(case as u64);
        let (n, m) = (1 + rng.below(14), rng.below(13));
        let problem = Owned::random(n, m, &mut rng);
        let weighted = problem.weighted();
        let smallest = if m > 0 { weighted.singular_values().min() } else { 1.0 };
        if smallest < 0.06 {
            continue;
        }
        let wanted = DVector::from_iterator(m, problem.wanted.iter().zip(&problem.weights).map(|(v, w)| v * w.sqrt()));
        let inverse = if m > 0 { weighted.clone().pseudo_inverse(1e-12).unwrap() } else { DMatrix::zeros(n, 0) };
        let null = DMatrix::identity(n, n) - &inverse * &weighted;
        let oracle = &inverse * wanted + null * DVector::from_column_slice(&problem.posture);
        for (name, mut solver) in solvers(n, m, 0) {
            let mut velocity = vec![0.0; n];
            let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
            for (value, oracle) in velocity.iter().zip(&oracle) {
                assert!((value - oracle).abs() < 1e-9 * (1.0 + oracle.abs()), "{name}, case {case}: {value}, {oracle}");
            }
            assert_eq!((outcome.damping, outcome.limit, outcome.infeasible_row), (0.0, None, None), "{name}, {case}");
            if m <= n {
                assert!((outcome.achieved - 1.0).abs() < 1e-9, "{name}, case {case}: {}", outcome.achieved);
            }
        }
    }
}

#[test]
fn bounds_and_hard_rows_hold_and_velocities_are_finite_whatever_the_jacobian() {
    for case in 0..cases(2000, 100_000) {
        let mut rng = SeededRng::new(10_000 + case as u64);
        let (n, m, k) = (1 + rng.below(14), rng.below(13), rng.below(20));
        let mut problem = Owned::random(n, m, &mut rng);
        // Lost directions: rows that repeat, columns of zeros, or nothing but zeros.
        match rng.below(5) {
            0 if m > 1 => problem.jacobian.copy_within(0..n, n),
            1 if m > 0 => (0..m).for_each(|row| problem.jacobian[row * n] = 0.0),
            2 => problem.jacobian.fill(0.0),
            _ => {}
        }
        problem.lower = (0..n).map(|_| -rng.uniform(0.0, 1.0)).collect();
        problem.upper = (0..n).map(|_| rng.uniform(0.0, 1.0)).collect();
        problem.add_rows(k, &mut rng);
        for (name, mut solver) in solvers(n, m, k) {
            let mut velocity = vec![0.0; n];
            let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
            for joint in 0..n {
                let value = velocity[joint];
                let is_inside = value >= problem.lower[joint] && value <= problem.upper[joint];
                assert!(is_inside, "{name}, case {case}: {value}");
            }
            for row in 0..k {
                let gap = problem.row(row, &velocity) - problem.row_bounds[row];
                assert!(gap > -1e-9, "{name}, case {case}: row {row} missed by {gap:e}");
            }
            assert_eq!(
                outcome.infeasible_row, None,
                "{name}, case {case}, {n} {m} {k} {:?} {:?} {:?}",
                problem.rows, problem.row_bounds, problem.lower
            );
        }
    }
}

#[test]
fn no_direction_from_the_answer_of_qp_lowers_the_error() {
    // Random feasible points are never better: the least squared error is the minimum of a convex problem.
    let mut limited = 0;
    for case in 0..cases(300, 10_000) {
        let mut rng = SeededRng::new(20_000 + case as u64);
        let (n, k) = (2 + rng.below(6), rng.below(8));
        let mut problem = Owned::random(n, n.min(6), &mut rng);
        if problem.weighted().singular_values().min() < 0.06 {
            continue;
        }
        problem.lower = vec![-0.3; n];
        problem.upper = vec![0.3; n];
        problem.add_rows(k, &mut rng);
        let (_, mut solver) = solvers(n, n.min(6), k).remove(0);
        let mut velocity = vec![0.0; n];
        let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
        limited += usize::from(outcome.limit.is_some());
        let least = problem.error(&velocity);
        for _ in 0..200 {
            let size = 10.0_f64.powf(rng.uniform(-4.0, 0.0));
            let other: Vec<f64> =
                velocity.iter().map(|value| (value + size * rng.uniform(-1.0, 1.0)).clamp(-0.3, 0.3)).collect();
            if (0..k).all(|row| problem.row(row, &other) >= problem.row_bounds[row]) {
                let error = problem.error(&other);
                // The least regularization lets at most 1e-3 of the error be traded.
                assert!(error > least * (1.0 - 1e-3) - 1e-9, "case {case}: {error} below {least}");
            }
        }
    }
    assert!(limited > 50, "{limited}");
}

/// The optimum of a convex program: with weights on differences from the pseudo-inverse, which nalgebra finds, no feasible point is better.
#[test]
fn regularization_weighs_differences_from_the_velocities_without_bounds() {
    let mut limited = 0;
    for case in 0..cases(300, 10_000) {
        let mut rng = SeededRng::new(50_000 + case as u64);
        let (n, k) = (7, 1 + rng.below(8));
        let mut problem = Owned::random(n, 6, &mut rng);
        if problem.weighted().singular_values().min() < 0.06 {
            continue;
        }
        problem.posture.fill(0.0);
        problem.weights.fill(1.0);
        problem.regularization = 10.0_f64.powf(rng.uniform(-3.0, 1.0));
        let free = problem.matrix().pseudo_inverse(1e-12).unwrap() * DVector::from_column_slice(&problem.wanted);
        (problem.lower, problem.upper) = (vec![-0.5; n], vec![0.5; n]);
        problem.add_rows(k, &mut rng);
        let cost = |velocity: &[f64]| {
            let difference = DVector::from_column_slice(velocity) - &free;
            problem.error(velocity).powi(2) + problem.regularization * difference.norm_squared()
        };
        let (_, mut solver) = solvers(n, 6, k).remove(0);
        let mut velocity = vec![0.0; n];
        limited += usize::from(solver.solve(&problem.problem(), &mut velocity).unwrap().limit.is_some());
        let least = cost(&velocity);
        for _ in 0..200 {
            let size = 10.0_f64.powf(rng.uniform(-4.0, 0.0));
            let other: Vec<f64> =
                velocity.iter().map(|value| (value + size * rng.uniform(-1.0, 1.0)).clamp(-0.5, 0.5)).collect();
            if (0..k).all(|row| problem.row(row, &other) >= problem.row_bounds[row]) {
                assert!(cost(&other) > least * (1.0 - 1e-9) - 1e-12, "case {case}: {} below {least}", cost(&other));
            }
        }
    }
    assert!(limited > 50, "{limited}");
}

#[test]
fn damped_keeps_the_direction_of_the_task() {
    for case in 0..cases(500, 20_000) {
        let mut rng = SeededRng::new(30_000 + case as u64);
        let n = 6 + rng.below(3);
        let mut problem = Owned::random(n, 6, &mut rng);
        if problem.weighted().singular_values().min() < 0.06 {
            continue;
        }
        problem.lower = (0..n).map(|_| -rng.uniform(0.1, 0.4)).collect();
        problem.upper = (0..n).map(|_| rng.uniform(0.1, 0.4)).collect();
        problem.add_rows(4, &mut rng);
        let solver = VelocitySolverSpec::by_name("damped").unwrap();
        let sizes = VelocitySizes { joints: n, task_rows: 6, rows: 4 };
        let mut velocity = vec![0.0; n];
        let mut solver = solver.make(&sizes, SingularityDamping::default()).unwrap();
        let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
        let reached = problem.matrix() * DVector::from_column_slice(&velocity);
        let wanted = DVector::from_column_slice(&problem.wanted);
        let gap = (reached - wanted * outcome.achieved).norm();
        assert!(gap < 1e-9, "case {case}: {gap:e}");
        assert!(outcome.achieved > -1e-12 && outcome.achieved < 1.0 + 1e-9);
        assert_eq!(outcome.achieved < 1.0 - 1e-9, outcome.limit.is_some(), "case {case}");
    }
}

#[test]
fn joints_that_have_to_move_do_and_rows_that_contradict_bounds_are_named() {
    for (name, mut solver) in solvers(3, 1, 2) {
        let mut rng = SeededRng::new(1);
        let mut problem = Owned::random(3, 1, &mut rng);
        problem.lower = vec![-1.0, 0.2, -1.0];
        problem.upper = vec![1.0, 0.3, 1.0];
        let mut velocity = vec![0.0; 3];
        solver.solve(&problem.problem(), &mut velocity).unwrap();
        assert!(velocity[1] >= 0.2 && velocity[1] <= 0.3, "{name}: {velocity:?}");
        problem.rows = vec![0.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        problem.row_bounds = vec![-0.5, 2.0];
        let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
        assert!(velocity[1] >= 0.2 && velocity[1] <= 0.3, "{name}: {velocity:?}");
        if name == "qp" {
            assert_eq!((outcome.infeasible_row, outcome.limit), (Some(1), Some(VelocityLimit::Row(1))));
            assert_eq!(velocity, [0.0, 0.2, 0.0]);
            problem.row_weights = vec![INF, 1e4];
            let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
            assert_eq!(outcome.infeasible_row, None);
            assert!((velocity[1] - 0.3).abs() < 1e-12, "{velocity:?}");
        }
    }
}

#[test]
fn a_joint_at_its_end_is_no_part_of_the_arm_and_is_named() {
    // Two rows of three joints. Without the third joint the second row is lost but for 0.001, which bounds alone would follow.
    let mut problem = Owned::random(3, 2, &mut SeededRng::new(0));
    problem.jacobian = vec![1.0, 0.0, 0.0, 0.0, 1e-3, 1.0];
    (problem.wanted, problem.weights, problem.posture) = (vec![0.1, -0.5], vec![1.0; 2], vec![0.0; 3]);
    (problem.lower, problem.upper) = (vec![-2.0, -2.0, 0.0], vec![2.0; 3]);
    let (_, mut solver) = solvers(3, 2, 0).remove(0);
    let mut velocity = [0.0; 3];
    let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
    // Damped by 0.05: 0.001 / (0.001² + 0.05² (1 − 0.02²)) of 0.5.
    let damped = -0.5 * 1e-3 / (1e-6 + 0.0025 * (1.0 - 4e-4));
    assert!((velocity[0] - 0.1).abs() < 1e-9 && (velocity[1] - damped).abs() < 1e-9, "{velocity:?} {damped}");
    assert_eq!((velocity[2], outcome.limit), (0.0, Some(VelocityLimit::Joint(2))));
    assert!((outcome.damping - 0.05 * (1.0_f64 - 4e-4).sqrt()).abs() < 1e-9, "{outcome:?}");
    // The other way it is not at its end.
    problem.wanted[1] = 0.5;
    let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
    assert!((velocity[2] - 0.5).abs() < 1e-5 && outcome.limit.is_none() && outcome.damping == 0.0, "{outcome:?}");
}

#[test]
fn soft_rows_hold_before_the_task_does() {
    let mut problem = Owned::random(2, 2, &mut SeededRng::new(0));
    problem.jacobian = vec![1.0, 0.0, 0.0, 1.0];
    (problem.wanted, problem.weights) = (vec![-1.0, 0.5], vec![1.0; 2]);
    (problem.rows, problem.row_bounds, problem.row_weights) = (vec![1.0, 0.0], vec![-0.25], vec![1e6]);
    let (_, mut solver) = solvers(2, 2, 1).remove(0);
    let mut velocity = [0.0; 2];
    let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
    assert!((velocity[0] + 0.25).abs() < 1e-5 && (velocity[1] - 0.5).abs() < 1e-9, "{velocity:?}");
    assert_eq!(outcome.limit, Some(VelocityLimit::Row(0)));
}

#[test]
fn lost_directions_alone_are_damped_and_rise_smoothly() {
    let damping = SingularityDamping::default();
    // Where little is wanted, 0.05 of that takes the place of the squared damping.
    let cases = [0.01, 0.2].into_iter().flat_map(|wanted| solvers(3, 2, 0).into_iter().map(move |made| (wanted, made)));
    for (wanted, (name, mut solver)) in cases {
        let most = damping.damping.powi(2).min(0.05 * wanted);
        let mut previous: Option<f64> = None;
        for step in 0..=400 {
            let sigma = 0.1 * f64::from(step) / 400.0;
            let mut problem = Owned::random(3, 2, &mut SeededRng::new(0));
            problem.jacobian = vec![2.0, 0.0, 0.0, 0.0, sigma, 0.0];
            (problem.wanted, problem.weights, problem.posture) = (vec![1.0, wanted], vec![1.0; 2], vec![0.0; 3]);
            let mut velocity = [0.0; 3];
            let outcome = solver.solve(&problem.problem(), &mut velocity).unwrap();
            let ratio: f64 = sigma / damping.singular_value;
            let squared = if ratio < 1.0 { (1.0 - ratio * ratio) * most } else { 0.0 };
            let lost = if sigma > 0.0 { wanted * sigma / (sigma * sigma + squared) } else { 0.0 };
            assert!((velocity[0] - 0.5).abs() < 1e-12, "{name}: {velocity:?}");
            assert!((velocity[1] - lost).abs() < 1e-12, "{name}, σ {sigma}: {} and {lost}", velocity[1]);
            assert!((outcome.damping - squared.sqrt()).abs() < 1e-9 && velocity[2] == 0.0);
            let steepest = 1.01 * 0.1 / 400.0 * wanted / most;
            assert!(previous.is_none_or(|previous| (velocity[1] - previous).abs() < steepest), "{name}, σ {sigma}");
            previous = Some(velocity[1]);
        }
    }
}

#[test]
fn solvers_allocate_nothing_and_answer_alike_when_they_are_reset() {
    let mut rng = SeededRng::new(9);
    for (name, mut solver) in solvers(7, 6, 24) {
        let mut first = Vec::new();
        let problems: Vec<Owned> = (0..20)
            .map(|_| {
                let mut problem = Owned::random(7, 6, &mut rng);
                problem.lower = vec![-0.5; 7];
                problem.upper = vec![0.5; 7];
                problem.add_rows(24, &mut rng);
                problem
            })
            .collect();
        for round in 0..2 {
            for (index, problem) in problems.iter().enumerate() {
                let mut velocity = [0.0; 7];
                let counted = allocation_counter::measure(|| {
                    solver.solve(&problem.problem(), &mut velocity).unwrap();
                });
                assert_eq!(counted.count_total, 0, "{name}");
                if round == 0 {
                    first.push(velocity);
                } else {
                    solver.reset();
                    assert!(velocity.iter().zip(&first[index]).all(|(a, b)| (a - b).abs() < 1e-9), "{name}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_problem_is_refused() {
    let refused = |change: fn(&mut Owned)| {
        let mut problem = Owned::random(2, 1, &mut SeededRng::new(0));
        change(&mut problem);
        let mut texts = Vec::new();
        for (_, mut solver) in solvers(2, 1, 1) {
            texts.push(solver.solve(&problem.problem(), &mut [0.0; 2]).unwrap_err().to_string());
        }
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        texts.remove(0)
    };
    assert!(refused(|p| p.jacobian.push(0.0)).contains("Jacobian"));
    assert!(refused(|p| p.wanted[0] = f64::NAN).contains("wanted velocity"));
    assert!(refused(|p| p.weights[0] = 0.0).contains("weight"));
    assert!(refused(|p| p.posture[1] = INF).contains("posture"));
    assert!(refused(|p| (p.lower[1], p.upper[1]) = (1.0, 0.0)).contains("joint 1"));
    assert!(refused(|p| p.upper[0] = f64::NAN).contains("joint 0"));
    assert!(refused(|p| p.rows = vec![0.0; 2]).contains("inequality rows"));
    let error = VelocitySolverSpec::by_name("newton").unwrap_err().to_string();
    assert!(error.contains("qp") && error.contains("damped"), "{error}");
    let sizes = VelocitySizes { joints: 0, task_rows: 1, rows: 0 };
    assert!(VELOCITY_SOLVERS.iter().all(|spec| spec.make(&sizes, SingularityDamping::default()).is_err()));
    let sizes = VelocitySizes { joints: 1, ..sizes };
    let bad = SingularityDamping { damping: -1.0, ..SingularityDamping::default() };
    assert!(VELOCITY_SOLVERS.iter().all(|spec| spec.make(&sizes, bad).is_err()));
}

#[test]
fn every_solver_of_the_registry_is_found_by_its_own_name() {
    for (index, spec) in VELOCITY_SOLVERS.iter().enumerate() {
        assert_eq!(VelocitySolverSpec::by_name(spec.name).unwrap().name, spec.name);
        assert!(!spec.summary.is_empty() && !spec.source.is_empty());
        assert!(VELOCITY_SOLVERS[..index].iter().all(|other| other.name != spec.name));
    }
}
