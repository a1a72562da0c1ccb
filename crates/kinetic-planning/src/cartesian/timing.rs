//! Time laws of motions along a tool path: splines over the arc lengths, with limits on the speed of the tool.
//!
//! The path parameter is the arc length, in metres along the path, so that `|p′| ṡ` is the speed of the tool. Its limits are rows
//! `|p′|² ṡ² ≤ v²` of the time-optimal law (Pham & Pham 2018). They hold at the points of the law's grid; speeds are bounded on the
//! finished curve, and rows are tightened where a bound exceeds its limit, until the limits are proven.

use kinetic_core::{Control, KineticError, Limits, Result, TimedTrajectory, Trajectory};
use kinetic_ik::FreedPath;
use kinetic_kinematics::KinematicChain;
use kinetic_kinematics::jacobian::jacobian_into;
use kinetic_trajectory::geometry::PathGeometry;
use kinetic_trajectory::totp::{self, PathRow, RESOLUTION, time_optimal};
use kinetic_trajectory::{Corners, TimeLawSpec, TimingOptions, concatenate, stretched, time_parameterize_with};

use super::config::CartesianConfig;
use super::tracking::{Tracked, Tracker};

/// How far laws that cut the corners of a polyline may leave it, Euclidean in joint space; the tool decides.
const POLYLINE_DEVIATION_RAD_M: f64 = 1e-4;
/// Part of a speed limit that rows allow at first.
const FIRST_SPEED_RATIO: f64 = 0.999;
/// Rows are tightened by what is missed, and this part of it.
const TIGHTENING_RATIO: f64 = 0.9995;
/// Times that rows are tightened, and how often of these only where a limit is exceeded.
const MOST_TIGHTENINGS: usize = 12;
const LOCAL_TIGHTENINGS: usize = 8;

/// Path parameters this near are one, m.
const PARAMETER_ROUNDING: f64 = 1e-9;

/// Speeds that rows allow, m/s and rad/s, between neighbouring arc lengths of a run; `None` without a limit.
type AllowedSpeeds = [Option<Vec<f64>>; 2];

/// A timed motion and what is proven about its tool.
pub(crate) struct TimedTool {
    pub(crate) trajectory: TimedTrajectory,
    /// Per run between stops: arc lengths at the ends, when it begins, and what was proven.
    pub(crate) runs: Vec<([f64; 2], f64, Tracked)>,
    /// Bounds on the linear and angular speed.
    pub(crate) speeds: [f64; 2],
}

impl TimedTool {
    pub(crate) fn deviation(&self) -> f64 {
        self.runs.iter().map(|(_, _, run)| run.deviation).fold(0.0, f64::max)
    }

    pub(crate) fn angle(&self) -> f64 {
        self.runs.iter().map(|(_, _, run)| run.angle).fold(0.0, f64::max)
    }

    /// The same motion, slower by a factor.
    pub(crate) fn slow_down(&mut self, factor: f64) -> Result<()> {
        self.trajectory = stretched(&self.trajectory, self.trajectory.duration() * factor)?;
        self.speeds = self.speeds.map(|speed| speed / factor);
        for (_, begin, run) in &mut self.runs {
            *begin *= factor;
            run.moments.iter_mut().for_each(|moment| moment.time *= factor);
        }
        Ok(())
    }

    /// Times, s, and where on the path the tool is then, m.
    pub(crate) fn progress(&self) -> Vec<[f64; 2]> {
        let of_run = |(ends, begin, run): &([f64; 2], f64, Tracked)| {
            let moments = run.moments.iter().map(|moment| [*begin + moment.time, moment.arc_length]);
            [[*begin, ends[0]]].into_iter().chain(moments).collect::<Vec<_>>()
        };
        let last = self.runs.last().map(|(ends, ..)| [self.trajectory.duration(), ends[1]]);
        self.runs.iter().flat_map(of_run).chain(last).collect()
    }

    /// Where on the path the tool is at a moment.
    pub(crate) fn arc_length_at(&self, time: f64) -> f64 {
        let run = self.runs.iter().rev().find(|(_, begin, _)| *begin <= time).or(self.runs.first());
        run.map_or(0.0, |(ends, begin, run)| {
            let after = run.moments.partition_point(|moment| begin + moment.time <= time);
            after.checked_sub(1).map_or(ends[0], |at| run.moments[at].arc_length)
        })
    }
}

/// What motions along one path are timed by.
pub(crate) struct ToolTiming<'a> {
    pub(crate) chain: &'a KinematicChain,
    pub(crate) path: &'a FreedPath<'a>,
    pub(crate) law: &'a TimeLawSpec,
    pub(crate) limits: &'a Limits,
    pub(crate) config: &'a CartesianConfig,
    pub(crate) control: &'a Control,
}

impl ToolTiming<'_> {
    /// Times configurations at the arc lengths of runs; the motion stops between runs.
    ///
    /// # Errors
    /// Those of the law and of the control.
    pub(crate) fn timed(&self, rows: &[&[f64]], runs: &[Vec<f64>]) -> Result<TimedTool> {
        let mut first = 0;
        let mut whole: Option<TimedTool> = None;
        for run in runs {
            let part = self.timed_run(&rows[first..first + run.len()], run)?;
            first += run.len() - 1;
            whole = Some(match whole {
                None => part,
                Some(before) => self.appended(before, part)?,
            });
        }
        whole.ok_or_else(|| KineticError::invalid("tool path", "nothing to follow", "a path"))
    }

    fn appended(&self, mut before: TimedTool, part: TimedTool) -> Result<TimedTool> {
        let begin = before.trajectory.duration();
        before.trajectory = concatenate(&before.trajectory, &part.trajectory)?;
        before.runs.extend(part.runs.into_iter().map(|(ends, at, run)| (ends, begin + at, run)));
        (0..2).for_each(|kind| before.speeds[kind] = before.speeds[kind].max(part.speeds[kind]));
        self.control.check(0)?;
        Ok(before)
    }

    fn timed_run(&self, rows: &[&[f64]], run: &[f64]) -> Result<TimedTool> {
        let path = Trajectory::from_waypoints(rows)?;
        let limits = [self.config.speed_limit(), self.config.max_tool_rotation_speed];
        let mut allowed: AllowedSpeeds =
            limits.map(|limit| limit.map(|limit| vec![FIRST_SPEED_RATIO * limit; run.len() - 1]));
        let mut trajectory = self.law_applied(&path, run, &allowed)?;
        let mut tracker = Tracker::new(self.chain, self.path, self.config.path_tolerance, self.control);
        let ends = [run[0], run[run.len() - 1]];
        for round in 0..MOST_TIGHTENINGS {
            let pieces = tracker.piece_bounds(trajectory.curve())?;
            let bounds = tracker.largest_speeds((trajectory.curve(), &pieces), limits)?;
            let speeds = [0, 1].map(|kind| bounds.iter().map(|bound| bound[kind]).fold(0.0, f64::max));
            let over = |kind: usize| limits[kind].map_or(1.0, |limit| speeds[kind] / limit);
            if over(0) <= 1.0 && over(1) <= 1.0 {
                let tolerances = [self.config.position_tolerance, self.config.orientation_tolerance];
                let tracked = tracker.track((trajectory.curve(), &pieces), ends, tolerances)?;
                return Ok(TimedTool { trajectory, runs: vec![(ends, 0.0, tracked)], speeds });
            }
            if self.follows_splines() {
                let pieces = if round < LOCAL_TIGHTENINGS {
                    tracker.knot_arc_lengths(trajectory.curve(), ends)
                } else {
                    Vec::new()
                };
                for (kind, allowed) in allowed.iter_mut().enumerate() {
                    if let (Some(allowed), Some(limit)) = (allowed, limits[kind]) {
                        let bounds: Vec<f64> = bounds.iter().map(|bound| bound[kind]).collect();
                        tighten(allowed, limit, run, (&pieces, &bounds));
                    }
                }
                trajectory = self.law_applied(&path, run, &allowed)?;
            } else {
                let slower = over(0).max(over(1)) / TIGHTENING_RATIO;
                trajectory = stretched(&trajectory, trajectory.duration() * slower)?;
            }
        }
        let wanted = "a speed of the tool that the time law can be held to on this path";
        Err(KineticError::invalid("max_tool_speed", format!("{limits:?}"), wanted))
    }

    fn follows_splines(&self) -> bool {
        self.law.corners == Corners::Fastest && self.law.id == totp::ID
    }

    fn law_applied(&self, path: &Trajectory, run: &[f64], allowed: &AllowedSpeeds) -> Result<TimedTrajectory> {
        if !self.follows_splines() {
            let max_deviation = POLYLINE_DEVIATION_RAD_M.min(self.config.position_tolerance);
            let options = TimingOptions { max_deviation, ..TimingOptions::default() };
            return time_parameterize_with(self.law, path, self.limits, &options, &mut |_| true, self.control);
        }
        let parameters: Vec<f64> = run.iter().map(|arc_length| arc_length - run[0]).collect();
        let geometry = PathGeometry::spline_over(path, &parameters, self.control)?;
        if *allowed == [None, None] {
            return time_optimal(&geometry, self.limits, RESOLUTION, None);
        }
        let (mut frames, mut jacobian) = (self.chain.frame_buffer(), vec![0.0; 6 * self.chain.dof()]);
        let mut rows = |point: &totp::PathPoint<'_>, rows: &mut Vec<PathRow>| {
            // A row of NaN is refused by the law.
            let is_known = jacobian_into(self.chain, point.position, &mut frames, &mut jacobian).is_ok();
            for (kind, allowed) in allowed.iter().enumerate() {
                let Some(limit) = allowed.as_ref().map(|allowed| allowed_at(allowed, &parameters, point.parameter))
                else {
                    continue;
                };
                let square: f64 = (0..3).map(|axis| rate(&jacobian, 3 * kind + axis, point.tangent).powi(2)).sum();
                let square = if is_known { square } else { f64::NAN };
                rows.push(PathRow { acceleration: 0.0, speed: square, constant: 0.0, limit: limit * limit });
            }
        };
        time_optimal(&geometry, self.limits, RESOLUTION, Some(&mut rows))
    }
}

/// Lowers what is allowed between arc lengths where the bound of a piece of the curve exceeds the limit: `pieces` are the arc lengths at the
/// ends of the pieces, and empty where everything is lowered by the largest excess.
fn tighten(allowed: &mut [f64], limit: f64, run: &[f64], (pieces, bounds): (&[f64], &[f64])) {
    let largest = bounds.iter().copied().fold(0.0, f64::max);
    if pieces.is_empty() {
        let factor = TIGHTENING_RATIO * limit / largest.max(TIGHTENING_RATIO * limit);
        for speed in allowed.iter_mut() {
            *speed *= factor;
        }
        return;
    }
    let mut factors = vec![1.0_f64; allowed.len()];
    for (ends, bound) in pieces.windows(2).zip(bounds).filter(|(_, bound)| **bound > limit) {
        let first = run.partition_point(|arc_length| *arc_length <= ends[0]).saturating_sub(1);
        let last = run.partition_point(|arc_length| *arc_length < ends[1]).clamp(first + 1, allowed.len());
        for factor in &mut factors[first.min(allowed.len() - 1)..last] {
            *factor = factor.min(TIGHTENING_RATIO * limit / bound);
        }
    }
    for (speed, factor) in allowed.iter_mut().zip(factors) {
        *speed *= factor;
    }
}

/// What is allowed at a path parameter: the lesser one where two intervals meet.
fn allowed_at(allowed: &[f64], parameters: &[f64], parameter: f64) -> f64 {
    let last = allowed.len() - 1;
    let [before, after] = [-PARAMETER_ROUNDING, PARAMETER_ROUNDING]
        .map(|by| parameters.partition_point(|known| *known <= parameter + by).saturating_sub(1).min(last));
    allowed[before].min(allowed[after])
}

/// A component of the tool's twist along a tangent.
fn rate(jacobian: &[f64], component: usize, tangent: &[f64]) -> f64 {
    jacobian.chunks_exact(6).zip(tangent).map(|(column, rate)| column[component] * rate).sum()
}
