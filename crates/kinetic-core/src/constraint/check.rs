//! Domains of the values of constraints, and pairs of constraints that contradict each other.

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::Constraint;
use crate::error::{KineticError, Result, check_finite};

impl Constraint {
    /// Refuses values outside their domain: NaN and infinities, tolerances that are not positive, angles above π, directions
    /// without length, intervals whose ends are not in ascending order.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] or [`KineticError::NotFinite`] naming kind and field.
    pub fn check(&self) -> Result<()> {
        self.check_finite()?;
        match self {
            Self::Orientation { axis, tolerance, .. } => {
                self.check_direction("axis", axis)?;
                self.check_angle("tolerance", *tolerance)
            }
            Self::FreeAxis { link_axis, axis, tolerance, .. } => {
                self.check_direction("link_axis", link_axis)?;
                self.check_direction("axis", axis)?;
                self.check_angle("tolerance", *tolerance)
            }
            Self::FixedOrientation { tolerance, .. } => self.check_angle("tolerance", *tolerance),
            Self::PositionBound { min, max, .. } | Self::Joint { min, max, .. } => self.check_interval(*min, *max),
            Self::Plane { normal, tolerance, .. } => {
                self.check_direction("normal", normal)?;
                self.check_distance("tolerance", *tolerance)
            }
            Self::Line { direction, tolerance, .. } => {
                self.check_direction("direction", direction)?;
                self.check_distance("tolerance", *tolerance)
            }
            Self::Box { half_extents, .. } => {
                half_extents.iter().try_for_each(|half| self.check_distance("half_extents", *half))
            }
            Self::Visibility { cone_angle, .. } => self.check_angle("cone_angle", *cone_angle),
            Self::Distance { min, max, link_a, link_b } => {
                self.check_links(link_a, link_b)?;
                if *max <= 0.0 {
                    return Err(self.invalid("max", *max, "a positive number (m)"));
                }
                self.check_interval(*min, *max)
            }
            Self::RelativePose { link_a, link_b, position_tolerance, orientation_tolerance, .. } => {
                self.check_links(link_a, link_b)?;
                self.check_distance("position_tolerance", *position_tolerance)?;
                self.check_angle("orientation_tolerance", *orientation_tolerance)
            }
            Self::Custom(custom) => custom.check(),
        }
    }

    fn check_finite(&self) -> Result<()> {
        use super::ConstraintValue::{Count, Number, Numbers, Text};
        self.fields().into_iter().try_for_each(|(name, value)| {
            let context = || format!("{name} of constraint \"{}\"", self.kind());
            match value {
                Number(number) => check_finite(&context(), &[number]),
                Numbers(numbers) => check_finite(&context(), &numbers),
                Count(_) | Text(_) => Ok(()),
            }
        })
    }

    fn invalid(&self, field: &str, value: impl ToString, wanted: &str) -> KineticError {
        KineticError::invalid(format!("{field} of constraint \"{}\"", self.kind()), value, wanted)
    }

    fn check_direction(&self, field: &str, direction: &Vector3<f64>) -> Result<()> {
        let norm = direction.norm();
        if norm > f64::MIN_POSITIVE && norm.is_finite() {
            return Ok(());
        }
        Err(self.invalid(field, format!("{:?}", direction.as_slice()), "a direction: three numbers that are not all 0"))
    }

    fn check_angle(&self, field: &str, angle: f64) -> Result<()> {
        let is_angle = angle > 0.0 && angle <= PI;
        if is_angle { Ok(()) } else { Err(self.invalid(field, angle, "an angle above 0 and up to pi (rad)")) }
    }

    fn check_distance(&self, field: &str, distance: f64) -> Result<()> {
        if distance > 0.0 { Ok(()) } else { Err(self.invalid(field, distance, "a positive number (m)")) }
    }

    fn check_interval(&self, min: f64, max: f64) -> Result<()> {
        if min < max {
            return Ok(());
        }
        Err(self.invalid("[min, max]", format!("[{min}, {max}]"), "min below max"))
    }

    fn check_links(&self, link_a: &str, link_b: &str) -> Result<()> {
        if link_a != link_b {
            return Ok(());
        }
        Err(self.invalid("link_b", format!("\"{link_b}\""), "another link than link_a"))
    }

    /// Whether no configuration of any robot can meet both: intervals without a common value, cones of one axis without a
    /// common direction.
    pub fn contradicts(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::PositionBound { link, axis, min, max },
                Self::PositionBound { link: link_b, axis: axis_b, min: min_b, max: max_b },
            ) => (link, axis) == (link_b, axis_b) && are_apart((*min, *max), (*min_b, *max_b)),
            (Self::Joint { joint_index, min, max }, Self::Joint { joint_index: index_b, min: min_b, max: max_b }) => {
                joint_index == index_b && are_apart((*min, *max), (*min_b, *max_b))
            }
            _ => self.cone().zip(other.cone()).is_some_and(|(one, other)| {
                let angle = one.axis.angle(other.axis);
                one.link == other.link
                    && one.link_axis.normalize() == other.link_axis.normalize()
                    && angle > one.tolerance + other.tolerance
            }),
        }
    }

    fn cone(&self) -> Option<Cone<'_>> {
        match self {
            Self::Orientation { link, axis, tolerance } => {
                Some(Cone { link, link_axis: Vector3::z(), axis, tolerance: *tolerance })
            }
            Self::FreeAxis { link, link_axis, axis, tolerance } => {
                Some(Cone { link, link_axis: *link_axis, axis, tolerance: *tolerance })
            }
            _ => None,
        }
    }
}

/// An axis of a link and the cone that it stays in.
struct Cone<'a> {
    link: &'a str,
    link_axis: Vector3<f64>,
    axis: &'a Vector3<f64>,
    tolerance: f64,
}

fn are_apart(one: (f64, f64), other: (f64, f64)) -> bool {
    one.1 < other.0 || other.1 < one.0
}

/// Refuses constraints of which one is outside its domain, or of which two contradict each other.
///
/// # Errors
/// As [`Constraint::check`]; [`KineticError::InvalidValue`] naming both of a pair.
pub fn check_constraints(constraints: &[Constraint]) -> Result<()> {
    constraints.iter().try_for_each(Constraint::check)?;
    for (index, constraint) in constraints.iter().enumerate() {
        if let Some(earlier) = constraints[..index].iter().position(|earlier| earlier.contradicts(constraint)) {
            let given = format!("{} and {constraint}", constraints[earlier]);
            let name = format!("constraints[{earlier}] and constraints[{index}]");
            return Err(KineticError::invalid(name, given, "constraints that some configuration can meet"));
        }
    }
    Ok(())
}
