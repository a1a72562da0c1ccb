//! Quadratic programs: a dual active-set solver for small, dense, strictly convex ones.
//!
//! ```text
//! minimise    ½ xᵀ H x + fᵀ x
//! subject to  lower ≤ x ≤ upper             bounds
//!             row_lower ≤ A x ≤ row_upper   rows, each hard or soft
//! ```
//!
//! The method is that of Arnström, Bemporad & Axehill 2022, "A Dual Active-Set Solver for Embedded Quadratic Programming
//! Using Recursive LDL^T Updates" (IEEE TAC 67(8)): the multipliers of the active rows come from a factorisation that is
//! updated whenever a row enters or leaves. It starts from the active rows of the last solve, so that a control loop whose
//! problem changes little needs one or two iterations. It is meant for up to some 20 variables and 100 rows.
//!
//! `H` must be positive definite, whatever the units of the variables: a pivot of its Cholesky factorisation below 1e-13
//! of the diagonal entry it comes from is refused. A least-squares problem `‖J x − v‖²` with fewer rows than variables needs a
//! regularisation, for example `H = Jᵀ J + ε I`. The answer is accurate to about 1e-16 times the condition number of `H`.

mod cholesky;
mod ldl;
mod problem;
mod scaled_rows;
mod solver;
mod vector;
mod working_set;

pub use problem::{QpRow, QuadraticProgram};
pub use solver::{ActiveSetSolver, QpOptions, QpStatus};
