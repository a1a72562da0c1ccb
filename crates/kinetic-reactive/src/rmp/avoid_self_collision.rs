//! Self-collision avoidance: a barrier between each two links of the robot that may touch.

use std::sync::Arc;

use kinetic_core::Result;
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::{Checker, DistancePrecision, Margins, Scene};

use super::barrier::Barrier;
use super::distance_policy::NearPairs;
use super::motion_policy::{MotionPolicy, MotionState};
use super::stop_path::StopPath;
use super::task_space::TaskSpaces;

/// Distance of two links below which the policy acts, m: links of small arms are a few centimetres apart in every configuration.
const INFLUENCE_M: f64 = 0.06;
/// Clearance of stop paths, m: what lies between their samples.
const OWN_STOP_CLEARANCE_M: f64 = 0.001;
/// Distance that is kept beyond it, m: what single precision and a cycle may be wrong by.
const OWN_RESERVE_M: f64 = 0.001;

/// Keeps the links of the robot apart.
#[derive(Debug)]
pub(super) struct AvoidSelfCollision {
    checker: Checker,
    near: NearPairs,
    barrier: Barrier,
}

impl AvoidSelfCollision {
    pub(super) fn new(robot: &Arc<Robot>, group: &PlanningGroup, gain: f64) -> Result<Self> {
        let checker = Scene::new(robot)?.checker_within(&group.name, Margins::new(0.0, OWN_STOP_CLEARANCE_M), None)?;
        let barrier =
            Barrier { gain, influence: INFLUENCE_M, gate_speed: 0.05, nearest: 0.002, metric: 2.0, rest_metric: 1e-4 };
        Ok(Self { checker, near: NearPairs::default(), barrier })
    }
}

impl MotionPolicy for AvoidSelfCollision {
    fn name(&self) -> &'static str {
        "avoid_self_collision"
    }

    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        let within = INFLUENCE_M + OWN_RESERVE_M;
        self.checker.proximity(state.q, within, DistancePrecision::Single, &mut self.near.found);
        self.near.place(&self.checker, state.qd);
        for index in 0..self.near.found.pairs().len() {
            if self.checker.may_touch(&self.near.found.pairs()[index]) {
                self.near.add(index, &self.checker, (&self.barrier, OWN_RESERVE_M, 0.0), state, tasks);
            }
        }
        Ok(())
    }

    fn allows(&mut self, way: &StopPath) -> bool {
        way.is_known() || way.is_free(&mut self.checker)
    }
}
