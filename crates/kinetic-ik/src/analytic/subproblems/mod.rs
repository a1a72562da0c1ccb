//! The canonical subproblems 1 to 6 of Elias & Wen, "IK-Geo: Unified robot inverse kinematics using subproblem
//! decomposition" (2022), with solutions of our own.
//!
//! `R(k, θ)` is the rotation by θ about the unit vector `k`. A subproblem that has exact solutions returns all of
//! them. One that has none returns, for subproblems 1 to 4, the angles with the least error and says so
//! ([`Answers::is_exact`]), and nothing for subproblems 5 and 6. Degenerate input, which leaves an angle
//! undetermined, returns nothing.

mod circles;
mod linear;
mod sp1;
mod sp2;
mod sp3;
mod sp4;
mod sp5;
mod sp6;

pub(crate) use circles::Circles;
pub(crate) use linear::linear;
pub use sp1::sp1;
pub use sp2::sp2;
pub use sp3::sp3;
pub use sp4::sp4;
pub use sp5::sp5;
pub(crate) use sp5::sp5_equations;
pub use sp6::{Sp6Term, sp6};

use super::array_vec::ArrayVec;
use super::cos_sin::CosSin;

/// Up to `N` solutions of a subproblem with `A` angles.
#[derive(Debug, Clone, Copy)]
pub struct Answers<const A: usize, const N: usize> {
    /// The solutions.
    pub solutions: ArrayVec<[CosSin; A], N>,
    /// False when they only make the error least.
    pub is_exact: bool,
}

impl<const A: usize, const N: usize> Answers<A, N> {
    #[inline]
    pub(crate) fn none() -> Self {
        Self { solutions: ArrayVec::empty([CosSin::ZERO; A]), is_exact: true }
    }
}
