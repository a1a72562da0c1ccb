//! The smallest singular value with its directions, against nalgebra.

use kinetic_core::rng::SeededRng;
use kinetic_reactive::differential_ik::SingularityProbe;
use nalgebra::{DMatrix, DVector};

use crate::cases;

#[test]
fn the_smallest_singular_value_and_its_directions_are_those_of_nalgebra() {
    for case in 0..cases(500, 20_000) {
        let mut rng = SeededRng::new(case as u64);
        let (m, n) = (1 + rng.below(9), 1 + rng.below(9));
        let jacobian: Vec<f64> = (0..m * n).map(|_| rng.uniform(-1.0, 1.0)).collect();
        let matrix = DMatrix::from_row_slice(m, n, &jacobian);
        let mut probe = SingularityProbe::new(n, m).unwrap();
        let found = probe.at(&jacobian).unwrap();
        let oracle = matrix.singular_values();
        let label = format!("case {case}, {m} × {n}");
        assert!((found.sigma - oracle.min()).abs() < 1e-12, "{label}: {} and {}", found.sigma, oracle.min());
        let product: f64 = oracle.iter().product();
        assert!((found.manipulability - product).abs() < 1e-10 * (1.0 + product), "{label}");
        assert!((found.condition - oracle.max() / oracle.min()).abs() < 1e-6 * found.condition, "{label}");
        let (left, right) = (DVector::from_column_slice(found.rows), DVector::from_column_slice(found.joints));
        assert!((left.norm() - 1.0).abs() < 1e-12 && (right.norm() - 1.0).abs() < 1e-12, "{label}");
        assert!((&matrix * &right - &left * found.sigma).norm() < 1e-12, "{label}");
        assert!((matrix.transpose() * left - right * found.sigma).norm() < 1e-12, "{label}");
    }
}

#[test]
fn at_a_singularity_the_lost_direction_of_the_rows_is_known() {
    let mut probe = SingularityProbe::new(3, 2).unwrap();
    let found = probe.at(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0]).unwrap();
    assert_eq!((found.sigma, found.condition), (0.0, f64::INFINITY));
    let along = found.rows[0] + 2.0 * found.rows[1];
    assert!(along.abs() < 1e-12, "{:?}", found.rows);
    let zeros = probe.at(&[0.0; 6]).unwrap();
    assert_eq!((zeros.sigma, zeros.manipulability), (0.0, 0.0));
}

#[test]
fn what_is_no_jacobian_is_refused() {
    assert!(SingularityProbe::new(0, 1).is_err() && SingularityProbe::new(1, 0).is_err());
    let mut probe = SingularityProbe::new(3, 2).unwrap();
    assert!(probe.at(&[]).is_err() && probe.at(&[0.0; 4]).is_err() && probe.at(&[0.0; 9]).is_err());
    assert!(probe.at(&[f64::NAN; 3]).is_err());
}
