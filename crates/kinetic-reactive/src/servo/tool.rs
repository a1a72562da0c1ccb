//! Velocities of the tool, as velocities of the joints.

use std::sync::Arc;

use kinetic_core::error::check_finite;
use kinetic_core::{Pose, Result, Twist};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::Scene;

use super::config::ServoConfig;
use super::guard::Guard;
use super::motion::Motions;
use super::singularity_escape::SingularityEscape;
use crate::differential_ik::{
    DifferentialIk, DifferentialIkOptions, SingularityDamping, TaskCommand, TwistCommand, TwistFrame, VelocityCommand,
    VelocityContext, VelocityOutcome,
};
use crate::rotation_vector::way_to;

/// Name of the solver that takes approaches as inequalities.
const WITH_ROWS: &str = "qp";

/// So much later velocities are compared with those now, s.
const VELOCITY_LOOKAHEAD_S: f64 = 0.01;

/// Weight of joint velocities beside the error of the tool where something holds the arm back: without it a redundant arm would keep its
/// tool on the way by motions in its null space at the limits of velocity, in turns this way and that.
const REGULARIZATION: f64 = 0.03;

/// Where less of a wish is left than this part, all is lost.
pub(super) const LOST_PART: f64 = 0.01;

/// Differential inverse kinematics of the group, with the joints outside it where the scene holds them.
pub(super) struct Tool {
    ik: DifferentialIk,
    group: PlanningGroup,
    /// All joints of the robot.
    full: Vec<f64>,
    /// `None` for a group without one tool.
    chain: Option<KinematicChain>,
    frames: Vec<Rigid>,
    /// Of pairs that are near: ∂d/∂q, lowest rates, and no weights since all are hard.
    rows: Vec<f64>,
    row_bounds: Vec<f64>,
    takes_rows: bool,
    /// Velocities of the joints a little later.
    ahead: Vec<f64>,
    escape: SingularityEscape,
}

impl Tool {
    pub(super) fn new(scene: &Scene, group: &PlanningGroup, config: &ServoConfig, motions: &Motions) -> Result<Self> {
        let options = DifferentialIkOptions {
            method: config.method.clone(),
            period: config.period(),
            damping: SingularityDamping {
                singular_value: config.singularity_threshold,
                damping: config.singularity_damping,
            },
            regularization: REGULARIZATION,
            ..DifferentialIkOptions::default()
        };
        let mut tool = Self {
            ik: DifferentialIk::new(scene.robot().clone(), Some(&group.name), options)?,
            group: group.clone(),
            full: Vec::new(),
            chain: None,
            frames: Vec::new(),
            rows: Vec::new(),
            row_bounds: Vec::new(),
            takes_rows: config.method == WITH_ROWS,
            ahead: Vec::new(),
            escape: SingularityEscape::new(motions.limits(), motions.position_ranges(), config.period()),
        };
        tool.hold(scene.held());
        Ok(tool)
    }

    /// Takes over where a scene holds the joints outside the group.
    pub(super) fn hold(&mut self, held: &[f64]) {
        self.full.clear();
        self.full.extend_from_slice(held);
        self.chain = KinematicChain::from_group_held(self.ik.robot(), &self.group, &self.full).ok();
        self.frames = self.chain.as_ref().map_or_else(Vec::new, KinematicChain::frame_buffer);
    }

    pub(super) fn robot(&self) -> &Arc<Robot> {
        self.ik.robot()
    }

    /// The planning group.
    pub(super) fn group(&self) -> &PlanningGroup {
        &self.group
    }

    /// Whether approaches are inequalities of the solver, so that what it answers is slow enough.
    pub(super) fn takes_rows(&self) -> bool {
        self.takes_rows
    }

    fn place(&mut self, q: &[f64]) {
        for (value, variable) in q.iter().zip(&self.group.variables) {
            self.full[*variable] = *value;
        }
    }

    /// Joint velocities for a twist of the tool, with which nothing near is approached faster than its distance allows.
    pub(super) fn velocities(
        &mut self,
        q: &[f64],
        command: &TwistCommand<'_>,
        guard: &Guard,
        velocities: &mut [f64],
    ) -> Result<VelocityOutcome> {
        self.place(q);
        self.rows.clear();
        self.row_bounds.clear();
        let Self { ik, full, escape, .. } = self;
        let context = VelocityContext { bias: escape.velocities(), ..command.context };
        let outcome = ik.twist(full, &TwistCommand { context, ..*command }, velocities)?;
        if !self.takes_rows || !self.write_rows(guard, velocities) {
            return Ok(outcome);
        }
        let Self { ik, full, escape, rows, row_bounds, .. } = self;
        let context = VelocityContext { bias: escape.velocities(), rows, row_bounds, ..command.context };
        ik.twist(full, &TwistCommand { context, ..*command }, velocities)
    }

    /// Goes on along the escape from a singularity that was taken a tick before, if the wish is still stuck there; what is left of the
    /// wish meanwhile.
    pub(super) fn leave_singularity(
        &mut self,
        q: &[f64],
        command: &TwistCommand<'_>,
        tick: u64,
    ) -> Result<Option<Twist>> {
        self.place(q);
        let Self { ik, full, escape, .. } = self;
        if !escape.go_on(ik, (full, VelocityCommand::Twist(command)), tick)? {
            return Ok(None);
        }
        ik.forgo_lost(full, VelocityCommand::Twist(command))?;
        Ok(Some(ik.twist_as_left(command)))
    }

    /// Forgets escapes from singularities, for an arm that begins elsewhere.
    pub(super) fn forget_escape(&mut self) {
        self.escape.forget();
    }

    /// Whether an escape from a singularity was taken last.
    pub(super) fn is_leaving_singularity(&self) -> bool {
        !self.escape.velocities().is_empty()
    }

    /// Looks for an escape from a singularity at which a wish is stuck; from the next tick on it is taken.
    pub(super) fn search_escape(&mut self, q: &[f64], command: &TwistCommand<'_>, tick: u64) -> Result<bool> {
        self.place(q);
        let Self { ik, full, escape, .. } = self;
        escape.search(ik, (full, VelocityCommand::Twist(command)), tick)
    }

    /// What of a twist leaves joints with these largest accelerations room to brake before a singularity, and the part that the direction
    /// which gave way most has kept.
    pub(super) fn twist_to_brake(
        &mut self,
        q: &[f64],
        command: &TwistCommand<'_>,
        accelerations: &[f64],
    ) -> Result<(Twist, f64)> {
        self.place(q);
        let kept = self.ik.slow_down(&self.full, VelocityCommand::Twist(command), accelerations)?;
        Ok((self.ik.twist_as_left(command), kept))
    }

    /// Accelerations of the joints that go on with a twist, for which [`velocities`](Self::velocities) were found last: how these change on
    /// the way, with the same pairs near.
    pub(super) fn accelerations(
        &mut self,
        q: &[f64],
        command: &TwistCommand<'_>,
        velocities: &[f64],
        limits: &[f64],
    ) -> Result<&[f64]> {
        let Self { full, ahead, group, ik, rows, row_bounds, .. } = self;
        ahead.resize(q.len(), 0.0);
        for ((value, variable), velocity) in q.iter().zip(&group.variables).zip(velocities) {
            full[*variable] = value + VELOCITY_LOOKAHEAD_S * velocity;
        }
        ik.slow_down(full, VelocityCommand::Twist(command), limits)?;
        let twist = ik.twist_as_left(command);
        let context = VelocityContext { rows, row_bounds, ..command.context };
        ik.twist(full, &TwistCommand { twist, context, ..*command }, ahead)?;
        for (ahead, velocity) in ahead.iter_mut().zip(velocities) {
            *ahead = (*ahead - velocity) / VELOCITY_LOOKAHEAD_S;
        }
        Ok(ahead)
    }

    /// As [`velocities`](Self::velocities), for tasks: joints with these largest accelerations can brake before a singularity, and an
    /// escape from one is taken.
    pub(super) fn task_velocities(
        &mut self,
        q: &[f64],
        command: &TaskCommand<'_>,
        (guard, accelerations): (&Guard, &[f64]),
        tick: u64,
        velocities: &mut [f64],
    ) -> Result<VelocityOutcome> {
        self.place(q);
        let Self { ik, full, escape, .. } = self;
        let wish = VelocityCommand::Tasks(command);
        let is_leaving = escape.go_on(ik, (full, wish), tick)?;
        let kept = if is_leaving {
            ik.forgo_lost(full, wish)?;
            1.0
        } else {
            ik.slow_down(full, wish, accelerations)?
        };
        let context = VelocityContext { bias: escape.velocities(), ..command.context };
        let mut outcome = ik.tasks_as_left(full, &TaskCommand { context, ..*command }, velocities)?;
        if self.takes_rows && self.write_rows(guard, velocities) {
            let Self { ik, full, escape, rows, row_bounds, .. } = self;
            let context = VelocityContext { bias: escape.velocities(), rows, row_bounds, ..command.context };
            outcome = ik.tasks_as_left(full, &TaskCommand { context, ..*command }, velocities)?;
        }
        if !is_leaving && is_stuck(&outcome, kept) {
            let Self { ik, full, escape, .. } = self;
            escape.search(ik, (full, wish), tick)?;
        }
        Ok(outcome)
    }

    /// Writes a row for every pair that is near; false when all are slow enough with these velocities.
    fn write_rows(&mut self, guard: &Guard, velocities: &[f64]) -> bool {
        self.rows.clear();
        self.row_bounds.clear();
        let mut is_too_fast = false;
        for (pair, gradient) in guard.near() {
            let rate: f64 = gradient.iter().zip(velocities).map(|(slope, velocity)| slope * velocity).sum();
            let lowest = guard.fastest_approach(pair, rate);
            is_too_fast |= rate < lowest;
            self.rows.extend_from_slice(gradient);
            self.row_bounds.push(lowest);
        }
        is_too_fast
    }

    /// Pose of the tool in the base of the group; `None` for a group without one tool.
    pub(super) fn pose(&mut self, q: &[f64]) -> Option<Pose> {
        self.chain.as_ref().map(|chain| chain.tip_pose(q))
    }

    /// As [`pose`](Self::pose), without allocation.
    pub(super) fn tip(&mut self, q: &[f64]) -> Option<Rigid> {
        self.chain.as_ref().map(|chain| chain.tip_rigid(q, &mut self.frames))
    }

    /// The velocity that takes the tool towards `base_from_target`: `gain` times what is left, per second.
    pub(super) fn towards(&mut self, q: &[f64], base_from_target: &Pose, gain: f64) -> Twist {
        let Some(chain) = &self.chain else { return Twist::default() };
        let tip = chain.tip_rigid(q, &mut self.frames);
        let (linear, turn) = way_to(&tip, &base_from_target.translation(), &base_from_target.rotation());
        Twist::new(gain * linear, gain * turn)
    }

    /// Product of the singular values of the Jacobian.
    pub(super) fn manipulability(&mut self, q: &[f64]) -> Result<f64> {
        self.place(q);
        let all = TwistCommand::new(Twist::default(), TwistFrame::Base);
        Ok(self.ik.singularity(&self.full, &all)?.manipulability)
    }

    /// Refuses a command without components, values that are no numbers, links that there are not, and a group without one tool.
    pub(super) fn check(&mut self, q: &[f64], command: &TwistCommand<'_>) -> Result<()> {
        check_finite("twist", &command.twist.to_array())?;
        let is_known = !matches!(command.frame, TwistFrame::Link(link) if link >= self.robot().links.len());
        if command.num_rows() > 0 && is_known && self.chain.is_some() {
            return Ok(());
        }
        // What is wrong says the call that would fail in the next tick.
        self.place(q);
        self.ik.singularity(&self.full, command).map(|_| ())
    }
}

/// Whether a singularity takes all of a wish, of which braking before it has kept a part.
pub(super) fn is_stuck(outcome: &VelocityOutcome, kept: f64) -> bool {
    outcome.damping > 0.0 && outcome.achieved.min(kept) < LOST_PART
}
