//! Timed trajectories.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::clearance::Certificate;
use crate::curve::PiecewisePolynomial;
use crate::error::{KineticError, Result, check_finite, check_len};
use crate::joint_values::JointValues;
use crate::trajectory_identity::TrajectoryIdentity;

/// State at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimedWaypoint {
    /// Seconds from the start.
    pub time: f64,
    /// Joint positions, rad or m.
    pub positions: JointValues,
    /// Joint velocities.
    pub velocities: JointValues,
    /// Joint accelerations; at a knot those of the piece that begins there (at the end, of the last piece).
    pub accelerations: JointValues,
}

/// A timed trajectory: a piecewise polynomial in time. Waypoints are a view of it.
///
/// The curve of a trajectory does not change; what makes another curve of it makes another trajectory, without certificate.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "RawTimed")]
pub struct TimedTrajectory {
    #[serde(serialize_with = "shared")]
    curve: Arc<PiecewisePolynomial>,
    waypoint_times: Vec<f64>,
    /// Largest distance between the curve and the path that was timed, Euclidean in joint space.
    pub path_deviation: f64,
    /// Name of the time law that made it; `interpolated` when it was made from samples, `trajopt` when it was refined.
    pub law: String,
    certificate: Option<Certificate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Arc<TrajectoryIdentity>>,
}

impl PartialEq for TimedTrajectory {
    /// Compares the motion and what was proven of it, not the names of what moves.
    fn eq(&self, other: &Self) -> bool {
        // Taken apart, so that a new field cannot be forgotten.
        let Self { curve, waypoint_times, path_deviation, law, certificate, identity: _ } = self;
        (curve, waypoint_times, *path_deviation) == (&other.curve, &other.waypoint_times, other.path_deviation)
            && (law, certificate) == (&other.law, &other.certificate)
    }
}

fn shared<S: Serializer>(curve: &Arc<PiecewisePolynomial>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    curve.as_ref().serialize(serializer)
}

/// The same fields before they were checked. A certificate of another curve is left out.
#[derive(Deserialize)]
struct RawTimed {
    curve: PiecewisePolynomial,
    waypoint_times: Vec<f64>,
    path_deviation: f64,
    law: String,
    certificate: Option<Certificate>,
    #[serde(default)]
    identity: Option<TrajectoryIdentity>,
}

impl TryFrom<RawTimed> for TimedTrajectory {
    type Error = KineticError;

    fn try_from(raw: RawTimed) -> Result<Self> {
        let timed = Self::new(raw.curve, raw.waypoint_times, raw.path_deviation, raw.law)?;
        let timed = timed.with_identity(raw.identity.unwrap_or_default())?;
        let certificate = raw.certificate.filter(|certificate| certificate.is_of(&timed.curve));
        Ok(Self { certificate, ..timed })
    }
}

impl TimedTrajectory {
    /// A trajectory from its curve, the times of the path's waypoints, and how far it is from that path.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the times are not ascending inside the duration, or the deviation is not a
    /// finite number of at least 0.
    pub fn new(
        curve: PiecewisePolynomial,
        waypoint_times: Vec<f64>,
        path_deviation: f64,
        law: impl Into<String>,
    ) -> Result<Self> {
        check_finite("waypoint times", &waypoint_times)?;
        if !(path_deviation >= 0.0 && path_deviation.is_finite()) {
            return Err(KineticError::invalid("path deviation", path_deviation, "a finite number of at least 0"));
        }
        let inside = waypoint_times.iter().all(|time| *time >= 0.0 && *time <= curve.duration());
        if !inside || waypoint_times.is_empty() || waypoint_times.windows(2).any(|pair| pair[1] < pair[0]) {
            let wanted = format!("ascending times in [0, {}]", curve.duration());
            return Err(KineticError::invalid("waypoint times", format!("{waypoint_times:?}"), wanted));
        }
        let curve = Arc::new(curve);
        Ok(Self { curve, waypoint_times, path_deviation, law: law.into(), certificate: None, identity: None })
    }

    /// The same trajectory with what a verifier found about its curve.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a certificate that was made for another curve.
    pub fn with_certificate(mut self, certificate: Certificate) -> Result<Self> {
        if !certificate.is_of(&self.curve) {
            let wanted = format!("that of curve {}", self.curve.content_hash());
            return Err(KineticError::invalid("certificate", format!("that of curve {}", certificate.curve), wanted));
        }
        self.certificate = Some(certificate);
        Ok(self)
    }

    /// What a verifier found about this curve; `None` until it was verified.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// The same trajectory with the names of what it moves, in place of those that it had; an identity that
    /// [says nothing](TrajectoryIdentity::is_unknown) takes them off.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for another number of joint names than joints.
    pub fn with_identity(self, identity: TrajectoryIdentity) -> Result<Self> {
        if !identity.joint_names.is_empty() {
            check_len("joint_names", identity.joint_names.len(), self.dof())?;
        }
        let identity = (!identity.is_unknown()).then(|| Arc::new(identity));
        Ok(self.with_shared_identity(identity))
    }

    /// As [`with_identity`](Self::with_identity), of a motion of as many joints.
    #[must_use]
    pub fn with_shared_identity(self, identity: Option<Arc<TrajectoryIdentity>>) -> Self {
        Self { identity, ..self }
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

    /// The curve.
    pub fn curve(&self) -> &PiecewisePolynomial {
        &self.curve
    }

    /// The curve, to keep.
    pub fn shared_curve(&self) -> Arc<PiecewisePolynomial> {
        Arc::clone(&self.curve)
    }

    /// Duration, s.
    pub fn duration(&self) -> f64 {
        self.curve.duration()
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.curve.dof()
    }

    /// Times of the waypoints, s.
    pub fn waypoint_times(&self) -> &[f64] {
        &self.waypoint_times
    }

    /// State at every waypoint.
    pub fn waypoints(&self) -> Vec<TimedWaypoint> {
        self.waypoint_times.iter().map(|time| self.sample_at(*time)).collect()
    }

    /// State at `t` seconds, clamped to the duration; NaN is the start.
    pub fn sample_at(&self, t: f64) -> TimedWaypoint {
        TimedWaypoint {
            time: if t > 0.0 { t.min(self.duration()) } else { 0.0 },
            positions: self.curve.sample(t, 0).into(),
            velocities: self.curve.sample(t, 1).into(),
            accelerations: self.curve.sample(t, 2).into(),
        }
    }
}
