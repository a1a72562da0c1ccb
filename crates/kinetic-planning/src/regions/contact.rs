//! Configurations on the boundary of obstacles, before which planes are laid.

use crate::validity::Validity;

/// Halvings of the way: to a thousandth of it.
const CONTACT_BISECTIONS: usize = 10;

/// The configuration nearest to a valid one, on the way from one that collides to it, that is known to collide.
pub(crate) fn contact(valid: &[f64], colliding: &[f64], validity: &mut dyn Validity) -> Vec<f64> {
    let (mut free, mut blocked) = (0.0, 1.0);
    for _ in 0..CONTACT_BISECTIONS {
        let middle = 0.5 * (free + blocked);
        if validity.is_valid(&between(valid, colliding, middle)) { free = middle } else { blocked = middle }
    }
    between(valid, colliding, blocked)
}

/// The configuration at a part of the straight way from one to another.
pub(crate) fn between(from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + t * (to - from)).collect()
}
