//! Columns of the mass matrix: bodies in an order in which those that a body carries stand beside each other.

use crate::body::Body;

/// A body in postorder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) body: usize,
    /// The first of those that the body carries.
    pub(crate) begin: usize,
    pub(crate) variable: usize,
    pub(crate) multiplier: f64,
    /// Hangs on a body that does not come next.
    pub(crate) waits: bool,
}

/// The bodies in postorder: each after those that it carries, which stand before it without a gap.
pub(crate) fn postorder(bodies: &[Body]) -> Vec<Column> {
    let mut order = Vec::with_capacity(bodies.len());
    let mut open: Vec<usize> = (0..bodies.len()).rev().filter(|body| bodies[*body].parent == 0).collect();
    // From behind: each before those that it carries.
    while let Some(body) = open.pop() {
        order.push(body);
        open.extend((0..bodies.len()).rev().filter(|child| bodies[*child].parent == body + 1));
    }
    order.reverse();
    let counts = carried(bodies);
    let column = |(position, &body): (usize, &usize)| {
        let Body { variable, multiplier, parent, .. } = bodies[body];
        let waits = parent != 0 && order[position + 1] + 1 != parent;
        Column { body, begin: position + 1 - counts[body], variable, multiplier, waits }
    };
    order.iter().enumerate().map(column).collect()
}

/// How many bodies each carries, with itself.
fn carried(bodies: &[Body]) -> Vec<usize> {
    let mut counts = vec![1; bodies.len()];
    for (index, body) in bodies.iter().enumerate().rev() {
        if let Some(parent) = body.parent.checked_sub(1) {
            counts[parent] += counts[index];
        }
    }
    counts
}
