//! Escape: a joint velocity at which the arm stays free of what moves at it.
//!
//! A barrier alone backs away from an obstacle along its path, until a joint limit or another obstacle ends the way. So when the
//! arm as it stands would be hit within a horizon, velocities are tried against the obstacles where they will be (the idea of
//! velocity obstacles, Fiorini and Shiller 1998, with sampled joint velocities), a few in each cycle; the one that stays free
//! longest is followed and improved. Obstacles are predicted at constant velocity, at times that are fixed, so that what is
//! predicted once stays right while an obstacle keeps its velocity.

use kinetic_core::Result;
use kinetic_core::rng::SeededRng;
use kinetic_scene::{Checker, LiveChecker, LiveScene, Margins};

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
/// Velocities that are tried per second, and most in one cycle.
const TRIALS_PER_SECOND: f64 = 600.0;
const MOST_TRIALS_PER_CYCLE: f64 = 6.0;
/// Time in which the arm takes over a velocity, s, where its accelerations allow that.
const TAKE_OVER_S: f64 = 0.1;
/// Speeds that are tried, as parts of the limits.
const TRIED_SPEEDS: [f64; 2] = [0.03, 0.5];

/// Times before that of a prediction at which a fast arm is compared with it, too, s: between two predictions it might pass through
/// an obstacle.
const BEFORE_PREDICTION_S: [f64; 2] = [0.0, 0.125];
/// A joint faster than this, rad/s or m/s, makes the arm a fast one.
const SLOW: f64 = 0.2;

/// The obstacles at one time.
#[derive(Debug)]
struct Prediction {
    /// On the clock of the motions, s.
    time: f64,
    /// Tells what keeps the wanted clearance.
    wide: LiveChecker,
    /// Tells what is not hit.
    tight: LiveChecker,
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
    /// Configurations, row after row.
    rows: Vec<f64>,
    owed_trials: f64,
}

/// How good a velocity is: what is greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rating {
    /// Number of predictions up to the first one that it is hit in.
    free: usize,
    /// Number of these that keep the wanted clearance.
    wide: usize,
}

impl Rating {
    fn is_best(&self, all: usize) -> bool {
        self.wide == all
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
            rows: vec![0.0; BEFORE_PREDICTION_S.len() * dof],
            owed_trials: 0.0,
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
        self.owed_trials = (self.owed_trials + TRIALS_PER_SECOND * state.dt).min(MOST_TRIALS_PER_CYCLE);
        let (mut velocity, mut trial) = (std::mem::take(&mut self.velocity), std::mem::take(&mut self.trial));
        let is_needed = self.improve(&mut velocity, &mut trial, motions.now(), state);
        (self.velocity, self.trial) = (velocity, trial);
        Ok(is_needed.then_some(&self.velocity))
    }

    /// Replaces a velocity by a better one, if some tries find one; false, with a velocity of 0, where the arm may stay.
    fn improve(&mut self, velocity: &mut [f64], trial: &mut [f64], now: f64, state: &MotionState<'_>) -> bool {
        let all = self.predictions.len();
        trial.fill(0.0);
        let staying = self.rate(trial, now, state);
        let mut best = if staying.is_best(all) { staying } else { self.rate(velocity, now, state) };
        if staying >= best {
            best = staying;
            velocity.fill(0.0);
        }
        if staying.is_best(all) {
            return false;
        }
        let mut is_near = true;
        while self.owed_trials >= 1.0 && !best.is_best(all) {
            self.owed_trials -= 1.0;
            self.draw(is_near, velocity, state.bounds, trial);
            is_near = false;
            let found = self.rate(trial, now, state);
            if found > best {
                best = found;
                velocity.copy_from_slice(trial);
            }
        }
        true
    }

    /// A velocity to try: about the one that is followed, or any.
    fn draw(&mut self, is_near: bool, about: &[f64], bounds: &[JointBounds], out: &mut [f64]) {
        let scale = self.rng.uniform(TRIED_SPEEDS[0], TRIED_SPEEDS[1]);
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
        let dof = velocity.len();
        let is_slow = velocity.iter().chain(state.qd).all(|speed| speed.abs() <= SLOW);
        let samples = if is_slow { 1 } else { BEFORE_PREDICTION_S.len() };
        let mut wide = 0;
        for free in 0..count {
            let prediction = &mut self.predictions[(first + free) % count];
            let ahead = prediction.time - now;
            if ahead <= 0.0 {
                wide += 1;
                continue;
            }
            for (row, before) in self.rows.chunks_exact_mut(dof).zip(BEFORE_PREDICTION_S).take(samples) {
                place(velocity, (ahead - before).max(0.0), state, row);
            }
            let rows = &self.rows[..samples * dof];
            if are_free(prediction.wide.checker(), rows) {
                wide += 1;
            } else if !are_free(prediction.tight.checker(), rows) {
                return Rating { free, wide };
            }
        }
        Rating { free: count, wide }
    }

    /// Makes or renews one prediction, so that no cycle has the work of all.
    fn predict(&mut self, scene: &LiveChecker, motions: &ObstacleMotions) -> Result<()> {
        let now = motions.now();
        if self.predictions.len() < NUM_PREDICTIONS {
            let time = self.predictions.last().map_or(now, |last| last.time) + PREDICTION_STEP_S;
            let live = LiveScene::new(scene.scene().clone());
            let checker = |margin| LiveChecker::new(&live, &self.group, Margins::new(margin, 0.0));
            let (wide, tight) = (checker(PREDICTED_MARGIN_M)?, checker(HIT_CLEARANCE_M)?);
            self.predictions.push(Prediction { time, wide, tight });
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

fn are_free(checker: &mut Checker, rows: &[f64]) -> bool {
    rows.chunks_exact(checker.dof()).all(|q| checker.is_free(q))
}

/// Where the arm is so much later when it takes over a velocity from now on, and stops at the limits of its joints.
fn place(velocity: &[f64], ahead: f64, state: &MotionState<'_>, out: &mut [f64]) {
    for (joint, out) in out.iter_mut().enumerate() {
        let JointBounds { lower, upper, acceleration, .. } = state.bounds[joint];
        let (here, excess) = (state.q[joint], state.qd[joint] - velocity[joint]);
        // The way that the present velocity leads farther: it begins with that, and tends to the half of a ramp.
        let lag = TAKE_OVER_S.max(0.5 * excess.abs() / acceleration);
        let moved = here + ahead * (velocity[joint] + excess * lag / (ahead + lag));
        *out = moved.clamp(lower.min(here), upper.max(here));
    }
}

impl Prediction {
    fn renew(&mut self, motions: &ObstacleMotions) -> Result<()> {
        let live = self.wide.live().clone();
        let is_off = self.wide.obstacles().enumerate().any(|(obstacle, (_, pose))| {
            motions.pose_at(obstacle, self.time).translation_distance(pose) > PREDICTION_TOLERANCE_M
        });
        if !is_off {
            return Ok(());
        }
        live.edit(|draft| {
            for (obstacle, (name, pose)) in self.wide.obstacles().enumerate() {
                let predicted = motions.pose_at(obstacle, self.time);
                if predicted != *pose {
                    draft.update_pose(name, predicted)?;
                }
            }
            Ok(())
        })?;
        self.wide.refresh()?;
        self.tight.refresh().map(|_| ())
    }
}
