//! Soft rows.

use kinetic_core::rng::SeededRng;
use kinetic_reactive::qp::QpStatus;

use super::{assert_optimal, plain, random_feasible};
use crate::cases;

#[test]
fn a_soft_row_gives_way_by_its_weight() {
    // minimise ½ x² + ½ w s² with x ≥ 1 − s: x = w / (1 + w).
    for weight in [0.1, 1.0, 100.0, 1e6] {
        let mut program = plain(1);
        program.rows = vec![2.0];
        program.row_lower = vec![2.0];
        program.row_upper = vec![f64::INFINITY];
        program.slack_weights = vec![weight / 4.0];
        let mut solver = program.solver();
        assert_eq!(solver.solve(&program.program()).unwrap(), QpStatus::Solved);
        assert!((solver.x()[0] - weight / (1.0 + weight)).abs() < 1e-12, "{weight}: {:?}", solver.x());
        let slack = -solver.row_multipliers()[0] / program.slack_weights[0];
        assert!((slack - 2.0 / (1.0 + weight)).abs() < 1e-10, "{weight}: {slack}");
    }
}

#[test]
fn soft_rows_that_contradict_hard_ones_never_make_a_program_infeasible() {
    for case in 0..cases(2000, 100_000) {
        let mut rng = SeededRng::new(4_000_000 + case as u64);
        let (n, m) = (1 + rng.below(10), rng.below(15));
        let mut program = random_feasible(n, m, &mut rng);
        program.slack_weights = vec![f64::INFINITY; m];
        for _ in 0..=rng.below(15) {
            let normal: Vec<f64> = (0..n).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let low = rng.uniform(-3.0, 3.0);
            program.rows.extend(normal);
            program.row_lower.push(low);
            program.row_upper.push(if rng.below(3) == 0 { low + rng.uniform(0.0, 1.0) } else { f64::INFINITY });
            program.slack_weights.push(10.0_f64.powf(rng.uniform(-2.0, 4.0)));
        }
        let mut solver = program.solver();
        assert_eq!(solver.solve(&program.program()).unwrap(), QpStatus::Solved, "case {case}");
        assert_optimal(&program, &solver, &format!("case {case}"));
    }
}
