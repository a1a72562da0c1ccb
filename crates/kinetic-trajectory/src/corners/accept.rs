//! Acceptance test of curves: who rounds corners asks it of every candidate.

use kinetic_core::PiecewisePolynomial;

/// Whether a curve in joint space, in a parameter of its own, may be used.
pub(crate) type Accept<'a> = dyn FnMut(&PiecewisePolynomial) -> bool + 'a;
