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
    /// Where the joints are to be.
    wanted: MotionState,
}

impl PlanExecution {
    pub(super) fn new(motions: Vec<TimedTrajectory>, dof: usize) -> Self {
        Self { motions, present: 0, time: 0.0, wanted: MotionState::at_rest(&vec![0.0; dof]) }
    }

    /// Time that is left, s.
    pub(super) fn remaining(&self) -> f64 {
        self.motions[self.present..].iter().map(TimedTrajectory::duration).sum::<f64>() - self.time
    }

    /// The state after the next tick of `period` s, from a state at its beginning; `None` where the arm has arrived.
    pub(super) fn next(&mut self, state: &MotionState, period: f64) -> Option<&MotionState> {
        let lag = self.lag(state);
        if self.remaining() <= 0.0 && lag <= UNNOTICED_LAG {
            return None;
        }
        let pace = ((LARGEST_LAG - lag) / (LARGEST_LAG - UNNOTICED_LAG)).clamp(0.0, 1.0);
        self.advance(pace * period);
        let curve = self.motions[self.present].curve();
        let MotionState { positions, velocities, accelerations } = &mut self.wanted;
        curve.sample_into(self.time, 0, positions);
        curve.sample_into(self.time, 1, velocities);
        curve.sample_into(self.time, 2, accelerations);
        velocities.iter_mut().for_each(|velocity| *velocity *= pace);
        accelerations.iter_mut().for_each(|acceleration| *acceleration *= pace * pace);
        Some(&self.wanted)
    }

    /// How far the joint that is farthest behind is.
    fn lag(&mut self, state: &MotionState) -> f64 {
        self.motions[self.present].curve().sample_into(self.time, 0, &mut self.wanted.positions);
        self.wanted.positions.iter().zip(&state.positions).map(|(wanted, is)| (wanted - is).abs()).fold(0.0, f64::max)
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
