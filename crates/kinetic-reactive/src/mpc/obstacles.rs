//! Which configurations of rollouts are free: the batch validity of the scene, at two distances.

use kinetic_core::Result;
use kinetic_scene::{LiveChecker, LiveScene, Margins, Refresh};

use super::config::MpcConfig;
use crate::servo::ROOM_FOR_PROOFS_M;

/// Checkers of the scene as it is at an optimization, and what they said about all rollouts.
#[derive(Debug)]
pub(super) struct RolloutValidity {
    /// Keeps the stop distance of the servo.
    stop: LiveChecker,
    /// Keeps the clearance besides: from obstacles alone, since links of one robot are nearer to each other than that in any posture.
    clear: LiveChecker,
    is_free: Vec<bool>,
    is_clear: Vec<bool>,
}

impl RolloutValidity {
    /// `stop` are the distances that the servo keeps, of obstacles and between links.
    pub(super) fn new(scene: &LiveScene, group: &str, stop: Margins, config: &MpcConfig, most: usize) -> Result<Self> {
        let world = stop.world + ROOM_FOR_PROOFS_M;
        Ok(Self {
            stop: LiveChecker::new(scene, group, Margins::new(world, stop.own))?,
            clear: LiveChecker::new(scene, group, Margins::new(world + config.clearance, stop.own))?,
            is_free: vec![false; most],
            is_clear: vec![false; most],
        })
    }

    /// Follows edits of the scene; answers whether there was one.
    pub(super) fn refresh(&mut self) -> Result<bool> {
        let edits = [self.stop.refresh()?, self.clear.refresh()?];
        Ok(edits.iter().any(|edit| *edit != Refresh::Unchanged))
    }

    /// Values of the joints outside the group.
    pub(super) fn held(&self) -> &[f64] {
        self.stop.scene().held()
    }

    /// Whether one configuration keeps the stop distance.
    pub(super) fn is_free_at(&mut self, q: &[f64]) -> bool {
        self.stop.checker().is_free(q)
    }

    /// Asks about configurations, one row each, the first of which has the number `first`.
    pub(super) fn look(&mut self, first: usize, configurations: &[f64]) {
        let rows = configurations.len() / self.stop.checker().dof();
        self.stop.checker().are_free_into(configurations, &mut self.is_free[first..first + rows]);
        self.clear.checker().are_free_into(configurations, &mut self.is_clear[first..first + rows]);
    }

    /// What was said of the configuration of that number.
    pub(super) fn is_free(&self, number: usize) -> bool {
        self.is_free[number]
    }

    /// Whether the configuration of that number keeps the clearance.
    pub(super) fn is_clear(&self, number: usize) -> bool {
        self.is_clear[number]
    }
}
