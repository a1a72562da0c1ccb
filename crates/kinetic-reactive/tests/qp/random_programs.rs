//! Random programs.

use kinetic_core::rng::SeededRng;
use kinetic_reactive::qp::{ActiveSetSolver, QpOptions, QpStatus};
use nalgebra::{DMatrix, DVector};

use super::{Owned, assert_optimal, dot, plain, random_feasible};
use crate::cases;

#[test]
fn random_programs_end_at_points_that_meet_the_optimality_conditions() {
    for case in 0..cases(4000, 200_000) {
        let mut rng = SeededRng::new(case as u64);
        let (n, m) = (1 + rng.below(20), rng.below(60));
        let program = random_feasible(n, m, &mut rng);
        let mut solver = program.solver();
        let status = solver.solve(&program.program()).unwrap();
        assert_eq!(status, QpStatus::Solved, "case {case}, {n} variables, {m} rows");
        assert_optimal(&program, &solver, &format!("case {case}, {n} variables, {m} rows"));
    }
}

/// The least objective over all choices of active sides, by the linear system of each.
fn brute_force(program: &Owned) -> Option<f64> {
    let (n, all) = (program.n(), program.n() + program.m());
    let hessian = DMatrix::from_row_slice(n, n, &program.hessian);
    let normal = |index: usize| -> Vec<f64> {
        if index < n {
            (0..n).map(|k| f64::from(u8::from(k == index))).collect()
        } else {
            program.row(index - n).to_vec()
        }
    };
    let bounds = |index: usize| {
        if index < n {
            (program.lower[index], program.upper[index])
        } else {
            (program.row_lower[index - n], program.row_upper[index - n])
        }
    };
    let mut best: Option<f64> = None;
    for choice in 0..3_usize.pow(all as u32) {
        let side = |index: usize| choice / 3_usize.pow(index as u32) % 3;
        let active: Vec<(usize, f64)> = (0..all)
            .filter(|index| side(*index) > 0)
            .map(|index| (index, if side(index) == 1 { bounds(index).0 } else { bounds(index).1 }))
            .collect();
        if active.len() > n || active.iter().any(|(_, bound)| !bound.is_finite()) {
            continue;
        }
        let k = active.len();
        let mut matrix = DMatrix::zeros(n + k, n + k);
        let mut right = DVector::zeros(n + k);
        matrix.view_mut((0, 0), (n, n)).copy_from(&hessian);
        for variable in 0..n {
            right[variable] = -program.gradient[variable];
        }
        for (row, (index, bound)) in active.iter().enumerate() {
            for (variable, value) in normal(*index).into_iter().enumerate() {
                matrix[(n + row, variable)] = value;
                matrix[(variable, n + row)] = value;
            }
            right[n + row] = *bound;
        }
        let Some(solution) = matrix.full_piv_lu().solve(&right) else { continue };
        let x = &solution.as_slice()[..n];
        let keeps = |index: usize| {
            let (value, (low, high)) = (dot(&normal(index), x), bounds(index));
            let size = normal(index).iter().fold(0.0_f64, |size, value| size.max(value.abs())) + value.abs();
            value >= low - 1e-9 * size && value <= high + 1e-9 * size
        };
        if x.iter().all(|value| value.is_finite()) && (0..all).all(keeps) {
            let objective =
                0.5 * dot(x, (&hessian * DVector::from_column_slice(x)).as_slice()) + dot(&program.gradient, x);
            best = Some(best.map_or(objective, |best: f64| best.min(objective)));
        }
    }
    best
}

#[test]
fn small_programs_have_the_least_objective_of_all_active_sets() {
    let (mut solved, mut infeasible) = (0, 0);
    for case in 0..cases(400, 10_000) {
        let mut rng = SeededRng::new(1_000_000 + case as u64);
        let (n, m) = (1 + rng.below(3), rng.below(5));
        let mut program = random_feasible(n, m, &mut rng);
        // Some rows are moved away, so that there may be no point.
        for row in 0..m {
            if rng.below(4) == 0 && program.row(row).iter().any(|value| *value != 0.0) {
                let by = rng.uniform(-2.0, 2.0) * program.row(row)[0].abs();
                program.row_lower[row] += by;
                program.row_upper[row] += by;
            }
        }
        let mut solver = program.solver();
        match (solver.solve(&program.program()).unwrap(), brute_force(&program)) {
            (QpStatus::Solved, Some(least)) => {
                let x = DVector::from_column_slice(solver.x());
                let hessian = DMatrix::from_row_slice(n, n, &program.hessian);
                let objective = 0.5 * x.dot(&(hessian * &x)) + dot(&program.gradient, x.as_slice());
                let gap = (objective - least).abs();
                assert!(gap <= 1e-6 * (1.0 + least.abs()), "case {case}: {objective} instead of {least}");
                solved += 1;
            }
            (QpStatus::Infeasible(_), None) => infeasible += 1,
            (status, least) => panic!("case {case}: {status:?}, but all active sets give {least:?}"),
        }
    }
    assert!(solved > 100 && infeasible > 10, "{solved} solved, {infeasible} infeasible");
}

#[test]
fn programs_that_contradict_themselves_are_infeasible_whatever_is_around() {
    for case in 0..cases(1000, 50_000) {
        let mut rng = SeededRng::new(2_000_000 + case as u64);
        let (n, m) = (2 + rng.below(10), rng.below(20));
        let mut program = random_feasible(n, m, &mut rng);
        // Farkas: rows a·x ≤ b whose positive combination says 0 ≤ −1.
        let count = 1 + rng.below(n);
        let (mut last, mut bound) = (vec![0.0; n], 0.0);
        for _ in 0..count {
            let normal: Vec<f64> = (0..n).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let (b, factor) = (rng.uniform(-1.0, 1.0), rng.uniform(0.2, 1.0));
            for (last, value) in last.iter_mut().zip(&normal) {
                *last -= factor * value;
            }
            bound -= factor * b;
            program.rows.extend(normal);
            program.row_lower.push(f64::NEG_INFINITY);
            program.row_upper.push(b);
        }
        program.rows.extend(last);
        program.row_lower.push(f64::NEG_INFINITY);
        program.row_upper.push(bound - 1.0);
        let status = program.solver().solve(&program.program()).unwrap();
        assert!(matches!(status, QpStatus::Infeasible(_)), "case {case}: {status:?}");
    }
}

#[test]
fn a_warm_start_finds_the_same_minimum_in_fewer_iterations() {
    let (mut warm_iterations, mut cold_iterations) = (0, 0);
    for case in 0..cases(200, 5000) {
        let mut rng = SeededRng::new(3_000_000 + case as u64);
        let mut program = random_feasible(7, 24, &mut rng);
        let mut warm = program.solver();
        assert_eq!(warm.solve(&program.program()).unwrap(), QpStatus::Solved, "case {case}");
        for _ in 0..20 {
            for value in &mut program.gradient {
                *value += rng.uniform(-0.05, 0.05);
            }
            for value in &mut program.rows {
                *value *= 1.0 + rng.uniform(-1e-3, 1e-3);
            }
            let mut cold = program.solver();
            let (warm_status, cold_status) =
                (warm.solve(&program.program()).unwrap(), cold.solve(&program.program()).unwrap());
            match (warm_status, cold_status) {
                (QpStatus::Solved, QpStatus::Solved) => {}
                // Repeated equalities that were changed have no point, or one so far away that rounding decides.
                (
                    QpStatus::Infeasible(_) | QpStatus::IterationLimit,
                    QpStatus::Infeasible(_) | QpStatus::IterationLimit,
                ) => {
                    continue;
                }
                other => panic!("case {case}: {other:?}"),
            }
            assert_optimal(&program, &warm, &format!("case {case}, warm"));
            for (warm, cold) in warm.x().iter().zip(cold.x()) {
                assert!((warm - cold).abs() < 1e-7 * (1.0 + cold.abs()), "case {case}: {warm} and {cold}");
            }
            warm_iterations += warm.iterations();
            cold_iterations += cold.iterations();
        }
    }
    assert!(2 * warm_iterations < cold_iterations, "{warm_iterations} warm, {cold_iterations} cold");
}

#[test]
fn a_solve_allocates_nothing() {
    let mut rng = SeededRng::new(7);
    let programs: Vec<Owned> = (0..20).map(|_| random_feasible(7, 24, &mut rng)).collect();
    let mut solver = ActiveSetSolver::new(7, 24, QpOptions::default()).unwrap();
    for program in &programs {
        let program = program.program();
        let counted = allocation_counter::measure(|| {
            assert_eq!(solver.solve(&program).unwrap(), QpStatus::Solved);
        });
        assert_eq!(counted.count_total, 0);
    }
}

#[test]
fn the_iteration_limit_ends_a_solve() {
    let mut program = plain(4);
    program.gradient = vec![-9.0; 4];
    program.upper = vec![1.0; 4];
    let mut solver = ActiveSetSolver::new(4, 0, QpOptions { max_iterations: 2, ..QpOptions::default() }).unwrap();
    assert_eq!(solver.solve(&program.program()).unwrap(), QpStatus::IterationLimit);
    assert!(solver.x().iter().all(|value| *value <= 1.0));
}
