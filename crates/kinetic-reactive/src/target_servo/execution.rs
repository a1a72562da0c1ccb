//! A plan that a servo follows: its time goes on as fast as the arm does.

use kinetic_core::TimedTrajectory;
use kinetic_trajectory::MotionState;

/// The arm may be this far behind the plan, rad or m, before the plan waits, and so far that it stands.
const UNNOTICED_LAG: f64 = 2e-3;
const LARGEST_LAG: f64 = 2e-2;

/// Motions one after the other, and the time in the present one.
#[derive(Debug)]
pub(super) struct PlanExecution {
    motions: Vec<TimedTrajectory>,
    present: usize,
    time: f64,
    positions: Vec<f64>,
    velocities: Vec<f64>,
}

impl PlanExecution {
    pub(super) fn new(motions: Vec<TimedTrajectory>, dof: usize) -> Self {
        Self { motions, present: 0, time: 0.0, positions: vec![0.0; dof], velocities: vec![0.0; dof] }
    }

    /// Time that is left, s.
    pub(super) fn remaining(&self) -> f64 {
        self.motions[self.present..].iter().map(TimedTrajectory::duration).sum::<f64>() - self.time
    }

    /// Where the joints are to be after the next tick of `period` s, and how fast, from a state at its beginning; `None` where the arm
    /// has arrived.
    pub(super) fn next(&mut self, state: &MotionState, period: f64) -> Option<(&[f64], &[f64])> {
        let lag = self.lag(state);
        if self.remaining() <= 0.0 && lag <= UNNOTICED_LAG {
            return None;
        }
        let pace = ((LARGEST_LAG - lag) / (LARGEST_LAG - UNNOTICED_LAG)).clamp(0.0, 1.0);
        self.advance(pace * period);
        let curve = self.motions[self.present].curve();
        curve.sample_into(self.time, 0, &mut self.positions);
        curve.sample_into(self.time, 1, &mut self.velocities);
        for velocity in &mut self.velocities {
            *velocity *= pace;
        }
        Some((&self.positions, &self.velocities))
    }

    /// How far the joint that is farthest behind is.
    fn lag(&mut self, state: &MotionState) -> f64 {
        self.motions[self.present].curve().sample_into(self.time, 0, &mut self.positions);
        self.positions.iter().zip(&state.positions).map(|(wanted, is)| (wanted - is).abs()).fold(0.0, f64::max)
    }

    fn advance(&mut self, time: f64) {
        self.time += time;
        let duration = self.motions[self.present].duration();
        if self.time < duration {
            return;
        }
        if self.present + 1 < self.motions.len() {
            (self.present, self.time) = (self.present + 1, self.time - duration);
        } else {
            self.time = duration;
        }
    }
}
