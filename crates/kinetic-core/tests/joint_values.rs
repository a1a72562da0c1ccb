//! Joint values: vector arithmetic against nalgebra, exact ends of interpolation.

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError};
use nalgebra::DVector;

fn random(rng: &mut SeededRng, n: usize) -> JointValues {
    (0..n).map(|_| rng.uniform(-3.0, 3.0)).collect()
}

#[test]
fn arithmetic_is_that_of_vectors() {
    let mut rng = SeededRng::new(1);
    for n in 0..20 {
        let (a, b) = (random(&mut rng, n), random(&mut rng, n));
        let (va, vb) = (a.to_dvector(), b.to_dvector());
        assert_eq!((&a + &b).to_dvector(), &va + &vb);
        assert_eq!((&a - &b).to_dvector(), &va - &vb);
        assert_eq!((&a * 2.5).to_dvector(), &va * 2.5);
        assert!((a.distance_to(&b) - (&va - &vb).norm()).abs() < 1e-14);
        assert_eq!(JointValues::from(va), a);
    }
}

#[test]
fn interpolation_gives_its_ends_exactly_and_the_middle() {
    let mut rng = SeededRng::new(2);
    for _ in 0..1000 {
        let (a, b) = (random(&mut rng, 7), random(&mut rng, 7));
        assert_eq!(a.lerp(&b, 0.0), a);
        assert_eq!(a.lerp(&b, 1.0), b);
        assert!(a.lerp(&b, 0.5).distance_to(&(&(&a + &b) * 0.5)) < 1e-15);
    }
}

#[test]
fn every_form_of_list_converts_and_indexes() {
    let wanted = JointValues(vec![1.0, 2.0]);
    assert_eq!(JointValues::from([1.0, 2.0]), wanted);
    assert_eq!(JointValues::from(&[1.0, 2.0]), wanted);
    assert_eq!(JointValues::from(vec![1.0, 2.0]), wanted);
    assert_eq!(JointValues::from(&[1.0, 2.0][..]), wanted);
    assert_eq!(JointValues::from(&wanted), wanted);
    assert_eq!(JointValues::from(DVector::from_vec(vec![1.0, 2.0])), wanted);
    assert_eq!(JointValues::zeros(2), JointValues::from([0.0, 0.0]));
    let mut changed = wanted.clone();
    changed[1] = 5.0;
    assert_eq!((changed[1], &changed[..]), (5.0, &[1.0, 5.0][..]));
    changed.iter_mut().for_each(|value| *value = 0.0);
    assert_eq!((changed.len(), changed), (2, JointValues::zeros(2)));
    assert_eq!(serde_json::to_string(&wanted).unwrap(), "[1.0,2.0]");
}

#[test]
fn joint_values_leave_as_vectors_arrays_and_iterators() {
    let values = JointValues::from([1.0, 2.0]);
    assert_eq!(Vec::from(values.clone()), [1.0, 2.0]);
    assert_eq!(<[f64; 2]>::try_from(&values).unwrap(), [1.0, 2.0]);
    assert_eq!(<[f64; 2]>::try_from(values.clone()).unwrap(), [1.0, 2.0]);
    assert_eq!(DVector::from(values.clone()), DVector::from_vec(vec![1.0, 2.0]));
    assert_eq!(values.as_ref(), [1.0, 2.0]);
    let mut sum = 0.0;
    for value in &values {
        sum += value;
    }
    assert_eq!((sum, values.clone().into_iter().collect()), (3.0, values.clone()));
    let error = <[f64; 3]>::try_from(&values).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 2, .. }), "{error}");
}

#[test]
fn joint_values_are_written_with_the_digits_that_are_asked_for() {
    let values = JointValues::from([0.1, -1.0 / 3.0, 2.0]);
    assert_eq!(format!("{values:.3}"), "[0.100, -0.333, 2.000]");
    assert_eq!(values.to_string(), "[0.1, -0.3333333333333333, 2]");
    assert_eq!(JointValues::default().to_string(), "[]");
}
