//! One optimization: rollouts, their costs, and the mean that they weigh.
//!
//! Model predictive path integral control (Williams, Aldrich, Theodorou 2017), with spline noise, for arms (Bhardwaj et al. 2021,
//! "STORM"). Half of the noise of a rollout is common to all its control points, so that some rollouts go far (colored noise:
//! Pinneri et al. 2020), and every noise is tried with both signs.

use kinetic_core::Result;
use kinetic_core::rng::SeededRng;
use kinetic_trajectory::MotionState;

use super::config::MpcConfig;
use super::model::{Effort, JointModel};
use super::obstacles::RolloutValidity;
use super::rollout_target::RolloutTarget;
use super::spline::VelocitySpline;
use super::straight::StraightMotion;

/// Rollouts without noise: the plan of before, to stop, and straight to the target.
const MEAN: usize = 0;
const STOP: usize = 1;
const STRAIGHT: usize = 2;
const WITHOUT_NOISE: usize = 3;

/// Parts of the noise that rollouts have, one pair of rollouts after another, and those at the target.
const NOISE_PARTS: [f64; 3] = [1.0, 0.5, 0.2];
const NOISE_PARTS_AT_TARGET: [f64; 3] = [1.0, 0.05, 0.005];

/// Cost of a rollout that stands before an obstacle all the time, m, and weight of where it ends beside the mean on the way.
const BLOCKED_WEIGHT_M: f64 = 0.2;
const TERMINAL_WEIGHT: f64 = 2.0;

/// Cost of a rollout that does not leave the stop distance, m: leaving comes before all else, since a servo does nothing else there.
const LEAVING_WEIGHT_M: f64 = 5.0;

/// Nearer to the target than this, m, clearance, smoothness and limits count less and less, since the target may be close to an
/// obstacle or a limit, and most rollouts have less noise, since what is left is small.
const AT_TARGET_M: f64 = 0.1;

/// Which motion is the best one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BestMotion {
    /// The spline of the mean.
    Plan,
    /// What a servo does by itself.
    Straight,
    /// Out of the stop distance, where the arm is inside.
    Out,
}

/// Rollouts and what they cost.
pub(super) struct Optimizer {
    config: MpcConfig,
    model: JointModel,
    straight: StraightMotion,
    validity: RolloutValidity,
    spline: VelocitySpline,
    /// Control points of the plan.
    mean: Vec<f64>,
    /// Control points, positions and costs of each rollout; the last row is the new mean's.
    points: Vec<f64>,
    positions: Vec<f64>,
    efforts: Vec<Effort>,
    costs: Vec<f64>,
    sorted: Vec<f64>,
    memory: [Vec<f64>; 2],
    noise: Vec<f64>,
    optimizations: u64,
}

impl Optimizer {
    pub(super) fn new(
        config: &MpcConfig,
        model: JointModel,
        straight: StraightMotion,
        validity: RolloutValidity,
    ) -> Self {
        let (dof, rows) = (model.dof(), config.samples + 1);
        let spline = VelocitySpline::new(dof, config.spans, config.span());
        let length = spline.len();
        Self {
            config: config.clone(),
            model,
            straight,
            validity,
            spline,
            mean: vec![0.0; length],
            points: vec![0.0; rows * length],
            positions: vec![0.0; rows * config.horizon * dof],
            efforts: vec![Effort::default(); rows],
            costs: vec![0.0; rows],
            sorted: Vec::with_capacity(rows),
            memory: [vec![0.0; dof], vec![0.0; dof]],
            noise: vec![0.0; length + dof],
            optimizations: 0,
        }
    }

    /// Forgets the plan, and begins the noise anew.
    pub(super) fn restart(&mut self) {
        self.spline.restart(&mut self.mean);
        self.optimizations = 0;
    }

    /// Lets time pass.
    pub(super) fn advance(&mut self, time: f64) {
        self.spline.advance(time, &mut self.mean);
    }

    /// Velocities of the plan `time` from now.
    pub(super) fn velocities(&self, time: f64, out: &mut [f64]) {
        self.spline.velocities(&self.mean, time, out);
    }

    /// Follows edits of the scene.
    pub(super) fn follow_scene(&mut self) -> Result<()> {
        if self.validity.refresh()? {
            self.straight.hold(self.validity.held());
        }
        Ok(())
    }

    /// Improves the plan from a state on; answers which motion is the best one.
    pub(super) fn optimize(&mut self, start: &MotionState, goal: &RolloutTarget) -> Result<BestMotion> {
        self.follow_scene()?;
        let (samples, length) = (self.config.samples, self.mean.len());
        let nearness = 1.0 - (self.straight.distance(goal, &start.positions) / AT_TARGET_M).min(1.0);
        self.draw(nearness);
        self.roll_out_straight(start, goal)?;
        for row in (0..samples).filter(|row| *row != STRAIGHT) {
            self.roll_out(row, start);
        }
        let is_start_free = self.validity.is_free_at(&start.positions);
        let width = self.config.horizon * self.model.dof();
        self.validity.look(0, &self.positions[..samples * width]);
        for row in 0..samples {
            self.costs[row] = self.cost(row, start, goal, is_start_free);
        }
        self.weigh(start, goal, is_start_free);
        self.optimizations += 1;
        let is_straight = self.costs[STRAIGHT] <= self.costs[samples];
        let best = if is_straight { STRAIGHT } else { samples };
        self.mean.copy_from_slice(&self.points[best * length..][..length]);
        Ok(match (is_start_free, is_straight) {
            (false, _) => BestMotion::Out,
            (true, true) => BestMotion::Straight,
            (true, false) => BestMotion::Plan,
        })
    }

    /// Draws the control points of all rollouts: those of the mean, zeros, and pairs with noise of both signs. `nearness` is 1 at the
    /// target and 0 far from it.
    fn draw(&mut self, nearness: f64) {
        let (length, dof) = (self.mean.len(), self.model.dof());
        let mut rng = SeededRng::stream(self.config.seed, self.optimizations);
        self.points[MEAN * length..][..length].copy_from_slice(&self.mean);
        self.points[STOP * length..][..length].fill(0.0);
        for row in WITHOUT_NOISE..self.config.samples {
            let number = row - WITHOUT_NOISE;
            let is_first = number.is_multiple_of(2);
            if is_first {
                rng.fill_normal(&mut self.noise);
            }
            let kind = number / 2 % NOISE_PARTS.len();
            let part = NOISE_PARTS[kind] + nearness * (NOISE_PARTS_AT_TARGET[kind] - NOISE_PARTS[kind]);
            let sign = if is_first { 1.0 } else { -1.0 };
            let part = sign * part * self.config.noise * std::f64::consts::FRAC_1_SQRT_2;
            let (common, own) = self.noise.split_at(dof);
            let points = &mut self.points[row * length..][..length];
            for (index, (point, own)) in points.iter_mut().zip(own).enumerate() {
                let fastest = self.model.fastest(index % dof);
                let noise = part * fastest * (common[index % dof] + own);
                *point = (self.mean[index] + noise).clamp(-fastest, fastest);
            }
        }
    }

    /// Rolls out the control points of a row.
    fn roll_out(&mut self, row: usize, start: &MotionState) {
        let (length, width) = (self.mean.len(), self.config.horizon * self.model.dof());
        let points = &self.points[row * length..][..length];
        let positions = &mut self.positions[row * width..][..width];
        let [velocity, wish] = &mut self.memory;
        let (spline, step) = (&self.spline, self.model.step());
        self.efforts[row] = self.model.roll_out(start, positions, [velocity, wish], |number, _, out| {
            spline.velocities(points, step * (number + 1) as f64, out);
        });
    }

    /// Rolls out the motion straight to the target, and finds control points next to it.
    fn roll_out_straight(&mut self, start: &MotionState, goal: &RolloutTarget) -> Result<()> {
        let (length, dof) = (self.mean.len(), self.model.dof());
        let width = self.config.horizon * dof;
        let positions = &mut self.positions[STRAIGHT * width..][..width];
        let [velocity, wish] = &mut self.memory;
        let (model, straight) = (&self.model, &mut self.straight);
        let mut outcome = Ok(());
        self.efforts[STRAIGHT] = model.roll_out(start, positions, [velocity, wish], |_, q, out| {
            outcome = std::mem::replace(&mut outcome, Ok(())).and_then(|()| straight.velocities(goal, model, q, out));
        });
        outcome?;
        let points = &mut self.points[STRAIGHT * length..][..length];
        for (point, time) in points.chunks_mut(dof).zip(self.spline.times()) {
            let number = number_of_steps(time / model.step()).min(self.config.horizon - 1);
            let (from, to) = positions.split_at(number * dof);
            let from = if number == 0 { &start.positions[..] } else { &from[(number - 1) * dof..] };
            for ((point, from), to) in point.iter_mut().zip(from).zip(to) {
                *point = (to - from) / model.step();
            }
        }
        Ok(())
    }

    /// What a rollout costs, m: distances from the target on the way and at the end, and what it comes near to. A rollout stands
    /// where it meets the stop distance, as the servo would; from inside the stop distance it costs the time until it has left.
    fn cost(&mut self, row: usize, start: &MotionState, goal: &RolloutTarget, is_start_free: bool) -> f64 {
        let (steps, dof) = (self.config.horizon, self.model.dof());
        let first = row * steps;
        let blocked = (0..steps).filter(|step| !self.validity.is_free(first + step));
        let (moving, blocked, blocked_weight) = if is_start_free {
            let moving = blocked.min().unwrap_or(steps);
            (moving, steps - moving, BLOCKED_WEIGHT_M)
        } else {
            (steps, blocked.count(), LEAVING_WEIGHT_M)
        };
        let (mut sum, mut near, mut last) = (0.0, 0, None);
        for step in 0..moving {
            let q = &self.positions[(first + step) * dof..][..dof];
            let distance = self.straight.distance(goal, q);
            (sum, last) = (sum + distance, Some(distance));
            near += usize::from(!self.validity.is_clear(first + step));
        }
        let last = last.unwrap_or_else(|| self.straight.distance(goal, &start.positions));
        sum += last * (steps - moving) as f64;
        let part = |count: usize| count as f64 / steps as f64;
        let (mean, effort, config) = (sum / steps as f64, &self.efforts[row], &self.config);
        let besides = config.clearance_weight * part(near)
            + config.smoothness_weight * effort.acceleration
            + config.limit_weight * effort.joints_at_limits;
        mean + TERMINAL_WEIGHT * last + blocked_weight * part(blocked) + (mean / AT_TARGET_M).min(1.0) * besides
    }

    /// Weighs the rollouts by their costs. A mean of rollouts on both sides of an obstacle may lead into it: where it costs more
    /// than the best rollout, that one takes its place.
    fn weigh(&mut self, start: &MotionState, goal: &RolloutTarget, is_start_free: bool) {
        let (length, samples) = (self.mean.len(), self.config.samples);
        let (best, least) = least_of(&self.costs[..samples]);
        let temperature = self.config.temperature * (self.median() - least);
        let (rollouts, mean) = self.points.split_at_mut(samples * length);
        mean.fill(0.0);
        let mut total = 0.0;
        for (points, cost) in rollouts.chunks(length).zip(&self.costs) {
            let weight = if temperature > 0.0 { (-(cost - least) / temperature).exp() } else { 0.0 };
            total += weight;
            for (mean, point) in mean.iter_mut().zip(points) {
                *mean += weight * point;
            }
        }
        for mean in mean.iter_mut() {
            *mean /= total;
        }
        if total > 0.0 {
            self.roll_out(samples, start);
            let width = self.config.horizon * self.model.dof();
            self.validity.look(samples * self.config.horizon, &self.positions[samples * width..]);
            self.costs[samples] = self.cost(samples, start, goal, is_start_free);
        }
        if total == 0.0 || self.costs[samples] > least {
            self.points.copy_within(best * length..(best + 1) * length, samples * length);
            self.costs[samples] = least;
        }
    }

    fn median(&mut self) -> f64 {
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.costs[..self.config.samples]);
        let middle = self.sorted.len() / 2;
        *self.sorted.select_nth_unstable_by(middle, f64::total_cmp).1
    }
}

/// Whole steps in a time that is measured in steps; none in one that is past.
#[expect(clippy::cast_sign_loss, reason = "not negative")]
fn number_of_steps(time: f64) -> usize {
    time.max(0.0) as usize
}

/// The first one of the least costs, and it.
fn least_of(costs: &[f64]) -> (usize, f64) {
    costs.iter().enumerate().fold((0, f64::INFINITY), |least, (row, cost)| {
        if cost.total_cmp(&least.1).is_lt() { (row, *cost) } else { least }
    })
}
