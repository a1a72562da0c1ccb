//! Every default of planning, in one place. Python and the command line read it.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result};
use crate::motion_limits::MotionLimits;

/// An axis-aligned box in the robot's root frame that the tool must stay in, m.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorkspaceBounds {
    /// Lowest corner.
    pub min: [f64; 3],
    /// Highest corner.
    pub max: [f64; 3],
}

/// Weights that joints may have in distances: how much one radian or metre of a joint counts. Beyond them the other joints
/// would no longer count at all in single precision.
pub const JOINT_WEIGHTS: RangeInclusive<f64> = 1e-3..=1e3;

/// What a plan is made small in with the whole budget, instead of ending with the first path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Minimise {
    /// Length of the path in joint space.
    Length,
    /// Duration of the motion under the limits of velocity and acceleration.
    Time,
}

impl Minimise {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Length, Self::Time];

    /// Its name in every language and file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
        }
    }

    /// The one of that name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| KineticError::UnknownName {
            kind: "quantity to minimise".to_owned(),
            name: name.to_owned(),
            available: Self::ALL.map(|known| known.name().to_owned()).to_vec(),
        })
    }
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
    /// How much one radian or metre of each joint counts in distances and lengths, in the length of the group or of the
    /// robot; `None` for the weights of the robot, which are 1 unless its model states others.
    pub joint_weights: Option<Vec<f64>>,
    /// What the whole budget is used to make small, by an anytime planner; `None` ends with the first path, shortened.
    pub minimise: Option<Minimise>,
    /// How fast motions may be.
    pub limits: MotionLimits,
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
            joint_weights: None,
            minimise: None,
            limits: MotionLimits::default(),
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

    /// For preparation: all of 60 s to find quicker and quicker motions, 500 shortcuts.
    pub fn offline() -> Self {
        Self { timeout: 60.0, shortcut_iterations: 500, minimise: Some(Minimise::Time), ..Self::default() }
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
        self.limits.check()?;
        check_joint_weights(self.joint_weights.as_deref().unwrap_or_default())?;
        match &self.workspace_bounds {
            Some(bounds) if (0..3).any(|axis| !(bounds.min[axis] < bounds.max[axis])) => {
                let given = format!("{:?} to {:?}", bounds.min, bounds.max);
                Err(KineticError::invalid("workspace_bounds", given, "min below max on every axis"))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses weights outside [`JOINT_WEIGHTS`].
///
/// # Errors
/// [`KineticError::InvalidValue`] naming the first one by its place.
pub fn check_joint_weights(weights: &[f64]) -> Result<()> {
    match weights.iter().position(|weight| !JOINT_WEIGHTS.contains(weight)) {
        None => Ok(()),
        Some(joint) => {
            let wanted = format!("a number from {:e} to {:e}", JOINT_WEIGHTS.start(), JOINT_WEIGHTS.end());
            Err(KineticError::invalid(format!("joint_weights[{joint}]"), weights[joint], wanted))
        }
    }
}
