//! Time laws of planned paths, and the verification of what they make.

use std::cell::RefCell;

use kinetic_core::{Control, Limits, Minimise, PiecewisePolynomial, Result, TimedTrajectory, Trajectory};
use kinetic_dynamics::TorqueLimits;
use kinetic_scene::Checker;
use kinetic_trajectory::{TimeLawSpec, TimingOptions, time_law, time_parameterize_with, totp};

use super::search::PathCost;
use super::torques::torque_limits;
use super::{GRACE_S, Planner};
use crate::certify::Verifier;
use crate::proven_path::is_free_off_path;
use crate::result::PlanningResult;

/// Most configurations of the proof of a corner. A corner that needs more grazes something: a smaller one is tried.
const CORNER_PROOF_BUDGET: u64 = 512;

impl Planner {
    /// The duration of paths under a time law (the default one where none is given) and the planner's limits, with corners
    /// rounded where that is free; `None` unless it is to be minimised.
    pub(super) fn duration_cost<'a>(
        &self,
        law: Option<&'a TimeLawSpec>,
        checker: &Checker,
        control: &Control,
    ) -> Result<Option<Box<PathCost<'a>>>> {
        if self.config.minimise != Some(Minimise::Time) {
            return Ok(None);
        }
        let law = law.map_or_else(|| time_law(totp::ID), Ok)?;
        let (limits, dynamics) = (self.limits()?, self.dynamics()?);
        let (checker, control) = (RefCell::new(checker.clone()), control.clone());
        Ok(Some(Box::new(move |path| {
            // Torques, and corners near large meshes, take long enough to be ended with the budget; half of the grace, as the path
            // that ends it is timed twice.
            let grace = control.with_grace(0.5 * GRACE_S);
            checker.borrow_mut().obey(Some(&grace));
            let mut is_blend_free =
                |curve: &_| !grace.is_over(0) && checker.borrow_mut().is_curve_free_within(curve, CORNER_PROOF_BUDGET);
            let control = if dynamics.is_some() { grace.clone() } else { Control::default() };
            let timed = torque_limits(dynamics.as_ref())
                .and_then(|torques| timed_by(law, (path, &control), &limits, torques.as_ref(), &mut is_blend_free));
            // The error of a path that no law can time is reported when the path that is returned is timed.
            timed.map_or(f64::INFINITY, |timed| timed.duration())
        })))
    }

    /// Times a path that `checker` has proven, and verifies the timed curve; the time and the checks that this takes are added
    /// to the result.
    ///
    /// Segments of the path need no other proof; the corners that the law rounds do. Most are free: they are proven once, in the
    /// finished motion, and only where one is not, before they are timed. Torques are proven last, since motions that have corners
    /// cut differently have other torques. Where no time is left to prove corners, the motion stops at them.
    pub(super) fn time(
        &self,
        result: &mut PlanningResult,
        law: &TimeLawSpec,
        checker: &mut Checker,
        control: &Control,
    ) -> Result<TimedTrajectory> {
        let (began, checks_before) = (control.elapsed(), checker.checks());
        let (budget, control) = (control, &control.with_grace(GRACE_S));
        let limits = self.limits()?;
        let (path, dynamics) = (&result.path, self.dynamics()?);
        let torques = torque_limits(dynamics.as_ref())?;
        let timing = |is_corner_free: &mut dyn FnMut(&PiecewisePolynomial) -> bool| {
            timed_by(law, (path, control), &limits, torques.as_ref(), is_corner_free)
        };
        let constraints = self.constraint_set()?;
        let verifier = self.verifier(&limits, (torques.as_ref(), constraints.as_ref()), control);
        let mut timed = timed_free(&timing, path, &verifier, checker, &budget.with_grace(0.5 * GRACE_S))?;
        result.verification_time += control.elapsed() - began;
        let refined = self.refined(&timed, result, (law, &limits), checker, budget)?;
        // Refinement ends with the budget; what it leaves is verified in a grace of its own.
        let (began, control) = (budget.elapsed(), &budget.with_grace(GRACE_S));
        let verifier = Verifier { control, ..verifier };
        checker.obey(Some(control));
        let ratios = match refined.map(|refined| (verifier.check_limits(refined.curve()), refined)) {
            Some((Ok(ratios), refined)) => {
                result.unrefined_duration = Some(timed.duration());
                timed = refined;
                ratios
            }
            // Of a motion that is tiny beside its values, rounding alone can exceed a limit.
            _ => verifier.check_limits(timed.curve())?,
        };
        let trajectory = verifier.certified(timed, &ratios, checker, checks_before - result.checks)?;
        result.verification_time += control.elapsed() - began;
        result.checks += checker.checks() - checks_before;
        Ok(trajectory)
    }
}

/// A way to time a path, with corners that are rounded where a function says that they may be.
type Timing<'a> = dyn Fn(&mut dyn FnMut(&PiecewisePolynomial) -> bool) -> Result<TimedTrajectory> + 'a;

/// A proven path with the time of a law, free at its corners and within limits and constraints there. It stops at the corners that
/// are not proven when `corners` is over.
fn timed_free(
    timing: &Timing<'_>,
    path: &Trajectory,
    verifier: &Verifier<'_>,
    checker: &mut Checker,
    corners: &Control,
) -> Result<TimedTrajectory> {
    checker.obey(Some(corners));
    let timed = timing(&mut |_| true)?;
    if is_free_off_path(&timed, path, checker)
        && verifier.check_positions(timed.curve()).is_ok()
        && verifier.check_constraints(timed.curve()).is_ok()
    {
        return Ok(timed);
    }
    let mut memory = verifier.constraints.cloned();
    let mut keeps = |corner: &PiecewisePolynomial| {
        verifier.check_positions(corner).is_ok()
            && memory.as_mut().is_none_or(|constraints| constraints.holds_along_curve(corner, verifier.control))
    };
    let mut timed = timing(&mut |corner| {
        !corners.is_over(0) && keeps(corner) && checker.is_curve_free_within(corner, CORNER_PROOF_BUDGET)
    })?;
    if corners.is_over(0) && !is_free_off_path(&timed, path, checker) {
        timed = timing(&mut |_| false)?;
    }
    checker.obey(Some(verifier.control));
    if !is_free_off_path(&timed, path, checker) {
        verifier.check_contact(timed.curve(), checker)?;
    }
    Ok(timed)
}

/// A path with the time of a law, under torque limits where there are some.
fn timed_by(
    law: &TimeLawSpec,
    (path, control): (&Trajectory, &Control),
    limits: &Limits,
    torques: Option<&TorqueLimits<'_>>,
    is_corner_free: &mut dyn FnMut(&PiecewisePolynomial) -> bool,
) -> Result<TimedTrajectory> {
    let options = TimingOptions::default();
    match torques {
        None => time_parameterize_with(law, path, limits, &options, is_corner_free, control),
        Some(torques) => torques.time_parameterize(law, (path, control), limits, &options, is_corner_free),
    }
}
