//! What the neighbourhood of obstacles costs a trajectory.

/// The obstacle cost of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObstacleCost {
    /// The cost.
    pub(crate) cost: f64,
    /// The least slack of a configuration that was looked at, m.
    pub(crate) least_slack: f64,
    /// The configuration that has it.
    pub(crate) worst: Vec<f64>,
}

impl ObstacleCost {
    /// That of a trajectory of which nothing was looked at.
    pub(crate) fn none() -> Self {
        Self { cost: 0.0, least_slack: f64::INFINITY, worst: Vec::new() }
    }

    /// Keeps a configuration where it has the least slack so far.
    pub(crate) fn look_at(&mut self, q: &[f64], slack: f64) {
        if slack < self.least_slack || self.worst.is_empty() {
            self.least_slack = slack;
            self.worst.clear();
            self.worst.extend_from_slice(q);
        }
    }
}

/// What a slack costs, and the derivative: linear where it is missing, quadratic up to the clearance, 0 beyond (Zucker et al. 2013,
/// equation 21).
pub(crate) fn hinge(slack: f64, clearance: f64) -> (f64, f64) {
    if slack < 0.0 {
        return (0.5 * clearance - slack, -1.0);
    }
    let left = (clearance - slack).max(0.0);
    (0.5 * left * left / clearance, -left / clearance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hinge_has_no_steps_and_its_slope_is_its_derivative() {
        for step in -20..=20 {
            let slack = f64::from(step) * 0.01 + 0.003;
            let (_, slope) = hinge(slack, 0.1);
            let difference = (hinge(slack + 1e-6, 0.1).0 - hinge(slack - 1e-6, 0.1).0) / 2e-6;
            assert!((slope - difference).abs() < 1e-4, "{slack}: {slope} {difference}");
        }
        assert_eq!(hinge(0.1, 0.1), (0.0, 0.0));
    }
}
