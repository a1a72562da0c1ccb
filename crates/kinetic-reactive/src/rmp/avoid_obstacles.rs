//! Obstacle avoidance: a barrier between the robot, what it carries, and each object of a live scene.

use kinetic_core::{KineticError, Result};
use kinetic_robot::{PlanningGroup, Robot};
use kinetic_scene::{DistancePrecision, LiveChecker, LiveScene, Margins, ProximityPartner, Refresh};

use super::barrier::Barrier;
use super::distance_policy::NearPairs;
use super::escape::Escape;
use super::motion_policy::{MotionPolicy, MotionState};
use super::obstacle_motion::ObstacleMotions;
use super::stop_path::StopPath;
use super::task_space::TaskSpaces;

/// Clearance of stop paths beyond what the scene states, m: what lies between their samples.
const WORLD_STOP_CLEARANCE_M: f64 = 0.003;
/// Distance that is kept beyond it, m: what single precision and a cycle may be wrong by.
const WORLD_RESERVE_M: f64 = 0.002;

/// Metric of an escape per joint, m²/rad²: above that of barriers but for the last centimetre. Barriers push where an obstacle is not,
/// one by one, and out of the way that was found through all of them.
const ESCAPE_METRIC: f64 = 1e5;
/// How much faster than a barrier an escape settles: it is to be followed at once.
const ESCAPE_RATE_FACTOR: f64 = 2.0;

/// Keeps the robot away from the objects of a scene, as it is in each cycle.
#[derive(Debug)]
pub(super) struct AvoidObstacles {
    scene: LiveChecker,
    near: NearPairs,
    motions: ObstacleMotions,
    escape: Escape,
    barrier: Barrier,
    /// Whether the scene is another one than in the cycle before.
    is_edited: bool,
}

impl AvoidObstacles {
    pub(super) fn new(
        robot: &Robot,
        group: &PlanningGroup,
        (scene, influence, gain): (&LiveScene, f64, f64),
    ) -> Result<Self> {
        let own = scene.robot();
        if own.links != robot.links || own.joints != robot.joints {
            let wanted = format!("a scene of robot \"{}\"", robot.name);
            return Err(KineticError::invalid("scene", format!("of robot \"{}\"", own.name), wanted));
        }
        let barrier = Barrier {
            gain,
            influence,
            gate_speed: 0.1,
            nearest: 0.002_f64.min(0.5 * influence),
            metric: 2.0,
            rest_metric: 0.02,
        };
        Ok(Self {
            scene: LiveChecker::new(scene, &group.name, Margins::new(WORLD_STOP_CLEARANCE_M, 0.0))?,
            near: NearPairs::default(),
            motions: ObstacleMotions::default(),
            escape: Escape::new(&group.name, group.dof()),
            barrier,
            is_edited: true,
        })
    }
}

impl MotionPolicy for AvoidObstacles {
    fn name(&self) -> &'static str {
        "avoid_obstacles"
    }

    fn evaluate(&mut self, state: &MotionState<'_>, tasks: &mut TaskSpaces) -> Result<()> {
        let refresh = self.scene.refresh()?;
        self.is_edited = refresh != Refresh::Unchanged;
        self.motions.update(refresh, &self.scene, state.dt);
        if refresh == Refresh::Rebuilt {
            self.escape.reset();
        }
        if let Some(velocity) = self.escape.velocity(&self.scene, &self.motions, state)? {
            let rate = ESCAPE_RATE_FACTOR * self.barrier.gain.sqrt();
            for (joint, (wanted, qd)) in velocity.iter().zip(state.qd).enumerate() {
                tasks.add_joint(joint, ESCAPE_METRIC, rate * (wanted - qd));
            }
        }
        let checker = self.scene.checker();
        let within = self.barrier.influence + WORLD_RESERVE_M;
        let own = if checker.has_attached() { within } else { f64::NEG_INFINITY };
        checker.proximity(state.q, Margins::new(within, own), DistancePrecision::Single, &mut self.near.found);
        self.near.place(checker, state.qd);
        for index in 0..self.near.found.pairs().len() {
            let pair = self.near.found.pairs()[index];
            let opening = match pair.other {
                ProximityPartner::Obstacle(obstacle) => {
                    self.motions.velocity_at(obstacle, &pair.point_on_other).dot(&pair.normal)
                }
                // Of the robot's own pairs those with carried bodies alone, which the scene alone knows.
                ProximityPartner::Body(other) if checker.is_attached(pair.body) || checker.is_attached(other) => 0.0,
                ProximityPartner::Body(_) => continue,
            };
            self.near.add(index, checker, (&self.barrier, WORLD_RESERVE_M, opening), state, tasks);
        }
        Ok(())
    }

    fn allows(&mut self, way: &StopPath) -> bool {
        way.is_known() && !self.is_edited || way.is_free(self.scene.checker())
    }
}
