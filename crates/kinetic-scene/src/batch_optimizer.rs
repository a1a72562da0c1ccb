//! Interface of optimisers of many trajectories at once.
//!
//! Planners are written against [`BatchTrajectoryOptimizer`] and do not name the device, as with
//! [`BatchCollisionChecker`](crate::BatchCollisionChecker). What an optimiser returns is a proposal: planners prove it.

use std::fmt;

use kinetic_core::{Control, Result};

use crate::{Margins, Scene};

/// What one initial trajectory became: a proposal, which the caller has to prove, since nothing is known between the samples.
#[derive(Debug, Clone, PartialEq)]
pub struct SplineProposal {
    /// Samples of the spline at equal steps of time, rows of joint values; the first and the last are those that were given, bit for
    /// bit.
    pub path: Vec<f64>,
    /// Least slack of the samples between the ends, less what single precision is off by, m. Slacks are lower bounds, and at most the
    /// clearance of the options.
    pub least_slack: f64,
    /// Cost of the trajectory.
    pub cost: f64,
    /// Iterations that were made.
    pub iterations: u32,
}

impl SplineProposal {
    /// True when all samples between the ends are free.
    pub fn is_free(&self) -> bool {
        self.least_slack > 0.0
    }
}

/// In what the trajectories of a call are optimised.
#[derive(Debug, Clone, Copy)]
pub struct OptimizationContext<'a> {
    /// The scene as it is now.
    pub scene: &'a Scene,
    /// The planning group of the joints.
    pub group: &'a str,
    /// The general margins; the scene's own, and paddings, go before them.
    pub margins: Margins,
    /// Weights of the joints in the metric, one each.
    pub weights: &'a [f64],
}

/// Trajectories of a problem, and what may end their optimisation.
#[derive(Debug, Clone, Copy)]
pub struct OptimizationRequest<'a> {
    /// In what they are optimised.
    pub context: OptimizationContext<'a>,
    /// Trajectories of ([`control_points`](BatchTrajectoryOptimizer::control_points) + 2) rows of joint values: the start, control
    /// points, and the goal, continuous joints unwrapped.
    pub initial: &'a [f64],
    /// Ends this request alone.
    pub control: &'a Control,
}

/// Optimises many splines at once, of many problems in many scenes.
///
/// # Laws
/// - Requests are answered in their order, all of them. Trajectories are returned in their order, all of them, and each depends on its
///   own numbers and context alone, whatever else is optimised with it.
/// - Same context, same trajectories: same bytes, on the same device.
pub trait BatchTrajectoryOptimizer: Send + fmt::Debug {
    /// Where it computes, for people.
    fn device(&self) -> String;

    /// Control points between the ends of a trajectory.
    fn control_points(&self) -> usize;

    /// Trajectories that are well optimised together, at least 1.
    fn seeds_per_batch(&self) -> usize;

    /// Optimises the trajectories of requests. Their ends stay.
    ///
    /// # Errors
    /// Of each request: what the scene reports, [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) for weights or
    /// joint values that cannot be used, that of the control, and those of the device.
    fn optimize(&mut self, requests: &[OptimizationRequest<'_>]) -> Vec<Result<Vec<SplineProposal>>>;
}
