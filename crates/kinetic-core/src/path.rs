//! Geometric paths in joint space.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result, check_finite, check_len};
use crate::joint_values::JointValues;
use crate::trajectory_identity::TrajectoryIdentity;

/// One configuration of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Waypoint {
    /// Joint positions, rad or m.
    pub positions: JointValues,
}

/// A path in joint space without time: straight segments between waypoints, stored flat.
///
/// A timed trajectory is another type, [`TimedTrajectory`](crate::TimedTrajectory).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "RawPath")]
pub struct Trajectory {
    dof: usize,
    values: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Arc<TrajectoryIdentity>>,
}

impl PartialEq for Trajectory {
    /// Compares the waypoints, not the names of what moves.
    fn eq(&self, other: &Self) -> bool {
        (self.dof, &self.values) == (other.dof, &other.values)
    }
}

/// The same fields before they were checked.
#[derive(Deserialize)]
struct RawPath {
    dof: usize,
    values: Vec<f64>,
    #[serde(default)]
    identity: Option<TrajectoryIdentity>,
}

impl TryFrom<RawPath> for Trajectory {
    type Error = KineticError;

    fn try_from(raw: RawPath) -> Result<Self> {
        check_finite("path", &raw.values)?;
        if !raw.values.is_empty() && (raw.dof == 0 || !raw.values.len().is_multiple_of(raw.dof)) {
            let expected = format!("a multiple of {}", raw.dof);
            return Err(KineticError::DimensionMismatch {
                context: "path".to_owned(),
                expected,
                got: raw.values.len(),
            });
        }
        Self { dof: raw.dof, values: raw.values, identity: None }.with_identity(raw.identity.unwrap_or_default())
    }
}

impl Trajectory {
    /// An empty path of `dof` joints.
    pub fn with_dof(dof: usize) -> Self {
        Self { dof, values: Vec::new(), identity: None }
    }

    /// A path through waypoints.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] when lengths differ, [`KineticError::NotFinite`] for NaN,
    /// [`KineticError::InvalidValue`] for no waypoints.
    pub fn from_waypoints<Q: AsRef<[f64]>>(waypoints: &[Q]) -> Result<Self> {
        let Some(first) = waypoints.first() else {
            return Err(KineticError::invalid("path", "0 waypoints", "at least one waypoint"));
        };
        let mut path = Self::with_dof(first.as_ref().len());
        for waypoint in waypoints {
            path.push_waypoint(waypoint.as_ref())?;
        }
        Ok(path)
    }

    /// Appends a waypoint.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn push_waypoint(&mut self, positions: &[f64]) -> Result<()> {
        check_len("waypoint", positions.len(), self.dof)?;
        check_finite("waypoint", positions)?;
        self.values.extend_from_slice(positions);
        Ok(())
    }

    /// The same path with the names of what it moves, in place of those that it had; an identity that
    /// [says nothing](TrajectoryIdentity::is_unknown) takes them off.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for another number of joint names than joints.
    pub fn with_identity(mut self, identity: TrajectoryIdentity) -> Result<Self> {
        if !identity.joint_names.is_empty() {
            check_len("joint_names", identity.joint_names.len(), self.dof)?;
        }
        self.identity = (!identity.is_unknown()).then(|| Arc::new(identity));
        Ok(self)
    }

    /// The names of what it moves, to keep; `None` when unknown.
    pub fn identity(&self) -> Option<&Arc<TrajectoryIdentity>> {
        self.identity.as_ref()
    }

    /// Names of the joints; empty when unknown.
    pub fn joint_names(&self) -> &[String] {
        self.identity.as_ref().map_or(&[], |identity| &identity.joint_names)
    }

    /// Planning group, when known.
    pub fn group(&self) -> Option<&str> {
        self.identity.as_ref()?.group.as_deref()
    }

    /// Name of the robot, when known.
    pub fn robot_name(&self) -> Option<&str> {
        self.identity.as_ref()?.robot_name.as_deref()
    }

    /// Joints per waypoint.
    pub fn dof(&self) -> usize {
        self.dof
    }

    /// Number of waypoints.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.dof).unwrap_or(0)
    }

    /// True without waypoints.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Positions of waypoint `index`; panics when out of range, as slices do.
    pub fn positions(&self, index: usize) -> &[f64] {
        &self.values[index * self.dof..(index + 1) * self.dof]
    }

    /// Waypoint `index` as a value.
    pub fn waypoint(&self, index: usize) -> Waypoint {
        Waypoint { positions: self.positions(index).into() }
    }

    /// All waypoints in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + '_ {
        self.values.chunks_exact(self.dof.max(1))
    }

    /// Consecutive pairs of waypoints.
    pub fn segments(&self) -> impl Iterator<Item = (&[f64], &[f64])> + '_ {
        (1..self.len()).map(|index| (self.positions(index - 1), self.positions(index)))
    }

    /// All values, waypoint after waypoint.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// The same path backwards.
    #[must_use]
    pub fn reverse(&self) -> Self {
        let values = self.values.chunks_exact(self.dof.max(1)).rev().flatten().copied().collect();
        Self { dof: self.dof, values, identity: self.identity.clone() }
    }

    /// Appends the waypoints of `other`.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] when the joints differ in number, [`KineticError::InvalidValue`] when the paths are
    /// of other joints, groups or robots.
    pub fn append(&mut self, other: &Self) -> Result<()> {
        check_len("appended path", other.dof, self.dof)?;
        self.identity = TrajectoryIdentity::join(self.identity.as_ref(), other.identity.as_ref())?;
        self.values.extend_from_slice(&other.values);
        Ok(())
    }

    /// Sum of the Euclidean lengths of the segments.
    pub fn path_length(&self) -> f64 {
        self.segments().map(|(a, b)| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()).sum()
    }
}
