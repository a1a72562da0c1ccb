//! Which of the configurations that meet a goal are searched for first, see [`PlannerConfig::prefer`].

use kinetic_core::{Control, Limits, Prefer, Result};
use kinetic_scene::Checker;

use super::Planner;
use super::metric::Metric;
use crate::constraints::ConstraintSet;
use crate::goal_context::GoalContext;
use crate::goal_set::GoalSet;
use crate::space::Space;

/// Clearances that round to the same multiple of this are equal, m.
const EQUAL_CLEARANCE_M: f64 = 1e-6;

impl Planner {
    /// Puts the goals in the order that is preferred, with the full turns of each; those that do not keep the constraints are left
    /// out as long as another one does. Nothing where no preference is stated.
    ///
    /// # Errors
    /// What `control` says: distances, and constraints of functions, can take long.
    pub(super) fn rank(
        &self,
        around: &GoalContext<'_>,
        goals: &mut GoalSet<'_>,
        checker: &mut Checker,
        metric: &Metric,
        (constraints, control): (Option<&mut ConstraintSet>, &Control),
    ) -> Result<()> {
        let Some(prefer) = self.config.prefer else { return Ok(()) };
        goals.take_turned(checker);
        if let Some(constraints) = constraints {
            goals.keep_where(|q| control.check(0).map(|()| constraints.violation(q).is_none()))?;
        }
        let (space, start) = (&metric.given, around.start);
        let way = |q: &[f64]| space.distance(start, q);
        match prefer {
            Prefer::Distance => goals.rank(|q| Ok([way(q), 0.0])),
            Prefer::Time => {
                let limits = self.limits()?;
                goals.rank(|q| Ok([travel_time(space, &limits, start, q), way(q)]))
            }
            // Full turns change no clearance but for rounding: of those the nearest comes first.
            Prefer::Clearance => goals.rank(|q| {
                control.check(0)?;
                Ok([-(clearance(checker, q) / EQUAL_CLEARANCE_M).round(), way(q)])
            }),
        }
    }
}

/// The least time from rest to rest of the joint that takes longest, s: bang-bang, with a phase of full speed where the way is long
/// enough for it.
fn travel_time(space: &Space, limits: &Limits, from: &[f64], to: &[f64]) -> f64 {
    let of_joint = |joint: usize| {
        let way = (space.unwrapped(joint, from[joint], to[joint]) - from[joint]).abs();
        let (speed, acceleration) = (limits.velocity[joint], limits.acceleration[joint]);
        if way * acceleration <= speed * speed {
            2.0 * (way / acceleration).sqrt()
        } else {
            way / speed + speed / acceleration
        }
    };
    (0..space.dof()).map(of_joint).fold(0.0, f64::max)
}

/// The distance to the world; between links of the robot where there is no world.
fn clearance(checker: &mut Checker, q: &[f64]) -> f64 {
    let (world, _) = checker.world_distance(q);
    if world.is_finite() { world } else { checker.clearance(q).distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn travel_times_are_those_of_simulated_bang_bang_motions() {
        let space = Space::from_bounds(&[(-20.0, 20.0)]).expect("bounds");
        for (way, speed, acceleration) in [(0.0, 1.0, 1.0), (0.3, 1.0, 2.0), (0.5, 1.0, 2.0), (7.0, 1.5, 0.7)] {
            let limits = Limits { velocity: vec![speed], acceleration: vec![acceleration], jerk: None };
            // The fastest motion through the first half, in small steps: full acceleration up to full speed.
            let (mut at, mut v, mut steps, dt) = (0.0_f64, 0.0_f64, 0_u32, 1e-5);
            while at < way / 2.0 {
                v = (v + acceleration * dt).min(speed);
                at += v * dt;
                steps += 1;
            }
            let simulated = 2.0 * f64::from(steps) * dt;
            let found = travel_time(&space, &limits, &[1.0], &[1.0 - way]);
            assert!((found - simulated).abs() < 1e-3, "{way} {speed} {acceleration}: {found} against {simulated}");
        }
    }
}
