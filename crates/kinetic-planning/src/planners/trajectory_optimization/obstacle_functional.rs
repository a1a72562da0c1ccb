//! The obstacle functional of CHOMP and its gradient at one configuration of a trajectory.
//!
//! `F = ∫ Σ c(d) ‖x′‖ dt`, summed over the near pairs: `d` is what is left of the clearance of a pair and `x` where its witness point is
//! relative to that of the other body. Its functional gradient is `Σ Jᵀ ‖x′‖ ((I − u uᵀ) ∇c − c κ)` with the direction of motion
//! `u = x′ / ‖x′‖` and the curvature of the arc `κ = (I − u uᵀ) x″ / ‖x′‖²` (Zucker et al. 2013, equations 19 and 20).

use kinetic_core::Result;
use nalgebra::{SVector, Vector3};

use super::OptimizationRun;
use super::obstacle_cost::{ObstacleCost, hinge};
use crate::near_distances::{NearDistances, NearPair};

/// Witness points that are slower than this, in m per duration of the trajectory, are passed by no arc that could be bent.
const SLOWEST: f64 = 1e-6;

/// The functional, and the state of the trajectory at the configuration that is looked at.
#[derive(Debug)]
pub(crate) struct ObstacleFunctional {
    clearance: f64,
    near: NearDistances,
    /// Joint velocities per duration of the trajectory.
    pub(crate) velocity: Vec<f64>,
    /// Joint accelerations per squared duration.
    pub(crate) acceleration: Vec<f64>,
}

impl ObstacleFunctional {
    /// Obstacles cost from `clearance` (m) beyond the required clearance on.
    pub(crate) fn new(clearance: f64) -> Self {
        Self { clearance, near: NearDistances::default(), velocity: Vec::new(), acceleration: Vec::new() }
    }

    /// Makes room for a number of joints.
    pub(crate) fn resize(&mut self, dof: usize) {
        self.velocity.resize(dof, 0.0);
        self.acceleration.resize(dof, 0.0);
    }

    /// Adds the gradient at a configuration that the trajectory passes with the velocity and acceleration in `self`, for a step of
    /// time.
    pub(crate) fn add_configuration(
        &mut self,
        q: &[f64],
        step: f64,
        run: &mut OptimizationRun<'_>,
        (gradient, total): (&mut [f64], &mut ObstacleCost),
    ) -> Result<()> {
        run.near_distances((q, &self.velocity), self.clearance, &mut self.near)?;
        total.look_at(q, self.near.least_slack());
        for (pair, jacobian) in self.near.iter() {
            total.cost += step * self.add_pair(pair, jacobian, gradient);
        }
        Ok(())
    }

    /// Adds the gradient of a pair; the cost per time of it is returned.
    fn add_pair(&self, pair: &NearPair, jacobian: &[f64], gradient: &mut [f64]) -> f64 {
        let (cost, slope) = hinge(pair.slack, self.clearance);
        let rows: [&[f64]; 3] = std::array::from_fn(|axis| &jacobian[axis * gradient.len()..][..gradient.len()]);
        let along =
            |joints: &[f64]| Vector3::from_fn(|axis, _| rows[axis].iter().zip(joints).map(|(j, v)| j * v).sum());
        let velocity = along(&self.velocity);
        let speed = velocity.norm();
        if cost == 0.0 || speed < SLOWEST {
            return cost * speed;
        }
        let unit = velocity / speed;
        let acceleration = along(&self.acceleration) + SVector::from(pair.bias);
        let across = |vector: Vector3<f64>| vector - unit * unit.dot(&vector);
        let force = across(SVector::from(pair.direction) * slope) * speed - across(acceleration) * (cost / speed);
        for (axis, row) in rows.iter().enumerate() {
            gradient.iter_mut().zip(*row).for_each(|(sum, part)| *sum += force[axis] * part);
        }
        cost * speed
    }
}
