//! The verifier of timed curves, of planners and of other sources.

use kinetic_core::curve::{enclosure, evaluate, extremes};
use kinetic_core::{
    Certificate, Control, KineticError, Limits, Measurement, PiecewisePolynomial, PlannerConfig, ProvenConstraint,
    ProvenLimits, ProvenTool, Result, TimedTrajectory, TrajectoryIdentity,
};
use kinetic_dynamics::{TorqueLimits, TorquePeak};
use kinetic_kinematics::KinematicChain;
use kinetic_robot::PlanningGroup;
use kinetic_scene::{Checker, Margins, Scene};
use kinetic_trajectory::check::{POSITION_TOLERANCE, STEP_TOLERANCE, is_rounding_of_position};
use kinetic_trajectory::{LimitRatios, limit_ratios, peak};

use crate::constraints::{ConstraintSet, CurveViolation};
use crate::goal_context::LIMIT_TOLERANCE;

/// The closest approaches of a certificate are at most this much above the true minima, m.
pub const CLEARANCE_TOLERANCE: f64 = 1e-4;

/// Interval bounds carry rounding of a few ulps of the limit; this is far above them and far below any controller.
const LIMIT_RATIO_ROUNDING: f64 = 1e-9;

/// What a timed curve is verified against.
pub(crate) struct Verifier<'a> {
    /// The scene that the checker is of.
    pub(crate) scene: &'a Scene,
    pub(crate) group: &'a PlanningGroup,
    pub(crate) chain: &'a KinematicChain,
    pub(crate) config: &'a PlannerConfig,
    pub(crate) limits: &'a Limits,
    pub(crate) torques: Option<&'a TorqueLimits<'a>>,
    pub(crate) constraints: Option<&'a ConstraintSet>,
    /// What was proven of the tool of a Cartesian motion.
    pub(crate) tool: Option<ProvenTool>,
    pub(crate) control: &'a Control,
}

/// What motions of a group move.
pub(crate) fn identity(scene: &Scene, group: &PlanningGroup, chain: &KinematicChain) -> TrajectoryIdentity {
    TrajectoryIdentity {
        joint_names: chain.joint_names().to_vec(),
        group: Some(group.name.clone()),
        robot_name: Some(scene.robot().name.clone()),
    }
}

/// A joint's range, wider where a curve has knots up to the tolerance of limits outside of it.
fn widened_to_knots(curve: &PiecewisePolynomial, joint: usize, (lower, upper): (f64, f64)) -> (f64, f64) {
    let last = curve.pieces().saturating_sub(1);
    let end = evaluate(curve.coefficients(last, joint), 0, curve.piece_duration(last));
    let begins = (0..curve.pieces()).map(|piece| evaluate(curve.coefficients(piece, joint), 0, 0.0));
    let (low, high) = begins.fold((end, end), |(low, high), value| (value.min(low), value.max(high)));
    (lower.min(low.max(lower - LIMIT_TOLERANCE)), upper.max(high.min(upper + LIMIT_TOLERANCE)))
}

impl Verifier<'_> {
    /// Checks all but contact; returns how much of the limits is used.
    ///
    /// # Errors
    /// As [`Planner::certify`](crate::Planner::certify).
    pub(crate) fn check_limits(&self, curve: &PiecewisePolynomial) -> Result<LimitRatios> {
        self.check_positions(curve)?;
        self.control.check(0)?;
        self.check_steps(curve)?;
        self.control.check(0)?;
        let ratios = self.check_rates(curve)?;
        self.control.check(0)?;
        Ok(ratios)
    }

    /// A trajectory that has passed all checks, with the certificate that says so. `before` is what the checker had counted
    /// when the first of them began.
    ///
    /// # Errors
    /// For a group that the scene does not know; [`KineticError::TrajectoryLimitExceeded`] for a torque beyond its limit, and what
    /// the control says while torques are bounded.
    pub(crate) fn certified(
        &self,
        trajectory: TimedTrajectory,
        ratios: &LimitRatios,
        checker: &Checker,
        before: u64,
    ) -> Result<TimedTrajectory> {
        let (margins, group) = (checker.least_margins(), self.group);
        let max_torque_ratio = self.check_torques(&trajectory)?;
        let constraints = self.check_constraints(trajectory.curve())?;
        let certificate = Certificate {
            curve: trajectory.curve().content_hash(),
            scene: self.scene.version(),
            group: group.name.clone(),
            unchecked_links: self.scene.unchecked_links(&group.name)?,
            ghosts: self.scene.ghosts().map(str::to_owned).collect(),
            checks: checker.checks() - before,
            closest_approaches: self.measurement(&trajectory),
            margin: margins.world,
            self_margin: margins.own,
            max_velocity_ratio: ratios.velocity,
            max_acceleration_ratio: ratios.acceleration,
            max_jerk_ratio: ratios.jerk,
            path_deviation: trajectory.path_deviation,
            limits: ProvenLimits::of(&self.config.limits, self.limits),
            max_torque_ratio,
            dynamics: self.torques.map(TorqueLimits::content_hash),
            payload: self.config.payload.clone(),
            constraints,
            tool: self.tool,
        };
        trajectory.with_identity(identity(self.scene, group, self.chain))?.with_certificate(certificate)
    }

    /// Proves that torques keep their limits; returns a bound of how much of them is used.
    fn check_torques(&self, trajectory: &TimedTrajectory) -> Result<Option<f64>> {
        let Some(torques) = self.torques else { return Ok(None) };
        let peak = torques.peak(trajectory, self.control)?;
        if peak.bound <= 1.0 {
            return Ok(Some(peak.bound));
        }
        let TorquePeak { joint, effort: value, limit, time, .. } = peak;
        Err(KineticError::TrajectoryLimitExceeded { joint, quantity: "torque".to_owned(), value, limit, time })
    }

    /// Proves that a curve keeps the constraints at every instant; returns how near it comes to the tolerances.
    pub(crate) fn check_constraints(&self, curve: &PiecewisePolynomial) -> Result<Vec<ProvenConstraint>> {
        let Some(constraints) = self.constraints else { return Ok(Vec::new()) };
        let mut memory = constraints.clone();
        match memory.bound_along(curve, self.control)? {
            Ok(bounds) => {
                let proven = constraints.constraints().iter().cloned().zip(bounds);
                Ok(proven.map(|(constraint, max_violation)| ProvenConstraint { constraint, max_violation }).collect())
            }
            Err(_) if memory.failure().is_some() => Err(memory.failure().unwrap_or_else(|| self.control.error(0))),
            Err(CurveViolation { time, violation }) => {
                Err(constraints.error(format!("motion at {time:.3} s"), &violation))
            }
        }
    }

    /// The closest approaches of a curve, in the scene as it is now, to be measured on demand.
    fn measurement(&self, trajectory: &TimedTrajectory) -> Measurement {
        if !self.scene.moves_shapes(self.group) {
            return Measurement::known(None);
        }
        let (scene, group, margins) = (
            self.scene.without_checkers(),
            self.group.name.clone(),
            Margins::new(self.config.collision_margin, self.config.self_margin),
        );
        let (bounds, curve) = (self.config.workspace_bounds, trajectory.shared_curve());
        Measurement::on_demand(move |control| {
            scene.ask_checker_within(&group, margins, bounds.as_ref(), |checker| {
                checker.obey(Some(control));
                let found = checker.closest_approaches(&curve, CLEARANCE_TOLERANCE);
                checker.obey(None);
                control.check(0).map(|()| found)
            })?
        })
    }

    /// Checks the extremes of every piece against the joint ranges, and as far beyond them as the curve's own knots are, which what was
    /// given may put a little outside.
    pub(crate) fn check_positions(&self, curve: &PiecewisePolynomial) -> Result<()> {
        for piece in 0..curve.pieces().max(1) {
            for (joint, limits) in self.chain.bounds().iter().enumerate() {
                let (row, duration) = (curve.coefficients(piece, joint), curve.piece_duration(piece));
                let loose = enclosure(row, 0, 0.0, duration);
                if loose.0 >= limits.0 && loose.1 <= limits.1 {
                    continue;
                }
                let (lower, upper) = widened_to_knots(curve, joint, *limits);
                let range = extremes(row, 0, 0.0, duration, POSITION_TOLERANCE / 2.0);
                let exceeded = |at: f64, limit: f64| {
                    self.exceeded("position", joint, evaluate(row, 0, at), limit, curve.knots()[piece] + at)
                };
                if !(range.low >= lower - POSITION_TOLERANCE) {
                    return Err(exceeded(range.low_at, limits.0));
                }
                if !(range.high <= upper + POSITION_TOLERANCE) {
                    return Err(exceeded(range.high_at, limits.1));
                }
            }
        }
        Ok(())
    }

    /// Checks that position and velocity are continuous: where they step, no bound inside pieces holds.
    fn check_steps(&self, curve: &PiecewisePolynomial) -> Result<()> {
        for piece in 1..curve.pieces() {
            let before = curve.piece_duration(piece - 1);
            for (joint, limit) in self.limits.velocity.iter().enumerate() {
                let steps = [("step of position", POSITION_TOLERANCE), ("step of velocity", STEP_TOLERANCE * limit)];
                for (order, (quantity, limit)) in steps.into_iter().enumerate() {
                    let end = evaluate(curve.coefficients(piece - 1, joint), order, before);
                    let step = evaluate(curve.coefficients(piece, joint), order, 0.0) - end;
                    let is_rounding = || order == 0 && is_rounding_of_position(curve, joint, step.abs());
                    if !(step.abs() <= limit || is_rounding()) {
                        return Err(self.exceeded(quantity, joint, step, limit, curve.knots()[piece]));
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks velocities and accelerations; returns how much of all limits is used.
    fn check_rates(&self, curve: &PiecewisePolynomial) -> Result<LimitRatios> {
        let ratios = limit_ratios(curve, self.limits)?;
        let rates = [
            ("velocity", ratios.velocity, 1, &self.limits.velocity),
            ("acceleration", ratios.acceleration, 2, &self.limits.acceleration),
        ];
        for (quantity, ratio, order, limits) in rates {
            if ratio <= 1.0 + LIMIT_RATIO_ROUNDING {
                continue;
            }
            let Some(worst) = peak(curve, order, limits) else { continue };
            return Err(self.exceeded(quantity, worst.joint, worst.value, limits[worst.joint], worst.time));
        }
        Ok(ratios)
    }

    /// Proves that every pair keeps its margin, or says which first does not, when, and by how much.
    pub(crate) fn check_contact(&self, curve: &PiecewisePolynomial, checker: &mut Checker) -> Result<()> {
        let Some(met) = checker.curve_contact(curve) else { return Ok(()) };
        let (time, pair) = checker.first_curve_contact(curve).unwrap_or(met);
        // What takes too long is refused, too.
        self.control.check(0)?;
        let there = checker.clearance(&curve.sample(time, 0));
        let (pair, distance, margin) = (there.pair.unwrap_or(pair), there.distance, there.margin);
        Err(KineticError::TrajectoryInCollision { time, link: pair.link, other: pair.other, distance, margin })
    }

    fn exceeded(&self, quantity: &str, joint: usize, value: f64, limit: f64, time: f64) -> KineticError {
        let joint = self.chain.joint_names()[joint].clone();
        KineticError::TrajectoryLimitExceeded { joint, quantity: quantity.to_owned(), value, limit, time }
    }
}
