//! Escape: a joint velocity at which the arm stays free of what moves at it.
//!
//! A barrier alone backs away from an obstacle along its path, until a joint limit or another obstacle ends the way. So when the
//! arm as it stands would be hit within a horizon, velocities are tried against the obstacles where they will be (the idea of
//! velocity obstacles, Fiorini and Shiller 1998, with sampled joint velocities), a few in each cycle; the one that stays free
//! longest is followed and improved. Obstacles are predicted at constant velocity, at times that are fixed, so that what is
//! predicted once stays right while an obstacle keeps its velocity.

use kinetic_core::Result;
use kinetic_core::rng::SeededRng;
use kinetic_scene::{LiveChecker, LiveScene, Margins};

use super::acceleration_bounds::JointBounds;
use super::motion_policy::MotionState;
use super::obstacle_motion::ObstacleMotions;

/// Times at which obstacles are predicted.
const NUM_PREDICTIONS: usize = 16;
/// Time between two predictions, s.
const PREDICTION_STEP_S: f64 = 0.25;
/// Clearance that a velocity should keep from predicted obstacles, m: half of what an obstacle moves between predictions.
const PREDICTED_MARGIN_M: f64 = 0.03;
/// Clearance below which it counts as hit, m.
const HIT_CLEARANCE_M: f64 = 0.003;
/// A prediction is renewed when an obstacle is off by this, m.
const PREDICTION_TOLERANCE_M: f64 = 0.005;
/// Velocities that are tried in each cycle.
const TRIALS_PER_CYCLE: usize = 3;
/// Speeds that are tried, as parts of the limits.
const TRIED_SPEEDS: [f64; 2] = [0.03, 0.5];

/// The obstacles at one time.
#[derive(Debug)]
struct Prediction {
    /// On the clock of the motions, s.
    time: f64,
    scene: LiveChecker,
}

/// The search for an escape.
#[derive(Debug)]
pub(super) struct Escape {
    group: String,
    predictions: Vec<Prediction>,
    next: usize,
    rng: SeededRng,
    velocity: Vec<f64>,
    trial: Vec<f64>,
    q: Vec<f64>,
}

/// How good a velocity is.
#[derive(Debug, Clone, Copy)]
struct Rating {
    /// Number of predictions that it is not hit in, the first ones in the order of time.
    free: usize,
    /// Least clearance in these and the next one, m, at most the wanted one.
    clearance: f64,
}

impl Rating {
    fn is_best(&self, all: usize) -> bool {
        self.free == all && self.clearance >= PREDICTED_MARGIN_M
    }

    fn is_better_than(&self, other: &Self) -> bool {
        self.free > other.free || self.free == other.free && self.clearance > other.clearance
    }
}

impl Escape {
    pub(super) fn new(group: &str, dof: usize) -> Self {
        Self {
            group: group.to_owned(),
            predictions: Vec::new(),
            next: 0,
            rng: SeededRng::new(0),
            velocity: vec![0.0; dof],
            trial: vec![0.0; dof],
            q: vec![0.0; dof],
        }
    }

    /// Forgets all predictions: the objects are others.
    pub(super) fn reset(&mut self) {
        self.predictions.clear();
        self.next = 0;
    }

    /// The velocity to follow; `None` where the arm may stay.
    pub(super) fn velocity(
        &mut self,
        scene: &LiveChecker,
        motions: &ObstacleMotions,
        state: &MotionState<'_>,
    ) -> Result<Option<&[f64]>> {
        if !motions.is_any_moving() {
            self.velocity.fill(0.0);
            return Ok(None);
        }
        self.predict(scene, motions)?;
        let mut trial = std::mem::take(&mut self.trial);
        trial.fill(0.0);
        let (now, all) = (motions.now(), self.predictions.len());
        let staying = self.rate(&trial, now, state);
        if staying.is_best(all) {
            self.trial = trial;
            self.velocity.fill(0.0);
            return Ok(None);
        }
        let mut velocity = std::mem::take(&mut self.velocity);
        let mut best = self.rate(&velocity, now, state);
        if staying.is_better_than(&best) {
            best = staying;
            velocity.fill(0.0);
        }
        for index in 0..TRIALS_PER_CYCLE {
            if best.is_best(all) {
                break;
            }
            self.draw(index, &velocity, state.bounds, &mut trial);
            let found = self.rate(&trial, now, state);
            if found.is_better_than(&best) {
                best = found;
                velocity.copy_from_slice(&trial);
            }
        }
        self.trial = trial;
        self.velocity = velocity;
        Ok(Some(&self.velocity))
    }

    /// A velocity to try: about the one that is followed, or any.
    fn draw(&mut self, index: usize, about: &[f64], bounds: &[JointBounds], out: &mut [f64]) {
        let scale = self.rng.uniform(TRIED_SPEEDS[0], TRIED_SPEEDS[1]);
        let is_near = index == 0;
        for ((out, about), bounds) in out.iter_mut().zip(about).zip(bounds) {
            let drawn = scale * self.rng.uniform(-bounds.velocity, bounds.velocity);
            let most = TRIED_SPEEDS[1] * bounds.velocity;
            *out = if is_near { (about + 0.3 * drawn).clamp(-most, most) } else { drawn };
        }
    }

    /// How good a constant velocity is; past predictions count as free.
    fn rate(&mut self, velocity: &[f64], now: f64, state: &MotionState<'_>) -> Rating {
        let count = self.predictions.len();
        let times = |index: &usize| self.predictions[*index].time;
        let first = (0..count).min_by(|a, b| times(a).total_cmp(&times(b))).unwrap_or(0);
        let mut clearance = PREDICTED_MARGIN_M;
        for free in 0..count {
            let prediction = &mut self.predictions[(first + free) % count];
            let ahead = prediction.time - now;
            if ahead <= 0.0 {
                continue;
            }
            for (joint, q) in self.q.iter_mut().enumerate() {
                let JointBounds { lower, upper, .. } = state.bounds[joint];
                let (here, moved) = (state.q[joint], state.q[joint] + ahead * velocity[joint]);
                *q = moved.clamp(lower.min(here), upper.max(here));
            }
            let checker = prediction.scene.checker();
            if !checker.is_free(&self.q) {
                clearance = clearance.min(checker.clearance(&self.q).distance);
                if clearance < HIT_CLEARANCE_M {
                    return Rating { free, clearance };
                }
            }
        }
        Rating { free: count, clearance }
    }

    /// Makes or renews one prediction, so that no cycle has the work of all.
    fn predict(&mut self, scene: &LiveChecker, motions: &ObstacleMotions) -> Result<()> {
        let now = motions.now();
        if self.predictions.len() < NUM_PREDICTIONS {
            let time = self.predictions.last().map_or(now, |last| last.time) + PREDICTION_STEP_S;
            let live = LiveScene::new(scene.scene().clone());
            let margins = Margins::new(PREDICTED_MARGIN_M, 0.0);
            self.predictions.push(Prediction { time, scene: LiveChecker::new(&live, &self.group, margins)? });
            self.next = self.predictions.len() - 1;
        }
        let latest = self.predictions.iter().fold(now, |latest, prediction| latest.max(prediction.time));
        let index = self.next;
        self.next = (index + 1) % self.predictions.len();
        let prediction = &mut self.predictions[index];
        if prediction.time <= now {
            prediction.time = latest + PREDICTION_STEP_S;
        }
        prediction.renew(motions)
    }
}

impl Prediction {
    fn renew(&mut self, motions: &ObstacleMotions) -> Result<()> {
        let live = self.scene.live().clone();
        let is_off = self.scene.obstacles().enumerate().any(|(obstacle, (_, pose))| {
            motions.pose_at(obstacle, self.time).translation_distance(pose) > PREDICTION_TOLERANCE_M
        });
        if !is_off {
            return Ok(());
        }
        live.edit(|draft| {
            for (obstacle, (name, pose)) in self.scene.obstacles().enumerate() {
                let predicted = motions.pose_at(obstacle, self.time);
                if predicted != *pose {
                    draft.update_pose(name, predicted)?;
                }
            }
            Ok(())
        })?;
        self.scene.refresh().map(|_| ())
    }
}
