//! Public types of a generated file: poses, solutions, errors, forward kinematics.

/// A pose `base_from_tcp` as a 4 × 4 matrix, row by row, lengths in m.
pub type Pose = [[f64; 4]; 4];

/// One configuration that reaches the pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solution {
    /// Joint values in the order of [`JOINT_NAMES`], rad.
    pub q: [f64; DOF],
    /// Frobenius norm of the difference between reached and wanted 4 × 4 pose.
    pub fk_residual: f64,
    /// Whether this was a near miss that Levenberg–Marquardt refined.
    pub is_refined: bool,
}

/// How a solve went: tells "nothing found" from "found, then filtered".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diagnostic {
    /// Distinct branches before limits and caps.
    pub raw_candidates: usize,
    /// Branches outside joint limits.
    pub dropped_by_limits: usize,
    /// Solutions beyond `max_solutions`.
    pub dropped_by_max_solutions: usize,
    /// Solutions returned.
    pub final_count: usize,
    /// Largest residual among those returned; NaN for none.
    pub max_fk_residual: f64,
}

/// Input that no answer can be given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// NaN or infinity.
    NotFinite,
    /// The pose is no rigid transform.
    NotRigid,
    /// Samples or values of a self-motion that the arm does not have, none of them, too many, or values outside the limits.
    SelfMotion,
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::NotFinite => "pose or seed contains NaN or infinity",
            Self::NotRigid => "the pose is no rigid transform: orthonormal rotation, last row 0, 0, 0, 1",
            Self::SelfMotion => "samples or values of a self-motion that the arm does not have, too many, or outside the limits",
        })
    }
}

impl std::error::Error for Error {}

/// Pose of the tool in the base of the chain.
pub fn fk(q: &[f64; DOF]) -> Pose {
    let start = Rigid::identity();
    let moved = SCREWS.iter().fold(start, |pose, screw| pose.then(&screw.exp(q[screw.variable])));
    let reached = moved.then(&HOME);
    let (r, t) = (&reached.rotation.columns, &reached.translation);
    [
        [r[0].x, r[1].x, r[2].x, t.x],
        [r[0].y, r[1].y, r[2].y, t.y],
        [r[0].z, r[1].z, r[2].z, t.z],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

/// The pose with its rotation made orthonormal.
fn checked(pose: &Pose) -> Result<Rigid, Error> {
    if pose.iter().flatten().any(|value| !value.is_finite()) {
        return Err(Error::NotFinite);
    }
    let is_last_row = pose[3].iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(a, b)| (a - b).abs() <= 1e-9);
    let mut out = rigid(pose);
    let off = out.rotation.tr_mul(&out.rotation) - Matrix3::identity();
    let deviation = off.columns.iter().flat_map(|c| [c.x, c.y, c.z]).fold(0.0, |most: f64, value| most.max(value.abs()));
    if !is_last_row || deviation > ORTHONORMAL_TOLERANCE || determinant(&out.rotation) < 0.0 {
        return Err(Error::NotRigid);
    }
    // Newton's iteration for the polar decomposition (Higham 1986): each step squares the deviation.
    for _ in 0..2 {
        let [a, b, c] = &out.rotation.columns;
        let scale = 0.5 / determinant(&out.rotation);
        out.rotation = Matrix3::from_columns(&[
            a * 0.5 + b.cross(c) * scale,
            b * 0.5 + c.cross(a) * scale,
            c * 0.5 + a.cross(b) * scale,
        ]);
    }
    Ok(out)
}

fn determinant(matrix: &Matrix3<f64>) -> f64 {
    matrix.columns[0].cross(&matrix.columns[1]).dot(&matrix.columns[2])
}

/// How far a rotation may be from orthonormal, with entries of five decimals; it is made orthonormal.
const ORTHONORMAL_TOLERANCE: f64 = 2e-5;

#[inline]
fn rigid(pose: &Pose) -> Rigid {
    let column = |at: usize| Vector3::new(pose[0][at], pose[1][at], pose[2][at]);
    Rigid { rotation: Matrix3::from_columns(&[column(0), column(1), column(2)]), translation: column(3) }
}
