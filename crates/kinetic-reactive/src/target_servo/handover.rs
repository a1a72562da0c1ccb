//! The plan of the way around.

use kinetic_core::{Goal, KineticError, MotionLimits, PlannerConfig, Result, StopFlag, TimedTrajectory};
use kinetic_planning::{Planner, Query};

use super::config::TargetServoConfig;
use crate::servo::{ROOM_FOR_PROOFS_M, Servo};
use crate::target::ServoTarget;

/// Law of the time along plans: the one whose motions a servo, which has limits of jerk, can follow.
const TIME_LAW: &str = "jerk_limited";

/// Parts of the limits that plans use: what a servo follows exactly, and of jerk what leaves room for changes of the pace.
const PART_OF_LIMITS: f64 = 0.9;
const PART_OF_JERK: f64 = 0.75;

/// A start at the stop distance is moved by so much, rad or m, to have room to plan.
const LARGEST_LEAD_IN: f64 = 0.3;

/// Plans for one servo, among the obstacles that there are at each plan.
#[derive(Debug)]
pub(super) struct Handover {
    planner: Planner,
    /// Distances above the stop distance that are tried one after the other, m.
    clearances: [f64; 2],
}

impl Handover {
    pub(super) fn new(servo: &Servo, config: &TargetServoConfig) -> Result<Self> {
        let scene = servo.scene().snapshot().with_robot(servo.robot())?;
        let planner = Planner::in_scene(scene)?.with_group(&servo.group().name)?.with_config(PlannerConfig {
            timeout: config.plan_timeout,
            seed: config.seed,
            fix_start: LARGEST_LEAD_IN,
            limits: limits(servo),
            ..PlannerConfig::default()
        })?;
        planner.limits()?;
        Ok(Self { planner, clearances: [config.plan_clearance.max(ROOM_FOR_PROOFS_M), ROOM_FOR_PROOFS_M] })
    }

    /// Motions from rest at the servo's state to the target. The whole of it keeps the deadline of the options.
    pub(super) fn plan(&self, servo: &Servo, target: &ServoTarget, stop: &StopFlag) -> Result<Vec<TimedTrajectory>> {
        let control = self.planner.control(stop.clone());
        let goal = match target {
            ServoTarget::Pose(pose) => Goal::Pose(*pose),
            ServoTarget::Joints(positions) => Goal::joints(positions.clone()),
        };
        let scene = servo.scene().snapshot().with_robot(servo.robot())?;
        let start = &servo.output().state.positions;
        let mut outcome = None;
        for clearance in self.clearances {
            let stop_margins = servo.stop_margins();
            let planner = self.planner.clone().with_scene(&scene)?.with_config(PlannerConfig {
                collision_margin: stop_margins.world + clearance,
                self_margin: stop_margins.own + ROOM_FOR_PROOFS_M,
                ..self.planner.config().clone()
            })?;
            let solved = planner.solve(Query::new(start, &goal).with_time_law(TIME_LAW)?.with_control(&control));
            match solved.and_then(motions) {
                Err(error) if !matches!(error, KineticError::Cancelled { .. }) => outcome = Some(error),
                done => return done,
            }
        }
        Err(outcome.unwrap_or_else(|| control.error(0)))
    }
}

/// The escape of the margins, where there is one, and the way to the target.
fn motions(solution: kinetic_planning::Solution) -> Result<Vec<TimedTrajectory>> {
    let lead_in = solution.result.lead_in.as_ref().and_then(|lead_in| lead_in.trajectory.clone());
    Ok(lead_in.into_iter().chain([solution.into_trajectory()?]).collect())
}

/// Limits of the servo, as far as the robot has no lower ones.
fn limits(servo: &Servo) -> MotionLimits {
    let own = servo.robot().limits(servo.group());
    let least = |own: &[f64], of: fn(&kinetic_trajectory::state::AxisLimits) -> f64| {
        let values = servo.axis_limits().iter().zip(own).map(|(axis, own)| of(axis).min(*own));
        values.collect::<Vec<f64>>()
    };
    let any = vec![f64::INFINITY; servo.dof()];
    MotionLimits {
        velocity: Some(least(&own.velocity, |axis| axis.velocity[1])),
        acceleration: Some(least(&own.acceleration, |axis| axis.acceleration[1])),
        jerk: Some(least(own.jerk.as_ref().unwrap_or(&any), |axis| PART_OF_JERK * axis.jerk[1])),
        velocity_scaling: PART_OF_LIMITS,
        acceleration_scaling: PART_OF_LIMITS,
    }
}
