//! One tick.

use kinetic_core::{KineticError, Result};

use super::Servo;
use super::command::CommandKind;
use super::motion::is_at_rest;
use super::output::{ServoOutput, ServoStatus};
use crate::differential_ik::{TwistCommand, TwistFrame};

/// Parts of the velocity that are tried until a stop is proven.
const PARTS: [f64; 4] = [1.0, 0.5, 0.2, 0.05];

/// Damping that takes less than the rest of a velocity is not spoken of; where less than the second is left, all is lost.
const WHOLE_VELOCITY_RATIO: f64 = 0.99;
const LOST_VELOCITY_RATIO: f64 = 0.01;

impl Servo {
    /// Moves for one period; answers with the state that the arm is to have at the end of it.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] before a state is [set](Self::set_state).
    pub fn tick(&mut self) -> Result<&ServoOutput> {
        if !self.is_placed {
            return Err(KineticError::invalid("state of the servo", "none", "set_state before the first tick"));
        }
        if self.guard.follow_scene()? {
            self.has_stop = false;
            self.tool.hold(self.guard.held());
        }
        self.guard.look(&self.output.state.positions);
        [self.output.min_distance, self.output.min_self_distance] = self.guard.least_distances();
        self.output.exceeds_limits = false;
        let kind = self.kind_now();
        self.command.age = self.command.age.saturating_add(1);
        if kind == CommandKind::Stand || !self.follow(kind)? {
            self.stop_this_tick(kind)?;
        }
        Ok(&self.output)
    }

    /// What is to be done now: a command that is too old does not act any more.
    fn kind_now(&self) -> CommandKind {
        if self.command.age as f64 * self.config.period() > self.config.command_timeout {
            return CommandKind::Stand;
        }
        self.command.kind
    }

    /// Moves as the command wants, or a part of it; false when nothing of it is proven.
    fn follow(&mut self, kind: CommandKind) -> Result<bool> {
        self.want(kind)?;
        self.is_at_bound = self.motions.is_at_bound(&self.output.state);
        let is_slow_enough = matches!(kind, CommandKind::Twist | CommandKind::PoseTracking) && self.tool.takes_rows();
        let scale = if is_slow_enough { 1.0 } else { self.approach_scale() };
        if kind == CommandKind::JointTracking && scale == 1.0 && self.accept_planned()? {
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
        self.singularity = None;
        match kind {
            CommandKind::Stand => {}
            CommandKind::JointJog => self.motions.want(&self.command.velocities),
            CommandKind::JointTracking => {
                self.motions.plan_target(&self.output.state, &self.command.target)?;
                self.motions.want_planned();
            }
            CommandKind::Twist => self.want_twist(self.command.twist)?,
            CommandKind::PoseTracking => {
                let gain = self.config.pose_tracking_gain;
                let twist = self.tool.towards(&self.output.state.positions, &self.command.pose, gain);
                self.want_twist(TwistCommand::new(twist, TwistFrame::Base))?;
            }
        }
        Ok(())
    }

    fn want_twist(&mut self, command: TwistCommand<'static>) -> Result<()> {
        let Self { tool, motions, guard, output, .. } = self;
        let outcome = tool.velocities(&output.state.positions, &command, guard, motions.wanted_mut())?;
        motions.fit_wanted();
        if outcome.damping > 0.0 && outcome.achieved < WHOLE_VELOCITY_RATIO {
            let is_lost = outcome.achieved < LOST_VELOCITY_RATIO;
            let (slower, lost) = (ServoStatus::DecelerateForSingularity, ServoStatus::HaltForSingularity);
            self.singularity = Some(if is_lost { lost } else { slower });
        }
        Ok(())
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
        self.output.status = if self.is_at_bound {
            ServoStatus::JointBound
        } else if let Some(singularity) = self.singularity {
            singularity
        } else if scale < 1.0 {
            ServoStatus::DecelerateForCollision
        } else {
            ServoStatus::NoWarning
        };
    }

    /// Brakes, or stands: along the stop that is proven from the tick before, or else one that does not touch in the scene as it
    /// is now, or else as hard as acceleration allows.
    fn stop_this_tick(&mut self, kind: CommandKind) -> Result<()> {
        self.output.scale = 0.0;
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
