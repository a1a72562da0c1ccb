//! Goals of a plan, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::joint_values::JointValues;
use crate::pose::Pose;
use crate::pose_region::PoseRegion;

/// The frame in which a relative offset is expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceFrame {
    /// The tool frame at the start configuration.
    Tool,
    /// The base frame of the planning group.
    Base,
}

/// What a plan should reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// A configuration of the planning group (or of the whole robot): bounded joints end exactly at these values, joints
    /// without limits at equivalent ones, full turns apart.
    Joints(JointValues),
    /// As [`Joints`](Self::Joints), with bounded turning joints at any full turns from these values inside their limits.
    JointTurns(JointValues),
    /// A pose of the group's tool in the group's base, `base_from_tool`.
    Pose(Pose),
    /// A named pose of the planning group.
    Named(String),
    /// The tool pose at the start, moved by an offset.
    Relative {
        /// The offset: a pose whose translation is in m.
        offset: Pose,
        /// `Tool`: `base_from_tool · offset`. `Base`: translated by the offset's translation and rotated by its
        /// rotation about the tool's own origin, both along base axes.
        frame: ReferenceFrame,
    },
    /// Any one pose of the group's tool in a region; which one is up to the planner.
    Region(PoseRegion),
    /// Any one of several goals, of any kinds.
    Any(Vec<Goal>),
    /// Poses of links that the planning group moves, all of them at once, by their names: the frame of the link itself, without a
    /// tool, in the group's base, `base_from_link`. The joints that no such pose fixes may end anywhere.
    Links(BTreeMap<String, Pose>),
    /// A goal for each of several groups inside the planning group, by their names. Joints of none of them end where they start.
    Groups(BTreeMap<String, Goal>),
}

impl Goal {
    /// A configuration.
    pub fn joints(values: impl Into<JointValues>) -> Self {
        Self::Joints(values.into())
    }

    /// A configuration, with bounded turning joints at any full turns from these values inside their limits. The values
    /// themselves need not be inside.
    pub fn joints_with_turns(values: impl Into<JointValues>) -> Self {
        Self::JointTurns(values.into())
    }

    /// A tool pose in the group's base frame.
    pub fn pose(base_from_tool: impl Into<Pose>) -> Self {
        Self::Pose(base_from_tool.into())
    }

    /// A named pose.
    pub fn named(name: impl Into<String>) -> Self {
        Self::Named(name.into())
    }

    /// A motion of the tool relative to where it starts.
    pub fn relative(offset: impl Into<Pose>, frame: ReferenceFrame) -> Self {
        Self::Relative { offset: offset.into(), frame }
    }

    /// Any one pose in a region.
    pub fn region(region: PoseRegion) -> Self {
        Self::Region(region)
    }

    /// Any one of several goals. The members of a set among them become members of this one.
    pub fn any(goals: impl IntoIterator<Item = Self>) -> Self {
        let mut members = Vec::new();
        for goal in goals {
            match goal {
                Self::Any(inner) => members.extend(inner),
                single => members.push(single),
            }
        }
        Self::Any(members)
    }

    /// Poses of links in the group's base, by their names. Of poses of the same link the last counts.
    pub fn links<N: Into<String>, P: Into<Pose>>(base_from_links: impl IntoIterator<Item = (N, P)>) -> Self {
        Self::Links(base_from_links.into_iter().map(|(link, pose)| (link.into(), pose.into())).collect())
    }

    /// A goal for each of several groups inside the planning group. Of goals with the same name the last counts.
    pub fn groups<N: Into<String>>(goals: impl IntoIterator<Item = (N, Self)>) -> Self {
        Self::Groups(goals.into_iter().map(|(name, goal)| (name.into(), goal)).collect())
    }

    /// `joints`, `pose`, `named`, `relative`, `region`, `any`, `links` or `groups`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Joints(_) | Self::JointTurns(_) => "joints",
            Self::Pose(_) => "pose",
            Self::Named(_) => "named",
            Self::Relative { .. } => "relative",
            Self::Region(_) => "region",
            Self::Any(_) => "any",
            Self::Links(_) => "links",
            Self::Groups(_) => "groups",
        }
    }
}
