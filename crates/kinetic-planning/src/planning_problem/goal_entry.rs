//! Goals in problem files.

use std::collections::BTreeMap;

use kinetic_core::error::check_finite;
use kinetic_core::{Goal, JointValues, KineticError, Pose, PoseRegion, ReferenceFrame, Result};
use serde::Deserialize;

use kinetic_core::toml_text::quoted;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoalEntry {
    joints: Option<Vec<f64>>,
    /// Beside `joints`.
    #[serde(default)]
    turns: bool,
    named: Option<String>,
    pose: Option<PoseEntry>,
    relative: Option<RelativeEntry>,
    region: Option<RegionEntry>,
    any: Option<Vec<GoalEntry>>,
    links: Option<BTreeMap<String, PoseEntry>>,
    groups: Option<BTreeMap<String, GoalEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoseEntry {
    position: [f64; 3],
    quaternion_xyzw: [f64; 4],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RelativeEntry {
    position: [f64; 3],
    quaternion_xyzw: [f64; 4],
    frame: ReferenceFrame,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionEntry {
    position: [f64; 3],
    quaternion_xyzw: [f64; 4],
    position_tolerance: [f64; 3],
    orientation_tolerance: [f64; 3],
}

impl RegionEntry {
    fn goal(self) -> Result<Goal> {
        let Self { position, quaternion_xyzw, position_tolerance, orientation_tolerance } = self;
        let centre = PoseEntry { position, quaternion_xyzw }.pose()?;
        Ok(Goal::Region(PoseRegion::new(centre, position_tolerance, orientation_tolerance)?))
    }
}

impl GoalEntry {
    pub(super) fn goal(mut self) -> Result<Goal> {
        if self.turns && self.joints.is_none() {
            return Err(KineticError::invalid("turns of the goal", "given", "joints beside it"));
        }
        if let Some(groups) = &mut self.groups {
            let goals = std::mem::take(groups).into_iter().map(|(name, entry)| Ok((name, entry.goal()?)));
            let goals = Goal::Groups(goals.collect::<Result<_>>()?);
            let is_alone = self.is_only_apart() && self.links.is_none();
            return if is_alone { Ok(goals) } else { Err(one_kind()) };
        }
        if let Some(links) = &self.links {
            let poses = links.iter().map(|(link, entry)| Ok((link.clone(), entry.pose()?)));
            let poses = Goal::Links(poses.collect::<Result<_>>()?);
            return if self.is_only_apart() { Ok(poses) } else { Err(one_kind()) };
        }
        match (self.joints, self.named, self.pose, self.relative, self.region, self.any) {
            (None, None, None, None, Some(region), None) => region.goal(),
            (None, None, None, None, None, Some(goals)) => {
                Ok(Goal::Any(goals.into_iter().map(Self::goal).collect::<Result<_>>()?))
            }
            (Some(values), None, None, None, None, None) => {
                check_finite("goal", &values)?;
                let values = JointValues(values);
                Ok(if self.turns { Goal::JointTurns(values) } else { Goal::Joints(values) })
            }
            (None, Some(name), None, None, None, None) => Ok(Goal::Named(name)),
            (None, None, Some(pose), None, None, None) => Ok(Goal::Pose(pose.pose()?)),
            (None, None, None, Some(RelativeEntry { position, quaternion_xyzw, frame }), None, None) => {
                Ok(Goal::Relative { offset: PoseEntry { position, quaternion_xyzw }.pose()?, frame })
            }
            _ => Err(one_kind()),
        }
    }

    /// Whether none of the kinds is stated that stand by themselves.
    fn is_only_apart(&self) -> bool {
        let others = (self.joints.is_none(), self.named.is_none(), self.pose.is_none(), self.relative.is_none());
        others == (true, true, true, true) && self.region.is_none() && self.any.is_none()
    }
}

fn one_kind() -> KineticError {
    let wanted = "one of joints, named, pose, relative, region, any, links, groups";
    KineticError::invalid("goal", "none or several kinds", wanted)
}

impl PoseEntry {
    pub(super) fn pose(&self) -> Result<Pose> {
        let ([x, y, z], [qx, qy, qz, qw]) = (self.position, self.quaternion_xyzw);
        Pose::from_xyz_quat(x, y, z, qx, qy, qz, qw)
    }
}

pub(super) fn text(goal: &Goal) -> String {
    format!("\n[problem.goal]\n{}\n", entry(goal, "\n"))
}

/// Keys with their values.
fn entry(goal: &Goal, separator: &str) -> String {
    match goal {
        Goal::JointTurns(values) => format!("joints = {:?}{separator}turns = true", values.0),
        Goal::Joints(values) => format!("joints = {:?}", values.0),
        Goal::Named(name) => format!("named = {}", quoted(name)),
        Goal::Pose(pose) => format!("pose = {{ {} }}", pose_text(pose)),
        Goal::Relative { offset, frame } => {
            let frame = match frame {
                ReferenceFrame::Tool => "tool",
                ReferenceFrame::Base => "base",
            };
            format!("relative = {{ {}, frame = \"{frame}\" }}", pose_text(offset))
        }
        Goal::Region(region) => format!(
            "region = {{ {}, position_tolerance = {:?}, orientation_tolerance = {:?} }}",
            pose_text(&region.base_from_centre),
            region.position_tolerance,
            region.orientation_tolerance
        ),
        Goal::Any(goals) => {
            let members: Vec<String> = goals.iter().map(|goal| format!("{{ {} }}", entry(goal, ", "))).collect();
            format!("any = [{}]", members.join(", "))
        }
        Goal::Links(links) => {
            let entry = |(link, pose): (&String, &Pose)| format!("{} = {{ {} }}", quoted(link), pose_text(pose));
            format!("links = {{ {} }}", links.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Goal::Groups(goals) => {
            let entry = |(name, goal): (&String, &Goal)| format!("{} = {{ {} }}", quoted(name), entry(goal, ", "));
            format!("groups = {{ {} }}", goals.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

pub(super) fn pose_text(pose: &Pose) -> String {
    let (t, q) = (pose.translation(), pose.rotation().coords);
    format!("position = {:?}, quaternion_xyzw = {:?}", t.as_slice(), q.as_slice())
}
