//! Options of Cartesian planning.

use kinetic_core::{KineticError, PlannerConfig, Result};
use kinetic_ik::PathTolerance;
use kinetic_trajectory::{TimeLawSpec, totp};

/// Least tolerances: above the error of inverse kinematics, and few enough samples to prove them.
const LEAST_POSITION_TOLERANCE_M: f64 = 1e-7;
const LEAST_ORIENTATION_TOLERANCE_RAD: f64 = 1e-6;

/// What a Cartesian plan keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct CartesianConfig {
    /// Largest distance of the samples of the path, m; a rotation of 1 rad counts as 0.1 m. Samples are taken closer together
    /// where the tolerances ask for it.
    pub max_step: f64,
    /// Largest step of a turning joint between samples [`max_step`](Self::max_step) apart, rad, and less where they are closer; a
    /// sliding joint may move a tenth of it, m.
    pub jump_threshold: f64,
    /// Whether margins are kept. Without, there is no certificate.
    pub avoid_collisions: bool,
    /// Distance to keep from the world, m, instead of the planner's.
    pub collision_margin: f64,
    /// Largest distance of the tool from the path at every instant, m; at least 1e-7.
    pub position_tolerance: f64,
    /// Largest angle between the tool and the path at every instant, rad; at least 1e-6.
    pub orientation_tolerance: f64,
    /// What every pose of the path leaves free, as for welding and gluing: a turn about an axis of the tool, a cone, a box. The
    /// motion uses it, and `position_tolerance` and `orientation_tolerance` are how far the tool may be outside of it. It begins at
    /// the pose of the start, and ends at any pose that the last one leaves free.
    pub path_tolerance: Option<PathTolerance>,
    /// Largest speed of the tool at every instant, m/s.
    pub max_tool_speed: Option<f64>,
    /// Largest angular speed of the tool at every instant, rad/s.
    pub max_tool_rotation_speed: Option<f64>,
    /// Speed that the tool holds, m/s, but for the ends, stops, and where the joints cannot
    /// ([`CartesianResult::speed_losses`](super::CartesianResult::speed_losses)).
    pub constant_speed: Option<f64>,
}

impl Default for CartesianConfig {
    fn default() -> Self {
        Self {
            max_step: 0.005,
            jump_threshold: 1.4,
            avoid_collisions: true,
            collision_margin: 0.02,
            position_tolerance: 1e-4,
            orientation_tolerance: 1e-3,
            path_tolerance: None,
            max_tool_speed: None,
            max_tool_rotation_speed: None,
            constant_speed: None,
        }
    }
}

impl CartesianConfig {
    /// The defaults with the margin of a planner.
    pub fn of(planner: &PlannerConfig) -> Self {
        Self { collision_margin: planner.collision_margin, ..Self::default() }
    }

    /// # Errors
    /// [`KineticError::InvalidValue`] naming the field.
    pub fn check(&self) -> Result<()> {
        let positive = [
            ("max_step", Some(self.max_step)),
            ("jump_threshold", Some(self.jump_threshold)),
            ("max_tool_speed", self.max_tool_speed),
            ("max_tool_rotation_speed", self.max_tool_rotation_speed),
            ("constant_speed", self.constant_speed),
        ];
        for (name, value) in positive {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
                return Err(KineticError::invalid(name, value, "a positive finite number"));
            }
        }
        let tolerances = [
            ("position_tolerance", self.position_tolerance, LEAST_POSITION_TOLERANCE_M),
            ("orientation_tolerance", self.orientation_tolerance, LEAST_ORIENTATION_TOLERANCE_RAD),
        ];
        for (name, value, least) in tolerances {
            if !(value >= least && value.is_finite()) {
                return Err(KineticError::invalid(name, value, format!("a finite number of at least {least:e}")));
            }
        }
        if !(self.collision_margin >= 0.0 && self.collision_margin.is_finite()) {
            let wanted = "a finite number of at least 0 (m)";
            return Err(KineticError::invalid("collision_margin", self.collision_margin, wanted));
        }
        self.path_tolerance.as_ref().map_or(Ok(()), PathTolerance::check)
    }

    /// As [`check`](Self::check), and for the law that motions are timed by.
    ///
    /// # Errors
    /// As [`check`](Self::check), and for a constant speed with another law than "totp".
    pub(crate) fn check_with(&self, law: Option<&TimeLawSpec>) -> Result<()> {
        self.check()?;
        match self.constant_speed.filter(|_| law.is_none_or(|law| law.id != totp::ID)) {
            Some(speed) => Err(KineticError::invalid("constant_speed", speed, "none, but with the time law \"totp\"")),
            None => Ok(()),
        }
    }

    /// The least of the limits on the tool's speed.
    pub(crate) fn speed_limit(&self) -> Option<f64> {
        [self.max_tool_speed, self.constant_speed].into_iter().flatten().reduce(f64::min)
    }
}
