//! The motions that a tick chooses from.

use kinetic_core::{Limits, Result};
use kinetic_trajectory::state::AxisLimits;
use kinetic_trajectory::{MotionLimits, MotionState, StateToState};

use super::braking::BrakingMotion;
use super::emergency::brake_hard;
use super::guard::Guard;
use super::pursuit::{Pursuit, PursuitStep};
use super::state::RANGE_TOLERANCE;

/// Part of the limits of acceleration and jerk with which joints arrive: the rest is for turns on the way.
const ARRIVAL_RATIO: f64 = 0.5;

/// Part of the limits of acceleration that following a twist may take, and the least part of it that is followed: no arm is to stand where
/// only the way on is bent.
const FOLLOWING_RATIO: f64 = 0.5;
const LEAST_FOLLOWED: f64 = 0.1;

/// Velocity from which a joint stops within a distance, with the part of its limits that arrivals take.
fn fastest_to_stop(distance: f64, limits: &AxisLimits) -> f64 {
    let [acceleration, jerk] = [limits.acceleration[1], limits.jerk[1]].map(|limit| ARRIVAL_RATIO * limit);
    // A stop from v takes v √(v / J) while its deceleration stays below A, and v² / 2A + v A / 2J above.
    let without_hold = (distance * distance * jerk).cbrt();
    if without_hold <= acceleration * acceleration / jerk {
        return without_hold;
    }
    let ramps = acceleration / (2.0 * jerk);
    acceleration * ((ramps * ramps + 2.0 * distance / acceleration).sqrt() - ramps)
}

/// Plans the motion of a tick and the stop after it.
pub(super) struct Motions {
    tick: StateToState,
    stop: StateToState,
    pursuit: Pursuit,
    positions: Vec<[f64; 2]>,
    accelerations: Vec<f64>,
    period: f64,
    /// Of the tick and the stop after it.
    braking: BrakingMotion,
    /// Where the tick leads, and where the stop after it ends.
    next: MotionState,
    rest: MotionState,
    /// Velocities that are wanted of the joints, and the part of them that is planned.
    wanted: Vec<f64>,
    planned: Vec<f64>,
}

impl Motions {
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::InvalidValue`] for limits that are not positive.
    pub(super) fn new(limits: &Limits, positions: Vec<[f64; 2]>, period: f64, error: f64) -> Result<Self> {
        let dof = limits.dof();
        let still = MotionState::at_rest(&vec![0.0; dof]);
        let whole = MotionLimits::symmetric(limits)?;
        Ok(Self {
            pursuit: Pursuit::new(&whole, &positions, period)?,
            accelerations: limits.acceleration.clone(),
            tick: StateToState::new(whole.clone()),
            stop: StateToState::new(whole),
            positions,
            period,
            braking: BrakingMotion::new(dof, error),
            next: still.clone(),
            rest: still,
            wanted: vec![0.0; dof],
            planned: vec![0.0; dof],
        })
    }

    pub(super) fn dof(&self) -> usize {
        self.positions.len()
    }

    /// Limits of the joints.
    pub(super) fn limits(&self) -> &[AxisLimits] {
        self.tick.limits().axes()
    }

    /// Largest accelerations of the joints.
    pub(super) fn accelerations(&self) -> &[f64] {
        &self.accelerations
    }

    /// Ranges of the positions.
    pub(super) fn position_ranges(&self) -> &[[f64; 2]] {
        &self.positions
    }

    /// Factor that brings the velocity of a joint inside its limit.
    pub(super) fn factor_of_joint(&self, joint: usize, velocity: f64) -> f64 {
        let limit = self.limits()[joint].velocity[1];
        if velocity.abs() > limit { limit / velocity.abs() } else { 1.0 }
    }

    /// Factor that brings all velocities inside their limits.
    pub(super) fn factor_inside_limits(&self, velocities: &[f64]) -> f64 {
        let factors = velocities.iter().enumerate().map(|(joint, velocity)| self.factor_of_joint(joint, *velocity));
        factors.fold(1.0, f64::min)
    }

    /// Velocities that are wanted.
    pub(super) fn wanted(&self) -> &[f64] {
        &self.wanted
    }

    pub(super) fn wanted_mut(&mut self) -> &mut [f64] {
        &mut self.wanted
    }

    /// Makes all wanted velocities smaller by the same factor, as far as the limits need it.
    pub(super) fn fit_wanted(&mut self) {
        let factor = self.factor_inside_limits(&self.wanted);
        for velocity in &mut self.wanted {
            *velocity *= factor;
        }
    }

    /// Makes all wanted velocities smaller by the same factor, so that the joints can follow them on: with all of them their accelerations
    /// are those given, and they fall with the square of the factor. Answers with the factor.
    pub(super) fn fit_to_follow(&mut self, accelerations: &[f64]) -> f64 {
        let ratios = accelerations.iter().zip(&self.accelerations);
        let ratios = ratios.map(|(acceleration, limit)| FOLLOWING_RATIO * limit / acceleration.abs());
        let factor = ratios.fold(1.0, f64::min).sqrt().max(LEAST_FOLLOWED);
        for velocity in &mut self.wanted {
            *velocity *= factor;
        }
        factor
    }

    /// Makes all wanted velocities smaller by the same factor, so that every joint can stop within the way that it has left, of which
    /// it is to cover `share` per second. Without it, an arm whose brakes are slower than that runs past its target again and again.
    pub(super) fn fit_to_arrive(&mut self, share: f64) {
        let limits = self.tick.limits().axes();
        let factors = self.wanted.iter().zip(limits).map(|(velocity, limits)| {
            let fastest = fastest_to_stop(velocity.abs() / share, limits);
            if velocity.abs() > fastest { fastest / velocity.abs() } else { 1.0 }
        });
        let factor = factors.fold(1.0, f64::min);
        for velocity in &mut self.wanted {
            *velocity *= factor;
        }
    }

    pub(super) fn want(&mut self, velocities: &[f64]) {
        self.wanted.copy_from_slice(velocities);
    }

    /// Takes the velocities after the tick that was planned last as those that are wanted.
    pub(super) fn want_planned(&mut self) {
        self.wanted.copy_from_slice(&self.next.velocities);
    }

    /// Whether a joint stands at the end of its range, or beyond, and is to go further.
    pub(super) fn is_at_bound(&self, state: &MotionState) -> bool {
        self.positions.iter().enumerate().any(|(joint, [low, high])| {
            let (position, wanted) = (state.positions[joint], self.wanted[joint]);
            (wanted > 0.0 && position >= high - RANGE_TOLERANCE) || (wanted < 0.0 && position <= low + RANGE_TOLERANCE)
        })
    }

    /// Plans a tick towards a part of the velocities that are wanted.
    pub(super) fn plan_velocity(&mut self, state: &MotionState, part: f64) -> Result<()> {
        for (planned, wanted) in self.planned.iter_mut().zip(&self.wanted) {
            *planned = part * wanted;
        }
        self.tick.plan_velocity(state, &self.planned, &self.positions)?;
        self.plan_stop_after()
    }

    /// Plans a tick in pursuit of a target that moves, which `target` writes for seconds from now.
    pub(super) fn plan_pursuit(
        &mut self,
        state: &MotionState,
        target: impl FnMut(f64, &mut MotionState),
    ) -> Result<PursuitStep> {
        let approach = self.pursuit.plan(state, target)?;
        self.pursuit.write_next(&mut self.next);
        let duration = self.stop.plan_stop(&self.next)?;
        self.stop.sample_into(duration, &mut self.rest);
        self.braking.set(self.pursuit.motions(), self.period, self.stop.motions());
        Ok(approach)
    }

    /// Plans the stop from a state that is to come, which `write` writes; the braking motion is then of that alone.
    pub(super) fn plan_stop_from(&mut self, write: impl FnOnce(&mut MotionState)) -> Result<()> {
        write(&mut self.next);
        let duration = self.stop.plan_stop(&self.next)?;
        self.stop.sample_into(duration, &mut self.rest);
        self.braking.set(self.pursuit.motions(), 0.0, self.stop.motions());
        Ok(())
    }

    /// Where a stop leads from a target, which is cut to what can be met.
    pub(super) fn rest_after(&mut self, target: &mut MotionState, rest: &mut MotionState) -> Result<()> {
        self.pursuit.rest_after(target, rest)
    }

    /// Plans the fastest stop, beginning with this tick.
    pub(super) fn plan_stop(&mut self, state: &MotionState) -> Result<()> {
        self.tick.plan_stop(state)?;
        self.plan_stop_after()
    }

    /// The stop from where the tick leads.
    fn plan_stop_after(&mut self) -> Result<()> {
        self.tick.sample_into(self.period, &mut self.next);
        let duration = self.stop.plan_stop(&self.next)?;
        self.stop.sample_into(duration, &mut self.rest);
        let tick = self.tick.motions().iter().map(|motion| (motion, 0.0));
        self.braking.set(tick, self.period, self.stop.motions());
        Ok(())
    }

    /// Whether the tick and the stop after it stay inside the ranges of positions, or nearer than where they begin.
    pub(super) fn stays_inside(&self, state: &MotionState) -> bool {
        self.positions.iter().enumerate().all(|(joint, [low, high])| {
            let start = state.positions[joint];
            let [lowest, highest] = self.braking.range(joint);
            // What is outside already may not go further: every tick could take what a tolerance leaves.
            lowest >= start.min(low - RANGE_TOLERANCE) && highest <= start.max(high + RANGE_TOLERANCE)
        })
    }

    /// Plans to brake as hard as acceleration allows.
    pub(super) fn brake_hard(&mut self, state: &MotionState) {
        brake_hard(state, self.tick.limits().axes(), self.period, &mut self.next);
    }

    /// The tick and the stop after it.
    pub(super) fn braking(&self) -> &BrakingMotion {
        &self.braking
    }

    /// Whether a guard allows the tick and the stop after it.
    pub(super) fn is_allowed_by(&mut self, guard: &mut Guard) -> Result<bool> {
        guard.allows(&mut self.braking, &self.rest.positions)
    }

    /// Moves a state to where the tick leads.
    pub(super) fn advance(&mut self, state: &mut MotionState) {
        std::mem::swap(&mut self.next, state);
    }
}
