//! Pose regions: boxes of poses.

use std::f64::consts::PI;

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result, check_finite};
use crate::pose::Pose;

/// The poses `base_from_centre · (t, exp(r))` with every |tᵢ| and |rᵢ| within its tolerance.
///
/// `t` is a translation along the axes of the centre, `r` a rotation vector about them (axis times angle). A tolerance of
/// π about one axis and 0 about the others leaves the turn about that axis free.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseRegion {
    /// The pose in the middle.
    pub base_from_centre: Pose,
    /// Half the size of the box of positions along the axes of the centre, m; 0 fixes a coordinate.
    pub position_tolerance: [f64; 3],
    /// Largest components of the rotation vector from the centre to the tool, rad, from 0 to π.
    pub orientation_tolerance: [f64; 3],
}

impl PoseRegion {
    /// A region; its numbers are checked.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn new(
        base_from_centre: impl Into<Pose>,
        position_tolerance: [f64; 3],
        orientation_tolerance: [f64; 3],
    ) -> Result<Self> {
        let region = Self { base_from_centre: base_from_centre.into(), position_tolerance, orientation_tolerance };
        region.check()?;
        Ok(region)
    }

    /// Refuses regions outside the domain.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], or [`KineticError::InvalidValue`] naming the tolerance.
    pub fn check(&self) -> Result<()> {
        self.base_from_centre.check_finite("centre of the region")?;
        check_finite("position_tolerance", &self.position_tolerance)?;
        check_finite("orientation_tolerance", &self.orientation_tolerance)?;
        let within = |values: &[f64; 3], most: f64| values.iter().all(|value| (0.0..=most).contains(value));
        if !within(&self.position_tolerance, f64::MAX) {
            let given = format!("{:?}", self.position_tolerance);
            return Err(KineticError::invalid("position_tolerance", given, "numbers of at least 0 (m)"));
        }
        if !within(&self.orientation_tolerance, PI) {
            let given = format!("{:?}", self.orientation_tolerance);
            return Err(KineticError::invalid("orientation_tolerance", given, "numbers from 0 to pi (rad)"));
        }
        Ok(())
    }

    /// The pose at the given place of the box, six numbers in [0, 1]: position first; 0.5 is the centre.
    #[must_use]
    pub fn at(&self, place: [f64; 6]) -> Pose {
        let offset = |index: usize, tolerance: f64| tolerance * (2.0 * place[index] - 1.0);
        let [x, y, z] = [0, 1, 2].map(|axis| offset(axis, self.position_tolerance[axis]));
        let [a, b, c] = [0, 1, 2].map(|axis| offset(axis + 3, self.orientation_tolerance[axis]));
        let mut moved = Pose::from_xyz(x, y, z);
        moved.0.rotation = UnitQuaternion::from_scaled_axis(Vector3::new(a, b, c));
        self.base_from_centre * moved
    }

    /// Whether a pose lies in the region, or outside by no more than `tolerance` (m and rad, per component).
    #[must_use]
    pub fn contains(&self, base_from_tool: &Pose, tolerance: f64) -> bool {
        let moved = self.base_from_centre.inverse() * *base_from_tool;
        let within = |values: Vector3<f64>, most: &[f64; 3]| {
            values.iter().zip(most).all(|(value, most)| value.abs() <= most + tolerance)
        };
        within(moved.translation(), &self.position_tolerance)
            && within(moved.rotation().scaled_axis(), &self.orientation_tolerance)
    }
}
