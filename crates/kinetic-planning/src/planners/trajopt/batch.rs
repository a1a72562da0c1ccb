//! Many initial trajectories at once, optimised elsewhere and proven here.
//!
//! Initial trajectories are those of the planner, as many at a time as the optimiser says. Of what they become the proposals whose samples are free come
//! first, the cheapest before the others, and the first whose edges are proven is the path: an optimum among many, where the planner on
//! one thread ends with the first.

use kinetic_core::{Control, Result};
use kinetic_scene::SplineProposal;

use super::super::trajectory_optimization::{
    Beginning, OptimizationRun, SeedOptions, Seeds, Waypoints, begin, not_repaired,
};
use super::{SPEC, TrajoptConfig};
use crate::algorithm::{Algorithm, Plan};
use crate::batch_optimization::OptimizerInScene;
use crate::problem::Problem;
use crate::validity::Validity;

/// The planner with an optimiser of many trajectories.
#[derive(Debug)]
pub(super) struct BatchTrajopt {
    pub(super) config: TrajoptConfig,
    pub(super) optimizer: OptimizerInScene,
}

/// A batch of initial trajectories: their rows, and the goal of each.
#[derive(Debug, Default)]
struct Batch {
    rows: Vec<f64>,
    goals: Vec<usize>,
}

impl Algorithm for BatchTrajopt {
    fn plan(&mut self, problem: &Problem<'_>, validity: &mut dyn Validity, control: &Control) -> Result<Plan> {
        let TrajoptConfig { num_seeds, seed_spread: spread, .. } = self.config;
        let (waypoints, seeds_per_batch) = self.optimizer.sizes();
        let options = SeedOptions { num_seeds, waypoints, spread };
        let mut run = OptimizationRun::new(SPEC.id, problem, validity, control);
        let goals = match begin(&mut run, true)? {
            Beginning::Done(plan) => return Ok(plan),
            Beginning::Goals(goals) => goals,
        };
        let seeds = Seeds { problem, goals: &goals, options, paths: true };
        let mut least: Option<(f64, Vec<f64>)> = None;
        let mut first = 0;
        while first < num_seeds {
            let end = num_seeds.min(first.saturating_add(seeds_per_batch));
            let Batch { rows, goals } = Batch::draw(&seeds, first..end, &mut run)?;
            let proposals = self.optimizer.optimize(problem.space().weights(), rows, control)?;
            // They go down side by side.
            run.add_iterations(proposals.iter().map(|proposal| u64::from(proposal.iterations)).max().unwrap_or(0))?;
            if let Some(plan) = proven(&proposals, &goals, &mut run)? {
                return Ok(plan);
            }
            keep_cheapest(&mut least, &proposals, problem.space().dof());
            first = end;
        }
        Err(not_repaired((SPEC.id, num_seeds), least, run.validity))
    }
}

impl Batch {
    fn draw(seeds: &Seeds<'_>, numbers: std::ops::Range<u64>, run: &mut OptimizationRun<'_>) -> Result<Self> {
        let mut batch = Self::default();
        for number in numbers {
            let (waypoints, goal) = seeds.initial(number, run)?;
            (0..waypoints.len()).for_each(|row| batch.rows.extend_from_slice(waypoints.at(row)));
            batch.goals.push(goal);
        }
        Ok(batch)
    }
}

/// The first of the proposals whose edges are proven. Bounding spheres may refuse what is free, so that all are looked at.
fn proven(proposals: &[SplineProposal], goals: &[usize], run: &mut OptimizationRun<'_>) -> Result<Option<Plan>> {
    let mut order: Vec<usize> = (0..proposals.len()).filter(|index| proposals[*index].cost.is_finite()).collect();
    let rank = |index: &usize| (!proposals[*index].is_free(), proposals[*index].cost);
    order.sort_by(|a, b| rank(a).0.cmp(&rank(b).0).then(rank(a).1.total_cmp(&rank(b).1)));
    for index in order {
        let path = Waypoints::of_values(run.problem.space().dof(), proposals[index].path.clone());
        if run.refused_edges(&path)?.is_empty() {
            return Ok(Some(run.plan(path.into_path()?, goals[index])));
        }
    }
    Ok(None)
}

/// Keeps the least cost, with the configuration in the middle of its path.
fn keep_cheapest(least: &mut Option<(f64, Vec<f64>)>, proposals: &[SplineProposal], dof: usize) {
    for proposal in proposals.iter().filter(|proposal| proposal.cost.is_finite()) {
        if least.as_ref().is_none_or(|(cost, _)| proposal.cost < *cost) {
            let middle = proposal.path.len() / dof / 2 * dof;
            *least = Some((proposal.cost, proposal.path[middle..middle + dof].to_vec()));
        }
    }
}
