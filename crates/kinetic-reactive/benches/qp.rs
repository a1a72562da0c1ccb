//! What a quadratic program of a control loop costs, warm and cold.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench may panic")]

use criterion::{Criterion, criterion_group, criterion_main};
use kinetic_core::rng::SeededRng;
use kinetic_reactive::qp::{ActiveSetSolver, QpOptions, QpStatus, QuadraticProgram};

/// Least squares of a 6 × n Jacobian with boxes, and `m` rows that the origin keeps.
fn data(n: usize, m: usize) -> (Vec<f64>, Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
    let mut rng = SeededRng::new(3);
    let jacobian: Vec<f64> = (0..6 * n).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let mut hessian = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            hessian[i * n + j] = (0..6).map(|k| jacobian[k * n + i] * jacobian[k * n + j]).sum();
        }
        hessian[i * n + i] += 1e-3;
    }
    let start: Vec<f64> = (0..n).map(|_| rng.uniform(-4.0, 4.0)).collect();
    let gradients = (0..200).map(|k| start.iter().map(|value| value + (0.02 * f64::from(k)).sin()).collect()).collect();
    let rows = (0..m * n).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let row_lower = (0..m).map(|_| -rng.uniform(0.1, 1.0)).collect();
    (hessian, gradients, rows, row_lower)
}

fn programs(bench: &mut Criterion) {
    for (n, m) in [(7, 24), (20, 100)] {
        let (hessian, gradients, rows, row_lower) = data(n, m);
        let (lower, upper, row_upper) = (vec![-1.0; n], vec![1.0; n], vec![f64::INFINITY; m]);
        for (name, is_warm) in [("warm", true), ("cold", false)] {
            let mut solver = ActiveSetSolver::new(n, m, QpOptions::default()).unwrap();
            let mut k = 0;
            bench.bench_function(&format!("qp/{n}x{m}/{name}"), |b| {
                b.iter(|| {
                    k = (k + 1) % gradients.len();
                    if !is_warm {
                        solver.reset();
                    }
                    let status = solver.solve(&QuadraticProgram {
                        hessian: &hessian,
                        gradient: &gradients[k],
                        lower: &lower,
                        upper: &upper,
                        rows: &rows,
                        row_lower: &row_lower,
                        row_upper: &row_upper,
                        slack_weights: &[],
                    });
                    assert_eq!(status, Ok(QpStatus::Solved));
                });
            });
        }
    }
}

criterion_group!(benches, programs);
criterion_main!(benches);
