//! Chunks of joint positions.

use kinetic_core::Result;
use kinetic_trajectory::MotionState;

use super::blend::BlendWeight;
use super::chunk::{Chunk, ChunkCurve};

/// Positions of all joints over time.
#[derive(Debug, Clone)]
pub(crate) struct JointChunk(ChunkCurve);

impl JointChunk {
    pub(crate) fn new(positions: &[Vec<f64>], times: &[f64]) -> Result<Self> {
        ChunkCurve::new(positions, times).map(Self)
    }
}

impl Chunk for JointChunk {
    type Target = MotionState;

    fn span(&self) -> [f64; 2] {
        self.0.span()
    }

    fn sample(&self, time: f64, target: &mut MotionState) {
        self.0.sample(time, [&mut target.positions, &mut target.velocities, &mut target.accelerations]);
    }

    fn mix(target: &mut MotionState, next: &MotionState, weight: BlendWeight) {
        for joint in 0..target.dof() {
            let [from, to] = [&*target, next].map(|state| {
                let state = state.axis(joint);
                [state.position, state.velocity, state.acceleration]
            });
            [target.positions[joint], target.velocities[joint], target.accelerations[joint]] = weight.mix(from, to);
        }
    }
}
