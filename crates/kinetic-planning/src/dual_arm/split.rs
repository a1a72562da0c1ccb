//! The motion of some joints of a trajectory.

use std::ops::Range;

use kinetic_core::{PiecewisePolynomial, Result, TimedTrajectory, TrajectoryIdentity};

/// The same motion of a range of joints, without a certificate: a proof of the whole says nothing of a part that is moved
/// without the rest.
pub(super) fn of_joints(whole: &TimedTrajectory, joints: Range<usize>, group: &str) -> Result<TimedTrajectory> {
    let curve = whole.curve();
    let rows = curve.all_coefficients().chunks(curve.dof().max(1)).flat_map(|piece| &piece[joints.clone()]);
    let part = PiecewisePolynomial::new(joints.len(), curve.knots().to_vec(), rows.copied().collect())?;
    let times = whole.waypoint_times().to_vec();
    let part = TimedTrajectory::new(part, times, whole.path_deviation, whole.law.clone())?;
    part.with_identity(TrajectoryIdentity {
        joint_names: whole.joint_names().get(joints).map(<[String]>::to_vec).unwrap_or_default(),
        group: Some(group.to_owned()),
        robot_name: whole.robot_name().map(str::to_owned),
    })
}
