//! Keywords of `Scene.inverse_kinematics`.

use kinetic::core::{KineticError, Pair};
use kinetic::kinematics::IKMode;
use kinetic::kinematics::tasks::TaskOptions;
use kinetic::scene::{Avoidance, AvoidingIk, Rank};

use crate::convert::{Call, Count, PoseArg, Real, Seed, Text, Vector, keywords};
use crate::error::Result;

pub(crate) const INVERSE_KINEMATICS: Call<AvoidingKeywords> = Call::new("Scene.inverse_kinematics");

keywords! {
    /// Of `Scene.inverse_kinematics`.
    pub(crate) struct AvoidingKeywords {
        distance: Real = Real(0.02),
        world: bool = true,
        pairs: Option<Vec<(Text, Text)>> = None,
        rank: Text = Text("first".to_owned()),
        gain: Real = Real(1.0),
        joint_weights: Option<Vector> = None,
        attempts: Count = Count(20),
        max_iterations: Count = Count(100),
        rng_seed: Option<Seed> = None,
        tcp: Option<PoseArg> = None,
        mode: Text = Text("full6d".to_owned()),
        position_tolerance: Real = Real(1e-4),
        orientation_tolerance: Real = Real(1e-3),
    }
}

impl AvoidingKeywords {
    pub(crate) fn options(self) -> Result<AvoidingIk> {
        let mode = self.mode.0.parse::<IKMode>()?;
        if mode == IKMode::PositionFallback {
            let wanted = "\"full6d\" or \"position_only\"";
            return Err(KineticError::invalid("mode", mode.id(), wanted).into());
        }
        let pairs = self.pairs.map(|pairs| pairs.into_iter().map(|(a, b)| Pair::new(a.0, b.0)).collect());
        Ok(AvoidingIk {
            avoidance: Avoidance { distance: self.distance.0, world: self.world, pairs, ..Avoidance::default() },
            rank: self.rank.0.parse::<Rank>()?,
            gain: self.gain.0,
            joint_weights: self.joint_weights.map(|weights| weights.0),
            tcp: self.tcp.map(|tcp| tcp.0),
            position_only: mode == IKMode::PositionOnly,
            position_tolerance: self.position_tolerance.0,
            orientation_tolerance: self.orientation_tolerance.0,
            solver: TaskOptions {
                attempts: self.attempts.0,
                max_iterations: self.max_iterations.0,
                rng_seed: self.rng_seed.map_or(0, |seed| seed.0),
                ..TaskOptions::default()
            },
        })
    }
}
