//! Damped least squares, scaled as a whole into the bounds (Chiaverini 1997; scaling as in Flacco, De Luca & Khatib 2012).

use kinetic_core::Result;

use super::least_squares::DampedLeastSquares;
use super::velocity_problem::{SingularityDamping, VelocityLimit, VelocityOutcome, VelocityProblem, VelocitySizes};
use super::velocity_solver::VelocitySolver;

/// The solver `damped`: the direction of the wanted velocity is kept, its speed gives way.
///
/// Rows stop what they forbid and push nothing: the motion is slowed until no row falls further than its bound, or than
/// standing still where that is below it. Soft rows count as hard ones.
#[derive(Debug)]
pub(super) struct ScaledLeastSquares {
    sizes: VelocitySizes,
    squares: DampedLeastSquares,
}

impl ScaledLeastSquares {
    pub(super) fn new(sizes: &VelocitySizes, damping: SingularityDamping) -> Self {
        Self { sizes: *sizes, squares: DampedLeastSquares::new(sizes, damping) }
    }
}

impl VelocitySolver for ScaledLeastSquares {
    fn solve(&mut self, problem: &VelocityProblem<'_>, velocity: &mut [f64]) -> Result<VelocityOutcome> {
        problem.check(&self.sizes)?;
        self.squares.solve(problem);
        velocity.fill(0.0);
        let (scale, limit) = largest_scale(problem, velocity, &self.squares.task);
        for (to, task) in velocity.iter_mut().zip(&self.squares.task) {
            *to = scale * task;
        }
        // What the task leaves is the posture's.
        let (scale, _) = largest_scale(problem, velocity, &self.squares.null);
        for (to, null) in velocity.iter_mut().zip(&self.squares.null) {
            *to += scale * null;
        }
        let forced = clamp(problem, velocity);
        let achieved = problem.achieved(velocity);
        let limit = limit.or(forced);
        Ok(VelocityOutcome { achieved, damping: self.squares.damping, limit, infeasible_row: None })
    }

    fn reset(&mut self) {}
}

/// The largest part of a step, at most 1, that bounds and rows allow from `from` on, and what stops it. Bounds that do not
/// contain standing still are met afterwards.
fn largest_scale(problem: &VelocityProblem<'_>, from: &[f64], step: &[f64]) -> (f64, Option<VelocityLimit>) {
    let (mut scale, mut limit) = (1.0, None);
    let mut bound = |room: f64, change: f64, by: VelocityLimit| {
        // Room and change along one direction, both positive where it is left.
        if change > room && change > 0.0 {
            let part = (room / change).max(0.0);
            if part < scale {
                (scale, limit) = (part, Some(by));
            }
        }
    };
    for (joint, (from, step)) in from.iter().zip(step).enumerate() {
        let (lower, upper) = (problem.lower[joint], problem.upper[joint]);
        if lower <= 0.0 && upper >= 0.0 {
            bound(upper - from, *step, VelocityLimit::Joint(joint));
            bound(from - lower, -step, VelocityLimit::Joint(joint));
        }
    }
    for (row, least) in problem.row_bounds.iter().enumerate() {
        let room = problem.row_value(row, from) - least.min(0.0);
        bound(room, -problem.row_value(row, step), VelocityLimit::Row(row));
    }
    (scale, limit)
}

/// Puts velocities inside their bounds; the joint that was moved most by it.
pub(super) fn clamp(problem: &VelocityProblem<'_>, velocity: &mut [f64]) -> Option<VelocityLimit> {
    let (mut most, mut limit) = (0.0, None);
    for (joint, value) in velocity.iter_mut().enumerate() {
        let inside = value.min(problem.upper[joint]).max(problem.lower[joint]);
        let moved = (*value - inside).abs();
        *value = inside;
        if moved > most {
            (most, limit) = (moved, Some(VelocityLimit::Joint(joint)));
        }
    }
    limit
}
