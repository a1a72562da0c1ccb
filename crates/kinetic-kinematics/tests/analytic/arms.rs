//! Random arms of every class, made from angles and lengths.

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::analytic::{ProductOfExponentials, Screw};
use kinetic_kinematics::{Motion, Rigid};
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

/// How an axis lies to the one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Lie {
    Parallel,
    Meets,
    /// Through the point where the two before meet.
    SamePoint,
    Skew,
}

pub(crate) fn unit(rng: &mut SeededRng) -> Vector3<f64> {
    loop {
        let v = Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0));
        if v.norm() > 0.1 && v.norm() < 1.0 {
            return v.normalize();
        }
    }
}

pub(crate) fn vector(rng: &mut SeededRng, size: f64) -> Vector3<f64> {
    unit(rng) * rng.uniform(0.3 * size, size)
}

fn rotation(rng: &mut SeededRng) -> Matrix3<f64> {
    let angle = rng.uniform(-3.0, 3.0);
    Rotation3::from_axis_angle(&Unit::new_normalize(unit(rng)), angle).into_inner()
}

/// An arm whose second and following axes lie as told; lengths below 0.6 m.
pub(crate) fn arm(rng: &mut SeededRng, lies: &[Lie]) -> ProductOfExponentials {
    let mut axes = vec![(unit(rng), vector(rng, 0.3))];
    let mut meeting = axes[0].1;
    for lie in lies {
        let (axis, point) = axes[axes.len() - 1];
        let next = loop {
            let direction = unit(rng);
            // Neither parallel by chance nor so close to it that the arm is nearly of another class.
            if direction.cross(&axis).norm() > 0.3 {
                break direction;
            }
        };
        axes.push(match lie {
            Lie::Parallel => (axis, point + vector(rng, 0.6)),
            Lie::Meets => {
                meeting = point + axis * rng.uniform(-0.4, 0.4);
                (next, meeting)
            }
            Lie::SamePoint => (next, meeting),
            Lie::Skew => {
                let across = axis.cross(&next).normalize() * rng.uniform(0.05, 0.4);
                (next, point + across + axis * rng.uniform(-0.3, 0.3))
            }
        });
    }
    let screws = axes.iter().enumerate().map(|(variable, (axis, point))| {
        // Any point of the line will do: slide it, so that solvers cannot rely on convenient ones.
        let point = point + axis * rng.uniform(-0.2, 0.2);
        Screw { motion: Motion::Rotation, axis: *axis, point, variable }
    });
    let screws: Vec<Screw> = screws.collect();
    let home = Rigid { rotation: rotation(rng), translation: vector(rng, 0.5) };
    ProductOfExponentials::new(screws, home).unwrap()
}

pub(crate) fn configuration(rng: &mut SeededRng, dof: usize) -> Vec<f64> {
    (0..dof).map(|_| rng.uniform(-std::f64::consts::PI, std::f64::consts::PI)).collect()
}

/// Largest difference of entries.
pub(crate) fn difference(a: &Rigid, b: &Rigid) -> f64 {
    (a.rotation - b.rotation).amax().max((a.translation - b.translation).amax())
}

/// The same arm with another configuration as its zero.
pub(crate) fn at(arm: &ProductOfExponentials, q: &[f64]) -> ProductOfExponentials {
    let mut moved = Rigid::identity();
    let mut screws = Vec::new();
    for screw in arm.screws() {
        screws.push(screw.moved(&moved));
        moved = moved.then(&screw.exp(q[screw.variable]));
    }
    ProductOfExponentials::new(screws, moved.then(arm.home())).unwrap()
}
