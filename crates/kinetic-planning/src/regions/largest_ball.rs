//! The largest ball inside polytopes.

use super::polytope::Polytope;
use crate::convex::Program;

/// The radius that is asked for at most, a distance of the joint space: larger balls say no more.
const LARGEST_RADIUS: f64 = 1.0;

/// Centre and radius of the largest ball inside all of some polytopes, up to a radius (Boyd and Vandenberghe 2004, section 8.5.1);
/// `None` where they have nothing in common.
pub(super) fn largest_ball<'a>(
    polytopes: impl IntoIterator<Item = &'a Polytope>,
    dof: usize,
) -> Option<(Vec<f64>, f64)> {
    let mut program = Program::new(dof + 1);
    program.minimise(dof, -1.0);
    for (normal, offset) in polytopes.into_iter().flat_map(Polytope::faces) {
        let terms = normal.iter().copied().enumerate().chain([(dof, 1.0)]);
        program.at_most(terms, offset);
    }
    program.at_most([(dof, 1.0)].into_iter(), LARGEST_RADIUS);
    let mut values = program.solve()?;
    let radius = values.pop()?;
    (radius > 0.0).then_some((values, radius))
}
