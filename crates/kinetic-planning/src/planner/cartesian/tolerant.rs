//! Cartesian plans along paths that leave something free: the use of the freedom is chosen first, and the path that it makes is
//! followed like any other.

use kinetic_core::{KineticError, Result};
use kinetic_ik::path::{FoundFreedom, FreedomCurve};
use kinetic_ik::{FreedPath, FreedomSearch, PathTolerance, PathValidity};
use kinetic_scene::Checker;

use super::CartesianPlan;
use crate::cartesian::CartesianResult;

/// Uses of the freedom that are tried.
const MOST_FREEDOMS: usize = 8;
/// Times that a curve is drawn closer to the choices that it was made of.
const MOST_REFINED: usize = 2;
/// Halvings of the distance of samples while uses of the freedom are compared.
const HALVINGS_COMPARED: i32 = 2;

/// How far a use of the freedom leads.
struct Followed {
    end: f64,
    curve: FreedomCurve,
    result: CartesianResult,
}

impl CartesianPlan<'_> {
    /// Follows the path with what `tolerance` leaves free.
    pub(super) fn solve_in(&self, tolerance: &PathTolerance, checker: &mut Checker) -> Result<CartesianResult> {
        // The tool may be off the chosen poses as far as it may be off a path, and shall be inside then.
        let inner = tolerance.shrunk(self.config.position_tolerance, self.config.orientation_tolerance);
        let stop = self.control.stop_flag();
        let closed_form = self.planner.closed_form();
        let from = (self.start, self.planner.config.seed, &stop);
        let mut search = FreedomSearch::new(closed_form, &self.planner.chain, self.tool_path(), inner, from);
        // Half of the time is for the motion along what turns out best.
        let control = &self.control.with_share(2);
        let trial = CartesianPlan { is_whole: true, halvings: HALVINGS_COMPARED, control, ..*self };
        let mut best: Option<Followed> = None;
        for _ in 0..MOST_FREEDOMS {
            match trial.follow_next(&mut search, inner, checker) {
                Ok((farthest, _)) if farthest.result.stop.is_none() => return Ok(farthest.result),
                Ok((farthest, is_last)) => {
                    best = Some(farther(best, farthest));
                    if is_last {
                        break;
                    }
                }
                Err(KineticError::PlanningTimeout { .. }) if !self.control.is_over(0) => break,
                Err(error) => return Err(error),
            }
        }
        let best = match trial.follow(FreedomCurve::strict(), inner, checker) {
            Ok(strict) if strict.result.stop.is_none() => return Ok(strict.result),
            Ok(strict) => farther(best, strict).curve,
            Err(KineticError::PlanningTimeout { .. }) if !self.control.is_over(0) => {
                best.map_or_else(FreedomCurve::strict, |best| best.curve)
            }
            Err(error) => return Err(error),
        };
        let path = &FreedPath::new(self.tool_path(), inner, best);
        CartesianPlan { path, ..*self }.solve(checker)
    }

    /// The farthest along the next use of the freedom, and whether there are no others.
    fn follow_next(
        &self,
        search: &mut FreedomSearch<'_>,
        inner: PathTolerance,
        checker: &mut Checker,
    ) -> Result<(Followed, bool)> {
        let found = self.found(search, checker)?;
        let farthest = self.follow_curves(found.curve.clone(), inner, checker)?;
        search.exclude(&found, farthest.end);
        Ok((farthest, found.reached < self.tool_path().length()))
    }

    fn found(&self, search: &mut FreedomSearch<'_>, checker: &mut Checker) -> Result<FoundFreedom> {
        let validity = self.config.avoid_collisions.then_some(checker as &mut dyn PathValidity);
        let found = search.search(validity);
        self.control.check(0)?;
        found.map_err(|error| match error {
            KineticError::IKTimeout { .. } => self.control.error(0),
            other => other,
        })
    }

    /// The farthest of a curve and those closer to its choices.
    fn follow_curves(&self, mut curve: FreedomCurve, inner: PathTolerance, checker: &mut Checker) -> Result<Followed> {
        let mut best = self.follow(curve.clone(), inner, checker)?;
        for _ in 0..MOST_REFINED {
            if best.result.stop.is_none() {
                break;
            }
            curve = curve.refined();
            best = farther(Some(best), self.follow(curve.clone(), inner, checker)?);
        }
        Ok(best)
    }

    /// All of the path with one use of the freedom, or how far it leads.
    fn follow(&self, curve: FreedomCurve, inner: PathTolerance, checker: &mut Checker) -> Result<Followed> {
        let path = &FreedPath::new(self.tool_path(), inner, curve.clone());
        let result = CartesianPlan { path, ..*self }.solve(checker)?;
        let end = result.stop.as_ref().map_or(f64::INFINITY, |stop| stop.at);
        Ok(Followed { end, curve, result })
    }
}

/// The one that leads farther.
fn farther(one: Option<Followed>, other: Followed) -> Followed {
    match one {
        Some(one) if one.end >= other.end => one,
        _ => other,
    }
}
