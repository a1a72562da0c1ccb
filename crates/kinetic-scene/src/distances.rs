//! Least clearance at one configuration: its gradient, and the clearance of each link.

use kinetic_core::Pair;
use nalgebra::Point3;

use crate::checker::{Checker, Clearance};

/// The least clearance with its derivative.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceGradient {
    /// The tightest pair, with its distance and required clearance.
    pub clearance: Clearance,
    /// Derivative of that distance by the joint values of the group, m/rad or m/m. At configurations where two pairs are
    /// equally tight the least clearance has a kink, and this is the derivative for the pair that is named.
    pub gradient: Vec<f64>,
    /// Witness points on the first and on the second body, root frame, m; `None` when nothing can touch.
    pub points: Option<[Point3<f64>; 2]>,
}

/// Least clearance of a link or an attached body.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkClearance {
    /// The link or attached body.
    pub link: String,
    /// Its tightest pair, in which it may be the first or the second body.
    pub clearance: Clearance,
}

impl Clearance {
    /// The clearance where nothing can touch.
    const NONE: Self = Self { distance: f64::INFINITY, margin: 0.0, pair: None };

    /// Distance minus required clearance, m.
    pub fn slack(&self) -> f64 {
        self.distance - self.margin
    }
}

impl Checker {
    /// The least clearance at `q`, with the derivative of its distance and the witness points.
    pub fn distance_gradient(&mut self, q: &[f64]) -> DistanceGradient {
        let mut gradient = vec![0.0; self.dof()];
        let Some((item, slack)) = self.tightest(q) else {
            return DistanceGradient { clearance: Clearance::NONE, gradient, points: None };
        };
        let clearance = self.describe(Some(item), slack);
        let separation = self.tiers.exact.separation(item, f64::INFINITY);
        if let Some(separation) = &separation {
            self.tiers.exact.distance_gradient(item, separation, &mut gradient);
        }
        let points = separation.map(|separation| [separation.point_a, separation.point_b]);
        DistanceGradient { clearance, gradient, points }
    }

    /// The least clearance at `q` of every link with geometry and of every attached body, in this order.
    pub fn link_clearances(&mut self, q: &[f64]) -> Vec<LinkClearance> {
        self.place(q);
        let items = self.tiers.exact.finest_items();
        let mut least = vec![Clearance::NONE; self.tiers.exact.model.bodies.len()];
        for item in items {
            let bodies = self.tiers.exact.bodies_of(item);
            let cutoff = bodies.into_iter().flatten().map(|body| least[body].slack()).fold(f64::NEG_INFINITY, f64::max);
            let margin = self.tiers.exact.margin(item);
            let Some(separation) = self.tiers.exact.separation(item, cutoff + margin) else { continue };
            let (link, other) = self.tiers.exact.names(item);
            let found = Clearance { distance: separation.distance, margin, pair: Some(Pair { link, other }) };
            for body in bodies.into_iter().flatten() {
                if found.slack() < least[body].slack() {
                    least[body] = found.clone();
                }
            }
        }
        let named = |(body, clearance): (usize, Clearance)| LinkClearance {
            link: self.tiers.exact.model.bodies[body].name.clone(),
            clearance,
        };
        least.into_iter().enumerate().map(named).collect()
    }
}
