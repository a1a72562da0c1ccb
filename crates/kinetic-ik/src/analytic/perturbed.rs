//! Perturbed poses. At singularities rounding removes branches that a slightly perturbed pose still has.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;

/// Number of perturbed poses.
const PERTURBATIONS: u32 = 64;
/// Largest perturbation along and about each axis, far above the 1e-8 that rounding makes of a double root.
const PERTURBATION_M_RAD: f64 = 1e-5;

/// Poses around `base_from_tcp`, in all directions of space and of turning.
pub(super) fn perturbed_poses(base_from_tcp: &Pose) -> impl Iterator<Item = Pose> {
    let mut rng = SeededRng::new(0);
    (0..PERTURBATIONS).map(move |_| {
        let [x, y, z, roll, pitch, yaw] = std::array::from_fn(|_| rng.uniform(-PERTURBATION_M_RAD, PERTURBATION_M_RAD));
        *base_from_tcp * Pose::from_xyz_rpy(x, y, z, roll, pitch, yaw)
    })
}
