//! One tick.

use kinetic_core::{KineticError, Result, Twist};

use super::Servo;
use super::command::CommandKind;
use super::output::{ServoOutput, ServoStatus};
use super::state::is_at_rest;
use super::tool::{LOST_PART, is_stuck};
use crate::differential_ik::{TwistCommand, TwistFrame, VelocityOutcome};

/// Parts of the velocity that are tried until a stop is proven.
const PARTS: [f64; 4] = [1.0, 0.5, 0.2, 0.05];

/// Damping that takes less than the rest of a velocity is not spoken of.
const WHOLE_VELOCITY_RATIO: f64 = 0.99;

/// A trajectory slows down where the arm would have no proven stop this much later, s.
const STOP_LOOKAHEAD_S: f64 = 0.2;

/// Farther than ten times the way that the velocities cover, targets are not taken to be.
const LEAST_SHARE: f64 = 0.1;

impl Servo {
    /// Moves for one period; answers with the state that the arm is to have at the end of it.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] before a state is [set](Self::set_state).
    pub fn tick(&mut self) -> Result<&ServoOutput> {
        self.check_placed()?;
        self.see_scene()?;
        [self.output.min_distance, self.output.min_self_distance] = self.guard.least_distances();
        self.output.exceeds_limits = false;
        let kind = self.kind_now();
        if kind != CommandKind::Twist {
            self.held_axes.forget();
        }
        self.command.age = self.command.age.saturating_add(1);
        if kind == CommandKind::Stand {
            self.filters.forget();
        }
        if kind == CommandKind::Stand || !self.follow(kind)? {
            self.stop_this_tick(kind)?;
        }
        if kind == CommandKind::Trajectory {
            self.trajectory.advance(self.config.period());
        }
        self.num_ticks += 1;
        self.measure_deviation(kind);
        Ok(&self.output)
    }

    pub(super) fn check_placed(&self) -> Result<()> {
        if self.is_placed {
            return Ok(());
        }
        Err(KineticError::invalid("state of the servo", "none", "set_state before the first tick"))
    }

    /// Follows edits of the scene, and looks around where the arm is.
    pub(super) fn see_scene(&mut self) -> Result<()> {
        if self.guard.follow_scene()? {
            self.has_stop = false;
            self.tool.hold(self.guard.held());
        }
        self.guard.look(&self.output.state.positions);
        Ok(())
    }

    /// What is to be done now: a command that is too old does not act any more, nor do chunks that are over or still to come.
    fn kind_now(&self) -> CommandKind {
        let (now, period) = (self.time(), self.config.period());
        let acts = match self.command.chunk_span() {
            Some([start, end]) => now + period > start && now <= end + self.config.command_timeout,
            None if self.command.kind == CommandKind::Trajectory => !self.trajectory.is_over(&self.output.state),
            None => self.command.age as f64 * period <= self.config.command_timeout,
        };
        if acts { self.command.kind } else { CommandKind::Stand }
    }

    /// Moves as the command wants, or a part of it; false when nothing of it is proven.
    fn follow(&mut self, kind: CommandKind) -> Result<bool> {
        self.want(kind)?;
        self.is_at_bound = self.motions.is_at_bound(&self.output.state);
        let is_planned =
            matches!(kind, CommandKind::JointTracking | CommandKind::Trajectory | CommandKind::JointChunks);
        let is_slow_enough = !is_planned && kind != CommandKind::JointJog && self.tool.takes_rows();
        let scale = if is_slow_enough { 1.0 } else { self.approach_scale() };
        if kind == CommandKind::Trajectory {
            self.slow_trajectory_down(scale)?;
        }
        if is_planned && (scale == 1.0 || kind == CommandKind::Trajectory) && self.accept_planned()? {
            self.report(scale);
            return Ok(true);
        }
        if scale == 0.0 {
            return Ok(false);
        }
        for part in PARTS {
            self.motions.plan_velocity(&self.output.state, scale * part)?;
            if self.accept_planned()? {
                self.report(scale * part);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds the joint velocities that a command wants.
    fn want(&mut self, kind: CommandKind) -> Result<()> {
        self.kept_by = None;
        match kind {
            CommandKind::Stand => {}
            CommandKind::JointJog => {
                self.motions.want(self.filters.joints(kind, &self.command.velocities)?);
                self.motions.fit_wanted();
            }
            CommandKind::JointTracking => self.want_positions()?,
            CommandKind::Trajectory => self.want_trajectory()?,
            CommandKind::JointChunks => self.want_joint_chunk()?,
            CommandKind::ToolChunks => self.want_tool_chunk()?,
            CommandKind::Twist => {
                let command = self.command.twist;
                let twist = self.filters.twist(&command.twist, command.frame)? + self.correction(&command);
                self.want_twist(TwistCommand { twist, ..command })?;
            }
            CommandKind::PoseTracking => {
                let gain = self.config.pose_tracking_gain;
                let pose = self.filters.pose(&self.command.pose)?;
                let twist = self.tool.towards(&self.output.state.positions, &pose, gain);
                let outcome = self.want_twist(TwistCommand::new(twist, TwistFrame::Base))?;
                self.motions.fit_to_arrive(gain * share_of_way(&outcome));
            }
        }
        Ok(())
    }

    /// Follows the commanded positions as they go on since the end of the first tick.
    fn want_positions(&mut self) -> Result<()> {
        let Self { motions, command, filters, output, config, .. } = self;
        let since = command.age as f64 * config.period();
        let positions = filters.joints(CommandKind::JointTracking, &command.target.positions)?;
        // A command counts one tick from its first on, at the end of which the positions are to be met.
        let early = 2.0 * config.period();
        let approach = motions.plan_pursuit(&output.state, |after, wanted| {
            command.write_tracked(positions, since + after - early, wanted);
        })?;
        motions.want_planned();
        self.kept_by = approach.is_beyond.then_some(ServoStatus::JointBound);
        Ok(())
    }

    /// What leads the components of a twist that are zero back to where they are held.
    fn correction(&mut self, command: &TwistCommand<'static>) -> Twist {
        let Self { tool, held_axes, config, output, .. } = self;
        let Some(tip) = tool.tip(&output.state.positions) else { return Twist::default() };
        held_axes.correction(command, &tip, config.period(), config.pose_tracking_gain)
    }

    /// Follows the trajectory from where the arm is along it.
    fn want_trajectory(&mut self) -> Result<()> {
        self.trajectory.plan(&self.output.state);
        self.pursue_trajectory()
    }

    /// Slows the time of the trajectory down where the tick would be too fast by `scale`, or has no way to stop a little later.
    fn slow_trajectory_down(&mut self, scale: f64) -> Result<()> {
        let Self { motions, trajectory, guard, .. } = self;
        if scale < 1.0 {
            trajectory.go_on_with(scale * trajectory.pace());
        }
        for pace in [trajectory.pace(), 0.0] {
            motions.plan_stop_from(|state| trajectory.write(STOP_LOOKAHEAD_S, state))?;
            if motions.is_allowed_by(guard)? {
                break;
            }
            trajectory.go_on_with(pace);
        }
        self.pursue_trajectory()
    }

    fn pursue_trajectory(&mut self) -> Result<()> {
        let Self { motions, trajectory, output, .. } = self;
        let approach = motions.plan_pursuit(&output.state, |after, wanted| trajectory.write(after, wanted))?;
        motions.want_planned();
        self.kept_by = if approach.is_beyond {
            Some(ServoStatus::JointBound)
        } else {
            approach.is_late.then_some(ServoStatus::DecelerateForLimits)
        };
        Ok(())
    }

    pub(super) fn want_twist(&mut self, command: TwistCommand<'static>) -> Result<VelocityOutcome> {
        let Self { tool, motions, guard, output, num_ticks, .. } = self;
        let q = &output.state.positions;
        if let Some(twist) = tool.leave_singularity(q, &command, *num_ticks)? {
            let outcome = tool.velocities(q, &TwistCommand { twist, ..command }, guard, motions.wanted_mut())?;
            motions.fit_wanted();
            self.kept_by = Some(ServoStatus::DecelerateForSingularity);
            return Ok(outcome);
        }
        let (twist, kept) = tool.twist_to_brake(q, &command, motions.accelerations())?;
        let outcome = tool.velocities(q, &TwistCommand { twist, ..command }, guard, motions.wanted_mut())?;
        let has_escape = is_stuck(&outcome, kept) && tool.search_escape(q, &command, *num_ticks)?;
        let accelerations = tool.accelerations(q, &command, motions.wanted(), motions.accelerations())?;
        let part = motions.fit_to_follow(accelerations);
        motions.fit_wanted();
        let achieved = if outcome.damping > 0.0 { outcome.achieved } else { 1.0 };
        if achieved < LOST_PART && !has_escape {
            self.kept_by = Some(ServoStatus::HaltForSingularity);
        } else if has_escape || achieved.min(kept).min(part) < WHOLE_VELOCITY_RATIO {
            self.kept_by = Some(ServoStatus::DecelerateForSingularity);
        }
        Ok(outcome)
    }

    /// The part of the wanted velocities with which no pair is approached faster than its distance allows.
    fn approach_scale(&self) -> f64 {
        let wanted = self.motions.wanted();
        let scales = self.guard.near().map(|(pair, gradient)| {
            let rate: f64 = gradient.iter().zip(wanted).map(|(slope, velocity)| slope * velocity).sum();
            let allowed = self.guard.fastest_approach(pair, rate);
            if rate < allowed { allowed / rate } else { 1.0 }
        });
        scales.fold(1.0, f64::min)
    }

    /// Takes the tick that was planned, if it and the stop after it are proven.
    fn accept_planned(&mut self) -> Result<bool> {
        let Self { motions, guard, output, .. } = self;
        let is_proven = motions.stays_inside(&output.state) && motions.is_allowed_by(guard)?;
        if is_proven {
            self.advance();
        }
        Ok(is_proven)
    }

    fn advance(&mut self) {
        self.motions.advance(&mut self.output.state);
        self.has_stop = true;
    }

    /// Says what part of a command the tick follows.
    fn report(&mut self, scale: f64) {
        self.output.scale = scale;
        let status = if self.is_at_bound {
            ServoStatus::JointBound
        } else if let Some(reason) = self.kept_by.filter(|reason| scale == 1.0 || !reason.gives_way()) {
            reason
        } else if scale < 1.0 {
            ServoStatus::DecelerateForCollision
        } else {
            ServoStatus::NoWarning
        };
        self.halted_ticks = if status == ServoStatus::HaltForSingularity { self.halted_ticks + 1 } else { 0 };
        let is_locked = self.halted_ticks as f64 * self.config.period() > self.config.lockup_time;
        self.output.status = if is_locked { ServoStatus::SingularityLockup } else { status };
    }

    /// Brakes, or stands: along the stop that is proven from the tick before, or else one that does not touch in the scene as it
    /// is now, or else as hard as acceleration allows.
    fn stop_this_tick(&mut self, kind: CommandKind) -> Result<()> {
        self.output.scale = 0.0;
        self.halted_ticks = 0;
        self.output.status = match kind {
            CommandKind::Stand => ServoStatus::NoCommand,
            _ if self.guard.is_too_close() => ServoStatus::EmergencyStop,
            _ => ServoStatus::HaltForCollision,
        };
        self.motions.plan_stop(&self.output.state)?;
        if self.has_stop || is_at_rest(&self.output.state) || self.guard.is_braking_free(self.motions.braking()) {
            self.advance();
            return Ok(());
        }
        self.motions.brake_hard(&self.output.state);
        self.motions.advance(&mut self.output.state);
        (self.output.status, self.output.exceeds_limits) = (ServoStatus::EmergencyStop, true);
        Ok(())
    }
}

/// The part of the way to a target that wanted velocities cover, of what its gain asks for: limits leave less of it. What a singularity
/// takes is no shorter way.
pub(super) fn share_of_way(outcome: &VelocityOutcome) -> f64 {
    if outcome.damping > 0.0 { 1.0 } else { outcome.achieved.clamp(LEAST_SHARE, 1.0) }
}
