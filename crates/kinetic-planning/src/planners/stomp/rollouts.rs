//! Noisy trajectories, what they cost, and the change that follows from it.

use kinetic_core::Result;
use kinetic_core::rng::SeededRng;

use super::StompConfig;
use crate::near_distances::NearDistances;
use crate::planners::configuration_cost::ConfigurationCost;
use crate::planners::trajectory_optimization::{OptimizationRun, Smoothness, Waypoints};
use crate::space::Space;

/// Rollouts have noise of these scales by turns: wide ones find ways around, small ones keep what is nearly free.
const NOISE_PARTS: [f64; 3] = [1.0, 0.5, 0.25];

/// A penetration of this depth costs as much as one edge more that is refused, m.
const DEPTH_M: f64 = 0.05;

/// Costs are spread over this part of a trajectory to either side.
const SPREAD_PART: f64 = 0.05;

/// The rollouts of one search.
pub(super) struct Rollouts {
    config: StompConfig,
    metric: Smoothness,
    /// What the smoothing of a change takes the value at a waypoint by, so that a change of one waypoint keeps its height over their
    /// number.
    heights: Vec<f64>,
    /// Noise and costs per waypoint, rollout after rollout.
    noise: Vec<f64>,
    costs: Vec<f64>,
    change: Vec<f64>,
    near: NearDistances,
    /// Joint velocities of distances that need none.
    still: Vec<f64>,
}

/// What a trajectory costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RolloutCost {
    pub(super) cost: f64,
    blocked: f64,
}

impl RolloutCost {
    /// Whether no edge was refused.
    pub(super) fn is_free(self) -> bool {
        self.blocked == 0.0
    }
}

impl Rollouts {
    pub(super) fn new(config: &StompConfig, space: &Space) -> Self {
        let (waypoints, dof) = (config.waypoints, space.dof());
        let mut metric = Smoothness::new(waypoints);
        let height = |index: usize| {
            let mut column = vec![0.0; waypoints];
            column[index] = 1.0;
            metric.solve(&mut column);
            1.0 / (waypoints as f64 * column.iter().copied().fold(0.0, f64::max))
        };
        let heights = (0..waypoints).map(height).collect();
        Self {
            config: *config,
            metric,
            heights,
            noise: vec![0.0; config.rollouts * waypoints * dof],
            costs: vec![0.0; config.rollouts * waypoints],
            change: vec![0.0; waypoints * dof],
            near: NearDistances::default(),
            still: vec![0.0; dof],
        }
    }

    /// What a trajectory costs.
    pub(super) fn judge(
        &mut self,
        waypoints: &Waypoints,
        cost: Option<&ConfigurationCost>,
        run: &mut OptimizationRun<'_>,
    ) -> Result<RolloutCost> {
        let count = self.config.waypoints;
        let mut costs = std::mem::take(&mut self.costs);
        let blocked = self.price(waypoints, cost, run, &mut costs[..count]);
        let found = blocked.map(|blocked| RolloutCost { cost: costs[..count].iter().sum(), blocked });
        self.costs = costs;
        found
    }

    /// Writes what each waypoint between the ends costs: half for every edge at it that is refused, and what its configuration
    /// costs. Answers how many edges were refused.
    fn price(
        &mut self,
        waypoints: &Waypoints,
        cost: Option<&ConfigurationCost>,
        run: &mut OptimizationRun<'_>,
        costs: &mut [f64],
    ) -> Result<f64> {
        let (space, mut blocked) = (run.problem.space(), 0.0);
        costs.fill(0.0);
        for (edge, (from, to)) in waypoints.edges().enumerate() {
            run.check()?;
            if let (Some(cost), true) = (cost, edge > 0) {
                costs[edge - 1] += self.config.cost_weight * cost.of(space, from, &mut *run.validity)?;
            }
            if !run.validity.motion_may_be_valid(from, to) {
                blocked += 1.0;
                let ends = [edge.checked_sub(1), Some(edge).filter(|end| *end < costs.len())];
                ends.into_iter().flatten().for_each(|end| costs[end] += 0.5);
            }
        }
        for (index, cost) in costs.iter_mut().enumerate().filter(|(_, cost)| **cost >= 0.5) {
            run.check()?;
            let still = &self.still;
            if run.validity.near_distances(waypoints.at(index + 1), still, 0.0, &mut self.near) {
                *cost += self.near.iter().map(|(pair, _)| -pair.slack).sum::<f64>() / DEPTH_M;
            }
        }
        Ok(blocked)
    }

    /// Moves the trajectory by the weighted mean of the noise. The answer is the cheapest noisy trajectory of which no edge was
    /// refused, of equally cheap ones the shortest, with its cost.
    pub(super) fn update(
        &mut self,
        waypoints: &mut Waypoints,
        cost: Option<&ConfigurationCost>,
        rng: &mut SeededRng,
        run: &mut OptimizationRun<'_>,
    ) -> Result<Option<(f64, Waypoints)>> {
        let (count, rows) = (self.config.waypoints, waypoints.inner().len());
        let mut costs = std::mem::take(&mut self.costs);
        let mut noise = std::mem::take(&mut self.noise);
        let mut cheapest: Option<([f64; 2], Waypoints)> = None;
        let space = run.problem.space();
        let rollouts = noise.chunks_exact_mut(rows).zip(costs.chunks_exact_mut(count));
        for ((noise, costs), part) in rollouts.zip(NOISE_PARTS.into_iter().cycle()) {
            let noisy = self.draw(waypoints, space, (rng, part), noise);
            let blocked = self.price(&noisy, cost, run, costs)?;
            if blocked == 0.0 {
                let length = noisy.edges().map(|(from, to)| space.distance(from, to)).sum();
                let key = [costs.iter().sum(), length];
                if cheapest.as_ref().is_none_or(|(least, _)| key < *least) {
                    cheapest = Some((key, noisy));
                }
            }
            spread(costs);
        }
        self.weigh(&noise, &costs, space.dof());
        (self.costs, self.noise) = (costs, noise);
        waypoints.inner_mut().iter_mut().zip(&self.change).for_each(|(value, change)| *value += change);
        self.metric.enforce_bounds(space, waypoints);
        Ok(cheapest.map(|([cost, _], noisy)| (cost, noisy)))
    }

    /// A noisy trajectory inside the bounds; `noise` is what was added.
    fn draw(
        &mut self,
        waypoints: &Waypoints,
        space: &Space,
        (rng, part): (&mut SeededRng, f64),
        noise: &mut [f64],
    ) -> Waypoints {
        self.metric.draw(rng, noise);
        let (mut noisy, dof) = (waypoints.clone(), space.dof());
        for (index, (value, noise)) in noisy.inner_mut().iter_mut().zip(noise.iter()).enumerate() {
            *value += part * self.config.noise * noise / space.weights()[index % dof];
        }
        self.metric.enforce_bounds(space, &mut noisy);
        for (noise, (value, before)) in noise.iter_mut().zip(noisy.inner().iter().zip(waypoints.inner())) {
            *noise = value - before;
        }
        noisy
    }

    /// Works out the change of every waypoint, and makes it smooth.
    fn weigh(&mut self, noise: &[f64], costs: &[f64], dof: usize) {
        let count = self.config.waypoints;
        self.change.fill(0.0);
        for (waypoint, change) in self.change.chunks_exact_mut(dof).enumerate() {
            let of_waypoint = costs[waypoint..].iter().step_by(count);
            let least = of_waypoint.clone().copied().fold(f64::INFINITY, f64::min);
            let range = of_waypoint.clone().copied().fold(0.0, f64::max) - least;
            if range <= 0.0 {
                // All cost the same: there is nothing to learn here.
                continue;
            }
            let weight = |cost: &f64| (-self.config.sensitivity * (cost - least) / range).exp();
            let sum: f64 = of_waypoint.clone().map(weight).sum();
            for (rollout, cost) in of_waypoint.enumerate() {
                let row = &noise[(rollout * count + waypoint) * dof..][..dof];
                change.iter_mut().zip(row).for_each(|(change, noise)| *change += weight(cost) / sum * noise);
            }
            for change in change {
                *change *= self.heights[waypoint];
            }
        }
        self.metric.solve(&mut self.change);
    }
}

/// Spreads costs over neighbouring waypoints, evenly and in equal parts, so that their sum stays where there is room on both sides.
fn spread(costs: &mut [f64]) {
    #[allow(clippy::cast_sign_loss, reason = "a part of a length")]
    let reach = ((SPREAD_PART * costs.len() as f64).ceil() as usize).max(1);
    let given = costs.to_vec();
    for (index, cost) in costs.iter_mut().enumerate() {
        let window = &given[index.saturating_sub(reach)..(index + reach + 1).min(given.len())];
        *cost = window.iter().sum::<f64>() / window.len() as f64;
    }
}
