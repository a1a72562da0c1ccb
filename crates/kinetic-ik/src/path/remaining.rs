//! What is left of a Cartesian path whose tool has stopped on its way.

use kinetic_core::{KineticError, Pose, Result};
use nalgebra::UnitQuaternion;

use super::cartesian_path::{CartesianMove, CartesianPath, grow};
use super::tool_path::{Growing, SAME_POSE_M, ToolPath};

/// An arc of which less than this part of its length is left is a line to its end: its three points are nearly on one.
const LEAST_ARC_RATIO: f64 = 1e-4;

/// The rest of a circle by at most this is an arc to the pose at its end, from wherever the tool is.
const LARGEST_ARC_RAD: f64 = 1.5 * std::f64::consts::PI;

impl CartesianPath {
    /// The moves that are left of this path, begun at `start` (the pose of the tool in the base), when the tool has come to
    /// `arc_length` (m of the path's length): as moves to poses in its frame, so that they hold from wherever the tool is then.
    ///
    /// The move that is under way goes on to its end, a line as a line and an arc on its circle. Inside the blend between two moves
    /// it is a line to the end of the blend. Along the rest of an arc the orientation is that of
    /// the whole arc in the middle and at the end, and between these may differ a little. No moves are left at the end of the path.
    ///
    /// # Errors
    /// As [`from_start_in`](Self::from_start_in), and [`KineticError::InvalidValue`] for an arc length that is not on the path.
    ///
    /// ```
    /// use kinetic_core::Pose;
    /// use kinetic_ik::{CartesianPath, MoveFrame};
    /// let start = Pose::from_xyz(0.4, 0.0, 0.3);
    /// let path = CartesianPath::new().move_by(Pose::from_xyz(0.1, 0.0, 0.0), MoveFrame::Tool);
    /// let left = path.remaining_from(&start, 0.04, &|_| unreachable!())?;
    /// let stopped = Pose::from_xyz(0.44, 0.0, 0.3);
    /// assert!((left.from_start(&stopped)?.length() - 0.06).abs() < 1e-12);
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    pub fn remaining_from(
        &self,
        start: &Pose,
        arc_length: f64,
        frames: &dyn Fn(&str) -> Result<UnitQuaternion<f64>>,
    ) -> Result<Self> {
        let path = self.from_start_in(start, frames)?;
        if !(arc_length >= 0.0 && arc_length <= path.length() + SAME_POSE_M) {
            let wanted = format!("from 0 to the length of the path, {} m", path.length());
            return Err(KineticError::invalid("arc length of the path", arc_length, wanted));
        }
        let corner = path.corners().into_iter().find(|[begin, end]| *begin < arc_length && arc_length < *end);
        let (mut left, from) = match corner {
            Some([_, end]) => (Self::new().line_to(path.pose_at(end)), end),
            None => (Self::new(), arc_length),
        };
        let (mut growing, mut begin) = (Growing::from(*start), 0.0);
        for ((next, radius), end) in self.moves().iter().zip(path.segment_ends()) {
            let from_pose = *growing.tip();
            grow(&mut growing, next, "move of the Cartesian path", frames)?;
            if end - from > SAME_POSE_M {
                let done = ((from - begin) / (end - begin)).max(0.0);
                left = left.then(rest_of(next, &from_pose, growing.tip(), done)?).blended(*radius);
            }
            begin = end;
        }
        Ok(match self.frame() {
            Some(frame) => left.in_frame(frame),
            None => left,
        })
    }
}

/// The rest of a move between two poses, of which a part is done, 0 to 1.
fn rest_of(next: &CartesianMove, from: &Pose, goal: &Pose, done: f64) -> Result<CartesianMove> {
    let left = 1.0 - done;
    Ok(match next {
        CartesianMove::Line(_) | CartesianMove::Relative { .. } => CartesianMove::Line(*goal),
        CartesianMove::Arc { .. } | CartesianMove::Circle { .. } if left < LEAST_ARC_RATIO => {
            CartesianMove::Line(*goal)
        }
        CartesianMove::Circle { center, axis, angle } if (angle * left).abs() > LARGEST_ARC_RAD => {
            CartesianMove::Circle { center: *center, axis: *axis, angle: angle * left }
        }
        // Through the middle of the rest: a pose on the way that is near either end would bend the orientation between them.
        CartesianMove::Arc { .. } | CartesianMove::Circle { .. } => {
            CartesianMove::Arc { via: pose_on(next, from, done + 0.5 * left)?, goal: *goal }
        }
        CartesianMove::Screw { point, axis, angle, advance } => {
            CartesianMove::Screw { point: *point, axis: *axis, angle: angle * left, advance: advance * left }
        }
    })
}

/// The pose at a part of a move that no frame by name belongs to.
fn pose_on(next: &CartesianMove, from: &Pose, part: f64) -> Result<Pose> {
    let path: ToolPath = CartesianPath::new().then(next.clone()).from_start(from)?;
    Ok(path.pose_at(part * path.length()))
}
