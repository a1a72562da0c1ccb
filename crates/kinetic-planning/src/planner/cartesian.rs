//! Cartesian plans: the tool along a path of poses, timed and certified as all motions of a planner are.

use std::borrow::Cow;
use std::sync::Arc;

use kinetic_core::curve::Coefficients;
use kinetic_core::{
    Control, KineticError, Limits, PiecewisePolynomial, PlannerConfig, ProvenTool, Result, StopFlag, TimedTrajectory,
    ToolFreedom, Trajectory,
};
use kinetic_ik::path::tool_path::SAME_POSE_M;
use kinetic_ik::{CartesianPath, FreedPath, Obstacle, ToolPath};
use kinetic_kinematics::KinematicChain;
use kinetic_kinematics::jacobian::jacobian;
use kinetic_kinematics::program::JointProgram;
use kinetic_robot::PlanningGroup;
use kinetic_scene::Checker;
use kinetic_trajectory::{TimeLawSpec, time_law, totp};
use nalgebra::UnitQuaternion;

use super::Planner;
use super::torques::torque_limits;
use crate::cartesian::arc_lengths::{arc_lengths, graded, joined};
use crate::cartesian::inverse::{PathInverse, Reached};
use crate::cartesian::speed_losses::speed_losses;
use crate::cartesian::timing::{TimedTool, ToolTiming};
use crate::cartesian::tracking::{Tracked, Tracker};
use crate::cartesian::{CartesianConfig, CartesianResult, CartesianStop};
use crate::certify::identity;
use crate::goal_context::LIMIT_TOLERANCE;

mod tolerant;

/// Samples are taken at half the distance this often.
const MOST_HALVINGS: i32 = 6;
/// Samples of corners where a speed is to be held, in multiples of those that tolerances need: rows hold at the samples.
const CONSTANT_SPEED_SAMPLES: f64 = 2.0;
/// Times that the end of the path is drawn back, where the timed curve misses a margin that its samples keep.
const MOST_RETREATS: usize = 16;
/// Part of the largest step of samples by which an end is drawn back where it stalls; twice as much each time.
const FIRST_DRAWBACK_RATIO: f64 = 0.25;
/// Times that a motion is slowed for its torques, and by how much more than the first guess.
const MOST_SLOWDOWNS: usize = 40;
const SLOWDOWN_RATIO: f64 = 1.02;

impl Planner {
    /// A motion whose tool follows `path` from where it is at `start`, by the time law "totp": timed, proven and certified as
    /// those of [`solve`](Self::solve).
    ///
    /// Branches are chosen for the whole path, among those that keep the margins all along. Where the path cannot be followed
    /// to its end, the answer is the longest part from the start on, and why it ends. Every instant of the motion is within the
    /// tolerances of `config` of the path; the bounds are proven on the timed curve.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kinetic_core::Pose;
    /// use kinetic_ik::{CartesianPath, MoveFrame};
    /// use kinetic_planning::{CartesianConfig, Planner};
    /// use kinetic_robot::Robot;
    ///
    /// let planner = Planner::new(&Arc::new(Robot::from_name("ur5e")?))?;
    /// let down = CartesianPath::new().move_by(Pose::from_xyz(0.0, 0.0, -0.1), MoveFrame::Base);
    /// let q = [0.3, -1.2, 1.6, -2.0, -1.5, 0.1];
    /// let line = planner.plan_cartesian(&q, &down, &CartesianConfig::default())?;
    /// assert!(line.fraction == 1.0 && line.deviation < 1e-4);
    /// assert!(line.trajectory.is_some_and(|motion| motion.certificate().is_some()));
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// Input errors for sizes, NaN, limits and options; those of [`CartesianPath::from_start_in`];
    /// [`StartInCollision`](KineticError::StartInCollision); [`PlanningTimeout`](KineticError::PlanningTimeout) and [`Cancelled`](KineticError::Cancelled).
    pub fn plan_cartesian(
        &self,
        start: &[f64],
        path: &CartesianPath,
        config: &CartesianConfig,
    ) -> Result<CartesianResult> {
        let control = self.control(StopFlag::default());
        self.plan_cartesian_with(start, path, config, Some(time_law(totp::ID)?), &control)
    }

    /// As [`plan_cartesian`](Self::plan_cartesian), with another time law or without time, within the budget of `control`.
    ///
    /// Laws other than "totp" keep speeds of the tool by being slower all along.
    ///
    /// # Errors
    /// As [`plan_cartesian`](Self::plan_cartesian), and [`InvalidValue`](KineticError::InvalidValue) for a constant speed with
    /// another law.
    pub fn plan_cartesian_with(
        &self,
        start: &[f64],
        path: &CartesianPath,
        config: &CartesianConfig,
        law: Option<&TimeLawSpec>,
        control: &Control,
    ) -> Result<CartesianResult> {
        self.follow_path(start, path, (config, false), law, control)
    }

    /// As [`plan_cartesian_with`](Self::plan_cartesian_with), for a path that is followed to its end or not at all: no shorter part
    /// is looked for, and a result that ends early has no motion.
    pub(super) fn follow_whole(
        &self,
        start: &[f64],
        path: &CartesianPath,
        config: &CartesianConfig,
        law: &TimeLawSpec,
        control: &Control,
    ) -> Result<CartesianResult> {
        self.follow_path(start, path, (config, true), Some(law), control)
    }

    fn follow_path(
        &self,
        start: &[f64],
        path: &CartesianPath,
        (config, is_whole): (&CartesianConfig, bool),
        law: Option<&TimeLawSpec>,
        control: &Control,
    ) -> Result<CartesianResult> {
        config.check_with(law)?;
        let options = PlannerConfig { collision_margin: config.collision_margin, ..self.config().clone() };
        let here = self.now()?.into_owned().with_config(options)?;
        let limits = here.limits()?;
        here.with_checker_at(start, |here, checker, start| {
            checker.obey(Some(control));
            if config.avoid_collisions {
                here.check_start(checker, &start)?;
            } else {
                here.scene.robot().check_limits(&here.group, &start, LIMIT_TOLERANCE)?;
            }
            let here = &*here.seen_from(path)?;
            let path = path.from_start_in(&here.chain.tip_pose(&start), &|link| here.axes_of(link, &start))?;
            let (path, start, limits) = (&FreedPath::strict(&path), &start[..], &limits);
            let halvings = MOST_HALVINGS;
            let plan = CartesianPlan { planner: here, path, start, config, is_whole, halvings, law, limits, control };
            match config.path_tolerance {
                None => plan.solve(checker),
                Some(tolerance) => plan.solve_in(&tolerance, checker),
            }
        })
    }

    /// What is left of a path that was planned from `start` (group or robot length), when the tool has come to `arc_length` (m along it), as
    /// [`CartesianPath::remaining_from`]: what a robot that was stopped on its way has still to do.
    ///
    /// # Errors
    /// Input errors for sizes and NaN; those of [`CartesianPath::remaining_from`].
    pub fn remaining_path(&self, start: &[f64], path: &CartesianPath, arc_length: f64) -> Result<CartesianPath> {
        let now = self.now()?;
        let (here, start) = now.holding_at(start)?;
        let here = here.seen_from(path)?;
        path.remaining_from(&here.chain.tip_pose(&start), arc_length, &|link| here.axes_of(link, &start))
    }

    /// This planner with the chain from the [frame](CartesianPath::frame) of a path to the tool that follows it.
    fn seen_from(&self, path: &CartesianPath) -> Result<Cow<'_, Self>> {
        let robot = self.scene.robot();
        let Some(frame) = path.frame() else {
            robot.check_single_tip(&self.group)?;
            return Ok(Cow::Borrowed(self));
        };
        let base_link = robot.link_index(frame)?;
        let (tip_link, tip_from_tcp) = robot.tool_seen_from(&self.group, base_link)?;
        let tool = (tip_link, &tip_from_tcp);
        let chain = KinematicChain::between(robot, &self.group, base_link, tool, self.scene.held())?;
        let group = PlanningGroup { base_link, tip_link, tip_from_tcp, ..self.group.clone() };
        Ok(Cow::Owned(Self { chain, group, closed_form: Arc::default(), ..self.clone() }))
    }

    /// Orientation of a link in the group's base, where the joints of the group stand at `q`.
    fn axes_of(&self, link: &str, q: &[f64]) -> Result<UnitQuaternion<f64>> {
        let robot = self.scene.robot();
        let links = JointProgram::compile(robot, &self.group.variables, self.scene.held()).link_poses(q);
        Ok(links[self.group.base_link].rotation().inverse() * links[robot.link_index(link)?].rotation())
    }
}

/// One call.
#[derive(Clone, Copy)]
struct CartesianPlan<'a> {
    planner: &'a Planner,
    path: &'a FreedPath<'a>,
    start: &'a [f64],
    config: &'a CartesianConfig,
    /// Whether a part of the path is of no use.
    is_whole: bool,
    /// Samples are taken at half the distance this often.
    halvings: i32,
    law: Option<&'a TimeLawSpec>,
    limits: &'a Limits,
    control: &'a Control,
}

/// What an attempt came to.
enum Attempt {
    Done(Box<CartesianResult>),
    /// The tool is off the path, or a joint beyond its limits, between samples.
    Off(Reached),
    /// The timed curve misses a margin.
    Blocked(Reached),
}

impl<'a> CartesianPlan<'a> {
    fn tool_path(&self) -> &'a ToolPath {
        self.path.path()
    }

    fn tracker(&self) -> Tracker<'a> {
        Tracker::new(&self.planner.chain, self.path, self.config.path_tolerance, self.control)
    }

    fn solve(&self, checker: &mut Checker) -> Result<CartesianResult> {
        let mut inverse = PathInverse {
            closed_form: self.planner.closed_form(),
            chain: &self.planner.chain,
            path: self.path,
            start: self.start,
            config: self.config,
            seed: self.planner.config.seed,
            control: self.control,
            finer: 1.0,
            is_exact: !self.is_whole,
        };
        let (mut end, mut obstacle, mut halvings, mut retreats, mut stalls) =
            (self.tool_path().length(), None, 0, 0, 0);
        loop {
            self.control.check(0)?;
            inverse.finer = 2.0_f64.powi(halvings);
            let step = self.config.max_step / inverse.finer;
            let runs = self.runs(end, inverse.finer)?;
            let attempt = match inverse.follow(&joined(&runs), checker)? {
                Ok(q) => self.attempt(&q, &runs, obstacle.as_ref(), checker)?,
                Err(reached) => Attempt::Blocked(reached),
            };
            let reached = match attempt {
                Attempt::Done(result) => return Ok(*result),
                Attempt::Off(_) if halvings < self.halvings => {
                    halvings += 1;
                    continue;
                }
                Attempt::Off(reached) | Attempt::Blocked(reached) => reached,
            };
            if self.is_whole {
                return self.ended(&reached);
            }
            // Next to an obstacle or a singularity what was just reached may be out of reach of other samples by a hair, again and
            // again.
            stalls = if retreats > 0 && reached.end >= end - self.config.max_step { stalls + 1 } else { 0 };
            (halvings, retreats) = (0, retreats + 1);
            end = if retreats > MOST_RETREATS { 0.5 * end } else { self.drawn_back(end, reached.end, stalls, step) };
            obstacle = Some(reached.obstacle);
            if end <= SAME_POSE_M {
                return self.nothing(obstacle);
            }
        }
    }

    /// Arc lengths of the samples up to `end`, run after run, `finer` times as many as tolerances need.
    fn runs(&self, end: f64, finer: f64) -> Result<Vec<Vec<f64>>> {
        let step = self.config.max_step / finer;
        let samples = finer * if self.config.constant_speed.is_some() { CONSTANT_SPEED_SAMPLES } else { 1.0 };
        let runs = arc_lengths(self.tool_path(), end, step, (samples, self.tolerances()))?;
        let has_speed_limit = self.config.speed_limit().or(self.config.max_tool_rotation_speed).is_some();
        Ok(if has_speed_limit { runs.iter().map(|run| graded(run)).collect() } else { runs })
    }

    /// The next end that is tried where a path was followed up to `reached`.
    fn drawn_back(&self, end: f64, reached: f64, stalls: i32, step: f64) -> f64 {
        if stalls > 0 {
            reached.min(end) - FIRST_DRAWBACK_RATIO * self.config.max_step * 2.0_f64.powi(stalls - 1)
        } else if reached >= end {
            end - step
        } else {
            reached
        }
    }

    /// Where the tool leaves the path between samples.
    fn off<'t>(&self, rows: &[&[f64]], runs: &[Vec<f64>], mut tracked: impl Iterator<Item = &'t Tracked>) -> Reached {
        let [away, angle] = self.tolerances();
        let run = tracked.find(|run| !(run.deviation <= away && run.angle <= angle));
        let (arc_length, [deviation, tolerance]) = run.map_or((0.0, [0.0; 2]), |run| run.first_off([away, angle]));
        let after = joined(runs).partition_point(|known| *known <= arc_length).clamp(1, rows.len().max(2) - 1);
        let step = |joint: &usize| (rows[after][*joint] - rows[after - 1][*joint]).abs();
        let farthest = (0..self.start.len()).max_by(|a, b| step(a).total_cmp(&step(b))).unwrap_or_default();
        let joint = self.planner.chain.joint_names()[farthest].clone();
        let obstacle = Obstacle::Deviation { index: after - 1, joint, deviation, tolerance };
        Reached { end: arc_length - self.config.max_step, obstacle, at: rows[after - 1].to_vec() }
    }

    /// Times configurations at the arc lengths of runs, and proves what they make.
    fn attempt(
        &self,
        q: &[f64],
        runs: &[Vec<f64>],
        obstacle: Option<&Obstacle>,
        checker: &mut Checker,
    ) -> Result<Attempt> {
        let rows: Vec<&[f64]> = q.chunks_exact(self.start.len()).collect();
        let path = Trajectory::from_waypoints(&rows)?.with_identity(self.identity())?;
        let end = runs.last().and_then(|run| run.last()).copied().unwrap_or(0.0);
        let mut result = self.result(path, end, obstacle)?;
        let Some(law) = self.law else {
            let curve = polyline_curve(&rows, &joined(runs))?;
            let mut tracker = self.tracker();
            let pieces = tracker.piece_bounds(&curve)?;
            let tracked = tracker.track((&curve, &pieces), [0.0, end], self.tolerances())?;
            (result.deviation, result.angle) = (tracked.deviation, tracked.angle);
            let is_met = self.is_met(&result);
            let off = || Attempt::Off(self.off(&rows, runs, std::iter::once(&tracked)));
            return Ok(if is_met { Attempt::Done(Box::new(result)) } else { off() });
        };
        let Planner { chain, .. } = self.planner;
        let timing =
            ToolTiming { chain, path: self.path, law, limits: self.limits, config: self.config, control: self.control };
        let timed = timing.timed(&rows, runs)?;
        (result.deviation, result.angle) = (timed.deviation(), timed.angle());
        if !self.is_met(&result) {
            return Ok(Attempt::Off(self.off(&rows, runs, timed.runs.iter().map(|(_, _, tracked)| tracked))));
        }
        let timed = match self.proven(timed, checker)? {
            Ok(timed) => timed,
            Err(attempt) => return Ok(attempt),
        };
        [result.tool_speed, result.tool_rotation_speed] = timed.speeds;
        if let Some(speed) = self.config.constant_speed {
            let mut tracker = self.tracker();
            result.speed_losses = speed_losses(&timed, &mut tracker, self.limits, chain.joint_names(), speed);
        }
        result.progress = timed.progress();
        result.trajectory = Some(timed.trajectory);
        Ok(Attempt::Done(Box::new(result)))
    }

    fn tolerances(&self) -> [f64; 2] {
        [self.config.position_tolerance, self.config.orientation_tolerance]
    }

    /// Whether the tool is within its tolerances; NaN is no proof.
    fn is_met(&self, result: &CartesianResult) -> bool {
        result.deviation <= self.config.position_tolerance && result.angle <= self.config.orientation_tolerance
    }

    /// Proves limits and margins, and slows a motion whose torques exceed their limits; or what it came to where a joint leaves
    /// its range between samples, or a margin is missed.
    fn proven(&self, mut timed: TimedTool, checker: &mut Checker) -> Result<std::result::Result<TimedTool, Attempt>> {
        let before = checker.checks();
        let dynamics = self.planner.dynamics()?;
        let torques = torque_limits(dynamics.as_ref())?;
        let constraints = self.planner.constraint_set()?;
        let mut verifier = self.planner.verifier(self.limits, (torques.as_ref(), constraints.as_ref()), self.control);
        let ratios = match verifier.check_limits(timed.trajectory.curve()) {
            Err(KineticError::TrajectoryLimitExceeded { joint, quantity, value, limit, time })
                if quantity == "position" =>
            {
                let end = timed.arc_length_at(time) - self.config.max_step;
                let index = self.planner.chain.joint_names().iter().position(|name| *name == joint).unwrap_or_default();
                let (excess, limits) = ((value - limit).abs(), self.planner.chain.bounds()[index]);
                let obstacle = Obstacle::Limit { index: 0, joint, excess, limits };
                let at = timed.trajectory.curve().sample(time, 0);
                return Ok(Err(Attempt::Off(Reached { end, obstacle, at })));
            }
            ratios => ratios?,
        };
        if !self.config.avoid_collisions {
            timed.trajectory = timed.trajectory.with_identity(self.identity())?;
            return Ok(Ok(timed));
        }
        match verifier.check_contact(timed.trajectory.curve(), checker) {
            Err(KineticError::TrajectoryInCollision { time, link, other, distance, margin }) => {
                let end = timed.arc_length_at(time) - self.config.max_step;
                let obstacle = Obstacle::Collision { index: 0, link, other, distance, margin };
                let at = timed.trajectory.curve().sample(time, 0);
                return Ok(Err(Attempt::Blocked(Reached { end, obstacle, at })));
            }
            other => other?,
        }
        let mut ratios = ratios;
        for _ in 0..MOST_SLOWDOWNS {
            verifier.tool = Some(self.proven_tool(&timed));
            match verifier.certified(timed.trajectory.clone(), &ratios, checker, before) {
                Err(KineticError::TrajectoryLimitExceeded { quantity, value, limit, .. }) if quantity == "torque" => {
                    timed.slow_down(SLOWDOWN_RATIO * (value / limit).abs().sqrt().max(1.0))?;
                    ratios = verifier.check_limits(timed.trajectory.curve())?;
                }
                certified => {
                    timed.trajectory = certified?;
                    return Ok(Ok(timed));
                }
            }
        }
        verifier.tool = Some(self.proven_tool(&timed));
        let certified = verifier.certified(timed.trajectory.clone(), &ratios, checker, before)?;
        Ok(Ok(TimedTool { trajectory: certified, ..timed }))
    }

    /// What the certificate says of the tool.
    fn proven_tool(&self, timed: &TimedTool) -> ProvenTool {
        let [max_speed, max_rotation_speed] = timed.speeds;
        ProvenTool {
            max_speed,
            speed_limit: self.config.speed_limit(),
            max_rotation_speed,
            rotation_speed_limit: self.config.max_tool_rotation_speed,
            max_deviation: timed.deviation(),
            position_tolerance: self.config.position_tolerance,
            max_angle: timed.angle(),
            orientation_tolerance: self.config.orientation_tolerance,
            freedom: self.config.path_tolerance.map(|tolerance| ToolFreedom {
                axis: tolerance.axis.into(),
                angle: tolerance.angle,
                cone: tolerance.cone,
                position: tolerance.position.into(),
            }),
        }
    }

    fn identity(&self) -> kinetic_core::TrajectoryIdentity {
        identity(&self.planner.scene, &self.planner.group, &self.planner.chain)
    }

    /// A path of the start alone, for a tool that cannot move.
    fn nothing(&self, obstacle: Option<Obstacle>) -> Result<CartesianResult> {
        let path = Trajectory::from_waypoints(&[self.start])?.with_identity(self.identity())?;
        let mut result = self.result(path, 0.0, obstacle.as_ref())?;
        if let Some(law) = self.law {
            let rest = PiecewisePolynomial::constant(self.start)?;
            let rest = TimedTrajectory::new(rest, vec![0.0], 0.0, law.id)?.with_identity(self.identity())?;
            result.trajectory = Some(rest);
        }
        Ok(result)
    }

    /// How far a path is followed of which no part is of use.
    fn ended(&self, reached: &Reached) -> Result<CartesianResult> {
        let there = Trajectory::from_waypoints(&[&reached.at])?;
        self.result(there, reached.end.max(0.0), Some(&reached.obstacle))
    }

    /// What is known before a motion is timed.
    fn result(&self, path: Trajectory, end: f64, obstacle: Option<&Obstacle>) -> Result<CartesianResult> {
        let length = self.tool_path().length();
        let last = path.positions(path.len() - 1);
        let sigma_min = jacobian(&self.planner.chain, last)?.singular_values().iter().copied().fold(f64::MAX, f64::min);
        let ends = self.tool_path().segment_ends();
        let move_index = ends.partition_point(|segment| *segment <= end).min(ends.len() - 1);
        let stop =
            obstacle.map(|obstacle| CartesianStop { obstacle: obstacle.clone(), at: end, move_index, sigma_min });
        Ok(CartesianResult {
            path,
            trajectory: None,
            fraction: end / length,
            length,
            stop,
            deviation: 0.0,
            angle: 0.0,
            tool_speed: 0.0,
            tool_rotation_speed: 0.0,
            progress: Vec::new(),
            speed_losses: Vec::new(),
        })
    }
}

/// The polyline through waypoints, as a curve in the arc lengths.
fn polyline_curve(rows: &[&[f64]], arc_lengths: &[f64]) -> Result<PiecewisePolynomial> {
    let piece = |(rows, ends): (&[&[f64]], &[f64])| -> Vec<Coefficients> {
        let row = |(from, to): (&f64, &f64)| [*from, (to - from) / (ends[1] - ends[0]), 0.0, 0.0, 0.0, 0.0];
        rows[0].iter().zip(rows[1]).map(row).collect()
    };
    let coefficients = rows.windows(2).zip(arc_lengths.windows(2)).flat_map(piece).collect();
    PiecewisePolynomial::new(rows[0].len(), arc_lengths.to_vec(), coefficients)
}
