//! Keywords of `Manipulator.solve`.

use kinetic::kinematics::analytic::{Manipulator, Parameters, SolveOptions};

use crate::convert::{Call, Count, Vector, keywords};
use crate::error::Result;
use crate::ik::manipulator::{Joint, sample_count};

pub(crate) const MANIPULATOR_SOLVE: Call<ManipulatorKeywords> = Call::new("Manipulator.solve");

keywords! {
    /// Of `Manipulator.solve`.
    pub(crate) struct ManipulatorKeywords {
        explain: bool = false,
        max_solutions: Option<Count> = None,
        q_seed: Option<Vector> = None,
        respect_limits: bool = true,
        allow_refinement: bool = false,
        refinement_max_iters: Count = Count(15),
        swivel_samples: Option<Count> = None,
        samples: Option<Count> = None,
        at: Option<Vector> = None,
        linearity_joint: Option<Joint> = None,
        turns: bool = false,
    }
}

impl ManipulatorKeywords {
    pub(crate) fn options(self, arm: &Manipulator) -> Result<SolveOptions> {
        Ok(SolveOptions {
            seed: self.q_seed.map(|seed| seed.0.into()),
            max_solutions: self.max_solutions.map(|count| count.0),
            turns: self.turns,
            respect_limits: self.respect_limits,
            allow_refinement: self.allow_refinement,
            refinement_max_iters: self.refinement_max_iters.0,
            samples: sample_count(arm, self.swivel_samples, self.samples)?,
            at: self.at.map(|at| Parameters::try_from_slice("at", &at.0)).transpose()?,
            linearity_joint: self.linearity_joint.map(|joint| joint.entry(arm)).transpose()?,
            ..SolveOptions::default()
        })
    }
}
