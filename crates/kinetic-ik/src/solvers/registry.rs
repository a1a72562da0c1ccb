//! The table of inverse kinematics solvers: one row each.

use std::fmt;
use std::str::FromStr;

use kinetic_core::{KineticError, Result};
use kinetic_robot::DEFAULT_IK_DAMPING;

use super::bio::BioIk;
use super::ccd::CyclicDescent;
use super::fabrik::Fabrik;
use super::ik_solver::IKSolver;
use super::levenberg::Levenberg;
use super::pose_problem::PoseProblem;
use super::solver::NumericalSolver;
use super::sqp::Sqp;

/// [`IKSolver::Subproblem7DOF`] under its name: a value every ten degrees of a turn.
const DEFAULT_SELF_MOTION_SAMPLES: usize = 36;

/// Kind of solver of a row.
#[derive(Clone, Copy)]
pub(crate) enum SolverKind {
    /// Improves a configuration step by step.
    Numerical(fn(&PoseProblem<'_>) -> Box<dyn NumericalSolver>),
    /// Computes all branches of the arms for whose class, by its name, this holds.
    ClosedForm(fn(&str) -> bool),
    /// Needs a memory that lasts: a method of it.
    Remembers,
}

/// A solver.
pub struct SolverSpec {
    /// Its name in every language and file.
    pub id: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// Paper.
    pub source: &'static str,
    /// As a value.
    pub solver: IKSolver,
    pub(crate) kind: SolverKind,
}

impl fmt::Debug for SolverSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SolverSpec").field("id", &self.id).finish_non_exhaustive()
    }
}

/// All solvers; `auto` picks one of them.
pub static SOLVERS: &[SolverSpec] = &[
    SolverSpec {
        id: "dls",
        summary: "Levenberg-Marquardt with limits as an active set, and escapes from local minima",
        source: "Chan & Lawrence 1988; Sugihara 2011",
        solver: IKSolver::DLS { damping: DEFAULT_IK_DAMPING },
        kind: SolverKind::Numerical(|problem| Box::new(Levenberg::new(problem))),
    },
    SolverSpec {
        id: "sqp",
        summary: "quadratic programs with limits and a tool axis as inequality constraints",
        source: "Nocedal & Wright 2006, chapter 18; Goldfarb & Idnani 1983",
        solver: IKSolver::SQP,
        kind: SolverKind::Numerical(|problem| Box::new(Sqp::new(problem))),
    },
    SolverSpec {
        id: "fabrik",
        summary: "forward and backward reaching; the orientation by a descent from where that came to",
        source: "Aristidou & Lasenby 2011; Aristidou et al. 2016",
        solver: IKSolver::FABRIK,
        kind: SolverKind::Numerical(|problem| Box::new(Fabrik::new(problem))),
    },
    SolverSpec {
        id: "ccd",
        summary: "one joint after the other to its best value, in closed form",
        source: "Wang & Chen 1991",
        solver: IKSolver::CCD,
        kind: SolverKind::Numerical(|problem| Box::new(CyclicDescent::new(problem))),
    },
    SolverSpec {
        id: "bio_ik",
        summary: "evolution of a population whose best members descend",
        source: "Starke et al. 2018",
        solver: IKSolver::BioIK,
        kind: SolverKind::Numerical(|problem| Box::new(BioIk::new(problem))),
    },
    SolverSpec {
        id: "cached",
        summary: "damped least squares from the nearest known pose; a method of a cache",
        source: "-",
        solver: IKSolver::Cached,
        kind: SolverKind::Remembers,
    },
    SolverSpec {
        id: "analytic",
        summary: "all branches in closed form, of any arm that has one",
        source: "Elias & Wen 2024; Manocha & Canny 1994",
        solver: IKSolver::Analytic,
        kind: SolverKind::ClosedForm(|_| true),
    },
    SolverSpec {
        id: "opw",
        summary: "arms of six joints whose last three axes share a point, up to 8 branches",
        source: "Pieper 1968; Brandstötter et al. 2014",
        solver: IKSolver::OPW,
        kind: SolverKind::ClosedForm(is_opw),
    },
    SolverSpec {
        id: "subproblem",
        summary: "arms of six rotating joints, up to 16 branches",
        source: "Elias & Wen 2024",
        solver: IKSolver::Subproblem,
        kind: SolverKind::ClosedForm(|class| class.starts_with("six_r")),
    },
    SolverSpec {
        id: "subproblem7dof",
        summary: "arms of seven rotating joints, a sample of their branches",
        source: "Elias & Wen 2024",
        solver: IKSolver::Subproblem7DOF { num_samples: DEFAULT_SELF_MOTION_SAMPLES },
        kind: SolverKind::ClosedForm(|class| class.starts_with("seven_r")),
    },
];

fn is_opw(class: &str) -> bool {
    class.starts_with("six_r.spherical") && !class.starts_with("six_r.spherical_elbow")
}

/// The name of [`IKSolver::Auto`].
const AUTO: &str = "auto";

impl IKSolver {
    /// The row; that of damped least squares, the numerical solver of choice, for [`Auto`](Self::Auto).
    pub fn spec(self) -> &'static SolverSpec {
        let is_this = |spec: &&SolverSpec| std::mem::discriminant(&spec.solver) == std::mem::discriminant(&self);
        SOLVERS.iter().find(is_this).unwrap_or(&SOLVERS[0])
    }

    /// Whether it improves a configuration step by step.
    pub fn is_numerical(self) -> bool {
        self != Self::Auto && matches!(self.spec().kind, SolverKind::Numerical(_))
    }

    /// The name in every language and file.
    pub fn id(self) -> &'static str {
        if self == Self::Auto { AUTO } else { self.spec().id }
    }

    /// Every name that parses.
    pub fn names() -> Vec<String> {
        std::iter::once(AUTO).chain(SOLVERS.iter().map(|spec| spec.id)).map(str::to_owned).collect()
    }
}

impl fmt::Display for IKSolver {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id())
    }
}

impl FromStr for IKSolver {
    type Err = KineticError;

    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    fn from_str(name: &str) -> Result<Self> {
        if name == AUTO {
            return Ok(Self::Auto);
        }
        SOLVERS
            .iter()
            .find(|spec| spec.id == name)
            .map(|spec| spec.solver)
            .ok_or_else(|| KineticError::unknown_name("inverse kinematics solver", name, Self::names()))
    }
}
