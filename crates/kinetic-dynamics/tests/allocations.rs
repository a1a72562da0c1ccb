//! Calls that take their memory allocate nothing.

use kinetic_core::Wrench;
use kinetic_dynamics::Derivatives;

use crate::support::Case;

#[test]
fn algorithms_with_data_allocate_nothing() {
    for seed in 0..4 {
        let case = Case::new(seed);
        let (model, n) = (&case.model, case.model.dof());
        let mut data = model.data();
        let (mut out, mut matrix) = (vec![0.0; n], vec![0.0; n * n]);
        let mut jacobian = nalgebra::DMatrix::zeros(3, n);
        let mut by = [(); 3].map(|()| vec![0.0; n * n]);
        let external = [model.external("l1", Wrench::default()).unwrap()];
        let state = [&case.q[..], &case.v, &case.a];
        let counted = allocation_counter::measure(|| {
            for _ in 0..10 {
                model.inverse_dynamics_into(&mut data, state, &external, &mut out).unwrap();
                model.forward_dynamics_into(&mut data, state, &external, &mut out).unwrap();
                model.gravity_into(&mut data, &case.q, &mut out).unwrap();
                model.coriolis_into(&mut data, &case.q, &case.v, &mut out).unwrap();
                model.mass_matrix_into(&mut data, &case.q, &mut matrix).unwrap();
                model.inverse_mass_matrix_into(&mut data, &case.q, &mut matrix).unwrap();
                model.coriolis_matrix_into(&mut data, &case.q, &case.v, &mut matrix).unwrap();
                let [by_q, by_v, by_input] = &mut by;
                let mut derivatives = Derivatives { by_q, by_v, by_input };
                model.inverse_dynamics_derivatives_into(&mut data, state, &mut derivatives).unwrap();
                model.forward_dynamics_derivatives_into(&mut data, state, &mut out, &mut derivatives).unwrap();
                model.kinetic_energy(&mut data, &case.q, &case.v).unwrap();
                model.potential_energy(&mut data, &case.q).unwrap();
                model.center_of_mass_velocity(&mut data, &case.q, &case.v).unwrap();
                model.center_of_mass_jacobian_into(&mut data, &case.q, &mut jacobian).unwrap();
            }
        });
        assert_eq!(counted.count_total, 0, "seed {seed}");
    }
}
