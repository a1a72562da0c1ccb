//! Every default of planning, in one place. Python and the command line read it.

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};

/// An axis-aligned box in the robot's root frame that the tool must stay in, m.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorkspaceBounds {
    /// Lowest corner.
    pub min: [f64; 3],
    /// Highest corner.
    pub max: [f64; 3],
}

/// Options of a planning call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlannerConfig {
    /// Time budget, s.
    pub timeout: f64,
    /// Iteration budget of the search.
    pub max_iterations: u64,
    /// Distance to keep from the world, m.
    pub collision_margin: f64,
    /// Distance to keep between links of the robot, m.
    pub self_margin: f64,
    /// Attempts of the random shortcut; 0 leaves the path as the search found it, but for its corners.
    pub shortcut_iterations: usize,
    /// Whether the corners of the path are cut.
    pub smooth: bool,
    /// Box that the tool origin must stay in; `None` for no bounds.
    pub workspace_bounds: Option<WorkspaceBounds>,
    /// Seed of everything random in the call.
    pub seed: u64,
}

impl Default for PlannerConfig {
    fn default() -> Self {
        Self {
            timeout: 5.0,
            max_iterations: u64::MAX,
            collision_margin: 0.02,
            self_margin: 0.0,
            shortcut_iterations: 100,
            smooth: true,
            workspace_bounds: None,
            seed: 0,
        }
    }
}

impl PlannerConfig {
    /// For use inside a control cycle: 10 ms, 2,000 iterations, 1 cm margin, 20 shortcuts, no smoothing.
    pub fn realtime() -> Self {
        Self {
            timeout: 0.01,
            max_iterations: 2_000,
            collision_margin: 0.01,
            shortcut_iterations: 20,
            smooth: false,
            ..Self::default()
        }
    }

    /// For preparation: 60 s, 500 shortcuts.
    pub fn offline() -> Self {
        Self { timeout: 60.0, shortcut_iterations: 500, ..Self::default() }
    }

    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        if !(self.timeout > 0.0) {
            return Err(KineticError::invalid("timeout", self.timeout, "a positive number of seconds"));
        }
        if self.max_iterations == 0 {
            return Err(KineticError::invalid("max_iterations", 0, "at least 1"));
        }
        for (name, value) in [("collision_margin", self.collision_margin), ("self_margin", self.self_margin)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(KineticError::invalid(name, value, "a finite number of at least 0 (m)"));
            }
        }
        match &self.workspace_bounds {
            Some(bounds) if (0..3).any(|axis| !(bounds.min[axis] < bounds.max[axis])) => {
                let given = format!("{:?} to {:?}", bounds.min, bounds.max);
                Err(KineticError::invalid("workspace_bounds", given, "min below max on every axis"))
            }
            _ => Ok(()),
        }
    }
}
