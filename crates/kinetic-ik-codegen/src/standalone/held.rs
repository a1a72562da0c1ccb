//! Joints that are locked in the middle of the chain, of which generated solvers have none.

/// A joint in the middle that is locked makes another arm of every value; such arms have no file of their own.
fn six_again(_: &ProductOfExponentials, _: &TolerancePolicy) -> Option<SixArm> {
    None
}
