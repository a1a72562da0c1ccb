//! Content of a trajectory file, independent of its format.

use kinetic_core::curve::Coefficients;
use kinetic_core::error::check_len;
use kinetic_core::{
    Certificate, KineticError, PiecewisePolynomial, Result, TimedTrajectory, TimedWaypoint, Trajectory,
    TrajectoryIdentity,
};
use serde::{Deserialize, Serialize};

use crate::samples::{INTERPOLATED, Samples, interpolate};

/// Version of both formats.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// Waypoints of a file may differ from its curve by this much, rad or m: a hand that edited them is told that the
/// curve decides; rounding of another program's output is not.
const WAYPOINT_TOLERANCE_RAD_M: f64 = 1e-6;

/// The curve of a file was changed after it was certified, or an earlier release wrote it.
const FOREIGN_CERTIFICATE: &str = "the certificate is left out: it was made for another curve than the one in the file; \
                                   Planner::certify proves this one";

/// An earlier release says less about the motion, or a hand changed it.
const OTHER_CERTIFICATE: &str = "the certificate is left out: it does not say what a certificate of this release says; \
                                 Planner::certify proves the curve";

/// An earlier release did not say which masses, payloads and limits its bound on torques is about.
const UNBOUND_TORQUES: &str = "the certificate's bound on torques is left out: it does not say for which dynamics it was proven; \
                               Planner::certify proves one";

/// A trajectory read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The trajectory; its law is `interpolated` when the file held waypoints alone.
    pub trajectory: TimedTrajectory,
    /// Joint names, empty when the file has none.
    pub joint_names: Vec<String>,
    /// What the file holds and was not taken over, one sentence each: a certificate of another curve or release.
    pub notes: Vec<String>,
}

/// A path without time read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct PathDocument {
    /// The path.
    pub path: Trajectory,
    /// Joint names, empty when the file has none.
    pub joint_names: Vec<String>,
}

/// One row of `waypoints`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<f64>,
    pub(super) positions: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) velocities: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) accelerations: Option<Vec<f64>>,
}

impl From<TimedWaypoint> for RowDocument {
    fn from(waypoint: TimedWaypoint) -> Self {
        Self {
            time: Some(waypoint.time),
            positions: waypoint.positions.0,
            velocities: Some(waypoint.velocities.0),
            accelerations: Some(waypoint.accelerations.0),
        }
    }
}

/// The curve: knots, and coefficients per piece and joint.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PiecesDocument {
    pub(super) knots: Vec<f64>,
    pub(super) coefficients: Vec<Vec<Coefficients>>,
}

/// A certificate as a file has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum StoredCertificate {
    Certificate(Box<Certificate>),
    Other(serde_json::Map<String, serde_json::Value>),
}

/// The fields of a file before they were checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Fields {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) schema: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dof: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) joint_names: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) robot_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_waypoints: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) law: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_deviation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) certificate: Option<StoredCertificate>,
    pub(super) waypoints: Vec<RowDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pieces: Option<PiecesDocument>,
}

impl Fields {
    /// All fields of a trajectory.
    pub(super) fn of_trajectory(trajectory: &TimedTrajectory, joint_names: &[String]) -> Result<Self> {
        let curve = trajectory.curve();
        let coefficients = curve.all_coefficients().chunks(curve.dof()).map(<[Coefficients]>::to_vec).collect();
        let waypoints: Vec<RowDocument> = trajectory.waypoints().into_iter().map(RowDocument::from).collect();
        Ok(Self {
            schema: Some(SCHEMA_VERSION),
            dof: Some(trajectory.dof()),
            joint_names: names(joint_names, trajectory.joint_names(), trajectory.dof())?,
            group: trajectory.group().map(str::to_owned),
            robot_name: trajectory.robot_name().map(str::to_owned),
            duration: Some(trajectory.duration()),
            num_waypoints: Some(waypoints.len()),
            law: Some(trajectory.law.clone()),
            path_deviation: Some(trajectory.path_deviation),
            certificate: trajectory.certificate().cloned().map(Box::new).map(StoredCertificate::Certificate),
            waypoints,
            pieces: Some(PiecesDocument { knots: curve.knots().to_vec(), coefficients }),
        })
    }

    /// The fields of a path.
    pub(super) fn of_path(path: &Trajectory, joint_names: &[String]) -> Result<Self> {
        let row = |positions: &[f64]| RowDocument {
            time: None,
            positions: positions.to_vec(),
            velocities: None,
            accelerations: None,
        };
        Ok(Self {
            schema: Some(SCHEMA_VERSION),
            dof: Some(path.dof()),
            joint_names: names(joint_names, path.joint_names(), path.dof())?,
            group: path.group().map(str::to_owned),
            robot_name: path.robot_name().map(str::to_owned),
            num_waypoints: Some(path.len()),
            waypoints: path.iter().map(row).collect(),
            ..Self::default()
        })
    }

    /// The trajectory that the fields describe.
    pub(super) fn into_document(mut self) -> Result<Document> {
        self.check_counts()?;
        let certificate = self.certificate.take();
        let mut trajectory = match self.pieces.take() {
            Some(pieces) => self.curve_of(pieces)?,
            None => self.interpolated()?,
        };
        if let Some(duration) = self.duration
            && !((duration - trajectory.duration()).abs() <= WAYPOINT_TOLERANCE_RAD_M)
        {
            let wanted = format!("{}, the end of the curve", trajectory.duration());
            return Err(KineticError::invalid("duration", duration, wanted));
        }
        let mut notes = Vec::new();
        match certificate {
            Some(StoredCertificate::Certificate(mut certificate)) if certificate.is_of(trajectory.curve()) => {
                if certificate.max_torque_ratio.is_some() && certificate.dynamics.is_none() {
                    certificate.max_torque_ratio = None;
                    notes.push(UNBOUND_TORQUES.to_owned());
                }
                trajectory = trajectory.with_certificate(*certificate)?;
            }
            Some(StoredCertificate::Certificate(_)) => notes.push(FOREIGN_CERTIFICATE.to_owned()),
            Some(StoredCertificate::Other(_)) => notes.push(OTHER_CERTIFICATE.to_owned()),
            None => {}
        }
        let identity = self.into_identity();
        let joint_names = identity.joint_names.clone();
        Ok(Document { trajectory: trajectory.with_identity(identity)?, joint_names, notes })
    }

    /// The path through the waypoints.
    pub(super) fn into_path(self) -> Result<PathDocument> {
        self.check_counts()?;
        let positions: Vec<&[f64]> = self.waypoints.iter().map(|row| row.positions.as_slice()).collect();
        let path = match (positions.is_empty(), self.dof) {
            (true, Some(dof)) => Trajectory::with_dof(dof),
            _ => Trajectory::from_waypoints(&positions)?,
        };
        let identity = self.into_identity();
        let joint_names = identity.joint_names.clone();
        Ok(PathDocument { path: path.with_identity(identity)?, joint_names })
    }

    /// What the file says of what moves.
    fn into_identity(self) -> TrajectoryIdentity {
        let joint_names = self.joint_names.unwrap_or_default();
        TrajectoryIdentity { joint_names, group: self.group, robot_name: self.robot_name }
    }

    /// Counts that are given agree with what is there.
    fn check_counts(&self) -> Result<()> {
        if let Some(schema) = self.schema
            && schema != SCHEMA_VERSION
        {
            return Err(KineticError::invalid("schema", schema, format!("{SCHEMA_VERSION}")));
        }
        check_len("waypoints", self.waypoints.len(), self.num_waypoints.unwrap_or(self.waypoints.len()))?;
        let first = self.waypoints.first().map(|row| row.positions.len());
        let Some(dof) = self.dof.or(first) else { return Ok(()) };
        if let Some(names) = &self.joint_names {
            check_len("joint_names", names.len(), dof)?;
        }
        for (index, row) in self.waypoints.iter().enumerate() {
            check_len(&format!("positions of waypoint {index}"), row.positions.len(), dof)?;
        }
        Ok(())
    }

    fn times(&self) -> Result<Vec<f64>> {
        let time = |(index, row): (usize, &RowDocument)| {
            row.time.ok_or_else(|| {
                KineticError::invalid(format!("time of waypoint {index}"), "missing", "seconds; without: read a path")
            })
        };
        self.waypoints.iter().enumerate().map(time).collect()
    }

    /// The trajectory of the given polynomials, with the waypoints as its view.
    fn curve_of(&self, pieces: PiecesDocument) -> Result<TimedTrajectory> {
        let dof = self.dof.or(pieces.coefficients.first().map(Vec::len)).unwrap_or(0);
        for (index, rows) in pieces.coefficients.iter().enumerate() {
            check_len(&format!("coefficients of piece {index}"), rows.len(), dof)?;
        }
        let curve = PiecewisePolynomial::new(dof, pieces.knots, pieces.coefficients.concat())?;
        let times = if self.waypoints.is_empty() { curve.knots().to_vec() } else { self.times()? };
        let law = self.law.clone().unwrap_or_else(|| "unknown".to_owned());
        let trajectory = TimedTrajectory::new(curve, times, self.path_deviation.unwrap_or(0.0), law)?;
        for (index, row) in self.waypoints.iter().enumerate() {
            let on_curve = trajectory.curve().sample(trajectory.waypoint_times()[index], 0);
            check_len(&format!("positions of waypoint {index}"), row.positions.len(), on_curve.len())?;
            for (joint, (given, wanted)) in row.positions.iter().zip(&on_curve).enumerate() {
                if !((given - wanted).abs() <= WAYPOINT_TOLERANCE_RAD_M) {
                    let name = format!("position of joint {joint} of waypoint {index}");
                    let wanted = format!("{wanted}, as in `pieces` (which decide; without them waypoints are read)");
                    return Err(KineticError::invalid(name, given, wanted));
                }
            }
        }
        Ok(trajectory)
    }

    /// The interpolation of the waypoints.
    fn interpolated(&self) -> Result<TimedTrajectory> {
        if let Some(law) = self.law.as_ref().filter(|law| *law != INTERPOLATED) {
            let wanted = format!("`pieces` with the curve of that law, or law \"{INTERPOLATED}\"");
            return Err(KineticError::invalid("law", law, wanted));
        }
        let times = self.times()?;
        let positions: Vec<&[f64]> = self.waypoints.iter().map(|row| row.positions.as_slice()).collect();
        let velocities = column("velocities", &self.waypoints, |row| row.velocities.as_deref())?;
        let accelerations = column("accelerations", &self.waypoints, |row| row.accelerations.as_deref())?;
        interpolate(&Samples {
            times: &times,
            positions: &positions,
            velocities: velocities.as_deref(),
            accelerations: accelerations.as_deref(),
        })
    }
}

/// A column that all rows have, or none.
fn column<'a>(
    name: &str,
    rows: &'a [RowDocument],
    get: impl Fn(&'a RowDocument) -> Option<&'a [f64]>,
) -> Result<Option<Vec<&'a [f64]>>> {
    let given: Vec<&[f64]> = rows.iter().filter_map(get).collect();
    if given.is_empty() {
        return Ok(None);
    }
    check_len(&format!("{name} over all waypoints"), given.len(), rows.len())?;
    Ok(Some(given))
}

/// Names for a file: those given, else those that the motion has; none, or one per joint.
fn names(given: &[String], own: &[String], dof: usize) -> Result<Option<Vec<String>>> {
    if given.is_empty() {
        return Ok((!own.is_empty()).then(|| own.to_vec()));
    }
    check_len("joint_names", given.len(), dof)?;
    if !own.is_empty() && given != own {
        return Err(KineticError::invalid("joint_names", given.join(", "), format!("{}, or none", own.join(", "))));
    }
    Ok(Some(given.to_vec()))
}
