//! Solvers of velocity problems by name.

use kinetic_core::{KineticError, Result};

use super::bounded::BoundedLeastSquares;
use super::damped::ScaledLeastSquares;
use super::velocity_problem::{SingularityDamping, VelocitySizes};
use super::velocity_solver::VelocitySolver;

/// A row of the registry.
#[derive(Debug, Clone, Copy)]
pub struct VelocitySolverSpec {
    /// The name in every language and file.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Where the method comes from.
    pub source: &'static str,
    make: fn(&VelocitySizes, SingularityDamping) -> Result<Box<dyn VelocitySolver>>,
}

/// All solvers; the first is the default.
pub static VELOCITY_SOLVERS: &[VelocitySolverSpec] = &[
    VelocitySolverSpec {
        name: "qp",
        summary: "least squares with bounds and rows as inequalities: slides along what is in the way",
        source: "Kanoun, Lamiraux & Wieber 2011; Arnström, Bemporad & Axehill 2022",
        make: |sizes, damping| Ok(Box::new(BoundedLeastSquares::new(sizes, damping)?)),
    },
    VelocitySolverSpec {
        name: "damped",
        summary: "damped least squares, slowed as a whole into bounds and rows: keeps the direction",
        source: "Maciejewski & Klein 1988; Chiaverini 1997",
        make: |sizes, damping| Ok(Box::new(ScaledLeastSquares::new(sizes, damping))),
    },
];

impl VelocitySolverSpec {
    /// The solver of this name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    pub fn by_name(name: &str) -> Result<&'static Self> {
        VELOCITY_SOLVERS.iter().find(|spec| spec.name == name).ok_or_else(|| {
            KineticError::unknown_name("velocity solver", name, VELOCITY_SOLVERS.iter().map(|spec| spec.name))
        })
    }

    /// A solver for problems of up to these sizes.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no joints, or damping that is not positive.
    pub fn make(&self, sizes: &VelocitySizes, damping: SingularityDamping) -> Result<Box<dyn VelocitySolver>> {
        damping.check()?;
        if sizes.joints == 0 {
            return Err(KineticError::invalid("joints of a velocity problem", 0, "at least 1"));
        }
        (self.make)(sizes, damping)
    }
}
