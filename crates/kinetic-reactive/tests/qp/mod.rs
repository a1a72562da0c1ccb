//! Quadratic programs. Oracles: the conditions of Karush, Kuhn and Tucker, all active sets of small programs one by one,
//! Farkas' certificates of programs made to be infeasible, values by hand.

mod boundary_cases;
mod random_programs;
mod soft_rows;

use kinetic_core::rng::SeededRng;
use kinetic_reactive::qp::{ActiveSetSolver, QpOptions, QuadraticProgram};
use nalgebra::DMatrix;

/// A program that owns its data.
#[derive(Debug, Clone)]
struct Owned {
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    rows: Vec<f64>,
    row_lower: Vec<f64>,
    row_upper: Vec<f64>,
    slack_weights: Vec<f64>,
}

impl Owned {
    fn program(&self) -> QuadraticProgram<'_> {
        QuadraticProgram {
            hessian: &self.hessian,
            gradient: &self.gradient,
            lower: &self.lower,
            upper: &self.upper,
            rows: &self.rows,
            row_lower: &self.row_lower,
            row_upper: &self.row_upper,
            slack_weights: &self.slack_weights,
        }
    }

    fn n(&self) -> usize {
        self.gradient.len()
    }

    fn m(&self) -> usize {
        self.row_lower.len()
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.rows[row * self.n()..(row + 1) * self.n()]
    }

    /// `∞` for a hard row.
    fn weight(&self, row: usize) -> f64 {
        self.slack_weights.get(row).copied().unwrap_or(f64::INFINITY)
    }

    fn solver(&self) -> ActiveSetSolver {
        ActiveSetSolver::new(self.n(), self.m(), QpOptions::default()).unwrap()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Identity, no rows, no bounds: cases change what they are about.
fn plain(n: usize) -> Owned {
    Owned {
        hessian: DMatrix::<f64>::identity(n, n).as_slice().to_vec(),
        gradient: vec![0.0; n],
        lower: vec![f64::NEG_INFINITY; n],
        upper: vec![f64::INFINITY; n],
        rows: Vec::new(),
        row_lower: Vec::new(),
        row_upper: Vec::new(),
        slack_weights: Vec::new(),
    }
}

/// A random program that some point keeps: bounds and rows of all kinds around it, some rows repeated or empty.
fn random_feasible(n: usize, m: usize, rng: &mut SeededRng) -> Owned {
    let jacobian = DMatrix::from_fn(n, n, |_, _| rng.uniform(-1.0, 1.0));
    let hessian = jacobian.transpose() * jacobian + DMatrix::identity(n, n) * 10.0_f64.powf(rng.uniform(-4.0, 0.0));
    let point: Vec<f64> = (0..n).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let mut program = plain(n);
    program.hessian = hessian.as_slice().to_vec();
    program.gradient = (0..n).map(|_| rng.uniform(-5.0, 5.0)).collect();
    for variable in 0..n {
        (program.lower[variable], program.upper[variable]) = around(point[variable], 1.0, rng);
    }
    for row in 0..m {
        let scale = 10.0_f64.powf(rng.uniform(-3.0, 3.0));
        let normal: Vec<f64> = match rng.below(8) {
            0 if row > 0 => program.row(rng.below(row)).to_vec(),
            1 => vec![0.0; n],
            2 => (0..n).map(|_| scale * (rng.below(3) as f64 - 1.0)).collect(),
            _ => (0..n).map(|_| scale * rng.uniform(-1.0, 1.0)).collect(),
        };
        let size = normal.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        let (low, high) = around(dot(&normal, &point), size, rng);
        program.rows.extend(normal);
        program.row_lower.push(low);
        program.row_upper.push(high);
    }
    program
}

/// Bounds on one side, on both, on none, or equal ones, with `value` between or on them.
fn around(value: f64, size: f64, rng: &mut SeededRng) -> (f64, f64) {
    let mut gap = || if rng.below(5) == 0 { 0.0 } else { size * rng.uniform(0.0, 1.0) };
    let (low, high) = (value - gap(), value + gap());
    match rng.below(6) {
        0 => (f64::NEG_INFINITY, f64::INFINITY),
        1 => (low, f64::INFINITY),
        2 => (f64::NEG_INFINITY, high),
        3 if size > 0.0 && rng.below(3) == 0 => (value, value),
        _ => (low, high),
    }
}

/// Asserts the conditions of Karush, Kuhn and Tucker, each relative to the numbers that meet in it.
fn assert_optimal(program: &Owned, solver: &ActiveSetSolver, label: &str) {
    const TOLERANCE: f64 = 1e-9;
    let (n, m) = (program.n(), program.m());
    let (x, bounds, rows) = (solver.x(), solver.bound_multipliers(), solver.row_multipliers());
    for variable in 0..n {
        let hx = dot(&program.hessian[variable * n..(variable + 1) * n], x);
        let mut terms = vec![hx, program.gradient[variable], bounds[variable]];
        terms.extend((0..m).map(|row| rows[row] * program.row(row)[variable]));
        let size: f64 = terms.iter().map(|term| term.abs()).sum();
        let gap: f64 = terms.iter().sum();
        assert!(gap.abs() <= TOLERANCE * (1.0 + size), "{label}: gradient {variable} is {gap:e} of {size}");
        assert!(
            x[variable] >= program.lower[variable] && x[variable] <= program.upper[variable],
            "{label}: {variable}"
        );
        assert_complementary(
            x[variable],
            program.lower[variable],
            program.upper[variable],
            bounds[variable],
            1.0,
            label,
        );
    }
    for row in 0..m {
        let normal = program.row(row);
        let size = normal.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        // A soft row is exceeded by its slack.
        let value = dot(normal, x) - rows[row] / program.weight(row);
        let label = format!("{label}: row {row}");
        assert_complementary(value, program.row_lower[row], program.row_upper[row], rows[row], size, &label);
    }
}

fn assert_complementary(value: f64, lower: f64, upper: f64, multiplier: f64, size: f64, label: &str) {
    let room = |bound: f64| 1e-9 * (size + if bound.is_finite() { bound.abs() } else { 0.0 });
    assert!(value >= lower - room(lower) && value <= upper + room(upper), "{label}: {lower} ≤ {value:e} ≤ {upper}");
    if multiplier > 0.0 {
        assert!((value - upper).abs() <= room(upper), "{label}: {multiplier} pushes at {value}, below {upper}");
    }
    if multiplier < 0.0 {
        assert!((value - lower).abs() <= room(lower), "{label}: {multiplier} pushes at {value}, above {lower}");
    }
}
