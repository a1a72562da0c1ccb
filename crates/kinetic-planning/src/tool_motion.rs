//! Timed motion along a path of the tool: joints that follow it, limits that hold, no stop in its rounded corners.
//!
//! The path is sampled, its configurations are chosen together ([`solve_ik_path`]), a time law follows the spline through
//! them, and forward kinematics of the timed curve says how far the tool is off. Where that is too much, samples are taken
//! closer together.

use std::sync::Arc;

use kinetic_core::control::SystemClock;
use kinetic_core::digits::short;
use kinetic_core::error::{check_finite, reason};
use kinetic_core::{Control, JointValues, KineticError, Limits, Pose, Result, StopFlag, TimedTrajectory, Trajectory};
use kinetic_ik::analytic::Manipulator;
use kinetic_ik::path::tool_path::METRES_PER_RADIAN;
use kinetic_ik::{PathOptions, ToolPath, solve_ik_path};
use kinetic_kinematics::KinematicChain;
use kinetic_trajectory::{PathShape, TimingOptions, concatenate, time_law, time_parameterize_controlled};

use crate::cartesian::arc_lengths::{arc_lengths, joined};

/// Distance of the first samples along the path, m.
const FIRST_STEP_M: f64 = 0.01;

/// Samples are taken at half the distance this often.
const MAX_HALVINGS: usize = 6;

/// Moments between two samples at which the tool is looked at.
const TOOL_CHECKS_PER_STEP: usize = 4;

/// How far the spline may leave the polyline through the samples, Euclidean in joint space; the tool decides.
const SPLINE_DEVIATION_RAD_M: f64 = 0.05;

/// Options of [`tool_motion`].
#[derive(Debug, Clone)]
pub struct ToolMotionOptions {
    /// Where the arm stands; `None` for any configuration of the first pose.
    pub start: Option<JointValues>,
    /// Name of the time law: one that follows smooth paths, or passes splines.
    pub law: String,
    /// Largest distance of the tool from the path, m; rotations count as [`METRES_PER_RADIAN`] says.
    pub tolerance: f64,
    /// Ends the search for joint values, and the time law.
    pub stop: StopFlag,
}

impl Default for ToolMotionOptions {
    fn default() -> Self {
        Self { start: None, law: kinetic_trajectory::totp::ID.to_owned(), tolerance: 1e-4, stop: StopFlag::default() }
    }
}

/// A timed motion along a path of the tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolMotion {
    /// The motion. Collisions were not looked at: it carries no certificate.
    pub trajectory: TimedTrajectory,
    /// Largest distance of the tool from the path, m, at four moments between neighbouring samples.
    pub deviation: f64,
    /// Largest angle between the tool and the path there, rad.
    pub angle: f64,
}

/// Joints that move the tool along `path` inside `limits`, which hold at every instant; it rests at both ends and where a
/// radius is 0, and nowhere else.
///
/// # Errors
/// [`KineticError::NoIKSolution`] saying where and why no continuous path of joints exists; [`KineticError::InvalidValue`] for
/// a tolerance that is not positive or cannot be met; [`KineticError::UnknownName`] for the law; [`KineticError::Cancelled`]; what limits and start cause.
pub fn tool_motion(
    closed_form: Option<&Manipulator>,
    chain: &KinematicChain,
    path: &ToolPath,
    limits: &Limits,
    options: &ToolMotionOptions,
) -> Result<ToolMotion> {
    check_finite("tolerance", &[options.tolerance])?;
    if !(options.tolerance > 0.0) {
        return Err(KineticError::invalid("tolerance", options.tolerance, "a positive length"));
    }
    time_law(&options.law)?;
    let follower = Follower { closed_form, chain, path, limits, options };
    let mut step = FIRST_STEP_M;
    let mut best = f64::INFINITY;
    for _ in 0..=MAX_HALVINGS {
        let motion = follower.motion(step)?;
        let off = motion.deviation.max(METRES_PER_RADIAN * motion.angle);
        if off <= options.tolerance {
            return Ok(motion);
        }
        best = best.min(off);
        step /= 2.0;
    }
    let wanted = format!("at least {} m on this path", short(best));
    Err(KineticError::invalid("tolerance", options.tolerance, wanted))
}

struct Follower<'a> {
    closed_form: Option<&'a Manipulator>,
    chain: &'a KinematicChain,
    path: &'a ToolPath,
    limits: &'a Limits,
    options: &'a ToolMotionOptions,
}

impl Follower<'_> {
    fn motion(&self, step: f64) -> Result<ToolMotion> {
        let runs = arc_lengths(self.path, self.path.length(), step, (FIRST_STEP_M / step, [0.0; 2]))?;
        let poses: Vec<Pose> = joined(&runs).iter().map(|arc_length| self.path.pose_at(*arc_length)).collect();
        let stop = self.options.stop.clone();
        let options = PathOptions { start: self.options.start.clone(), stop, ..PathOptions::default() };
        let found = solve_ik_path(self.closed_form, self.chain, &poses, &options)?;
        if let Some((detail, first)) = found.reason().zip(found.obstacles.first()) {
            let (pose, obstacles) = (first.index(), found.obstacles.len());
            let reason = reason::NoIKSolution::PathNotContinuous { detail, pose, obstacles };
            return Err(KineticError::NoIKSolution { reason });
        }
        let rows: Vec<&[f64]> = found.q.chunks_exact(found.dof).collect();
        let mut first = 0;
        let mut whole: Option<ToolMotion> = None;
        for run in &runs {
            let timed = self.timed(&rows[first..first + run.len()])?;
            first += run.len() - 1;
            let (deviation, angle) = self.deviation(&timed, run);
            whole = Some(match whole {
                None => ToolMotion { trajectory: timed, deviation, angle },
                Some(before) => ToolMotion {
                    trajectory: concatenate(&before.trajectory, &timed)?,
                    deviation: before.deviation.max(deviation),
                    angle: before.angle.max(angle),
                },
            });
        }
        whole.ok_or_else(|| KineticError::invalid("tool path", "nothing to follow", "a path"))
    }

    fn timed(&self, rows: &[&[f64]]) -> Result<TimedTrajectory> {
        let law = &self.options.law;
        let mut options = TimingOptions { max_deviation: SPLINE_DEVIATION_RAD_M, ..TimingOptions::default() };
        if matches!(time_law(law)?.corners, kinetic_trajectory::Corners::Fastest) {
            options.shape = PathShape::Spline;
        } else {
            // Each of many shallow corners is rounded by little.
            options.max_deviation = options.max_deviation.min(self.options.tolerance);
        }
        let stop = self.options.stop.clone();
        let control = Control::new(Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop);
        let path = Trajectory::from_waypoints(rows)?;
        time_parameterize_controlled(&path, law, self.limits, &options, &mut |_| true, &control)
    }

    /// Largest distance and angle between the tool of a timed run and its path, sought forwards along the path.
    fn deviation(&self, timed: &TimedTrajectory, run: &[f64]) -> (f64, f64) {
        const COARSE: usize = 16;
        const REFINEMENTS: usize = 24;
        let end = run[run.len() - 1];
        let spacing = run.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        let mut arc_length = run[0];
        let (mut farthest, mut widest) = (0.0_f64, 0.0_f64);
        // Moments that are as dense as the samples everywhere: the waypoints say when those are passed.
        for pair in timed.waypoint_times().windows(2) {
            for look in 0..TOOL_CHECKS_PER_STEP {
                let t = pair[0] + (pair[1] - pair[0]) * (look as f64 + 0.5) / TOOL_CHECKS_PER_STEP as f64;
                let tool = self.chain.tip_pose(&timed.curve().sample(t, 0));
                let off = |at: f64| {
                    let pose = self.path.pose_at(at);
                    let (way, turn) = (pose.translation_distance(&tool), pose.rotation_distance(&tool));
                    way + METRES_PER_RADIAN * turn
                };
                let reach = (arc_length + 4.0 * spacing).min(end) - arc_length;
                let part = |index: usize| arc_length + reach * index as f64 / COARSE as f64;
                let near = (0..=COARSE).map(part).min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(arc_length);
                let (mut low, mut high) =
                    ((near - reach / COARSE as f64).max(arc_length), (near + reach / COARSE as f64).min(end));
                for _ in 0..REFINEMENTS {
                    let third = (high - low) / 3.0;
                    if off(low + third) <= off(high - third) {
                        high -= third;
                    } else {
                        low += third;
                    }
                }
                arc_length = f64::midpoint(low, high);
                let pose = self.path.pose_at(arc_length);
                farthest = farthest.max(pose.translation_distance(&tool));
                widest = widest.max(pose.rotation_distance(&tool));
            }
        }
        (farthest, widest)
    }
}
