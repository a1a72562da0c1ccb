//! Goal regions: sampled poses of a task space region and their inverse kinematics solutions.

use kinetic_core::error::reason;
use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, JointValues, KineticError, Pose, PoseRegion, Result};
use kinetic_scene::Checker;

use crate::goal_context::{IkContext, branches};

/// Restarts of numerical inverse kinematics per sampled pose: there is always a next pose.
pub(crate) const IK_RESTARTS_PER_POSE: usize = 3;

/// Poses tried before a region without any usable configuration is given up.
const MAX_UNUSABLE_POSES: u64 = 256;

/// A pose of a region by its number; the first one is the centre.
pub(crate) fn sampled_pose(region: &PoseRegion, seed: u64, index: u64) -> Pose {
    let mut rng = SeededRng::stream(seed, index);
    region.at(if index == 0 { [0.5; 6] } else { [(); 6].map(|()| rng.unit()) })
}

/// A region of a goal, and how far it has been sampled.
#[derive(Debug, Clone)]
pub(crate) struct SampledRegion<'a> {
    /// Which member of the goal it is.
    pub(crate) member: usize,
    region: &'a PoseRegion,
    poses: u64,
    out_of_reach: u64,
    blocked: u64,
}

impl<'a> SampledRegion<'a> {
    /// A region of which nothing was sampled yet.
    ///
    /// # Errors
    /// As [`PoseRegion::check`].
    pub(crate) fn new(member: usize, region: &'a PoseRegion) -> Result<Self> {
        region.check()?;
        Ok(Self { member, region, poses: 0, out_of_reach: 0, blocked: 0 })
    }

    /// Appends the free configurations of the next `count` poses; the first pose of all is the centre. While there is
    /// none, goes on until there is one.
    ///
    /// # Errors
    /// [`KineticError::GoalUnreachable`] when many poses gave none, and what `control` says.
    pub(crate) fn sample(
        &mut self,
        reach: &IkContext<'_>,
        checker: &mut Checker,
        start: &[f64],
        count: u64,
        control: &Control,
        out: &mut Vec<JointValues>,
    ) -> Result<()> {
        let (before, wanted) = (out.len(), self.poses + count);
        while self.poses < wanted || (out.len() == before && self.has_none() && self.poses < MAX_UNUSABLE_POSES) {
            control.check(0)?;
            self.sample_pose(reach, checker, start, out)?;
        }
        if out.len() == before && self.has_none() { Err(self.unusable()) } else { Ok(()) }
    }

    /// Whether every pose so far was out of reach or blocked.
    fn has_none(&self) -> bool {
        self.out_of_reach + self.blocked == self.poses
    }

    fn sample_pose(
        &mut self,
        reach: &IkContext<'_>,
        checker: &mut Checker,
        start: &[f64],
        out: &mut Vec<JointValues>,
    ) -> Result<()> {
        let pose = sampled_pose(self.region, reach.seed, self.poses);
        self.poses += 1;
        let solutions = match branches(reach, start, &pose, IK_RESTARTS_PER_POSE) {
            Err(KineticError::GoalUnreachable { .. }) => {
                self.out_of_reach += 1;
                return Ok(());
            }
            found => found?,
        };
        let before = out.len();
        out.extend(solutions.into_iter().map(|solution| solution.joints).filter(|q| checker.is_free(q)));
        self.blocked += u64::from(out.len() == before);
        Ok(())
    }

    fn unusable(&self) -> KineticError {
        let Self { poses, out_of_reach, blocked: in_collision, .. } = *self;
        let reason = reason::GoalUnreachable::Region { poses, out_of_reach, in_collision };
        KineticError::GoalUnreachable { reason }
    }
}
