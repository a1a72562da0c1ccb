//! Cases at the edge, with values by hand.

use kinetic_core::KineticError;
use kinetic_reactive::qp::{ActiveSetSolver, QpOptions, QpRow, QpStatus};

use super::{Owned, assert_optimal, plain};

fn add_row(program: &mut Owned, normal: &[f64], lower: f64, upper: f64) {
    program.rows.extend(normal);
    program.row_lower.push(lower);
    program.row_upper.push(upper);
}

fn solved(program: &Owned) -> Vec<f64> {
    let mut solver = program.solver();
    assert_eq!(solver.solve(&program.program()).unwrap(), QpStatus::Solved);
    assert_optimal(program, &solver, "boundary case");
    solver.x().to_vec()
}

const INF: f64 = f64::INFINITY;

#[test]
fn equal_bounds_fix_variables_and_rows() {
    let mut program = plain(3);
    (program.lower[0], program.upper[0]) = (0.25, 0.25);
    add_row(&mut program, &[1.0, 1.0, 1.0], 1.0, 1.0);
    let x = solved(&program);
    assert!(x[0] == 0.25 && (x[1] - 0.375).abs() < 1e-14 && (x[2] - 0.375).abs() < 1e-14, "{x:?}");
}

#[test]
fn bounds_that_cross_by_rounding_are_equal() {
    let mut program = plain(2);
    (program.lower[0], program.upper[0]) = (0.5 + 1e-16, 0.5);
    add_row(&mut program, &[0.0, 1.0], 0.3 + 1e-16, 0.3);
    // One row from above and one from below that miss each other by rounding.
    add_row(&mut program, &[1.0, 1.0], 0.8 + 2e-16, INF);
    add_row(&mut program, &[1.0, 1.0], -INF, 0.8);
    let x = solved_within(&program);
    assert!((x[0] - 0.5).abs() < 1e-15 && (x[1] - 0.3).abs() < 1e-14, "{x:?}");
}

fn solved_within(program: &Owned) -> Vec<f64> {
    let mut solver = program.solver();
    assert_eq!(solver.solve(&program.program()).unwrap(), QpStatus::Solved);
    solver.x().to_vec()
}

#[test]
fn repeated_and_redundant_rows_change_nothing() {
    let mut program = plain(2);
    program.gradient = vec![-4.0, -4.0];
    for _ in 0..10 {
        add_row(&mut program, &[1.0, 1.0], -INF, 2.0);
        add_row(&mut program, &[2.0, 2.0], -INF, 4.0);
        add_row(&mut program, &[1.0, 0.0], -INF, 1.0);
        add_row(&mut program, &[0.0, 1e-9], -INF, 1e-9);
        add_row(&mut program, &[1.0, 1.0], -INF, 2.0 + 1e-13);
    }
    let x = solved(&program);
    assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12, "{x:?}");
}

#[test]
fn repeated_equalities_are_one() {
    let mut program = plain(3);
    for factor in [1.0, -3.0, 1e-6, 1e6] {
        add_row(&mut program, &[factor, factor, 0.0], 2.0 * factor, 2.0 * factor);
    }
    let x = solved(&program);
    assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12 && x[2] == 0.0, "{x:?}");
    add_row(&mut program, &[1.0, 1.0, 0.0], 2.1, 2.1);
    let status = program.solver().solve(&program.program()).unwrap();
    assert!(matches!(status, QpStatus::Infeasible(QpRow::Row(_))), "{status:?}");
}

#[test]
fn rows_of_zeros_hold_or_are_named() {
    let mut program = plain(2);
    add_row(&mut program, &[0.0, 0.0], -1.0, 1.0);
    add_row(&mut program, &[0.0, 0.0], 1e-16, INF);
    assert_eq!(solved_within(&program), [0.0, 0.0]);
    add_row(&mut program, &[0.0, 0.0], 0.1, INF);
    assert_eq!(program.solver().solve(&program.program()).unwrap(), QpStatus::Infeasible(QpRow::Row(2)));
}

#[test]
fn the_row_that_cannot_hold_is_named() {
    let mut program = plain(2);
    program.upper = vec![1.0, 1.0];
    add_row(&mut program, &[1.0, 1.0], 3.0, INF);
    assert_eq!(program.solver().solve(&program.program()).unwrap(), QpStatus::Infeasible(QpRow::Row(0)));
    let mut crossed = plain(2);
    (crossed.lower[1], crossed.upper[1]) = (1.0, 0.0);
    assert_eq!(crossed.solver().solve(&crossed.program()).unwrap(), QpStatus::Infeasible(QpRow::Bound(1)));
}

#[test]
fn scales_of_rows_and_variables_do_not_matter() {
    for scale in [1e-150, 1e-12, 1.0, 1e12, 1e150] {
        let mut program = plain(2);
        program.gradient = vec![-4.0, -3.0];
        add_row(&mut program, &[scale, scale], -INF, 2.0 * scale);
        let x = solved_within(&program);
        assert!((x[0] - 1.5).abs() < 1e-12 && (x[1] - 0.5).abs() < 1e-12, "{scale:e}: {x:?}");
    }
    // A joint in micrometres beside one in radians.
    let mut program = plain(2);
    program.hessian = vec![1e-12, 0.0, 0.0, 1.0];
    program.gradient = vec![-4e-6, -3.0];
    add_row(&mut program, &[1e-6, 1.0], -INF, 2.0);
    let x = solved_within(&program);
    assert!((x[0] - 1.5e6).abs() < 1e-3 && (x[1] - 0.5).abs() < 1e-9, "{x:?}");
}

#[test]
fn a_nearly_singular_hessian_is_solved_and_a_singular_one_refused() {
    let mut program = plain(2);
    // J = [1 1], regularised by 1e-8.
    program.hessian = vec![1.0 + 1e-8, 1.0, 1.0, 1.0 + 1e-8];
    program.gradient = vec![-1.0, -1.0];
    program.upper = vec![0.25, INF];
    let x = solved_within(&program);
    assert!((x[0] - 0.25).abs() < 1e-12 && (x[1] - 0.75).abs() < 1e-7, "{x:?}");
    program.hessian = vec![1.0; 4];
    let error = program.solver().solve(&program.program()).unwrap_err();
    assert!(matches!(&error, KineticError::InvalidValue { name, .. } if name.starts_with("Hessian")), "{error}");
}

#[test]
fn degenerate_vertices_are_reached() {
    // Many planes through one point, at which the minimum lies.
    let mut program = plain(3);
    program.gradient = vec![-5.0, -7.0, -6.0];
    for index in 0..60 {
        let angle = f64::from(index) * 0.1;
        let normal = [1.0 + 0.5 * angle.cos(), 1.0 + 0.5 * angle.sin(), 1.0];
        add_row(&mut program, &normal, -INF, normal.iter().sum());
    }
    let x = solved(&program);
    assert!(x.iter().all(|value| (value - 1.0).abs() < 1e-9), "{x:?}");
}

#[test]
fn what_cannot_be_solved_is_refused_by_name() {
    let options = QpOptions::default();
    assert!(ActiveSetSolver::new(0, 1, options).is_err());
    assert!(ActiveSetSolver::new(1, 1, QpOptions { max_iterations: 0, ..options }).is_err());
    assert!(ActiveSetSolver::new(1, 1, QpOptions { tolerance: f64::NAN, ..options }).is_err());
    let mut solver = ActiveSetSolver::new(2, 1, options).unwrap();
    let mut refused = |change: fn(&mut Owned)| {
        let mut program = plain(2);
        add_row(&mut program, &[1.0, 0.0], 0.0, 1.0);
        change(&mut program);
        solver.solve(&program.program()).unwrap_err().to_string()
    };
    assert!(refused(|p| p.gradient[1] = f64::NAN).contains("gradient"));
    assert!(refused(|p| p.rows[1] = INF).contains("rows"));
    assert!(refused(|p| p.row_upper[0] = f64::NAN).contains("upper bounds of rows"));
    assert!(refused(|p| p.lower[0] = INF).contains("lower bounds"));
    assert!(refused(|p| p.hessian[0] = -1.0).contains("Hessian"));
    assert!(refused(|p| p.slack_weights = vec![0.0]).contains("slack weight"));
    assert!(refused(|p| p.gradient = vec![0.0]).contains("gradient"));
    assert!(refused(|p| add_row(p, &[1.0, 1.0], 0.0, 1.0)).contains("at most the 1"));
}
