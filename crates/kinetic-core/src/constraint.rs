//! Path constraints as data.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// First coordinate.
    X,
    /// Second coordinate.
    Y,
    /// Third coordinate.
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        match self {
            Self::X => 0,
            Self::Y => 1,
            Self::Z => 2,
        }
    }
}

/// A condition that a motion must hold everywhere. Planners that honour them say so; data only here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// The z axis of `link` stays within `tolerance` (rad) of `axis` (root frame).
    Orientation {
        /// Link name.
        link: String,
        /// Direction in the root frame.
        axis: Vector3<f64>,
        /// Largest angle, rad.
        tolerance: f64,
    },
    /// One coordinate of the origin of `link` in the root frame stays in an interval.
    PositionBound {
        /// Link name.
        link: String,
        /// Which coordinate.
        axis: Axis,
        /// Lower bound, m.
        min: f64,
        /// Upper bound, m.
        max: f64,
    },
    /// One joint stays in an interval.
    Joint {
        /// Index in the planning group.
        joint_index: usize,
        /// Lower bound, rad or m.
        min: f64,
        /// Upper bound, rad or m.
        max: f64,
    },
    /// `target` stays inside the viewing cone of a sensor.
    Visibility {
        /// Link whose z axis is the optical axis.
        sensor_link: String,
        /// Point in the root frame, m.
        target: Vector3<f64>,
        /// Half-angle of the cone, rad.
        cone_angle: f64,
    },
}
