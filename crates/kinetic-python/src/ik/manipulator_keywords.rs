//! Keywords of `Manipulator.solve`.

use kinetic::core::KineticError;
use kinetic::kinematics::analytic::{Manipulator, Parameters, SolveOptions};
use pyo3::prelude::*;

use crate::convert::{Call, Count, Text, Vector, keywords};
use crate::error::Result;

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

/// A joint by its name, or by its place in the configuration.
#[derive(FromPyObject)]
pub(crate) enum Joint {
    Place(Count),
    Named(Text),
}

impl Joint {
    fn entry(&self, arm: &Manipulator) -> kinetic::core::Result<usize> {
        let names = arm.chain().joint_names();
        match self {
            Self::Place(place) => Ok(place.0),
            Self::Named(name) => names
                .iter()
                .position(|known| *known == name.0)
                .ok_or_else(|| KineticError::JointNotFound { name: name.0.clone(), available: names.to_vec() }),
        }
    }
}

/// The number of samples under the keyword that fits the arm.
pub(crate) fn sample_count(
    arm: &Manipulator,
    swivel_samples: Option<Count>,
    samples: Option<Count>,
) -> kinetic::core::Result<Option<usize>> {
    let has_swivel = !arm.ranges().is_empty() && arm.locked_joints().is_empty();
    match (swivel_samples, samples) {
        (Some(count), _) if !has_swivel => Err(KineticError::invalid(
            "swivel_samples",
            count.0,
            format!("none: {} has no swivel angle", arm.dispatch_plan().solver_name),
        )),
        (None, Some(count)) if has_swivel => {
            Err(KineticError::invalid("samples", count.0, "none: the arm has a swivel angle; say swivel_samples"))
        }
        (swivel, samples) => Ok(swivel.or(samples).map(|count| count.0)),
    }
}
