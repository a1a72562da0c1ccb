//! Solutions of closed-form inverse kinematics, options and diagnostics.

use std::fmt;

use kinetic_core::{JointValues, StopFlag};

use super::branches::CLOSED_RESIDUAL;
use super::solver::{Met, Parameters};

/// How far outside a limit a joint value may be for no other joint to have to move, rad or m: what a solution may be off
/// the target.
pub(super) const UNMOVED_LIMIT_TOLERANCE_RAD_M: f64 = CLOSED_RESIDUAL;

/// Whether an answer is the closed form's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refinement {
    /// As the solver found it.
    None,
    /// A near miss, brought nearer by Levenberg–Marquardt, or by Newton's method from a branch of a pose beside.
    Lm,
}

impl Refinement {
    /// "none" or "lm".
    pub fn id(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lm => "lm",
        }
    }
}

/// One configuration that reaches the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Joint values in the order of the chain, rad.
    pub q: JointValues,
    /// Frobenius norm of the difference between reached and wanted 4 × 4 pose, as far as the arm can meet it: for fewer
    /// than six joints that of the part named by [`Diagnostic::met`].
    pub fk_residual: f64,
    /// Whether it was refined.
    pub refinement_used: Refinement,
}

/// Options of a closed-form solve.
#[derive(Debug, Clone, PartialEq)]
pub struct SolveOptions {
    /// Order by distance from this configuration, closest first, with the turns of 2π that are closest to it.
    pub seed: Option<JointValues>,
    /// At most so many solutions, counted after filtering and ordering.
    pub max_solutions: Option<usize>,
    /// List every solution at all turns of 2π that the limits allow, instead of the one nearest to the seed alone (fewest
    /// turns without a seed); joints without limits stay at that one. Needs [`respect_limits`](Self::respect_limits), and
    /// [`max_solutions`](Self::max_solutions) where there would be more than 10⁵.
    pub turns: bool,
    /// Bring joints into their limits by turns of 2π where that is possible, drop the others.
    pub respect_limits: bool,
    /// Refine near misses. Branches that meet in singularities are found beside the pose and brought back to it by Newton's
    /// method in any case; they are [`Refinement::Lm`], too.
    pub allow_refinement: bool,
    /// Iterations of a refinement.
    pub refinement_max_iters: usize,
    /// Number of values at which the self-motion of a redundant arm is sampled; the class's own number when `None`.
    pub samples: Option<usize>,
    /// Values of what the self-motion is measured by (swivel angle, locked joints) to solve at, instead of a sweep.
    pub at: Option<Parameters>,
    /// For arms that the general class of 6R solves, alone or with joints locked: the joint, as an entry of the
    /// configuration, that its matrix stays linear in (in the cosine and sine of it) and whose half-angle tangents are the
    /// eigenvalues. The second, third or fourth of the six; the one that the arm suits best when `None`. The branches are
    /// the same, but for those that rounding hides.
    pub linearity_joint: Option<usize>,
    /// Ends a sweep early, with [`KineticError::Cancelled`](kinetic_core::KineticError::Cancelled) or, when its time is
    /// over, [`KineticError::IKTimeout`](kinetic_core::KineticError::IKTimeout).
    pub stop: StopFlag,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self {
            seed: None,
            max_solutions: None,
            turns: false,
            respect_limits: true,
            allow_refinement: false,
            refinement_max_iters: 15,
            samples: None,
            at: None,
            linearity_joint: None,
            stop: StopFlag::default(),
        }
    }
}

/// Diagnostic of a solve: it distinguishes "nothing found" from "found, then filtered".
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// Name of the solver.
    pub solver_name: String,
    /// Its tier.
    pub solver_tier: u8,
    /// Why it was chosen.
    pub dispatch_reason: String,
    /// Distinct branches before limits and caps.
    pub raw_candidates: usize,
    /// Branches outside joint limits.
    pub dropped_by_limits: usize,
    /// Solutions beyond `max_solutions`.
    pub dropped_by_max_solutions: usize,
    /// Solutions returned.
    pub final_count: usize,
    /// Largest residual among those returned; NaN for none.
    pub max_fk_residual: f64,
    /// The part of the pose that the arm meets; the residuals are about it.
    pub met: Met,
    /// Largest difference from the whole pose among those returned (Frobenius norm); NaN for none.
    pub max_pose_residual: f64,
    /// Values of the self-motion that were looked at; 1 for arms without.
    pub samples: usize,
    /// Whether one of those returned was refined.
    pub refinement_engaged: bool,
    /// Residual up to which a branch counts as closed without refinement.
    pub fk_atol: f64,
    /// Remarks for the user about the answer.
    pub warnings: Vec<String>,
}

/// Warning of a solve that finds nothing where there may be something.
pub(crate) const UNPROVEN: &str = "nothing was found, which is no proof that there is nothing";

impl Diagnostic {
    /// Whether a solve without solutions proves that there are none.
    pub fn proves_none(&self) -> bool {
        self.final_count == 0 && !self.warnings.iter().any(|warning| warning == UNPROVEN)
    }

    /// One sentence: reached, unreachable (when that is proven), nothing found, all filtered, or capped.
    pub fn summary(&self) -> String {
        let (name, raw, count) = (&self.solver_name, self.raw_candidates, self.final_count);
        if raw == 0 && !self.proves_none() {
            return format!(
                "nothing found: {name} has no branch here that reaches the target, which is no proof that none does"
            );
        }
        if raw == 0 {
            return format!("unreachable: {name} has no branch that reaches the target");
        }
        if count == 0 && self.dropped_by_limits == raw {
            return format!("all filtered: {name} reaches the target in {raw} branches, all outside joint limits");
        }
        let capped = match self.dropped_by_max_solutions {
            0 => String::new(),
            dropped => format!(", capped: {dropped} more were not returned"),
        };
        let limits = match self.dropped_by_limits {
            0 => String::new(),
            dropped => format!(", {dropped} outside joint limits"),
        };
        format!("reached: {count} of {raw} branches of {name}{limits}{capped} (residual {:.1e})", self.max_fk_residual)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.summary())
    }
}
