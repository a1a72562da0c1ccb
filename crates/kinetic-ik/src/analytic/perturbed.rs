//! Poses beside one. Where singularities meet, rounding takes branches away that a pose a little off has.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;

/// How many poses beside one are looked at, and how far off they are, m and rad: far above the 1e-8 that rounding makes of a
/// double root.
const BESIDE: u32 = 64;
const OFF: f64 = 1e-5;

/// Poses around `base_from_tcp`, in all directions of space and of turning.
pub(super) fn perturbed_poses(base_from_tcp: &Pose) -> impl Iterator<Item = Pose> {
    let mut rng = SeededRng::new(0);
    (0..BESIDE).map(move |_| {
        let [x, y, z, roll, pitch, yaw] = std::array::from_fn(|_| rng.uniform(-OFF, OFF));
        *base_from_tcp * Pose::from_xyz_rpy(x, y, z, roll, pitch, yaw)
    })
}
