//! Goals that many configurations or poses meet: regions, and sets of goals.

use std::collections::BTreeMap;

use kinetic::core::error::check_len;
use kinetic::core::{Goal, PoseRegion};
use pyo3::prelude::*;

use crate::convert::{Array, PerJoint, PoseArg, PyPose};
use crate::error::Result;
use crate::planning::goal::{GoalList, GroupGoals, PyGoal};

#[pymethods]
impl PyGoal {
    /// Any one of several goals, of any kinds; which one was reached says `last_stats["goal_index"]`.
    ///
    /// Goals that cannot be met (in collision, out of reach) are passed over as long as another one remains. Sets among
    /// the goals become part of this one.
    ///
    /// Args:
    ///     goals: Goals, or joint values (N, dof), names of poses, or tool poses.
    ///
    /// Example:
    ///     >>> from kinetic import Goal
    ///     >>> Goal.any([Goal.named("home"), [0.0, -1.57, 1.57]]).goals
    ///     [Goal.named("home"), Goal.joints([0.0, -1.57, 1.57])]
    #[staticmethod]
    fn any(goals: GoalList) -> Self {
        Self(Goal::any(goals.0))
    }

    /// A goal for each of several groups that are planned together; joints of none of them end where they start.
    ///
    /// `planner.plan` takes the dict as well.
    ///
    /// Args:
    ///     goals: For each group, by its name, a goal, joint values, the name of a pose, or a pose of its tool.
    ///
    /// Example:
    ///     >>> from kinetic import Goal
    ///     >>> Goal.groups({"left_arm": "ready", "right_arm": [0.0, -1.0]})
    ///     Goal.groups({"left_arm": Goal.named("ready"), "right_arm": Goal.joints([0.0, -1.0])})
    #[staticmethod]
    fn groups(goals: GroupGoals) -> Self {
        Self(Goal::Groups(goals.0))
    }

    /// Poses of links that the group moves, all of them at once; joints that no pose fixes may end anywhere.
    ///
    /// The frame is that of the link itself, without a tool, in the group's base frame. Groups with several tips, such as two
    /// arms on one torso, have a pose for each.
    ///
    /// Args:
    ///     base_from_links: For each link, by its name, a pose: a `Pose` or 4×4.
    ///
    /// Example:
    ///     >>> from kinetic import Goal, Pose
    ///     >>> Goal.links({"forearm_link": Pose.from_xyz(0.1, 0.2, 0.5)}).kind
    ///     'links'
    #[staticmethod]
    fn links(base_from_links: BTreeMap<String, PoseArg>) -> Self {
        Self(Goal::links(base_from_links.into_iter().map(|(link, pose)| (link, pose.0))))
    }

    /// The poses of links by their names, else None.
    #[getter]
    pub(crate) fn by_link(&self) -> Option<BTreeMap<String, PyPose>> {
        match &self.0 {
            Goal::Links(links) => Some(links.iter().map(|(link, pose)| (link.clone(), PyPose(*pose))).collect()),
            _ => None,
        }
    }

    /// The goals of several groups by their names, else None.
    #[getter]
    pub(crate) fn by_group(&self) -> Option<BTreeMap<String, Self>> {
        match &self.0 {
            Goal::Groups(goals) => Some(goals.iter().map(|(name, goal)| (name.clone(), Self(goal.clone()))).collect()),
            _ => None,
        }
    }

    /// Any pose of the group's tool in a box around a pose; the planner picks one.
    ///
    /// Args:
    ///     pose: The centre, in the group's base frame.
    ///     position_tolerance: Half the size of the box along the axes of the centre, m: (3,), or one number for all.
    ///     orientation_tolerance: Largest components of the rotation vector from the centre to the tool, about the axes of
    ///         the centre, rad from 0 to pi: (3,), or one number for all; None for 0. `[0, 0, numpy.pi]` leaves the turn
    ///         about z free.
    ///
    /// Example:
    ///     >>> import numpy
    ///     >>> from kinetic import Goal, Pose
    ///     >>> goal = Goal.region(Pose.from_xyz(0.4, 0.0, 0.3), [0.1, 0.1, 0.0], [0.0, 0.0, numpy.pi])
    ///     >>> goal.position_tolerance
    ///     array([0.1, 0.1, 0. ])
    #[staticmethod]
    #[pyo3(
        signature = (pose, position_tolerance, orientation_tolerance=None),
        text_signature = "(pose, position_tolerance, orientation_tolerance=None)"
    )]
    fn region(pose: PoseArg, position_tolerance: PerJoint, orientation_tolerance: Option<PerJoint>) -> Result<Self> {
        let position = three("position_tolerance", position_tolerance)?;
        let orientation = orientation_tolerance.map(|tolerance| three("orientation_tolerance", tolerance));
        let orientation = orientation.transpose()?.unwrap_or_default();
        Ok(Self(Goal::region(PoseRegion::new(pose.0, position, orientation)?)))
    }

    /// The goals of a set, else None.
    #[getter]
    fn goals(&self) -> Option<Vec<Self>> {
        match &self.0 {
            Goal::Any(goals) => Some(goals.iter().cloned().map(Self).collect()),
            _ => None,
        }
    }

    /// Half the size of a region's box (3,), m; None for other goals.
    #[getter]
    fn position_tolerance<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        self.as_region().map(|region| Array::vector(py, &region.position_tolerance)).transpose()
    }

    /// Largest components of a region's rotation vector (3,), rad; None for other goals.
    #[getter]
    fn orientation_tolerance<'py>(&self, py: Python<'py>) -> Result<Option<Array<'py>>> {
        self.as_region().map(|region| Array::vector(py, &region.orientation_tolerance)).transpose()
    }
}

impl PyGoal {
    fn as_region(&self) -> Option<&PoseRegion> {
        match &self.0 {
            Goal::Region(region) => Some(region),
            _ => None,
        }
    }
}

/// One number per axis.
fn three(name: &str, given: PerJoint) -> Result<[f64; 3]> {
    let values = given.expand(3);
    check_len(name, values.len(), 3)?;
    Ok([values[0], values[1], values[2]])
}
