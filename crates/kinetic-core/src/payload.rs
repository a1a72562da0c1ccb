//! Payloads: rigid bodies that a robot carries.

use std::fmt;

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

use crate::error::{KineticError, Result, check_finite};
use crate::pose::Pose;
use crate::toml_text::quoted;

/// Rounding of a tensor's entries in relation to its largest.
const TENSOR_ROUNDING: f64 = 1e-9;

/// A rigid body that is fixed to a link: mass, centre of mass and tensor in the frame that it is mounted at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "PayloadEntry", try_from = "PayloadEntry")]
pub struct Payload {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub com: Vector3<f64>,
    /// Tensor about the centre of mass, kg m².
    pub inertia: Matrix3<f64>,
}

impl Payload {
    /// A point mass at `com`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn point(mass: f64, com: Vector3<f64>) -> Result<Self> {
        Self::new(mass, com, Matrix3::zeros())
    }

    /// A body with a mass, a centre of mass and a tensor about it.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`]; [`KineticError::InvalidValue`] for a mass that is not positive, or a tensor that no body
    /// has: not symmetric, or with a principal moment that is negative or larger than the sum of the others.
    pub fn new(mass: f64, com: Vector3<f64>, inertia: Matrix3<f64>) -> Result<Self> {
        check_finite("mass of the payload", &[mass])?;
        check_finite("centre of mass of the payload", com.as_slice())?;
        check_finite("inertia of the payload", inertia.as_slice())?;
        if !(mass > 0.0) {
            return Err(KineticError::invalid("mass of the payload, kg", mass, "a positive number"));
        }
        let rounding = TENSOR_ROUNDING * inertia.amax();
        if (inertia - inertia.transpose()).amax() > rounding {
            return Err(KineticError::invalid("inertia of the payload", inertia, "a symmetric matrix"));
        }
        let moments = inertia.symmetric_eigenvalues();
        if moments.min() < -rounding || moments.max() > 0.5 * moments.sum() + rounding {
            let wanted = "principal moments of at least 0, none larger than the sum of the others";
            let given = format!("{:?}", moments.as_slice());
            return Err(KineticError::invalid("inertia of the payload, kg m²", given, wanted));
        }
        Ok(Self { mass, com, inertia })
    }
}

/// A payload and where it is mounted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "PayloadEntry", try_from = "PayloadEntry")]
pub struct MountedPayload {
    /// The body.
    pub payload: Payload,
    /// Link that it is fixed to; `None` for the tip of the planning group.
    pub link: Option<String>,
    /// Pose of its frame in the link; `None` for the tool where there is no link, else for the link's own frame.
    pub link_from_mount: Option<Pose>,
}

impl From<Payload> for MountedPayload {
    /// Mounted at the tool.
    fn from(payload: Payload) -> Self {
        Self { payload, link: None, link_from_mount: None }
    }
}

/// A payload as texts have it, not checked. Displayed as an inline table of TOML.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayloadEntry {
    mass: f64,
    #[serde(default)]
    com: [f64; 3],
    /// By rows.
    #[serde(default)]
    inertia: [[f64; 3]; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// x, y, z, then the quaternion x, y, z, w.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pose: Option<[f64; 7]>,
}

impl fmt::Display for PayloadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{ mass = {:?}, com = {:?}, inertia = {:?}", self.mass, self.com, self.inertia)?;
        if let Some(link) = &self.link {
            write!(f, ", link = {}", quoted(link))?;
        }
        if let Some(pose) = &self.pose {
            write!(f, ", pose = {pose:?}")?;
        }
        f.write_str(" }")
    }
}

impl From<Payload> for PayloadEntry {
    fn from(payload: Payload) -> Self {
        MountedPayload::from(payload).into()
    }
}

impl From<MountedPayload> for PayloadEntry {
    fn from(MountedPayload { payload, link, link_from_mount }: MountedPayload) -> Self {
        let numbers = |pose: Pose| {
            let (t, q) = (pose.translation.vector, pose.rotation.coords);
            [t.x, t.y, t.z, q.x, q.y, q.z, q.w]
        };
        let inertia = payload.inertia.transpose().into();
        Self { mass: payload.mass, com: payload.com.into(), inertia, link, pose: link_from_mount.map(numbers) }
    }
}

impl TryFrom<PayloadEntry> for Payload {
    type Error = KineticError;

    fn try_from(entry: PayloadEntry) -> Result<Self> {
        let mounted = MountedPayload::try_from(entry)?;
        if mounted.link.is_some() || mounted.link_from_mount.is_some() {
            return Err(KineticError::invalid("payload", "with a link or pose", "mass, com and inertia alone"));
        }
        Ok(mounted.payload)
    }
}

impl TryFrom<PayloadEntry> for MountedPayload {
    type Error = KineticError;

    fn try_from(PayloadEntry { mass, com, inertia, link, pose }: PayloadEntry) -> Result<Self> {
        let payload = Payload::new(mass, com.into(), Matrix3::from(inertia).transpose())?;
        let pose = pose.map(|[x, y, z, qx, qy, qz, qw]| Pose::from_xyz_quat(x, y, z, qx, qy, qz, qw)).transpose()?;
        Ok(Self { payload, link, link_from_mount: pose })
    }
}
