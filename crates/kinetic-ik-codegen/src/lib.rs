//! Code generator of stand-alone solvers: the closed form of one arm as a source file without dependencies on kinetic.
//!
//! [`generate`] writes Rust that needs the standard library, or Python that needs NumPy. The Rust file is the library's
//! own text, cut to the arm's class (`source`), over a little linear algebra; the Python file comes from templates.
//! Both carry the solver as data (`Value`), so that nothing of the set-up is computed again.
//!
//! A class of arms is a row of `CLASSES`; its solver says what its data are in `SixJointSolver::constants`.

mod class;
mod header;
mod other;
mod python;
mod rust;
mod source;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use kinetic_core::error::reason;
use kinetic_core::{KineticError, Result};
use kinetic_ik::analytic::Manipulator;
use kinetic_ik::analytic::registry::{self, GENERAL, NEAR};

/// What a solver can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Rust 1.89 or later, edition 2021 or later, standard library only.
    Rust,
    /// Python 3.9 or later with NumPy.
    Python,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Rust, Self::Python];

    /// The name, in lower case.
    pub fn id(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
        }
    }

    /// The ending of files, without dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::Python => "py",
        }
    }

    /// The language that a file's ending stands for.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the endings that are known.
    pub fn of_file(path: &Path) -> Result<Self> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        Self::ALL.into_iter().find(|language| language.ending() == ending).ok_or_else(|| {
            KineticError::unknown_name(
                "ending of a solver's file",
                ending.clone(),
                Self::ALL.iter().map(|language| language.ending()),
            )
        })
    }
}

impl fmt::Display for Language {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id())
    }
}

impl FromStr for Language {
    type Err = KineticError;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|language| language.id() == name)
            .ok_or_else(|| KineticError::unknown_name("language", name, Self::ALL.iter().map(|language| language.id())))
    }
}

/// Names of the classes of arms that code can be generated of, as in [`registry::classes`].
pub fn classes() -> impl Iterator<Item = &'static str> {
    registry::classes().map(|class| class.name).filter(|name| class::find(name).is_some() || other::is_known(name))
}

/// One source file that solves one arm in closed form, with the answers of `arm` and the keywords of
/// [`SolveOptions`](kinetic_ik::analytic::SolveOptions). `robot` is what the file calls the arm. The same arm gives the same bytes.
///
/// # Errors
/// [`KineticError::IncompatibleKinematics`] for an arm of a class without generator, naming the classes that have one; for
/// an arm whose locked joint lies between the others, so that its values make as many arms; and for one whose six others
/// only nearly belong to their class. Six joints that do so are written with the general class.
pub fn generate(arm: &Manipulator, language: Language, robot: &str) -> Result<String> {
    let name = &arm.dispatch_plan().solver_name;
    if other::begins(name) {
        let (other, solver) = other::find(name).zip(arm.solver_data()).ok_or_else(|| without_data(name))?;
        return Ok(match language {
            Language::Rust => rust::write_other(arm, &other, &solver, robot),
            Language::Python => python::write_other(arm, &other, &solver, robot),
        });
    }
    let class = if name.ends_with(NEAR) { GENERAL } else { name };
    let (class, [solver, dh_chain]) = class::find(class).zip(arm.constants()).ok_or_else(|| without_generator(name))?;
    Ok(match language {
        Language::Rust => rust::write(arm, &class, [&solver, &dh_chain], robot),
        Language::Python => python::write(arm, &class, &solver, robot),
    })
}

/// Arms whose solver is made anew for every value of a joint in the middle, and six joints that only nearly belong to the
/// class that solves them: a file holds the closed form of one arm.
fn without_data(name: &str) -> KineticError {
    let reason = reason::IncompatibleKinematics::NoSingleArm { solver: name.to_owned() };
    KineticError::IncompatibleKinematics { reason }
}

fn without_generator(name: &str) -> KineticError {
    let available = classes().map(str::to_owned).collect();
    let reason = reason::IncompatibleKinematics::NoGenerator { solver: name.to_owned(), available };
    KineticError::IncompatibleKinematics { reason }
}
