//! Motions along one path, made slower until no effort exceeds its limit.

use kinetic_core::{Control, KineticError, Limits, Result, TimedTrajectory, Trajectory};
use kinetic_trajectory::geometry::PathGeometry;
use kinetic_trajectory::stretched;
use kinetic_trajectory::totp::{PathPoint, PathRow, RESOLUTION, time_optimal};

use crate::data::Workspace;
use crate::feasibility::{EffortViolation, check_trajectory_feasibility};
use crate::model::DynamicsModel;
use crate::recursions::bodies_inverse;
use crate::tightening::{Tightening, distance};
use crate::torque_rows::{StaticExcess, TorqueRows};

/// Share up to which the efforts of motions are bounded.
pub(crate) const PROOF_TOLERANCE: f64 = 5e-4;

/// Part of each limit that is kept for the proof: twice the share up to which efforts are bounded.
pub(crate) const PROOF_RESERVE: f64 = 2.0 * PROOF_TOLERANCE;

/// Grid of the rows: where the motor turns from accelerating to braking, a stage is lost. Of a straight that costs up to 3 % of
/// the time with the resolution that the law has without rows.
const ROW_RESOLUTION: usize = 4 * RESOLUTION;

/// Times that rows are tightened. Most paths take two to five.
const MAX_TIGHTENINGS: usize = 15;
/// A tightened row is a little tighter than the excess asks for, and reaches beyond the piece, since those beside it change too;
/// further each time.
const TIGHTENING_RATIO: f64 = 0.99;
const FIRST_REACH: f64 = 1.5;
const REACH_GROWTH: f64 = 1.3;

/// Times that a motion is slowed as a whole, and how much longer it gets each time at least.
const MAX_SLOWDOWNS: usize = 30;
const LEAST_SLOWDOWN: f64 = 1.0005;

/// One path that is timed under the efforts that may be used.
pub(crate) struct Retiming<'a> {
    pub(crate) model: &'a DynamicsModel,
    pub(crate) limits: &'a [f64],
    /// What motions are made for: the limits less [`PROOF_RESERVE`].
    pub(crate) usable: &'a [f64],
    pub(crate) path: &'a Trajectory,
    pub(crate) control: &'a Control,
}

/// What has to change where a limit is exceeded.
struct Excess {
    joint: usize,
    /// Of the effort.
    sign: f64,
    /// How much of the effort that the motion needs, besides gravity and friction, there is.
    part: f64,
}

impl Retiming<'_> {
    /// Per piece and joint where efforts exceed what may be used.
    pub(crate) fn violations(&self, timed: &TimedTrajectory) -> Result<Vec<EffortViolation>> {
        check_trajectory_feasibility(self.model, timed, self.usable, PROOF_TOLERANCE, self.control)
    }

    /// The time-optimal motion, with rows that are tightened until limits are kept between the points of the grid too.
    pub(crate) fn optimal(&self, geometry: &PathGeometry, limits: &Limits) -> Result<TimedTrajectory> {
        let (mut tightening, mut reach) = (Tightening::default(), FIRST_REACH);
        for attempt in 1.. {
            let mut rows = TorqueRows::new(self.model, self.usable, &limits.velocity, &tightening);
            let mut append = |point: &PathPoint<'_>, out: &mut Vec<PathRow>| rows.append(point, out);
            let timed = time_optimal(geometry, limits, ROW_RESOLUTION, Some(&mut append));
            if let Some(excess) = rows.excess {
                return Err(self.static_error(&excess));
            }
            let timed = timed?;
            let exceeded = self.violations(&timed)?;
            match exceeded.first() {
                None => return Ok(timed),
                Some(violation) if attempt == MAX_TIGHTENINGS => return Err(violation.error()),
                Some(_) => {}
            }
            for violation in &exceeded {
                let Excess { joint, sign, part } = self.excess(&timed, violation)?;
                let place = (timed.curve(), violation.piece, violation.time);
                tightening.tighten((joint, sign), place, (TIGHTENING_RATIO * part, reach));
            }
            reach *= REACH_GROWTH;
        }
        Err(KineticError::Other("rows that are never tight enough".to_owned()))
    }

    /// The same motion evenly slower, as little as suffices, from where it exceeds what may be used.
    ///
    /// What the motion needs falls with the square of the time, but for viscous drag.
    pub(crate) fn slowed(&self, fast: &TimedTrajectory, exceeded: &[EffortViolation]) -> Result<TimedTrajectory> {
        let mut timed = fast.clone();
        let mut exceeded = exceeded.to_vec();
        for _ in 0..MAX_SLOWDOWNS {
            let Some(violation) = exceeded.first() else { return Ok(timed) };
            if timed.duration() == 0.0 {
                return Err(violation.error());
            }
            let mut part = 1.0_f64;
            for violation in &exceeded {
                part = part.min(self.excess(&timed, violation)?.part);
            }
            let slower = (1.0 / part).sqrt().max(LEAST_SLOWDOWN);
            timed = stretched(&timed, timed.duration() * slower)?;
            exceeded = self.violations(&timed)?;
        }
        match exceeded.first() {
            None => Ok(timed),
            Some(violation) => Err(violation.error()),
        }
    }

    fn excess(&self, timed: &TimedTrajectory, violation: &EffortViolation) -> Result<Excess> {
        let (q, v) = (timed.curve().sample(violation.time, 0), timed.curve().sample(violation.time, 1));
        let names = self.model.joint_names();
        let joint = names.iter().position(|name| *name == violation.joint).unwrap_or_default();
        let sign = violation.effort.signum();
        let effort = self.static_efforts(&q)[joint]
            + if self.model.has_friction() { self.model.resistances()[joint].friction_towards(v[joint]) } else { 0.0 };
        let headroom = self.usable[joint] - sign * effort;
        if !(headroom > 0.0) {
            return Err(self.static_error(&StaticExcess { joint, effort, position: q }));
        }
        let part = (headroom / (sign * (violation.effort - effort))).min(1.0);
        Ok(Excess { joint, sign, part })
    }

    /// Efforts that hold the robot.
    fn static_efforts(&self, q: &[f64]) -> Vec<f64> {
        let (still, mut efforts) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        bodies_inverse(self.model, &mut Workspace::new(self.model).states, [q, &still, &still], |_| (), &mut efforts);
        efforts
    }

    fn static_error(&self, StaticExcess { joint, effort, position }: &StaticExcess) -> KineticError {
        let waypoints = self.path.iter().enumerate().map(|(index, waypoint)| (distance(waypoint, position), index));
        let nearest = waypoints.min_by(|a, b| a.0.total_cmp(&b.0));
        KineticError::StaticTorqueExceeded {
            joint: self.model.joint_names()[*joint].clone(),
            effort: *effort,
            limit: self.limits[*joint],
            reserve: PROOF_RESERVE,
            waypoint_index: nearest.map_or(0, |(_, index)| index),
        }
    }
}
