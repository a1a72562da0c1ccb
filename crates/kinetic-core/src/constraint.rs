//! Path constraints: conditions that a motion keeps at every instant, as data.
//!
//! All kinds stand in one table, one row each, from which the enum, its records in files and other languages, and the list of
//! kinds are made. What a constraint means for a robot is compiled where motions are planned.

mod check;
mod custom;
mod record;

use nalgebra::{UnitQuaternion, Vector3};

use crate::error::{KineticError, Result};
use crate::pose::Pose;
pub use check::check_constraints;
pub use custom::{CustomConstraint, Residual};
pub use record::ConstraintValue;
use record::constraints;

/// A coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    /// Its name in files and other languages.
    pub fn name(self) -> &'static str {
        ["x", "y", "z"][self.index()]
    }

    /// The axis of that name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names that exist.
    pub fn from_name(name: &str) -> Result<Self> {
        let all = [Self::X, Self::Y, Self::Z];
        all.into_iter()
            .find(|axis| axis.name() == name)
            .ok_or_else(|| KineticError::unknown_name("axis", name, all.map(Self::name)))
    }
}

constraints! {
    /// A condition that a motion keeps at every instant (MoveIt's path constraints). Links by name; points and directions in
    /// the robot's root frame unless another one is named. The position of a link is that of its origin.
    pub enum Constraint;

    /// The z axis of `link` stays within `tolerance` of `axis`.
    "orientation" = Orientation {
        /// Link name.
        link: String,
        /// Direction in the root frame.
        axis: Vector3<f64>,
        /// Largest angle, rad.
        tolerance: f64,
    }
    /// An axis of `link` stays within `tolerance` of `axis`; rotation about it is free.
    "free_axis" = FreeAxis {
        /// Link name.
        link: String,
        /// Direction in the link's frame.
        link_axis: Vector3<f64>,
        /// Direction in the root frame.
        axis: Vector3<f64>,
        /// Largest angle, rad.
        tolerance: f64,
    }
    /// The orientation of `link` stays within `tolerance` of one.
    "fixed_orientation" = FixedOrientation {
        /// Link name.
        link: String,
        /// `root_from_link`.
        rotation: UnitQuaternion<f64>,
        /// Largest angle of the rotation between both, rad.
        tolerance: f64,
    }
    /// One coordinate of the position of `link` stays in an interval.
    "position_bound" = PositionBound {
        /// Link name.
        link: String,
        /// Which coordinate.
        axis: Axis,
        /// Lower bound, m.
        min: f64,
        /// Upper bound, m.
        max: f64,
    }
    /// `link` stays within `tolerance` of a plane.
    "plane" = Plane {
        /// Link name.
        link: String,
        /// A point of the plane, m.
        point: Vector3<f64>,
        /// Normal of the plane.
        normal: Vector3<f64>,
        /// Largest distance, m.
        tolerance: f64,
    }
    /// `link` stays within `tolerance` of a straight line.
    "line" = Line {
        /// Link name.
        link: String,
        /// A point of the line, m.
        point: Vector3<f64>,
        /// Direction of the line.
        direction: Vector3<f64>,
        /// Largest distance, m.
        tolerance: f64,
    }
    /// `link` stays in a box.
    "box" = Box {
        /// Link name.
        link: String,
        /// `root_from_box`, at the centre of the box.
        pose: Pose,
        /// Half the length of the box along each of its axes, m.
        half_extents: Vector3<f64>,
    }
    /// One joint stays in an interval.
    "joint" = Joint {
        /// Index in the planning group.
        joint_index: usize,
        /// Lower bound, rad or m.
        min: f64,
        /// Upper bound, rad or m.
        max: f64,
    }
    /// `target` stays inside the viewing cone of a sensor.
    "visibility" = Visibility {
        /// Link whose z axis is the optical axis.
        sensor_link: String,
        /// Point in the root frame, m.
        target: Vector3<f64>,
        /// Half-angle of the cone, rad.
        cone_angle: f64,
    }
    /// The distance between the positions of two links stays in an interval.
    "distance" = Distance {
        /// Link name.
        link_a: String,
        /// Name of the other link.
        link_b: String,
        /// Lower bound, m.
        min: f64,
        /// Upper bound, m.
        max: f64,
    }
    /// The pose of a link in another stays near one: a closed chain, as of two grippers on one rigid object.
    "relative_pose" = RelativePose {
        /// Link name.
        link_a: String,
        /// Name of the other link.
        link_b: String,
        /// `a_from_b`.
        pose: Pose,
        /// Largest distance, m.
        position_tolerance: f64,
        /// Largest angle, rad.
        orientation_tolerance: f64,
    }
    and
    /// A residual of the user's own stays within a tolerance. It lives in the process: files hold its record without the function.
    "custom" = Custom(CustomConstraint);
}

impl Constraint {
    /// A constraint that a function states: the Euclidean norm of its residual, `dimension` numbers that depend on the
    /// configuration of the planning group, stays within `tolerance`.
    ///
    /// `rates` has one number per joint of the group: how much the residual changes at most (in its norm) while that joint moves
    /// by 1 rad or 1 m, anywhere in the joint ranges; a Lipschitz bound. Motions are proven with it, so that a certificate of
    /// such a constraint is as good as the rates. They are compared with every change of the residual that planning sees.
    /// Jacobians are taken by differences; [`CustomConstraint::new`] takes a [`Residual`] that has its own.
    ///
    /// ```
    /// use kinetic_core::Constraint;
    ///
    /// // The first two joints turn by the same angle.
    /// let coupled = Constraint::custom("coupled", 1, vec![1.0, 1.0], 1e-3, |q, out| {
    ///     out[0] = q[0] - q[1];
    ///     Ok(())
    /// })?;
    /// assert_eq!(coupled.kind(), "custom");
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// As [`CustomConstraint::new`].
    pub fn custom(
        name: impl Into<String>,
        dimension: usize,
        rates: Vec<f64>,
        tolerance: f64,
        residual: impl Fn(&[f64], &mut [f64]) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Self> {
        CustomConstraint::new(name, dimension, rates, tolerance, std::sync::Arc::new(residual)).map(Self::Custom)
    }

    /// The same constraint with `factor` times the tolerance; intervals grow about their middle, angles end at π.
    #[must_use]
    pub fn with_tolerance_scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        let angle = |angle: &mut f64| *angle = (factor * *angle).min(std::f64::consts::PI);
        match &mut scaled {
            Self::Orientation { tolerance, .. }
            | Self::FreeAxis { tolerance, .. }
            | Self::FixedOrientation { tolerance, .. }
            | Self::Visibility { cone_angle: tolerance, .. } => angle(tolerance),
            Self::Plane { tolerance, .. } | Self::Line { tolerance, .. } => *tolerance *= factor,
            Self::PositionBound { min, max, .. } | Self::Joint { min, max, .. } | Self::Distance { min, max, .. } => {
                let (middle, half) = (f64::midpoint(*min, *max), 0.5 * factor * (*max - *min));
                (*min, *max) = (middle - half, middle + half);
            }
            Self::Box { half_extents, .. } => *half_extents *= factor,
            Self::RelativePose { position_tolerance, orientation_tolerance, .. } => {
                *position_tolerance *= factor;
                angle(orientation_tolerance);
            }
            Self::Custom(custom) => custom.scale_tolerance(factor),
        }
        scaled
    }
}
