//! Batches have the bits of single calls.

use kinetic_dynamics::{coriolis, forward_dynamics, gravity_compensation, inverse_dynamics, mass_matrix};

use crate::support::Case;

#[test]
fn batches_have_the_bits_of_single_calls() {
    for (seed, rows) in [(0, 1), (1, 7), (2, 8), (3, 1100), (4, 13), (5, 0)] {
        let mut case = Case::new(seed);
        let (model, n) = (case.model.clone(), case.model.dof());
        let mut numbers = || -> Vec<f64> { (0..rows * n).map(|_| case.rng.uniform(-3.0, 3.0)).collect() };
        let (q, v, a) = (numbers(), numbers(), numbers());
        let [mut tau, mut gravity, mut bias, mut back] = [(); 4].map(|()| vec![f64::NAN; rows * n]);
        let mut matrices = vec![f64::NAN; rows * n * n];
        model.inverse_dynamics_batch([&q, &v, &a], &mut tau).unwrap();
        model.gravity_batch(&q, &mut gravity).unwrap();
        model.coriolis_batch(&q, &v, &mut bias).unwrap();
        model.mass_matrix_batch(&q, &mut matrices).unwrap();
        model.forward_dynamics_batch([&q, &v, &tau], &mut back).unwrap();
        for row in 0..rows {
            let at = row * n..(row + 1) * n;
            let (q, v, a) = (&q[at.clone()], &v[at.clone()], &a[at.clone()]);
            assert_eq!(tau[at.clone()], inverse_dynamics(&model, q, v, a).unwrap());
            assert_eq!(gravity[at.clone()], gravity_compensation(&model, q).unwrap());
            assert_eq!(bias[at.clone()], coriolis(&model, q, v).unwrap());
            assert_eq!(back[at.clone()], forward_dynamics(&model, q, v, &tau[at]).unwrap());
            assert_eq!(&matrices[row * n * n..(row + 1) * n * n], mass_matrix(&model, q).unwrap().as_slice());
        }
    }
}
